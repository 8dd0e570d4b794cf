"""A PostgreSQL database, in the schema that the connection writes to by default."""

from __future__ import annotations

from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from discreet.errors import DataError, ParameterError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import psycopg

    from discreet.database.form import Form, Run

_LOCK = 0x64736372  # ours among the advisory locks of the database
_ON_DISK = (  # a server may be told not to wait for the disk; what we commit is to be there
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
            self.form.check_version(run(self.form.ask_version)[0][0], self.shown)

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
                raise ParameterError(f"The URL of the {noun} is not one of PostgreSQL.") from None
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
