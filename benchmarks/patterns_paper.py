"""The paper's tables 2 and 3 side by side with ours, into their part of RESULTS.md.

M. Atzori, F. Bonchi, F. Giannotti, D. Pedreschi (2008), Anonymity preserving pattern discovery:
UCI Adult without rows with missing values, k = 50, support 18,100.
"""

from __future__ import annotations

import lzma
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from results_page import header, line, machine, machine_in_words, today, write_part

import discreet as dc
from discreet.patterns import additive, channels, suppressive

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

HERE = Path(__file__).parent
K, MIN_SUPPORT = 50, 18100
FILE = "adult/adult.data.xz"
COLUMNS = (
    "age", "workclass", "fnlwgt", "education", "education-num", "marital-status", "occupation",
    "relationship", "race", "sex", "capital-gain", "capital-loss", "hours-per-week",
    "native-country", "income",
)  # fmt: skip
BINS = {"age": (25, 35, 45, 55, 65), "hours-per-week": (20, 40, 60, 80)}
US, NO_LOSS = "native-country=United-States", "capital-loss=0"
WHITE, NO_GAIN = "race=White", "capital-gain=0"
PRIVATE, MALE, LOW = "workclass=Private", "sex=Male", "income=<=50K"
HOURS = "hours-per-week=(20,40]"


class Supports(NamedTuple):
    """Of one itemset: in the data, after additive and after suppressive sanitization."""

    before: int
    added: int
    removed: int


TABLE_2 = {
    frozenset({US, NO_LOSS, PRIVATE}): Supports(19237, 19237, 19237),
    frozenset({NO_LOSS, MALE}): Supports(19290, 19290, 19290),
    frozenset({WHITE, NO_GAIN, LOW}): Supports(18275, 18275, 18249),
    frozenset({WHITE, NO_LOSS, LOW}): Supports(18489, 18489, 18489),
    frozenset({MALE, NO_GAIN}): Supports(18403, 18403, 18263),
    frozenset({WHITE, NO_LOSS, PRIVATE}): Supports(18273, 18273, 18273),
    frozenset({US, MALE}): Supports(18572, 18572, 18512),
    frozenset({WHITE, US, NO_LOSS, NO_GAIN}): Supports(20836, 20836, 20836),
    frozenset({US, PRIVATE, NO_GAIN}): Supports(18558, 18558, 18493),
    frozenset({HOURS}): Supports(18577, 18577, 18446),
    frozenset({NO_LOSS, PRIVATE, NO_GAIN}): Supports(19623, 19623, 19573),
    frozenset({US, NO_LOSS, NO_GAIN, LOW}): Supports(19009, 19009, 19009),
}
TABLE_3 = {  # what all of the channel's people have, and what none of them has
    (frozenset[str](), frozenset({US, NO_LOSS, PRIVATE})): 36,
    (frozenset[str](), frozenset({WHITE, NO_LOSS, PRIVATE})): 49,
    (frozenset({NO_GAIN}), frozenset({WHITE, US, NO_LOSS})): 48,
    (frozenset({NO_GAIN}), frozenset({US, NO_LOSS, LOW})): 48,
}
# Its rows have no capital loss, and every row that suppression removes has one.
MISPRINTED = frozenset({NO_LOSS, PRIVATE, NO_GAIN})


def adult(root: Path) -> dc.Table:
    """Return UCI Adult without rows with missing values; capital gain and loss as they are."""
    with lzma.open(root / FILE, "rt", encoding="ascii") as lines:
        rows = [row.strip().split(", ") for row in lines if row.strip() and "?" not in row]
    values = dict(zip(COLUMNS, map(list, zip(*rows, strict=True)), strict=True))
    del values["fnlwgt"]
    for name, edges in BINS.items():
        values[name] = [_interval(value, edges) for value in values[name]]
    return dc.Table.from_frame(values)


def words(items: Iterable[object]) -> frozenset[str]:
    """Return items as the tables have them."""
    return frozenset(map(str, items))


def supports_table(data: dc.Table) -> Iterator[str]:
    """Yield table 2: supports of the maximal itemsets, theirs and ours."""
    yield from header(
        ["maximal itemset", "support: paper", "ours", "additive: paper", "ours",
         "suppressive: paper", "ours"]
    )  # fmt: skip
    published = (
        dc.mine.frequent(data, min_support=MIN_SUPPORT),
        additive(data, k=K, min_support=MIN_SUPPORT).published,
        suppressive(data, k=K, min_support=MIN_SUPPORT).published,
    )
    ours = [{words(items): support for items, support in each} for each in published]
    for items, figures in TABLE_2.items():
        pairs = ((f"{n:,}", f"{own[items]:,}") for n, own in zip(figures, ours, strict=True))
        yield line([", ".join(sorted(items)), *(cell for pair in pairs for cell in pair)])


def channels_table(data: dc.Table) -> Iterator[str]:
    """Yield table 3: the maximal channels, theirs and ours."""
    found = channels(data, k=K, min_support=MIN_SUPPORT)
    ours = {(words(each.inside), words(each.outside)): each.support for each in found}
    yield from header(["all of these", "none of these", "people: paper", "ours"])
    for key in [*TABLE_3, *(key for key in ours if key not in TABLE_3)]:
        inside, outside = (", ".join(sorted(items)) or "-" for items in key)
        yield line([inside, outside, str(TABLE_3.get(key, "-")), str(ours.get(key, "-"))])


def main() -> None:
    """Write both tables."""
    root = Path(os.environ.get("DISCREET_DATA", ""))
    if not (root / FILE).exists():
        sys.exit(f"There is no {FILE} below $DISCREET_DATA.")
    data = adult(root)
    removed = suppressive(data, k=K, min_support=MIN_SUPPORT).n_removed
    text = "\n".join(
        [
            "# Publishing patterns: the paper's tables 2 and 3",
            "",
            (
                f"{today()}, `python benchmarks/patterns_paper.py`. {machine_in_words(machine())}. "
                f"UCI Adult, {data.n_rows:,} rows, k = {K}, support {MIN_SUPPORT:,}."
            ),
            "",
            *supports_table(data),
            "",
            (
                f"Suppression removes {removed} rows, in the paper 195. Its 19,573 is a misprint: "
                "these rows have no capital loss, and every row that is removed has one."
            ),
            "",
            *channels_table(data),
        ]
    )
    write_part(HERE / "RESULTS.md", "patterns-paper", text)
    print(text)


def _interval(value: str, edges: tuple[int, ...]) -> str:
    bounds = [0, *edges, 100]
    at = sum(int(value) > edge for edge in edges)
    return f"({bounds[at]},{bounds[at + 1]}]"


if __name__ == "__main__":
    main()
