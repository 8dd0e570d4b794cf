"""A tree changed by hand is what its file says, and is refused where no file could say it."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.data.hierarchy.edit import GONE, EditedTree
from discreet.data.hierarchy.tree import Hierarchy
from discreet.errors import HierarchyError

JOBS = {"*": {"food": {"hot": ["cook", "baker"], "cold": ["dairy"]}, "tech": ["coder", "admin"]}}


def made() -> EditedTree:
    return EditedTree.of(Hierarchy.from_mapping(JOBS))


def node(tree: EditedTree, label: str) -> int:
    found = [n for n, each in enumerate(tree.labels) if each == label and tree.parents[n] != GONE]
    assert len(found) == 1, label
    return found[0]


def shape(tree: EditedTree) -> list[tuple[str, int]]:
    return [(tree.labels[n], depth) for n, depth in tree.walk()]


def shape_of_file(text: str) -> list[tuple[str, int]]:
    """Return labels and depths as the library reads them, by its own walk."""
    tree = Hierarchy.from_csv(text).full
    found, waiting = [], [(tree.root, 0)]
    while waiting:
        at, depth = waiting.pop()
        found.append((str(tree.labels[at]), depth))
        waiting.extend((child, depth + 1) for child in reversed(tree.children(at)))
    return found


labels = st.sampled_from(["a", "b", "c", 'd;"x"', "E", "F", "G", "*", ",", "é"])


CHANGES = ("moved", "grouped", "merged", "renamed", "dissolved", "with_values")


def change(tree: EditedTree, how: str, nodes: list[int], label: str, to: int) -> EditedTree:
    if how == "moved":
        return tree.moved(nodes, to)
    if how == "renamed":
        return tree.renamed(nodes[0], label)
    if how == "dissolved":
        return tree.dissolved(nodes)
    if how == "with_values":
        return tree.with_values(tree.lacking([label]))
    return tree.grouped(nodes, label) if how == "grouped" else tree.merged(nodes, label)


@given(st.data())
def test_what_is_shown_is_what_the_file_says(data: st.DataObject) -> None:
    leaves = data.draw(st.lists(labels, min_size=2, max_size=7, unique=True))
    above = st.lists(labels, max_size=3)
    depth = data.draw(st.integers(0, 2))
    rows = [(leaf, *data.draw(above)[:depth], "root") for leaf in leaves]
    try:
        tree = EditedTree.of(Hierarchy.from_levels(rows))
    except HierarchyError:
        return
    for _ in range(data.draw(st.integers(1, 6))):
        nodes = data.draw(st.lists(st.integers(0, len(tree.labels) - 1), min_size=1, max_size=3))
        label, to = data.draw(labels), data.draw(st.integers(0, len(tree.labels) - 1))
        before = tree.text
        kept = tree
        with contextlib.suppress(HierarchyError):
            tree = change(tree, data.draw(st.sampled_from(CHANGES)), nodes, label, to)
        assert kept.text == before  # an old tree stays, for undoing
        values = {tree.labels[n] for n, _ in tree.walk() if tree.is_value(n)}
        assert values >= {kept.labels[n] for n, _ in kept.walk() if kept.is_value(n)}
        assert all(inside for inside in tree.children.values())
        try:
            read = shape_of_file(tree.text)
        except HierarchyError:
            assert tree is kept, tree.text  # refused as it came: no change made it so
            return
        if read != shape(tree):
            assert tree is kept  # a file of unequal lines, which it was made from, may be so
            return


def test_the_file_is_what_the_library_writes(tmp_path: Path) -> None:
    for tree in (
        Hierarchy.from_mapping(JOBS),
        Hierarchy.prefixes(["12345", "12", "7", 'a;"b', ""], lengths=[3, 2]),
        Hierarchy.from_levels([("a", "A", "all", "*"), ("b", "B", "all", "*"), ("c", "*")]),
        Hierarchy.flat(["x", "y, z"]),
    ):
        tree.to_csv(tmp_path / "tree.csv")
        assert EditedTree.of(tree).text == (tmp_path / "tree.csv").read_text("utf-8")


def test_each_change() -> None:
    tree = made()
    moved = tree.moved([node(tree, "dairy")], node(tree, "tech"))
    assert "cold" not in [label for label, _ in shape(moved)]  # a group that holds nothing is gone
    assert ("dairy", 2) in shape(moved)
    grouped = tree.grouped([node(tree, "cook"), node(tree, "coder")], "new")
    assert shape(grouped)[:4] == [("*", 0), ("new", 1), ("cook", 2), ("coder", 2)]
    merged = tree.merged([node(tree, "hot"), node(tree, "cold")], "kitchen")
    assert shape(merged)[1:6] == [
        ("food", 1), ("kitchen", 2), ("cook", 3), ("baker", 3), ("dairy", 3),
    ]  # fmt: skip
    assert shape(tree.dissolved([node(tree, "food")]))[1] == ("hot", 1)
    assert tree.renamed(node(tree, "hot"), "warm").group_called("warm") == node(tree, "hot")
    assert tree.lacking(["cook", "clerk"]) == ["clerk"]
    assert shape(tree.with_values(["clerk"]))[-1] == ("clerk", 1)
    values, rows = tree.counted({"cook": 3, "coder": 2, "unknown": 9})
    assert (values[tree.root], rows[tree.root], rows[node(tree, "food")]) == (5, 5, 3)


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (lambda t: t.moved([node(t, "food")], node(t, "hot")), "cannot be moved into itself"),
        (lambda t: t.moved([node(t, "cook")], node(t, "coder")), "a value, not a group"),
        (lambda t: t.moved([], node(t, "tech")), "Select values or groups"),
        (lambda t: t.moved([t.root], node(t, "tech")), "The root holds everything"),
        (lambda t: t.moved([99], node(t, "tech")), "no longer there"),
        (lambda t: t.grouped([node(t, "cook")], " "), "needs a name"),
        (lambda t: t.grouped([node(t, "cook")], "tech"), "There is a group 'tech' already"),
        (lambda t: t.merged([node(t, "hot")], "x"), "two groups or more"),
        (lambda t: t.renamed(node(t, "cook"), "x"), "a value of the data"),
        (lambda t: t.renamed(node(t, "hot"), "a\0"), "cannot be written"),
        (lambda t: t.dissolved([t.root]), "cannot be dissolved"),
        (lambda t: t.dissolved([node(t, "cook")]), "Select a group"),
        (lambda t: t.group_called("fod"), "Did you mean 'food'"),
        (lambda t: t.grouped([node(t, "coder")], "admin"), "cannot tell apart|stands twice"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_refused(asked: Callable[[EditedTree], object], said: str) -> None:
    with pytest.raises(HierarchyError, match=said):
        asked(made())


def test_ten_thousand_values_are_changed_at_once() -> None:
    tree = EditedTree.of(Hierarchy.intervals(range(10_000), steps=[10, 100, 1000]))
    started = time.process_time()
    tree = tree.grouped(list(range(0, 10_000, 2)), "even")
    tree = tree.moved([tree.group_called("[0, 100)")], tree.group_called("even"))
    assert len(tree.text.splitlines()) == 10_000
    assert time.process_time() - started < 20  # a square of ten thousand would be minutes
