"""Transactions for the benchmark of randomization: synthetic baskets, and the real sets."""

from __future__ import annotations

import lzma
import os
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import polars as pl

import discreet as dc

if TYPE_CHECKING:
    from numpy.typing import NDArray

LARGEST = 10  # the paper leaves longer transactions out
N_ITEMS, SIZE = 1000, 5


class RealSet(NamedTuple):
    """A data set."""

    name: str
    file: str


REAL = (
    RealSet("BMS-WebView-1", "fimi/BMS-WebView-1.dat"),
    RealSet("BMS-WebView-2", "fimi/BMS-WebView-2.dat.xz"),
    RealSet("retail", "fimi/retail.dat.xz"),
    RealSet("msnbc", "msnbc/msnbc990928.seq.xz"),
)


def data_file(file: str) -> Path:
    """Return where a data set would be."""
    return Path(os.environ.get("DISCREET_DATA", "")) / file


def real_transactions(data: RealSet) -> dc.Transactions:
    """Return the transactions of 1 to 10 items."""
    path = data_file(data.file)
    if data.name == "msnbc":  # sequences of page categories after seven lines of header
        with lzma.open(path, "rt") as lines:
            rows = [sorted(set(map(int, line.split()))) for line in lines.readlines()[7:]]
        sets = dc.Transactions.from_iterable(rows)
    else:
        sets = dc.read_transactions(path)
    return sets.take((sets.sizes > 0) & (sets.sizes <= LARGEST))


def baskets(n: int, seed: int = 7) -> NDArray[np.int32]:
    """Return n rows of 5 different items out of 1000, some common, some of them together.

    Item i is drawn with a chance proportional to 1 / (i + 10); one transaction in twelve begins
    with one of twenty sets of three items.
    """
    draws = np.random.default_rng(seed)
    chances = np.cumsum(1 / (np.arange(N_ITEMS) + 10))
    chances /= chances[-1]
    rows = np.searchsorted(chances, draws.random((n, SIZE))).astype(np.int32)
    planted = n // 12
    rows[:planted, :3] = 40 * draws.integers(1, 21, (planted, 1)) + np.arange(3)
    while True:
        ordered = np.sort(rows, axis=1)
        repeated = np.flatnonzero((ordered[:, 1:] == ordered[:, :-1]).any(axis=1))
        if not repeated.size:
            return ordered
        rows[repeated, 3:] = draws.integers(0, N_ITEMS, (repeated.size, 2))
        loose = repeated[repeated >= planted]
        rows[loose] = np.searchsorted(chances, draws.random((loose.size, SIZE)))


def write_baskets(n: int, path: Path) -> None:
    """Write so many baskets as a list column."""
    rows = baskets(n)
    lists = pl.Series("items", rows.ravel()).reshape(rows.shape).arr.to_list()
    lists.to_frame().write_parquet(path, row_group_size=1 << 18)
