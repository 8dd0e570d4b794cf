"""Messy cells: what a rule makes of them, what is proposed, and that nothing else is changed."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any

import pandas as pd  # type: ignore[import-untyped]
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.data.reading import read, rows
from tests.messy_files import FAULTY_ROW, HEADER_EVERY, Kind, write_admissions

import discreet as dc
from discreet.data.repair.rules import Repair, as_repair, mend, read_date, read_number
from discreet.errors import DataError, ParameterError


def mended(cells: list[Any], **rules: Any) -> list[Any]:  # noqa: ANN401
    """Return what a column of cells becomes."""
    table = dc.Table.from_frame({"a": cells}, repairs={"a": rules}, categorical=True)
    found: list[Any] = table.to_polars()["a"].to_list()
    return found


@pytest.mark.parametrize(
    ("cells", "rules", "meant"),
    [
        ([" a  b ", "a b", ""], {"trim": True}, ["a b", "a b", None]),
        (["?", "NA", "a"], {"missing": ["?", "NA"]}, [None, None, "a"]),
        (["F", "f", "Ä"], {"case": "lower"}, ["f", "f", "ä"]),
        (["m", "M", "male"], {"values": {"m": "male", "M": "male"}}, ["male"] * 3),
        (["a", "b"], {"values": {"a": "b", "b": "a"}}, ["b", "a"]),  # once, not again
        (["1,5", "-2", "1.000,25"], {"decimal": ",", "thousands": "."}, [1.5, -2, 1000.25]),
        (["1 000", "1\u00a0000", "20"], {"thousands": " "}, [1000, 1000, 20]),
        (["1'000.5", "1\u2019000"], {"thousands": "'"}, [1000.5, 1000]),
        (["72,5", "72.5", "1.072,5"], {"decimal": "either"}, [72.5, 72.5, 1072.5]),
        (["1", "x", "3"], {"number": True, "other": "missing"}, [1, None, 3]),
        (["1", "0", "Yes", "no"], {"yes": ["1", "yes"], "no": ["0", "no"]}, [True, False] * 2),
        (
            ["31.01.2024", "2024-02-01", "45323", "1 Mär 2024", "Apr 2, 2024"],
            {"date": "day-first", "excel_dates": True},
            [date(2024, 1, 31), date(2024, 2, 1), date(2024, 2, 1), date(2024, 3, 1),
             date(2024, 4, 2)],
        ),
        (["01/31/2024"], {"date": "month-first"}, [date(2024, 1, 31)]),
        (["31.1.24", "1.2.30"], {"date": "day-first", "century": 1930},
         [date(2024, 1, 31), date(1930, 2, 1)]),
        (["2024-01-31 00:00:00"], {"date": "year-first"}, [date(2024, 1, 31)]),
        (["2024-01-31T10:30"], {"date": "year-first", "drop_time": True}, [date(2024, 1, 31)]),
    ],
)  # fmt: skip
def test_what_rules_make_of_cells(
    cells: list[str], rules: dict[str, Any], meant: list[Any]
) -> None:
    assert mended(cells, **rules) == meant


@given(st.decimals(-(10**9), 10**9, places=2), st.sampled_from([",.", ".,", ", ", ".'"]))
def test_numbers_are_read_as_they_were_written(number: Any, marks: str) -> None:  # noqa: ANN401
    written = f"{number:,.2f}".replace(",", "T").replace(".", marks[0]).replace("T", marks[1])
    assert read_number(written, marks[0], marks[1]) == float(number)


@given(st.dates(date(1000, 1, 1), date(9999, 12, 31)))
def test_dates_are_read_as_they_were_written(day: date) -> None:
    d, m, y = day.day, day.month, day.year
    assert read_date(f"{d}.{m}.{y}", "day-first", None)[0] == day
    assert read_date(f"{m:02}/{d:02}/{y}", "month-first", None)[0] == day
    assert read_date(day.isoformat(), "month-first", None)[0] == day
    assert read_date(day.strftime(f"%d %b {y}"), "day-first", None)[0] == day
    if day >= date(1900, 3, 1):
        serial = str((day - date(1899, 12, 30)) // timedelta(days=1))
        assert mend(serial, Repair(excel_dates=True)).value == day


@given(st.lists(st.text(max_size=6), min_size=1, max_size=8))
def test_cells_without_a_repair_are_as_they_were(cells: list[str]) -> None:
    plain = dc.Table.from_frame({"a": cells, "b": cells}, categorical=True)
    one = dc.Table.from_frame({"a": cells, "b": cells}, repairs={"b": {}}, categorical=True)
    assert one.to_polars()["a"].to_list() == plain.to_polars()["a"].to_list()
    assert one.to_polars()["b"].to_list() == [cell or None for cell in cells]


@given(
    st.lists(st.sampled_from(["1,5", "?", " 2", "x", "1.000"]), min_size=1, max_size=9), st.data()
)
def test_a_row_is_mended_alike_whatever_the_others_hold(cells: list[str], data: Any) -> None:  # noqa: ANN401
    rules = {"trim": True, "decimal": ",", "thousands": ".", "missing": ["?"], "other": "missing"}
    some = data.draw(st.lists(st.sampled_from(range(len(cells))), unique=True, min_size=1))
    whole = mended(cells, **rules)
    assert mended([cells[i] for i in some], **rules) == [whole[i] for i in some]


def test_the_counts_are_those_of_a_recount() -> None:
    cells = [" m", "m", "M", "?", "male", None]
    rules = {"trim": True, "missing": ["?"], "values": {"m": "male", "M": "male"}}
    table = dc.Table.from_frame({"sex": cells, "b": cells}, repairs={"sex": rules})
    (done,) = table.repaired
    assert (done.column, done.n_changed) == ("sex", 4)
    assert done.counts == {"trim": 1, "values": 3, "missing": 1}


def test_a_text_among_numbers_names_line_column_and_remedy(tmp_path: Path) -> None:
    with pytest.raises(DataError) as caught:
        read(tmp_path, 'kg,b\n"72,5",x\nabout 80,y\n80,z\n', repairs={"kg": {"decimal": ","}})
    said = str(caught.value)
    assert "Column 'kg', line 3 of " in said
    assert "'about 80' is no number" in said
    assert "'missing': ['about 80']" in said
    assert caught.value.column == "kg"


@pytest.mark.parametrize(
    ("cell", "rules", "words"),
    [
        ("1/2/24", {"date": "day-first"}, "century = 1930"),
        ("45323", {"date": "day-first"}, "excel_dates = true"),
        ("2024-01-31 10:30", {"date": "year-first"}, "drop_time = true"),
        ("31/12/2024", {"date": "month-first"}, "is no date"),
        ("maybe", {"yes": ["yes"], "no": ["no"]}, "neither yes nor no"),
        ("1.23,5", {"decimal": ",", "thousands": "."}, "no number"),
    ],
)
def test_cells_that_cannot_be_read_say_what_would_help(
    cell: str, rules: dict[str, Any], words: str
) -> None:
    with pytest.raises(DataError, match=words):
        mended([cell], **rules)


@pytest.mark.parametrize(
    ("rules", "words"),
    [
        ({"decimals": ","}, "Did you mean 'decimal'"),
        ({"date": "day"}, "day-first"),
        ({"number": True, "date": "day-first"}, "one kind"),
        ({"yes": ["1"]}, "together"),
        ({"yes": ["1"], "no": ["1"]}, "as yes and as no"),
        ({"decimal": ",", "thousands": ","}, "both"),
        ({"other": "missing"}, "say which"),
        ({"missing": "?"}, "list of texts"),
        ({"values": {"M": "male"}, "case": "lower"}, "write 'm'"),
        ({"values": {" m": "male"}, "trim": True}, "never occurs"),
        ({"century": 1930}, "give date too"),
    ],
)
def test_rules_that_make_no_sense_are_refused(rules: dict[str, Any], words: str) -> None:
    with pytest.raises(ParameterError, match=words):
        as_repair("a", rules)


def test_a_repair_of_a_column_that_is_not_there_is_refused() -> None:
    with pytest.raises(ParameterError, match="Did you mean 'sex'"):
        dc.Table.from_frame({"sex": ["f"]}, repairs={"sxe": {"trim": True}})


def test_dates_that_nothing_decides_are_ambiguous_and_named() -> None:
    rules = {"a": {"date": "day-first"}}
    open_, decided, dots = (
        dc.Table.from_frame({"a": cells}, repairs=rules).repaired[0]
        for cells in (["03/04/2024", "05/05/2024"], ["03/04/2024", "31/01/2024"], ["03.04.2024"])
    )
    assert (open_.n_ambiguous, decided.n_ambiguous, dots.n_ambiguous) == (1, 0, 0)
    assert open_.ambiguous[0].startswith("row 0")
    assert "2024-04-03, and could be 2024-03-04" in open_.ambiguous[0]


@pytest.mark.parametrize("encoding", ["cp1252", "utf-8", "utf-8-sig", "utf-16"])
def test_what_is_proposed_makes_the_messy_file_what_it_means(
    tmp_path: Path, encoding: Kind
) -> None:
    messy = write_admissions(tmp_path, n_rows=2 * HEADER_EVERY, encoding=encoding)
    found = dc.suggest_repairs(messy.path)
    table = dc.load(messy.path, repairs=found.repairs, categorical=True, **found.reading)
    assert isinstance(table, dc.Table)
    frame, meant = table.to_polars(), messy.rows
    for name in meant.columns:
        if name != "referred":
            assert frame[name].equals(meant[name], null_equal=True), name
    assert frame["referred"].dtype == pl.String  # nothing decides, so nothing is changed
    doubts = {each.column: each.doubts for each in found.suggestions}
    assert doubts["weight_kg"] == (
        f"line {messy.lines[FAULTY_ROW]} of {messy.path}: 'ca. 80' is no number",
    )
    assert doubts["referred"][0].startswith("line ")
    untouched = {"patient_id", "city", "plz"}
    assert untouched.isdisjoint(found.repairs)


def test_proposals_do_not_depend_on_chance(tmp_path: Path) -> None:
    messy = write_admissions(tmp_path)
    first, second = (dc.suggest_repairs(messy.path).to_dict() for _ in range(2))
    assert str(first) == str(second)


@pytest.mark.parametrize(
    "cells",
    [
        ["yes", "no", "yes"],
        ["0", "1", "1"],
        ["01067", "50667"],
        ["1.5", "2"],
        ["DE", "NA", "FR", "IT"],
        ["None", "Mild", "Severe"],
        ["E11.9", "I10"],
    ],
)
def test_what_is_written_in_one_way_needs_no_repair(cells: list[str]) -> None:
    assert dc.suggest_repairs({"a": cells}).repairs == {}


def test_dates_of_two_orders_are_left_to_a_person() -> None:
    found = dc.suggest_repairs({"a": ["31/01/2024", "01/31/2024", "02/03/2024"]})
    assert not found.repairs
    assert "is either of two dates" in found.suggestions[0].doubts[0]


def test_a_thousand_or_a_decimal_is_left_to_a_person() -> None:
    (found,) = dc.suggest_repairs({"a": ["1,234", "5,678"]}).suggestions
    assert found.repair is None
    assert [mend("1,234", choice).value for choice in found.choices] == [1.234, 1234]


def test_numbers_that_excel_counts_days_by_are_dates_where_the_column_says_so() -> None:
    cells = [45000, 45001, 45100]
    assert dc.suggest_repairs({"admission_date": cells}).repairs == {
        "admission_date": Repair(excel_dates=True)
    }
    assert not dc.suggest_repairs({"cost": cells}).repairs


def test_pandas_columns_of_mixed_types_are_mended() -> None:
    frame = pd.DataFrame({"kg": [72.5, "81,5", None, "?"]})
    rules = {"decimal": "either", "missing": ["?"]}
    table = dc.Table.from_frame(frame, repairs={"kg": rules}, categorical=True)
    assert table.to_polars()["kg"].to_list() == [72.5, 81.5, None, None]


def test_numbers_stay_numbers_where_a_code_means_missing() -> None:
    table = dc.Table.from_frame({"a": [1, 2, 999]}, repairs={"a": {"missing": ["999"]}})
    assert table.values("a") == (1, 2, None)
    table = dc.Table.from_frame(
        pd.DataFrame({"a": [1, 2, 999]}), repairs={"a": {"missing": ["999"]}}
    )
    assert table.values("a") == (1, 2, None)


def test_lines_are_named_as_an_editor_counts_them(tmp_path: Path) -> None:
    text = 'title\n\na;b\n1;"x\ny"\na;b\n2;z\nbad;w\nsum;1;2\n'
    reading: dict[str, Any] = {"skip_first": 2, "skip_last": 1, "repeated_header": "drop"}
    with pytest.raises(DataError, match="line 8 of"):
        read(tmp_path, text, repairs={"a": {"number": True}}, **reading)
    table = read(tmp_path, text, categorical=True, **reading)
    assert rows(table) == [("1", "x\ny"), ("2", "z"), ("bad", "w")]
    assert dc.suggest_repairs(tmp_path / "a.csv").reading == {**reading, "skip_first": 1}


def test_a_file_with_a_title_says_which_option_leaves_it_out(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="skip_first=1"):
        read(tmp_path, "My export\na;b\n1;2\n2;3\n", delimiter=";")


def test_rows_are_not_taken_for_headers_without_saying_so(tmp_path: Path) -> None:
    text = "a,b\n1,x\na,b\n2,y\n"
    kept = read(tmp_path, text)
    assert kept.n_rows == 3
    assert "1 rows that repeat the header were kept" in str(kept.source)
    assert read(tmp_path, text, repeated_header="drop").n_rows == 2


BORN, EVENT = (
    ["29.02.2000", "01.03.1990", "31.12.1999", None],
    ["2024-02-28", "2024-03-01", "2000-01-01", "2024-01-01"],
)


def test_an_age_is_worked_out_from_two_dates() -> None:
    repairs: dict[str, Any] = {
        "born": {"date": "day-first", "period": "decade"},
        "at": {"date": "year-first", "period": "quarter"},
        "age": {"age_of": ["born", "at"]},
    }
    table = dc.Table.from_frame({"born": BORN, "at": EVENT}, repairs=repairs)
    assert table.columns == ("born", "at", "age")
    assert table.to_frame()["age"].to_list() == [23, 34, 0, None]
    assert table.values("born") == ("1990s", "2000s", None)
    assert table.values("at") == ("2000-Q1", "2024-Q1")
    days = pl.DataFrame({"born": ["2000-01-01"], "at": [datetime(2024, 1, 1, 9)]})  # noqa: DTZ001  as files have it
    only = dc.Table.from_frame(days, repairs={"age": repairs["age"]}, columns=["age"])
    assert only.values("age") == (24,)


def test_ages_that_cannot_be_are_named() -> None:
    given = {"born": ["2024-05-01", "1990-01-01"], "at": ["2024-01-01", "2024-01-01"]}
    with pytest.raises(DataError, match=r"'age', row 0 .*2024-01-01 is before the birth"):
        dc.Table.from_frame(given, repairs={"age": {"age_of": ["born", "at"]}})
    table = dc.Table.from_frame(
        given, repairs={"age": {"age_of": ["born", "at"], "other": "missing"}}
    )
    assert table.to_frame()["age"].to_list() == [None, 34]
    with pytest.raises(ParameterError, match=r"age of 'birth'.*Did you mean|age of 'birth'"):
        dc.Table.from_frame(given, repairs={"age": {"age_of": ["birth", "at"]}})
    with pytest.raises(ParameterError, match="there already"):
        dc.Table.from_frame(given, repairs={"at": {"age_of": ["born", "at"]}})
    with pytest.raises(ParameterError, match="no other rule"):
        dc.Table.from_frame(given, repairs={"age": {"age_of": ["born", "at"], "trim": True}})
    with pytest.raises(ParameterError, match="period is for dates"):
        dc.Table.from_frame(given, repairs={"at": {"period": "month"}})
    with pytest.raises(DataError, match="'x' holds no dates"):
        dc.Table.from_frame(
            {**given, "x": [1, 2]}, repairs={"age": {"age_of": ["born", "x"]}}, columns=["age"]
        )


def test_ages_are_proposed_for_a_person_to_choose() -> None:
    found = dc.suggest_repairs({"dob": ["01.02.1990", "31.12.1980"], "seen": ["2024-01-01", None]})
    ages = found.suggestions[-1]
    assert ages.column == "age"
    assert ages.repair is None
    assert [each.to_dict() for each in ages.choices] == [
        {"age_of": ["dob", "seen"], "other": "missing"}
    ]
    assert "age" not in found.repairs
