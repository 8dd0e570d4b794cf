"""Tables read from contents that a test writes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl

from discreet.data.read import read_table
from discreet.data.table import Table


def read(tmp_path: Path, content: str | bytes, name: str = "a.csv", **options: Any) -> Table:  # noqa: ANN401
    path = tmp_path / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return read_table(path, **options)


def rows(table: Table) -> list[tuple[Any, ...]]:
    frame: pl.DataFrame = table.to_frame("polars")
    return frame.rows()
