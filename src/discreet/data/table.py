"""The table: every column a category, immutable; whose the rows are stands beside them.

Inside it is an array of small integer codes per column and the list of values they stand for.
It is made from any kind of frame and goes out as the same kind, types restored.
"""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from discreet.checks import whole
from discreet.data.column import (
    as_set_column,
    check_rows,
    check_sets,
    checked_column,
    members_of,
)
from discreet.data.people import check_statement, people_of, same_people
from discreet.data.roles import HasRoles, check_roles
from discreet.errors import DataError, ParameterError, did_you_mean
from discreet.result import framed

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping
    from typing import Unpack

    import polars as pl
    from numpy.typing import ArrayLike

    from discreet.data.binning import BinsLike, Carried
    from discreet.data.column import Codes, Column, FrameKind, Label, Members, Missing
    from discreet.data.encode import EncodeOptions
    from discreet.data.files.source import SourceInfo
    from discreet.data.frames import OpenFrame
    from discreet.data.people import People
    from discreet.data.repair.apply import RepairedColumn
    from discreet.data.repair.rules import RepairLike
    from discreet.data.roles import Role


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Table(HasRoles):
    """Immutable categorical microdata: codes, values and a role per column.

    Make one with :meth:`from_frame`, :meth:`from_codes` or ``discreet.read_table``.

    Examples
    --------
    >>> table = Table.from_frame({"sex": ["f", "m", "f"], "age": [31, 40, 31]})
    >>> table
    Table of 3 rows and 2 columns: sex (2 values), age (2 values)
    >>> table.values("age"), table.codes("age")
    ((31, 40), array([0, 1, 0], dtype=uint8))
    """

    _columns: dict[str, Column]
    _roles: dict[str, Role]
    n_rows: int
    frame_kind: FrameKind = "polars"
    n_dropped: int = 0
    source: SourceInfo | None = None
    people: People | None = None
    one_row_per_person: bool = False
    carried: Mapping[str, Carried] = field(default_factory=dict)
    repaired: tuple[RepairedColumn, ...] = ()

    @classmethod
    def from_frame(
        cls,
        frame: object,
        *,
        roles: Mapping[str, str] | None = None,
        missing: Missing = "value",
        bins: Mapping[str, BinsLike] | None = None,
        categorical: Collection[str] | bool = (),
        columns: Iterable[str] | None = None,
        sets: Mapping[str, str] | None = None,
        carried: Mapping[str, str] | None = None,
        person: str | None = None,
        one_row_per_person: bool = False,
        repairs: Mapping[str, RepairLike] | None = None,
        source: SourceInfo | None = None,
    ) -> Table:
        """Return the table of a frame.

        Parameters
        ----------
        frame : frame
            polars, pandas (its index is ignored), pyarrow, a duckdb relation, any object with
            ``__arrow_c_stream__`` or known to narwhals, a dict of columns, a list of dicts.
        roles : mapping, optional
            Column to ``"identifying"``, ``"quasi"``, ``"sensitive"`` or ``"insensitive"``;
            columns not named are quasi.
        missing : {"value", "stated", "drop", "refuse"}
            What to do with null and NaN: keep as a value (``None``, like what is suppressed) or as
            the text ``"missing"``, drop the rows (``n_dropped`` counts them), or raise.
        bins : mapping, optional
            Column to edges, a step width, or :class:`~discreet.data.binning.Bins`.
        categorical : collection of str, or bool
            Columns whose numbers are codes, not measurements; True for all columns.
        columns : iterable of str, optional
            The columns to keep, in this order; all by default.
        sets : mapping, optional
            Set columns, whose cells have several members, to what stands between them:
            ``{"diagnosis": ";"}``. The label of a cell is its members sorted, each once, joined
            by that character; :meth:`members` has them one by one.
        carried : mapping, optional
            Columns of numbers that are only carried along, outside the claim, and what becomes of
            each: ``"mean"`` or ``"median"`` of its class, ``"round 100"``, ``"mean, 0 to 90"``.
        person : str, optional
            The column that says whose each row is. It is no column of the table: claims are then
            about people, who may have several rows, and it is never released.
        one_row_per_person : bool
            Whether every row is another person. State it only if you know it.
        repairs : mapping, optional
            Column to how its cells are mended first: the rules of a ``Repair``.
        source : SourceInfo, optional
            Where the frame came from.

        Returns
        -------
        Table
            Values sorted, or in the order of their categories if the column has a
            categorical type; only values that occur; ``None`` last.

        Raises
        ------
        DataError
            If a column holds measurements without bins or ``categorical``, mixes types, has
            values that are no categories, or misses values and ``missing="refuse"``.
        ParameterError
            If an option names an unknown column or is out of its range.

        Notes
        -----
        The rule for numbers: a column of decimal numbers, or of whole numbers with more than
        64 distinct values, is a measurement and must be binned, unless it is declared
        ``categorical``, has a categorical type, or has the role ``identifying`` (such columns
        are never published).

        Examples
        --------
        >>> Table.from_frame({"age": [17, 25, 90]}, bins={"age": [20, 40, 60]}).values("age")
        ('< 20', '[20, 40)', '>= 60')
        """
        from discreet.data.frames import open_frame

        opened, kind = open_frame(frame)
        return cls.from_opened(
            opened, frame_kind=kind, roles=roles, missing=missing, bins=bins,
            categorical=categorical, columns=columns, sets=sets, carried=carried, person=person,
            one_row_per_person=one_row_per_person, repairs=repairs, source=source,
        )  # fmt: skip

    @classmethod
    def from_opened(
        cls,
        frame: OpenFrame,
        *,
        frame_kind: FrameKind = "polars",
        source: SourceInfo | None = None,
        one_row_per_person: bool = False,
        repairs: Mapping[str, RepairLike] | None = None,
        **options: Unpack[EncodeOptions],
    ) -> Table:
        """Return the table of a frame that is open, such as a file read column by column."""
        from discreet.data.encode import encode_frame
        from discreet.data.repair.apply import with_repairs

        check_statement(options["person"], one_row_per_person)
        mended, done = with_repairs(frame, repairs)
        encoded = encode_frame(mended, **options)
        return cls(
            _columns=encoded.columns,
            _roles=encoded.roles,
            n_rows=encoded.n_rows,
            n_dropped=encoded.n_dropped,
            frame_kind=frame_kind,
            source=source,
            people=encoded.people,
            one_row_per_person=one_row_per_person,
            carried=encoded.carried,
            repaired=tuple(done.values()),
        )

    @classmethod
    def from_codes(
        cls,
        codes: Mapping[str, ArrayLike],
        values: Mapping[str, Sequence[Label]],
        roles: Mapping[str, str] | None = None,
        *,
        like: Table | None = None,
    ) -> Table:
        """Return the table of given codes and values.

        Parameters
        ----------
        codes : mapping of str to array of integers
            One array per column, all of one length; code ``i`` means ``values[column][i]``.
        values : mapping of str to sequence
            The labels of each column: distinct, of one type, ``None`` for missing.
        roles : mapping, optional
            Column to role; by default as in ``like``, else quasi.
        like : Table, optional
            The table these codes were made from: roles, frame kind, source and, where all
            labels are also labels there, column types are taken over.

        Returns
        -------
        Table
            Values in the order given, without those that do not occur; ``None`` last.

        Raises
        ------
        DataError
            If lengths differ, a code has no value, or labels mix types or repeat.

        Examples
        --------
        >>> table = Table.from_codes({"sex": [1, 0, 1]}, {"sex": ["f", "m"]})
        >>> table.to_frame()["sex"].to_list()
        ['m', 'f', 'm']
        """
        columns: dict[str, Column] = {}
        for name, given in codes.items():
            if name not in values:
                raise DataError(f"Column '{name}' has codes but no values.", column=name)
            old = like.column(name) if like is not None and name in like.columns else None
            columns[name] = checked_column(name, np.asarray(given), values[name], old)
        lengths = {name: len(column.codes) for name, column in columns.items()}
        if len(set(lengths.values())) > 1:
            raise DataError(f"Columns have different numbers of rows: {lengths}.")
        if roles is None and like is not None:
            roles = {name: like.role(name) for name in columns if name in like.columns}
        return cls(
            _columns=columns,
            _roles=check_roles(roles, columns.keys()),
            n_rows=next(iter(lengths.values()), 0),
            frame_kind="polars" if like is None else like.frame_kind,
            n_dropped=0 if like is None else like.n_dropped,
            source=None if like is None else like.source,
        )

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns."""
        return tuple(self._columns)

    @property
    def n_columns(self) -> int:
        """Number of columns."""
        return len(self._columns)

    def __len__(self) -> int:
        return self.n_rows

    def column(self, name: str) -> Column:
        """Return codes, values and frame type of a column together."""
        try:
            return self._columns[name]
        except (KeyError, TypeError):
            raise ParameterError(
                f"There is no column {name!r}.",
                column=name,
                remedy=did_you_mean(str(name), self._columns),
            ) from None

    def codes(self, column: str) -> Codes:
        """Return the codes of a column: read-only, in the smallest unsigned type."""
        return self.column(column).codes

    def values(self, column: str) -> tuple[Label, ...]:
        """Return the values of a column; code ``i`` means ``values(column)[i]``."""
        return self.column(column).values

    @property
    def sets(self) -> dict[str, str]:
        """The set columns, and what stands between the members of their cells."""
        found = {name: column.separator for name, column in self._columns.items()}
        return {name: separator for name, separator in found.items() if separator is not None}

    def with_sets(self, sets: Mapping[str, str]) -> Table:
        """Return the table with more set columns: column to what stands between its members.

        Examples
        --------
        >>> table = Table.from_frame({"diagnosis": ["I10; E11.9", "I10"]})
        >>> table.with_sets({"diagnosis": ";"}).values("diagnosis")
        ('E11.9;I10', 'I10')
        """
        made = {
            name: as_set_column(name, self.column(name), separator)
            for name, separator in check_sets(sets).items()
        }
        return replace(self, _columns={**self._columns, **made})

    def members(self, column: str) -> Members:
        """Return which members each value of a column has.

        Parameters
        ----------
        column : str
            Any column; a value of one that is no set column is its own only member.

        Returns
        -------
        Members
            ``offsets`` and ``codes``, one entry per value of the column, and the member
            ``values`` that the codes stand for; ``of_rows(table.codes(column))`` lists the
            members of each row.

        Examples
        --------
        >>> table = Table.from_frame({"diagnosis": ["I10; E11.9", "I10"]}, sets={"diagnosis": ";"})
        >>> table.values("diagnosis"), table.members("diagnosis").values
        (('E11.9;I10', 'I10'), ('E11.9', 'I10'))
        >>> members = table.members("diagnosis")
        >>> members.offsets, members.codes
        (array([0, 2, 3]), array([0, 1, 1]))
        >>> members.of_rows(table.codes("diagnosis"))
        (array([0, 0, 1]), array([0, 1, 1]))
        """
        return members_of(self.column(column))

    def with_roles(self, roles: Mapping[str, str] | None = None, **more: str) -> Table:
        """Return the table with some roles changed; columns not named keep theirs.

        Examples
        --------
        >>> table = Table.from_frame({"sex": ["f"], "income": ["high"]})
        >>> table.with_roles(income="sensitive").sensitive
        ('income',)
        """
        changed = {**self._roles, **(roles or {}), **more}
        return replace(self, _roles=check_roles(changed, self.columns))

    def select(self, columns: Iterable[str]) -> Table:
        """Return the table of some columns, in the order asked for."""
        if isinstance(columns, str):
            raise ParameterError(
                f"select takes a list of names: select(['{columns}']).", parameter="columns"
            )
        chosen = {name: self.column(name) for name in columns}
        carried = {name: how for name, how in self.carried.items() if name in chosen}
        roles = {name: self._roles[name] for name in chosen}
        return replace(self, _columns=chosen, _roles=roles, carried=carried)

    def take(self, rows: ArrayLike) -> Table:
        """Return the table of some rows, given by position or by one boolean per row.

        Values that no longer occur are dropped.
        """
        chosen = check_rows(np.asarray(rows), self.n_rows)
        taken = {name: column.take(chosen) for name, column in self._columns.items()}
        n_rows = int(chosen.sum()) if chosen.dtype == np.bool_ else len(chosen)
        people = None if self.people is None else self.people.take(chosen)
        return replace(self, _columns=taken, n_rows=n_rows, people=people)

    def with_person(self, column: str) -> Table:
        """Return the table without a column, knowing that it says whose each row is.

        Examples
        --------
        >>> visits = Table.from_frame({"patient": ["p1", "p1", "p2"], "ward": ["a", "b", "a"]})
        >>> visits.with_person("patient")
        Table of 3 rows of 2 people and 1 column: ward (2 values)
        """
        if self.people is not None and self.people.column == column:
            return self
        check_statement(column, self.one_row_per_person, known=self.people)
        rest = self.select([name for name in self.columns if name != column])
        return replace(rest, people=people_of(column, self.column(column)))

    def stating(self, *, person: str | None = None, one_row_per_person: bool = False) -> Table:
        """Return the table knowing what is stated of people; see :meth:`from_frame`."""
        check_statement(person, one_row_per_person, known=None if person else self.people)
        if person is not None:
            return self.with_person(person)
        return replace(self, one_row_per_person=True) if one_row_per_person else self

    def head(self, n: int = 5) -> Table:
        """Return the table of the first rows; values that do not occur there are dropped.

        Examples
        --------
        >>> Table.from_frame({"sex": ["f", "m", "m"]}).head(1).to_polars().rows()
        [('f',)]
        """
        return self.take(np.arange(min(whole("n", n, at_least=0), self.n_rows)))

    @overload
    def __getitem__(self, columns: str) -> Any: ...  # noqa: ANN401  a column of any library
    @overload
    def __getitem__(self, columns: Sequence[str]) -> Table: ...
    def __getitem__(self, columns: str | Sequence[str]) -> Any:
        """Return one column as the table's kind of frame has it, or the table of several.

        Parameters
        ----------
        columns : str, or list of str
            One name or several.

        Returns
        -------
        column or Table
            Of one name the labels as in :meth:`to_frame`: a polars or pandas series, a pyarrow
            array, or a duckdb relation. Of a list of names a :class:`Table`, by :meth:`select`.

        Examples
        --------
        >>> table = Table.from_frame({"sex": ["f", "m", "f"], "age": [31, 40, 31]})
        >>> table["age"].to_list()
        [31, 40, 31]
        >>> table[["sex"]]
        Table of 3 rows and 1 column: sex (2 values)
        """
        if isinstance(columns, str):
            return self.select([columns]).to_frame()[columns]
        if isinstance(columns, Sequence):
            return self.select(columns)
        raise ParameterError(
            f"table[...] takes the name of a column or a list of names, not {columns!r}; rows "
            "are taken by take and head.",
            parameter="table",
        )

    __iter__ = None  # rows or columns? it would be ambiguous

    def with_column(self, column: str, codes: ArrayLike, values: Sequence[Label]) -> Table:
        """Return the table with one column replaced; its role and place are kept.

        The column keeps its type in frames if all labels are also labels of the old column.

        Examples
        --------
        >>> table = Table.from_frame({"sex": ["f", "m", "f"]})
        >>> table.with_column("sex", [0, 1, 1], ["f", None]).to_frame()["sex"].to_list()
        ['f', None, None]
        """
        new = checked_column(column, np.asarray(codes), values, self.column(column))
        if len(new.codes) != self.n_rows:
            raise DataError(
                f"Column '{column}' has {len(new.codes)} codes for {self.n_rows} rows.",
                column=column,
            )
        return replace(self, _columns={**self._columns, column: new})

    def to_frame(self, kind: FrameKind | None = None) -> Any:  # noqa: ANN401  a frame of the asked kind
        """Return the table as a frame, by default of the kind it was made from.

        Parameters
        ----------
        kind : {"polars", "pandas", "pyarrow", "duckdb"}, optional
            The kind of frame. Column types are restored if it is the kind that came in; columns
            of categories are such in every kind.

        Returns
        -------
        frame
            Missing values are null. A duckdb relation is on the default connection.
        """
        from discreet.data.frames import restore_frame

        wanted = kind or self.frame_kind
        return restore_frame(self._columns, wanted, with_types=wanted == self.frame_kind)

    def to_polars(self) -> pl.DataFrame:
        """Return the table as a polars frame.

        Examples
        --------
        >>> Table.from_frame({"sex": ["f", None]}).to_polars().rows()
        [('f',), (None,)]
        """
        frame: pl.DataFrame = self.to_frame("polars")
        return frame

    def to_pandas(self) -> Any:  # noqa: ANN401  pandas has no types of its own
        """Return the table as a pandas frame; pandas has to be installed.

        Examples
        --------
        >>> Table.from_frame({"sex": ["f", "m"]}).to_pandas()["sex"].tolist()
        ['f', 'm']
        """
        return self.to_frame("pandas")

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Export the table as an Arrow stream, so that any dataframe library can read it."""
        return self.to_frame("polars").__arrow_c_stream__(requested_schema)

    def __eq__(self, other: object) -> bool:
        """Say whether columns, roles, values, rows and whose they are is the same."""
        if not isinstance(other, Table):
            return NotImplemented
        return (
            self.columns == other.columns
            and self.n_rows == other.n_rows
            and self.roles == other.roles
            and self.one_row_per_person == other.one_row_per_person
            and same_people(self.people, other.people)
            and all(column.equals(other.column(name)) for name, column in self._columns.items())
        )

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return describe(self)

    def _repr_html_(self) -> str:
        """Return the first rows as an HTML table, every value escaped."""
        return render_html(self)


def as_table(data: object, *, person: str | None = None, one_row_per_person: bool = False) -> Table:
    """Return the table that a public function was given, whatever form it came in.

    Parameters
    ----------
    data : Table, frame or Release
        A table is returned as it is; of a release of rows the released table; a frame of any
        kind becomes a table by :meth:`Table.from_frame`, all its columns quasi.
    person, one_row_per_person
        As in :meth:`Table.from_frame`.

    Returns
    -------
    Table
        What the functions of this package work on.

    Raises
    ------
    DataError
        If a frame has measurements, mixed types or values that are no categories.
    ParameterError
        If it is no table, release or frame.

    Examples
    --------
    >>> import pyarrow as pa
    >>> as_table(pa.table({"sex": ["f", "m"]}))
    Table of 2 rows and 1 column: sex (2 values)
    """
    # A release is known by its data: the class itself stands in a layer above.
    for table in (data, getattr(data, "data", None)):
        if isinstance(table, Table):
            return table.stating(person=person, one_row_per_person=one_row_per_person)
    return Table.from_frame(data, person=person, one_row_per_person=one_row_per_person)


# A table in one line, and as a small HTML table for notebooks.

N_ROWS_SHOWN = 5
N_COLUMNS_SHOWN = 20
N_COLUMNS_NAMED = 8


def describe(table: Table) -> str:
    """Return a sentence with the size of a table and its first columns.

    Examples
    --------
    >>> describe(Table.from_frame({"sex": ["f", "m"]}))
    'Table of 2 rows and 1 column: sex (2 values)'
    """
    named = [
        f"{name} ({_count(len(table.values(name)), 'value')})"
        for name in table.columns[:N_COLUMNS_NAMED]
    ]
    more = table.n_columns - len(named)
    tail = f", and {more} more" if more else ""
    rows = _count(table.n_rows, "row")
    if table.people is not None:
        n_people = table.people.n_people
        rows += f" of {n_people:,} {'person' if n_people == 1 else 'people'}"
    size = f"{rows} and {_count(table.n_columns, 'column')}"
    return f"Table of {size}: {', '.join(named)}{tail}"


def render_html(table: Table) -> str:
    """Return the first rows and columns as an HTML table; every name and value is escaped."""
    names = table.columns[:N_COLUMNS_SHOWN]
    head = "".join(
        f"<th>{html.escape(name)}<br><small>{table.role(name)}</small></th>" for name in names
    )
    n_shown = min(table.n_rows, N_ROWS_SHOWN)
    cells = [
        [table.values(name)[code] for code in table.codes(name)[:n_shown].tolist()]
        for name in names
    ]
    body = "".join(
        "<tr>" + "".join(f"<td>{_cell(column[row])}</td>" for column in cells) + "</tr>"
        for row in range(n_shown)
    )
    caption = html.escape(
        f"{_count(table.n_rows, 'row')}, {_count(table.n_columns, 'column')}"
        + (f"; the first {n_shown} rows" if n_shown < table.n_rows else "")
        + (f"; the first {len(names)} columns" if len(names) < table.n_columns else "")
    )
    return framed(
        f"<table><caption>{caption}</caption><thead><tr>{head}</tr></thead>"
        f"<tbody>{body}</tbody></table>"
    )


def _count(number: int, thing: str) -> str:
    """Return a number and a noun in the right form: 1 row, 2,000 rows."""
    return f"{number:,} {thing}{'' if number == 1 else 's'}"


def _cell(value: object) -> str:
    """Return one cell; a missing value is shown as an empty grey mark."""
    return "<i>missing</i>" if value is None else html.escape(str(value))
