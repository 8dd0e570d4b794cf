"""Measure one miner on one task in a process of its own.

``mining.py`` starts this file once for every measurement, with the interpreter of the project or
with that of the peers, and hands it a job as JSON; the answer is one line of JSON. Nothing of the
project is imported unless the job asks for it, so the file runs where discreet is not installed.
"""

from __future__ import annotations

import importlib
import importlib.metadata
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypedDict, cast

if TYPE_CHECKING:
    from collections.abc import Callable

MAX_ONE_HOT_CELLS = 500_000_000
LONG_RUN_SECONDS = 20


class Job(TypedDict):
    """What to measure."""

    miner: str  # a key of MINERS
    task: str  # frequent, closed, maximal or minimal_infrequent
    mode: str  # list, count or mark
    threshold: int  # min_support, or theta for minimal_infrequent
    path: str  # transactions as plain lines of item numbers
    is_table: bool  # every line has the same number of items, one per column
    repeat: int
    threads: int


class Measurement(TypedDict, total=False):
    """What came out; only `skipped` if there was nothing to measure."""

    skipped: str
    version: str
    n_itemsets: int | None  # without the empty one; None where the task does not count any
    n_omitted: int  # itemsets that this miner is known to leave out, counted from the data
    cpu: float  # the whole call, best of the repetitions
    reading_cpu: float  # part of it, or before it, that turns the caller's data into the miner's
    wall: float
    memory_mb: float | None  # peak during the calls above what the process held before


class Miner(NamedTuple):
    """A miner ready to run."""

    version: str
    call: Callable[[], int | None]
    """Mines once and returns the number of itemsets."""
    read: Callable[[], object] | None = None
    """Does only the part of `call` that reads its input."""
    reading_cpu: float = 0
    """CPU seconds of reading, if this was done before and is not part of `call`."""
    n_omitted: int = 0
    """Itemsets of the definition that this miner is known to leave out."""
    is_external: bool = False
    """Whether the work is done by a child process."""


class Skipped(Exception):  # noqa: N818  not an error
    """Raised with the reason why a miner cannot do a job."""


def load(path: str) -> list[tuple[int, ...]]:
    """Return the transactions as tuples of integers."""
    with Path(path).open(encoding="ascii") as lines:
        return [tuple(map(int, line.split())) for line in lines]


def ours(job: Job) -> Miner:
    """Return our engine on an encoded database, as a caller of the library uses it."""
    # Any: the same file must run, and be checked, where discreet is not installed.
    dc: Any = importlib.import_module("discreet")
    if job["is_table"]:
        columns = zip(*load(job["path"]), strict=True)
        table = dc.Table.from_frame({f"c{n}": list(map(str, c)) for n, c in enumerate(columns)})
        start = time.process_time()
        database = dc.mine.Database.from_table(table)
    else:
        transactions = dc.read_transactions(job["path"])
        start = time.process_time()
        database = dc.mine.Database.from_transactions(transactions)
    reading_cpu = time.process_time() - start
    name = "theta" if job["task"] == "minimal_infrequent" else "min_support"
    options = {name: job["threshold"], "threads": job["threads"]}

    def call() -> int | None:
        match job["mode"]:
            case "list":
                return len(getattr(dc.mine, job["task"])(database, **options))
            case "count":
                return int(getattr(dc.mine, f"count_{job['task']}")(database, **options).total)
            case _:
                dc.mine.mark_cells(database, **options)
                return None

    return Miner(dc.__version__, call, reading_cpu=reading_cpu)


def pyfim(job: Job, function: str) -> Miner:
    """Return one of PyFIM's miners; it takes Python tuples and turns them into its own form."""
    mine = getattr(importlib.import_module("fim"), function)
    transactions = load(job["path"])
    target = {"frequent": "s", "closed": "c", "maximal": "m"}[job["task"]]
    report = "a" if job["mode"] == "list" else "#"

    def run(support: int) -> int:
        # A negative support is a number of transactions, a positive one a percentage.
        found = mine(transactions, target=target, supp=-support, zmin=1, report=report)
        # A pattern spectrum maps sizes to numbers of itemsets; it is a list when there are none.
        return int(sum(found.values())) if isinstance(found, dict) else len(found)

    return Miner(
        importlib.metadata.version("pyfim"),
        lambda: run(job["threshold"]),
        read=lambda: run(len(transactions) + 1),  # nothing is frequent, nothing is mined
        n_omitted=_omitted_by_pyfim(transactions, job),
    )


def _omitted_by_pyfim(transactions: list[tuple[int, ...]], job: Job) -> int:
    """Return the number of itemsets made only of items that every transaction has.

    PyFIM 6.28 drops the empty itemset in fpgrowth and eclat and, with it, everything that has the
    same support. Its sam and relim do report these itemsets, as do mlxtend and a count by hand.
    """
    occurrences = Counter(item for transaction in transactions for item in transaction)
    n_everywhere = sum(count == len(transactions) for count in occurrences.values())
    n_frequent = sum(count >= job["threshold"] for count in occurrences.values())
    if not n_everywhere:
        return 0
    match job["task"]:
        case "frequent":
            return (1 << n_everywhere) - 1
        case "closed":
            return 1
        case _:  # all of them together are maximal only if nothing else is frequent
            return int(n_frequent == n_everywhere)


def mlxtend(job: Job) -> Miner:
    """Return mlxtend's FP-growth or FP-max on a one-hot frame, which is made beforehand."""
    names = {"frequent": "fpgrowth", "maximal": "fpmax"}
    if job["task"] not in names:
        raise Skipped("does not mine closed itemsets")
    if job["mode"] != "list":
        raise Skipped("does not count without listing")
    patterns = importlib.import_module("mlxtend.frequent_patterns")
    preprocessing = importlib.import_module("mlxtend.preprocessing")
    pandas = importlib.import_module("pandas")
    transactions = load(job["path"])
    n_items = len({item for transaction in transactions for item in transaction})
    if n_items * len(transactions) > MAX_ONE_HOT_CELLS:
        raise Skipped(f"one-hot frame of {n_items * len(transactions):,} cells")
    start = time.process_time()
    encoder = preprocessing.TransactionEncoder()
    frame = pandas.DataFrame(encoder.fit_transform(transactions), columns=encoder.columns_)
    reading_cpu = time.process_time() - start
    # It compares supports as shares; half a transaction less keeps rounding out of it.
    share = (job["threshold"] - 0.5) / len(transactions)
    mine = getattr(patterns, names[job["task"]])
    return Miner(
        importlib.metadata.version("mlxtend"),
        lambda: len(mine(frame, min_support=share)),
        reading_cpu=reading_cpu,
    )


def external(job: Job, command: list[str], version: str) -> Miner:
    """Return a program that reads the file and writes one itemset per line; both are timed."""
    if job["mode"] != "list":
        raise Skipped("lists to a file only")

    def call() -> int:
        with tempfile.TemporaryDirectory() as folder:
            out = Path(folder) / "out"
            filled = [str(out) if part == "OUT" else part for part in command]
            subprocess.run(filled, check=True, capture_output=True)
            with out.open(encoding="ascii") as lines:
                # LCM also writes the empty itemset, as a support alone.
                return sum(1 for line in lines if line.strip() and line.split()[0][0] != "(")

    return Miner(version, call, is_external=True)


def spmf(job: Job) -> Miner:
    """Return SPMF, if SPMF_JAR names its jar."""
    jar = os.environ.get("SPMF_JAR")
    if not jar:
        raise Skipped("SPMF_JAR is not set")
    names = {"frequent": "FPGrowth_itemsets", "closed": "FPClose", "maximal": "FPMax"}
    with Path(job["path"]).open(encoding="ascii") as lines:
        n_transactions = sum(1 for _ in lines)
    # It takes a share and rounds the number of transactions up.
    share = str((job["threshold"] - 0.5) / n_transactions)
    run = ["java", "-jar", jar, "run", names[job["task"]], job["path"], "OUT", share]
    return external(job, run, "jar")


def lcm(job: Job) -> Miner:
    """Return Uno's LCM, if LCM names the program."""
    program = os.environ.get("LCM")
    if not program:
        raise Skipped("LCM is not set")
    kind = {"frequent": "Ff", "closed": "Cf", "maximal": "Mf"}[job["task"]]
    return external(job, [program, kind, job["path"], str(job["threshold"]), "OUT"], "program")


MINERS: dict[str, Callable[[Job], Miner]] = {
    "discreet": ours,
    "fpgrowth": lambda job: pyfim(job, "fpgrowth"),
    "eclat": lambda job: pyfim(job, "eclat"),
    "mlxtend": mlxtend,
    "spmf": spmf,
    "lcm": lcm,
}


def measure(job: Job) -> Measurement:
    """Return the best of the repetitions of a job."""
    try:
        miner = MINERS[job["miner"]](job)
    except Skipped as reason:
        return {"skipped": str(reason)}
    clock = _cpu_of_children if miner.is_external else time.process_time
    held = reset_peak()
    cpu, wall, counts = [], [], set()
    for _ in range(job["repeat"]):
        start_cpu, start_wall = clock(), time.perf_counter()
        counts.add(miner.call())
        cpu.append(clock() - start_cpu)
        wall.append(time.perf_counter() - start_wall)
        if cpu[-1] > LONG_RUN_SECONDS:
            break
    (n_itemsets,) = counts
    memory = peak_above(held) if not miner.is_external else _peak_of_children()
    reading_cpu = miner.reading_cpu
    if miner.read is not None:
        reads = []
        for _ in range(job["repeat"]):
            start_cpu = clock()
            miner.read()
            reads.append(clock() - start_cpu)
        reading_cpu = min(reads)
    return {
        "version": miner.version,
        "n_itemsets": n_itemsets,
        "n_omitted": miner.n_omitted,
        "cpu": min(cpu) + miner.reading_cpu,
        "reading_cpu": reading_cpu,
        "wall": min(wall),
        "memory_mb": memory,
    }


def _cpu_of_children() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def _peak_of_children() -> float:
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024


def _status_mb(field: str) -> float:
    for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines():
        if line.startswith(field):
            return int(line.split()[1]) / 1024
    raise LookupError(field)


def reset_peak() -> float | None:
    """Forget the peak reached while loading (Linux only) and return the memory held now."""
    try:
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
        return _status_mb("VmRSS")
    except OSError:
        return None


def peak_above(held: float | None) -> float | None:
    """Return the megabytes by which the peak since was above what was held then."""
    return None if held is None else max(0.0, _status_mb("VmHWM") - held)


if __name__ == "__main__":
    print(json.dumps(measure(cast(Job, json.loads(sys.argv[1])))))
