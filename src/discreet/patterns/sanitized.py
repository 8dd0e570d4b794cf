"""A collection of itemsets made fit for publication, and what that took."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from discreet.result import Preview, Result

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from discreet.mine.itemsets import Itemsets
    from discreet.utility.distortion import Distortion

Method: TypeAlias = Literal["additive", "suppressive", "certified"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Sanitized(Result):
    """A collection of itemsets without inference channels, and how it was made.

    Only ``published`` is for publication; the rest describes the original too.

    Attributes
    ----------
    published : Itemsets
        The collection to publish; its ``n_rows`` is the number of rows to publish.
    k : int
        No group of fewer rows can be told apart by the published supports.
    min_support : int
        Least support of the collection.
    method : {"additive", "suppressive", "certified"}
        How it was made.
    distortion : Distortion
        How far the supports are from the true ones.
    n_channels : int
        Maximal channels that there were before.
    n_added, n_removed : int
        Transactions by which the published supports differ from the true ones.
    groups : Itemsets or None
        The transactions added, with their numbers as supports; None if none can be.
    n_added_first_fit : int or None
        Transactions that the paper's merging would add.
    n_added_at_least : int or None
        Transactions that any choice of closed itemsets would have to add, as far as known.
    rounds : int
        How often rows were removed.
    rows : ndarray of bool or None
        Which rows of the input are left, in memory only.
    quasi : tuple of str
        The columns in which groups are hidden, if there are others; empty if it is all of them.
    """

    published: Itemsets
    k: int
    min_support: int
    method: Method
    distortion: Distortion
    n_channels: int = 0
    n_added: int = 0
    n_removed: int = 0
    groups: Itemsets | None = None
    n_added_first_fit: int | None = None
    n_added_at_least: int | None = None
    rounds: int = 0
    rows: NDArray[np.bool_] | None = None
    quasi: tuple[str, ...] = ()

    @property
    def sentence(self) -> str:
        """What was done, in one plain sentence."""
        if not self.n_channels:
            return f"No group of fewer than {self.k} rows could be told apart: nothing was changed."
        groups = f"{self.n_channels:,} group{'' if self.n_channels == 1 else 's'}"
        did = [f"added {self.n_added:,}"] if self.n_added else []
        did += [f"removed {self.n_removed:,}"] if self.n_removed else []
        return (
            f"To hide {groups} of fewer than {self.k} rows, the {self.method} method "
            f"{' and '.join(did) or 'changed no'} transactions."
        )

    def __repr__(self) -> str:
        return f"Sanitized({self.sentence})"

    def preview(self) -> Preview:
        """Return the measures of distortion and what was added or removed."""
        rows = [("itemsets published", f"{len(self.published):,}")]
        rows += [(str(name), str(value)) for name, value in self.distortion.preview().rows]
        if self.n_added_first_fit is not None:
            rows.append(("added by the paper's merging", f"{self.n_added_first_fit:,}"))
        if self.rounds:
            rows.append(("rounds", f"{self.rounds:,}"))
        return Preview(title=self.sentence, header=("measure", "value"), rows=rows)

    def to_dict(self) -> dict[str, object]:
        """Return all but the rows as plain values."""
        return {
            "method": self.method,
            "k": self.k,
            "min_support": self.min_support,
            "n_channels": self.n_channels,
            "n_added": self.n_added,
            "n_removed": self.n_removed,
            "n_added_first_fit": self.n_added_first_fit,
            "n_added_at_least": self.n_added_at_least,
            "rounds": self.rounds,
            "quasi": list(self.quasi),
            "groups": None if self.groups is None else self.groups.to_dict()["itemsets"],
            "distortion": self.distortion.to_dict(),
            "published": self.published.to_dict(),
        }
