"""Discrete Laplace and Gaussian numbers, exact: no probability is rounded, no logarithm taken."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from discreet.errors import ParameterError
from discreet.noise.uniform import CHUNK, MOST, UniformSampler, whole

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from discreet.noise.uniform import Whole

MOST_SCALE = 2**40
HALF = Fraction(1, 2)


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
        exact = _positive("scale", scale, most=MOST_SCALE)
        t, s = exact.numerator, exact.denominator
        return self._collect(whole("size", size, least=0), lambda n: self._laplace(t, s, n))

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
        exact = _positive("sigma2", sigma2, most=MOST_SCALE**2)
        return self._collect(whole("size", size, least=0), lambda n: self._gaussian(exact, n))

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
        t = math.isqrt(a // b) + 1
        y = self._laplace(t, 1, size)
        magnitude: Whole = np.abs(y)
        # exp(-(|y| - sigma2 / t)**2 / (2 sigma2)), its exponent as a fraction of integers
        denominator = 2 * a * b * t**2
        if max(int(magnitude.max(initial=0)) * t * b + a, math.isqrt(denominator)) >= 2**31:
            magnitude = magnitude.astype(object)
        numerators = (magnitude * (t * b) - a) ** 2
        whole, rest = numerators // denominator, numerators % denominator
        return y[(self._geometric(len(y)) >= whole) & self._bernoulli_exp(rest, denominator)]

    def _collect(self, size: int, trials: Callable[[int], NDArray[np.int64]]) -> NDArray[np.int64]:
        """Return the first ``size`` draws of independent trials."""
        parts, missing = [np.empty(0, np.int64)], size
        while missing > 0:
            parts.append(trials(min(CHUNK, 2 * missing + 16)))
            missing -= len(parts[-1])
        return np.concatenate(parts)[:size]


def _positive(name: str, value: Fraction | float, *, most: int) -> Fraction:
    if not 0 < value <= most:
        raise ParameterError(f"{name}={value} must be above 0 and at most {most}.")
    return Fraction(value)
