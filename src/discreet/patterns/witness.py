"""A proof that nothing leaks: other rows with the same supports, in which no group is small."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from discreet import checks
from discreet.mine.frequent import frequent
from discreet.patterns.channels import projected
from discreet.patterns.collection import checked, database_of, groups_of, itemsets_of, recoded
from discreet.patterns.lattice import NO_SIDE, Cells, Lattice, all_or_nothing
from discreet.result import Preview, Result

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Unpack

    from numpy.typing import NDArray

    from discreet.limits import Limits
    from discreet.mine.itemsets import Itemsets
    from discreet.patterns.collection import Groups

MOST_ITEMS = 12
MOST_CELLS = 1_200
MOST_ENTRIES = 4_000_000
MAX_ROUNDS = 8
FULL, RESTRICTED = "over all cells of the published items", "over some cells only"


@dataclass(frozen=True, slots=True, kw_only=True)
class Witness(Result):
    """Whether rows exist that prove a collection safe, and which.

    Attributes
    ----------
    exists : bool or None
        True if the rows are here, False if it is proved that there are none, None if unknown.
    reason : str
        How this is known, or why not, in words.
    k : int
        Every group of the rows has none or at least so many.
    min_support : int or None
        All unpublished sets have a smaller support in these rows too; None if not asked for.
    rows : Itemsets or None
        The distinct rows, with their numbers as supports.
    """

    exists: bool | None
    reason: str
    k: int
    min_support: int | None
    rows: Itemsets | None = None

    def __repr__(self) -> str:
        return f"Witness({self.sentence})"

    @property
    def sentence(self) -> str:
        """What is proved, in one plain sentence."""
        if self.exists:
            return f"Nothing leaks about fewer than {self.k} rows: {self.reason}."
        if self.exists is None:
            return f"Not decided whether anything leaks: {self.reason}."
        return f"There is no proof that nothing leaks: {self.reason}."

    def preview(self) -> Preview:
        """Return the largest groups of the rows."""
        if self.rows is None:
            return Preview(title=self.sentence, header=("rows", "items"), rows=[])
        largest = np.argsort(-self.rows.supports, kind="stable")[:10].tolist()
        shown = [
            (f"{self.rows.supports[i]:,}", ", ".join(self.rows.in_words(i)) or "none of them")
            for i in largest
        ]
        return Preview(title=self.sentence, header=("rows", "items"), rows=shown)

    def to_dict(self) -> dict[str, object]:
        """Return the answer, the reason, and the rows."""
        return {
            "exists": self.exists,
            "reason": self.reason,
            "k": self.k,
            "min_support": self.min_support,
            "rows": None if self.rows is None else self.rows.to_dict()["itemsets"],
        }


def witness(
    published: Itemsets,
    *,
    k: int,
    min_support: int | None = None,
    data: object = None,
    columns: Iterable[str] | None = None,
    max_items: int = 9,
    max_nodes: int = 20_000,
    **limits: Unpack[Limits],
) -> Witness:
    r"""Return rows with the published supports of which every group has none or at least k.

    Parameters
    ----------
    published : Itemsets
        The collection as it is published: all frequent itemsets, or the closed ones.
    k : int
        Smallest group that may be disclosed, at least 2.
    min_support : int, optional
        The least support, if the attacker knows it. Then no unpublished set may have it either.
    data : Database, Table, Transactions or frame, optional
        Rows to try first: if they are a witness themselves, or some of them are. Needed for many
        items.
    columns : iterable of str, optional
        Columns of ``data`` to look at, such as the quasi-identifiers; all by default.
    max_items : int
        With at most so many published items (12 at most) the search is over all cells.
    max_nodes : int
        Nodes of the solver's search tree after which it is given up.
    **limits : Limits
        ``threads``, ``max_itemsets``, ``max_memory``, ``progress``.

    Returns
    -------
    Witness
        With the rows if there are any. That there are none is only said after a search over all
        cells; otherwise the answer is open.

    Raises
    ------
    DataError
        If the collection lacks a subset of one of its members.

    Notes
    -----
    **Guarantee.** If a witness :math:`W` exists, then for *no* Boolean pattern over the published
    items can anybody conclude, from the collection and the least support (if given here), that its
    support is at least 1 and below :math:`k`. *Proof*: whoever knows only these facts cannot
    distinguish the true rows from :math:`W`, which satisfies all of them. The rows that match a
    pattern are a union of cells, so in :math:`W` there are none or at least :math:`k`.

    Not concluded: that a single pattern is safe if there is no witness; anything against
    whoever knows more, such as some of the rows. In a table rows of the witness have at
    most one value in each column; one without a published value has some other.

    The rows found are verified by mining them again, in integers. With more than ``max_items``
    items only rows of ``data`` and published sets are tried, as an integer program whose
    unknowns are their numbers.

    Examples
    --------
    >>> from discreet.mine import Itemsets
    >>> published = Itemsets.from_mapping({frozenset("a"): 6, frozenset("b"): 6}, n_rows=12)
    >>> witness(published, k=3).exists
    True
    >>> witness(published, k=7).exists
    False
    """
    k, min_support = checked(k, min_support)
    max_items = checks.whole("max_items", max_items, at_least=0)
    max_nodes = checks.whole("max_nodes", max_nodes, at_least=1)
    lattice = Lattice.of(published, **limits)
    known = _known_rows(lattice, data, columns, **limits)
    # The data are their own witness if no group in them is small: no search is needed.
    is_large = known is not None and all(count >= k for count in known.values())
    if known is not None and is_large and not _differs(lattice, known, min_support, **limits):
        return _found(lattice, known, k, min_support, "the data have no smaller group")
    if len(lattice.used) <= min(max_items, MOST_ITEMS):
        cells = Cells.of(lattice, lattice.used, min_support)
        solution = cells.all_or_nothing(k, max_nodes=max_nodes)
        if solution.point is not None:
            groups = _named(cells, solution.point.tolist())
            if not _differs(lattice, groups, min_support, **limits):
                return _found(lattice, groups, k, min_support, f"rows were found {FULL}")
        reason = "the solver gave up, raise max_nodes"
        if solution.is_infeasible:
            reason = f"no rows with these supports have only groups of {k} or more"
        return Witness(
            # Only a proof that there is no solution is a "no"; a search that was cut short says
            # nothing.
            exists=False if solution.is_infeasible else None,
            reason=reason,
            k=k,
            min_support=min_support,
        )
    return _restricted(lattice, known or {}, k, min_support, max_nodes, **limits)


def _restricted(
    lattice: Lattice,
    known: Groups,
    k: int,
    min_support: int | None,
    max_nodes: int,
    **limits: Unpack[Limits],
) -> Witness:
    """Return a witness made of known rows and published sets, if there is one."""
    candidates = sorted({(), *known, *(row for row in _published_rows(lattice))})
    sets = [(), *_published_rows(lattice)]
    n_sets = len(sets)
    reason = f"no rows were found {RESTRICTED}"
    if len(candidates) > MOST_CELLS or len(candidates) * n_sets > MOST_ENTRIES:
        reason = f"{len(candidates):,} groups and {n_sets:,} itemsets are too many to try"
        return Witness(exists=None, reason=reason, k=k, min_support=min_support)
    supports = np.concatenate([level.supports for level in lattice.levels])
    low, high = supports, supports
    matrix = _contains(candidates, sets, lattice.n_items)
    for _ in range(MAX_ROUNDS):
        most = np.where(matrix > 0, high[:, None], lattice.n_rows).min(axis=0)
        solution = all_or_nothing(matrix, low=low, high=high, most=most, k=k, max_nodes=max_nodes)
        if solution.point is None:
            break
        groups = dict(zip(candidates, solution.point.tolist(), strict=True))
        groups = {row: count for row, count in groups.items() if count}
        # The solver knew published sets only. If the rows found make others frequent, these become
        # constraints of the next round.
        extras = _extras(lattice, groups, min_support, **limits)
        if extras == []:
            return _found(lattice, groups, k, min_support, f"rows were found {RESTRICTED}")
        if extras is None or min_support is None:
            break
        matrix = np.concatenate([matrix, _contains(candidates, extras, lattice.n_items)])
        low = np.concatenate([low, np.full(len(extras), -NO_SIDE)])
        high = np.concatenate([high, np.full(len(extras), min_support - 1)])
    return Witness(exists=None, reason=reason, k=k, min_support=min_support)


def _extras(
    lattice: Lattice, groups: Groups, min_support: int | None, **limits: Unpack[Limits]
) -> list[tuple[int, ...]] | None:
    """Return the frequent sets of some rows that are not published; None if supports differ.

    Without a least support unpublished sets may be as frequent as they like.
    """
    if sum(groups.values()) != lattice.n_rows:
        return None
    supports = np.concatenate([level.supports for level in lattice.levels])
    least = int(supports.min()) if min_support is None else min_support
    database = database_of(groups, lattice.labels)
    mined = frequent(database, min_support=max(least, 1), **limits)
    found = {
        tuple(mined.items[low:high].tolist()): support
        for low, high, support in zip(
            mined.offsets, mined.offsets[1:], mined.supports.tolist(), strict=False
        )
    }
    for row, support in zip(_published_rows(lattice), supports[1:].tolist(), strict=True):
        if found.pop(row, 0) != support:
            return None
    return [] if min_support is None else list(found)


def _differs(
    lattice: Lattice, groups: Groups, min_support: int | None, **limits: Unpack[Limits]
) -> bool:
    """Return whether some rows would publish another collection."""
    return _extras(lattice, groups, min_support, **limits) != []


def _known_rows(
    lattice: Lattice, data: object, columns: Iterable[str] | None, **limits: Unpack[Limits]
) -> Groups | None:
    """Return the rows of data with the published items only."""
    if data is None:
        return None
    database = projected(data, columns, **limits)
    wanted = {lattice.labels[item] for item in lattice.used.tolist()}
    items = [code for code, label in enumerate(database.labels) if label in wanted]
    groups = groups_of(database, items)
    labels = tuple(label if label in wanted else None for label in database.labels)
    return recoded(groups, labels, lattice.labels)


def _published_rows(lattice: Lattice) -> list[tuple[int, ...]]:
    """Return all published sets but the empty one as tuples of item numbers."""
    return [tuple(row) for level in lattice.levels[1:] for row in level.items.tolist()]


def _contains(
    rows: list[tuple[int, ...]], sets: list[tuple[int, ...]], n_items: int
) -> NDArray[np.int64]:
    """Return which rows (columns) contain which sets."""
    # Floats, because their matrix product is fast; counts of items are exact in them.
    has = np.zeros((len(rows), n_items + 1), np.float32)
    wants = np.zeros((len(sets), n_items + 1), np.float32)
    for place, row in enumerate(rows):
        has[place, list(row)] = 1
    for place, row in enumerate(sets):
        wants[place, list(row)] = 1
    found: NDArray[np.int64] = (wants @ has.T == wants.sum(axis=1)[:, None]).astype(np.int64)
    return found


def _named(cells: Cells, counts: list[int]) -> Groups:
    """Return cells as rows of item numbers."""
    items = cells.items.tolist()
    return {
        tuple(item for place, item in enumerate(items) if mask >> place & 1): count
        for mask, count in zip(cells.masks.tolist(), counts, strict=True)
        if count
    }


def _found(lattice: Lattice, groups: Groups, k: int, min_support: int | None, how: str) -> Witness:
    """Return a witness that is there."""
    return Witness(
        exists=True,
        reason=how,
        k=k,
        min_support=min_support,
        rows=itemsets_of(groups, lattice.labels),
    )
