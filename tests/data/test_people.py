"""Whose each row is: kept beside the table, never a column of it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet as dc
from discreet.data.people import People, same_people
from discreet.data.table import Table, as_table
from discreet.errors import DataError, ParameterError
from discreet.release.guarantee import Guarantee, unit_of
from discreet.release.release import Release

VISITS = {"patient": [7, 7, 3, 9], "ward": ["a", "b", "a", "a"], "age": [30, 31, 40, 50]}


def test_the_column_that_names_people_is_no_column_of_the_table() -> None:
    table = Table.from_frame(VISITS, person="patient")
    assert table.columns == ("ward", "age")
    assert table.people is not None
    assert table.people.column == "patient"
    assert (table.people.n_people, table.people.most_rows) == (3, 2)


def test_more_than_64_numbers_of_people_need_no_bins() -> None:
    frame = {"patient": list(range(200)), "ward": ["a", "b"] * 100}
    table = Table.from_frame(frame, person="patient", roles={"patient": "identifying"})
    assert table.people is not None
    assert table.people.n_people == 200


def test_rows_keep_their_people_through_take_select_and_columns_replaced() -> None:
    table = Table.from_frame(VISITS, person="patient")
    assert table.people is not None
    for other in (table.select(["ward"]), table.with_roles(ward="sensitive"), table.head(4)):
        assert same_people(other.people, table.people)
    taken = table.take([3, 0, 1])
    assert taken.people is not None
    assert same_people(taken.people, People.of("patient", np.array([9, 7, 7])))


def test_rows_dropped_for_missing_cells_take_their_people_along() -> None:
    frame = {"patient": ["p", "q", "q"], "ward": ["a", None, "b"]}
    table = Table.from_frame(frame, person="patient", missing="drop")
    assert table.people is not None
    assert table.people.codes.tolist() == [0, 1]


def test_a_row_of_nobody_is_refused() -> None:
    with pytest.raises(DataError, match="empty in 1 rows, the first of them row 2") as caught:
        Table.from_frame({"patient": ["p", None], "ward": ["a", "b"]}, person="patient")
    assert caught.value.column == "patient"


@pytest.mark.parametrize("person", ["", 3, ["patient"]])
def test_a_name_that_is_none_is_refused(person: object) -> None:
    with pytest.raises(ParameterError, match="is the name of a column"):
        Table.from_frame(VISITS, person=person)  # type: ignore[arg-type]


def test_an_unknown_column_is_refused_with_what_is_near() -> None:
    with pytest.raises(ParameterError, match="Did you mean 'patient'"):
        Table.from_frame(VISITS, person="patients")


def test_both_statements_together_are_refused() -> None:
    with pytest.raises(ParameterError, match="State one of them"):
        Table.from_frame(VISITS, person="patient", one_row_per_person=True)
    with pytest.raises(ParameterError, match="State one of them"):
        Table.from_frame(VISITS, person="patient").stating(one_row_per_person=True)
    with pytest.raises(ParameterError, match="Name one column"):
        Table.from_frame(VISITS, person="patient").with_person("ward")


def test_whatever_form_data_has_people_can_be_stated() -> None:
    for data in (VISITS, Table.from_frame(VISITS), Table.from_frame(VISITS, person="patient")):
        table = as_table(data, person="patient")
        assert table.people is not None
        assert table.people.n_people == 3


def test_the_unit_is_what_was_stated() -> None:
    table = Table.from_frame({"ward": ["a", "b"], "id": ["x", "y"]})
    assert unit_of(table) == "one row"
    assert unit_of(table.stating(one_row_per_person=True)) == "one person, who has one row"
    assert unit_of(table.with_person("id")) == "one person, who may have several rows"


def test_a_release_does_not_know_whose_its_rows_are() -> None:
    claim = Guarantee(
        model="k-anonymity", parameters={"k": 1}, unit="one row", columns=("ward",),
        not_protected=("What a class has in common.",),
    )  # fmt: skip
    table = Table.from_frame(VISITS, person="patient", columns=["ward"])
    assert Release(data=table, guarantee=claim).data.people is None


def test_a_file_is_read_with_its_people(tmp_path: Path) -> None:
    path = tmp_path / "visits.csv"
    path.write_text("patient,ward\np1,a\np1,b\np2,a\n")
    table = dc.read_table(path, person="patient")
    assert table.columns == ("ward",)
    assert table.people is not None
    assert table.people.n_people == 2
    assert repr(table) == "Table of 3 rows of 2 people and 1 column: ward (2 values)"
    assert dc.read_table(path, one_row_per_person=True).one_row_per_person


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(-1, 3)), max_size=30))
def test_people_of_groups_are_counted_once(rows: list[tuple[int, int]]) -> None:
    people = People.of("who", np.array([person for person, _ in rows], np.int64))
    counted = people.count(np.array([group for _, group in rows], np.int64), 4)
    expected = [len({person for person, at in rows if at == group}) for group in range(4)]
    assert counted.tolist() == expected
