"""Hierarchies: their arrays, their values, and what stands under each group."""

from __future__ import annotations

import csv
import json
import lzma
import os
import pickle
import tomllib
from datetime import date
from decimal import Decimal
from pathlib import Path

import numpy as np
import pytest
from tests.data.trees import EUROPE, shape

from discreet.data.hierarchy.tree import Hierarchy
from discreet.errors import HierarchyError

DATA = Path(os.environ.get("DISCREET_DATA", "/nowhere"))
needs_data = pytest.mark.skipif(not DATA.is_dir(), reason="DISCREET_DATA names no folder")


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


def test_one_value() -> None:
    tree = Hierarchy.flat(["x"])
    assert (tree.n_nodes, tree.depth, tree.leaves, tree.labels) == (1, 0, ("x",), ("x",))
    assert tree.is_flat
    assert tree.render() == "*\n└── x"
    assert tree.with_leaf("y").labels == ("x", "y", "*")
    assert Hierarchy.from_csv("x;*\n") == tree
    assert Hierarchy.from_csv("x\n").render() == "x"


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
