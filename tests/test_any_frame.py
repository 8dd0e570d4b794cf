"""Any kind of frame goes into every function that takes a table, and a release where it can."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pandas as pd  # type: ignore[import-untyped]
import polars as pl
import pyarrow as pa  # type: ignore[import-untyped]
import pytest

import discreet as dc
from discreet import assess, generalize, mine, patterns, randomize, suppress, synthesize, utility
from discreet.data.table import as_table
from discreet.data.transactions import as_transactions
from discreet.errors import DataError, DiscreetWarning, ParameterError

PEOPLE = dc.datasets.census(240, seed=1).select(["sex", "marital_status", "education", "income"])
BARE, CONTROLS = (
    dc.Table.from_frame(table.to_frame("polars").to_dict(as_series=False))  # no roles, no types
    for table in (PEOPLE, dc.datasets.census(240, seed=2).select(PEOPLE.columns))
)
TREES = {"education": dc.datasets.census_hierarchies()["education"]}
BASKETS = dc.Transactions.from_iterable([["tea", "milk"], ["milk"], ["jam", "tea"], []] * 20)
OPERATOR = randomize.CutAndPaste(cutoff=3, rho="1/4")
PATTERNS = mine.frequent(BARE, min_support=40)

KINDS: dict[str, Callable[[dc.Table], object]] = {
    "polars": lambda table: table.to_frame("polars"),
    "lazy polars": lambda table: table.to_frame("polars").lazy(),
    "pandas": lambda table: table.to_frame("pandas"),
    "pyarrow": lambda table: table.to_frame("pyarrow"),
    "dict": lambda table: table.to_frame("polars").to_dict(as_series=False),
}


def public(name: str) -> Callable[..., object]:
    """Return the function of a name such as ``suppress.k_mii``."""
    room, _, function = name.partition(".")
    module = dc if room == "dc" else importlib.import_module(f"discreet.{room}")
    found: Callable[..., object] = getattr(module, function)
    return found


def plain(value: Any) -> Any:  # noqa: ANN401  one for each kind of result
    """Return what a result says, in a form that can be compared."""
    if isinstance(value, dc.Release):
        return value.data.to_frame("polars").rows(), value.guarantee.to_dict()
    if isinstance(value, generalize.Records):
        return value.columns, value.leaves.tolist()
    if isinstance(value, synthesize.Sanitized):
        return value.table.to_frame("polars").rows()
    if hasattr(value, "to_dict"):
        return value.to_dict()
    if isinstance(value, np.ndarray):
        return value.tolist()
    return value


TAKES_FRAMES: dict[str, Callable[[Any], object]] = {
    "suppress.mii_suppress": lambda data: suppress.mii_suppress(data, theta=2),
    "suppress.k_mii": lambda data: suppress.k_mii(data, k=3),
    "suppress.dp_mii_suppress": lambda data: suppress.dp_mii_suppress(
        data, epsilon=2, delta=1e-3, k=5, seed=1, scheme="public", public=CONTROLS, theta=2
    ),
    "suppress.suppression_summary": lambda data: suppress.suppression_summary(
        data, suppress.mii_suppress(BARE, theta=2)
    ),
    "generalize.set_cover": lambda data: generalize.set_cover(data, k=5, hierarchies=TREES),
    "generalize.forest": lambda data: generalize.forest(data, k=5, hierarchies=TREES),
    "generalize.agglomerative": lambda data: generalize.agglomerative(data, k=5),
    "generalize.mondrian": lambda data: generalize.mondrian(data, k=5, hierarchies=TREES),
    "generalize.datafly": lambda data: generalize.datafly(data, k=5, hierarchies=TREES),
    "generalize.incognito": lambda data: generalize.incognito(data, k=5, hierarchies=TREES),
    "generalize.encode_records": generalize.encode_records,
    "synthesize.randomized_response": lambda data: synthesize.randomized_response(
        data, epsilon=2, seed=1
    ),
    "synthesize.synthetic_release": lambda data: synthesize.synthetic_release(
        data,
        epsilon=2,
        n_rows=20,
        seed=1,
        domains="from-data",
    ),
    "synthesize.Synthesizer": lambda data: (
        synthesize.Synthesizer(epsilon=2, seed=1, domains="from-data")
        .fit(data)
        .sample(20)
        .to_frame("polars")
        .rows()
    ),
    "synthesize.plan_synthesis": lambda data: synthesize.plan_synthesis(
        data, epsilon=1, delta=1e-6
    ),
    "synthesize.extract": lambda data: synthesize.extract(data, epsilon=2, theta=20, seed=1),
    "synthesize.krimp": lambda data: synthesize.krimp(data, min_support=20),
    "synthesize.krimp_classifier": lambda data: synthesize.krimp_classifier(
        data, classes=["a", "b"] * 120, min_support=20
    ).predict(data),
    "patterns.additive": lambda data: patterns.additive(data, k=3, min_support=30),
    "patterns.suppressive": lambda data: patterns.suppressive(data, k=3, min_support=30),
    "patterns.certified": lambda data: patterns.certified(data, k=3, min_support=100),
    "patterns.additive_release": lambda data: patterns.additive_release(data, k=3, min_support=30),
    "patterns.suppressive_release": lambda data: patterns.suppressive_release(
        data, k=3, min_support=30
    ),
    "patterns.certified_release": lambda data: patterns.certified_release(
        data, k=3, min_support=100
    ),
    "patterns.channels": lambda data: patterns.channels(data, k=3, min_support=30),
    "patterns.leaks": lambda data: patterns.leaks(data, k=3, min_support=60),
    "patterns.support_for_safety": lambda data: patterns.support_for_safety(data, k=3),
    "patterns.witness": lambda data: patterns.witness(PATTERNS, k=3, data=data),
    "patterns.pattern_release": lambda data: patterns.pattern_release(
        patterns.additive(BARE, k=3, min_support=30), source=data
    ),
    "mine.one_per_person": lambda data: mine.one_per_person(data).data,
    "mine.frequent": lambda data: mine.frequent(data, min_support=20),
    "mine.closed": lambda data: mine.closed(data, min_support=20),
    "mine.maximal": lambda data: mine.maximal(data, min_support=20),
    "mine.minimal_infrequent": lambda data: mine.minimal_infrequent(data, theta=2),
    "mine.count_frequent": lambda data: mine.count_frequent(data, min_support=20),
    "mine.count_closed": lambda data: mine.count_closed(data, min_support=20),
    "mine.count_maximal": lambda data: mine.count_maximal(data, min_support=20),
    "mine.count_minimal_infrequent": lambda data: mine.count_minimal_infrequent(data, theta=2),
    "mine.mark_cells": lambda data: mine.mark_cells(data, theta=2),
    "mine.mark_itemsets": lambda data: mine.mark_itemsets(data, PATTERNS),
    "mine.non_derivable": lambda data: mine.non_derivable(data, min_support=20),
    "mine.generalized_closed": lambda data: mine.generalized_closed(data, TREES, k=20),
    "dc.suggest_roles": lambda data: str(dc.suggest_roles(data)),
    "dc.compare": lambda data: [
        (each.method, each.k, each.loss) for each in dc.compare(data, methods=["k-mii"]).runs
    ],
    "dc.plan": lambda data: [each.k for each in dc.plan(data, ks=[3]).settings],
}


@dataclass(frozen=True)
class Measure:
    """A function of what was published, and of what it was made from where it asks for that."""

    run: Callable[..., object]
    with_original: bool = True
    with_rows: bool = False


TAKES_RELEASES: dict[str, Measure] = {
    "utility.cells_changed": Measure(utility.cells_changed, with_rows=True),
    "utility.differences": Measure(utility.differences, with_rows=True),
    "utility.loss": Measure(
        lambda original, release, **rows: utility.loss(
            original, release, columns=["sex", "education"], **rows
        ),
        with_rows=True,
    ),
    "utility.learning_utility": Measure(
        lambda original, release, **rows: utility.learning_utility(
            original, release, target="income", models=["naive_bayes"], n_repeats=2, rng=1, **rows
        ),
        with_rows=True,
    ),
    "utility.held_out_accuracy": Measure(
        lambda original, release: utility.held_out_accuracy(
            release, original, target="income", models=["naive_bayes"], rng=1
        )
    ),
    "utility.marginal_fidelity": Measure(utility.marginal_fidelity),
    "utility.itemset_fidelity": Measure(
        lambda original, release: utility.itemset_fidelity(original, release, min_frequency=0.2)
    ),
    "assess.look": Measure(assess.look, with_original=False),
    "assess.anonymity": Measure(assess.anonymity, with_original=False),
    "assess.uniqueness": Measure(assess.uniqueness, with_original=False),
    "assess.prosecutor_risk": Measure(assess.prosecutor_risk, with_original=False),
    "assess.journalist_risk": Measure(
        lambda release: assess.journalist_risk(release, sampling_rate=0.5), with_original=False
    ),
    "assess.marketer_risk": Measure(
        lambda release: assess.marketer_risk(release, sampling_rate=0.5), with_original=False
    ),
    "assess.attribute_attack": Measure(
        lambda original, release: assess.attribute_attack(
            release, original, sensitive="income", controls=CONTROLS, n_targets=50, rng=1
        )
    ),
    "assess.homogeneity_attack": Measure(
        lambda original, release: assess.homogeneity_attack(
            release, original, sensitive="income", n_targets=50, rng=1
        )
    ),
    "assess.linkage_attack": Measure(
        lambda original, release: assess.linkage_attack(
            release, original, n_known=2, n_targets=50, rng=1
        )
    ),
    "assess.membership_attack": Measure(
        lambda original, release: assess.membership_attack(
            release, original, controls=CONTROLS, n_targets=50, rng=1
        )
    ),
    "assess.rare_itemsets": Measure(
        lambda original, release: assess.rare_itemsets(release, original, n_itemsets=20, rng=1)
    ),
    "assess.records_in_common": Measure(
        lambda original, release: assess.records_in_common(release, original, rng=1)
    ),
}
OF_TRANSACTIONS: dict[str, Callable[[Any], object]] = {
    "randomize.randomize_transactions": lambda data: randomize.randomize_transactions(
        data, operator=OPERATOR, seed=1
    ),
    "randomize.pad": lambda data: list(randomize.pad(data, size=2, seed=1).transactions),
    "randomize.randomize_padded": lambda data: list(
        randomize.randomize_padded(OPERATOR, data, size=2, seed=1).transactions
    ),
    "randomize.Operator.randomize": lambda data: list(
        OPERATOR.randomize(data, seed=1).transactions
    ),
    "randomize.max_supports": randomize.max_supports,
    "randomize.measured_breaches": lambda data: randomize.measured_breaches(
        data, OPERATOR.randomize(BASKETS, seed=1), min_frequency=0.1
    ),
    "randomize.overlaps": lambda data: randomize.overlaps(data, ["tea", "milk"]),
}
DATA_PARAMETERS = {"table", "data", "original", "release", "transactions", "train", "held_out"}
OTHER = {
    "suppress.impute": "fills a release, whose guarantee it needs",
    "randomize.randomized_of": "reads a release of transactions",
    "utility.distortion": "compares itemsets; see below",
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", TAKES_FRAMES)
def test_frames_are_taken_like_tables(name: str, kind: str) -> None:
    run = TAKES_FRAMES[name]
    assert plain(run(KINDS[kind](BARE))) == plain(run(BARE))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", TAKES_RELEASES)
def test_measures_and_attacks_take_frames(name: str, kind: str) -> None:
    measure = TAKES_RELEASES[name]
    tables = [BARE, CONTROLS][: 1 + measure.with_original]
    if measure.with_rows:  # rows of one and the same people
        tables[1] = BARE
    frames = [KINDS[kind](table) for table in tables]
    assert plain(measure.run(*frames)) == plain(measure.run(*tables))


@pytest.mark.parametrize("name", TAKES_RELEASES)
def test_measures_and_attacks_take_a_release(name: str) -> None:
    measure = TAKES_RELEASES[name]
    release = dc.k_mii(BARE, k=3)
    assert release.data.n_rows < BARE.n_rows
    rows = {"rows": release.input_rows} if measure.with_rows else {}
    original = (BARE,) if measure.with_original else ()
    of_table = measure.run(*original, release.data, **rows)
    assert plain(measure.run(*original, release)) == plain(of_table)


def test_the_hierarchies_that_a_release_states_are_used() -> None:
    release = dc.mondrian(BARE, k=20, columns=["education"], hierarchies=TREES)
    assert {*release.data.values("education")} - {*BARE.values("education")}
    for name in ("assess.linkage_attack", "assess.homogeneity_attack"):
        attack = TAKES_RELEASES[name].run
        attack(BARE, release)
        with pytest.warns(DiscreetWarning, match="hierarchies="):
            attack(BARE, release.data)
    utility.loss(BARE, release, columns=["education"])
    with pytest.raises(DataError, match="is not a generalization"):
        utility.loss(BARE, release.data, columns=["education"], rows=release.input_rows)


@pytest.mark.parametrize("name", ["utility.cells_changed", "utility.loss"])
def test_a_release_that_does_not_know_its_rows_is_not_compared_by_position(name: str) -> None:
    drawn = dc.synthetic_release(BARE, epsilon=2, n_rows=BARE.n_rows, seed=1, domains="from-data")
    with pytest.raises(DataError, match="does not know which row"):
        TAKES_RELEASES[name].run(BARE, drawn)


def test_learning_from_a_release_that_does_not_know_its_rows_takes_it_as_a_whole() -> None:
    drawn = dc.synthetic_release(BARE, epsilon=2, n_rows=BARE.n_rows, seed=1, domains="from-data")
    measure = TAKES_RELEASES["utility.learning_utility"].run
    by_position = measure(BARE, drawn.data)
    assert plain(measure(BARE, drawn)) != plain(by_position)


@pytest.mark.parametrize(
    "make",
    [
        lambda sets: sets.to_frame("polars"),
        lambda sets: sets.to_frame("pyarrow"),
        lambda sets: sets.to_frame("pandas"),
        lambda sets: sets.to_onehot("polars"),
        lambda sets: sets.to_onehot("pandas"),
        list,
        iter,
    ],
)
@pytest.mark.parametrize("name", OF_TRANSACTIONS)
def test_transactions_are_taken_in_any_form(
    name: str, make: Callable[[dc.Transactions], object]
) -> None:
    run = OF_TRANSACTIONS[name]
    assert plain(run(make(BASKETS))) == plain(run(BASKETS))


def test_transactions_of_a_release_are_taken() -> None:
    release = randomize.randomize_transactions(BASKETS, operator=OPERATOR, seed=1)
    assert as_transactions(release) is release.data
    assert list(mine.frequent(release, min_support=9)) == list(
        mine.frequent(release.data, min_support=9)
    )
    assert assess.look(release).n_rows == len(BASKETS)


@pytest.mark.parametrize("data", [BARE, BASKETS], ids=["table", "transactions"])
def test_distortion_takes_a_release_of_patterns(data: object) -> None:
    made = patterns.additive(data, k=3, min_support=20)
    release = patterns.additive_release(data, k=3, min_support=20)
    original = mine.frequent(data, min_support=20)
    expected = utility.distortion(original, made.published)
    found = utility.distortion(original, release)
    assert found.to_dict() == expected.to_dict()
    assert found.n_lost == 0


@pytest.mark.parametrize("frame", [pl.DataFrame({"a": ["x"]}), pd.DataFrame({"a": [1], "b": [2]})])
def test_a_frame_that_is_no_transactions_is_refused(frame: object) -> None:
    with pytest.raises(DataError, match=r"from_long"):
        as_transactions(frame)


@pytest.mark.parametrize("given", [["tea", "milk"], "tea"])
def test_texts_are_no_transactions(given: object) -> None:
    with pytest.raises(DataError):
        as_transactions(given)


@pytest.mark.parametrize("make", [pl.DataFrame, pd.DataFrame, pa.table])
@pytest.mark.parametrize("name", [*TAKES_FRAMES, "assess.anonymity", "utility.cells_changed"])
def test_measurements_are_refused_as_from_frame_refuses_them(
    name: str, make: Callable[[object], object]
) -> None:
    frame = make({"income": [1000.5, 2000.25, 3000.125] * 20})
    if name in TAKES_FRAMES:
        run = TAKES_FRAMES[name]
    else:
        measure = TAKES_RELEASES[name]
        run = lambda data: measure.run(*[data] * (1 + measure.with_original))  # noqa: E731
    with pytest.raises(DataError) as direct:
        dc.Table.from_frame(frame)
    with pytest.raises(DataError) as error:
        run(frame)
    assert str(error.value) == str(direct.value)


def test_a_table_and_the_data_of_a_release_are_taken_as_they_are() -> None:
    release = dc.k_mii(BARE, k=3)
    assert as_table(BARE) is BARE
    assert as_table(release) is release.data
    assert as_transactions(BASKETS) is BASKETS


def test_what_is_no_frame_is_refused() -> None:
    with pytest.raises(ParameterError, match="cannot be made from a int"):
        dc.k_mii(3, k=3)


@pytest.mark.parametrize(
    "room",
    ["suppress", "generalize", "randomize", "synthesize", "patterns", "mine", "utility", "assess"],
)
def test_every_function_that_takes_data_is_listed_here(room: str) -> None:
    module = importlib.import_module(f"discreet.{room}")
    known = {*TAKES_FRAMES, *TAKES_RELEASES, *OF_TRANSACTIONS, *OTHER}
    taking = {
        f"{room}.{name}"
        for name, value in inspect.getmembers(module, inspect.isfunction)
        if name in module.__all__ and DATA_PARAMETERS & set(inspect.signature(value).parameters)
    }
    assert taking <= known


LONG_RUNNING = [
    name
    for name in (*TAKES_FRAMES, *TAKES_RELEASES)
    if any(
        parameter.kind is parameter.VAR_KEYWORD
        for parameter in inspect.signature(public(name)).parameters.values()
    )
]


@pytest.mark.parametrize("name", LONG_RUNNING)
def test_a_misspelt_limit_is_refused(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    room, _, function = name.partition(".")
    module = dc if room == "dc" else importlib.import_module(f"discreet.{room}")
    function_itself = public(name)
    misspelt = partial(function_itself, thread=2)
    monkeypatch.setattr(module, function, misspelt)
    run: Callable[..., object]
    given: list[object]
    if name in TAKES_RELEASES:
        measure = TAKES_RELEASES[name]
        run = misspelt if measure.run is function_itself else measure.run
        given = [BARE] * (1 + measure.with_original)
    else:
        run, given = TAKES_FRAMES[name], [BARE]
    with pytest.raises(ParameterError, match=r"'thread'.*'threads'"):
        run(*given)
