"""Write a Parquet file of many rows and ten columns, read it as a Table, print time and memory.

Usage: python benchmarks/table_memory.py [rows]; the reading happens in a process of its own, so
that the peak is the reader's alone.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import polars as pl


def write_sample(path: Path, n_rows: int) -> None:
    """Write ten columns: text of 2 to 100,000 distinct values, whole numbers, dates, nulls."""
    rng = np.random.default_rng(1)

    def text(name: str, n_values: int) -> pl.Series:
        words = pl.Series([f"{name} value {i}" for i in range(n_values)])
        return words.gather(rng.integers(0, n_values, n_rows)).rename(name)

    columns = [text(f"text_{n}", n) for n in (2, 10, 100, 1000, 10_000, 100_000)]
    columns += [pl.Series(f"number_{n}", rng.integers(0, n, n_rows)) for n in (5, 60)]
    columns.append(pl.Series("day", rng.integers(0, 20_000, n_rows)).cast(pl.Int32).cast(pl.Date))
    columns.append(text("nulls", 50).scatter(rng.integers(0, n_rows, n_rows // 20), None))
    pl.DataFrame(columns).write_parquet(path)


def read_sample(path: Path) -> None:
    """Read the file and print seconds and peak memory."""
    from discreet.data.read import read_table

    start = time.perf_counter()
    table = read_table(path)
    seconds = time.perf_counter() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    codes = sum(table.codes(name).nbytes for name in table.columns) / 2**20
    print(f"{table.n_rows:,} x {table.n_columns}: {seconds:.2f} s, peak {peak:,.0f} MiB, ", end="")
    print(f"codes {codes:,.0f} MiB, file {path.stat().st_size / 2**20:,.0f} MiB")


def main() -> None:
    """Run the two steps."""
    if len(sys.argv) > 2:
        read_sample(Path(sys.argv[2]))
        return
    n_rows = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000_000
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "sample.parquet"
        write_sample(path, n_rows)
        subprocess.run([sys.executable, __file__, "read", str(path)], check=True)


if __name__ == "__main__":
    main()
