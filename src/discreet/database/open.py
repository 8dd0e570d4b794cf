"""A path or a URL to the database that it names."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from discreet.database.postgres import PostgresDatabase
from discreet.database.sqlite import SqliteDatabase
from discreet.errors import ParameterError

if TYPE_CHECKING:
    from discreet.database.form import Database, Form


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
        raise ParameterError(f"A {form.noun} is a path or a URL that begins with postgresql://.")
    else:
        database = SqliteDatabase(Path(text), form)
    database.prepare(create=create)
    return database
