"""Smaller collections from a published one: the safe way to publish at several supports."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, overload

import numpy as np

from discreet.errors import InfeasibleError, ParameterError
from discreet.mine.itemsets import Itemsets
from discreet.patterns.collection import select
from discreet.patterns.release import WITNESS, is_pattern_release
from discreet.release.event import Event
from discreet.release.ledger_patterns import DERIVE

if TYPE_CHECKING:
    from discreet.release.release import Release

SAFE = (
    "Derived from a collection with a smaller least support by leaving itemsets out: together "
    "with that collection it tells nothing more than that collection alone."
)


@overload
def derive(published: Itemsets, *, min_support: int) -> Itemsets: ...
@overload
def derive(published: Release, *, min_support: int) -> Release: ...
def derive(published: Itemsets | Release, *, min_support: int) -> Itemsets | Release:
    """Return the itemsets of a published collection that have at least a larger support.

    Parameters
    ----------
    published : Itemsets or Release
        A sanitized collection, or its release.
    min_support : int
        Least support of what is kept; not below that of a release.

    Returns
    -------
    Itemsets or Release
        Supports as they are. A release keeps its fingerprint, number of rows and witness, says
        that it was derived, and can be recorded in a ledger beside the first without a warning.

    Raises
    ------
    ParameterError
        If the support is below that of the release, or the release is not of patterns.
    InfeasibleError
        If no itemset of a release is left.

    Notes
    -----
    **Guarantee.** That of the published collection. *Proof*: a channel of the smaller collection
    is one of the larger, whose supports it shares. To sanitize again at another support is
    something else: two collections that were changed differently can be compared.

    References
    ----------
    M. Atzori, F. Bonchi, F. Giannotti, D. Pedreschi (2008), Anonymity preserving pattern
    discovery, section 9.

    Examples
    --------
    >>> published = Itemsets.from_mapping({frozenset("a"): 12, frozenset("b"): 8}, n_rows=20)
    >>> [sorted(items) for items, _ in derive(published, min_support=10)]
    [['a']]
    """
    if isinstance(min_support, bool) or int(min_support) != min_support or min_support < 1:
        raise ParameterError(f"min_support={min_support} must be a whole number, at least 1.")
    if isinstance(published, Itemsets):
        stays = (published.supports >= min_support) | (published.sizes == 0)
        return select(published, np.flatnonzero(stays))
    return _derived(published, int(min_support))


def _derived(release: Release, min_support: int) -> Release:
    """Return the release of the more frequent itemsets."""
    claim, data = release.guarantee, release.data
    least = claim.parameters.get("min_support")
    if not is_pattern_release(release) or not isinstance(least, int):
        raise ParameterError(f"This release is of {claim.model}, not of patterns.")
    if min_support < least:
        raise ParameterError(
            f"min_support={min_support} is below the {least} of the release: what is rarer was "
            "not published. Sanitize the data at the smallest support you need."
        )
    supports = np.array(data.values("support"), np.int64)[data.codes("support")]
    is_witness = np.array([kind == WITNESS for kind in data.values("kind")])[data.codes("kind")]
    kept = (supports >= min_support) & ~is_witness
    if not kept.any():
        raise InfeasibleError(f"No published itemset has a support of {min_support} or more.")
    step = Event(
        name=DERIVE,
        parameters={"min_support": min_support},
        counts={"n_itemsets": int(kept.sum())},
    )
    return replace(
        release,
        data=data.take(kept | is_witness),
        guarantee=replace(
            claim,
            parameters={**claim.parameters, "min_support": min_support},
            assumptions=tuple(dict.fromkeys((*claim.assumptions, SAFE))),
        ),
        events=(*release.events, step),
        input_rows=None,
        loss=None,
    )
