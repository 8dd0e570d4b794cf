"""Which transactions to add so that every channel gets one: as few kinds of them as possible.

A transaction A hides a channel (I, J) if it holds of J exactly I. One transaction can hide many
channels, of each maximal set J one at most.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

import numpy as np

from discreet.errors import LimitError, ParameterError, did_you_mean
from discreet.mine.item_bits import ItemBits
from discreet.mine.kernels import with_empty
from discreet.patterns.collection import select
from discreet.patterns.set_cover import fewest

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from discreet.mine.itemsets import Itemsets
    from discreet.patterns.channel import Channels

Method: TypeAlias = Literal["best", "first-fit"]
MAX_COVER_BITS = 2**32  # pairs of a channel and an itemset: 512 MB, held twice


@dataclass(frozen=True, slots=True, kw_only=True)
class Grouping:
    """The itemsets to add as transactions.

    Attributes
    ----------
    itemsets : Itemsets
        What to add, large ones first, with their supports in the data.
    n_first_fit : int
        How many the paper's merging adds.
    at_least : int
        How many any choice has to add, as far as known.
    """

    itemsets: Itemsets
    n_first_fit: int
    at_least: int


def group_channels(found: Channels, closed: Itemsets, *, method: Method = "best") -> Grouping:
    r"""Return closed itemsets such that each channel is hidden by one of them.

    .. math:: \min |G| \text{ over } G \subseteq C \text{ with } \forall (I, J)\; \exists A \in G:
        A \cap J = I

    where :math:`(I, J)` are the maximal channels and :math:`C` the closed itemsets.

    Parameters
    ----------
    found : Channels
        The maximal channels of a collection.
    closed : Itemsets
        The closed itemsets of the same collection; the empty one may be missing.
    method : {"best", "first-fit"}
        *first-fit* is the paper's merging: channels in the order of decreasing :math:`|I|` (then
        by item numbers) go to the first group whose itemset hides them, or found a new group with
        the itemset :math:`I`. *best* is a set cover: greedy, without what became superfluous,
        every itemset made as small as can be, and improved by integer programming where the
        problem is small. It is never more than first-fit.

    Returns
    -------
    Grouping
        The itemsets, and how many first-fit needs.

    Raises
    ------
    LimitError
        If there are too many channels to compare.

    Notes
    -----
    In this order, a merged pair is :math:`(A, \cdot)` with :math:`A` the inner set of the first
    channel of its group, and definition 17 says :math:`A \cap J = I`. If :math:`A` hides some
    channels, so does the closure of the union of their inner sets, which is the smallest closed
    set that does: it is what we add. A maximal set needs as many transactions as it has channels;
    that, and the bound of the linear program, is ``at_least``. Time and memory grow with the
    number of channels times the number of closed itemsets (a bit each); above 2^32 such pairs
    only the inner sets are tried.

    References
    ----------
    M. Atzori, F. Bonchi, F. Giannotti, D. Pedreschi (2008), Anonymity preserving pattern
    discovery, definition 17 and algorithm 3, lines 1-8. V. Chvatal (1979), A greedy heuristic for
    the set-covering problem.

    Examples
    --------
    >>> import discreet as dc
    >>> from discreet.patterns import channels
    >>> rows = ["abcde"] * 6 + ["abde", "ae", "cde", "cde", "cde", "ab"]
    >>> baskets = dc.Transactions.from_iterable(map(set, rows))
    >>> found = channels(baskets, k=3, min_support=8)
    >>> chosen = group_channels(found, dc.closed(baskets, min_support=8))
    >>> [sorted(items) for items, _ in chosen.itemsets], chosen.at_least
    ([['d', 'e'], ['a'], ['e']], 3)
    """
    if method not in get_args(Method):
        hint = did_you_mean(str(method), get_args(Method))
        raise ParameterError(f"grouping={method!r} is not known. {hint}")
    candidates = _candidates(found, closed)
    hides = _hides(found, candidates)
    inner_at = _places(found.inner, candidates)
    first_fit = _first_fit(hides, inner_at)
    # A transaction holds of one maximal set one part only.
    at_least = max(np.unique(_numbered(found.outer), return_counts=True)[1], default=0)
    chosen = first_fit
    if method == "best":
        chosen, bound = fewest(
            hides, n_sets=len(candidates), start=first_fit, at_least=int(at_least)
        )
        at_least = max(at_least, bound)
    return Grouping(
        itemsets=select(candidates, np.sort(chosen)),
        n_first_fit=len(first_fit),
        at_least=int(at_least),
    )


def _candidates(found: Channels, closed: Itemsets) -> Itemsets:
    """Return the itemsets to choose from, large ones first, then by item number."""
    family = closed if (closed.sizes == 0).any() else with_empty(closed)
    if len(family) * len(found) > MAX_COVER_BITS:
        family = select(family, np.unique(_places(found.inner, family)))
    if len(family) * len(found) > MAX_COVER_BITS:
        raise LimitError(
            f"{len(found):,} channels are too many to hide with few transactions. "
            "Raise min_support, lower k, or look at fewer columns."
        )
    keys = [
        (low - high, tuple(family.items[low:high].tolist()))
        for low, high in zip(family.offsets, family.offsets[1:], strict=False)
    ]
    return select(family, np.array(sorted(range(len(keys)), key=keys.__getitem__), np.int64))


def _hides(found: Channels, candidates: Itemsets) -> NDArray[np.uint64]:
    """Return a row of bits for each channel: the candidates that hold of J exactly I."""
    inner, outer = found.inner, found.outer
    n_items = max(len(candidates.labels), 1)
    which_inner, which_outer = (
        np.repeat(np.arange(len(sets)) * n_items, sets.sizes) + sets.items
        for sets in (inner, outer)
    )
    outside = ~np.isin(which_outer, which_inner, assume_unique=True)
    offsets = np.concatenate([[0], np.cumsum(outside)])[outer.offsets]
    members = ItemBits.of(candidates)
    hides = members.having_any(offsets, outer.items[outside])
    np.invert(hides, out=hides)
    hides &= members.having_all(inner.offsets, inner.items)
    return hides


def _first_fit(hides: NDArray[np.uint64], inner_at: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the inner sets that found a group, in order."""
    order = np.argsort(inner_at, kind="stable")
    places, starts = np.unique(inner_at[order], return_index=True)
    groups = np.zeros(hides.shape[1], np.uint64)
    chosen = []
    for place, of_place in zip(places, np.split(order, starts[1:]), strict=False):
        if not (hides[of_place] & groups).any(axis=1).all():
            groups[place // 64] |= np.uint64(1 << int(place) % 64)
            chosen.append(place)
    return np.array(chosen, np.int64)


def _places(sets: Itemsets, among: Itemsets) -> NDArray[np.int64]:
    """Return where each of some itemsets is in a collection that has them all."""
    place_of = {
        among.items[low:high].tobytes(): place
        for place, (low, high) in enumerate(zip(among.offsets, among.offsets[1:], strict=False))
    }
    return np.array(
        [
            place_of[sets.items[low:high].tobytes()]
            for low, high in zip(sets.offsets, sets.offsets[1:], strict=False)
        ],
        np.int64,
    )


def _numbered(sets: Itemsets) -> list[int]:
    """Return a number for each itemset, equal for equal ones."""
    number_of: dict[bytes, int] = {}
    return [
        number_of.setdefault(sets.items[low:high].tobytes(), len(number_of))
        for low, high in zip(sets.offsets, sets.offsets[1:], strict=False)
    ]
