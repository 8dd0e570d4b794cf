"""Which counts of values may be shown, and that the others cannot be worked out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from hypothesis import given
from hypothesis import strategies as st

import discreet as dc
from discreet.release.release import Release
from discreet.report.sections.utility import RARER, marginals, pooled, rounded
from discreet.report.subject import make_subject, rounding_unit
from tests.report.samples import claim

COUNTS = st.dictionaries(
    st.text("abcdefgh", min_size=1, max_size=2), st.integers(1, 30), max_size=9
)


@given(COUNTS, st.integers(1, 12))
def test_a_pool_holds_all_rare_values_and_tells_none_of_them(
    counts: dict[str, int], least: int
) -> None:
    pool = pooled(counts, least)
    rare = {name for name, count in counts.items() if count < least}
    if pool is None:  # even all together, or a single value, would tell
        assert rare
        assert len(counts) < 2 or sum(counts.values()) < least
        return
    assert rare <= pool
    assert bool(pool) == bool(rare)
    if pool:
        assert len(pool) >= 2
        assert sum(counts[name] for name in pool) >= least


@given(COUNTS, st.integers(1, 12))
def test_no_value_is_pooled_without_need(counts: dict[str, int], least: int) -> None:
    pool = pooled(counts, least) or frozenset()
    rare = {name for name, count in counts.items() if count < least}
    added = sorted((counts[name] for name in pool - rare), reverse=True)
    if added:
        smaller = len(pool) - 1, sum(counts[name] for name in pool) - added[0]
        assert smaller[0] < 2 or smaller[1] < least


@given(st.integers(0, 10**6), st.integers(1, 500))
def test_a_count_is_rounded_to_at_least_twice_what_must_not_be_told(count: int, least: int) -> None:
    unit = rounding_unit(2 * least)
    assert unit >= 2 * least
    assert rounded(count, unit) % unit == 0
    assert abs(rounded(count, unit) - count) * 2 <= unit


Cells: TypeAlias = Sequence[str | None]


def _page(
    cells: Cells, released: Cells, *, k: int, internal: bool = False
) -> dict[str, tuple[int | None, int]]:
    original = dc.Table.from_frame({"job": [*cells]})
    data = dc.Table.from_frame({"job": [*released]}) if released else original.take([])
    release = Release(data=data, guarantee=claim(k, ["job"]))
    (found,) = marginals(make_subject(release, original=original, internal=internal))
    return {row.label: (row.before, row.after) for row in found.rows}


def test_a_rare_value_never_appears_and_takes_another_with_it() -> None:
    cells: Cells = ["cook"] * 60 + ["clerk"] * 30 + ["astronaut"]
    released: Cells = ["cook"] * 60 + ["clerk"] * 28 + [None] * 3
    found = _page(cells, released, k=5)
    assert found == {"cook": (60, 60), RARER: (30, 28), "no value": (0, 3)}


def test_before_minus_after_is_not_told_exactly() -> None:
    cells: Cells = ["cook"] * 63 + ["clerk"] * 34
    released: Cells = ["cook"] * 60 + ["clerk"] * 32 + [None] * 5
    assert _page(cells, released, k=5) == {
        "clerk": (30, 32),
        "cook": (60, 60),
        "no value": (0, 5),
    }


def test_few_missing_cells_of_the_original_are_not_told() -> None:
    cells: Cells = ["cook"] * 60 + ["clerk"] * 30 + [None] * 2
    found = _page(cells, [*cells], k=5)
    assert found["no value"] == (None, 2)
    assert found[RARER] == (30, 30)
    assert "clerk" not in found


def test_a_table_with_too_few_rows_tells_nothing_of_the_original() -> None:
    found = _page(["cook"] * 3, [], k=5)
    assert found == {}


def test_an_internal_page_tells_all() -> None:
    cells: Cells = ["cook"] * 61 + ["astronaut"]
    found = _page(cells, ["cook"] * 61 + [None], k=5, internal=True)
    assert found == {"astronaut": (1, 0), "cook": (61, 61), "no value": (0, 1)}


def test_values_stay_in_the_order_of_their_column() -> None:
    sizes = [1, 2, 9, 10, 11]
    table = dc.Table.from_frame({"size": [size for size in sizes for _ in range(20)]})
    release = Release(data=table, guarantee=claim(5, ["size"]))
    (found,) = marginals(make_subject(release, original=table))
    assert [row.label for row in found.rows] == ["1", "2", "9", "10", "11"]


def test_a_column_that_is_nearly_all_suppressed_gets_no_chart_on_any_page() -> None:
    people = dc.Table.from_frame(
        {"sex": ["f", "m"] * 100, "code": [f"c{i}" for i in range(200)]}, one_row_per_person=True
    )
    release = dc.k_mii(people, k=5)
    for internal in (False, True):
        page = dc.html_report(release, original=people, internal=internal)
        assert "Values of sex" in page
        assert "Values of code" not in page
        assert "1 column of which over 95% is suppressed: not shown." in page
        # What was lost stands before what was kept.
        assert page.index("cells without a value") < page.index("rows released")
