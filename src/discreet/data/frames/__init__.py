"""Frames in and out: polars, pandas, pyarrow, duckdb and anything that speaks Arrow."""
