"""How many items of an itemset each randomized transaction holds, and how often, by size."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from discreet.errors import DataError, ParameterError, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from discreet.data.item_sets import Label
    from discreet.data.transactions import Transactions
    from discreet.randomize.randomized import Randomized


def overlaps(transactions: Transactions, itemset: Iterable[Label]) -> NDArray[np.int64]:
    """Return how many items of an itemset each transaction holds.

    Parameters
    ----------
    transactions : Transactions
        Randomized or not.
    itemset : iterable of labels
        At least one, each once.

    Returns
    -------
    ndarray of int64
        From 0 to the size of the itemset, one for each transaction.

    Raises
    ------
    DataError
        If a label is not one of the transactions'.

    Examples
    --------
    >>> from discreet.data.transactions import Transactions
    >>> overlaps(Transactions.from_iterable([["a", "b"], ["b", "c"], []]), ["a", "b"]).tolist()
    [2, 1, 0]
    """
    wanted = np.zeros(transactions.n_items, np.bool_)
    wanted[itemset_codes(transactions, itemset)] = True
    at = np.flatnonzero(wanted[transactions.items])
    row = np.searchsorted(transactions.offsets, at, side="right") - 1
    return np.bincount(row, minlength=transactions.n_transactions)


def partial_counts(
    randomized: Randomized, itemset: Iterable[Label]
) -> dict[int, NDArray[np.int64]]:
    """Return how many randomized transactions hold 0, 1, ... items of an itemset, by true size.

    Parameters
    ----------
    randomized : Randomized
        What was sent.
    itemset : iterable of labels
        At least one, each once.

    Returns
    -------
    dict from m to ndarray of int64
        Counts for l' from 0 to k; what :func:`recover_support` takes.

    Examples
    --------
    >>> from discreet.data.transactions import Transactions
    >>> from discreet.randomize import CutAndPaste
    >>> baskets = Transactions.from_iterable([["tea", "milk"], ["milk"]] * 500)
    >>> sent = CutAndPaste(cutoff=3, rho="1/4").randomize(baskets, seed=1)
    >>> {m: int(counts.sum()) for m, counts in partial_counts(sent, ["tea", "milk"]).items()}
    {1: 500, 2: 500}
    """
    codes = itemset_codes(randomized.transactions, itemset)
    found = overlaps(randomized.transactions, [randomized.transactions.labels[c] for c in codes])
    width = len(codes) + 1
    counts = np.bincount(randomized.sizes * np.int64(width) + found)
    counts = np.pad(counts, (0, -counts.size % width)).reshape(-1, width)
    return {m: counts[m] for m in np.flatnonzero(counts.sum(axis=1)).tolist()}


def itemset_codes(transactions: Transactions, itemset: Iterable[Label]) -> list[int]:
    """Return the codes of labels, or raise an error that names the one that is wrong.

    Examples
    --------
    >>> from discreet.data.transactions import Transactions
    >>> itemset_codes(Transactions.from_iterable([["tea", "milk"]]), ["tea"])
    [1]
    """
    if isinstance(itemset, str):
        raise ParameterError(f"An itemset is a list of items; write [{itemset!r}] for one item.")
    labels = list(itemset)
    if not labels or len(set(labels)) < len(labels):
        raise ParameterError(f"The itemset {labels!r} must have at least one item, each once.")
    places = {label: code for code, label in enumerate(transactions.labels)}
    wrong = next((label for label in labels if label not in places), None)
    if wrong is not None:
        raise DataError(f"There is no item {wrong!r}. {did_you_mean(str(wrong), map(str, places))}")
    return [places[label] for label in labels]
