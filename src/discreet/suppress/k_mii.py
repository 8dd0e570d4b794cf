"""K-MII: k-anonymity on all columns, by hiding rare combinations and dropping what is left over.

After MII-suppress nearly all rows are in a class of at least k equal ones; the few that are not
are dropped, or hidden as a whole.
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Literal

import numpy as np

from discreet.assess.classes import equivalence_classes
from discreet.errors import DiscreetWarning, ParameterError, did_you_mean
from discreet.release.event import Event
from discreet.release.fingerprint import Fingerprint
from discreet.release.guarantee import Guarantee
from discreet.release.release import Release
from discreet.release.rows import publishable, sorted_rows
from discreet.release.wording import UNIT, always_open, other_columns
from discreet.suppress.cells import hide_cells
from discreet.suppress.mii import suppress_rare
from discreet.suppress.sampled import suppress_sampled

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Unpack

    from numpy.typing import NDArray

    from discreet.data.table import Table
    from discreet.mine.limits import Limits

Leftover = Literal["drop", "suppress"]
LEFTOVERS = ("drop", "suppress")


def k_mii(
    table: Table,
    *,
    k: int,
    leftover: Leftover = "drop",
    columns: Iterable[str] | None = None,
    sample_size: int | None = None,
    seed: int | None = None,
    **limits: Unpack[Limits],
) -> Release:
    r"""Return a k-anonymous release: every row is equal to at least ``k - 1`` others.

    First every cell that lies in a minimal infrequent itemset of its row is hidden, with
    :math:`\theta = k - 1` (see :func:`mii_suppress`); then rows in classes smaller than
    :math:`k` are dropped or hidden as a whole. Classes are formed by equality, and a hidden cell
    is an ordinary value ``*``.

    Parameters
    ----------
    table : Table
        One row for each person. Identifying columns are left out.
    k : int
        Least size of a class, at least 2.
    leftover : {"drop", "suppress"}
        What to do with rows in smaller classes: drop them, or hide all their cells. Hidden rows
        are a class of their own; if that would be smaller than ``k``, they are dropped.
    columns : iterable of str, optional
        Columns that the claim covers; all but the identifying ones by default. The others
        are released as they are, which is only right if nobody can know them.
    sample_size : int, optional
        Look for rare combinations in so many rows, taken at random, instead of all; cheaper on
        large tables. Still k-anonymous, because classes are enforced on all rows, but more rows
        are left over, and the support floor of the input is not claimed.
    seed : int, optional
        Of the sample, to repeat a run; the claim does not rest on it.
    **limits : Limits
        ``threads``, ``max_itemsets``, ``max_memory``, ``progress``.

    Returns
    -------
    Release
        Rows sorted by what is visible of them, so that the order of the input is not told. With
        fewer than ``k`` rows in the input, none.

    Raises
    ------
    ParameterError
        If ``k`` is out of its range, or a column or ``leftover`` is unknown.

    Warns
    -----
    DiscreetWarning
        If no row is left.

    Notes
    -----
    **Guarantee.** k-anonymity in ``columns``; unit one row. And, as the first step leaves it:
    what is visible of a row was shared by at least ``k`` rows of the input. Not protected: what
    all members of a class have in common, and combinations of several releases.

    One pass over the classes is enough: dropping a whole class changes no other. That is true
    of equality; with supersets counted as equal, as the thesis can be read, unique rows stay.

    References
    ----------
    The thesis this family follows, algorithm 2, with classes by equality.

    Examples
    --------
    >>> from discreet import Table
    >>> people = Table.from_frame({"sex": ["f", "f", "f", "m"], "job": ["a", "a", "b", "b"]})
    >>> release = k_mii(people, k=2)
    >>> release.data.to_frame().rows()
    [('f', 'a'), ('f', 'a')]
    >>> release
    Release of 2 rows: k-anonymity with k = 2 for one row, which is one person: in sex and job,
    every row is the same as at least 1 other.
    """
    _check(k, leftover)
    data = publishable(table)
    names = data.columns if columns is None else data.select(columns).columns
    if sample_size is None:
        hidden, event = suppress_rare(data, theta=k - 1, columns=names, **limits)
    else:
        hidden, event = suppress_sampled(
            data, theta=k - 1, columns=names, sample_size=sample_size, seed=seed, **limits
        )
    enforced, kept, n_suppressed = enforce_classes(hidden, k=k, columns=names, leftover=leftover)
    if not len(kept):
        warnings.warn(
            f"No row is left: no {k} of the {data.n_rows} rows are alike enough. Lower k, or "
            "take fewer or coarser columns.",
            DiscreetWarning,
            stacklevel=2,
        )
    dropping = Event(
        name="enforce_classes",
        parameters={"k": k, "leftover": leftover},
        counts={"n_rows_dropped": data.n_rows - len(kept), "n_rows_suppressed": n_suppressed},
    )
    order = sorted_rows(enforced)
    return Release(
        data=enforced.take(order),
        guarantee=_guarantee(k, names, data),
        events=(event, dropping),
        fingerprint=Fingerprint.of(table),
        input_rows=kept[order],
    )


def enforce_classes(
    table: Table, *, k: int, columns: tuple[str, ...], leftover: Leftover = "drop"
) -> tuple[Table, NDArray[np.int64], int]:
    """Return the rows in classes of at least ``k``, which rows they are, and how many were hidden.

    Examples
    --------
    >>> from discreet import Table
    >>> rows = Table.from_frame({"a": ["x", "x", "y", "z"]})
    >>> enforce_classes(rows, k=2, columns=("a",))[1].tolist()
    [0, 1]
    >>> enforce_classes(rows, k=2, columns=("a",), leftover="suppress")[1:]
    (array([0, 1, 2, 3]), 2)
    """
    classes = equivalence_classes(table, columns)
    small = (classes.sizes < k)[classes.class_of]
    if leftover == "suppress":
        blank = np.logical_and.reduce(
            [np.array([v is None for v in table.values(c)], bool)[table.codes(c)] for c in columns]
        )
        if np.count_nonzero(small | blank) >= k:
            everywhere = np.repeat(small[:, None], len(columns), axis=1)
            n_hidden = int(np.count_nonzero(small & ~blank))
            return hide_cells(table, columns, everywhere), np.arange(table.n_rows), n_hidden
    kept = np.flatnonzero(~small)
    return table.take(kept), kept, 0


def _check(k: int, leftover: str) -> None:
    if isinstance(k, bool) or int(k) != k or k < 2:
        raise ParameterError(f"k={k} must be a whole number of rows, at least 2.")
    if leftover not in LEFTOVERS:
        raise ParameterError(
            f"There is no leftover={leftover!r}. {did_you_mean(leftover, LEFTOVERS)}"
        )


def _guarantee(k: int, columns: tuple[str, ...], data: Table) -> Guarantee:
    return Guarantee(
        model="k-anonymity",
        parameters={"k": k},
        unit=UNIT,
        columns=columns,
        assumptions=("Every row of the input is another person.",),
        not_protected=(*always_open("cells are hidden"), *other_columns(data.columns, columns)),
    )
