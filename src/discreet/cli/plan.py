"""``discreet plan``: what a release would cost, at several settings."""

from __future__ import annotations

from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated

import typer

from discreet.cli.files import Bins, Categorical, ColumnNames, Json, parse_names
from discreet.cli.flow import Columns, Roles, policy_of
from discreet.cli.progress import progress_bar
from discreet.cli.show import show, show_json
from discreet.cli.tell import told_warnings
from discreet.errors import ParameterError

if TYPE_CHECKING:
    from discreet.policy import Plan, Policy

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
    from discreet.data.files.atomic import atomic_path

    kind = path.suffix.lower()
    if kind not in (".html", ".svg", ".png"):
        raise ParameterError(f"A chart is an .html, .svg or .png file, not {path.name!r}.")
    with atomic_path(path, overwrite=overwrite) as temporary:
        # A page carries its scripts: none is fetched from elsewhere.
        found.plot().save(str(temporary), inline=kind == ".html")
