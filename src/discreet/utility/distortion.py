"""How far the supports of a sanitized collection of itemsets are from the true ones."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from discreet.mine.database import with_empty
from discreet.mine.itemsets import ItemBits, unpacked
from discreet.release.release import Release
from discreet.result import Preview, Result

if TYPE_CHECKING:
    from collections.abc import Hashable

    from numpy.typing import NDArray

    from discreet.mine.itemsets import Itemsets


@dataclass(frozen=True, slots=True, kw_only=True)
class Distortion(Result):
    """The four measures of distortion, over all original itemsets and the empty one.

    Attributes
    ----------
    n_added, n_removed : int
        Transactions more or fewer than there were.
    n_itemsets : int
        Original itemsets, the empty one counted.
    n_changed : int
        How many of them have another support now, those no longer published included.
    n_lost : int
        How many are no longer published.
    average, worst : float
        Mean and largest change of a support, as a share of the support.
    worst_items : frozenset
        The itemset of the largest change; the first in canonical order if there are several.
    """

    n_added: int
    n_removed: int
    n_itemsets: int
    n_changed: int
    n_lost: int
    average: float
    worst: float
    worst_items: frozenset[Hashable]

    @property
    def changed_rate(self) -> float:
        """Share of the itemsets whose support is another now."""
        return self.n_changed / self.n_itemsets

    @property
    def sentence(self) -> str:
        """The measures in one plain sentence."""
        if not self.n_changed:
            return "No support was changed."
        rows = " and ".join(
            f"{n:,} transaction{'' if n == 1 else 's'} {verb}"
            for n, verb in ((self.n_added, "added"), (self.n_removed, "removed"))
            if n
        )
        lost = f", {self.n_lost:,} no longer published" if self.n_lost else ""
        return (
            f"{rows or 'Same number of rows'}; {self.changed_rate:.1%} of {self.n_itemsets:,} "
            f"supports changed{lost}, by {self.average:.2%} on average and {self.worst:.2%} at "
            f"worst ({', '.join(sorted(map(str, self.worst_items))) or 'number of rows'})."
        )

    def __repr__(self) -> str:
        return f"Distortion({self.sentence})"

    def preview(self) -> Preview:
        """Return one row for each measure."""
        rows = [
            ("transactions added", f"{self.n_added:,}"),
            ("transactions removed", f"{self.n_removed:,}"),
            ("supports changed", f"{self.changed_rate:.1%}"),
            ("itemsets lost", f"{self.n_lost:,} of {self.n_itemsets:,}"),
            ("average change", f"{self.average:.2%}"),
            ("worst change", f"{self.worst:.2%}"),
        ]
        return Preview(title=self.sentence, header=("measure", "value"), rows=rows)

    def to_dict(self) -> dict[str, object]:
        """Return all measures as plain values, the items as text."""
        return {
            "n_added": self.n_added,
            "n_removed": self.n_removed,
            "n_itemsets": self.n_itemsets,
            "n_changed": self.n_changed,
            "n_lost": self.n_lost,
            "changed_rate": self.changed_rate,
            "average": self.average,
            "worst": self.worst,
            "worst_items": sorted(map(str, self.worst_items)),
        }


def distortion(original: Itemsets, sanitized: Itemsets | Release[Itemsets]) -> Distortion:
    r"""Return how far the supports of a sanitized collection are from the original ones.

    .. math::
        \frac{|\{X \in F : s'(X) \ne s(X)\}|}{|F|}, \qquad
        \frac1{|F|} \sum_{X \in F} d(X), \qquad \max_{X \in F} d(X), \qquad
        d(X) = \frac{|s'(X) - s(X)|}{s(X)}

    where :math:`F` are the original itemsets and the empty one, whose support is the number of
    rows, :math:`s` their supports, and :math:`s'` the sanitized ones: 0 if not published. The
    fourth measure is the number of transactions that were added or removed.

    Parameters
    ----------
    original : Itemsets
        The collection before; of closed itemsets only, the measures are over these.
    sanitized : Itemsets, or Release of patterns
        The collection after; a release has texts for items, and the original is read as texts
        too. Of kind "closed" it stands for all subsets of its members: the
        support of a set is that of its most frequent superset.

    Returns
    -------
    Distortion
        The four measures. Items are compared by label.

    Notes
    -----
    The itemset changed most is often the empty one, but not always: a small support changes more
    by the same number. Time grows with the itemsets of both. No guarantee: the figures are
    computed from the original and are not for publication as they stand.

    References
    ----------
    M. Atzori, F. Bonchi, F. Giannotti, D. Pedreschi (2008), Anonymity preserving pattern
    discovery, section 8.1.

    Examples
    --------
    >>> from discreet.mine import Itemsets
    >>> before = Itemsets.from_mapping({frozenset("a"): 6, frozenset("b"): 5}, n_rows=10)
    >>> after = Itemsets.from_mapping({frozenset("a"): 9, frozenset("b"): 5}, n_rows=13)
    >>> distortion(before, after)
    Distortion(3 transactions added; 66.7% of 3 supports changed, by 26.67% on average and
    50.00% at worst (a).)
    """
    if isinstance(sanitized, Release):
        sanitized = sanitized.data
        original = replace(original, labels=tuple(map(str, original.labels)))
    true = original if (original.sizes == 0).any() else with_empty(original)
    now = _supports_in(sanitized, true)
    change = np.abs(now - true.supports)
    relative = change / np.maximum(true.supports, 1)
    at = int(np.argmax(relative))
    return Distortion(
        n_added=max(sanitized.n_rows - original.n_rows, 0),
        n_removed=max(original.n_rows - sanitized.n_rows, 0),
        n_itemsets=len(true),
        n_changed=int(np.count_nonzero(change)),
        n_lost=int(np.count_nonzero((now == 0) & (true.supports > 0))),
        average=float(relative.mean()),
        worst=float(relative[at]),
        worst_items=true[at].items,
    )


def _supports_in(collection: Itemsets, asked: Itemsets) -> NDArray[np.int64]:
    """Return the supports that a collection gives to some itemsets; 0 where it gives none."""
    items = _recoded(asked, collection.labels)
    known = {
        collection.items[low:high].tobytes(): support
        for low, high, support in zip(
            collection.offsets, collection.offsets[1:], collection.supports, strict=False
        )
    }
    now = np.array(
        [
            known.get(items[low:high].tobytes(), 0)
            for low, high in zip(asked.offsets, asked.offsets[1:], strict=False)
        ],
        np.int64,
    )
    now[asked.sizes == 0] = collection.n_rows
    if collection.kind == "closed":
        _fill_from_supersets(now, collection, asked.offsets, items)
    return now


def _recoded(itemsets: Itemsets, labels: tuple[Hashable, ...]) -> NDArray[np.int32]:
    """Return the items numbered as in other labels, sorted within each set; -1 if not there."""
    if itemsets.labels == labels:
        return itemsets.items
    code_of = {label: code for code, label in enumerate(labels)}
    codes = np.array([code_of.get(label, -1) for label in itemsets.labels], np.int32)
    items = codes[itemsets.items] if len(codes) else itemsets.items
    return items[np.lexsort((items, np.repeat(np.arange(len(itemsets)), itemsets.sizes)))]


def _fill_from_supersets(
    now: NDArray[np.int64],
    closed: Itemsets,
    offsets: NDArray[np.int64],
    items: NDArray[np.int32],
) -> None:
    """Give itemsets that are not in a closed collection the support of their closure."""
    members = ItemBits.of(closed)
    for at in np.flatnonzero(now == 0):
        wanted = items[offsets[at] : offsets[at + 1]]
        if (wanted >= 0).all():
            bits = members.having_all(np.array([0, len(wanted)]), wanted)
            now[at] = closed.supports[unpacked(bits, len(closed))[0]].max(initial=0)
