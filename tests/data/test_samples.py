from __future__ import annotations

import hashlib
from collections import Counter
from itertools import combinations
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import pytest

from discreet.data.samples.draw import basket_sample, census_sample
from discreet.errors import ParameterError

if TYPE_CHECKING:
    from discreet.data.samples.draw import Sample

Wrong: TypeAlias = Any  # of the wrong kind on purpose


@pytest.fixture(scope="module")
def people() -> Sample:
    return census_sample(20_000)


def checksum(*arrays: np.ndarray[Any, Any]) -> str:
    whole = hashlib.sha256()
    for array in arrays:
        whole.update(np.ascontiguousarray(array, dtype="<i8").tobytes())
    return whole.hexdigest()[:16]


def cramers_v(sample: Sample, one: str, other: str) -> float:
    """Return the association of two columns, from 0 to 1."""
    counts = np.zeros((len(sample.values[one]), len(sample.values[other])))
    np.add.at(counts, (sample.columns[one], sample.columns[other]), 1)
    counts = counts[counts.sum(1) > 0][:, counts.sum(0) > 0]
    expected = counts.sum(1, keepdims=True) * counts.sum(0) / counts.sum()
    chi_square = ((counts - expected) ** 2 / expected).sum()
    return float(np.sqrt(chi_square / counts.sum() / (min(counts.shape) - 1)))


def share(sample: Sample, column: str, value: object) -> float:
    return float(np.mean(sample.columns[column] == sample.values[column].index(value)))


def test_a_seed_gives_the_same_people_everywhere() -> None:
    assert checksum(*census_sample(1000).columns.values()) == "5810293cab553742"
    again = census_sample(500, seed=1)
    assert checksum(*again.columns.values()) == checksum(
        *census_sample(500, seed=1).columns.values()
    )
    assert checksum(*again.columns.values()) != checksum(
        *census_sample(500, seed=2).columns.values()
    )


def test_a_seed_gives_the_same_baskets_everywhere() -> None:
    baskets = basket_sample(1000)
    assert checksum(baskets.offsets, baskets.items) == "1072ee628a081187"
    assert basket_sample(50, seed=1) == basket_sample(50, seed=1)
    assert basket_sample(50, seed=1) != basket_sample(50, seed=2)


def test_shape(people: Sample) -> None:
    names = list(people.columns)
    assert names == list(people.values) == list(people.roles) == list(people.hierarchies)
    assert people.n_rows == 20_000
    assert set(people.roles.values()) == {"quasi", "sensitive", "insensitive"}
    assert [name for name, role in people.roles.items() if role == "sensitive"] == ["condition"]
    for name, codes in people.columns.items():
        assert codes.dtype == np.uint8
        assert codes.size == people.n_rows
        assert int(codes.max()) < len(people.values[name])
    assert repr(people).startswith("Sample: 20_000 rows of sex, age, region")


def test_every_value_is_in_its_hierarchy(people: Sample) -> None:
    for name, tree in people.hierarchies.items():
        assert tree.name == name
        assert sorted(map(str, tree.leaves)) == sorted(map(str, people.values[name]))
        tree.encode(people.values[name])
    assert people.hierarchies["age"].depth == 5
    assert people.hierarchies["district"].depth == 4


def test_every_value_has_a_chance(people: Sample) -> None:
    for name, codes in census_sample(400_000).columns.items():
        assert np.unique(codes).size == len(people.values[name]), name


def test_shares_are_plausible(people: Sample) -> None:
    assert 0.47 < share(people, "sex", "female") < 0.53
    assert 0.27 < share(people, "region", "Capital") < 0.37
    assert 0.003 < share(people, "region", "Isles") < 0.02
    assert 0.75 < share(people, "country_of_birth", "here") < 0.95
    assert 0.4 < share(people, "condition", "none") < 0.75
    assert 0 < share(people, "condition", "HIV") < 0.002
    ages = np.asarray(people.values["age"])[people.columns["age"]]
    assert 42 < ages.mean() < 52
    assert ages.min() == 16


@pytest.mark.parametrize(
    ("one", "other", "least"),
    [
        ("age", "marital_status", 0.3),
        ("age", "education", 0.2),
        ("age", "condition", 0.15),
        ("sex", "industry", 0.15),
        ("region", "district", 0.99),
        ("region", "country_of_birth", 0.08),
        ("marital_status", "household_size", 0.25),
        ("education", "occupation", 0.2),
        ("industry", "occupation", 0.4),
        ("occupation", "income", 0.25),
    ],
)
def test_columns_depend_on_each_other(people: Sample, one: str, other: str, least: float) -> None:
    assert cramers_v(people, one, other) > least


@pytest.mark.parametrize(("one", "other"), [("sex", "region"), ("district", "condition")])
def test_columns_that_do_not(people: Sample, one: str, other: str) -> None:
    assert cramers_v(people, one, other) < 0.1


def test_what_cannot_be_is_not(people: Sample) -> None:
    def rows(column: str, *values: object) -> np.ndarray[Any, Any]:
        return np.isin(people.columns[column], [people.values[column].index(v) for v in values])

    assert not (rows("marital_status", "married") & rows("household_size", 1)).any()
    assert (rows("industry", "none") == rows("occupation", "none")).all()
    young = rows("age", 16, 17, 18, 19)
    assert not (young & rows("education", "bachelor", "master or doctorate")).any()
    districts = [str(code) for code in people.values["district"]]
    first = np.asarray([int(code[0]) - 1 for code in districts])[people.columns["district"]]
    assert (first == people.columns["region"]).all()


def test_some_people_are_unique_by_three_columns(people: Sample) -> None:
    names = ("sex", "age", "district")
    counts = Counter(zip(*(people.columns[name].tolist() for name in names), strict=True))
    n_unique = sum(count == 1 for count in counts.values())
    assert 0.01 < n_unique / people.n_rows < 0.5


def test_one_person_and_many() -> None:
    assert census_sample(1).n_rows == 1
    assert census_sample(300_000).n_rows == 300_000
    assert len(basket_sample(1)) == 1
    assert basket_sample(10, 1).labels == ("milk",)


@pytest.mark.parametrize("wrong", [0, -1, 1.5, True, None, "5"])
def test_wrong_sizes_are_refused(wrong: Wrong) -> None:
    with pytest.raises(ParameterError, match=r"n_rows=.* must be .*at least 1"):
        census_sample(wrong)
    with pytest.raises(ParameterError, match="n_transactions"):
        basket_sample(wrong)
    with pytest.raises(ParameterError, match="n_items"):
        basket_sample(5, wrong)
    if wrong != 0:
        with pytest.raises(ParameterError, match="seed"):
            census_sample(5, seed=wrong)
    with pytest.raises(ParameterError, match="n_items=121 must be from 1 to 120"):
        basket_sample(5, 121)


def test_baskets_have_patterns_and_a_long_tail() -> None:
    baskets = basket_sample(5000)
    shares = dict(zip(baskets.labels, baskets.supports / len(baskets), strict=True))
    assert max(shares.values()) > 20 * min(shares.values())
    assert shares["milk"] > 0.25
    pairs = Counter(pair for basket in baskets for pair in combinations(sorted(basket, key=str), 2))
    for one, other in [("gin", "tonic water"), ("baby wipes", "nappies"), ("parmesan", "pasta")]:
        observed = pairs[one, other] / len(baskets)
        assert observed > 2 * shares[one] * shares[other]
    assert (baskets.sizes == 0).any()
    assert 4 < baskets.sizes.mean() < 8
