"""l-diversity and t-closeness by two ways that share nothing, and searches against brute force."""

from __future__ import annotations

from fractions import Fraction
from typing import Literal

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linprog  # type: ignore[import-untyped]

import discreet as dc
from discreet.generalize.rules import Options, make_rules
from discreet.release.hierarchies import hierarchies_text, stated_hierarchy
from discreet.verify.certificate import Claims, ReleasedColumn, Step, Value
from discreet.verify.classes import check_diversity
from discreet.verify.closeness import (
    check_closeness,
    equal_distance,
    hierarchical_distance,
    ordered_distance,
)
from discreet.verify.evidence import Evidence, Side, patterns
from discreet.verify.hierarchies import Stated, flat, read_stated
from tests.examples import examples

TREE = dc.Hierarchy.from_mapping(
    {"*": {"ab": ["a", "b"], "more": {"cd": ["c", "d"], "e": []}, "f": []}}, name="ill"
)
LETTERS = st.sampled_from("abcdef")


def stated(tree: dc.Hierarchy = TREE, name: str = "ill") -> Stated:
    text = hierarchies_text({name: stated_hierarchy(name, tree, tree.leaves)})
    return read_stated(text.encode(), version=2)[name]


def evidence(classes: list[int], ills: list[str], parameters: dict[str, Value]) -> Evidence:
    rows = pl.DataFrame({"group": [f"g{i}" for i in classes], "ill": ills})
    claims = Claims(
        version=2,
        publishes="rows",
        model="k-anonymity, l-diversity and t-closeness",
        parameters={"k": 1, **parameters},
        unit="one row",
        neighbours=None,
        covered=("group",),
        assumptions=(),
        not_protected=("Much.",),
        experimental=False,
        experimental_reason=None,
        events=(Step(name="obey_rules", parameters={"sensitive": ("ill",)}, counts={}),),
        data_file="data.parquet",
        files={},
        n_rows=len(ills),
        columns=(
            ReleasedColumn(name="group", role="quasi", type="text"),
            ReleasedColumn(name="ill", role="sensitive", type="text"),
        ),
        discreet_version="0.2.0",
        created="2026-01-01T00:00:00Z",
        algorithm=None,
        checksum_fits=True,
        is_canonical=True,
    )
    return Evidence(claims=claims, rows=rows, hierarchies={"ill": stated()})


def mechanism_says(classes: list[int], ills: list[str], options: Options) -> bool:
    table = dc.Table.from_frame({"ill": ills}, roles={"ill": "sensitive"})
    (rule,) = make_rules(table, k=1, options=options)
    groups = np.unique(classes, return_inverse=True)[1].reshape(-1)
    return bool(rule.holds(groups, int(groups.max()) + 1).all())


ROWS = st.lists(st.tuples(st.integers(0, 2), LETTERS), min_size=1, max_size=14)


@examples(150)
@given(
    ROWS,
    st.sampled_from(["distinct", "entropy", "recursive"]),
    st.integers(1, 4),
    st.sampled_from([Fraction(1, 2), Fraction(1, 10), Fraction(1), Fraction(7, 3)]),
)
def test_diversity_is_what_the_mechanism_calls_so(
    rows: list[tuple[int, str]],
    kind: Literal["distinct", "entropy", "recursive"],
    low: int,
    ratio: Fraction,
) -> None:
    classes, ills = [group for group, _ in rows], [ill for _, ill in rows]
    parameters: dict[str, Value] = {"l": low, "diversity": kind}
    options: Options = {"l": low, "diversity": kind}
    if kind == "recursive":
        parameters["c"], options["c"] = ratio, float(ratio)
    found = check_diversity(evidence(classes, ills, parameters), ("ill",))
    assert found.passed == mechanism_says(classes, ills, options)


@examples(150)
@given(
    ROWS,
    st.sampled_from(["equal", "ordered", "hierarchical"]),
    st.fractions(0, 1, max_denominator=12),
)
def test_closeness_is_what_the_mechanism_calls_so(
    rows: list[tuple[int, str]],
    kind: Literal["equal", "ordered", "hierarchical"],
    near: Fraction,
) -> None:
    classes, ills = [group for group, _ in rows], [ill for _, ill in rows]
    found = check_closeness(evidence(classes, ills, {"t": near, "distance": kind}), ("ill",))
    options: Options = {"t": float(near), "distance": kind, "hierarchies": {"ill": TREE}}
    assert found.passed == mechanism_says(classes, ills, options)


def test_rounding_makes_no_class_diverse() -> None:
    # 0.28 * 25 is more than 7 in binary numbers, and 7 < 7 is false.
    ills = ["a"] * 7 + ["b"] * 7 + ["c"] * 6 + ["d"] * 6 + ["e"] * 6
    parameters: dict[str, Value] = {"l": 2, "diversity": "recursive", "c": Fraction(28, 100)}
    assert not check_diversity(evidence([0] * 32, ills, parameters), ("ill",)).passed
    assert not mechanism_says([0] * 32, ills, {"l": 2, "diversity": "recursive", "c": 0.28})


def moved(costs: np.ndarray, p: list[int], q: list[int]) -> float:
    """Return the least work of turning shares p into q, by linear programming."""
    n = len(p)
    rows = np.zeros((2 * n, n * n))
    for i in range(n):
        rows[i, i * n : (i + 1) * n] = 1
        rows[n + i, i::n] = 1
    shares = [*(np.array(p) / sum(p)), *(np.array(q) / sum(q))]
    return float(linprog(costs.reshape(-1), A_eq=rows, b_eq=shares).fun)


@pytest.mark.parametrize("kind", ["equal", "ordered", "hierarchical"])
@examples(40)
@given(
    p=st.lists(st.integers(0, 5), min_size=6, max_size=6).filter(any),
    q=st.lists(st.integers(0, 5), min_size=6, max_size=6).filter(any),
)
def test_distances_are_earth_movers_distances(kind: str, p: list[int], q: list[int]) -> None:
    letters = list("abcdef")
    tree = stated()
    if kind == "equal":
        measure, costs = equal_distance(letters), 1 - np.eye(6)
    elif kind == "ordered":
        measure = ordered_distance(letters, None)
        costs = np.abs(np.subtract.outer(np.arange(6), np.arange(6))) / 5
    else:
        measure = hierarchical_distance(letters, tree)
        heights = {"ab": 1, "cd": 1, "more": 2, "*": 3}
        paths = {leaf: [str(TREE.labels[n]) for n in TREE.ancestors(TREE.node_of(leaf))]
                 for leaf in letters}  # fmt: skip
        common = [[next(g for g in paths[x] if g in paths[y]) for y in letters] for x in letters]
        costs = np.array(
            [[0 if i == j else heights[common[i][j]] / 3 for j in range(6)] for i in range(6)]
        )
    difference = np.zeros((1, measure.n_columns), np.int64)
    for letter, one, other in zip(letters, p, q, strict=True):
        difference[0, measure.column_of[letter]] = one * sum(q) - other * sum(p)
    found = int(measure.work(difference)[0]) / (measure.unit * sum(p) * sum(q))
    assert found == pytest.approx(moved(costs, p, q), abs=1e-7)


def test_an_order_of_categories_is_stated_and_used() -> None:
    ills = ["low"] * 4 + ["mid"] * 4 + ["high"] * 4
    found = ordered_distance(ills, ("low", "mid", "high"))
    assert found.column_of == {"low": 0, "mid": 1, "high": 2}
    assert ordered_distance(ills, None).column_of == {"high": 0, "low": 1, "mid": 2}


@examples(100)
@given(
    originals=st.lists(st.tuples(LETTERS, st.sampled_from("xyz")), min_size=1, max_size=12),
    released=st.lists(
        st.tuples(
            st.sampled_from(["a", "ab", "c", "cd", "more", "*"]),
            st.sampled_from(["x", "y", "*", None]),
        ),
        min_size=1,
        max_size=8,
    ),
)
def test_rows_under_a_pattern(
    originals: list[tuple[str, str]], released: list[tuple[str, str | None]]
) -> None:
    tree, plain = stated(), flat("xyz")
    sides = []
    for place, each in enumerate((tree, plain)):
        labels = list(dict.fromkeys(row[place] for row in released))
        sides.append(
            Side(
                name=str(place),
                tree=each,
                places=np.array([each.place_of[row[place]] for row in originals]),
                codes=np.array([labels.index(row[place]) for row in released]),
                labels=labels,
            )
        )
    above = {
        leaf: {leaf, *(TREE.labels[n] for n in TREE.ancestors(TREE.node_of(leaf)))}
        for leaf in "abcdef"
    }
    seen = 0
    for pattern in patterns(sides):
        label, letter = released[pattern.row]
        expected = [
            i
            for i, (leaf, other) in enumerate(originals)
            if label in above[leaf] and letter in (other, "*", None)
        ]
        assert sorted(pattern.under.tolist()) == expected
        assert pattern.n_released == released.count((label, letter))
        seen += pattern.n_released
    assert seen == len(released)
