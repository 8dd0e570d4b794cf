"""Files and databases that are no ledger, or a damaged one, are refused by name."""

from __future__ import annotations

import sqlite3
import sys
from contextlib import closing
from pathlib import Path

import pytest

from discreet.errors import DataError, ParameterError
from discreet.release.ledger import Ledger
from tests.release.claims import private
from tests.release.ledger_releases import release_of


def test_what_is_no_ledger(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="There is no ledger"):
        Ledger.open(tmp_path / "none", create=False)
    assert not (tmp_path / "none").exists()
    with pytest.raises(DataError, match="cannot be made"):
        Ledger.open(tmp_path / "none" / "ledger")
    text = tmp_path / "text"
    text.write_text("not a database, but long enough to be taken for one " * 99)
    with pytest.raises(DataError, match="cannot be used: file is not a database"):
        Ledger.open(text)
    other = tmp_path / "other"
    with closing(sqlite3.connect(other)) as file:
        file.execute("CREATE TABLE a (b)")
    with pytest.raises(DataError, match="not a ledger of discreet"):
        Ledger.open(other)
    for wrong in ("mysql://host/database", ":memory:"):
        with pytest.raises(ParameterError, match="postgresql://"):
            Ledger.open(wrong)
    for source in ("", " ", "a\0b"):
        with pytest.raises(ParameterError, match="printable name"):
            Ledger.open(tmp_path / "ledger").spent(source)


def test_a_missing_entry_or_a_newer_form_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "ledger"
    ledger = Ledger.open(path)
    for _ in range(2):
        ledger.record(release_of(private()), source="census")
    with closing(sqlite3.connect(path)) as file:
        file.execute("DROP TRIGGER discreet_entries_no_delete")
        file.execute("DELETE FROM discreet_entries WHERE number = 1")
        file.commit()
    with pytest.raises(DataError, match=r"Entry 1 of the ledger .* is missing"):
        ledger.spent("census")
    with closing(sqlite3.connect(path)) as file:
        file.execute("DROP TRIGGER discreet_ledger_no_update")
        file.execute("UPDATE discreet_ledger SET version = 3")
        file.commit()
    with pytest.raises(DataError, match="Use a newer discreet"):
        Ledger.open(path)


def test_passwords_are_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("psycopg")
    for url in ("postgresql://me:secret@127.0.0.1:1/x", "postgresql://me:secret@:port:/x?y=1"):
        with pytest.raises((DataError, ParameterError)) as caught:
            Ledger.open(url)
        assert "secret" not in str(caught.value)
        assert "secret" not in repr(caught.value.__cause__)
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(ParameterError, match=r"discreet\[postgres\]"):
        Ledger.open("postgresql://host/x")


def test_a_database_without_a_ledger(postgres_url: str) -> None:
    with pytest.raises(DataError, match="There is no ledger in postgresql://127"):
        Ledger.open(postgres_url, create=False)
