"""Warnings as sentences on standard error, as they come."""

from __future__ import annotations

import warnings
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from discreet.cli.words import in_cli_words
from discreet.errors import DiscreetWarning

if TYPE_CHECKING:
    from collections.abc import Iterator


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
