"""Sanitized collections as releases: itemsets with supports, and the claim that holds for them."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol, overload

import numpy as np

from discreet import checks
from discreet.data.suggest_roles import warn_of_people
from discreet.data.table import Table, as_table
from discreet.data.transactions import Transactions
from discreet.errors import DataError, GuaranteeError, InfeasibleError, ParameterError
from discreet.mine.database import Item, OnePerPerson, check_one_each
from discreet.mine.itemsets import Itemsets
from discreet.patterns.collection import Sanitized, select
from discreet.release.composition import DERIVE
from discreet.release.event import Event
from discreet.release.fingerprint import Fingerprint
from discreet.release.guarantee import (
    OF_PEOPLE,
    ONE_ROW,
    ONE_ROW_EACH,
    SEVERAL_TRANSACTIONS,
    Guarantee,
    assumed_of,
    unit_of,
    unprotected_of,
)
from discreet.release.release import Release

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Mapping, Sequence

    from discreet.mine.database import PerPerson
    from discreet.patterns.collection import Method


class Proof(Protocol):
    """Rows that prove a collection safe, if there are any."""

    @property
    def rows(self) -> Itemsets | None:
        """The rows, with their numbers as supports."""


class Proved(Protocol):
    """A sanitized collection with the rows that prove it safe, as ``certified`` makes it."""

    @property
    def sanitized(self) -> Sanitized:
        """The collection."""

    @property
    def witness(self) -> Proof:
        """The proof."""


def pattern_release(
    made: Sanitized | Proved,
    *,
    source: object = None,
    columns: Sequence[str] | None = None,
) -> Release[Itemsets]:
    """Return a sanitized collection as a release, with its guarantee and what was done.

    Parameters
    ----------
    made : Sanitized or Certified
        What :func:`~discreet.patterns.additive`, :func:`~discreet.patterns.suppressive` or
        :func:`~discreet.patterns.certified` made.
    source : Table, Transactions, frame or OnePerPerson, optional
        What it was made from, for the fingerprint and the unit of privacy. Where people have
        several rows, what :func:`discreet.mine.one_per_person` returned.
    columns : sequence of str, optional
        The columns of the source that the itemsets are about, if not all.

    Returns
    -------
    Release
        Its data are the itemsets, items as texts, in the order of sizes, then texts. Its
        ``witness`` are the rows that prove a certified collection safe, with their numbers as
        supports. Without the empty itemset, whose support is ``n_rows`` of the guarantee.
        ``loss`` has the measures of distortion, in memory only.

    Raises
    ------
    InfeasibleError
        If there is no itemset to release.
    DataError
        If two items have the same text, the text of one does not name its column, or only closed
        itemsets are given.
    GuaranteeError
        If a certified collection comes without the rows that prove it safe.

    Notes
    -----
    **Guarantee.** That of the method, with what it does not protect. How many transactions were
    added or removed is not part of the release: whoever knows that *k* were added looks for the
    one group that was raised, and finds the small one. The events state options, and the number of
    itemsets, which everybody can count.

    Examples
    --------
    >>> import discreet as dc
    >>> from discreet.patterns import additive
    >>> baskets = dc.Transactions.from_iterable([{"a", "b"}] * 8 + [{"a"}] + [{"b"}] * 3)
    >>> release = pattern_release(additive(baskets, k=3, min_support=8), source=baskets)
    >>> [(sorted(items), support) for items, support in release.data]
    [(['a'], 12), (['b'], 11), (['a', 'b'], 8)]
    >>> release.kind, release.data.n_rows
    ('patterns', 15)
    """
    sanitized, proof = (
        (made, None) if isinstance(made, Sanitized) else (made.sanitized, made.witness)
    )
    published = sanitized.published
    if published.kind == "closed":
        raise DataError(
            "A release holds all frequent itemsets, and this collection has closed ones only: "
            "sanitize the data, or the collection of all frequent itemsets."
        )
    if sanitized.method == "certified" and (proof is None or proof.rows is None):
        raise GuaranteeError(
            "A certified collection is released with the rows that prove it: give the whole "
            "result of certified()."
        )
    patterns = _as_texts(published, kind="frequent")
    patterns = select(patterns, np.flatnonzero(patterns.sizes))
    if not len(patterns):
        instead = "" if sanitized.method == "additive" else ", or use additive: it loses no itemset"
        raise InfeasibleError(
            f"No itemset of at least {sanitized.min_support} rows is left to release. Lower "
            f"min_support or k{instead}."
        )
    _check_names(published, sanitized.quasi)
    named = {} if columns is None else {"columns": tuple(columns)}
    named |= {"quasi": sanitized.quasi} if sanitized.quasi else {}
    event = Event(
        name=f"{sanitized.method}_sanitization",
        parameters={"k": sanitized.k, "min_support": sanitized.min_support, **named},
        counts={"n_itemsets": len(patterns)},
    )
    rows = None if proof is None else proof.rows
    counted = _counted(source)
    return Release(
        data=patterns,
        kind="patterns",
        witness=None if rows is None else _as_texts(rows, kind="witness"),
        guarantee=pattern_guarantee(
            sanitized.method,
            k=sanitized.k,
            min_support=sanitized.min_support,
            n_rows=published.n_rows,
            quasi=sanitized.quasi,
            unit=_unit(counted),
            per_person=None if counted is None else counted.done,
            is_seeded=counted is not None and counted.is_seeded,
        ),
        events=(*_steps_before(counted), event),
        fingerprint=None if counted is None else _fingerprint(counted.source),
        loss=sanitized.distortion,
    )


def check_thresholds(options: Mapping[str, object]) -> None:
    """Raise ParameterError unless there is one threshold, in rows or as a share."""
    if (options["min_support"] is None) == (options["min_frequency"] is None):
        raise ParameterError("a patterns method has min_support or min_frequency: give one")


def check_columns(data: object, columns: Sequence[str] | None) -> None:
    """Refuse columns that no itemset may be about."""
    if columns is None:
        return
    if isinstance(data, Transactions):
        raise ParameterError(
            "columns are those of a table; transactions have none.", parameter="columns"
        )
    identifying = as_table(data).identifying
    wrong = next((name for name in columns if name in identifying), None)
    if wrong is not None:
        raise ParameterError(
            f"Column '{wrong}' is identifying, and no itemset may speak of it: leave it out of "
            "columns.",
            parameter="columns",
            column=wrong,
        )


def _check_names(published: Itemsets, quasi: tuple[str, ...]) -> None:
    """Refuse an item that reads like one of a quasi-identifier, and is of another column."""
    for code in np.unique(published.items).tolist() if quasi else ():
        label = published.labels[code]
        column = label.column if isinstance(label, Item) else None
        like = next((name for name in quasi if str(label).startswith(f"{name}=")), None)
        if like is not None and column not in quasi:
            raise DataError(
                f"The item {str(label)!r} of column '{column}' reads like one of column '{like}'.",
                column=column,
                remedy=(
                    "Rename a column, so that everybody can see which items the claim is about."
                ),
            )


def _as_texts(itemsets: Itemsets, *, kind: str) -> Itemsets:
    """Return itemsets with the texts of their items, and no text of an item that is not in one."""
    texts = item_texts(itemsets.labels, np.unique(itemsets.items).tolist())
    bounds = zip(itemsets.offsets, itemsets.offsets[1:], itemsets.supports, strict=False)
    supports = {
        frozenset(texts[code] for code in itemsets.items[low:high].tolist()): int(support)
        for low, high, support in bounds
    }
    return Itemsets.from_mapping(supports, n_rows=itemsets.n_rows, kind=kind)


def item_texts(labels: Sequence[Hashable], used: Iterable[int]) -> dict[int, str]:
    """Return the text of each used item, by its number.

    Raises
    ------
    DataError
        If two items have the same text, so that nobody could distinguish them.

    Examples
    --------
    >>> item_texts(("tea", 5), [1])
    {1: '5'}
    """
    texts: dict[int, str] = {}
    seen: dict[str, int] = {}
    for code in used:
        text = str(labels[code])
        if text in seen:
            raise DataError(
                f"Two items are both written {text!r}: {labels[seen[text]]!r} and {labels[code]!r}."
                " Rename a column or a value, so that they differ."
            )
        texts[code] = text
        seen[text] = code
    return texts


def _counted(source: object) -> OnePerPerson | None:
    """Return what was mined, with what it was made from."""
    if source is None or isinstance(source, OnePerPerson):
        return source
    check_one_each(source)
    known = source if isinstance(source, Transactions) else as_table(source)
    if known.people is None:
        return OnePerPerson(data=known, source=known)
    return OnePerPerson(data=known, source=known, done="one")


def _unit(counted: OnePerPerson | None) -> str:
    """Return the unit of privacy of what was mined."""
    if counted is None:
        return ONE_ROW
    if isinstance(counted.source, Table):
        warn_of_people(counted.source)
        return unit_of(counted.source)
    if counted.done is not None:
        return SEVERAL_TRANSACTIONS
    return ONE_ROW_EACH if counted.source.one_row_per_person else ONE_ROW


def _steps_before(counted: OnePerPerson | None) -> tuple[Event, ...]:
    """Return what was done before anything was counted."""
    if counted is None or counted.done is None:
        return ()
    return (Event(name=STEPS[counted.done]),)


def _fingerprint(source: object) -> Fingerprint:
    """Return the fingerprint of the input; of transactions, that of a column of their items."""
    if not isinstance(source, Transactions):
        return Fingerprint.of(as_table(source))
    texts = [json.dumps(str(label), ensure_ascii=False) for label in source.labels]
    cells = [
        f"[{', '.join(texts[code] for code in source.items[low:high].tolist())}]"
        for low, high in zip(source.offsets, source.offsets[1:], strict=False)
    ]
    return Fingerprint.of(Table.from_frame({"items": cells}))


# Smaller collections from a published one: the safe way to publish at several supports.

SAFE = (
    "Derived from a collection with a smaller least support by leaving itemsets out: together "
    "with that collection it discloses nothing more than that collection alone."
)


@overload
def derive(published: Itemsets, *, min_support: int) -> Itemsets: ...


@overload
def derive(published: Release[Itemsets], *, min_support: int) -> Release[Itemsets]: ...


def derive(
    published: Itemsets | Release[Itemsets], *, min_support: int
) -> Itemsets | Release[Itemsets]:
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
    min_support = checks.whole("min_support", min_support, at_least=1)
    if isinstance(published, Itemsets):
        stays = (published.supports >= min_support) | (published.sizes == 0)
        return select(published, np.flatnonzero(stays))
    return _derived(published, min_support)


def _derived(release: Release[Itemsets], min_support: int) -> Release[Itemsets]:
    """Return the release of the more frequent itemsets."""
    claim = release.guarantee
    least = claim.parameters.get("min_support")
    if release.kind != "patterns" or not isinstance(least, int):
        raise ParameterError(
            f"This release is of {claim.model}, not of patterns.", parameter="release"
        )
    if min_support < least:
        raise ParameterError(
            f"{{min_support}} is below the {least} of the release: what is rarer was not "
            "published.",
            parameter="min_support",
            remedy="Sanitize the data at the smallest support you need.",
            options={"min_support": min_support},
        )
    kept = np.flatnonzero(release.data.supports >= min_support)
    if not len(kept):
        raise InfeasibleError(f"No published itemset has a support of {min_support} or more.")
    step = Event(
        name=DERIVE,
        parameters={"min_support": min_support},
        counts={"n_itemsets": len(kept)},
    )
    return replace(
        release,
        data=select(release.data, kept),
        guarantee=replace(
            claim,
            parameters={**claim.parameters, "min_support": min_support},
            assumptions=tuple(dict.fromkeys((*claim.assumptions, SAFE))),
        ),
        events=(*release.events, step),
        input_rows=None,
        loss=None,
    )


# What releases of patterns claim, what they assume, and what they do not protect, in sentences.

PATTERNS = "k-anonymous patterns"

WITNESSED = "k-anonymous patterns, witnessed"

STEPS: dict[PerPerson, str] = {"unite": "unite_per_person", "one": "choose_one_per_person"}

_MINED: dict[PerPerson, str] = {
    "unite": "The transactions of a person were united into one before anything was counted: a "
    "support is the number of people who have all items, in one transaction or over several.",
    "one": "One row or transaction of each person was chosen at random before anything was "
    "counted: a support is the number of people whose chosen one has all items.",
}

_SEEDED = "a seed was used, and whoever knows it knows which row of each person was counted"

_ONCE = (
    "This is the only collection of its source, or the others were derived from it by a larger "
    "least support."
)

_FALSE_ROWS = (
    "Whoever uses the supports knows that they were raised on purpose and are not the true ones."
)

_UNPUBLISHED = (
    "Patterns that use itemsets which are not published: a group of fewer than k rows may follow "
    "for them from the published supports."
)

_SIGMA = (
    "An attacker who knows the least support knows that what is not published is rarer, and may "
    "infer more from that."
)

_DISJUNCTIONS = (
    "Disjunctions: that one of two conditions holds for fewer than k rows may follow although "
    "each condition alone is protected."
)

_UNDONE = (
    "Whoever knows how many rows the input has, or that every row has one of the published values "
    "of a column, knows how many were added, and may find out which supports were raised; a count "
    "from k to 2 k may be one that was smaller than k."
)

_REMOVED = (
    "Whoever knows how many rows the input has knows how many were removed for being in small "
    "groups."
)

_WITNESS = (
    "The rows of the witness are published: how often each combination of the published items "
    "occurs there can be read, and may be true."
)

_CHOICE = "How the changes were chosen depends on the data, and may disclose something about them."

_HOMOGENEOUS = (
    "What all rows of a group have in common can be learnt of each, such as a shared diagnosis."
)

_SEVERAL = (
    "Several collections of the same source: an attacker who holds two of them can combine them."
)

_KNOWN_ROWS = "An attacker who knows some rows can subtract them from the supports."

_KNOWN_COLUMNS = "Nobody who uses the collection knows more of a person than {columns}."

_OTHER_COLUMNS = (
    "Groups that are disclosed by a value of a column other than {columns}: a pattern with such a "
    "value may hold for fewer than k rows."
)

_NOT_PROTECTED: dict[Method, tuple[str, ...]] = {
    "additive": (_UNPUBLISHED, _SIGMA, _DISJUNCTIONS, _UNDONE),
    "suppressive": (_UNPUBLISHED, _SIGMA, _DISJUNCTIONS, _REMOVED),
    "certified": (_WITNESS, _CHOICE),
}


def pattern_guarantee(
    method: Method,
    *,
    k: int,
    min_support: int,
    n_rows: int,
    quasi: tuple[str, ...] = (),
    unit: str = ONE_ROW,
    per_person: PerPerson | None = None,
    is_seeded: bool = False,
) -> Guarantee:
    """Return the guarantee of a collection.

    Parameters
    ----------
    method : {"additive", "suppressive", "certified"}
        How it was sanitized.
    k, min_support, n_rows : int
        Least size of a group, least support, and the published number of rows.
    quasi : tuple of str
        The columns that the claim is about, if others are published beside them.
    unit : str
        The unit of privacy.
    per_person : {"unite", "one"}, optional
        What became of several rows or transactions of a person.
    is_seeded : bool
        Whether one of them was chosen by a seed.

    Returns
    -------
    Guarantee
        With what the method does not protect.

    Examples
    --------
    >>> pattern_guarantee("additive", k=3, min_support=8, n_rows=15)
    Guarantee: k-anonymous patterns with k = 3, min_support = 8 and n_rows = 15 for one row: no
    group of fewer than 3 rows is disclosed by patterns over published itemsets.
    """
    mined = () if per_person is None else (_MINED[per_person],)
    assumed = [*assumed_of(unit), *mined, _ONCE, *((_FALSE_ROWS,) if method == "additive" else ())]
    not_protected = [*_NOT_PROTECTED[method], _HOMOGENEOUS, _KNOWN_ROWS, _SEVERAL]
    if quasi:
        names = f"{', '.join(quasi[:-1])} and {quasi[-1]}" if len(quasi) > 1 else quasi[0]
        assumed.append(_KNOWN_COLUMNS.format(columns=names))
        not_protected.insert(0, _OTHER_COLUMNS.format(columns=names))
    if unit in OF_PEOPLE:  # of each, one set of items was counted: no rows can be linked
        not_protected = [text if text == _WITNESS else _of_people(text) for text in not_protected]
    else:
        not_protected += unprotected_of(unit)
    return Guarantee(
        model=WITNESSED if method == "certified" else PATTERNS,
        parameters={"k": k, "min_support": min_support, "n_rows": n_rows},
        unit=unit,
        columns=quasi,
        assumptions=tuple(assumed),
        not_protected=tuple(not_protected),
        experimental=is_seeded,
        experimental_reason=_SEEDED if is_seeded else None,
    )


def _of_people(sentence: str) -> str:
    """Return a sentence about rows as one about people.

    Examples
    --------
    >>> _of_people("Whoever knows how many rows the input has, and that every row has a value.")
    'Whoever knows how many people the input has, and that every person has a value.'
    """
    return re.sub(r"\brow\b", "person", re.sub(r"\brows\b", "people", sentence))
