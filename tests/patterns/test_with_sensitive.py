"""Itemsets with sensitive values beside sanitized quasi-identifiers, against brute force."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet as dc
from discreet.errors import DataError, ParameterError
from discreet.mine import Item, Itemsets
from discreet.patterns import (
    additive,
    channels,
    derive,
    of_columns,
    pattern_release,
)
from discreet.verify import verify_release
from tests.examples import examples
from tests.oracles import channels as oracle

COLUMNS = ("sex", "job", "ill")
QUASI = ("sex", "job")
RECORDS = st.lists(st.tuples(*map(st.sampled_from, ("fm", "cdn", "xyz"))), min_size=1, max_size=16)
Rows = list[frozenset[str]]
# With min_support 4 and k 3, only 1 row has job c and another sex than f.
PEOPLE: list[tuple[str, ...]] = [
    *[("f", "c", "x")] * 4, *[("f", "c", "y")] * 2, ("m", "c", "y"), *[("f", "d", "x")] * 4,
]  # fmt: skip


def table(records: list[tuple[str, ...]]) -> dc.Table:
    return dc.Table.from_frame(
        {name: [record[place] for record in records] for place, name in enumerate(COLUMNS)}
    )


def as_rows(records: list[tuple[str, ...]]) -> Rows:
    pairs = [zip(COLUMNS, record, strict=True) for record in records]
    return [frozenset(f"{name}={value}" for name, value in each) for each in pairs]


def by_text(itemsets: Itemsets) -> dict[frozenset[str], int]:
    return {frozenset(map(str, items)): support for items, support in itemsets}


def quasi_of(items: frozenset[str]) -> frozenset[str]:
    return frozenset(item for item in items if not item.startswith("ill="))


@examples(80)
@given(records=RECORDS, sigma=st.integers(2, 6), k=st.integers(2, 4))
@pytest.mark.filterwarnings("ignore::discreet.errors.DiscreetWarning")
def test_the_supports_are_those_of_a_database_without_a_small_quasi_group(
    records: list[tuple[str, ...]], sigma: int, k: int
) -> None:
    done = additive(table(records), k=k, min_support=sigma, quasi=QUASI)
    rows, sigma = as_rows(records), max(sigma, k)
    assert done.groups is not None
    added = [frozenset(map(str, row)) for row, copies in done.groups for _ in range(copies)]
    whole = oracle.published([*rows, *added], sigma)
    assert {frozenset(): done.published.n_rows, **by_text(done.published)} == whole
    quasi = {items: support for items, support in whole.items() if quasi_of(items) == items}
    assert not oracle.naive_channels(quasi, k)
    # The quasi-identifiers are published as if there were no other column.
    alone = additive(table(records), k=k, min_support=sigma, columns=QUASI)
    assert by_text(alone.published) == {i: s for i, s in quasi.items() if i}
    assert set(quasi) == set(oracle.published([quasi_of(row) for row in rows], sigma))
    assert done.n_added == alone.n_added == len(added)
    # What is added is part of a real row, with a value in each sensitive column.
    for row in added:
        assert any(row <= real for real in rows)
        assert len(row - quasi_of(row)) == 1


@examples(80)
@given(records=RECORDS, k=st.integers(2, 5))
@pytest.mark.filterwarnings("ignore::discreet.errors.DiscreetWarning")
def test_sensitive_values_are_added_by_their_share(records: list[tuple[str, ...]], k: int) -> None:
    done = additive(table(records), k=k, min_support=2, quasi=QUASI)
    assert done.groups is not None
    added: dict[frozenset[str], Counter[frozenset[str]]] = {}
    for items, copies in by_text(done.groups).items():
        known = quasi_of(items)
        added.setdefault(known, Counter())[items - known] += copies
    for known, values in added.items():
        alike = [row for row in as_rows(records) if known <= row]
        shares = Counter(row - quasi_of(row) for row in alike)
        assert sum(values.values()) == k
        for value, n in shares.items():
            assert abs(values[value] - k * n / len(alike)) < 1


def test_a_sensitive_column_does_not_undo_it() -> None:
    done = additive(table(PEOPLE), k=3, min_support=4, columns=COLUMNS, quasi=QUASI)
    assert done.n_added == 3
    supports = by_text(done.published)
    cook = frozenset({"job=c"})
    known = [supports.get(cook | {f"ill={value}"}, 0) for value in "xy"]
    assert supports[cook] == sum(known) == 10
    assert "ill=y" in {item for items in supports for item in items}


def test_all_columns_can_be_quasi() -> None:
    people = table(PEOPLE)
    assert additive(people, k=3, min_support=4, quasi=COLUMNS).published == (
        additive(people, k=3, min_support=4).published
    )


def test_several_sensitive_columns_and_no_channel_at_all() -> None:
    census = dc.datasets.census(2000)
    quasi = ["sex", "region"]
    some = [*quasi, "condition", "education"]
    done = additive(census, k=20, min_support=60, columns=some, quasi=quasi)
    assert not len(channels(of_columns(done.published, columns=quasi), k=20))
    if not done.n_channels:
        assert done.published == dc.mine.frequent(census.select(some), min_support=60)
    done = additive(census, k=60, min_support=100, columns=some, quasi=[*quasi, "education"])
    assert done.n_channels > 0
    assert not len(channels(of_columns(done.published, columns=[*quasi, "education"]), k=60))
    assert done.groups is not None
    for row, _ in done.groups:
        assert sum(isinstance(item, Item) and item.column == "condition" for item in row) == 1
    assert "condition" in str(done.to_dict()["published"])


def test_options_are_checked() -> None:
    people = table(PEOPLE)
    with pytest.raises(ParameterError, match=r"quasi names column 'jbo'.*Did you mean 'job'"):
        additive(people, k=3, min_support=4, quasi=["jbo"])
    with pytest.raises(ParameterError, match="'ill', of which no itemset would be published"):
        additive(people, k=3, min_support=4, columns=QUASI, quasi=["ill"])
    with pytest.raises(ParameterError, match="names no column"):
        additive(people, k=3, min_support=4, quasi=[])
    with pytest.raises(ParameterError, match="takes a list of names"):
        additive(people, k=3, min_support=4, quasi="sex")
    for data in (dc.mine.frequent(people, min_support=4), dc.mine.Database.of(people)):
        with pytest.raises(ParameterError, match="quasi is for tables"):
            additive(data, k=3, min_support=4, quasi=["sex"])


def test_the_release_says_what_is_covered_and_is_verified(tmp_path: Path) -> None:
    people = table(PEOPLE)
    release = pattern_release(
        additive(people, k=3, min_support=4, quasi=QUASI), source=people, columns=COLUMNS
    )
    claim = release.guarantee
    assert claim.sentence.endswith("by patterns over published itemsets of sex and job.")
    assert "Nobody who uses the collection knows more of a person than sex and job." in (
        claim.assumptions
    )
    said = " ".join(claim.not_protected)
    assert "disclosed by a value of a column other than sex and job" in said
    assert "such as a shared diagnosis" in said
    assert release.events[0].parameters["quasi"] == QUASI
    folder = release.save(tmp_path / "out")
    assert dc.Release.load(folder) == release
    checked = verify_release(folder)
    assert checked.answer != "refuted"
    assert "by sex, job has none or at least 3" in str(checked.to_dict())
    # The same collection is not safe from who knows the other column too.
    assert len(channels(release.data, k=3)) > 0
    smaller = derive(release, min_support=9)
    assert smaller.guarantee.columns == QUASI
    assert verify_release(smaller.save(tmp_path / "smaller")).answer != "refuted"


def test_the_verifier_finds_what_is_left(tmp_path: Path) -> None:
    people = table(PEOPLE)
    made = additive(people, k=3, min_support=4, quasi=QUASI)
    true = pattern_release(replace(made, published=dc.mine.frequent(people, min_support=4)))
    found = verify_release(true.save(tmp_path / "out"))
    assert found.answer == "refuted"
    assert "1 group of fewer than 3 rows can be inferred" in str(found.to_dict())


def test_names_that_look_alike_are_refused() -> None:
    people = dc.Table.from_frame({"age=x": ["1"] * 9, "age": ["x=5"] * 9, "a": ["2"] * 9})
    with pytest.raises(DataError, match="'age=x=1' of column 'age=x' reads like one of column 'a"):
        pattern_release(additive(people, k=3, min_support=4, quasi=["age"]))
    with pytest.raises(DataError, match="'age=x=5' of column 'age' reads like"):
        pattern_release(additive(people, k=3, min_support=4, quasi=["age=x"]))
    both = pattern_release(additive(people, k=3, min_support=4, quasi=["age=x", "age"]))
    assert both.guarantee.columns == ("age=x", "age")


def test_itemsets_of_some_columns() -> None:
    found = dc.mine.frequent(table(PEOPLE), min_support=2)
    texts = Itemsets.from_mapping(by_text(found), n_rows=found.n_rows)
    for size in (1, 2):
        for names in combinations(COLUMNS, size):
            expected = by_text(dc.mine.frequent(table(PEOPLE).select(names), min_support=2))
            assert by_text(of_columns(found, columns=names)) == expected
            assert by_text(of_columns(texts, columns=names)) == expected
    with pytest.raises(ParameterError, match="Did you mean 'job'"):
        of_columns(texts, columns=["jbo"])
