"""Every mechanism behind one call, and what it promises about its input and its output.

Those of the registry are made from their records: a method that is registered is tested with the
options of its example. What more is tried of the built-in ones, and which contract one of them
cannot keep, stands here with the reason.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any

import numpy as np
import polars as pl
import pytest

import discreet as dc
from discreet.data.people import People
from discreet.policy.methods import Context, read_method
from discreet.randomize import Operator, SelectASize, Uniform
from discreet.release.method import Method
from discreet.release.methods import METHODS
from discreet.synthesize import Sanitized, randomized_response

Data = dc.Table | dc.Transactions

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
    record: Method | None = None
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


# What is tried of each method, besides the example of its record.


def is_census(table: Data) -> bool:
    return isinstance(table, dc.Table) and set(table.columns) <= set(TREES)


def listed(table: Data) -> object:
    """Return the values of a census, from public knowledge; nothing is known of other tables."""
    assert isinstance(table, dc.Table)
    return {name: list(TREES[name].leaves) for name in table.columns} if is_census(table) else None


@dataclass(frozen=True, kw_only=True, eq=False)
class Variant:
    """Options of a method; those that are functions depend on the data."""

    name: str = ""
    options: Mapping[str, object]
    takes_seed: bool = True  # if the method does
    several_rows: bool = False  # of a person, which the data then say
    not_kept: dict[str, str] = field(default_factory=dict)


DP: dict[str, object] = {"epsilon": 2, "delta": "1e-3", "k": 5}
DRAWN: dict[str, object] = {"epsilon": 2, "n_rows": 50, "domains": listed}
ROWS = {"rows": DRAWS}
FEWER: dict[str, object] = {"k": 3, "min_support": 6}
PATTERNS = (
    Variant(options=FEWER, takes_seed=False),
    Variant(name="one of each", options={**FEWER, "per_person": "one"}, several_rows=True),
)
VARIANTS: dict[str, tuple[Variant, ...]] = {
    "k-mii": (
        Variant(options={"k": 3}, takes_seed=False),
        Variant(name="of a sample", options={"k": 3, "sample_size": 100},
                not_kept={**ROWS, "progress": AT_ONCE}),
        Variant(name="of few values", options={"k": 3, "max_size": 2}, takes_seed=False),
    ),
    "mii-suppress": (
        Variant(options={"theta": 2}),
        Variant(name="of few values", options={"theta": 2, "max_size": 2}),
    ),
    "dp-mii-suppress": (
        Variant(name="dp", options={**DP, "domains": listed}, not_kept={"progress": AT_ONCE}),
        Variant(name="public", options={**DP, "scheme": "public", "theta": 2, "public": "file"}),
        Variant(name="split", options={**DP, "scheme": "split"}),
        Variant(name="of people", options={**DP, "domains": listed}, several_rows=True,
                not_kept={"progress": AT_ONCE}),
    ),
    "synthesize": (
        Variant(name="pure", options=DRAWN),
        Variant(name="gaussian", options={**DRAWN, "delta": "1e-6"}),
        Variant(name="krimp",
                options={**DRAWN, "delta": "1e-6", "generator": "krimp"}),
        Variant(name="local", options={**DRAWN, "trust": "local"}, not_kept=ROWS),
        Variant(name="local krimp", not_kept=ROWS,
                options={**DRAWN, "trust": "local", "generator": "krimp"}),
        Variant(name="of people", options={"epsilon": 2, "delta": "1e-3", "n_rows": 50},
                several_rows=True),
        Variant(name="of people local", options={**DRAWN, "trust": "local"}, several_rows=True,
                not_kept=ROWS),
        Variant(name="two rows of people", options={**DRAWN, "rows_per_person": 2},
                several_rows=True),
    ),
    "patterns-additive": PATTERNS,
    "patterns-suppressive": PATTERNS,
    "patterns-certified": PATTERNS,
    "randomize": (
        Variant(name="cut and paste", options={"cutoff": 3, "rho": "0.25"}),
        Variant(name="padded", options={"cutoff": 3, "rho": "0.25", "padded_size": 2}),
    ),
    **{
        name: (Variant(options={"k": 3}),)
        for name, record in METHODS.items() if record.family == "generalization"
    },
}  # fmt: skip
BREAK: dict[str, Callable[[pl.DataFrame], pl.DataFrame]] = {
    "rows": strange_value,
    "synthetic rows": strange_value,
    "patterns": opened_channel,
    "transactions": unlisted_item,
}
ABOUT_THE_ORIGINAL = {"support floor"}  # models that cannot be recomputed without it


def run_method(
    data: Data, *, record: Method, options: Mapping[str, object], seed: int | None = None,
    **limits: Any,  # noqa: ANN401
) -> Any:  # noqa: ANN401  # fmt: skip
    """Run a method as a policy does: ``seed``, ``threads`` and ``progress`` as it takes them."""
    given = {name: each(data) if callable(each) else each for name, each in options.items()}
    given = {name: each for name, each in given.items() if each is not None}
    trees = TREES if is_census(data) else {}
    assert isinstance(data, dc.Table) or not record.hierarchies
    context = Context(
        read=lambda _: PUBLIC if is_census(data) else data,  # type: ignore[arg-type,return-value]
        hierarchies={n: trees[n] for n in getattr(data, "columns", ()) if n in trees},
    )
    method = read_method({"name": record.name, **given})
    return method.protect(data, context=context, seed=seed, **limits)


def twice(data: Data) -> Data:
    """Return data in which everybody has the same row twice: any choice of one gives the same."""
    rows = np.repeat(np.arange(len(data)), 2)
    return replace(data.take(rows), people=People.of("who", rows))


def of_people(run: Callable[..., Any], data: Data, **options: Any) -> Any:  # noqa: ANN401
    """Run a method on data that know whose each row is; if they do not, each is of another."""
    if data.people is None:
        data = replace(data, people=People.of("who", np.arange(len(data))))
    return run(data, **options)


def of_record(record: Method) -> Iterator[Mechanism]:
    """Yield what is tested of a method: each variant, with each kind of data that it takes."""
    usual = Variant(options=record.example)
    for variant in VARIANTS.get(record.name, (usual,)):
        for kind in record.takes:
            why = TIES if record.hierarchies else DRAWS
            not_kept = {str(order): why for order in record.order_matters} | variant.not_kept
            not_kept |= {} if "threads" in record.limits else {"threads": NO_THREADS}
            not_kept |= {} if "progress" in record.limits else {"progress": AT_ONCE}
            not_kept |= {"columns": NO_COLUMNS} if kind == "transactions" else {}
            table = FEW if record.publishes == "synthetic rows" else PEOPLE
            words = (record.name, variant.name, kind if len(record.takes) > 1 else "")
            takes_seed = record.takes_seed and variant.takes_seed
            run = partial(run_method, record=record, options=variant.options)
            data: Data = table if kind == "table" else BASKETS
            yield Mechanism(
                name=" ".join(word for word in words if word),
                run=partial(of_people, run) if variant.several_rows else run,
                data=twice(data) if variant.several_rows else data,
                broken=BREAK[record.publishes],
                takes_seed=takes_seed,
                is_drawn=takes_seed
                and (variant.several_rows or "differential privacy" in record.claims[0]),
                needs_original=bool(ABOUT_THE_ORIGINAL & set(record.claims)),
                record=record,
                not_kept=not_kept,
            )


# Mechanisms that no policy can name.


def responded(table: dc.Table, **options: Any) -> Sanitized:  # noqa: ANN401
    return randomized_response(table, epsilon=2, **options)


def randomized(
    data: dc.Transactions,
    *,
    operator: Operator,
    **options: Any,  # noqa: ANN401
) -> dc.Release[Any]:
    return dc.randomize_transactions(data, operator=operator, **options)


SELECT = SelectASize({m: [f"1/{m + 1}"] * (m + 1) for m in range(4)}, rho="1/4")
OTHERS = (
    Mechanism(
        name="randomized_response", run=responded, takes_seed=True,
        not_kept={
            "columns": DRAWS, "rows": DRAWS, "threads": NO_THREADS, "progress": AT_ONCE,
            "release": NO_RELEASE,
        },
    ),
    *(
        Mechanism(
            name=name, run=partial(randomized, operator=operator), data=BASKETS,
            broken=unlisted_item, takes_seed=True,
            not_kept={
                "columns": NO_COLUMNS, "rows": DRAWS, "threads": NO_THREADS, "progress": AT_ONCE,
            },
        )
        for name, operator in (
            ("select a size", SELECT),
            ("uniform", Uniform("1/2")),
        )
    ),
)  # fmt: skip
MECHANISMS = (*(one for record in METHODS.values() for one in of_record(record)), *OTHERS)


def keeping(contract: str) -> pytest.MarkDecorator:
    """Return the parameters of a test of all mechanisms that keep a contract."""
    kept = [one for one in MECHANISMS if contract not in one.not_kept]
    return pytest.mark.parametrize("mechanism", kept, ids=lambda one: one.name)
