"""One call for every kind of file."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any

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


def options_of(function: Any) -> dict[str, inspect.Parameter]:  # noqa: ANN401  any function
    """Return the keywords of a function."""
    return {
        name: each
        for name, each in inspect.signature(function).parameters.items()
        if each.kind is each.KEYWORD_ONLY
    }


def test_every_reader_has_the_options_of_the_others() -> None:
    frame, reads, loads = map(options_of, (dc.Table.from_frame, dc.read_table, dc.load))
    assert {*frame} - {"source"} <= {*reads}  # where a frame came from: a file knows it
    assert loads == reads
    for name in {*frame} & {*reads}:
        assert frame[name].default == reads[name].default
        assert frame[name].annotation == reads[name].annotation


GIVEN: dict[str, Any] = {
    "delimiter": ";", "encoding": "utf-8", "header": True, "names": ["a"], "null_values": ["?"],
    "bins": {"c1": [1]}, "categorical": ["c1"], "sets": {"c1": ";"}, "carried": {"c1": "mean"},
    "repairs": {"c1": {"trim": True}}, "skip_first": 1, "skip_last": 1, "sheet": 1,
    "repeated_header": "drop", "max_cell_length": 5,
}  # fmt: skip
OF_COLUMNS: dict[str, Any] = {
    "roles": {"c1": "quasi"}, "missing": "drop", "columns": ["c1"], "person": "c1",
}  # fmt: skip


def test_each_option_is_tried() -> None:
    assert {*GIVEN, *OF_COLUMNS, "one_row_per_person"} == {*options_of(dc.load)}


@pytest.mark.parametrize("option", GIVEN)
@pytest.mark.parametrize("ending", ["dat", "num"])
def test_what_means_nothing_for_items_is_refused(tmp_path: Path, ending: str, option: str) -> None:
    path = tmp_path / f"a.{ending}"
    path.write_text("1 3\n2 3\n1 3\n")
    with pytest.raises(ParameterError, match=f"omit {option}") as refused:
        dc.load(path, **{option: GIVEN[option]})
    assert refused.value.parameter == option


@pytest.mark.parametrize("option", OF_COLUMNS)
def test_columns_of_items(tmp_path: Path, option: str) -> None:
    (tmp_path / "a.dat").write_text("1 3\n2 3\n1 3\n")
    with pytest.raises(ParameterError, match=f"omit {option}"):
        dc.load(tmp_path / "a.dat", **{option: OF_COLUMNS[option]})
    (tmp_path / "a.num").write_text("1 3\n2 3\n1 3\n")
    table = dc.load(tmp_path / "a.num", **{option: OF_COLUMNS[option]})
    assert isinstance(table, dc.Table)
    assert table.columns == {"columns": ("c1",), "person": ("c2",)}.get(option, ("c1", "c2"))


def test_people_of_a_file(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("who;ill\np1;flu,gout\np1;flu\np2;gout\n")
    table = dc.load(path, delimiter=";", person="who", sets={"ill": ","})
    assert isinstance(table, dc.Table)
    assert table.people is not None
    assert (table.columns, table.people.n_people, dict(table.sets)) == (("ill",), 2, {"ill": ","})
    baskets = tmp_path / "a.dat"
    baskets.write_text("1 2\n2\n")
    assert dc.load(baskets, one_row_per_person=True).one_row_per_person
