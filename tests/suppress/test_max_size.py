"""Suppression of combinations of at most some values: the definition, people, and the verifier."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from pathlib import Path
from typing import Literal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.oracles import brute_force
from tests.strategies import Record, as_transactions, tables
from tests.suppress.wide import wide_table

import discreet as dc
from discreet.errors import DiscreetWarning, GuaranteeError, LimitError, ParameterError
from discreet.mine import infrequent
from discreet.release.guarantee import Guarantee
from discreet.suppress import suppression_summary
from discreet.suppress.mii import LARGER_COMBINATIONS
from discreet.verify import Verification, evidence

Cells = tuple[str | None, ...]


def as_table(records: list[Record]) -> dc.Table:
    n_columns = len(records[0]) if records else 1
    return dc.Table.from_frame({f"c{j}": [r[j] for r in records] for j in range(n_columns)})


def rows_of(release: dc.Release) -> list[Cells]:
    return [tuple(row) for row in release.data.to_frame("polars").rows()]


def naive(records: list[Record], theta: int, max_size: int) -> list[Cells]:
    """The definition: clear every cell of an MII of at most so many values, in its row."""
    miis = [
        each
        for each in brute_force.minimal_infrequent(as_transactions(records), theta)
        if len(each) <= max_size
    ]
    suppressed = []
    for record in records:
        items = set(enumerate(record))
        bad = {item for mii in miis if mii <= items for item in mii}
        suppressed.append(tuple(None if (j, v) in bad else v for j, v in enumerate(record)))
    return suppressed


def visible(row: Cells) -> list[tuple[int, str]]:
    return [(j, value) for j, value in enumerate(row) if value is not None]


@given(
    records=tables(max_columns=5, max_records=12), theta=st.integers(1, 4),
    max_size=st.integers(1, 6),
)  # fmt: skip
def test_suppressed_are_combinations_of_so_many_values(
    records: list[Record], theta: int, max_size: int
) -> None:
    if len(records) <= theta:
        return
    release = dc.mii_suppress(as_table(records), theta=theta, max_size=max_size)
    assert Counter(rows_of(release)) == Counter(naive(records, theta, max_size))
    transactions = as_transactions(records)
    for row in rows_of(release):
        shown = visible(row)
        for size in range(1, min(max_size, len(shown)) + 1):
            for few in combinations(shown, size):
                assert brute_force.support(transactions, set(few)) > theta
    if max_size >= len(records[0]):
        assert release.data == dc.mii_suppress(as_table(records), theta=theta).data


@given(
    records=tables(max_columns=5, max_records=14), k=st.integers(2, 4), max_size=st.integers(1, 4),
    leftover=st.sampled_from(["drop", "suppress"]), sample_size=st.sampled_from([None, 4]),
)  # fmt: skip
@pytest.mark.filterwarnings("ignore:No row is left")
def test_classes_keep_k_and_its_floor_whatever_was_looked_for(
    records: list[Record], k: int, max_size: int, leftover: Literal["drop", "suppress"],
    sample_size: int | None,
) -> None:  # fmt: skip
    release = dc.k_mii(
        as_table(records), k=k, max_size=max_size, leftover=leftover, sample_size=sample_size,
        seed=1,
    )  # fmt: skip
    released = rows_of(release)
    assert all(n >= k for n in Counter(released).values())
    transactions = as_transactions(records)
    for row in set(released):  # the values of a class are those of its own rows
        assert brute_force.support(transactions, set(visible(row))) >= k
    if sample_size is None and leftover == "drop":
        suppressed = Counter(naive(records, k - 1, max_size))
        expected = {row: n for row, n in suppressed.items() if n >= k}
        assert Counter(released) == expected
        dropped = release.events[1].all_counts["n_rows_dropped"]
        assert dropped == len(records) - sum(expected.values())


@st.composite
def visits(draw: st.DrawFn) -> tuple[list[int], list[tuple[int, ...]]]:
    n = draw(st.integers(6, 24))
    row = st.tuples(*[st.integers(0, 1)] * 4)
    rows = draw(st.lists(row, min_size=n, max_size=n))
    who = st.lists(st.integers(0, 8), min_size=n - 4, max_size=n - 4)
    return [20, 21, 22, 23, *draw(who)], rows


def holders_of(
    who: list[int], rows: list[tuple[int, ...]], few: tuple[tuple[int, int], ...]
) -> int:
    has = [all(row[place] == value for place, value in few) for row in rows]
    return len({one for one, yes in zip(who, has, strict=True) if yes})


@given(drawn=visits(), theta=st.integers(1, 3), max_size=st.integers(1, 3))
def test_few_values_are_held_by_people(
    drawn: tuple[list[int], list[tuple[int, ...]]], theta: int, max_size: int
) -> None:
    who, rows = drawn
    frame = {"who": who, **{f"c{j}": list(each) for j, each in enumerate(zip(*rows, strict=True))}}
    release = dc.mii_suppress(frame, theta=theta, max_size=max_size, person="who")
    values = "any value" if max_size == 1 else f"any {max_size} values or fewer"
    assert f": {values} that a row shows in " in release.guarantee.sentence
    assert f"at least {theta + 1} people of the input" in release.guarantee.sentence
    for row in release.data.to_polars().rows():
        shown = [(j, value) for j, value in enumerate(row) if value is not None]
        for size in range(1, max_size + 1):
            for few in combinations(shown, size):
                assert holders_of(who, rows, few) > theta
    summary = suppression_summary(frame, release, person="who")
    assert summary.max_size == max_size
    assert set(summary.floors.tolist()) == {theta + 1}


def test_the_claim_says_of_how_many_values() -> None:
    table = dc.datasets.census(400)
    release = dc.mii_suppress(table, theta=4, max_size=2)
    assert dict(release.guarantee.parameters) == {"theta": 4, "max_size": 2}
    assert list(release.guarantee.parameters) == ["theta", "max_size"]
    assert LARGER_COMBINATIONS in release.guarantee.not_protected
    assert release.events[0].parameters["max_size"] == 2
    assert release.data.n_rows == 400
    classes = dc.k_mii(table, k=5, max_size=2)
    assert dict(classes.guarantee.parameters) == {"k": 5}  # of all columns, as ever
    assert classes.events[0].parameters["max_size"] == 2
    assert "max_size" not in dc.mii_suppress(table, theta=4).events[0].parameters
    with pytest.raises(GuaranteeError, match="max_size is a whole number"):
        Guarantee(
            model="support floor", parameters={"theta": 4, "max_size": 0}, unit="one row",
            columns=("a",), not_protected=("Much.",),
        )  # fmt: skip
    with pytest.raises(ParameterError, match="max_size=0"):
        dc.k_mii(table, k=5, max_size=0)


def test_the_summary_claims_no_more_than_was_looked_for() -> None:
    table = dc.datasets.census(800)
    release = dc.mii_suppress(table, theta=4, max_size=2)
    summary = suppression_summary(table, release)
    assert set(summary.floors.tolist()) == {5}
    assert len(summary.n_miis_by_size) <= 3
    assert "any 2 values a row shows was shared by at least 5 rows" in summary.sentence
    classes = suppression_summary(table, dc.k_mii(table, k=5, max_size=2))
    assert (classes.max_size, set(classes.floors.tolist())) == (None, {5})
    sampled = suppression_summary(table, dc.k_mii(table, k=5, sample_size=300, seed=1))
    assert set(sampled.floors.tolist()) == {5}


# The verifier: every set of columns is counted, by code of its own.


def verified(release: dc.Release, folder: Path, original: object, **more: str) -> Verification:
    return dc.verify_release(release.save(folder), original=original, **more)  # type: ignore[arg-type]


def floor_of(release: dc.Release, **parameters: int) -> dc.Release:
    """Return a release with another claim, its steps as they were."""
    claim = release.guarantee
    return dc.Release(
        data=release.data,
        guarantee=Guarantee(
            model=claim.model, parameters=parameters, unit=claim.unit, columns=claim.columns,
            assumptions=claim.assumptions, not_protected=claim.not_protected,
        ),
        events=release.events,
        fingerprint=release.fingerprint,
    )  # fmt: skip


def test_the_verifier_counts_every_few_values(tmp_path: Path) -> None:
    table = dc.datasets.census(500)
    release = dc.mii_suppress(table, theta=3, max_size=2)
    found = verified(release, tmp_path / "right", table)
    assert (found.answer, found.failed) == ("verified", ())
    assert "Any 2 values or fewer" in str([each.detail for each in found.checks])
    alone = dc.verify_release(tmp_path / "right")
    assert alone.answer == "consistent"
    assert "theta = 3, max_size = 2" in alone.sentence
    # What was looked for bounds the claim, with the original or without it.
    for number, claim in enumerate(({"theta": 3}, {"theta": 3, "max_size": 3})):
        folder = floor_of(release, **claim).save(tmp_path / f"forged{number}")
        refuted = dc.verify_release(folder)
        assert refuted.answer == "refuted"
        assert "at most 2 values were looked for" in str([each.detail for each in refuted.failed])
    higher = verified(floor_of(release, theta=200, max_size=2), tmp_path / "higher", table)
    assert [each.name for each in higher.failed] == ["steps stated", "support floor"]
    rare = dc.mii_suppress(table, theta=3, max_size=1)  # pairs are left
    steps = dc.mii_suppress(table, theta=3, max_size=2).events
    forged = dc.Release(
        data=rare.data, guarantee=release.guarantee, events=steps, fingerprint=rare.fingerprint
    )
    wrong = verified(forged, tmp_path / "pairs", table)
    assert "fewer than 4 rows of the original have" in str([c.detail for c in wrong.failed])


def test_the_verifier_counts_people_for_few_values(tmp_path: Path) -> None:
    frame = {
        "who": [1, 1, 1, 2, 3, 4, 5],
        "a": list("xxxxyyy"),
        "b": list("pppqqpp"),
    }
    release = dc.mii_suppress(frame, theta=1, max_size=1, person="who")
    counted = verified(release, tmp_path / "out", frame, person="who")
    assert (counted.answer, counted.failed) == ("verified", ())
    assert dc.verify_release(tmp_path / "out", original=frame).answer == "consistent"
    rows = dc.Table.from_frame({name: frame[name] for name in ("a", "b")})
    forged = dc.Release(  # (x, p) is in three rows, all of one person
        data=rows, guarantee=floor_of(release, theta=1, max_size=1).guarantee,
        events=release.events, fingerprint=release.fingerprint,
    )  # fmt: skip
    assert verified(forged, tmp_path / "one", frame, person="who").answer == "verified"
    claim = floor_of(dc.mii_suppress(frame, theta=1, max_size=2, person="who"), theta=1, max_size=2)
    forged = dc.Release(
        data=rows, guarantee=claim.guarantee,
        events=dc.mii_suppress(frame, theta=1, person="who").events,
        fingerprint=release.fingerprint,
    )  # fmt: skip
    assert verified(forged, tmp_path / "two", frame, person="who").answer == "refuted"


@given(
    before=tables(max_columns=4, max_records=10), after=tables(max_columns=4, max_records=6),
    floor=st.integers(1, 4), most=st.integers(1, 4), data=st.data(),
)  # fmt: skip
def test_few_values_are_found_where_the_definition_finds_them(
    before: list[Record], after: list[Record], floor: int, most: int, data: st.DataObject
) -> None:
    n_columns = min(len(before[0]) if before else 0, len(after[0]) if after else 0)
    if not n_columns:
        return
    names = tuple(f"c{j}" for j in range(n_columns))
    known = [record[:n_columns] for record in before]
    shown: list[Cells] = [
        tuple(data.draw(st.sampled_from([None, value])) for value in record[:n_columns])
        for record in after
    ]
    whose = data.draw(
        st.none() | st.lists(st.integers(0, 3), min_size=len(known), max_size=len(known))
    )
    original = as_table(known)
    released = dc.Table.from_frame({n: [r[j] for r in shown] for j, n in enumerate(names)})
    matched = evidence.match(original, released.to_polars())
    people = None if whose is None else np.array(whose, np.int64)
    search = evidence.FewValues(matched, names, whose=people, floor=floor, most=most)
    found = search.first_rare(None)

    def n_with(few: tuple[tuple[int, str], ...]) -> int:
        places = [p for p, r in enumerate(known) if all(r[j] == v for j, v in few)]
        return len(places if whose is None else {whose[place] for place in places})

    rare = {
        (row, tuple(names[j] for j, _ in few))
        for row, cells in enumerate(shown)
        for size in range(1, most + 1)
        for few in combinations(visible(cells), size)
        if n_with(few) < floor
    }
    assert (found is not None) == bool(rare)
    if found is not None:
        assert (found.row, found.columns) in rare


def test_too_many_sets_to_count_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table = dc.datasets.census(300)
    release = dc.mii_suppress(table, theta=3, max_size=2)
    monkeypatch.setattr("discreet.verify.classes.MOST_CELLS", 100)
    found = verified(release, tmp_path / "out", table)
    assert found.answer == "consistent"
    assert "takes too long to count" in str([each.detail for each in found.not_checkable])


# Wide tables.


def test_a_wide_table_has_an_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table = wide_table(600, 86)
    floor = dc.mii_suppress(table, theta=4, max_size=2)
    assert floor.data.n_rows == 600
    assert verified(floor, tmp_path / "floor", table).answer == "verified"
    classes = dc.k_mii(table.select(table.columns[40:60]), k=3, max_size=2)
    dropped = classes.events[1].all_counts["n_rows_dropped"]
    assert dropped == 600 - classes.data.n_rows
    assert 0 < dropped < 600
    # Of any size it would not end: it says so, and how to go on.
    monkeypatch.setattr(infrequent, "PATIENCE", 0.0)
    with (
        pytest.warns(DiscreetWarning, match=r"any size are looked for in 86 columns.*max_size=3"),
        pytest.raises(LimitError, match=r"More than 1 second needed .* Set max_size, to 3"),
    ):
        dc.mii_suppress(table, theta=4, max_seconds=1)
