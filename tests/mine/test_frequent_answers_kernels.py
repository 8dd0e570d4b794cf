"""Frequent, closed and maximal itemsets of real data: known counts, and kinds that agree."""

from __future__ import annotations

import itertools
import lzma
import os
from pathlib import Path

import pytest

from discreet import _native
from tests.mine.frequent import KINDS, Rows, canonical, condense, count, database, mine, sizes


def fimi(name: str) -> tuple[_native.Database, Rows]:
    folder = Path(os.environ.get("DISCREET_DATA", "")) / "fimi"
    if not os.environ.get("DISCREET_DATA") or not folder.is_dir():
        pytest.skip("DISCREET_DATA does not name a folder with fimi/")
    plain, packed = folder / f"{name}.dat", folder / f"{name}.dat.xz"
    text = plain.read_text() if plain.exists() else lzma.decompress(packed.read_bytes()).decode()
    rows = [(frozenset(map(int, line.split())), 1) for line in text.splitlines()]
    return database(rows, 1 + max(max(items, default=0) for items, _ in rows)), rows


# Counts of PyFIM 6.28; on mushroom it leaves out one itemset, {85}, which is in all rows.
@pytest.mark.parametrize(
    ("name", "min_support", "frequent", "closed", "maximal"),
    [
        ("mushroom", 812, 574_513, None, None),
        ("mushroom", 406, 3_755_705, 12_854, 1_452),
        ("mushroom", 81, None, 51_672, 6_733),
        ("chess", 1918, 254_944, 98_392, 3_323),
        ("connect", 60_801, 27_127, 3_486, 222),
        ("retail", 9, 240_852, 189_077, 75_200),
        ("kosarak.first100000", 100, 496_674, 79_671, 12_059),
        ("T10I4D100K", 50, 53_385, 46_993, 12_062),
        ("BMS-WebView-1", 40, 48_543, 29_489, 9_827),
        ("BMS-WebView-2", 20, 634_064, 239_405, 30_405),
    ],
)
def test_known_counts(
    name: str, min_support: int, frequent: int | None, closed: int | None, maximal: int | None
) -> None:
    db, _ = fimi(name)
    for kind, expected in (("frequent", frequent), ("closed", closed), ("maximal", maximal)):
        if expected is not None:
            for threads in (1, 2):
                assert sum(count(kind, db, min_support, threads=threads)) == expected


@pytest.mark.parametrize(("name", "min_support"), [("chess", 2400), ("BMS-WebView-1", 60)])
def test_real_data_agrees_with_itself(name: str, min_support: int) -> None:
    db, rows = fimi(name)
    found = {kind: dict(mine(kind, db, min_support, threads=2)) for kind in KINDS}
    assert found == condense(found["frequent"])
    cover: dict[int, set[int]] = {}
    for number, (items, _) in enumerate(rows):
        for item in items:
            cover.setdefault(item, set()).add(number)
    for itemset, support in itertools.islice(found["frequent"].items(), 0, None, 101):
        assert support == len(set.intersection(*(cover[item] for item in itemset)))
    for kind in KINDS:
        assert mine(kind, db, min_support) == canonical(found[kind])
        assert count(kind, db, min_support) == sizes(found[kind])
