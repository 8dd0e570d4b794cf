"""Where random bytes come from: the operating system, or a seed for experiments."""

from __future__ import annotations

import math
import os
from abc import ABC, abstractmethod
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from discreet import checks

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray


class Noise(Protocol):
    """A source of exact random numbers."""

    @property
    def is_secure(self) -> bool:
        """Whether the draws are unpredictable and unrepeatable."""

    def key(self) -> bytes:
        """Return 32 uniform bytes, the key of a cipher that draws in bulk."""

    def integers(self, n: int, size: int) -> NDArray[np.int64]:
        """Return uniform integers from 0 to n - 1."""

    def bernoulli(self, p: Fraction | float, size: int) -> NDArray[np.bool_]:
        """Return booleans, each True with probability p."""

    def permutation(self, n: int) -> NDArray[np.int64]:
        """Return 0 to n - 1 in an order drawn uniformly from all orders."""

    def discrete_laplace(self, scale: Fraction | float, size: int) -> NDArray[np.int64]:
        """Return integers x with probability proportional to exp(-abs(x) / scale)."""

    def discrete_gaussian(self, sigma2: Fraction | float, size: int) -> NDArray[np.int64]:
        """Return integers x with probability proportional to exp(-x**2 / (2 sigma2))."""


def noise_from(seed: int | None) -> Noise:
    """Return secure noise for no seed, repeatable noise for a seed.

    Parameters
    ----------
    seed : int or None
        None draws from the operating system; a seed, at least 0, is for experiments only.

    Returns
    -------
    Noise
        ``SecureNoise()`` or ``SeededNoise(seed)``.

    Examples
    --------
    >>> noise_from(None).is_secure, noise_from(7).is_secure
    (True, False)
    >>> noise_from(7).integers(6, size=8)
    array([3, 1, 5, 5, 3, 1, 0, 3])
    """
    return SecureNoise() if seed is None else SeededNoise(seed)


class UniformSampler(ABC):
    """Draws that are uniform, or coins, from whatever ``_bytes`` gives."""

    __slots__ = ()

    @abstractmethod
    def _bytes(self, n: int) -> bytes:
        """Return n uniform bytes."""

    def key(self) -> bytes:
        """Return 32 uniform bytes, the key of a cipher that draws in bulk.

        Kernels that need more random bits than the operating system gives in time stretch a
        key into as many streams as they like; see ``native/randomize/chacha20.hpp``.

        Returns
        -------
        bytes
            As unpredictable as the noise: an attacker who has the seed has the key.

        Examples
        --------
        >>> from discreet.noise import SecureNoise
        >>> len(SecureNoise().key())
        32
        """
        return self._bytes(32)

    def integers(self, n: int, size: int) -> NDArray[np.int64]:
        """Return uniform integers from 0 to n - 1.

        Parameters
        ----------
        n : int
            How many values there are, from 1 to 2**63.
        size : int
            How many to draw, at least 0.

        Returns
        -------
        ndarray of int64
            Unbiased: words that would favour some values are drawn again.

        References
        ----------
        D. Lemire (2019), Fast random integer generation in an interval, algorithm 5.

        Examples
        --------
        >>> from discreet.noise import SecureNoise
        >>> bool(np.all(SecureNoise().integers(6, size=1000) < 6))
        True
        """
        n = checks.whole("n", n, at_least=1, at_most=MOST)
        size = checks.whole("size", size, at_least=0)
        out = np.empty(size, np.int64)
        for start in range(0, size, CHUNK):
            out[start : start + CHUNK] = self._integers(n, min(CHUNK, size - start))
        return out

    def bernoulli(self, p: Fraction | float, size: int) -> NDArray[np.bool_]:
        """Return booleans, each True with probability p.

        Parameters
        ----------
        p : Fraction or float
            Probability from 0 to 1; a float is the decimal it is written as.
        size : int
            How many to draw, at least 0.

        Returns
        -------
        ndarray of bool
            Exact: ``p`` is not rounded. A uniform number is compared with it byte by byte, and
            the next byte is drawn only where all bytes so far are equal.

        Examples
        --------
        >>> from discreet.noise import SecureNoise
        >>> int(SecureNoise().bernoulli(Fraction(1, 3), size=9000).sum()) in range(2500, 3500)
        True
        """
        exact = checks.share("p", p)
        size = checks.whole("size", size, at_least=0)
        out = np.empty(size, np.bool_)
        for start in range(0, size, CHUNK):
            out[start : start + CHUNK] = self._below(exact, min(CHUNK, size - start))
        return out

    def permutation(self, n: int) -> NDArray[np.int64]:
        """Return 0 to n - 1 in an order drawn uniformly from all orders.

        ``x[noise.permutation(len(x))]`` is x shuffled.

        Parameters
        ----------
        n : int
            At least 0.

        Returns
        -------
        ndarray of int64
            The order of n random keys of 64 bits. Keys that are not all different are drawn
            again, all of them: among different keys every order is equally likely.

        Examples
        --------
        >>> from discreet.noise import SecureNoise
        >>> sorted(SecureNoise().permutation(4).tolist())
        [0, 1, 2, 3]
        """
        n = checks.whole("n", n, at_least=0)
        while True:
            # Sorting by independent keys gives every order with the same probability, but only if
            # no two keys are equal: a sort would break the tie by place. Then all are drawn again.
            keys = self._words(n, 8)
            order = np.argsort(keys).astype(np.int64, copy=False)
            ranked = keys[order]
            if not np.any(ranked[1:] == ranked[:-1]):
                return order

    def _words(self, size: int, width: int) -> NDArray[Any]:
        return np.frombuffer(self._bytes(size * width), np.dtype(f"<u{width}"))

    def _below(self, p: Fraction, size: int) -> NDArray[np.bool_]:
        """Return whether uniform numbers, byte by byte, are below p."""
        if p in {0, 1}:
            return np.full(size, p == 1)
        # The bytes of a uniform number are compared with the digits of p to base 256. Only a byte
        # equal to the digit leaves the answer undecided, so that one byte is enough 255 times of
        # 256, and no digit of p is ever rounded.
        threshold = math.floor(p * 256)
        draws = self._words(size, 1)
        out = draws < threshold
        if p * 256 != threshold:
            ties = np.flatnonzero(draws == threshold)
            if ties.size:
                out[ties] = self._below(p * 256 - threshold, ties.size)
        return out

    def _integers(self, n: int, size: int) -> Whole:
        """Return uniform integers below n, as int64 if n is at most 2**63."""
        parts: list[Whole] = [np.empty(0, np.int64 if n <= MOST else object)]
        while size:
            fresh = self._accepted(n, size)
            parts.append(fresh)
            size -= len(fresh)
        return np.concatenate(parts)

    def _accepted(self, n: int, size: int) -> Whole:
        """Draw ``size`` words once and return the integers below n that they give."""
        if n == 1:
            return np.zeros(size, np.int64)
        for width in (1, 2, 4):
            span = 1 << 8 * width
            # A wider word costs more bytes, a narrow one is drawn again more often.
            if n <= span and span % n <= span // 8:
                product = self._words(size, width).astype(f"u{2 * width}") * n
                # Lemire's method: of the products, the low parts below span % n are what would make
                # some integers likelier than others.
                accepted = product[(product & (span - 1)) >= span % n]
                return (accepted >> 8 * width).astype(np.int64)
        if n <= MOST:
            # Words past the last whole multiple of n are refused: the remainder of the others is
            # uniform.
            words = self._words(size, 8)
            fair: Whole = words[words <= np.uint64(2**64 - 1 - 2**64 % n)] % np.uint64(n)
            return fair.astype(np.int64)
        bits = (n - 1).bit_length()
        width = (bits + 7) // 8
        drawn, spare = self._bytes(size * width), 8 * width - bits
        found = [int.from_bytes(drawn[i : i + width]) >> spare for i in range(0, len(drawn), width)]
        return np.array([one for one in found if one < n], object)


class Sampler(UniformSampler):
    """All samplers, from whatever ``_bytes`` gives."""

    __slots__ = ()

    def discrete_laplace(self, scale: Fraction | float, size: int) -> NDArray[np.int64]:
        r"""Return integers with the discrete Laplace (two-sided geometric) distribution.

        .. math:: \mathrm{P}[X = x] = \frac{e^{1/s} - 1}{e^{1/s} + 1} \, e^{-|x| / s}

        where :math:`s` is ``scale``: added to counts of sensitivity D, it is
        (D / s)-differentially private.

        Parameters
        ----------
        scale : Fraction or float
            Above 0 and at most 2**40. Fast for fractions of small numbers; a float is the
            binary fraction it holds, which may take whole numbers of any length.
        size : int
            How many to draw, at least 0.

        Returns
        -------
        ndarray of int64
            Exact.

        References
        ----------
        C. Canonne, G. Kamath, T. Steinke (2020), The discrete Gaussian for differential
        privacy, algorithms 1 and 2.

        Examples
        --------
        >>> from discreet.noise import SecureNoise
        >>> draws = SecureNoise().discrete_laplace(Fraction(2), size=10_000)
        >>> bool(abs(draws.mean()) < 0.5)
        True
        """
        exact = checks.exact("scale", scale, above=0, at_most=MOST_SCALE)
        t, s = exact.numerator, exact.denominator
        size = checks.whole("size", size, at_least=0)
        return self._collect(size, lambda n: self._laplace(t, s, n))

    def discrete_gaussian(self, sigma2: Fraction | float, size: int) -> NDArray[np.int64]:
        r"""Return integers with the discrete Gaussian distribution.

        .. math:: \mathrm{P}[X = x] \propto e^{-x^2 / (2 \sigma^2)}

        where :math:`\sigma^2` is ``sigma2``, at most which is the variance.

        Parameters
        ----------
        sigma2 : Fraction or float
            Above 0 and at most 2**80. Fast for fractions of small numbers.
        size : int
            How many to draw, at least 0.

        Returns
        -------
        ndarray of int64
            Exact.

        References
        ----------
        C. Canonne, G. Kamath, T. Steinke (2020), The discrete Gaussian for differential
        privacy, algorithm 3.

        Examples
        --------
        >>> from discreet.noise import SecureNoise
        >>> draws = SecureNoise().discrete_gaussian(Fraction(4), size=10_000)
        >>> bool(3.5 < draws.var() < 4.5)
        True
        """
        exact = checks.exact("sigma2", sigma2, above=0, at_most=MOST_SCALE**2)
        size = checks.whole("size", size, at_least=0)
        return self._collect(size, lambda n: self._gaussian(exact, n))

    def _bernoulli_exp(self, numerators: Whole, denominator: int) -> NDArray[np.bool_]:
        """Return booleans, True with probability exp(-numerator / denominator), at most 1 each.

        Algorithm 1 of Canonne, Kamath and Steinke: with k the first number for which
        Bernoulli(x / k) fails, k is odd with probability exp(-x). Bernoulli(x / k) is drawn as
        Bernoulli(x) and Bernoulli(1 / k), so that no product grows.
        """
        out = np.empty(len(numerators), np.bool_)
        running = np.arange(len(numerators))
        k = 1
        while running.size:
            # Algorithm 1 of Canonne, Kamath and Steinke: a coin of probability x / k for k = 1, 2,
            # ... until one fails. The count of heads is even with probability exp(-x): the series
            # of exp, without computing it.
            goes_on = self._integers(denominator, running.size) < numerators[running]
            if k > 1:
                going = np.flatnonzero(goes_on)
                goes_on[going] = self._integers(k, going.size) == 0
            out[running[~goes_on]] = k % 2 == 1
            running = running[goes_on]
            k += 1
        return out

    def _geometric(self, size: int) -> NDArray[np.int64]:
        """Return how often in a row Bernoulli(exp(-1)) succeeds."""
        out = np.zeros(size, np.int64)
        running = np.arange(size)
        while running.size:
            running = running[self._bernoulli_exp(np.ones(running.size, np.int64), 1)]
            out[running] += 1
        return out

    def _laplace(self, t: int, s: int, size: int) -> NDArray[np.int64]:
        """Try ``size`` times; return the discrete Laplace draws of scale t / s that came out."""
        u = self._integers(t, size)
        u = u[self._bernoulli_exp(u, t)]
        v = self._geometric(len(u))
        # Python's integers where a product could pass 64 bits: a wrapped number would be wrong
        # noise.
        if t * (int(v.max(initial=0)) + 1) >= MOST or s >= MOST:
            u, v = u.astype(object), v.astype(object)
        magnitude: NDArray[np.int64] = ((u + t * v) // s).astype(np.int64)
        negative = self._below(HALF, len(magnitude))
        signed = np.where(negative, -magnitude, magnitude)
        once: NDArray[np.int64] = signed[~negative | (magnitude > 0)]  # 0 has no second sign
        return once

    def _gaussian(self, sigma2: Fraction, size: int) -> NDArray[np.int64]:
        """Try ``size`` times; return the discrete Gaussian draws that came out."""
        a, b = sigma2.numerator, sigma2.denominator
        # Laplace noise of about the same width is drawn and kept with the ratio of the two laws;
        # any t is correct, one near sigma is refused seldom.
        t = math.isqrt(a // b) + 1
        y = self._laplace(t, 1, size)
        magnitude: Whole = np.abs(y)
        # exp(-(|y| - sigma2 / t)**2 / (2 sigma2)), its exponent as a fraction of integers
        denominator = 2 * a * b * t**2
        # Below 2**31 its square fits into 64 bits; else Python's integers are taken.
        if max(int(magnitude.max(initial=0)) * t * b + a, math.isqrt(denominator)) >= 2**31:
            magnitude = magnitude.astype(object)
        numerators = (magnitude * (t * b) - a) ** 2
        # A coin of probability exp(-x) for any x: exp(-1) as often as x has whole parts, then the
        # rest.
        whole, rest = numerators // denominator, numerators % denominator
        return y[(self._geometric(len(y)) >= whole) & self._bernoulli_exp(rest, denominator)]

    def _collect(self, size: int, trials: Callable[[int], NDArray[np.int64]]) -> NDArray[np.int64]:
        """Return the first ``size`` draws of independent trials."""
        parts, missing = [np.empty(0, np.int64)], size
        while missing > 0:
            parts.append(trials(min(CHUNK, 2 * missing + 16)))
            missing -= len(parts[-1])
        return np.concatenate(parts)[:size]


class SecureNoise(Sampler):
    """Unpredictable, unrepeatable noise: every byte comes from the operating system.

    It keeps nothing between calls, so threads and forked processes never share a draw. Use it
    wherever a guarantee rests on the noise.
    """

    __slots__ = ()
    is_secure = True

    def _bytes(self, n: int) -> bytes:
        return os.urandom(n)

    def __repr__(self) -> str:
        return "SecureNoise()"


class SeededNoise(Sampler):
    """Repeatable noise for experiments; it protects nothing from an attacker with the seed.

    The same seed and the same sequence of calls give the same draws on every machine. The
    sequence matters: two calls for ten draws are not one call for twenty.

    Parameters
    ----------
    seed : int
        At least 0.
    """

    __slots__ = ("_generator", "_seed")
    is_secure = False

    def __init__(self, seed: int) -> None:
        self._seed = checks.whole("seed", seed, at_least=0)
        self._generator = np.random.PCG64(self._seed)

    def _bytes(self, n: int) -> bytes:
        words = self._generator.random_raw(-(-n // 8))
        return words.astype("<u8", copy=False).tobytes()[:n]

    def __repr__(self) -> str:
        return f"SeededNoise({self._seed})"


# Uniform integers, coins and orders from uniform bytes, by integer arithmetic alone.

if TYPE_CHECKING:
    from numpy.typing import NDArray

    # Integers as int64, or as Python's own where they might not fit.
    Whole = NDArray[Any]


CHUNK = 1 << 18  # draws at a time: large enough for speed, small enough for the cache

MOST = 2**63


# Discrete Laplace and Gaussian numbers, exact: no probability is rounded, no logarithm taken.

MOST_SCALE = 2**40

HALF = Fraction(1, 2)
