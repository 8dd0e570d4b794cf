"""Codes, values, roles, missing values and the rule for numbers."""

from __future__ import annotations

import pickle
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.data.table import Table
from discreet.errors import DataError, ParameterError

if TYPE_CHECKING:
    from collections.abc import Callable

PEOPLE = Table.from_frame(
    {"sex": ["f", "m", None, "f"], "age": [31, 40, 31, 25], "ill": ["flu", "flu", "cold", "flu"]},
    roles={"ill": "sensitive"},
)


def test_codes_and_values() -> None:
    assert PEOPLE.columns == ("sex", "age", "ill")
    assert (PEOPLE.n_rows, PEOPLE.n_columns, len(PEOPLE)) == (4, 3, 4)
    assert PEOPLE.values("sex") == ("f", "m", None)
    assert PEOPLE.codes("sex").tolist() == [0, 1, 2, 0]
    assert PEOPLE.values("age") == (25, 31, 40)
    assert PEOPLE.codes("age").dtype == np.uint8


@pytest.mark.parametrize(("n", "kind"), [(256, np.uint8), (257, np.uint16), (65_537, np.uint32)])
def test_codes_have_the_smallest_type(n: int, kind: type) -> None:
    table = Table.from_frame({"a": np.arange(n)}, categorical={"a"})
    assert table.codes("a").dtype == kind
    assert table.to_frame()["a"].to_list() == list(range(n))


@pytest.mark.parametrize("n", [254, 255, 256, 65_535, 65_536])
def test_missing_at_the_edges_of_a_type(n: int) -> None:
    values = [f"{i:05d}" for i in range(n)] + [None]
    table = Table.from_frame({"a": values})
    assert table.values("a")[-1] is None
    assert table.to_frame()["a"].to_list() == values


def test_nothing_can_be_changed() -> None:
    with pytest.raises(ValueError, match="read-only"):
        PEOPLE.codes("sex")[0] = 1
    with pytest.raises(AttributeError):
        PEOPLE.n_rows = 3  # type: ignore[misc]
    with pytest.raises(TypeError):
        PEOPLE.roles["sex"] = "quasi"  # type: ignore[index]
    given = np.array([0, 1])
    table = Table.from_codes({"a": given}, {"a": ["x", "y"]})
    given[0] = 1
    assert table.codes("a").tolist() == [0, 1]


def test_pickled_copy_is_equal_and_read_only() -> None:
    copy = pickle.loads(pickle.dumps(PEOPLE))  # noqa: S301
    assert copy == PEOPLE
    assert not copy.codes("sex").flags.writeable


def test_roles() -> None:
    assert PEOPLE.quasi == ("sex", "age")
    assert PEOPLE.sensitive == ("ill",)
    changed = PEOPLE.with_roles({"sex": "insensitive"}, age="identifying")
    assert (changed.insensitive, changed.identifying) == (("sex",), ("age",))
    assert changed.role("ill") == "sensitive"
    assert PEOPLE.role("sex") == "quasi"


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: PEOPLE.codes("sexx"),
        lambda: PEOPLE.values("sexx"),
        lambda: PEOPLE.role("sexx"),
        lambda: PEOPLE.select(["sexx"]),
        lambda: PEOPLE.with_roles(sexx="quasi"),
        lambda: Table.from_frame({"sex": ["f"]}, columns=["sexx"]),
        lambda: Table.from_frame({"sex": ["f"]}, bins={"sexx": 3}),
        lambda: Table.from_frame({"sex": ["f"]}, categorical={"sexx"}),
        lambda: Table.from_frame({"sex": ["f"]}, roles={"sexx": "quasi"}),
    ],
)
def test_unknown_columns_bring_a_hint(wrong: Callable[[], object]) -> None:
    with pytest.raises(ParameterError, match="Did you mean 'sex'"):
        wrong()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"missing": "dropp"}, "Did you mean 'drop'"),
        ({"roles": {"sex": "quasy"}}, "Did you mean 'quasi'"),
        ({"columns": "sex"}, "list of names"),
        ({"columns": ["sex", "sex"]}, "twice"),
        ({"categorical": "sex"}, "set of names"),
        ({"bins": {"sex": 2}, "categorical": {"sex"}}, "choose one"),
        ({"bins": {"sex": "x"}}, "bins of column 'sex'"),
    ],
)
def test_wrong_options(options: dict[str, Any], words: str) -> None:
    with pytest.raises(ParameterError, match=words):
        Table.from_frame({"sex": ["f"]}, **options)


def test_select_and_take() -> None:
    assert PEOPLE.select(["ill", "sex"]).columns == ("ill", "sex")
    assert PEOPLE.select(["ill"]).sensitive == ("ill",)
    taken = PEOPLE.take([3, 0])
    assert taken.to_frame()["age"].to_list() == [25, 31]
    assert taken.values("sex") == ("f",)
    assert PEOPLE.take(np.array([True, False, False, True])) == PEOPLE.take([0, 3])
    assert PEOPLE.take([]).n_rows == 0
    for rows in ([4], [True], ["x"], [[0]], [0.5]):
        with pytest.raises(ParameterError, match="Rows are positions"):
            PEOPLE.take(rows)


def test_missing_drop_and_refuse() -> None:
    frame = {"a": ["x", None, "y"], "b": [None, "p", "q"]}
    dropped = Table.from_frame(frame, missing="drop")
    assert (dropped.n_rows, dropped.n_dropped) == (1, 2)
    assert dropped.values("a") == ("y",)
    with pytest.raises(DataError, match=r"Column 'a' has 1 missing values, the first in row 1"):
        Table.from_frame(frame, missing="refuse")
    chosen = Table.from_frame(frame, missing="drop", columns=["a"])
    assert chosen.n_dropped == 1


def test_nan_is_missing() -> None:
    table = Table.from_frame(pl.DataFrame({"a": [1.5, float("nan"), None]}), categorical=True)
    assert table.values("a") == (1.5, None)


@pytest.mark.parametrize("dtype", [pl.Float64, pl.Float32])
def test_a_zero_has_no_minus_sign(dtype: type[pl.DataType]) -> None:
    frame = pl.DataFrame({"a": pl.Series([-0.0, 0.0, -0.0, 1.5], dtype=dtype)})
    table = Table.from_frame(frame, categorical=True)
    made = Table.from_codes({"a": [0, 1, 0]}, {"a": [-0.0, 1.5]}, like=table)
    for each in (table, made):
        assert np.signbit(np.array(each.values("a"), float)).tolist() == [False, False]
        assert each.to_frame().schema == frame.schema
        assert not np.signbit(each.to_frame()["a"].to_numpy()).any()


def test_measurements_must_be_binned_and_are_all_named() -> None:
    frame = {"age": np.arange(65), "height": np.arange(65) / 2, "code": np.arange(65) % 64}
    with pytest.raises(DataError, match=r"'age' \(65 distinct whole.*'height' \(65 distinct dec"):
        Table.from_frame(frame)
    table = Table.from_frame(frame, bins={"age": 20}, roles={"height": "identifying"})
    assert table.values("age") == ("[0, 20)", "[20, 40)", "[40, 60)", "[60, 80)")
    assert len(table.values("code")) == 64
    assert Table.from_frame(frame, categorical=True).values("age")[64] == 64


def test_bins_on_text_are_refused() -> None:
    with pytest.raises(DataError, match="'sex' does not hold numbers"):
        Table.from_frame({"sex": ["f"]}, bins={"sex": 5})


def test_from_codes_keeps_order_and_leaves_out_what_does_not_occur() -> None:
    table = Table.from_codes({"a": [3, 1, 3]}, {"a": [None, "low", "mid", "high"]})
    assert table.values("a") == ("low", "high")
    table = Table.from_codes({"a": [0, 1]}, {"a": [None, "x"]})
    assert table.values("a") == ("x", None)
    assert table.codes("a").tolist() == [1, 0]


def test_from_codes_like_another_table() -> None:
    frame = pl.DataFrame({"a": pl.Series([1, 2], dtype=pl.Int8), "b": ["x", "y"]})
    table = Table.from_frame(frame, roles={"b": "sensitive"})
    again = Table.from_codes(
        {name: table.codes(name) for name in table.columns},
        {name: table.values(name) for name in table.columns},
        like=table,
    )
    assert again == table
    assert again.to_frame().equals(frame)
    assert again.to_frame().schema == frame.schema


@pytest.mark.parametrize(
    ("codes", "values", "words"),
    [
        ([0, 2], ["x", "y"], "code 2 in row 1"),
        ([-1], ["x"], "code -1 in row 0"),
        ([0.5], ["x"], "whole numbers"),
        ([[0]], ["x"], "whole numbers"),
        ([0], ["x", 1], "mixes str"),
        ([0], ["x", "x"], "both read 'x'"),
        ([0], [object()], "cannot be a category"),
        ([0], [float("nan")], "the label NaN"),
        ([0], [Decimal("NaN")], "the label NaN"),
    ],
)
def test_from_codes_refuses(codes: list[int], values: list[Any], words: str) -> None:
    with pytest.raises(DataError, match=words):
        Table.from_codes({"a": codes}, {"a": values})


def test_from_codes_refuses_unequal_columns() -> None:
    with pytest.raises(DataError, match="different numbers of rows"):
        Table.from_codes({"a": [0], "b": [0, 0]}, {"a": ["x"], "b": ["y"]})
    with pytest.raises(DataError, match="no values"):
        Table.from_codes({"a": [0]}, {})
    with pytest.raises(DataError, match="2 codes for 4 rows"):
        PEOPLE.with_column("sex", [0, 0], ["f"])


def test_equality_tells_types_apart() -> None:
    one = Table.from_frame({"a": [1]})
    assert one != Table.from_frame({"a": [True]})
    assert one != Table.from_frame({"b": [1]})
    assert one != one.with_roles(a="sensitive")
    assert one != "one"
    with pytest.raises(TypeError, match="unhashable"):
        hash(PEOPLE)


def test_shown() -> None:
    assert repr(PEOPLE).startswith("Table of 4 rows and 3 columns: sex (3 values), age")
    wide = Table.from_frame({f"c{i}": ["x"] for i in range(30)})
    assert "and 22 more" in repr(wide)
    shown = Table.from_frame({"<b>": ["<script>alert(1)</script>", None]})._repr_html_()
    assert "<script>" not in shown
    assert "<b>" not in shown
    assert "&lt;script&gt;" in shown


@given(st.lists(st.one_of(st.none(), st.text(max_size=4)), max_size=30))
def test_any_text_column_comes_back(values: list[str | None]) -> None:
    table = Table.from_frame({"a": values})
    labels = table.values("a")
    assert [labels[code] for code in table.codes("a").tolist()] == values
    present = [label for label in labels if label is not None]
    assert present == sorted(set(values) - {None})  # type: ignore[type-var]
    assert table.to_frame()["a"].to_list() == values


@pytest.mark.parametrize("kind", ["polars", "pandas", "pyarrow"])
def test_a_column_comes_as_the_kind_of_frame_has_it(kind: Any) -> None:  # noqa: ANN401
    table = Table.from_frame(PEOPLE.to_frame(kind), roles=PEOPLE.roles)
    column = table["age"]
    assert type(column) is type(table.to_frame()["age"])
    labels = column.to_pylist() if kind == "pyarrow" else list(column)
    assert labels == [31, 40, 31, 25]


def test_a_column_of_a_duckdb_relation() -> None:
    duckdb = pytest.importorskip("duckdb")
    given = PEOPLE.to_polars()  # noqa: F841  duckdb finds it by name
    table = Table.from_frame(duckdb.sql("SELECT * FROM given"))
    assert table["age"].fetchall() == [(31,), (40,), (31,), (25,)]


def test_several_columns_are_a_table_with_their_roles() -> None:
    assert PEOPLE[["ill", "sex"]] == PEOPLE.select(["ill", "sex"])
    assert PEOPLE["ill",] == PEOPLE.select(["ill"])


@pytest.mark.parametrize("wrong", [0, slice(2), None, np.array([True] * 4), {"sex"}])
def test_brackets_take_names_only(wrong: Any) -> None:  # noqa: ANN401
    with pytest.raises(ParameterError, match=r"take and head"):
        PEOPLE[wrong]


def test_brackets_know_misspelt_names() -> None:
    with pytest.raises(ParameterError, match="Did you mean 'age'"):
        PEOPLE["agee"]
    with pytest.raises(ParameterError, match="Did you mean 'age'"):
        PEOPLE[["sex", "agee"]]


def test_a_table_is_not_iterated_over() -> None:
    with pytest.raises(TypeError, match="not iterable"):
        list(PEOPLE)  # type: ignore[call-overload]
    with pytest.raises(TypeError):
        "sex" in PEOPLE  # type: ignore[operator]  # noqa: B015


def test_head() -> None:
    assert PEOPLE.head() == PEOPLE
    assert PEOPLE.head(2) == PEOPLE.take([0, 1])
    assert PEOPLE.head(0).n_rows == 0
    for wrong in (-1, 2.0, True):
        with pytest.raises(ParameterError, match=r"^n="):
            PEOPLE.head(wrong)  # type: ignore[arg-type]


def test_frames_by_name() -> None:
    assert PEOPLE.to_polars().equals(PEOPLE.to_frame("polars"))
    assert PEOPLE.to_pandas().equals(PEOPLE.to_frame("pandas"))
