"""The values that columns can have, listed by a schema, a hierarchy or another table."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from discreet.data.column import check_labels
from discreet.data.hierarchy import Hierarchy
from discreet.data.table import Table
from discreet.errors import DataError, ParameterError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

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


def refuse_unlisted(table: Table, column: str, listed: Iterable[Label]) -> None:
    """Raise DataError if a column has a value that is not in its list."""
    known = set(listed)
    outside = [value for value in table.values(column) if value not in known]
    if outside:
        raise DataError(
            f"Column '{column}' has the value {outside[0]!r}, which is not in the list of "
            f"values given for it (of {len(outside)} such values). Nothing was released. "
            "Extend the list by what is publicly known, or recode the column."
        )
