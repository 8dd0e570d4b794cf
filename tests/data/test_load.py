"""One call for every kind of file."""

from __future__ import annotations

from pathlib import Path

import pytest

import discreet as dc
from discreet.errors import DataError, ParameterError


def test_by_ending(tmp_path: Path) -> None:
    (tmp_path / "a.dat").write_text("1 2\n2\n")
    (tmp_path / "a.num").write_text("1 3\n2 3\n1\n")
    (tmp_path / "a.csv").write_text("x,y\n1,2\n")
    transactions, num, table = (dc.load(tmp_path / f"a.{end}") for end in ("dat", "num", "csv"))
    assert isinstance(transactions, dc.Transactions)
    assert isinstance(num, dc.Table)
    assert (num.columns, num.n_rows, num.n_dropped) == (("c1", "c2"), 2, 1)
    assert isinstance(table, dc.Table)
    assert table.source is not None


@pytest.mark.parametrize("ending", ["dat", "num"])
def test_items_are_not_binned(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"a.{ending}"
    path.write_text("1 2\n")
    with pytest.raises(ParameterError, match="omit bins"):
        dc.load(path, bins={"c1": [1]})
    assert dc.load(path, categorical=True)


def test_options_reach_tables(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("age\n" + "\n".join(map(str, range(100))) + "\n")
    with pytest.raises(DataError, match="'age'"):
        dc.load(path)
    cut = dc.load(path, bins={"age": [50]})
    assert isinstance(cut, dc.Table)
    assert cut.values("age") == ("< 50", ">= 50")
