"""The chain of a ledger: what was changed, removed, cut off or damaged shows."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from contextlib import closing
from fractions import Fraction
from pathlib import Path

import pytest

from discreet.errors import DataError, ParameterError
from discreet.release.chain import START, TABLES
from discreet.release.fingerprint import FingerprintKey
from discreet.release.ledger import Chain, Ledger
from discreet.release.release import Release
from tests.release.claims import k_anonymity, private
from tests.release.ledger_releases import TABLE, TENTH, release_of

COLUMNS = ("number", "kind", "source", "recorded", "content", "previous", "hash")


def tamper(location: str, *statements: str) -> None:
    """Change rows as somebody does who may drop the triggers."""
    if "://" in location:
        import psycopg

        with psycopg.connect(location) as connection:
            for table in TABLES:
                connection.execute(f"ALTER TABLE {table} DISABLE TRIGGER ALL".encode())
            for statement in statements:
                connection.execute(statement.encode())
        return
    with closing(sqlite3.connect(location)) as file:
        for (name,) in file.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'"):
            file.execute(f"DROP TRIGGER {name}")
        for statement in statements:
            file.execute(statement)
        file.commit()


def filled(location: str) -> Ledger:
    ledger = Ledger.open(location)
    ledger.budget("census", epsilon=1, delta=TENTH)
    for _ in range(3):
        ledger.record(release_of(private()), source="census")
    return ledger


def rehash(rows: list[tuple[object, ...]]) -> list[tuple[object, ...]]:
    """Return rows as a whole chain, hashed as the pages say: of JSON, with the hash before."""
    previous, chained = START, []
    for number, row in enumerate(rows, start=1):
        held = ["discreet ledger 2", number, *row[1:5], previous]
        found = hashlib.sha256(json.dumps(held).encode()).hexdigest()
        chained.append((number, *row[1:5], previous, found))
        previous = found
    return chained


def rows_of(path: str) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(path)) as file:
        return file.execute("SELECT * FROM discreet_entries ORDER BY number").fetchall()


def write_anew(path: str, rows: list[tuple[object, ...]]) -> None:
    tamper(path, "DELETE FROM discreet_entries")
    with closing(sqlite3.connect(path)) as file:
        file.executemany("INSERT INTO discreet_entries VALUES (?, ?, ?, ?, ?, ?, ?)", rows)
        file.commit()


def test_every_entry_has_a_head_that_is_known_for_ever(location: str) -> None:
    ledger = Ledger.open(location)
    assert ledger.verify() == Chain(0, START)
    heads = [START]
    ledger.budget("census", epsilon=1, delta=TENTH)
    heads.append(ledger.verify().head)
    for number in (1, 2):
        entry = ledger.record(release_of(private()), source="census")
        assert ledger.verify() == Chain(number + 1, entry.head)
        heads.append(entry.head)
    assert len(set(heads)) == 4
    for head in heads:
        assert Ledger.open(location, expected_head=head).verify().head == heads[-1]
    assert [entry.head for entry in ledger.entries("census")] == heads[2:]
    for wrong in ("0" * 63, "g" * 64, "A" * 64, 7):
        with pytest.raises(ParameterError, match="64 hexadecimal digits"):
            ledger.verify(expected_head=wrong)  # type: ignore[arg-type]


def test_the_hash_is_the_one_that_is_described(tmp_path: Path) -> None:
    path = str(tmp_path / "ledger")
    filled(path)
    assert rehash(rows_of(path)) == rows_of(path)


def test_what_was_cut_off_shows_to_who_knows_the_head(location: str) -> None:
    ledger = filled(location)
    head = ledger.verify().head
    tamper(location, "DELETE FROM discreet_entries WHERE number = 4")
    assert ledger.spent("census").n_releases == 2  # a chain that ends earlier is a chain
    with pytest.raises(DataError, match=f"{head}: the entries at the end were removed"):
        ledger.verify(expected_head=head)
    with pytest.raises(DataError, match="restored the ledger from a copy"):
        Ledger.open(location, expected_head=head)
    ledger.record(release_of(private()), source="census")
    with pytest.raises(DataError, match=head):  # an entry in its place is another one
        ledger.verify(expected_head=head)


def test_an_expected_ledger_is_never_made(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="There is no ledger"):
        Ledger.open(tmp_path / "none", expected_head=START)
    assert not (tmp_path / "none").exists()


@pytest.mark.parametrize("number", [1, 2, 4])
@pytest.mark.parametrize("column", COLUMNS[1:])
def test_a_changed_entry_is_named(tmp_path: Path, column: str, number: int) -> None:
    path = str(tmp_path / "ledger")
    ledger = filled(path)
    change = f"UPDATE discreet_entries SET {column} = {column} || ' '"  # noqa: S608
    tamper(path, f"{change} WHERE number = {number}")
    for ask in (ledger.sources, ledger.verify, lambda: ledger.spent("other")):
        with pytest.raises(DataError, match=rf"Entry {number} of the ledger .* changed or damaged"):
            ask()
    with pytest.raises(DataError, match=f"Entry {number}"):
        ledger.record(release_of(private()), source="other")


def test_changes_inside_show_in_any_database(location: str) -> None:
    ledger = filled(location)
    tamper(location, "UPDATE discreet_entries SET source = 'Census' WHERE number = 3")
    with pytest.raises(DataError, match=r"Entry 3 of the ledger .* does not have the hash beside"):
        ledger.spent("census")


def test_entries_cannot_be_removed_inside_or_swapped(location: str) -> None:
    ledger = filled(location)
    tamper(
        location,
        "UPDATE discreet_entries SET number = 9 WHERE number = 2",
        "UPDATE discreet_entries SET number = 2 WHERE number = 3",
        "UPDATE discreet_entries SET number = 3 WHERE number = 9",
    )
    with pytest.raises(DataError, match=r"Entry 2 of .* does not follow the entry before"):
        ledger.entries("census")
    tamper(location, "DELETE FROM discreet_entries WHERE number = 2")
    with pytest.raises(DataError, match=r"Entry 2 of .* is missing"):
        ledger.entries("census")


def test_a_chain_written_anew_shows_to_who_knows_the_head(tmp_path: Path) -> None:
    path = str(tmp_path / "ledger")
    head = filled(path).verify().head
    write_anew(path, rehash(rows_of(path)[:1] + rows_of(path)[2:]))
    assert Ledger.open(path).spent("census").n_releases == 2
    with pytest.raises(DataError, match="written anew"):
        Ledger.open(path, expected_head=head)


HUGE = "9" * 400


@pytest.mark.parametrize(
    ("number", "content"),
    [
        (1, "{}"), (1, "[]"), (1, "7"), (1, "nothing"), (1, '{"epsilon": NaN, "delta": "0"}'),
        (1, '{"epsilon": "1/0", "delta": "0"}'), (1, '{"epsilon": "-1", "delta": "0"}'),
        (1, f'{{"epsilon": {HUGE}, "delta": "0"}}'),
        (1, f'{{"epsilon": "1/{HUGE}", "delta": "0"}}'),
        (1, '{"epsilon": ' + "9" * 5000 + "}"), (1, '{"epsilon": Infinity, "delta": "0"}'),
        (2, "{}"), (2, "[" * 100_000), (2, '{"guarantee": 7}'), (2, ""),
        (2, "KEEP, k"), (2, "KEEP, epsilon"),
    ],
)  # fmt: skip
def test_damaged_entries_in_a_whole_chain_are_named(
    tmp_path: Path, number: int, content: str
) -> None:
    path = str(tmp_path / "ledger")
    filled(path)
    rows = rows_of(path)
    if content.startswith("KEEP"):
        held = json.loads(str(rows[1][4]))
        figures = {"k": {"k": int(HUGE)}, "epsilon": {"epsilon": {"exact": "1/3", "decimal": "9"}}}
        held["guarantee"]["parameters"] |= figures[content.removeprefix("KEEP, ")]
        content = json.dumps(held)
    rows[number - 1] = (*rows[number - 1][:4], content, *rows[number - 1][5:])
    write_anew(path, rehash(rows))
    for ask in (Ledger.open(path).verify, lambda: Ledger.open(path).remaining("census")):
        with pytest.raises(DataError, match=f"Entry {number} of the ledger") as caught:
            ask()
        assert len(str(caught.value)) < 1000


def test_values_of_other_types_are_damage(tmp_path: Path) -> None:
    path = str(tmp_path / "ledger")
    filled(path)
    for value in ("7", "2.5", "x'00'", "CAST(x'80' AS TEXT)"):
        tamper(path, f"UPDATE discreet_entries SET recorded = {value} WHERE number = 3")  # noqa: S608
        with pytest.raises(DataError, match="Entry 3 of"):
            Ledger.open(path).sources()


def test_damaged_keys_are_named(tmp_path: Path) -> None:
    path = str(tmp_path / "ledger")
    ledger = filled(path)
    (entry, *_) = ledger.entries("census")
    assert entry.fingerprint is not None
    tamper(path, f"UPDATE discreet_keys SET secret = '{'ab' * 32}'")  # noqa: S608
    for ask in (ledger.verify, lambda: ledger.key(entry.fingerprint.key_id)):
        with pytest.raises(DataError, match=r"Key [0-9a-f]{32} of the ledger .* damaged"):
            ask()
    with pytest.raises(DataError, match="Key"):
        ledger.record(release_of(private()), source="census")
    tamper(path, "DELETE FROM discreet_keys")
    with pytest.raises(DataError, match=r"own key .* is missing"):
        ledger.record(release_of(private()), source="census")


def test_a_ledger_of_the_form_before_says_what_to_do(tmp_path: Path) -> None:
    path = tmp_path / "ledger"
    with closing(sqlite3.connect(path)) as file:
        for table in ("discreet_releases", "discreet_budgets", "discreet_keys"):
            file.execute(f"CREATE TABLE {table} (source TEXT)")
        file.execute("CREATE TABLE discreet_ledger (version INTEGER NOT NULL)")
        file.execute("INSERT INTO discreet_ledger VALUES (1)")
        file.commit()
    for create in (True, False):
        with pytest.raises(DataError, match=r"has version 1.* make a new ledger, and set"):
            Ledger.open(path, create=create)
    tamper(str(path), "DELETE FROM discreet_ledger")
    with pytest.raises(DataError, match="has version None"):
        Ledger.open(path)


@pytest.mark.parametrize(
    ("claim", "name"),
    [
        (private(parameters={"epsilon": Fraction(1, int(HUGE)), "delta": 0}), "epsilon"),
        (private(parameters={"epsilon": 10**7, "delta": 0}), "epsilon"),
        (private(parameters={"epsilon": 1, "delta": Fraction(1, int(HUGE))}), "delta"),
        (k_anonymity(int(HUGE)), "k"),
        (k_anonymity(2**31), "k"),
        (k_anonymity(parameters={"k": 2, "n": int(HUGE)}), "n"),
    ],
)  # fmt: skip
def test_figures_past_every_use_are_refused(tmp_path: Path, claim: object, name: str) -> None:
    ledger = Ledger.open(tmp_path / "ledger")
    with pytest.raises(ParameterError) as caught:
        ledger.record(release_of(claim), source="census")  # type: ignore[arg-type]
    assert caught.value.parameter == name
    assert ledger.verify().n_entries == 0


@pytest.mark.parametrize(
    "figures", [{"epsilon": f"0.{'3' * 400}"}, {"epsilon": 1e300}, {"epsilon": float("nan")},
                {"epsilon": 1, "delta": 1e-300}, {"epsilon": 1, "delta": f"1/{HUGE}"}],
)  # fmt: skip
def test_budgets_past_every_use_are_refused(tmp_path: Path, figures: dict[str, object]) -> None:
    with pytest.raises(ParameterError, match="must be"):
        Ledger.open(tmp_path / "ledger").budget("census", **figures)  # type: ignore[arg-type]


def test_the_fingerprint_is_that_in_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A certificate may be without it; the ledger is not."""
    ledger = Ledger.open(tmp_path / "ledger")
    release = release_of(private())
    plain = Release.to_dict
    monkeypatch.setattr(Release, "to_dict", lambda self: {**plain(self), "fingerprint": None})
    ledger.record(release, source="census")
    (entry,) = ledger.entries("census")
    assert entry.fingerprint == release.fingerprint
    assert entry.fingerprint is not None
    assert entry.fingerprint.matches(TABLE, ledger.key(entry.fingerprint.key_id))


def test_the_mark_of_an_input_says_nothing_without_the_ledgers_key(tmp_path: Path) -> None:
    release = release_of(private())
    assert release.fingerprint is not None
    digest = release.fingerprint.digest
    assert digest is not None
    marks = set()
    for name in ("one", "two"):
        ledger = Ledger.open(tmp_path / name)
        ledger.record(release, source="census")
        again = ledger.record(release_of(private()), source="census")
        assert again.input_mark == ledger.entries("census")[0].input_mark
        marks.add(again.input_mark)
        assert digest.hex().encode() not in (tmp_path / name).read_bytes()
    assert len(marks) == 2
    assert digest.hex() not in json.dumps(release.certificate) + repr(release.fingerprint)
    assert release.fingerprint.digest != FingerprintKey.random().secret
