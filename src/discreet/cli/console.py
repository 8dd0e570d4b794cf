"""Prints results on standard output: as tables for people or as one JSON object."""

from __future__ import annotations

import json
import re
import warnings
from contextlib import contextmanager
from pathlib import Path
from shlex import quote
from threading import Timer
from typing import TYPE_CHECKING, Annotated, Any

import typer

from discreet.errors import DiscreetWarning

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from rich.console import RenderableType

    from discreet.data.binning import BinsLike
    from discreet.limits import Progress
    from discreet.policy.pipeline import Tell


COMMAND_LINES = ("Next: ", "  discreet ")


def show(*parts: RenderableType) -> None:
    """Print text and results; text is taken as it is, never as markup.

    Lines with a command are not broken, so that they can be copied.
    """
    from rich.console import Console
    from rich.text import Text

    console = Console()
    for part in parts:
        if isinstance(part, str):
            console.print(Text(part), soft_wrap=part.startswith(COMMAND_LINES))
        else:
            console.print(part)


def show_json(values: Mapping[str, object]) -> None:
    """Print one JSON object."""
    typer.echo(json.dumps(values, ensure_ascii=False))


# Warnings as sentences on standard error, as they come.


@contextmanager
def told_warnings() -> Iterator[None]:
    """Print every warning of discreet's own as one sentence; others stay as they are."""
    from rich.console import Console
    from rich.text import Text

    with warnings.catch_warnings():
        usual = warnings.showwarning

        def tell(message: Warning | str, category: type[Warning], *where: Any) -> None:  # noqa: ANN401  as warnings calls it
            if not issubclass(category, DiscreetWarning):
                usual(message, category, *where)
                return
            text = Text(f"Warning: {in_cli_words(str(message))}", style="yellow")
            Console(stderr=True).print(text, soft_wrap=True)

        warnings.simplefilter("always", DiscreetWarning)
        warnings.showwarning = tell  # type: ignore[assignment]  # called by position
        yield


# A progress bar on standard error, shown only when the work takes a while.

SECONDS_BEFORE_SHOWN = 1.0


@contextmanager
def progress_bar(what: str) -> Iterator[Progress]:
    """Show a bar named ``what`` once a second has passed.

    Give a callable that moves it to a share of the work. Until it is called the bar only shows
    that work is going on.
    """
    with _bar(what) as move:
        yield lambda share: move(what, share)


@contextmanager
def stage_bar(file: str) -> Iterator[Tell]:
    """Show a bar of the stage that the work on a file is at, once a second has passed."""
    with _bar(f"read {file}") as move:
        yield lambda stage, share: move(f"{stage} {file}", share)


@contextmanager
def _bar(what: str) -> Iterator[Callable[[str, float], None]]:
    """Show a bar, and give what changes its text and moves it."""
    from rich.console import Console
    from rich.progress import Progress as RichProgress

    screen = Console(stderr=True)
    if not screen.is_interactive:  # in a file of messages a bar is only in the way
        yield lambda _what, _share: None
        return
    bar = RichProgress(console=screen, transient=True)
    task = bar.add_task(what, total=None)
    shown = Timer(SECONDS_BEFORE_SHOWN, bar.start)
    shown.daemon = True
    shown.start()

    def move(what: str, share: float) -> None:
        bar.update(task, description=what, total=1.0, completed=share)

    try:
        yield move
    finally:
        shown.cancel()
        shown.join()
        if bar.live.is_started:
            bar.stop()


# Options that say how a file is read, the same for every command.

File = Annotated[
    Path,
    typer.Argument(
        help="CSV, Parquet or Excel table, LUCS-KDD .num, or FIMI .dat transactions; "
        ".gz, .xz and .zst are read directly.",
        show_default=False,
    ),
]

Bins = Annotated[
    list[str] | None,
    typer.Option(
        help="Bin a number column: `age=20,40,60` (edges) or `age=10` (steps of ten). Repeatable.",
        show_default=False,
    ),
]

Categorical = Annotated[
    list[str] | None,
    typer.Option(help="Take the numbers of a column as codes. Repeatable.", show_default=False),
]

ColumnNames = Annotated[
    str | None,
    typer.Option(
        "--names",
        help="Name all columns of a file without a header: `age,sex,zip`.",
        show_default=False,
    ),
]

Json = Annotated[bool, typer.Option("--json", help="Print one JSON object on standard output.")]


def parse_names(given: str | None) -> list[str] | None:
    """Return ``["age", "sex"]`` for ``"age, sex"``."""
    return None if given is None else [name.strip() for name in given.split(",") if name.strip()]


def parse_bins(bins: Sequence[str] | None) -> dict[str, BinsLike]:
    """Return ``{"age": [20, 40]}`` for ``["age=20,40"]`` and ``{"age": 10}`` for ``["age=10"]``."""
    parsed: dict[str, BinsLike] = {}
    for option in bins or ():
        column, equals, edges = option.rpartition("=")
        try:
            numbers = [float(edge) if "." in edge else int(edge) for edge in edges.split(",")]
        except ValueError:
            numbers = []
        if not equals or not column or not numbers:
            raise typer.BadParameter(f"{option!r} is not of the form column=20,40,60 or column=10.")
        parsed[column] = numbers if len(numbers) > 1 else numbers[0]
    return parsed


def _bins(column: str, edges: str) -> str:
    """Return the option that cuts a column."""
    return "--bins " + quote(f"{column}={edges.replace(' ', '')}")


def _missing(option: str) -> str:
    """Return which option to add."""
    dashes = "-" if len(option) == 1 else "--"
    return f"{option} is missing: add {dashes}{option.replace('_', '-')}"


# What the library calls things, in the words of the command line.

_WORDS = (
    (re.compile(r"pass overwrite=True"), "add --overwrite"),
    (re.compile(r"bins=\{'([^']*)': \[([^\]]*)\]\}"), lambda m: _bins(m[1], m[2])),
    (re.compile(r"bins=\{'([^']*)': ([0-9.]+)\}"), lambda m: _bins(m[1], m[2])),
    (re.compile(r"declare categorical=\{'([^']*)'\}"),
     lambda m: f"add --categorical {quote(m[1])}"),
    (re.compile(r"(Whole numbers with at most \d+ distinct values need neither\.)"),
     r"\1 What names people: --role NAME=identifying. discreet choose FILE writes these options."),
    (re.compile(r"Give exactly one of min_support \(rows\) and min_frequency \(share\)\."),
     "Give exactly one of --min-support (rows, as 100) and --min-frequency (share, as 0.01)."),
    (re.compile(r"Give it a role: (.*)=identifying leaves it out, .*=quasi keeps it"),
     r"Add --role \1=identifying to leave it out, or --role \1=quasi to keep it"),
    (re.compile(r"^(\w+) is missing in \[method\]: give it"), lambda m: _missing(m[1])),
    (re.compile(r"\b(publish|promise)=([\w-]+)"), r"--\1 \2"),
    (re.compile(r"pass n_rows="), "pass --n-rows"),
    (re.compile(r"out by columns=\."), "out by --role NAME=identifying."),
    (re.compile(r"pass null_values=\['([^']*)'.*?\]"), r"say null_values in a policy"),
)  # fmt: skip


def in_cli_words(message: str) -> str:
    """Return a message with Python's keyword arguments turned into options.

    Examples
    --------
    >>> in_cli_words("out exists. Choose another name, or pass overwrite=True.")
    'out exists. Choose another name, or add --overwrite.'
    >>> in_cli_words("Say how: bins={'age': [20, 40, 60]} for edges.")
    'Say how: --bins age=20,40,60 for edges.'
    """
    for pattern, words in _WORDS:
        message = pattern.sub(words, message)
    return message
