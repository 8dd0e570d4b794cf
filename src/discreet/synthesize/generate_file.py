"""Rows drawn from a dependent code tree into a Parquet file of any length."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from discreet.noise import noise_from
from discreet.synthesize.row_drawer import RowDrawer, check_numbers
from discreet.synthesize.write_rows import parquet_path, write_rows

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping
    from pathlib import Path

    from discreet.data.column import Label
    from discreet.progress import Progress
    from discreet.synthesize.code_tree import CodeTree
    from discreet.synthesize.write_rows import Compression


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
    return write_rows(
        drawer.batches(n_rows, threads=threads, progress=progress),
        target,
        labels={name: pl.Series(name, values) for name, values in tree.domain.items()},
        compression=compression,
        overwrite=overwrite,
    )
