"""Random numbers: exact where bytes can be enumerated, and power-checked where they cannot."""

from __future__ import annotations

import math
import subprocess
import sys
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest
from numpy.typing import NDArray

from discreet.errors import ParameterError
from discreet.noise import Noise, SecureNoise, SeededNoise, noise_from
from discreet.noise.discrete import Sampler

P_LEAST = 1e-9
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


def p_value(counts: NDArray[np.int64], probabilities: NDArray[np.float64]) -> float:
    """Return an upper bound on the p-value of the chi-square test (Chernoff)."""
    expected = counts.sum() * probabilities
    assert expected.min() > 5
    per_freedom = float(((counts - expected) ** 2 / expected).sum()) / (len(counts) - 1)
    if per_freedom <= 1:
        return 1.0
    return math.exp((len(counts) - 1) / 2 * (1 - per_freedom + math.log(per_freedom)))


def fit(draws: NDArray[np.int64], pmf: Mapping[int, float]) -> float:
    """Return the p-value of draws for a distribution; its rare values are put together."""
    common = [value for value, chance in pmf.items() if chance * len(draws) > 50]
    counts = [int((draws == value).sum()) for value in common]
    chances = [pmf[value] for value in common]
    counts.append(len(draws) - sum(counts))
    chances.append(1 - math.fsum(chances))
    if chances[-1] * len(draws) <= 50:  # too rare to stand alone: with the one before
        counts[-2:] = [sum(counts[-2:])]
        chances[-2:] = [math.fsum(chances[-2:])]
    return p_value(np.array(counts), np.array(chances))


def laplace(scale: float) -> dict[int, float]:
    ratio = math.exp(-1 / scale)
    most = math.ceil(60 * scale) + 1
    return {x: (1 - ratio) / (1 + ratio) * ratio ** abs(x) for x in range(-most, most + 1)}


def gaussian(sigma2: float) -> dict[int, float]:
    most = math.ceil(12 * math.sqrt(sigma2)) + 1
    weights = {x: math.exp(-(x**2) / (2 * sigma2)) for x in range(-most, most + 1)}
    total = math.fsum(weights.values())
    return {x: weight / total for x, weight in weights.items()}


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


# Sources


def test_the_seed_decides() -> None:
    def some(noise: Noise) -> list[list[int]]:
        return [
            noise.integers(6, 10).tolist(),
            noise.integers(10**6, 3).tolist(),
            noise.integers(10**12, 2).tolist(),
            noise.bernoulli(Fraction(1, 3), 12).astype(int).tolist(),
            noise.permutation(8).tolist(),
            noise.discrete_laplace(Fraction(5, 2), 8).tolist(),
            noise.discrete_gaussian(Fraction(7, 3), 8).tolist(),
        ]

    # Values as they are today: a change would make recorded experiments unrepeatable.
    assert some(SeededNoise(2026)) == [
        [3, 5, 0, 5, 0, 4, 4, 1, 4, 1],
        [365477, 467268, 79828],
        [233333351962, 766852987688],
        [0, 0, 1, 0, 0, 0, 0, 0, 1, 1, 0, 0],
        [0, 7, 5, 3, 4, 6, 2, 1],
        [0, -6, 3, 0, 2, 0, 10, 3],
        [1, 1, 1, 0, 3, 0, 0, -1],
    ]
    assert some(SeededNoise(2026)) == some(noise_from(2026)) != some(SeededNoise(2027))


def test_later_calls_go_on_where_earlier_ones_stopped() -> None:
    noise = SeededNoise(1)
    assert noise.integers(2**40, 5).tolist() != noise.integers(2**40, 5).tolist()


def test_secure_noise_never_repeats() -> None:
    first, second = SecureNoise(), SecureNoise()
    draws = [noise.integers(2**63, 1000) for noise in (first, first, second)]
    assert len(np.unique(np.concatenate(draws))) == 3000


def test_secure_noise_does_not_repeat_after_a_fork() -> None:
    code = """
import os
from discreet.noise import SecureNoise
noise = SecureNoise()
noise.integers(2**63, 3)
end, start = os.pipe()
child = os.fork()
mine = noise.integers(2**63, 100).tobytes()
if child == 0:
    os.write(start, mine)
    os._exit(0)
os.waitpid(child, 0)
theirs = os.read(end, 800)
words = {block[i:i + 8] for block in (mine, theirs) for i in range(0, 800, 8)}
print(len(theirs), len(words))
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.split() == ["800", "200"]


def test_threads_share_no_secure_draw() -> None:
    noise = SecureNoise()
    with ThreadPoolExecutor(4) as threads:
        draws = list(threads.map(lambda _: noise.integers(2**63, 500), range(16)))
    assert len(np.unique(np.concatenate(draws))) == 16 * 500


def test_noise_from_a_seed() -> None:
    assert noise_from(None).is_secure
    assert not noise_from(0).is_secure
    assert repr(noise_from(None)) == "SecureNoise()"
    assert repr(noise_from(3)) == "SeededNoise(3)"


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
    assert np.abs(noise.discrete_gaussian(2.0**80, 20)).max() > 2**30


BAD: list[tuple[Callable[[Noise], object], str]] = [
    (lambda noise: noise.integers(0, 5), "n=0 must"),
    (lambda noise: noise.integers(2.5, 5), r"n=2\.5 must"),  # type: ignore[arg-type]  # the test
    (lambda noise: noise.integers(True, 5), "n=True must"),
    (lambda noise: noise.integers(2**63 + 1, 5), "n=9223372036854775809 must be at most"),
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
