"""Released rows set beside rows of the original that they can have come from.

A release has lost the order of its rows on purpose. A row can have come from another if it shows
of it, in every column, the same value, a group that the value is in, or nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from discreet.errors import LimitError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from discreet.data.hierarchy import Hierarchy
    from discreet.data.table import Table
    from discreet.progress import Progress

ROOT = "*"
NO_ROW = -1
MAX_PAIRS = 50_000_000  # of a distinct released row and a row of the original; 2 GB of memory


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

    Raises
    ------
    LimitError
        If released rows and the rows they fit make more than 50 million pairs.

    Notes
    -----
    Where several rows will do, any of them is taken: this is not who is who. A largest flow from
    the distinct released rows, as much from each as there are of it, to the rows of the original
    that they fit, one to each, is a largest matching. Time grows with the distinct released rows
    times the rows of the original.

    Examples
    --------
    >>> from discreet import Table
    >>> before = Table.from_frame({"a": ["x", "y", "x"], "b": ["u", "u", "v"]})
    >>> match_released(before, Table.from_frame({"a": [None, "x"], "b": ["u", None]})).tolist()
    [1, 0]
    """
    if not release.n_rows or not original.n_rows:
        return np.full(release.n_rows, NO_ROW, np.int64)
    stacked = np.stack([release.codes(name).astype(np.int64) for name in release.columns], axis=1)
    distinct, which = np.unique(stacked, axis=0, return_inverse=True)
    which = which.reshape(-1)
    n_released = np.bincount(which, minlength=len(distinct))
    tell = progress or (lambda _: None)
    able = _Able.of(original, release, distinct, hierarchies or {})
    found, n_pairs = [], 0
    for row in range(len(distinct)):
        tell(0.8 * row / len(distinct))
        found.append(able.rows(row).astype(np.int32))
        n_pairs += len(found[-1])
        if n_pairs > MAX_PAIRS:
            raise LimitError(
                f"More than {MAX_PAIRS:,} pairs of a released row and a row of the original that "
                f"it fits, after {row + 1:,} of {len(distinct):,} distinct rows. Compare fewer "
                "rows or columns that hide less."
            )
    taken, owner = _largest_flow(found, n_released, original.n_rows)
    matched = np.full(release.n_rows, NO_ROW, np.int64)
    places = np.argsort(which, kind="stable")
    starts = np.cumsum(n_released) - n_released
    n_taken = np.bincount(owner, minlength=len(distinct))
    within = np.arange(len(taken)) - np.repeat(np.cumsum(n_taken) - n_taken, n_taken)
    matched[places[starts[owner] + within]] = taken
    return matched


def _largest_flow(
    found: list[NDArray[np.int32]], n_released: NDArray[np.int64], n_rows: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return rows of the original and who takes each, in the order of those who take.

    Nodes are the source, the distinct released rows, the rows of the original, and the sink.
    """
    from scipy.sparse import csr_array  # type: ignore[import-untyped]
    from scipy.sparse.csgraph import maximum_flow  # type: ignore[import-untyped]

    n = len(found)
    sizes = np.concatenate([[n], [len(rows) for rows in found], np.ones(n_rows, np.int64), [0]])
    ends: list[NDArray[np.int64]] = [np.arange(1, n + 1)]
    ends += [np.sort(rows).astype(np.int64) + n + 1 for rows in found]
    ends += [np.full(n_rows, n + n_rows + 1)]
    room = np.ones(int(sizes.sum()), np.int32)
    room[:n] = n_released
    starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int32)
    graph = csr_array((room, np.concatenate(ends).astype(np.int32), starts))
    flow = maximum_flow(graph, 0, n + n_rows + 1, method="dinic").flow[1 : n + 1].tocoo()
    is_used = flow.data > 0
    owner, taken = flow.coords[0][is_used], flow.coords[1][is_used] - n - 1
    order = np.lexsort((taken, owner))
    return taken[order].astype(np.int64), owner[order].astype(np.int64)


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
