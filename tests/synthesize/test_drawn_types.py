"""Types of drawn columns: they follow from the lists of values, and disclose nothing of rows."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import pandas as pd  # type: ignore[import-untyped]
import polars as pl
import pytest

from discreet.data.domains import listed_like
from discreet.data.table import Table
from discreet.synthesize import Sanitized, Synthesizer

if TYPE_CHECKING:
    from pathlib import Path

    from discreet.data.column import Label
    from discreet.data.domains import Domains

SMALL: dict[str, Any] = {"epsilon": 2, "delta": 1e-6, "seed": 3}


@pytest.fixture(autouse=True)
def few_trained_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    """Train on fewer rows than usual, to save time."""
    monkeypatch.setattr(sys.modules["discreet.synthesize.pairs"], "N_TRAINED", 8000)


def typed(n: int = 600) -> pl.DataFrame:
    return pl.DataFrame({
        "whole": pl.Series([1, 2, 300] * (n // 3), dtype=pl.Int16),
        "level": pl.Series(["low", "high"] * (n // 2), dtype=pl.Enum(["low", "middle", "high"])),
        "town": pl.Series(["Ghent", "Bruges"] * (n // 2), dtype=pl.Categorical),
        "is_known": [True, False] * (n // 2),
        "job": ["nurse", None] * (n // 2),
    })  # fmt: skip


def listed_types(lists: dict[str, list[Any]]) -> dict[str, pl.DataType]:
    """Return the types of the lists, whatever types a frame had; categories stay such."""
    return {
        "whole": pl.Int64(), "level": pl.Enum(lists["level"]), "town": pl.Enum(lists["town"]),
        "is_known": pl.Boolean(), "job": pl.String(),
    }  # fmt: skip


def test_order_of_columns_and_values_are_kept() -> None:
    made = Synthesizer(**SMALL, domains="from-data").fit(typed()).sample(900)
    found = made.to_frame()
    known = {name: [*Table.from_frame(typed()).values(name)] for name in typed().columns}
    assert dict(found.schema) == listed_types(known)
    assert made.columns == tuple(typed().columns)
    for name in typed().columns:
        assert set(found[name]) == set(typed()[name])
    assert found["job"].null_count() > 300


@pytest.mark.parametrize("has_missing", [False, True])
def test_the_kind_of_frame_is_kept(has_missing: bool) -> None:  # noqa: FBT001  a parameter
    kind = pd.CategoricalDtype(["low", "middle", "high"], ordered=True)
    frame = pd.DataFrame({
        "level": pd.Series(["low", None if has_missing else "high"] * 300, dtype=kind),
        "whole": pd.Series([1, 2] * 300, dtype="int8"),
    })  # fmt: skip
    before = frame.copy()
    found = Synthesizer(**SMALL, domains="from-data").fit(frame).sample(400).to_frame()
    assert isinstance(found, pd.DataFrame)
    assert found["whole"].dtype == "int64"
    assert (found["level"].isna().sum() > 100) == has_missing
    pd.testing.assert_frame_equal(frame, before)


DOMAINS: dict[str, list[Any]] = {
    "whole": [1, 2, 300, 4], "level": ["low", "middle", "high"],
    "town": ["Ghent", "Bruges", "Lier"], "is_known": [True, False], "job": ["nurse", "smith", None],
}  # fmt: skip


@pytest.mark.parametrize("trust", ["central", "local"])
def test_types_do_not_tell_which_listed_values_occur(trust: Any) -> None:  # noqa: ANN401
    """A release of neighbours must have one type, also where one has the only row of a value."""
    schemas = set()
    for more in ({}, {"whole": 4, "level": "middle", "town": "Lier", "job": "smith"}):
        row = (
            typed()
            .head(1)
            .with_columns(pl.lit(v, dtype=typed().schema[k]).alias(k) for k, v in more.items())
        )
        made = Synthesizer(2, trust=trust, domains=DOMAINS, seed=3).fit(pl.concat([typed(), row]))
        schemas.add(tuple(made.sample(50).to_frame().schema.items()))
        cells = made.learnt.cells
        if isinstance(cells, Sanitized):
            schemas.add(tuple(cells.table.to_frame().schema.items()))
    assert schemas == {tuple(listed_types(DOMAINS).items())}


def test_types_hold_every_listed_value() -> None:
    frame = pl.DataFrame({"n": pl.Series([1, 2], dtype=pl.Int8),
                          "e": pl.Series(["x", "y"], dtype=pl.Enum(["x", "y"]))})  # fmt: skip
    domain: Domains = {"n": (1, 2, 999), "e": ("x", "y", "z")}
    like = listed_like(domain, Table.from_frame(frame))
    assert like.to_frame().schema == {"n": pl.Int64(), "e": pl.Enum(["x", "y", "z"])}
    arrow = Table.from_frame(frame.to_arrow())
    assert set(listed_like(domain, arrow).to_frame()["n"].to_pylist()) == {1, 2, 999}


def test_rows_dropped_in_reading_are_not_told() -> None:
    frame = {"x": ["a", "b", None] * 100, "y": ["a", "b", "c"] * 100}
    table = Table.from_frame(frame, missing="drop")
    assert table.n_dropped == 100
    assert Synthesizer(**SMALL).fit(table).sample(10).n_dropped == 0


def test_files_have_the_types_of_memory(tmp_path: Path) -> None:
    made = Synthesizer(**SMALL, domains=DOMAINS).fit(typed())
    found = pl.read_parquet(made.write(tmp_path / "rows.parquet", 100))
    assert dict(found.schema) == listed_types(DOMAINS)
    assert found.equals(made.sample(100).to_frame())


@pytest.mark.parametrize(
    "values", [[True, False, None], [1, 2, None], [1.5, 2.5, None], ["a", "b", None]]
)
def test_types_do_not_tell_whether_a_cell_is_missing(values: list[Label]) -> None:
    types = set()
    for last in (values[0], None):
        frame = pd.DataFrame({"x": pd.Series([*values[:2] * 20, last])})
        table = Table.from_frame(frame, categorical=True)
        like = listed_like({"x": tuple(values)}, table)
        types.add(str(like.to_frame()["x"].dtype))
    assert len(types) == 1


def test_the_table_is_not_changed() -> None:
    frame = typed()
    before = frame.clone()
    Synthesizer(**SMALL).fit(frame)
    assert frame.equals(before)
    assert frame.schema == before.schema
