"""From transactions to a release of randomized ones: the whole way, for whoever holds a file."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from discreet.data.item_sets import check_labels
from discreet.data.transactions import Transactions
from discreet.errors import DataError, ParameterError, did_you_mean
from discreet.randomize.release import randomized_release
from discreet.release.event import Event
from discreet.release.fingerprint import Fingerprint

if TYPE_CHECKING:
    from collections.abc import Iterable

    from discreet.data.item_sets import Label
    from discreet.randomize.operators.operator import Operator
    from discreet.randomize.release import RandomizedRelease


def randomize_transactions(
    transactions: Transactions,
    *,
    operator: Operator,
    items: Iterable[Label] | None = None,
    max_size: int | None = None,
    seed: int | None = None,
) -> RandomizedRelease:
    """Return a release in which every transaction was randomized on its own.

    Parameters
    ----------
    transactions : Transactions
        One for each person.
    operator : Operator
        How, such as :class:`~discreet.randomize.CutAndPaste`.
    items : iterable of labels, optional
        The public list of all items. By default the items that occur, and the certificate says
        what that gives away.
    max_size : int, optional
        Leave out transactions of more items, at least 1; the certificate says how many.
    seed : int, optional
        For experiments that are repeated and not published.

    Returns
    -------
    RandomizedRelease
        Save it with :meth:`~discreet.randomize.RandomizedRelease.save`.

    Raises
    ------
    DataError
        If a transaction has an item that is not on the list.
    GuaranteeError
        If the operator gives no finite local epsilon.
    ParameterError
        If the operator is not defined for the size of some transaction.

    Notes
    -----
    **Guarantee.** Local differential privacy of one transaction among those of the same size,
    which is published; see the certificate.

    Examples
    --------
    >>> import discreet as dc
    >>> from discreet.randomize import CutAndPaste
    >>> baskets = dc.Transactions.from_iterable([["tea", "milk"], ["milk"]] * 50)
    >>> operator = CutAndPaste(cutoff=3, rho="1/4")
    >>> randomize_transactions(baskets, operator=operator, items=["bread", "milk", "tea"])
    Release of 100 randomized transactions: local differential privacy with epsilon = ...
    """
    steps: tuple[Event, ...] = ()
    kept = transactions if items is None else listed(transactions, items)
    if max_size is not None:
        kept, steps = _small(kept, max_size)
    return randomized_release(
        operator.randomize(kept, seed=seed),
        items_are_public=items is not None,
        fingerprint=Fingerprint.of(transactions),
        events=steps,
    )


def listed(transactions: Transactions, items: Iterable[Label]) -> Transactions:
    """Return the same sets over a list of all items, in the order of the list.

    Examples
    --------
    >>> listed(Transactions.from_iterable([["tea"]]), ["milk", "tea"]).items.tolist()
    [1]
    """
    labels = check_labels(items)
    place = {label: code for code, label in enumerate(labels)}
    for code in np.flatnonzero(transactions.supports).tolist():
        label = transactions.labels[code]
        if label not in place:
            hint = did_you_mean(str(label), [str(each) for each in labels])
            raise DataError(f"Item {label!r} is not on the list of items. {hint}")
    codes = np.array([place.get(label, -1) for label in transactions.labels], np.int32)
    moved = codes[transactions.items] if len(codes) else transactions.items
    return Transactions.from_csr(transactions.offsets, moved, labels)


def _small(transactions: Transactions, max_size: int) -> tuple[Transactions, tuple[Event, ...]]:
    """Return the transactions of at most so many items, and the step that left others out."""
    if max_size < 1:
        raise ParameterError(f"max_size={max_size} must be at least 1.")
    fits = transactions.sizes <= max_size
    step = Event(
        name="leave_out_large",
        parameters={"max_size": max_size},
        counts={"n_left_out": int((~fits).sum())},
    )
    return transactions.take(np.flatnonzero(fits)), (step,)
