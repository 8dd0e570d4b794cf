"""A path or a URL to the database that it names."""

from __future__ import annotations

import os
import sqlite3
import time
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol
from urllib.parse import urlsplit

from discreet.errors import DataError, ParameterError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from contextlib import AbstractContextManager

    import psycopg


def open_database(
    url_or_path: str | os.PathLike[str], form: Form, *, create: bool = True
) -> Database:
    """Return the database in a file or on a server.

    Parameters
    ----------
    url_or_path : str or path
        The path of an SQLite file, or ``postgresql://user@host/database``.
    form : Form
        What it holds.
    create : bool
        Whether one that is not there is made.

    Returns
    -------
    Database
        Each operation makes its own connection.

    Raises
    ------
    DataError
        If it cannot be opened, is of another form, or of a newer version.
    ParameterError
        If the URL is of another kind, or the driver for PostgreSQL is missing.
    """
    text = os.fspath(url_or_path)
    database: PostgresDatabase | SqliteDatabase
    if text.startswith(("postgresql://", "postgres://")):
        database = PostgresDatabase(text, form)
    elif "://" in text or text == ":memory:":
        raise ParameterError(
            f"A {form.noun} is a path or a URL that begins with postgresql://.", parameter="url"
        )
    else:
        database = SqliteDatabase(Path(text), form)
    database.prepare(create=create)
    return database


# What a database of discreet's holds, and what SQLite and PostgreSQL have in common.


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
    outdated : mapping of int to str
        What to do with a database of an older version.
    """

    noun: str
    version: int
    version_table: str
    tables: tuple[str, ...]
    schema: tuple[str, ...]
    sqlite_triggers: tuple[str, ...] = ()
    postgres_triggers: tuple[str, ...] = ()
    outdated: Mapping[int, str] = field(default_factory=dict)

    @property
    def ask_version(self) -> str:
        """The question for the version."""
        return f"SELECT version FROM {self.version_table}"  # noqa: S608  a name of ours

    def check_version(self, version: object, shown: str) -> None:
        """Raise DataError unless this version of discreet knows the database's form."""
        if version != self.version:
            remedy = self.outdated.get(version) if isinstance(version, int) else None
            raise DataError(
                f"The {self.noun} {shown} has version {version}; this version of discreet reads "
                f"{self.version}. {remedy or 'Use a newer discreet.'}"
            )


def _version(rows: list[tuple[Any, ...]]) -> object:
    """Return the version in the rows of its table, None unless there is exactly one."""
    return rows[0][0] if len(rows) == 1 else None


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


# An SQLite file: write-ahead log, one writer at a time, every commit on disk.

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
            elif self.form.version_table in names:
                self.form.check_version(_version(run(self.form.ask_version)), self.shown)
            if names and not names >= set(self.form.tables):
                raise DataError(f"{self.path} is a database, but not a {noun} of discreet.")

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
        connection.text_factory = _text
        return connection


def _text(written: bytes) -> str:
    """Return a text, a damaged one too: who reads it can then say which it is."""
    return written.decode("utf-8", "surrogateescape")


# A PostgreSQL database, in the schema that the connection writes to by default.

_LOCK = 0x64736372  # ours among the advisory locks of the database

_ON_DISK = (  # a server may be set not to wait for the disk; what we commit is to be there
    "SELECT set_config('synchronous_commit', 'on', true) "
    "WHERE current_setting('synchronous_commit') = 'off'"
)


@dataclass(frozen=True, slots=True)
class PostgresDatabase:
    """A database on a server; a connection lasts for one operation."""

    url: str = field(repr=False)  # may hold a password
    form: Form

    @property
    def shown(self) -> str:
        """Host and database, without user and password."""
        parts = urlsplit(self.url)
        return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"

    def prepare(self, *, create: bool) -> None:
        """Make the tables if they may be made, and see that they are of the form."""
        with self.writing("") as run:
            if run("SELECT to_regclass(?)", (self.form.version_table,))[0][0] is None:
                if not create:
                    raise DataError(f"There is no {self.form.noun} in {self.shown}.")
                for statement in self.form.schema:
                    run(statement.replace(" BLOB", " BYTEA").removesuffix(" WITHOUT ROWID"))
                for statement in self.form.postgres_triggers:
                    run(statement)
            self.form.check_version(_version(run(self.form.ask_version)), self.shown)

    def session(self) -> PostgresSession:
        """Return a connection to keep."""
        return PostgresSession(self)

    @contextmanager
    def reading(self) -> Iterator[Run]:
        """See one state of the database."""
        with closing(self.session()) as session, session.reading() as run:
            yield run

    @contextmanager
    def writing(self, lock: str) -> Iterator[Run]:
        """Be the only writer under a lock; all is kept at the end, or nothing after an error."""
        with closing(self.session()) as session, session.writing(lock) as run:
            yield run


class PostgresSession:
    """One connection to a server, made when it is first needed and again after an error."""

    __slots__ = ("_connection", "_database")

    def __init__(self, database: PostgresDatabase) -> None:
        self._database = database
        self._connection: psycopg.Connection[tuple[Any, ...]] | None = None

    @contextmanager
    def reading(self) -> Iterator[Run]:
        """See one state of the database."""
        with self._transaction(None) as run:
            yield run

    @contextmanager
    def writing(self, lock: str) -> Iterator[Run]:
        """Be the only writer under a lock; all is kept at the end, or nothing after an error."""
        with self._transaction(lock) as run:
            yield run

    def close(self) -> None:
        """Close the connection, which undoes what was not committed."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    @contextmanager
    def _transaction(self, lock: str | None) -> Iterator[Run]:
        """Connect, lock what is to be written, yield a way to run statements, and commit."""
        noun, shown = self._database.form.noun, self._database.shown
        try:
            import psycopg
        except ModuleNotFoundError:
            raise ParameterError(
                f"A {noun} in PostgreSQL needs a package more: pip install 'discreet[postgres]'."
            ) from None
        try:
            if self._connection is None:
                self._connection = psycopg.connect(self._database.url)
            connection = self._connection
            _set_isolation(connection, writes=lock is not None)

            def run(sql: str, values: Sequence[object] = ()) -> list[tuple[Any, ...]]:
                cursor = connection.execute(sql.replace("?", "%s").encode(), values or None)
                return cursor.fetchall() if cursor.description else []

            if lock is not None:
                run(_ON_DISK)
                run("SELECT pg_advisory_xact_lock(?, hashtext(?))", (_LOCK, lock))
            yield run
            connection.commit()
        except psycopg.ProgrammingError as error:
            self.close()
            if error.sqlstate is None:  # it would repeat the URL, and with it the password
                raise ParameterError(
                    f"The URL of the {noun} is not one of PostgreSQL.", parameter="url"
                ) from None
            raise DataError(f"The {noun} {shown} cannot be used: {error}") from error
        except psycopg.Error as error:
            self.close()
            raise DataError(f"The {noun} {shown} cannot be used: {error}") from error
        except BaseException:
            self.close()
            raise


def _set_isolation(connection: psycopg.Connection[tuple[Any, ...]], *, writes: bool) -> None:
    """Let writers see what others committed while they waited, and readers one state."""
    import psycopg

    levels = psycopg.IsolationLevel
    connection.isolation_level = levels.READ_COMMITTED if writes else levels.REPEATABLE_READ
