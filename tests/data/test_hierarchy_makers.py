"""Hierarchies by mappings, intervals, prefixes and none at all."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.data.trees import Wrong, shape

from discreet.data.hierarchy.check import whole_range
from discreet.data.hierarchy.dates import date_label, date_span
from discreet.data.hierarchy.tree import Hierarchy
from discreet.errors import HierarchyError, ParameterError


@pytest.mark.parametrize(
    ("tree", "match"),
    [
        ({}, "is not a mapping"),
        ([], "is not a mapping"),
        ({"A": ["a"], "B": ["b"]}, r"several roots: 'A', 'B'; pass root='\*'"),
        ({"*": []}, "holds no value"),
        ({"*": {"A": "a"}}, r"'A' holds 'a'; write a list.*from_parents"),
        ({"*": {"A": ["a"], "B": ["a"]}}, "'a' stands twice, under 'A' and under 'B'"),
        ({"*": {1: ["a", "b"]}}, "group 1 is not text"),
        (
            {"*": {"P": {"A": ["a", "b"]}, "Q": {"A": ["c", "d"]}}},
            "'A' stands under 'P' and under 'Q'",
        ),
        ({"*": ["a", float("nan")]}, "nan is not text"),
        ({"*": ["a", {1, 2}]}, "not text"),
        ({"*": ["A", {"A": ["x", "y"]}]}, "'A' stands twice in one group"),
        ({"*": [1, True]}, "True stands twice"),
    ],
)
def test_mappings_that_make_no_tree(tree: Wrong, match: str) -> None:
    with pytest.raises(HierarchyError, match=match):
        Hierarchy.from_mapping(tree)


def test_cycles_are_found() -> None:
    inner: dict[str, Any] = {"a": None}
    inner["B"] = {"A": inner}
    with pytest.raises(HierarchyError, match="holds itself"):
        Hierarchy.from_mapping({"*": inner})
    with pytest.raises(HierarchyError, match="'A' is its own ancestor"):
        Hierarchy.from_parents({"a": "*", "b": "A", "A": "B", "B": "A"})
    with pytest.raises(HierarchyError, match="is its own ancestor"):
        Hierarchy.from_parents({"A": "B", "B": "A"})
    with pytest.raises(HierarchyError, match="several roots: 'A', 'B'"):
        Hierarchy.from_parents({"a": "A", "b": "B"})
    with pytest.raises(HierarchyError, match="is empty"):
        Hierarchy.from_parents({})


def test_groups_with_one_label_and_parent_are_one() -> None:
    tree = Hierarchy.from_mapping({"*": [{"A": ["a"]}, {"A": ["b"]}, "c"]})
    assert shape(tree)["A"] == {"a", "b"}


def test_intervals() -> None:
    tree = Hierarchy.intervals(range(15, 26), steps=[5, 10], name="age")
    assert tree.leaves == tuple(range(15, 26))
    assert shape(tree)["[20, 30)"] == set(range(20, 26))
    assert shape(tree)["[15, 20)"] == {15, 16, 17, 18, 19}  # [10, 20) holds nothing else
    assert 25 in tree.leaves
    assert "[25, 30)" not in tree.labels  # only 25: the value itself
    assert Hierarchy.intervals([3, 1, 3, 2], steps=[2]).leaves == (1, 2, 3)
    assert shape(Hierarchy.intervals([-1, -5, 4, 3], steps=[5]))["[-5, 0)"] == {-1, -5}
    shifted = Hierarchy.intervals(range(10), steps=[4], origin=1)
    assert shape(shifted)["[1, 5)"] == {1, 2, 3, 4}
    exact = Hierarchy.intervals([0.1, 0.3, 0.35, 0.2, 0.7], steps=[0.1, 0.5])
    assert shape(exact)["[0.3, 0.4)"] == {0.3, 0.35}
    assert shape(Hierarchy.intervals(np.arange(4), steps=[2]))["[0, 2)"] == {0, 1}


@pytest.mark.parametrize("steps", [[5, 12], [0], [-5], [5, 5], [10, 5]])
def test_intervals_need_nested_steps(steps: list[float]) -> None:
    with pytest.raises(ParameterError, match=r"multiple|above 0"):
        Hierarchy.intervals(range(9), steps=steps)


@pytest.mark.parametrize("values", [["a"], [None], [float("nan")], [True], "12", 5, [float("inf")]])
def test_intervals_are_of_numbers(values: Wrong) -> None:
    with pytest.raises(HierarchyError):
        Hierarchy.intervals(values)


def test_prefixes() -> None:
    tree = Hierarchy.prefixes(["12345", "12346", "12999", "12998", "70000", "7"], lengths=[3, 2])
    assert shape(tree)["123"] == {"12345", "12346"}
    assert shape(tree)["12"] == {"12345", "12346", "12999", "12998"}
    assert tree.labels[tree.parent[tree.node_of("7")]] == "*"
    assert Hierarchy.prefixes(np.array(["ab", "ac"]), lengths=[1]).labels[-1] == "*"
    for lengths in ([2, 3], [0], [2, 2], [1.5]):
        with pytest.raises(ParameterError, match=r"lengths=.* must be (.* fall|.*at least 1)"):
            Hierarchy.prefixes(["ab"], lengths=lengths)  # type: ignore[arg-type]
    for wrong in ([12345], "12345", [None]):
        with pytest.raises(HierarchyError):
            Hierarchy.prefixes(wrong)  # type: ignore[arg-type]
    with pytest.raises(HierarchyError, match="no lines"):
        Hierarchy.prefixes([])


def test_a_group_never_reads_as_a_value() -> None:
    tree = Hierarchy.prefixes(["750", "7501", "75", "7", "80", "*1", "*2"], lengths=[3, 2, 1])
    assert tree.path("7501") == ("7501", "750...", "75...", "7...", "*")
    assert tree.path("750") == ("750", "750", "75...", "7...", "*")[:1] + tree.path("7501")[1:]
    assert tree.path("75") == ("75", "75", "75...", "7...", "*")
    assert tree.path("7") == ("7", "7", "7", "7...", "*")
    assert tree.path("80") == ("80", "80", "80", "8", "*")
    assert tree.path("*1") == ("*1", "*1", "*1", "*...", "*")
    assert Hierarchy.prefixes(["ab", "abc", "ab..."], lengths=[2]).path("abc")[1] == "ab...."


@given(
    st.lists(st.text("ab.-* é", max_size=6), min_size=1, max_size=12, unique=True),
    st.sampled_from(["postcode", "dotted", "prefix"]),
)
def test_groups_hold_what_begins_with_them(codes: list[str], kind: str) -> None:
    made = (
        Hierarchy.prefixes(codes, lengths=[4, 2, 1])
        if kind == "prefix"
        else Hierarchy.codes(codes, kind=kind)
    )
    assert set(made.leaves) == set(codes)
    for node in range(made.n_leaves, made.n_nodes - 1):
        label, under = str(made.labels[node]), [made.leaves[i] for i in made.leaves_under(node)]
        assert label not in codes
        if kind == "prefix":
            start = label if all(str(code).startswith(label) for code in under) else label[:-3]
            assert all(str(code).startswith(start.rstrip(".")) for code in under)


@pytest.mark.parametrize(
    ("code", "path"),
    [
        ("E11.65", ["E11.6-", "E11.-", "E10-E19", "E00-E90"]),
        ("E11.6", ["E11.6-", "E11.-", "E10-E19", "E00-E90"]),
        ("E11", ["E11", "E11.-", "E10-E19", "E00-E90"]),
        ("I10", ["I10", "I10", "I10-I19", "I00-I99"]),
        ("E119", ["E119", "E11.-", "E10-E19", "E00-E90"]),
        ("C7A.1", ["C7A.1", "C7A", "C70-C79", "C00-D49"]),
        ("D50.0", ["D50.0", "D50", "D50-D59", "D50-D89"]),
        ("s72.0", ["S72.0", "S72", "S70-S79", "S00-T98"]),
        ("U07.1!", ["U07.1", "U07", "U00-U09", "U00-U99"]),
        ("W19", ["W19", "W19", "W10-W19", "V00-Y99"]),
    ],
)
def test_diagnoses(code: str, path: list[str]) -> None:
    codes = ["E11.65", "E11.6", "E11", "I10", "E119", "C7A.1", "D50.0", "s72.0", "U07.1!", "W19"]
    tree = Hierarchy.codes(codes, kind="icd")
    assert tree.path(code) == (code, *path, "*")


@pytest.mark.parametrize("wrong", ["unknown", "11.9", "E1", "E11.99999", "", "É11"])
def test_what_is_no_diagnosis_is_named(wrong: str) -> None:
    with pytest.raises(HierarchyError, match="is not an ICD-10 code"):
        Hierarchy.codes(["E11", wrong], kind="icd")


@pytest.mark.parametrize(
    ("kind", "codes", "path"),
    [
        ("dotted", ["10.11", "10.13", "47.3"], ["10.11", "10.1", "10", "*"]),
        ("dotted", ["10.11", "10"], ["10.11", "10.1", "10...", "*"]),
        ("dotted", ["C10.11", "C10.2"], ["C10.11", "C10.1", "C10", "C", "*"]),
        ("dotted", ["2211", "2212", "9"], ["2211", "221", "22", "2", "*"]),
        ("postcode", ["SW1A 1AA", "N1 9GU"], ["SW1A 1AA", "SW1A", "SW1", "SW", "S", "*"]),
        ("postcode", ["12345-6789", "12399"], ["12345-6789", "12345", "123", "12", "1", "*"]),
    ],
)
def test_codes_that_say_what_they_are_part_of(kind: str, codes: list[str], path: list[str]) -> None:
    assert Hierarchy.codes(codes, kind=kind).path(path[0]) == tuple(path)


@pytest.mark.parametrize(
    ("levels", "path"),
    [
        (["month"], ["1931-05"]),
        (["quarter", "year", "5", 20], ["1931-Q2", "1931", "1930-1934", "1920-1939"]),
        (["year", "decade", 100], ["1931", "1930s", "1900-1999"]),
    ],
)
def test_levels_of_dates(levels: list[Any], path: list[str]) -> None:
    days = ["1931-05-09", "1980-01-01", "9999-12-31", "0001-01-01"]
    assert Hierarchy.dates(days, levels=levels).path(days[0]) == (days[0], *path, "*")


@pytest.mark.parametrize(
    ("levels", "match"),
    [
        (["year", "month"], "a year does not lie within a month"),
        ([5, 12], "a round of 5 years does not lie within a round of 12 years"),
        (["decade", 10], "a decade does not lie within a round of 10 years"),
        (["weak"], "There is no level of dates 'weak'"),
        ([1], "from 2 to 1000"),
        ([], "at least one of"),
        ("month", "a list of"),
    ],
)
def test_levels_of_dates_nest(levels: Wrong, match: str) -> None:
    with pytest.raises(ParameterError, match=match):
        Hierarchy.dates(["2024-01-01"], levels=levels)


@given(st.dates(), st.sampled_from(["day", "month", "quarter", "year", "decade", 5, 25]))
def test_the_span_of_a_group_is_the_days_of_its_name(day: date, level: str | int) -> None:
    first, last = date_span(day, level)
    name = date_label(level)
    assert first <= day <= last
    assert name(first) == name(day) == name(last)
    assert first == date.min or name(first - timedelta(days=1)) != name(day)
    assert last == date.max or name(last + timedelta(days=1)) != name(day)


def test_flat() -> None:
    tree = Hierarchy.flat(["b", "a", "b"], name="sex")
    assert tree.leaves == ("b", "a")
    assert tree.labels == ("b", "a", "*")
    assert tree.is_flat
    with pytest.raises(HierarchyError, match="no lines"):
        Hierarchy.flat([])


def test_large_and_deep_trees() -> None:
    wide = Hierarchy.intervals(range(20_000), steps=[10, 100, 1000])
    assert wide.n_nodes == 20_000 + 2000 + 200 + 20 + 1
    parents: dict[Any, str | None] = {0: "g1", 1: "g1"}
    for i in range(1, 5000):
        parents[i + 1] = f"g{i + 1}"
        parents[f"g{i}"] = f"g{i + 1}"
    deep = Hierarchy.from_parents(parents)
    assert deep.depth == 5000
    nested: Any = [0, 1]
    for i in range(2, 3000):
        nested = [{f"n{i}": nested}, i]
    assert Hierarchy.from_mapping({"*": nested}).depth == 2999


@pytest.mark.parametrize(
    ("values", "steps", "first", "last", "n"),
    [
        ([17, 31, None], [5, 10], 10, 39, 30),
        (["-3", "0"], [5], -5, 4, 10),
        ([20, 40], [20], 20, 59, 40),
        (["2023-12-31"], None, "2023-01-01", "2023-12-31", 365),
    ],
)
def test_whole_ranges_say_nothing_of_the_values_inside(
    values: list[Any], steps: list[int] | None, first: object, last: object, n: int
) -> None:
    found = whole_range(values, steps=steps)
    assert found is not None
    assert (found[0], found[-1], len(found)) == (first, last, n)
    assert whole_range([*values, found[3], found[4]], steps=steps) == found
    assert {str(value) for value in values if value is not None} <= set(map(str, found))


@pytest.mark.parametrize(
    ("values", "steps"),
    [(["1.5"], [5]), ([1], [2.5]), ([1, 10**9], [5]), (["007"], [5]), (["2024-13-01"], None),
     (["x"], None), ([], None), (["0001-01-01", "9999-01-01"], None)],
)  # fmt: skip
def test_ranges_that_cannot_be_whole(values: list[Any], steps: list[float] | None) -> None:
    assert whole_range(values, steps=steps) is None
