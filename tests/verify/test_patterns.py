"""The verifier of patterns against brute force, and tampered collections."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet as dc
from discreet.mine.itemsets import Itemsets
from discreet.release.event import Event
from discreet.release.guarantee import Guarantee
from discreet.verify import Verification, verify_release
from discreet.verify.patterns import PatternRows, _check_groups, _fault, check_witness
from tests.oracles import channels as oracle
from tests.strategies import transactions
from tests.verify.folders import spoken

Supports = dict[frozenset[str], int]
SAFE = ["ab"] * 5 + ["a"] * 3 + [""] * 4


def published(rows: list[str], sigma: int) -> Supports:
    found = oracle.published([frozenset(row) for row in rows], sigma)
    return {items: support for items, support in found.items() if items}


def saved(
    folder: Path,
    supports: Supports,
    *,
    k: int = 3,
    n_rows: int = 12,
    min_support: int = 5,
    witness: Supports | None = None,
) -> Path:
    claim = Guarantee(
        model="k-anonymous patterns" + ("" if witness is None else ", witnessed"),
        parameters={"k": k, "min_support": min_support, "n_rows": n_rows},
        unit="one person, who has one row",
        not_protected=("Whether a person is in the data is not protected.",),
    )
    folder.mkdir(exist_ok=True)
    release = dc.Release(
        data=Itemsets.from_mapping(supports, n_rows=n_rows),
        guarantee=claim,
        kind="patterns",
        events=(
            Event(name="additive_sanitization", parameters={"k": k, "min_support": min_support}),
        ),
        witness=None if witness is None else Itemsets.from_mapping(witness, n_rows=n_rows),
    )
    return spoken(release.save(folder / "out"))


def check_named(found: Verification, name: str) -> tuple[bool | None, str]:
    return next((check.passed, check.detail) for check in found.checks if check.name == name)


@given(
    rows=transactions(max_items=5, max_transactions=14),
    sigma=st.integers(2, 6),
    k=st.integers(2, 5),
)
def test_groups_are_those_of_the_definition(rows: list[frozenset[str]], sigma: int, k: int) -> None:
    supports = oracle.published(rows, sigma)
    assert _fault(supports, n_rows=len(rows), least=sigma) is None
    channels = {
        pair: count
        for pair, count in oracle.naive_channels(supports, k).items()
        if pair != (frozenset(), frozenset())
    }
    if len(supports) > 1:
        assert _check_groups(supports, k).passed is not bool(channels)


@given(
    rows=transactions(max_items=5, max_transactions=14),
    sigma=st.integers(2, 6),
    k=st.integers(2, 5),
    names=st.sets(st.sampled_from("abcde"), min_size=1).map(sorted),
)
def test_groups_of_some_columns_are_looked_at(
    rows: list[frozenset[str]], sigma: int, k: int, names: list[str]
) -> None:
    supports = oracle.published([frozenset(f"{item}=1" for item in row) for row in rows], sigma)
    claimed = {items: n for items, n in supports.items() if all(item[0] in names for item in items)}
    channels = oracle.naive_channels(claimed, k)
    assert _check_groups(supports, k, tuple(names)).passed is not bool(channels)


def test_supports_beside_the_claim_have_to_be_possible() -> None:
    stated = {"": 9, "s=f": 5, "i=x": 5, "i=y": 5, "s=f i=x": 3, "s=f i=y": 3, "i=x i=y": 3}
    supports = {frozenset(items.split()): n for items, n in stated.items()}
    assert _check_groups(supports, 4, ("s",)).passed
    assert _check_groups(supports, 5, ("s",)).passed is False
    supports[frozenset(("s=f", "i=x"))] = 0
    supports[frozenset()] = 8
    found = _check_groups(supports, 3, ("s",))
    assert (found.passed, found.detail[:29]) == (False, "No data can have these suppor")


@given(rows=transactions(max_items=5, max_transactions=10), sigma=st.integers(1, 9))
def test_a_witness_is_what_it_says(rows: list[frozenset[str]], sigma: int) -> None:
    k = 2
    doubled = [row for row in rows for _ in range(k)]
    supports = {items: n for items, n in oracle.published(doubled, sigma).items() if items}
    stated = PatternRows(supports=supports, witness=dict(Counter(doubled)))
    options = {"k": k, "min_support": sigma, "n_rows": len(doubled)}
    assert check_witness(stated, **options).passed is bool(rows)
    if not supports:
        return
    gone = dict(list(supports.items())[:-1])
    incomplete = PatternRows(supports=gone, witness=stated.witness)
    assert not check_witness(incomplete, **options).passed
    assert not check_witness(
        stated, k=k * len(rows) + 1, min_support=sigma, n_rows=len(doubled)
    ).passed


def test_a_safe_collection_is_verified(tmp_path: Path) -> None:
    found = verify_release(saved(tmp_path, published(SAFE, 5)))
    assert found.answer != "refuted", found.sentence
    assert check_named(found, "groups")[0]
    assert not any(check.passed is None for check in found.checks)


def test_a_channel_is_found(tmp_path: Path) -> None:
    found = verify_release(saved(tmp_path, published(SAFE, 5), k=4))
    assert found.answer == "refuted"
    assert "1 group of fewer than 4 rows" in check_named(found, "groups")[1]


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"ab": 9}, "more frequent than its part"),
        ({"a": None}, "not its part without"),
        ({"a": 99, "b": 99}, "of 12 rows"),
        ({"b": 4, "ab": 4}, "at least 5 are claimed"),
    ],
)
def test_supports_that_cannot_be(tmp_path: Path, change: dict[str, int | None], told: str) -> None:
    supports = published(SAFE, 5)
    for items, count in change.items():
        supports.pop(frozenset(items))
        if count is not None:
            supports[frozenset(items)] = count
    found = verify_release(saved(tmp_path, supports))
    assert found.answer == "refuted"
    assert told in check_named(found, "patterns")[1]


def test_a_witness_is_checked(tmp_path: Path) -> None:
    witness = {frozenset("ab"): 5, frozenset("a"): 3, frozenset[str](): 4}
    safe = verify_release(saved(tmp_path, published(SAFE, 5), witness=witness))
    assert safe.answer == "verified"
    # Rows of the witness are no itemsets: the sentence must not count them as such.
    n_rows = len(published(SAFE, 5)) + len(witness)
    assert safe.sentence.endswith(f"the {n_rows} released itemsets and witness rows.")
    changed = {**witness, frozenset("a"): 2, frozenset[str](): 5}
    found = verify_release(saved(tmp_path / "b", published(SAFE, 5), witness=changed, k=2))
    assert "another support" in check_named(found, "witness")[1]
    found = verify_release(saved(tmp_path / "c", published(SAFE, 5), witness={}))
    assert "not there" in check_named(found, "witness")[1]


def test_rows_that_are_no_patterns(tmp_path: Path) -> None:
    folder = saved(tmp_path, published(SAFE, 5))
    path = folder / "data.parquet"
    rows = pl.read_parquet(path)
    from discreet.errors import DataError
    from discreet.verify.patterns import read_pattern_rows

    for broken in (
        rows.with_columns(items=pl.lit("no json")),
        rows.with_columns(items=pl.lit('["a", "a"]')),
        rows.with_columns(support=pl.lit(-1)),
        pl.concat([rows, rows]),
        rows.drop("support"),
    ):
        with pytest.raises(DataError):
            read_pattern_rows(broken)


def test_the_original_is_not_checkable(tmp_path: Path) -> None:
    folder = saved(tmp_path, published(SAFE, 5))
    found = verify_release(folder, original={"a": ["x", "y"]})
    assert found.answer != "refuted"
    assert check_named(found, "original")[0] is None
