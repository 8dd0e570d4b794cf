"""Releases of drawn rows: honest ones pass, tampered ones are found out."""

from __future__ import annotations

import io
import math
from collections.abc import Callable
from datetime import date, datetime
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import discreet as dc
from discreet.release.exact import number_to_json
from discreet.release.release import Release
from discreet.synthesize import synthetic_release
from discreet.synthesize.budget import delta_of, rho_of
from discreet.verify.chance import is_within_delta, log_delta
from tests.examples import examples
from tests.verify.folders import check, edit, exact, failed, replace_data

LISTS = {"sex": ["f", "m"], "job": ["cook", "nurse", "smith"], "town": ["a", "b"], "one": ["x"]}


def people(n: int = 500) -> dc.Table:
    rng = np.random.default_rng(4)
    frame = {name: rng.choice(values, n).tolist() for name, values in LISTS.items()}
    frame["job"] = np.where(np.array(frame["sex"]) == "f", "nurse", frame["job"]).tolist()
    return dc.Table.from_frame(frame)


PEOPLE = people()
MADE: dict[str, Release] = {
    "gaussian": synthetic_release(PEOPLE, epsilon=1, delta=1e-6, domains=LISTS),
    "laplace": synthetic_release(PEOPLE, epsilon=1, domains=LISTS),
    "local": synthetic_release(PEOPLE, epsilon=4, trust="local", domains=LISTS),
    "read": synthetic_release(PEOPLE, epsilon=1, delta=1e-6, domains="from-data"),
    "selected": synthetic_release(PEOPLE, epsilon=1, delta=1e-6),
}


def saved(folder: Path, kind: str) -> Path:
    return MADE[kind].save(folder / "release")


def parameters(values: dict[str, Any], name: str, place: int = 0) -> dict[str, Any]:
    """Return the options of one of the events of a name."""
    found = [event for event in values["events"] if event["name"] == name]
    options: dict[str, Any] = found[place]["parameters"]
    return options


@pytest.mark.parametrize("kind", MADE)
@pytest.mark.parametrize("format", ["parquet", "csv"])
def test_an_honest_release(tmp_path: Path, kind: str, format: str) -> None:  # noqa: A002
    folder = MADE[kind].save(tmp_path / "release", format=format)  # type: ignore[arg-type]
    found = dc.verify_release(folder)
    assert found.answer == "consistent", found.failed
    assert "Not seen: that" in check(found, "noise").detail
    names = {each.name for each in found.not_checkable}
    assert names == ({"noise", "lists of values"} if kind == "read" else {"noise"})
    with_original = dc.verify_release(folder, original=PEOPLE)
    assert with_original.answer == "consistent"
    assert "original" in {each.name for each in with_original.not_checkable}


def less_noise(values: dict[str, Any]) -> None:
    parameters(values, "measure_counts")["scale"] = exact("1/2")


def larger_claim(values: dict[str, Any]) -> None:
    values["guarantee"]["parameters"]["epsilon"] = exact("1/2")


def missing_marginal(values: dict[str, Any]) -> None:
    place = next(i for i, e in enumerate(values["events"]) if e["name"] == "measure_counts")
    del values["events"][place]


def missing_dependence(values: dict[str, Any]) -> None:
    values["events"] = [e for e in values["events"] if e["name"] != "measure_dependence"]


def small_sensitivity(values: dict[str, Any]) -> None:
    parameters(values, "measure_dependence")["sensitivity"] -= 1


def no_sensitivity(values: dict[str, Any]) -> None:
    parameters(values, "measure_counts")["sensitivity"] = 0


def other_law(values: dict[str, Any]) -> None:
    was = parameters(values, "measure_counts")
    was["law"] = "laplace" if was["law"] == "gaussian" else "gaussian"


def no_noise(values: dict[str, Any]) -> None:
    parameters(values, "measure_counts")["scale"] = 0


def fewer_numbers(values: dict[str, Any]) -> None:
    parameters(values, "measure_dependence")["n_numbers"] = 1


def other_neighbours(values: dict[str, Any]) -> None:
    values["guarantee"]["neighbours"] = "tables that differ in one row replaced by another"


def steps_of_cells(values: dict[str, Any]) -> None:
    event = {"name": "randomize_cells", "parameters": {"column": "sex"}, "counts": {}}
    values["events"].insert(0, event)


def no_list(values: dict[str, Any]) -> None:
    del values["events"][0]


def shorter_list(values: dict[str, Any]) -> None:
    options = parameters(values, "list_values")
    options["values"], options["n_values"] = options["values"][:1], 1


def drawn_first(values: dict[str, Any]) -> None:
    values["events"].insert(0, values["events"].pop())


def unspent(values: dict[str, Any]) -> None:
    parameters(values, "draw_rows")["spent"] = exact("1/100")


CENTRAL = [
    less_noise, larger_claim, missing_marginal, missing_dependence, small_sensitivity,
    no_sensitivity, other_law, no_noise, fewer_numbers, other_neighbours, steps_of_cells, no_list,
    shorter_list, drawn_first, unspent,
]  # fmt: skip


@pytest.mark.parametrize("kind", ["gaussian", "laplace"])
@pytest.mark.parametrize("tamper", CENTRAL)
def test_central_certificates_that_were_tampered_with(
    tmp_path: Path, kind: str, tamper: Callable[[dict[str, Any]], None]
) -> None:
    found = dc.verify_release(edit(saved(tmp_path, kind), tamper))
    assert failed(found)
    assert found.sentence.startswith("Refuted: ")


def refit(values: dict[str, Any]) -> None:
    """Make the sum fit what is listed, as an attacker would who adds up."""
    events = [e["parameters"] for e in values["events"] if e["name"].startswith("measure_")]
    halves = 2 if events[0]["law"] == "gaussian" else 1
    spent = sum(
        Fraction(e["sensitivity"]) / (halves * Fraction(e["scale"]["exact"])) for e in events
    )
    draw = parameters(values, "draw_rows")
    draw["spent"] = number_to_json("spent", Fraction(math.ceil(spent * 10**12), 10**12))
    draw["n_measured"] = len(events)


@pytest.mark.parametrize("kind", ["gaussian", "laplace"])
@pytest.mark.parametrize(
    ("tamper", "fault"),
    [
        (less_noise, "epsilon"),
        (missing_marginal, "measured"),
        (missing_dependence, "measured"),
        (small_sensitivity, "measured"),
        (no_sensitivity, "measured"),
        (fewer_numbers, "measured"),
    ],
)
def test_a_sum_that_was_made_to_fit_does_not_help(
    tmp_path: Path, kind: str, tamper: Callable[[dict[str, Any]], None], fault: str
) -> None:
    def change(values: dict[str, Any]) -> None:
        tamper(values)
        refit(values)

    found = dc.verify_release(edit(saved(tmp_path, kind), change))
    assert failed(found) == [fault]


def test_a_smaller_delta_than_the_noise_gives(tmp_path: Path) -> None:
    def tamper(values: dict[str, Any]) -> None:
        values["guarantee"]["parameters"]["delta"] = {
            "exact": "1/10000000", "decimal": "1e-7",
        }  # fmt: skip

    found = dc.verify_release(edit(saved(tmp_path, "gaussian"), tamper))
    assert failed(found) == ["epsilon"]
    assert "larger delta" in check(found, "epsilon").detail


def surer_cells(values: dict[str, Any]) -> None:
    options = parameters(values, "randomize_cells")
    options["p"], options["q"] = exact("999/1000"), exact("1/1000")


def no_chances(values: dict[str, Any]) -> None:
    parameters(values, "randomize_cells")["p"] = exact("1/2")


def certain(values: dict[str, Any]) -> None:
    options = parameters(values, "randomize_cells")
    options["p"], options["q"] = 1, 0


def missing_column(values: dict[str, Any]) -> None:
    place = next(i for i, e in enumerate(values["events"]) if e["name"] == "randomize_cells")
    del values["events"][place]


def twice(values: dict[str, Any]) -> None:
    event = next(e for e in values["events"] if e["name"] == "randomize_cells")
    values["events"].insert(0, event)


def cheaper_cells(values: dict[str, Any]) -> None:
    parameters(values, "randomize_cells")["epsilon"] = exact("1/100")


@pytest.mark.parametrize(
    "tamper", [surer_cells, no_chances, certain, missing_column, twice, cheaper_cells,
               larger_claim, other_neighbours, no_list, unspent],
)  # fmt: skip
def test_local_certificates_that_were_tampered_with(
    tmp_path: Path, tamper: Callable[[dict[str, Any]], None]
) -> None:
    assert failed(dc.verify_release(edit(saved(tmp_path, "local"), tamper)))


def test_a_step_that_is_not_known_leaves_the_claim_open(tmp_path: Path) -> None:
    extra = {"name": "polish", "parameters": {}, "counts": {}}
    found = dc.verify_release(
        edit(saved(tmp_path, "laplace"), lambda values: values["events"].append(extra))
    )
    assert found.answer == "refuted"
    assert failed(found) == ["steps stated"]


@pytest.mark.parametrize(("kind", "value"), [("gaussian", "spy"), ("read", "spy"), ("local", None)])
def test_values_that_are_not_listed(tmp_path: Path, kind: str, value: str | None) -> None:
    folder = saved(tmp_path, kind)
    rows = pl.read_parquet(folder / "data.parquet")
    fourth = pl.Series("job", [value, *rows["job"].to_list()[1:]])
    content = io.BytesIO()
    rows.with_columns(fourth).write_parquet(content)
    found = dc.verify_release(replace_data(folder, content.getvalue()))
    assert failed(found) == ["values"]


@pytest.mark.parametrize("format", ["parquet", "csv"])
def test_values_of_every_kind_are_found_on_their_lists(tmp_path: Path, format: str) -> None:  # noqa: A002
    lists: dict[str, list[Any]] = {
        "flag": [True, False],
        "number": [1.5, 2.0],
        "code": [1, 2],
        "day": [date(2020, 1, 2), date(2021, 1, 2)],
        "price": [Decimal("1.10"), Decimal("2.20")],
        "moment": [datetime(2020, 1, 2, 3, 4), datetime(2021, 1, 2)],  # noqa: DTZ001
        "text": ["a", None],
    }
    table = dc.Table.from_frame(
        {name: values * 50 for name, values in lists.items()}, categorical=True
    )
    release = synthetic_release(table, epsilon=2, delta=1e-3, domains=lists)
    found = dc.verify_release(release.save(tmp_path / "out", format=format))  # type: ignore[arg-type]
    assert found.answer != "refuted", found.failed


@examples(40)
@given(rho=st.floats(1e-3, 5), epsilon=st.floats(0.01, 10))
def test_two_routes_to_delta_agree(rho: float, epsilon: float) -> None:
    ours = float(log_delta(Fraction(rho), Fraction(epsilon)))
    assume(ours > -600)  # a float cannot be smaller
    theirs = math.log(delta_of(rho, epsilon))
    assert min(0.0, ours) <= theirs + 1e-9
    assert theirs <= ours + 1e-3 + 1e-4 * abs(ours) or theirs == 0.0


@examples(20)
@given(
    epsilon=st.fractions(Fraction(1, 20), 8, max_denominator=100),
    power=st.integers(2, 15),
)
def test_what_the_mechanism_may_spend_is_accepted_and_not_much_more(
    epsilon: Fraction, power: int
) -> None:
    delta = Fraction(1, 10**power)
    rho = rho_of(epsilon, delta)
    assert is_within_delta(rho, epsilon=epsilon, delta=delta)
    assert not is_within_delta(rho * Fraction(102, 100) + Fraction(2, 10**9), epsilon=epsilon,
                               delta=delta)  # fmt: skip


@pytest.mark.parametrize("kind", MADE)
@pytest.mark.parametrize("where", ["parameters", "counts"])
def test_nothing_beside_what_a_step_states(tmp_path: Path, kind: str, where: str) -> None:
    for place in range(len(MADE[kind].events)):

        def change(values: dict[str, Any], place: int = place) -> None:
            values["events"][place][where]["first_row"] = 137

        folder = MADE[kind].save(tmp_path / str(place))
        found = dc.verify_release(edit(folder, change))
        assert failed(found) == ["steps"]
        assert "states 'first_row'" in check(found, "steps").detail


def test_values_that_are_not_public_are_not_disclosed(tmp_path: Path) -> None:
    def change(values: dict[str, Any]) -> None:
        parameters(values, "list_values")["values"] = ["f", "m"]

    found = dc.verify_release(edit(saved(tmp_path, "read"), change))
    assert failed(found) == ["measured"]
    assert "'sex' are disclosed, and are not public" in check(found, "measured").detail
