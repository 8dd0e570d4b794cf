"""What the parts of the suppression benchmark have in common."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import discreet as dc

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

Result = TypeVar("Result")


@dataclass(frozen=True, kw_only=True)
class Options:
    """How much to run."""

    n_repeats: int = 3
    n_trees: int = 100
    is_quick: bool = False  # small built-in data only

    def file(self, name: str) -> Path | None:
        """Return a file below $DISCREET_DATA, or None if it is not there or not wanted."""
        root = os.environ.get("DISCREET_DATA")
        if self.is_quick or not root:
            return None
        return next(iter(sorted(Path(root).glob(name))), None)


@dataclass(frozen=True, kw_only=True)
class Part:
    """One section of the page, and its figures for the JSON file."""

    title: str
    lines: list[str]
    rows: list[dict[str, object]]
    absent: list[str] = field(default_factory=list)  # what was not run, and why


def load_table(path: Path | str) -> dc.Table:
    """Return the table in a file of any kind; ages and other numbers are categories."""
    if str(path).endswith((".csv", ".csv.xz")):
        return dc.read_table(path, categorical=True)
    table = dc.load(path)
    assert isinstance(table, dc.Table)
    return table


def in_parallel(calls: Sequence[Callable[[], Result]]) -> list[Result]:
    """Return the results of calls that spend their time outside the interpreter's lock."""
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return [waiting.result() for waiting in [pool.submit(call) for call in calls]]
