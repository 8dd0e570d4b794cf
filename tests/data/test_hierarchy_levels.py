"""Hierarchies by lines from value to root, in texts and files; errors name the line."""

from __future__ import annotations

import gzip
import lzma
import tempfile
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tests.data.trees import EUROPE, Wrong

from discreet.data.hierarchy.tree import Hierarchy
from discreet.errors import DataError, DiscreetError, HierarchyError, ParameterError


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


def test_a_group_of_one_is_a_level_and_costs_what_it_holds() -> None:
    text = "a;G;P;*\nb;H;P;*\nc;H;P;*\nd;d;Q;*\ne;R;R;*\nf;R;R;*\n"
    tree = Hierarchy.from_csv(text)
    assert [";".join(map(str, row)) for row in tree.to_levels()] == text.split()
    assert tree.path("a") == ("a", "G", "P", "*")
    assert tree.path("d") == ("d", "d", "Q", "*")
    assert tree.node_of("G") == tree.node_of("a")  # one node
    assert tree.node_of("Q") == tree.node_of("d")
    assert tree.labels[tree.node_of("R")] == "R"
    assert tree.labels == ("a", "b", "c", "d", "e", "f", "H", "P", "R", "*")
    assert tree.full.labels[6:] == ("G", "H", "P", "Q", "R", "R", "*")
    assert [tree.labels[node] for node in tree.node_of_full[6:]] == [
        "a", "H", "P", "d", "R", "R", "*",
    ]  # fmt: skip
    assert tree.collapsed().path("a") == ("a", "a", "P", "*")
    grown = tree.with_leaf("g", under="G")
    assert grown.path("g") == ("g", "G", "P", "*")
    assert grown.labels[grown.node_of("G")] == "G"
    with pytest.raises(HierarchyError, match="'a' is a value, not a group"):
        tree.with_leaf("g", under="a")


def test_groups_taken_out_keep_the_levels_of_others() -> None:
    tree = Hierarchy.from_csv("a;G;P;*\nb;H;P;*\nc;H;P;*\nd;I;Q;*\ne;I;Q;*\n")
    less = tree.without([tree.node_of("H")])
    assert less.path("a") == ("a", "G", "P", "*")
    assert less.path("b") == ("b", "b", "P", "*")
    assert less.labels == ("a", "b", "c", "d", "e", "P", "I", "*")
    assert [less.labels[node] for node in less.node_of_full] == [
        "a", "b", "c", "d", "e", "a", "P", "I", "I", "*",
    ]  # fmt: skip
    assert tree.without([]) is tree
    assert tree.without([tree.root, 0]) is tree


def test_equal_text_at_two_levels_is_two_nodes() -> None:
    tree = Hierarchy.from_csv("a;A;B;*\nb;A;B;*\nc;B;C;*\nd;B;C;*\ne;X;B;*\nf;Y;C;*\n")
    assert [label for label in tree.labels if label == "B"] == ["B", "B"]
    with pytest.raises(HierarchyError, match="2 groups labelled 'B'"):
        tree.node_of("B")


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


@example([["a", "*"], ["b", "a", "*"]])
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
        assert mine <= set(row) == set(tree.path(row[0]))
        assert {label for label, _ in tree.labelled(leaf)} == set(row)
    n = tree.full.depth + 1
    for row in rows if len(set(map(len, rows))) == 1 else []:
        assert tree.path(row[0]) == tuple(row[-n:])
        assert {*row[:-n]} <= {row[0]}  # only a level at which all show themselves is left out
    assert Hierarchy.from_levels(tree.to_levels()) == tree
    assert Hierarchy.from_dict(tree.to_dict()) == tree
    with tempfile.TemporaryDirectory() as folder:
        tree.to_csv(Path(folder) / "h.csv")
        assert Hierarchy.from_csv(Path(folder) / "h.csv") == tree


@pytest.mark.parametrize("rows", [["ab"], [[]], [3], [["a", 1]], [["a", None]]])
def test_rows_that_are_none(rows: Wrong) -> None:
    with pytest.raises(HierarchyError, match="row 0"):
        Hierarchy.from_levels(rows)
