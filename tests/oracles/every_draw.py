"""The exact law of code that draws: run it once for every way its draws can come out.

:class:`EveryDraw` is noise that follows a script of choices and multiplies their chances. The
code under test is run again and again until all scripts have been seen; no chance is estimated.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Sequence
from fractions import Fraction
from math import prod
from typing import NoReturn

import numpy as np
from numpy.typing import NDArray

Law = dict[Hashable, Fraction]


class EveryDraw:
    """Noise that makes scripted choices; the rest of a script is all first choices."""

    is_secure = True

    def __init__(self, script: Sequence[int]) -> None:
        self.script = list(script)
        self.taken: list[int] = []
        self.options: list[int] = []
        self.chances: list[Fraction] = []

    def choose(self, chances: Sequence[Fraction]) -> int:
        """Return the next choice of the script among options with these chances."""
        place = len(self.taken)
        choice = self.script[place] if place < len(self.script) else 0
        self.taken.append(choice)
        self.options.append(len(chances))
        self.chances.append(chances[choice])
        return choice

    def integers(self, n: int, size: int) -> NDArray[np.int64]:
        return np.array([self.choose([Fraction(1, n)] * n) for _ in range(size)], np.int64)

    def bernoulli(self, p: Fraction | float, size: int) -> NDArray[np.bool_]:
        chances = [1 - Fraction(p), Fraction(p)]
        return np.array([self.choose(chances) for _ in range(size)], np.bool_)

    def key(self) -> bytes:
        return self._endless()

    def permutation(self, n: int) -> NDArray[np.int64]:
        return self._endless(n)

    def discrete_laplace(self, scale: Fraction | float, size: int) -> NDArray[np.int64]:
        return self._endless(scale, size)

    def discrete_gaussian(self, sigma2: Fraction | float, size: int) -> NDArray[np.int64]:
        return self._endless(sigma2, size)

    def _endless(self, *asked: object) -> NoReturn:
        raise TypeError(f"A draw has too many outcomes to try them all: {asked}.")


def law_of(run: Callable[[EveryDraw], Hashable]) -> Law:
    """Return the chance of everything that ``run`` can return."""
    law: defaultdict[Hashable, Fraction] = defaultdict(Fraction)
    script: list[int] | None = []
    while script is not None:
        noise = EveryDraw(script)
        law[run(noise)] += prod(noise.chances, start=Fraction(1))
        script = following(noise.taken, noise.options)
    assert sum(law.values()) == 1
    return dict(law)


def following(taken: Sequence[int], options: Sequence[int]) -> list[int] | None:
    """Return the next script in order, None after the last."""
    script = list(taken)
    while script:
        script[-1] += 1
        if script[-1] < options[len(script) - 1]:
            return script
        script.pop()
    return None


def worst_ratio(one: Law, other: Law) -> Fraction | None:
    """Return the largest ratio of chances between two laws, None if it has no bound."""
    worst = Fraction(1)
    for outcome in {*one, *other}:
        a, b = one.get(outcome, Fraction(0)), other.get(outcome, Fraction(0))
        if bool(a) != bool(b):
            return None
        if a:
            worst = max(worst, a / b, b / a)
    return worst
