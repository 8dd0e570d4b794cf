"""Where a ledger keeps its rows: what SQLite and PostgreSQL have in common.

Rows are only ever added. Numbers of releases and budgets run 1, 2, 3, ... for each source, so
that a row that is missing shows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from discreet.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from contextlib import AbstractContextManager

LEDGER_VERSION = 1
TABLES = ("discreet_releases", "discreet_budgets", "discreet_keys", "discreet_ledger")
SCHEMA = (
    """CREATE TABLE discreet_releases (
        source TEXT NOT NULL, number INTEGER NOT NULL, recorded TEXT NOT NULL,
        model TEXT NOT NULL, record TEXT NOT NULL, PRIMARY KEY (source, number))""",
    """CREATE TABLE discreet_budgets (
        source TEXT NOT NULL, number INTEGER NOT NULL, recorded TEXT NOT NULL,
        epsilon TEXT NOT NULL, delta TEXT NOT NULL, PRIMARY KEY (source, number))""",
    """CREATE TABLE discreet_keys (
        key_id TEXT NOT NULL PRIMARY KEY, secret TEXT NOT NULL, recorded TEXT NOT NULL)""",
    "CREATE TABLE discreet_ledger (version INTEGER NOT NULL)",
    f"INSERT INTO discreet_ledger (version) VALUES ({LEDGER_VERSION})",  # noqa: S608  a number
)


class Run(Protocol):
    """Runs one statement, with ``?`` for values, and returns its rows."""

    def __call__(self, sql: str, values: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        """Return the rows; their types are those of the columns asked for."""


class Store(Protocol):
    """A database that ledgers live in."""

    @property
    def shown(self) -> str:
        """Where it is, without secrets."""

    def reading(self) -> AbstractContextManager[Run]:
        """See one state of the ledger."""

    def writing(self, source: str) -> AbstractContextManager[Run]:
        """Be the only writer for a source; all is kept at the end, or nothing after an error."""


def check_version(version: object, shown: str) -> None:
    """Raise DataError unless this version of discreet knows the ledger's form."""
    if version != LEDGER_VERSION:
        raise DataError(
            f"The ledger {shown} has version {version}; this version of discreet reads "
            f"{LEDGER_VERSION}. Use a newer discreet."
        )
