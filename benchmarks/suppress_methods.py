"""Ways to make a table k-anonymous by hiding cells, each in the same form for comparison."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import tempfile
import time
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from local_suppression import local_suppression
from mondrian import mondrian_classes

import discreet as dc
from discreet.suppress.mii import suppress_cells

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mondrian_peer import MondrianJob
    from numpy.typing import NDArray

    from discreet.suppress.mii import Leftover

HERE = Path(__file__).parent
PEERS_PYTHON = os.environ.get("PEERS_PYTHON", str(HERE.parent / ".venv-peers" / "bin" / "python"))

PEER_SECONDS = 60  # for one k; anonypy takes the longer the smaller k is


class TooSlow(Exception):  # noqa: N818  not an error
    """Raised with the reason why a method was stopped."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Made:
    """What a method made of a table."""

    data: dc.Table  # to learn from
    rows: NDArray[np.int64]  # of the original, one for each record
    suppressed: NDArray[np.bool_]  # records by quasi-identifiers: cells not shown as they were
    cpu: float
    codes: NDArray[np.uint16] | None = None  # of all rows, if cells show something coarser


@dataclass(frozen=True, kw_only=True, eq=False)
class Method:
    """A name for the page and the function of a table, its quasi-identifiers and k."""

    name: str
    make: Callable[[dc.Table, Sequence[str], int], Made]
    is_learnt: bool = True  # whether to train a forest on what it makes


def k_mii_on(leftover: Leftover, *, all_columns: bool) -> Callable[..., Made]:
    """Return K-MII as a method; best of three calls."""

    def make(table: dc.Table, known: Sequence[str], k: int) -> Made:
        seconds = []
        for _ in range(3):
            start = time.process_time()
            columns = None if all_columns else known
            release = dc.k_mii(table, k=k, leftover=leftover, columns=columns)
            seconds.append(time.process_time() - start)
        assert release.input_rows is not None
        return Made(
            data=release.data,
            rows=release.input_rows,
            suppressed=suppressed_cells(release.data, known),
            cpu=min(seconds),
        )

    return make


def locally_suppressed(*, most_values_first: bool) -> Callable[..., Made]:
    """Return local suppression as a method."""

    def make(table: dc.Table, known: Sequence[str], k: int) -> Made:
        start = time.process_time()
        suppressed = local_suppression(
            codes_of(table, known), k=k, most_values_first=most_values_first
        )
        return Made(
            cpu=time.process_time() - start,
            data=suppress_cells(table, known, suppressed),
            rows=np.arange(table.n_rows),
            suppressed=suppressed,
        )

    return make


def mondrian(table: dc.Table, known: Sequence[str], k: int) -> Made:
    """Split by our reference of Mondrian."""
    start = time.process_time()
    is_number = [_is_numeric(table, name) for name in known]
    columns = [
        np.asarray(table.values(name) if number else range(len(table.values(name))))[
            table.codes(name)
        ]
        for name, number in zip(known, is_number, strict=True)
    ]
    class_of = mondrian_classes(columns, is_number, k=k)
    return _generalized(table, known, class_of, cpu=time.process_time() - start)


def anonypy(table: dc.Table, known: Sequence[str], k: int) -> Made:
    """Split by anonypy's Mondrian, in the environment of the peers."""
    class_of, cpu = _anonypy_classes(table, known, k)
    return _generalized(table, known, class_of, cpu=cpu)


def _generalized(
    table: dc.Table, known: Sequence[str], class_of: NDArray[np.int64], *, cpu: float
) -> Made:
    """Say which cells a class does not show; for learning, draw values from what it shows."""
    order = np.argsort(class_of, kind="stable")
    bounds = np.flatnonzero(np.diff(class_of[order], prepend=-1, append=-1))
    suppressed = np.zeros((table.n_rows, len(known)), bool)
    drawn = {name: table.codes(name).copy() for name in known}
    rng = np.random.default_rng(0)
    for start, end in pairwise(bounds.tolist()):
        rows = order[start:end]
        for place, name in enumerate(known):
            shown = np.unique(table.codes(name)[rows])
            if len(shown) > 1:
                suppressed[rows, place] = True
                # A class shows a range of numbers and a set of other values.
                shown = np.arange(shown[0], shown[-1] + 1) if _is_numeric(table, name) else shown
                drawn[name][rows] = rng.choice(shown, len(rows))
    data = table
    for name in known:
        data = data.with_column(name, drawn[name], table.values(name))
    return Made(data=data, rows=np.arange(table.n_rows), suppressed=suppressed, cpu=cpu)


def _anonypy_classes(
    table: dc.Table, known: Sequence[str], k: int
) -> tuple[NDArray[np.int64], float]:
    with tempfile.TemporaryDirectory() as folder:
        job: MondrianJob = {
            "path": str(Path(folder) / "table.csv"),
            "out": str(Path(folder) / "classes.txt"),
            "columns": list(known),
            "numeric": [name for name in known if _is_numeric(table, name)],
            "k": k,
            "seconds": PEER_SECONDS,
        }
        table.select(known).to_frame("polars").write_csv(job["path"])
        done = subprocess.run(
            [PEERS_PYTHON, str(HERE / "mondrian_peer.py"), json.dumps(job)],
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode == -signal.SIGXCPU:
            raise TooSlow(f"more than {PEER_SECONDS} CPU s")
        done.check_returncode()
        class_of = np.loadtxt(job["out"], np.int64)
        return class_of, float(json.loads(done.stdout)["cpu"])


def _is_numeric(table: dc.Table, name: str) -> bool:
    return all(isinstance(value, int | float) for value in table.values(name))


def codes_of(table: dc.Table, columns: Sequence[str]) -> NDArray[np.uint16]:
    """Return the codes of some columns as one array, rows by columns."""
    return np.column_stack([table.codes(name) for name in columns]).astype(np.uint16)


def suppressed_cells(table: dc.Table, columns: Sequence[str]) -> NDArray[np.bool_]:
    """Return which cells of some columns are missing, rows by columns."""
    return np.column_stack(
        [np.array([v is None for v in table.values(c)], bool)[table.codes(c)] for c in columns]
    )


MONDRIAN = Method(name="Mondrian, own reference", make=mondrian)
METHODS = (
    Method(name="K-MII, drop, all columns", make=k_mii_on("drop", all_columns=True)),
    Method(
        name="K-MII, suppress, all columns",
        make=k_mii_on("suppress", all_columns=True),
        is_learnt=False,
    ),
    Method(name="K-MII, drop, quasi-identifiers", make=k_mii_on("drop", all_columns=False)),
    Method(
        name="K-MII, suppress, quasi-identifiers",
        make=k_mii_on("suppress", all_columns=False),
        is_learnt=False,
    ),
    Method(
        name="local suppression, most values first",
        make=locally_suppressed(most_values_first=True),
    ),
    Method(
        name="local suppression, fewest values first",
        make=locally_suppressed(most_values_first=False),
        is_learnt=False,
    ),
    MONDRIAN,
)
# At the largest k only: it takes the longer the smaller k is, minutes for k = 11.
ANONYPY = Method(name="Mondrian (anonypy)", make=anonypy, is_learnt=False)
HAS_PEERS = Path(PEERS_PYTHON).exists()
