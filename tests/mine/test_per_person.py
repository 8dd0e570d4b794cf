"""One set of items for each person, and supports that then count people."""

from __future__ import annotations

from collections import Counter
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import discreet as dc
from discreet.errors import DataError, ParameterError
from discreet.mine import OnePerPerson, frequent, one_per_person

BASKETS = st.lists(
    st.tuples(st.integers(0, 5), st.frozensets(st.sampled_from("abcd"))), min_size=1, max_size=20
)


def transactions(rows: list[tuple[int, frozenset[str]]]) -> dc.Transactions:
    frame = pl.DataFrame(
        {"who": [who for who, _ in rows], "basket": [sorted(basket) for _, basket in rows]},
        schema={"who": pl.Int64, "basket": pl.List(pl.String)},
    )
    return dc.Transactions.from_frame(frame, items="basket", person="who")


def sets_of(done: OnePerPerson) -> list[frozenset[str]]:
    assert isinstance(done.data, dc.Transactions)
    return [frozenset(map(str, basket)) for basket in done.data]


def cells_of(done: OnePerPerson, column: str) -> list[str]:
    assert isinstance(done.data, dc.Table)
    cells: list[str] = done.data.to_frame()[column].to_list()
    return cells


@settings(max_examples=60, deadline=None)
@given(BASKETS)
def test_supports_of_united_transactions_count_people(
    rows: list[tuple[int, frozenset[str]]],
) -> None:
    owned: dict[int, set[str]] = {}
    for who, basket in rows:
        owned.setdefault(who, set()).update(basket)
    done = one_per_person(transactions(rows), per_person="unite")
    assert Counter(sets_of(done)) == Counter(map(frozenset, owned.values()))
    assert (done.data.people, done.data.one_row_per_person) == (None, True)
    for items, support in frequent(done.data, min_support=1):
        assert support == sum(items <= held for held in owned.values())


@settings(max_examples=60, deadline=None)
@given(BASKETS, st.integers(0, 5))
def test_one_of_each_is_one_of_theirs(rows: list[tuple[int, frozenset[str]]], seed: int) -> None:
    data = transactions(rows)
    done = one_per_person(data, per_person="one", seed=seed)
    assert data.people is not None
    assert done.is_seeded
    who = list(dict.fromkeys(data.people.codes.tolist()))
    assert len(done.data) == len(who)
    owners: dict[frozenset[str], set[int]] = {}
    for who_code, basket in zip(data.people.codes.tolist(), data, strict=True):
        owners.setdefault(frozenset(map(str, basket)), set()).add(who_code)
    for chosen, n in Counter(sets_of(done)).items():
        assert n <= len(owners[chosen])


def test_every_row_of_a_person_is_chosen_as_often() -> None:
    table = dc.Table.from_frame({"who": [1, 1, 1, 2], "ward": ["a", "b", "c", "a"]}, person="who")
    found = Counter(
        row
        for seed in range(600)
        for row in cells_of(one_per_person(table, per_person="one", seed=seed), "ward")
    )
    assert found["a"] + found["b"] + found["c"] == 1200
    assert all(140 < n < 260 for n in (found["a"] - 600, found["b"], found["c"]))


def test_secure_noise_chooses_without_a_seed() -> None:
    table = dc.Table.from_frame({"who": [1] * 40, "n": [f"{n}" for n in range(40)]}, person="who")
    found = {cells_of(one_per_person(table, per_person="one"), "n")[0] for _ in range(30)}
    assert len(found) > 5


VISITS = dc.Table.from_frame({"who": [1, 1, 2], "ward": ["a", "b", "a"]}, person="who")
SINGLE = dc.Table.from_frame({"who": [1, 2], "ward": ["a", "b"]}, person="who")
BOUGHT = transactions([(1, frozenset("a")), (1, frozenset("b"))])


@pytest.mark.parametrize(
    ("data", "given", "words"),
    [
        (VISITS, {}, '"one" chooses one of each'),
        (BOUGHT, {}, '"unite" makes one of them'),
        (VISITS, {"per_person": "unite"}, "cannot be united"),
        (VISITS, {"per_person": "some"}, "per_person"),
        (dc.Table.from_frame({"ward": ["a"]}), {"per_person": "one"}, "nothing says whose"),
        (dc.Table.from_frame({"ward": ["a"]}), {"seed": 1}, "nothing says whose"),
        (BOUGHT, {"per_person": "unite", "seed": 1}, "nothing is chosen"),
        (BOUGHT, {"person": "who"}, "no columns"),
        (BOUGHT, {"one_row_per_person": True}, "seen from it"),
    ],
)
def test_refused(data: object, given: dict[str, Any], words: str) -> None:
    with pytest.raises(ParameterError, match=words):
        one_per_person(data, **given)


def test_nothing_is_chosen_where_everybody_has_one_row() -> None:
    done = one_per_person(SINGLE)
    assert (done.done, len(done.data)) == ("one", 2)
    plain = dc.Table.from_frame({"ward": ["a"]})
    assert one_per_person(plain).data is plain
    named = one_per_person(VISITS.to_polars().with_columns(who=pl.Series([1, 2, 3])), person="who")
    assert named.done == "one"


def test_transactions_know_whose_they_are() -> None:
    long = pl.DataFrame(
        {"id": [5, 6, 5, 9], "who": ["x", "x", "x", "y"], "item": ["a", "a", "b", "a"]}
    )
    bought = dc.Transactions.from_long(long, id="id", item="item", person="who")
    assert bought.people is not None
    assert repr(bought).startswith("Transactions: 3 transactions of 2 people, 2 items")
    assert bought.people.codes.tolist() == [0, 0, 1]
    taken = bought.take([2, 1])
    assert taken.people is not None
    assert taken.people.codes.tolist() == [1, 0]
    assert taken != dc.Transactions.from_csr(taken.offsets, taken.items, taken.labels)
    with pytest.raises(ParameterError, match="Nothing says whose"):
        dc.Transactions.from_iterable([["a"]]).united()


def test_a_transaction_of_two_people_is_refused() -> None:
    long = pl.DataFrame({"id": [5, 5], "who": ["x", "y"], "item": ["a", "b"]})
    with pytest.raises(DataError, match="is of 2 people in column 'who'"):
        dc.Transactions.from_long(long, id="id", item="item", person="who")
    with pytest.raises(DataError, match="fill in who it is"):
        dc.Transactions.from_long(
            long.with_columns(who=pl.Series(["x", None])), id="id", item="item", person="who"
        )
