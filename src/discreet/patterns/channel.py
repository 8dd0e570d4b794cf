"""Inference channels as results: what each gives away, in plain words, worst first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet.data.frames.export import as_kind
from discreet.mine.database import Item
from discreet.mine.itemsets import list_column
from discreet.result import Preview, Result

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Iterator

    from discreet.data.frames.kinds import FrameKind
    from discreet.mine.itemsets import Itemsets

N_SHOWN = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Channel:
    """A group of fewer than k rows that published supports tell apart.

    Attributes
    ----------
    inside : frozenset
        Items that every row of the group has.
    outside : frozenset
        Items that no row of the group has.
    support : int
        Rows of the group.

    Examples
    --------
    >>> print(Channel(inside=frozenset("a"), outside=frozenset("bc"), support=1))
    only 1 row has a, but neither b nor c
    >>> print(Channel(inside=frozenset(), outside=frozenset({Item("job", "clerk")}), support=3))
    only 3 rows have another job than clerk
    """

    inside: frozenset[Hashable]
    outside: frozenset[Hashable]
    support: int

    def __str__(self) -> str:
        one = self.support == 1
        count = f"only {self.support:,} row{'' if one else 's'} {'has' if one else 'have'}"
        return f"{count} {in_words(self.inside, self.outside)}"

    def to_dict(self) -> dict[str, object]:
        """Return items as text, sorted, and the support."""
        return {
            "inside": [str(item) for item in in_order(self.inside)],
            "outside": [str(item) for item in in_order(self.outside)],
            "support": self.support,
            "in_words": str(self),
        }


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Channels(Result):
    """The maximal inference channels of a collection, and how many there are in all.

    Iterating gives :class:`Channel` objects, smallest group first.

    Attributes
    ----------
    k : int
        Groups of fewer rows are channels.
    n_itemsets : int or None
        Published itemsets, the empty one counted; None if they were not counted.
    n_channels : int or None
        All channels, of which the maximal ones are the most specific; None if not counted.
    inner, outer : Itemsets
        Of each maximal channel the items its rows have, with their number as support, and the
        maximal itemset that it is a part of, with its support.
    """

    k: int
    n_itemsets: int | None
    n_channels: int | None
    inner: Itemsets
    outer: Itemsets

    @property
    def n_maximal_channels(self) -> int:
        """Number of maximal channels."""
        return len(self.inner)

    def __len__(self) -> int:
        return len(self.inner)

    def __getitem__(self, index: int) -> Channel:
        items, support = self.inner[index]
        return Channel(inside=items, outside=self.outer[index].items - items, support=support)

    def __iter__(self) -> Iterator[Channel]:
        return (self[index] for index in range(len(self)))

    def __repr__(self) -> str:
        return f"Channels({self.sentence})"

    @property
    def sentence(self) -> str:
        """What was found, in one plain sentence."""
        if not len(self):
            return f"No group of fewer than {self.k} rows can be told apart by these itemsets."
        smallest = int(self.inner.supports[0])
        return (
            f"{len(self):,} group{'s' if len(self) > 1 else ''} of fewer than {self.k} rows can be "
            f"told apart by these itemsets; the smallest has {smallest} "
            f"row{'' if smallest == 1 else 's'}."
        )

    def preview(self) -> Preview:
        """Return the smallest groups in words."""
        rows = [(f"{channel.support:,}", str(channel)) for channel in self.worst(N_SHOWN)]
        return Preview(title=self.sentence, header=("rows", "what is given away"), rows=rows)

    def worst(self, n: int) -> list[Channel]:
        """Return the channels of the smallest groups, those of few items first among equals."""
        return [self[index] for index in range(min(n, len(self)))]

    def to_dict(self) -> dict[str, object]:
        """Return the counts and every maximal channel, items as text."""
        return {
            "k": self.k,
            "n_rows": self.inner.n_rows,
            "n_itemsets": self.n_itemsets,
            "n_channels": self.n_channels,
            "n_maximal_channels": self.n_maximal_channels,
            "maximal_channels": [channel.to_dict() for channel in self],
        }

    def to_frame(self, kind: FrameKind = "polars") -> Any:  # noqa: ANN401  of the kind asked for
        """Return a frame with columns inside, outside (lists of text) and support."""
        import polars as pl

        kept = np.ones(len(self.outer.items), bool)
        for index in range(len(self)):
            low, high = self.outer.offsets[index : index + 2]
            within = self.inner.items[slice(*self.inner.offsets[index : index + 2])]
            kept[low:high] = ~np.isin(self.outer.items[low:high], within)
        offsets = np.concatenate([[0], np.cumsum(kept)])[self.outer.offsets]
        labels = self.inner.labels
        frame = pl.DataFrame(
            {
                "inside": list_column(labels, self.inner.offsets, self.inner.items),
                "outside": list_column(labels, offsets, self.outer.items[kept]),
                "support": self.inner.supports,
            }
        )
        return as_kind(frame, kind)


def in_order(items: Iterable[Hashable]) -> list[Hashable]:
    """Return items in the order of their texts, numbers by value."""
    return sorted(
        items,
        key=lambda item: (
            not isinstance(item, int),
            item if isinstance(item, int) else 0,
            str(item),
        ),
    )


def in_words(inside: Iterable[Hashable], outside: Iterable[Hashable]) -> str:
    """Return ``a and b, but neither c nor d``, or ``sex f and another job than clerk``."""
    inside, outside = in_order(inside), in_order(outside)
    if all(isinstance(item, Item) for item in (*inside, *outside)):
        has = [f"{item.column} {item.value}" for item in inside if isinstance(item, Item)]
        lacks = [
            f"another {item.column} than {item.value}" for item in outside if isinstance(item, Item)
        ]
        return _listed([*has, *lacks], "and") or "any values at all"
    parts = [_listed([str(item) for item in inside], "and")] if inside else []
    without = [str(item) for item in outside]
    if len(without) == 1:
        parts.append(f"not {without[0]}")
    elif without:
        parts.append(f"neither {_listed(without, 'nor')}")
    return ", but ".join(parts) or "any items at all"


def _listed(words: list[str], joined_by: str) -> str:
    """Return words as a list in a sentence."""
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} {joined_by} {words[-1]}"
