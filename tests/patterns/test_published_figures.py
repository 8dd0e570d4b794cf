"""Figures that the paper prints, on the data sets it names."""

from __future__ import annotations

from pathlib import Path

import pytest
from patterns_paper import LOW, MISPRINTED, NO_GAIN, TABLE_2, TABLE_3, words
from patterns_paper import adult as adult_of

import discreet as dc
from discreet.patterns import additive, channels, of_columns, suppressive

# Supports after suppression, and the one that the paper misprints.
SUPPRESSED = {items: told.removed for items, told in TABLE_2.items()} | {MISPRINTED: 19623}


@pytest.fixture(scope="module", name="adult")
def table_of_adult(public_data: Path) -> dc.Table:
    return adult_of(public_data)


def test_adult_itemsets_and_channels(adult: dc.Table) -> None:
    assert adult.n_rows == 30162
    found = channels(adult, k=50, min_support=18100)
    assert found.n_itemsets == 41  # the empty one counted
    assert len(dc.mine.closed(adult, min_support=18100, include_empty=True)) == 41
    tops = {words(items): support for items, support in dc.mine.maximal(adult, min_support=18100)}
    assert tops == {items: told.before for items, told in TABLE_2.items()}
    assert {(words(c.inside), words(c.outside)): c.support for c in found} == TABLE_3


@pytest.mark.parametrize("grouping", ["best", "first-fit"])
def test_adult_additive(adult: dc.Table, grouping: str) -> None:
    done = additive(adult, k=50, min_support=18100, grouping=grouping)  # type: ignore[arg-type]
    assert done.groups is not None
    assert [words(items) for items, _ in done.groups] == [frozenset({NO_GAIN})]
    assert done.n_added == done.n_added_first_fit == 50
    after = {words(items): support for items, support in done.published}
    assert {items: after[items] for items in TABLE_2} == {
        items: told.added for items, told in TABLE_2.items()
    }
    assert not len(channels(done.published, k=50))


def test_adult_suppressive(adult: dc.Table) -> None:
    done = suppressive(adult, k=50, min_support=18100)
    assert done.n_removed == 195  # more than the 181 of the four channels: there is a second round
    assert done.rounds == 2
    assert done.distortion.n_lost == 0
    after = {words(items): support for items, support in done.published}
    assert {items: after[items] for items in TABLE_2} == SUPPRESSED
    assert not len(channels(done.published, k=50))


def test_adult_quasi_identifiers_beside_the_rest(adult: dc.Table) -> None:
    quasi = ["age", "sex", "race", "native-country"]
    some = adult.select([*quasi, "occupation", "income"])
    done = additive(some, k=50, min_support=500, quasi=quasi)
    assert done.n_channels > 0
    assert not len(channels(of_columns(done.published, columns=quasi), k=50))
    assert of_columns(done.published, columns=quasi) == (
        additive(adult, k=50, min_support=500, columns=quasi).published
    )
    # Every row has an income, those that were added too.
    incomes = [n for items, n in done.published if words(items) <= {LOW, "income=>50K"}]
    assert sum(incomes) == done.published.n_rows == adult.n_rows + done.n_added


@pytest.mark.parametrize("grouping", ["best", "first-fit"])
def test_mushroom_example_12(public_data: Path, grouping: str) -> None:
    data = dc.load(public_data / "fimi" / "mushroom.dat")
    done = additive(data, k=10, min_support=4874, grouping=grouping)  # type: ignore[arg-type]
    assert done.n_channels == 3
    assert done.groups is not None
    assert [words(items) for items, _ in done.groups] == [frozenset({"85", "34", "90"})]
    assert (done.n_added, done.n_added_first_fit) == (10, 10)
    assert not len(channels(done.published, k=10))


@pytest.mark.parametrize(
    ("name", "share"),
    [("mushroom", 0.2), ("chess", 0.85), ("retail", 0.002), ("BMS-WebView-1", 0.001)],
)
def test_nothing_is_left_in_real_data(public_data: Path, name: str, share: float) -> None:
    (path, *_) = sorted((public_data / "fimi").glob(f"{name}*"))
    published = dc.mine.frequent(dc.load(path), min_frequency=share)
    merged = additive(published, k=10, grouping="first-fit")
    best = additive(published, k=10)
    assert best.n_added_at_least is not None
    assert best.n_added_at_least <= best.n_added <= merged.n_added == best.n_added_first_fit
    for done in (best, merged):
        assert done.n_channels > 0
        assert not len(channels(done.published, k=10, count_all=False))
