"""Rows as leaves of hierarchies: what every algorithm of generalization works on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from discreet.data.hierarchy import Hierarchy
from discreet.errors import InfeasibleError, ParameterError, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from numpy.typing import NDArray

    from discreet.data.table import Table


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Records:
    """Rows as leaves: ``leaves[i, j]`` is the leaf of row ``i`` in ``hierarchies[j]``."""

    columns: tuple[str, ...]
    hierarchies: tuple[Hierarchy, ...]
    leaves: NDArray[np.int32]


def encode_records(
    table: Table,
    *,
    hierarchies: Mapping[str, Hierarchy] | None = None,
    columns: Iterable[str] | None = None,
) -> Records:
    """Return the rows of a table as leaves of hierarchies.

    Parameters
    ----------
    table : Table
        With at least one row.
    hierarchies : mapping of str to Hierarchy, optional
        Column to hierarchy; the values of other columns can only be kept or suppressed.
    columns : iterable of str, optional
        The columns to use, by default the quasi-identifiers.

    Raises
    ------
    HierarchyError
        If a value is not a leaf of its hierarchy.
    ParameterError
        If there is no column to use, or a name is unknown.

    Examples
    --------
    >>> import discreet as dc
    >>> people = dc.Table.from_frame({"sex": ["f", "m", "f"]})
    >>> encode_records(people).leaves.tolist()
    [[0], [1], [0]]
    """
    given = hierarchies or {}
    names = table.quasi if columns is None else table.select(columns).columns
    for name in given:
        if name not in table.columns:
            hint = did_you_mean(name, table.columns)
            raise ParameterError(f"hierarchies names {name!r}, which is no column. {hint}")
    if not names:
        raise ParameterError("There is no column to generalize: give columns=.")
    if not table.n_rows:
        raise InfeasibleError("The table has no rows, so there is nothing to generalize.")
    trees = tuple(given.get(name) or Hierarchy.flat(table.values(name)) for name in names)
    leaves = [
        tree.encode(table.values(name))[table.codes(name)]
        for name, tree in zip(names, trees, strict=True)
    ]
    return Records(columns=names, hierarchies=trees, leaves=np.column_stack(leaves))
