"""A dependent code tree in the form from which rows are drawn.

A context is a node with the children it has in one column: it says with what chance the column
has which value, in rows that agree with the node's path.
"""

from __future__ import annotations

from collections import defaultdict
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from discreet import _native
from discreet.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from discreet.synthesize.code_tree import CodeTree, Path

BITS = 63  # of the uniform numbers that are compared with chances
WEIGHT_BITS = 62


class Law(NamedTuple):
    """What one context draws: the values of its children, and otherwise one of the rest."""

    values: tuple[int, ...]
    below: NDArray[np.uint64]
    rest: int


def contexts(tree: CodeTree) -> _native.Contexts:
    """Return the contexts of a tree as the kernel takes them.

    Parameters
    ----------
    tree : CodeTree
        The tree.

    Returns
    -------
    Contexts
        Within a column the deepest contexts last, of equally deep ones the most probable, then
        the first, so that the last one that agrees with a row counts.

    Raises
    ------
    ParameterError
        If the tree has a node without its parent, or lacks a value of a column.

    Notes
    -----
    Chances are rounded to 63 binary places, and the weights of values without a child to 62.

    Examples
    --------
    >>> from discreet.synthesize.code_tree import CodeTree
    >>> fair = {((0, 0),): 0.5, ((0, 1),): 0.5}
    >>> contexts(CodeTree(domain={"x": ("a", "b")}, probabilities=fair))
    Contexts(1 contexts of 1 nodes, 1 columns)
    """
    children = _children(tree)
    weights = _weights(tree)
    cumulated = [list(accumulate(column)) for column in weights]
    order = sorted(children, key=lambda key: _rank(tree, *key))
    parents = dict.fromkeys([(), *(path for _, path in order)])
    nodes = {path: number for number, path in enumerate(parents)}
    of_node: list[list[int]] = [[] for _ in nodes]
    for number, (_, path) in enumerate(order):
        of_node[nodes[path]].append(number)
    laws = [_law(tree, column, path, children[column, path], weights) for column, path in order]
    steps = [
        [(v, nodes[(*path, (column, v))]) for v in law.values if (*path, (column, v)) in nodes]
        for (column, path), law in zip(order, laws, strict=True)
    ]
    return _native.Contexts(
        _offsets(cumulated),
        np.array([weight for column in cumulated for weight in column], np.uint64),
        _offsets(of_node),
        _flat(of_node),
        np.array([column for column, _ in order], np.int32),
        _offsets([law.values for law in laws]),
        _flat(law.values for law in laws),
        np.concatenate([np.empty(0, np.uint64), *(law.below for law in laws)]),
        np.array([law.rest for law in laws], np.uint64),
        _offsets(steps),
        _flat([value for value, _ in step] for step in steps),
        _flat([node for _, node in step] for step in steps),
    )


def _children(tree: CodeTree) -> dict[tuple[int, Path], dict[int, float]]:
    """Return for each context, a column and a path, its children's probabilities by value."""
    known = tree.probabilities
    found: defaultdict[tuple[int, Path], dict[int, float]] = defaultdict(dict)
    for path, probability in known.items():
        if len(path) > 1 and path[:-1] not in known:
            raise ParameterError(f"The tree has the node {path} but not {path[:-1]}; add it.")
        found[path[-1][0], path[:-1]][path[-1][1]] = probability
    for column, (name, values) in enumerate(tree.domain.items()):
        if len(found.get((column, ()), {})) != len(values):
            raise ParameterError(f"The tree's root lacks a value of column '{name}'; add it.")
    return {key: dict(sorted(of.items())) for key, of in found.items()}


def _weights(tree: CodeTree) -> list[list[int]]:
    """Return for each column the weights of its values: all equal if none has any."""
    found = []
    for column, values in enumerate(tree.domain.values()):
        alone = [tree.probabilities[((column, v),)] for v in range(len(values))]
        total = sum(alone)
        found.append([int(p / total * 2**WEIGHT_BITS) if total > 0 else 1 for p in alone])
    return found


def _rank(
    tree: CodeTree, column: int, path: Path
) -> tuple[int, int, float, tuple[tuple[int, int], ...]]:
    backwards = tuple((-c, -v) for c, v in path)
    return column, len(path), tree.probabilities.get(path, 1.0), backwards


def _law(
    tree: CodeTree, column: int, path: Path, children: dict[int, float], weights: list[list[int]]
) -> Law:
    """Return what one context draws."""
    whole = tree.probabilities.get(path, 1.0)
    shares = [p / whole if whole > 0 else 0.0 for p in children.values()]
    sums, total = np.array(list(accumulate(shares))), sum(shares)
    has_weight = any(tree.probabilities[((column, v),)] > 0 for v in range(len(weights[column])))
    rest = sum(w for v, w in enumerate(weights[column]) if v not in children) if has_weight else 0
    if rest == 0 and total == 0:  # nothing is known here: as if there were no context
        rest = sum(weights[column])
    elif rest == 0 or total >= 1:
        sums = np.where(sums >= sums[-1], 1.0, sums / sums[-1])
    below = np.minimum(np.rint(sums * 2.0**BITS), 2.0**BITS).astype(np.uint64)
    return Law(tuple(children), below, rest)


def _offsets(lists: Sequence[Sequence[object]]) -> NDArray[np.int64]:
    return np.cumsum([0, *map(len, lists)], dtype=np.int64)


def _flat(lists: Iterable[Sequence[int]]) -> NDArray[np.int32]:
    return np.array([number for numbers in lists for number in numbers], np.int32)
