"""Roles suggested from names and values of columns, each with its reason; and set columns."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from discreet.data.table import as_table

if TYPE_CHECKING:
    from collections.abc import Mapping

    from discreet.data.roles import Role
    from discreet.data.table import Table


_IDENTIFYING_NAME = re.compile(
    r"(^|_)(name|surname|first_?name|last_?name|full_?name|email|e_mail|mail|phone|telephone|"
    r"mobile|fax|ssn|social_security(_number)?|passport(_number)?|iban|account(_number)?|"
    r"id|uid|uuid|guid|identifier|address|street|url|ip|ip_address|login|username|"
    r"mrn|patient_(id|no|number)|record_(id|no|number)|licen[cs]e_plate|vin)(_|$)"
)


_SENSITIVE_NAME = re.compile(
    r"(^|_)(diagnos[ei]s|disease|illness|condition|icd(_?\d+)?|symptoms?|treatment|medication|"
    r"drug|hiv|cancer|disability|health|income|salary|wage|wages|earnings|debt|credit|loan|"
    r"religion|faith|politic(s|al)?|party|vote|union|ethnicity|sexual(ity|_orientation)?|"
    r"orientation|crime|conviction|offen[cs]e|verdict|grade|rating|class_income)(_|$)"
)


_UNIQUE_RATE = 0.9


_MIN_ROWS_FOR_UNIQUENESS = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class RoleSuggestion:
    """A role for one column and the reason in plain words."""

    column: str
    role: Role
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RoleSuggestions:
    """One suggestion per column, in the order of the table."""

    suggestions: tuple[RoleSuggestion, ...]

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
        """One line per column."""
        return "\n".join(f"{each.column}: {each.role} ({each.reason})" for each in self.suggestions)


def suggest_roles(table: object) -> RoleSuggestions:
    """Return a role for each column with the reason, for a person to confirm or correct.

    Parameters
    ----------
    table : Table or frame
        The table; roles it already has are not looked at.

    Returns
    -------
    RoleSuggestions
        ``suggestions`` in column order; ``roles`` as a mapping.

    Notes
    -----
    The first rule that fits decides: a constant column is insensitive; a column with a name
    such as ``email`` or ``patient_id`` is identifying; a name such as ``diagnosis`` or
    ``income`` makes it sensitive; a column in which at least nine of ten rows have a value of
    their own (from 20 rows on) is identifying; every other column is quasi. Names and counts
    are hints only: what an attacker may know is for the curator to say.

    Examples
    --------
    >>> from discreet.data.table import Table
    >>> table = Table.from_frame(
    ...     {"email": ["a@x", "b@x"], "sex": ["f", "m"], "Diagnosis": ["flu", "flu or cold"]}
    ... )
    >>> print(suggest_roles(table))
    email: identifying (its name says that it identifies a person)
    sex: quasi (may be known from elsewhere)
    Diagnosis: sensitive (named like something people keep private)
    """
    table = as_table(table)
    return RoleSuggestions(suggestions=tuple(_suggest(table, column) for column in table.columns))


def _suggest(table: Table, column: str) -> RoleSuggestion:
    """Apply the rules of :func:`suggest_roles` to one column."""
    n_values = len(table.values(column))
    words = _words(column)
    role: Role
    if n_values <= 1 < table.n_rows:
        role, reason = "insensitive", "the same value in every row"
    elif _IDENTIFYING_NAME.search(words):
        role, reason = "identifying", "its name says that it identifies a person"
    elif _SENSITIVE_NAME.search(words):
        role, reason = "sensitive", "named like something people keep private"
    elif table.n_rows >= _MIN_ROWS_FOR_UNIQUENESS and n_values >= _UNIQUE_RATE * table.n_rows:
        role = "identifying"
        reason = (
            "every row has a value of its own"
            if n_values == table.n_rows
            else f"{n_values} values in {table.n_rows} rows: almost every row has its own"
        )
    else:
        role, reason = "quasi", "may be known from elsewhere"
    return RoleSuggestion(column=column, role=role, reason=reason)


def _words(column: str) -> str:
    """Return a column name in small letters with words joined by underscores.

    Examples
    --------
    >>> _words("PatientID"), _words("e-mail address")
    ('patient_id', 'e_mail_address')
    """
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", column)
    return re.sub(r"[\W_]+", "_", spaced).strip("_").lower()


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
