"""Itemsets mined from randomized transactions, with how sure each support is."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from discreet.data.frames.export import as_kind
from discreet.result import Preview, Result

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from discreet.data.frames.kinds import FrameKind
    from discreet.data.item_sets import Label, Labels


class Found(NamedTuple):
    """An itemset, its estimated support as a share, and the sigma of that."""

    items: frozenset[Label]
    support: float
    sigma: float
    is_discoverable: bool


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Discovered(Result):
    """Itemsets whose support, recovered from randomized transactions, is large enough.

    Attributes
    ----------
    offsets, items : arrays of int64 and int32
        Itemset i is ``items[offsets[i]:offsets[i + 1]]``, as places in `labels`; smaller ones
        first, those of one size by item.
    supports : array of float64
        Estimated shares of the original transactions that hold each itemset.
    sigmas : array of float64
        Estimated standard deviations; 0 where the estimate of the variance came out negative.
    is_discoverable : array of bool
        Whether the support is at least four of its sigmas, and so clearly is not 0.
    labels : tuple of int, or tuple of str
        What the items stand for.
    min_frequency : float
        The least estimate asked for.
    n_transactions : int
        Number of randomized transactions.
    n_candidates : tuple of int
        How many itemsets of 1, 2, ... items were counted.
    stopped : str or None
        Why larger itemsets were not looked for, where it was not for want of candidates.

    Notes
    -----
    Estimates are unbiased, but among many candidates those that chance lifts over the
    threshold are the ones reported: expect false ones near it, more where sigma is large.
    """

    offsets: NDArray[np.int64]
    items: NDArray[np.int32]
    supports: NDArray[np.float64]
    sigmas: NDArray[np.float64]
    is_discoverable: NDArray[np.bool_]
    labels: Labels
    min_frequency: float
    n_transactions: int
    n_candidates: tuple[int, ...]
    stopped: str | None = None

    @property
    def sizes(self) -> NDArray[np.int64]:
        """Number of items of each itemset."""
        return np.diff(self.offsets)

    def __len__(self) -> int:
        return len(self.supports)

    def __getitem__(self, index: int) -> Found:
        at = range(len(self))[index]
        codes = self.items[self.offsets[at] : self.offsets[at + 1]].tolist()
        return Found(
            frozenset(self.labels[code] for code in codes),
            float(self.supports[at]),
            float(self.sigmas[at]),
            bool(self.is_discoverable[at]),
        )

    def __iter__(self) -> Iterator[Found]:
        return (self[index] for index in range(len(self)))

    def __repr__(self) -> str:
        stopped = f"; {self.stopped}" if self.stopped else ""
        return (
            f"Discovered: {len(self):_} itemsets with an estimated support of at least "
            f"{self.min_frequency:g}, {int(self.is_discoverable.sum()):_} of them discoverable, "
            f"from {self.n_transactions:_} randomized transactions{stopped}"
        )

    def to_frame(self, kind: FrameKind = "polars") -> Any:  # noqa: ANN401 - of the library asked for
        """Return a frame: ``items`` (lists), ``support``, ``sigma`` and ``is_discoverable``."""
        import polars as pl

        names = [self.labels[code] for code in self.items.tolist()]
        cuts = self.offsets.tolist()
        kind_of = pl.String if names and isinstance(names[0], str) else pl.Int64
        lists = [names[start:end] for start, end in pairwise(cuts)]
        frame = pl.DataFrame(
            {
                "items": pl.Series(lists, dtype=pl.List(kind_of)),
                "support": self.supports,
                "sigma": self.sigmas,
                "is_discoverable": self.is_discoverable,
            }
        )
        return as_kind(frame, kind)

    def preview(self) -> Preview:
        """Return the ten itemsets of the largest estimated support."""
        order = np.argsort(-self.supports, kind="stable")[:10].tolist()
        rows = []
        for at in order:
            codes = self.items[self.offsets[at] : self.offsets[at + 1]].tolist()
            words = ", ".join(str(self.labels[code]) for code in codes)
            sure = "yes" if self.is_discoverable[at] else "no"
            rows.append((words, f"{self.supports[at]:.4%}", f"{self.sigmas[at]:.4%}", sure))
        return Preview(title=repr(self), header=("items", "support", "sigma", "clear"), rows=rows)

    def to_dict(self) -> dict[str, object]:
        """Return everything as plain values, items as labels."""
        cuts = self.offsets.tolist()
        names = [self.labels[code] for code in self.items.tolist()]
        return {
            "itemsets": [names[start:end] for start, end in pairwise(cuts)],
            "supports": self.supports.tolist(),
            "sigmas": self.sigmas.tolist(),
            "is_discoverable": self.is_discoverable.tolist(),
            "min_frequency": self.min_frequency,
            "n_transactions": self.n_transactions,
            "n_candidates": list(self.n_candidates),
            "stopped": self.stopped,
        }
