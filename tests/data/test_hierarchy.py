from __future__ import annotations

import csv
import gzip
import json
import lzma
import os
import pickle
import tempfile
import tomllib
from contextlib import suppress
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.data.hierarchy import Hierarchy
from discreet.errors import DataError, DiscreetError, HierarchyError, ParameterError

DATA = Path(os.environ.get("DISCREET_DATA", "/nowhere"))
needs_data = pytest.mark.skipif(not DATA.is_dir(), reason="DISCREET_DATA names no folder")
Wrong: TypeAlias = Any  # of the wrong kind on purpose
EUROPE = "FR;Europe;*\nDE;Europe;*\nJP;Asia;*\nIN;Asia;*\n"


def shape(tree: Hierarchy) -> dict[Any, Any]:
    """Return each node's label with the set of its leaves."""
    return {
        tree.labels[node]: {tree.leaves[leaf] for leaf in tree.leaves_under(node)}
        for node in range(tree.n_nodes)
    }


def test_arrays_of_a_small_tree() -> None:
    tree = Hierarchy.from_csv(EUROPE, name="country")
    assert tree.leaves == ("FR", "DE", "JP", "IN")
    assert tree.labels == ("FR", "DE", "JP", "IN", "Europe", "Asia", "*")
    assert tree.parent.tolist() == [4, 4, 5, 5, 6, 6, -1]
    assert tree.parent.dtype == np.int32
    assert tree.leaf_counts.tolist() == [1, 1, 1, 1, 2, 2, 4]
    assert tree.depths.tolist() == [2, 2, 2, 2, 1, 1, 0]
    assert (tree.root, tree.depth, tree.is_flat) == (6, 2, False)
    assert (tree.n_leaves, tree.n_nodes) == (4, 7)
    assert tree.children(6) == (4, 5)
    assert tree.children(5) == (2, 3)
    assert tree.children(0) == ()
    assert tree.ancestors(3) == (5, 6)
    assert tree.ancestors(6) == ()
    assert tree.node_of("Asia") == 5
    assert tree.leaves_under(5) == range(2, 4)
    assert tree.level_nodes().tolist() == [[0, 4, 6], [1, 4, 6], [2, 5, 6], [3, 5, 6]]
    assert repr(tree) == "Hierarchy of 'country': 4 leaves, 7 nodes, depth 2, root '*'"


def test_all_forms_say_the_same() -> None:
    tree = Hierarchy.from_csv(EUROPE)
    nested = {"*": {"Europe": ["FR", "DE"], "Asia": {"JP": None, "IN": {}}}}
    toml = tomllib.loads('Europe = ["FR", "DE"]\nAsia = ["JP", "IN"]')
    parents = {"FR": "Europe", "DE": "Europe", "JP": "Asia", "IN": "Asia"}
    assert Hierarchy.from_levels([line.split(";") for line in EUROPE.split()]) == tree
    assert Hierarchy.from_mapping(nested) == tree
    assert Hierarchy.from_mapping(toml, root="*") == tree
    assert Hierarchy.from_parents({**parents, "Europe": "*", "Asia": "*"}) == tree
    assert Hierarchy.from_parents({"*": None, **parents, "Europe": "*", "Asia": "*"}) == tree
    assert Hierarchy.from_dict(json.loads(json.dumps(tree.to_dict()))) == tree
    assert pickle.loads(pickle.dumps(tree)) == tree  # noqa: S301 - our own
    assert tree != Hierarchy.from_csv(EUROPE, name="x")
    assert tree != Hierarchy.flat(tree.leaves)
    assert tree != 3
    with pytest.raises(TypeError, match="unhashable"):
        hash(tree)


def test_leaves_of_a_group_stand_together() -> None:
    tree = Hierarchy.from_csv("1;odd;*\n2;even;*\n3;odd;*\n4;even;*\n")
    assert tree.leaves == ("1", "3", "2", "4")
    assert [tree.leaves[i] for i in tree.leaves_under(tree.node_of("even"))] == ["2", "4"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("a;a;*\nb;G;*\nc;G;*\n", {"a": "*", "b": "G", "G": "*"}, id="leaf again"),
        pytest.param("a;*;*\nb;G;*\nc;G;*\n", {"a": "*", "G": "*"}, id="root again"),
        pytest.param(
            "a;*;*\nb;*;*\nc;G;*\nd;G;*\n", {"a": "*", "b": "*", "c": "G"}, id="root twice"
        ),
        pytest.param(
            "a;X;P;*\nb;G;P;*\nc;G;P;*\nd;*\n", {"a": "P", "b": "G", "P": "*"}, id="only leaf"
        ),
        pytest.param(
            "a;G;P;*\nb;G;P;*\nc;Q;Q;*\n", {"a": "G", "G": "*", "c": "*"}, id="only group"
        ),
        pytest.param("a;G;all;*\nb;G;all;*\nc;H;all;*\nd;H;all;*\n", {"G": "*"}, id="below root"),
        pytest.param(
            "O;O;*\nU;O;*\nc;*;*\n", {"O": "O", "U": "O", "c": "*"}, id="leaf named as group"
        ),
        pytest.param("a;*\nb;G;*\nc;G;*\n", {"a": "*", "b": "G"}, id="unequal lengths"),
    ],
)
def test_only_children_are_one_node(text: str, expected: dict[str, str]) -> None:
    tree = Hierarchy.from_csv(text)
    counts = np.bincount(tree.parent[:-1], minlength=tree.n_nodes)
    assert (counts[tree.n_leaves :] >= 2).all()
    for label, parent in expected.items():
        assert tree.labels[tree.parent[tree.node_of(label)]] == parent


def test_equal_text_at_two_levels_is_two_nodes() -> None:
    tree = Hierarchy.from_csv("a;A;B;*\nb;A;B;*\nc;B;C;*\nd;B;C;*\ne;X;B;*\nf;Y;C;*\n")
    assert [label for label in tree.labels if label == "B"] == ["B", "B"]
    with pytest.raises(HierarchyError, match="2 groups labelled 'B'"):
        tree.node_of("B")


def test_one_value() -> None:
    tree = Hierarchy.flat(["x"])
    assert (tree.n_nodes, tree.depth, tree.leaves, tree.labels) == (1, 0, ("x",), ("x",))
    assert tree.is_flat
    assert tree.render() == "x"
    assert tree.with_leaf("y").labels == ("x", "y", "*")
    assert Hierarchy.from_csv("x\n") == tree


@pytest.mark.parametrize(
    ("text", "match"),
    [
        ("a;A;*\nb;A;+\n", r"line 2 ends in '\+', line 1 in '\*'"),
        ("a;A;P;*\nb;A;Q;*\n", r"'A' stands under 'P' \(line 1\) and under 'Q' \(line 2\)"),
        ("a;A;*\nb;B;*\na;B;*\n", r"value 'a' stands twice, under 'A' \(line 1\).*'B' \(line 3\)"),
        ("a;A;P;*\nb;A;*\nc;P;*\nd;A;P;*\n", r"'A' stands .*unequal length"),
        ("A;*\nx;A;*\ny;A;*\n", r"'A' stands twice in one group.*line 1.*line 2"),
        ("a;;*\nb;;*\n", "line 1: the label of a group is empty"),
        ("a;b;*\nc\n", "line 2 ends in 'c'"),
        ("a,b,*\nc,b,*\n", None),
        ('a;"b;*\n', "line 1: .*check quotes"),
        ("a\0;*\nb;*\n", "line 1 holds a NUL"),
        ("\n\n", "no lines"),
    ],
)
def test_lines_that_make_no_tree(text: str, match: str | None) -> None:
    if match is None:
        assert Hierarchy.from_csv(text).labels[-1] == "*"
        return
    with pytest.raises(HierarchyError, match=match):
        Hierarchy.from_csv(text)


def test_equal_lines_are_merged() -> None:
    assert Hierarchy.from_csv(EUROPE + EUROPE) == Hierarchy.from_csv(EUROPE)


def test_quotes_delimiters_and_line_ends() -> None:
    tree = Hierarchy.from_csv(
        '"a;1",[0, 5[,*\r\n"say ""b""",[0, 5[,*\r\nc,,*\r\n'.replace("[0, 5[", "g").replace(
            "c,,", "c,c,"
        )
    )
    assert tree.leaves == ("a;1", 'say "b"', "c")
    assert Hierarchy.from_csv("20;[20, 30[;*\n21;[20, 30[;*\n").depth == 1
    assert Hierarchy.from_csv("a|*\nb|*\n", delimiter="|").leaves == ("a", "b")
    for wrong in ("", ";;", '"', "\n"):
        with pytest.raises(ParameterError, match="delimiter"):
            Hierarchy.from_csv(EUROPE, delimiter=wrong)


def test_numbers_as_leaves() -> None:
    tree = Hierarchy.from_csv("1;*\n2;*\n", numbers=True, name="age")
    assert tree.leaves == (1, 2)
    with pytest.raises(HierarchyError, match=r"line 2: '2\.5' is not an integer"):
        Hierarchy.from_csv("1;*\n2.5;*\n", numbers=True)
    with pytest.raises(HierarchyError, match="It has the number 1 instead"):
        tree.encode(["1"])
    text = Hierarchy.from_csv("1;*\n2;*\n", name="age")
    with pytest.raises(
        HierarchyError, match=r"column 'age' lacks 1 .* It has the text '1' instead"
    ):
        text.encode([1])
    for value in (True, 1.0):
        assert not tree.covers([value])
    assert tree.covers(np.array([1, 2]))
    assert tree.encode(np.array([2, 1, 2])).tolist() == [1, 0, 1]


def test_files(tmp_path: Path) -> None:
    tree = Hierarchy.from_csv(EUROPE)
    for name, pack in (("h.csv", bytes), ("h.csv.gz", gzip.compress), ("h.csv.xz", lzma.compress)):
        (tmp_path / name).write_bytes(pack(b"\xef\xbb\xbf" + EUROPE.encode()))
        assert Hierarchy.from_csv(tmp_path / name) == tree
        assert Hierarchy.from_csv(str(tmp_path / name)) == tree
        tree.to_csv(tmp_path / f"again.{name}")
        assert Hierarchy.from_csv(tmp_path / f"again.{name}") == tree
    with pytest.raises(DataError, match="There is no file"):
        Hierarchy.from_csv(tmp_path / "absent.csv")
    (tmp_path / "empty.csv").write_bytes(b"")
    with pytest.raises(DataError, match="is empty"):
        Hierarchy.from_csv(tmp_path / "empty.csv")
    (tmp_path / "latin.csv").write_bytes("a;*\nß;*\n".encode("latin-1"))
    with pytest.raises(HierarchyError, match=r"latin\.csv, line 2 is not UTF-8"):
        Hierarchy.from_csv(tmp_path / "latin.csv")
    (tmp_path / "wide.csv").write_bytes("a;*\nb;*\n".encode("utf-16"))
    with pytest.raises(HierarchyError, match="line 1 is not UTF-8"):
        Hierarchy.from_csv(tmp_path / "wide.csv")
    (tmp_path / "bad.csv").write_text("a;A;P;*\nb;A;Q;*\n")
    with pytest.raises(HierarchyError, match=r"bad\.csv, line 2"):
        Hierarchy.from_csv(tmp_path / "bad.csv")


@given(st.binary(max_size=40))
def test_any_bytes_give_a_result_or_our_error(content: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "h.csv").write_bytes(content)
        with suppress(DiscreetError):
            Hierarchy.from_csv(Path(folder) / "h.csv")


labels = st.sampled_from(["a", "b", "c", "d", "A", "B", "*", ""])


@given(st.lists(st.lists(labels, min_size=1, max_size=4).map(lambda row: [*row, "*"]), max_size=8))
def test_any_rows_give_a_laminar_tree_or_our_error(rows: list[list[str]]) -> None:
    try:
        tree = Hierarchy.from_levels(rows)
    except HierarchyError:
        return
    assert set(tree.leaves) == {row[0] for row in rows}
    above = tree.parent.tolist()
    assert above[-1] == -1
    assert all(parent > node for node, parent in enumerate(above[:-1]))
    for node in range(tree.n_nodes):
        below = tree.children(node)
        assert len(below) != 1
        assert [i for child in below for i in tree.leaves_under(child)] == (
            list(tree.leaves_under(node)) if below else []
        )
    # A row's labels name nodes above its leaf, or chains that were collapsed into others.
    for row in rows:
        leaf = tree.leaves.index(row[0])
        mine = {str(tree.labels[n]) for n in (leaf, *tree.ancestors(leaf))}
        assert mine <= set(row)
    assert Hierarchy.from_levels(tree.to_levels()) == tree
    assert Hierarchy.from_dict(tree.to_dict()) == tree
    with tempfile.TemporaryDirectory() as folder:
        tree.to_csv(Path(folder) / "h.csv")
        assert Hierarchy.from_csv(Path(folder) / "h.csv") == tree


def test_encode_names_what_is_missing() -> None:
    tree = Hierarchy.from_csv(EUROPE.replace("FR", "France"), name="country")
    assert tree.encode(["IN", "France"]).tolist() == [3, 0]
    assert tree.encode([]).dtype == np.int32
    assert tree.covers(["IN"])
    assert not tree.covers(["IN", None])
    with pytest.raises(
        HierarchyError,
        match=r"column 'country' lacks 2 of the values: 'Frence', 'XX' \(first at row 1\)\. "
        r"Did you mean 'France'\? Add a line",
    ):
        tree.encode(["DE", "Frence", "XX", "Frence"])
    with pytest.raises(HierarchyError, match="cannot be a leaf"):
        tree.encode([["DE"]])  # type: ignore[list-item]
    with pytest.raises(HierarchyError, match="has no 'Asien'"):
        tree.node_of("Asien")
    for node in (-1, 7):
        with pytest.raises(HierarchyError, match="nodes 0 to 6"):
            tree.children(node)


def test_missing_values_can_be_added() -> None:
    tree = Hierarchy.from_csv(EUROPE).with_leaf(None)
    assert tree.encode([None, "FR"]).tolist() == [4, 0]
    assert tree.labels[tree.parent[4]] == "*"
    assert Hierarchy.from_dict(tree.to_dict()) == tree
    spain = tree.with_leaf("ES", under="Europe")
    assert shape(spain)["Europe"] == {"FR", "DE", "ES"}
    with pytest.raises(HierarchyError, match="already"):
        tree.with_leaf("FR")
    with pytest.raises(HierarchyError, match="is a value"):
        tree.with_leaf("X", under="FR")
    with pytest.raises(HierarchyError, match="leaf None"):
        tree.to_csv("h.csv")


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


@pytest.mark.parametrize("rows", [["ab"], [[]], [3], [["a", 1]], [["a", None]]])
def test_rows_that_are_none(rows: Wrong) -> None:
    with pytest.raises(HierarchyError, match="row 0"):
        Hierarchy.from_levels(rows)


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
    with pytest.raises(ParameterError, match="multiple"):
        Hierarchy.intervals(range(9), steps=steps)


@pytest.mark.parametrize("values", [["a"], [None], [float("nan")], [True], "12", 5, [float("inf")]])
def test_intervals_are_of_numbers(values: Wrong) -> None:
    with pytest.raises(HierarchyError):
        Hierarchy.intervals(values)


def test_prefixes() -> None:
    tree = Hierarchy.prefixes(["12345", "12346", "12999", "12998", "70000", "7"], lengths=[3, 2])
    assert shape(tree)["123**"] == {"12345", "12346"}
    assert shape(tree)["12***"] == {"12345", "12346", "12999", "12998"}
    assert tree.labels[tree.parent[tree.node_of("7")]] == "*"
    assert Hierarchy.prefixes(np.array(["ab", "ac"]), lengths=[1]).labels[-1] == "*"
    for lengths in ([2, 3], [0], [2, 2], [1.5]):
        with pytest.raises(ParameterError, match="fall"):
            Hierarchy.prefixes(["ab"], lengths=lengths)  # type: ignore[arg-type]
    for wrong in ([12345], "12345", [None]):
        with pytest.raises(HierarchyError):
            Hierarchy.prefixes(wrong)  # type: ignore[arg-type]
    with pytest.raises(HierarchyError, match="no lines"):
        Hierarchy.prefixes([])


def test_flat() -> None:
    tree = Hierarchy.flat(["b", "a", "b"], name="sex")
    assert tree.leaves == ("b", "a")
    assert tree.labels == ("b", "a", "*")
    assert tree.is_flat
    with pytest.raises(HierarchyError, match="no lines"):
        Hierarchy.flat([])


def test_stored_by_something_else() -> None:
    for stored in ({}, {"version": 2, "levels": []}, {"version": 1, "levels": 3}):
        with pytest.raises(HierarchyError, match="not a stored hierarchy"):
            Hierarchy.from_dict(stored)


def test_arrays_cannot_be_changed() -> None:
    tree = Hierarchy.flat([1, 2])
    for array in (tree.parent, tree.leaf_counts, tree.depths):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0
    with pytest.raises(AttributeError):
        tree.name = "x"  # type: ignore[misc]


def test_pictures_are_cut_off() -> None:
    picture = Hierarchy.flat(range(1000)).render(max_lines=3)
    assert picture == "*\n├── 0\n├── 1\n... 998 more"


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


@needs_data
@pytest.mark.parametrize(
    ("column", "n_leaves", "depth"),
    [
        ("age", 100, 4),
        ("education", 16, 3),
        ("marital-status", 7, 2),
        ("native-country", 41, 2),
        ("occupation", 14, 2),
        ("race", 5, 1),
        ("salary-class", 2, 1),
        ("sex", 2, 1),
        ("workclass", 8, 2),
    ],
)
def test_adult_is_covered(column: str, n_leaves: int, depth: int) -> None:
    folder = DATA / "adult_arx"
    tree = Hierarchy.from_csv(folder / f"adult_hierarchy_{column}.csv", name=column)
    assert (tree.n_leaves, tree.depth) == (n_leaves, depth)
    text = lzma.decompress((folder / "adult.csv.xz").read_bytes()).decode()
    values = [row[column] for row in csv.DictReader(text.splitlines(), delimiter=";")]
    assert len(tree.encode(values)) == 30_162


@needs_data
def test_fars_is_covered() -> None:
    folder = DATA / "arx_fars"
    with (folder / "fars_subset.csv").open(newline="") as data:
        rows = list(csv.DictReader(data, delimiter=";"))
    files = sorted(folder.glob("fars_hierarchy_*.csv"))
    assert len(files) == 8
    for file in files:
        column = file.stem.removeprefix("fars_hierarchy_")
        tree = Hierarchy.from_csv(file, name=column)
        assert len(tree.encode([row[column] for row in rows])) == 10_093


def test_dates_and_decimals_as_leaves() -> None:
    days = (date(2024, 1, 1), date(2024, 1, 2))
    tree = Hierarchy.from_mapping({"*": {"January": list(days)}})
    assert tree.encode(days).tolist() == [0, 1]
    assert Hierarchy.from_levels(tree.to_levels()) == tree
    assert Hierarchy.flat([Decimal("1.5"), Decimal(2)]).n_leaves == 2
    with pytest.raises(HierarchyError, match="JSON has no such kind"):
        tree.to_dict()
