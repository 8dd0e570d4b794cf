"""Hierarchies of dates, and labels of any kind through files and pictures."""

from __future__ import annotations

import tempfile
from datetime import date, datetime
from pathlib import Path
from typing import Any, TypeAlias

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from discreet.data.column import Label
from discreet.data.hierarchy.check import build_hierarchy, check_hierarchy
from discreet.data.hierarchy.levels import describe_levels, draw_tree
from discreet.data.hierarchy.nodes import is_writable, printable
from discreet.data.hierarchy.tree import Hierarchy
from discreet.data.table import Table
from discreet.errors import HierarchyError, ParameterError

Wrong: TypeAlias = Any  # of the wrong kind on purpose
labels = st.text(
    st.sampled_from('ab;,"\r\n\t \x1b[]\u2028\ufeff') | st.characters(codec="utf-8"), max_size=6
).filter(is_writable)


@given(st.lists(labels, min_size=1, max_size=6, unique=True), st.lists(labels, max_size=3))
@example(['"a,\nb'], [])
@example(["a,b"], [])
@example(["\ufeffa", "b"], ["\ufeffg"])
@example(["a,\n", "b"], ["x"])
@example(["\r", ""], [])
def test_any_labels_come_back_from_a_file(leaves: list[str], groups: list[str]) -> None:
    above = [group for group in groups if group] or ["*"]
    rows = [(leaf, above[place % len(above)], "root") for place, leaf in enumerate(leaves)]
    try:
        tree = Hierarchy.from_levels(rows)
    except HierarchyError:
        return  # such as a value beside a group of its name
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "h.csv"
        for delimiter in (";", ","):
            tree.to_csv(path, delimiter=delimiter)
            assert Hierarchy.from_csv(path) == tree
        table = Table.from_frame({"x": leaves})
        assert check_hierarchy(path, table, column="x").passed
        gone = Table.from_frame({"x": [*leaves, "not there"]})
        lacking = check_hierarchy(path, gone, column="x")
        assert [each.value for each in lacking.uncovered] == ["not there"]


@pytest.mark.parametrize("label", ["a\0", "\ud800"])
def test_what_no_text_file_can_hold_is_refused(tmp_path: Path, label: str) -> None:
    with pytest.raises(HierarchyError, match="cannot be written"):
        Hierarchy.flat([label, "b"]).to_csv(tmp_path / "h.csv")
    assert not list(tmp_path.iterdir())


def test_overwriting_can_be_refused(tmp_path: Path) -> None:
    path = tmp_path / "h.csv"
    Hierarchy.flat(["a", "b"]).to_csv(path)
    with pytest.raises(ParameterError, match="exists"):
        Hierarchy.flat(["c", "d"]).to_csv(path, overwrite=False)
    assert path.read_text() == "a;*\nb;*\n"


def groups_of(tree: Hierarchy, leaf: Label) -> list[object]:
    return [tree.labels[node] for node in tree.ancestors(tree.node_of(leaf))]


def test_dates() -> None:
    days = [date(2024, 1, 31), date(2024, 1, 30), date(2024, 2, 1), date(2024, 5, 5)]
    tree = Hierarchy.dates([*days, date(2023, 1, 1), days[0]], name="day")
    assert tree.leaves[:2] == (date(2023, 1, 1), date(2024, 1, 30))
    assert groups_of(tree, days[0]) == ["2024-01", "2024-Q1", "2024", "*"]
    assert groups_of(tree, days[3]) == ["2024", "*"]
    assert groups_of(tree, date(2023, 1, 1)) == ["*"]
    times = Hierarchy.dates([datetime(2024, 1, 31, h) for h in (1, 2)] + [datetime(2024, 1, 1)])  # noqa: DTZ001  columns are naive
    assert groups_of(times, times.leaves[-1]) == ["2024-01-31", "*"]
    text = Hierarchy.dates(["2024-01-31 01:00", "2024-01-31T02:00:00Z", "2024-01-30"])
    assert groups_of(text, "2024-01-31 01:00") == ["2024-01-31", "*"]


@given(st.lists(st.dates(), min_size=1, max_size=30, unique=True))
def test_dates_share_a_group_if_they_share_its_period(days: list[date]) -> None:
    tree = Hierarchy.dates(days)
    assert set(tree.leaves) == set(days)
    for node in range(tree.n_leaves, tree.n_nodes - 1):
        label = str(tree.labels[node])
        inside = {tree.leaves[leaf] for leaf in tree.leaves_under(node)}
        assert inside == {day for day in days if label in _periods(day)}


def _periods(day: date) -> set[str]:
    year = day.isoformat()[:4]
    quarters = {1: "Q1", 2: "Q1", 3: "Q1", 4: "Q2", 5: "Q2", 6: "Q2"}
    quarters |= {7: "Q3", 8: "Q3", 9: "Q3", 10: "Q4", 11: "Q4", 12: "Q4"}
    first, half = day.year // 10 * 10, day.year // 5 * 5
    rounds = {f"{first:04}-{first + 9:04}", f"{half:04}-{half + 4:04}"}
    return {day.isoformat(), day.isoformat()[:7], f"{year}-{quarters[day.month]}", year, *rounds}


@pytest.mark.parametrize(
    "wrong", ["2024-02-30", "31.1.2024", "20240131", "2024-01-31x", "", 20240131, None, 1.5]
)
def test_what_is_no_date_is_named(wrong: Wrong) -> None:
    with pytest.raises(HierarchyError, match="is not a date"):
        Hierarchy.dates(["2024-01-31", wrong])
    with pytest.raises(HierarchyError, match="not a list"):
        Hierarchy.dates("2024-01-31")


def test_build_takes_one_way() -> None:
    ways: Wrong
    for ways in ({}, {"flat": True, "dates": True}, {"steps": [5], "prefixes": [1]}):
        with pytest.raises(ParameterError, match="exactly one"):
            build_hierarchy(["1"], **ways)
    with pytest.raises(HierarchyError, match="no values"):
        build_hierarchy([None], flat=True, name="x")
    for wrong in ("x", True, "nan", "inf", ""):
        with pytest.raises(HierarchyError, match="not a number"):
            build_hierarchy([7, wrong], steps=[5], name="x")


@given(st.lists(st.integers(-200, 200), min_size=1, unique=True))
def test_built_intervals_hold_their_numbers(values: list[int]) -> None:
    tree = build_hierarchy(values, steps=[7, 21])
    assert set(tree.leaves) == set(map(str, values))
    for node in range(tree.n_leaves, tree.n_nodes - 1):
        low, high = map(int, str(tree.labels[node])[1:-1].split(", "))
        inside = {int(str(tree.leaves[leaf])) for leaf in tree.leaves_under(node)}
        assert inside == {value for value in values if low <= value < high}


def test_levels_and_picture() -> None:
    tree = Hierarchy.from_levels([("a", "x", "*"), ("b", "x", "*"), ("c", "*")])
    seen = describe_levels(tree)
    assert [(level.n_nodes, level.largest) for level in seen.levels] == [(3, 1), (2, 2), (1, 3)]
    assert seen.levels[1].examples == ("x", "c")
    late = describe_levels(Hierarchy.from_levels([("c", "*"), ("a", "x", "*"), ("b", "x", "*")]))
    assert late.levels[1].examples == ("x", "c")  # groups tell more than values
    assert describe_levels(Hierarchy.flat(["a"])).sentence == "1 value, 1 level above them."
    assert len(draw_tree(tree).children) == 2
    with pytest.raises(ParameterError, match="most=0 must be at least 1"):
        draw_tree(tree, most=0)


@given(st.text())
def test_printable_is_printable(text: str) -> None:
    assert printable(text).isprintable()
    assert not text.isprintable() or printable(text) == text
