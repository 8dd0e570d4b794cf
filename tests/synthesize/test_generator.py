"""Code trees and generation: known answers, laws by enumeration, what must hold."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
import pytest
from scipy.stats import chisquare  # type: ignore[import-untyped]

from discreet.errors import LimitError, ParameterError
from discreet.mine.database import Item
from discreet.synthesize import CodeTree, code_tree, generate, generate_batches
from discreet.synthesize.rows import MOST_CELLS, MOST_ROWS, check_numbers
from tests.oracles import code_tree as oracle

if TYPE_CHECKING:
    from collections.abc import Sequence

DOMAIN = {"x": (0, 1), "y": (0, 1), "z": (0, 1)}
ROWS = [(0, 0, 0)] * 5 + [(1, 1, 1)] * 3 + [(0, 1, 1)] * 2 + [(1, 0, 0)]


def shares(sets: Sequence[frozenset[Item]]) -> list[float]:
    named = [frozenset(Item(name, v) for name, v in zip("xyz", row, strict=True)) for row in ROWS]
    return [sum(itemset <= row for row in named) / len(named) for itemset in sets]


def items(**values: int) -> frozenset[Item]:
    return frozenset(Item(name, value) for name, value in values.items())


SETS = [items(x=0, y=0), items(y=1, z=1), items(x=1, y=1)]


@pytest.mark.parametrize("n_bits", [2, 3])
def test_known_003_generation(n_bits: int) -> None:
    """Perfectly correlated fair bits agree always, not three times in four."""
    names = "xyz"[:n_bits]
    equal = [frozenset(Item(name, bit) for name in names) for bit in (0, 1)]
    tree = code_tree(
        equal, domain=dict.fromkeys(names, (0, 1)), threshold=0.1,
        probability=lambda sets: [0.5 if len({i.value for i in s}) == 1 else 0.0 for s in sets],
    )  # fmt: skip
    drawn = generate(tree, n_rows=5000, seed=3)
    columns = [drawn.codes(name) for name in names]
    assert all((column == columns[0]).all() for column in columns)
    assert 2200 < columns[0].sum() < 2800


def test_rows_follow_the_law() -> None:
    tree = code_tree(SETS, domain=DOMAIN, probability=shares, threshold=0.05)
    expected = oracle.row_law(tree)
    assert sum(expected.values()) == pytest.approx(1)
    drawn = generate(tree, n_rows=100_000, seed=5)
    counts = Counter(zip(*(drawn.codes(name).tolist() for name in DOMAIN), strict=True))
    possible = [row for row, p in expected.items() if p > 0]
    assert set(counts) <= set(possible)
    sizes = np.array([counts[row] for row in possible])
    wanted = np.array([expected[row] for row in possible])
    assert chisquare(sizes, wanted * sizes.sum()).pvalue > 1e-9
    for factor in (0.7, 1.3):  # and the test can tell
        wrong = wanted.copy()
        wrong[0] *= factor
        assert chisquare(sizes, wrong / wrong.sum() * sizes.sum()).pvalue < 1e-9


def test_values_given_are_the_context_of_the_others() -> None:
    tree = code_tree(SETS, domain=DOMAIN, probability=shares, threshold=0.05)
    drawn = generate(tree, n_rows=50_000, given={"y": 1, "x": 0}, seed=2)
    assert drawn.values("x") == (0,)
    assert drawn.values("y") == (1,)
    law = oracle.value_law(tree, (0, 1))
    zeros = int((np.array(drawn.values("z"))[drawn.codes("z")] == 0).sum())
    assert abs(zeros - 50_000 * law.get(0, 0.0)) < 1500


def test_draws_are_unforeseeable_or_repeatable() -> None:
    tree = code_tree(SETS, domain=DOMAIN, probability=shares, threshold=0.05)
    assert generate(tree, n_rows=500, seed=1) == generate(tree, n_rows=500, seed=1, threads=3)
    assert generate(tree, n_rows=500, seed=1) != generate(tree, n_rows=500, seed=2)
    assert generate(tree, n_rows=500) != generate(tree, n_rows=500)


def test_batches_are_the_rows_in_order() -> None:
    tree = code_tree(SETS, domain=DOMAIN, probability=shares, threshold=0.05)
    told: list[float] = []
    parts = generate_batches(tree, n_rows=1000, batch=300, seed=4, progress=told.append)
    frames = [part.to_frame() for part in parts]
    assert [len(frame) for frame in frames] == [512, 488]
    assert told == [0.512, 1]
    assert pl.concat(frames).equals(generate(tree, n_rows=1000, seed=4).to_frame())
    assert not list(generate_batches(tree, n_rows=0))


def test_paths_are_the_likely_unions() -> None:
    parts = [items(x=0, y=0), items(y=0, z=0), items(x=1, z=1), items(x=0, z=1)]
    tree = code_tree(parts, domain=DOMAIN, probability=shares, threshold=0.2)
    unions = set()
    for size in range(1, len(parts) + 1):
        for chosen in combinations(parts, size):
            union = frozenset().union(*chosen)
            one_each = len({item.column for item in union}) == len(union)
            if one_each and shares([union])[0] > 0.2:
                unions.add(union)
    paths = {tree.items(path) for path in tree.probabilities if len(path) > 1}
    assert unions <= paths
    assert all(any(path <= union for union in unions) for path in paths)
    assert sum(len(path) == 1 for path in tree.probabilities) == 6
    assert tree.preview().header == ("values", "probability")
    assert len(tree.to_dict()["nodes"]) == len(tree.probabilities)  # type: ignore[arg-type]


def test_hopeless_estimates_still_give_rows() -> None:
    """Negative estimates are 0, and a column without any weight is drawn uniformly."""
    tree = code_tree([], domain=DOMAIN, probability=lambda sets: [-0.1] * len(sets), threshold=0)
    assert set(tree.probabilities.values()) == {0.0}
    drawn = generate(tree, n_rows=200, seed=0)
    assert {0, 1} == set(drawn.codes("x").tolist())
    assert len(generate(tree, n_rows=0)) == 0


def test_refuses() -> None:
    with pytest.raises(ParameterError, match="threshold=2"):
        code_tree([], domain=DOMAIN, probability=shares, threshold=2)
    with pytest.raises(ParameterError, match="x=7 is not in the domain"):
        code_tree([items(x=7, y=0)], domain=DOMAIN, probability=shares, threshold=0)
    with pytest.raises(LimitError, match="max_nodes"):
        code_tree([], domain=DOMAIN, probability=shares, threshold=0, max_nodes=3)
    tree = code_tree([], domain=DOMAIN, probability=shares, threshold=0)
    with pytest.raises(ParameterError, match="n_rows=-1"):
        generate(tree, n_rows=-1)
    with pytest.raises(ParameterError, match="threads=0"):
        generate(tree, n_rows=1, threads=0)
    with pytest.raises(ParameterError, match="batch=0"):
        generate_batches(tree, n_rows=1, batch=0)
    with pytest.raises(ParameterError, match="no column 'w'"):
        generate(tree, n_rows=1, given={"w": 0})
    with pytest.raises(
        ParameterError, match="column 'z' is not among the first 2 of the tree, x, y"
    ):
        generate(tree, n_rows=1, given={"x": 0, "z": 0})
    with pytest.raises(ParameterError, match="column 'x' has no value 7"):
        generate(tree, n_rows=1, given={"x": 7})
    with pytest.raises(ParameterError, match=r"fit Synthesizer\(label='z'\)"):
        generate(tree, n_rows=1, given={"z": 0})
    with pytest.raises(ParameterError, match=r"given='f' must say of which column"):
        generate(tree, n_rows=1, given="f")  # type: ignore[arg-type]
    orphan = CodeTree(domain={"x": (0,)}, probabilities={((0, 0), (1, 0)): 1.0})
    with pytest.raises(ParameterError, match="add it"):
        generate(orphan, n_rows=1)
    with pytest.raises(ParameterError, match="lacks a value of column 'x'"):
        generate(CodeTree(domain={"x": (0,)}, probabilities={}), n_rows=1)


@pytest.mark.parametrize("wrong", [5.0, "5", True, np.float64(5), None])
def test_numbers_of_rows_are_whole(wrong: Any) -> None:  # noqa: ANN401
    tree = code_tree([], domain=DOMAIN, probability=shares, threshold=0)
    with pytest.raises(ParameterError, match=r"n_rows=.* must be a whole number, at least 0"):
        generate(tree, n_rows=wrong)
    with pytest.raises(ParameterError, match=r"batch=.* must be a whole number, at least 1"):
        generate_batches(tree, n_rows=5, batch=wrong)
    if wrong is not None:
        with pytest.raises(ParameterError, match=r"threads=.* must be a whole number, at least 1"):
            generate(tree, n_rows=5, threads=wrong)
    assert generate(tree, n_rows=np.int64(5)).n_rows == 5  # type: ignore[arg-type]


def test_more_rows_than_memory_holds() -> None:
    check_numbers(MOST_CELLS // 4, n_columns=4)
    with pytest.raises(
        LimitError, match=r"1000000001 with 4 columns.*Ask for fewer; without n_rows"
    ):
        check_numbers(MOST_CELLS // 4 + 1, n_columns=4)
    with pytest.raises(LimitError, match="held in memory"):
        check_numbers(10**18, n_columns=1)
    check_numbers(MOST_ROWS)
    with pytest.raises(LimitError, match="Ask for fewer rows"):
        check_numbers(MOST_ROWS + 1)
    tree = code_tree([], domain=DOMAIN, probability=shares, threshold=0)
    with pytest.raises(LimitError, match="Ask for fewer rows"):
        generate_batches(tree, n_rows=10**18)
    assert len(next(generate_batches(tree, n_rows=MOST_ROWS, batch=256))) == 256


def test_a_union_is_above_the_threshold_or_left_out() -> None:
    for threshold, n_longer in ((0.25, 0), (0.24, 1)):
        tree = code_tree(
            [items(x=0, y=0)], domain=DOMAIN, threshold=threshold,
            probability=lambda sets: [0.25] * len(sets),
        )  # fmt: skip
        assert sum(len(path) > 1 for path in tree.probabilities) == n_longer
