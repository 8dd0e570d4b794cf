"""A certificate that claims more than the release keeps, its checksum renewed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from discreet.verify import verify_release
from tests.verify.folders import check, edit, exact, failed, k_anonymous, sampled


def test_k_raised(tmp_path: Path) -> None:
    def change(values: dict[str, Any]) -> None:
        values["guarantee"]["parameters"]["k"] = 3

    found = verify_release(edit(k_anonymous(tmp_path), change))
    assert failed(found) == ["k-anonymity"]
    assert "2 rows are in classes of fewer than 3" in check(found, "k-anonymity").detail


def change_event(name: str, **parameters: object) -> Any:  # noqa: ANN401  a change of JSON
    def change(values: dict[str, Any]) -> None:
        (event,) = [event for event in values["events"] if event["name"] == name]
        event["parameters"] |= parameters

    return change


@pytest.mark.parametrize(
    ("event", "parameters", "caught"),
    [
        ("k_suppress", {"delta": exact("0.000999")}, ["delta of sampling"]),
        ("k_suppress", {"epsilon": exact("0.9")}, ["delta of sampling"]),
        ("k_suppress", {"epsilon": exact("1.1")}, ["total"]),
        ("k_suppress", {"delta": exact("0.002")}, ["total"]),
        ("k_suppress", {"k": 4}, ["classes"]),
        ("k_suppress", {"k": None}, ["classes", "delta of sampling"]),
        ("bernoulli_sample", {"beta": exact("0.25")}, ["delta of sampling"]),
        ("bernoulli_sample", {"beta": exact("1.5")}, ["delta of sampling"]),
        ("learn_scheme", {"scale": exact("5.9")}, ["noise of the scheme"]),
        ("learn_scheme", {"sensitivity": 2, "scale": 4}, ["noise of the scheme"]),
        ("learn_scheme", {"n_columns": 1, "sensitivity": 1, "scale": 2}, ["noise of the scheme"]),
        ("learn_scheme", {"epsilon": exact("0.6")}, ["noise of the scheme"]),
        ("learn_scheme", {"delta": exact("0.5")}, ["total"]),
        ("learn_scheme", {"delta": None}, ["total"]),
        ("learn_scheme", {"scheme": "public"}, ["total"]),
        ("learn_scheme", {"scheme": "split"}, ["total"]),
        ("split_rows", {"split_rate": "some"}, ["total"]),
    ],
)
def test_a_figure_of_sampling_changed(
    tmp_path: Path, event: str, parameters: dict[str, object], caught: list[str]
) -> None:
    folder = sampled(tmp_path, scheme="dp")
    assert verify_release(folder).answer != "refuted"
    found = verify_release(edit(folder, change_event(event, **parameters)))
    assert failed(found) == caught


@pytest.mark.parametrize(("name", "value"), [("epsilon", "0.99"), ("delta", "0.000999")])
@pytest.mark.parametrize("scheme", ["public", "dp", "split"])
def test_a_total_lowered(tmp_path: Path, scheme: str, name: str, value: str) -> None:
    def change(values: dict[str, Any]) -> None:
        values["guarantee"]["parameters"][name] = exact(value)

    found = verify_release(edit(sampled(tmp_path, scheme=scheme), change))
    assert failed(found) == ["total"]


def test_steps_left_out_or_turned_round(tmp_path: Path) -> None:
    def drop(values: dict[str, Any]) -> None:
        values["events"] = [each for each in values["events"] if each["name"] != "bernoulli_sample"]

    def turn(values: dict[str, Any]) -> None:
        values["events"].reverse()

    for place, change in (("a", drop), ("b", turn)):
        (tmp_path / place).mkdir()
        assert failed(verify_release(edit(sampled(tmp_path / place), change))) == ["steps"]


def test_other_neighbours(tmp_path: Path) -> None:
    def change(values: dict[str, Any]) -> None:
        values["guarantee"]["neighbours"] = "tables that differ in one row replaced by another"

    assert failed(verify_release(edit(sampled(tmp_path), change))) == ["steps"]


def test_an_unsorted_release_by_sampling(tmp_path: Path) -> None:
    rows: dict[str, list[object]] = {"a": ["x", "y", "x", "y", "x", "y"]}
    found = verify_release(sampled(tmp_path, rows=rows))
    assert failed(found) == ["row order"]


@pytest.mark.parametrize("make", [k_anonymous, sampled])
def test_a_larger_unit(tmp_path: Path, make: Callable[[Path], Path]) -> None:
    def change(values: dict[str, Any]) -> None:
        values["guarantee"]["unit"] = "one household, all of its rows together"

    found = verify_release(edit(make(tmp_path), change))
    assert failed(found) == ["unit"]
    assert "one household" in check(found, "unit").detail


@pytest.mark.parametrize(("make", "beside"), [(k_anonymous, "l"), (sampled, "k")])
def test_a_figure_beside_those_of_the_model(
    tmp_path: Path, make: Callable[[Path], Path], beside: str
) -> None:
    def change(values: dict[str, Any]) -> None:
        values["guarantee"]["parameters"][beside] = 50

    found = verify_release(edit(make(tmp_path), change))
    assert failed(found) == ["figures"]
    assert f"states '{beside}'" in check(found, "figures").detail
