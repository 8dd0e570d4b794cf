"""Types of what is released: categories stay categories, and list released values only."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import duckdb
import pandas as pd  # type: ignore[import-untyped]
import polars as pl
import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.parquet as pq  # type: ignore[import-untyped]
import pytest

import discreet as dc
from discreet import Release, Table
from discreet.data.write import write_table
from discreet.errors import DataError
from discreet.generalize import mondrian
from discreet.suppress import k_mii
from discreet.synthesize import synthetic_release

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from discreet.data.column import FrameKind

TOWNS = ["Ghent"] * 40 + ["Bruges"] * 40 + ["Rareville"]
SEXES = ["f", "m"] * 40 + ["f"]


def _polars(_: str = "") -> pl.DataFrame:
    kind = pl.Enum(["Ghent", "Rareville", "Nowhere", "Bruges"])
    return pl.DataFrame({"town": pl.Series(TOWNS, dtype=kind), "sex": pl.Series(SEXES)})


def _pandas(_: str = "") -> object:
    kind = pd.CategoricalDtype(["Ghent", "Rareville", "Nowhere", "Bruges"], ordered=True)
    return pd.DataFrame({"town": pd.Series(TOWNS, dtype=kind), "sex": SEXES})


def _arrow(_: str = "") -> object:
    return pa.table({"town": pa.array(TOWNS).dictionary_encode(), "sex": SEXES})


def _duckdb(_: str = "") -> object:
    kind = "ENUM('Ghent', 'Rareville', 'Nowhere', 'Bruges')"
    return duckdb.from_arrow(_polars()).project(f"town::{kind} AS town, sex")


FRAMES: dict[str, Callable[[], Any]] = {
    "polars": _polars, "pandas": _pandas, "pyarrow": _arrow, "duckdb": _duckdb,
}  # fmt: skip
METHODS: dict[str, Callable[[Any], Release]] = {
    "k_mii": lambda frame: k_mii(frame, k=5, one_row_per_person=True),
    "mondrian": lambda frame: mondrian(frame, k=5, one_row_per_person=True),
    "synthesize": lambda frame: synthetic_release(frame, epsilon=2, delta=1e-6, seed=1),
}


def categories(frame: Any, name: str) -> list[str] | None:  # noqa: ANN401  of any library
    """Return the categories of a column of any frame; None if it is none of categories."""
    if isinstance(frame, pl.DataFrame):
        kind = frame.schema[name]
        return kind.categories.to_list() if isinstance(kind, pl.Enum) else None
    if isinstance(frame, pd.DataFrame):
        held = frame[name].dtype
        return list(held.categories) if isinstance(held, pd.CategoricalDtype) else None
    if isinstance(frame, pa.Table):
        held = frame.schema.field(name).type
        column = frame.column(name).combine_chunks()
        return column.dictionary.to_pylist() if pa.types.is_dictionary(held) else None
    held = dict(zip(frame.columns, frame.types, strict=True))[name]
    return held.children[0][1] if held.id == "enum" else None


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("kind", FRAMES)
def test_categories_stay_categories_and_list_released_values_only(kind: str, method: str) -> None:
    release = METHODS[method](FRAMES[kind]())
    shown = {value for value in release.data.values("town") if value is not None}
    for other in (None, *FRAMES):
        frame = release.data.to_frame(other)  # type: ignore[arg-type]  # a kind of frame
        found = categories(frame, "town")
        assert found is not None, other
        assert {*found} == shown
        assert categories(frame, "sex") is None
    assert "Nowhere" not in shown


@pytest.mark.parametrize("kind", FRAMES)
def test_a_written_table_keeps_categories_in_parquet(kind: str, tmp_path: Path) -> None:
    table = Table.from_frame(FRAMES[kind]())
    path = write_table(table, tmp_path / "t.parquet")
    assert pa.types.is_dictionary(pq.read_schema(path).field("town").type)
    assert Table.from_frame(pl.read_parquet(path)) == table
    for name in ("t.csv", "t.xlsx"):
        write_table(table, tmp_path / name)


def test_the_certified_file_has_plain_texts(tmp_path: Path) -> None:
    folder = METHODS["k_mii"](_pandas()).save(tmp_path / "out")
    assert not pa.types.is_dictionary(pq.read_schema(folder / "data.parquet").field("town").type)


ASKED = {
    "smoker": ["yes", None, "no", None] * 10 + ["a lot", "often", "twice"],
    "sex": ["f", "m"] * 20 + ["f"] * 3,
}


@pytest.mark.parametrize("kind", ["polars", "pandas", "pyarrow"])
@pytest.mark.parametrize("file", ["csv", "parquet"])
def test_a_missing_cell_is_never_taken_for_a_suppressed_one(
    kind: FrameKind, file: Literal["csv", "parquet"], tmp_path: Path
) -> None:
    frame = dc.Table.from_frame(ASKED).to_frame(kind)
    table = dc.Table.from_frame(frame, missing="stated")
    release = dc.k_mii(table, k=3, leftover="suppress")
    assert {*release.data.values("smoker")} == {"missing", "no", "yes", None}
    shown = dc.Table.from_frame(release.data.to_frame(kind)).to_polars()["smoker"].to_list()
    assert shown.count("missing") == 20
    assert shown.count(None) == 3  # suppressed
    folder = release.save(tmp_path / "out", format=file)
    assert dc.verify_release(folder, original=table).answer == "verified"
    again = dc.Release.load(folder).data.to_polars()["smoker"].to_list()
    assert again == shown
    if file == "csv":
        cells = [line.split(",")[0] for line in (folder / "data.csv").read_text().splitlines()[1:]]
        assert cells == [cell or "" for cell in shown]


def test_the_word_for_missing_must_be_free() -> None:
    with pytest.raises(DataError, match="has the value 'missing', and missing cells"):
        dc.Table.from_frame({"a": ["missing", None]}, missing="stated")
    table = dc.Table.from_frame(
        {"a": [1, None], "b": [0.5, None]}, missing="stated", carried={"b": "mean"}
    )
    assert table.values("a") == ("1", "missing")
    assert table.values("b") == (0.5, None)  # numbers that are carried along stay such
