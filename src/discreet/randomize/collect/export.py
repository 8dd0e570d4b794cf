"""What was collected, as a file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from discreet.data.files.atomic import atomic_path
from discreet.errors import ParameterError
from discreet.randomize.randomized_file import metadata

if TYPE_CHECKING:
    import os

    from discreet.randomize.randomized import Randomized


def export_parquet(
    randomized: Randomized, path: str | os.PathLike[str], *, overwrite: bool = False
) -> Path:
    """Write randomized transactions to a Parquet file and return its path.

    Parameters
    ----------
    randomized : Randomized
        What was collected.
    path : path
        Ends in .parquet.
    overwrite : bool
        Whether a file of that name may be replaced.

    Returns
    -------
    Path
        The file, with the columns ``items`` (lists) and ``size`` (of the original), and the
        operator in its metadata: :func:`discreet.randomize.open_randomized` reads it. It appears
        whole or not at all.

    Raises
    ------
    ParameterError
        If the path ends otherwise, or the file exists.
    """
    target = Path(path)
    if target.suffix != ".parquet":
        raise ParameterError(f"{target} must end in .parquet.")
    sizes = pl.Series("size", randomized.sizes, dtype=pl.Int32)
    frame = randomized.transactions.to_frame("polars").with_columns(sizes)
    about = metadata(
        randomized.operator,
        randomized.transactions.labels,
        experimental=randomized.experimental,
    )
    with atomic_path(target, overwrite=overwrite) as temporary:
        frame.write_parquet(temporary, metadata=about)
    return target
