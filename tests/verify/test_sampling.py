"""Differential privacy by sampling: the delta by its definition, and what a release states."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.errors import LimitError
from discreet.suppress import sampling_delta as closed_form
from discreet.verify import verify_release
from discreet.verify.sampling import sampling_delta
from tests.examples import examples
from tests.oracles import hockey_stick
from tests.verify.folders import (
    check,
    edit,
    failed,
    sampled,
)


@pytest.mark.parametrize("scheme", ["public", "dp", "split"])
def test_an_honest_sampled_release(tmp_path: Path, scheme: str) -> None:
    found = verify_release(sampled(tmp_path, scheme=scheme))
    assert found.answer != "refuted"
    assert ("size of delta" in {each.name for each in found.not_checkable}) == (scheme == "split")


def test_a_delta_of_one_over_the_rows_is_pointed_at(tmp_path: Path) -> None:
    (tmp_path / "alone").mkdir()
    found = verify_release(sampled(tmp_path / "alone", delta=Fraction(1, 7)))
    assert "at least one over 7 rows" in check(found, "size of delta").detail
    original = {"a": [*"xy"] * 9, "b": ["z"] * 18}
    found = verify_release(sampled(tmp_path, delta=Fraction(1, 18)), original=original)
    assert "at least one over 18 rows" in check(found, "size of delta").detail


def test_a_weaker_total_than_due_is_true(tmp_path: Path) -> None:
    assert (
        verify_release(sampled(tmp_path, total=(Fraction(2), Fraction("0.05")))).answer != "refuted"
    )


def test_a_step_that_is_not_known_leaves_the_claim_open(tmp_path: Path) -> None:
    extra = {"name": "polish", "parameters": {}, "counts": {"n_rows": 3}}
    unsorted: dict[str, list[object]] = {"a": [*"xyxyxy"]}
    folder = sampled(tmp_path, rows=unsorted)
    found = verify_release(edit(folder, lambda values: values["events"].append(extra)))
    assert found.answer == "refuted"
    assert failed(found) == ["steps stated"]
    assert "does not know what the step 'polish' does" in check(found, "steps").detail
    assert "polish" in check(found, "counts").detail


@pytest.mark.parametrize(
    ("k", "beta", "epsilon", "expected"),
    [
        pytest.param(2, "0.1", "0.2", 0.018100722771515247, id="000-exact-delta-2-0.1-0.2"),
        pytest.param(1, "0.1", "0.05", 0.1, id="000-exact-delta-1-0.1-0.05"),
        pytest.param(2, "0.5", "0.6931471805599453", 0.25, id="000-exact-delta-2-0.5-0.6931"),
        pytest.param(5, "0.093", "0.1", 0.0037443687091507083, id="000-d-5-0.093"),
        pytest.param(5, "0.034", "0.1", 0.00017407888364618426, id="000-d-5-0.034"),
        pytest.param(5, "0.017", "0.1", 1.2043177225730991e-05, id="000-d-5-0.017"),
        pytest.param(10, "0.095", "0.1", 0.0006384952741453793, id="000-d-10-0.095"),
        pytest.param(10, "0.041", "0.1", 9.564809726927048e-06, id="000-d-10-0.041"),
    ],
)
def test_known_deltas(k: int, beta: str, epsilon: str, expected: float) -> None:
    found = sampling_delta(k, beta=Fraction(beta), epsilon=Fraction(epsilon))
    assert found == pytest.approx(expected, rel=1e-9)


@examples(40)
@given(
    k=st.integers(1, 5),
    beta=st.fractions(min_value=Fraction(1, 20), max_value=Fraction(19, 20), max_denominator=40),
    growth=st.fractions(min_value=1, max_value=4, max_denominator=20),
)
def test_delta_is_the_largest_distance_of_neighbouring_classes(
    k: int, beta: Fraction, growth: Fraction
) -> None:
    n_most = min(40, math.ceil(1.5 * k / beta) + 2)
    expected = float(hockey_stick.sampling_delta(k, beta, growth, n_most))
    found = sampling_delta(k, beta=beta, epsilon=Fraction(math.log(growth)))
    if (k - 1) / beta < n_most:  # the largest is among those looked at
        assert found == pytest.approx(expected, rel=1e-9)
    else:
        assert found >= expected * (1 - 1e-9)


@pytest.mark.parametrize(
    ("k", "beta"),
    [*itertools.product([1, 2, 7, 50, 300], ["0.003", "0.02", "0.35", "0.9"]), (4, "0"), (4, "1")],
)
def test_delta_agrees_with_the_closed_form(k: int, beta: str) -> None:
    for epsilon in ["0", "0.001", "0.1", "1", "5", "60", "2000"]:
        found = sampling_delta(k, beta=Fraction(beta), epsilon=Fraction(epsilon))
        expected = closed_form(k, beta=Fraction(beta), epsilon=float(epsilon))
        if expected > 1e-250:
            assert found == pytest.approx(expected, rel=1e-9, abs=0)
        else:
            assert found < 1e-200


def test_a_scan_that_would_be_too_long_is_not_checkable(tmp_path: Path) -> None:
    with pytest.raises(LimitError, match="class sizes to be looked at"):
        sampling_delta(20, beta=Fraction(1, 10**9), epsilon=Fraction(1, 10**9))
    tiny = Fraction(1, 10**9)
    found = verify_release(sampled(tmp_path, beta=tiny, epsilon=tiny))
    assert found.answer == "refuted"
    assert not found.failed
    assert check(found, "delta of sampling").passed is None
