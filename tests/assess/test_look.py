"""The first look."""

from __future__ import annotations

import json

import discreet as dc


def test_unique_rows_and_combinations_of_a_table() -> None:
    people = dc.Table.from_frame(
        {"sex": ["f", "f", "f", "m", "m", "m"], "job": ["a", "a", "b", "b", "b", "a"]}
    )
    seen = dc.look(people)
    assert (seen.n_rows, seen.n_distinct, seen.n_unique) == (6, 4, 2)
    assert seen.n_combinations == 2
    assert seen.n_combinations_by_size == (0, 0, 2)
    (combination,) = seen.combinations
    assert combination.columns == ("sex", "job")
    assert str(combination) == "only 1 row has sex=f and job=b (and 1 more by sex + job)"


def test_theta_counts_small_groups() -> None:
    people = dc.Table.from_frame({"job": ["a", "a", "b", "b", "b"]})
    assert dc.look(people).n_combinations == 0
    seen = dc.look(people, theta=2)
    assert str(seen.combinations[0]) == "only 2 rows have job=a"
    assert "at most 2 records" in seen.sentence


def test_identifying_columns_are_left_out_of_combinations() -> None:
    people = dc.Table.from_frame({"id": [str(i) for i in range(50)], "sex": ["f", "m"] * 25})
    seen = dc.look(people)
    assert [column.role for column in seen.columns] == ["identifying", "quasi"]
    assert seen.n_combinations == 0


def test_transactions() -> None:
    seen = dc.look(dc.Transactions.from_iterable([{1, 2}, {1, 2}, {1, 3}, set()]))
    assert (seen.n_rows, seen.n_distinct, seen.n_unique) == (4, 3, 2)
    assert [str(combination) for combination in seen.combinations] == ["only 1 row has 3"]
    assert seen.columns == ()


def test_missing_values_are_counted() -> None:
    seen = dc.look({"job": ["a", None, "a"]})
    assert [(c.n_values, c.n_missing, c.most_common) for c in seen.columns] == [(2, 1, "a")]


def test_empty_table() -> None:
    seen = dc.look({"job": []})
    assert (seen.n_rows, seen.n_unique, seen.n_combinations) == (0, 0, 0)


def test_json_and_plot() -> None:
    seen = dc.look(dc.datasets.census(300))
    assert json.loads(json.dumps(seen.to_dict()))["n_rows"] == 300
    (rows,) = seen.plot().to_dict()["datasets"].values()
    assert [row["combinations"] for row in rows] == list(seen.n_combinations_by_size[1:])


def test_numbers_with_many_values_are_to_be_cut() -> None:
    table = dc.Table.from_frame({"weight": list(range(70)) * 3}, categorical=True)
    assert dc.look(table).columns[0].reason.endswith("numbers: cut them into bins")
