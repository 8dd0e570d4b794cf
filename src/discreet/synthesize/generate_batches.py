"""Rows drawn from a dependent code tree, so many at a time that memory does not grow."""

from __future__ import annotations

from typing import TYPE_CHECKING

from discreet.data.table import Table
from discreet.noise import noise_from
from discreet.synthesize.row_drawer import BATCH, RowDrawer, check_numbers

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from discreet.data.column import Label
    from discreet.progress import Progress
    from discreet.synthesize.code_tree import CodeTree


def generate_batches(
    tree: CodeTree,
    *,
    n_rows: int,
    batch: int = BATCH,
    given: Mapping[str, Label] | None = None,
    seed: int | None = None,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Iterator[Table]:
    """Return the rows of :func:`generate` as tables that follow each other.

    Parameters
    ----------
    tree : CodeTree
        The tree.
    n_rows : int
        How many rows in all, at least 0.
    batch : int, default 65,536
        Rows of a table, at least 1; rounded up to a multiple of 256.
    given : mapping, optional
        Column to the value it has in all rows; the first columns of the tree.
    seed : int, optional
        For experiments that are repeated; by default the draw is unforeseeable.
    threads : int, optional
        All cores by default. The rows do not depend on it.
    progress : callable, optional
        Called with the share of the rows drawn.

    Returns
    -------
    iterator of Table
        Each drawn when it is asked for. A table lists only the values that occur in it.

    Raises
    ------
    ParameterError
        If a number is out of its range or ``given`` does not fit the tree.

    Notes
    -----
    **Guarantee.** That of the probabilities in the tree: drawing looks at nothing else.

    The size of the batches does not change the rows. Time and law are those of :func:`generate`.

    References
    ----------
    J. Dorrestijn (2018), Provable privacy for database generation, section 3.4.4.

    Examples
    --------
    >>> from discreet.synthesize import code_tree
    >>> tree = code_tree(
    ...     [], domain={"x": ("a", "b")}, threshold=0, probability=lambda sets: [0.5] * len(sets))
    >>> [len(part) for part in generate_batches(tree, n_rows=1000, batch=512)]
    [512, 488]
    """
    check_numbers(n_rows, batch=batch, threads=threads)
    drawn = RowDrawer.of(tree, given=given, noise=noise_from(seed)).batches(
        n_rows, batch=batch, threads=threads, progress=progress
    )
    return (
        Table.from_codes(dict(zip(tree.domain, codes, strict=True)), tree.domain) for codes in drawn
    )
