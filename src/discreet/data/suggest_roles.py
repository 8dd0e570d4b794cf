"""Roles suggested from names and values of columns, whose rows they may be, and set columns."""

from __future__ import annotations

import re
import warnings
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

import numpy as np

from discreet.data.recognize import FREE_TEXT, PERSONAL_NUMBERS, looks_like_numbers, recognize
from discreet.data.recognize.names import (
    NATIONAL,
    PEOPLE_NAMES,
    kind_by_name,
    name_of_number,
    names_people,
    noun_of,
    words_of,
)
from discreet.data.table import as_table
from discreet.errors import DiscreetWarning

if TYPE_CHECKING:
    from collections.abc import Mapping

    from discreet.data.column import Label
    from discreet.data.roles import Role
    from discreet.data.table import Table


def suggest_roles(table: object) -> RoleSuggestions:
    """Return a role for each column with the reason, for a person to confirm or correct.

    Parameters
    ----------
    table : Table or frame
        The table; roles it already has are not looked at.

    Returns
    -------
    RoleSuggestions
        ``suggestions`` in column order; ``roles`` as a mapping; ``person``, the column that seems
        to say whose row it is, unless the table knows.

    Notes
    -----
    The first rule that fits decides:

    1. A constant column is insensitive.
    2. A column is identifying if its values are e-mail addresses, phone numbers, bank accounts,
       payment cards, national numbers (by their check digits), web or IP addresses, UUIDs, hash
       values, or free text.
    3. A column is identifying if its name says so in English, German, French, Spanish, Italian or
       Dutch: names of people, contact data, numbers of patients and customers.
    4. A name such as ``diagnosis`` or ``income`` makes a column sensitive.
    5. A column in which at least nine of ten rows have a value of their own (from 20 rows on) is
       identifying.
    6. So is the column that seems to say whose row it is: by its name, such as ``patient_id``, by
       national numbers, UUIDs or hash values, or because its values, all of one length, repeat
       as numbers of people do.
    7. Every other column is quasi.

    Names and values are hints only: that nothing is recognized does not prove that nobody is
    named, and what an attacker may know is for the curator to say.

    Examples
    --------
    >>> from discreet.data.table import Table
    >>> table = Table.from_frame(
    ...     {"email": ["a@x", "b@x"], "sex": ["f", "m"], "Diagnosis": ["flu", "flu or cold"]}
    ... )
    >>> print(suggest_roles(table))
    email: identifying (its name says that it holds e-mail addresses)
    sex: quasi (may be known from elsewhere)
    Diagnosis: sensitive (named like something people keep private)
    """
    table = as_table(table)
    seen = [_suggest(table, column) for column in table.columns]
    is_stated = table.people is not None or table.one_row_per_person
    person = None if is_stated else _whose(table, seen)
    if person is not None:  # by whatever sign: such a column is never published
        place = table.columns.index(person.column)
        if seen[place].role != "identifying":
            seen[place] = replace(seen[place], role="identifying", reason=person.why)
    return RoleSuggestions(suggestions=tuple(seen), person=person)


@dataclass(frozen=True, slots=True, kw_only=True)
class RoleSuggestion:
    """A role for one column and the reason in plain words.

    Attributes
    ----------
    column : str
        The column.
    role : str
        The role that is suggested.
    reason : str
        Why, in words that quote no value.
    kind : str
        What identifies people in it: ``e-mail addresses``, ``names of people``, ``free text``;
        empty where nothing so clear was recognized.
    """

    column: str
    role: Role
    reason: str
    kind: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonSuggestion:
    """A column that seems to say whose row it is.

    Attributes
    ----------
    column : str
        The column.
    n_people, n_rows : int
        How many values it has, in how many rows.
    noun : str
        What the people are called: ``patients``, ``customers``, or ``people``.
    why : str
        By what it was recognized.
    """

    column: str
    n_people: int
    n_rows: int
    noun: str
    why: str

    @property
    def repeats(self) -> bool:
        """Whether somebody seems to have several rows."""
        return self.n_people < self.n_rows

    @property
    def reason(self) -> str:
        """Why it is suggested, in a plain sentence without a value."""
        if not self.repeats:
            return f"{self.why}, and every value of it stands in one row"
        mean = self.n_rows / max(self.n_people, 1)
        return (
            f"{self.why}, and it has {self.n_people:,} values in {self.n_rows:,} rows: {mean:.1f} "
            "rows for each on average"
        )

    @property
    def setting(self) -> str:
        """What a policy may state: ``person = "..."``, or that nobody has several rows."""
        return "person" if self.repeats else "one_row_per_person"

    def to_dict(self) -> dict[str, object]:
        """Return what is suggested, JSON-safe."""
        return {
            "column": self.column,
            "n_people": self.n_people,
            "n_rows": self.n_rows,
            "setting": self.setting,
            "reason": self.reason,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class RoleSuggestions:
    """One suggestion per column, in the order of the table, and whose rows they seem to be."""

    suggestions: tuple[RoleSuggestion, ...]
    person: PersonSuggestion | None = None

    @property
    def roles(self) -> dict[str, Role]:
        """Column to suggested role: what ``Table.with_roles`` takes."""
        return {each.column: each.role for each in self.suggestions}

    def to_dict(self) -> dict[str, dict[str, str]]:
        """Return column to role and reason, JSON-safe."""
        return {
            each.column: {"role": each.role, "reason": each.reason} for each in self.suggestions
        }

    def __repr__(self) -> str:
        roles = ", ".join(f"{each.column} {each.role}" for each in self.suggestions)
        return f"Suggested roles: {roles}"

    def __str__(self) -> str:
        """One line per column, and one about people if a column seems to say whose row it is."""
        lines = [f"{each.column}: {each.role} ({each.reason})" for each in self.suggestions]
        if self.person is not None:
            lines.append(f"{self.person.setting}: {self.person.column} ({self.person.reason})")
        return "\n".join(lines)


_SENSITIVE_NAME = re.compile(
    r"(^|_)(diagnos[ei]s|disease|illness|condition|icd(_?\d+)?|symptoms?|treatment|medication|"
    r"drug|hiv|cancer|disability|health|income|salary|wage|wages|earnings|debt|credit|loan|"
    r"religion|faith|politic(s|al)?|party|vote|union|ethnicity|sexual(ity|_orientation)?|"
    r"orientation|crime|conviction|offen[cs]e|verdict|grade|rating|class_income)(_|$)"
)

# Columns with only such values answer a question, whatever they are called.
_ANSWERS = frozenset(
    {"yes", "no", "y", "n", "true", "false", "t", "f", "0", "1", "ja", "nein", "nee", "j", "oui",
     "non", "o", "si", "s", "unknown", "unbekannt", "none"}
)  # fmt: skip

_UNIQUE_RATE = 0.9
_MIN_ROWS_FOR_UNIQUENESS = 20


def _suggest(table: Table, column: str) -> RoleSuggestion:
    """Apply the rules of :func:`suggest_roles` to one column."""
    values = table.values(column)
    n_values = len(values)
    words = words_of(column)
    role: Role = "identifying"
    kind = ""
    if n_values <= 1 < table.n_rows:
        return RoleSuggestion(
            column=column, role="insensitive", reason="the same value in every row"
        )
    found = recognize(values, n_present=_n_present(table, column), name=words)
    named = kind_by_name(words)
    if found is not None:
        kind, reason = found.kind, found.reason
    elif named and not _are_answers(values):
        kind, reason = named, f"its name says that it holds {named}"
    elif names_people(words) and not _are_answers(values):
        reason = "its name says that it identifies a person"
    elif _SENSITIVE_NAME.search(words):
        role, reason = "sensitive", "named like something people keep private"
    elif table.n_rows >= _MIN_ROWS_FOR_UNIQUENESS and n_values >= _UNIQUE_RATE * table.n_rows:
        reason = (
            "every row has a value of its own"
            if n_values == table.n_rows
            else f"{n_values} values in {table.n_rows} rows: almost every row has its own"
        )
    else:
        role, reason = "quasi", "may be known from elsewhere"
    return RoleSuggestion(column=column, role=role, reason=reason, kind=kind)


def _are_answers(values: tuple[Label, ...]) -> bool:
    """Say whether values are yes and no, in numbers or words, so that they name nobody."""
    return len(values) <= 4 and all(
        value is None or str(value).strip().lower() in _ANSWERS for value in values
    )


def _n_present(table: Table, column: str) -> int:
    """Return how many rows have a value."""
    values = table.values(column)
    if None not in values[-1:]:  # missing comes last
        return table.n_rows
    return table.n_rows - int(np.count_nonzero(table.codes(column) == len(values) - 1))


# Whose row it is: numbers of patients, customers and the like, which may repeat. Places and dates
# repeat too, but neither their names nor their forms are those of numbers that are given out.


@dataclass(frozen=True, slots=True, kw_only=True)
class _Sign:
    """One sign that a column says whose row it is; the first that fits counts.

    ``named`` is what the name says, by :func:`name_of_number`, ``kinds`` what the values are;
    ``share`` is the least number of values for each row, and ``form`` whether values must look
    like numbers that are given out.
    """

    why: str
    named: tuple[str, ...] = ("", "row", "number", "event")
    kinds: frozenset[str] = frozenset()
    share: float = 0.0
    repeats: bool = False
    form: Literal["any", "numbers", "strict"] = "any"

    def fits(self, column: _Column) -> bool:
        """Say whether a column shows the sign."""
        return (
            column.named in self.named
            and (not self.kinds or column.kind in self.kinds)
            and column.share >= self.share
            and (column.share < 1 or not self.repeats)
            and (
                self.form == "any"
                or looks_like_numbers(column.values, strictly=self.form == "strict")
            )
        )


class _Column(NamedTuple):
    """What the signs look at."""

    values: tuple[Label, ...]
    kind: str
    named: str
    share: float


_SAYS_PERSON: Final = "its name says that it identifies a person"
_SIGNS: Final[tuple[_Sign, ...]] = (
    _Sign(named=("person",), why=_SAYS_PERSON),
    _Sign(
        named=("", "person", "thing", "row", "number", "event"),
        kinds=PERSONAL_NUMBERS | {NATIONAL},
        why="it holds {kind}",
    ),
    _Sign(named=("row",), share=0.01, why=_SAYS_PERSON),
    _Sign(kinds=frozenset({"UUIDs", "hash values"}), share=0.05, why="it holds {kind}"),
    _Sign(
        named=("event",), share=0.1, repeats=True,
        why="its name says that it numbers what happens to one person",
    ),
    _Sign(
        kinds=frozenset({"e-mail addresses"}), share=0.1, repeats=True, why="it holds {kind}"
    ),
    _Sign(
        named=("number",), share=0.1, repeats=True, form="numbers",
        why="its name and its values are those of numbers that are given out",
    ),
    _Sign(
        named=("",), share=0.3, repeats=True, form="strict",
        why="its values look like numbers that are given out, all of one length",
    ),
)  # fmt: skip
_LEAST_PEOPLE = 100  # values of a column that only their form speaks for


def _whose(table: Table, suggestions: list[RoleSuggestion]) -> PersonSuggestion | None:
    """Return the column that says most clearly whose row it is, if one does."""
    best: PersonSuggestion | None = None
    signs = _SIGNS
    for each in suggestions:
        values = table.values(each.column)
        n_people = len(values) - (None in values[-1:])
        if n_people < 2 or each.kind in (FREE_TEXT, PEOPLE_NAMES) or _are_answers(values):
            continue
        n_rows = _n_present(table, each.column)
        words = words_of(each.column)
        column = _Column(values, each.kind, name_of_number(words), n_people / n_rows)
        usable = signs if n_people >= _LEAST_PEOPLE else [s for s in signs if s.form != "strict"]
        place = next((i for i, sign in enumerate(usable) if sign.fits(column)), None)
        if place is not None:
            why = usable[place].why.format(kind=each.kind)
            best = PersonSuggestion(
                column=each.column, n_people=n_people, n_rows=n_rows, noun=noun_of(words), why=why
            )
            signs = signs[:place]  # another column must show a clearer one
    return best


def warn_of_people(table: Table) -> None:
    """Warn if a column is called like numbers of people, repeats, and nothing is stated of people.

    Called by methods, which have no time to look at all values: by names alone. A command asks
    before it runs; from Python the claim says ``one row``, and this says why that matters.

    Warns
    -----
    DiscreetWarning
        Naming the column and what to state.
    """
    if table.people is not None or table.one_row_per_person:
        return
    for column in table.columns:
        if name_of_number(words_of(column)) != "person":
            continue
        values = table.values(column)
        n_people, n_rows = len(values) - (None in values[-1:]), _n_present(table, column)
        if 1 < n_people < n_rows and not _are_answers(values):
            warning = DiscreetWarning(
                f"Column '{column}' seems to say whose each row is and has {n_people:,} values in "
                f"{n_rows:,} rows, but nothing is stated of people: the guarantee is about single "
                "rows, and says less of a person who has several.",
                parameter="person",
                column=column,
                remedy="State {person} to protect people, or {one_row_per_person} if every row is "
                "another person.",
                options={"person": column, "one_row_per_person": True},
            )
            warnings.warn(warning, stacklevel=3)
            return


# Columns whose cells have several members.

_SEPARATORS = (";", "|", ",")

_FEWEST_SETS = 0.01  # of the cells that are not missing

_DECIMAL = re.compile(r"[+-]?[0-9]+,[0-9]+")


def suggest_sets(table: object) -> dict[str, str]:
    """Return the columns whose cells seem to have several members, and what separates them.

    Parameters
    ----------
    table : Table or frame
        The table; columns that are set columns already are left out.

    Returns
    -------
    dict of str to str
        Column to separator, as ``Table.from_frame`` takes it for ``sets``.

    Notes
    -----
    A semicolon, a bar or a comma separates members if at least one of a hundred cells has it and
    the parts are members of one kind: at least half of those that stand behind another also stand
    first or alone in some cell. So the town behind a comma, the other half of a decimal number
    and the end of an interval are none.

    Examples
    --------
    >>> suggest_sets({"ill": ["E11.9;I10", "I10", "E11.9"], "at": ["Bonn, NRW", "Kiel, SH", ""]})
    {'ill': ';'}
    """
    table = as_table(table)
    found = {}
    for column in table.columns:
        if column in table.sets:
            continue
        counts = np.bincount(table.codes(column), minlength=len(table.values(column)))
        n_of = {
            str(value): int(n)
            for value, n in zip(table.values(column), counts, strict=True)
            if isinstance(value, str)
        }
        separator = next((each for each in _SEPARATORS if _separates(each, n_of)), None)
        if separator is not None:
            found[column] = separator
    return found


def _separates(separator: str, n_of: Mapping[str, int]) -> bool:
    """Say whether a character separates members in cells, of which each occurs so often."""
    first: set[str] = set()
    behind: set[str] = set()
    n_sets = 0
    for value, n in n_of.items():
        parts = [part.strip() for part in value.split(separator)]
        parts = [part for part in parts if part]
        first.update(parts[:1])
        behind.update(parts[1:])
        n_sets += n if len(parts) > 1 and not _DECIMAL.fullmatch(value) else 0
    n_cells = sum(n_of.values())
    return (
        n_sets > 0 and n_sets >= _FEWEST_SETS * n_cells and 2 * len(behind & first) >= len(behind)
    )
