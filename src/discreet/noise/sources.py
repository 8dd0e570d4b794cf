"""Where random bytes come from: the operating system, or a seed for experiments."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Protocol

import numpy as np

from discreet.noise.discrete import Sampler
from discreet.noise.uniform import whole

if TYPE_CHECKING:
    from fractions import Fraction

    from numpy.typing import NDArray


class Noise(Protocol):
    """A source of exact random numbers."""

    @property
    def is_secure(self) -> bool:
        """Whether nobody can foresee or repeat what is drawn."""

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


class SecureNoise(Sampler):
    """Noise that nobody can foresee or repeat: every byte comes from the operating system.

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
    """Repeatable noise for experiments; what it protects is open to whoever has the seed.

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
        self._seed = whole("seed", seed, least=0)
        self._generator = np.random.PCG64(self._seed)

    def _bytes(self, n: int) -> bytes:
        words = self._generator.random_raw(-(-n // 8))
        return words.astype("<u8", copy=False).tobytes()[:n]

    def __repr__(self) -> str:
        return f"SeededNoise({self._seed})"
