"""Cells that differ between an original and a release, with rows known and rows matched."""

from __future__ import annotations

import itertools
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet as dc
from discreet.errors import DataError, LimitError
from discreet.utility import differences
from discreet.utility.differences import NO_ROW, match_released


def table(**columns: list[str | None]) -> dc.Table:
    return dc.Table.from_frame(columns)


def test_hidden_grouped_and_other_cells_are_told_apart() -> None:
    before = table(job=["cook", "baker", "coder"], sex=["f", "m", "m"])
    after = table(job=["food", "*", "poet"], sex=["f", "m", None])
    jobs = dc.Hierarchy.from_mapping({"*": {"food": ["cook", "baker"], "tech": ["coder", "x"]}})
    found = differences(before, after, rows=[0, 1, 2], hierarchies={"job": jobs})
    assert list(found.by_column()) == [("job", 1, 1, 1), ("sex", 1, 0, 0)]
    assert found.to_frame().rows() == [
        (1, "job", "cook", "food", "grouped"),
        (2, "job", "baker", "*", "suppressed"),
        (3, "job", "coder", "poet", "other"),
        (3, "sex", "m", None, "suppressed"),
    ]
    assert found.is_exact
    assert not found.is_same


def test_nothing_differs_from_itself_in_another_order() -> None:
    before = dc.datasets.census(300).select(["sex", "age", "region"])
    found = differences(before, before.take(np.arange(300)[::-1]))
    assert found.is_same
    assert found.n_cells == found.n_suppressed_records == found.n_unmatched == 0


def test_a_missing_cell_that_stays_missing_is_no_change() -> None:
    before = table(job=["cook", None])
    assert differences(before, table(job=[None, "cook"])).is_same


def test_a_release_in_memory_and_its_data_alone_tell_the_same_counts() -> None:
    people = dc.datasets.census(800).select(["sex", "region", "education", "condition"])
    release = dc.k_mii(people, k=5)
    known = differences(people, release)
    matched = differences(people, release.data)
    assert known.is_exact
    assert not matched.is_exact
    assert matched.n_unmatched == 0
    assert list(known.by_column()) == list(matched.by_column())


def test_generalized_rows_are_matched_through_their_hierarchies() -> None:
    people = dc.datasets.census(400).select(["sex", "region", "education"])
    release = dc.mondrian(people, k=5, hierarchies=_trees(people))
    found = differences(people, release.data, hierarchies=release.hierarchies)
    assert found.n_unmatched == 0
    assert all(other == 0 for *_, other in found.by_column())
    assert sum(grouped for _, _, grouped, _ in found.by_column()) > 0


def _trees(people: dc.Table) -> dict[str, dc.Hierarchy]:
    trees = dc.datasets.census_hierarchies()
    return {name: trees[name] for name in people.columns if name in trees}


def test_draw_targets_are_refused() -> None:
    people = dc.datasets.census(200).select(["sex", "region"])
    drawn = dc.synthetic_release(people, epsilon=1, seed=1, domains="from-data")
    with pytest.raises(DataError, match="cannot be compared one by one"):
        differences(people, drawn)


def test_a_column_that_the_original_lacks() -> None:
    with pytest.raises(DataError, match="no column 'jobs'"):
        differences(table(job=["a"]), table(jobs=["a"]))


def test_choices_are_changed_where_the_first_ones_leave_a_row_without() -> None:
    before = table(a=list("yxxxxy"), b=list("xxyyxy"), c=list("yxyxxx"))
    after = table(
        a=[None, None, "x", "x", None, None],
        b=[None, "x", "y", "y", "x", None],
        c=["y", None, None, None, None, "x"],
    )
    assert sorted(match_released(before, after).tolist()) == [0, 1, 2, 3, 4, 5]


def test_more_pairs_than_fit_into_memory_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.modules["discreet.utility.differences"], "MAX_PAIRS", 5)
    suppressed = table(a=[None, None], b=["x", "y"])
    assert match_released(table(a=list("pq"), b=list("xy")), suppressed).tolist() == [0, 1]
    with pytest.raises(LimitError, match="after 2 of 2 distinct rows"):
        match_released(table(a=list("pqrstu"), b=list("xxxyyy")), suppressed)


CELLS = st.lists(st.tuples(*[st.sampled_from("xyz")] * 2), min_size=1, max_size=5)
MASKS = st.lists(st.tuples(st.booleans(), st.booleans()), min_size=5, max_size=5)


@given(rows=CELLS, others=CELLS, masks=MASKS)
def test_as_many_rows_are_matched_as_can_be(
    rows: list[tuple[str, str]],
    others: list[tuple[str, str]],
    masks: list[tuple[bool, bool]],
) -> None:
    """Against all ways to deal out the rows."""
    shown = [
        tuple(None if hide else cell for cell, hide in zip(row, mask, strict=True))
        for row, mask in zip(others, masks, strict=False)
    ]
    before = table(a=[row[0] for row in rows], b=[row[1] for row in rows])
    after = table(a=[row[0] for row in shown], b=[row[1] for row in shown])
    matched = match_released(before, after)
    used = matched[matched != NO_ROW].tolist()
    assert len(set(used)) == len(used)

    def fits(new: tuple[str | None, ...], old: tuple[str, str]) -> bool:
        return all(cell in (None, value) for cell, value in zip(new, old, strict=True))

    for place, row in enumerate(matched.tolist()):
        assert row == NO_ROW or fits(shown[place], rows[row])
    n = max(len(rows), len(shown))
    best = max(
        sum(
            place < len(shown) and row < len(rows) and fits(shown[place], rows[row])
            for place, row in enumerate(order)
        )
        for order in itertools.permutations(range(n))
    )
    assert len(used) == best
