"""The private release as people call it: its claim, its steps, its contract, real data."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import discreet as dc
from discreet.errors import DataError, LimitError, ParameterError, WeakGuaranteeWarning
from discreet.noise import SecureNoise, SeededNoise
from discreet.release.guarantee import ADD_REMOVE, IF_PUBLIC
from discreet.release.release import Release
from discreet.suppress import dp_mii_suppress, sampling_delta, theta_1

COLUMNS = ["sex", "marital_status", "education"]


def people(n_rows: int = 4000) -> dc.Table:
    return dc.datasets.census(n_rows, seed=3).select(COLUMNS)


def rows_of(table: dc.Table) -> list[tuple[Any, ...]]:
    return list(table.to_frame("polars").rows())


def release(scheme: str = "dp", table: dc.Table | None = None, **options: Any) -> Release:  # noqa: ANN401
    table = people() if table is None else table
    if scheme == "public":
        options = {"public": dc.datasets.census(3000, seed=4), **options}
    given: dict[str, Any] = {"epsilon": 1, "delta": 1e-6, "scheme": scheme, **options}
    if scheme != "split":
        return dp_mii_suppress(table, **given)
    with pytest.warns(WeakGuaranteeWarning, match="does not protect rows of the training"):
        return dp_mii_suppress(table, **given)


SCHEMES = ["dp", "public", "split"]


# Contract


@pytest.mark.parametrize("scheme", SCHEMES)
def test_classes_reach_k_and_rows_are_sorted(scheme: str) -> None:
    found = release(scheme)
    sizes = Counter(rows_of(found.data))
    assert len(found.data) > 100
    assert min(sizes.values()) >= 20
    distinct = list(dict.fromkeys(rows_of(found.data)))
    assert len(distinct) == len(sizes)  # equal rows stand together
    nulls_last = [[(v is None, v or "") for v in row] for row in distinct]
    assert nulls_last == sorted(nulls_last)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_visible_cells_are_those_of_the_input(scheme: str) -> None:
    table = people()
    found = release(scheme, table)
    assert found.input_rows is not None
    assert len(set(found.input_rows.tolist())) == len(found.data)
    for before, after in zip(
        rows_of(table.take(found.input_rows)), rows_of(found.data), strict=True
    ):
        assert all(new is None or new == old for old, new in zip(before, after, strict=True))


@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_release_is_saved_and_read_back(scheme: str, tmp_path: Path) -> None:
    found = release(scheme)
    folder = found.save(tmp_path / "out")
    assert Release.load(folder) == found
    text = (folder / "certificate.json").read_text()
    assert "input_rows" not in text
    assert "n_rows" not in json.dumps(found.to_dict())


@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_seed_repeats_everything_and_says_so(scheme: str) -> None:
    first, second = release(scheme, seed=5), release(scheme, seed=5)
    assert first.data == second.data
    assert first.guarantee.experimental
    assert "seed" in first.guarantee.sentence
    assert first.data != release(scheme, seed=6).data
    assert not release(scheme).guarantee.experimental
    assert not release(scheme, noise=SecureNoise()).guarantee.experimental
    assert release(scheme, noise=SeededNoise(5)).data == first.data


@pytest.mark.parametrize("scheme", SCHEMES)
def test_threads_and_column_order_do_not_matter(scheme: str) -> None:
    found = release(scheme, seed=5)
    assert release(scheme, seed=5, threads=1).data == found.data
    turned = release(scheme, people().select(COLUMNS[::-1]), seed=5)
    assert turned.data.columns == tuple(COLUMNS[::-1])


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("rows", [[], [0]])
def test_tables_of_no_row_and_one_row(scheme: str, rows: list[int]) -> None:
    found = release(scheme, people().take(rows))
    assert len(found.data) == 0
    assert found.data.columns == tuple(COLUMNS)


def test_missing_cells_are_null_like_suppressed_ones() -> None:
    frame = {"a": [None] * 500 + ["x"] * 500, "b": ["y"] * 1000}
    found = release("dp", dc.Table.from_frame(frame), seed=1)
    assert set(rows_of(found.data)) <= {(None, "y"), ("x", "y"), (None, None)}
    assert (None, "y") in rows_of(found.data)


def test_frames_in_and_out_and_identifying_columns() -> None:
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"a": ["x", "y"] * 300, "b": ["p", "p"] * 300})
    found = dp_mii_suppress(frame, epsilon=1, delta=1e-6)
    assert isinstance(found.data.to_frame(), pd.DataFrame)
    named = dc.Table.from_frame(frame, roles={"a": "identifying"})
    assert dp_mii_suppress(named, epsilon=1, delta=1e-6).data.columns == ("b",)


def test_only_the_columns_asked_for_are_released() -> None:
    found = release("dp", columns=["sex"])
    assert found.data.columns == found.guarantee.columns == ("sex",)


# Claims


def test_claim_and_steps_of_a_scheme_with_noise() -> None:
    found = release("dp", scheme_epsilon=2, split_rate=0.4)
    claim, events = found.guarantee, found.events
    assert claim.model == IF_PUBLIC + "(epsilon, delta)-differential privacy"
    assert claim.neighbours == ADD_REMOVE
    assert claim.columns == tuple(COLUMNS)
    assert claim.parameters == {"epsilon": 2, "delta": Fraction(1, 10**6)}
    assert [event.name for event in events] == [
        "split_rows", "learn_scheme", "suppress_by_scheme", "bernoulli_sample", "k_suppress",
    ]  # fmt: skip
    assert events[0].parameters == {"split_rate": Fraction(2, 5)}
    learnt, beta = events[1].parameters, events[3].parameters["beta"]
    assert isinstance(beta, Fraction)
    assert learnt["scheme"] == "dp"
    assert (learnt["epsilon"], learnt["delta"]) == (2, 0)
    assert (learnt["max_size"], learnt["n_columns"], learnt["sensitivity"]) == (2, 3, 6)
    assert (learnt["noise"], learnt["scale"]) == ("discrete Laplace", 3)
    assert events[2].parameters == {"columns": tuple(COLUMNS)}
    assert events[4].parameters == {"k": 20, "epsilon": 1, "delta": Fraction(1, 10**6)}
    assert sampling_delta(20, beta=beta, epsilon=1) <= Fraction(1, 10**6)
    assert isinstance(learnt["theta"], int)
    assert learnt["theta"] > theta_1(19, beta=beta, split_rate=0.4)
    assert all(not event.counts for event in events)


def test_claim_and_steps_of_a_public_scheme() -> None:
    found = release("public", theta=7)
    assert found.guarantee.parameters == {"epsilon": 1, "delta": Fraction(1, 10**6)}
    assert found.events[0].parameters == {
        "scheme": "public", "epsilon": None, "delta": None, "theta": 7,
    }  # fmt: skip
    assert any("public table" in each for each in found.guarantee.assumptions)


def test_claim_of_an_unnoised_split() -> None:
    found = release("split", split_rate=0.2)
    delta = Fraction(1, 5) + Fraction(4, 5) * Fraction(1, 10**6)
    assert found.guarantee.parameters == {"epsilon": 1, "delta": delta}
    assert "Rows of the training part" in found.guarantee.not_protected[0]


def test_where_the_lists_of_values_come_from_is_said() -> None:
    read = release("dp").guarantee
    assert (
        "The lists of values were read from the data, which the guarantee does not cover."
        in read.assumptions
    )
    given = release("dp", domains=dc.datasets.census_hierarchies()).guarantee
    assert "The lists of values that columns can have are public." in given.assumptions
    assert given.condition is None


def test_with_lists_from_the_table_nothing_speaks_of_epsilon_before_the_condition(
    tmp_path: Path,
) -> None:
    found = release("dp")
    claim = found.guarantee
    assert claim.model == IF_PUBLIC + "(epsilon, delta)-differential privacy"
    said = dc.verify_release(found.save(tmp_path / "out"))
    assert said.answer == "consistent"
    for sentence in (claim.sentence, said.sentence):
        condition = sentence.index("Only if the lists of values are public")
        assert condition < sentence.index("epsilon")
    assert "that the lists of values were public" in said.sentence


@pytest.mark.parametrize("scheme", ["public", "split"])
def test_schemes_without_lists_have_no_condition(scheme: str) -> None:
    assert release(scheme).guarantee.model == "(epsilon, delta)-differential privacy"


@pytest.mark.parametrize(("lists", "model"), [
    (None, "(epsilon, delta)-differential privacy"),
    (dc.datasets.census_hierarchies(), IF_PUBLIC + "(epsilon, delta)-differential privacy"),
])  # fmt: skip
def test_the_verifier_refutes_the_other_model(tmp_path: Path, lists: object, model: str) -> None:
    made = release("dp", domains=lists)
    forged = replace(made, guarantee=replace(made.guarantee, model=model))
    said = dc.verify_release(forged.save(tmp_path / "out"))
    assert said.answer == "refuted"
    assert [check.name for check in said.failed] == ["sentences", "steps"]


def test_delta_above_one_over_the_rows_is_warned_of() -> None:
    with pytest.warns(WeakGuaranteeWarning, match="at least one over the 4,000 rows"):
        release("dp", delta=0.001)


def test_a_smaller_rate_may_be_asked_for_and_a_larger_is_refused() -> None:
    assert release("dp", beta=0.25).events[3].parameters == {"beta": Fraction(1, 4)}
    with pytest.raises(ParameterError, match=r"beta=0\.5 is too large"):
        release("dp", beta=0.5)


# What is refused


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"scheme": "dq"}, "There is no scheme='dq'"),
        ({"epsilon": 0}, "epsilon=0 must be above 0"),
        ({"epsilon": "one"}, "epsilon='one' must be a number"),
        ({"epsilon": float("nan")}, "epsilon=nan must be a number"),
        ({"delta": 0}, "delta=0 must"),
        ({"delta": 1.5}, "delta=1.5 must"),
        ({"delta": 0, "beta": 0.1}, "delta=0 must"),
        ({"k": 0}, "k=0 must"),
        ({"beta": 0}, "beta=0 must"),
        ({"beta": 2}, "beta=2 must"),
        ({"theta": -1}, "theta=-1 must"),
        ({"theta": 1.5}, "theta=1.5 must"),
        ({"split_rate": 1}, "split_rate=1 must"),
        ({"scheme_epsilon": 0}, "scheme_epsilon=0 must"),
        ({"columns": ["sexe"]}, "Did you mean 'sex'"),
        ({"columns": []}, "no column to release"),
        ({"seed": 1, "noise": SeededNoise(1)}, "noise and seed"),
        ({"public": people()}, "belongs to scheme='public'"),
        ({"scheme": "public"}, "belongs to scheme='public'"),
        ({"scheme": "public", "public": people(), "split_rate": 0.1}, "split_rate does not belong"),
        ({"scheme": "public", "public": people(), "scheme_epsilon": 1}, "does not belong"),
        ({"scheme": "public", "public": people(), "domains": {}}, "domains does not belong"),
        ({"scheme": "public", "public": people(50)}, "public table has 50 rows"),
        ({"scheme": "public", "public": people().select(["sex"])}, "There is no column"),
    ],
)
def test_bad_options_are_named(options: dict[str, Any], told: str) -> None:
    given = {"epsilon": 1, "delta": 1e-6, **options}
    with pytest.raises(ParameterError, match=told):
        dp_mii_suppress(people(200), **given)


def test_values_outside_their_list_and_too_many_pairs_release_nothing() -> None:
    with pytest.raises(DataError, match="Column 'sex'"):
        release("dp", columns=["sex"], domains={"sex": ["female"]})
    with pytest.raises(LimitError, match="values and pairs of values, more than 10"):
        release("dp", max_itemsets=10)


# Real data


def adult(public_data: Path) -> dc.Table:
    table = dc.load(public_data / "lucs" / "adult.D97.N48842.C2.num.xz")
    assert isinstance(table, dc.Table)
    return table


def visible_rate(found: Release, n_rows: int) -> float:
    n = sum(value is not None for row in rows_of(found.data) for value in row)
    return n / (n_rows * found.data.n_columns)


@pytest.mark.parametrize("scheme", ["dp", "public"])
def test_adult(public_data: Path, scheme: str) -> None:
    table = adult(public_data)
    options: dict[str, Any] = {}
    if scheme == "public":
        is_public = np.random.default_rng(1).random(table.n_rows) < 0.5
        options["public"], table = table.take(is_public), table.take(~is_public)
    found = dp_mii_suppress(table, epsilon=1, delta=1e-6, k=20, scheme=scheme, seed=1, **options)  # type: ignore[arg-type]
    assert min(Counter(rows_of(found.data)).values()) >= 20
    # beta = 0.35 of the rows that do not train are sampled; most of them stay, half emptied.
    assert len(found.data) > 0.12 * table.n_rows
    assert visible_rate(found, table.n_rows) > 0.07
