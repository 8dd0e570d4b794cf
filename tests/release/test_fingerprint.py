"""Fingerprints: the same for the same table, of no use without the key."""

from __future__ import annotations

import stat
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given

from discreet.data.column import Label
from discreet.data.table import Table
from discreet.errors import DataError, ParameterError
from discreet.release.fingerprint import Fingerprint, FingerprintKey
from tests.strategies import Record, tables

KNOWN = "31427669f757b9ed35ac9119924f716756e758ede08cac365508b224f2c60ee1"
KEY = FingerprintKey(bytes(range(32)))


def table_of(records: list[Record]) -> Table:
    width = len(records[0]) if records else 1
    return Table.from_frame(
        {f"c{place}": [record[place] for record in records] for place in range(width)}
    )


@given(tables(), tables())
def test_equal_tables_and_only_they_have_equal_fingerprints(
    left: list[Record], right: list[Record]
) -> None:
    same = Fingerprint.of(table_of(left), KEY) == Fingerprint.of(table_of(right), KEY)
    assert same == (table_of(left) == table_of(right))


def test_order_of_values_and_roles_do_not_count_but_types_do() -> None:
    table = Table.from_codes({"a": [0, 1]}, {"a": ["x", "y"]})
    other = Table.from_codes({"a": [1, 0]}, {"a": ["y", "x"]}, {"a": "sensitive"})
    assert Fingerprint.of(table, KEY) == Fingerprint.of(other, KEY)
    labels: list[Label] = ["1", 1, 1.0, True, Decimal(1), None, "None"]
    labels += [date(2020, 1, 1), datetime(2020, 1, 1, tzinfo=UTC), time(1), timedelta(1)]
    macs = {Fingerprint.of(Table.from_codes({"a": [0]}, {"a": [x]}), KEY).mac for x in labels}
    assert len(macs) == len(labels)


def test_names_and_contents_cannot_be_shifted_into_each_other() -> None:
    left = Table.from_codes({"ab": [0]}, {"ab": ["c"]})
    right = Table.from_codes({"a": [0]}, {"a": ["bc"]})
    assert Fingerprint.of(left, KEY).mac != Fingerprint.of(right, KEY).mac


def test_known_answer() -> None:
    """The encoding is part of the format: old fingerprints must stay checkable."""
    table = Table.from_codes({"age": [0, 1, 1], "sex": [1, 0, 1]}, {"age": [31, None],
                             "sex": ["m", "f"]})  # fmt: skip
    assert Fingerprint.of(table, KEY).mac == KNOWN


def test_a_guess_cannot_be_tested_without_the_key() -> None:
    table = Table.from_frame({"a": ["x"]})
    taken = Fingerprint.of(table)
    published = Fingerprint(mac=taken.mac, key_id=taken.key_id)
    assert taken.key is not None
    assert Fingerprint.of(table).mac != taken.mac
    assert Fingerprint.of(table).key_id != taken.key_id
    with pytest.raises(ParameterError, match="can be checked with key"):
        published.matches(table)
    with pytest.raises(ParameterError, match="can be checked with key"):
        published.matches(table, KEY)
    assert published.matches(table, taken.key)
    assert not published.matches(Table.from_frame({"a": ["y"]}), taken.key)


def test_the_key_is_shown_nowhere(tmp_path: Path) -> None:
    taken = Fingerprint.of(Table.from_frame({"a": ["x"]}), KEY)
    shown = f"{taken!r} {taken} {KEY!r} {KEY} {taken.to_dict()}"
    assert KEY.secret.hex() not in shown
    assert repr(KEY.secret) not in shown
    path = KEY.save(tmp_path / "curator.key")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert FingerprintKey.load(path) == KEY
    with pytest.raises(ParameterError, match="never written over"):
        FingerprintKey.random().save(path)


@pytest.mark.parametrize("text", ["", "{}", "[]", '{"key_id": "a", "secret": "00"}', "\x00"])
def test_damaged_key_files(tmp_path: Path, text: str) -> None:
    path = tmp_path / "curator.key"
    path.write_text(text)
    with pytest.raises(DataError, match="not a file of a fingerprint key"):
        FingerprintKey.load(path)


def test_more_about_key_files(tmp_path: Path) -> None:
    path = KEY.save(tmp_path / "curator.key")
    path.write_text(path.read_text().replace("0001", "0002"))
    with pytest.raises(DataError, match="damaged"):
        FingerprintKey.load(path)
    with pytest.raises(DataError, match="cannot be read"):
        FingerprintKey.load(tmp_path / "none.key")
    with pytest.raises(DataError, match="cannot be written"):
        KEY.save(tmp_path / "none" / "curator.key")
    with pytest.raises(ParameterError, match="32 random bytes"):
        FingerprintKey(b"short")
