"""MII-suppress: suppress every cell of an identifying combination.

A minimal infrequent itemset (MII) is a smallest combination of values that at most ``theta`` rows
share. Suppressing all cells that lie in one leaves no released combination that was rare, whichever
columns an attacker knows: quasi-identifiers need not be guessed. Where it is known whose the rows
are, all supports and classes count people.
"""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

import numpy as np

from discreet import checks
from discreet.assess.classes import carry, equivalence_classes, holders
from discreet.data.suggest_roles import warn_of_people
from discreet.data.table import as_table
from discreet.errors import DataError, DiscreetWarning, ParameterError
from discreet.mine.database import Database
from discreet.mine.infrequent import mark_cells, mark_itemsets, minimal_infrequent
from discreet.release.event import Event
from discreet.release.fingerprint import Fingerprint
from discreet.release.guarantee import (
    PER_CLASS,
    SEVERAL_ROWS,
    UNEVEN,
    Guarantee,
    assumed_of,
    carried_of,
    never_protected,
    other_columns,
    unit_of,
    unprotected_of,
)
from discreet.release.release import Release, publishable, sorted_rows

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from fractions import Fraction
    from typing import Unpack

    from numpy.typing import NDArray

    from discreet.data.table import Table
    from discreet.limits import Limits


NOT_K_ANONYMITY = (
    "A released row can be the only one of its kind in the release: this is not k-anonymity."
)
LARGER_COMBINATIONS = (
    "Combinations of more than max_size values: an attacker who knows so many values of a row may "
    "know one that few rows of the input have."
)


def mii_suppress(
    table: object,
    *,
    theta: int,
    columns: Iterable[str] | None = None,
    max_size: int | None = None,
    person: str | None = None,
    one_row_per_person: bool = False,
    **limits: Unpack[Limits],
) -> Release:
    r"""Return a release in which no visible combination was shared by at most ``theta`` rows.

    .. math:: \tilde t = \{ i \in t : i \notin x \text{ for every MII } x \subseteq t \}

    where :math:`t` is a row as a set of items (column, value), and an MII is an itemset
    :math:`x` with :math:`1 \le \mathrm{supp}_D(x) \le \theta`, all of whose proper subsets,
    the empty one included, have a support above :math:`\theta`. The support counts rows, or the
    people with a row that contains :math:`x`.

    Parameters
    ----------
    table : Table or frame
        Identifying columns are not released.
    theta : int
        Infrequency threshold, at least 1.
    columns : iterable of str, optional
        Columns to suppress in; all but the identifying ones by default. The others are
        released as they are, which is only right if no attacker can know them.
    max_size : int, optional
        Look for combinations of at most so many values, at least 1; of any number by default,
        which a table of more than some 45 columns does not allow. The claim is then about
        attackers who know at most so many values of a row.
    person : str, optional
        Of a frame: the column that says whose each row is. People are counted then, and it is
        never released. A table knows its people.
    one_row_per_person : bool
        Of a frame: whether every row is another person, if you know it.
    **limits : Limits
        ``threads``, ``max_itemsets``, ``max_memory``, ``progress``.

    Returns
    -------
    Release
        All rows, sorted by what is visible of them.

    Raises
    ------
    DataError
        If the table has at most ``theta`` rows or people: then every combination is infrequent.
    ParameterError
        If ``theta`` is out of its range or a column is unknown.

    Notes
    -----
    **Guarantee.** What is visible of a row is shared by at least ``theta + 1`` rows *of the
    input* (theorem 2.3; :func:`suppression_summary` has the stronger bound), or held by so many
    people where people are known (the stronger bound is proved for rows only). It is a claim about
    the input, not about the release: a released row may still be the only one of its kind
    there, as in (a, b), (a, b), (a, \*). :func:`k_mii` goes on until that is mended. With
    ``max_size`` it is a claim about any ``max_size`` visible values of a row, or fewer.

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
    table = as_table(table, person=person, one_row_per_person=one_row_per_person)
    theta = checks.whole("theta", theta, at_least=1)
    most = None if max_size is None else checks.whole("max_size", max_size, at_least=1)
    warn_of_people(table)
    data = publishable(table)
    data.refuse_carried("a release without classes has nothing to show of it")
    names = data.columns if columns is None else data.select(columns).columns
    # The empty combination would be infrequent, which suppression cannot undo: it has no cell.
    if (n_units := _n_units(data)) <= theta:
        units = "rows" if data.people is None else "people"
        raise DataError(
            f"The table has {n_units} {units}, and at {{theta}} every combination of values is "
            "infrequent, even that of no value at all.",
            remedy="Lower theta.",
            options={"theta": theta},
        )
    suppressed, event = suppress_rare(data, theta=theta, columns=names, max_size=most, **limits)
    # Sorted, because the order of the input can disclose who is who, such as dates of admission.
    order = sorted_rows(suppressed)
    return Release(
        data=suppressed.take(order),
        guarantee=_floor_guarantee(theta, names, data, most),
        events=(event,),
        fingerprint=Fingerprint.of(table),
        input_rows=order,
    )


def _n_units(table: Table) -> int:
    """Return the number of people, where they are known, or of rows."""
    return table.n_rows if table.people is None else table.people.n_people


def suppress_rare(
    table: Table,
    *,
    theta: int,
    columns: tuple[str, ...],
    max_size: int | None = None,
    **limits: Unpack[Limits],
) -> tuple[Table, Event]:
    """Return the table with every cell of an MII suppressed, and the event of doing so."""
    database = Database.from_table(table, columns=columns, of_people=True, **limits)
    marks = mark_cells(database, theta=theta, max_size=max_size, **limits)
    suppressed = suppress_cells(table, columns, marks)
    more = _size_of(max_size)
    return suppressed, suppression_event(table, suppressed, theta=theta, columns=columns, **more)


def _size_of(max_size: int | None) -> dict[str, int]:
    """Return the size of combinations as steps and claims state it: nothing if it is any."""
    return {} if max_size is None else {"max_size": max_size}


def suppression_event(
    before: Table, after: Table, *, theta: int, columns: tuple[str, ...], **more: int
) -> Event:
    """Return the event of having suppressed cells."""
    return Event(
        name="mii_suppress",
        parameters={"theta": theta, "columns": columns, **more},
        internal={
            "n_rows": before.n_rows,
            "n_cells": before.n_rows * len(columns),
            "n_cells_suppressed": count_suppressed(after, columns)
            - count_suppressed(before, columns),
        },
    )


def _floor_guarantee(
    theta: int, columns: tuple[str, ...], data: Table, max_size: int | None
) -> Guarantee:
    unit = unit_of(data)
    return Guarantee(
        model="support floor",
        parameters={"theta": theta, **_size_of(max_size)},
        unit=unit,
        columns=columns,
        assumptions=(
            *assumed_of(unit),
            "The input had more than theta people."
            if unit == SEVERAL_ROWS
            else "The input had more than theta rows.",
        ),
        not_protected=(
            NOT_K_ANONYMITY,
            *(() if max_size is None else (LARGER_COMBINATIONS,)),
            *never_protected("cells are suppressed"),
            *other_columns(data.columns, columns),
            *unprotected_of(unit),
        ),
    )


# K-MII: k-anonymity on all columns, by suppressing rare combinations, then small classes.
#
# After MII-suppress nearly all rows are in a class of at least k; the few that are not are
# dropped, or all their cells are suppressed.

Leftover = Literal["drop", "suppress"]
LEFTOVERS = ("drop", "suppress")


def k_mii(
    table: object,
    *,
    k: int,
    leftover: Leftover = "drop",
    columns: Iterable[str] | None = None,
    l: float | None = None,  # noqa: E741  the paper's letter
    sensitive: Iterable[str] | None = None,
    sample_size: int | None = None,
    max_size: int | None = None,
    seed: int | None = None,
    person: str | None = None,
    one_row_per_person: bool = False,
    **limits: Unpack[Limits],
) -> Release:
    r"""Return a k-anonymous release: every row is equal to at least ``k - 1`` others.

    First every cell that lies in a minimal infrequent itemset of its row is suppressed, with
    :math:`\theta = k - 1` (see :func:`mii_suppress`); then rows in classes smaller than
    :math:`k` are dropped, or all their cells are suppressed. Classes are formed by equality, and a
    suppressed cell is an ordinary value ``*``. Where it is known whose the rows are, supports and
    classes count people.

    Parameters
    ----------
    table : Table or frame
        Identifying columns are not released.
    k : int
        Least size of a class, at least 2.
    leftover : {"drop", "suppress"}
        What to do with rows in smaller classes: drop them, or suppress all their
        cells. Fully suppressed rows are one class; if that would be smaller than ``k``, they are
        dropped.
    columns : iterable of str, optional
        Columns that the claim covers; all but the identifying ones by default. The others
        are released as they are, which is only right if no attacker can know them.
    l : float, optional
        Drop classes as well in which a value of a sensitive column is held by more than a share
        1/l of the rows, or of the people where they are known; each member of a set column by
        itself. At least 1.
    sensitive : iterable of str, optional
        The columns that ``l`` is about, by default those with that role. They are not among
        ``columns`` then, and nothing in them is suppressed.
    sample_size : int, optional
        Look for rare combinations in so many rows or people, at random, not all; cheaper on
        large tables. Still k-anonymous, because classes are enforced on all rows, but more rows
        are left over.
    max_size : int, optional
        Look for rare combinations of at most so many values, at least 1; of any number by
        default, which a table of more than some 45 columns does not allow. Still k-anonymous, but
        more rows are left over.
    seed : int, optional
        Of the sample, to repeat a run; the claim does not rest on it.
    person : str, optional
        Of a frame: the column that says whose each row is. People are counted then, and it is
        never released. A table knows its people.
    one_row_per_person : bool
        Of a frame: whether every row is another person, if you know it.
    **limits : Limits
        ``threads``, ``max_itemsets``, ``max_memory``, ``progress``.

    Returns
    -------
    Release
        Rows sorted by their released values, so that the order of the input is not disclosed.
        With fewer than ``k`` rows in the input, none.

    Raises
    ------
    ParameterError
        If ``k`` or ``l`` is out of its range, or a column or ``leftover`` is unknown.
    DataError
        If it is known whose the rows are, and they are of fewer than ``k`` people.

    Warns
    -----
    DiscreetWarning
        If no row is left.

    Notes
    -----
    **Guarantee.** k-anonymity in ``columns``; unit one row, or one person: a class then has rows
    of at least ``k`` people. And what is visible of a row was shared by at least ``k`` rows, or
    held by ``k`` people, of the input: those of its class, whatever ``sample_size`` and
    ``max_size``. Not protected: what all members of a class have in common, and combinations of
    several releases.

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
    Release of 2 rows: k-anonymity with k = 2 for one row: in sex and job, every row is the same
    as at least 1 other.
    """
    table = as_table(table, person=person, one_row_per_person=one_row_per_person)
    k = checks.whole("k", k, at_least=2)
    checks.one_of("leftover", leftover, LEFTOVERS)
    most = None if max_size is None else checks.whole("max_size", max_size, at_least=1)
    warn_of_people(table)
    data = publishable(table)
    least = None if l is None else checks.exact("l", l, at_least=1)
    ruled = _sensitive(data, least, sensitive)
    if columns is None:
        names = tuple(n for n in data.columns if n not in ruled and n not in data.carried)
    else:
        names = data.select(columns).columns
        data.refuse_carried("is to be suppressed in", names)
    for name in ruled:
        if name in names:
            raise ParameterError(
                f"Column '{name}' is to be suppressed in and is sensitive. A column that attackers "
                "know is covered; one that they must not learn is sensitive.",
                parameter="columns",
                column=name,
                remedy="Leave it out of {columns}, or of {sensitive}.",
                options={"columns": ..., "sensitive": ...},
            )
    if data.people is not None and data.people.n_people < k:
        raise DataError(
            f"The table has rows of {data.people.n_people:,} people, fewer than {{k}}.",
            remedy="Lower k.",
            options={"k": k},
        )
    if sample_size is None:
        suppressed, event = suppress_rare(data, theta=k - 1, columns=names, max_size=most, **limits)
    else:
        suppressed, event = suppress_rare_in_sample(
            data, theta=k - 1, columns=names, sample_size=sample_size, max_size=most, seed=seed,
            **limits,
        )  # fmt: skip
    enforced, kept, n_suppressed = enforce_classes(
        suppressed, k=k, columns=names, leftover=leftover, least=least, sensitive=ruled
    )
    if not len(kept):
        warnings.warn(
            f"No row is left: no {k} of the {data.n_rows} rows are alike enough. Lower k, or "
            "take fewer or coarser columns.",
            DiscreetWarning,
            stacklevel=2,
        )
    events = [
        event,
        Event(
            name="enforce_classes",
            parameters={"k": k, "leftover": leftover},
            internal={"n_rows_dropped": data.n_rows - len(kept), "n_rows_suppressed": n_suppressed},
        ),
    ]
    if ruled:
        other = tuple(name for name in data.sensitive if name not in ruled)
        said = {"sensitive": ruled, "not_ruled": other, "households": None}
        events.append(Event(name="obey_rules", parameters=said))
    if data.carried:
        events.extend(carried_of(data.carried, least=k)[0])
        enforced = carry(enforced, equivalence_classes(enforced, names).class_of, least=k)
    order = sorted_rows(enforced)
    return Release(
        data=enforced.take(order),
        guarantee=_guarantee(k, names, data, least),
        events=tuple(events),
        fingerprint=Fingerprint.of(table),
        input_rows=kept[order],
    )


def _sensitive(
    data: Table, least: Fraction | None, sensitive: Iterable[str] | None
) -> tuple[str, ...]:
    """Return the columns that l is about; none without l."""
    if least is None:
        return ()
    data.refuse_carried("l is about the values that rows show", sensitive or ())
    ruled = [name for name in data.sensitive if name not in data.carried]
    names = data.select(ruled if sensitive is None else sensitive).columns
    if not names:
        raise ParameterError(
            "l is about sensitive columns, and no column has that role.",
            parameter="sensitive",
            remedy="Give {sensitive}.",
            options={"sensitive": ...},
        )
    return names


def enforce_classes(
    table: Table,
    *,
    k: int,
    columns: tuple[str, ...],
    leftover: Leftover = "drop",
    least: Fraction | None = None,
    sensitive: tuple[str, ...] = (),
) -> tuple[Table, NDArray[np.int64], int]:
    """Return the rows in classes of at least ``k``, which they are, and how many were suppressed.

    Classes count people where they are known. With ``least``, no member of a sensitive column is
    held by more than a share 1/least of a class.

    Examples
    --------
    >>> from discreet import Table
    >>> rows = Table.from_frame({"a": ["x", "x", "y", "z"]})
    >>> enforce_classes(rows, k=2, columns=("a",))[1].tolist()
    [0, 1]
    >>> enforce_classes(rows, k=2, columns=("a",), leftover="suppress")[1:]
    (array([0, 1, 2, 3]), 2)
    """
    # Suppressing combinations protects against matching visible values, but leaves rows that differ
    # in which cells are visible: classes are formed with `*` as a value of its own.
    rules = (k, least, sensitive)
    classes = equivalence_classes(table, columns)
    broken = _breaks(table, classes.class_of, len(classes), rules)[classes.class_of]
    if leftover == "suppress":
        blank = np.logical_and.reduce(
            [np.array([v is None for v in table.values(c)], bool)[table.codes(c)] for c in columns]
        )
        # Rows without a visible cell are one class, those that were blank before included. If that
        # breaks a rule itself, they are dropped after all.
        together = np.where(broken | blank, 0, -1)
        if (together == 0).any() and not _breaks(table, together, 1, rules)[0]:
            everywhere = np.repeat(broken[:, None], len(columns), axis=1)
            n_suppressed = int(np.count_nonzero(broken & ~blank))
            return suppress_cells(table, columns, everywhere), np.arange(table.n_rows), n_suppressed
    kept = np.flatnonzero(~broken)
    return table.take(kept), kept, 0


def _breaks(
    table: Table,
    class_of: NDArray[np.integer],
    n_classes: int,
    rules: tuple[int, Fraction | None, tuple[str, ...]],
) -> NDArray[np.bool_]:
    """Return which classes have fewer than k units of privacy, or too many who hold a member."""
    k, least, sensitive = rules
    if table.people is None:
        n_units = np.bincount(class_of[class_of >= 0], minlength=n_classes)
    else:
        n_units = table.people.count(class_of, n_classes)
    breaks = np.asarray(n_units < k)
    for name in sensitive if least is not None else ():
        assert least is not None
        held = holders(table, name, class_of, n_classes)
        for at, count in zip(held.classes.tolist(), held.counts.tolist(), strict=True):
            if count * least > int(n_units[at]):
                breaks[at] = True
    return breaks


def _guarantee(
    k: int, columns: tuple[str, ...], data: Table, least: Fraction | None = None
) -> Guarantee:
    unit = unit_of(data)
    shares: dict[str, Fraction | str] = {} if least is None else {"l": least, "diversity": "share"}
    return Guarantee(
        model="k-anonymity" if least is None else "k-anonymity and l-diversity",
        parameters={"k": k, **shares},
        unit=unit,
        columns=columns,
        assumptions=assumed_of(unit),
        not_protected=(
            *never_protected("cells are suppressed"),
            *other_columns([n for n in data.columns if n not in data.carried], columns),
            *carried_of(data.carried, least=k)[1],
            *unprotected_of(unit),
            *((UNEVEN,) if unit == SEVERAL_ROWS else ()),
            *(() if least is None else (PER_CLASS,)),
        ),
    )


# What every suppression does to a table.
#
# A suppressed cell is missing in frames and files. When classes are formed it is an ordinary value,
# ``*``.


def suppress_cells(table: Table, columns: Sequence[str], suppressed: NDArray[np.bool_]) -> Table:
    """Return the table with some cells missing.

    Parameters
    ----------
    table : Table
        The table.
    columns : sequence of str
        Columns with cells to suppress.
    suppressed : array of bool, rows by columns
        Which of their cells.

    Returns
    -------
    Table
        Values that no longer occur are dropped.

    Examples
    --------
    >>> from discreet import Table
    >>> table = Table.from_frame({"sex": ["f", "m", "f"]})
    >>> made = suppress_cells(table, ["sex"], np.array([[True], [False], [False]]))
    >>> made.to_frame()["sex"].to_list()
    [None, 'm', 'f']
    """
    for place, name in enumerate(columns):
        if not suppressed[:, place].any():
            continue
        # A missing cell and a suppressed one look the same, so that nobody can see which it was.
        values = [value for value in table.values(name) if value is not None]
        # A missing value is last, so that its code is that of the suppressed cells.
        codes = np.where(suppressed[:, place], len(values), table.codes(name))
        table = table.with_column(name, codes, [*values, None])
    return table


def count_suppressed(table: Table, columns: Sequence[str]) -> int:
    """Return how many cells of some columns are missing or suppressed."""
    return sum(
        int(np.count_nonzero(table.codes(name) == len(table.values(name)) - 1))
        for name in columns
        if table.values(name)[-1:] == (None,)
    )


# Suppression by the rare combinations of a sample: cheaper, and not the support floor.
#
# What is rare in a sample is nearly what is rare in the table. Mining the sample costs less than
# mining the table, and its minimal infrequent itemsets are looked up in all rows.


def suppress_rare_in_sample(
    table: Table,
    *,
    theta: int,
    columns: tuple[str, ...],
    sample_size: int,
    max_size: int | None = None,
    seed: int | None = None,
    **limits: Unpack[Limits],
) -> tuple[Table, Event]:
    r"""Return the table with every cell of an MII of a sample suppressed, and the event of it.

    The sample of :math:`n` of the :math:`m` rows, or people, is mined at
    :math:`\lceil \theta n / m \rceil`: what is in :math:`\theta` rows of the table is expected in
    so many of the sample. Values that it never saw stay visible: the classes decide about them.

    Examples
    --------
    >>> from discreet import datasets
    >>> census = datasets.census(1000)
    >>> _, event = suppress_rare_in_sample(census, theta=9, columns=("sex", "age"), sample_size=200)
    >>> event.parameters["sample_size"], event.internal["theta_of_sample"]
    (200, 2)
    """
    n_units = _n_units(table)
    n = min(checks.whole("sample_size", sample_size, at_least=2), n_units)
    # An ordinary generator is enough: k-anonymity is enforced afterwards, whatever it draws.
    drawn = checks.generator("seed", seed).choice(n_units, n, replace=False)
    rows = np.sort(drawn)
    if table.people is not None:  # all rows of a person, or none
        rows = np.flatnonzero(np.isin(table.people.codes, drawn))
    # Rounded up: a combination that is rare in the table should rather be suppressed.
    scaled = -(-theta * n // max(n_units, 1))
    sample = Database.from_table(table.take(rows), columns=columns, of_people=True, **limits)
    rare = minimal_infrequent(sample, theta=scaled, max_size=max_size, **limits)
    marks = mark_itemsets(Database.from_table(table, columns=columns, **limits), rare, **limits)
    suppressed = suppress_cells(table, columns, marks)
    # The certificate has the size asked for: the size it had would say how long the table is.
    event = suppression_event(
        table, suppressed, theta=theta, columns=columns, sample_size=int(sample_size),
        **_size_of(max_size),
    )  # fmt: skip
    return suppressed, replace(event, internal={**event.internal, "theta_of_sample": scaled})
