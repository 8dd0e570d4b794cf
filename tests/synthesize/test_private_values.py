"""Lists of values selected with noise: the chance of the threshold, texts, `other`, the account."""

from __future__ import annotations

from fractions import Fraction
from math import exp, fsum
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import discreet as dc
from discreet.data.domains import as_text
from discreet.data.table import Table
from discreet.errors import ParameterError
from discreet.noise import noise_from
from discreet.synthesize import Synthesizer, plan_synthesis, synthetic_release
from discreet.synthesize.marginals import MAX_VALUES, Marginal
from discreet.synthesize.private_values import (
    Selected,
    budget_with_selection,
    labels_of,
    least_threshold,
    tail_bound,
    with_others,
)
from discreet.verify import verify_release
from discreet.verify.chance import is_within_delta, least_chance

if TYPE_CHECKING:
    from pathlib import Path

    from discreet.data.column import Label

ONE = Fraction(1)
DELTA = Fraction(1, 10**6)


def exact_chance(least: int, variance: float) -> float:
    """Return the chance of discrete Gaussian noise of ``least`` or more, summed up."""
    reach = range(-2000, 2001)
    weights = {x: exp(-x * x / (2 * variance)) for x in reach}
    return fsum(w for x, w in weights.items() if x >= least) / fsum(weights.values())


@given(least=st.integers(1, 60), variance=st.fractions(Fraction(1, 4), 300, max_denominator=16))
@settings(max_examples=60, deadline=None)
def test_bounds_on_the_tail_are_above_it_and_close(least: int, variance: Fraction) -> None:
    truth, slack = exact_chance(least, float(variance)), 1 + 1e-9
    ours, theirs = float(tail_bound(least, variance)), float(least_chance(least, variance))
    assert truth <= ours * slack
    assert truth <= theirs * slack
    assert theirs <= ours * slack  # the verifier never refuses what was made by the rules
    if least**2 > 9 * variance and variance > 4:
        assert ours < 1.5 * truth


def test_a_threshold_is_the_least_that_the_bound_allows() -> None:
    for variance in (Fraction(10), Fraction(1000), Fraction(10**9)):
        tau = least_threshold(variance, n_values=7, delta=DELTA)
        assert 7 * tail_bound(tau - 1, variance) <= DELTA < 7 * tail_bound(tau - 2, variance)


@pytest.mark.parametrize("n_columns", [1, 2, 9])
def test_selection_and_measurements_together_cost_what_is_claimed(n_columns: int) -> None:
    names = [f"c{j}" for j in range(n_columns)]
    spending, least = budget_with_selection(names, epsilon=ONE, delta=DELTA, noise=noise_from(None))
    assert least.sensitivity == n_columns
    assert spending.spent == least.rho <= spending.total * Fraction(35, 100)
    assert is_within_delta(spending.total, epsilon=ONE, delta=DELTA - least.delta)
    more = spending.total * Fraction(102, 100)
    assert not is_within_delta(more, epsilon=ONE, delta=DELTA - least.delta)


@pytest.mark.parametrize("are_rows", [True, False])
def test_both_counts_of_a_value_are_used_where_both_are_of_rows(*, are_rows: bool) -> None:
    one = Selected(
        values=("a", "b", None), counts=np.array([100, 200, 300]),
        codes=np.array([0, 1, 2, 3]),
    )  # fmt: skip
    counted = Marginal(columns=(0,), counts=np.array([110.0, 220, 330, 500]), variance=300.0)
    lists = with_others([one], [counted], variance=Fraction(100), are_rows=are_rows)
    assert lists.values == (("a", "b", "other", None),)
    assert lists.codes[0].tolist() == [0, 1, 3, 2]
    (found,) = lists.marginals
    if are_rows:  # weights 3 to 1, by the inverse of the variances
        assert found.counts.tolist() == pytest.approx([102.5, 205, 500, 307.5])
        assert found.variance == pytest.approx((3 * 75 + 300) / 4)
    else:
        assert found.counts.tolist() == [110, 220, 500, 330]
        assert found.variance == 300


def test_one_row_alone_is_never_listed_and_many_always_are() -> None:
    table = Table.from_frame({"name": ["Eve"] + ["Ann"] * 999, "sex": ["f", "m"] * 500})
    made = Synthesizer(1, delta=1e-6, seed=1).fit(table)
    assert made.model.domain["name"] == ("Ann",)
    assert set(made.model.domain["sex"]) == {"f", "m"}
    assert made.others == {"name": None, "sex": None}


def test_rare_values_become_one() -> None:
    wards = [f"ward {i % 300}" for i in range(3000)] + ["A"] * 3000
    table = Table.from_frame({"ward": wards, "sex": ["f", "m"] * 3000})
    made = Synthesizer(2, delta=1e-6, seed=1).fit(table)
    assert made.model.domain["ward"] == ("A", "other")
    drawn = made.sample(6000).to_frame()
    assert 0.45 < (drawn["ward"] == "other").mean() < 0.55


def test_other_is_unambiguous() -> None:
    column = ["other"] * 2000 + [f"rare {i % 500}" for i in range(2000)]
    made = Synthesizer(2, delta=1e-6, seed=1).fit(Table.from_frame({"x": column}))
    assert made.model.domain["x"] == ("other", "other values")
    assert made.others == {"x": "other values"}


def test_missing_is_a_value_only_if_enough_rows_have_it() -> None:
    few = Table.from_frame(pl.DataFrame({"x": ["a"] * 2000 + [None], "y": ["b", "c", "d"] * 667}))
    many = Table.from_frame(pl.DataFrame({"x": ["a"] * 1001 + [None] * 1000, "y": ["b"] * 2001}))
    assert None not in Synthesizer(1, delta=1e-6, seed=1).fit(few).model.domain["x"]
    assert None in Synthesizer(1, delta=1e-6, seed=1).fit(many).model.domain["x"]


@pytest.mark.parametrize(
    ("texts", "labels"),
    [
        (("1", "2", "10"), (1, 2, 10)),
        (("1", "01"), ("1", "01")),
        (("0.5", "1"), (0.5, 1.0)),
        (("1.50",), ("1.50",)),
        (("false", "true", None), (False, True, None)),
        ((None,), (None,)),
    ],
)
def test_types_follow_from_the_listed_values(
    texts: tuple[str | None, ...], labels: tuple[Label, ...]
) -> None:
    assert labels_of(texts, has_other=False) == labels
    assert [as_text(value) for value in labels] == [
        None if text is None else text for text in texts
    ]


def test_a_value_reads_the_same_whatever_else_its_column_holds() -> None:
    """One row with text, or one missing number, changes the type of all others when read."""
    whole = Table.from_frame({"x": [1, 2] * 600})
    text = Table.from_frame({"x": ["1", "2"] * 600 + ["A"]})
    made = [Synthesizer(1, delta=1e-6, seed=1).fit(each).model.domain for each in (whole, text)]
    assert made[0] == made[1] == {"x": (1, 2)}


def test_no_more_values_than_layers_can_have() -> None:
    rng = np.random.default_rng(1)
    table = Table.from_frame(
        {"x": [f"{v:05}" for v in rng.integers(4000, size=400_000)], "y": ["a", "b"] * 200_000}
    )
    made = Synthesizer(50, delta=1e-2, seed=1).fit(table)
    assert sum(map(len, made.model.domain.values())) <= MAX_VALUES


@pytest.mark.parametrize("options", [{"delta": 0}, {"trust": "local"}])
def test_without_delta_or_with_local_trust_lists_must_be_given(options: dict[str, Any]) -> None:
    table = Table.from_frame({"sex": ["f", "m"] * 50})
    for call in (synthetic_release, plan_synthesis):
        with pytest.raises(ParameterError) as caught:
            call(table, epsilon=1, **options)
        assert caught.value.parameter == "domains"
        assert "public lists" in str(caught.value)
    made = synthetic_release(table, epsilon=1, domains={"sex": ["f", "m"]}, **options)
    assert made.data.columns == ("sex",)


def test_from_data_names_the_condition_before_epsilon(tmp_path: Path) -> None:
    table = Table.from_frame({"sex": ["f", "m"] * 50})
    release = synthetic_release(table, epsilon=1, domains="from-data")
    claim = release.guarantee
    condition = "Only if the lists of values are public: "
    assert claim.sentence.startswith(condition)
    assert claim.model == condition + "differential privacy"
    found = verify_release(release.save(tmp_path / "out"))
    said = found.sentence
    assert said.index("Only if the lists of values are public") < said.index("epsilon")
    with pytest.raises(ParameterError):
        synthetic_release(table, epsilon=1, domains="from data")  # type: ignore[arg-type]  # misspelt


def test_the_certificate_has_the_step_and_the_verifier_recomputes_it(tmp_path: Path) -> None:
    table = Table.from_frame({"sex": ["f", "m"] * 500, "job": ["a", "b", "c", "d"] * 250})
    release = synthetic_release(table, epsilon=1, delta=1e-6, generator="krimp")
    step = release.events[0]
    assert step.name == "select_values"
    assert step.parameters["columns"] == ("sex", "job")
    found = verify_release(release.save(tmp_path / "out"))
    assert [c.passed for c in found.checks if c.name == "selection of values"] == [True]
    assert found.answer == "consistent"


def test_a_plan_tells_which_values_are_likely_lost() -> None:
    wards = [f"ward {i % 300}" for i in range(3000)] + ["A"] * 3000
    table = Table.from_frame({"ward": wards, "sex": ["f", "m"] * 3000})
    planned = plan_synthesis(table, epsilon=1, delta=1e-6)
    assert planned.to_dict()["likely_lost"] == [["ward", 300, 301]]
    assert "300 of 301 in 'ward'" in planned.sentence
    public = plan_synthesis(table, epsilon=1, delta=1e-6, domains=table)
    assert "not listed" not in public.sentence


def test_private_lists_cost_little_on_the_census() -> None:
    """Pairs of columns are off by less than twice what they are with public lists."""
    from discreet.utility import marginal_fidelity

    names = ["sex", "education", "marital_status", "income"]
    census = dc.datasets.census(5000).select(names)
    off = {
        lists: marginal_fidelity(
            census,
            Synthesizer(2, delta=1e-6, seed=1, domains=lists).fit(census).sample(5000),
            sizes=(2,),
        ).mean(2)
        for lists in ("private", "from-data")
    }
    assert off["private"] < 2 * off["from-data"] + 0.02


def test_no_certificate_of_differential_privacy_has_a_fingerprint_of_the_input(
    tmp_path: Path,
) -> None:
    """It is made from the table without noise; the release in memory keeps it for the ledger."""
    table = Table.from_frame({"sex": ["f", "m"] * 500})
    release = synthetic_release(table, epsilon=1, delta=1e-6)
    assert release.fingerprint is not None
    assert release.certificate["fingerprint"] is None
    folder = release.save(tmp_path / "out")
    assert dc.Release.load(folder).fingerprint is None
    assert dc.Release.load(folder) == release
    assert release.fingerprint.mac not in (folder / "certificate.json").read_text()
