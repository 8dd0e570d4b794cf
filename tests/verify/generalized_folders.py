"""Folders of releases by generalization, and the ways to tamper with them."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path
from typing import Unpack

import polars as pl

from discreet.generalize.problem import Options
from tests.generalize.releases import chunked, people
from tests.verify.folders import replace_data

TABLE = people()


def saved(folder: Path, *, k: int = 5, size: int | None = None, **options: Unpack[Options]) -> Path:
    return chunked(TABLE, k=k, size=size, **options).save(folder / "release")


def with_cells(folder: Path, change: Callable[[pl.DataFrame], pl.DataFrame]) -> Path:
    """Change the released rows and certify the changed ones."""
    buffer = io.BytesIO()
    change(pl.read_parquet(folder / "data.parquet")).write_parquet(buffer)
    return replace_data(folder, buffer.getvalue())
