"""Prints results on standard output: as tables for people or as one JSON object."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rich.console import RenderableType


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
