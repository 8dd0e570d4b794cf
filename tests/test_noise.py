"""Random numbers: exact where bytes can be enumerated, and power-checked where they cannot."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest

from discreet.errors import ParameterError
from discreet.noise import Noise, SecureNoise, SeededNoise, noise_from
from discreet.noise.sources import Sampler
from tests.fit import P_LEAST, fit, gaussian, laplace, p_value

HUGE = Fraction(1, 2**90)  # added to a scale, it makes the numbers too long for int64


@pytest.fixture(params=[None, 20_260_701], ids=["secure", "seeded"])
def noise(request: pytest.FixtureRequest) -> Noise:
    return noise_from(request.param)


class Scripted(Sampler):
    """Noise that reads its bytes from a script, which must last."""

    is_secure = False

    def __init__(self, script: bytes) -> None:
        self.script = script

    def _bytes(self, n: int) -> bytes:
        assert n <= len(self.script)
        given, self.script = self.script[:n], self.script[n:]
        return given


# Exact: every string of bytes is tried once


@pytest.mark.parametrize("p", [Fraction(1, 3), Fraction(93, 1000), Fraction(255, 256), 0.1, 0.5])
def test_bernoulli_is_exact_byte_by_byte(p: Fraction | float) -> None:
    exact = Fraction(p)
    every_byte = bytes(range(256))
    draws = Scripted(every_byte + b"\0" * 9).bernoulli(p, 256)
    threshold = math.floor(exact * 256)
    assert draws[:threshold].all()
    assert not draws[threshold + 1 :].any()
    # Where the first byte is equal the second decides, by what is left of p.
    rest = exact * 256 - threshold
    for second in range(256):
        tied = Scripted(bytes([threshold, second]) + b"\0" * 9).bernoulli(p, 1)[0]
        assert tied == (Fraction(second, 256) < rest)


def test_bernoulli_of_certain_outcomes_draws_nothing() -> None:
    silent = Scripted(b"")
    assert silent.bernoulli(1, 5).all()
    assert not silent.bernoulli(Fraction(0), 5).any()


@pytest.mark.parametrize("n", [1, 2, 3, 6, 7, 31, 32, 84, 128, 255, 256])
def test_every_byte_gives_every_integer_equally_often(n: int) -> None:
    accepted = Scripted(bytes(range(256)))._accepted(n, 256)
    counts = np.bincount(accepted, minlength=n)
    assert len(set(counts.tolist())) == 1
    assert len(counts) == n


@pytest.mark.parametrize("n", [129, 171, 257, 1000, 8191, 65_536])
def test_every_pair_of_bytes_gives_every_integer_equally_often(n: int) -> None:
    accepted = Scripted(np.arange(65_536, dtype="<u2").tobytes())._accepted(n, 65_536)
    counts = np.bincount(accepted, minlength=n)
    assert len(set(counts.tolist())) == 1
    assert len(counts) == n


def test_long_words_that_would_favour_small_integers_are_drawn_again() -> None:
    n = 3 * 2**61
    fair = 2**64 - 2**64 % n
    words = np.array([fair - 1, fair, 2**64 - 1, n, 0], "<u8")
    assert Scripted(words.tobytes())._accepted(n, 5).tolist() == [n - 1, 0, 0]
    longer = 3 * 2**70
    script = b"".join(one.to_bytes(9) for one in (longer - 1, longer, 2**72 - 1, 5))
    assert Scripted(script)._accepted(longer, 4).tolist() == [longer - 1, 5]


# Statistical: fixed sizes, p < 1e-9


@pytest.mark.parametrize("n", [2, 3, 6, 100, 171, 256, 300])
def test_integers_are_uniform(noise: Noise, n: int) -> None:
    draws = noise.integers(n, size=200 * n)
    assert draws.dtype == np.int64
    assert p_value(np.bincount(draws, minlength=n), np.full(n, 1 / n)) > P_LEAST


@pytest.mark.parametrize("bits", [6, 14, 30, 61, 70])
def test_integers_have_no_modulo_bias(noise: Noise, bits: int) -> None:
    assert isinstance(noise, Sampler)
    # Words modulo 3 * 2**bits would fall into the first third half the time.
    draws = noise._integers(3 << bits, 3000)
    thirds = np.bincount((draws >> bits).astype(np.int64), minlength=3)
    assert p_value(thirds, np.full(3, 1 / 3)) > P_LEAST
    assert p_value(thirds, np.array([1 / 2, 1 / 4, 1 / 4])) < P_LEAST


@pytest.mark.parametrize("p", [Fraction(1, 3), 0.093, Fraction(1, 1000), Fraction(2, 3)])
def test_bernoulli_has_its_rate_and_no_other(noise: Noise, p: Fraction | float) -> None:
    n = 3_000_000
    ones = int(noise.bernoulli(p, size=n).sum())

    def p_of(rate: float) -> float:
        return p_value(np.array([ones, n - ones]), np.array([rate, 1 - rate]))

    assert p_of(float(p)) > P_LEAST
    assert p_of(float(p) * 0.7) < P_LEAST
    assert p_of(float(p) * 1.3) < P_LEAST


def test_every_order_is_equally_likely(noise: Noise) -> None:
    seen = [tuple(noise.permutation(4).tolist()) for _ in range(4800)]
    counts = np.array([seen.count(order) for order in permutations(range(4))])
    assert counts.sum() == 4800
    assert p_value(counts, np.full(24, 1 / 24)) > P_LEAST


def test_keys_that_are_equal_are_drawn_again() -> None:
    keys = np.array([5, 5, 1, 9, 3, 7], "<u8")
    assert Scripted(keys.tobytes()).permutation(3).tolist() == [1, 2, 0]


@pytest.mark.parametrize(
    ("scale", "size"),
    [
        (Fraction(1, 2), 60_000),
        (Fraction(1), 60_000),
        (Fraction(5, 2), 60_000),
        (Fraction(40), 60_000),
        (Fraction(5, 2) + HUGE, 20_000),
        (1 / 0.3, 20_000),
    ],
)
def test_discrete_laplace_has_its_scale_and_no_other(
    noise: Noise, scale: Fraction | float, size: int
) -> None:
    draws = noise.discrete_laplace(scale, size=size)
    assert draws.dtype == np.int64
    assert len(draws) == size
    assert fit(draws, laplace(float(scale))) > P_LEAST
    assert fit(draws, laplace(float(scale) * 0.7)) < P_LEAST
    assert fit(draws, laplace(float(scale) * 1.3)) < P_LEAST


@pytest.mark.parametrize(
    ("sigma2", "size"),
    [
        (Fraction(1, 3), 60_000),
        (Fraction(1), 60_000),
        (Fraction(7, 3), 60_000),
        (Fraction(400), 60_000),
        (Fraction(7, 3) + HUGE, 20_000),
        (12.3, 20_000),
    ],
)
def test_discrete_gaussian_has_its_scale_and_no_other(
    noise: Noise, sigma2: Fraction | float, size: int
) -> None:
    draws = noise.discrete_gaussian(sigma2, size=size)
    assert draws.dtype == np.int64
    assert len(draws) == size
    assert fit(draws, gaussian(float(sigma2))) > P_LEAST
    assert fit(draws, gaussian(float(sigma2) * 0.7**2)) < P_LEAST
    assert fit(draws, gaussian(float(sigma2) * 1.3**2)) < P_LEAST


@pytest.mark.parametrize("numerator", [0, 1, 3, 5])
def test_bernoulli_of_an_exponential(numerator: int) -> None:
    draws = SeededNoise(5)._bernoulli_exp(np.full(50_000, numerator), 5)
    rate = math.exp(-numerator / 5)
    if numerator == 0:
        assert draws.all()
        return
    counts = np.array([draws.sum(), (~draws).sum()])
    assert p_value(counts, np.array([rate, 1 - rate])) > P_LEAST


def test_neighbouring_draws_are_independent(noise: Noise) -> None:
    draws = noise.discrete_laplace(Fraction(1), size=60_000).clip(-1, 1) + 1
    pairs = np.bincount(3 * draws[0::2] + draws[1::2], minlength=9)
    shares = np.bincount(draws, minlength=3) / len(draws)
    assert p_value(pairs, np.outer(shares, shares).ravel()) > P_LEAST


def test_nothing_and_more_than_one_chunk(noise: Noise) -> None:
    assert len(noise.integers(5, 0)) == len(noise.bernoulli(0.5, 0)) == 0
    assert len(noise.permutation(0)) == 0
    assert len(noise.discrete_laplace(1, 0)) == len(noise.discrete_gaussian(1, 0)) == 0
    assert len(noise.integers(5, 300_001)) == len(noise.bernoulli(0.3, 300_001)) == 300_001
    assert len(noise.discrete_laplace(1, 300_001)) == 300_001


def test_far_scales(noise: Noise) -> None:
    assert not noise.discrete_laplace(5e-324, 20).any()
    assert not noise.discrete_gaussian(5e-324, 20).any()
    assert np.abs(noise.discrete_laplace(2**40, 20)).max() > 2**30
    assert np.abs(noise.discrete_gaussian(2**80, 20)).max() > 2**30


BAD: list[tuple[Callable[[Noise], object], str]] = [
    (lambda noise: noise.integers(0, 5), "n=0 must"),
    (lambda noise: noise.integers(2.5, 5), r"n=2\.5 must"),  # type: ignore[arg-type]  # the test
    (lambda noise: noise.integers(True, 5), "n=True must"),
    (lambda noise: noise.integers(2**63 + 1, 5), "n=9223372036854775809 must be from 1 to"),
    (lambda noise: noise.integers(5, -1), "size=-1 must"),
    (lambda noise: noise.bernoulli(1.5, 5), r"p=1\.5 must"),
    (lambda noise: noise.bernoulli(-0.5, 5), r"p=-0\.5 must"),
    (lambda noise: noise.bernoulli(math.nan, 5), "p=nan must"),
    (lambda noise: noise.bernoulli(0.5, -1), "size=-1 must"),
    (lambda noise: noise.permutation(-1), "n=-1 must"),
    (lambda noise: noise.discrete_laplace(0, 5), "scale=0 must"),
    (lambda noise: noise.discrete_laplace(math.inf, 5), "scale=inf must"),
    (lambda noise: noise.discrete_laplace(math.nan, 5), "scale=nan must"),
    (lambda noise: noise.discrete_laplace(1, -5), "size=-5 must"),
    (lambda noise: noise.discrete_gaussian(-1, 5), "sigma2=-1 must"),
    (lambda noise: noise.discrete_gaussian(Fraction(2**81), 5), "sigma2=.* must"),
    (lambda noise: noise.discrete_gaussian(1, -5), "size=-5 must"),
    (lambda _: SeededNoise(-1), "seed=-1 must"),
    (lambda _: noise_from(True), "seed=True must"),
]


@pytest.mark.parametrize(("call", "told"), BAD, ids=[told for _, told in BAD])
def test_bad_parameters_are_named(call: Callable[[Noise], object], told: str) -> None:
    with pytest.raises(ParameterError, match=told):
        call(SecureNoise())
