"""Statistics of the draws that reach the release: right rates pass, others are rejected."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.fit import P_LEAST, fit, laplace, p_value

import discreet as dc
from discreet.noise import SecureNoise
from discreet.suppress import dp_mii_suppress

N_ROWS = 200_000


class Listening(SecureNoise):
    """Secure noise that keeps what it gave."""

    __slots__ = ("added", "rates")

    def __init__(self) -> None:
        self.added: list[NDArray[np.int64]] = []
        self.rates: list[tuple[Fraction | float, int, int]] = []

    def bernoulli(self, p: Fraction | float, size: int) -> NDArray[np.bool_]:
        drawn = super().bernoulli(p, size)
        self.rates.append((p, int(drawn.sum()), size))
        return drawn

    def discrete_laplace(self, scale: Fraction | float, size: int) -> NDArray[np.int64]:
        self.added.append(super().discrete_laplace(scale, size))
        return self.added[-1]


def alike(n_rows: int = N_ROWS) -> dc.Table:
    return dc.Table.from_codes({"a": np.zeros(n_rows, np.int64)}, {"a": ["x"]})


def p_of(n_seen: int, rate: float) -> float:
    counts = np.array([n_seen, N_ROWS - n_seen])
    return p_value(counts, np.array([rate, 1 - rate]))


@pytest.mark.parametrize("scheme", ["public", "dp"])
def test_rows_are_released_at_their_rate_and_no_other(scheme: str) -> None:
    """All rows are alike and common, so every row that is sampled is released."""
    if scheme == "public":
        release = dp_mii_suppress(
            alike(), epsilon=1, delta=1e-6, beta=0.2, scheme="public", public=alike()
        )
    else:
        release = dp_mii_suppress(alike(), epsilon=1, delta=1e-6, beta=0.2, split_rate=0.4)
    rate = 0.2 if scheme == "public" else 0.6 * 0.2
    assert p_of(len(release.data), rate) > P_LEAST
    assert p_of(len(release.data), rate * 0.7) < P_LEAST
    assert p_of(len(release.data), rate * 1.3) < P_LEAST


def test_training_and_sampling_are_drawn_for_every_row_at_their_rates() -> None:
    noise = Listening()
    dp_mii_suppress(alike(), epsilon=1, delta=1e-6, beta=0.2, split_rate=0.4, noise=noise)
    assert [(p, size) for p, _, size in noise.rates] == [
        (Fraction(2, 5), N_ROWS), (Fraction(1, 5), N_ROWS),
    ]  # fmt: skip
    for p, n_drawn, _ in noise.rates:
        assert p_of(n_drawn, float(p)) > P_LEAST
        assert p_of(n_drawn, 0.7 * float(p)) < P_LEAST
        assert p_of(n_drawn, 1.3 * float(p)) < P_LEAST


def test_supports_get_noise_of_their_scale_and_no_other() -> None:
    noise = Listening()
    names = ["a", "b"]
    table = dc.Table.from_codes(
        dict.fromkeys(names, np.zeros(10, np.int64)), dict.fromkeys(names, ("0",))
    )
    lists = {name: [str(v) for v in range(150)] for name in names}
    dp_mii_suppress(table, epsilon=0.5, delta=1e-6, domains=lists, noise=noise)
    (added,) = noise.added
    assert len(added) == 2 * 151 + 151**2
    scale = 3 / 0.5
    assert fit(added, laplace(scale)) > P_LEAST
    assert fit(added, laplace(scale * 0.7)) < P_LEAST
    assert fit(added, laplace(scale * 1.3)) < P_LEAST
