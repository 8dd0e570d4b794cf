"""Measure synthesis beside its references, and write its part of RESULTS.md.

Part *krimp*: our code tables beside those of the original program on the same data, candidates
and minimum supports. Each measurement runs in a process of its own.

Part *synthetic*: synthetic data by our methods, their utility and their risk, beside MST, AIM and
PrivBayes (``make synthesis-peers``). Peers take five hours on all data: a run measures anew those
on the data that the goals name, and with ``--peers`` those on the data asked for. Synthetic data
are kept in ``results/synthesize`` and figures of peers in ``synthesis_peers``, so that a run can be
ended and gone on with; ``--anew`` measures also what is known. The pages have whatever is known,
and are written by runs over everything, or with ``--write``:

    python benchmarks/synthesize.py --part synthetic --data led7 --peers --anew
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import signal
import subprocess
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from datetime import UTC, datetime
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from measure import peak_above, reset_peak
from results_page import machine, machine_in_words, today, write_part
from synthesize_data import SETS, parts_of, rows_of
from synthesize_measures import OF_WHOLE
from synthesize_methods import METHODS, PEERS
from synthesize_pages import peers_text, quality_text
from synthesize_runs import (
    DELTA,
    EPSILONS,
    MEASURES,
    SEEDS,
    everything,
    known,
    make,
    measure,
    original,
    repeated,
    runs,
)

if TYPE_CHECKING:
    from synthesize_runs import Run

HERE = Path(__file__).parent
PARTS = ("krimp", "synthetic")
CALLS, LONG = 5, 30  # at most so many calls, while they took less CPU seconds together
HEADER = (
    "data", "candidates", "pruned", "sets: ours / theirs", "L(D given CT)", "L(CT given D)",
    "total: ours / theirs", "difference", "ratio", "CPU: ours / theirs", "theirs / ours", "MB",
)  # fmt: skip


class Case(NamedTuple):
    """One run of the original program: what it read and what it found."""

    file: str
    candidates: Literal["closed", "all"]
    min_support: int
    prune: bool
    n_itemsets: int
    total_bits: int
    seconds: float | None

    @property
    def name(self) -> str:
        """The name of the data set."""
        return Path(self.file).name.split(".")[0]


CASES = [
    Case("lucs/led7.D24.N3200.C10.num", "all", 1, True, 152, 30625, 0.1),
    Case("lucs/led7.D24.N3200.C10.num", "all", 1, False, 194, 31544, None),
    Case("lucs/nursery.D32.N12960.C5.num", "all", 1, True, 260, 258898, 3.8),
    Case("lucs/nursery.D32.N12960.C5.num", "all", 1, False, 356, 261144, None),
    Case("lucs/ticTacToe.D29.N958.C2.num", "all", 1, True, 160, 28863, 1.4),
    Case("lucs/wine.D68.N178.C3.num", "all", 1, True, 63, 10919, 7.4),
    Case("lucs/letRecog.D106.N20000.C26.num", "all", 1000, True, 478, 1184196, 13),
    Case("lucs/adult.D97.N48842.C2.num.xz", "closed", 20, True, 1250, 907803, 15),
    Case("lucs/adult.D97.N48842.C2.num.xz", "all", 20, True, 1223, 879421, 89),
    Case("lucs/penDigits.D89.N10992.C10.num", "closed", 50, True, 986, 523805, 54),
    Case("krimp_db/mushroom.db.xz", "closed", 1, True, 206, 274220, 5.6),
]


def run(case: Case, root: Path) -> dict[str, Any]:
    """Measure one case in this process."""
    import discreet as dc
    from discreet.synthesize import krimp

    data = dc.Transactions.from_iterable(rows_of(root / case.file))
    held, seconds = reset_peak(), list[float]()
    while len(seconds) < CALLS and sum(seconds) < LONG:
        start = time.process_time()
        table = krimp(
            data, min_support=case.min_support, candidates=case.candidates, prune=case.prune,
            threads=1,
        )  # fmt: skip
        seconds.append(time.process_time() - start)
    return {
        "cpu": min(seconds),
        "memory_mb": peak_above(held),
        "n_itemsets": table.n_itemsets,
        "data_bits": table.data_bits,
        "table_bits": table.table_bits,
        "ratio": table.compression_ratio,
    }


def in_fresh_process(number: int, timeout: int) -> dict[str, Any]:
    """Measure one case in a fresh process."""
    done = subprocess.run(
        [sys.executable, "-W", "ignore", __file__, "--job", str(number)],
        capture_output=True, text=True, check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (timeout, timeout + 5)),
    )  # fmt: skip
    if done.returncode == -signal.SIGXCPU:
        return {}
    if done.returncode:
        sys.exit(f"{done.stderr}\nFAILED: {CASES[number]}")
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def row(number: int, timeout: int) -> list[str]:
    """Return one line of the table."""
    case, got = CASES[number], in_fresh_process(number, timeout)
    about = [case.name, f"{case.candidates} at {case.min_support:,}", "yes" if case.prune else "no"]
    if not got:
        return [*about, *("-",) * 6, f"> {timeout} s / {case.seconds}", "-", "-"]
    total = got["data_bits"] + got["table_bits"]
    cells = [
        *about,
        f"{got['n_itemsets']:,} / {case.n_itemsets:,}",
        f"{got['data_bits']:,.0f}",
        f"{got['table_bits']:,.0f}",
        f"{total:,.0f} / {case.total_bits:,}",
        f"{total / case.total_bits - 1:+.2%}",
        f"{got['ratio']:.1%}",
        f"{got['cpu']:.2f} s" + (f" / {case.seconds:g} s" if case.seconds else ""),
        f"{case.seconds / got['cpu']:.1f}" if case.seconds else "-",
        f"{got['memory_mb'] or 0:.0f}",
    ]
    print(" | ".join(cells), file=sys.stderr, flush=True)
    return cells


def krimp_part(numbers: list[int], timeout: int) -> str:
    """Return the text of the part about Krimp."""
    load, about = os.getloadavg()[0], machine()
    rows = [row(number, timeout) for number in numbers]
    text = (
        "# Krimp beside the original program\n\n"
        f"{datetime.now(tz=UTC).date().isoformat()}, "
        f"`python {' '.join(['benchmarks/synthesize.py', *sys.argv[1:]])}`. "
        f"{about['cpu']} ({about['architecture']}, {about['cores']} cores, {about['memory']}), "
        f"{about['system']}, Python {about['python']}, load average {load:.1f} at the start.\n\n"
        "CPU time of mining the candidates and choosing from them, one thread, best of up to "
        "five calls. *Ratio* is the total as a share of the data in the standard code. Items "
        "are numbered by falling support, of equal ones the last first, as by the original "
        "program.\n\n"
    )
    lines = [HEADER, ("---",) * len(HEADER), *rows]
    return text + "".join(f"| {' | '.join(line)} |\n" for line in lines)


GOALS = "adult"  # beside peers in every whole run, and with several seeds, to see what is chance
TITLES = {
    "quality": "Synthetic data: quality and safety",
    "peers": "Synthetic data: MST, AIM and PrivBayes",
}
ABOUT = """\
Fidelity and compression compare synthetic data for all rows with all rows; for learning and attacks
a fifth of the rows is held out, the synthetic data are made from the others, and attacks on members
are compared with the same attacks on the rows held out. A missing cell is a value. Marginals: mean
total variation over all sets of columns; itemsets from 10 % on, the class among the items; CPU
seconds of one process. All domains are public. Intervals are of 95 %.
"""


def synthetic(options: argparse.Namespace) -> dict[str, str]:
    """Measure synthetic data and return the pages about them."""
    data = [name for name in options.data or SETS if SETS[name].path.exists()]
    load, about = os.getloadavg()[0], machine()
    absent = measure_all(data, options)
    of_peers = vars(options) | {"method": list(PEERS)}
    if options.peers:
        absent |= measure_all(data, argparse.Namespace(**of_peers))
    elif is_whole(options) and GOALS in data:
        of_goals = {"measure": list(OF_WHOLE), "anew": True}
        absent |= measure_all([GOALS], argparse.Namespace(**of_peers | of_goals))
    shown = [name for name in SETS if SETS[name].path.exists()] if options.write else data
    found = list(everything(shown))
    plots = HERE / ("plots" if options.write or is_whole(options) else "results/plots")
    texts = {
        "quality": quality_text(found, repeated(GOALS), plots),
        "peers": peers_text(found),
    }
    command = " ".join(["benchmarks/synthesize.py", *sys.argv[1:]])
    start = (
        f"{today()}, `python {command}`. {machine_in_words(about)}, load average {load:.1f} at the "
        f"start. delta = {DELTA:g} where there is one.\n\n{ABOUT}\n"
    )
    return {
        part: f"# {TITLES[part]}\n\n{start}" + "\n".join([text, *sorted(absent)])
        for part, text in texts.items()
    }


def is_whole(options: argparse.Namespace) -> bool:
    """Whether all data, budgets and methods of ours are asked for."""
    return not (options.data or options.epsilon or options.method)


def measure_all(data: list[str], options: argparse.Namespace) -> set[str]:
    """Measure what is asked for and not known yet; return which methods are absent, and why."""
    methods = options.method or [name for name in METHODS if name not in PEERS]
    epsilons = options.epsilon or list(EPSILONS)
    absent = set[str]()
    asked: list[tuple[Run, list[str]]] = []
    for name in data:
        parts = parts_of(name)
        original(name, parts, options.measure)
        wanted = [(one, options.measure) for one in runs([name], methods, epsilons)]
        if name == GOALS and "central" in methods:
            for seed in SEEDS:
                again = runs([name], ["central"], epsilons, seed=seed)
                wanted += [
                    (one, ["fidelity"]) for one in again if (one, options.measure) not in wanted
                ]
        for one, measures in wanted:
            reason = make(one, parts, measures, options.timeout, anew=options.anew)
            if reason and "absent" not in known(one):  # else the page says so, run by run
                absent.add(f"- {one.method}: {reason}")
        asked += wanted
    with ProcessPoolExecutor(mp_context=get_context("spawn")) as pool:
        for done in [pool.submit(measure, one, measures) for one, measures in asked]:
            done.result()
    return absent


def main() -> None:
    """Run the cases and write the results of a whole run."""
    parser = argparse.ArgumentParser(description="Measure synthesis beside its references.")
    parser.add_argument("--part", choices=PARTS, default="krimp")
    parser.add_argument("--data", action="append", help="only this data set; may be repeated")
    parser.add_argument("--timeout", type=int, default=300, help="CPU seconds for one process")
    parser.add_argument("--epsilon", action="append", type=float, help="only this budget")
    parser.add_argument("--method", action="append", choices=METHODS, help="only this method")
    parser.add_argument(
        "--measure", nargs="+", choices=MEASURES, default=list(MEASURES), help="only these"
    )
    parser.add_argument("--peers", action="store_true", help="peers too, on the data asked for")
    parser.add_argument("--anew", action="store_true", help="measure also what is known")
    parser.add_argument(
        "--write", action="store_true", help="write the part also if not everything was asked for"
    )
    parser.add_argument("--job", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    root = Path(os.environ.get("DISCREET_DATA", ""))
    if options.job is not None:
        print(json.dumps(run(CASES[options.job], root)))
        return
    if options.part != "krimp":
        for part, text in synthetic(options).items():
            if options.write or is_whole(options):
                write_part(HERE / "RESULTS.md", f"synthesize-{part}", text)
            print(text)
        return
    numbers = [
        number
        for number, case in enumerate(CASES)
        if (root / case.file).exists() and (not options.data or case.name in options.data)
    ]
    text = krimp_part(numbers, options.timeout)
    if len(numbers) == len(CASES):
        write_part(HERE / "RESULTS.md", "krimp", text)
    print(text)


if __name__ == "__main__":
    main()
