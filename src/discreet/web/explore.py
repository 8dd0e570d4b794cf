"""Counts of a release that one can cross-filter: on a screen of the app, and in a page of its own.

Rows with equal values are one row with a count, each column has at most 256 values, so that a
browser counts a million rows while a finger is on its way. Only the release is looked at.
"""

from __future__ import annotations

import base64
import hashlib
import json
import math
import re
from dataclasses import dataclass
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from discreet.report.text import MISSING, shortened, visible
from discreet.utility import cells_changed
from discreet.utility.pairs import pair_columns

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from discreet.data.table import Table

MOST_COLUMNS: Final = 12  # at a time
MOST_VALUES: Final = 256  # of a column: a byte
MOST_BARS: Final = 24  # numbers beyond are put into intervals
N_BARS: Final = 12  # that are shown before "all"
OTHERS: Final = "all other values"
_INTERVAL: Final = re.compile(r"[\[(]\s*(-?\d+(?:\.\d+)?)\s*,")


@dataclass(frozen=True, slots=True)
class Cube:
    """A release as counts.

    Attributes
    ----------
    columns : tuple of dict
        ``name``, ``labels`` by code, and whether they are ``ordered`` numbers.
    weights : array
        Rows of each distinct combination.
    codes : array
        A row for each column, a column for each combination.
    """

    columns: tuple[dict[str, Any], ...]
    weights: NDArray[np.uint32]
    codes: NDArray[np.uint8]

    @property
    def n_rows(self) -> int:
        """Rows of the release."""
        return int(self.weights.sum())

    def counts(self, chosen: Mapping[int, set[int]]) -> tuple[list[list[int]], int]:
        """Return the rows of each value of each column, and of all that is chosen.

        Parameters
        ----------
        chosen : mapping of int to set of int
            Columns, and their values of which a row must have one. What is chosen in a column
            does not count in that column, so that one sees what else could be chosen.
        """
        fails = {
            column: ~np.isin(self.codes[column], list(values)) for column, values in chosen.items()
        }
        n_failed = np.zeros(len(self.weights), dtype=np.uint8)
        for each in fails.values():
            n_failed += each
        found = []
        for place, column in enumerate(self.columns):
            kept = n_failed == 0
            if place in fails:
                kept = n_failed == fails[place]
            n_values = len(column["labels"])
            weights = np.where(kept, self.weights, 0)
            found.append(
                [int(n) for n in np.bincount(self.codes[place], weights, minlength=n_values)]
            )
        return found, int(self.weights[n_failed == 0].sum())

    def write(self, path: Path) -> dict[str, object]:
        """Write weights and codes into a file, and return the rest as plain values."""
        path.write_bytes(self.weights.astype("<u4").tobytes() + self.codes.tobytes())
        return {"columns": list(self.columns), "n_distinct": len(self.weights)}


def read_cube(path: Path, about: Mapping[str, Any]) -> Cube:
    """Return what :meth:`Cube.write` wrote."""
    content, n = path.read_bytes(), int(about["n_distinct"])
    return Cube(
        tuple(about["columns"]),
        np.frombuffer(content, "<u4", n),
        np.frombuffer(content, np.uint8, offset=4 * n).reshape(len(about["columns"]), n),
    )


def cube_of(table: Table, columns: Sequence[str]) -> Cube:
    """Return the counts of some columns of a table.

    Examples
    --------
    >>> from discreet.data.table import Table
    >>> people = Table.from_frame({"sex": ["f", "m", "f"], "region": ["N", "N", None]})
    >>> cube = cube_of(people, ["sex", "region"])
    >>> [column["labels"] for column in cube.columns]
    [['f', 'm'], ['N', '(missing or suppressed)']]
    >>> cube.counts({0: {0}})
    ([[2, 1], [1, 1]], 2)
    """
    made = [_coded(name, table.values(name), table.codes(name)) for name in columns]
    codes = np.array([each for _, each in made], dtype=np.uint8).reshape(len(made), table.n_rows)
    rows = np.ascontiguousarray(codes.T)
    packed = rows.view(np.dtype((np.void, max(1, rows.shape[1])))).ravel()
    _, first, n_of = np.unique(packed, return_index=True, return_counts=True)
    return Cube(
        tuple(about for about, _ in made), n_of.astype(np.uint32),
        np.ascontiguousarray(codes[:, first]),
    )  # fmt: skip


def _coded(
    name: str, values: Sequence[object], codes: NDArray[np.integer[Any]]
) -> tuple[dict[str, Any], NDArray[np.uint8]]:
    """Return the labels of a column, those of most rows first or numbers in order, and codes."""
    counts = np.bincount(codes, minlength=len(values))
    there = [place for place in range(len(values)) if counts[place]]
    numbers = {
        place: float(value) for place in there
        if isinstance(value := values[place], int | float) and math.isfinite(value)
    }  # fmt: skip
    is_ordered = bool(numbers) and all(p in numbers or values[p] is None for p in there)
    group_of: dict[int, str]
    if is_ordered and len(numbers) > MOST_BARS:
        group_of = _intervals(numbers, all(isinstance(values[p], int) for p in numbers))
        order = [*dict.fromkeys(group_of[p] for p in sorted(numbers, key=numbers.__getitem__))]
    else:
        known = [p for p in there if values[p] is not None]
        starts = numbers if is_ordered else _starts(values, known)
        key = starts.__getitem__ if starts else lambda p: (-counts[p], str(values[p]))
        known.sort(key=key)
        most = MOST_VALUES - 2
        kept = known if len(known) <= most else known[:most]
        # Different values may look the same once they are cut or made visible: one label each.
        group_of = {p: _label(values[p]) for p in kept} | dict.fromkeys(known[len(kept) :], OTHERS)
        order = [*dict.fromkeys(group_of.values())]
    for place in there:
        if values[place] is None:
            group_of[place] = MISSING
            order = [*order, MISSING]
    codes_of = np.zeros(max(len(values), 1), dtype=np.uint8)
    for place in there:
        codes_of[place] = order.index(group_of[place])
    return {"name": name, "labels": order, "ordered": is_ordered}, codes_of[codes]


def _starts(values: Sequence[object], known: Sequence[int]) -> dict[int, float] | None:
    """Return where intervals begin, if most labels are intervals: they are shown in that order."""
    found = {place: _INTERVAL.match(str(values[place])) for place in known}
    if 2 * sum(each is not None for each in found.values()) <= len(found):
        return None
    return {p: math.inf if each is None else float(each[1]) for p, each in found.items()}


def _label(value: object) -> str:
    return visible(shortened(str(value), 80)) or "(empty text)"


def _intervals(numbers: Mapping[int, float], is_whole: bool) -> dict[int, str]:  # noqa: FBT001  one use
    """Return the interval of round width that each number is in."""
    low, high = min(numbers.values()), max(numbers.values())
    rough = (high - low) / (MOST_BARS - 4)
    power = 10.0 ** math.floor(math.log10(rough))
    width = next(n * power for n in (1, 2, 5, 10) if n * power >= rough)
    width = max(1.0, width) if is_whole else width
    found = {}
    for place, number in numbers.items():
        start = math.floor(number / width) * width
        found[place] = (
            f"{start:,.0f} to {start + width - 1:,.0f}" if is_whole and width > 1
            else f"{start:,.0f}" if is_whole else f"{start:g} to below {start + width:g}"
        )  # fmt: skip
    return found


def bars(cube: Cube, chosen: Mapping[int, set[int]]) -> dict[str, Any]:
    """Return what the template draws: each value with its rows, chosen and in all."""
    totals, _ = cube.counts({})
    counts, n = cube.counts(chosen)
    columns = []
    for place, column in enumerate(cube.columns):
        most = max(totals[place], default=0) or 1
        columns.append({
            "name": column["name"], "place": place, "n_more": max(0, len(totals[place]) - N_BARS),
            "values": [
                {
                    "label": label, "code": code, "n": counts[place][code],
                    "all": totals[place][code], "wide": round(100 * totals[place][code] / most, 2),
                    "now": round(100 * counts[place][code] / most, 2),
                    "chosen": code in chosen.get(place, ()),
                }
                for code, label in enumerate(column["labels"])
            ],
        })  # fmt: skip
    return {"columns": columns, "n": n, "n_rows": cube.n_rows, "n_shown": N_BARS}


def data_block(cube: Cube, *, whole: bool) -> str:
    """Return what the script needs as JSON that can stand in a page."""
    about: dict[str, Any] = {
        "n": len(cube.weights), "values": [len(column["labels"]) for column in cube.columns],
    }  # fmt: skip
    if whole:
        content = cube.weights.astype("<u4").tobytes() + cube.codes.tobytes()
        about["content"] = base64.b64encode(content).decode()
    return json.dumps(about).replace("<", "\\u003c")


def paired_cells(
    original: Table, released: Table, rows: NDArray[np.integer[Any]]
) -> tuple[NDArray[np.int32], dict[str, NDArray[np.intp]], dict[str, object]]:
    """Return every cell of an original beside what became of it; -1 in a suppressed record.

    Also which rows are changed or suppressed, and the names, labels and sentence to show.
    """
    before = original.select(released.columns)
    n, columns = before.n_rows, pair_columns(before, released)
    cells = np.full((2, len(columns), n), -1, dtype=np.int32)
    is_there = np.zeros(n, dtype=bool)
    is_there[rows] = True
    for place, column in enumerate(columns):
        cells[0, place] = column.original
        cells[1, place, rows] = column.release
    is_changed = is_there & (cells[0] != cells[1]).any(axis=0)
    which = {"all": np.arange(n), "changed": np.flatnonzero(is_changed),
             "suppressed": np.flatnonzero(~is_there)}  # fmt: skip
    return cells, which, {
        "sentence": cells_changed(before, released, rows=rows).sentence,
        "columns": [column.name for column in columns],
        "labels": [[None if v is None else str(v) for v in c.labels] for c in columns],
        "n_of": {key: len(places) for key, places in which.items()},
    }  # fmt: skip


def script() -> tuple[str, str]:
    """Return the script of the explorer, and the hash by which a page allows it and no other."""
    text = files("discreet.web").joinpath("static", "explore.js").read_text("utf-8")
    return text, base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
