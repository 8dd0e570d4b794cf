"""``discreet protect METHOD``: a release of a file by one method, without a policy file.

There is a command for every record of :mod:`discreet.release.methods`, made when it is asked for.
"""

from __future__ import annotations

import inspect
import shlex
import time
from dataclasses import replace
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from discreet.cli.console import (
    Bins,
    CarriedColumns,
    Categorical,
    ColumnNames,
    File,
    Json,
    OneRowEach,
    Person,
    SetColumns,
    parse_names,
    progress_bar,
    show,
    show_json,
    shown_warnings,
)
from discreet.cli.flow import (
    BoundsOption,
    Columns,
    ExportOption,
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
    Seed,
    Settings,
    Source,
    hierarchy_section,
    ledger_section,
    parse_settings,
    policy_of,
    run_and_show,
    summary,
)
from discreet.errors import ParameterError, did_you_mean
from discreet.release.methods import METHODS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from discreet.policy import Plan, Policy
    from discreet.release.method import Method, Option


# How each kind is written in a command; the policy checks it. Domains are for --set alone.
_WRITTEN = {"whole": int, "flag": bool}


class Methods(TyperGroup):
    """A command for every method that is registered."""

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ANN401, ARG002  a class of typer's own
        """Return the names of all methods, those of one family together."""
        return list(METHODS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:  # noqa: ANN401  as above
        """Return the command of a method, made from its record."""
        del ctx
        if cmd_name not in METHODS:
            raise ParameterError(
                f"There is no method '{cmd_name}'.",
                parameter="method",
                remedy=did_you_mean(cmd_name, METHODS),
            )
        return command_of(METHODS[cmd_name])


protect = typer.Typer(
    name="protect",
    cls=Methods,
    no_args_is_help=True,
    rich_markup_mode="markdown",
    subcommand_metavar="METHOD FILE [OPTIONS]",
    help="""Protect a file by one method: a folder with the data, its certificate and a report.

    The release is verified before the folder appears. `discreet choose FILE` recommends a method,
    and `discreet init FILE` writes the choices as a policy to keep.

    If a column such as `patient_id` repeats, say by `--person patient_id` whose each row is:
    people are protected then, however many rows they have. Nothing runs until it is said.

    Examples:

        discreet protect k-mii people.csv -k 5 -o out --role name=identifying --bins age=20,40,60

        discreet protect set-cover people.csv -k 10 --hierarchy age=age.csv -o out

        discreet protect mondrian --help
    """,
)


def command_of(record: Method) -> Any:  # noqa: ANN401  a class of typer's own
    """Return the command that runs a method."""

    def run(**given: Any) -> None:  # noqa: ANN401  as the parameters say
        _run(record, given)

    parameters = list(_parameters(record))
    signature = inspect.Signature(parameters)
    run.__signature__ = signature  # type: ignore[attr-defined]  # what typer reads
    run.__annotations__ = {each.name: each.annotation for each in parameters}
    alone = typer.Typer(rich_markup_mode="markdown", add_completion=False)
    alone.command(
        record.name,
        help=f"{record.summary}\n\nGuarantee: {'; or '.join(record.claims)}.\n\n"
        f"Examples:\n\n    {example_of(record)}",
        short_help=record.summary,
        rich_help_panel=record.family.capitalize(),
        context_settings={"help_option_names": ["-h", "--help"]},
    )(run)
    return typer.main.get_command(alone)


def example_of(record: Method) -> str:
    """Return a command that runs a method.

    Examples
    --------
    >>> example_of(METHODS["k-mii"])
    'discreet protect k-mii people.csv -k 5 -o out'
    """
    file = "people.csv" if "table" in record.takes else "baskets.dat"
    words = replace(record, command="").arguments(file, record.example)
    return shlex.join(["discreet", *words, "-o", "out"])


def _parameters(record: Method) -> Iterator[inspect.Parameter]:
    """Yield the parameters of a command: the method's own first, then those that all have."""
    yield _parameter("file", File, inspect.Parameter.empty)
    yield _parameter("output", Out, inspect.Parameter.empty)
    for option in record.options:
        if option.kind != "domains":
            yield _parameter(f"option_{option.name}", _annotation(option), None)
    if record.hierarchies:
        yield _parameter("hierarchy", HierarchyFiles, None)
        yield _parameter("hierarchies", HierarchyFolder, None)
    yield _parameter("settings", Settings, None)
    if record.takes_seed:
        yield _parameter("seed", Seed, None)
    if "table" in record.takes:
        yield _parameter("role", Roles, None)
        yield _parameter("bins", Bins, None)
        yield _parameter("categorical", Categorical, None)
        yield _parameter("sets", SetColumns, None)
        yield _parameter("carried", CarriedColumns, None)
        yield _parameter("names", ColumnNames, None)
        yield _parameter("person", Person, None)
        yield _parameter("one_row_per_person", OneRowEach, default=False)
    if record.publishes != "transactions":
        yield _parameter("format", FormatOption, Format.PARQUET)
        yield _parameter("export", ExportOption, None)
        yield _parameter("bounds", BoundsOption, default=False)
        yield _parameter("internal_report", InternalReport, None)
    yield _parameter("ledger", LedgerPlace, None)
    yield _parameter("source", Source, None)
    yield _parameter("no_report", NoReport, default=False)
    yield _parameter("overwrite", Overwrite, default=False)
    yield _parameter("as_json", Json, default=False)


def _parameter(name: str, annotation: Any, default: object) -> inspect.Parameter:  # noqa: ANN401
    return inspect.Parameter(
        name, inspect.Parameter.KEYWORD_ONLY, annotation=annotation, default=default
    )


def _annotation(option: Option) -> Any:  # noqa: ANN401  a type that typer reads
    """Return type and help of an option."""
    facts = [option.range] if option.range else []
    if option.choices:
        facts.append(f"one of {', '.join(option.choices)}")
    if option.default is not None:
        facts.append(f"{option.default} by default")
    details = f" ({'; '.join(facts)})" if facts else ""
    needed = " [required]" if option.required else ""
    return Annotated[
        _WRITTEN.get(option.kind, str) | None,
        typer.Option(
            option.flag, help=f"{option.help}{details}{needed}", show_default=False,
            rich_help_panel="Options of the method",
        ),
    ]  # fmt: skip


def _run(record: Method, given: Mapping[str, Any]) -> None:
    """Run a method with what a command line says."""
    method: dict[str, object] = {"name": record.name}
    for option in record.options:
        value = given.get(f"option_{option.name}")
        method[option.name] = parse_names(value) if option.kind == "columns" else value
    method |= parse_settings(given["settings"])
    sections: dict[str, dict[str, object]] = {
        "release": {"report": not given["no_report"]},
        **ledger_section(given["ledger"], given["source"]),
    }
    if "format" in given:
        sections["release"]["format"] = given["format"].value
    names = given.get("names")
    if record.hierarchies:
        sections |= hierarchy_section(
            given["file"], given["hierarchy"], given["hierarchies"], names
        )
    policy = policy_of(
        given["file"], method, bins=given.get("bins"), categorical=given.get("categorical"),
        role=given.get("role"), names=names, sets=given.get("sets"),
        carried=given.get("carried"), person=given.get("person"),
        one_row_per_person=given.get("one_row_per_person", False), sections=sections,
    )  # fmt: skip
    run_and_show(
        policy,
        given["output"],
        overwrite=given["overwrite"],
        export=given.get("export"),
        bounds=given.get("bounds", False),
        internal_report=given.get("internal_report"),
        seed=given.get("seed"),
        as_json=given["as_json"],
    )


# ``discreet run``: the release that a policy asks for.


def run(
    policy: Annotated[Path, typer.Argument(help="The policy (.toml).", show_default=False)],
    *,
    output: Out,
    source: Annotated[
        Path | None,
        typer.Option(
            "--input",
            help="Another file of the same form, in place of the policy's: next month's.",
            show_default=False,
        ),
    ] = None,
    export: ExportOption = None,
    bounds: BoundsOption = False,
    internal_report: InternalReport = None,
    overwrite: Overwrite = False,
    as_json: Json = False,
) -> None:
    """Make the release that a policy asks for, verify it, and put it into a folder.

    The folder appears whole and verified, or not at all. It holds the data, certificate.json,
    report.html, and the policy without folders, ledger and remarks.

    It stops if a column such as `patient_id` repeats and the policy says neither `person =
    "patient_id"` nor `one_row_per_person = true` in `[source]`. It warns of columns that hold
    e-mail addresses, phone or national numbers, names or free text, and are about to be published.

    With --input the same policy is run on another file. A ledger goes on counting under the name
    of the policy's own file, or that of `source` in `[ledger]`: the people may be the same.

    Examples:

        discreet run policy.toml -o out

        discreet run policy.toml --input next-month.csv -o out-june

        discreet run policy.toml -o out --export xlsx --bounds

        discreet run policy.toml -o out --overwrite --internal-report internal.html --json
    """
    from discreet.policy import read_policy

    chosen = read_policy(policy)
    run_and_show(
        chosen if source is None else chosen.with_input(source),
        output,
        overwrite=overwrite,
        export=export,
        bounds=bounds,
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
    sets: SetColumns = None,
    names: ColumnNames = None,
    person: Person = None,
    one_row_per_person: OneRowEach = False,
    chart: Annotated[
        Path | None, typer.Option(help="Write a chart to this .html, .svg or .png file.")
    ] = None,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Replace the chart if it exists.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Try a method at several k: suppressed cells and records, risk, time. Nothing is released.

    The figures describe the original: they are for the curator, not for publication. For a policy
    with synthetic rows it predicts the error of their counts, and spends nothing.

    Examples:

        discreet plan policy.toml

        discreet plan people.csv -k 2,5,10 --bins age=20,40,60 --role name=identifying
    """
    from discreet.policy import plan as plan_settings
    from discreet.policy import read_policy
    from discreet.policy.plan import KS

    if file.suffix.lower() == ".toml":
        said = (role, columns, bins, categorical, names, sets, person, one_row_per_person)
        if any(said):
            raise ParameterError(
                f"Roles, columns, names, sets, bins and people are said in {file}: change them "
                "there."
            )
        policy = read_policy(file)
    else:
        method: dict[str, object] = {"name": "k-mii", "k": 2, "columns": parse_names(columns)}
        policy = policy_of(
            file, method, bins=bins, categorical=categorical, role=role, names=names, sets=sets,
            person=person, one_row_per_person=one_row_per_person,
        )  # fmt: skip
    if policy.method.record.preview:
        if k is not None or chart is not None:
            raise ParameterError(
                f"-k and --chart are about classes, and {file} asks for none.", parameter="k"
            )
        _show_preview(policy, as_json=as_json)
        return
    sizes = KS if k is None else _sizes(k)
    with shown_warnings(), progress_bar("trying settings") as progress:
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
    limits = ("Not protected:", *(f"  {each}" for each in found.not_protected))
    show(found, *limits, *written, *_much_is_lost(found, policy), following)


def _show_preview(policy: Policy, *, as_json: bool) -> None:
    """Show what a release will cost, without making one."""
    from discreet.policy import preview

    with shown_warnings():
        expected = preview(policy)
    if as_json:
        show_json(expected.to_dict())
    else:
        following = (
            f"Next: give {policy.path} a larger epsilon, a delta or fewer columns, and plan again."
            if getattr(expected, "is_noise", False)
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
        raise ParameterError(
            f"-k takes whole numbers such as 2,5,10, not {text!r}.", parameter="k"
        ) from None


def _write_chart(found: Plan, path: Path, *, overwrite: bool) -> None:
    """Write the chart, whole or not at all."""
    from discreet.data.files.packed import atomic_path

    kind = path.suffix.lower()
    if kind not in (".html", ".svg", ".png"):
        raise ParameterError(
            f"A chart is an .html, .svg or .png file, not {path.name!r}.", parameter="chart"
        )
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
        "The most identifying combinations:",
        *(f"  {combination}" for combination in seen.combinations[:3]),
        "",
    )
    with shown_warnings(), progress_bar("protecting the census") as progress:
        result = run_demo(table, output, progress=progress)
    show(
        *summary(result),
        "",
        f"Everything is in {output}:",
        f"  {output / 'release'}: the release, for anybody; read report.html in it",
        f"  {output / 'census.csv'} and {output / 'policy.toml'}: what it was made from",
        f"  discreet app {output} shows it in a browser (pip install 'discreet[app]', or make app)",
        f"Done in {time.perf_counter() - started:.1f} s. Next, with your own file:",
        "  discreet look people.csv",
        "  discreet choose people.csv",
        "  discreet init people.csv",
    )
