"""The values each column can have, known to everybody before the data are looked at.

A mechanism over values that were read from the data shows which values occur: the guarantee
is that of the mechanism only if the lists are public.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from discreet.data.listed_values import listed_values, refuse_unlisted
from discreet.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from discreet.data.column import Label
    from discreet.data.listed_values import DomainsLike
    from discreet.data.table import Table

Domains: TypeAlias = "dict[str, tuple[Label, ...]]"


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


def domain_codes(table: Table, column: str, values: Sequence[Label]) -> NDArray[np.int64]:
    """Return the place of each cell of a column in a list of values that has them all."""
    place = {value: code for code, value in enumerate(values)}
    lookup = np.array([place[value] for value in table.values(column)], np.int64)
    return lookup[table.codes(column)] if table.n_rows else np.empty(0, np.int64)
