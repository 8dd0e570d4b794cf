"""Loss of generalized tables: known answers, loops over cells, refusals, and Adult."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet as dc
from discreet.errors import DataError, HierarchyError, ParameterError
from discreet.utility import loss, node_costs
from discreet.utility.loss import MEASURES, RecordMeasure
from discreet.utility.node_costs import CELL_MEASURES, CellMeasure, is_monotone
from tests.adult_arx import adult_arx
from tests.examples import examples

NUMBERS = dc.Hierarchy.from_mapping({"*": {"low": [1, 2], "high": [3, 4]}})
LETTERS = dc.Hierarchy.from_mapping({"*": {"ab": ["a", "b"], "c": []}})
TREES = {"number": NUMBERS, "letter": LETTERS}
Rows = Sequence[Sequence[object]]


def table(rows: Rows, names: Sequence[str] = ("number", "letter")) -> dc.Table:
    return dc.Table.from_frame({name: [row[j] for row in rows] for j, name in enumerate(names)})


# --- known answers -----------------------------------------------------------------


def test_lm_of_a_column_with_one_value_is_nothing() -> None:  # 002-lm-unary
    one, four = dc.Hierarchy.flat(["only"]), NUMBERS
    closure = (node_costs(one)[0], node_costs(four)[four.node_of("low")])
    assert Fraction(sum(closure)).limit_denominator(1000) == Fraction(1, 3)
    people = dc.Table.from_frame({"a": ["only"] * 2, "b": [1, 2]})
    release = dc.Table.from_frame({"a": ["*", "*"], "b": ["low", "low"]})
    seen = loss(people, release, hierarchies={"b": four})
    assert seen.by_row.tolist() == pytest.approx([1 / 3, 1 / 3])
    assert seen.cells is not None
    assert seen.cells[:, 0].tolist() == [0, 0]


def test_discernibility_of_suppressed_records() -> None:  # 002-dm
    before = table([("a",)] * 3 + [("b",)] * 2 + [("c",)] * 3, ["x"])
    after = table([("a",)] * 3 + [("b",)] * 2 + [("*",)] * 3, ["x"])
    assert loss(before, after, measure="discernibility").value == 37
    lost = loss(before, before.take(range(5)), measure="discernibility", rows=range(5))
    assert (lost.value, lost.n_suppressed_records) == (37, 3)


def test_ambiguity_is_not_sub_additive() -> None:  # 002-am-not-subadditive
    values = dc.Table.from_frame({"x": [1, 2, 3], "y": [1, 2, 3]})

    def cost(x: str, y: str, measure: CellMeasure | RecordMeasure) -> float:
        release = dc.Table.from_frame({"x": [x, "*", "*"], "y": [y, "*", "*"]})
        return float(loss(values, release, measure=measure).by_row[0])

    assert [cost(*shown, "ambiguity") for shown in (("*", "1"), ("1", "*"), ("*", "*"))] == [
        3,
        3,
        9,
    ]
    assert [cost(*shown, "lm") for shown in (("*", "1"), ("1", "*"), ("*", "*"))] == [1, 1, 2]


def test_entropy_is_not_monotone_and_its_share_is() -> None:  # 002-entropy-nonmonotone
    plain = node_costs(NUMBERS, [97, 1, 1, 1], measure="plain_entropy")
    high, root = NUMBERS.node_of("high"), NUMBERS.root
    assert plain[high] == 1
    assert round(plain[root], 4) == 0.2419
    assert not is_monotone(NUMBERS, plain)
    monotone = node_costs(NUMBERS, [97, 1, 1, 1], measure="entropy")
    assert monotone[high] == 0.02
    assert monotone[root] == plain[root]
    assert is_monotone(NUMBERS, monotone)


@pytest.mark.parametrize("measure", ["plain_entropy", "entropy", "lm"])
@pytest.mark.parametrize("hidden", ["sex", "zip"])
def test_one_bit_each(measure: CellMeasure, hidden: str) -> None:  # 002-entropy-example
    rows = {"sex": ["M", "M", "F", "F"], "zip": ["41278", "98705", "41278", "98705"]}
    release = dc.Table.from_frame({**rows, hidden: ["*"] * 4})
    seen = loss(dc.Table.from_frame(rows), release, measure=measure)
    assert seen.value == 0.5
    assert seen.by_column is not None
    assert sorted(seen.by_column.tolist()) == [0, 1]


def test_lm_of_the_clusters_of_the_closed_example() -> None:  # 002-closed
    before = table([(1, "a"), (1, "b"), (2, "a"), (3, "c"), (4, "c"), (3, "c")])
    after = table([("low", "ab")] * 3 + [("high", "c")] * 3)
    seen = loss(before, after, hierarchies=TREES)
    assert Fraction(seen.total).limit_denominator(1000) == Fraction(7, 2)  # ANON
    assert Fraction(seen.value).limit_denominator(1000) == Fraction(7, 24)
    assert [round(cost, 9) for cost in seen.by_row[[0, 3]]] == [round(5 / 6, 9), round(1 / 3, 9)]


# --- loops over cells --------------------------------------------------------------


@st.composite
def generalized(draw: st.DrawFn) -> tuple[list[tuple[int, str]], list[tuple[int, int]], list[int]]:
    """Draw rows, the node each cell became, and a label of each row."""
    row = st.tuples(st.sampled_from(NUMBERS.leaves), st.sampled_from(LETTERS.leaves))
    rows = draw(st.lists(row, min_size=1, max_size=7))
    nodes = [
        tuple(
            draw(st.sampled_from((tree.node_of(value), *tree.ancestors(tree.node_of(value)))))
            for tree, value in zip((NUMBERS, LETTERS), row, strict=True)
        )
        for row in rows
    ]
    labels = draw(st.lists(st.integers(0, 2), min_size=len(rows), max_size=len(rows)))
    return rows, nodes, labels  # type: ignore[return-value]  # of values and pairs by construction


def entropy(values: list[object]) -> float:
    shares = [count / len(values) for count in Counter(values).values()]
    return -sum(share * math.log2(share) for share in shares)


def cell(measure: str, tree: dc.Hierarchy, node: int, column: list[object]) -> float:
    under = {tree.leaves[leaf] for leaf in tree.leaves_under(node)}
    inside = [value for value in column if value in under]
    bits = entropy(inside) if inside else 0.0
    return {
        "lm": (len(under) - 1) / (tree.n_leaves - 1),
        "suppression": float(len(under) == tree.n_leaves),
        "plain_entropy": bits,
        "entropy": bits * len(inside) / len(column),
    }[measure]


@examples(60)
@given(generalized())
def test_every_measure_is_that_of_a_loop(
    drawn: tuple[list[tuple[int, str]], list[tuple[int, int]], list[int]],
) -> None:
    rows, nodes, labels = drawn
    trees = (NUMBERS, LETTERS)
    shown = [tuple(str(t.labels[n]) for t, n in zip(trees, pair, strict=True)) for pair in nodes]
    labelled = [(*row, label) for row, label in zip(rows, labels, strict=True)]
    before = table(labelled, ["number", "letter", "label"])
    after = table(shown)
    names = ["number", "letter"]
    for measure in CELL_MEASURES:
        if measure == "tree":  # not for these trees
            continue
        seen = loss(before, after, hierarchies=TREES, measure=measure, columns=names)
        expected = [
            [cell(measure, tree, pair[j], [row[j] for row in rows]) for j, tree in enumerate(trees)]
            for pair in nodes
        ]
        assert seen.cells == pytest.approx(np.array(expected))
        assert seen.by_column == pytest.approx(np.mean(expected, axis=0))
        assert seen.total == pytest.approx(np.sum(expected))
        assert seen.mean == pytest.approx(np.mean(expected))
    n, roots = len(rows), (NUMBERS.root, LETTERS.root)
    sizes = Counter(nodes)
    seen = loss(before, after, hierarchies=TREES, measure="discernibility", columns=names)
    assert seen.by_row.tolist() == [n if pair == roots else sizes[pair] for pair in nodes]
    seen = loss(before, after, hierarchies=TREES, measure="ambiguity", columns=names)
    leaves = [NUMBERS.leaf_counts, LETTERS.leaf_counts]
    assert seen.by_row.tolist() == [leaves[0][a] * leaves[1][b] for a, b in nodes]
    seen = loss(before, after, hierarchies=TREES, measure="classification", label="label")
    members = {pair: [x for p, x in zip(nodes, labels, strict=True) if p == pair] for pair in nodes}
    majority = {
        pair: min((-inside.count(x), x) for x in inside)[1] for pair, inside in members.items()
    }
    assert seen.by_row.tolist() == [
        pair == roots or label != majority[pair] for pair, label in zip(nodes, labels, strict=True)
    ]


@examples(100)
@given(st.lists(st.integers(0, 50), min_size=4, max_size=4))
def test_all_but_the_plain_entropy_are_monotone_from_nothing(counts: list[int]) -> None:
    for measure in CELL_MEASURES:
        costs = node_costs(NUMBERS, counts, measure=measure)
        assert (costs[: NUMBERS.n_leaves] == 0).all()
        assert (costs >= 0).all()
        if measure != "plain_entropy":
            assert is_monotone(NUMBERS, costs)


def test_tree_measure_by_levels_of_balanced_trees_only() -> None:
    assert node_costs(NUMBERS, measure="tree").tolist() == [0, 0, 0, 0, 0.5, 0.5, 1]
    assert node_costs(dc.Hierarchy.flat(["x"]), measure="tree").tolist() == [0]
    before, after = table([(1, "a"), (3, "c")]), table([("low", "a"), ("*", "*")])
    seen = loss(before, after, hierarchies={"number": NUMBERS}, measure="tree")
    assert seen.by_row.tolist() == [0.5, 2]
    with pytest.raises(HierarchyError, match=r"balanced.*'c' is 1 steps below the root"):
        node_costs(LETTERS, measure="tree")


# --- labels ------------------------------------------------------------------------


def test_missing_values_are_themselves_or_suppressed() -> None:
    before = dc.Table.from_frame({"x": ["a", "b", None]})
    hidden = dc.Table.from_frame({"x": [None, "b", None]})
    assert loss(before, hidden).by_row.tolist() == [1, 0, 0]
    assert loss(before, dc.Table.from_frame({"x": ["a", "b", "*"]})).by_row.tolist() == [0, 0, 1]


def test_equal_labels_in_other_branches_are_told_apart() -> None:
    tree = dc.Hierarchy.from_levels(
        [("a", "x", "p", "*"), ("b", "x", "p", "*"), ("c", "q", "x", "*"), ("d", "q", "x", "*"),
         ("e", "e", "x", "*"), ("f", "f", "p", "*")]
    )  # fmt: skip
    before = table([("a",), ("c",)], ["v"])
    seen = loss(before, table([("x",), ("x",)], ["v"]), hierarchies={"v": tree})
    assert seen.by_row.tolist() == [1 / 5, 2 / 5]


def test_a_label_of_two_nodes_on_one_path_is_refused() -> None:
    tree = dc.Hierarchy.from_levels([("a", "a", "*"), ("b", "a", "*"), ("c", "c", "*")])
    with pytest.raises(HierarchyError, match="row 0 of the release: 'a' is the label of 2 nodes"):
        loss(table([("a",)], ["v"]), table([("a",)], ["v"]), hierarchies={"v": tree})


def test_what_is_no_generalization_is_refused() -> None:
    with pytest.raises(DataError, match=r"'number', row 1 of the release: 'low' is not .* of 3"):
        loss(table([(1, "a"), (3, "a")]), table([("low", "a")] * 2), hierarchies=TREES)


# --- the rest ----------------------------------------------------------------------


@pytest.mark.parametrize("measure", MEASURES)
def test_every_measure_shows_itself(measure: CellMeasure | RecordMeasure) -> None:
    before = table([(1, "a", "y"), (3, "c", "n")], ["number", "letter", "label"])
    label = "label" if measure == "classification" else None
    seen = loss(
        before, before, measure=measure, hierarchies={"number": NUMBERS}, label=label,
        columns=["number", "letter"],
    )  # fmt: skip
    assert seen.value == {"ambiguity": 1, "discernibility": 2}.get(measure, 0)
    assert json.loads(json.dumps(seen.to_dict()))["measure"] == measure
    assert seen.preview().title == seen.sentence
    assert len(seen.to_frame()) == (2 if measure in CELL_MEASURES else 0)
    proved = measure not in ("plain_entropy", *get_args(RecordMeasure))
    assert seen.assumption.endswith("all hold.") == proved


def test_lost_rows_count_as_suppressed() -> None:
    before = table([(1, "a"), (3, "c")])
    seen = loss(before, before.take([1]), hierarchies=TREES, rows=[1])
    assert (seen.by_row.tolist(), seen.n_suppressed_records) == ([2, 0], 1)
    assert "1 records are suppressed" in seen.sentence


def test_only_lost_rows_are_suppressed_where_nothing_can_be_hidden() -> None:
    before = table([("a",)] * 3, ["x"])
    seen = loss(before, before.take([0, 1]), measure="discernibility", rows=[0, 1])
    assert seen.by_row.tolist() == [2, 2, 3]


def test_a_group_with_one_value_that_occurs_has_no_entropy() -> None:
    for measure in ("entropy", "plain_entropy"):
        assert node_costs(NUMBERS, [0, 7, 3, 0], measure=measure)[4:6].tolist() == [0, 0]


def test_a_table_without_rows_loses_nothing() -> None:
    empty = table([(1, "a")]).take([])
    for measure in ("lm", "entropy", "ambiguity", "discernibility"):
        assert loss(empty, empty, measure=measure).value == 0


def test_refused_options() -> None:
    people = table([(1, "a")])
    with pytest.raises(ParameterError, match="Did you mean 'entropy'"):
        loss(people, people, measure="entropi")  # type: ignore[arg-type]  # misspelt
    with pytest.raises(ParameterError, match="no measure='ambiguity'"):
        node_costs(NUMBERS, measure="ambiguity")  # type: ignore[arg-type]  # of records
    with pytest.raises(ParameterError, match="Give label"):
        loss(people, people, measure="classification")
    with pytest.raises(ParameterError, match="Give label"):
        loss(people, people, label="letter")
    with pytest.raises(ParameterError, match="no column"):
        loss(people, people, hierarchies={"numbr": NUMBERS})
    with pytest.raises(ParameterError, match="no column to compare"):
        loss(people, people, columns=[])
    with pytest.raises(DataError, match="release has no column 'letter'"):
        loss(people, people.select(["number"]))
    with pytest.raises(ParameterError, match="need counts"):
        node_costs(NUMBERS, measure="entropy")
    for counts in ([1, 2], [1, 2, 3, -4]):
        with pytest.raises(ParameterError, match="for each of the 4 leaves"):
            node_costs(NUMBERS, counts, measure="entropy")


def test_adult_loses_more_the_higher_the_level(public_data: Path) -> None:
    adult, trees = adult_arx(public_data)
    assert len(trees) == 8
    before = dict.fromkeys(CELL_MEASURES, -1.0)
    for level in range(5):
        release = adult
        for name, tree in trees.items():
            at = tree.level_nodes()[:, min(level, tree.depth)][tree.encode(adult.values(name))]
            shown, codes = np.unique(at, return_inverse=True)
            labels = [str(tree.labels[node]) for node in shown]
            release = release.with_column(name, codes[adult.codes(name)], labels)
        for measure in CELL_MEASURES:
            if measure in ("tree", "plain_entropy"):  # unbalanced, not monotone
                continue
            seen = loss(adult, release, hierarchies=trees, measure=measure)
            assert seen.mean >= before[measure]
            assert seen.by_column is not None
            assert seen.by_column.mean() == pytest.approx(seen.mean)
            assert level > 0 or seen.total == 0
            assert level == 0 or measure == "suppression" or seen.mean > 0
            before[measure] = seen.mean
    assert before["lm"] == before["suppression"] == 1
    bits = [entropy(list(adult.codes(name))) for name in adult.quasi]
    assert before["entropy"] == pytest.approx(np.mean(bits))
