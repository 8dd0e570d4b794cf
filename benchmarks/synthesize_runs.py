"""Synthetic data and what was measured of them, kept so that a run can be ended and gone on with.

They are made one at a time, because their CPU seconds are compared; what is measured of them takes
longer, is not timed, and may be done by several processes.

Synthetic data and our own figures are below ``results``. Those of the peers take hours and change
only with the peer: they are kept with the project in ``synthesis_peers``, one file for each data
set.
"""

from __future__ import annotations

import fcntl
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import polars as pl
from results_page import machine, today
from synthesize_data import parts_of
from synthesize_measures import OF_TRAIN, OF_WHOLE
from synthesize_methods import METHODS, PEERS, WITHOUT_BUDGET, Absent, Task

import discreet as dc

if TYPE_CHECKING:
    from collections.abc import Iterator

    from synthesize_data import Parts

HERE = Path(__file__).parent
FOLDER = HERE / "results" / "synthesize"
KEPT = HERE / "synthesis_peers"
EPSILONS = (0.1, 0.5, 1.0, 2.0, 8.0)
DELTA = 1e-9
SEEDS = range(1, 6)
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
        """Its name among the figures of the data set."""
        budget = "" if self.epsilon is None else f"-{self.epsilon:g}-{self.delta:g}"
        return f"{self.method.replace(' ', '-')}{budget}-{self.seed}"

    @property
    def path(self) -> Path:
        """The file of the figures of the data set."""
        return (KEPT if self.method in PEERS else FOLDER) / f"{self.data}.json"


def runs(data: list[str], methods: list[str], epsilons: list[float], *, seed: int = 1) -> list[Run]:
    """Return all runs asked for; methods without a budget once."""
    return [
        Run(name, method, epsilon, seed=seed)
        for name in data
        for method in methods
        for epsilon in ([None] if method in WITHOUT_BUDGET else epsilons)
    ]


def known(run: Run) -> dict[str, Any]:
    """Return what was measured before."""
    return _figures(run.path).get(run.stem, {})


def make(
    run: Run, parts: Parts, measures: list[str], timeout: int, *, anew: bool = False
) -> str | None:
    """Make the synthetic data that measures not known yet ask for; if that cannot be done, say why.

    With ``anew`` also those of measures that are known, whose figures go when synthetic data are
    made or take too long: without the peer's program nothing is lost.
    """
    found = _without(known(run), measures) if anew else known(run)
    if not found and (reason := _too_long(run)):
        _keep(run, found := {"absent": reason})
    for which, table, all_measures in (
        ("whole", parts.whole, OF_WHOLE),
        ("train", parts.train, OF_TRAIN),
    ):
        missing = [name for name in all_measures if name in measures and name not in found]
        if not missing or "absent" in found or (_path(run, which).exists() and not anew):
            continue
        try:
            _keep(run, found := found | _make_synthetic(run, which, table, parts, timeout))
        except Absent as reason:
            print(f"{run.data}, {run.method}, {run.epsilon}: {reason}", file=sys.stderr, flush=True)
            found = found | {"absent": str(reason)}
            if "CPU seconds" in str(reason):  # no use in trying again
                _keep(run, found)
    absent: str | None = found.get("absent")
    return absent


def measure(run: Run, measures: list[str]) -> None:
    """Measure what is not known yet of the synthetic data that there are."""
    for which, all_measures in (("whole", OF_WHOLE), ("train", OF_TRAIN)):
        missing = [name for name in all_measures if name in measures and name not in known(run)]
        if not missing or not _path(run, which).exists():
            continue
        parts, made = parts_of(run.data), dc.Table.from_frame(pl.read_parquet(_path(run, which)))
        for name in missing:
            print(f"{run.data}, {run.method}, {run.epsilon}: {name}", file=sys.stderr, flush=True)
            figures = all_measures[name](parts, made, run.data)
            _keep(run, known(run) | {name: figures})


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


def repeated(data: str) -> list[tuple[Run, dict[str, Any]]]:
    """Return what is known of our runs on a data set with any of the seeds."""
    found = [
        (run, known(run))
        for seed in SEEDS
        for run in runs([data], ["central"], list(EPSILONS), seed=seed)
    ]
    return [(run, values) for run, values in found if "fidelity" in values]


def _make_synthetic(
    run: Run, which: str, table: dc.Table, parts: Parts, timeout: int
) -> dict[str, Any]:
    """Make synthetic data and return what that took and when."""
    print(f"{run.data}, {run.method}, {run.epsilon}: making", file=sys.stderr, flush=True)
    epsilon = run.epsilon or 0.0
    task = Task(table, parts.domains, parts.label, epsilon, run.delta, run.seed, timeout)
    made = METHODS[run.method](task)
    path = _path(run, which)
    path.parent.mkdir(parents=True, exist_ok=True)
    made.table.to_frame("polars").write_parquet(path)
    return {
        f"cpu of {which}": {"fit": made.fit, "sample": made.sample},
        "version": made.version,
        "date": today(),
        "processor": machine()["cpu"],
    }


def _without(found: dict[str, Any], measures: list[str]) -> dict[str, Any]:
    """Return the figures without those that come from the same synthetic data as some measures."""
    gone = {"absent"}
    for which, all_measures in (("whole", OF_WHOLE), ("train", OF_TRAIN)):
        if any(name in measures for name in all_measures):
            gone |= {f"cpu of {which}", *all_measures}
    left = {name: values for name, values in found.items() if name not in gone}
    return left if any(name.startswith("cpu of") for name in left) else {}


def _path(run: Run, which: str) -> Path:
    """Return the file of synthetic data for the whole table or for the rows to learn from."""
    return FOLDER / run.data / f"{run.stem}-{which}.parquet"


def _too_long(run: Run) -> str | None:
    """Say so if the method did not end with a smaller budget: with more it measures more."""
    for epsilon in EPSILONS:
        if run.epsilon is not None and epsilon < run.epsilon:
            reason = known(run._replace(epsilon=epsilon)).get("absent")
            if reason:
                tried_before = reason.startswith("not tried")
                return reason if tried_before else f"not tried: at {epsilon:g} {reason}"
    return None


def _figures(path: Path) -> dict[str, dict[str, Any]]:
    """Return the figures of a data set by the name of the run."""
    found: dict[str, dict[str, Any]] = {}
    if path.exists():
        found = json.loads(path.read_text(encoding="utf-8"))
    return found


def _keep(run: Run, found: dict[str, Any]) -> None:
    """Put the figures of a run among those of its data set; other processes may do so too."""
    for folder in (FOLDER, KEPT):
        folder.mkdir(parents=True, exist_ok=True)
    with (FOLDER / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        figures = _figures(run.path) | {run.stem: found}
        lines = [f"{json.dumps(stem)}: {json.dumps(figures[stem])}" for stem in sorted(figures)]
        new = run.path.with_suffix(".new")
        new.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
        new.replace(run.path)
