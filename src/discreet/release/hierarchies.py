"""The hierarchies that a release states: anybody can see that every released value is a node.

Only those that were given are stated. One made from the rows would list the values that were
hidden.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, cast

from discreet.data.hierarchy import Hierarchy
from discreet.errors import DataError, DiscreetError, HierarchyError

if TYPE_CHECKING:
    from collections.abc import Mapping

HIERARCHIES_FILE = "hierarchies.json"


def stated_hierarchy(column: str, tree: Hierarchy) -> Hierarchy:
    """Return a hierarchy as a file states it: all values as text, but for a missing one.

    Numbers among texts would tell which of the values occur.

    Raises
    ------
    HierarchyError
        If it would not come back from a file as it is.

    Examples
    --------
    >>> from datetime import date
    >>> days = Hierarchy.dates([date(2024, 1, 31), date(2024, 2, 1)])
    >>> stated_hierarchy("day", days).leaves
    ('2024-01-31', '2024-02-01')
    """
    levels = [(None if leaf is None else str(leaf), *groups) for leaf, *groups in tree.to_levels()]
    named = Hierarchy.from_levels(levels, name=column)
    try:
        text = json.dumps(named.to_dict(), ensure_ascii=False, allow_nan=False)
        back = Hierarchy.from_dict(json.loads(text.encode()))
    except (ValueError, HierarchyError):
        back = None
    if back != named or named.n_nodes != tree.n_nodes:
        raise HierarchyError(
            f"The hierarchy of column '{column}' cannot be stated in {HIERARCHIES_FILE}: it would "
            "not come back as it is. Give its values and groups labels of their own, in UTF-8."
        )
    return named


def hierarchies_text(hierarchies: Mapping[str, Hierarchy]) -> str:
    """Return the content of ``hierarchies.json``.

    Examples
    --------
    >>> tree = stated_hierarchy("sex", Hierarchy.flat(["f", "m"]))
    >>> print(hierarchies_text({"sex": tree}))
    {"columns": {"sex": {"levels": [["f", "*"], ["m", "*"]], "name": "sex", "version": 1}},
    "version": 1}
    """
    columns = {name: tree.to_dict() for name, tree in hierarchies.items()}
    values = {"version": 1, "columns": columns}
    return json.dumps(values, ensure_ascii=False, sort_keys=True) + "\n"


def read_hierarchies(text: str) -> dict[str, Hierarchy]:
    """Return column to hierarchy, as :func:`hierarchies_text` wrote them.

    Raises
    ------
    DataError
        If the text is something else.
    """
    try:
        values = json.loads(text)
        if values["version"] != 1:
            raise DataError(f"{HIERARCHIES_FILE} is of another version. Use a newer discreet.")
        return {
            name: Hierarchy.from_dict(cast("dict[str, object]", stored))
            for name, stored in values["columns"].items()
        }
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        if isinstance(error, DiscreetError):
            raise
        raise DataError(f"{HIERARCHIES_FILE} does not hold hierarchies.") from None
