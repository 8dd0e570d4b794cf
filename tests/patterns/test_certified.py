"""Witnesses and certified collections, against all compatible databases."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet as dc
from discreet.errors import InfeasibleError, ParameterError
from discreet.mine import Itemsets
from discreet.patterns.certified import How, certified
from discreet.patterns.leaks import leaks
from discreet.patterns.witness import witness
from tests.examples import examples
from tests.oracles import channels as sets
from tests.oracles import leaks as oracle

ROWS = st.lists(st.frozensets(st.sampled_from("abc"), max_size=3), min_size=4, max_size=9)
RUNNING = ["abcde"] * 6 + ["abde", "ae", "cde", "cde", "cde", "ab"]


def letters(rows: list[str]) -> dc.Transactions:
    return dc.Transactions.from_iterable(list(map(set, rows)))


@pytest.mark.parametrize("sigma", [None, 8])
def test_004_certificate_of_the_running_example(sigma: int | None) -> None:
    published = dc.mine.frequent(letters([*RUNNING, *"aaaeee", *["de"] * 3]), min_support=8)
    proof = witness(published, k=3, min_support=sigma)
    assert proof.exists
    assert proof.rows is not None
    assert min(proof.rows.supports) >= 3
    assert proof.rows.n_rows == published.n_rows == 21
    again = dc.mine.frequent(
        dc.Transactions.from_iterable(
            [set(map(str, row)) for row, count in proof.rows for _ in range(count)]
        ),
        min_support=8,
    )
    assert dict(again) == dict(published)


def test_004_certificate_of_example17() -> None:
    supports = {"a": 14, "b": 14, "c": 13, "ab": 9, "ac": 8, "bc": 5}
    published = Itemsets.from_mapping({frozenset(i): s for i, s in supports.items()}, n_rows=22)
    assert witness(published, k=3).exists is False


@examples(300)
@given(rows=ROWS, k=st.integers(2, 3), sigma=st.integers(2, 4), knows=st.booleans())
def test_a_witness_is_found_exactly_if_there_is_one(
    rows: list[frozenset[str]], k: int, sigma: int, *, knows: bool
) -> None:
    supports = sets.published(rows, sigma)
    known = sigma if knows else None
    items = "".join(sorted(frozenset().union(*supports)))
    possible = oracle.compatible(supports, len(rows), items, known)
    expected = any(((cells == 0) | (cells >= k)).all() for cells in possible)
    data = dc.Transactions.from_iterable(rows)
    published = dc.mine.frequent(data, min_support=sigma)
    proof = witness(published, k=k, min_support=known)
    assert proof.exists is expected
    if expected:
        assert oracle.leaking_patterns(possible, k) == []
    # With fewer cells to try nothing false is said.
    some = witness(published, k=k, min_support=known, data=data, max_items=0)
    assert some.exists in ({True, None} if expected else {None, False})


@examples(300)
@given(
    rows=ROWS,
    k=st.integers(2, 3),
    sigma=st.integers(2, 4),
    how=st.sampled_from([None, *get_args(How)]),
)
def test_nothing_leaks_after_certified(
    rows: list[frozenset[str]], k: int, sigma: int, how: How | None
) -> None:
    try:
        safe = certified(dc.Transactions.from_iterable(rows), k=k, min_support=sigma, how=how)
    except InfeasibleError:
        assert how in {"drop", "trim", "split"}
        return
    published = safe.published
    assert safe.witness.rows is not None
    assert min(safe.witness.rows.supports) >= k
    if published.n_rows <= 12:
        supports = {frozenset(map(str, items)): support for items, support in published}
        items = "".join(sorted(frozenset().union(*supports)))
        possible = oracle.compatible(supports, published.n_rows, items, max(sigma, k))
        assert len(possible)
        assert oracle.leaking_patterns(possible, k) == []


@examples(50)
@given(
    rows=st.lists(st.tuples(*map(st.sampled_from, ["ab", "abc", "ab"])), min_size=6, max_size=25),
    k=st.integers(2, 4),
)
def test_tables_keep_one_value_in_each_column(rows: list[tuple[str, ...]], k: int) -> None:
    table = dc.Table.from_frame({f"c{i}": [row[i] for row in rows] for i in range(3)})
    safe = certified(table, k=k, min_support=k, columns=["c0", "c1"])
    assert safe.how in {"drop", "fill", "merge"}
    assert safe.witness.rows is not None
    for items, count in safe.witness.rows:
        assert count >= k
        assert len({item.column for item in items}) == len(items)  # type: ignore[attr-defined]
    assert len(leaks(safe.published, k=k, min_support=k)) == 0


def test_what_cannot_be_kept_is_named() -> None:
    safe = certified(
        letters([*["ab"] * 5, *["ac"] * 5, "bd", "bd", "bd", "cd"]), k=5, min_support=4
    )
    assert safe.sanitized.min_support == 5
    forced = certified(letters(["abc", "abd", "acd", "bcd", "abe"]), k=3, min_support=3, how="trim")
    assert "could not be kept" in forced.sentence
    assert "raise min_support" in forced.sentence
    assert {trial.how for trial in safe.trials} == set(get_args(How))
    many = certified(
        letters(["".join(two) for two in combinations("abcdef", 2)]), k=5, min_support=5
    )
    assert "fill" not in {trial.how for trial in many.trials}
    assert forced.to_dict()["how"] == "trim"


def test_data_that_are_safe_are_not_changed() -> None:
    safe = certified(letters(["ab"] * 5 + ["b"] * 5), k=5, min_support=5)
    assert safe.sentence.endswith("no support was changed.")
    assert safe.distortion.n_changed == 0


def test_too_few_rows_and_wrong_ways() -> None:
    with pytest.raises(InfeasibleError, match="fewer than k=5"):
        certified(letters(["a", "b"]), k=5, min_support=5)
    with pytest.raises(InfeasibleError, match="No rows are left"):
        certified(letters(["ab", "ab", "a", "a", "b"]), k=3, min_support=1, how="drop")
    with pytest.raises(ParameterError, match="Did you mean 'drop'"):
        certified(letters(["a"]), k=2, min_support=1, how="dorp")  # type: ignore[arg-type]  # wrong
    with pytest.raises(ParameterError, match="rows of a table stay whole"):
        certified(dc.datasets.census(50), k=2, min_support=5, how="trim")


def test_too_many_cells_are_said_to_be_open() -> None:
    data = dc.datasets.baskets(500)
    proof = witness(dc.mine.frequent(data, min_support=5), k=3, data=data)
    assert proof.exists is None
    assert proof.sentence.startswith("Not decided")
    assert proof.preview().rows == []


def test_mushroom(public_data: Path) -> None:
    data = dc.load(public_data / "fimi" / "mushroom.dat")
    safe = certified(data, k=10, min_support=4875)
    assert (safe.how, safe.distortion.n_added, safe.distortion.n_lost, safe.n_new) == (
        "fill", 2, 0, 0,
    )  # fmt: skip
    assert len(leaks(safe.published, k=10, min_support=4875, deep=False)) == 0


def test_a_witness_is_told_in_words() -> None:
    data = dc.Transactions.from_iterable([{"a", "b"}] * 8 + [{"a"}] * 4 + [set()] * 3)
    proof = witness(dc.mine.frequent(data, min_support=5), k=3, min_support=5)
    assert proof.exists
    assert repr(proof).startswith("Witness(Nothing leaks about fewer than 3 rows")
    assert proof.preview().rows[0] == ("8", "a, b")
    assert ("3", "none of them") in proof.preview().rows
    for exists, words in ((None, "Not decided"), (False, "There is no proof")):
        other = replace(proof, exists=exists, rows=None)
        assert other.sentence.startswith(words)
        assert other.preview().rows == []
