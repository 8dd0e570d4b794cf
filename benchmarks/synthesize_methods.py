"""The methods under test: each makes synthetic data for a table, and says what that cost.

To add one, write a function of a :class:`Task` and name it in METHODS.
"""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import polars as pl

import discreet as dc
from discreet.synthesize import Synthesizer

if TYPE_CHECKING:
    from collections.abc import Callable

    from synthesis_peer import PeerJob

    from discreet.synthesize.budget import Trust

HERE = Path(__file__).parent
PEER_PYTHON = HERE.parent / ".venv-synthesis-peers" / "bin" / "python"


class Task(NamedTuple):
    """What to make synthetic data for, and the budget."""

    table: dc.Table
    domains: dict[str, list[str]]
    label: str
    epsilon: float
    delta: float
    seed: int
    timeout: int  # CPU seconds

    @property
    def n_rows(self) -> int:
        """As many rows as the table has are drawn."""
        return self.table.n_rows


class Made(NamedTuple):
    """Synthetic data, the CPU seconds of learning and of drawing, and the program's version."""

    table: dc.Table
    fit: float
    sample: float
    version: str


class Absent(Exception):  # noqa: N818  not an error
    """Raised with the reason why a method cannot be run."""


def bootstrap(task: Task) -> Made:
    """Return rows of the table drawn with replacement: no privacy, the best there can be."""
    rows = np.random.default_rng(task.seed).integers(task.n_rows, size=task.n_rows)
    return Made(task.table.take(rows), 0.0, 0.0, "numpy")


def shuffled(task: Task) -> Made:
    """Return every column in a random order of its own: right shares, no dependence."""
    rng = np.random.default_rng(task.seed)
    names = task.table.columns
    made = dc.Table.from_codes(
        {name: rng.permutation(task.table.codes(name)) for name in names},
        {name: task.table.values(name) for name in names},
    )
    return Made(made, 0.0, 0.0, "numpy")


def ours(task: Task, *, trust: Trust) -> Made:
    """Return what our synthesizer makes; delta is 0 where rows are randomized locally."""
    start = time.process_time()
    model = Synthesizer(
        task.epsilon,
        delta=task.delta if trust == "central" else 0,
        trust=trust,
        domains=task.domains,
        label=task.label,
        seed=task.seed,
    ).fit(task.table)
    fitted = time.process_time()
    made = model.sample(task.n_rows)
    done = time.process_time()
    return Made(made, fitted - start, done - fitted, f"discreet {dc.__version__}")


def peer(task: Task, *, method: str) -> Made:
    """Return what a peer makes, in a process of its own environment."""
    if not PEER_PYTHON.exists():
        raise Absent("the peers are not installed: make synthesis-peers")
    with tempfile.TemporaryDirectory() as folder:
        path, out = Path(folder) / "in.csv", Path(folder) / "out.csv"
        task.table.to_frame("polars").write_csv(path)
        job: PeerJob = {
            "method": method, "epsilon": task.epsilon, "delta": task.delta, "path": str(path),
            "out": str(out), "domains": task.domains, "n_rows": task.n_rows, "seed": task.seed,
            "seconds": task.timeout,
        }  # fmt: skip
        done = subprocess.run(
            [PEER_PYTHON, "-W", "ignore", HERE / "synthesis_peer.py", json.dumps(job)],
            capture_output=True, text=True, check=False, env={**os.environ, "OMP_NUM_THREADS": "1"},
        )  # fmt: skip
        if done.returncode < 0:
            raise Absent(f"ended after {task.timeout} CPU seconds or for want of memory")
        if done.returncode:
            raise Absent(f"failed: {done.stderr.strip().splitlines()[-1]}")
        figures = json.loads(done.stdout.splitlines()[-1])
        frame = pl.read_csv(out, infer_schema=False)
    return Made(dc.Table.from_frame(frame), figures["fit"], figures["sample"], figures["version"])


METHODS: dict[str, Callable[[Task], Made]] = {
    "bootstrap": bootstrap,
    "shuffled columns": shuffled,
    "central": partial(ours, trust="central"),
    "local": partial(ours, trust="local"),
    "MST": partial(peer, method="MST"),
    "AIM": partial(peer, method="AIM"),
    "PrivBayes": partial(peer, method="PrivBayes"),
}
WITHOUT_BUDGET = ("bootstrap", "shuffled columns")
PEERS = ("MST", "AIM", "PrivBayes")
