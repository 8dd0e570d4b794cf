"""The generator of the thesis: a dependent code tree of the itemsets that Krimp finds.

The itemsets that a code table uses most are put together, and every union that is frequent enough
becomes a path of the tree from which rows are drawn.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from discreet import checks
from discreet.data.table import Table
from discreet.errors import LimitError, ParameterError
from discreet.mine.database import Item
from discreet.synthesize.estimate_support import estimate_support
from discreet.synthesize.krimp.krimp import krimp
from discreet.synthesize.rows import CodeTree, RowModel

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from discreet.data.column import Label
    from discreet.limits import Progress
    from discreet.synthesize.response import Sanitized
    from discreet.synthesize.rows import Path

MAX_NODES = 100_000

Probability: TypeAlias = "Callable[[Sequence[frozenset[Item]]], Sequence[float]]"


def code_tree(
    itemsets: Iterable[frozenset[Item]],
    *,
    domain: Mapping[str, Sequence[Label]],
    probability: Probability,
    threshold: float,
    max_nodes: int = MAX_NODES,
) -> CodeTree:
    r"""Return the dependent code tree of some itemsets.

    Its paths are the unions U of itemsets, no column twice, with

    .. math:: P(U) > t

    and their beginnings, columns in the order of the domain; and every single value.

    Parameters
    ----------
    itemsets : iterable of frozenset of Item
        The elements of a code table; those with one item change nothing.
    domain : mapping
        The columns in the order in which they will be generated, with all their values. It must
        be known without the data, or cost privacy of its own.
    probability : callable
        Gives for itemsets the share of rows that contain each: counts, or estimates from
        randomized cells. Estimates below 0 are taken as 0, those above 1 or above that of one of
        the values as the least of these.
    threshold : float
        From 0 to 1; a union with no larger probability is dropped.
    max_nodes : int, default 100,000
        Most nodes, at least 1.

    Returns
    -------
    CodeTree
        Paths with probabilities.

    Raises
    ------
    ParameterError
        If the threshold is no share or an item is not in the domain.
    LimitError
        If the tree would pass ``max_nodes``.

    Notes
    -----
    **Guarantee.** None of its own: all it knows of the data are the probabilities it is given.

    Unions are enumerated level by level: only those above the threshold are extended, by parts
    that are above it themselves, which loses none since a union is never more probable than its
    parts. The thesis speaks of all subsets of the code table.

    References
    ----------
    J. Dorrestijn (2018), Provable privacy for database generation, definition 2 and
    section 3.4.3.

    Examples
    --------
    >>> both = frozenset({Item("x", 0), Item("y", 0)})
    >>> tree = code_tree(
    ...     [both], domain={"x": (0, 1), "y": (0, 1)}, threshold=0.1,
    ...     probability=lambda sets: [0.5] * len(sets))
    >>> tree
    CodeTree(5 nodes, 2 columns)
    """
    threshold = float(checks.share("threshold", threshold))
    max_nodes = checks.whole("max_nodes", max_nodes, at_least=1)
    known = {name: tuple(values) for name, values in domain.items()}
    number = {
        Item(name, value): (c, v)
        for c, (name, values) in enumerate(known.items())
        for v, value in enumerate(values)
    }
    parts = [_path(itemset, number) for itemset in itemsets]
    label = {step: item for item, step in number.items()}

    def clipped(paths: list[Path]) -> dict[Path, float]:
        asked = [frozenset(label[step] for step in path) for path in paths]
        # Estimates from randomized cells may be below 0, above 1 or above those of single values.
        return {
            path: max(0.0, min(p, *(alone.get(step, 1.0) for step in path), 1.0))
            for path, p in zip(paths, probability(asked), strict=True)
        }

    alone: dict[tuple[int, int], float] = {}
    alone = {path[0]: p for path, p in clipped([(step,) for step in label]).items()}
    unions = _unions(parts, clipped, threshold, max_nodes)
    prefixes = {path[:length] for path in unions for length in range(1, len(path) + 1)}
    nodes = sorted(prefixes | {(step,) for step in label}, key=lambda path: (len(path), path))
    if len(nodes) > max_nodes:
        raise LimitError(
            f"{len(nodes):,} nodes; raise threshold, or {{max_nodes}}.",
            parameter="max_nodes",
            options={"max_nodes": max_nodes},
        )
    return CodeTree(domain=known, probabilities=clipped(nodes))


def _path(itemset: frozenset[Item], number: Mapping[Item, tuple[int, int]]) -> Path:
    for item in itemset:
        if item not in number:
            raise ParameterError(
                f"{item} is not in the domain; add its column and value.", parameter="domain"
            )
    return tuple(sorted(number[item] for item in itemset))


def _unions(
    parts: list[Path],
    clipped: Callable[[list[Path]], dict[Path, float]],
    threshold: float,
    max_nodes: int,
) -> set[Path]:
    """Return the unions of parts above the threshold, level by level."""

    def above(paths: Iterable[Path]) -> list[Path]:
        ordered = sorted(paths)
        return [path for path, p in clipped(ordered).items() if p > threshold] if ordered else []

    parts = above({part for part in parts if len(part) > 1})
    seen, found, level = set(parts), set(parts), parts
    while level:
        more: set[Path] = set()
        for path in level:
            # No union is more probable than its parts, so only those above the threshold grow.
            more |= {_union(path, part) for part in parts} - seen - {()}
            if len(seen) + len(more) > max_nodes:
                raise LimitError(f"Over {max_nodes:,} unions; raise threshold or max_nodes.")
        seen |= more
        level = above(more)
        found.update(level)
    return found


def _union(path: Path, part: Path) -> Path:
    """Return the union, or nothing if it has two values of one column."""
    both = sorted({*path, *part})
    columns = {column for column, _ in both}
    return tuple(both) if len(columns) == len(both) else ()


# Krimp as a generator: rows to look for itemsets in, their code table, its tree.

N_FOR_KRIMP = 20_000  # rows drawn from the pair model, where there are no randomized cells

MIN_SHARE = 0.01  # of the rows: support of a candidate

THRESHOLD = 0.02  # of the rows: probability of a union

MAX_FITTED_NODES = 20_000

MAX_CANDIDATES = 1_000_000  # few rows have many itemsets: of more, only the frequent are tried


def fit_krimp(
    model: RowModel, *, sanitized: Sanitized | None = None, seed: int | None = None
) -> RowModel:
    """Return a code tree in place of a pair model, learned from what may be looked at freely.

    Parameters
    ----------
    model : RowModel
        Of pairs; its columns are in the order of drawing.
    sanitized : Sanitized, optional
        The randomized cells of local trust. Without them, rows drawn from the model are looked at.
    seed : int, optional
        Of these draws; by default they are unforeseeable.

    Notes
    -----
    **Guarantee.** Post-processing: it costs nothing.
    """
    if sanitized is not None:
        shares = estimated_shares(sanitized)
        return fit_tree(sanitized.table, domain=model.domain, probability=shares)
    batches = list(model.batches(N_FOR_KRIMP, seed=seed))
    codes = dict(zip(model.domain, np.concatenate(batches, axis=1), strict=True))
    rows = Table.from_codes(codes, dict(model.domain))
    return fit_tree(rows, domain=model.domain, probability=counted_shares(rows))


def fit_tree(
    rows: Table,
    *,
    domain: Mapping[str, tuple[Label, ...]],
    probability: Probability,
    progress: Progress | None = None,
) -> RowModel:
    """Return the code tree of what Krimp finds in rows that may be looked at freely.

    Parameters
    ----------
    rows : Table
        Randomized cells, or rows drawn from another model: never the data themselves.
    domain : mapping
        Columns in the order of drawing, with their values.
    probability : callable
        The estimated shares of itemsets, see
        :func:`~discreet.synthesize.krimp.code_tree.code_tree`.
    progress : callable, optional
        Of Krimp.

    Notes
    -----
    Candidates are closed itemsets in one row of a hundred, unions those in one of fifty, or in
    twice that as often as it takes for a million candidates and a tree of 20,000 nodes at most: the
    budget is spent when the tree is made, and a coarser one costs nothing. In the end no union is
    left, and columns are drawn alone. It is coarse even where nothing is randomized:
    on Adult its pairs of values are off by a total variation of 0.06, many times as much as the
    rows of :func:`~discreet.synthesize.pairs.fit_pairs`.

    References
    ----------
    J. Dorrestijn (2018), Provable privacy for database generation, sections 3.4.2 to 3.4.4.
    """
    used = _used(rows.select(list(domain)), progress)
    threshold = THRESHOLD
    while True:
        try:
            tree = code_tree(
                used, domain=domain, probability=probability, threshold=threshold,
                max_nodes=MAX_FITTED_NODES,
            )  # fmt: skip
        except LimitError:
            # The tree is post-processing: trying a coarser one costs nothing. Nothing is more
            # probable than 1, so that the last one has values only, of which there are few enough.
            if threshold == 1:
                raise
            threshold = min(1.0, 2 * threshold)
        else:
            return RowModel(tree=tree)


def _used(rows: Table, progress: Progress | None) -> list[frozenset[Item]]:
    """Return the itemsets of two items or more that the code table of some rows uses."""
    if not rows.n_rows:
        return []
    min_support = max(1, round(MIN_SHARE * rows.n_rows))
    while True:
        try:
            table = krimp(
                rows, min_support=min_support, max_itemsets=MAX_CANDIDATES, progress=progress
            )
        except LimitError:
            if min_support > rows.n_rows:  # no candidate is left, and still too much
                raise
            min_support *= 2
        else:
            return [
                frozenset(item for item in items if isinstance(item, Item))
                for items, usage in zip(table.itemsets, table.usages, strict=True)
                if usage > 0 and len(items) > 1
            ]


# Shares of rows that have an itemset: counted, or estimated from randomized cells.


def counted_shares(rows: Table) -> Probability:
    """Return a function that counts itemsets in rows, by a bitmap for each value."""
    bits: dict[tuple[str, Hashable], NDArray[np.uint8]] = {
        (name, value): np.packbits(rows.codes(name) == code)
        for name in rows.columns
        for code, value in enumerate(rows.values(name))
    }
    none = np.zeros(-(-rows.n_rows // 8), np.uint8)

    def shares(itemsets: Sequence[frozenset[Item]]) -> list[float]:
        found = []
        for itemset in itemsets:
            having = [bits.get((item.column, item.value), none) for item in itemset]
            both = np.bitwise_and.reduce(having)
            found.append(float(np.bitwise_count(both).sum()) / max(1, rows.n_rows))
        return found

    return shares


CLEAR = 2.0  # standard errors above 0, from which on an estimate is more than noise


def estimated_shares(sanitized: Sanitized) -> Probability:
    """Return a function that estimates itemsets from randomized cells.

    The share of several values together is taken as 0 if it is within two standard errors of
    that: a tree of noise would be large, slow and wrong. Without rows nothing is known.
    """

    def shares(itemsets: Sequence[frozenset[Item]]) -> list[float]:
        if not sanitized.n_rows:
            return [0.0] * len(itemsets)
        asked = [{item.column: item.value for item in itemset} for itemset in itemsets]
        found = estimate_support(sanitized, asked)
        return [
            float(share) if len(one) == 1 or share > CLEAR * error else 0.0
            for one, share, error in zip(asked, found.supports, found.standard_errors, strict=True)
        ]

    return shares
