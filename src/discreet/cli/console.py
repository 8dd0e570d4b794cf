"""Prints results on standard output: as tables for people or as one JSON object."""

from __future__ import annotations

import json
import warnings
from collections.abc import Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from shlex import quote
from threading import Timer
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Any

import typer

from discreet.errors import DiscreetWarning, python_words

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from rich.console import RenderableType

    from discreet.data.binning import BinsLike
    from discreet.errors import Worded
    from discreet.limits import Progress
    from discreet.policy.pipeline import OnStage


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
def shown_warnings() -> Iterator[None]:
    """Print every warning of discreet's own as one sentence; others stay as they are."""
    from rich.console import Console
    from rich.text import Text

    with warnings.catch_warnings():
        usual = warnings.showwarning

        def show_warning(message: Warning | str, category: type[Warning], *where: Any) -> None:  # noqa: ANN401  as warnings calls it
            if not isinstance(message, DiscreetWarning):
                usual(message, category, *where)
                return
            text = Text(f"Warning: {said(message)}", style="yellow")
            Console(stderr=True).print(text, soft_wrap=True)

        warnings.simplefilter("always", DiscreetWarning)
        warnings.showwarning = show_warning  # type: ignore[assignment]  # called by position
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
def stage_bar(file: str) -> Iterator[OnStage]:
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

SetColumns = Annotated[
    list[str] | None,
    typer.Option(
        "--sets",
        help="Cells of a column have several members: `diagnosis=;` names what stands between "
        "them. Repeatable.",
        show_default=False,
    ),
]

CarriedColumns = Annotated[
    list[str] | None,
    typer.Option(
        "--carried",
        help="A number column is only carried along: `income=mean` or `median` of its class, "
        "`income='round 100'`, `age='0 to 90'`, several with commas. Repeatable.",
        show_default=False,
    ),
]

ColumnNames = Annotated[
    str | None,
    typer.Option(
        "--names",
        help="Name all columns of a file without a header: `age,sex,zip`.",
        show_default=False,
    ),
]

Person = Annotated[
    str | None,
    typer.Option(
        help="The column that says whose each row is, such as `patient_id`. People are counted and "
        "protected then, who may have several rows; the column is not released.",
        show_default=False,
    ),
]

OneRowEach = Annotated[
    bool,
    typer.Option(
        "--one-row-per-person", help="State that every row is another person, if you know it."
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


# What the library calls things, in the words of the command line.

# Options that commands call otherwise than the library its parameters.
_NAMES = {"ks": "k", "lengths": "prefix", "n_rows": "rows", "roles": "role"}
# What only the command line can add, by the parameter that an error is about.
_MORE = {
    "bins": ("Columns that name people: --role NAME=identifying. discreet choose FILE names them."),
}


# The options of the command that runs, by the names of its parameters.
_OPTIONS: ContextVar[Mapping[str, str]] = ContextVar("options", default=MappingProxyType({}))


def speak_for(command: Any) -> None:  # noqa: ANN401  typer's own class is private
    """Let errors and warnings name parameters as the options of a command from now on."""
    options = [param for param in command.params if param.param_type_name == "option"]
    # Options of a method are distinguished from those of every command by a prefix.
    names = [str(param.name).removeprefix("option_") for param in options]
    longest = [max(param.opts, key=len) for param in options]
    _OPTIONS.set(dict(zip(names, longest, strict=True)))


def option_words(name: str, value: object) -> str:
    """Return how the command that runs writes a parameter; as in Python if it has no such option.

    Examples
    --------
    >>> ran = _OPTIONS.set({"k": "-k", "bins": "--bins"})
    >>> option_words("k", 5), option_words("bins", {"age": [20, 40]}), option_words("n_items", 3)
    ('-k 5', '--bins age=20,40', 'n_items=3')
    >>> _OPTIONS.reset(ran)
    """
    options = _OPTIONS.get()
    found = options.get(name) or options.get(_NAMES.get(name, name))
    if found is None and name == "columns" and "role" in options:
        return "--role NAME=identifying"
    if found is None:
        return python_words(name, value)
    return found if value is ... or value is True else f"{found} {quote(_plain(value))}"


def said(error: Worded) -> str:
    """Return what an error or a warning says, in the words of the command that runs."""
    text = error.words(option_words)
    if error.parameter in _MORE and error.parameter in _OPTIONS.get():
        text += f" {_MORE[error.parameter]}"
    return text


def _plain(value: object) -> str:
    """Return a value as options take it: lists by commas, mappings by an equals sign."""
    if isinstance(value, Mapping):
        return " ".join(f"{name}={_plain(each)}" for name, each in value.items())
    if isinstance(value, list | tuple | set | frozenset):
        return ",".join(map(_plain, value))
    return str(value)
