"""Rows drawn from a dependent code tree, column by column.

Each value is drawn in the most specific context the tree has for the values drawn before.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from discreet.data.column import code_dtype
from discreet.data.table import Table
from discreet.noise import noise_from
from discreet.synthesize.row_drawer import RowDrawer, check_numbers

if TYPE_CHECKING:
    from collections.abc import Mapping

    from discreet.data.column import Label
    from discreet.progress import Progress
    from discreet.synthesize.code_tree import CodeTree


def generate(
    tree: CodeTree,
    *,
    n_rows: int,
    given: Mapping[str, Label] | None = None,
    seed: int | None = None,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Table:
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
    given : mapping, optional
        Column to the value it has in all rows; the others are drawn in that context. These
        must be the first columns of the tree: a value can only depend on earlier ones.
    seed : int, optional
        For experiments that are repeated; by default the draw is unforeseeable.
    threads : int, optional
        All cores by default. The rows do not depend on it.
    progress : callable, optional
        Called with the share of the rows drawn.

    Returns
    -------
    Table
        With the columns of the tree's domain, and those of their values that were drawn.

    Raises
    ------
    ParameterError
        If a number is out of its range, or ``given`` names an unknown column or value, or a column
        that is not among the first.

    Notes
    -----
    **Guarantee.** That of the probabilities in the tree: drawing looks at nothing else.

    Of several deepest nodes the most probable is taken, then the first. The thesis picks a node
    uniformly, which mixes conditional and marginal probabilities: two equal bits would agree
    three times in four. Time grows with rows times the nodes whose paths agree with a row.

    References
    ----------
    J. Dorrestijn (2018), Provable privacy for database generation, section 3.4.4.

    Examples
    --------
    >>> from discreet.mine.database import Item
    >>> from discreet.synthesize import code_tree
    >>> equal = [frozenset({Item("x", bit), Item("y", bit)}) for bit in (0, 1)]
    >>> tree = code_tree(
    ...     equal, domain={"x": (0, 1), "y": (0, 1)}, threshold=0.1,
    ...     probability=lambda sets: [0.5] * len(sets))
    >>> drawn = generate(tree, n_rows=1000)
    >>> bool((drawn.codes("x") == drawn.codes("y")).all())
    True
    >>> generate(tree, n_rows=1000, given={"x": 1}).values("y")
    (1,)
    """
    check_numbers(n_rows, threads=threads, n_columns=len(tree.domain))
    drawer = RowDrawer.of(tree, given=given, noise=noise_from(seed))
    codes = {
        name: np.empty(n_rows, code_dtype(len(values))) for name, values in tree.domain.items()
    }
    first = 0
    for batch in drawer.batches(n_rows, threads=threads, progress=progress):
        n = batch.shape[1]
        for column, drawn in zip(codes.values(), batch, strict=True):
            column[first : first + n] = drawn
        first += n
    return Table.from_codes(codes, tree.domain)
