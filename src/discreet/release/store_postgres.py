"""A ledger in a PostgreSQL database, in the schema that the connection writes to by default."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from discreet.errors import DataError, ParameterError
from discreet.release.store import SCHEMA, TABLES, check_version

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import psycopg

    from discreet.release.store import Run

_LOCK = 0x64736372  # ours among the advisory locks of the database


@dataclass(frozen=True, slots=True)
class PostgresStore:
    """The ledger in a database; a connection lasts for one operation."""

    url: str = field(repr=False)  # may hold a password

    @property
    def shown(self) -> str:
        """Host and database, without user and password."""
        parts = urlsplit(self.url)
        return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"

    def prepare(self, *, create: bool) -> None:
        """Make the tables if they may be made, and see that they are a ledger's."""
        with self._transaction("") as run:
            if run("SELECT to_regclass('discreet_ledger')")[0][0] is None:
                if not create:
                    raise DataError(f"There is no ledger in {self.shown}.")
                for statement in (*SCHEMA, *_triggers()):
                    run(statement)
            check_version(run("SELECT version FROM discreet_ledger")[0][0], self.shown)

    @contextmanager
    def reading(self) -> Iterator[Run]:
        """See one state of the ledger."""
        with self._transaction(None) as run:
            yield run

    @contextmanager
    def writing(self, source: str) -> Iterator[Run]:
        """Be the only writer for a source; all is kept at the end, or nothing after an error."""
        with self._transaction(source) as run:
            yield run

    @contextmanager
    def _transaction(self, locked: str | None) -> Iterator[Run]:
        """Connect, lock what is to be written, yield a way to run statements, and commit."""
        try:
            import psycopg
        except ModuleNotFoundError:
            raise ParameterError(
                "A ledger in PostgreSQL needs a package more: pip install 'discreet[postgres]'."
            ) from None
        try:
            with psycopg.connect(self.url) as connection:
                _set_isolation(connection, writes=locked is not None)

                def run(sql: str, values: Sequence[object] = ()) -> list[tuple[Any, ...]]:
                    cursor = connection.execute(sql.replace("?", "%s").encode(), values or None)
                    return cursor.fetchall() if cursor.description else []

                if locked is not None:
                    run("SELECT pg_advisory_xact_lock(?, hashtext(?))", (_LOCK, locked))
                yield run
        except psycopg.ProgrammingError as error:
            if error.sqlstate is None:  # it would repeat the URL, and with it the password
                raise ParameterError("The URL of the ledger is not one of PostgreSQL.") from None
            raise DataError(f"The ledger {self.shown} cannot be used: {error}") from error
        except psycopg.Error as error:
            raise DataError(f"The ledger {self.shown} cannot be used: {error}") from error


def _set_isolation(connection: psycopg.Connection[tuple[Any, ...]], *, writes: bool) -> None:
    """Let writers see what others committed while they waited, and readers one state."""
    import psycopg

    levels = psycopg.IsolationLevel
    connection.isolation_level = levels.READ_COMMITTED if writes else levels.REPEATABLE_READ


def _triggers() -> Iterator[str]:
    """Yield the triggers that let rows be added only."""
    yield (
        "CREATE FUNCTION discreet_append_only() RETURNS trigger LANGUAGE plpgsql AS "
        "$$ BEGIN RAISE EXCEPTION 'a ledger is append-only'; END $$"
    )
    for table in TABLES:
        yield (
            f"CREATE TRIGGER {table}_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON {table} "
            "FOR EACH STATEMENT EXECUTE FUNCTION discreet_append_only()"
        )
