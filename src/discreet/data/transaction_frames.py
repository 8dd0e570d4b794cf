"""Transactions from and to dataframes of any library.

Frames come in through the Arrow PyCapsule interface (polars, pandas, pyarrow, duckdb) or
narwhals, and leave in the kind asked for. Nothing is converted between text and numbers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias, cast, get_args

import narwhals.stable.v2 as nw
import numpy as np
import polars as pl

from discreet import checks
from discreet.data.item_sets import check_labels, sort_labels
from discreet.data.people import People
from discreet.errors import DataError, ParameterError, did_you_mean

if TYPE_CHECKING:
    from narwhals.typing import IntoDataFrame
    from numpy.typing import NDArray

    from discreet.data.item_sets import Label, Labels

FrameKind: TypeAlias = Literal["polars", "pandas", "pyarrow"]
KINDS = get_args(FrameKind)


class Csr(NamedTuple):
    """Offsets, codes and labels, as `Transactions.from_csr` takes them."""

    offsets: NDArray[np.int64]
    items: NDArray[np.signedinteger]
    labels: Labels


def csr_of_lists(frame: object, column: str) -> Csr:
    """Return the lists of one column as offsets, codes and labels."""
    lists = _column(as_polars(frame), column)
    if not isinstance(lists.dtype, (pl.List, pl.Array)):
        raise DataError(
            f"Column '{column}' holds {lists.dtype}, not lists of items; for one item a row use "
            "from_long, for boolean columns from_onehot.",
            column=column,
        )
    if isinstance(lists.dtype, pl.Array):
        lists = lists.arr.to_list()
    _refuse_nulls(lists, f"Column '{column}'", "an empty list stands for no items")
    sizes = lists.list.len().to_numpy()
    offsets = np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)])
    items = lists.filter(lists.list.len() > 0).explode()
    if items.null_count():
        place = int(np.searchsorted(offsets, items.is_null().arg_true()[0], side="right")) - 1
        raise DataError(
            f"Column '{column}', row {place}: a missing item; drop it or name it.", column=column
        )
    return Csr(offsets, *_encode(items, column))


def csr_of_long(frame: object, identifier: str, item: str) -> Csr:
    """Return one transaction for each identifier, in order of first appearance."""
    rows = as_polars(frame)
    who, what = _column(rows, identifier), _column(rows, item)
    _refuse_nulls(who, f"Column '{identifier}'", "every row needs its transaction")
    _refuse_nulls(what, f"Column '{item}'", "drop the row or name the item")
    codes, labels = _encode(what, item)
    pairs = pl.DataFrame({"who": who, "code": codes})
    grouped = pairs.group_by("who", maintain_order=True).agg(pl.col("code"))["code"]
    offsets = np.concatenate([[0], np.cumsum(grouped.list.len().to_numpy(), dtype=np.int64)])
    flat = grouped.explode().to_numpy() if grouped.len() else codes
    return Csr(offsets, flat, labels)


def people_of_lists(frame: object, person: str) -> People:
    """Return whose each row is."""
    return _people(person, _column(as_polars(frame), person))


def people_of_long(frame: object, identifier: str, person: str) -> People:
    """Return whose each transaction is, in the order of :func:`csr_of_long`.

    Raises
    ------
    DataError
        If rows of one transaction are of two people.
    """
    rows = as_polars(frame)
    pairs = pl.DataFrame({"id": _column(rows, identifier), "who": _column(rows, person)})
    _refuse_nulls(pairs["who"], f"Column '{person}'", "fill in who it is")
    of = pairs.group_by("id", maintain_order=True).agg(
        pl.col("who").first(), n=pl.col("who").n_unique()
    )
    several = of.filter(pl.col("n") > 1)
    if several.height:
        raise DataError(
            f"Transaction {several['id'][0]!r} of column '{identifier}' is of "
            f"{several['n'][0]} people in column '{person}'.",
            column=person,
            remedy="A transaction is of one person: correct the column, or name another.",
        )
    return _people(person, of["who"])


def _people(name: str, who: pl.Series) -> People:
    """Return the people that a column names."""
    _refuse_nulls(who, f"Column '{name}'", "fill in who it is")
    return People.of(name, who.rank("dense").to_numpy().astype(np.int64))


def csr_of_onehot(frame: object) -> Csr:
    """Return one transaction for each row, with the items whose column is true."""
    rows = _eager(frame)
    for column in rows.iter_columns():
        if column.dtype != nw.Boolean:
            raise DataError(
                f"Column {column.name!r} holds {column.dtype}, not booleans; compare it with a "
                "value, such as column == 1, or leave it out.",
                column=column.name,
            )
        if column.null_count():
            place = column.is_null().arg_true()[0]
            raise DataError(
                f"Column {column.name!r}, row {place}: missing; fill it with False.",
                column=column.name,
            )
    # pandas allows any label as a column name, and narwhals hands it on.
    labels = check_labels(rows.columns)
    matrix = np.zeros((len(rows), len(labels)), dtype=np.bool_)
    for place, column in enumerate(rows.iter_columns()):
        matrix[:, place] = column.to_numpy()
    which, codes = np.nonzero(matrix)
    offsets = np.searchsorted(which, np.arange(len(rows) + 1))
    return Csr(offsets, codes, labels)


def csr_of_frame(frame: object) -> Csr:
    """Return the transactions of a frame that shows its form: one list column, or booleans.

    Examples
    --------
    >>> csr_of_frame(pl.DataFrame({"basket": [["tea"], []]})).offsets.tolist()
    [0, 1, 1]
    """
    rows = as_polars(frame)
    if rows.width == 1 and isinstance(rows.dtypes[0], pl.List | pl.Array):
        return csr_of_lists(rows, rows.columns[0])
    if rows.width and all(isinstance(dtype, pl.Boolean) for dtype in rows.dtypes):
        return csr_of_onehot(rows)
    raise DataError(
        "A frame is taken for transactions if it has one column of lists, or only columns of "
        "booleans. Make transactions of another frame with Transactions.from_long, from_frame "
        "or from_onehot."
    )


def lists_frame(sets: Csr, kind: FrameKind) -> object:
    """Return one list column, ``items``."""
    labels = _labels(sets)
    pairs = pl.DataFrame({"t": _rows(sets), "items": labels.gather(sets.items)})
    grouped = pairs.group_by("t", maintain_order=True).agg(pl.col("items"))
    places = pl.DataFrame({"t": np.arange(len(sets.offsets) - 1)})
    whole = places.join(grouped, on="t", how="left", maintain_order="left")
    empty = pl.lit(pl.Series([[]], dtype=pl.List(labels.dtype))).first()
    return _as_kind(whole.select(pl.col("items").fill_null(empty)), kind)


def long_frame(sets: Csr, kind: FrameKind) -> object:
    """Return a row for each occurrence: ``transaction`` and ``item``."""
    items = _labels(sets).gather(sets.items)
    return _as_kind(pl.DataFrame({"transaction": _rows(sets), "item": items}), kind)


def onehot_frame(sets: Csr, kind: FrameKind) -> object:
    """Return a boolean column for each item."""
    matrix = np.zeros((len(sets.labels), (len(sets.offsets) - 1)), dtype=np.bool_)
    matrix[sets.items, _rows(sets)] = True
    names = map(str, sets.labels)
    return _as_kind(pl.DataFrame(dict(zip(names, matrix, strict=True))), kind)


def as_polars(frame: object) -> pl.DataFrame:
    """Return any dataframe as a polars one.

    Examples
    --------
    >>> import pyarrow as pa
    >>> as_polars(pa.table({"a": [1]})).shape
    (1, 1)
    """
    if isinstance(frame, pl.DataFrame):
        return frame
    if isinstance(frame, pl.LazyFrame):
        return frame.collect()
    if hasattr(frame, "__arrow_c_stream__"):
        try:
            return pl.DataFrame(frame)
        except Exception as error:
            # pandas and its Arrow converter raise their own kinds for unconvertible objects.
            raise DataError(
                f"The frame cannot be read through Arrow: {error}. Give every column one kind "
                f"of value, or pass Transactions.from_iterable a list of sets."
            ) from error
    return _eager(frame).to_polars()


def _eager(frame: object) -> nw.DataFrame[IntoDataFrame]:
    if isinstance(frame, pl.LazyFrame):
        frame = frame.collect()
    try:
        return nw.from_native(cast("IntoDataFrame", frame), eager_only=True)
    except TypeError:
        if hasattr(frame, "__arrow_c_stream__"):
            return nw.from_native(as_polars(frame), eager_only=True)
        raise DataError(
            f"{type(frame).__name__} is not a dataframe; give one of polars, pandas, pyarrow or "
            f"duckdb, or pass Transactions.from_iterable a list of sets."
        ) from None


def _column(frame: pl.DataFrame, name: str) -> pl.Series:
    if name not in frame.columns:
        raise DataError(
            f"There is no column {name!r}.",
            column=name,
            remedy=did_you_mean(str(name), frame.columns),
        )
    return frame[name]


def _refuse_nulls(column: pl.Series, where: str, advice: str) -> None:
    if column.null_count():
        raise DataError(f"{where}, row {column.is_null().arg_true()[0]}: missing; {advice}.")


def _encode(items: pl.Series, column: str) -> tuple[NDArray[np.int64], Labels]:
    """Return codes into sorted labels, and the labels."""
    dtype = items.dtype
    is_empty = isinstance(dtype, pl.Null) and items.len() == 0
    if is_empty or isinstance(dtype, (pl.Categorical, pl.Enum)):
        items = items.cast(pl.String)
    elif not (dtype.is_integer() or isinstance(dtype, pl.String)):
        raise DataError(
            f"Column '{column}' holds items of kind {dtype}; cast them to text or integers.",
            column=column,
        )
    found: list[Label] = items.unique().to_list()
    labels = sort_labels(found)
    table = pl.DataFrame(
        {"item": pl.Series(labels, dtype=items.dtype), "code": np.arange(len(labels))}
    )
    coded = pl.DataFrame({"item": items}).join(table, on="item", how="left", maintain_order="left")
    return coded["code"].to_numpy(), labels


def _labels(sets: Csr) -> pl.Series:
    is_text = any(isinstance(label, str) for label in sets.labels)
    return pl.Series(sets.labels, dtype=pl.String if is_text else pl.Int64)


def _rows(sets: Csr) -> NDArray[np.int64]:
    return np.repeat(np.arange(len(sets.offsets) - 1), np.diff(sets.offsets))


def _as_kind(frame: pl.DataFrame, kind: FrameKind) -> object:
    checks.one_of("kind", kind, KINDS)
    if kind == "polars":
        return frame
    try:
        return frame.to_pandas() if kind == "pandas" else frame.to_arrow()
    except ImportError as error:
        raise ParameterError(f"A {kind} frame needs {kind} and pyarrow: {error}.") from error
