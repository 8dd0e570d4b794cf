"""Stand-ins and what was measured of them, kept below results/ so that a run can go on later."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import polars as pl
from synthesize_measures import OF_TRAIN, OF_WHOLE
from synthesize_methods import METHODS, WITHOUT_BUDGET, Absent, Task

import discreet as dc

if TYPE_CHECKING:
    from collections.abc import Iterator

    from synthesize_data import Parts

FOLDER = Path(__file__).parent / "results" / "synthesize"
EPSILONS = (0.1, 0.5, 1.0, 2.0, 8.0)
DELTA = 1e-9
MEASURES = (*OF_WHOLE, *OF_TRAIN)


class Run(NamedTuple):
    """One method on one data set with one budget."""

    data: str
    method: str
    epsilon: float | None
    delta: float = DELTA
    seed: int = 1

    @property
    def stem(self) -> str:
        """The name of its files."""
        budget = "" if self.epsilon is None else f"-{self.epsilon:g}-{self.delta:g}"
        return f"{self.method.replace(' ', '-')}{budget}-{self.seed}"

    @property
    def path(self) -> Path:
        """The file of its figures."""
        return FOLDER / self.data / f"{self.stem}.json"


def runs(
    data: list[str], methods: list[str], epsilons: list[float], *, delta: float = DELTA
) -> list[Run]:
    """Return all runs asked for; methods without a budget once."""
    return [
        Run(name, method, epsilon, delta)
        for name in data
        for method in methods
        for epsilon in ([None] if method in WITHOUT_BUDGET else epsilons)
    ]


def known(run: Run) -> dict[str, Any]:
    """Return what was measured before."""
    found: dict[str, Any] = {}
    if run.path.exists():
        found = json.loads(run.path.read_text(encoding="utf-8"))
    return found


def measured(run: Run, parts: Parts, measures: list[str], timeout: int) -> dict[str, Any]:
    """Return the figures of a run, measuring what is not known yet."""
    found = known(run)
    for which, table, all_measures in (
        ("whole", parts.whole, OF_WHOLE),
        ("train", parts.train, OF_TRAIN),
    ):
        missing = [name for name in all_measures if name in measures and name not in found]
        if not missing or "absent" in found:
            continue
        try:
            made = _stand_in(run, which, table=table, parts=parts, found=found, timeout=timeout)
        except Absent as reason:
            print(f"{run.data}, {run.method}, {run.epsilon}: {reason}", file=sys.stderr)
            if "CPU seconds" in str(reason):  # no use in trying again
                _keep(run, found | {"absent": str(reason)})
            return found | {"absent": str(reason)}
        for name in missing:
            print(f"{run.data}, {run.method}, {run.epsilon}: {name}", file=sys.stderr, flush=True)
            found[name] = all_measures[name](parts, made, run.data)
            _keep(run, found)
    return found


def original(data: str, parts: Parts, measures: list[str]) -> dict[str, Any]:
    """Return accuracies of models trained on the real rows."""
    run = Run(data, "original", None)
    found = known(run)
    if "learning" in measures and "learning" not in found:
        found["learning"] = OF_TRAIN["learning"](parts, parts.train, data)
        _keep(run, found)
    return found


def everything(data: list[str]) -> Iterator[tuple[Run, dict[str, Any]]]:
    """Yield all runs known of some data sets, in the order of METHODS and budgets."""
    for name in data:
        for method in ("original", *METHODS):
            for epsilon in (None, *EPSILONS):
                run = Run(name, method, epsilon)
                found = known(run)
                if found:
                    yield run, found


def _stand_in(
    run: Run,
    which: str,
    *,
    table: dc.Table,
    parts: Parts,
    found: dict[str, Any],
    timeout: int,
) -> dc.Table:
    """Return a stand-in made now or before, and note its CPU seconds among the figures."""
    path = run.path.with_name(f"{run.stem}-{which}.parquet")
    if not path.exists():
        epsilon = run.epsilon or 0.0
        task = Task(table, parts.domains, parts.label, epsilon, run.delta, run.seed, timeout)
        made = METHODS[run.method](task)
        path.parent.mkdir(parents=True, exist_ok=True)
        made.table.to_frame("polars").write_parquet(path)
        found[f"cpu of {which}"] = {"fit": made.fit, "sample": made.sample}
        found["version"] = made.version
        _keep(run, found)
    return dc.Table.from_frame(pl.read_parquet(path))


def _keep(run: Run, found: dict[str, Any]) -> None:
    run.path.parent.mkdir(parents=True, exist_ok=True)
    run.path.write_text(json.dumps(found, indent=1), encoding="utf-8")
