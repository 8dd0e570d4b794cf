"""Sessions of SQLite and PostgreSQL: one connection, all or nothing, on disk."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from discreet.database import Database, Form, Session, open_database
from discreet.errors import DataError

FORM = Form(
    noun="notebook",
    version=1,
    version_table="discreet_notebook",
    tables=("discreet_notebook", "discreet_notes"),
    schema=(
        """CREATE TABLE discreet_notes (
            number INTEGER PRIMARY KEY, note BLOB NOT NULL) WITHOUT ROWID""",
        "CREATE TABLE discreet_notebook (version INTEGER NOT NULL)",
        "INSERT INTO discreet_notebook (version) VALUES (1)",
    ),
)


@pytest.fixture(params=["sqlite", "postgres"])
def location(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return str(tmp_path / "notes.sqlite")
    url: str = request.getfixturevalue("postgres_url")
    return url


def notes(database: Database) -> list[tuple[int, bytes]]:
    with database.reading() as run:
        rows = run("SELECT number, note FROM discreet_notes ORDER BY number")
    return [(number, bytes(note)) for number, note in rows]


def write(session: Session, *numbers: int | None) -> None:
    """Add notes in one transaction; None is an error that no database makes."""
    with session.writing("notes") as run:
        for number in numbers:
            if number is None:
                raise KeyError
            run(INSERT, (number, b"note"))


INSERT = "INSERT INTO discreet_notes (number, note) VALUES (?, ?)"


def test_a_session_commits_each_transaction(location: str) -> None:
    database = open_database(location, FORM)
    with closing(database.session()) as session:
        for number in range(3):
            with session.writing("notes") as run:
                run(INSERT, (number, b"\0\xff"))
            assert len(notes(database)) == number + 1  # seen on another connection
        with session.reading() as run:
            assert run("SELECT count(*) FROM discreet_notes") == [(3,)]
    assert notes(database)[2] == (2, b"\0\xff")


def test_an_error_undoes_the_transaction_and_the_session_goes_on(location: str) -> None:
    database = open_database(location, FORM)
    with closing(database.session()) as session:
        with pytest.raises(DataError, match=r"The notebook .* cannot be used"):
            write(session, 1, 1)
        with pytest.raises(KeyError):
            write(session, 2, None)
        assert notes(database) == []
        with session.writing("notes") as run:
            run(INSERT, (3, b"d"))
    assert notes(database) == [(3, b"d")]


def test_what_is_committed_is_on_disk(location: str) -> None:
    if "://" in location:
        import psycopg

        name = location.rpartition("/")[2]
        with psycopg.connect(location, autocommit=True) as connection:
            connection.execute(f"ALTER DATABASE {name} SET synchronous_commit = off".encode())
    database = open_database(location, FORM)
    with closing(database.session()) as session, session.writing("notes") as run:
        if "://" in location:
            assert run("SHOW synchronous_commit") == [("on",)]
        else:
            assert run("PRAGMA synchronous") == [(2,)]
            assert run("PRAGMA journal_mode") == [("wal",)]


def test_another_form_is_refused(location: str) -> None:
    open_database(location, FORM)
    newer = Form(
        noun="notebook", version=2, version_table=FORM.version_table, tables=FORM.tables, schema=()
    )
    with pytest.raises(DataError, match="has version 1; this version of discreet reads 2"):
        open_database(location, newer)
