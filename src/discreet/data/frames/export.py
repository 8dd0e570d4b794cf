"""Result frames in the kind the user works with, and onto disk."""

from __future__ import annotations

import importlib
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from discreet.data.files.atomic import atomic_path
from discreet.errors import ParameterError, did_you_mean

if TYPE_CHECKING:
    import polars as pl

    from discreet.data.frames.kinds import FrameKind

KINDS = ("polars", "pandas", "pyarrow", "duckdb")


def as_kind(frame: pl.DataFrame, kind: FrameKind) -> Any:  # noqa: ANN401  a frame of the asked kind
    """Return a polars frame as polars, pandas, pyarrow or duckdb.

    Examples
    --------
    >>> import polars as pl
    >>> as_kind(pl.DataFrame({"a": [1]}), "pandas").columns.to_list()
    ['a']
    """
    if kind not in KINDS:
        raise ParameterError(f"'{kind}' is not a kind of frame. {did_you_mean(str(kind), KINDS)}")
    if kind == "polars":
        return frame
    try:
        library = importlib.import_module(kind)
    except ModuleNotFoundError:
        raise ParameterError(
            f"A {kind} frame was asked for, but {kind} is not installed: pip install {kind}."
        ) from None
    if kind == "pandas":
        return library.DataFrame(frame.to_dict(as_series=False))
    return library.table(frame) if kind == "pyarrow" else library.from_arrow(frame)


def write_frame(frame: pl.DataFrame, path: str | Path, *, overwrite: bool = False) -> None:
    """Write a frame to ``.parquet`` or ``.csv``, whole or not at all.

    In CSV a list is written as a JSON array.

    Raises
    ------
    ParameterError
        If the file exists and ``overwrite`` is not set, or the ending is another.
    """
    import polars as pl

    target = Path(path)
    if target.suffix not in (".parquet", ".csv"):
        raise ParameterError(f"{target}: results are written to .parquet or .csv.")
    with atomic_path(target, overwrite=overwrite) as temporary:
        if target.suffix == ".parquet":
            frame.write_parquet(temporary)
        else:
            lists = [name for name, dtype in frame.schema.items() if dtype == pl.List(pl.String)]
            as_text = [
                pl.Series(
                    name, [json.dumps(cell, ensure_ascii=False) for cell in frame[name].to_list()]
                )
                for name in lists
            ]
            frame.with_columns(as_text).write_csv(temporary)
