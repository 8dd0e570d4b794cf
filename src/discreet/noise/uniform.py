"""Uniform integers, coins and orders from uniform bytes, by integer arithmetic alone."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet.errors import ParameterError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    # Integers as int64, or as Python's own where they might not fit.
    Whole = NDArray[Any]

CHUNK = 1 << 18  # draws at a time: large enough for speed, small enough for the cache
MOST = 2**63


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
            As unforeseeable as the noise: from a seed, whoever has the seed has the key.

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
        n, size = whole("n", n, least=1, most=MOST), whole("size", size, least=0)
        out = np.empty(size, np.int64)
        for start in range(0, size, CHUNK):
            out[start : start + CHUNK] = self._integers(n, min(CHUNK, size - start))
        return out

    def bernoulli(self, p: Fraction | float, size: int) -> NDArray[np.bool_]:
        """Return booleans, each True with probability p.

        Parameters
        ----------
        p : Fraction or float
            Probability from 0 to 1; a float is the binary fraction it holds.
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
        if not 0 <= p <= 1:
            raise ParameterError(f"p={p} must be a probability from 0 to 1.")
        size = whole("size", size, least=0)
        out = np.empty(size, np.bool_)
        for start in range(0, size, CHUNK):
            out[start : start + CHUNK] = self._below(Fraction(p), min(CHUNK, size - start))
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
        n = whole("n", n, least=0)
        while True:
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
                accepted = product[(product & (span - 1)) >= span % n]
                return (accepted >> 8 * width).astype(np.int64)
        if n <= MOST:
            words = self._words(size, 8)
            fair: Whole = words[words <= np.uint64(2**64 - 1 - 2**64 % n)] % np.uint64(n)
            return fair.astype(np.int64)
        bits = (n - 1).bit_length()
        width = (bits + 7) // 8
        drawn, spare = self._bytes(size * width), 8 * width - bits
        found = [int.from_bytes(drawn[i : i + width]) >> spare for i in range(0, len(drawn), width)]
        return np.array([one for one in found if one < n], object)


def whole(name: str, value: int, *, least: int, most: int | None = None) -> int:
    """Return a whole number in its range, or raise ParameterError."""
    if isinstance(value, bool | np.bool_) or not value == value // 1 >= least:
        raise ParameterError(f"{name}={value} must be a whole number, at least {least}.")
    if most is not None and value > most:
        raise ParameterError(f"{name}={value} must be at most {most}.")
    return int(value)
