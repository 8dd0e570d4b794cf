"""Gibbs sweeps by their definition: the probability of every row, and pairs counted one by one."""

from __future__ import annotations

import math
from itertools import product
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    import numpy as np
    from numpy.typing import NDArray

Row = tuple[int, ...]


def cell_law(
    sizes: Sequence[int],
    biases: NDArray[np.float32],
    links: NDArray[np.float32],
    row: Row,
    column: int,
) -> list[float]:
    """Return the chances of the values of a column, given the others, by one layer."""
    begins = [sum(sizes[:j]) for j in range(len(sizes))]
    weights = []
    for v in range(begins[column], begins[column] + sizes[column]):
        others = (float(links[begins[k] + row[k], v]) for k in range(len(sizes)) if k != column)
        weights.append(math.exp(float(biases[v]) + math.fsum(others)))
    return [weight / math.fsum(weights) for weight in weights]


def sweep_law(
    sizes: Sequence[int],
    biases: NDArray[np.float32],
    links: NDArray[np.float32],
    start: Row,
    *,
    held: Collection[int] = (),
) -> dict[Row, float]:
    """Return the probability of every row after a sweep by each layer in turn."""
    law = dict.fromkeys(product(*map(range, sizes)), 0.0)
    law[start] = 1.0
    for bias, link in zip(biases, links, strict=True):
        for column in range(len(sizes)):
            if column in held:
                continue
            moved = dict.fromkeys(law, 0.0)
            for row, chance in law.items():
                if chance > 0:
                    for value, p in enumerate(cell_law(sizes, bias, link, row, column)):
                        moved[(*row[:column], value, *row[column + 1 :])] += chance * p
            law = moved
    return law


def pair_counts(sizes: Sequence[int], rows: Sequence[Row]) -> list[list[int]]:
    """Return how often values occur together, all columns' values numbered through.

    Entry (u, v) is of a value u of an earlier column; (u, u) is the count of a value alone.
    """
    begins = [sum(sizes[:j]) for j in range(len(sizes))]
    counts = [[0] * sum(sizes) for _ in range(sum(sizes))]
    for row in rows:
        for j, u in enumerate(row):
            for k in range(j, len(row)):
                counts[begins[j] + u][begins[k] + row[k]] += 1
    return counts
