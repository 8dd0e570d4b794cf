"""Data to try things on: an invented census and invented shopping baskets, no real people.

Both are drawn from small hand-written models by one stream of uniform numbers, so that a seed
gives the same data on every machine, and rare combinations occur as they do in life.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from discreet import checks
from discreet.data.hierarchy.tree import Hierarchy
from discreet.data.transactions import Transactions

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from discreet.data.hierarchy.sources import Value


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
        "sex": SEX, "age": AGES, "region": REGIONS, "district": districts,
        "education": EDUCATION, "marital_status": MARITAL,
        "household_size": HOUSEHOLD, "country_of_birth": BIRTH,
        "industry": INDUSTRY, "occupation": OCCUPATION, "income": INCOME,
        "condition": CONDITION,
    }  # fmt: skip
    everyone = np.zeros(n_rows, dtype=np.int64)
    sex = _draw(random, [SEX_WEIGHTS], everyone)
    age = _draw(random, _age_weights(), sex)
    region = _draw(random, [REGION_WEIGHTS], everyone)
    district = _draw(random, district_weights, region)
    ages = np.asarray(AGES)
    band = (np.searchsorted(BAND_STARTS, ages, side="right") - 1)[age]
    band_sex = 2 * band + sex
    education = _draw(random, EDUCATION_WEIGHTS, band_sex)
    marital = _draw(random, MARITAL_WEIGHTS, band_sex)
    is_old = (ages >= 60)[age]
    household = _draw(random, HOUSEHOLD_WEIGHTS, 2 * marital + is_old)
    births = [[here, *BIRTH_WEIGHTS_ABROAD] for here in BIRTH_HERE_BY_REGION]
    birth = _draw(random, births, region)
    kind_of_region = np.asarray([0, 1, 1, 1, 1, 2, 2, 2])[region]
    industry = _draw(random, _industry_weights(), (band * 2 + sex) * 3 + kind_of_region)
    level = np.asarray([0, 0, 0, 1, 1, 2, 2])[education]
    occupation = _draw(random, _occupation_weights(), industry * 3 + level)
    stage = (ages >= 30).astype(np.int64)[age] + is_old
    income = _draw(random, INCOME_WEIGHTS, occupation * 3 + stage)
    condition = _draw(random, CONDITION_WEIGHTS, band_sex)
    drawn = (sex, age, region, district, education, marital, household, birth, industry,
             occupation, income, condition)  # fmt: skip
    roles = dict.fromkeys(values, "quasi") | {"income": "insensitive", "condition": "sensitive"}
    return Sample(
        columns={name: codes.astype(np.uint8) for name, codes in zip(values, drawn, strict=True)},
        values=values,
        roles=roles,
        hierarchies=_hierarchies(values),
    )


# The invented shop behind `basket_sample`: its products, most popular first, and its meals.

PRODUCTS = (
    "milk", "bread", "bananas", "eggs", "butter", "apples", "tomatoes", "onions", "cheese",
    "chicken", "potatoes", "coffee", "yogurt", "pasta", "rice", "carrots", "orange juice",
    "minced beef", "lettuce", "cucumber", "toilet paper", "sugar", "ham", "peppers", "crisps",
    "chocolate", "beer", "water", "tomato sauce", "olive oil", "garlic", "lemons", "mushrooms",
    "cream", "frozen pizza", "tea", "cereal", "red wine", "salmon", "bacon", "sausages", "flour",
    "biscuits", "ice cream", "strawberries", "grapes", "oranges", "avocado", "broccoli",
    "spinach", "sweetcorn", "beans", "tinned tomatoes", "tuna", "honey", "jam", "mayonnaise",
    "ketchup", "mustard", "kitchen roll", "washing powder", "dish soap", "shampoo", "toothpaste",
    "soap", "nappies", "baby food", "baby wipes", "cat food", "dog food", "parmesan",
    "mozzarella", "feta", "basil", "ginger", "soy sauce", "noodles", "coconut milk",
    "curry paste", "tortillas", "salsa", "lime", "coriander", "kidney beans", "chilli",
    "white wine", "sparkling wine", "whisky", "gin", "tonic water", "cola", "lemonade", "peanuts",
    "olives", "hummus", "pitta bread", "bagels", "croissants", "pancake mix", "maple syrup",
    "oats", "almonds", "raisins", "oat milk", "tofu", "lentils", "chickpeas", "quinoa", "kale",
    "beetroot", "leeks", "celery", "prawns", "duck", "lamb", "light bulbs", "batteries",
    "candles", "greeting card", "birthday cake",
)  # fmt: skip


def basket_sample(
    n_transactions: int = 2000, n_items: int = len(PRODUCTS), *, seed: int = 20240101
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
    checks.whole("n_items", n_items, at_least=1, at_most=len(PRODUCTS))
    random = np.random.Generator(np.random.PCG64(seed))
    code_of = {product: code for code, product in enumerate(PRODUCTS[:n_items])}
    everyone = np.zeros(n_transactions, dtype=np.int64)
    n_single = _draw(random, [SIZE_WEIGHTS], everyone)
    rows = [np.repeat(np.arange(n_transactions), n_single)]
    weights = [[100_000 // (rank + 3) for rank in range(n_items)]]
    codes = [_draw(random, weights, np.zeros(rows[0].size, dtype=np.int64))]
    for share, meal in MEALS:
        eaters = np.flatnonzero(random.random(n_transactions) < share)
        for product in meal:
            buyers = eaters[random.random(eaters.size) < KEPT]
            if product in code_of:
                rows.append(buyers)
                codes.append(np.full(buyers.size, code_of[product]))
    row = np.concatenate(rows)
    order = np.argsort(row, kind="stable")
    offsets = np.searchsorted(row[order], np.arange(n_transactions + 1))
    return Transactions.from_csr(offsets, np.concatenate(codes)[order], list(code_of))


def _at_least(least: int, **options: object) -> None:
    for option, given in options.items():
        checks.whole(option, given, at_least=least)


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
    band = np.searchsorted(BAND_STARTS, AGES, side="right") - 1
    return [np.asarray(AGE_WEIGHTS[sex])[band].tolist() for sex in SEX]


def _districts() -> tuple[tuple[str, ...], list[list[int]]]:
    """Return codes (region, area, place, two digits) and their weights in each region."""
    codes, weights = list[str](), list[dict[str, int]]()
    for region, n_areas in enumerate(REGION_AREAS):
        sizes = {}
        for area in range(n_areas):
            for place in range(AREA_DISTRICTS[area]):
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
        for idle in NOT_WORKING_BY_BAND
        for row in INDUSTRY_WEIGHTS
    ]


def _occupation_weights() -> list[list[int]]:
    """Return weights by industry and level of education; without industry, no occupation."""
    idle = [1] + [0] * len(OCCUPATION_BY_LEVEL[0])
    return [idle] * len(OCCUPATION_BY_LEVEL) + [
        [0, *(often * share for often, share in zip(usual, met, strict=True))]
        for met in OCCUPATION_BY_INDUSTRY
        for usual in OCCUPATION_BY_LEVEL
    ]


def _hierarchies(values: Mapping[str, tuple[Value, ...]]) -> dict[str, Hierarchy]:
    grouped: dict[str, Mapping[str, object]] = {
        "education": EDUCATION_GROUPS,
        "marital_status": MARITAL_GROUPS,
        "household_size": HOUSEHOLD_TREE,
        "country_of_birth": {"here": None, **BIRTH_GROUPS},
        "industry": INDUSTRY_GROUPS,
        "occupation": OCCUPATION_GROUPS,
        "income": INCOME_GROUPS,
        "condition": CONDITION_GROUPS,
    }
    trees = {
        name: Hierarchy.from_mapping(tree, root="*", name=name) for name, tree in grouped.items()
    }
    trees["age"] = Hierarchy.intervals(AGES, steps=[5, 10, 20, 40], name="age")
    codes = [str(code) for code in values["district"]]
    trees["district"] = Hierarchy.prefixes(codes, lengths=[3, 2, 1], name="district")
    flat = {name: Hierarchy.flat(values[name], name=name) for name in ("sex", "region")}
    return {name: (trees | flat)[name] for name in values}


# The invented land behind `census_sample`: what people there are like, as integer weights.
#
# A table gives the weights of a column's values, one row for each combination of the columns it
# depends on. Integers keep the sample the same on every machine.

SEX = ("female", "male")

SEX_WEIGHTS = [51, 49]

AGES = tuple(range(16, 100))

BAND_STARTS = (16, 20, 30, 40, 50, 60, 70, 80)  # the bands other columns depend on

# People per year of age, by band; men die earlier.
AGE_WEIGHTS = {
    "female": (110, 130, 140, 135, 140, 118, 92, 30),
    "male": (116, 134, 142, 136, 138, 110, 72, 16),
}

REGIONS = (
    "Capital", "Northmark", "Eastvale", "Westshore", "Southport", "Highlands", "Lakeland", "Isles",
)  # fmt: skip

REGION_WEIGHTS = [320, 210, 140, 130, 90, 60, 40, 10]

# Towns of each region: areas, and districts of each area; later ones are smaller.
REGION_AREAS = (6, 5, 4, 4, 4, 3, 3, 2)

AREA_DISTRICTS = (5, 4, 4, 3, 3, 2)

EDUCATION = (
    "none", "primary", "lower secondary", "upper secondary", "vocational", "bachelor",
    "master or doctorate",
)  # fmt: skip

EDUCATION_GROUPS = {
    "basic": ("none", "primary", "lower secondary"),
    "middle": ("upper secondary", "vocational"),
    "higher": ("bachelor", "master or doctorate"),
}

# By band, female then male.
EDUCATION_WEIGHTS = [
    [20, 90, 560, 320, 10, 0, 0], [25, 100, 575, 290, 10, 0, 0],
    [8, 20, 90, 330, 180, 290, 82], [10, 25, 120, 330, 250, 210, 55],
    [8, 22, 90, 260, 210, 270, 140], [10, 25, 110, 260, 290, 200, 105],
    [10, 30, 120, 290, 240, 210, 100], [12, 32, 120, 260, 310, 175, 91],
    [12, 45, 180, 310, 245, 145, 63], [14, 45, 150, 270, 330, 125, 66],
    [18, 90, 260, 300, 210, 90, 32], [18, 80, 190, 270, 320, 80, 42],
    [30, 190, 350, 240, 140, 40, 10], [26, 150, 260, 240, 250, 50, 24],
    [55, 330, 370, 160, 70, 12, 3], [45, 270, 300, 190, 155, 28, 12],
]  # fmt: skip

MARITAL = ("single", "married", "partnership", "separated", "divorced", "widowed")

MARITAL_GROUPS = {
    "never married": ("single",),
    "with partner": ("married", "partnership"),
    "formerly married": ("separated", "divorced", "widowed"),
}

# By band, female then male.
MARITAL_WEIGHTS = [
    [985, 8, 6, 1, 0, 0], [995, 2, 3, 0, 0, 0],
    [700, 190, 95, 8, 6, 1], [800, 120, 72, 5, 3, 0],
    [330, 500, 95, 30, 42, 3], [410, 460, 85, 20, 24, 1],
    [190, 590, 60, 40, 110, 10], [230, 600, 60, 30, 77, 3],
    [110, 620, 40, 35, 160, 35], [140, 660, 40, 28, 122, 10],
    [70, 610, 20, 20, 160, 120], [90, 720, 22, 18, 120, 30],
    [55, 480, 8, 10, 100, 347], [60, 760, 12, 10, 78, 80],
    [60, 220, 3, 5, 52, 660], [45, 640, 6, 6, 43, 260],
]  # fmt: skip

HOUSEHOLD = (1, 2, 3, 4, 5, 6, 7, 8)

HOUSEHOLD_TREE = {"small": [1, 2], "medium": [3, 4], "large": [5, 6, 7, 8]}

# By marital status, under 60 then 60 and over.
HOUSEHOLD_WEIGHTS = [
    [330, 220, 200, 160, 60, 20, 7, 3], [720, 200, 50, 20, 7, 2, 1, 0],
    [0, 280, 260, 310, 105, 30, 10, 5], [0, 830, 110, 40, 13, 4, 2, 1],
    [0, 560, 230, 160, 38, 8, 3, 1], [0, 900, 70, 22, 6, 1, 1, 0],
    [400, 270, 190, 100, 28, 8, 3, 1], [690, 220, 60, 22, 6, 1, 1, 0],
    [450, 270, 170, 80, 22, 5, 2, 1], [730, 200, 48, 16, 4, 1, 1, 0],
    [420, 280, 170, 90, 28, 8, 3, 1], [790, 140, 45, 17, 6, 1, 1, 0],
]  # fmt: skip

BIRTH_GROUPS = {
    "Europe": ("Poland", "Romania", "Italy", "Portugal", "Ireland", "Greece", "Ukraine"),
    "Asia": ("India", "China", "Viet Nam", "Philippines", "Syria", "Japan"),
    "Africa": ("Nigeria", "Morocco", "Kenya", "Ghana", "Eritrea"),
    "Americas": ("Brazil", "Colombia", "Mexico", "Canada", "Chile"),
    "Oceania": ("Australia", "Fiji"),
}

BIRTH = ("here", *(country for group in BIRTH_GROUPS.values() for country in group))

BIRTH_WEIGHTS_ABROAD = (
    90, 70, 40, 45, 25, 12, 38, 75, 48, 22, 26, 34, 6, 30, 36, 9, 14, 17, 28, 11, 8, 7, 3, 5, 1,
)  # fmt: skip

BIRTH_HERE_BY_REGION = (2300, 6200, 7800, 5200, 4700, 16000, 11000, 21000)

INDUSTRY = (
    "none", "agriculture", "manufacturing", "construction", "retail", "transport", "hospitality",
    "information", "finance", "public administration", "education", "health", "arts",
)  # fmt: skip

INDUSTRY_GROUPS = {
    "none": ("none",),
    "production": ("agriculture", "manufacturing", "construction"),
    "market services": ("retail", "transport", "hospitality", "information", "finance"),
    "public services": ("public administration", "education", "health", "arts"),
}

NOT_WORKING_BY_BAND = (62, 24, 17, 15, 19, 52, 94, 98)  # per cent

# By sex and by kind of region: city (the Capital), mixed, rural (the last three).
INDUSTRY_WEIGHTS = [
    [2, 40, 12, 150, 30, 75, 75, 85, 110, 150, 240, 31],
    [15, 75, 12, 165, 28, 72, 35, 45, 95, 155, 275, 28],
    [80, 60, 12, 155, 24, 120, 14, 20, 90, 140, 265, 20],
    [4, 85, 110, 120, 115, 65, 150, 105, 95, 60, 65, 26],
    [30, 190, 150, 125, 110, 48, 70, 45, 82, 60, 68, 22],
    [170, 130, 180, 105, 105, 75, 25, 18, 72, 50, 58, 12],
]

OCCUPATION = (
    "none", "manager", "professional", "technician", "clerk", "service worker", "farm worker",
    "craft worker", "machine operator", "labourer", "soldier",
)  # fmt: skip

OCCUPATION_GROUPS = {
    "none": ("none",),
    "leading": ("manager", "professional", "technician"),
    "office and service": ("clerk", "service worker"),
    "manual": ("farm worker", "craft worker", "machine operator", "labourer"),
    "forces": ("soldier",),
}

# By level of education (basic, middle, higher), before what the industry makes of it.
OCCUPATION_BY_LEVEL = [
    (10, 4, 25, 60, 190, 60, 140, 130, 220, 2),
    (45, 40, 160, 170, 190, 40, 150, 90, 70, 6),
    (160, 480, 160, 80, 40, 6, 12, 8, 10, 4),
]

# How often each occupation is met in each industry but "none", per cent of its usual share.
OCCUPATION_BY_INDUSTRY = [
    (80, 10, 30, 20, 5, 2500, 40, 80, 300, 0),
    (100, 60, 120, 80, 5, 5, 260, 450, 150, 0),
    (80, 30, 70, 40, 2, 10, 700, 100, 250, 0),
    (110, 20, 50, 110, 320, 5, 40, 20, 90, 0),
    (70, 20, 80, 160, 50, 5, 40, 700, 150, 0),
    (130, 10, 30, 60, 420, 20, 20, 10, 200, 0),
    (120, 260, 220, 60, 8, 0, 20, 3, 5, 0),
    (150, 150, 240, 320, 15, 0, 2, 2, 5, 0),
    (110, 130, 120, 280, 90, 5, 20, 10, 40, 900),
    (50, 330, 60, 60, 100, 2, 5, 3, 40, 0),
    (40, 160, 230, 60, 200, 2, 5, 5, 50, 0),
    (80, 260, 150, 60, 90, 10, 70, 5, 40, 0),
]

INCOME = (
    "under 10 000", "10 000 to 20 000", "20 000 to 30 000", "30 000 to 45 000",
    "45 000 to 70 000", "70 000 and over",
)  # fmt: skip

INCOME_GROUPS = {"low": INCOME[:2], "middle": INCOME[2:4], "high": INCOME[4:]}

# By occupation, and by age: under 30, 30 to 59, 60 and over.
INCOME_WEIGHTS = [
    [850, 120, 25, 4, 1, 0], [480, 330, 140, 40, 8, 2], [130, 430, 300, 110, 25, 5],
    [15, 60, 160, 330, 290, 145], [8, 25, 80, 230, 340, 317], [20, 40, 90, 220, 320, 310],
    [30, 110, 260, 380, 180, 40], [12, 45, 130, 340, 330, 143], [25, 60, 140, 320, 310, 145],
    [50, 170, 360, 330, 80, 10], [20, 90, 270, 420, 170, 30], [40, 110, 270, 390, 160, 30],
    [80, 290, 400, 200, 27, 3], [40, 200, 410, 280, 62, 8], [70, 220, 390, 250, 60, 10],
    [190, 420, 310, 73, 6, 1], [110, 370, 380, 120, 18, 2], [170, 380, 330, 100, 18, 2],
    [220, 400, 290, 80, 9, 1], [150, 350, 330, 140, 26, 4], [230, 350, 280, 110, 26, 4],
    [80, 280, 420, 200, 19, 1], [30, 160, 400, 340, 64, 6], [60, 190, 390, 290, 62, 8],
    [90, 310, 410, 175, 14, 1], [40, 210, 430, 270, 46, 4], [70, 240, 410, 230, 46, 4],
    [260, 460, 230, 46, 4, 0], [160, 430, 310, 90, 9, 1], [220, 420, 270, 80, 9, 1],
    [20, 200, 500, 260, 19, 1], [5, 60, 300, 450, 165, 20], [10, 70, 280, 430, 180, 30],
]  # fmt: skip

CONDITION = (
    "none", "hypertension", "asthma", "arthritis", "diabetes", "depression", "heart disease",
    "cancer", "epilepsy", "hepatitis", "HIV",
)  # fmt: skip

CONDITION_GROUPS = {
    "none": ("none",),
    "circulation": ("hypertension", "heart disease"),
    "infection": ("hepatitis", "HIV"),
    "long-term": ("asthma", "arthritis", "diabetes", "cancer"),
    "nervous system": ("depression", "epilepsy"),
}

# By band, female then male.
CONDITION_WEIGHTS = [
    [8350, 20, 850, 20, 40, 620, 10, 15, 65, 5, 5],
    [8720, 30, 800, 10, 40, 310, 10, 15, 55, 5, 5],
    [8150, 110, 760, 60, 70, 720, 20, 40, 45, 15, 10],
    [8610, 190, 640, 40, 70, 330, 20, 30, 40, 15, 15],
    [7780, 350, 700, 190, 170, 640, 40, 80, 30, 12, 8],
    [8060, 560, 560, 130, 190, 370, 60, 30, 22, 10, 8],
    [6850, 950, 640, 480, 320, 560, 70, 90, 25, 10, 5],
    [6950, 1260, 520, 300, 410, 360, 130, 40, 18, 7, 5],
    [5150, 1830, 590, 1050, 560, 490, 150, 150, 18, 8, 4],
    [5340, 2080, 460, 620, 760, 310, 300, 110, 12, 5, 3],
    [3650, 2560, 520, 1640, 860, 330, 260, 160, 12, 5, 3],
    [3780, 2690, 420, 930, 1120, 200, 560, 280, 12, 5, 3],
    [2500, 2930, 480, 2150, 990, 260, 480, 190, 14, 4, 2],
    [2580, 2940, 400, 1250, 1190, 160, 980, 480, 14, 4, 2],
    [1850, 3030, 420, 2520, 940, 260, 770, 195, 12, 2, 1],
    [1890, 3010, 370, 1540, 1080, 170, 1330, 595, 12, 2, 1],
]

# Share of baskets with each meal, and what belongs to it.
MEALS = (
    (0.080, ("pasta", "tomato sauce", "minced beef", "parmesan")),
    (0.070, ("bread", "butter", "ham", "cheese")),
    (0.060, ("lettuce", "tomatoes", "cucumber", "olive oil")),
    (0.045, ("beer", "crisps", "peanuts")),
    (0.040, ("tortillas", "minced beef", "salsa", "avocado", "lime")),
    (0.035, ("nappies", "baby wipes", "baby food")),
    (0.030, ("eggs", "bacon", "sausages", "mushrooms", "bread")),
    (0.025, ("rice", "coconut milk", "curry paste", "chicken", "coriander")),
    (0.020, ("flour", "sugar", "eggs", "butter", "chocolate")),
    (0.018, ("gin", "tonic water", "lemons")),
    (0.015, ("mozzarella", "tomatoes", "basil", "olive oil")),
    (0.012, ("pancake mix", "maple syrup", "strawberries")),
    (0.010, ("noodles", "soy sauce", "ginger", "tofu", "peppers")),
    (0.006, ("hummus", "pitta bread", "olives", "feta")),
    (0.003, ("birthday cake", "candles", "greeting card", "sparkling wine")),
)

KEPT = 0.85  # share of a meal's products that are bought, the others being at home

SIZE_WEIGHTS = (14, 90, 130, 150, 140, 120, 95, 75, 55, 40, 28, 20, 14, 10, 7, 5, 3, 2, 1, 1)
