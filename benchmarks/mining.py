"""Time the mining engine against its peers, check that all agree, and write RESULTS.md.

Every measurement runs in a fresh process (see measure.py), so that peak memory is its own: best of
three calls, CPU seconds of all threads. Every miner must find the number of itemsets given with the
case, or the run stops with exit code 1: a benchmark is also a test. These numbers exclude the empty
itemset and were counted with the textbook versions, not taken from a peer.
"""

from __future__ import annotations

import argparse
import json
import lzma
import os
import subprocess
import sys
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import mode
from typing import TYPE_CHECKING, cast

from results_page import machine, today, write_part
from tables import OURS, PEERS, Row, report

if TYPE_CHECKING:
    from collections.abc import Iterable

    from measure import Job, Measurement

HERE = Path(__file__).parent
PEERS_PYTHON = os.environ.get("PEERS_PYTHON", str(HERE.parent / ".venv-peers" / "bin" / "python"))
IN_PEERS_ENVIRONMENT = {"fpgrowth", "eclat", "mlxtend"}
MODES = ("count", "list")
INFREQUENT_MODES = ("count", "list", "mark")


@dataclass(frozen=True)
class Data:
    """A file below $DISCREET_DATA."""

    name: str
    file: str
    is_table: bool = False


@dataclass(frozen=True)
class Case:
    """One task on one data set, with the number of itemsets it must give."""

    data: Data
    task: str
    threshold: int
    n_itemsets: int
    copies: int = 1


MUSHROOM = Data("mushroom", "fimi/mushroom.dat")
CHESS = Data("chess", "fimi/chess.dat")
CONNECT = Data("connect", "fimi/connect.dat.xz")
RETAIL = Data("retail", "fimi/retail.dat.xz")
KOSARAK = Data("kosarak first 100k", "fimi/kosarak.first100000.dat.xz")
T10 = Data("T10I4D100K", "fimi/T10I4D100K.dat.xz")
BMS1 = Data("BMS-WebView-1", "fimi/BMS-WebView-1.dat")
BMS2 = Data("BMS-WebView-2", "fimi/BMS-WebView-2.dat.xz")
ADULT = Data("Adult (LUCS)", "lucs/adult.D97.N48842.C2.num.xz", is_table=True)

ITEMSETS = [
    Case(MUSHROOM, "frequent", 812, 574_513),
    Case(MUSHROOM, "closed", 81, 51_672),
    Case(MUSHROOM, "maximal", 81, 6_733),
    Case(CHESS, "frequent", 1918, 254_944),
    Case(CHESS, "closed", 1918, 98_392),
    Case(CHESS, "maximal", 1918, 3_323),
    Case(CONNECT, "frequent", 54_046, 533_975),
    Case(CONNECT, "closed", 54_046, 15_107),
    Case(CONNECT, "maximal", 54_046, 673),
    Case(RETAIL, "frequent", 9, 240_852),
    Case(RETAIL, "closed", 9, 189_077),
    Case(RETAIL, "maximal", 9, 75_200),
    Case(KOSARAK, "frequent", 100, 496_674),
    Case(KOSARAK, "closed", 100, 79_671),
    Case(KOSARAK, "maximal", 100, 12_059),
    Case(T10, "frequent", 10, 411_365),
    Case(T10, "closed", 10, 283_397),
    Case(T10, "maximal", 10, 127_264),
    Case(BMS1, "frequent", 36, 461_521),
    Case(BMS1, "closed", 36, 64_762),
    Case(BMS1, "maximal", 36, 15_179),
    Case(BMS2, "frequent", 20, 634_064),
    Case(BMS2, "closed", 20, 239_405),
    Case(BMS2, "maximal", 20, 30_405),
    Case(ADULT, "frequent", 452, 557_271),
    Case(ADULT, "closed", 452, 116_271),
    Case(ADULT, "maximal", 452, 1_838),
]
INFREQUENT = [
    Case(ADULT, "minimal_infrequent", theta, n_itemsets)
    for theta, n_itemsets in ((1, 39_464), (5, 36_137), (10, 28_995), (50, 13_149))
]
THREADED = [ITEMSETS[0], ITEMSETS[1], ITEMSETS[9], ITEMSETS[15], ITEMSETS[24], INFREQUENT[0]]
GROWING = [  # copies multiply every support, so a multiplied threshold keeps the result
    Case(case.data, case.task, case.threshold * copies, case.n_itemsets, copies)
    for case in (ITEMSETS[24], ITEMSETS[25], INFREQUENT[0])
    for copies in (1, 2, 4, 8)
]


class Bench:
    """Runs measurements, keeps them, and stops at the first disagreement."""

    def __init__(self, options: argparse.Namespace, folder: Path) -> None:
        self.options = options
        self.folder = folder
        self.rows: list[Row] = []
        self.absent: dict[str, str] = {}

    def run(
        self,
        section: str,
        case: Case,
        modes: Iterable[str],
        miners: Iterable[str],
        threads: int = 1,
    ) -> None:
        """Measure a case with every mode and miner."""
        if self.options.data and case.data.name not in self.options.data:
            return
        path = self.plain(case)
        if path is None:
            return
        for how in modes:
            for miner in miners:
                job: Job = {
                    "miner": miner,
                    "task": case.task,
                    "mode": how,
                    "threshold": case.threshold,
                    "path": str(path),
                    "is_table": case.data.is_table,
                    "repeat": self.options.repeat,
                    "threads": threads,
                }
                result = self.measure(job)
                label = (
                    f"{case.data.name} x{case.copies} {case.task}@{case.threshold} {how} {miner}"
                )
                shown = result.get("skipped") or f"{result['cpu']:.3f} s"
                print(f"{label}, {threads} threads: {shown}", file=sys.stderr, flush=True)
                count = result.get("n_itemsets")
                omitted = result.get("n_omitted", 0)
                if count is not None and count + omitted != case.n_itemsets:
                    sys.exit(
                        f"DISAGREEMENT: {label} found {count}, is known to leave out {omitted}; "
                        f"there are {case.n_itemsets}."
                    )
                self.rows.append(
                    Row(
                        section=section,
                        data=case.data.name,
                        task=case.task,
                        mode=how,
                        threshold=case.threshold,
                        n_itemsets=case.n_itemsets,
                        copies=case.copies,
                        threads=threads,
                        miner=miner,
                        result=result,
                    )
                )

    def measure(self, job: Job) -> Measurement:
        """Run a job in a fresh process of the interpreter that has its miner."""
        python = PEERS_PYTHON if job["miner"] in IN_PEERS_ENVIRONMENT else sys.executable
        if not Path(python).exists():
            return {"skipped": "no environment for peers: run make peers"}
        try:
            done = subprocess.run(
                [python, str(HERE / "measure.py"), json.dumps(job)],
                capture_output=True,
                text=True,
                check=False,
                timeout=self.options.timeout,
            )
        except subprocess.TimeoutExpired:
            return {"skipped": f"more than {self.options.timeout} s"}
        if done.returncode != 0:
            sys.exit(f"{done.stderr}\nFAILED: {json.dumps({**job, 'path': '...'})}")
        return cast("Measurement", json.loads(done.stdout))

    def plain(self, case: Case) -> Path | None:
        """Return the transactions as a plain file, or None if the data are not there."""
        target = self.folder / f"{Path(case.data.file).name}.{case.copies}.dat"
        if target.exists():
            return target
        root = os.environ.get("DISCREET_DATA")
        source = Path(root or "") / case.data.file
        if not root or not source.exists():
            self.absent[case.data.name] = (
                f"{case.data.file} is not below $DISCREET_DATA"
                if root
                else "DISCREET_DATA is unset"
            )
            return None
        raw = source.read_bytes()
        text = (lzma.decompress(raw) if source.suffix == ".xz" else raw).decode("ascii")
        # Some files repeat an item inside a line.
        rows = [list(dict.fromkeys(line.split())) for line in text.splitlines() if line.strip()]
        if case.data.is_table:  # a shorter row misses values; position is the column
            n_columns = mode(map(len, rows))
            rows = [row for row in rows if len(row) == n_columns]
        lines = "".join(" ".join(row) + "\n" for row in rows)
        target.write_text(lines * case.copies, encoding="ascii")
        return target


def main() -> None:
    """Run all cases and write the results."""
    parser = argparse.ArgumentParser(description="Time the mining engine against its peers.")
    parser.add_argument("--data", action="append", help="only this data set; may be repeated")
    parser.add_argument("--peers-only", action="store_true", help="leave our engine out")
    parser.add_argument("--repeat", type=int, default=3, help="best of this many calls")
    parser.add_argument("--timeout", type=int, default=300, help="seconds for one measurement")
    options = parser.parse_args()
    own = [] if options.peers_only else [OURS]
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(options, Path(folder))
        for case in ITEMSETS:
            bench.run("itemsets", case, MODES, [*own, *PEERS])
        for case in INFREQUENT:
            bench.run("infrequent", case, INFREQUENT_MODES, own)
        for threads in (1, 2):
            for case in THREADED:
                bench.run("threads", case, ["count"], own, threads)
        for case in GROWING:
            bench.run("rows", case, ["count"], own)
    versions = {r.miner: r.result["version"] for r in bench.rows if "version" in r.result}
    about: dict[str, object] = {
        "date": today(),
        "command": " ".join(["python", "benchmarks/mining.py", *sys.argv[1:]]),
        "repeat": options.repeat,
        "machine": machine(),
        "versions": versions,
    }
    (HERE / "results").mkdir(exist_ok=True)
    saved = json.dumps({**about, "rows": [asdict(row) for row in bench.rows]}, indent=1)
    (HERE / "results" / "mining.json").write_text(saved + "\n", encoding="utf-8")
    text = report(bench.rows, bench.absent, about)
    write_part(HERE / "RESULTS.md", "mining", text)
    print(text)


if __name__ == "__main__":
    main()
