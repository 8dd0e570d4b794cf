"""Leaks that both sanitizations leave, on data found by a random search, and who removes them.

The paper's test sees nothing here; all sets of rows with the published supports are enumerated.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pytest

import discreet as dc
from discreet.mine import Itemsets
from discreet.patterns import Sanitized, additive, certified, leaks, suppressive, witness
from tests.oracles import channels as sets
from tests.oracles import leaks as oracle

# rows, least support, items of the only row that is found out, items that it lacks
ADDITIVE = (["abc"] * 3 + ["ab"] * 2 + ["bc"] * 2 + ["a"] * 2 + ["ac"], 4, "ac", "b")
SUPPRESSIVE = (["abc"] + ["ab"] * 3 + ["ac"] * 2 + ["bc"] * 4 + ["b"] * 2 + ["a"], 2, "abc", "")
CASES = [
    pytest.param(additive, *ADDITIVE, id="004-leak-after-additive"),
    pytest.param(
        partial(additive, grouping="first-fit"), *ADDITIVE, id="004-leak-after-additive, merging"
    ),
    pytest.param(suppressive, *SUPPRESSIVE, id="004-leak-after-suppressive"),
]
Sanitize = Callable[..., Sanitized]
K = 2


def letters(rows: list[str]) -> dc.Transactions:
    return dc.Transactions.from_iterable(list(map(set, rows)))


def supports(published: Itemsets) -> dict[frozenset[str], int]:
    return {frozenset(map(str, items)): support for items, support in published}


@pytest.mark.parametrize(("sanitize", "rows", "sigma", "inside", "outside"), CASES)
def test_a_real_row_is_found_out_after_sanitization(
    sanitize: Sanitize, rows: list[str], sigma: int, inside: str, outside: str
) -> None:
    done = sanitize(letters(rows), k=K, min_support=sigma)
    published, n_rows = supports(done.published), done.published.n_rows
    assert done.n_channels > 0
    assert not sets.naive_channels({frozenset(): n_rows, **published}, K)
    possible = oracle.compatible(published, n_rows, "abc")
    assert (inside, outside) in oracle.leaking_conjunctions(possible, "abc", K)
    assert sum(set(inside) <= set(row) <= set("abc") - set(outside) for row in rows) == 1
    for known in (None, sigma):
        told = {
            (leak.inside, leak.outside): (leak.least, leak.most)
            for leak in leaks(done.published, k=K, min_support=known)
        }
        assert told[frozenset(inside), frozenset(outside)] == (1, 1)


@pytest.mark.parametrize(("sanitize", "rows", "sigma", "inside", "outside"), CASES)
@pytest.mark.parametrize("knows_sigma", [False, True])
def test_004_certificate_of_what_leaks(
    sanitize: Sanitize, rows: list[str], sigma: int, inside: str, outside: str, *, knows_sigma: bool
) -> None:
    del inside, outside
    published = sanitize(letters(rows), k=K, min_support=sigma).published
    known = sigma if knows_sigma else None
    possible = oracle.compatible(supports(published), published.n_rows, "abc", known)
    assert not any(((cells == 0) | (cells >= K)).all() for cells in possible)
    assert witness(published, k=K, min_support=known).exists is False


@pytest.mark.parametrize(("rows", "sigma"), [ADDITIVE[:2], SUPPRESSIVE[:2]])
def test_certified_leaves_no_leak(rows: list[str], sigma: int) -> None:
    safe = certified(letters(rows), k=K, min_support=sigma)
    assert len(safe.published) > 0
    assert safe.witness.exists
    for known in (None, sigma):
        possible = oracle.compatible(supports(safe.published), safe.published.n_rows, "abc", known)
        assert len(possible) > 0
        assert oracle.leaking_patterns(possible, K) == []
        assert len(leaks(safe.published, k=K, min_support=known)) == 0
