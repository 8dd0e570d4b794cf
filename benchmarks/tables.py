"""The results of mining.py as rows, and the page that shows them."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from measure import MINERS
from results_page import header, line, machine_in_words

if TYPE_CHECKING:
    from collections.abc import Iterator

    from measure import Measurement

OURS = "discreet"
PEERS = [name for name in MINERS if name != OURS]


@dataclass(frozen=True, kw_only=True)
class Row:
    """One measurement, as it goes into the JSON file."""

    section: str
    data: str
    task: str
    mode: str
    threshold: int
    n_itemsets: int
    copies: int
    threads: int
    miner: str
    result: Measurement


def report(rows: list[Row], absent: dict[str, str], about: dict[str, object]) -> str:
    """Return the whole of RESULTS.md."""
    sections = {
        "itemsets": ("Frequent, closed and maximal itemsets, one thread", itemset_table),
        "infrequent": ("Minimal infrequent itemsets, one thread", infrequent_table),
        "threads": ("Threads (elapsed seconds, counting)", thread_table),
        "rows": (
            "Growth with rows (counting, copies of the table, threshold scaled)",
            growth_table,
        ),
    }
    where = cast("dict[str, str]", about["machine"])
    versions = cast("dict[str, str]", about["versions"])
    machine = machine_in_words(where)
    programs = ", ".join(f"{name} {version}" for name, version in versions.items())
    measured = (
        f"CPU seconds of the mining itself, best of {about['repeat']}; numbers of itemsets agree, "
        "but for what is listed last. How this is measured, and what each peer includes: "
        "[README.md](README.md)."
    )
    lines = [
        "# Mining: our engine and its peers",
        "",
        f"{about['date']}, `{about['command']}`. {machine}; {programs}.",
        "",
        measured,
    ]
    for section, (title, table) in sections.items():
        part = [row for row in rows if row.section == section]
        if part:
            lines += ["", f"## {title}", "", *table(part)]
    notes = {f"{name}: {reason}" for name, reason in absent.items()}
    notes |= {
        f"{row.miner}, {row.data}, {row.task}, {row.mode}: {row.result['skipped']}"
        if row.result["skipped"].startswith(("one-hot", "more than"))
        else f"{row.miner}: {row.result['skipped']}"
        for row in rows
        if "skipped" in row.result
    }
    notes |= {
        f"{row.miner}, {row.data}, {row.task}: finds {row.result['n_omitted']} fewer, namely what "
        "consists of items that every row has"
        for row in rows
        if row.result.get("n_omitted")
    }
    if notes:
        lines += ["", "## Not run", "", *(f"- {note}" for note in sorted(notes))]
    return "\n".join(lines) + "\n"


def itemset_table(rows: list[Row]) -> Iterator[str]:
    """Yield the lines of the table of frequent, closed and maximal itemsets."""
    peers = [name for name in PEERS if any(r.miner == name and "cpu" in r.result for r in rows)]
    named = ["data", "task", "support", "itemsets", "mode", OURS, *peers]
    yield from header([*named, "fastest peer / ours", "with reading", "MB ours", "MB peer"])
    cases: defaultdict[tuple[str, str, int, int, str], dict[str, Measurement]] = defaultdict(dict)
    for row in rows:
        cases[row.data, row.task, row.threshold, row.n_itemsets, row.mode][row.miner] = row.result
    for (data, task, threshold, n_itemsets, how), results in cases.items():
        done = {name: result for name, result in results.items() if "cpu" in result}
        own = done.get(OURS)
        rivals = {name: result for name, result in done.items() if name != OURS}
        fastest = min(rivals.values(), key=_mining, default=None)
        fastest_whole = min(rivals.values(), key=lambda result: result["cpu"], default=None)
        yield line(
            [data, task, f"{threshold:,}", f"{n_itemsets:,}", how]
            + [_seconds(results.get(name)) for name in (OURS, *peers)]
            + [
                _ratio(_mining(fastest), _mining(own)) if fastest and own else "-",
                _ratio(fastest_whole["cpu"], own["cpu"]) if fastest_whole and own else "-",
                _megabytes(own),
                _megabytes(fastest),
            ]
        )


def infrequent_table(rows: list[Row]) -> Iterator[str]:
    """Yield the lines of the table of minimal infrequent itemsets."""
    modes = list(dict.fromkeys(row.mode for row in rows))
    yield from header(["data", "theta", "itemsets", *(f"{how} s, MB" for how in modes)])
    for theta in dict.fromkeys(row.threshold for row in rows):
        found = {row.mode: row for row in rows if row.threshold == theta}
        yield line(
            [found["list"].data, str(theta), f"{found['list'].n_itemsets:,}"]
            + [f"{_seconds(found[how].result)}, {_megabytes(found[how].result)}" for how in modes]
        )


def thread_table(rows: list[Row]) -> Iterator[str]:
    """Yield the lines of the table of elapsed seconds with one and two threads."""
    yield from header(["data", "task", "mode", "1 thread s", "2 threads s", "speed-up"])
    walls: defaultdict[tuple[str, str, str], dict[int, float]] = defaultdict(dict)
    for row in rows:
        if "wall" in row.result:
            walls[row.data, row.task, row.mode][row.threads] = row.result["wall"]
    for case, wall in walls.items():
        if len(wall) == 2:
            yield line([*case, f"{wall[1]:.3f}", f"{wall[2]:.3f}", _ratio(wall[1], wall[2])])


def growth_table(rows: list[Row]) -> Iterator[str]:
    """Yield the lines of the table of CPU seconds against the number of rows."""
    yield from header(["data", "task", "rows x", "mining s", "building the database s", "MB"])
    for row in rows:
        reading = f"{row.result['reading_cpu']:.3f}"
        seconds = f"{_mining(row.result):.3f}"
        yield line([row.data, row.task, str(row.copies), seconds, reading, _megabytes(row.result)])


def _mining(result: Measurement) -> float:
    """Return CPU seconds without reading; at least a tenth of a millisecond."""
    return max(result["cpu"] - result["reading_cpu"], 1e-4)


def _seconds(result: Measurement | None) -> str:
    return f"{_mining(result):.3f}" if result and "cpu" in result else "-"


def _megabytes(result: Measurement | None) -> str:
    memory = result.get("memory_mb") if result else None
    return "-" if memory is None else f"{memory:.0f}"


def _ratio(peer: float, ours: float) -> str:
    return f"{peer / ours:.2f}"
