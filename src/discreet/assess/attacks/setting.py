"""What every attack is given: a release, the original it was made from, and controls."""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias, TypeGuard

import numpy as np

from discreet.assess.classes import equal_codes
from discreet.data.table import as_table
from discreet.errors import DataError, DiscreetWarning, ParameterError
from discreet.release.contents import shown_cells
from discreet.release.release import Release

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.random import Generator
    from numpy.typing import NDArray

    from discreet.data.column import Column
    from discreet.data.hierarchy.tree import Hierarchy
    from discreet.data.people import People
    from discreet.data.table import Table


class Setting(NamedTuple):
    """Release, original, people who are not in the release, and columns that may be known."""

    release: Table
    original: Table
    controls: Table | None
    columns: tuple[str, ...]


def attacked(
    release: object,
    original: object,
    controls: object,
    columns: Iterable[str] | None,
    *,
    also: Iterable[str] = (),
) -> Setting:
    """Return the tables of an attack, or refuse them if they do not go together.

    Parameters
    ----------
    release, original, controls : Release, Table or frame
        Controls may be None.
    columns : iterable of str or None
        Columns that may be known; by default those of the original that are not identifying.
    also : iterable of str
        Columns that all tables must have besides.

    Raises
    ------
    ParameterError
        If a table lacks a column, there are no targets, or the controls are the original:
        then members and others are alike by construction, and every attack seems to fail.
    DataError
        If the release has no rows, so that every attack seems to fail.
    """
    before, after = as_table(original), _of_people(release, as_table(original))
    others = None if controls is None else as_table(controls)
    if columns is None:
        names = tuple(name for name in before.columns if name not in before.identifying)
    else:
        names = before.select(columns).columns
    if not names:
        raise ParameterError(
            "An attacker has to know something: name at least one column.", parameter="columns"
        )
    for title, table in (("original", before), ("release", after), ("controls", others)):
        if table is None:
            continue
        for name in (*names, *also):
            try:
                table.column(name)
            except ParameterError as error:
                raise error.inside(f"In the {title}") from None
        if table.n_rows == 0 and title != "release":
            raise ParameterError(f"The {title} has no rows, so there are no targets to attack.")
    if after.n_rows == 0:
        raise DataError(
            "The release has no rows: every attack on it fails, which says nothing. Attack a "
            "release that has rows."
        )
    if others is not None:
        _refuse_original(before, others, columns=(*names, *also))
    return Setting(release=after, original=before, controls=others, columns=names)


def _shows_rows(release: object) -> TypeGuard[Release]:
    return isinstance(release, Release) and release.kind == "rows"


def _of_people(release: object, original: Table) -> Table:
    """Return a release, knowing whose its rows are where the original says so of its own."""
    after = shown_cells(release) if _shows_rows(release) else as_table(release)
    rows = getattr(release, "input_rows", None)
    if original.people is None or after.people is not None or rows is None:
        return after
    if len(rows) != after.n_rows or (len(rows) and rows.max() >= original.n_rows):
        return after
    return replace(after, people=original.people.take(rows))


def draw_targets(people: Table, n: int, random: Generator) -> NDArray[np.int64]:
    """Return a row for each of some targets, drawn with replacement.

    Where it is known whose each row is, people are drawn, and of each a random row: somebody with
    many rows is no likelier a target than anybody else.
    """
    if people.people is None:
        return random.integers(people.n_rows, size=n)
    return _row_of(people.people, random.integers(people.people.n_people, size=n), random)


def draw_some(people: Table, n: int, random: Generator) -> NDArray[np.int64]:
    """Return at most n rows, drawn without replacement; where it is known, of different people."""
    if people.people is None:
        return random.permutation(people.n_rows)[:n]
    return _row_of(people.people, random.permutation(people.people.n_people)[:n], random)


def _row_of(people: People, who: NDArray[np.int64], random: Generator) -> NDArray[np.int64]:
    """Return a random row of each person."""
    by_person = np.argsort(people.codes, kind="stable")
    n_rows = np.bincount(people.codes, minlength=people.n_people)
    first = np.cumsum(n_rows) - n_rows
    rows: NDArray[np.int64] = by_person[first[who] + random.integers(n_rows[who])]
    return rows


def stated_hierarchies(
    release: object, hierarchies: Mapping[str, Hierarchy] | None
) -> Mapping[str, Hierarchy]:
    """Return the hierarchies given to an attack, or else those that a release was made by."""
    if hierarchies is None and isinstance(release, Release):
        return release.trees()
    return hierarchies or {}


def have_same_rows(first: Table, second: Table, columns: Sequence[str]) -> bool:
    """Say whether two tables have the same rows in some columns, each as often, in any order.

    Examples
    --------
    >>> import discreet as dc
    >>> table = dc.Table.from_frame({"sex": ["f", "m", "m"]})
    >>> have_same_rows(table, table.take([2, 0, 1]), ["sex"])
    True
    >>> have_same_rows(table, table.take([0, 0, 1]), ["sex"])
    False
    """
    if first.n_rows != second.n_rows:
        return False
    coded = np.concatenate(one_coding([first, second], columns), axis=1)
    classes = equal_codes(list(coded), first.n_rows + second.n_rows)
    here, there = (
        np.bincount(half, minlength=len(classes)) for half in np.split(classes.class_of, 2)
    )
    return bool((here == there).all())


def _refuse_original(original: Table, controls: Table, *, columns: Sequence[str]) -> None:
    """Raise ParameterError if the controls are the original, but for identifying columns."""
    both = [name for name in original.columns if name in controls.columns]
    shared = [name for name in both if name in columns or name not in original.identifying]
    if have_same_rows(original, controls, shared):
        raise ParameterError(
            "controls: these are the rows of the original, so members and controls cannot be "
            "distinguished.",
            parameter="controls",
            remedy="Give records that were not used.",
        )


# A release and the people attacked in one coding: equal values, equal numbers.


def one_coding(
    tables: Sequence[Table], columns: Sequence[str]
) -> list[NDArray[np.unsignedinteger]]:
    """Return the cells of some tables as numbers, one row of an array for each column.

    Parameters
    ----------
    tables : sequence of Table
        They may number their values differently.
    columns : sequence of str
        Columns that all of them have.

    Returns
    -------
    list of arrays
        One for each table, of the smallest unsigned type that holds all codes. Equal values of
        a column have equal codes; a missing or suppressed cell is a value of its own.

    Examples
    --------
    >>> import discreet as dc
    >>> first, second = (dc.Table.from_frame({"sex": cells}) for cells in (["f", "m"], ["m", "f"]))
    >>> one_coding([first, second], ["sex"])
    [array([[0, 1]], dtype=uint8), array([[1, 0]], dtype=uint8)]
    """
    coded: list[list[NDArray[np.int64]]] = [[] for _ in tables]
    largest = 0
    for name in columns:
        code_of: dict[tuple[type, object], int] = {}
        for table, cells in zip(tables, coded, strict=True):
            new = [
                code_of.setdefault((type(value), value), len(code_of))
                for value in table.values(name)
            ]
            cells.append(np.array(new, np.int64)[table.codes(name)])
        largest = max(largest, len(code_of) - 1)
    kind = np.min_scalar_type(largest)
    return [
        np.array(cells, kind).reshape(len(columns), table.n_rows)
        for table, cells in zip(tables, coded, strict=True)
    ]


# Success rates of attacks with confidence intervals that hold for small counts too.

Z = 1.959963984540054  # of the normal law, for 95 per cent


@dataclass(frozen=True, slots=True, kw_only=True)
class Rate:
    r"""A share of trials with its 95 per cent Wilson interval.

    .. math:: \frac{\hat p + z^2 / 2n \pm z \sqrt{\hat p (1 - \hat p) / n + z^2 / 4 n^2}}
        {1 + z^2 / n}

    where :math:`n` is the number of trials, :math:`\hat p` the share that succeeded and
    :math:`z = 1.96`.

    References
    ----------
    E. Wilson (1927), Probable inference, the law of succession, and statistical inference.

    Examples
    --------
    >>> print(Rate(n_hits=3, n_trials=20))
    15.0% (5.2% to 36.0%)
    """

    n_hits: int
    n_trials: int

    @property
    def rate(self) -> float:
        """Share of trials that succeeded; 0 without trials."""
        return self.n_hits / self.n_trials if self.n_trials else 0.0

    @property
    def low(self) -> float:
        """Lower end of the interval; 0 without trials."""
        return max(0.0, self._middle() - self._half()) if self.n_hits else 0.0

    @property
    def high(self) -> float:
        """Upper end of the interval; 1 without trials."""
        return 1.0 if self.n_hits == self.n_trials else min(1.0, self._middle() + self._half())

    def __str__(self) -> str:
        return f"{self.rate:.1%} ({self.low:.1%} to {self.high:.1%})"

    def to_dict(self) -> dict[str, object]:
        """Return counts, share and interval."""
        return {
            "n_hits": self.n_hits,
            "n_trials": self.n_trials,
            "rate": self.rate,
            "low": self.low,
            "high": self.high,
        }

    def _middle(self) -> float:
        n = self.n_trials
        return (self.rate + Z**2 / (2 * n)) / (1 + Z**2 / n)

    def _half(self) -> float:
        n, p = self.n_trials, self.rate
        return Z * math.sqrt(p * (1 - p) / n + Z**2 / (4 * n**2)) / (1 + Z**2 / n)


class Excess(NamedTuple):
    """A difference of two rates and the ends of its 95 per cent interval."""

    difference: float
    low: float
    high: float


def excess(attack: Rate, control: Rate) -> Excess:
    """Return how much larger a rate is than that of the control group, with its interval.

    Parameters
    ----------
    attack, control : Rate
        Success among the targets, and among people who are not in the release.

    Returns
    -------
    Excess
        The difference; above 0 the release itself helps the attacker.

    References
    ----------
    R. Newcombe (1998), Interval estimation for the difference between independent
    proportions, method 10.

    Examples
    --------
    >>> more = excess(Rate(n_hits=30, n_trials=100), Rate(n_hits=10, n_trials=100))
    >>> [round(end, 3) for end in more]
    [0.2, 0.09, 0.306]
    """
    difference = attack.rate - control.rate
    low = difference - math.hypot(attack.rate - attack.low, control.high - control.rate)
    high = difference + math.hypot(attack.high - attack.rate, control.rate - control.low)
    return Excess(difference, low, high)


# The rows of a release that are most like a person: Hamming distances by brute force.
#
# A distance is the number of columns that differ. Equal rows of the release are compared once.

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    Codes = NDArray[np.unsignedinteger]


PAIRS = 2**19  # of a person and a row compared at a time: they stay in the processor's cache


def closest_distances(release: Codes, people: Codes) -> NDArray[np.int64]:
    """Return in how many columns each person differs from the release's most similar row.

    Parameters
    ----------
    release, people : arrays of unsigned int
        A row for each column, in one coding.

    Returns
    -------
    array of int
        One for each person; the number of columns if the release has no rows.

    Notes
    -----
    Time is people times distinct rows of the release times columns, a byte each if no column
    has more than 256 values.

    Examples
    --------
    >>> release = np.array([[0, 1], [0, 1], [0, 1]], np.uint8)
    >>> closest_distances(release, np.array([[1, 0], [1, 1], [1, 0]], np.uint8))
    array([0, 1])
    """
    distances = np.full(people.shape[1], len(people), np.int64)
    distinct = release[:, equal_codes(list(release), release.shape[1]).first]
    if distinct.shape[1]:
        for which, agreements in _agreements(distinct, people):
            distances[which] -= agreements.max(axis=1)
    return distances


def nearest_votes(
    release: Codes, sensitive: NDArray[np.int64], people: Codes, *, n_values: int
) -> NDArray[np.int64]:
    """Return how many of the nearest rows have each value of a column the attacker cannot see.

    Parameters
    ----------
    release, people : arrays of unsigned int
        The columns that are known, a row for each, in one coding.
    sensitive : array of int
        The value to infer, for each row of the release; negative where it is suppressed.
    people : array of unsigned int
        The people attacked.
    n_values : int
        How many values there are.

    Returns
    -------
    array of int
        A row for each person, a column for each value. All rows at the least distance vote.

    Examples
    --------
    >>> release = np.array([[0, 0, 0, 1]], np.uint8)
    >>> nearest_votes(release, np.array([1, 1, 0, 0]), np.array([[0, 1]], np.uint8), n_values=2)
    array([[1, 2],
           [1, 0]])
    """
    shown = sensitive >= 0
    release, sensitive = release[:, shown], sensitive[shown]
    alike = equal_codes([*release, sensitive], len(sensitive))
    distinct, values = release[:, alike.first], sensitive[alike.first]
    votes = np.zeros((people.shape[1], n_values), np.int64)
    if len(values) == 0:
        return votes
    for which, agreements in _agreements(distinct, people):
        person, row = np.nonzero(agreements == agreements.max(axis=1, keepdims=True))
        n_people = len(agreements)
        counted = np.bincount(
            person * n_values + values[row], alike.sizes[row], minlength=n_people * n_values
        )
        votes[which] = counted.astype(np.int64).reshape(n_people, n_values)
    return votes


def _agreements(
    release: Codes, people: Codes
) -> Iterator[tuple[slice, NDArray[np.unsignedinteger]]]:
    """Yield slices of the people, and in how many columns each agrees with each row."""
    n_columns, n_rows = release.shape
    step = max(1, PAIRS // n_rows)
    kind = np.min_scalar_type(n_columns)
    for start in range(0, people.shape[1], step):
        which = slice(start, min(start + step, people.shape[1]))
        agreements = np.zeros((which.stop - which.start, n_rows), kind)
        for there, known in zip(release, people[:, which], strict=True):
            agreements += known[:, None] == there
        yield which, agreements


# Which rows of a release fit what an attacker knows about a person.
#
# A visible cell fits if it is the value known, or a group of the hierarchy that holds it. A
# suppressed cell is read in both ways: as a wildcard that fits everything, and as a value ``*``
# that fits nothing but a missing one.

Reading: TypeAlias = Literal["wildcard", "exact"]

READINGS: tuple[Reading, ...] = ("wildcard", "exact")


class Matcher:
    """The distinct rows of a release in some columns, ready to be searched.

    Rows of two people are never one, where it is known whose they are.

    Parameters
    ----------
    release : Table
        What the attacker sees.
    targets : Table
        The people attacked, with the same columns.
    columns : sequence of str
        What may be known or is to be learnt.
    hierarchies : mapping of str to Hierarchy
        Trees of generalized columns.

    Attributes
    ----------
    weights : array of int64
        How many rows each distinct row stands for.
    codes : dict of str to array
        Code of each distinct row in each column.
    people : array of int32 or None
        The person of each distinct row.
    """

    __slots__ = ("_by_value", "_ends", "_fits", "_targets", "codes", "people", "weights")

    def __init__(
        self,
        release: Table,
        targets: Table,
        columns: Sequence[str],
        hierarchies: Mapping[str, Hierarchy],
    ) -> None:
        whose = [] if release.people is None else [release.people.codes]
        distinct = equal_codes([*map(release.codes, columns), *whose], release.n_rows)
        self.weights = distinct.sizes
        self.people = whose[0][distinct.first] if whose else None
        self.codes = {name: release.codes(name)[distinct.first] for name in columns}
        self._targets = {name: targets.codes(name) for name in columns}
        # Rows sorted by value: those of value v end where ends[v] says.
        self._by_value = {
            name: np.argsort(codes, kind="stable").astype(np.int32)
            for name, codes in self.codes.items()
        }
        self._ends = {
            name: np.cumsum(np.bincount(codes, minlength=len(release.values(name))))
            for name, codes in self.codes.items()
        }
        self._fits: dict[Reading, dict[str, NDArray[np.bool_]]] = {"exact": {}, "wildcard": {}}
        for name in columns:
            there = release.column(name)
            tree = hierarchies.get(name)
            exact = fitting(targets.column(name), there, tree)
            wildcard = exact.copy()
            if tree is not None and tree.n_leaves > 1:  # all values as one group: nothing is seen
                root = str(tree.labels[tree.root])
                exact[:, [str(value) == root for value in there.values]] = False
            if there.missing_code is not None:
                wildcard[:, there.missing_code] = True
            self._fits["exact"][name], self._fits["wildcard"][name] = exact, wildcard

    def rows(self, target: int, known: Iterable[str], reading: Reading) -> NDArray[np.int64]:
        """Return the distinct rows that fit one target in the known columns."""
        fits = {name: self._fits[reading][name][self._targets[name][target]] for name in known}
        if not fits:
            return np.arange(len(self.weights))
        sizes = {name: int(np.diff(self._ends[name], prepend=0) @ fits[name]) for name in fits}
        first, *others = sorted(fits, key=sizes.__getitem__)  # fewest rows first
        found = self._with_values(first, np.flatnonzero(fits[first]))
        for name in others:
            found = found[fits[name][self.codes[name][found]]]
        return found

    def count(self, rows: NDArray[np.int64]) -> int:
        """Return how many people some distinct rows are of, or else how many rows they are."""
        if self.people is None:
            return int(self.weights[rows].sum())
        return len(np.unique(self.people[rows]))

    def holders(
        self, rows: NDArray[np.int64], values: NDArray[np.integer], n_values: int
    ) -> NDArray[np.int64]:
        """Return how many people, or else rows, have each value in some distinct rows."""
        if self.people is None:
            counts = np.zeros(n_values, np.int64)
            np.add.at(counts, values, self.weights[rows])
            return counts
        pairs = np.unique(self.people[rows].astype(np.int64) * n_values + values)
        return np.bincount(pairs % n_values, minlength=n_values)

    def _with_values(self, name: str, values: NDArray[np.intp]) -> NDArray[np.int64]:
        """Return the rows that have one of these values in a column."""
        ends, rows = self._ends[name], self._by_value[name]
        parts = [rows[ends[value - 1] if value else 0 : ends[value]] for value in values]
        return np.concatenate([np.empty(0, np.int64), *parts])


def fitting(
    target: Column, release: Column, hierarchy: Hierarchy | None = None
) -> NDArray[np.bool_]:
    """Return which values of a release fit which values of a target's column.

    Parameters
    ----------
    target, release : Column
        The same column before and after protection.
    hierarchy : Hierarchy, optional
        Its tree, if the release shows groups.

    Returns
    -------
    ndarray of bool
        A row for each value of the target, a column for each of the release.

    Raises
    ------
    HierarchyError
        If a value of the target is no leaf, or one of the release no node.
    """
    if hierarchy is None:
        place_of = {(type(value), value): code for code, value in enumerate(target.values)}
        fits = np.zeros((len(target.values), len(release.values)), np.bool_)
        for code, value in enumerate(release.values):
            if (type(value), value) in place_of:
                fits[place_of[type(value), value], code] = True
        return fits
    as_text = {str(leaf): code for code, leaf in enumerate(hierarchy.leaves)}
    # The original of a release that shows texts may have its numbers as texts, too.
    leaves = hierarchy.encode(
        hierarchy.leaves[as_text[value]] if isinstance(value, str) and value in as_text else value
        for value in target.values
        if value is not None
    )
    fits = np.zeros((len(target.values), len(release.values)), np.bool_)
    for code, value in enumerate(release.values):
        if value is None:  # a missing value in both; the wildcard is added by the matcher
            fits[len(leaves) :, code] = True
            continue
        # Next to groups a number is shown as text: a column has values of one type.
        leaf = as_text.get(value) if isinstance(value, str) else None
        under = hierarchy.leaves_under(hierarchy.node_of(value) if leaf is None else leaf)
        fits[: len(leaves), code] = (leaves >= under.start) & (leaves < under.stop)
    return fits


def warn_of_strangers(
    release: Table, original: Table, columns: Iterable[str], hierarchies: Mapping[str, Hierarchy]
) -> None:
    """Warn of values in the release that the original never has: they match no target."""
    for name in columns:
        known = {(type(value), value) for value in original.values(name)}
        strange = [
            value
            for value in release.values(name)
            if value is not None and (type(value), value) not in known
        ]
        if strange and name not in hierarchies:
            shown = ", ".join(map(repr, strange[:3])) + (", ..." if len(strange) > 3 else "")
            warnings.warn(
                f"Column '{name}' of the release has {len(strange)} values that the original "
                f"never has: {shown}. They match no target, so the attack is too weak; give "
                "hierarchies= if the column was generalized.",
                DiscreetWarning,
                stacklevel=3,
            )
