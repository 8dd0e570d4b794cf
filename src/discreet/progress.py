"""How long-running work reports how far it has come.

Anything callable with one number from 0 to 1 can listen; raising from it stops the work.
"""

from __future__ import annotations

from typing import Protocol


class Progress(Protocol):
    """Called about twenty times a second with the share of the work done."""

    def __call__(self, fraction: float, /) -> object:
        """Receive the share of the work done, from 0 to 1."""
