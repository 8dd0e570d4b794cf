"""A first look at data before anything is decided.

What is in each column, which role it seems to have, how many records are unique, and the
identifying combinations of values.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from discreet import checks
from discreet.assess.classes import equivalence_classes
from discreet.data.column import MAX_DISTINCT_NUMBERS
from discreet.data.recognize.names import noun_of, words_of
from discreet.data.repair.suggest import RepairSuggestions, suggest_repairs
from discreet.data.suggest_roles import suggest_roles, suggest_sets
from discreet.data.table import as_table
from discreet.data.transactions import Transactions
from discreet.mine import Database, minimal_infrequent
from discreet.result import Preview, Result

if TYPE_CHECKING:
    from typing import Unpack

    import altair as alt

    from discreet.data.suggest_roles import PersonSuggestion, RoleSuggestions
    from discreet.data.table import Table
    from discreet.limits import Limits
    from discreet.mine.itemsets import Itemsets


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnLook:
    """One column: what it holds and which role it seems to play."""

    name: str
    n_values: int
    n_missing: int
    most_common: str
    role: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Combination:
    """A minimal combination of values, the rows or people that share it, how many are like it."""

    items: tuple[str, ...]
    support: int
    columns: tuple[str, ...] = ()
    n_of_these_columns: int = 1
    of_people: bool = False

    def __str__(self) -> str:
        one, many = ("person", "people") if self.of_people else ("row", "rows")
        rows = f"1 {one} has" if self.support == 1 else f"{self.support} {many} have"
        more = self.n_of_these_columns - 1
        others = f" (and {more:,} more by {' + '.join(self.columns)})" if more else ""
        return f"only {rows} {' and '.join(self.items)}{others}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Look(Result):
    """A first look: columns, unique records, and the most identifying combinations.

    A combination is identifying if at most ``theta`` rows share it and every part of it is
    shared by more; the fewer values it has, the easier an attacker learns them all. Where the
    table says whose each row is, people are counted (``of_people``): equal rows of one person are
    one, a record is unique if no other person has its values, and ``n_unique`` says how many
    people have such a record. ``n_people`` says how many they are or, by ``person``, seem to be.
    """

    n_rows: int
    n_distinct: int
    n_unique: int
    n_items: int
    columns: tuple[ColumnLook, ...]
    theta: int
    max_size: int | None
    n_combinations: int
    n_combinations_by_size: tuple[int, ...]
    combinations: tuple[Combination, ...]
    n_people: int | None = None
    noun: str = "people"
    person: PersonSuggestion | None = None
    of_people: bool = False
    messy: RepairSuggestions = field(default_factory=RepairSuggestions)

    @property
    def sentence(self) -> str:
        """The look in one or two plain sentences."""
        size = "" if self.max_size is None else f" of at most {self.max_size} values"
        one, many = ("person", "people") if self.of_people else ("record", "records")
        rows = f"a single {one}" if self.theta == 1 else f"at most {self.theta} {many}"
        return (
            f"{unique_words(self.n_unique, self.n_rows, self.n_people if self.of_people else None)}"
            f". {self.n_combinations:,} minimal combinations{size} identify {rows}."
        )

    def __repr__(self) -> str:
        return f"Look: {self.sentence}"

    def preview(self) -> Preview:
        """Return one row for each column."""
        rows = [
            (c.name, f"{c.n_values:,}", f"{c.n_missing:,}", c.role, c.reason) for c in self.columns
        ]
        header = ("column", "values", "missing", "role", "why this role is suggested")
        return Preview(title=self.size, header=header, rows=rows)

    @property
    def size(self) -> str:
        """How many rows there are, and of how many people where that is stated or seems so."""
        of = "" if self.n_people is None else f" of {self.n_people:,} {self.noun}"
        return f"{self.n_rows:,} rows{of}"

    def to_dict(self) -> dict[str, object]:
        """Return all fields as plain values."""
        return {
            "n_rows": self.n_rows,
            "n_people": self.n_people,
            "person": None if self.person is None else self.person.to_dict(),
            "messy": self.messy.to_dict(),
            "n_distinct": self.n_distinct,
            "n_unique": self.n_unique,
            "n_items": self.n_items,
            "columns": [
                {field: getattr(column, field) for field in ColumnLook.__slots__}
                for column in self.columns
            ],
            "theta": self.theta,
            "max_size": self.max_size,
            "n_combinations": self.n_combinations,
            "n_combinations_by_size": list(self.n_combinations_by_size),
            "combinations": [
                {
                    "items": list(found.items),
                    "support": found.support,
                    "columns": list(found.columns),
                    "n_of_these_columns": found.n_of_these_columns,
                }
                for found in self.combinations
            ],
        }

    def plot(self) -> alt.Chart:
        """Return a chart of the number of identifying combinations by size."""
        import altair as alt
        import polars as pl

        sizes = range(1, len(self.n_combinations_by_size))
        counts = self.n_combinations_by_size[1:]
        frame = pl.DataFrame({"values in combination": list(sizes), "combinations": list(counts)})
        chart: alt.Chart = alt.Chart(frame).mark_bar()
        return chart.encode(x="values in combination:O", y="combinations:Q")


def unique_words(n_unique: int, n_rows: int, n_people: int | None = None) -> str:
    """Return how many records are unique, or how many people have one where people are counted.

    Examples
    --------
    >>> unique_words(3, 12)
    '3 of 12 records (25.0%) are unique'
    >>> unique_words(1, 12, 4)
    '1 of 4 people (25.0%) has a record that nobody else shares'
    """
    if n_people is None:
        return f"{n_unique:,} of {n_rows:,} records ({n_unique / max(n_rows, 1):.1%}) are unique"
    share, has = n_unique / max(n_people, 1), "has" if n_unique == 1 else "have"
    return (
        f"{n_unique:,} of {n_people:,} people ({share:.1%}) {has} a record that nobody else shares"
    )


def look(
    data: object,
    *,
    theta: int = 1,
    max_size: int | None = 3,
    n_shown: int = 10,
    **limits: Unpack[Limits],
) -> Look:
    """Return a first look at a table or at transactions.

    Parameters
    ----------
    data : Table, Transactions, frame or Release
        What to look at. Columns that are, or seem to be, identifying take no part in the
        combinations: they single out everybody.
    theta : int, default 1
        A combination is identifying if at most this many rows share it, or people of a table that
        says whose each row is; at least 1.
    max_size : int or None, default 3
        Most values in a combination; None for any number, which can take long.
    n_shown : int, default 10
        How many combinations to keep: fewest values first. Of a table, one for each set of
        columns, those with most such combinations first.
    **limits : Limits
        ``threads``, ``max_itemsets``, ``max_memory``, ``progress``.

    Returns
    -------
    Look
        The columns, the number of unique records, the most identifying combinations.

    Notes
    -----
    No guarantee: a look shows the original data and is not for publication.

    Examples
    --------
    >>> import discreet as dc
    >>> print(dc.look(dc.datasets.census(1000)).sentence)
    1,000 of 1,000 records (100.0%) are unique. 22,356 minimal combinations of at most 3 values
    identify a single record.
    """
    n_shown = checks.whole("n_shown", n_shown, at_least=0)
    published = getattr(data, "data", data)  # of a release
    n_people, noun, person = None, "people", None
    messy = RepairSuggestions()
    if isinstance(published, Transactions):
        database = Database.from_transactions(published)
        columns: tuple[ColumnLook, ...] = ()
        n_distinct, n_unique = count_distinct_transactions(published)
    else:
        table = as_table(data)
        suggested = suggest_roles(table)
        messy = suggest_repairs(table)
        columns = _columns(table, suggested)
        if table.people is not None:
            n_people, noun = table.people.n_people, noun_of(words_of(table.people.column))
        elif suggested.person is not None:
            person = suggested.person
            n_people, noun = (person.n_people, person.noun) if person.repeats else (None, noun)
        used = [column.name for column in columns if column.role != "identifying"]
        database = Database.from_table(table, columns=used, of_people=True, **limits)
        classes = equivalence_classes(table, used)
        n_distinct = len(classes)
        alone = np.flatnonzero(classes.members[classes.class_of] == 1)
        n_unique = len(alone) if table.people is None else len(np.unique(table.people.codes[alone]))
    rare = minimal_infrequent(database, theta=theta, max_size=max_size, **limits)
    by_size = np.bincount(rare.sizes, minlength=1)
    return Look(
        n_rows=database.n_rows,
        n_distinct=n_distinct,
        n_unique=n_unique,
        n_items=database.n_items,
        columns=columns,
        theta=theta,
        max_size=max_size,
        n_combinations=len(rare),
        n_combinations_by_size=tuple(by_size.tolist()),
        combinations=most_identifying(rare, database, n_shown),
        n_people=n_people,
        noun=noun,
        person=person,
        of_people=database.people is not None,
        messy=messy,
    )


def _columns(table: Table, suggestions: RoleSuggestions) -> tuple[ColumnLook, ...]:
    looks = []
    sets = {**suggest_sets(table), **table.sets}
    for suggested in suggestions.suggestions:
        name = suggested.column
        values = table.values(name)
        counts = np.bincount(table.codes(name), minlength=len(values))
        missing = int(counts[values.index(None)]) if None in values else 0
        are_numbers = all(isinstance(value, int | float) for value in values if value is not None)
        to_cut = are_numbers and len(values) > MAX_DISTINCT_NUMBERS
        most_common = str(values[int(counts.argmax())]) if len(values) else ""
        looks.append(
            ColumnLook(
                name=name,
                n_values=len(values),
                n_missing=missing,
                most_common=most_common,
                role=suggested.role,
                reason=suggested.reason
                + ("; numbers: cut them into bins" if to_cut else "")
                + (f"; sets: members are separated by '{sets[name]}'" if name in sets else ""),
            )
        )
    return tuple(looks)


def count_distinct_transactions(transactions: Transactions) -> tuple[int, int]:
    """Return how many different transactions there are and how many occur once."""
    seen: dict[bytes, int] = {}
    for start, end in zip(transactions.offsets[:-1], transactions.offsets[1:], strict=True):
        key = transactions.items[start:end].tobytes()
        seen[key] = seen.get(key, 0) + 1
    return len(seen), sum(count == 1 for count in seen.values())


def most_identifying(rare: Itemsets, database: Database, n_shown: int) -> tuple[Combination, ...]:
    """Return those with fewest items first; of a table, one for each set of columns."""
    if database.is_table:
        return _one_per_columns(rare, database)[:n_shown]
    order = np.lexsort((rare.supports, rare.sizes))[:n_shown]
    return tuple(
        Combination(items=tuple(rare.in_words(i)), support=int(rare.supports[i])) for i in order
    )


def _one_per_columns(rare: Itemsets, database: Database) -> tuple[Combination, ...]:
    """Return one combination for each set of columns, those with most of them first."""
    found = []
    for size in np.unique(rare.sizes):
        which = np.flatnonzero(rare.sizes == size)
        items = rare.items[rare.offsets[which][:, None] + np.arange(size)]
        alike = np.zeros(len(which), np.int64)
        for place in range(size):  # a number for each set of columns, in their order
            longer = alike * len(database.columns) + database.column_of[items[:, place]]
            _, alike = np.unique(longer, return_inverse=True)
        _, example, counts = np.unique(alike, return_index=True, return_counts=True)
        for place in np.argsort(-counts, kind="stable"):
            i = int(which[example[place]])
            columns = database.column_of[items[example[place]]]
            found.append(
                Combination(
                    items=tuple(rare.in_words(i)),
                    support=int(rare.supports[i]),
                    columns=tuple(database.columns[column] for column in columns),
                    n_of_these_columns=int(counts[place]),
                    of_people=database.people is not None,
                )
            )
    return tuple(found)
