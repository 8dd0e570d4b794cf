"""The values each column can have, known to everybody before the data are looked at.

A mechanism over values that were read from the data shows which values occur: the guarantee
is that of the mechanism only if the lists are public.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from discreet.data.listed_values import listed_values, refuse_unlisted
from discreet.errors import DataError, ParameterError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from discreet.data.column import Label
    from discreet.data.listed_values import DomainsLike
    from discreet.data.table import Table

Domains: TypeAlias = "dict[str, tuple[Label, ...]]"


def published_columns(table: Table, columns: Iterable[str] | None) -> list[str]:
    """Return the columns to publish: those asked for, or all but the identifying ones.

    Raises
    ------
    ParameterError
        If a column that is asked for is identifying or is not there.
    DataError
        If no column is left.

    Examples
    --------
    >>> from discreet import Table
    >>> people = Table.from_frame({"name": ["Eve"], "sex": ["f"]}, roles={"name": "identifying"})
    >>> published_columns(people, None)
    ['sex']
    """
    if columns is None:
        names = [name for name in table.columns if name not in table.identifying]
    else:
        names = list(table.select(columns).columns)
    told = next((name for name in names if name in table.identifying), None)
    if told is not None:
        raise ParameterError(
            f"columns: '{told}' is identifying, and identifying columns are never published. "
            "Leave it out, or give it another role."
        )
    if not names:
        raise DataError("No column is left to publish; identifying columns never are.")
    return names


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
            raise DataError(f"Column '{name}' has no values; leave it out by columns=.")
        found[name] = tuple(sorted(listed, key=lambda value: value is None))
        refuse_unlisted(table, name, listed)
    return found
