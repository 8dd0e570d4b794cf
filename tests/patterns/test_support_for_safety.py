from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet as dc
from discreet.errors import ParameterError
from discreet.patterns import channels, support_for_safety
from tests.oracles import channels as oracle
from tests.strategies import transactions


@given(rows=transactions(max_items=5, max_transactions=14), k=st.integers(2, 4))
def test_it_is_the_smallest_safe_support(rows: list[frozenset[str]], k: int) -> None:
    found = support_for_safety(dc.Transactions.from_iterable(rows), k=k)
    if 0 < len(rows) < k:
        assert found.support is None
        return
    safe = [
        sigma
        for sigma in range(k, max(len(rows), k) + 1)
        if not oracle.naive_channels(oracle.published(rows, sigma), k)
    ]
    if len(rows) >= k:
        assert found.support == min(safe)
        assert safe == list(range(min(safe), len(rows) + 1))  # safety is monotone


@given(rows=transactions(max_items=5, max_transactions=14), k=st.integers(2, 4))
def test_the_curve_counts(rows: list[frozenset[str]], k: int) -> None:
    found = support_for_safety(dc.Transactions.from_iterable(rows), k=k, supports=[2, 3, 5])
    assert {2, 3, 5} <= {point.support for point in found.curve}
    for point in found.curve:
        assert point.n_itemsets == len(oracle.published(rows, point.support))
        assert point.n_maximal_channels == len(oracle.maximal_channels(rows, point.support, k))


def test_it_shows_itself() -> None:
    found = support_for_safety(dc.datasets.census(2000), k=10, supports=[400])
    assert found.support is not None
    assert found.sentence.startswith(f"From support {found.support:,}")
    frame = found.to_frame()
    assert frame["support"].to_list() == [point.support for point in found.curve]
    assert frame["support"].is_sorted(descending=True)
    drawn = found.plot().to_dict()
    assert drawn["encoding"]["x"]["field"] == "support"
    assert found.to_dict()["support"] == found.support
    assert len(found.preview().rows) == len(found.curve)


def test_few_rows_are_never_safe() -> None:
    found = support_for_safety(dc.Transactions.from_iterable([{"a"}]), k=3)
    assert (found.support, found.n_itemsets) == (None, None)
    assert found.sentence == "With fewer than 3 rows no support is safe."


def test_options_are_checked() -> None:
    with pytest.raises(ParameterError, match="at least 1"):
        support_for_safety(dc.Transactions.from_iterable([{"a"}]), k=3, supports=[0])


@pytest.mark.parametrize(("name", "k"), [("mushroom", 10), ("retail", 10)])
def test_real_data(public_data: Path, name: str, k: int) -> None:
    (path, *_) = sorted((public_data / "fimi").glob(f"{name}*"))
    data = dc.load(path)
    found = support_for_safety(data, k=k)
    assert found.support is not None
    assert not len(channels(data, k=k, min_support=found.support, count_all=False))
    assert len(channels(data, k=k, min_support=found.support - 1, count_all=False))
