"""Folders of releases by generalization, and the ways to tamper with them."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Callable
from pathlib import Path
from typing import Unpack

import polars as pl

import discreet as dc
from discreet.generalize.rules import Options
from discreet.release.hierarchies import hierarchies_text, stated_hierarchy
from tests.generalize.releases import ILLS, TREES, chunked, people
from tests.verify.folders import edit, replace_data

TABLE = people()
WHOLE = {**TREES, "ill": ILLS}


def saved(folder: Path, *, k: int = 5, size: int | None = None, **options: Unpack[Options]) -> Path:
    return chunked(TABLE, k=k, size=size, **options).save(folder / "release")


def with_cells(folder: Path, change: Callable[[pl.DataFrame], pl.DataFrame]) -> Path:
    """Change the released rows, state their hierarchies anew, and certify all of it."""
    buffer = io.BytesIO()
    rows = change(pl.read_parquet(folder / "data.parquet"))
    rows.write_parquet(buffer)
    if (folder / "hierarchies.json").exists():
        restate(folder, rows)
    return replace_data(folder, buffer.getvalue())


def restate(folder: Path, rows: pl.DataFrame) -> None:
    """State what rows show of the hierarchies, and certify it."""
    stated = dc.Release.load(folder).stated
    text = hierarchies_text(
        {name: stated_hierarchy(name, WHOLE[name], rows[name].to_list()) for name in stated}
    )
    (folder / "hierarchies.json").write_text(text)
    sha256 = hashlib.sha256(text.encode()).hexdigest()
    edit(folder, lambda values: values.update(hierarchies_sha256=sha256))
