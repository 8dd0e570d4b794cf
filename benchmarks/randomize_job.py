"""Measure one task of randomization in a process of its own: JSON in, JSON out."""

from __future__ import annotations

import json
import sys
import time
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict, cast

import numpy as np
from measure import peak_above, reset_peak
from randomize_data import N_ITEMS, SIZE, baskets

from discreet.data.transactions import Transactions
from discreet.randomize import CutAndPaste, mine_randomized, open_randomized, randomize_file
from discreet.randomize.files import SizedSupports

if TYPE_CHECKING:
    from collections.abc import Callable

    from discreet.randomize.files import Form
    from discreet.randomize.stream import Compression

PEER_CHUNK = 10_000
PEER_PAIRS = 2000


class Job(TypedDict):
    """What to measure."""

    task: str
    n: int
    rho: str
    source: str
    target: str
    form: str
    compression: str


def measure(job: Job) -> dict[str, Any]:
    """Return what a task took."""
    call = TASKS[job["task"]](job)
    held = reset_peak()
    cpu, wall = time.process_time(), time.perf_counter()
    figures = call()
    return {
        "cpu": time.process_time() - cpu,
        "elapsed": time.perf_counter() - wall,
        "memory_mb": peak_above(held),
        **figures,
    }


def _file(job: Job) -> Callable[[], dict[str, Any]]:
    """Parquet in, Parquet out."""

    def call() -> dict[str, Any]:
        made = randomize_file(
            job["source"], job["target"], CutAndPaste(7, rho=job["rho"]), items=range(N_ITEMS),
            form=cast("Form", job["form"]), compression=cast("Compression", job["compression"]),
            overwrite=True,
        )  # fmt: skip
        if len(made) != job["n"]:
            sys.exit(f"{len(made)} transactions instead of {job['n']}")
        return {"file_mb": Path(job["target"]).stat().st_size / 1e6}

    return call


def _memory(job: Job) -> Callable[[], dict[str, Any]]:
    """Transactions in memory to transactions in memory."""
    rows, operator = baskets(job["n"]), CutAndPaste(7, rho=job["rho"])
    sets = Transactions.from_csr(np.arange(job["n"] + 1) * SIZE, rows.ravel(), range(N_ITEMS))
    return lambda: {"n_made": operator.randomize(sets).transactions.items.size}


def _numpy(job: Job) -> Callable[[], dict[str, Any]]:
    """Randomize in plain numpy, the peer; its generator is not secure."""
    rows, n_made = baskets(job["n"]), 0
    law = CutAndPaste(7, rho=job["rho"]).law(SIZE)
    draws, keep = np.random.default_rng(), np.cumsum([float(chance) for chance in law.keep])

    def call() -> dict[str, Any]:
        nonlocal n_made
        for start in range(0, len(rows), PEER_CHUNK):
            own = draws.permuted(rows[start : start + PEER_CHUNK], axis=1)
            present = draws.random((len(own), N_ITEMS), dtype=np.float32) < float(law.rho)
            n_kept = np.searchsorted(keep, draws.random(len(own)))
            present[np.arange(len(own))[:, None], own] = np.arange(SIZE) < n_kept[:, None]
            n_made += np.nonzero(present)[1].astype(np.int32).size
        return {"n_made": n_made}

    return call


def _mine(job: Job) -> Callable[[], dict[str, Any]]:
    """Itemsets of up to three items from a file of randomized transactions."""

    def call() -> dict[str, Any]:
        made = open_randomized(job["target"])
        found = mine_randomized(made, min_frequency=0.002, max_size=3)
        return {
            "n_candidates": found.n_candidates,
            "itemsets": [sorted(one.items) for one in found],
        }

    return call


def _pairs(job: Job) -> Callable[[], dict[str, Any]]:
    """Supports of all pairs, from bitmaps made before."""
    counted = SizedSupports.of_file(open_randomized(job["target"]))
    pairs = np.array(list(combinations(range(N_ITEMS), 2)), np.int32)

    def call() -> dict[str, Any]:
        supports = counted.supports(pairs)
        return {"n_pairs": len(pairs), "supports": supports[:PEER_PAIRS, 0].tolist()}

    return call


def _numpy_pairs(job: Job) -> Callable[[], dict[str, Any]]:
    """Count pairs in plain numpy, the peer: packed bits of every item."""
    made = open_randomized(job["target"])
    columns = np.zeros((N_ITEMS, -(-len(made) // 64) * 8), np.uint8)
    at = 0
    for words, _ in made.bitmap_batches(1 << 16):  # a multiple of 8, so that bytes fit together
        bits = np.unpackbits(words.view(np.uint8), axis=1, bitorder="little")[:, :N_ITEMS]
        packed = np.packbits(bits.T, axis=1)
        columns[:, at : at + packed.shape[1]] = packed
        at += packed.shape[1]
    wide = columns.view(np.uint64)
    pairs = list(combinations(range(N_ITEMS), 2))[:PEER_PAIRS]

    def call() -> dict[str, Any]:
        supports = [int(np.bitwise_count(wide[a] & wide[b]).sum(dtype=np.int64)) for a, b in pairs]
        return {"n_pairs": len(pairs), "supports": supports}

    return call


TASKS: dict[str, Callable[[Job], Callable[[], dict[str, Any]]]] = {
    "file": _file,
    "memory": _memory,
    "numpy": _numpy,
    "mine": _mine,
    "pairs": _pairs,
    "numpy pairs": _numpy_pairs,
}


if __name__ == "__main__":
    print(json.dumps(measure(cast("Job", json.loads(sys.argv[1])))))
