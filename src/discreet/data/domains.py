"""The values that columns can have, listed by a schema, a hierarchy or another table."""

from __future__ import annotations

import re
import zlib
from dataclasses import replace
from datetime import date, time
from math import isfinite
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from discreet.data.binning import grid_of
from discreet.data.column import categories_of, check_labels, make_column
from discreet.data.hierarchy.tree import Hierarchy
from discreet.data.suggest_roles import warn_of_people
from discreet.data.table import Table, as_table
from discreet.errors import DataError, ParameterError, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from discreet.data.column import Label


DomainsLike: TypeAlias = "Table | Mapping[str, Iterable[Label] | Hierarchy]"


def listed_values(domains: DomainsLike, column: str) -> list[Label]:
    """Return the values that a column can have, in the order given.

    Parameters
    ----------
    domains : mapping or Table
        Column to an iterable of values or a :class:`Hierarchy`; or a table whose values are
        meant.
    column : str
        Which column.

    Raises
    ------
    ParameterError
        If the column has no list.
    DataError
        If the list mixes types or repeats a value.

    Examples
    --------
    >>> listed_values({"sex": ["m", "f"]}, "sex")
    ['m', 'f']
    """
    if column not in (domains.columns if isinstance(domains, Table) else domains):
        raise ParameterError(
            f"domains says nothing of column '{column}'.",
            parameter="domains",
            column=column,
            remedy="Give the list of its values, or leave the column out by {columns}.",
            options={"columns": ...},
        )
    given = domains.values(column) if isinstance(domains, Table) else domains[column]
    if isinstance(given, str):
        raise ParameterError(
            f"domains['{column}'] is one text; give a list of values.", parameter="domains"
        )
    listed = list(given.leaves if isinstance(given, Hierarchy) else given)
    check_labels(column, listed)
    return listed


def lists_in_file(table: Table) -> dict[str, list[Label]]:
    """Return the values of every column of a public table that was read from a file.

    Lists of different lengths stand side by side, so that empty cells below the last value of a
    column are no values; one above it says that cells may be missing.

    Examples
    --------
    >>> public = Table.from_frame({"sex": ["f", "m", None], "job": ["nurse", None, "smith"]})
    >>> lists_in_file(public)
    {'sex': ['f', 'm'], 'job': ['nurse', 'smith', None]}
    """
    found = {}
    for name in table.columns:
        column = table.column(name)
        values = list(column.values)
        if column.missing_code is not None:
            missing = np.flatnonzero(column.codes == column.missing_code)
            if len(values) > 1 and missing[0] >= table.n_rows - len(missing):
                values.remove(None)
        found[name] = values
    return found


def listed_codes(table: Table, column: str, listed: Sequence[Label]) -> NDArray[np.int64]:
    """Return the place of each cell of a column in the list of its values.

    Values are compared as texts: the codes 1, 2 and A are read as numbers from a text file that
    happens to have 1 and 2 alone, and one row must not decide whether there is a release.

    Raises
    ------
    DataError
        If the column has a value that is not in its list.

    Examples
    --------
    >>> listed_codes(Table.from_frame({"ward": [1, 2, 1]}), "ward", ["1", "2", "A"])
    array([0, 1, 0])
    """
    lookup = np.array(_places(table, column, listed), np.int64)
    return lookup[table.codes(column)] if table.n_rows else np.empty(0, np.int64)


def refuse_unlisted(table: Table, column: str, listed: Sequence[Label]) -> None:
    """Raise DataError if a column has a value that is not in its list."""
    _places(table, column, listed)


def _places(table: Table, column: str, listed: Sequence[Label]) -> list[int | None]:
    """Return the place in the list of each value of a column, none of them None."""
    place = {as_text(value): code for code, value in enumerate(listed)}
    found = [place.get(as_text(value)) for value in table.values(column)]
    outside = [
        value for value, code in zip(table.values(column), found, strict=True) if code is None
    ]
    if outside:
        raise _unlisted(column, outside)
    return found


def _unlisted(column: str, outside: list[Label]) -> DataError:
    """Return the error that says which value is not in the list of a column, and what to do."""
    if outside == [None]:
        return DataError(
            f"Column '{column}' has missing cells, and its list of values does not say that there "
            "may be any. Nothing was released.",
            parameter="domains",
            column=column,
            remedy="Add None to the list, in a file an empty cell above the last value; or fill "
            "the cells in.",
        )
    first = next(value for value in outside if value is not None)
    more = f", and {len(outside) - 1} more that are not" if len(outside) > 1 else ""
    return DataError(
        f"Column '{column}' has the value {first!r}, which is not in the list of values given for "
        f"it{more}. Nothing was released.",
        parameter="domains",
        column=column,
        remedy="Extend the list by what is publicly known, or recode the column.",
    )


# Types of columns for what is published: they follow from its values, never from rows.


def listed_like(domain: Mapping[str, tuple[Label, ...]], like: Table) -> Table:
    """Return a table that has every listed value of every column, in types made of these alone.

    Parameters
    ----------
    domain : mapping
        Columns and all their values.
    like : Table
        Roles, the kind of frame and whether a column is one of categories are taken from it.

    Returns
    -------
    Table
        As long as the longest list.

    Notes
    -----
    The type of a column of a frame or a file can depend on one row: a larger number makes 16 bits
    of 8, a missing cell makes floats of whole numbers, a word among them makes texts. Categories
    are those listed. The number of rows dropped when the data were read is not taken over either.

    Examples
    --------
    >>> import polars as pl
    >>> ages = pl.Series([30, 40], dtype=pl.Int8)
    >>> people = Table.from_frame(pl.DataFrame({"age": ages}))
    >>> listed_like({"age": (30, 40, 50)}, people).to_frame().schema
    Schema([('age', Int64)])
    """
    n = max(map(len, domain.values()))
    columns = {
        name: make_column(
            np.arange(n) % len(values), values, categories_of(like.column(name).dtype, values)
        )
        for name, values in domain.items()
    }
    roles = {name: like.role(name) for name in domain}
    return Table(_columns=columns, _roles=roles, n_rows=n, frame_kind=like.frame_kind)


# Values as texts, so that what one row holds changes neither the others nor their order.


def as_text(value: Label) -> str | None:
    """Return a value as text, the same whatever else its column holds.

    One cell decides whether a column is read as numbers or as text, or whole numbers as 1.0.

    Examples
    --------
    >>> as_text(1), as_text(1.0), as_text("1"), as_text(True), as_text(None)
    ('1', '1', '1', 'true', None)
    """
    if value is None:
        return None
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return str(int(value))
    if isinstance(value, date | time):
        return value.isoformat()
    return str(value)


_WHOLE = re.compile(r"0|-?[1-9][0-9]{0,17}")


def text_order(text: str | None) -> tuple[bool, bool, int, str]:
    """Return a key by which whole numbers come first, by size, then texts, then missing."""
    if text is None:
        return True, True, 0, ""
    if _WHOLE.fullmatch(text):
        return False, False, int(text), text
    return False, True, 0, text


def labels_of_texts(texts: Sequence[str | None]) -> tuple[Label, ...]:
    """Return texts as the values that are published: numbers, truths or texts, by a fixed rule.

    Parameters
    ----------
    texts : sequence of (str or None)
        All that is published of a column, and nothing else; missing last.

    Examples
    --------
    >>> labels_of_texts(["1", "2", None]), labels_of_texts(["1", "2", "x"])
    ((1, 2, None), ('1', '2', 'x'))
    """
    present = [text for text in texts if text is not None]
    missing = (None,) if len(present) < len(texts) else ()
    if present and set(present) <= {"true", "false"}:
        return (*(text == "true" for text in present), *missing)
    if present and all(map(_WHOLE.fullmatch, present)):
        return (*map(int, present), *missing)
    if present and all(map(_is_number, present)):
        return (*map(float, present), *missing)
    return (*present, *missing)


def _is_number(text: str) -> bool:
    if _WHOLE.fullmatch(text):
        return True
    try:
        number = float(text)
    except ValueError:
        return False
    return isfinite(number) and repr(number) == text


# The values each column can have, known to everybody before the data are looked at.
#
# A mechanism over values that were read from the data shows which values occur: the guarantee
# is that of the mechanism only if the lists are public.

Domains: TypeAlias = "dict[str, tuple[Label, ...]]"


def published_columns(table: Table, columns: Iterable[str] | None) -> list[str]:
    """Return the columns to publish: those asked for, or all but the identifying ones.

    Raises
    ------
    ParameterError
        If a column that is asked for is identifying or is not there.
    DataError
        If no column is left.

    Warns
    -----
    DiscreetWarning
        If a column seems to say whose each row is, repeats, and nothing is stated of people.

    Examples
    --------
    >>> from discreet import Table
    >>> people = Table.from_frame({"name": ["Eve"], "sex": ["f"]}, roles={"name": "identifying"})
    >>> published_columns(people, None)
    ['sex']
    """
    warn_of_people(table)
    if columns is None:
        names = [name for name in table.columns if name not in table.identifying]
    else:
        names = list(table.select(columns).columns)
    table.refuse_carried("rows are drawn from counts of categories", names)
    identifying = next((name for name in names if name in table.identifying), None)
    if identifying is not None:
        raise ParameterError(
            f"columns: '{identifying}' is identifying, and identifying columns are never "
            "published.",
            parameter="columns",
            remedy="Leave it out, or give it another role.",
        )
    if not names:
        raise DataError("No column is left to publish; identifying columns never are.")
    return names


def refuse_cut_by_rows(table: Table, columns: Iterable[str]) -> None:
    """Raise DataError if edges of a column were computed from rows, which no budget paid for.

    One row more moves the quantiles, and with them the cells of many other rows.

    Examples
    --------
    >>> refuse_cut_by_rows(Table.from_frame({"age": [1, 2]}, bins={"age": [2]}), ["age"])
    """
    for name in columns:
        if table.column(name).cut_by_rows:
            raise DataError(
                f"Column '{name}' is cut at quantiles of its rows, and one row more can move "
                "them: differential privacy needs edges that were chosen without looking.",
                parameter="bins",
                column=name,
                remedy="Give edges or a width from public knowledge by {bins}.",
                options={"bins": ...},
            )


def one_row_of_each(
    table: Table, permutation: Callable[[int], NDArray[np.int64]]
) -> tuple[Table, NDArray[np.int64]]:
    """Return one row of each person of a table, and which rows they are; all if nobody is named.

    Parameters
    ----------
    table : Table
        With people: one row of each is kept, each with the same chance, whatever rows others have.
        Without: nothing is drawn.
    permutation : callable
        Returns an order of so many, drawn uniformly, such as ``noise.permutation``.

    Examples
    --------
    >>> from discreet.data.table import Table
    >>> visits = Table.from_frame({"who": [1, 1, 2], "ward": ["a", "b", "a"]}, person="who")
    >>> kept, rows = one_row_of_each(visits, lambda n: np.arange(n)[::-1])
    >>> kept.n_rows, kept.people, rows.tolist()
    (2, None, [1, 2])
    """
    if table.people is None:
        return table, np.arange(table.n_rows)
    rows = table.people.one_row_each(permutation(table.n_rows))
    return replace(table.take(rows), people=None, one_row_per_person=True), rows


def rows_of_each(table: Table, most: int, permutation: Callable[[int], NDArray[np.int64]]) -> Table:
    """Return at most so many rows of each person, of which the table still knows whose they are.

    With one row of each, :func:`one_row_of_each`.

    Parameters
    ----------
    table : Table
        Rows are chosen uniformly among those of a person, whatever rows others have.
    most : int
        The most rows of a person; above 1 only of a table with people.
    permutation : callable
        As in :func:`one_row_of_each`.

    Raises
    ------
    ParameterError
        If nothing says whose the rows are.

    Examples
    --------
    >>> from discreet.data.table import Table
    >>> visits = Table.from_frame({"who": [1, 1, 1, 2], "ward": list("abca")}, person="who")
    >>> rows_of_each(visits, 2, lambda n: np.arange(n)[::-1])["ward"].to_list()
    ['b', 'c', 'a']
    """
    if most == 1:
        return one_row_of_each(table, permutation)[0]
    if table.people is None:
        raise ParameterError(
            "{rows_per_person} is for a table that says whose each row is: without people every "
            "row is protected by itself.",
            parameter="rows_per_person",
            remedy="Name the column by {person}, or leave it out.",
            options={"rows_per_person": most, "person": ...},
        )
    return table.take(table.people.some_rows_each(permutation(table.n_rows), most))


def column_domains(
    table: Table, *, columns: Sequence[str], domains: DomainsLike | None = None
) -> Domains:
    """Return the values that columns can have, as given, or read from the table.

    Parameters
    ----------
    table : Table
        Read only if no domains are given.
    columns : sequence of str
        The columns.
    domains : mapping or Table, optional
        Column to an iterable of values or a :class:`Hierarchy`, or a public table whose values
        are meant; ``None`` among the values if cells may be missing.

    Returns
    -------
    dict of str to tuple
        Values in the order given, ``None`` last.

    Raises
    ------
    ParameterError
        If a column has no list.
    DataError
        If a list is empty, mixes types or repeats a value, or the table has a value that is
        not listed.

    Examples
    --------
    >>> from discreet import Table
    >>> people = Table.from_frame({"sex": ["m", "m"]})
    >>> column_domains(people, columns=["sex"], domains={"sex": ["m", None, "f"]})
    {'sex': ('m', 'f', None)}
    """
    source = table if domains is None else domains
    found = {}
    for name in columns:
        listed = listed_values(source, name)
        if not listed:
            raise DataError(
                f"Column '{name}' has no values; leave it out by {{columns}}.",
                column=name,
                options={"columns": ...},
            )
        found[name] = tuple(sorted(listed, key=lambda value: value is None))
        refuse_unlisted(table, name, listed)
    return found


# Bins of synthetic rows as numbers and dates again: drawn from what is released, and from no more.


def draw_numbers(
    table: object,
    *,
    columns: Iterable[str] | None = None,
    rng: np.random.Generator | int | None = None,
) -> Table:
    """Return synthetic rows with numbers and dates in place of their bins.

    Each is drawn uniformly inside its bin, on its own. Nothing is used but the rows themselves, so
    that a guarantee that holds for them goes on holding. How numbers lie within a bin is not
    known of the original.

    Parameters
    ----------
    table : Table or frame
        Synthetic rows, whose cells show bins: ``[20, 40)``, ``>= 60``, ``2024-Q1``.
    columns : iterable of str, optional
        All columns of bins by default.
    rng : Generator or int, optional
        To repeat a draw; by default it follows from the rows.

    Returns
    -------
    Table
        Whole numbers where all ends of bins are whole, else one decimal more than these have. An
        open bin is taken to be as wide as the one beside it, and not to go below 0 where no end
        does. Cells that show no bin, such as ``other`` and missing ones, are null.

    Raises
    ------
    ParameterError
        If a column is not there, or does not show bins.

    Examples
    --------
    >>> rows = Table.from_frame({"age": ["[20, 40)", ">= 40", None], "day": ["2024-02"] * 3})
    >>> drawn = draw_numbers(rows, rng=1).to_frame()
    >>> drawn["age"].to_list()[1:], drawn["day"][0].month
    ([59, None], 2)
    """
    rows = as_table(table)
    wanted = rows.columns if columns is None else tuple(columns)
    # Of the rows alone: whoever has them draws the same.
    seed = zlib.crc32(b"".join(rows.codes(name).tobytes() for name in rows.columns))
    generator = np.random.default_rng(seed if rng is None else rng)
    for name in wanted:
        if name not in rows.columns:
            raise ParameterError(
                f"There is no column '{name}'.",
                parameter="columns",
                column=name,
                remedy=did_you_mean(name, rows.columns),
            )
        grid = grid_of(rows.values(name))
        if grid is None:
            if columns is None:
                continue
            raise ParameterError(
                f"Column '{name}' does not show bins alone.", parameter="columns", column=name
            )
        codes = rows.codes(name)
        n = np.array(grid.n, np.int64)[codes]
        places = np.array(grid.first, np.int64)[codes]
        places += np.minimum(
            (generator.random(len(codes)) * n).astype(np.int64), np.maximum(n - 1, 0)
        )
        distinct, drawn = np.unique(places[n > 0], return_inverse=True)
        new = np.full(len(codes), len(distinct), np.int64)
        new[n > 0] = drawn
        labels: list[Label] = [grid.value(int(place)) for place in distinct]
        rows = rows.with_column(name, new, [*labels, None])
    return rows
