"""Columns mended while they are read: each different text once, and all rows by their codes."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from datetime import date
from typing import TYPE_CHECKING, Protocol, runtime_checkable

import numpy as np
import polars as pl

from discreet.data.frames import as_texts
from discreet.data.hierarchy.dates import date_label
from discreet.data.repair.rules import Repair, as_repair, mend
from discreet.errors import DataError, ParameterError, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from discreet.data.column import Column
    from discreet.data.frames import OpenFrame
    from discreet.data.repair.rules import Cell, RepairLike

MOST_NAMED = 10  # cells of a column that are named by row


@runtime_checkable
class HasCells(Protocol):
    """A frame whose cells can be had as they are written."""

    def cells(self, name: str) -> pl.Series:
        """Return a column as text, null where a cell is empty."""


@runtime_checkable
class HasTypes(Protocol):
    """A frame that chooses the types of its columns by what is written in them."""

    def typed(self, name: str, text: pl.Series) -> pl.Series:
        """Return a column of texts as the frame would have understood it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RepairedColumn:
    """What was mended in a column; for its curator, and not for publication.

    Attributes
    ----------
    column : str
        The column.
    n_changed : int
        Cells that mean something else than they did as they stood.
    counts : dict of str to int
        Rule to the number of cells that it changed.
    n_ambiguous : int
        Cells that the other order of dates, or the other decimal mark, would read otherwise,
        where no cell of the column speaks against it.
    ambiguous : tuple of str
        Some of them: where, what stands there, what it is taken for, what else it could be.
    """

    column: str
    n_changed: int
    counts: Mapping[str, int]
    n_ambiguous: int = 0
    ambiguous: tuple[str, ...] = ()

    @property
    def sentence(self) -> str:
        """What was mended in one sentence."""
        rules = ", ".join(f"{rule} {n:,}" for rule, n in self.counts.items())
        doubt = f"; {self.n_ambiguous:,} ambiguous" if self.n_ambiguous else ""
        return f"{self.column}: {self.n_changed:,} cells changed ({rules or 'none'}){doubt}"

    def to_dict(self) -> dict[str, object]:
        """Return all fields as plain values."""
        return {
            "column": self.column,
            "n_changed": self.n_changed,
            "counts": dict(self.counts),
            "n_ambiguous": self.n_ambiguous,
            "ambiguous": list(self.ambiguous),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class RepairedFrame:
    """A frame whose columns are mended as they are taken."""

    frame: OpenFrame
    repairs: Mapping[str, Repair]
    done: dict[str, RepairedColumn] = field(default_factory=dict)

    @property
    def names(self) -> tuple[str, ...]:
        """All columns, new ones last."""
        new = [name for name, repair in self.repairs.items() if repair.age_of]
        return (*self.frame.names, *new)

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return self.frame.n_rows

    def column(self, name: str) -> pl.Series | Column:
        """Return one column, mended if a repair of it is stated."""
        if name not in self.repairs:
            return self.frame.column(name)
        if self.repairs[name].age_of:
            return self._age(name, self.repairs[name])
        column, done = repaired(self.frame, name, self.repairs[name])
        self.done[name] = done
        return column

    def _age(self, name: str, repair: Repair) -> pl.Series:
        """Return the age of who was born on the date of one column, on that of another."""
        born, event = (self._days(each, name) for each in repair.age_of)
        years = event.dt.year() - born.dt.year()
        day_of_year = [
            days.dt.month().cast(pl.Int32) * 100 + days.dt.day() for days in (event, born)
        ]
        age = (years - (day_of_year[0] < day_of_year[1]).cast(pl.Int32)).cast(pl.Int64)
        before = (age < 0).fill_null(value=False)
        if before.any() and repair.other == "refuse":
            row = int(before.arg_true()[0])
            raise DataError(
                f"Column '{name}', {self.where(row)}: {event[row]} is before the birth on "
                f"{born[row]} ({int(before.sum()):,} such rows).",
                parameter="repairs",
                column=name,
                remedy="Correct the dates, or make such ages missing by {repairs}.",
                options={"repairs": {name: {**repair.to_dict(), "other": "missing"}}},
            )
        return age.set(before, None).rename(name)

    def _days(self, name: str, age: str) -> pl.Series:
        """Return a column of dates that an age is worked out from."""
        if name not in self.frame.names:
            raise ParameterError(
                f"Column '{age}' is an age of '{name}', which is not in the table.",
                parameter="repairs",
                column=age,
                remedy=did_you_mean(name, self.frame.names),
            )
        given = self.repairs.get(name)
        days = self.frame.column(name)
        if given is not None:  # as dates, whatever they are shown by
            days, _ = repaired(self.frame, name, replace(given, period=None))
        if isinstance(days, pl.Series) and days.dtype == pl.String:
            days = repaired(self.frame, name, Repair(date="year-first", drop_time=True))[0]
        if isinstance(days, pl.Series) and days.dtype == pl.Datetime:
            days = days.dt.date()
        if not isinstance(days, pl.Series) or days.dtype != pl.Date:
            raise DataError(
                f"Column '{age}' is an age, and '{name}' holds no dates.",
                column=age,
                remedy="Say by {repairs} that it does.",
                options={"repairs": {name: {"date": "day-first"}}},
            )
        return days

    def dtype(self, name: str) -> object:
        """Return the type of a column as its library calls it, or None if it is mended."""
        return None if name in self.repairs else self.frame.dtype(name)

    def where(self, row: int) -> str:
        """Name a row."""
        return self.frame.where(row)


def with_repairs(
    frame: OpenFrame, repairs: Mapping[str, RepairLike] | None
) -> tuple[OpenFrame, dict[str, RepairedColumn]]:
    """Return a frame whose columns are mended when taken, and where what was done is noted.

    Raises
    ------
    ParameterError
        If a repair is for a column that is not there, or is none.
    """
    if not repairs:
        return frame, {}
    known = {}
    for name, given in repairs.items():
        known[name] = as_repair(name, given)
        if known[name].age_of:
            if name in frame.names:
                raise ParameterError(
                    f"Column '{name}' is there already, and is to be an age.",
                    parameter="repairs",
                    column=name,
                    remedy="Call the age otherwise.",
                )
        elif name not in frame.names:
            raise ParameterError(
                f"Repairs are given for column '{name}', which is not in the table.",
                parameter="repairs",
                column=name,
                remedy=did_you_mean(str(name), frame.names),
            )
    mended = RepairedFrame(frame=frame, repairs=known)
    return mended, mended.done


def cells_of(frame: OpenFrame, name: str) -> pl.Series:
    """Return a column as text: each value as it would be written."""
    if isinstance(frame, HasCells):
        return frame.cells(name)
    raw = frame.column(name)
    if not isinstance(raw, pl.Series):
        labels = [None if value is None else str(value) for value in raw.values]
        return pl.Series(name, labels, dtype=pl.String).gather(pl.Series(raw.codes))
    if raw.dtype == pl.String:
        return raw
    if raw.dtype.is_nested() or raw.dtype in (pl.Object, pl.Binary):
        raise DataError(
            f"Column '{name}' is of type {raw.dtype}, which has no cells to mend.",
            column=name,
            remedy="Take its repair out.",
        )
    return as_texts(name, raw)


def repaired(frame: OpenFrame, name: str, repair: Repair) -> tuple[pl.Series, RepairedColumn]:
    """Return one column mended, and what was done.

    Raises
    ------
    DataError
        If a cell is not what the repair says that the column holds; the first is named.
    """
    cells = cells_of(frame, name).rename(name)
    distinct = cells.unique(maintain_order=True)
    texts: list[str | None] = distinct.to_list()
    codes = _codes(cells, texts)
    counts = np.bincount(codes, minlength=len(texts))
    read = [mend(text, repair) for text in texts]
    if repair.period is not None:
        shown = date_label(repair.period)
        read = [
            cell._replace(value=shown(cell.value), rules=(*cell.rules, "period"))
            if isinstance(cell.value, date)
            else cell
            for cell in read
        ]
    _refuse_unread(frame, name, repair, texts, read, codes)
    done = _done(frame, name, texts, read, codes, counts)
    values = pl.Series(name, [cell.value for cell in read], dtype=_dtype(read, repair))
    column = values.gather(pl.Series(codes.astype(np.uint32)))
    if repair.is_number or repair.is_date or repair.yes:
        return column, done
    return _typed_as_before(frame, name, column), done


def _codes(cells: pl.Series, texts: Sequence[str | None]) -> NDArray[np.int64]:
    """Return for each row the place of its text."""
    present = [text for text in texts if text is not None]
    places = cells.cast(pl.Enum(present)).to_physical().cast(pl.Int64)
    where = np.array([i for i, text in enumerate(texts) if text is not None], np.int64)
    missing = texts.index(None) if None in texts else 0
    if not len(where):
        return np.full(len(cells), missing)
    found: NDArray[np.int64] = where[places.fill_null(0).to_numpy()]
    found[cells.is_null().to_numpy()] = missing
    return found


def _dtype(read: Sequence[Cell], repair: Repair) -> pl.DataType | type[pl.DataType]:
    """Return the type of a mended column."""
    if repair.yes:
        return pl.Boolean
    if repair.is_date:
        return pl.Date if repair.period is None else pl.String
    if repair.is_number:
        whole = all(isinstance(cell.value, int | None) for cell in read)
        return pl.Int64 if whole else pl.Float64
    return pl.String


def _typed_as_before(frame: OpenFrame, name: str, column: pl.Series) -> pl.Series:
    """Return a column of texts as numbers or dates where it was one and still can be."""
    if isinstance(frame, HasTypes):
        return frame.typed(name, column)
    try:
        before = frame.column(name)
    except DataError:  # of several types, which are texts now
        return column
    if isinstance(before, pl.Series) and (before.dtype.is_numeric() or before.dtype == pl.Date):
        again = column.cast(before.dtype, strict=False)
        return again if again.null_count() == column.null_count() else column
    return column


def _refuse_unread(  # noqa: PLR0917  what the sentence names
    frame: OpenFrame,
    name: str,
    repair: Repair,
    texts: Sequence[str | None],
    read: Sequence[Cell],
    codes: NDArray[np.int64],
) -> None:
    """Raise DataError if a cell is not what the column is said to hold."""
    wrong = [i for i, cell in enumerate(read) if cell.unread is not None]
    if not wrong:
        return
    at = np.flatnonzero(np.isin(codes, wrong))
    first = int(at[0])
    code = int(codes[first])
    reason = read[code].unread or ""
    more = f" ({len(at):,} such cells of {len(wrong):,} texts)" if len(at) > 1 else ""
    remedy = (
        "Say what it means by {repairs}, or make all such cells missing by "
        "{repairs:other}, which is right only if you can do without them."
    )
    if "=" in reason:
        remedy = "Or: " + remedy[:1].lower() + remedy[1:]
    text = str(texts[code])
    raise DataError(
        f"Column '{name}', {frame.where(first)}: {_shown(text)} is {reason}{more}.",
        parameter="repairs",
        column=name,
        remedy=remedy,
        options={
            "repairs": {name: {**repair.to_dict(), "missing": [*repair.missing, text.strip()]}},
            "repairs:other": {name: {**repair.to_dict(), "other": "missing"}},
        },
    )


def _done(  # noqa: PLR0917  what is counted
    frame: OpenFrame,
    name: str,
    texts: Sequence[str | None],
    read: Sequence[Cell],
    codes: NDArray[np.int64],
    counts: NDArray[np.int64],
) -> RepairedColumn:
    """Return what was done to a column."""
    by_rule: Counter[str] = Counter()
    for cell, n in zip(read, counts.tolist(), strict=True):
        by_rule.update(dict.fromkeys(cell.rules, n))
    changed = np.array([bool(cell.rules) for cell in read], bool)
    doubtful = [i for i, cell in enumerate(read) if cell.otherwise is not None]
    if any(cell.decides for cell in read):
        doubtful = []
    rows = np.flatnonzero(np.isin(codes, doubtful)) if doubtful else np.array([], np.int64)
    named = tuple(
        f"{frame.where(int(row))}: {_shown(str(texts[codes[row]]))} is taken for "
        f"{read[codes[row]].value}, and could be {read[codes[row]].otherwise}"
        for row in rows[:MOST_NAMED]
    )
    return RepairedColumn(
        column=name,
        n_changed=int(counts[changed].sum()),
        counts={rule: n for rule, n in by_rule.items() if n},
        n_ambiguous=len(rows),
        ambiguous=named,
    )


def _shown(text: str) -> str:
    """Return a text in quotes, cut where it is long."""
    return repr(text if len(text) <= 40 else text[:37] + "...")
