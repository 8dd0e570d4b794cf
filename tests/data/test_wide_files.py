"""A file of very many columns is refused at once, or read by the columns that are named."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

import discreet as dc
from discreet.data.encode import MAX_COLUMNS
from discreet.errors import DataError, LimitError, ParameterError
from discreet.policy.choose import choose
from discreet.policy.init import draft_policy

N_COLUMNS = 100_000


@pytest.fixture(scope="module")
def wide(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("wide") / "wide.csv"
    rows = [[f"c{i}" for i in range(N_COLUMNS)]]
    rows += [[str((i + row) % 3) for i in range(N_COLUMNS)] for row in range(3)]
    path.write_text("".join(",".join(row) + "\n" for row in rows))
    return path


def test_a_wide_file_is_refused(wide: Path) -> None:
    words = r"100,000 columns, and at most 10,000 are taken.*columns=\[\.\.\.\]"
    with pytest.raises(LimitError, match=words):
        dc.load(wide)
    with pytest.raises(LimitError, match=words):
        dc.suggest_repairs(wide)
    with pytest.raises(LimitError, match=words):
        draft_policy(wide)
    with pytest.raises(LimitError, match=words):
        choose(wide, publish="table", to="public", promise="k-anonymity")


def test_columns_of_a_wide_file(wide: Path) -> None:
    chosen = ["c5", "c99999", "c0"]
    table = dc.read_table(wide, header=True, columns=chosen)
    assert table.columns == tuple(chosen)
    assert table.to_frame().rows() == [(2, 0, 0), (0, 1, 1), (1, 2, 2)]
    assert dc.look(table).n_rows == 3


def test_wide_frames(wide: Path) -> None:
    names = [f"c{i}" for i in range(N_COLUMNS)]
    frame = pl.DataFrame({name: [1, 2] for name in names[: MAX_COLUMNS + 1]})
    with pytest.raises(LimitError, match="10,001 columns"):
        dc.look(frame)
    assert len(dc.Table.from_frame(frame, columns=names[:3]).columns) == 3
    with pytest.raises(ParameterError, match="'c1' is asked for twice"):
        dc.Table.from_frame(frame, columns=["c1", *names[1:MAX_COLUMNS]])
    with pytest.raises(ParameterError, match="'c200000'"):
        dc.read_table(wide, header=True, columns=["c200000"])
    with pytest.raises(DataError, match="named 'c0'"):
        dc.read_table(wide, header=True, names=["c0"] * N_COLUMNS)
