"""Detection once more, on thousands of random data: too many to run under the sanitizers."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

import discreet as dc
from discreet.patterns import channels
from tests.examples import examples
from tests.oracles import channels as oracle
from tests.strategies import transactions


@examples(2000)
@given(
    rows=transactions(max_items=6, max_transactions=16),
    sigma=st.integers(1, 8),
    k=st.integers(2, 6),
)
def test_every_conjunction_of_few_rows_is_counted(
    rows: list[frozenset[str]], sigma: int, k: int
) -> None:
    supports = oracle.published(rows, sigma)
    of_data = channels(dc.Transactions.from_iterable(rows), k=k, min_support=sigma)
    counted = {
        (inside, outer)
        for outer in supports
        for inside in oracle.subsets(outer)
        if 0 < oracle.cell(rows, inside, outer) < k
    }
    assert set(oracle.naive_channels(supports, k)) == counted
    assert of_data.n_channels == len(counted)
    assert {(c.inside, c.inside | c.outside) for c in of_data} <= counted
