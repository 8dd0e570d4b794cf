"""A ledger in an SQLite file: write-ahead log, one writer at a time, every commit on disk."""

from __future__ import annotations

import os
import sqlite3
import time
from contextlib import closing, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from discreet.errors import DataError
from discreet.release.store import SCHEMA, TABLES, check_version

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from discreet.release.store import Run

_BUSY = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}


@dataclass(frozen=True, slots=True)
class SqliteStore:
    """The ledger in a file; connections last for one operation: threads and forks are safe."""

    path: Path
    timeout: float = 60.0

    @property
    def shown(self) -> str:
        """The path."""
        return str(self.path)

    def prepare(self, *, create: bool) -> None:
        """Make the file if it may be made, and see that it is a ledger."""
        if create:
            try:  # readable by its owner only: it holds the keys of fingerprints
                os.close(os.open(self.path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
            except FileExistsError:
                pass
            except OSError as error:
                raise DataError(f"{self.path} cannot be made: {error.strerror}.") from error
        if not self.path.is_file():
            raise DataError(f"There is no ledger {self.path}.")
        with self._transaction("BEGIN IMMEDIATE", set_up=True) as run:
            names = {name for (name,) in run("SELECT name FROM sqlite_master WHERE type = 'table'")}
            if not names:
                for statement in (*SCHEMA, *_triggers()):
                    run(statement)
            elif not names >= set(TABLES):
                raise DataError(f"{self.path} is a database, but not a ledger of discreet.")
            check_version(run("SELECT version FROM discreet_ledger")[0][0], self.shown)

    @contextmanager
    def reading(self) -> Iterator[Run]:
        """See one state of the ledger."""
        with self._transaction("BEGIN") as run:
            yield run

    @contextmanager
    def writing(self, source: str) -> Iterator[Run]:  # noqa: ARG002  SQLite has one writer for all
        """Be the only writer; all is kept at the end, or nothing after an error."""
        with self._transaction("BEGIN IMMEDIATE") as run:
            yield run

    @contextmanager
    def _transaction(self, begin: str, *, set_up: bool = False) -> Iterator[Run]:
        """Open the file, yield a way to run statements, and commit."""
        try:
            with closing(self._begin(begin, set_up=set_up)) as connection:

                def run(sql: str, values: Sequence[object] = ()) -> list[tuple[Any, ...]]:
                    return connection.execute(sql, values).fetchall()

                yield run
                connection.execute("COMMIT")  # an error before it closes, which rolls back
        except sqlite3.Error as error:
            raise DataError(f"The ledger {self.path} cannot be used: {error}.") from error

    def _begin(self, begin: str, *, set_up: bool) -> sqlite3.Connection:
        """Return a connection with a transaction begun, waiting for others as long as allowed.

        SQLite waits by itself for a writer, but not while another process recovers or removes
        the write-ahead log, so this waits too.
        """
        until = time.monotonic() + self.timeout
        while True:
            connection = sqlite3.connect(
                f"{self.path.absolute().as_uri()}?mode=rw",
                uri=True, timeout=self.timeout, isolation_level=None, check_same_thread=False,
            )  # fmt: skip
            try:
                if set_up:
                    connection.execute("PRAGMA journal_mode = WAL")
                connection.execute("PRAGMA synchronous = FULL")
                connection.execute(begin)
            except sqlite3.OperationalError as error:
                connection.close()
                if error.sqlite_errorcode & 0xFF not in _BUSY or time.monotonic() > until:
                    raise
                time.sleep(0.01)
            except BaseException:
                connection.close()
                raise
            else:
                return connection


def _triggers() -> Iterator[str]:
    """Yield the triggers that let rows be added only, each under its next number."""
    for table in TABLES:
        for change in ("UPDATE", "DELETE"):
            yield (
                f"CREATE TRIGGER {table}_no_{change.lower()} BEFORE {change} ON {table} "
                "BEGIN SELECT RAISE(ABORT, 'a ledger is append-only'); END"
            )
    for table in TABLES[:2]:  # INSERT OR REPLACE would delete without asking the triggers above
        yield (
            f"CREATE TRIGGER {table}_next BEFORE INSERT ON {table} "  # noqa: S608  names of ours
            f"WHEN NEW.number <> 1 + (SELECT count(*) FROM {table} WHERE source = NEW.source) "
            "BEGIN SELECT RAISE(ABORT, 'a ledger is append-only'); END"
        )
    yield (
        "CREATE TRIGGER discreet_keys_new BEFORE INSERT ON discreet_keys WHEN EXISTS "
        "(SELECT 1 FROM discreet_keys WHERE key_id = NEW.key_id) "
        "BEGIN SELECT RAISE(ABORT, 'a ledger is append-only'); END"
    )
