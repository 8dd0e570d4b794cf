"""A collection of itemsets as published: checked, and cut down to what stands for all of it."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from discreet import _native
from discreet.errors import DataError
from discreet.mine.itemsets import Itemsets
from discreet.mine.limits import search

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Unpack

    from numpy.typing import NDArray

    from discreet.mine.limits import Limits


def native(itemsets: Itemsets) -> _native.Collection:
    """Return the collection as the kernels take it."""
    try:
        return _native.Collection(
            itemsets.offsets, itemsets.items, itemsets.supports, itemsets.n_rows
        )
    except ValueError as error:
        raise DataError(f"These itemsets cannot have been published: {error}.") from None


def select(itemsets: Itemsets, which: NDArray[np.int64]) -> Itemsets:
    """Return some of the itemsets, in the order asked for; one may be there twice."""
    starts = itemsets.offsets[which]
    sizes = itemsets.offsets[which + 1] - starts
    offsets = np.zeros(len(which) + 1, np.int64)
    sizes.cumsum(out=offsets[1:])
    places = (starts - offsets[:-1]).repeat(sizes)
    places += np.arange(len(places))
    return Itemsets(
        kind=itemsets.kind,
        offsets=offsets,
        items=itemsets.items[places],
        supports=itemsets.supports[which],
        labels=itemsets.labels,
        n_rows=itemsets.n_rows,
    )


def all_but_empty(published: Itemsets) -> Itemsets:
    """Return a collection without the empty itemset; without copying where it comes first.

    Raises
    ------
    DataError
        If the empty itemset is not in all rows, or there twice.
    """
    offsets = published.offsets
    empty = (offsets[1:] == offsets[:-1]).nonzero()[0]
    if not len(empty):
        return published
    _check_empty(published, empty)
    if empty[0] > 0:
        return select(published, np.flatnonzero(published.sizes > 0))
    return replace(published, offsets=offsets[1:], supports=published.supports[1:])


def condensed(published: Itemsets, **limits: Unpack[Limits]) -> tuple[Itemsets, Itemsets]:
    """Return the closed and the maximal itemsets of a published collection.

    Parameters
    ----------
    published : Itemsets
        All frequent itemsets, with or without the empty one; or, if its kind says so, the closed
        ones only.
    **limits : Limits
        ``threads``, ``max_memory``, ``progress``.

    Raises
    ------
    DataError
        If an itemset is there twice, or lacks a subset, or is more frequent than one.

    Examples
    --------
    >>> published = Itemsets.from_mapping(
    ...     {frozenset("a"): 3, frozenset("b"): 2, frozenset("ab"): 2}, n_rows=4)
    >>> closed, maximal = condensed(published)
    >>> [sorted(items) for items, _ in closed], [sorted(items) for items, _ in maximal]
    ([['a'], ['a', 'b']], [['a', 'b']])
    """
    rest = all_but_empty(published)
    if not len(rest):
        only = Itemsets.from_mapping({frozenset(): published.n_rows}, n_rows=published.n_rows)
        return only, only
    with search("closed itemsets", "Publish fewer itemsets", **limits) as running:
        if published.kind == "closed":
            _refuse_repeats(published)
            is_maximal = _native.maximal_among(native(rest), running.control, running.progress)
            return rest, select(rest, is_maximal.nonzero()[0])
        is_closed, is_maximal, lacking, without, contradicts = _native.condense(
            native(rest), running.control, running.progress
        )
    if lacking >= 0:
        explain_lack(published, lacking, without, contradicts=contradicts)
    return select(rest, is_closed.nonzero()[0]), select(rest, is_maximal.nonzero()[0])


@contextmanager
def explain_contradiction(tops: Itemsets) -> Iterator[None]:
    """Turn a kernel's word that supports contradict each other into a sentence."""
    try:
        yield
    except _native.Contradiction as error:
        which, items, count = error.args
        inside = [str(tops.labels[item]) for item in items]
        outside = [word for word in tops.in_words(which) if word not in inside]
        raise DataError(
            "No data can have these supports: the rows with "
            f"{' and '.join(inside) or 'any items'} but none of {', '.join(outside)} would number "
            f"{count}. The inequality that fails is the sum of (-1)^|X \\ I| supp(X) >= 0 over "
            f"{{{', '.join(inside)}}} = I <= X <= {{{', '.join(tops.in_words(which))}}}."
        ) from None


def explain_lack(published: Itemsets, lacking: int, without: int, *, contradicts: bool) -> None:
    """Raise DataError about an itemset, not counting the empty one, and one of its subsets."""
    _refuse_repeats(published)
    rest = all_but_empty(published)
    words = rest.in_words(lacking)
    smaller = [word for word in words if word != str(rest.labels[without])]
    shown, subset = ", ".join(words), ", ".join(smaller)
    if contradicts or not smaller:
        raise DataError(
            f"No data can have these supports: {{{shown}}} is in {rest.supports[lacking]} rows, "
            f"but its part {{{subset}}} in fewer."
        )
    raise DataError(
        f"The collection has {{{shown}}}, but not its part {{{subset}}}, which is at least as "
        "frequent. Give all frequent itemsets; of closed ones only, say kind='closed'."
    )


def _check_empty(published: Itemsets, empty: NDArray[np.int64]) -> None:
    """Raise DataError if the empty itemset is there twice, or not in all rows."""
    if len(empty) > 1:
        _refuse_repeats(published)
    if published.supports[empty[0]] != published.n_rows:
        raise DataError(
            f"The empty itemset has support {published.supports[empty[0]]}, but there are "
            f"{published.n_rows} rows: every row contains it."
        )


def _refuse_repeats(published: Itemsets) -> None:
    """Raise DataError if an itemset is there twice."""
    seen: dict[bytes, int] = {}
    for index, (low, high) in enumerate(
        zip(published.offsets, published.offsets[1:], strict=False)
    ):
        key = published.items[low:high].tobytes()
        if key in seen:
            words = ", ".join(published.in_words(index)) or "the empty one"
            raise DataError(
                f"The itemset {{{words}}} is there twice: number {seen[key]} and {index} "
                "(counting from 0)."
            )
        seen[key] = index
