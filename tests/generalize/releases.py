"""Small releases by generalization: rows sorted and cut into groups, without any method."""

from __future__ import annotations

from typing import Unpack

import numpy as np

import discreet as dc
from discreet.generalize.problem import state_problem
from discreet.generalize.release import clustered_release
from discreet.generalize.rules import Options
from discreet.release.event import Event
from discreet.release.release import Release

AGES = dc.Hierarchy.intervals(range(20, 60), steps=[5, 10, 20], name="age")
JOBS = dc.Hierarchy.from_mapping(
    {"*": {"food": ["cook", "baker"], "tech": ["coder", "tester"], "care": ["nurse"]}}, name="job"
)
ILLS = dc.Hierarchy.from_mapping({"*": {"lung": ["cold", "flu"], "bone": ["break"]}}, name="ill")
TREES = {"age": AGES, "job": JOBS}


def people(n_rows: int = 120, *, seed: int = 7) -> dc.Table:
    """Return invented people: age and job with hierarchies, sex without, an illness, a home."""
    rng = np.random.default_rng(seed)
    return dc.Table.from_frame(
        {
            "age": rng.integers(20, 60, n_rows).tolist(),
            "job": rng.choice([str(job) for job in JOBS.leaves], n_rows).tolist(),
            "sex": rng.choice(["f", "m"], n_rows).tolist(),
            "ill": rng.choice(["cold", "flu", "break"], n_rows, p=[0.4, 0.3, 0.3]).tolist(),
            "home": rng.integers(0, n_rows // 2, n_rows).tolist(),
            "weight": rng.integers(1, 5, n_rows).tolist(),
        },
        roles={"ill": "sensitive", "home": "insensitive", "weight": "insensitive"},
        categorical=["home"],
    )


def cut(table: dc.Table, size: int, columns: tuple[str, ...] = ("job", "sex", "age")) -> np.ndarray:
    """Return the cluster of each row: sorted rows, so many in each."""
    order = np.lexsort([table.codes(name) for name in reversed(columns)])
    clusters = np.empty(table.n_rows, np.int64)
    clusters[order] = np.minimum(np.arange(table.n_rows) // size, table.n_rows // size - 1)
    return clusters


def chunked(
    table: dc.Table, *, k: int, size: int | None = None, **options: Unpack[Options]
) -> Release:
    """Return a release with groups of neighbours in the order of the values."""
    options = {"hierarchies": TREES, **options}
    return clustered_release(
        table,
        problem=state_problem(table, k=k, options=options),
        options=options,
        clusters=cut(table, size or k),
        events=(Event(name="forest", parameters={"k": k, "loss": "lm"}),),
    )
