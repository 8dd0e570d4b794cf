"""One public size: the epsilon by enumeration, what is lost, and what is still recovered."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.data.transactions import Transactions
from discreet.errors import ParameterError
from discreet.randomize import (
    CutAndPaste,
    Mixing,
    SizeLaw,
    Truncation,
    Uniform,
    pad,
    padded_epsilon,
    randomize_padded,
    support,
    survival_rate,
)
from discreet.randomize.operators.law import gamma_of_law
from discreet.release.exact import log_above
from tests.examples import examples
from tests.fit import P_LEAST, p_value
from tests.oracles import randomized_sets as oracle
from tests.randomize.test_transition import laws


def padded_law(t: oracle.Items, n_items: int, law: SizeLaw) -> oracle.Law:
    """Every choice of what is left, filled up, then every draw of the operator."""
    m = law.m
    choices = list(combinations(sorted(t), min(m, len(t))))
    out: oracle.Law = {}
    for left in choices:
        full = frozenset(left) | frozenset(range(n_items, n_items + m - len(left)))
        for outcome, weight in oracle.select_a_size(full, n_items + m, law.keep, law.rho).items():
            oracle.add(out, outcome, weight / len(choices))
    return out


@examples(25)
@given(laws(most=2), st.integers(1, 4))
def test_epsilon_between_any_two_transactions(law: SizeLaw, n_items: int) -> None:
    """Of every size: the gamma of one size bounds it, exactly if n >= m."""
    if law.m == 0:
        return
    every = [t for s in range(n_items + 1) for t in oracle.all_of_size(n_items, s)]
    exact = oracle.gamma([padded_law(t, n_items, law) for t in every])
    claimed = gamma_of_law(law, law.m, n_items + law.m)
    if n_items >= law.m:
        assert exact == claimed
    else:
        assert claimed is None or (exact is not None and exact <= claimed)


def test_the_claim_is_that_of_the_larger_set_of_items() -> None:
    operator = CutAndPaste(3, rho="1/4")
    assert padded_epsilon(operator, size=2, n_items=5) == operator.local_epsilon(2, 7)
    law = operator.law(2)
    every = [t for s in range(4) for t in oracle.all_of_size(3, s)]
    exact = oracle.gamma([padded_law(t, 3, law) for t in every])
    assert log_above(exact) == padded_epsilon(operator, size=2, n_items=3)


def baskets() -> Transactions:
    sets = [[0, 1, 2, 3], [0, 1, 2], [0, 4], [3], []] * 400
    return Transactions.from_csr(
        np.concatenate([[0], np.cumsum([len(one) for one in sets])]),
        [item for one in sets for item in one],
        range(5),
    )


def test_padded_transactions_have_one_size() -> None:
    padded = pad(baskets(), size=2, seed=1)
    assert set(padded.transactions.sizes.tolist()) == {2}
    assert padded.transactions.labels == (0, 1, 2, 3, 4, -1, -2)
    assert padded.dummies == 2
    assert padded.transactions[2] == {0, 4}
    assert padded.transactions[3] == {3, -1}
    assert padded.transactions[4] == {-1, -2}
    assert padded.transactions[0] < {0, 1, 2, 3}


def test_what_is_left_is_drawn_uniformly() -> None:
    many = Transactions.from_csr(np.arange(0, 30_001, 3), [0, 1, 2] * 10_000, range(3))
    found = Counter(pad(many, size=2).transactions)
    counts = np.array([found[frozenset(pair)] for pair in combinations(range(3), 2)])
    assert p_value(counts, np.full(3, 1 / 3)) > P_LEAST
    assert p_value(counts, np.array([0.7, 1, 1.3]) / 3) < P_LEAST


def test_losses() -> None:
    lost = pad(baskets(), size=2, seed=1).truncation
    assert lost.transaction_rate == pytest.approx(2 / 5)
    assert lost.item_rate == pytest.approx(3 / 10)
    assert lost.survival(1) == pytest.approx(7 / 10)
    assert lost.survival(2) == pytest.approx(3 / 10)
    assert lost.worst_survival(2) == pytest.approx(1 / 6)
    assert Truncation(size=3, n_of_size={}).survival(2) == 1
    assert lost.to_dict()["size"] == 2
    assert survival_rate(2, size=2, k=2) == 1
    for s, m, k in ((4, 2, 1), (4, 2, 2), (5, 3, 2), (4, 1, 2)):
        chosen = list(combinations(range(s), m))
        share = Fraction(sum(set(range(k)) <= set(one) for one in chosen), len(chosen))
        assert survival_rate(s, size=m, k=k) == share


def test_recovered_supports_are_those_of_what_is_left() -> None:
    """Unbiased for the support times the chance to survive, within 4 errors of 100 runs."""
    operator = CutAndPaste(3, rho="1/5")
    runs = [randomize_padded(operator, baskets(), size=2, seed=seed) for seed in range(100)]
    for itemset, expected in (([0], (1 / 2 + 2 / 3 + 1) / 5), ([0, 1], (1 / 6 + 1 / 3) / 5)):
        found = np.array([support(run, itemset).support for run in runs])
        error = found.std(ddof=1) / 10
        assert abs(found.mean() - expected) < 4 * error
        full = {1: 3 / 5, 2: 2 / 5}[len(itemset)]
        assert abs(found.mean() - full) > 4 * error  # the bias is seen, as reported
    empty = np.array([support(run, [-2]).support for run in runs])
    assert abs(empty.mean() - 1 / 5) < 4 * empty.std(ddof=1) / 10  # a null item counts sizes


def test_padded_reports() -> None:
    sent = randomize_padded(Uniform(0.5), baskets(), size=2, seed=1)
    assert set(sent.sizes.tolist()) == {2}
    assert (sent.dummies, sent.n_items, sent.real_labels) == (2, 7, (0, 1, 2, 3, 4))
    assert sent.experimental
    assert not randomize_padded(Uniform(0.5), baskets(), size=2).experimental
    again = randomize_padded(Uniform(0.5), baskets(), size=2, seed=1)
    assert again.transactions == sent.transactions


def test_null_labels_are_new() -> None:
    text = Transactions.from_iterable([["null 1", "tea"], ["null' 2"]])
    assert pad(text, size=2).transactions.labels[-2:] == ("null'' 1", "null'' 2")
    below = Transactions.from_iterable([[-7, 3]])
    assert pad(below, size=2).transactions.labels[-2:] == (-8, -9)
    nothing = Transactions.from_csr([0, 0], [], [])
    assert pad(nothing, size=1).transactions[0] == {"null 1"}


def test_refusals() -> None:
    with pytest.raises(ParameterError, match="size=0"):
        pad(baskets(), size=0)
    with pytest.raises(ParameterError, match="one place"):
        randomize_padded(Mixing(2, p=0.5), baskets(), size=2)
    with pytest.raises(ParameterError, match="only for sizes"):
        randomize_padded(CutAndPaste({1: 2}, rho=0.5), baskets(), size=2)
    with pytest.raises(ParameterError, match="half the number"):
        randomize_padded(Uniform(0.5), baskets(), size=6)
    with pytest.raises(ParameterError, match="n_items=0"):
        padded_epsilon(Uniform(0.5), size=2, n_items=0)
