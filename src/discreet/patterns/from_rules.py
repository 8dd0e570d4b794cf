"""What published association rules give away: supports, and groups of few rows."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from discreet.errors import DataError
from discreet.patterns.rule_leaks import RuleLeak, RuleLeaks
from discreet.patterns.rule_supports import Between, published_rules
from discreet.patterns.thresholds import checked_k

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from numpy.typing import NDArray

    from discreet.patterns.rule_supports import PublishedRule

MOST_ITEMS = 12
UNKNOWN = 2**60  # an open end, far from overflow in sums of 2**12


def check_rules(
    rules: object, *, k: int, n_rows: int | None = None, decimals: int | None = None
) -> RuleLeaks:
    r"""Return the groups of fewer than k rows that published rules give away.

    A rule :math:`X \to Y` tells :math:`\mathrm{supp}(X \cup Y)` and, by its confidence,
    :math:`\mathrm{supp}(X) = \mathrm{supp}(X \cup Y) / \mathrm{conf}`, hence also the number of its
    exceptions. These supports are put together as those of a collection are in
    :func:`~discreet.patterns.channels.channels`, with what rounding leaves open.

    Parameters
    ----------
    rules : Rules, path or frame
        See :func:`~discreet.patterns.rule_supports.published_rules`.
    k : int
        Groups of fewer rows are leaks, at least 2.
    n_rows : int, optional
        The number of rows, if it is published; needed if supports are shares.
    decimals : int, optional
        Decimals of confidences and shares; by default as many as they are written with.

    Returns
    -------
    RuleLeaks
        Certain leaks, whatever was rounded or cut off; and, apart, possible ones.

    Raises
    ------
    DataError
        If supports or confidences are missing, or contradict each other.

    Notes
    -----
    **Guarantee.** None: this is a test. Supports that the rules do not tell are not bounded here.
    Groups are looked at for itemsets of at most 12 items; the exceptions of a rule always are.

    References
    ----------
    M. Atzori, F. Bonchi, F. Giannotti, D. Pedreschi (2008), Anonymity preserving pattern
    discovery, section 1.1 and example 2, where 80 / 81 = 98.765 % is cut off to 98.7 %.

    Examples
    --------
    >>> found = check_rules({"antecedents": ["a b c"], "consequents": ["d"], "support": [80],
    ...     "confidence": ["98.7 %"]}, k=10)
    >>> print(*found)
    only 1 row has a, b and c, but not d
    """
    k = checked_k(k)
    read = published_rules(rules, n_rows=n_rows, decimals=decimals)
    supports = _supports(read, n_rows)
    found: dict[tuple[frozenset[str], frozenset[str], bool], RuleLeak] = {}
    for leak in (*_exceptions(read, supports), *_groups(supports)):
        key = (leak.inside, leak.outside, leak.lacks_some)
        known = found.get(key, leak)  # what both say is true
        found[key] = replace(
            leak, least=max(leak.least, known.least), most=min(leak.most, known.most)
        )
    small = [leak for leak in found.values() if leak.most >= 1 and leak.least < k]
    certain = [leak for leak in small if leak.least >= 1 and leak.most < k]
    possible = [leak for leak in small if leak.least < 1 or leak.most >= k]
    return RuleLeaks(
        k=k,
        n_rules=len(read),
        supports=supports,
        n_channels=len(certain),
        certain=_most_specific(certain),
        possible=_most_specific(possible),
        n_not_examined=sum(len(items) > MOST_ITEMS for items in supports),
    )


def _supports(rules: Iterable[PublishedRule], n_rows: int | None) -> dict[frozenset[str], Between]:
    """Return all that the rules say of each support, put together."""
    found: dict[frozenset[str], Between] = {}
    if n_rows is not None:
        found[frozenset()] = Between(n_rows, n_rows)
    for rule in rules:
        for items, told in ((rule.left, rule.left_alone), (rule.left | rule.right, rule.both)):
            old = found.get(items, told)
            both = Between(max(old.least, told.least), min(old.most, told.most))
            if both.most < both.least:
                raise DataError(
                    f"{rule.where}: {{{', '.join(sorted(items))}}} is in {_shown(told)} rows by "
                    f"this rule, and in {_shown(old)} by others."
                )
            found[items] = both
    return _with_parts(found)


def _with_parts(supports: dict[frozenset[str], Between]) -> dict[frozenset[str], Between]:
    """Return supports bounded by those of parts that lack one item: these are not rarer."""
    bounded = dict(supports)
    for items in sorted(supports, key=len):
        for part in (items - {item} for item in items):
            if part in bounded and bounded[part].most < bounded[items].most:
                bounded[items] = Between(bounded[items].least, bounded[part].most)
    for items, known in bounded.items():
        if known.most < known.least:
            raise DataError(
                f"No data can have these figures: {{{', '.join(sorted(items))}}} would be more "
                "frequent than a part of it."
            )
    for items in sorted(supports, key=len, reverse=True):
        for part in (items - {item} for item in items):
            if part in bounded and bounded[part].least < bounded[items].least:
                bounded[part] = Between(bounded[items].least, bounded[part].most)
    return bounded


def _exceptions(
    rules: Iterable[PublishedRule], supports: dict[frozenset[str], Between]
) -> Iterator[RuleLeak]:
    """Yield the exceptions of each rule."""
    for rule in rules:
        alone, both = supports[rule.left], supports[rule.left | rule.right]
        yield RuleLeak(
            inside=rule.left,
            outside=rule.right,
            least=max(rule.exceptions.least, alone.least - both.most, 0),
            most=min(rule.exceptions.most, alone.most - both.least),
            lacks_some=len(rule.right) > 1,
        )


def _groups(supports: dict[frozenset[str], Between]) -> Iterator[RuleLeak]:
    """Yield the groups by each itemset whose numbers follow from known supports."""
    for items in supports:
        if not 0 < len(items) <= MOST_ITEMS:
            continue
        words = sorted(items)
        least, most = _cells(words, supports)
        if (most < 0).any():
            raise DataError(
                "No data can have these figures: see the supports of "
                f"{{{', '.join(words)}}} and its parts."
            )
        known = (least > -UNKNOWN // 2) & (most < UNKNOWN // 2)
        for mask in np.flatnonzero(known).tolist():
            inside = frozenset(word for place, word in enumerate(words) if mask >> place & 1)
            yield RuleLeak(
                inside=inside,
                outside=items - inside,
                least=max(int(least[mask]), 0),
                most=int(most[mask]),
            )


def _cells(
    words: list[str], supports: dict[frozenset[str], Between]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return from where to where the number of rows with exactly each part can be."""
    parts = [frozenset[str]()]
    for word in words:
        parts += [part | {word} for part in parts]
    told = [supports.get(part, Between(0, UNKNOWN)) for part in parts]
    least = np.array([known.least if known.most < UNKNOWN else -UNKNOWN for known in told], object)
    most = np.array([known.most for known in told], object)
    for bit in range(len(words)):
        low, high = (ends.reshape(-1, 2, 1 << bit) for ends in (least, most))
        # Every support stands once in each sum, so that the ends of the sums can be reached.
        low[:, 0], high[:, 0] = low[:, 0] - high[:, 1], high[:, 0] - low[:, 1]
    return np.clip(least, -UNKNOWN, UNKNOWN).astype(np.int64), np.clip(
        most, -UNKNOWN, UNKNOWN
    ).astype(np.int64)


def _most_specific(leaks: list[RuleLeak]) -> tuple[RuleLeak, ...]:
    """Return leaks that are no part of a more specific one, smallest group first."""
    kept = [leak for leak in leaks if not any(_is_part(leak, other) for other in leaks)]
    return tuple(sorted(kept, key=lambda leak: (leak.most, leak.least, *map(sorted, _sides(leak)))))


def _sides(leak: RuleLeak) -> tuple[frozenset[str], frozenset[str]]:
    """Return what rows of a group have and lack."""
    return leak.inside, leak.outside


def _is_part(leak: RuleLeak, other: RuleLeak) -> bool:
    """Say whether another leak tells all of this one and more."""
    if other is leak or other.lacks_some or not leak.inside <= other.inside:
        return False
    if leak.lacks_some:
        return bool(leak.outside & other.outside) and leak.outside <= other.inside | other.outside
    return leak.outside <= other.outside


def _shown(known: Between) -> str:
    """Return ``81`` or ``81 to 83``."""
    return str(known.least) if known.least == known.most else f"{known.least} to {known.most}"
