"""Itemsets of one size with the supports recovered for them, many at a time."""

from __future__ import annotations

from dataclasses import dataclass
from math import comb
from typing import TYPE_CHECKING

import numpy as np

from discreet.randomize.recovery import support_weights

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Self

    from numpy.typing import NDArray

    from discreet.randomize.sized_supports import SizedSupports

CLEAR = 4  # sigmas from zero: discoverable, section 5.1 of the paper


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class EstimatedLevel:
    """Itemsets of one size, their estimates, and what those of the next size are made from.

    Attributes
    ----------
    itemsets : array of int32, a row each
        Items, ascending.
    supports : array of float64
        Estimated shares of the originals (Statement 3).
    variances : array of float64
        Unbiased estimates of their variances, which may be negative.
    cumulative : array of int64, itemset x true size x order
        Cumulative supports among the randomized transactions of each true size, (12).
    """

    itemsets: NDArray[np.int32]
    supports: NDArray[np.float64]
    variances: NDArray[np.float64]
    cumulative: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.itemsets)

    @property
    def size(self) -> int:
        """Number of items of each itemset."""
        return int(self.itemsets.shape[1])

    @property
    def sigmas(self) -> NDArray[np.float64]:
        """Estimated standard deviations, 0 where the variance came out negative."""
        sigmas: NDArray[np.float64] = np.sqrt(np.maximum(0, self.variances))
        return sigmas

    @property
    def is_clear(self) -> NDArray[np.bool_]:
        """Whether a support is four sigmas from zero; a sigma that is not known is not small."""
        clear: NDArray[np.bool_] = (self.variances > 0) & (self.supports >= CLEAR * self.sigmas)
        return clear

    @classmethod
    def empty(cls, counted: SizedSupports) -> Self:
        """Return the level of no items: the empty itemset is in every transaction, and certain."""
        return cls(
            itemsets=np.empty((0, 0), np.int32),
            supports=np.empty(0),
            variances=np.empty(0),
            cumulative=counted.counts[None, :, None],
        )

    @classmethod
    def joined(cls, parts: Sequence[EstimatedLevel]) -> Self:
        """Return parts of a level as one."""
        return cls(
            itemsets=np.concatenate([part.itemsets for part in parts]),
            supports=np.concatenate([part.supports for part in parts]),
            variances=np.concatenate([part.variances for part in parts]),
            cumulative=np.concatenate([part.cumulative for part in parts]),
        )

    def where(self, mask: NDArray[np.bool_]) -> EstimatedLevel:
        """Return the itemsets where the mask is true."""
        return EstimatedLevel(
            itemsets=self.itemsets[mask],
            supports=self.supports[mask],
            variances=self.variances[mask],
            cumulative=self.cumulative[mask],
        )

    def larger(
        self,
        itemsets: NDArray[np.int32],
        subsets: NDArray[np.int64],
        supports: NDArray[np.int64],
        weights: NDArray[np.float64],
    ) -> EstimatedLevel:
        """Return itemsets of one item more, estimated.

        Parameters
        ----------
        itemsets : array of int32, a row each
            Items, ascending.
        subsets : array of int64, as many columns as items
            Where their subsets without one item stand here.
        supports : array of int64, a column for each true size
            How many randomized transactions hold them.
        weights : array of float64, a row for each true size
            What a transaction is worth, by the number of items it holds; `level_weights`.
        """
        n, k = itemsets.shape
        cumulative = np.empty((n, supports.shape[1], k + 1), np.int64)
        for order in range(k):
            of_subsets = (self.cumulative[subsets[:, place], :, order] for place in range(k))
            # A subset of this many items is in k - order of those without one item.
            cumulative[:, :, order] = sum(of_subsets) // (k - order)
        cumulative[:, :, k] = supports
        signed = [[(-1) ** (j - i) * comb(j, i) for i in range(k + 1)] for j in range(k + 1)]
        partial = cumulative @ np.array(signed)  # (13), as counts
        total = float(self.cumulative[0, :, 0].sum()) if len(self.cumulative) else 1.0
        return EstimatedLevel(
            itemsets=itemsets,
            supports=np.einsum("nml,ml->n", partial, weights) / total,
            variances=np.einsum("nml,ml->n", partial, weights**2 - weights) / total**2,
            cumulative=cumulative,
        )


def level_weights(counted: SizedSupports, k: int) -> NDArray[np.float64]:
    """Return what a transaction of each true size is worth, by how many of k items it holds.

    Raises
    ------
    InfeasibleError
        If supports of k items cannot be recovered from transactions of some size.
    """
    n_labels = len(counted.labels)
    rows = [support_weights(counted.operator, m, k, n_items=n_labels) for m in counted.sizes]
    return np.array(rows)
