"""The hierarchies a policy names, read so that they fit the columns they are for."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from discreet.data.hierarchy import Hierarchy
from discreet.data.read import read_table
from discreet.errors import DataError, DiscreetError, HierarchyError

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Sequence

    from discreet.data.column import Label
    from discreet.data.table import Table
    from discreet.policy.model import Policy

_NAMED = re.compile(r"(?:.*_hierarchy_)?(?P<column>.+)\.csv", re.DOTALL)


def load_hierarchies(policy: Policy, table: Table) -> dict[str, Hierarchy]:
    """Return column to hierarchy, as the policy says.

    Parameters
    ----------
    policy : Policy
        Names the files, relative to its folder.
    table : Table
        What they are for.

    Returns
    -------
    dict of str to Hierarchy
        Without those of columns that the policy leaves out.

    Raises
    ------
    HierarchyError
        If a file is no hierarchy or lacks a value of its column; the line of the policy is
        named.
    DataError
        If a file cannot be read.
    """
    found = {}
    for column, file in policy.hierarchies.items():
        if column not in table.columns:
            continue
        path = policy.folder / file
        try:
            tree = fit_values(
                Hierarchy.from_csv(path, name=column), table.values(column), column=column
            )
            tree.encode(table.values(column))
        except DiscreetError as error:
            kind = HierarchyError if isinstance(error, HierarchyError) else DataError
            where = policy.where("hierarchies", column)
            named = "" if str(path) in str(error) else f"{path}: "
            raise kind(f"{where}{named}{error}") from None
        found[column] = tree
    return found


def fit_values(tree: Hierarchy, values: Iterable[Label], *, column: str) -> Hierarchy:
    """Return a hierarchy of texts, as a file holds them, for the values of a column.

    Values that are numbers or dates take the place of their texts, and a missing one, which a
    file has no line for, comes right under the root.

    Examples
    --------
    >>> ages = Hierarchy.from_levels([("17", "young", "*"), ("40", "old", "*"), ("41", "old", "*")])
    >>> fit_values(ages, [17, 40, None], column="age").leaves
    (17, 40, '41', None)
    """
    wanted = list(values)
    value_of = {str(value): value for value in wanted if value is not None}
    levels = [(value_of.get(str(leaf), leaf), *groups) for leaf, *groups in tree.to_levels()]
    fitted = Hierarchy.from_levels(levels, name=column)
    return fitted.with_leaf(None) if None in wanted and None not in fitted.leaves else fitted


def find_hierarchies(
    folder: str | os.PathLike[str],
    file: str | os.PathLike[str],
    *,
    names: Sequence[str] | None = None,
) -> dict[str, str]:
    """Return column to file for the columns of a table that have one in a folder.

    Parameters
    ----------
    folder : path
        Holds ``COLUMN.csv`` or ``NAME_hierarchy_COLUMN.csv``, as ARX calls them; what else is
        in it is passed over.
    file : path
        The table.
    names : sequence of str, optional
        Of all its columns, for a file without a header.

    Raises
    ------
    DataError
        If the folder is not there, or has two files for one column, or none at all.
    """
    place = Path(folder)
    if not place.is_dir():
        raise DataError(f"There is no folder {place} of hierarchies.")
    columns = read_table(file, names=names, categorical=True).columns
    found: dict[str, str] = {}
    for path in sorted(place.iterdir()):
        named = _NAMED.fullmatch(path.name)
        if named is None or named["column"] not in columns or path == Path(file):
            continue
        column = named["column"]
        if column in found:
            raise DataError(
                f"{place} has two hierarchies for column '{column}': {Path(found[column]).name} "
                f"and {path.name}. Take one away."
            )
        found[column] = str(path)
    if not found:
        raise DataError(
            f"{place} has no hierarchy for a column of {file}: COLUMN.csv or "
            "NAME_hierarchy_COLUMN.csv."
        )
    return found
