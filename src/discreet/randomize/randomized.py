"""Randomized transactions: what the server holds, and all it holds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from discreet.errors import DataError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from discreet.data.item_sets import Label
    from discreet.data.transactions import Transactions
    from discreet.randomize.operators.operator import Operator


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Randomized:
    """Randomized transactions, the true size of each, and the operator that made them.

    Attributes
    ----------
    transactions : Transactions
        The randomized sets, with the labels of the originals.
    sizes : array of int32
        Number of items of each original. It is published: recovery depends on it.
    operator : Operator
        What was applied, public.
    experimental : bool
        Whether a seed was used: then whoever has the seed can undo it.
    dummies : int
        How many labels, the last ones, are null items that fill transactions up and stand for
        nothing (see :func:`discreet.randomize.pad`).

    Examples
    --------
    >>> from discreet.data.transactions import Transactions
    >>> from discreet.randomize import CutAndPaste
    >>> baskets = Transactions.from_iterable([["tea", "milk"], ["milk"]] * 500)
    >>> CutAndPaste(cutoff=3, rho="1/4").randomize(baskets, seed=1)
    Randomized: 1,000 transactions of true sizes 1 to 2, 2 items, by cut-and-paste (experimental)
    """

    transactions: Transactions
    sizes: NDArray[np.int32]
    operator: Operator
    experimental: bool
    dummies: int = 0

    def __post_init__(self) -> None:
        sizes = np.asarray(self.sizes)
        if sizes.shape != (self.transactions.n_transactions,) or sizes.dtype.kind not in "iu":
            raise DataError(
                f"There are {self.transactions.n_transactions} transactions, so sizes must be "
                f"as many integers, not {sizes.dtype} {sizes.shape}."
            )
        if sizes.size and not (sizes.min() >= 0 and sizes.max() <= self.transactions.n_items):
            raise DataError(
                f"Sizes are from 0 to {self.transactions.n_items}, the number of items, not "
                f"{sizes.min()} to {sizes.max()}."
            )
        if not 0 <= self.dummies <= self.transactions.n_items:
            raise DataError(f"dummies={self.dummies} must be at most the number of items.")
        sizes = sizes.astype(np.int32)
        sizes.flags.writeable = False
        object.__setattr__(self, "sizes", sizes)

    @property
    def n_items(self) -> int:
        """Number of labels that the operator drew from, null items included."""
        return self.transactions.n_items

    @property
    def real_labels(self) -> tuple[Label, ...]:
        """The labels that stand for items: all but the null ones."""
        return self.transactions.labels[: self.n_items - self.dummies]

    def n_of_size(self) -> dict[int, int]:
        """Return the number of transactions of each true size, sizes ascending."""
        sizes, counts = np.unique(self.sizes, return_counts=True)
        return dict(zip(sizes.tolist(), counts.tolist(), strict=True))

    def __len__(self) -> int:
        return self.transactions.n_transactions

    def __repr__(self) -> str:
        least, most = (int(self.sizes.min()), int(self.sizes.max())) if len(self) else (0, 0)
        spread = f"{least}" if least == most else f"{least} to {most}"
        padding = f" and {self.dummies} null items" if self.dummies else ""
        return (
            f"Randomized: {len(self):,} transactions of true sizes {spread}, "
            f"{self.n_items - self.dummies:,} items{padding}, by {self.operator.kind}"
            f"{' (experimental)' if self.experimental else ''}"
        )
