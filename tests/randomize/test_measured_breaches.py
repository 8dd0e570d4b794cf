"""Breaches counted: against plain counting on small data, and on real data near their level."""

from __future__ import annotations

import importlib
import os
from fractions import Fraction
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.data.files.fimi import read_transactions
from discreet.data.transactions import Transactions
from discreet.errors import DataError
from discreet.randomize import (
    CutAndPaste,
    max_supports,
    measured_breaches,
    randomize_padded,
    tune,
)
from tests.examples import examples

DATA = Path(os.environ.get("DISCREET_DATA", "data"))


def small(sets: list[set[int]]) -> Transactions:
    return Transactions.from_csr(
        np.concatenate([[0], np.cumsum([len(one) for one in sets])]),
        [item for one in sets for item in sorted(one)],
        range(5),
    )


def test_where_there_are_too_many_itemsets_a_bound_stands(monkeypatch: pytest.MonkeyPatch) -> None:
    """Six pairs once each: with room for four itemsets, pairs are not found."""
    original = small([set(pair) for pair in combinations(range(4), 2)])
    exact = max_supports(original)[2]
    assert [one.share for one in exact] == [Fraction(1, 2), Fraction(1, 6)]
    module = importlib.import_module("discreet.randomize.measured_breaches")
    monkeypatch.setattr(module, "MOST_ITEMSETS", 4)
    bounded = max_supports(original)[2]
    assert bounded[0] == exact[0]
    assert bounded[1].itemset is None
    assert bounded[1].share == Fraction(2, 6)  # no pair was found at 3


SETS = st.lists(st.sets(st.integers(0, 4), max_size=4), min_size=1, max_size=12)


@examples(40)
@given(SETS)
def test_largest_supports_by_counting(sets: list[set[int]]) -> None:
    found = max_supports(small(sets))
    sizes = {len(one) for one in sets} - {0}
    assert set(found) == sizes
    for m in sizes:
        group = [one for one in sets if len(one) == m]
        for k in range(1, m + 1):
            most = max(sum(set(c) <= one for one in group) for c in combinations(range(5), k))
            share, itemset = found[m][k - 1].share, found[m][k - 1].itemset
            assert share == pytest.approx(most / len(group))
            assert itemset is not None
            assert len(itemset) == k
            assert sum(itemset <= one for one in group) == most


@examples(40)
@given(SETS, st.integers(0, 1000))
def test_breaches_by_counting(sets: list[set[int]], seed: int) -> None:
    original = small(sets)
    sent = CutAndPaste(3, rho="1/2").randomize(original, seed=seed)
    least = 0.2
    found = {
        (one.size, one.k): one
        for one in measured_breaches(original, sent, min_frequency=least).breaches
    }
    reports = list(sent.transactions)
    for m in range(1, 5):
        for k in range(1, m + 1):
            frequent = [
                frozenset(c)
                for c in combinations(range(5), k)
                if sum(set(c) <= one for one in sets) >= least * len(sets)
            ]
            if not frequent:
                continue  # the commonest of the size stands in
            levels = []
            for itemset in frequent:
                holding = [
                    one
                    for one, report in zip(sets, reports, strict=True)
                    if len(one) == m and itemset <= report
                ]
                if holding:
                    levels.append(
                        max(sum(a in one for one in holding) for a in itemset) / len(holding)
                    )
            if levels:
                assert found[m, k].worst == pytest.approx(max(levels))
                assert found[m, k].average == pytest.approx(sum(levels) / len(levels))
                assert found[m, k].n_itemsets == len(levels)
            else:
                assert (m, k) not in found


def test_table_of_the_worst() -> None:
    original = small([{0, 1}, {0, 1}, {0, 2}, {3}, {0}] * 200)
    sent = CutAndPaste(3, rho="1/4").randomize(original, seed=2)
    found = measured_breaches(original, sent, min_frequency=0.1)
    worst = found.worst()
    assert set(worst) == {1, 2}
    for m, one in worst.items():
        assert one.worst == max(x.worst for x in found.breaches if x.size == m)
        assert found.worst_average()[m].average <= one.worst
    assert found.to_frame().columns == ["size", "k", "n_itemsets", "average", "worst", "n_reports"]
    assert len(found.preview().rows) == 2
    assert found.epsilons == {m: sent.operator.local_epsilon(m, 5) for m in (1, 2)}
    assert "epsilon" in found.preview().header
    assert len(found.to_dict()["breaches"]) == len(found.breaches)  # type: ignore[arg-type]


def test_originals_must_belong_to_the_reports() -> None:
    original = small([{0, 1}, {2}])
    sent = CutAndPaste(3, rho="1/4").randomize(original, seed=2)
    with pytest.raises(DataError, match="not those"):
        measured_breaches(small([{2}, {0, 1}]), sent)
    with pytest.raises(DataError, match="not those"):
        measured_breaches(original, randomize_padded(sent.operator, original, size=3))
    assert (
        measured_breaches(
            small([set()]), CutAndPaste(2, rho=0.5).randomize(small([set()]))
        ).breaches
        == ()
    )


@pytest.mark.skipif(not DATA.joinpath("fimi").exists(), reason="the FIMI files are not here")
def test_tuned_breaches_on_real_data_stay_near_their_level() -> None:
    """BMS-WebView-1, sizes 1 to 3: below the level of 40 %, apart from fluctuations."""
    clicks = read_transactions(DATA / "fimi" / "BMS-WebView-1.dat")
    clicks = clicks.take((clicks.sizes > 0) & (clicks.sizes <= 3))
    largest = {m: [one.share for one in row] for m, row in max_supports(clicks).items()}
    sizes, counts = np.unique(clicks.sizes, return_counts=True)
    tuned = tune(
        dict(zip(sizes.tolist(), counts.tolist(), strict=True)),
        s_max=largest,
        breach="2/5",
        cutoffs=[5],
        repair=True,
    )
    sent = tuned.operator.randomize(clicks, seed=7)
    found = measured_breaches(clicks, sent, min_frequency=0.002)
    for one in found.breaches:
        fluctuation = 4 * np.sqrt(0.4 * 0.6 / one.n_reports)
        assert one.worst < 0.4 + fluctuation
        assert one.average < 0.4 + fluctuation / np.sqrt(one.n_itemsets)
    # Without randomization to speak of, the same itemsets give their items away.
    bare = CutAndPaste(5, rho="1/1000").randomize(clicks, seed=7)
    assert min(one.worst for one in measured_breaches(clicks, bare).worst().values()) > 0.8
