"""What sets of items are made of: labels checked, codes sorted and without repeats."""

from __future__ import annotations

import operator
from collections.abc import Iterable
from typing import TYPE_CHECKING, TypeAlias, cast

import numpy as np

from discreet.errors import DataError, ParameterError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

Label: TypeAlias = int | str
Labels: TypeAlias = tuple[int, ...] | tuple[str, ...]
INT64_MAX = 2**63 - 1


def sorted_sets(
    offsets: ArrayLike, items: ArrayLike, n_items: int
) -> tuple[NDArray[np.int64], NDArray[np.int32], int]:
    """Return read-only offsets and codes, ascending in each set, and how many repeats went.

    Examples
    --------
    >>> offsets, items, n_repeated = sorted_sets([0, 3, 3], [1, 0, 1], 2)
    >>> offsets.tolist(), items.tolist(), n_repeated
    ([0, 2, 2], [0, 1], 1)
    """
    starts = _integers("offsets", offsets)
    codes = _integers("items", items)
    if starts.size == 0 or starts[0] != 0 or starts[-1] != codes.size:
        raise DataError(f"offsets must start at 0 and end at {codes.size}, the number of items.")
    if (np.diff(starts) < 0).any():
        raise DataError("offsets must never fall.")
    if codes.size and not (codes.min() >= 0 and codes.max() < n_items):
        raise DataError(
            f"items must be codes from 0 to {n_items - 1}, one for each label, "
            f"not {codes.min()} to {codes.max()}."
        )
    row = np.repeat(np.arange(starts.size - 1), np.diff(starts))
    n_repeated = 0
    if not ((np.diff(codes) > 0) | (np.diff(row) > 0)).all():
        # One key orders by set first and code second; 2^31 of each still fit 64 bits.
        keys = np.sort(row * n_items + codes)
        distinct = keys[np.concatenate([[True], np.diff(keys) > 0])]
        n_repeated = keys.size - distinct.size
        row, codes = np.divmod(distinct, n_items)
        starts = np.searchsorted(row, np.arange(starts.size))
    cuts, kept = starts.astype(np.int64), codes.astype(np.int32)
    cuts.flags.writeable = kept.flags.writeable = False
    return cuts, kept, n_repeated


def encode_sets(
    sets: Iterable[Iterable[Label]],
) -> tuple[NDArray[np.int64], NDArray[np.int64], Labels]:
    """Return offsets, codes and sorted labels of iterables of labels.

    Examples
    --------
    >>> offsets, items, labels = encode_sets([{"b"}, ["c", "a"]])
    >>> offsets.tolist(), items.tolist(), labels
    ([0, 1, 3], [1, 2, 0], ('a', 'b', 'c'))
    """
    if isinstance(sets, (str, bytes)):
        raise DataError("Transactions are sets of items, not one string; give [{...}, {...}].")
    code_of: dict[Label, int] = {}
    offsets, codes = [0], list[int]()
    for place, items in enumerate(sets):
        if isinstance(items, (str, bytes)) or not isinstance(items, Iterable):
            raise DataError(
                f"Transaction {place} is {items!r}, which is not a set of items; "
                f"write [{items!r}] if it is one item."
            )
        for item in items:
            plain = type(item) is str or type(item) is int
            label = item if plain else as_label(item, f"Transaction {place}")
            codes.append(code_of.setdefault(label, len(code_of)))
        offsets.append(len(codes))
    labels = sort_labels(code_of)
    rank = np.empty(len(labels), dtype=np.int64)
    rank[[code_of[label] for label in labels]] = np.arange(len(labels))
    return np.asarray(offsets), rank[np.asarray(codes, dtype=np.int64)], labels


def take_sets(
    offsets: NDArray[np.int64], items: NDArray[np.int32], which: ArrayLike
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Return offsets and codes of the sets at the given places, or where a mask is true.

    Examples
    --------
    >>> offsets, items = take_sets(np.array([0, 2, 3]), np.array([0, 1, 5], np.int32), [1, 0])
    >>> offsets.tolist(), items.tolist()
    ([0, 1, 3], [5, 0, 1])
    """
    n_sets = offsets.size - 1
    chosen = np.asarray(which)
    if chosen.size == 0 and chosen.dtype != np.bool_:
        chosen = chosen.astype(np.int64)
    if chosen.ndim != 1 or chosen.dtype.kind not in "biu":
        raise ParameterError(
            "Places are a flat list of integers, or a mask of booleans.", parameter="rows"
        )
    try:
        places = np.arange(n_sets)[chosen]
    except IndexError as error:
        raise ParameterError(
            f"There are {n_sets} transactions: {error}.", parameter="rows"
        ) from None
    sizes = np.diff(offsets)[places]
    cuts = np.concatenate([[0], np.cumsum(sizes)])
    within = np.arange(cuts[-1]) - np.repeat(cuts[:-1], sizes)
    return cuts, items[np.repeat(offsets[places], sizes) + within]


def check_labels(labels: Iterable[object]) -> Labels:
    """Return the labels as a tuple: all int or all str, each once.

    Examples
    --------
    >>> check_labels([2, 1])
    (2, 1)
    """
    if isinstance(labels, (str, bytes)):
        raise DataError("Labels are a list of items, not one string.")
    names = tuple(as_label(label, "Labels") for label in labels)
    if len({type(name) for name in names}) > 1:
        example = next(name for name in names if type(name) is not type(names[0]))
        raise DataError(
            f"Items are both numbers and text, such as {names[0]!r} and {example!r}; "
            f"make all of them text."
        )
    if len(set(names)) < len(names):
        seen: set[Label] = set()
        twice = next(name for name in names if name in seen or seen.add(name))  # type: ignore[func-returns-value]
        raise DataError(f"Label {twice!r} stands twice; each item has one code.")
    return cast("Labels", names)


def sort_labels(labels: Iterable[Label]) -> Labels:
    """Return the labels checked and in ascending order.

    Examples
    --------
    >>> sort_labels({"b", "a"})
    ('a', 'b')
    """
    # str and int never compare here: check_labels refuses a mixture.
    return cast("Labels", tuple(sorted(check_labels(labels))))


def as_label(item: object, where: str) -> Label:
    """Return text as it is and any kind of integer as int; anything else is an error.

    Examples
    --------
    >>> as_label(np.int8(3), "here")
    3
    """
    if isinstance(item, str):
        return str(item)
    if not isinstance(item, (bool, np.bool_)):
        try:
            number = operator.index(item)  # type: ignore[arg-type] # the except is the check
        except TypeError:
            number = None
        if number is not None:
            if not -INT64_MAX - 1 <= number <= INT64_MAX:
                raise DataError(f"{where}: item {number} does not fit 64 bits; make it text.")
            return number
    raise DataError(f"{where}: {item!r} is neither text nor an integer; convert it to one.")


def _integers(name: str, values: ArrayLike) -> NDArray[np.int64]:
    array = np.asarray(values)
    if array.ndim != 1 or (array.size and array.dtype.kind not in "iu"):
        raise DataError(
            f"{name} must be a flat array of integers, not {array.dtype} {array.shape}."
        )
    return array.astype(np.int64, copy=False)
