"""Rows drawn from a dependent code tree into a Parquet file of any length."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias

import polars as pl
from polars.io.plugins import register_io_source

from discreet.data.files.atomic import atomic_path
from discreet.errors import ParameterError
from discreet.synthesize.row_drawer import BATCH, RowDrawer, check_numbers

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator, Mapping

    from discreet.data.column import Label
    from discreet.progress import Progress
    from discreet.synthesize.code_tree import CodeTree

Compression: TypeAlias = Literal["zstd", "lz4", "snappy", "uncompressed"]


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

    Guarantee
    ---------
    That of the probabilities in the tree: drawing looks at nothing else.

    Notes
    -----
    The rows are those of :func:`generate` with the same seed. Memory does not grow with their
    number.

    References
    ----------
    Paper 003, section 3.4.4.

    Examples
    --------
    >>> import tempfile
    >>> from discreet.synthesize import code_tree
    >>> tree = code_tree(
    ...     [], domain={"x": ("a", "b")}, threshold=0, probability=lambda sets: [0.5] * len(sets))
    >>> file = generate_file(tree, Path(tempfile.mkdtemp()) / "rows.parquet", n_rows=1000)
    >>> pl.read_parquet(file).shape
    (1000, 1)
    """
    target = Path(path)
    check_numbers(n_rows, threads=threads)
    if target.suffix.lower() != ".parquet":
        raise ParameterError(f"{target} must end in .parquet, the kind of file that is written.")
    drawer = RowDrawer.of(tree, given=given, seed=seed)
    labels = {name: pl.Series(name, values) for name, values in tree.domain.items()}

    def frames(*_asked: object) -> Iterator[pl.DataFrame]:
        for codes in drawer.batches(n_rows, batch=BATCH, threads=threads, progress=progress):
            drawn = zip(labels.values(), codes, strict=True)
            yield pl.DataFrame([of.gather(pl.Series(places)) for of, places in drawn])

    schema = {name: of.dtype for name, of in labels.items()}
    with atomic_path(target, overwrite=overwrite) as temporary:
        register_io_source(frames, schema=schema).sink_parquet(
            temporary, compression=compression, row_group_size=BATCH
        )
    return target
