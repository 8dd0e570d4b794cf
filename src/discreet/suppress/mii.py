"""MII-suppress: hide every cell that helps to single somebody out.

A minimal infrequent itemset (MII) is a smallest combination of values that at most ``theta`` rows
share. Hiding all cells that lie in one leaves no visible combination that was rare, whichever
columns an attacker knows: nobody has to guess which ones are quasi-identifying.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from discreet.errors import DataError, ParameterError
from discreet.mine.database import Database
from discreet.mine.minimal_infrequent import mark_cells
from discreet.release.event import Event
from discreet.release.fingerprint import Fingerprint
from discreet.release.guarantee import Guarantee
from discreet.release.release import Release
from discreet.release.rows import publishable, sorted_rows
from discreet.release.wording import UNIT, always_open, other_columns
from discreet.suppress.cells import count_hidden, hide_cells

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Unpack

    from discreet.data.table import Table
    from discreet.mine.limits import Limits

NOT_K_ANONYMITY = (
    "A released row can be the only one of its kind in the release: this is not k-anonymity."
)


def mii_suppress(
    table: Table, *, theta: int, columns: Iterable[str] | None = None, **limits: Unpack[Limits]
) -> Release:
    r"""Return a release in which no visible combination was shared by at most ``theta`` rows.

    .. math:: \tilde t = \{ i \in t : i \notin x \text{ for every MII } x \subseteq t \}

    where :math:`t` is a row as a set of items (column, value), and an MII is an itemset
    :math:`x` with :math:`1 \le \mathrm{supp}_D(x) \le \theta`, all of whose proper subsets,
    the empty one included, have a support above :math:`\theta`.

    Parameters
    ----------
    table : Table
        One row for each person. Identifying columns are left out.
    theta : int
        Infrequency threshold, at least 1.
    columns : iterable of str, optional
        Columns to suppress in; all but the identifying ones by default. The others are
        released as they are, which is only right if nobody can know them.
    **limits : Limits
        ``threads``, ``max_itemsets``, ``max_memory``, ``progress``.

    Returns
    -------
    Release
        All rows, sorted by what is visible of them.

    Raises
    ------
    DataError
        If the table has at most ``theta`` rows: then every combination is infrequent.
    ParameterError
        If ``theta`` is out of its range or a column is unknown.

    Notes
    -----
    **Guarantee.** What is visible of a row is shared by at least ``theta + 1`` rows *of the
    input* (theorem 2.3; :func:`suppression_summary` has the stronger bound). It is a claim about
    the input, not about the release: a released row may still be the only one of its kind
    there, as in (a, b), (a, b), (a, \*). :func:`k_mii` goes on until that is mended.

    Cells are marked during the search, so memory does not grow with the number of MIIs.

    References
    ----------
    The thesis this family follows, algorithm 1 and theorem 2.3.

    Examples
    --------
    >>> from discreet import Table
    >>> people = Table.from_frame({"sex": ["f", "f", "m", "m"], "job": ["a", "b", "b", "b"]})
    >>> release = mii_suppress(people, theta=1)
    >>> release.data.to_frame().rows()
    [('f', None), ('m', 'b'), ('m', 'b'), (None, None)]
    """
    theta = checked_theta(theta)
    data = publishable(table)
    names = data.columns if columns is None else data.select(columns).columns
    if data.n_rows <= theta:
        raise DataError(
            f"The table has {data.n_rows} rows, and at theta={theta} every combination of values "
            "is infrequent, even that of no value at all. Lower theta."
        )
    hidden, event = suppress_rare(data, theta=theta, columns=names, **limits)
    order = sorted_rows(hidden)
    return Release(
        data=hidden.take(order),
        guarantee=_guarantee(theta, names, data),
        events=(event,),
        fingerprint=Fingerprint.of(table),
        input_rows=order,
    )


def suppress_rare(
    table: Table, *, theta: int, columns: tuple[str, ...], **limits: Unpack[Limits]
) -> tuple[Table, Event]:
    """Return the table with every cell of an MII hidden, and the event of doing so."""
    database = Database.from_table(table, columns=columns, **limits)
    hidden = hide_cells(table, columns, mark_cells(database, theta=theta, **limits))
    return hidden, suppression_event(table, hidden, theta=theta, columns=columns)


def suppression_event(
    before: Table, after: Table, *, theta: int, columns: tuple[str, ...], **more: int
) -> Event:
    """Return the event of having hidden cells."""
    return Event(
        name="mii_suppress",
        parameters={"theta": theta, "columns": columns, **more},
        counts={
            "n_rows": before.n_rows,
            "n_cells": before.n_rows * len(columns),
            "n_cells_suppressed": count_hidden(after, columns) - count_hidden(before, columns),
        },
    )


def checked_theta(theta: int) -> int:
    """Return the threshold, or raise ParameterError if it is none."""
    if isinstance(theta, bool) or int(theta) != theta or theta < 1:
        raise ParameterError(f"theta={theta} must be a whole number of rows, at least 1.")
    return int(theta)


def _guarantee(theta: int, columns: tuple[str, ...], data: Table) -> Guarantee:
    return Guarantee(
        model="support floor",
        parameters={"theta": theta},
        unit=UNIT,
        columns=columns,
        assumptions=(
            "Every row of the input is another person.",
            "The input had more than theta rows.",
        ),
        not_protected=(
            NOT_K_ANONYMITY,
            *always_open("cells are hidden"),
            *other_columns(data.columns, columns),
        ),
    )
