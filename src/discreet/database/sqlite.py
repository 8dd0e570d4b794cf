"""An SQLite file: write-ahead log, one writer at a time, every commit on disk."""

from __future__ import annotations

import os
import sqlite3
import time
from contextlib import closing, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from discreet.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from discreet.database.form import Form, Run

_BUSY = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}


@dataclass(frozen=True, slots=True)
class SqliteDatabase:
    """A file; connections last for one operation: threads and forks are safe."""

    path: Path
    form: Form
    timeout: float = 60.0

    @property
    def shown(self) -> str:
        """The path."""
        return str(self.path)

    def prepare(self, *, create: bool) -> None:
        """Make the file if it may be made, and see that it is of the form."""
        noun = self.form.noun
        if create:
            try:  # readable by its owner only
                os.close(os.open(self.path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
            except FileExistsError:
                pass
            except OSError as error:
                raise DataError(f"{self.path} cannot be made: {error.strerror}.") from error
        if not self.path.is_file():
            raise DataError(f"There is no {noun} {self.path}.")
        with self._transaction("BEGIN IMMEDIATE", set_up=True) as run:
            names = {name for (name,) in run("SELECT name FROM sqlite_master WHERE type = 'table'")}
            if not names:
                for statement in (*self.form.schema, *self.form.sqlite_triggers):
                    run(statement)
            elif not names >= set(self.form.tables):
                raise DataError(f"{self.path} is a database, but not a {noun} of discreet.")
            self.form.check_version(run(self.form.ask_version)[0][0], self.shown)

    def session(self) -> SqliteSession:
        """Return a connection to keep."""
        return SqliteSession(self)

    @contextmanager
    def reading(self) -> Iterator[Run]:
        """See one state of the database."""
        with self._transaction("BEGIN") as run:
            yield run

    @contextmanager
    def writing(self, lock: str) -> Iterator[Run]:  # noqa: ARG002  SQLite has one writer for all
        """Be the only writer; all is kept at the end, or nothing after an error."""
        with self._transaction("BEGIN IMMEDIATE") as run:
            yield run

    @contextmanager
    def _transaction(self, begin: str, *, set_up: bool = False) -> Iterator[Run]:
        with (
            closing(SqliteSession(self, set_up=set_up)) as session,
            session.transaction(begin) as run,
        ):
            yield run


class SqliteSession:
    """One connection to a file, made when it is first needed and again after an error."""

    __slots__ = ("_connection", "_database", "_set_up")

    def __init__(self, database: SqliteDatabase, *, set_up: bool = False) -> None:
        self._database = database
        self._set_up = set_up
        self._connection: sqlite3.Connection | None = None

    @contextmanager
    def reading(self) -> Iterator[Run]:
        """See one state of the database."""
        with self.transaction("BEGIN") as run:
            yield run

    @contextmanager
    def writing(self, lock: str) -> Iterator[Run]:  # noqa: ARG002  SQLite has one writer for all
        """Be the only writer; all is kept at the end, or nothing after an error."""
        with self.transaction("BEGIN IMMEDIATE") as run:
            yield run

    def close(self) -> None:
        """Close the connection, which undoes what was not committed."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    @contextmanager
    def transaction(self, begin: str) -> Iterator[Run]:
        """Yield a way to run statements, and commit."""
        try:
            connection = self._begin(begin)

            def run(sql: str, values: Sequence[object] = ()) -> list[tuple[Any, ...]]:
                return connection.execute(sql, values).fetchall()

            yield run
            connection.execute("COMMIT")
        except sqlite3.Error as error:
            self.close()
            noun, path = self._database.form.noun, self._database.path
            raise DataError(f"The {noun} {path} cannot be used: {error}.") from error
        except BaseException:
            self.close()
            raise

    def _begin(self, begin: str) -> sqlite3.Connection:
        """Return the connection with a transaction begun, waiting for others as long as allowed.

        SQLite waits by itself for a writer, but not while another process recovers or removes
        the write-ahead log, so this waits too.
        """
        until = time.monotonic() + self._database.timeout
        while True:
            try:
                connection = self._connection or self._connect()
                connection.execute(begin)
            except sqlite3.OperationalError as error:
                self.close()
                if error.sqlite_errorcode & 0xFF not in _BUSY or time.monotonic() > until:
                    raise
                time.sleep(0.01)
            else:
                return connection

    def _connect(self) -> sqlite3.Connection:
        """Open the file."""
        connection = self._connection = sqlite3.connect(
            f"{self._database.path.absolute().as_uri()}?mode=rw",
            uri=True, timeout=self._database.timeout, isolation_level=None,
            check_same_thread=False,
        )  # fmt: skip
        if self._set_up:
            connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        return connection
