"""Protect one table with one method and print what it cost, in a process of its own.

The loss is computed anew from the rows that would be published and the hierarchies, by the same
code for every method; classes are counted on these rows too, so a wrong answer stops the run.
"""

from __future__ import annotations

import json
import os
import sys
import time
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict, cast

import numpy as np
from generalize_data import CASES, grown
from measure import peak_above, reset_peak
from mondrian import mondrian_classes

import discreet as dc
from discreet.assess.anonymity import anonymity
from discreet.errors import LimitError
from discreet.generalize.problem import state_problem
from discreet.generalize.release import clustered_release
from discreet.utility.loss import loss

if TYPE_CHECKING:
    from collections.abc import Callable

    from generalize_data import Case

    from discreet.generalize.rules import Options
    from discreet.utility.node_costs import CellMeasure


class Job(TypedDict, total=False):
    """What to measure."""

    case: str
    method: str
    k: int
    measure: CellMeasure  # of loss, "lm" by default
    n_rows: int  # grow the table to so many


def free_mondrian(case: Case, *, k: int, measure: CellMeasure) -> dc.Release:
    """Return Mondrian by anonypy's rules, its groups then shown as nodes of the hierarchies."""
    table = case.table
    columns = [table.codes(name).astype(np.int64) for name in table.columns]
    classes = mondrian_classes(columns, [False] * len(columns), k=k)
    options: Options = {"hierarchies": case.hierarchies, "loss": measure}
    problem = state_problem(table, k=k, options=options)
    return clustered_release(table, problem=problem, options=options, clusters=classes, events=())


def ours(name: str, **more: Any) -> Callable[..., dc.Release]:  # noqa: ANN401  options of a method
    """Return a method of ours by name."""

    def protect(case: Case, *, k: int, measure: CellMeasure) -> dc.Release:
        method = getattr(dc, name)
        found = method(case.table, k=k, hierarchies=case.hierarchies, loss=measure, **more)
        return cast(dc.Release, found)

    return protect


METHODS: dict[str, Callable[..., dc.Release]] = {
    "set cover": ours("set_cover"),
    "set cover, not improved": ours("set_cover", improve=False),
    "agglomerative": ours("agglomerative"),
    "agglomerative, basic": ours("agglomerative", modified=False),
    "forest": ours("forest"),
    "Mondrian": ours("mondrian"),
    "Mondrian, anonypy's rules": free_mondrian,
    "Datafly": ours("datafly"),
    "Incognito": ours("incognito"),
}


def run(job: Job) -> dict[str, object]:
    """Measure one job in this process."""
    case = CASES[job["case"]](Path(os.environ["DISCREET_DATA"]))
    if "n_rows" in job:
        case = grown(case, job["n_rows"])
    measure = job.get("measure", "lm")
    held = reset_peak()
    start, cpu = time.perf_counter(), time.process_time()
    with warnings.catch_warnings(record=True) as values:
        warnings.simplefilter("always")
        try:
            made = METHODS[job["method"]](case, k=job["k"], measure=measure)
        except LimitError as error:
            return {**job, "stopped": str(error)}
    figures: dict[str, object] = {
        "elapsed": time.perf_counter() - start,
        "cpu": time.process_time() - cpu,
        "memory_mb": peak_above(held),
        "n_rows": case.table.n_rows,
        "warnings": [str(each.message) for each in values],
    }
    found = loss(
        case.table, made.data, hierarchies=case.hierarchies, measure=measure, rows=made.input_rows
    )
    smallest = anonymity(made.data, columns=made.data.columns).k
    if smallest < job["k"]:
        sys.exit(f"{job} is not k-anonymous: a class has {smallest} rows")
    summary = None if made.loss is None else made.loss.to_dict()
    return {**job, **figures, "loss": found.mean, "summary": summary}


if __name__ == "__main__":
    print(json.dumps(run(cast(Job, json.loads(sys.argv[1])))))
