"""Whether mining a release finds what mining the original would have found.

Frequent itemsets of both are compared: those missed, those wrongly found, and how far their
frequencies are off. A missing or suppressed cell is no item: it supports nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from discreet import _native, checks
from discreet.data.frames import as_kind
from discreet.limits import limit_shares, search
from discreet.mine.database import Database, Item
from discreet.mine.frequent import frequent
from discreet.mine.frequent import supports as count_supports
from discreet.mine.itemsets import list_column
from discreet.result import Preview, Result
from discreet.utility.pairs import grouped_tables, pair_columns, said_of_groups

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping, Sequence
    from typing import Unpack

    import altair as alt
    from numpy.typing import NDArray

    from discreet.data.column import FrameKind
    from discreet.data.hierarchy.tree import Hierarchy
    from discreet.limits import Limits
    from discreet.mine.itemsets import Itemsets
    from discreet.utility.pairs import PairedColumn


GROUPS = ("in both", "missed", "wrongly found")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ItemsetFidelity(Result):
    """Itemsets frequent in the original, in the release, or in both, with both frequencies.

    Itemset ``i`` has the items ``items[offsets[i]:offsets[i + 1]]``, in canonical order.
    ``groups`` names the columns whose groups were compared with the same groups of the original.
    """

    min_frequency: float
    offsets: NDArray[np.int64]
    items: NDArray[np.int32]
    labels: tuple[Hashable, ...]
    original_frequencies: NDArray[np.float64]
    release_frequencies: NDArray[np.float64]
    in_original: NDArray[np.bool_]
    in_release: NDArray[np.bool_]
    n_rows: int
    n_released: int
    groups: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.in_original)

    @property
    def n_both(self) -> int:
        """Itemsets frequent in both."""
        return int((self.in_original & self.in_release).sum())

    @property
    def n_false_negatives(self) -> int:
        """Itemsets frequent in the original only: missed."""
        return int((~self.in_release).sum())

    @property
    def n_false_positives(self) -> int:
        """Itemsets frequent in the release only: wrongly found."""
        return int((~self.in_original).sum())

    @property
    def precision(self) -> float:
        """Share of the release's frequent itemsets that are the original's; 1 if it has none."""
        return self.n_both / int(self.in_release.sum()) if self.in_release.any() else 1.0

    @property
    def recall(self) -> float:
        """Share of the original's frequent itemsets that are the release's; 1 if it has none."""
        return self.n_both / int(self.in_original.sum()) if self.in_original.any() else 1.0

    @property
    def mean_error(self) -> float:
        """Mean absolute difference of frequency over all itemsets; 0 if there are none."""
        return float(self._errors().mean()) if len(self) else 0.0

    @property
    def nfd(self) -> float | None:
        """Normalized frequency difference over the itemsets frequent in the original."""
        return self._nfd(self.in_original)

    @property
    def nfd_by_group(self) -> dict[str, float | None]:
        """Normalized frequency difference of those in both, missed, and wrongly found."""
        seen = self.original_frequencies > 0
        groups = (self.in_original & self.in_release, ~self.in_release, ~self.in_original & seen)
        return dict(zip(GROUPS, map(self._nfd, groups), strict=True))

    @property
    def n_invented(self) -> int:
        """Itemsets frequent in the release that no row of the original contains."""
        return int((self.original_frequencies == 0).sum())

    @property
    def sentence(self) -> str:
        """The comparison in one or two plain sentences."""
        off = "" if self.nfd is None else f" Their frequencies are {self.nfd:.1%} off on average."
        off += f" {said_of_groups(self.groups)}" if self.groups else ""
        return (
            f"Of {int(self.in_original.sum()):,} itemsets in at least {self.min_frequency:.4g} of "
            f"the rows the release shows {self.n_both:,} (recall {self.recall:.3f}); it adds "
            f"{self.n_false_positives:,} (precision {self.precision:.3f}).{off}"
        )

    def __repr__(self) -> str:
        return f"ItemsetFidelity({self.sentence})"

    def preview(self) -> Preview:
        """Return number and normalized frequency difference of those shared, missed, added."""
        counts = (self.n_both, self.n_false_negatives, self.n_false_positives)
        rows = [
            (group, f"{count:,}", "-" if nfd is None else f"{nfd:.4f}")
            for count, (group, nfd) in zip(counts, self.nfd_by_group.items(), strict=True)
        ]
        return Preview(title=self.sentence, header=("frequent", "itemsets", "NFD"), rows=rows)

    def to_dict(self) -> dict[str, object]:
        """Return the measures as plain values; single itemsets are in :meth:`to_frame`."""
        counts = ("n_rows", "n_released", "n_both", "n_false_negatives", "n_false_positives")
        measures = ("n_invented", "precision", "recall", "mean_error", "nfd", "nfd_by_group")
        found = {name: getattr(self, name) for name in ("min_frequency", *counts, *measures)}
        return {**found, "groups": list(self.groups)}

    def to_frame(self, kind: FrameKind = "polars") -> Any:  # noqa: ANN401  of the kind asked for
        """Return a frame with one row for each itemset: items, both frequencies, where frequent."""
        import polars as pl

        groups = np.array(GROUPS)[~self.in_release * 1 + ~self.in_original * 2]
        frame = pl.DataFrame(
            {
                "items": list_column(self.labels, self.offsets, self.items),
                "size": np.diff(self.offsets),
                "original_frequency": self.original_frequencies,
                "release_frequency": self.release_frequencies,
                "frequent": pl.Series(groups.tolist(), dtype=pl.String),
            }
        )
        return as_kind(frame, kind)

    def plot(self) -> alt.Chart:
        """Return a chart of the itemsets shared, missed and wrongly found, by size."""
        import altair as alt

        frame = self.to_frame("polars").group_by("size", "frequent").len("itemsets")
        chart: alt.Chart = alt.Chart(frame.sort("size", "frequent")).mark_bar()
        return chart.encode(x="size:O", y="itemsets:Q", color=alt.Color("frequent:N", sort=GROUPS))

    def _errors(self) -> NDArray[np.float64]:
        return np.abs(self.original_frequencies - self.release_frequencies)

    def _nfd(self, which: NDArray[np.bool_]) -> float | None:
        if not which.any():
            return None
        return float((self._errors()[which] / self.original_frequencies[which]).mean())


def itemset_fidelity(
    original: object,
    release: object,
    *,
    min_frequency: float,
    max_size: int | None = None,
    hierarchies: Mapping[str, Hierarchy] | None = None,
    **limits: Unpack[Limits],
) -> ItemsetFidelity:
    r"""Return how well the frequent itemsets of a release are those of the original.

    .. math::
        \mathrm{precision} = \frac{|F \cap \tilde F|}{|\tilde F|}, \quad
        \mathrm{recall} = \frac{|F \cap \tilde F|}{|F|}, \quad
        \mathrm{NFD}(I) = \frac{1}{|I|} \sum_{X \in I}
        \frac{|\mathrm{freq}(X) - \widetilde{\mathrm{freq}}(X)|}{\mathrm{freq}(X)}

    where :math:`F` and :math:`\tilde F` are the itemsets contained in at least a share
    ``min_frequency`` of the rows of the original and of the release, :math:`\mathrm{freq}(X)`
    and :math:`\widetilde{\mathrm{freq}}(X)` the shares that contain :math:`X`, and :math:`I` is
    :math:`F` (``nfd``), :math:`F \cap \tilde F`, :math:`F \setminus \tilde F` or
    :math:`\tilde F \setminus F`. ``mean_error`` is the mean of
    :math:`|\mathrm{freq} - \widetilde{\mathrm{freq}}|` over :math:`F \cup \tilde F`.

    Parameters
    ----------
    original, release : Release, Table or frame
        Columns in any order, values in any coding; identifying columns are ignored.
    min_frequency : float
        Least share of the rows of each table, above 0 and at most 1.
    max_size : int, optional
        Most items in an itemset, at least 1; any number by default.
    hierarchies : mapping of str to Hierarchy, optional
        Trees of the columns that were generalized, by default those that a Release in memory
        has: groups are compared with the same groups of the original.
    **limits : Limits
        ``threads``, ``max_itemsets``, ``max_memory``, ``progress``.

    Returns
    -------
    ItemsetFidelity
        All itemsets frequent in either table, with both frequencies.

    Raises
    ------
    DataError
        If the columns do not agree.
    LimitError
        If there are more than ``max_itemsets`` frequent itemsets in a table.

    Notes
    -----
    Shares, not counts, are compared, because a release may have fewer rows; with as many rows
    it is the paper's measure. Itemsets wrongly found that no row of the original contains have
    no NFD and are counted in ``n_invented``; an NFD over no itemsets is None. No guarantee: the
    figures are exact, describe the original, and are not for publication as they stand.

    References
    ----------
    J.E.G. Dorrestijn (2018), Provable Privacy for Database Generation, section 4 (false
    positives, false negatives, NFD) and tables 2 and 3.

    Examples
    --------
    >>> import discreet as dc
    >>> people = dc.Table.from_frame({"sex": ["f", "f", "m", "m"], "job": ["a", "b", "b", "b"]})
    >>> release = dc.Table.from_frame({"sex": ["f", None, "m", "m"], "job": ["a", "b", "b", "b"]})
    >>> seen = itemset_fidelity(people, release, min_frequency=0.5)
    >>> seen.recall, seen.precision, seen.nfd
    (0.75, 1.0, 0.125)
    """
    original, release, groups = grouped_tables(original, release, hierarchies)
    min_frequency = float(checks.exact("min_frequency", min_frequency, above=0, at_most=1))
    before, after = item_databases(pair_columns(original, release))
    own, other, both, counted, rest = limit_shares(limits, (0.0, 0.2, 0.6, 0.7, 0.85, 1.0))
    of_original = frequent(before, min_frequency=min_frequency, max_size=max_size, **own)
    of_release = frequent(after, min_frequency=min_frequency, max_size=max_size, **other)
    merged = merge_itemsets(of_original, of_release, **both)
    supports, in_original = supports_in(
        before, merged, found=of_original, places=merged.first, **counted
    )
    released, in_release = supports_in(
        after, merged, found=of_release, places=merged.second, **rest
    )
    return ItemsetFidelity(
        min_frequency=min_frequency,
        offsets=merged.offsets,
        items=merged.items,
        labels=before.labels,
        original_frequencies=supports / max(original.n_rows, 1),
        release_frequencies=released / max(release.n_rows, 1),
        in_original=in_original,
        in_release=in_release,
        n_rows=original.n_rows,
        n_released=release.n_rows,
        groups=groups,
    )


# Both tables as rows of the same numbered items, and supports counted in either.
#
# An item is a value of a column and has one number in both tables, so that itemsets mined from
# one can be looked up in the other.

REMEDY = "Raise min_frequency, lower max_size"


def item_databases(columns: Sequence[PairedColumn]) -> tuple[Database, Database]:
    """Return original and release as rows of items, numbered alike; suppressed cells are no items.

    Examples
    --------
    >>> import discreet as dc
    >>> from discreet.utility.pairs import pair_columns
    >>> original = dc.Table.from_frame({"sex": ["f", "m"]})
    >>> release = dc.Table.from_frame({"sex": ["m", None]})
    >>> before, after = item_databases(pair_columns(original, release))
    >>> before.items.tolist(), after.items.tolist(), after.offsets.tolist()
    ([0, 1], [1], [0, 1, 1])
    """
    labels = [Item(column.name, label) for column in columns for label in column.labels[:-1]]
    starts = np.cumsum([0, *(column.suppressed for column in columns)])
    databases = []
    for side in ("original", "release"):
        cells = [getattr(column, side) for column in columns]
        items = np.empty((len(cells[0]) if cells else 0, len(cells)), np.int32)
        shown = np.empty(items.shape, bool)
        for place, column in enumerate(columns):
            items[:, place] = cells[place] + starts[place]
            shown[:, place] = cells[place] != column.suppressed
        databases.append(
            Database(
                offsets=np.concatenate([[0], np.cumsum(shown.sum(axis=1))]).astype(np.int64),
                items=items[shown],
                weights=np.ones(len(items), np.int64),
                labels=labels,
            )
        )
    return databases[0], databases[1]


class Merged(NamedTuple):
    """Itemsets of two results in one canonical order, and the place of each there."""

    offsets: NDArray[np.int64]
    items: NDArray[np.int32]
    first: NDArray[np.int64]
    second: NDArray[np.int64]


def merge_itemsets(first: Itemsets, second: Itemsets, **limits: Unpack[Limits]) -> Merged:
    """Return the itemsets found in either of two results that number their items alike.

    Examples
    --------
    >>> import discreet as dc
    >>> first = dc.mine.frequent(dc.Transactions.from_iterable([{1, 2}]), min_support=1)
    >>> second = dc.mine.frequent(dc.Transactions.from_iterable([{1}, {2}]), min_support=1)
    >>> merged = merge_itemsets(first, second)
    >>> merged.first.tolist(), merged.second.tolist()
    ([0, 1, 2], [0, 1])
    """
    with search("the itemsets of both results", REMEDY, **limits) as running:
        return Merged(
            *_native.merge_itemsets(
                first.offsets,
                first.items,
                second.offsets,
                second.items,
                running.control,
                running.progress,
            )
        )


def supports_in(
    database: Database,
    merged: Merged,
    *,
    found: Itemsets,
    places: NDArray[np.int64],
    **limits: Unpack[Limits],
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Return the support of every merged itemset in one database, and whether it was found there.

    Parameters
    ----------
    database : Database
        Where to count.
    merged : Merged
        The itemsets.
    found : Itemsets
        Those mined from this database: their supports are known.
    places : array of int
        Where these are among the merged.
    **limits : Limits
        ``threads``, ``max_memory``, ``progress``.
    """
    known = np.zeros(len(merged.offsets) - 1, bool)
    known[places] = True
    supports = np.empty(len(known), np.int64)
    supports[places] = found.supports
    supports[~known] = count_supports(
        database, merged.offsets, merged.items, which=np.flatnonzero(~known), **limits
    )
    return supports, known
