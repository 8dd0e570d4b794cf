"""The values that each column can have, in one order, whatever the table looks like.

A list of values is public if it comes from a schema, a hierarchy or another table. Codes are
places in the sorted list, and the last one stands for missing and suppressed cells alike.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

import numpy as np

from discreet.data.listed_values import listed_codes, listed_values
from discreet.data.table import Table
from discreet.data.typed_like import typed_like

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from discreet.data.column import Label
    from discreet.data.listed_values import DomainsLike


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnDomains:
    """The sorted values of each column, ``None`` always there and last."""

    columns: tuple[str, ...]
    values: tuple[tuple[Label, ...], ...]
    is_public: bool

    @property
    def sizes(self) -> tuple[int, ...]:
        """Number of values of each column."""
        return tuple(len(values) for values in self.values)

    @property
    def hidden(self) -> NDArray[np.int64]:
        """The code of a missing or suppressed cell, for each column."""
        return np.array([len(values) - 1 for values in self.values], np.int64)

    def encode(self, table: Table) -> NDArray[np.int64]:
        """Return the codes of a table, rows by columns.

        Raises
        ------
        DataError
            If a value is not in its column's list, before anything is made of the table.
        """
        codes = np.empty((table.n_rows, len(self.columns)), np.int64)
        for place, (name, values) in enumerate(zip(self.columns, self.values, strict=True)):
            codes[:, place] = listed_codes(table, name, values)
        return codes

    def decode(self, rows: NDArray[np.int64], like: Table) -> Table:
        """Return the table of some rows of codes; its types do not tell which values occur."""
        names = enumerate(self.columns)
        values = dict(zip(self.columns, self.values, strict=True))
        typed = typed_like(values, like, is_public=self.is_public)
        return Table.from_codes({name: rows[:, j] for j, name in names}, values, like=typed)


def column_domains(
    table: Table, *, columns: tuple[str, ...], domains: DomainsLike | None = None
) -> ColumnDomains:
    """Return the values that columns can have, as given, or read from the table.

    Parameters
    ----------
    table : Table
        Read only if no domains are given.
    columns : tuple of str
        The columns.
    domains : mapping or Table, optional
        Column to an iterable of values or a :class:`Hierarchy`; or a public table whose
        values are meant. Columns not asked for are passed over.

    Returns
    -------
    ColumnDomains
        Sorted, so that the order tells nothing.

    Raises
    ------
    ParameterError
        If a column has no list.
    DataError
        If a list mixes types or repeats a value.

    Examples
    --------
    >>> people = Table.from_frame({"sex": ["m", "m"]})
    >>> column_domains(people, columns=("sex",), domains={"sex": ["m", "f"]}).values
    (('f', 'm', None),)
    """
    source = table if domains is None else domains
    values = tuple(_sorted(listed_values(source, name)) for name in columns)
    return ColumnDomains(columns=columns, values=values, is_public=domains is not None)


def _sorted(listed: list[Label]) -> tuple[Label, ...]:
    """Return the values sorted, None last."""
    # All of one type, so they can be compared.
    present = cast("list[str]", [value for value in listed if value is not None])
    return (*sorted(present), None)
