"""The code tree of measured pairs: each column depends on one other, the most telling."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from discreet.synthesize.code_tree import CodeTree

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from discreet.data.column import Label
    from discreet.synthesize.code_tree import Path
    from discreet.synthesize.reconcile import Agreed


def spanning_tree(agreed: Agreed, *, first: int | None = None) -> list[tuple[int, int | None]]:
    """Return every column with the earlier one it hangs on, so that pairs tell most in all.

    Parameters
    ----------
    agreed : Agreed
        Shares of values and of measured pairs.
    first : int, optional
        The column to begin with; by default the one whose pairs tell most.

    Returns
    -------
    list of (int, int or None)
        Column and parent, parents first; None for a column that no measured pair connects.

    References
    ----------
    C. Chow, C. Liu (1968), Approximating discrete probability distributions with dependence
    trees; grown from one column as by R. Prim (1957).
    """
    told = {pair: information(table) for pair, table in agreed.pairs.items()}
    left = set(range(len(agreed.values)))
    total = {j: sum(bits for pair, bits in told.items() if j in pair) for j in left}
    start = max(left, key=lambda j: (total[j], -j)) if first is None else first
    order: list[tuple[int, int | None]] = [(start, None)]
    left.discard(start)
    while left:
        edges = [
            (bits, -min(pair), -max(pair), pair)
            for pair, bits in told.items()
            if (pair[0] in left) != (pair[1] in left)
        ]
        if edges:
            pair = max(edges)[-1]
            column, parent = pair if pair[0] in left else pair[::-1]
            order.append((column, parent))
        else:
            column = max(left, key=lambda j: (total[j], -j))
            order.append((column, None))
        left.discard(column)
    return order


def information(table: NDArray[np.float64]) -> float:
    """Return the mutual information of a table of shares, in nats."""
    products = np.outer(table.sum(1), table.sum(0))
    seen = table > 0
    return float((table[seen] * np.log(table[seen] / products[seen])).sum())


def pair_table(agreed: Agreed, first: int, second: int) -> NDArray[np.float64]:
    """Return the shares of a measured pair, the values of the first column in rows."""
    if first < second:
        return agreed.pairs[first, second]
    return agreed.pairs[second, first].T


def pair_tree(
    agreed: Agreed,
    order: list[tuple[int, int | None]],
    *,
    domain: Mapping[str, tuple[Label, ...]],
) -> CodeTree:
    """Return the dependent code tree whose paths are values, and pairs of child and parent.

    Parameters
    ----------
    agreed : Agreed
        Shares, columns numbered as in the domain.
    order : list of (int, int or None)
        From :func:`spanning_tree`.
    domain : mapping
        Columns and their values.
    """
    names = list(domain)
    place = {column: number for number, (column, _) in enumerate(order)}
    probabilities: dict[Path, float] = {}
    for column, _ in order:
        for v, share in enumerate(agreed.values[column].tolist()):
            probabilities[((place[column], v),)] = share
    for column, parent in order:
        if parent is not None:
            for (u, v), share in np.ndenumerate(pair_table(agreed, parent, column)):
                probabilities[((place[parent], u), (place[column], v))] = float(share)
    return CodeTree(
        domain={names[column]: domain[names[column]] for column, _ in order},
        probabilities=probabilities,
    )
