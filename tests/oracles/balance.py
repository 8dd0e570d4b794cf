"""Balanced rows by their definition, for a layer of which every draw is certain."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.oracles.sweeps import Row, cell_law, pair_counts

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray


def distance(
    sizes: Sequence[int],
    rows: Sequence[Row],
    wanted: NDArray[np.float64],
    slack: NDArray[np.float64],
) -> float:
    """Return the sum of squares of what counts of values and pairs are beyond the slack."""
    column = [j for j, size in enumerate(sizes) for _ in range(size)]
    return sum(
        max(abs(count - float(wanted[u, v])) - float(slack[u, v]), 0.0) ** 2
        for u, counts in enumerate(pair_counts(sizes, rows))
        for v, count in enumerate(counts)
        if u == v or column[u] < column[v]
    )


def balanced(
    sizes: Sequence[int],
    layer: tuple[NDArray[np.float32], NDArray[np.float32]],
    rows: Sequence[Row],
    wanted: NDArray[np.float64],
    slack: NDArray[np.float64],
    *,
    n_rounds: int,
) -> list[Row]:
    """Return rows of which each cell took the certain value if that brought counts nearer."""
    made = list(rows)
    for _ in range(n_rounds):
        for i in range(len(made)):
            for j in range(len(sizes)):
                law = cell_law(sizes, *layer, made[i], j)
                assert max(law) > 1 - 1e-9
                other = (*made[i][:j], law.index(max(law)), *made[i][j + 1 :])
                changed = [*made[:i], other, *made[i + 1 :]]
                if distance(sizes, changed, wanted, slack) < distance(sizes, made, wanted, slack):
                    made = changed
    return made
