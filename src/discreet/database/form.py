"""What a database of discreet's holds, and what SQLite and PostgreSQL have in common."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from discreet.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from contextlib import AbstractContextManager


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    """The tables of one kind of database, such as a ledger.

    Attributes
    ----------
    noun : str
        What people call it, in messages.
    version : int
        Of the form; a database of another version is refused.
    version_table : str
        Holds the version in its only row; the table by which the kind is known.
    tables : tuple of str
        All tables.
    schema : tuple of str
        Statements that make them, in SQL that both kinds of server take. ``BLOB`` is said as
        PostgreSQL says it there; a final ``WITHOUT ROWID`` is for SQLite only.
    sqlite_triggers, postgres_triggers : tuple of str
        Statements for one of them only.
    """

    noun: str
    version: int
    version_table: str
    tables: tuple[str, ...]
    schema: tuple[str, ...]
    sqlite_triggers: tuple[str, ...] = ()
    postgres_triggers: tuple[str, ...] = ()

    @property
    def ask_version(self) -> str:
        """The question for the version."""
        return f"SELECT version FROM {self.version_table}"  # noqa: S608  a name of ours

    def check_version(self, version: object, shown: str) -> None:
        """Raise DataError unless this version of discreet knows the database's form."""
        if version != self.version:
            raise DataError(
                f"The {self.noun} {shown} has version {version}; this version of discreet reads "
                f"{self.version}. Use a newer discreet."
            )


class Run(Protocol):
    """Runs one statement, with ``?`` for values, and returns its rows."""

    def __call__(self, sql: str, values: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        """Return the rows; their types are those of the columns asked for."""


class Session(Protocol):
    """Transactions one after another on one connection, for one thread at a time.

    The connection is made when it is first needed, and made again after an error.
    """

    def reading(self) -> AbstractContextManager[Run]:
        """See one state of the database."""

    def writing(self, lock: str) -> AbstractContextManager[Run]:
        """Be the only writer of what the lock names; all is kept at the end, or nothing.

        What is kept is on disk when this ends without an error.
        """

    def close(self) -> None:
        """Close the connection; a transaction that is under way is undone."""


class Database(Protocol):
    """A place where things are kept; each transaction has a connection of its own."""

    @property
    def shown(self) -> str:
        """Where it is, without secrets."""

    def prepare(self, *, create: bool) -> None:
        """Make it if it may be made, and see that it is of the form."""

    def session(self) -> Session:
        """Return a connection to keep."""

    def reading(self) -> AbstractContextManager[Run]:
        """See one state of the database."""

    def writing(self, lock: str) -> AbstractContextManager[Run]:
        """Be the only writer of what the lock names; all is kept at the end, or nothing."""
