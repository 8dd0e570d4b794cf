"""Every mechanism behind one call, and what it promises about its input and its output.

A contract that a mechanism cannot keep stands here with the reason, so that a new mechanism
has to say the same of itself.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any

import polars as pl
import pytest

import discreet as dc
from discreet.patterns import additive, certified, pattern_release, suppressive
from discreet.randomize import CutAndPaste, Operator, RandomizedRelease, SelectASize, Uniform
from discreet.synthesize import Sanitized, randomized_response

Data = dc.Table | dc.Transactions
AnyRelease = dc.Release | RandomizedRelease

PEOPLE = dc.datasets.census(300, seed=1).select(["sex", "marital_status", "education", "region"])
TREES = dc.datasets.census_hierarchies()
FEW = PEOPLE.select(["sex", "marital_status"])
PUBLIC = dc.datasets.census(300, seed=2).select(PEOPLE.columns)
BASKETS = dc.Transactions.from_iterable(
    [["tea", "milk"], ["milk"], ["tea", "jam", "ham"], ["rice", "oil"]] * 30
)

TIES = "of equally good groups the first is taken, so only the guarantee is the same"
DRAWS = "draws are made in the order of rows and columns, so only the guarantee is the same"
NO_COLUMNS = "transactions have none"
NO_THREADS = "has no parallel part, so takes no threads"
AT_ONCE = "is over at once, so reports no progress"
NO_RELEASE = "returns cells and their chances; synthetic_release with local trust certifies them"


@dataclass(frozen=True, kw_only=True, eq=False)
class Mechanism:
    """A mechanism, how to run it, and which contracts it does not keep and why."""

    name: str
    run: Callable[..., Any]
    data: Data = field(default_factory=lambda: PEOPLE)
    takes_seed: bool = False
    is_drawn: bool | None = None  # whether a seed takes the guarantee away; takes_seed by default
    needs_original: bool = False
    broken: Callable[[pl.DataFrame], pl.DataFrame] = field(default=lambda rows: rows)
    not_kept: dict[str, str] = field(default_factory=dict)

    @property
    def is_experimental(self) -> bool:
        return self.takes_seed if self.is_drawn is None else self.is_drawn

    def repeated(self, data: Data, **options: object) -> Any:  # noqa: ANN401
        """Run it so that a second run gives the same."""
        seed = {"seed": 5} if self.takes_seed else {}
        return self.run(data, **seed, **options)

    @cached_property
    def made(self) -> Any:  # noqa: ANN401
        """What it makes for publication."""
        return self.run(self.data)

    @cached_property
    def made_again(self) -> Any:  # noqa: ANN401
        """What it makes whenever it is repeated."""
        return self.repeated(self.data)


# Ways to break a release by one cell.


def strange_value(rows: pl.DataFrame) -> pl.DataFrame:
    """Put a value that nobody has, and no list, into the first cell."""
    first = rows.columns[0]
    changed = ["nobody's", *rows[first].cast(pl.String).to_list()[1:]]
    return rows.with_columns(pl.Series(first, changed, dtype=pl.String))


def unlisted_item(rows: pl.DataFrame) -> pl.DataFrame:
    """Put an item that is not on the list into the first set."""
    sets = rows["items"].to_list()
    return rows.with_columns(pl.Series("items", [[99], *sets[1:]], dtype=rows["items"].dtype))


def opened_channel(rows: pl.DataFrame) -> pl.DataFrame:
    """Give a largest itemset one row less than one of its subsets: a group of one shows."""
    sets = [frozenset(json.loads(text)) for text in rows["items"]]
    is_pattern = (rows["kind"] == "pattern").to_list()
    large = max((p for p, known in enumerate(is_pattern) if known), key=lambda p: len(sets[p]))
    small = next(p for p, known in enumerate(is_pattern) if known and sets[p] < sets[large])
    supports = rows["support"].to_list()
    supports[large] = supports[small] - 1
    return rows.with_columns(pl.Series("support", supports, dtype=rows["support"].dtype))


# How each is run: ``seed``, ``threads`` and ``progress`` as it takes them.


def is_census(table: dc.Table) -> bool:
    return set(table.columns) <= set(TREES)


def mii(table: dc.Table, **options: Any) -> dc.Release:  # noqa: ANN401
    return dc.mii_suppress(table, theta=2, **options)


def k_mii(table: dc.Table, **options: Any) -> dc.Release:  # noqa: ANN401
    return dc.k_mii(table, k=3, **options)


def dp_mii(table: dc.Table, *, scheme: Any, **options: Any) -> dc.Release:  # noqa: ANN401
    known: dict[str, Any] = {}
    if scheme == "dp" and is_census(table):
        known = {"domains": TREES}
    elif scheme == "public":
        known = {"public": PUBLIC if is_census(table) else table, "theta": 2}
    return dc.dp_mii_suppress(table, epsilon=2, delta=1e-3, k=5, scheme=scheme, **known, **options)


def generalized(table: dc.Table, *, method: Callable[..., dc.Release], **limits: Any) -> dc.Release:  # noqa: ANN401
    trees = TREES if is_census(table) else {}
    used = {name: trees[name] for name in table.columns if name in trees}
    return method(table, k=3, hierarchies=used, **limits)


def responded(table: dc.Table, **options: Any) -> Sanitized:  # noqa: ANN401
    return randomized_response(table, epsilon=2, **options)


def drawn(table: dc.Table, **options: Any) -> dc.Release:  # noqa: ANN401
    known = TREES if is_census(table) else None
    return dc.synthetic_release(table, epsilon=2, n_rows=50, domains=known, **options)


def sanitized(data: Data, *, method: Callable[..., Any], **options: Any) -> dc.Release:  # noqa: ANN401
    return pattern_release(method(data, k=3, min_support=6, **options), source=data)


def randomized(
    data: dc.Transactions,
    *,
    operator: Operator,
    size: int | None = None,
    **options: Any,  # noqa: ANN401
) -> RandomizedRelease:
    return dc.randomize_transactions(data, operator=operator, padded_size=size, **options)


CUT = CutAndPaste(cutoff=3, rho="1/4")
SELECT = SelectASize({m: [f"1/{m + 1}"] * (m + 1) for m in range(4)}, rho="1/4")
OPERATORS: tuple[tuple[str, Operator, int | None], ...] = (
    ("cut and paste", CUT, None),
    ("select a size", SELECT, None),
    ("uniform", Uniform("1/2"), None),
    ("cut and paste, padded", CUT, 2),
)
GENERALIZE: dict[Callable[..., dc.Release], tuple[str, ...]] = {
    dc.set_cover: ("columns", "rows"),
    dc.forest: ("rows",),
    dc.agglomerative: ("rows",),
    dc.mondrian: (),
    dc.datafly: (),
    dc.incognito: (),
}
SYNTHETIC: dict[str, dict[str, Any]] = {
    "central, pure": {},
    "central, gaussian": {"delta": 1e-6},
    "central, krimp": {"delta": 1e-6, "generator": "krimp"},
    "local": {"trust": "local"},
    "local, krimp": {"trust": "local", "generator": "krimp"},
}

MECHANISMS = (
    Mechanism(name="mii_suppress", run=mii, broken=strange_value, needs_original=True),
    Mechanism(name="k_mii", run=k_mii, broken=strange_value),
    Mechanism(
        name="k_mii of a sample", run=partial(k_mii, sample_size=100), broken=strange_value,
        takes_seed=True, is_drawn=False, not_kept={"rows": DRAWS, "progress": AT_ONCE},
    ),
    *(
        Mechanism(
            name=f"dp_mii_suppress, {scheme}", run=partial(dp_mii, scheme=scheme),
            broken=strange_value, takes_seed=True,
            not_kept={"columns": DRAWS, "rows": DRAWS} | reason,
        )
        for scheme, reason in (("dp", {"progress": AT_ONCE}), ("public", {}), ("split", {}))
    ),
    *(
        Mechanism(
            name=method.__name__, run=partial(generalized, method=method), broken=strange_value,
            not_kept=dict.fromkeys(loose, TIES),
        )
        for method, loose in GENERALIZE.items()
    ),
    *(
        Mechanism(
            name=f"synthetic, {kind}", run=partial(drawn, **options), data=FEW,
            broken=strange_value, takes_seed=True,
            not_kept={"columns": DRAWS} | ({"rows": DRAWS} if "local" in kind else {}),
        )
        for kind, options in SYNTHETIC.items()
    ),
    Mechanism(
        name="randomized_response", run=responded, takes_seed=True,
        not_kept={
            "columns": DRAWS, "rows": DRAWS, "threads": NO_THREADS, "progress": AT_ONCE,
            "release": NO_RELEASE,
        },
    ),
    *(
        Mechanism(
            name=name, run=partial(randomized, operator=operator, size=size), data=BASKETS,
            broken=unlisted_item, takes_seed=True,
            not_kept={
                "columns": NO_COLUMNS, "rows": DRAWS, "threads": NO_THREADS, "progress": AT_ONCE,
            },
        )
        for name, operator, size in OPERATORS
    ),
    *(
        Mechanism(
            name=f"{method.__name__} of {what}", run=partial(sanitized, method=method), data=data,
            broken=opened_channel, not_kept=not_kept,
        )
        for method in (additive, suppressive, certified)
        for what, data, not_kept in (
            ("tables", PEOPLE, {}), ("transactions", BASKETS, {"columns": NO_COLUMNS}),
        )
    ),
)  # fmt: skip


def keeping(contract: str) -> pytest.MarkDecorator:
    """Return the parameters of a test of all mechanisms that keep a contract."""
    kept = [one for one in MECHANISMS if contract not in one.not_kept]
    return pytest.mark.parametrize("mechanism", kept, ids=lambda one: one.name)
