"""What is expected before anything is spent is what noise then does."""

from __future__ import annotations

import json
import math
import sys
from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np
import pytest

import discreet as dc
from discreet.errors import DataError, LimitError, ParameterError
from discreet.noise import noise_from
from discreet.synthesize import Synthesizer, expected_pair_errors, plan_synthesis
from discreet.synthesize.budget import Spending
from discreet.synthesize.marginals import SHARES, check_noise

SIZES = {"sex": 2, "job": 5, "age": 9, "one": 1}


@pytest.mark.parametrize("delta", [0, 1e-6])
def test_the_errors_are_those_of_the_noise(delta: float) -> None:
    found = expected_pair_errors(SIZES, epsilon=1, delta=delta, n_rows=5000)
    spending = Spending.of(epsilon=Fraction(1), delta=Fraction(str(delta)), noise=noise_from(7))
    power = 2 / 3 if delta else 1 / 2
    sizes = (2, 5, 9)
    errors = []
    for n in sizes:
        cost = spending.total * SHARES["values"] * Fraction(n**power / sum(m**power for m in sizes))
        noisy, _ = spending.measure("values", np.zeros(4000, np.int64), cost=cost)
        errors.append(np.std(noisy) / 5000)
    assert max(errors) == pytest.approx(found.value_error, rel=0.1)
    cells = [a * b for a, b in combinations(sizes, 2)]
    whole = sum(n**power for n in cells)
    squares = []
    for n in cells:
        cost = spending.total * SHARES["pairs"] * Fraction(n**power / whole)
        scale = 1 / (2 * cost) if delta else 1 / cost
        squares.append(n * float(scale if delta else 2 * scale**2))
    expected = math.sqrt(sum(squares) / sum(cells)) / 5000
    assert found.pair_error == pytest.approx(expected, rel=0.02)


def test_more_of_anything_helps() -> None:
    base = expected_pair_errors(SIZES, epsilon=1, n_rows=1000)
    for better in (
        expected_pair_errors(SIZES, epsilon=2, n_rows=1000),
        expected_pair_errors(SIZES, epsilon=1, n_rows=3000),
        expected_pair_errors(SIZES, epsilon=1, delta=1e-2, n_rows=1000),
        expected_pair_errors({"sex": 2, "job": 5}, epsilon=1, n_rows=1000),
    ):
        assert better.pair_error is not None
        assert base.pair_error is not None
        assert better.pair_error < base.pair_error
        assert base.triple_error is not None
        assert better.triple_error is None or better.triple_error < base.triple_error


@pytest.mark.parametrize("delta", [0, 1e-6])
@pytest.mark.parametrize("sizes", [(2, 3, 5), (4, 4, 4, 4), (2, 7, 3, 5)])
def test_three_values_have_the_noise_of_their_pairs(sizes: tuple[int, ...], delta: float) -> None:
    """Fit all pairs of every three columns to noisy pairs of equally frequent values."""
    n = 10**7
    found = expected_pair_errors(
        {f"c{j}": size for j, size in enumerate(sizes)}, epsilon=1, delta=delta, n_rows=n
    )
    power = 2 / 3 if delta else 1 / 2
    pairs = list(combinations(range(len(sizes)), 2))
    whole = sum((sizes[i] * sizes[j]) ** power for i, j in pairs)
    spending = Spending.of(epsilon=Fraction(300), delta=Fraction(str(delta)), noise=noise_from(1))
    budget = Spending.of(epsilon=Fraction(1), delta=Fraction(str(delta)), noise=noise_from(None))
    squares = n_cells = 0.0
    for _ in range(40):
        noise = {}
        for i, j in pairs:
            part = Fraction((sizes[i] * sizes[j]) ** power / whole)
            cost = budget.total * SHARES["pairs"] * part
            zeros = np.zeros(sizes[i] * sizes[j], np.int64)
            noise[i, j] = spending.measure("pairs", zeros, cost=cost)[0].reshape(sizes[i], sizes[j])
        for three in combinations(range(len(sizes)), 3):
            off = additive_fit([noise[pair] for pair in combinations(three, 2)])
            squares, n_cells = squares + (off**2).sum(), n_cells + off.size
    assert found.triple_error is not None
    assert 0.6 < math.sqrt(squares / n_cells) / n / found.triple_error < 1.05


def additive_fit(noise: list[np.ndarray]) -> np.ndarray:
    """Return the least squares fit of a table of three columns, without a three-way part, to
    noise on its three pairs: the first order of what any fit of the pairs has.
    """
    (a, b), c = noise[0].shape, noise[1].shape[1]
    places = list(np.ndindex(a, b, c))
    unknowns = np.zeros((len(places), a * b + a * c + b * c))
    for row, (x, y, z) in zip(unknowns, places, strict=True):
        row[[x * b + y, a * b + x * c + z, a * b + a * c + y * c + z]] = 1
    wanted = np.concatenate([each.ravel() for each in noise])
    answer = np.linalg.lstsq(unknowns.T @ unknowns, wanted)[0]  # unknowns.T counts pairs
    fitted: np.ndarray = unknowns @ answer
    return fitted


def test_it_says_plainly_what_is_noise_and_what_pairs_do_not_tell() -> None:
    noise = expected_pair_errors(SIZES, epsilon=0.01, n_rows=500)
    assert noise.is_noise
    assert "The answer will be noise" in noise.sentence
    good = expected_pair_errors(SIZES, epsilon=1, n_rows=10**6)
    assert not good.is_noise
    assert "Three values may differ further by what their pairs do not show" in good.sentence
    two = expected_pair_errors({"sex": 2, "job": 5}, epsilon=1, n_rows=10**6)
    assert two.triple_error is None
    assert "three" not in two.sentence
    alone = expected_pair_errors({"sex": 2}, epsilon=1, n_rows=10**6)
    assert alone.pair_error is None
    assert "two values" not in alone.sentence


def test_a_table_tells_its_sizes() -> None:
    table = dc.Table.from_frame({"sex": ["f", "m"] * 20, "job": [*"abcd"] * 10})
    assert expected_pair_errors(table, epsilon=1) == expected_pair_errors(
        {"sex": 2, "job": 4}, epsilon=1, n_rows=40
    )


def test_numbers_out_of_range() -> None:
    with pytest.raises(ParameterError, match="n_rows"):
        expected_pair_errors(SIZES, epsilon=1)
    with pytest.raises(ParameterError, match="frequency"):
        expected_pair_errors(SIZES, epsilon=1, n_rows=10, frequency=0)
    with pytest.raises(ParameterError, match="two values"):
        expected_pair_errors({"one": 1}, epsilon=1, n_rows=10)


def wards(n_values: int, n_rows: int = 2000) -> dc.Table:
    """A column of many values, all of them about equally frequent, and one of two."""
    rng = np.random.default_rng(5)
    ward = np.concatenate([np.arange(n_values), rng.integers(0, n_values, n_rows - n_values)])
    return dc.Table.from_codes(
        {"ward": ward, "sex": rng.integers(0, 2, n_rows)},
        {"ward": [f"w{j}" for j in range(n_values)], "sex": ["f", "m"]},
    )


def test_a_column_of_very_many_values_is_lost_in_noise() -> None:
    """Shares of 700 wards of 3 people each: the support of one is right to within 0.6 %."""
    found = plan_synthesis(wards(700), epsilon=1, delta=1e-6)
    assert found.is_noise
    assert found.lost == ("ward",)
    assert "the shares of the values of 'ward' (off by up to 100%" in found.sentence
    assert "The answer will be noise" in found.sentence
    told = json.loads(json.dumps(found.to_dict()))
    assert told["lost"] == ["ward"]
    assert told["column_errors"]["ward"] == 1
    assert told["column_errors"]["sex"] < 0.05
    assert "&#x27;ward&#x27;, lost" in found._repr_html_()


def test_one_lost_column_of_many_is_named_and_the_rest_is_not_noise() -> None:
    sizes = {"ward": 700, "sex": 2, "job": 5, "age": 9}
    found = expected_pair_errors(sizes, epsilon=1, delta=1e-6, n_rows=5000)
    assert not found.is_noise
    assert found.lost == ("ward",)
    assert "'ward'" in found.sentence
    assert "'sex'" not in found.sentence
    assert "will be noise" not in found.sentence
    fine = expected_pair_errors(sizes, epsilon=1, delta=1e-6, n_rows=10**6)
    assert fine.lost == ()
    assert "ost in noise" not in fine.sentence


@pytest.mark.parametrize("delta", [0, 1e-6])
def test_the_error_of_a_column_is_that_of_its_noise(delta: float) -> None:
    found = dict(expected_pair_errors(SIZES, epsilon=1, delta=delta, n_rows=3000).column_errors)
    assert list(found) == ["sex", "job", "age"]  # of one value nothing is off
    power, sizes = 2 / 3 if delta else 1 / 2, (2, 5, 9)
    spending = Spending.of(epsilon=Fraction(1), delta=Fraction(str(delta)), noise=noise_from(3))
    for n, error in zip(sizes, found.values(), strict=True):
        cost = spending.total * SHARES["values"] * Fraction(n**power / sum(m**power for m in sizes))
        noise, _ = spending.measure("values", np.zeros(4000 * n, np.int64), cost=cost)
        off = np.abs(noise.reshape(4000, n)).sum(1).mean() / 2 / 3000
        assert error == pytest.approx(off, rel=0.05)


@pytest.mark.parametrize("epsilon", [0.3, 1])
def test_a_wide_column_is_about_as_far_off_as_told(
    epsilon: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.modules["discreet.synthesize.pairs"], "N_TRAINED", 8000)
    table = wards(150)
    taken: Any = {"domains": "from-data"}
    told = dict(plan_synthesis(table, epsilon=epsilon, delta=1e-6, **taken).column_errors)["ward"]
    drawn = Synthesizer(epsilon, delta=1e-6, seed=1, **taken).fit(table).sample(20_000)
    off = total_variation(table, drawn, "ward")
    assert told / 2 < off < told


def total_variation(table: dc.Table, drawn: dc.Table, column: str) -> float:
    shares = [
        dict(zip(of.values(column), np.bincount(of.codes(column)) / of.n_rows, strict=True))
        for of in (table, drawn)
    ]
    values = set(shares[0]) | set(shares[1])
    return float(sum(abs(shares[0].get(v, 0) - shares[1].get(v, 0)) for v in values)) / 2


@pytest.mark.parametrize("trust", ["central", "local"])
def test_a_plan_refuses_the_values_that_fit_refuses(trust: Any) -> None:  # noqa: ANN401
    wide = dc.Table.from_frame({
        "id": [f"i{j}" for j in range(1600)],
        "ward": [f"w{j % 300}" for j in range(1600)],
        "sex": ["f", "m"] * 800,
    })  # fmt: skip
    what = "1,902 values in all, over 1,500: 'id' has 1,600, 'ward' has 300, 'sex' has 2.*columns"
    with pytest.raises(LimitError, match=what):
        plan_synthesis(wide, epsilon=1, trust=trust, domains="from-data")
    with pytest.raises(LimitError, match=what):
        Synthesizer(1, trust=trust, domains="from-data").fit(wide)
    assert (
        plan_synthesis(
            wide, epsilon=8, trust=trust, columns=["ward", "sex"], domains="from-data"
        ).n_rows
        == 1600
    )
    named = wide.with_roles(id="identifying")
    assert plan_synthesis(named, epsilon=8, trust=trust, domains="from-data").n_rows == 1600


@pytest.mark.parametrize(
    ("options", "what"),
    [
        ({"trust": "locl"}, "There is no trust='locl'. Did you mean 'local'"),
        ({"trust": "local", "delta": 1e-6}, "delta=1e-06 must be 0 with trust='local'"),
        ({"columns": ["sexx"]}, "'sexx'.*'sex'"),
        ({"columns": "sex"}, "list of names"),
        ({"delta": 2}, "delta=2 must be"),
    ],
)
def test_a_plan_refuses_options(options: dict[str, Any], what: str) -> None:
    with pytest.raises(ParameterError, match=what):
        plan_synthesis(wards(4), **{"epsilon": 1, "delta": 1e-6, **options})


def test_a_plan_of_nothing() -> None:
    hidden = wards(4).with_roles(ward="identifying", sex="identifying")
    with pytest.raises(DataError, match="No column is left"):
        plan_synthesis(hidden, epsilon=1, domains="from-data")


@pytest.mark.parametrize("trust", ["central", "local"])
@pytest.mark.parametrize("epsilon", [Fraction(1, 10**400), 1e-200, 1e-30])
def test_tiny_budgets_are_refused_alike_by_plan_and_fit(
    epsilon: Fraction | float,
    trust: Any,  # noqa: ANN401
) -> None:
    for make in (
        lambda: plan_synthesis(wards(4), epsilon=epsilon, trust=trust, domains="from-data"),
        lambda: Synthesizer(epsilon, trust=trust, domains="from-data").fit(wards(4)),
    ):
        with pytest.raises(ParameterError, match=r"epsilon.*so little that nothing.*Give"):
            make()


def test_noise_that_cannot_be_drawn_is_told_before_anything_is_measured() -> None:
    """Of many columns the number for each pair gets the most noise, after values were counted."""
    sizes = dict.fromkeys(map(str, range(40)), 2)
    with pytest.raises(ParameterError, match="a larger epsilon, or fewer columns"):
        expected_pair_errors(sizes, epsilon=1e-8, n_rows=10**6)
    budget = Spending.of(epsilon=Fraction(1, 10**8), delta=Fraction(0), noise=noise_from(1))
    with pytest.raises(ParameterError, match="epsilon is so little"):
        check_noise([2] * 40, budget)
    check_noise([2] * 4, budget)
    check_noise([2], budget)
    check_noise([1], budget)
    assert budget.entries == []
    found = expected_pair_errors({"sex": 2}, epsilon=1e-9, n_rows=100)
    assert "more than 100% of the rows for the share of one value: a share of" in found.sentence
    assert found.column_errors == (("sex", 1.0),)
