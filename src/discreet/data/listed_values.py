"""The values that columns can have, listed by a schema, a hierarchy or another table."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from discreet.data.column import check_labels
from discreet.data.hierarchy import Hierarchy
from discreet.data.table import Table
from discreet.errors import DataError, ParameterError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

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
            f"domains says nothing of column '{column}'. Give the list of its values, or "
            "leave the column out by columns=."
        )
    given = domains.values(column) if isinstance(domains, Table) else domains[column]
    if isinstance(given, str):
        raise ParameterError(f"domains['{column}'] is one text; give a list of values.")
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

    A whole number is also found as text: the codes 1, 2 and A are read as numbers from a text file
    that happens to have 1 and 2 alone, and one row must not decide whether there is a release.

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
    place = {value: code for code, value in enumerate(listed)}
    found = [
        place.get(value, place.get(str(value)) if type(value) is int else None)
        for value in table.values(column)
    ]
    outside = [
        value for value, code in zip(table.values(column), found, strict=True) if code is None
    ]
    if outside:
        raise DataError(_unlisted(column, outside))
    return found


def _unlisted(column: str, outside: list[Label]) -> str:
    """Return the sentence that says which value is not in the list of a column, and what to do."""
    if outside == [None]:
        return (
            f"Column '{column}' has missing cells, and its list of values does not say that there "
            "may be any. Nothing was released. Add None to the list, in a file an empty cell above "
            "the last value; or fill the cells in."
        )
    first = next(value for value in outside if value is not None)
    more = f", and {len(outside) - 1} more that are not" if len(outside) > 1 else ""
    return (
        f"Column '{column}' has the value {first!r}, which is not in the list of values given for "
        f"it{more}. Nothing was released. Extend the list by what is publicly known, or recode the "
        "column."
    )
