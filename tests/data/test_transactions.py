from __future__ import annotations

import pickle
import subprocess
import sys
from typing import TYPE_CHECKING, Any, TypeAlias

import duckdb
import numpy as np
import pandas as pd  # type: ignore[import-untyped]
import polars as pl
import pyarrow as pa  # type: ignore[import-untyped]
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.data.transactions import Transactions
from discreet.errors import DataError, ParameterError

if TYPE_CHECKING:
    from collections.abc import Callable

Wrong: TypeAlias = Any  # of the wrong kind on purpose
int_sets = st.lists(st.lists(st.integers(-(2**63), 2**63 - 1), max_size=6), max_size=8)
text_sets = st.lists(st.lists(st.text(max_size=3), max_size=6), max_size=8)
any_sets = int_sets | text_sets
small_sets = st.lists(st.lists(st.integers(0, 5), max_size=8), max_size=8)


@given(any_sets)
def test_iteration_gives_back_the_sets(sets: list[list[Any]]) -> None:
    transactions = Transactions.from_iterable(sets)
    assert list(transactions) == [frozenset(items) for items in sets]
    assert [transactions[i] for i in range(len(sets))] == [frozenset(items) for items in sets]
    assert transactions.labels == tuple(sorted({item for items in sets for item in items}))
    assert transactions.n_repeated == sum(len(items) - len(set(items)) for items in sets)


@given(small_sets)
def test_codes_ascend_and_counts_agree(sets: list[list[int]]) -> None:
    transactions = Transactions.from_iterable(sets)
    for start, end in zip(transactions.offsets, transactions.offsets[1:], strict=False):
        assert (np.diff(transactions.items[start:end]) > 0).all()
    assert transactions.sizes.tolist() == [len(set(items)) for items in sets]
    assert transactions.supports.tolist() == [
        sum(label in items for items in sets) for label in transactions.labels
    ]
    assert transactions.n_transactions == len(transactions) == len(sets)
    assert transactions.n_items == len(transactions.labels)
    assert transactions.offsets.dtype == np.int64
    assert transactions.items.dtype == np.int32


@given(small_sets)
def test_order_of_items_does_not_matter(sets: list[list[int]]) -> None:
    assert Transactions.from_iterable(sets) == Transactions.from_iterable(
        [items[::-1] for items in sets]
    )


@given(small_sets, st.data())
def test_take_is_like_a_list(sets: list[list[int]], data: st.DataObject) -> None:
    transactions = Transactions.from_iterable(sets)
    places = data.draw(st.lists(st.integers(0, len(sets) - 1), max_size=5)) if sets else []
    assert list(transactions.take(places)) == [frozenset(sets[i]) for i in places]
    mask = data.draw(st.lists(st.booleans(), min_size=len(sets), max_size=len(sets)))
    kept = transactions.take(np.array(mask, dtype=bool))
    assert list(kept) == [frozenset(s) for s, keep in zip(sets, mask, strict=True) if keep]
    assert kept.labels == transactions.labels
    assert list(transactions[::-2]) == [frozenset(items) for items in sets[::-2]]


@pytest.mark.parametrize("which", [[5], [-4], [0.5], [[0]], "a", [True]])
def test_take_refuses_what_is_not_there(which: Wrong) -> None:
    with pytest.raises(ParameterError):
        Transactions.from_iterable([[1], [2], [3]]).take(which)


def test_index_past_the_end() -> None:
    with pytest.raises(IndexError):
        Transactions.from_iterable([[1]])[1]


def test_arrays_cannot_be_changed() -> None:
    transactions = Transactions.from_iterable([[1, 2]])
    with pytest.raises(ValueError, match="read-only"):
        transactions.items[0] = 1
    with pytest.raises(ValueError, match="read-only"):
        transactions.offsets[0] = 1
    with pytest.raises(AttributeError):
        transactions.labels = (1,)  # type: ignore[misc]


def test_from_csr_leaves_its_input_alone() -> None:
    items = np.array([1, 0], dtype=np.int32)
    transactions = Transactions.from_csr(np.array([0, 2]), items, ["a", "b"])
    items[:] = 0
    assert transactions[0] == {"a", "b"}
    sorted_items = np.array([0, 1], dtype=np.int32)
    transactions = Transactions.from_csr(np.array([0, 2]), sorted_items, ["a", "b"])
    sorted_items[:] = 0
    assert transactions[0] == {"a", "b"}


@pytest.mark.parametrize(
    ("offsets", "items", "labels", "match"),
    [
        ([], [], [], "start at 0"),
        ([1, 2], [0, 0], ["a"], "start at 0"),
        ([0, 1], [0, 0], ["a"], "end at 2"),
        ([0, 2, 1, 2], [0, 0], ["a"], "never fall"),
        ([0, 1], [1], ["a"], "codes from 0 to 0"),
        ([0, 1], [-1], ["a"], "codes from 0 to 0"),
        ([0, 1], [0.5], ["a"], "flat array of integers"),
        ([0, 1], [[0]], ["a"], "flat array of integers"),
        ([0, 1], [0], ["a", "a"], "'a' stands twice"),
        ([0, 1], [0], ["a", 1], "both numbers and text"),
        ([0, 1], [0], [1.5], "neither text nor an integer"),
        ([0, 1], [0], [True], "neither text nor an integer"),
        ([0, 1], [0], [None], "neither text nor an integer"),
        ([0, 1], [0], [2**63], "64 bits"),
        ([0, 1], [0], "a", "not one string"),
    ],
)
def test_from_csr_says_what_does_not_fit(
    offsets: Wrong, items: Wrong, labels: Wrong, match: str
) -> None:
    with pytest.raises(DataError, match=match):
        Transactions.from_csr(offsets, items, labels)


@pytest.mark.parametrize(
    ("sets", "match"),
    [
        ("abc", "not one string"),
        (["abc"], r"Transaction 0 is 'abc'.*write \['abc'\]"),
        ([[1], b"abc"], "Transaction 1"),
        ([1, 2], "Transaction 0 is 1"),
        ([[1], [2.5]], "Transaction 1: 2.5"),
        ([[None]], "Transaction 0: None"),
        ([[1, "a"]], "both numbers and text"),
        ([[float("nan")]], "nan"),
    ],
)
def test_from_iterable_refuses_common_mistakes(sets: Wrong, match: str) -> None:
    with pytest.raises(DataError, match=match):
        Transactions.from_iterable(sets)


def test_numpy_integers_are_integers() -> None:
    transactions = Transactions.from_iterable([np.array([3, 1], dtype=np.uint8)])
    assert transactions.labels == (1, 3)
    assert all(type(label) is int for label in transactions.labels)


def test_equality_pickle_hash_and_repr() -> None:
    one = Transactions.from_iterable([["a"], []])
    assert one == pickle.loads(pickle.dumps(one))  # noqa: S301 - our own
    assert one != Transactions.from_iterable([["a"]])
    assert one != Transactions.from_iterable([["b"], []])
    assert one != [frozenset("a"), frozenset()]
    with pytest.raises(TypeError, match="unhashable"):
        hash(one)
    assert repr(one) == "Transactions: 2 transactions, 1 items, 1 occurrences, mean size 0.50"


def _duckdb(frame: pl.DataFrame) -> object:
    return duckdb.connect().from_arrow(frame.to_arrow())


MAKERS: list[Callable[[pl.DataFrame], object]] = [
    lambda frame: frame,
    lambda frame: frame.lazy(),
    lambda frame: frame.to_pandas(),
    lambda frame: frame.to_arrow(),
    _duckdb,
]
makers = pytest.mark.parametrize(
    "make", MAKERS, ids=["polars", "lazy", "pandas", "arrow", "duckdb"]
)


@makers
@pytest.mark.parametrize("items", [[["b", "a", "b"], [], ["c"]], [[3, 1, 3], [], [2]]])
def test_list_columns_of_every_library(
    make: Callable[[pl.DataFrame], object], items: list[list[Any]]
) -> None:
    frame = make(pl.DataFrame({"who": [1, 2, 3], "items": items}))
    assert Transactions.from_frame(frame, items="items") == Transactions.from_iterable(items)


@makers
def test_long_frames_of_every_library(make: Callable[[pl.DataFrame], object]) -> None:
    frame = make(pl.DataFrame({"who": ["x", "y", "x", "x"], "what": [5, 4, 3, 5]}))
    transactions = Transactions.from_long(frame, id="who", item="what")
    assert list(transactions) == [{3, 5}, {4}]
    assert transactions.n_repeated == 1


@makers
def test_onehot_frames_of_every_library(make: Callable[[pl.DataFrame], object]) -> None:
    frame = make(pl.DataFrame({"z": [True, False], "a": [True, False]}))
    transactions = Transactions.from_onehot(frame)
    assert list(transactions) == [{"a", "z"}, set()]
    assert transactions.labels == ("z", "a")


def test_pandas_lists_sets_and_numbered_columns() -> None:
    frame = pd.DataFrame({"items": [["a"], []]})
    assert list(Transactions.from_frame(frame, items="items")) == [{"a"}, set()]
    onehot = pd.DataFrame({10: [True, True], 20: [False, True]})
    assert list(Transactions.from_onehot(onehot)) == [{10}, {10, 20}]
    mixed = pd.DataFrame({"items": [["a", 1]]})
    with pytest.raises(DataError):
        Transactions.from_frame(mixed, items="items")


def test_categories_and_fixed_size_arrays() -> None:
    lists = pl.Series("items", [["a", "b"]], dtype=pl.List(pl.Categorical))
    assert list(Transactions.from_frame(lists.to_frame(), items="items")) == [{"a", "b"}]
    arrays = pl.Series("items", [[1, 2]], dtype=pl.Array(pl.Int8, 2))
    assert list(Transactions.from_frame(arrays.to_frame(), items="items")) == [{1, 2}]


@pytest.mark.parametrize("dtype", [pl.List(pl.String), pl.List(pl.Int32), pl.List(pl.Null)])
def test_frames_without_rows_or_items(dtype: pl.List) -> None:
    empty = pl.DataFrame({"items": pl.Series([], dtype=dtype)})
    assert len(Transactions.from_frame(empty, items="items")) == 0
    blank = pl.DataFrame({"items": pl.Series([[], []], dtype=dtype)})
    assert list(Transactions.from_frame(blank, items="items")) == [set(), set()]
    long = pl.DataFrame({"who": pl.Series([], dtype=pl.Int8), "what": pl.Series([], dtype=pl.Int8)})
    assert len(Transactions.from_long(long, id="who", item="what")) == 0


@pytest.mark.parametrize(
    ("frame", "match"),
    [
        (pl.DataFrame({"item": [[1]]}), "Did you mean 'item'"),
        (pl.DataFrame({"items": ["a b"]}), "not lists of items"),
        (pl.DataFrame({"items": [[1], None]}), "row 1: missing"),
        (pl.DataFrame({"items": [[1], [], [2, None]]}), "row 2: a missing item"),
        (pl.DataFrame({"items": [[1.5]]}), "Float64"),
        (pl.DataFrame({"items": [[True]]}), "Boolean"),
        (pa.table({"items": [[[1]]]}), "List"),
        (3, "int is not a dataframe"),
        ([[1, 2]], "list is not a dataframe"),
    ],
)
def test_from_frame_refuses(frame: object, match: str) -> None:
    with pytest.raises(DataError, match=match):
        Transactions.from_frame(frame, items="items")


@pytest.mark.parametrize(
    ("frame", "match"),
    [
        (pl.DataFrame({"who": [1, None], "what": ["a", "b"]}), "'who', row 1"),
        (pl.DataFrame({"who": [1, 2], "what": [None, "b"]}), "'what', row 0"),
        (pl.DataFrame({"who": [1], "item": ["a"]}), "no column 'what'"),
        (pl.DataFrame({"who": [1], "what": [0.5]}), "Float64"),
    ],
)
def test_from_long_refuses(frame: pl.DataFrame, match: str) -> None:
    with pytest.raises(DataError, match=match):
        Transactions.from_long(frame, id="who", item="what")


@pytest.mark.parametrize(
    ("frame", "match"),
    [
        (pl.DataFrame({"a": [True], "b": [1]}), "'b' holds Int64"),
        (pl.DataFrame({"a": [True, None]}), "'a', row 1: missing"),
        (pd.DataFrame([[True, True]], columns=["a", 1]), "both numbers and text"),
    ],
)
def test_from_onehot_refuses(frame: object, match: str) -> None:
    with pytest.raises(DataError, match=match):
        Transactions.from_onehot(frame)


@given(any_sets)
def test_frames_give_back_what_went_in(sets: list[list[Any]]) -> None:
    transactions = Transactions.from_iterable(sets)
    assert Transactions.from_frame(transactions.to_frame(), items="items") == transactions
    full = transactions.take(transactions.sizes > 0)
    long = full.to_long()
    assert list(Transactions.from_long(long, id="transaction", item="item")) == list(full)
    onehot = Transactions.from_onehot(transactions.to_onehot())
    if transactions.labels:
        assert list(onehot) == [frozenset(map(str, items)) for items in sets]


@pytest.mark.parametrize(("kind", "library"), [("pandas", pd.DataFrame), ("pyarrow", pa.Table)])
def test_frames_of_the_kind_asked_for(kind: Wrong, library: type) -> None:
    transactions = Transactions.from_iterable([["a"], [], ["b", "a"]])
    assert isinstance(transactions.to_long(kind), library)
    assert isinstance(transactions.to_onehot(kind), library)
    frame = transactions.to_frame(kind)
    assert isinstance(frame, library)
    assert Transactions.from_frame(frame, items="items") == transactions
    with pytest.raises(ParameterError, match="Did you mean 'pandas'"):
        transactions.to_frame("panda")  # type: ignore[arg-type]


def test_import_loads_numpy_only() -> None:
    code = (
        "import sys, discreet.data.transactions, discreet.data.files.fimi\n"
        "import discreet.data.hierarchy.tree\n"
        "import discreet.data.samples.draw, discreet.data.datasets\n"
        "print({'polars', 'pandas', 'pyarrow', 'narwhals', 'zstandard'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"
