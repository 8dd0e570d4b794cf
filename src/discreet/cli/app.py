"""The ``discreet`` command and how its errors reach a person.

Exit codes: 0 the answer is yes or the work is done; 1 the answer is no or a limit was hit;
2 the call or the input is wrong; 130 interrupted.
"""

from __future__ import annotations

import io
import os
import sys
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.text import Text
from typer.core import TyperGroup
from typer.main import get_command

import discreet
from discreet.cli.collect import collect
from discreet.cli.console import said, speak_for
from discreet.cli.hierarchy import hierarchy
from discreet.cli.ledger import ledger
from discreet.cli.look import choose, init, look
from discreet.cli.mine import mine
from discreet.cli.patterns import patterns
from discreet.cli.protect import demo, plan, protect, run
from discreet.cli.randomize import randomize, recover
from discreet.cli.synthesize import synthesize
from discreet.cli.verify import diff, report, verify
from discreet.cli.web import app as open_app
from discreet.errors import DiscreetError, LimitError, VerificationError

INTERRUPTED = 130  # what typer makes of Ctrl-C

app = typer.Typer(
    name="discreet",
    help="Publish categorical and transaction data with a privacy guarantee that is stated, "
    "computed, checked and attacked.",
    epilog="Start with: discreet demo, then: discreet look FILE and discreet choose FILE.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
    context_settings={"help_option_names": ["-h", "--help"]},
)
for _command in (
    demo, look, choose, init, plan, run, verify, diff, report, ledger, mine, randomize,
    recover, synthesize,
):  # fmt: skip
    app.command()(_command)
app.command("app")(open_app)
app.add_typer(protect)
app.add_typer(patterns)
app.add_typer(hierarchy)
app.add_typer(collect)


def _show_version(wanted: bool) -> None:  # noqa: FBT001  typer calls it so
    if wanted:
        typer.echo(f"discreet {discreet.__version__}")
        raise typer.Exit


@app.callback()
def options(
    *,
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show version.")
    ] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.")] = False,
) -> None:
    """Publish categorical and transaction data with a stated, checked privacy guarantee."""
    del version
    if debug:
        os.environ["DISCREET_DEBUG"] = "1"


def _called(command: Any, arguments: list[str]) -> Any:  # noqa: ANN401  a class of typer's own
    """Return the command inside a command that arguments call."""
    for place, argument in enumerate(arguments):
        if isinstance(command, TyperGroup) and argument in command.list_commands(None):  # type: ignore[arg-type]  # no context is needed
            inside = command.get_command(None, argument)  # type: ignore[arg-type]  # as above
            return _called(inside, arguments[place + 1 :])
    return command


def main() -> None:
    """Run the command line; errors become one sentence and an exit code."""
    for stream in (sys.stdout, sys.stderr):
        # Names of files need not be UTF-8, and are shown by escapes where they are not.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    command = get_command(app)
    speak_for(_called(command, sys.argv[1:]))
    try:
        command()
    except DiscreetError as error:
        if os.environ.get("DISCREET_DEBUG"):
            raise
        text = Text(f"Error: {said(error)}", style="red")
        Console(stderr=True).print(text, soft_wrap=True)
        sys.exit(1 if isinstance(error, LimitError | VerificationError) else 2)
    except SystemExit as stop:
        if stop.code == INTERRUPTED:
            Console(stderr=True).print("Interrupted; nothing is left half done.", style="red")
        raise
