"""Drawn rows written to a Parquet file of any length, some thousands at a time."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias

import polars as pl
from polars.io.plugins import register_io_source

from discreet.data.files.atomic import atomic_path
from discreet.errors import ParameterError
from discreet.synthesize.parameters import check_word
from discreet.synthesize.row_drawer import BATCH

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Iterator, Mapping

    import numpy as np
    from numpy.typing import NDArray

Compression: TypeAlias = Literal["zstd", "lz4", "snappy", "uncompressed"]
COMPRESSIONS = ("zstd", "lz4", "snappy", "uncompressed")


def parquet_path(path: str | os.PathLike[str]) -> Path:
    """Return the path of a file to write, or raise ParameterError if it is not .parquet."""
    target = Path(path)
    if target.suffix.lower() != ".parquet":
        raise ParameterError(f"{target} must end in .parquet, the kind of file that is written.")
    return target


def write_rows(
    batches: Iterable[NDArray[np.int32]],
    path: str | os.PathLike[str],
    *,
    labels: Mapping[str, pl.Series],
    columns: Iterable[str] | None = None,
    compression: Compression = "zstd",
    overwrite: bool = False,
) -> Path:
    """Write codes of rows as the labels they stand for, and return the path.

    Parameters
    ----------
    batches : iterable of array
        A line of codes for each column, in the order of ``labels``.
    path : path
        The file, ending in .parquet. It appears whole or not at all.
    labels : mapping of str to Series
        For each column what its codes stand for; the file has their types.
    columns : iterable of str, optional
        The columns in the order of the file; that of ``labels`` by default.
    compression : {"zstd", "lz4", "snappy", "uncompressed"}
        Of the file.
    overwrite : bool
        Whether a file of that name may be replaced.

    Raises
    ------
    ParameterError
        If the file exists or has another ending, or there is no such compression.
    DataError
        If it cannot be written.
    """
    target = parquet_path(path)
    check_word("compression", compression, COMPRESSIONS)
    order = list(labels if columns is None else columns)

    def frames(*_asked: object) -> Iterator[pl.DataFrame]:
        for codes in batches:
            drawn = zip(labels.items(), codes, strict=True)
            yield pl.DataFrame(
                {name: of.gather(pl.Series(places)) for (name, of), places in drawn}
            ).select(order)

    schema = {name: labels[name].dtype for name in order}
    with atomic_path(target, overwrite=overwrite) as temporary:
        register_io_source(frames, schema=schema).sink_parquet(
            temporary, compression=compression, row_group_size=BATCH
        )
    return target
