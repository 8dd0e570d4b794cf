"""Prints results on standard output: as tables for people or as one JSON object."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rich.console import RenderableType


def show(*parts: RenderableType) -> None:
    """Print text and results; text is taken as it is, never as markup."""
    from rich.console import Console
    from rich.text import Text

    console = Console()
    for part in parts:
        console.print(Text(part) if isinstance(part, str) else part)


def show_json(values: Mapping[str, object]) -> None:
    """Print one JSON object."""
    typer.echo(json.dumps(values, ensure_ascii=False))
