"""Adult with the hierarchies that come with ARX: eight quasi-identifiers, 30,162 rows."""

from __future__ import annotations

import csv
import lzma
from pathlib import Path

import pytest

import discreet as dc


def adult_arx(public_data: Path) -> tuple[dc.Table, dict[str, dc.Hierarchy]]:
    """Return the table and its hierarchies; the test skips where they are absent."""
    folder = public_data / "adult_arx"
    if not folder.is_dir():
        pytest.skip("adult_arx absent")
    text = lzma.decompress((folder / "adult.csv.xz").read_bytes()).decode()
    names, *rows = csv.reader(text.splitlines(), delimiter=";")
    columns = {name: [row[j] for row in rows] for j, name in enumerate(names)}
    adult = dc.Table.from_frame(columns, roles={"salary-class": "sensitive"})
    trees = {
        name: dc.Hierarchy.from_csv(folder / f"adult_hierarchy_{name}.csv", name=name)
        for name in adult.quasi
    }
    return adult, trees
