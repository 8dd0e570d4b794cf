"""Which rows are learnt from and which are tested on, drawn anew for every repetition.

Rows whose target the release hides, and rows it lost, cannot be learnt from; some of them are
tested on all the same, or the test would be of the easy rows only.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import ceil
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from discreet.utility.pairs import PairedColumn


class Split(NamedTuple):
    """Rows to train on, of each table, and rows of the original to test on."""

    train_original: NDArray[np.int64]
    train_release: NDArray[np.int64]
    test: NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Splitter:
    """Draws splits; made by :meth:`of`.

    Attributes
    ----------
    usable : array of int
        Rows of the release that have a target.
    source : array of int or None
        The row of the original each of these came from; None if that is not known.
    others : array of int
        Rows of the original, with a target, that no usable row came from; if sources are not
        known, all rows with a target.
    test_rate : float
        Share of the rows to test on.
    """

    usable: NDArray[np.int64]
    source: NDArray[np.int64] | None
    others: NDArray[np.int64]
    test_rate: float

    @classmethod
    def of(
        cls, target: PairedColumn, *, matched: NDArray[np.int64] | None, test_rate: float
    ) -> Splitter:
        """Return the splitter for a target; ``matched`` gives the release's rows their sources."""
        in_original = target.original != target.hidden
        has_target = target.release != target.hidden
        if matched is None:
            usable, source = np.flatnonzero(has_target), None
        else:
            usable = np.flatnonzero(has_target & in_original[matched])
            source = matched[usable]
            in_original[source] = False
        others = np.flatnonzero(in_original)
        return cls(usable=usable, source=source, others=others, test_rate=test_rate)

    def draw(self, rng: np.random.Generator) -> Split:
        """Return a new split.

        Examples
        --------
        >>> rows = np.arange(10)
        >>> splitter = Splitter(usable=rows[:8], source=rows[:8], others=rows[8:], test_rate=0.5)
        >>> split = splitter.draw(np.random.default_rng(0))
        >>> len(split.train_original), len(split.train_release), len(split.test)
        (5, 4, 5)
        >>> sorted([*split.train_original.tolist(), *split.test.tolist()]) == rows.tolist()
        True
        """
        test, train = self._part(len(self.usable), rng)
        other_test, other_train = self._part(len(self.others), rng)
        if self.source is None:
            return Split(
                train_original=self.others[other_train],
                train_release=self.usable[train],
                test=self.others[other_test],
            )
        return Split(
            train_original=np.concatenate([self.source[train], self.others[other_train]]),
            train_release=self.usable[train],
            test=np.concatenate([self.source[test], self.others[other_test]]),
        )

    def _part(
        self, n_rows: int, rng: np.random.Generator
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the rows to test on, rounded up, and the others, in random order."""
        order = rng.permutation(n_rows)
        n_test = ceil(Fraction(str(self.test_rate)) * n_rows)  # 0.2 of 35 is 7, not 7.000...1
        return order[:n_test], order[n_test:]
