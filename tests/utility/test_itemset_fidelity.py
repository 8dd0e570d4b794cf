"""Frequent itemsets of a release beside those of the original."""

from __future__ import annotations

import json
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet as dc
from discreet.errors import DataError, LimitError, ParameterError
from discreet.utility import ItemsetFidelity, itemset_fidelity
from tests.examples import examples
from tests.utility.releases import Row, pairs, recoded, suppress, table

Frequencies = dict[frozenset[tuple[int, str]], float]


def brute_force(rows: list[Row], others: list[Row]) -> Frequencies:
    """Return the share of the rows that contain each itemset that occurs in either table."""
    sets = [frozenset((i, v) for i, v in enumerate(r) if v is not None) for r in (*rows, *others)]
    parts = {
        frozenset(part)
        for items in sets
        for size in range(1, len(items) + 1)
        for part in combinations(sorted(items), size)
    }
    own = sets[: len(rows)]
    return {part: sum(part <= items for items in own) / max(len(own), 1) for part in parts}


@examples(50)
@given(pairs(), st.sampled_from([0.1, 0.25, 0.5, 0.6, 1.0]))
def test_measures_are_those_of_the_definition(
    drawn: tuple[list[Row], list[Row], int], least: float
) -> None:
    before, after, n_columns = drawn
    seen = itemset_fidelity(table(before, n_columns), table(after, n_columns), min_frequency=least)
    p, q = brute_force(before, after), brute_force(after, before)
    original = {items for items, share in p.items() if share >= least}
    release = {items for items, share in q.items() if share >= least}
    both, either = original & release, original | release
    assert len(seen) == len(either)
    assert seen.n_both == len(both)
    assert seen.n_false_negatives == len(original - release)
    assert seen.n_false_positives == len(release - original)
    assert seen.recall == (len(both) / len(original) if original else 1)
    assert seen.precision == (len(both) / len(release) if release else 1)
    assert seen.n_invented == sum(p[items] == 0 for items in release)
    off = {items: abs(p[items] - q[items]) for items in either}
    assert seen.mean_error == pytest.approx(sum(off.values()) / max(len(off), 1))
    for found, group in (
        (seen.nfd, original),
        (seen.nfd_by_group["in both"], both),
        (seen.nfd_by_group["missed"], original - release),
        (seen.nfd_by_group["wrongly found"], {i for i in release - original if p[i]}),
    ):
        expected = sum(off[i] / p[i] for i in group) / len(group) if group else None
        assert found == (None if expected is None else pytest.approx(expected))


@examples(50)
@given(pairs())
def test_order_and_coding_do_not_matter(drawn: tuple[list[Row], list[Row], int]) -> None:
    before, after, n_columns = drawn
    original, release = table(before, n_columns), table(after, n_columns)
    seen = itemset_fidelity(original, release, min_frequency=0.3)
    shuffled = recoded(release).take(np.arange(len(after))[::-1])
    assert itemset_fidelity(original, shuffled, min_frequency=0.3).to_dict() == seen.to_dict()


def test_by_hand() -> None:
    people = dc.Table.from_frame({"sex": ["f", "f", "m", "m"], "job": ["a", "b", "b", "b"]})
    release = dc.Table.from_frame({"job": ["a", "a", "b", None], "sex": ["f", "f", "m", "m"]})
    seen = itemset_fidelity(people, release, min_frequency=0.5)
    # original: f 2, m 2, b 3, mb 2; release: f 2, m 2, a 2, fa 2
    assert (seen.n_both, seen.n_false_negatives, seen.n_false_positives) == (2, 2, 2)
    assert (seen.precision, seen.recall, seen.n_invented) == (0.5, 0.5, 0)
    assert seen.nfd == pytest.approx((0 + 0 + 2 / 3 + 1 / 2) / 4)
    assert seen.nfd_by_group == {
        "in both": 0,
        "missed": pytest.approx((2 / 3 + 1 / 2) / 2),
        "wrongly found": 1.0,
    }
    assert seen.mean_error == pytest.approx((0 + 0 + 0.5 + 0.25 + 0.25 + 0.25) / 6)
    frame = seen.to_frame()
    rows = dict(zip(map(tuple, frame["items"].to_list()), frame["frequent"], strict=True))
    assert rows == {
        ("sex=f",): "in both",
        ("sex=m",): "in both",
        ("job=a",): "wrongly found",
        ("job=b",): "missed",
        ("sex=f", "job=a"): "wrongly found",
        ("sex=m", "job=b"): "missed",
    }


def test_the_same_rows_lose_nothing() -> None:
    people = dc.datasets.census(300)
    for release in (people, recoded(people).take(np.repeat(np.arange(300), 2))):
        seen = itemset_fidelity(people, release, min_frequency=0.05)
        assert (seen.precision, seen.recall, seen.nfd, seen.mean_error) == (1, 1, 0, 0)


def test_more_suppression_is_less_recall_and_never_less_precision() -> None:
    people = dc.datasets.census(400)
    luck = np.random.default_rng(0).random((400, people.n_columns))
    seen = [
        itemset_fidelity(people, suppress(people, luck < share), min_frequency=0.05)
        for share in (0.0, 0.1, 0.3, 1.0)
    ]
    recalls = [found.recall for found in seen]
    nfds = [found.nfd or 0.0 for found in seen]
    assert sorted(recalls, reverse=True) == recalls
    assert sorted(nfds) == nfds
    assert (recalls[0], recalls[-1], nfds[-1]) == (1, 0, 1)
    assert all(found.precision == 1 for found in seen)  # a cleared cell only lowers supports


def test_limits_and_wrong_parameters() -> None:
    people = dc.datasets.census(200)
    small = itemset_fidelity(people, people, min_frequency=0.05, max_size=2)
    assert np.diff(small.offsets).max() == 2
    with pytest.raises(LimitError, match="More than 10 results"):
        itemset_fidelity(people, people, min_frequency=0.05, max_itemsets=10)
    with pytest.raises(ParameterError, match="min_frequency=0 must be above 0"):
        itemset_fidelity(people, people, min_frequency=0)
    with pytest.raises(DataError, match="release has no column 'sex'"):
        itemset_fidelity(people, people.select(people.columns[1:]), min_frequency=0.5)


def degenerate() -> list[ItemsetFidelity]:
    people = dc.Table.from_frame({"sex": ["f", "m"], "job": ["a", "b"]})
    empty, nothing = people.take([]), suppress(people, np.ones((2, 2), bool))
    none = people.with_roles(sex="identifying", job="identifying")
    return [
        itemset_fidelity(before, after, min_frequency=0.5)
        for before, after in ((people, empty), (people, nothing), (empty, people), (none, none))
    ]


def test_degenerate_tables() -> None:
    lost, cleared, invented, none = degenerate()
    for seen in (lost, cleared):
        assert (seen.recall, seen.precision, seen.nfd, seen.n_false_negatives) == (0, 1, 1, 6)
    assert (invented.recall, invented.precision, invented.nfd) == (1, 0, None)
    assert invented.n_invented == 6
    assert (len(none), none.recall, none.precision, none.mean_error) == (0, 1, 1, 0)
    for seen in (lost, cleared, invented, none):
        assert json.loads(json.dumps(seen.to_dict()))["recall"] == seen.recall
        assert seen.to_frame().height == len(seen)
        seen.plot().to_dict()
        assert len(seen.preview().rows) == 3


def test_shown_and_exported() -> None:
    people = dc.datasets.census(200)
    seen = itemset_fidelity(people, people.take(np.arange(100)), min_frequency=0.1)
    assert f"recall {seen.recall:.3f}" in repr(seen)
    assert len(seen.to_frame("pandas")) == len(seen)
    (bars,) = seen.plot().to_dict()["datasets"].values()
    assert sum(bar["itemsets"] for bar in bars) == len(seen)


@pytest.mark.parametrize(
    ("name", "n_frequent"), [("led7.D24.N3200.C10.num", 411), ("nursery.D32.N12960.C5.num", 179)]
)
def test_published_numbers_of_frequent_itemsets(
    public_data: Path, name: str, n_frequent: int
) -> None:
    """Dorrestijn 2018, table 2, first column."""
    data = dc.load(public_data / "lucs" / name)
    assert isinstance(data, dc.Table)
    seen = itemset_fidelity(data, recoded(data), min_frequency=0.1)
    assert (seen.n_both, seen.recall, seen.precision) == (n_frequent, 1, 1)


def test_bootstrap_of_adult(public_data: Path) -> None:
    """The rows drawn anew: some hundred of some ten thousand differ, NFD about 0.007."""
    adult = dc.load(public_data / "lucs" / "adult.D97.N48842.C2.num.xz")
    assert isinstance(adult, dc.Table)
    drawn = adult.take(np.random.default_rng(1).integers(0, adult.n_rows, adult.n_rows))
    seen = itemset_fidelity(adult, drawn, min_frequency=0.1)
    assert int(seen.in_original.sum()) == len(dc.mine.frequent(adult, min_frequency=0.1))
    assert seen.n_false_negatives + seen.n_false_positives < 1000
    assert seen.nfd == pytest.approx(0.0075, abs=0.003)
