"""Rows into files: the same as in memory, whole files or none, in constant memory."""

from __future__ import annotations

import subprocess
import sys
from datetime import date
from decimal import Decimal
from typing import TYPE_CHECKING

import polars as pl
import pyarrow.parquet as pq  # type: ignore[import-untyped]
import pytest

from discreet.errors import DataError, LimitError, ParameterError
from discreet.mine.database import Item
from discreet.synthesize import CodeTree, code_tree, generate, generate_file
from discreet.synthesize.rows import RowDrawer

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from discreet.data.column import Label
    from discreet.data.write import Compression

DOMAIN: Mapping[str, tuple[Label, ...]] = {
    "sex": ("f", "m"),
    "age": (30, 40, 50),
    "born": (date(1970, 1, 1), date(1980, 2, 3)),
    "share": (0.25, 0.75),
    "price": (Decimal("1.50"), Decimal("2.25")),
    "is_known": (True, False),
    "town": ("Antwerp", None),
}


def make_tree(domain: Mapping[str, tuple[Label, ...]] = DOMAIN) -> CodeTree:
    pairs = [frozenset({Item("sex", "f"), Item("age", 40)})] if "age" in domain else []
    return code_tree(
        pairs, domain=domain, threshold=0.1,
        probability=lambda sets: [0.5**len(s) for s in sets],
    )  # fmt: skip


def test_a_file_has_the_rows_of_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    batches = RowDrawer.batches
    monkeypatch.setattr(
        RowDrawer, "batches", lambda *args, **options: batches(*args, **options, batch=512)
    )
    told: list[float] = []
    made = generate_file(
        make_tree(), tmp_path / "rows.parquet", n_rows=2000, seed=3, given={"sex": "m"},
        progress=told.append, threads=2,
    )  # fmt: skip
    assert made == tmp_path / "rows.parquet"
    monkeypatch.undo()
    expected = generate(make_tree(), n_rows=2000, seed=3, given={"sex": "m"}).to_frame()
    found = pl.read_parquet(made)
    assert found.equals(expected)
    assert found.schema == expected.schema
    assert told == [0.256, 0.512, 0.768, 1]


def test_no_rows_still_have_types(tmp_path: Path) -> None:
    made = generate_file(make_tree(), tmp_path / "none.parquet", n_rows=0)
    frame = pl.read_parquet(made)
    assert frame.shape == (0, 7)
    assert frame.schema["born"] == pl.Date
    assert frame.schema["town"] == pl.String


def test_whole_files_or_none(tmp_path: Path) -> None:
    tree, target = make_tree({"sex": ("f", "m")}), tmp_path / "rows.parquet"
    generate_file(tree, target, n_rows=10)
    with pytest.raises(ParameterError, match="exists"):
        generate_file(tree, target, n_rows=20)
    assert len(pl.read_parquet(target)) == 10
    generate_file(tree, target, n_rows=20, overwrite=True, compression="uncompressed")
    assert len(pl.read_parquet(target)) == 20

    def stop(_fraction: float) -> None:
        raise RuntimeError("enough")

    with pytest.raises(Exception, match="enough"):
        generate_file(tree, tmp_path / "other.parquet", n_rows=10, progress=stop)
    assert [path.name for path in tmp_path.iterdir()] == ["rows.parquet"]


def test_refuses(tmp_path: Path) -> None:
    tree = make_tree()
    with pytest.raises(ParameterError, match=r"must end in \.parquet"):
        generate_file(tree, tmp_path / "rows.csv", n_rows=1)
    with pytest.raises(ParameterError, match="n_rows=-1"):
        generate_file(tree, tmp_path / "rows.parquet", n_rows=-1)
    with pytest.raises(ParameterError, match="'age' is not among the first 1"):
        generate_file(tree, tmp_path / "rows.parquet", n_rows=1, given={"age": 30})
    with pytest.raises(ParameterError, match=r"no compression='gz'.*'zstd', 'lz4', 'snappy'"):
        generate_file(tree, tmp_path / "rows.parquet", n_rows=1, compression="gz")  # type: ignore[arg-type]
    with pytest.raises(LimitError, match="Ask for fewer rows"):
        generate_file(tree, tmp_path / "rows.parquet", n_rows=10**18)
    assert not list(tmp_path.iterdir())
    with pytest.raises(DataError, match="does not exist"):
        generate_file(tree, tmp_path / "no" / "rows.parquet", n_rows=1)


MEASURE = """
import resource, sys
from tests.synthesize.test_generate_file import make_tree
from discreet.synthesize import generate_file
generate_file(make_tree(), sys.argv[1] + "/warm.parquet", n_rows=200_000, threads=2)
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
generate_file(make_tree(), sys.argv[1] + "/long.parquet", n_rows=3_000_000, threads=2)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""


def test_memory_does_not_grow_with_the_rows(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", MEASURE, str(tmp_path)], capture_output=True, text=True, check=True
    )
    assert int(done.stdout) < 150_000  # kilobytes; the rows as a frame would be 170,000


@pytest.mark.parametrize("compression", ["zstd", "snappy", "uncompressed"])
def test_files_are_compressed_as_asked(tmp_path: Path, compression: Compression) -> None:
    written = generate_file(
        make_tree(), tmp_path / "rows.parquet", n_rows=20, compression=compression
    )
    assert pq.read_metadata(written).row_group(0).column(0).compression == compression.upper()
