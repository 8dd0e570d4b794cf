"""What can be discovered: the numbers solve the equations that define them."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest
from numpy.typing import NDArray

from discreet.errors import InfeasibleError, ParameterError
from discreet.randomize import (
    CutAndPaste,
    Uniform,
    lowest_discoverable_confidence,
    lowest_discoverable_support,
    support_weights,
    two_set_matrix,
)
from discreet.randomize.confidence import Moments, _comonotone, chance_within
from discreet.randomize.operators.law import floats

OPERATOR = CutAndPaste(5, rho="0.3")


def variance(support: float, k: int, m: int, n: int) -> float:
    """Statement 3 with the partial supports of independent items, written out."""
    frequency = support ** (1 / k)
    weights, chances = support_weights(OPERATOR, m, k), OPERATOR.transition(m, k)
    total = 0.0
    for order in range(k + 1):
        share = math.comb(k, order) * frequency**order * (1 - frequency) ** (k - order)
        spread = sum(chances[x, order] * weights[x] ** 2 for x in range(k + 1)) - (order == k)
        total += share * spread
    return total / n


@pytest.mark.parametrize(
    ("k", "m", "n"), [(1, 5, 10**6), (2, 5, 10**6), (3, 4, 10**5), (1, 1, 500)]
)
def test_support_is_four_sigmas(k: int, m: int, n: int) -> None:
    found = lowest_discoverable_support(OPERATOR, k=k, sizes={m: n})
    assert found == pytest.approx(4 * math.sqrt(variance(found, k, m, n)), rel=1e-9)
    for below in np.geomspace(1e-9, found * 0.999, 50).tolist():
        assert below < 4 * math.sqrt(variance(below, k, m, n))


def test_smaller_transactions_only_dilute() -> None:
    """Half of the transactions cannot hold three items: half the share, as much noise."""
    alone = lowest_discoverable_support(OPERATOR, k=3, sizes={4: 10**6})
    diluted = lowest_discoverable_support(OPERATOR, k=3, sizes={4: 10**6, 2: 10**6})
    assert diluted == pytest.approx(alone / 2)
    assert lowest_discoverable_support(OPERATOR, k=3, sizes={2: 10**6}) == math.inf


def test_falls_with_the_root_of_the_number() -> None:
    many = lowest_discoverable_support(OPERATOR, k=1, sizes={5: 10**8})
    more = lowest_discoverable_support(OPERATOR, k=1, sizes={5: 10**10})
    assert many / more == pytest.approx(10, rel=0.01)


def test_nothing_is_discovered_from_few() -> None:
    assert lowest_discoverable_support(OPERATOR, k=3, sizes={5: 10}) == math.inf
    with pytest.raises(InfeasibleError, match="cannot be recovered"):
        lowest_discoverable_support(OPERATOR, k=6, sizes={7: 10**6})
    assert lowest_discoverable_support(Uniform(0.5), k=1, sizes={3: 10**6}, n_items=100) < 0.01


@pytest.mark.parametrize("dependence", ["independent", "maximal"])
@pytest.mark.parametrize(("a", "b"), [(1, 1), (2, 1), (1, 2)])
def test_confidence_is_twice_its_radius(dependence: str, a: int, b: int) -> None:
    n, m, of_a = 10**8, 5, 0.02
    found = lowest_discoverable_confidence(
        OPERATOR,
        n_antecedent=a,
        n_consequent=b,
        m=m,
        n_transactions=n,
        antecedent_support=of_a,
        dependence=dependence,  # type: ignore[arg-type]
    )
    shares = two_set_shares(dependence, of_a, found, (a, b))
    chances = floats(two_set_matrix(OPERATOR.law(m), m, a, b))
    pairs = list(product(range(a + 1), range(b + 1)))
    x = np.array([support_weights(OPERATOR, m, a + b)[sum(pair)] for pair in pairs])
    y = np.array([support_weights(OPERATOR, m, a)[pair[0]] for pair in pairs])
    mean = np.array([(x @ column, y @ column) for column in chances.T])
    assert shares @ mean[:, 0] == pytest.approx(of_a * found)
    assert shares @ mean[:, 1] == pytest.approx(of_a)

    def covariance(left: NDArray[np.float64], right: NDArray[np.float64]) -> float:
        total = 0.0
        for share, column in zip(shares, chances.T, strict=True):
            total += share * (left * right @ column - (left @ column) * (right @ column))
        return float(total) / n

    moments = Moments(
        mean_x=of_a * found,
        mean_y=of_a,
        variance_x=covariance(x, x),
        variance_y=covariance(y, y),
        covariance=covariance(x, y),
    )
    assert chance_within(found / 2, moments=moments) == pytest.approx(0.95, abs=1e-6)


def two_set_shares(
    dependence: str, of_a: float, confidence: float, sizes: tuple[int, int]
) -> NDArray[np.float64]:
    """Two-set partial supports by the two assumptions of section 5.2."""
    if dependence == "independent":
        f, g = of_a ** (1 / sizes[0]), confidence ** (1 / sizes[1])
    else:
        f, g = of_a ** (1 / sizes[0]), (of_a * confidence) ** (1 / sizes[1])
    first = [math.comb(sizes[0], i) * f**i * (1 - f) ** (sizes[0] - i) for i in range(sizes[0] + 1)]
    second = [
        math.comb(sizes[1], i) * g**i * (1 - g) ** (sizes[1] - i) for i in range(sizes[1] + 1)
    ]
    if dependence == "independent":
        return np.outer(first, second).ravel()
    joint, left, right = np.zeros((len(first), len(second))), first.copy(), second.copy()
    i, j = len(first) - 1, len(second) - 1
    while i >= 0 and j >= 0:  # fill transactions in the order of decreasing |t & A|
        share = min(left[i], right[j])
        joint[i, j] += share
        left[i] -= share
        right[j] -= share
        if left[i] <= right[j]:
            i -= 1
        else:
            j -= 1
    return joint.ravel()


def test_comonotone_margins() -> None:
    first, second = np.array([0.5, 0.3, 0.2]), np.array([0.9, 0.1])
    joint = _comonotone(first, second)
    assert joint.sum(axis=1) == pytest.approx(first)
    assert joint.sum(axis=0) == pytest.approx(second)
    assert joint[2, 1] == pytest.approx(0.1)


def test_refusals() -> None:
    def ask(**changed: object) -> float:
        options: dict[str, object] = {
            "n_antecedent": 1, "n_consequent": 1, "m": 5, "n_transactions": 100,
        }  # fmt: skip
        return lowest_discoverable_confidence(OPERATOR, **(options | changed))  # type: ignore[arg-type]

    assert ask() == math.inf
    for changed, message in (
        ({"n_antecedent": 0}, "n_antecedent=0"),
        ({"n_consequent": 5}, "does not fit"),
        ({"antecedent_support": 0}, "antecedent_support=0"),
        ({"dependence": "some"}, "dependence='some'"),
        ({"n_transactions": 0}, "n_transactions=0"),
    ):
        with pytest.raises(ParameterError, match=message):
            ask(**changed)
