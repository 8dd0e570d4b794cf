"""Mining randomized transactions: against a scan for each candidate, and against the truth."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet as dc
from discreet.data.transactions import Transactions
from discreet.errors import DataError, InfeasibleError, LimitError, ParameterError
from discreet.randomize import CutAndPaste, Mixing, Randomized, SelectASize, Uniform
from discreet.randomize.mining import CandidateLimit, Levels, mine_randomized
from tests.examples import examples
from tests.oracles.mine_randomized import mine_randomized as oracle

OPERATORS = [
    CutAndPaste(cutoff=3, rho="1/5"),
    CutAndPaste(cutoff=2, rho={m: f"{m + 1}/20" for m in range(6)}),
    SelectASize(
        {m: [f"1/{m + 1}"] * (m + 1) for m in range(6)}, rho=dict.fromkeys(range(6), "1/10")
    ),
]


def small_sets(data: st.DataObject) -> Transactions:
    n = data.draw(st.integers(1, 40))
    draws = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    lists = [draws.choice(5, draws.integers(0, 6), replace=False).tolist() for _ in range(n)]
    offsets = np.concatenate([[0], np.cumsum([len(one) for one in lists], dtype=int)])
    items = [item for one in lists for item in one]
    return Transactions.from_csr(offsets, np.array(items, int), list("abcde"))


@examples(40)
@given(data=st.data())
def test_the_same_itemsets_and_estimates_as_with_a_scan_for_each_candidate(
    data: st.DataObject,
) -> None:
    operator = data.draw(st.sampled_from(OPERATORS))
    sent = operator.randomize(small_sets(data), seed=data.draw(st.integers(0, 9)))
    share = data.draw(st.sampled_from([0.0512345, 0.2012345, 0.4012345]))
    limit: CandidateLimit = data.draw(st.sampled_from(["sigma", "two sigmas", "none"]))
    sigmas = {"sigma": 1.0, "two sigmas": 2.0, "none": 0.0}[limit]
    max_size = data.draw(st.integers(1, 5))
    found = mine_randomized(sent, min_frequency=share, max_size=max_size, limit=limit, threads=2)
    expected = oracle(sent, share, max_size, sigmas)
    assert {one.items for one in found} == set(expected)
    for one in found:
        estimate = expected[one.items]
        assert one.support == pytest.approx(estimate.support, abs=1e-9)
        assert one.sigma == pytest.approx(estimate.sigma, abs=1e-6)
        is_clear = estimate.support >= 4 * estimate.sigma > 0
        assert one.is_discoverable == is_clear or abs(estimate.support - 4 * estimate.sigma) < 1e-6


def baskets(n: int, seed: int = 3) -> Transactions:
    """Return transactions of 3 items out of 30 of which {0, 1, 2} is in a tenth."""
    draws = np.random.default_rng(seed)
    rows = np.sort(np.argsort(draws.random((n, 30)), axis=1)[:, :3], axis=1)
    rows[: n // 10] = (0, 1, 2)
    return Transactions.from_csr(np.arange(n + 1) * 3, rows.ravel(), range(30))


def test_what_is_frequent_is_found_and_what_is_clear_is_true() -> None:
    sets = baskets(60_000)
    true = {
        one.items: one.support / len(sets)
        for one in dc.mine.frequent(sets, min_support=1, max_size=3)
    }
    found = mine_randomized(CutAndPaste(3, rho="1/10").randomize(sets, seed=1), min_frequency=0.05)
    assert found.stopped is None
    certain = {items for items, share in true.items() if share > 0.08}
    assert certain <= {one.items for one in found}
    for one in found:
        assert abs(one.support - true.get(one.items, 0)) < 6 * one.sigma
    assert frozenset({0, 1, 2}) in {one.items for one in found if one.is_discoverable}


def test_itemsets_that_cannot_be_recovered_end_the_search() -> None:
    sent = CutAndPaste(cutoff=1, rho="1/10").randomize(baskets(3000), seed=1)
    found = mine_randomized(sent, min_frequency=0.01)
    assert set(found.sizes.tolist()) == {1}
    assert "Supports of 2 items cannot be recovered" in str(found.stopped)
    assert mine_randomized(sent, min_frequency=0.01, max_size=1).stopped is None
    singular = SelectASize({3: ["1/2", 0, "1/2", 0]}, rho={3: "1/3"}).randomize(baskets(10), seed=1)
    with pytest.raises(InfeasibleError, match="1 items"):
        mine_randomized(singular, min_frequency=0.1)


def test_uniform_randomization_is_mined_and_mixing_refused() -> None:
    sets = baskets(20_000)
    found = mine_randomized(Uniform("1/2").randomize(sets, seed=1), min_frequency=0.07, max_size=3)
    assert frozenset({0, 1, 2}) in {one.items for one in found}
    with pytest.raises(InfeasibleError, match="Mixing"):
        mine_randomized(Mixing(2, p="1/2").randomize(sets[:50], seed=1), min_frequency=0.1)


def test_null_items_are_not_mined() -> None:
    sets = Transactions.from_csr([0, 2, 4], [0, 2, 1, 2], ["a", "b", "null"])
    sent = CutAndPaste(3, rho="1/10").randomize(sets, seed=1)
    padded = Randomized(
        transactions=sent.transactions, sizes=sent.sizes, operator=sent.operator,
        experimental=True, dummies=1,
    )  # fmt: skip
    found = mine_randomized(padded, min_frequency=1e-9, limit="two sigmas")
    assert found.labels == ("a", "b")
    assert all("null" not in one.items for one in found)


def test_neither_threads_nor_the_size_of_pieces_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    sent = CutAndPaste(3, rho="1/10").randomize(baskets(5000), seed=1)
    whole = mine_randomized(sent, min_frequency=0.02, threads=1)
    monkeypatch.setattr("discreet.randomize.mining.STEP", 7)
    monkeypatch.setattr("discreet.randomize.mining.JOINS", 11)
    monkeypatch.setattr("discreet.randomize.files.COUNT_STEP", 999)
    assert mine_randomized(sent, min_frequency=0.02, threads=3).to_dict() == whole.to_dict()


def test_a_level_knows_its_candidates() -> None:
    levels = Levels(5)
    levels.add(np.array([[0], [1], [2], [4]], np.int32))
    levels.add(np.array([[0, 1], [0, 2], [0, 4], [1, 2], [2, 4]], np.int32))
    ((itemsets, subsets),) = levels.candidates()
    assert itemsets.tolist() == [[0, 1, 2], [0, 2, 4]]
    assert subsets.tolist() == [[3, 1, 0], [4, 2, 1]]
    levels.add(itemsets)
    assert list(levels.candidates()) == []


def test_limits_and_errors() -> None:
    sent = CutAndPaste(3, rho="1/10").randomize(baskets(2000), seed=1)
    with pytest.raises(LimitError, match=r"2 items\..*raise max_itemsets"):
        mine_randomized(sent, min_frequency=0.001, max_itemsets=100)
    with pytest.raises(LimitError, match="raise max_memory"):
        mine_randomized(sent, min_frequency=0.001, max_memory=1000)
    for wrong in (0, -1, 1.5, float("nan")):
        with pytest.raises(ParameterError, match="min_frequency"):
            mine_randomized(sent, min_frequency=wrong)
    with pytest.raises(ParameterError, match="max_size"):
        mine_randomized(sent, min_frequency=0.1, max_size=0)
    with pytest.raises(ParameterError, match="Did you mean 'sigma'"):
        mine_randomized(sent, min_frequency=0.1, limit="sigmo")  # type: ignore[arg-type]
    nothing = CutAndPaste(3, rho="1/10").randomize(baskets(10)[:0], seed=1)
    with pytest.raises(DataError, match="no randomized transactions"):
        mine_randomized(nothing, min_frequency=0.1)
    no_items = CutAndPaste(3, rho="1/10").randomize(Transactions.from_csr([0, 0], [], []))
    assert len(mine_randomized(no_items, min_frequency=0.1)) == 0


def test_progress_rises() -> None:
    sent = CutAndPaste(3, rho="1/10").randomize(baskets(2000), seed=1)
    told: list[float] = []
    mine_randomized(sent, min_frequency=0.01, progress=told.append)
    assert told == sorted(told)
    assert all(0 <= fraction <= 1 for fraction in told)


def test_the_result_shows_itself() -> None:
    sent = CutAndPaste(3, rho="1/10").randomize(baskets(20_000), seed=1)
    found = mine_randomized(sent, min_frequency=0.09, max_size=2)
    frame = found.to_frame()
    assert frame.columns == ["items", "support", "sigma", "is_discoverable"]
    assert frame["items"].to_list() == [sorted(one.items) for one in found]
    assert isinstance(found.to_frame("pandas"), __import__("pandas").DataFrame)
    assert f"Discovered: {len(found)} itemsets" in repr(found)
    assert len(found.preview().rows) == min(10, len(found))
    assert found.to_dict()["n_transactions"] == 20_000
    assert found[-1] == list(found)[-1]
    assert isinstance(frame, pl.DataFrame)


DATA = Path(os.environ.get("DISCREET_DATA", ""), "fimi/BMS-WebView-1.dat")


@pytest.mark.skipif(not DATA.is_file(), reason="DISCREET_DATA has no BMS-WebView-1")
def test_sums_of_real_estimates_are_exact() -> None:
    sets = dc.read_transactions(DATA)
    sets = sets.take(sets.sizes <= 10)
    sent = CutAndPaste(cutoff=7, rho="1/50").randomize(sets, seed=1)
    found = mine_randomized(sent, min_frequency=0.005, max_size=2)
    true = {
        one.items: one.support / len(sets)
        for one in dc.mine.frequent(sets, min_support=1, max_size=2)
    }
    errors = np.array([(one.support - true.get(one.items, 0)) / one.sigma for one in found])
    assert len(errors) > 50
    assert abs(errors).max() < 6
    # Those reported are lifted by the choice, but no estimate is off by more than that.
    frequent = {items for items, share in true.items() if share >= 0.012 and len(items) == 1}
    assert frequent <= {one.items for one in found}
