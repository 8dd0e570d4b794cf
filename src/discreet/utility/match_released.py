"""Released rows set beside rows of the original that they can have come from.

A release has lost the order of its rows on purpose. A row can have come from another if it shows
of it, in every column, the same value, a group that the value is in, or nothing.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from discreet.data.hierarchy import Hierarchy
    from discreet.data.table import Table
    from discreet.progress import Progress

ROOT = "*"
NO_ROW = -1


def shows(
    original: Table, release: Table, column: str, hierarchies: Mapping[str, Hierarchy]
) -> NDArray[np.bool_]:
    """Return, for each released value and each value of the original, whether it can stand for it.

    Examples
    --------
    >>> from discreet import Hierarchy, Table
    >>> before, after = Table.from_frame({"a": ["x", "y"]}), Table.from_frame({"a": ["y", None]})
    >>> shows(before, after, "a", {}).tolist()
    [[False, True], [True, True]]
    """
    had, has = original.values(column), release.values(column)
    groups = _groups(hierarchies.get(column))
    above = [
        set() if value is None else {str(value)} | groups.get(str(value), set()) for value in had
    ]
    texts = [None if value in (None, ROOT) else str(value) for value in has]
    return np.array([[text is None or text in up for up in above] for text in texts], bool).reshape(
        len(has), len(had)
    )


def _groups(tree: Hierarchy | None) -> dict[str, set[str]]:
    """Return the texts of the groups of each value, by its text."""
    if tree is None:
        return {}
    return {
        str(leaf): {str(tree.labels[node]) for node in tree.ancestors(number)}
        for number, leaf in enumerate(tree.leaves)
    }


def match_released(
    original: Table,
    release: Table,
    *,
    hierarchies: Mapping[str, Hierarchy] | None = None,
    progress: Progress | None = None,
) -> NDArray[np.int64]:
    """Return for each released row one row of the original that it can have come from.

    Parameters
    ----------
    original, release : Table
        The release has no columns that the original lacks.
    hierarchies : mapping of str to Hierarchy, optional
        By which columns were generalized.
    progress : Progress, optional
        Told the share of the work done.

    Returns
    -------
    array of int64
        No row of the original is named twice; -1 where there is none. As many rows are matched
        as can be.

    Notes
    -----
    Where several rows will do, any of them is taken: this is not who is who. Rows with fewest
    candidates choose first and take those that fewest others can use; for what is left over,
    choices are changed along augmenting paths, which makes the matching a largest one. Time
    grows with the distinct released rows times the rows of the original.

    Examples
    --------
    >>> from discreet import Table
    >>> before = Table.from_frame({"a": ["x", "y", "x"], "b": ["u", "u", "v"]})
    >>> match_released(before, Table.from_frame({"a": [None, "x"], "b": ["u", None]})).tolist()
    [1, 2]
    """
    if not release.n_rows or not original.n_rows:
        return np.full(release.n_rows, NO_ROW, np.int64)
    stacked = np.stack([release.codes(name).astype(np.int64) for name in release.columns], axis=1)
    distinct, which = np.unique(stacked, axis=0, return_inverse=True)
    which = which.reshape(-1)
    n_released = np.bincount(which, minlength=len(distinct))
    able = _Able.of(original, release, distinct, hierarchies or {})
    owner = _choose_first(able, n_released, original.n_rows, progress or (lambda _: None))
    missing = n_released - np.bincount(owner[owner != NO_ROW], minlength=len(distinct))
    for row in np.flatnonzero(missing).tolist():
        for _ in range(missing[row]):
            if not _change_choices(able, owner, row):
                break
    matched = np.full(release.n_rows, NO_ROW, np.int64)
    taken = np.flatnonzero(owner != NO_ROW)
    taken = taken[np.argsort(owner[taken], kind="stable")]
    places = np.argsort(which, kind="stable")
    starts = np.cumsum(n_released) - n_released
    n_taken = np.bincount(owner[taken], minlength=len(distinct))
    within = np.arange(len(taken)) - np.repeat(np.cumsum(n_taken) - n_taken, n_taken)
    matched[places[starts[owner[taken]] + within]] = taken
    return matched


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Able:
    """Which rows of the original each distinct released row can have come from."""

    distinct: NDArray[np.int64]
    codes: list[NDArray[np.unsignedinteger]]
    allowed: list[NDArray[np.bool_]]
    shares: list[NDArray[np.float64]]  # of the original's rows, by released value
    rows_of: list[list[NDArray[np.int64]]]  # of the original, by its values

    @classmethod
    def of(
        cls,
        original: Table,
        release: Table,
        distinct: NDArray[np.int64],
        hierarchies: Mapping[str, Hierarchy],
    ) -> _Able:
        names = release.columns
        codes = [original.codes(name) for name in names]
        counts = [
            np.bincount(c, minlength=len(original.values(n)))
            for n, c in zip(names, codes, strict=True)
        ]
        allowed = [shows(original, release, name, hierarchies) for name in names]
        return cls(
            distinct=distinct,
            codes=codes,
            allowed=allowed,
            shares=[(fits * n).sum(axis=1) for fits, n in zip(allowed, counts, strict=True)],
            rows_of=[
                np.split(np.argsort(c, kind="stable"), np.cumsum(n)[:-1])
                for c, n in zip(codes, counts, strict=True)
            ],
        )

    def rows(self, row: int) -> NDArray[np.int64]:
        """Return the rows for one distinct released row, looking at telling columns first."""
        shown = self.distinct[row]
        order = np.argsort([share[code] for share, code in zip(self.shares, shown, strict=True)])
        first, *others = order.tolist()
        fits = np.flatnonzero(self.allowed[first][shown[first]])
        parts = [self.rows_of[first][value] for value in fits.tolist()]
        among = np.concatenate(parts) if parts else np.zeros(0, np.int64)
        for column in others:
            able = self.allowed[column][shown[column]]
            if not able.all():
                among = among[able[self.codes[column][among]]]
        return among


def _choose_first(
    able: _Able, n_released: NDArray[np.int64], n_rows: int, progress: Progress
) -> NDArray[np.int64]:
    """Return which distinct released row takes each row of the original, or -1."""
    demand = np.zeros(n_rows, np.int64)
    spare = np.zeros(len(n_released), np.int64)
    for row in range(len(n_released)):
        progress(0.4 * row / len(n_released))
        found = able.rows(row)
        demand[found] += n_released[row]
        spare[row] = len(found) - n_released[row]
    owner = np.full(n_rows, NO_ROW, np.int64)
    for place, row in enumerate(np.argsort(spare, kind="stable").tolist()):
        progress(0.4 + 0.4 * place / len(n_released))
        found = able.rows(row)
        found = found[owner[found] == NO_ROW]
        owner[found[np.argsort(demand[found], kind="stable")][: n_released[row]]] = row
    return owner


def _change_choices(able: _Able, owner: NDArray[np.int64], start: int) -> bool:
    """Give one more row to a distinct released row by changing choices of others, if it can be."""
    came_from: dict[int, tuple[int, int]] = {start: (start, NO_ROW)}
    queue = deque([start])
    while queue:
        row = queue.popleft()
        found = able.rows(row)
        owners, places = np.unique(owner[found], return_index=True)
        if len(owners) and owners[0] == NO_ROW:
            taken = int(found[places[0]])
            while taken != NO_ROW:
                owner[taken] = row
                row, taken = came_from[row]
            return True
        for other, place in zip(owners.tolist(), places.tolist(), strict=True):
            if other not in came_from:
                came_from[other] = (row, int(found[place]))
                queue.append(other)
    return False
