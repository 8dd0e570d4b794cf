"""Files of Stata and SPSS: labels in, labels out."""

from __future__ import annotations

import datetime as dt
import sys
from typing import TYPE_CHECKING, Any

import polars as pl
import pyreadstat
import pytest

from discreet.data.read import load, read_table
from discreet.data.table import Table
from discreet.data.write import write_table
from discreet.errors import DataError, ParameterError

if TYPE_CHECKING:
    from pathlib import Path

WRITERS: dict[str, Any] = {".dta": pyreadstat.write_dta, ".sav": pyreadstat.write_sav}
ENDINGS = sorted(WRITERS)

SURVEY = pl.DataFrame(
    {
        "sex": [2, 1, None],
        "age": [31, 40, 999],
        "town": ["Zürich", None, "Bern"],
        "entered": [dt.date(2024, 1, 2), None, dt.date(2024, 3, 4)],
        "weight": [1.5, None, 2.0],
    }
)
LABELS = {"sex": {1: "male", 2: "female", 3: "diverse"}, "age": {999: "unknown"}}


@pytest.mark.parametrize("ending", ENDINGS)
def test_codes_come_in_as_their_labels(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"survey{ending}"
    WRITERS[ending](SURVEY, str(path), variable_value_labels=LABELS)
    table = read_table(path, categorical=["weight"])
    assert table.values("sex") == ("male", "female", None)  # in the order of the codes
    assert table.values("age") == (31, 40, 999)  # whole numbers, which only one label is for
    assert table.values("town") == ("Bern", "Zürich", None)
    assert table.values("entered") == (dt.date(2024, 1, 2), dt.date(2024, 3, 4), None)
    assert table.source is not None
    assert "labels for some of its codes only" in str(table.source)
    assert "999 (unknown)" in str(table.source)
    mended: Any = load(path, categorical=["weight"], repairs={"age": {"missing": ["999"]}})
    assert None in mended.values("age")


@pytest.mark.parametrize("ending", ENDINGS)
def test_texts_go_out_as_codes_with_labels(tmp_path: Path, ending: str) -> None:
    table = Table.from_frame(
        {
            "age at entry": ["< 40", ">= 40", None, "< 40"],
            "Age_at_entry": [1, None, 2, 3],
            "note": [f"{'long ' * 40}{i}" for i in range(4)],
            "seen": [dt.date(2024, 1, 2), None, None, dt.date(2023, 1, 2)],
            "smokes": [True, None, False, True],
        }
    )
    path = write_table(table, tmp_path / f"out{ending}")
    read = pyreadstat.read_dta if ending == ".dta" else pyreadstat.read_sav
    frame, about = read(str(path), output_format="polars")
    assert frame["age_at_entry"].to_list() == [1, 2, None, 1]
    assert about.variable_value_labels["age_at_entry"] == {1: "< 40", 2: ">= 40"}
    assert about.column_names_to_labels["age_at_entry"] == "age at entry"
    assert frame.columns[1] == "Age_at_entry_2"  # these programs do not see case
    assert frame["note"].to_list() == [f"{'long ' * 40}{i}" for i in range(4)]
    again = read_table(path)
    assert again.values("age_at_entry") == ("< 40", ">= 40", None)
    assert again.codes("age_at_entry").tolist() == table.codes("age at entry").tolist()
    assert again.values("seen") == table.values("seen")


@pytest.mark.parametrize("ending", ENDINGS)
def test_what_is_no_such_file_is_named(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"a{ending}"
    path.write_bytes(b"nonsense")
    with pytest.raises(DataError, match=rf"a{ending} cannot be read as a"):
        read_table(path)
    WRITERS[ending](SURVEY, str(path), variable_value_labels={"sex": {1: "x", 2: "x"}})
    with pytest.raises(DataError, match=r"'sex' of .* has two codes that are both labelled 'x'"):
        read_table(path)
    with pytest.raises(ParameterError, match="encoding does not apply"):
        read_table(path, encoding="utf-8")


def test_the_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.sav"
    path.write_bytes(b"")
    monkeypatch.setitem(sys.modules, "pyreadstat", None)
    with pytest.raises(ParameterError, match=r"pip install 'discreet\[stats\]'"):
        read_table(path)


def test_a_text_file_for_excel_has_the_mark_of_utf_8(tmp_path: Path) -> None:
    table = Table.from_frame({"town": ["Zürich", "Bern"]})
    path = write_table(table, tmp_path / "a.csv", bom=True)
    assert path.read_bytes().startswith(b"\xef\xbb\xbftown\n")
    assert read_table(path) == table
    with pytest.raises(ParameterError, match="only text files"):
        write_table(table, tmp_path / "a.xlsx", bom=True)
