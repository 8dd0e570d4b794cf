"""The data of the synthesis benchmark: LUCS-KDD files as tables, rows with gaps kept."""

from __future__ import annotations

import lzma
import os
from collections import Counter, defaultdict
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

import discreet as dc

GAP = "?"  # a missing cell, taken as a value


class DataSet(NamedTuple):
    """A file below $DISCREET_DATA, and the least support of Krimp's candidates."""

    file: str
    min_support: int

    @property
    def path(self) -> Path:
        """Where the file is, if it is there."""
        return Path(os.environ.get("DISCREET_DATA", ""), self.file)


SETS = {
    "adult": DataSet("lucs/adult.D97.N48842.C2.num.xz", 100),
    "nursery": DataSet("lucs/nursery.D32.N12960.C5.num", 1),
    "led7": DataSet("lucs/led7.D24.N3200.C10.num", 1),
    "penDigits": DataSet("lucs/penDigits.D89.N10992.C10.num", 50),
    "mushroom": DataSet("lucs/mushroom.D90.N8124.C2.num", 100),
    "letRecog": DataSet("lucs/letRecog.D106.N20000.C26.num", 500),
    "chessKRvK": DataSet("lucs/chessKRvK.D58.N28056.C18.num", 10),
}


def rows_of(path: Path) -> list[list[int]]:
    """Return the transactions of a file of item numbers, or of the original program's format."""
    packed = path.read_bytes()
    lines = (lzma.decompress(packed) if path.suffix == ".xz" else packed).decode().splitlines()
    if lines[0].startswith("fic-"):
        lines = [line.split(": ")[1] for line in lines if line.split(":")[0].isdecimal()]
    return [[int(item) for item in line.split()] for line in lines]


def table_of(path: Path) -> dc.Table:
    """Return all rows of a file, with columns c1, c2, ... and texts as values.

    A row of the commonest length has an item for every column, in order. Shorter rows have
    gaps. Items of shorter rows only belong to the column of the next smaller item, or to the
    one after if that one is taken.
    """
    rows = rows_of(path)
    n_columns = Counter(map(len, rows)).most_common(1)[0][0]
    column_of = {
        item: place for row in rows if len(row) == n_columns for place, item in enumerate(row)
    }
    beside: dict[int, set[int]] = defaultdict(set)
    for row in rows:
        for item in row:
            if item not in column_of:
                beside[item].update(column_of[other] for other in row if other in column_of)
    for item in sorted(beside):
        place = column_of[max(known for known in column_of if known < item)]
        column_of[item] = place + (place in beside[item])
    cells = np.full((len(rows), n_columns), GAP, dtype="<U8")
    for number, row in enumerate(rows):
        for item in row:
            cells[number, column_of[item]] = str(item)
    return dc.Table.from_frame(
        {f"c{place + 1}": cells[:, place].tolist() for place in range(n_columns)}
    )


class Parts(NamedTuple):
    """All rows, those to learn from, those held out, and the column of the class."""

    whole: dc.Table
    train: dc.Table
    held_out: dc.Table
    label: str

    @property
    def domains(self) -> dict[str, list[str]]:
        """The values of each column, which all methods take as public."""
        return {name: list(map(str, self.whole.values(name))) for name in self.whole.columns}


@cache
def parts_of(name: str, *, held_out_rate: float = 0.2, seed: int = 0) -> Parts:
    """Return a data set with a fifth of its rows held out at random."""
    whole = table_of(SETS[name].path)
    order = np.random.default_rng(seed).permutation(whole.n_rows)
    n_held = round(held_out_rate * whole.n_rows)
    return Parts(
        whole=whole,
        train=whole.take(order[n_held:]),
        held_out=whole.take(order[:n_held]),
        label=whole.columns[-1],
    )
