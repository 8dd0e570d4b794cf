"""Exact delta of sampling and k-suppression, its calibration, and why rows are sampled so."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Hashable, Sequence
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import examples
from tests.oracles import hockey_stick

from discreet.errors import ParameterError, WeakGuaranteeWarning
from discreet.suppress import calibrate, li_bound, sampling_delta, theta_1

rates = st.fractions(min_value=Fraction(1, 20), max_value=Fraction(19, 20), max_denominator=40)
growths = st.fractions(min_value=1, max_value=4, max_denominator=20)

TABLE_4_6 = [  # k, beta, bound of Li et al., exact delta, all at epsilon 0.1
    pytest.param(5, 0.093, 0.1002858588674896, 0.0037443687091507083, id="000-d-5-0.093"),
    pytest.param(5, 0.034, 0.009988898781688769, 0.00017407888364618426, id="000-d-5-0.034"),
    pytest.param(5, 0.017, 0.000985014569526447, 1.2043177225730991e-05, id="000-d-5-0.017"),
    pytest.param(10, 0.095, 0.03289271589622323, 0.0006384952741453793, id="000-d-10-0.095"),
    pytest.param(10, 0.041, 0.0009699470308858309, 9.564809726927048e-06, id="000-d-10-0.041"),
]


def tail(n: int, at_least: int, rate: float) -> float:
    return sum(math.comb(n, j) * rate**j * (1 - rate) ** (n - j) for j in range(at_least, n + 1))


# Known answers


@pytest.mark.parametrize(("k", "beta", "bound", "exact"), TABLE_4_6)
def test_settings_of_the_thesis(k: int, beta: float, bound: float, exact: float) -> None:
    assert li_bound(k, beta=beta, epsilon=0.1) == pytest.approx(bound, abs=1e-12)
    assert sampling_delta(k, beta=beta, epsilon=0.1) == pytest.approx(exact, abs=1e-12)


@pytest.mark.parametrize(
    ("k", "beta", "epsilon", "expected"),
    [
        pytest.param(2, 0.1, 0.2, 0.018100722771515247, id="000-exact-delta-2-0.1-0.2"),
        pytest.param(1, 0.1, 0.05, 0.1, id="000-exact-delta-1-0.1-0.05"),
        pytest.param(2, 0.5, 0.6931471805599453, 0.25, id="000-exact-delta-2-0.5-0.6931"),
    ],
)
def test_exact_delta(k: int, beta: float, epsilon: float, expected: float) -> None:
    assert sampling_delta(k, beta=beta, epsilon=epsilon) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(
    ("k", "delta", "beta", "threshold"),
    [
        (5, 0.1, 0.092919, 6),
        (5, 0.01, 0.034009, 17),
        (5, 0.001, 0.017058, 33),
        (10, 0.01, 0.068276, 17),
        (10, 0.001, 0.041166, 27),
    ],
)
def test_rates_of_the_thesis(k: int, delta: float, beta: float, threshold: int) -> None:
    # 000-table46-betas. The bound is a saw in beta: the table has the last tooth to pass delta.
    within, beyond = beta - 1e-4, beta + 1e-4
    for _ in range(20):
        middle = (within + beyond) / 2
        if li_bound(k, beta=middle, epsilon=0.1) <= delta:
            within = middle
        else:
            beyond = middle
    assert within == pytest.approx(beta, abs=2e-6)
    assert li_bound(k, beta=within, epsilon=0.1) <= delta
    assert theta_1(k - 1, beta=within, split_rate=0.1) == threshold


def test_the_thesis_rounds_one_rate_the_wrong_way() -> None:
    assert li_bound(5, beta=0.093, epsilon=0.1) > 0.1


def test_largest_rate_of_the_bound() -> None:  # 000-beta-max
    largest = -math.expm1(-0.1)
    assert largest == pytest.approx(0.09516258196404048, abs=1e-10)
    bound = li_bound(10, beta=largest - 1e-15, epsilon=0.1)
    assert bound == pytest.approx(0.03322958780760941, abs=1e-10)
    with pytest.raises(ParameterError, match=r"beta=0\.0952 is too large.*0\.09516258196404"):
        li_bound(10, beta=0.0952, epsilon=0.1)


@pytest.mark.parametrize(("epsilon", "k", "beta"), [(1.0, 20, 0.350), (0.5, 20, 0.221)])
def test_rates_at_a_delta_of_one_in_a_million(epsilon: float, k: int, beta: float) -> None:
    assert round(calibrate(epsilon, delta=1e-6, k=k), 3) == beta


# Definition


@examples(60)
@given(k=st.integers(1, 5), rate=rates, growth=growths)
def test_exact_delta_is_the_largest_distance_of_neighbouring_classes(
    k: int, rate: Fraction, growth: Fraction
) -> None:
    n_most = min(40, math.ceil(1.5 * k / rate) + 2)
    expected = hockey_stick.sampling_delta(k, rate, growth, n_most)
    found = sampling_delta(k, beta=rate, epsilon=math.log(growth))
    if (k - 1) / rate < n_most:  # the largest is among those looked at
        assert found == pytest.approx(float(expected), rel=1e-12)
    else:
        assert found >= float(expected) * (1 - 1e-12)


@examples(30)
@given(k=st.integers(1, 6), rate=rates)
def test_total_variation_needs_no_logarithm_and_is_rounded_up(k: int, rate: Fraction) -> None:
    expected = hockey_stick.sampling_delta(k, rate, Fraction(1), math.ceil((k - 1) / rate) + 1)
    found = sampling_delta(k, beta=rate, epsilon=0.0)
    assert Fraction(found) >= expected
    assert Fraction(math.nextafter(found, 0)) < expected * (1 + Fraction(1, 10**20))


@given(
    k=st.integers(1, 300),
    beta=st.floats(0.0, 1.0),
    epsilon=st.floats(0.0, 20.0),
    more=st.floats(0.0, 1.0),
)
@examples(60)
def test_delta_falls_with_epsilon_and_k_and_grows_with_beta(
    k: int, beta: float, epsilon: float, more: float
) -> None:
    delta = sampling_delta(k, beta=beta, epsilon=epsilon)
    assert 0 <= delta <= math.nextafter(beta, 1)
    assert sampling_delta(k, beta=beta, epsilon=epsilon + more) <= delta
    assert sampling_delta(k + 1, beta=beta, epsilon=epsilon) <= delta
    assert sampling_delta(k, beta=beta + (1 - beta) * more, epsilon=epsilon) >= delta


@examples(40)
@given(k=st.integers(1, 40), share=st.floats(0.01, 0.999), epsilon=st.floats(0.01, 3.0))
def test_the_bound_of_li_is_never_below_the_exact_delta(
    k: int, share: float, epsilon: float
) -> None:
    beta = share * -math.expm1(-epsilon)
    assert li_bound(k, beta=beta, epsilon=epsilon) >= sampling_delta(k, beta=beta, epsilon=epsilon)


@pytest.mark.parametrize(("k", "beta"), [(3, 0.09), (5, 0.034), (8, 0.06)])
def test_the_bound_of_li_is_the_largest_tail(k: int, beta: float) -> None:
    gamma = 1 - (1 - beta) * math.exp(-0.1)
    first = math.ceil(k / gamma - 1)
    tails = [tail(n, math.floor(gamma * n) + 1, beta) for n in range(first, first + 300)]
    assert li_bound(k, beta=beta, epsilon=0.1) == pytest.approx(max(tails), rel=1e-12)


def test_the_bound_of_li_is_not_monotone_in_beta() -> None:
    found = [li_bound(5, beta=0.02 + i * 1e-4, epsilon=0.1) for i in range(200)]
    assert any(later < earlier for earlier, later in itertools.pairwise(found))


@examples(15)
@given(k=st.integers(1, 30), epsilon=st.floats(0.0, 4.0), exponent=st.floats(-12.0, -0.5))
def test_a_calibrated_rate_keeps_delta_and_the_next_rate_does_not(
    k: int, epsilon: float, exponent: float
) -> None:
    delta = 10**exponent
    beta = calibrate(epsilon, delta=delta, k=k)
    assert (beta * 2**53).is_integer()
    assert sampling_delta(k, beta=beta, epsilon=epsilon) <= delta
    following = beta + 2**-53
    as_meant = max(Fraction(following), Fraction(str(following)))  # as a fraction, and as written
    assert Fraction(sampling_delta(k, beta=as_meant, epsilon=epsilon)) > Fraction(str(delta))


@pytest.mark.parametrize(
    ("k", "beta", "epsilon", "expected"),
    [
        (50, 1e-300, 1e-10, 5e-324),  # below the smallest float, and not 0
        (7, 0.2, 1e6, 0.2**7),
        (3, 1 - 2**-53, 1e-9, 1.0),
        (4, 0, 0.1, 0.0),
        (4, 1, 0.1, 1.0),
        (1, 1e-200, 0.5, 1e-200),
        (20_000, 0.5, 0.01, 4.5436e-05),
    ],
)
def test_far_corners(k: int, beta: float, epsilon: float, expected: float) -> None:
    found = sampling_delta(k, beta=beta, epsilon=epsilon)
    assert found == pytest.approx(expected, rel=1e-2, abs=0)
    assert found > 0 or beta == 0


@pytest.mark.parametrize(
    ("k", "beta", "epsilon", "told"),
    [
        (0, 0.1, 0.1, "k=0 must"),
        (2.5, 0.1, 0.1, "k=2.5 must"),
        (True, 0.1, 0.1, "k=True must"),
        (2, -0.1, 0.1, "beta=-0.1 must"),
        (2, 1.1, 0.1, "beta=1.1 must"),
        (2, math.nan, 0.1, "beta=nan must"),
        (2, 0.1, -1, "epsilon=-1 must"),
        (2, 0.1, math.inf, "epsilon=inf must"),
        (2, 0.1, math.nan, "epsilon=nan must"),
    ],
)
def test_bad_parameters_are_named(k: int, beta: float, epsilon: float, told: str) -> None:
    for function in (sampling_delta, li_bound):
        with pytest.raises(ParameterError, match=told):
            function(k, beta=beta, epsilon=epsilon)


@pytest.mark.parametrize("delta", [0, 1, -0.1, math.nan])
def test_calibrate_refuses_a_delta_that_is_none(delta: float) -> None:
    with pytest.raises(ParameterError, match=f"delta={delta} must"):
        calibrate(0.1, delta=delta, k=5)


def test_calibrate_says_when_nothing_reaches_delta() -> None:
    with pytest.raises(ParameterError, match="too small"):
        calibrate(0.1, delta=1e-17, k=1)


def test_calibrate_warns_of_a_delta_that_publishes_rows() -> None:
    with pytest.warns(WeakGuaranteeWarning, match="45,222 rows"):
        calibrate(0.1, delta=0.001, k=5, n_rows=45_222)


# Audits: whole releases of tiny tables, every sample enumerated


def shuffled(rows: Sequence[Hashable]) -> Hashable:
    return frozenset(Counter(rows).items())


@pytest.mark.parametrize("k", [1, 2, 3])
@pytest.mark.parametrize("rate", [Fraction(1, 10), Fraction(1, 2)])
def test_a_shuffled_release_keeps_the_delta_claimed(k: int, rate: Fraction) -> None:
    growth = Fraction(11, 10)
    claimed = sampling_delta(k, beta=rate, epsilon=math.log(growth))
    for n_v in range(5):
        for n_a in range(5):
            table = ["v"] * n_v + ["a"] * n_a
            without = hockey_stick.release_law(table, rate, k, shuffled)
            with_row = hockey_stick.release_law([*table, "v"], rate, k, shuffled)
            assert hockey_stick.both_ways(without, with_row, growth) <= claimed * (1 + 1e-12)


def test_rows_in_their_old_order_give_the_new_one_away() -> None:
    rate, k, growth = Fraction(1, 2), 2, Fraction(2)
    table = ["v"] * 4 + ["a"] * 4
    without = hockey_stick.release_law(table, rate, k, tuple)
    with_row = hockey_stick.release_law([*table, "v"], rate, k, tuple)
    found = hockey_stick.distance(with_row, without, growth)
    assert found > 1.3 * sampling_delta(k, beta=rate, epsilon=math.log(growth))


def test_order_leak() -> None:  # 000-order-leak
    # t is sampled, v reaches k with it, and A comes before it: without t this never happens.
    t_published = 0.093 * tail(200, 4, 0.093)
    a_sampled, a_published = tail(200, 1, 0.093), tail(200, 5, 0.093)
    assert t_published * a_sampled == pytest.approx(0.09299949091291689, abs=1e-9)
    assert t_published * a_published > 20 * sampling_delta(5, beta=0.093, epsilon=0.1)


def test_fixed_size_leak() -> None:  # 000-fixed-size-leak
    def published(rows: list[str], beta: Fraction, k: int) -> int:
        """Suppress, then draw floor(beta |D'|): the size of the literal algorithm's output."""
        sizes = Counter(rows)
        return math.floor(beta * sum(sizes[row] >= k for row in rows))

    rows = ["v"] * 100
    sizes = [published(table, Fraction(1, 10), 5) for table in (rows, [*rows[1:], "unique"])]
    assert sizes == [10, 9]  # certain, and different: delta is 1 at every epsilon


@pytest.mark.parametrize(
    ("beta", "k", "expected"), [(0.093, 5, 0.089), (0.034, 5, 0.033), (0.017, 5, 0.017),
                                (0.041, 10, 0.040)]
)  # fmt: skip
def test_a_sample_of_fixed_size_shows_what_is_missing(beta: float, k: int, expected: float) -> None:
    # 000-10 c: of n - 1 equal rows and a unique one, floor(beta n) are drawn with replacement;
    # the table of n equal rows always publishes them all, this one not when the unique is drawn.
    n = 100_000
    found = 1 - (1 - 1 / n) ** math.floor(beta * n)
    assert round(found, 3) == expected
    assert found > 10 * sampling_delta(k, beta=beta, epsilon=0.1)
