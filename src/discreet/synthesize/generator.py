"""Rows drawn from a dependent code tree, column by column.

Each value is drawn in the most specific context the tree has for the values drawn before.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

import numpy as np

from discreet.data.table import Table
from discreet.errors import ParameterError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from discreet.synthesize.code_tree import CodeTree, Path

BATCH = 1 << 16


def generate(tree: CodeTree, *, n_rows: int, rng: np.random.Generator | int | None = None) -> Table:
    r"""Return rows drawn from a dependent code tree.

    At column i take the deepest node n whose path agrees with the values drawn so far and that has
    children C in column i. Value v is drawn with probability

    .. math:: P(v) = \frac{P(c_v)}{P(n)} \quad (c_v \in C), \qquad
        P(v) = \Bigl(1 - \sum_{c \in C} \frac{P(c)}{P(n)}\Bigr)
        \frac{P_0(v)}{\sum_{w \notin C} P_0(w)} \quad \text{otherwise}

    where :math:`P_0` are the probabilities of the root's children and shares that add up to more
    than 1 are scaled to 1.

    Parameters
    ----------
    tree : CodeTree
        The tree.
    n_rows : int
        How many rows, at least 0.
    rng : Generator, int or None
        Randomness; a number makes the draw repeatable.

    Returns
    -------
    Table
        With the columns and values of the tree's domain.

    Raises
    ------
    ParameterError
        If ``n_rows`` is negative.

    Guarantee
    ---------
    That of the probabilities in the tree: drawing looks at nothing else.

    Notes
    -----
    Of several deepest nodes the most probable is taken, then the first. Paper 003 picks a node
    uniformly, which mixes conditional and marginal probabilities: two equal bits would agree
    three times in four. Time grows with rows times nodes that have children.

    References
    ----------
    Paper 003, section 3.4.4.

    Examples
    --------
    >>> from discreet.mine.database import Item
    >>> from discreet.synthesize import code_tree
    >>> equal = [frozenset({Item("x", bit), Item("y", bit)}) for bit in (0, 1)]
    >>> tree = code_tree(
    ...     equal, domain={"x": (0, 1), "y": (0, 1)}, threshold=0.1,
    ...     probability=lambda sets: [0.5] * len(sets))
    >>> drawn = generate(tree, n_rows=1000, rng=1)
    >>> bool((drawn.codes("x") == drawn.codes("y")).all())
    True
    """
    if n_rows < 0:
        raise ParameterError(f"n_rows={n_rows} must be at least 0.")
    random = np.random.default_rng(rng)
    steps = _steps(tree)
    batches = [
        _batch(steps, min(BATCH, n_rows - begin), random) for begin in range(0, n_rows, BATCH)
    ]
    drawn = np.concatenate([np.empty((len(tree.domain), 0), np.int64), *batches], axis=1)
    return Table.from_codes(dict(zip(tree.domain, drawn, strict=True)), tree.domain)


def _steps(tree: CodeTree) -> list[list[tuple[Path, NDArray[np.float64]]]]:
    """Return for each column its contexts, the last that agrees counting, with their laws."""
    children: defaultdict[tuple[int, Path], dict[int, float]] = defaultdict(dict)
    for path, probability in tree.probabilities.items():
        children[path[-1][0], path[:-1]][path[-1][1]] = probability
    steps: list[list[tuple[Path, NDArray[np.float64]]]] = []
    for column, values in enumerate(tree.domain.values()):
        alone = np.array([tree.probabilities[((column, v),)] for v in range(len(values))])
        contexts = [path for of, path in children if of == column]
        contexts.sort(key=lambda path: tuple((-c, -v) for c, v in path))
        contexts.sort(key=lambda path: (len(path), tree.probabilities.get(path, 1.0)))
        steps.append(
            [
                (path, _law(children[column, path], tree.probabilities.get(path, 1.0), alone))
                for path in contexts
            ]
        )
    return steps


def _law(
    children: dict[int, float], probability: float, alone: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the probability of each value of a column in one context."""
    law = np.zeros(len(alone))
    if probability > 0:
        for value, of_child in children.items():
            law[value] = of_child / probability
    others = alone.copy()
    others[list(children)] = 0
    if law.sum() < 1 and others.sum() > 0:
        law += (1 - law.sum()) * others / others.sum()
    if law.sum() == 0:
        law = alone if alone.sum() > 0 else np.ones(len(alone))
    whole: NDArray[np.float64] = law / law.sum()
    return whole


def _batch(
    steps: list[list[tuple[Path, NDArray[np.float64]]]], n_rows: int, random: np.random.Generator
) -> NDArray[np.int64]:
    drawn = np.zeros((len(steps), n_rows), np.int64)
    for column, contexts in enumerate(steps):
        chosen = np.zeros(n_rows, np.int64)
        for place, (path, _) in enumerate(contexts):
            agrees = np.ones(n_rows, bool)
            for c, v in path:
                agrees &= drawn[c] == v
            chosen[agrees] = place
        thresholds = random.random(n_rows)
        for place in np.unique(chosen):
            rows = np.flatnonzero(chosen == place)
            sums = np.cumsum(contexts[place][1])
            picked = np.searchsorted(sums, thresholds[rows] * sums[-1], side="right")
            drawn[column, rows] = np.minimum(picked, len(sums) - 1)
    return drawn
