"""``discreet protect``: a release of a file by one method, without a policy file."""

from __future__ import annotations

import time
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated

import typer

from discreet.cli.console import (
    Bins,
    Categorical,
    ColumnNames,
    File,
    Json,
    parse_names,
    progress_bar,
    show,
    show_json,
    told_warnings,
)
from discreet.cli.flow import (
    Columns,
    Format,
    FormatOption,
    HierarchyFiles,
    HierarchyFolder,
    InternalReport,
    LedgerPlace,
    NoReport,
    Out,
    Overwrite,
    Roles,
    Source,
    hierarchy_section,
    ledger_section,
    parse_settings,
    policy_of,
    run_and_show,
    summary,
)
from discreet.errors import ParameterError

if TYPE_CHECKING:
    from discreet.policy import Plan, Policy


def protect(
    method: Annotated[
        str,
        typer.Argument(
            help="k-mii, mii-suppress, dp-mii-suppress, set-cover, forest, agglomerative, "
            "mondrian, datafly or incognito.",
            show_default=False,
        ),
    ],
    file: File,
    *,
    output: Out,
    k: Annotated[
        int | None,
        typer.Option("-k", help="Least size of a class; all but mii-suppress."),
    ] = None,
    hierarchy: HierarchyFiles = None,
    hierarchies: HierarchyFolder = None,
    l: Annotated[  # noqa: E741  the paper's letter
        str | None,
        typer.Option(
            "-l", help="Generalization: l-diversity of the sensitive columns in every class."
        ),
    ] = None,
    t: Annotated[
        str | None,
        typer.Option(
            "-t", help="Generalization: t-closeness of the sensitive columns, from 0 to 1."
        ),
    ] = None,
    loss: Annotated[
        str | None,
        typer.Option(help="Generalization: what is to be small: lm, entropy, tree, suppression."),
    ] = None,
    leftover: Annotated[
        str | None,
        typer.Option(help="k-mii: `drop` rows in smaller classes, or `suppress` all their cells."),
    ] = None,
    sample_size: Annotated[
        int | None, typer.Option(help="k-mii: look for rare combinations in so many rows only.")
    ] = None,
    theta: Annotated[
        int | None,
        typer.Option(help="mii-suppress: a combination is rare if at most so many rows share it."),
    ] = None,
    epsilon: Annotated[
        str | None, typer.Option(help="dp-mii-suppress: privacy loss, an exact decimal.")
    ] = None,
    delta: Annotated[
        str | None, typer.Option(help="dp-mii-suppress: far below 1 / rows, as in `1e-6`.")
    ] = None,
    scheme: Annotated[
        str | None, typer.Option(help="dp-mii-suppress: how the cells to hide are learnt.")
    ] = None,
    option: Annotated[
        list[str] | None,
        typer.Option("--set", help="Any other option of the method, as `name=value`. Repeatable."),
    ] = None,
    columns: Columns = None,
    role: Roles = None,
    bins: Bins = None,
    categorical: Categorical = None,
    names: ColumnNames = None,
    format: FormatOption = Format.PARQUET,  # noqa: A002  what people call it
    ledger: LedgerPlace = None,
    source: Source = None,
    no_report: NoReport = False,
    internal_report: InternalReport = None,
    overwrite: Overwrite = False,
    as_json: Json = False,
) -> None:
    """Protect a table by one method: a folder with the data, its certificate and a report.

    k-mii makes every row the same as at least k - 1 others by hiding values; mii-suppress hides
    rare combinations only; dp-mii-suppress is differentially private. set-cover and the others
    generalize: they show groups of a hierarchy in place of values. The release is verified
    before the folder appears. `discreet init` writes the same choices as a policy to keep.

    Examples:

        discreet protect k-mii people.csv -k 5 -o out --role name=identifying --bins age=20,40,60

        discreet protect mii-suppress people.csv --theta 4 -o out

        discreet protect dp-mii-suppress people.csv --epsilon 1 --delta 1e-6 -k 20 -o out

        discreet protect set-cover people.csv -k 10 --hierarchy age=age.csv -o out

        discreet protect mondrian people.csv -k 5 -l 3 --hierarchies trees -o out
    """
    given: dict[str, object] = {
        "name": method,
        "k": k,
        "l": l,
        "t": t,
        "loss": loss,
        "leftover": leftover,
        "sample_size": sample_size,
        "theta": theta,
        "epsilon": epsilon,
        "delta": delta,
        "scheme": scheme,
        "columns": parse_names(columns),
        **parse_settings(option),
    }
    sections: dict[str, dict[str, object]] = {
        "release": {"format": format.value, "report": not no_report},
        **hierarchy_section(file, hierarchy, hierarchies, names),
        **ledger_section(ledger, source),
    }
    policy = policy_of(
        file, given, bins=bins, categorical=categorical, role=role, names=names, **sections
    )
    run_and_show(
        policy,
        output,
        overwrite=overwrite,
        internal_report=internal_report,
        as_json=as_json,
    )


# ``discreet run``: the release that a policy asks for.


def run(
    policy: Annotated[Path, typer.Argument(help="The policy (.toml).", show_default=False)],
    *,
    output: Out,
    internal_report: InternalReport = None,
    overwrite: Overwrite = False,
    as_json: Json = False,
) -> None:
    """Make the release that a policy asks for, verify it, and put it into a folder.

    The folder appears whole and verified, or not at all. It holds the data, certificate.json,
    report.html, and the policy without folders, ledger and remarks.

    Examples:

        discreet run policy.toml -o out

        discreet run policy.toml -o out --overwrite --internal-report internal.html --json
    """
    from discreet.policy import read_policy

    run_and_show(
        read_policy(policy),
        output,
        overwrite=overwrite,
        internal_report=internal_report,
        as_json=as_json,
    )


# ``discreet plan``: what a release would cost, at several settings.

MUCH = 0.5


def plan(
    file: Annotated[Path, typer.Argument(help="A policy (.toml) or a table.", show_default=False)],
    *,
    k: Annotated[
        str | None,
        typer.Option(
            "-k",
            help="Sizes of class to try, with commas between them; 2,3,5,10,20,50 by default.",
            show_default=False,
        ),
    ] = None,
    role: Roles = None,
    columns: Columns = None,
    bins: Bins = None,
    categorical: Categorical = None,
    names: ColumnNames = None,
    chart: Annotated[
        Path | None, typer.Option(help="Write a chart to this .html, .svg or .png file.")
    ] = None,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Replace the chart if it exists.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Try a method at several k: cells hidden, rows lost, risk left, time. No release is written.

    The figures describe the data as they are: they are for its curator, not for publication. Of a
    policy that draws rows in place of a table it tells how far off their counts will be, and
    spends nothing.

    Examples:

        discreet plan policy.toml

        discreet plan people.csv -k 2,5,10 --bins age=20,40,60 --role name=identifying
    """
    from discreet.policy import plan as plan_settings
    from discreet.policy import read_policy
    from discreet.policy.plan import KS

    if file.suffix.lower() == ".toml":
        if role or columns or bins or categorical or names:
            raise ParameterError(
                f"Roles, columns, names and bins are said in {file}: change them there."
            )
        policy = read_policy(file)
    else:
        method: dict[str, object] = {"name": "k-mii", "k": 2, "columns": parse_names(columns)}
        policy = policy_of(file, method, bins=bins, categorical=categorical, role=role, names=names)
    if policy.method.name == "synthesize":
        if k is not None or chart is not None:
            raise ParameterError(f"-k and --chart are about classes, and {file} asks for none.")
        _tell_accuracy(policy, as_json=as_json)
        return
    sizes = KS if k is None else _sizes(k)
    with told_warnings(), progress_bar("trying settings") as progress:
        found = plan_settings(policy, ks=sizes, progress=progress)
    if chart is not None:
        _write_chart(found, chart, overwrite=overwrite)
    if as_json:
        show_json(found.to_dict())
        return
    written = () if chart is None else (f"Chart in {chart}.",)
    if policy.path is not None:
        following = f"Next: set k in {policy.path}, then: discreet run {policy.path} -o out"
    else:
        named = "" if names is None else f" --names {quote(names)}"
        following = (
            f"Next: discreet protect k-mii {file} -k 5{named} -o out, or: "
            f"discreet init {file}{named}"
        )
    show(found, *written, *_much_is_lost(found, policy), following)


def _tell_accuracy(policy: Policy, *, as_json: bool) -> None:
    """Tell how far off the counts of a stand-in will be."""
    from discreet.policy import plan_stand_in

    with told_warnings():
        expected = plan_stand_in(policy)
    if as_json:
        show_json(expected.to_dict())
    else:
        following = (
            f"Next: give {policy.path} a larger epsilon, a delta or fewer columns, and plan again."
            if expected.is_noise
            else f"Next: discreet run {policy.path} -o out"
        )
        show(expected, "Nothing was spent.", following)


def _much_is_lost(found: Plan, policy: Policy) -> list[str]:
    """Return what to do if even the smallest k costs half of the table."""
    least = min(
        (each.loss_rate for each in found.settings if each.loss_rate is not None), default=0
    )
    if least < MUCH or found.settings[0].loss is not None:
        return []
    where = "[source]" if policy.path is not None else "--columns"
    file = policy.source_path
    text = (
        f"Much is lost at every k: all {len(found.columns)} columns together single out nearly "
        f"everybody. Name the columns you need in {where}, cut numbers more coarsely, or take a "
        f"method that generalizes, such as set-cover: discreet choose {file}"
    )
    return [text]


def _sizes(text: str) -> list[int]:
    """Return ``[2, 5]`` for ``"2,5"``."""
    try:
        return [int(size) for size in text.split(",")]
    except ValueError:
        raise ParameterError(f"-k takes whole numbers such as 2,5,10, not {text!r}.") from None


def _write_chart(found: Plan, path: Path, *, overwrite: bool) -> None:
    """Write the chart, whole or not at all."""
    from discreet.data.files.packed import atomic_path

    kind = path.suffix.lower()
    if kind not in (".html", ".svg", ".png"):
        raise ParameterError(f"A chart is an .html, .svg or .png file, not {path.name!r}.")
    with atomic_path(path, overwrite=overwrite) as temporary:
        # A page carries its scripts: none is fetched from elsewhere.
        found.plot().save(str(temporary), inline=kind == ".html")


# ``discreet demo``: the whole way on built-in data.


def demo(
    *,
    output: Annotated[Path, typer.Option("--output", "-o", help="The folder to make.")] = Path(
        "discreet-demo"
    ),
    n_rows: Annotated[int, typer.Option("--rows", help="Rows of the built-in sample.")] = 20_000,
) -> None:
    """Protect a made-up census: look at it, make a release, verify it, report on it.

    Everything is in one folder: the census, the policy, the release, and a page that is not for
    publication. A folder of an earlier demo is replaced; nothing else is. Nothing is downloaded
    and nothing is opened.

    Examples:

        discreet demo

        discreet demo -o somewhere --rows 5000
    """
    import discreet as dc
    from discreet.policy.demo import run_demo

    started = time.perf_counter()
    table = dc.datasets.census(n_rows)
    with progress_bar("looking for rare combinations") as progress:
        seen = dc.look(table, progress=progress)
    show(
        f"A made-up census of {table.n_rows:,} people, {table.n_columns} columns. {seen.sentence}",
        "The most dangerous combinations:",
        *(f"  {combination}" for combination in seen.combinations[:3]),
        "",
    )
    with told_warnings(), progress_bar("protecting the census") as progress:
        result = run_demo(table, output, progress=progress)
    show(
        *summary(result),
        "",
        f"Everything is in {output}:",
        f"  {output / 'release'}: the release, for anybody; read report.html in it",
        f"  {output / 'census.csv'} and {output / 'policy.toml'}: what it was made from",
        f"Done in {time.perf_counter() - started:.1f} s. Next, with your own file:",
        "  discreet look people.csv",
        "  discreet choose people.csv",
        "  discreet init people.csv",
    )
