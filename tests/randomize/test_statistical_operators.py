"""Draws of the operators: their law passes, that of a rate x 0.7 or x 1.3 is rejected.

All sets over a few items are told apart, so that this sees more than rates: an operator that
keeps the right number of items, but not independently of which, fails.
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import numpy as np
import pytest

from discreet.data.transactions import Transactions
from discreet.randomize import CutAndPaste, Mixing, Operator, SelectASize, Uniform
from tests.fit import P_LEAST, p_value
from tests.oracles import randomized_sets as oracle

N_ITEMS = 5
N_DRAWS = 30_000
TRANSACTION = frozenset({1, 2, 4})
RHO = Fraction(3, 10)
KEEP = tuple(map(Fraction, ("1/10", "1/5", "3/10", "2/5")))


def drawn(
    operator: Operator, *, n_items: int = N_ITEMS, seed: int | None = None
) -> Counter[oracle.Items]:
    items = sorted(TRANSACTION)
    offsets = np.arange(0, len(items) * N_DRAWS + 1, len(items))
    many = Transactions.from_csr(offsets, items * N_DRAWS, range(n_items))
    return Counter(
        frozenset(map(int, one)) for one in operator.randomize(many, seed=seed).transactions
    )


def fit(found: Counter[oracle.Items], law: oracle.Law) -> float:
    outcomes = sorted(law, key=sorted)
    if set(found) - set(outcomes):
        return 0.0
    counts = np.array([found[outcome] for outcome in outcomes])
    return p_value(counts, np.array([float(law[outcome]) for outcome in outcomes]))


def law_of(kind: str, rate: Fraction) -> oracle.Law:
    if kind == "cut-and-paste":
        return oracle.cut_and_paste(TRANSACTION, N_ITEMS, 2, rate)
    if kind == "select-a-size":
        return oracle.select_a_size(TRANSACTION, N_ITEMS, KEEP, rate)
    return oracle.uniform(TRANSACTION, N_ITEMS + 2, rate)


@pytest.mark.parametrize("seed", [None, 20])
@pytest.mark.parametrize(
    "operator",
    [CutAndPaste(2, rho=RHO), SelectASize({3: KEEP}, rho=RHO), Uniform(RHO)],
    ids=lambda operator: operator.kind,
)
def test_every_set_has_its_chance(operator: Operator, seed: int | None) -> None:
    n_items = N_ITEMS + 2 if operator.kind == "uniform" else N_ITEMS
    found = drawn(operator, n_items=n_items, seed=seed)
    assert fit(found, law_of(operator.kind, RHO)) > P_LEAST
    assert fit(found, law_of(operator.kind, RHO * 7 / 10)) < P_LEAST
    assert fit(found, law_of(operator.kind, RHO * 13 / 10)) < P_LEAST


def test_a_cutoff_or_a_law_of_sizes_that_is_wrong_is_rejected() -> None:
    found = drawn(CutAndPaste(2, rho=RHO))
    for cutoff in (1, 3):
        assert fit(found, oracle.cut_and_paste(TRANSACTION, N_ITEMS, cutoff, RHO)) < P_LEAST
    other = tuple(reversed(KEEP))
    found = drawn(SelectASize({3: KEEP}, rho=RHO))
    assert fit(found, oracle.select_a_size(TRANSACTION, N_ITEMS, other, RHO)) < P_LEAST


def test_mixing_keeps_items_of_the_union_at_their_rate() -> None:
    """Half have item 0, half item 1; the union with one other drawn from all but oneself."""
    half = N_DRAWS // 2
    many = Transactions.from_csr(np.arange(N_DRAWS + 1), [0] * half + [1] * half, [0, 1])
    sent = Mixing(2, p="2/5").randomize(many)
    found = Counter(frozenset(one) for one in sent.transactions[:half])
    p, both = 0.4, half / (N_DRAWS - 1)

    def chances(rate: float) -> list[float]:
        other = both * rate  # item 1 is there if the other transaction has it and it stays
        return [(1 - rate) * (1 - other), rate * (1 - other), (1 - rate) * other, rate * other]

    outcomes = [frozenset[int](), frozenset({0}), frozenset({1}), frozenset({0, 1})]
    counts = np.array([found[outcome] for outcome in outcomes])
    assert p_value(counts, np.array(chances(p))) > P_LEAST
    assert p_value(counts, np.array(chances(p * 0.7))) < P_LEAST
    assert p_value(counts, np.array(chances(p * 1.3))) < P_LEAST


def test_mixing_draws_other_transactions() -> None:
    """Of two transactions each is mixed with the other, never with itself."""
    two = Transactions.from_csr([0, 1, 2], [0, 1], [0, 1])
    sent = [Mixing(2, p="9/10").randomize(two, seed=seed).transactions for seed in range(400)]
    for row, other in ((0, 1), (1, 0)):
        assert sum(other in one[row] for one in sent) > 320  # 360 less 6 sigmas and more


def test_rows_are_randomized_independently() -> None:
    """Neighbours in the data share no draws: what one became says nothing of the next."""
    items = sorted(TRANSACTION)
    many = Transactions.from_csr(np.arange(0, 3 * N_DRAWS + 1, 3), items * N_DRAWS, range(N_ITEMS))
    for operator in (CutAndPaste(2, rho=RHO), Uniform(Fraction(1, 2))):
        padded = Transactions.from_csr(many.offsets, many.items, range(7))
        sent = operator.randomize(padded).transactions
        holds = np.zeros((N_DRAWS, 7), np.bool_)
        holds[np.repeat(np.arange(N_DRAWS), sent.sizes), sent.items] = True
        together = np.corrcoef(holds[:-1].T.astype(float), holds[1:].T.astype(float))[:7, 7:]
        assert np.abs(together).max() < 6.5 / np.sqrt(N_DRAWS)  # 49 correlations
