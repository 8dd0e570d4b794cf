"""Rows drawn from a dependent code tree, column by column.

Each value is drawn in the most specific context the tree has for the values drawn before.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from discreet.data.column import code_dtype
from discreet.data.table import Table
from discreet.data.write import parquet_path, write_batches
from discreet.noise import noise_from
from discreet.synthesize.rows import BATCH, RowDrawer, check_numbers

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from discreet.data.column import Label
    from discreet.data.write import Compression
    from discreet.limits import Progress
    from discreet.synthesize.rows import CodeTree


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


# Rows drawn from a dependent code tree, so many at a time that memory does not grow.


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


# Rows drawn from a dependent code tree into a Parquet file of any length.


def generate_file(
    tree: CodeTree,
    path: str | os.PathLike[str],
    *,
    n_rows: int,
    given: Mapping[str, Label] | None = None,
    seed: int | None = None,
    compression: Compression = "zstd",
    overwrite: bool = False,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Path:
    """Write rows drawn from a dependent code tree to a Parquet file and return its path.

    Parameters
    ----------
    tree : CodeTree
        The tree.
    path : path
        The file, ending in .parquet. It appears whole or not at all.
    n_rows : int
        How many rows, at least 0.
    given : mapping, optional
        Column to the value it has in all rows; the first columns of the tree.
    seed : int, optional
        For experiments that are repeated; by default the draw is unforeseeable.
    compression : {"zstd", "lz4", "snappy", "uncompressed"}
        Of the file.
    overwrite : bool
        Whether a file of that name may be replaced.
    threads : int, optional
        Of drawing; all cores by default. The rows do not depend on it.
    progress : callable, optional
        Called with the share of the rows drawn.

    Returns
    -------
    Path
        The file. Columns have the type of their values in the tree's domain.

    Raises
    ------
    ParameterError
        If a number is out of its range, ``given`` does not fit the tree, or the file exists.
    DataError
        If the file cannot be written.

    Notes
    -----
    **Guarantee.** That of the probabilities in the tree: drawing looks at nothing else.

    The rows are those of :func:`generate` with the same seed. Memory does not grow with their
    number.

    References
    ----------
    J. Dorrestijn (2018), Provable privacy for database generation, section 3.4.4.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from discreet.synthesize import code_tree
    >>> tree = code_tree(
    ...     [], domain={"x": ("a", "b")}, threshold=0, probability=lambda sets: [0.5] * len(sets))
    >>> file = generate_file(tree, pathlib.Path(tempfile.mkdtemp()) / "rows.parquet", n_rows=1000)
    >>> pl.read_parquet(file).shape
    (1000, 1)
    """
    target = parquet_path(path)
    check_numbers(n_rows, threads=threads)
    drawer = RowDrawer.of(tree, given=given, noise=noise_from(seed))
    return write_batches(
        drawer.batches(n_rows, threads=threads, progress=progress),
        target,
        labels={name: pl.Series(name, values) for name, values in tree.domain.items()},
        compression=compression,
        overwrite=overwrite,
    )
