"""Generation from a dependent code tree by its definition, in plain Python."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

import numpy as np

from discreet import _native

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from discreet.synthesize import CodeTree
    from discreet.synthesize.rows import Path


def context(tree: CodeTree, before: tuple[int, ...]) -> Path:
    """Return the node that counts for the column after these values: deepest, likeliest, first."""
    column, steps = len(before), set(enumerate(before))
    agreeing = {
        path[:-1]
        for path in tree.probabilities
        if path[-1][0] == column and steps.issuperset(path[:-1])
    }
    known = tree.probabilities
    return min(agreeing, key=lambda path: (-len(path), -known.get(path, 1.0), path))


def shares(tree: CodeTree, before: tuple[int, ...]) -> tuple[dict[int, float], dict[int, float]]:
    """Return the chances of values with a child, and the weights of those drawn otherwise."""
    column, known, node = len(before), tree.probabilities, context(tree, before)
    values = range(list(map(len, tree.domain.values()))[column])
    alone = {v: known[((column, v),)] for v in values}
    whole = known.get(node, 1.0)
    children = {v: known[(*node, (column, v))] for v in values if (*node, (column, v)) in known}
    chances = {v: p / whole if whole > 0 else 0.0 for v, p in children.items()}
    total = sum(chances.values())
    others = {v: p for v, p in alone.items() if v not in children and p > 0}
    if total == 0 and not others:
        likely = {v: p for v, p in alone.items() if p > 0}
        return {}, likely or dict.fromkeys(values, 1.0)
    if total >= 1 or not others:
        return {v: p / total for v, p in chances.items()}, {}
    return chances, others


def value_law(tree: CodeTree, before: tuple[int, ...]) -> dict[int, float]:
    """Return the probability of each value after these."""
    chances, others = shares(tree, before)
    left, total = 1 - sum(chances.values()), sum(others.values())
    return chances | {v: left * p / total for v, p in others.items()}


def row_law(tree: CodeTree, given: Mapping[int, int] | None = None) -> dict[tuple[int, ...], float]:
    """Return the probability of every row, some columns having values given."""
    found = {}
    for row in product(*(range(len(values)) for values in tree.domain.values())):
        p = 1.0
        for column, value in enumerate(row):
            if given and column in given:
                p *= value == given[column]
            else:
                p *= value_law(tree, row[:column]).get(value, 0.0)
        found[row] = p
    return found


def words(key: bytes, number: int) -> Iterator[int]:
    """Return the words of one stream of a key, as the kernel reads them."""
    nonce = b"\0" * 4 + number.to_bytes(8, "little")
    for counter in range(0, 2**32, 16):
        blocks = np.ascontiguousarray(_native.chacha20(key, nonce, counter))
        yield from blocks.ravel().view(np.uint64).tolist()


def generate(tree: CodeTree, key: bytes, n_rows: int) -> list[tuple[int, ...]]:
    """Return the rows that the kernel draws with this key, its first block only."""
    stream, rows = words(key, 0), []
    for _ in range(n_rows):
        row: tuple[int, ...] = ()
        for _ in tree.domain:
            row += (_draw(tree, row, stream),)
        rows.append(row)
    return rows


def _draw(tree: CodeTree, before: tuple[int, ...], stream: Iterator[int]) -> int:
    chances, others = shares(tree, before)
    uniform, below = (next(stream) >> 1) / 2**63, 0.0
    for value, chance in chances.items():
        below += chance
        if uniform < below:
            return value
    if not others:
        return max(value for value, chance in chances.items() if chance > 0)
    column = len(before)
    alone = [
        tree.probabilities[((column, v),)] for v in range(len([*tree.domain.values()][column]))
    ]
    total = sum(alone)
    weights = {v: int(alone[v] / total * 2**62) if total > 0 else 1 for v in others}
    most = sum(weights.values()) - 1
    drawn = most + 1
    while drawn > most:
        drawn = next(stream) >> (64 - max(1, most.bit_length()))
    for value, weight in weights.items():
        if drawn < weight:
            return value
        drawn -= weight
    raise AssertionError
