"""What can be seen in a file before a method is chosen for it."""

from __future__ import annotations

import math
import re
import unicodedata
from dataclasses import asdict, dataclass, replace
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

import numpy as np

from discreet.assess.classes import equivalence_classes
from discreet.assess.look import count_distinct_transactions
from discreet.data.column import MAX_DISTINCT_NUMBERS
from discreet.data.files.fimi import read_transactions
from discreet.data.files.packed import find_file, inner_suffix
from discreet.data.people import People
from discreet.data.read import load, read_table
from discreet.data.suggest_roles import suggest_roles, suggest_sets
from discreet.data.table import Table
from discreet.errors import DataError, LimitError, ParameterError
from discreet.mine import Database, mark_cells
from discreet.verify.strict.names import fault_of_names

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from discreet.data.repair.lines import Reading
    from discreet.data.repair.rules import Repair
    from discreet.data.roles import Role
    from discreet.data.suggest_roles import PersonSuggestion


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """A file in a few numbers; not for publication.

    Attributes
    ----------
    file : str
        As it was given.
    kind : {"table", "transactions"}
        What it holds.
    n_rows, n_unique : int
        Rows, or transactions, and how many are unique; of a table in all columns that
        do not seem to be identifying. Where people seem to have several rows, how many of
        them have a record that nobody else shares.
    n_values : dict of str to int
        How many values each of these columns has; one entry, ``items``, for transactions.
    roles : dict of str to str
        Suggested role of every column.
    person : PersonSuggestion, optional
        The column that seems to say whose each row is.
    options : tuple of str
        Options by which a command reads the file: bins, codes, roles.
    is_cut : bool
        Whether bins are proposed, for which the data was looked at.
    diverse : bool
        Whether there are sensitive columns, and all rows together are 2-diverse in them.
    width : Width, optional
        What it costs to look for identifying combinations, of a table of many columns.
    """

    file: str
    kind: Literal["table", "transactions"]
    n_rows: int
    n_unique: int
    n_values: dict[str, int]
    roles: dict[str, Role]
    person: PersonSuggestion | None = None
    options: tuple[str, ...] = ()
    is_cut: bool = False
    diverse: bool = False
    width: Width | None = None

    @property
    def unique_rate(self) -> float:
        """Share of the rows that are unique, or of the people who have such a row."""
        return self.n_unique / max(self.n_people, 1)

    @property
    def unique_words(self) -> str:
        """How many records are unique, in the middle of a sentence."""
        if self.person is None or not self.person.repeats:
            return f"{self.unique_rate:.1%} of the records are unique"
        return f"{self.unique_rate:.1%} of the {self.person.noun} have a record nobody else shares"

    @property
    def n_people(self) -> int:
        """How many people there seem to be: rows, unless a column says whose each row is."""
        return self.n_rows if self.person is None else self.person.n_people

    @property
    def sensitive(self) -> tuple[str, ...]:
        """Columns that seem to be sensitive."""
        return tuple(name for name, role in self.roles.items() if role == "sensitive")

    @property
    def sentence(self) -> str:
        """The file in one plain sentence."""
        unique = f"{self.n_unique:,} of them ({self.unique_rate:.1%}) are unique"
        if self.person is not None and self.person.repeats:
            share = f"{self.n_unique:,} of the {self.person.noun} ({self.unique_rate:.1%})"
            unique = f"{share} have a record that nobody else shares"
        if self.kind == "transactions":
            items = self.n_values["items"]
            return f"{self.file}: {self.n_rows:,} transactions of {items:,} items; {unique}."
        values = sum(self.n_values.values())
        repeats = self.person is not None and self.person.repeats
        of = f" of {self.person.n_people:,} {self.person.noun}" if self.person and repeats else ""
        named = len(self.roles) - len(self.n_values)
        left = f", and {named} that seem to name people" if named else ""
        return (
            f"{self.file}: a table of {self.n_rows:,} rows{of}, {len(self.n_values)} columns with "
            f"{values:,} values{left}; {unique}."
        )

    def to_dict(self) -> dict[str, object]:
        """Return all fields as plain values."""
        return {
            **asdict(self),
            "width": None if self.width is None else self.width._asdict(),
            "person": None if self.person is None else self.person.to_dict(),
            "options": list(self.options),
            "n_people": self.n_people,
            "unique_rate": self.unique_rate,
        }


def facts_of(file: str | os.PathLike[str], *, names: Sequence[str] | None = None) -> Facts:
    """Return what can be seen in a file: a table, or FIMI ``.dat`` transactions.

    Parameters
    ----------
    file : path
        The file.
    names : sequence of str, optional
        Of all columns of a table without a header.

    Raises
    ------
    DataError
        If the file cannot be read.
    """
    path = find_file(file)
    if inner_suffix(path) == ".dat":
        if names:
            raise ParameterError(
                f"{path} holds transactions, which have no columns to name.", parameter="names"
            )
        return _of_transactions(path)
    read = understand(path, names=names)
    usable = None if names else usable_names(read.table.columns)
    if usable is not None:
        return facts_of(path, names=usable)
    found = table_facts(path, read)
    return replace(found, options=("--names", ",".join(names), *found.options)) if names else found


def _of_transactions(path: Path) -> Facts:
    """Return the facts about transactions."""
    data = read_transactions(path)
    _, n_unique = count_distinct_transactions(data)
    return Facts(
        file=str(path),
        kind="transactions",
        n_rows=len(data),
        n_unique=n_unique,
        n_values={"items": len(data.labels)},
        roles={},
    )


def table_facts(path: Path, read: tuple[Mapping[str, Measured], list[str], Table]) -> Facts:
    """Return the facts about a table, with the cuts and codes by which it was read."""
    cuts, codes, table = read
    suggested = suggest_roles(table)
    roles = suggested.roles
    used = [name for name in table.columns if roles[name] != "identifying"]
    database = Database.from_table(table, columns=used)
    person = suggested.person
    if person is None or not person.repeats:
        n_unique = int(np.sum(database.weights == 1))
    else:
        whose = People.of(person.column, table.codes(person.column))
        classes = equivalence_classes(replace(table, people=whose), used)
        alone = classes.members[classes.class_of] == 1
        n_unique = len(np.unique(whose.codes[alone]))
    return Facts(
        file=str(path),
        kind="table",
        n_rows=table.n_rows,
        n_unique=n_unique,
        n_values={name: len(table.values(name)) for name in used},
        roles=roles,
        person=person,
        options=_options(cuts, codes, roles, table.sets, person),
        is_cut=bool(cuts),
        diverse=_is_diverse(table, roles, person),
        width=width_of(database),
    )


def _is_diverse(table: Table, roles: Mapping[str, Role], person: PersonSuggestion | None) -> bool:
    """Say whether some class could be 2-diverse in every column that seems to be sensitive.

    Where people have several rows, or cells several members, a value may be had by at most half of
    the people; if every row has one value, two different ones are enough.
    """
    sensitive = [name for name, role in roles.items() if role == "sensitive"]
    repeats = person is not None and person.repeats
    who = table.codes(person.column) if person and repeats else np.arange(table.n_rows)
    for name in sensitive:
        if not repeats and name not in table.sets:
            if len(table.values(name)) < LEAST_VALUES:
                return False
            continue
        members = table.members(name)
        rows, codes = members.of_rows(table.codes(name))
        held = np.unique(np.stack([codes, who[rows]]), axis=1)[0]
        if len(held) and LEAST_VALUES * np.bincount(held).max() > len(np.unique(who)):
            return False
    return bool(sensitive)


# What a search for identifying combinations takes, tried for a moment where there are many columns.

MANY_COLUMNS = 30
PROBE_SECONDS = 2
PROBE_THETA = 4


class Width(NamedTuple):
    """What was seen of a search in all rows of a wide table, for a moment.

    ``is_done`` says whether combinations of any size were found in that time. ``max_size`` is the
    largest of 3 and 2 for which those of at most so many values were; None if those of any size
    were, and 2 if none of these was.
    """

    n_columns: int
    n_rows: int
    is_done: bool
    max_size: int | None

    @property
    def sentence(self) -> str:
        """What was seen, in one plain sentence."""
        tried = f"in {self.n_columns} columns and {self.n_rows:,} different rows"
        if self.is_done:
            return (
                f"Identifying combinations of any size are found {tried} in less than "
                f"{PROBE_SECONDS} seconds."
            )
        return (
            f"A search for identifying combinations of any size took more than {PROBE_SECONDS} "
            f"seconds {tried} and was ended; it can take very long."
        )


def width_of(database: Database) -> Width | None:
    """Return what a search takes, tried for some seconds; None of a table of few columns.

    Examples
    --------
    >>> rows = Table.from_frame({f"c{place}": ["x", "y"] * 5 for place in range(40)})
    >>> width_of(Database.from_table(rows))
    Width(n_columns=40, n_rows=2, is_done=True, max_size=None)
    """
    n_columns = len(database.columns)
    if n_columns <= MANY_COLUMNS:
        return None

    def ends(max_size: int | None) -> bool:
        try:
            mark_cells(database, theta=PROBE_THETA, max_size=max_size, max_seconds=PROBE_SECONDS)
        except LimitError:
            return False
        return True

    is_done = ends(None)
    most = None if is_done else next((size for size in (3, 2) if ends(size)), 2)
    return Width(n_columns, database.n_transactions, is_done, most)


def _options(
    cuts: Mapping[str, Measured],
    codes: list[str],
    roles: Mapping[str, Role],
    sets: Mapping[str, str],
    person: PersonSuggestion | None,
) -> tuple[str, ...]:
    """Return the options of a command that read a table so; quasi is the default role."""
    options: list[str] = []
    out = "identifying"
    if person is not None and person.repeats:
        options += ("--person", person.column)
        roles = {name: role for name, role in roles.items() if name != person.column}
    for name, role in roles.items():
        options += () if role == "quasi" else ("--role", f"{name}={role}")
    for name, cut in cuts.items():
        options += ("--bins", f"{name}={','.join(map(_number, cut.edges))}")
    for name in codes:
        options += ("--categorical", name) if roles.get(name, out) != out else ()
    for name, separator in sets.items():
        options += ("--sets", f"{name}={separator}") if roles.get(name, out) != out else ()
    return tuple(options)


def _number(edge: float) -> str:
    """Return a number in digits, without an exponent."""
    return str(edge) if isinstance(edge, int) else f"{Decimal(str(edge)):f}"


# Edges to propose for columns of measured numbers, for a person to correct.
#
# Round numbers between the 5th and the 95th percentile, with open ends: the extremes, which single
# people out, fall into "< 20" and ">= 80" together with many others. They are taken from the data,
# so that no guarantee of differential privacy holds with such edges: the drafted policy says so.

LEAST_VALUES = 2  # of l-diversity as it is proposed

N_STEPS = 5  # about so many bins between the percentiles

MOST_IN_A_BIN = 0.5  # of the rows; where even steps leave more, edges follow the quantiles

Numbers: TypeAlias = "np.ndarray[tuple[int], np.dtype[np.float64]]"

_CODE_NAME = re.compile(r"zip|post_?(al_?)?code|plz|(^|_)codes?(_|$)|district|icd|naics|nace|isco")


class Measured(NamedTuple):
    """A column of measured numbers: its range, and edges to cut it at."""

    low: float
    high: float
    n_values: int
    edges: tuple[float, ...]


def suggest_cuts(table: Table) -> dict[str, Measured]:
    """Return edges for every column that holds measured numbers.

    Parameters
    ----------
    table : Table
        Numbers uncut: columns as the reader understands them.

    Returns
    -------
    dict
        Column to its range and edges. The rule is that of ``Table.from_frame``: decimals, and
        whole numbers with more than 64 values.

    Examples
    --------
    >>> from discreet import Table
    >>> ages = Table.from_frame({"age": list(range(17, 91))}, categorical=True)
    >>> suggest_cuts(ages)["age"].edges
    (40, 60, 80)
    """
    found = {}
    for name in table.columns:
        values = [value for value in table.values(name) if value is not None]
        numbers = all(isinstance(v, int | float | Decimal) and v is not True for v in values)
        whole = numbers and all(isinstance(v, int) for v in values)
        if not values or not numbers or any(isinstance(v, bool) for v in values):
            continue
        if whole and len(values) <= MAX_DISTINCT_NUMBERS:
            continue
        labels = np.array([float("nan") if v is None else float(v) for v in table.values(name)])  # type: ignore[arg-type]
        sorted_values = np.sort(labels[table.codes(name)])
        finite = sorted_values[np.isfinite(sorted_values)]
        if len(finite):
            found[name] = Measured(float(finite[0]), float(finite[-1]), len(values), _edges(finite))
    return found


def looks_like_code(column: str) -> bool:
    """Say whether a column of numbers is named like one of codes, such as postcodes.

    Examples
    --------
    >>> looks_like_code("zip"), looks_like_code("PostCode"), looks_like_code("age")
    (True, True, False)
    """
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", column)
    return _CODE_NAME.search(re.sub(r"[\W_]+", "_", spaced).lower()) is not None


def _edges(numbers: Numbers) -> tuple[float, ...]:
    """Return round edges for sorted numbers, at least one: even steps, or about equal counts.

    Even steps are read most easily. Where they would leave most rows in one bin, as of incomes, the
    edges are rounded quantiles; where most rows have one value, as an amount of 0, it is a bin of
    its own, and the others are cut.
    """
    values, counts = np.unique(numbers, return_counts=True)
    most, alone = float(values[counts.argmax()]), int(counts.max()) / len(numbers)
    if len(values) > 1 and alone > MOST_IN_A_BIN:
        above = values[values > most]
        around = [_between(most, float(above[0]))] if len(above) else []
        around += [most] if most > values[0] else []
        edges = sorted({*map(_plain, around), *_cut(numbers[numbers != most])})
        return tuple(edges[:1]) + tuple(
            edge for low, edge in pairwise(edges) if ((values >= low) & (values < edge)).any()
        )
    return _cut(numbers)


def _cut(numbers: Numbers) -> tuple[float, ...]:
    """Return even edges, or rounded quantiles where even ones leave most rows in one bin."""
    even = _even_edges(numbers)
    if _fullest(numbers, even) <= MOST_IN_A_BIN:
        return even
    return min(even, _quantile_edges(numbers), key=lambda edges: _fullest(numbers, edges))


def _fullest(numbers: Numbers, edges: tuple[float, ...]) -> float:
    """Return the share of sorted numbers in the bin that has most."""
    return float(np.diff([0, *np.searchsorted(numbers, edges), len(numbers)]).max()) / len(numbers)


def _quantile_edges(numbers: Numbers) -> tuple[float, ...]:
    """Return quantiles of sorted numbers, rounded to one digit, or two where one is too coarse."""
    shares = [*(place / N_STEPS for place in range(1, N_STEPS)), 0.95]
    cuts = np.quantile(numbers, shares, method="nearest").tolist()
    for digits in (1, 2, 3):
        edges = sorted({_plain(float(f"{cut:.{digits - 1}e}")) for cut in cuts})
        inside = tuple(edge for edge in edges if numbers[0] < edge <= numbers[-1])
        if len(inside) >= min(3, len({*cuts})):
            return inside
    return inside or (_plain(cuts[-1]),)


def _between(low: float, high: float) -> float:
    """Return the roundest number above one and not above another.

    Examples
    --------
    >>> _between(0, 114), _between(3, 4), _between(0.5, 0.75)
    (100, 4, 0.7)
    """
    first = math.floor(math.log10(max(abs(low), abs(high)))) + 1
    for power in range(first, first - 17, -1):
        step = Fraction(10) ** power
        edge = math.floor(Fraction(high) / step) * step
        if edge > Fraction(low):
            return _as_float(edge)
    return high


def _plain(number: float) -> float:
    """Return a whole number as one."""
    return int(number) if float(number).is_integer() else number


def _even_edges(numbers: Numbers) -> tuple[float, ...]:
    """Return round edges between the 5th and 95th percentile of sorted numbers, at least one."""
    low, high = np.quantile(numbers, [0.05, 0.95], method="nearest")
    if low == high:  # most rows have one value: cut the rest
        low, high = numbers[0], numbers[-1]
    if low == high:
        return (_as_float(Fraction(float(low))),)
    step = _round_step(float(high - low) / N_STEPS)
    first = math.floor(Fraction(float(low)) / step) + 1
    last = math.ceil(Fraction(float(high)) / step) - 1
    edges = [_as_float(step * place) for place in range(first, last + 1)]
    return tuple(dict.fromkeys(edges)) or (_as_float(step * first),)


def _round_step(width: float) -> Fraction:
    """Return the smallest of 1, 2, 5, 10, ... (and tenths of them) that is at least a width."""
    power = Fraction(10) ** math.floor(math.log10(width))
    return next(power * times for times in (1, 2, 5, 10) if power * times >= Fraction(width))


def _as_float(value: Fraction) -> float:
    """Return a whole number where it is one."""
    return int(value) if value.denominator == 1 else float(value)


# How a file can be read as a table: which numbers are cut where, and which ones are codes.


def usable_names(columns: Sequence[str]) -> list[str] | None:
    r"""Return names for columns that a release can have, or None if their own will do.

    Line ends, blanks at the ends, and letters that are not seen, are not allowed in a release:
    names that are read alike could be taken for one another.

    Examples
    --------
    >>> print(usable_names(["age", "sex"]))
    None
    >>> usable_names(["age ", "sex\n(m/f)", "Age"])
    ['age', 'sex (m/f)', 'Age 2']
    """
    if fault_of_names(columns) is None:
        return None
    found: list[str] = []
    for place, name in enumerate(columns, start=1):
        seen = "".join(" " if unicodedata.category(each)[0] in "CZ" else each for each in name)
        bare = " ".join(seen.replace(",", " ").split()) or f"column_{place}"
        tries = (bare if n == 1 else f"{bare} {n}" for n in range(1, len(columns) + 2))
        found.append(next(one for one in tries if fault_of_names([*found, one]) is None))
    return found


class Understood(NamedTuple):
    """Edges for measured numbers, columns of codes, and the table with both applied."""

    cuts: dict[str, Measured]
    codes: list[str]
    table: Table


def understand(
    path: Path,
    *,
    names: Sequence[str] | None = None,
    repairs: Mapping[str, Repair] | None = None,
    reading: Reading | None = None,
) -> Understood:
    """Return a table with proposed edges for its measured numbers, for a person to correct.

    Parameters
    ----------
    path : Path
        A file that exists and holds a table.
    names : sequence of str, optional
        Of all columns, for a file without a header.
    repairs, reading : mapping, optional
        Repairs of columns, and options of ``read_table``, as
        :func:`~discreet.data.repair.suggest.suggest_repairs` proposes them.

    Returns
    -------
    Understood
        Columns that seem to be identifying are not cut: no release has them.

    Raises
    ------
    DataError
        If the file holds transactions, or cannot be read.
    """
    suffix = inner_suffix(path)
    if suffix == ".dat":
        raise DataError(
            f"{path} holds transactions, and this is for tables. To publish what is frequent: "
            "discreet patterns sanitize --help; each transaction changed at random: discreet "
            "randomize --help."
        )
    if suffix == ".num":
        table = load(path, names=names)
        assert isinstance(table, Table)
        return Understood({}, [], table)
    given: dict[str, Any] = {"names": names, "repairs": repairs, **(reading or {})}
    columns = read_table(path, categorical=True, **given).columns
    # Identifying columns are never published, so that their numbers need no bins.
    typed = read_table(path, roles=dict.fromkeys(columns, "identifying"), **given)
    measured = suggest_cuts(typed)
    codes = [name for name in measured if looks_like_code(name)]
    alone = suggest_roles(typed).roles
    cuts = {
        name: cut
        for name, cut in measured.items()
        if name not in codes and not (alone[name] == "identifying" and _is_whole(typed, name))
    }
    bins = {name: cut.edges for name, cut in cuts.items()}
    sets = suggest_sets(typed)
    ids = {name: "identifying" for name in measured if name not in cuts and name not in codes}
    table = read_table(path, bins=bins, categorical=codes, roles=ids, sets=sets, **given)
    final = suggest_roles(table).roles
    kept = {name: cut for name, cut in cuts.items() if final[name] != "identifying"}
    return Understood(kept, codes, table)


def _is_whole(table: Table, column: str) -> bool:
    """Say whether a column holds whole numbers only."""
    return all(isinstance(value, int) for value in table.values(column) if value is not None)
