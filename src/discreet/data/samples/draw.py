"""Data to try things on: an invented census and invented shopping baskets, no real people.

Both are drawn from small hand-written models by one stream of uniform numbers, so that a seed
gives the same data on every machine, and rare combinations occur as they do in life.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from discreet.data.hierarchy import Hierarchy
from discreet.data.samples import baskets as shop
from discreet.data.samples import census as land
from discreet.data.transactions import Transactions
from discreet.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from discreet.data.hierarchies.draft import Value


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Sample:
    """Columns of codes with all that is needed to make a table of them.

    Attributes
    ----------
    columns : dict
        From name to codes, of the smallest unsigned type that fits.
    values : dict
        From name to what the codes stand for; rare values need not occur.
    roles : dict
        From name to ``quasi``, ``sensitive`` or ``insensitive``.
    hierarchies : dict
        From name to the `Hierarchy` of its values.
    """

    columns: dict[str, NDArray[np.unsignedinteger]]
    values: dict[str, tuple[Value, ...]]
    roles: dict[str, str]
    hierarchies: dict[str, Hierarchy]

    @property
    def n_rows(self) -> int:
        """Number of people."""
        return next(iter(self.columns.values())).size

    def __repr__(self) -> str:
        return f"Sample: {self.n_rows:_} rows of {', '.join(self.columns)}"


def census_sample(n_rows: int = 5000, *, seed: int = 20240101) -> Sample:
    """Return invented residents of an invented land: twelve columns that depend on each other.

    Parameters
    ----------
    n_rows : integer, at least 1
        How many people.
    seed : integer, at least 0
        The same seed gives the same people, and fewer rows are not the first of more.

    Returns
    -------
    Sample
        Ten quasi-identifiers, an income band and a sensitive health condition.

    Notes
    -----
    A Bayesian network: district on region; education, marital status and condition on age
    and sex; household on marital status and age; country of birth on region; industry on age,
    sex and region; occupation on industry and education; income on occupation and age.
    O(n_rows) and about 50 bytes a row.

    Examples
    --------
    >>> people = census_sample(1000)
    >>> people.n_rows, len(people.columns), people.roles["condition"]
    (1000, 12, 'sensitive')
    >>> people.hierarchies["district"]
    Hierarchy of 'district': 123 leaves, 216 nodes, depth 4, root '*'
    """
    _at_least(1, n_rows=n_rows)
    _at_least(0, seed=seed)
    random = np.random.Generator(np.random.PCG64(seed))
    districts, district_weights = _districts()
    values: dict[str, tuple[Value, ...]] = {
        "sex": land.SEX, "age": land.AGES, "region": land.REGIONS, "district": districts,
        "education": land.EDUCATION, "marital_status": land.MARITAL,
        "household_size": land.HOUSEHOLD, "country_of_birth": land.BIRTH,
        "industry": land.INDUSTRY, "occupation": land.OCCUPATION, "income": land.INCOME,
        "condition": land.CONDITION,
    }  # fmt: skip
    everyone = np.zeros(n_rows, dtype=np.int64)
    sex = _draw(random, [land.SEX_WEIGHTS], everyone)
    age = _draw(random, _age_weights(), sex)
    region = _draw(random, [land.REGION_WEIGHTS], everyone)
    district = _draw(random, district_weights, region)
    ages = np.asarray(land.AGES)
    band = (np.searchsorted(land.BAND_STARTS, ages, side="right") - 1)[age]
    band_sex = 2 * band + sex
    education = _draw(random, land.EDUCATION_WEIGHTS, band_sex)
    marital = _draw(random, land.MARITAL_WEIGHTS, band_sex)
    is_old = (ages >= 60)[age]
    household = _draw(random, land.HOUSEHOLD_WEIGHTS, 2 * marital + is_old)
    births = [[here, *land.BIRTH_WEIGHTS_ABROAD] for here in land.BIRTH_HERE_BY_REGION]
    birth = _draw(random, births, region)
    kind_of_region = np.asarray([0, 1, 1, 1, 1, 2, 2, 2])[region]
    industry = _draw(random, _industry_weights(), (band * 2 + sex) * 3 + kind_of_region)
    level = np.asarray([0, 0, 0, 1, 1, 2, 2])[education]
    occupation = _draw(random, _occupation_weights(), industry * 3 + level)
    stage = (ages >= 30).astype(np.int64)[age] + is_old
    income = _draw(random, land.INCOME_WEIGHTS, occupation * 3 + stage)
    condition = _draw(random, land.CONDITION_WEIGHTS, band_sex)
    drawn = (sex, age, region, district, education, marital, household, birth, industry,
             occupation, income, condition)  # fmt: skip
    roles = dict.fromkeys(values, "quasi") | {"income": "insensitive", "condition": "sensitive"}
    return Sample(
        columns={name: codes.astype(np.uint8) for name, codes in zip(values, drawn, strict=True)},
        values=values,
        roles=roles,
        hierarchies=_hierarchies(values),
    )


def basket_sample(
    n_transactions: int = 2000, n_items: int = len(shop.PRODUCTS), *, seed: int = 20240101
) -> Transactions:
    """Return invented shopping baskets with products that go together.

    Parameters
    ----------
    n_transactions : integer, at least 1
        How many baskets; some are empty.
    n_items : integer, at least 1
        How many products the shop has, the most popular first; at most all of them.
    seed : integer, at least 0
        The same seed gives the same baskets.

    Returns
    -------
    Transactions
        Labels are product names. The share of the r-th product falls as 1 / (r + 3); on top
        come the meals of ``sample_baskets.MEALS``, each bought by some, mostly in full.

    Examples
    --------
    >>> basket_sample(1000)
    Transactions: 1,000 transactions, 120 items, 6,... occurrences, mean size 6...
    """
    _at_least(1, n_transactions=n_transactions, n_items=n_items)
    _at_least(0, seed=seed)
    if n_items > len(shop.PRODUCTS):
        raise ParameterError(f"n_items is at most {len(shop.PRODUCTS)}, not {n_items}.")
    random = np.random.Generator(np.random.PCG64(seed))
    code_of = {product: code for code, product in enumerate(shop.PRODUCTS[:n_items])}
    everyone = np.zeros(n_transactions, dtype=np.int64)
    n_single = _draw(random, [shop.SIZE_WEIGHTS], everyone)
    rows = [np.repeat(np.arange(n_transactions), n_single)]
    weights = [[100_000 // (rank + 3) for rank in range(n_items)]]
    codes = [_draw(random, weights, np.zeros(rows[0].size, dtype=np.int64))]
    for share, meal in shop.MEALS:
        eaters = np.flatnonzero(random.random(n_transactions) < share)
        for product in meal:
            buyers = eaters[random.random(eaters.size) < shop.KEPT]
            if product in code_of:
                rows.append(buyers)
                codes.append(np.full(buyers.size, code_of[product]))
    row = np.concatenate(rows)
    order = np.argsort(row, kind="stable")
    offsets = np.searchsorted(row[order], np.arange(n_transactions + 1))
    return Transactions.from_csr(offsets, np.concatenate(codes)[order], list(code_of))


def _at_least(least: int, **options: object) -> None:
    for option, given in options.items():
        if type(given) is not int or given < least:
            raise ParameterError(f"{option} is an integer of at least {least}, not {given!r}.")


def _draw(
    random: np.random.Generator, weights: Sequence[Sequence[int]], given: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return one value for each row of `given`, by the weights in that row of the table."""
    table = np.asarray(weights, dtype=np.int64)
    n_values = table.shape[1]
    # Whole numbers and one division: the same thresholds everywhere.
    shares = np.cumsum(table, axis=1) / table.sum(axis=1, keepdims=True)
    thresholds = (np.arange(len(table))[:, None] + shares).ravel()
    places = np.searchsorted(thresholds, given + random.random(given.size), side="right")
    # given + random may round up to given + 1, which is the last value with a weight.
    last = n_values - 1 - np.argmax(table[:, ::-1] > 0, axis=1)
    drawn: NDArray[np.int64] = np.minimum(places - given * n_values, last[given])
    return drawn


def _age_weights() -> list[list[int]]:
    band = np.searchsorted(land.BAND_STARTS, land.AGES, side="right") - 1
    return [np.asarray(land.AGE_WEIGHTS[sex])[band].tolist() for sex in land.SEX]


def _districts() -> tuple[tuple[str, ...], list[list[int]]]:
    """Return codes (region, area, place, two digits) and their weights in each region."""
    codes, weights = list[str](), list[dict[str, int]]()
    for region, n_areas in enumerate(land.REGION_AREAS):
        sizes = {}
        for area in range(n_areas):
            for place in range(land.AREA_DISTRICTS[area]):
                code = (
                    f"{region + 1}{area}{place // 2}{(37 * place + 11 * area + region) % 100:02d}"
                )
                sizes[code] = 10_000 // (1 + 3 * area + place * place)
        codes.extend(sizes)
        weights.append(sizes)
    return tuple(codes), [[sizes.get(code, 0) for code in codes] for sizes in weights]


def _industry_weights() -> list[list[int]]:
    """Return weights by age band, sex and kind of region; the first industry is none."""
    return [
        [idle * sum(row), *((100 - idle) * weight for weight in row)]
        for idle in land.NOT_WORKING_BY_BAND
        for row in land.INDUSTRY_WEIGHTS
    ]


def _occupation_weights() -> list[list[int]]:
    """Return weights by industry and level of education; without industry, no occupation."""
    idle = [1] + [0] * len(land.OCCUPATION_BY_LEVEL[0])
    return [idle] * len(land.OCCUPATION_BY_LEVEL) + [
        [0, *(often * share for often, share in zip(usual, met, strict=True))]
        for met in land.OCCUPATION_BY_INDUSTRY
        for usual in land.OCCUPATION_BY_LEVEL
    ]


def _hierarchies(values: Mapping[str, tuple[Value, ...]]) -> dict[str, Hierarchy]:
    grouped: dict[str, Mapping[str, object]] = {
        "education": land.EDUCATION_GROUPS,
        "marital_status": land.MARITAL_GROUPS,
        "household_size": land.HOUSEHOLD_TREE,
        "country_of_birth": {"here": None, **land.BIRTH_GROUPS},
        "industry": land.INDUSTRY_GROUPS,
        "occupation": land.OCCUPATION_GROUPS,
        "income": land.INCOME_GROUPS,
        "condition": land.CONDITION_GROUPS,
    }
    trees = {
        name: Hierarchy.from_mapping(tree, root="*", name=name) for name, tree in grouped.items()
    }
    trees["age"] = Hierarchy.intervals(land.AGES, steps=[5, 10, 20, 40], name="age")
    codes = [str(code) for code in values["district"]]
    trees["district"] = Hierarchy.prefixes(codes, lengths=[3, 2, 1], name="district")
    flat = {name: Hierarchy.flat(values[name], name=name) for name in ("sex", "region")}
    return {name: (trees | flat)[name] for name in values}
