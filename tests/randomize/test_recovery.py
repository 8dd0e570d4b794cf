"""Recovered supports: exactly unbiased by enumeration; known answers carry their id."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import product
from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.data.transactions import Transactions
from discreet.errors import DataError, InfeasibleError, ParameterError
from discreet.randomize import (
    CutAndPaste,
    Estimate,
    Operator,
    Randomized,
    SelectASize,
    Uniform,
    overlaps,
    partial_counts,
    partial_supports,
    recover_partial_supports,
    recover_support,
    support,
    support_covariance,
    support_weights,
)
from tests.examples import examples
from tests.oracles import randomized_sets as oracle

N_ITEMS = 6
OPERATORS: list[tuple[Operator, str]] = [
    (CutAndPaste(3, rho="1/5"), "cut"),
    (SelectASize({1: ["1/4", "3/4"], 2: [0.5, 0, 0.5], 3: [0.1, 0.2, 0.3, 0.4]}, rho=0.3), "any"),
    (Uniform("3/10"), "uniform"),
]  # fmt: skip


def law_of(operator: Operator, transaction: oracle.Items) -> oracle.Law:
    if isinstance(operator, CutAndPaste):
        return oracle.cut_and_paste(transaction, N_ITEMS, 3, Fraction(1, 5))
    if isinstance(operator, SelectASize):
        law = operator.law(len(transaction))
        return oracle.select_a_size(transaction, N_ITEMS, law.keep, law.rho)
    return oracle.uniform(transaction, N_ITEMS, Fraction(3, 10))


def sent_as(operator: Operator, sets: Sequence[oracle.Items], sizes: Sequence[int]) -> Randomized:
    offsets = np.concatenate([[0], np.cumsum([len(one) for one in sets])])
    items = [item for one in sets for item in sorted(one)]
    transactions = Transactions.from_csr(offsets, np.array(items, np.int64), range(N_ITEMS))
    return Randomized(
        transactions=transactions,
        sizes=np.array(sizes, np.int32),
        operator=operator,
        experimental=True,
    )


@pytest.mark.parametrize(("operator", "name"), OPERATORS, ids=[name for _, name in OPERATORS])
@pytest.mark.parametrize("itemset", [{0}, {0, 1}, {0, 1, 2}])
def test_every_transaction_is_worth_what_it_was(
    operator: Operator, name: str, itemset: set[int]
) -> None:
    """The mean of q[k <- l'] is 1 if A was inside and 0 if not, for every transaction."""
    del name
    k = len(itemset)
    for m in (1, 2, 3):
        weights = operator.inverse(m, k, n_items=N_ITEMS)
        for transaction in oracle.all_of_size(N_ITEMS, m):
            law = law_of(operator, transaction)
            for order in range(min(k, m) + 1):
                mean = sum(p * weights[order][len(t & itemset)] for t, p in law.items())
                assert mean == (len(transaction & itemset) == order)


@pytest.mark.parametrize(("operator", "name"), OPERATORS, ids=[name for _, name in OPERATORS])
def test_estimates_and_variances_are_unbiased_by_enumeration(operator: Operator, name: str) -> None:
    """All pairs of outcomes of two transactions of different sizes, weighted by their chances."""
    del name
    originals = [frozenset({0, 1, 4}), frozenset({0, 2})]
    itemsets = [[0], [0, 1], [1, 2]]
    laws = [law_of(operator, one) for one in originals]
    classes = [_by_overlap(law, range(3)) for law in laws]
    mean, second = np.zeros(3), np.zeros((3, 3))
    variances, covariances = np.zeros(3), np.zeros((3, 3))
    partial, spread, partial_second = np.zeros(3), np.zeros((3, 3)), np.zeros((3, 3))
    for (first, p), (other, q) in product(classes[0].items(), classes[1].items()):
        sent = sent_as(operator, [first, other], [3, 2])
        found = [support(sent, itemset) for itemset in itemsets]
        values = np.array([one.support for one in found])
        weight = float(p * q)
        mean += weight * values
        second += weight * np.outer(values, values)
        variances += weight * np.array([one.unbiased_variance for one in found])
        covariances += weight * support_covariance(sent, itemsets)
        parts = partial_supports(sent, [0, 1])
        partial += weight * parts.supports
        partial_second += weight * np.outer(parts.supports, parts.supports)
        spread += weight * parts.covariance
    assert mean == pytest.approx([1, 0.5, 0], abs=1e-12)
    true_covariance = second - np.outer(mean, mean)
    assert variances == pytest.approx(np.diag(true_covariance), abs=1e-10)
    assert covariances == pytest.approx(true_covariance, abs=1e-10)
    assert partial == pytest.approx([0, 0.5, 0.5], abs=1e-12)
    assert spread == pytest.approx(partial_second - np.outer(partial, partial), abs=1e-10)


def _by_overlap(law: oracle.Law, watched: range) -> oracle.Law:
    """Return the law of the part of a set that matters to the itemsets looked at."""
    out: oracle.Law = {}
    for outcome, weight in law.items():
        oracle.add(out, outcome & frozenset(watched), weight)
    return out


def test_known_001_recovery() -> None:
    operator = CutAndPaste(2, rho="1/5")
    found = recover_support({3: [500, 400, 100]}, operator=operator)
    assert found.support == pytest.approx(9 / 32, abs=1e-15)
    assert found.variance == pytest.approx(5121 / 512000, abs=1e-15)
    assert not found.clipped
    parts = recover_partial_supports({3: [500, 400, 100]}, operator=operator)
    assert parts.supports == pytest.approx([17 / 32, 3 / 16, 9 / 32], abs=1e-15)
    assert parts.covariance[2, 2] == pytest.approx(5121 / 512000, abs=1e-15)


def test_known_001_negative_variance() -> None:
    found = recover_support({3: [1000, 0, 0]}, operator=CutAndPaste(2, rho="1/5"))
    assert found.support == pytest.approx(9 / 16)
    assert found.unbiased_variance == pytest.approx(-63 / 256000)
    assert found.clipped
    assert found.variance == found.sigma == 0
    low, high = found.interval(0.95)
    assert high - low > 0.1  # not certain at all
    assert "came out negative" in repr(found)


def test_known_001_mixed_sizes() -> None:
    """Two sizes with estimates 0.1 and 0.05, variances 0.0004 and 0.0009."""
    operator = CutAndPaste({1: 3, 2: 4}, rho={1: 0.2, 2: 0.3})
    groups = {1: [300.0, 100.0], 2: [450.0, 150.0]}
    alone = {m: recover_support({m: row}, operator=operator) for m, row in groups.items()}
    both = recover_support(groups, operator=operator)
    shares = {1: 0.4, 2: 0.6}
    assert both.support == pytest.approx(sum(shares[m] * alone[m].support for m in groups))
    assert both.variance == pytest.approx(sum(shares[m] ** 2 * alone[m].variance for m in groups))
    assert pytest.approx(0.07) == 0.4 * 0.1 + 0.6 * 0.05
    assert pytest.approx(0.000388) == 0.4**2 * 0.0004 + 0.6**2 * 0.0009


def test_smaller_transactions_contribute_nothing() -> None:
    operator = CutAndPaste(2, rho="1/5")
    alone = recover_support({3: [500, 400, 100]}, operator=operator)
    with_small = recover_support({1: [10, 500, 490], 3: [500, 400, 100]}, operator=operator)
    assert with_small.support == pytest.approx(alone.support / 2)
    assert with_small.unbiased_variance == pytest.approx(alone.unbiased_variance / 4)
    assert support_weights(operator, 1, 2).tolist() == [0, 0, 0]


@examples(30)
@given(st.lists(st.integers(0, 50), min_size=3, max_size=3).filter(any))
def test_no_variance_is_above_the_worst(counts: list[int]) -> None:
    """Whatever the partial supports: the true variance is their mean of the spreads."""
    operator = CutAndPaste(2, rho="1/5")
    shares = np.array(counts) / sum(counts)
    spread = operator.transition(3, 2).T @ support_weights(operator, 3, 2) ** 2 - [0, 0, 1]
    found = recover_support({3: counts}, operator=operator)
    assert float(shares @ spread) / sum(counts) <= found.worst_variance * (1 + 1e-12)


def test_interval_covers_at_its_level() -> None:
    found = Estimate(support=0.2, unbiased_variance=0.01, worst_variance=0.04, n_transactions=10)
    low, high = found.interval(0.9)
    assert high - 0.2 == pytest.approx(0.2 - low)
    assert NormalDist(0.2, 0.1).cdf(high) == pytest.approx(0.95)
    assert found.to_dict()["sigma"] == pytest.approx(0.1)
    assert "support" in found._repr_html_()
    for level in (0, 1, -1, math.nan):
        with pytest.raises(ParameterError, match="level"):
            found.interval(level)


def test_partial_counts_are_by_true_size() -> None:
    sent = sent_as(Uniform(0.5), [frozenset(), {0, 1}, {0, 5}, {2}], [1, 2, 2, 3])  # type: ignore[list-item]
    counts = partial_counts(sent, [0, 1])
    assert {m: row.tolist() for m, row in counts.items()} == {
        1: [1, 0, 0],
        2: [0, 1, 1],
        3: [1, 0, 0],
    }
    assert overlaps(sent.transactions, [5, 2]).tolist() == [0, 0, 1, 1]


def test_refusals() -> None:
    operator = CutAndPaste(2, rho="1/5")
    with pytest.raises(DataError, match="no randomized"):
        recover_support({3: [0, 0]}, operator=operator)
    with pytest.raises(DataError, match="k \\+ 1 counts"):
        recover_support({3: [1, 2], 4: [1, 2, 3]}, operator=operator)
    with pytest.raises(DataError, match="k \\+ 1 counts"):
        recover_support({}, operator=operator)
    with pytest.raises(DataError, match="at least 0"):
        recover_support({3: [-1, 2]}, operator=operator)
    with pytest.raises(ParameterError, match="counts_by_size=-3 must be at least 0"):
        recover_support({-3: [1, 2]}, operator=operator)
    with pytest.raises(InfeasibleError, match="3 items cannot be recovered"):
        recover_support({4: [1, 2, 3, 4]}, operator=operator)
    sent = sent_as(operator, [frozenset({1})], [1])
    with pytest.raises(DataError, match="no item 9"):
        support(sent, [9])
    with pytest.raises(ParameterError, match="each once"):
        support(sent, [1, 1])
    with pytest.raises(ParameterError, match="at least one item"):
        support(sent, [])
    with pytest.raises(ParameterError, match="list of items"):
        support(sent, "tea")
    with pytest.raises(ParameterError, match="at least one itemset"):
        support_covariance(sent, [])
