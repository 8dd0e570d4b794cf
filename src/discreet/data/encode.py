"""Columns of a frame into codes: distinct values in order, bins for numbers, missing values.

Works on one column at a time, so that a file can be read column by column. Numbers that are
measurements are refused unless bins are given or the curator says that they are codes.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypedDict, TypeVar, get_args

import numpy as np
import polars as pl

from discreet import checks
from discreet.data.binning import apply_bins, as_bins, as_carried
from discreet.data.column import (
    MAX_DISTINCT_NUMBERS,
    STATED,
    Column,
    Missing,
    as_set_column,
    categories_of,
    check_labels,
    check_sets,
    make_column,
)
from discreet.data.people import people_of
from discreet.data.roles import check_roles
from discreet.errors import DataError, LimitError, ParameterError, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from numpy.typing import NDArray

    from discreet.data.binning import Bins, BinsLike, Carried
    from discreet.data.column import Label
    from discreet.data.frames import OpenFrame
    from discreet.data.people import People
    from discreet.data.roles import Role


T = TypeVar("T")

MAX_COLUMNS = 10_000  # taken at once; verify reads no release of more


@dataclass(frozen=True, slots=True, kw_only=True)
class Encoded:
    """The columns of a frame as codes, and how many of its rows were dropped."""

    columns: dict[str, Column]
    roles: dict[str, Role]
    n_rows: int
    n_dropped: int
    people: People | None
    carried: dict[str, Carried]


class EncodeOptions(TypedDict):
    """How the columns of a frame become codes; see ``Table.from_frame``."""

    roles: Mapping[str, str] | None
    missing: Missing
    bins: Mapping[str, BinsLike] | None
    categorical: Collection[str] | bool
    columns: Iterable[str] | None
    sets: Mapping[str, str] | None
    carried: Mapping[str, str] | None
    person: str | None


def encode_frame(
    frame: OpenFrame,
    *,
    roles: Mapping[str, str] | None,
    missing: Missing,
    bins: Mapping[str, BinsLike] | None,
    categorical: Collection[str] | bool,
    columns: Iterable[str] | None,
    sets: Mapping[str, str] | None,
    carried: Mapping[str, str] | None,
    person: str | None,
) -> Encoded:
    """Return the chosen columns as codes; see ``Table.from_frame`` for the rules."""
    # The column that names people does only that, whatever is said of it besides.
    names = tuple(name for name in check_columns(columns, frame.names) if name != person)
    check_width(names)
    roles, bins, sets = _without(person, roles), _without(person, bins), _without(person, sets)
    if not isinstance(categorical, bool | str):
        categorical = [name for name in categorical if name != person]
    people = _people(person, frame)
    treated = {name: as_carried(name, how) for name, how in _without(person, carried).items()}
    known_roles = check_roles({**dict.fromkeys(treated, "insensitive"), **roles}, names)
    checks.one_of("missing", missing, get_args(Missing))
    cuts = {name: as_bins(name, given) for name, given in bins.items()}
    codes_of = _check_categorical(names, categorical)
    for name in cuts:
        _check_known("bins are given", name, names)
        if name in codes_of and not isinstance(categorical, bool):
            raise ParameterError(
                f"Column '{name}' has bins and is declared categorical: choose one.",
                parameter="bins",
                column=name,
            )
    separators = _separators(names, sets, cuts)
    _check_carried(names, treated, [*cuts, *separators], known_roles)
    encoded: dict[str, Column] = {}
    measurements: dict[str, str] = {}
    for name in names:
        raw = frame.column(name)
        is_code = name in codes_of or name in separators or name in treated
        if isinstance(raw, pl.Series) and name not in cuts and not is_code:
            complaint = None if known_roles[name] == "identifying" else _measurement(raw)
            if complaint is not None:
                measurements[name] = complaint
        if not measurements:
            one = _encode(name, _numbers(name, raw, treated), cuts.get(name), frame)
            mark = separators.get(name)
            column = one if mark is None else as_set_column(name, one, mark)
            is_stated = missing == "stated" and name not in treated
            encoded[name] = _stated(name, column) if is_stated else column
        del raw
    if measurements:
        raise _not_binned(measurements)
    absent = _rows_to_drop(encoded, missing, frame)
    n_dropped = int(absent.sum())
    if n_dropped:
        encoded = {name: column.take(~absent) for name, column in encoded.items()}
        people = None if people is None else people.take(~absent)
    return Encoded(
        columns=encoded,
        roles=known_roles,
        n_rows=frame.n_rows - n_dropped,
        n_dropped=n_dropped,
        people=people,
        carried=treated,
    )


def _check_carried(
    names: tuple[str, ...],
    treated: Collection[str],
    cut: Collection[str],
    roles: Mapping[str, Role],
) -> None:
    """Raise ParameterError unless columns are there, and can be carried along."""
    for name in treated:
        _check_known("carried is set", name, names)
        if name in cut:
            raise ParameterError(
                f"Column '{name}' has bins or is a set column, and is to be carried along: choose "
                "one.",
                parameter="carried",
                column=name,
            )
        if roles[name] in ("quasi", "identifying"):
            raise ParameterError(
                f"Column '{name}' is to be carried along, and has the role '{roles[name]}'. What "
                "attackers may know is cut into bins; what is carried along is outside the claim.",
                parameter="carried",
                column=name,
                remedy="Give bins, or the role 'insensitive' or 'sensitive'.",
            )


def _numbers(name: str, raw: pl.Series | Column, treated: Collection[str]) -> pl.Series | Column:
    """Return a column; raise DataError if it is carried along and has no finite numbers."""
    if name not in treated:
        return raw
    if isinstance(raw, Column) or not (raw.dtype.is_numeric() or raw.dtype == pl.Null):
        raise DataError(
            f"Column '{name}' does not hold numbers, so it cannot be carried along as such.",
            column=name,
        )
    if raw.dtype.is_float() and raw.is_infinite().any():
        raise DataError(f"Column '{name}' has an infinite number.", column=name)
    return raw


def check_width(names: tuple[str, ...]) -> None:
    """Raise LimitError if there are too many columns to take at once."""
    if len(names) > MAX_COLUMNS:
        raise LimitError(
            f"There are {len(names):,} columns, and at most {MAX_COLUMNS:,} are taken at once.",
            parameter="columns",
            remedy="Name those to take: columns=[...] in Python, columns under [source] in a "
            "policy; or write them to a file of their own.",
        )


def _people(person: str | None, frame: OpenFrame) -> People | None:
    """Return whose the rows of a frame are, if a column says so."""
    if person is None:
        return None
    _check_known("person asks", person, frame.names)
    return people_of(person, _encode(person, frame.column(person), None, frame))


def _without(person: str | None, given: Mapping[str, T] | None) -> dict[str, T]:
    """Return what is said of columns, but for the one that names people."""
    return {name: value for name, value in (given or {}).items() if name != person}


def check_columns(columns: Iterable[str] | None, known: tuple[str, ...]) -> tuple[str, ...]:
    """Return the chosen columns, or all; each must be known and named once."""
    for name in known:
        if not name.strip():
            raise DataError(
                f"Column {known.index(name) + 1} has an empty name. Give every column a name."
            )
    repeated = _repeated(known)
    if repeated is not None:
        raise DataError(f"Two columns are named '{repeated}'. Rename one of them.")
    if columns is None:
        return known
    if isinstance(columns, str):
        raise ParameterError(
            f"columns is a list of names: use columns=['{columns}'].", parameter="columns"
        )
    chosen, there = tuple(columns), frozenset(known)
    for name in chosen:
        if name not in there:
            _check_known("columns asks", name, known)
    twice = _repeated(chosen)
    if twice is not None:
        raise ParameterError(
            f"Column '{twice}' is asked for twice.", parameter="columns", column=twice
        )
    return chosen


def _repeated(names: tuple[str, ...]) -> str | None:
    """Return the first name that stands there twice, or None."""
    return next((name for name, n_times in Counter(names).items() if n_times > 1), None)


def _check_known(what: str, name: str, known: Collection[str]) -> None:
    """Raise ParameterError unless the column is one of the known."""
    if name not in known:
        raise ParameterError(
            f"{what[0].upper()}{what[1:]} for column '{name}', which is not in the table.",
            parameter=what,
            column=name,
            remedy=did_you_mean(str(name), known),
        )


def _separators(
    names: tuple[str, ...], sets: Mapping[str, str] | None, cuts: Collection[str]
) -> dict[str, str]:
    """Return the set columns and their separators."""
    separators = check_sets(sets)
    for name in separators:
        _check_known("sets are given", name, names)
        if name in cuts:
            raise ParameterError(
                f"Column '{name}' has bins and is declared a set column: choose one.",
                parameter="sets",
                column=name,
            )
    return separators


def _check_categorical(names: tuple[str, ...], categorical: Collection[str] | bool) -> set[str]:  # noqa: FBT001
    """Return the columns whose numbers are codes."""
    if isinstance(categorical, bool):
        return set(names) if categorical else set()
    if isinstance(categorical, str):
        raise ParameterError(
            f"categorical is a set of names: use categorical={{'{categorical}'}}.",
            parameter="categorical",
        )
    for name in categorical:
        _check_known("categorical is set", name, names)
    return set(categorical)


def _measurement(series: pl.Series) -> str | None:
    """Say why a column must be binned, or return None if it can be taken as categories."""
    kind = series.dtype
    if kind.is_float() or kind.is_decimal():
        present = series.fill_nan(None) if kind.is_float() else series
        n_distinct = present.drop_nulls().n_unique()
        return f"{n_distinct} distinct decimal numbers" if n_distinct else None
    if kind.is_integer():
        n_distinct = series.drop_nulls().n_unique()
        if n_distinct > MAX_DISTINCT_NUMBERS:
            return f"{n_distinct} distinct whole numbers"
    return None


def _not_binned(measurements: dict[str, str]) -> DataError:
    """Return the error that says which columns to bin and how."""
    name = next(iter(measurements))
    named = ", ".join(f"'{column}' ({reason})" for column, reason in measurements.items())
    plural = len(measurements) > 1
    return DataError(
        f"{'Columns' if plural else 'Column'} {named} "
        f"{'hold' if plural else 'holds'} measurements, not categories.",
        parameter="bins",
        column=name,
        remedy=f"Say how to cut {'them' if plural else 'it'}: {{bins:edges}} for edges or "
        "{bins:steps} for steps; or, if the numbers are codes such as postcodes, declare "
        f"{{categorical}}. Whole numbers with at most {MAX_DISTINCT_NUMBERS} distinct values need "
        "neither.",
        options={
            "bins:edges": {name: [20, 40, 60]},
            "bins:steps": {name: 10},
            "categorical": {name},
        },
    )


def _encode(name: str, raw: pl.Series | Column, cut: Bins | None, frame: OpenFrame) -> Column:
    """Return one column as codes."""
    if cut is not None:
        if isinstance(raw, Column) or not (raw.dtype.is_numeric() or raw.dtype == pl.Null):
            raise DataError(
                f"Column '{name}' does not hold numbers, so it cannot be binned.", column=name
            )
        numbers = raw.cast(pl.Float64) if raw.null_count() or raw.dtype.is_decimal() else raw
        try:
            return apply_bins(numbers.to_numpy(), cut, where=frame.where)
        except DataError as error:
            raise DataError(f"Column '{name}': {error}", column=name) from None
    column = raw if isinstance(raw, Column) else encode_series(name, raw)
    check_labels(name, column.values)
    return Column(column.codes, column.values, frame.dtype(name))


def encode_series(name: str, series: pl.Series) -> Column:
    """Return a polars column as codes, distinct values sorted, missing last."""
    kind = series.dtype
    if kind == pl.Null:
        return make_column(np.zeros(len(series), np.uint8), [None])
    if kind.is_nested() or kind in (pl.Object, pl.Binary, pl.Unknown):
        raise DataError(
            f"Column '{name}' is of type {kind}, which has no categories.",
            column=name,
            remedy=("Turn it into text or numbers first, or use Transactions for sets of items."),
        )
    if kind.is_float():
        # A zero of either sign is one value, and the one without a sign is released.
        series = series.fill_nan(None) + 0.0
    if isinstance(kind, pl.Enum):
        values: list[Label] = list(kind.categories)
        codes = series.to_physical()
    elif kind in (pl.String, pl.Categorical):
        text = series.cast(pl.String)
        distinct = text.drop_nulls().unique().sort()
        values = distinct.to_list()
        codes = text.cast(pl.Enum(distinct)).to_physical()
    elif kind == pl.Boolean:
        values, codes = [False, True], series.cast(pl.UInt8)
    elif kind.is_decimal() or kind in (pl.Int128, pl.UInt128):
        distinct = series.drop_nulls().unique().sort()
        values = distinct.to_list()
        codes = series.rank("dense") - 1
    else:
        distinct = series.drop_nulls().unique().sort()
        values = distinct.to_list()
        places = np.searchsorted(
            distinct.to_physical().to_numpy(), series.to_physical().fill_null(0).to_numpy()
        )
        places[series.is_null().to_numpy()] = len(values)
        return make_column(places, [*values, None])
    return make_column(codes.cast(pl.UInt32).fill_null(len(values)).to_numpy(), [*values, None])


def _stated(name: str, column: Column) -> Column:
    """Return a column in which a missing cell shows the word, all else its text."""
    if column.missing_code is None:
        return column
    texts: list[Label] = [None if value is None else str(value) for value in column.values]
    if STATED in texts:
        raise DataError(
            f"Column '{name}' has the value '{STATED}', and missing cells, which are to show it.",
            column=name,
            remedy=f"If it means the same, repair it: missing = ['{STATED}']; else write another "
            "word for it.",
        )
    texts[-1] = STATED
    codes = column.codes.astype(np.int64)
    return make_column(codes, texts, categories_of(column.dtype, texts), column.separator)


def _rows_to_drop(
    encoded: dict[str, Column], missing: Missing, frame: OpenFrame
) -> NDArray[np.bool_]:
    """Apply the rule for missing values to all columns together."""
    absent: NDArray[np.bool_] = np.zeros(frame.n_rows, bool)
    if missing in ("drop", "refuse"):
        for name, column in encoded.items():
            if column.missing_code is None:
                continue
            here = column.codes == column.missing_code
            if missing == "refuse":
                row = int(np.flatnonzero(here)[0])
                raise DataError(
                    f"Column '{name}' has {int(here.sum())} missing values, the first in "
                    f"{frame.where(row)}.",
                    column=name,
                    remedy="Fill them in, or use {missing} or 'drop'.",
                    options={"missing": "value"},
                )
            absent |= here
    return absent
