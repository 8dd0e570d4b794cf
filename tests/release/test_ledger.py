"""Ledgers: what composes, what is refused, and nothing lost, whoever writes or dies."""

from __future__ import annotations

import signal
import sqlite3
import stat
import subprocess
import sys
import threading
import time
import warnings
from contextlib import closing
from fractions import Fraction
from pathlib import Path

import pytest

from discreet.data.table import Table
from discreet.errors import CompositionWarning, DataError, GuaranteeError, ParameterError
from discreet.release.composition import compose
from discreet.release.event import restrict_to_part
from discreet.release.fingerprint import Fingerprint
from discreet.release.guarantee import REPLACE, Guarantee
from discreet.release.ledger import Ledger
from discreet.release.release import Release
from tests.release.claims import k_anonymity, private

TABLE = Table.from_codes({"age": [0, 0], "sex": [0, 0]}, {"age": [31], "sex": ["f"]})
REPOSITORY = Path(__file__).parents[2]
TENTH = Fraction(1, 10)
MILLIONTH = Fraction(1, 10**6)


def release_of(guarantee: Guarantee, *parts: str) -> Release:
    events = tuple(restrict_to_part("region", part) for part in parts)
    return Release(
        data=TABLE, guarantee=guarantee, events=events, fingerprint=Fingerprint.of(TABLE)
    )


def test_sums_are_exact_and_survive(location: str) -> None:
    ledger = Ledger.open(location)
    assert ledger.remaining("census") is None
    release = release_of(private())
    for number in range(1, 4):
        assert ledger.record(release, source="census").number == number
    ledger.record(release, source="süd, 'quoted'; --")
    ledger = Ledger.open(location, create=False)
    spent = ledger.spent("census")
    assert (spent.epsilon, spent.delta) == (3 * TENTH, 3 * MILLIONTH)
    assert (spent.n_releases, spent.n_without_epsilon, spent.notes) == (3, 0, ())
    assert spent.to_dict()["epsilon"] == {"exact": "3/10", "decimal": "0.3"}
    assert ledger.sources() == ("census", "süd, 'quoted'; --")
    entry = ledger.entries("census")[0]
    assert entry.guarantee == release.guarantee
    assert entry.fingerprint == release.fingerprint
    assert ledger.spent("other").n_releases == 0


def test_budget(location: str) -> None:
    ledger = Ledger.open(location)
    left = ledger.budget("census", epsilon=Fraction(1, 4), delta=2 * MILLIONTH)
    assert (left.epsilon, left.delta) == (Fraction(1, 4), 2 * MILLIONTH)
    ledger.record(release_of(private()), source="census")
    ledger.record(release_of(private()), source="census")
    with pytest.raises(GuaranteeError) as caught:
        ledger.record(release_of(private()), source="census")
    assert str(caught.value) == (
        "This release (epsilon 0.1, delta 0.000001) would bring 'census' to epsilon 0.3, delta "
        "0.000003, past its budget of epsilon 0.25, delta 0.000002; spent so far: epsilon 0.2, "
        "delta 0.000002. Nothing was recorded."
    )
    remaining = ledger.remaining("census")
    assert remaining is not None
    assert (remaining.epsilon, remaining.delta) == (Fraction(1, 20), Fraction(0))
    assert remaining.to_dict()["epsilon"] == {"exact": "1/20", "decimal": "0.05"}
    ledger.record(release_of(private()), source="another")  # has no budget
    with pytest.raises(GuaranteeError, match=r"epsilon 0\.2, delta 0\.000002 is spent"):
        ledger.budget("census", epsilon=TENTH)
    ledger.budget("census", epsilon=1, delta=MILLIONTH * 3)  # the last one counts
    ledger.record(release_of(private()), source="census")
    assert ledger.spent("census").n_releases == 3


@pytest.mark.parametrize("figures", [{"epsilon": 0}, {"epsilon": -1}, {"epsilon": 1, "delta": 1},
                                     {"epsilon": float("inf")}, {"epsilon": "1"}])  # fmt: skip
def test_budgets_out_of_range(tmp_path: Path, figures: dict[str, float]) -> None:
    with pytest.raises(ParameterError):
        Ledger.open(tmp_path / "ledger").budget("census", **figures)


def test_a_budget_counts_only_what_adds_up(tmp_path: Path) -> None:
    ledger = Ledger.open(tmp_path / "ledger.sqlite")
    ledger.budget("census", epsilon=1, delta=TENTH)
    seeded = private(experimental=True, experimental_reason="drawn with seed 7")
    with pytest.raises(GuaranteeError, match="is experimental"):
        ledger.record(release_of(seeded), source="census")
    with pytest.raises(GuaranteeError, match="which has no epsilon"):
        ledger.record(release_of(k_anonymity(2)), source="census")
    ledger.record(release_of(private()), source="census")
    with pytest.raises(GuaranteeError, match="does not add up"):
        ledger.record(release_of(private(neighbours=REPLACE)), source="census")
    assert ledger.spent("census").n_releases == 1
    ledger.record(release_of(k_anonymity(2)), source="survey")
    with pytest.raises(GuaranteeError, match=r"1 of 1 releases have no epsilon \(k-anonymity\)"):
        ledger.budget("survey", epsilon=1)


def test_several_k_anonymous_releases_are_warned_of(tmp_path: Path) -> None:
    ledger = Ledger.open(tmp_path / "ledger.sqlite")
    ledger.record(release_of(k_anonymity(2)), source="census")
    ledger.record(release_of(k_anonymity(2)), source="survey")
    ledger.record(release_of(private()), source="census")
    with pytest.warns(CompositionWarning, match="'census' has 1 earlier release without"):
        ledger.record(release_of(k_anonymity(2)), source="census")
    with pytest.raises(CompositionWarning):  # where warnings are errors, nothing is recorded
        ledger.record(release_of(k_anonymity(2)), source="census")
    spent = ledger.spent("census")
    assert (spent.n_releases, spent.n_without_epsilon) == (3, 2)
    assert "2 of 3 releases have no epsilon (k-anonymity)" in spent.notes[0]
    with pytest.warns(CompositionWarning, match="different units"):
        ledger.record(release_of(private(unit="one household")), source="census")
    assert "sum is no guarantee" in ledger.spent("census").notes[-1]


def test_disjoint_parts_compose_in_parallel(tmp_path: Path) -> None:
    ledger = Ledger.open(tmp_path / "ledger.sqlite")
    ledger.budget("census", epsilon=Fraction(3, 10), delta=TENTH)
    for part in ("north", "south", "north"):
        ledger.record(release_of(private(), part), source="census")
    spent = ledger.spent("census")
    assert (spent.epsilon, spent.delta) == (2 * TENTH, 2 * MILLIONTH)
    assert "by region (north, south)" in spent.notes[0]
    ledger.record(release_of(private()), source="census")
    ledger.record(release_of(private(), "south"), source="census")
    with pytest.raises(GuaranteeError, match=r"to epsilon 0\.4"):
        ledger.record(release_of(private(), "north"), source="census")


def test_replacing_a_row_may_move_it_between_parts(tmp_path: Path) -> None:
    ledger = Ledger.open(tmp_path / "ledger.sqlite")
    for part in ("north", "south"):
        ledger.record(release_of(private(neighbours=REPLACE), part), source="census")
    assert ledger.spent("census").epsilon == 2 * TENTH
    assert compose("census", ledger.entries("census")).notes == ()


def test_keys_stay_with_the_curator(location: str, tmp_path: Path) -> None:
    ledger = Ledger.open(location)
    release = release_of(private())
    ledger.record(release, source="census")
    ledger.record(release, source="census")  # the same key twice
    folder = release.save(tmp_path / "out", format="csv")
    published = Release.load(folder).fingerprint
    assert published is not None
    assert published.matches(TABLE, ledger.key(published.key_id))
    with pytest.raises(DataError, match="no key 00"):
        ledger.key("00")
    ledger.record(Release.load(folder), source="census")  # without a key
    if "://" not in location:
        assert stat.S_IMODE(Path(location).stat().st_mode) == 0o600


CHANGES = [
    "UPDATE discreet_releases SET record = '{}'",
    "DELETE FROM discreet_releases",
    "UPDATE discreet_budgets SET epsilon = '9'",
    "DELETE FROM discreet_budgets",
    "DELETE FROM discreet_keys",
    "UPDATE discreet_ledger SET version = 2",
]


def test_append_only(location: str) -> None:
    ledger = Ledger.open(location)
    ledger.budget("census", epsilon=1, delta=TENTH)
    ledger.record(release_of(private()), source="census")
    before = ledger.entries("census")
    row = "discreet_budgets VALUES ('census', 1, '', '9', '0')"
    if "://" in location:
        import psycopg

        upsert = f"INSERT INTO {row} ON CONFLICT (source, number) DO UPDATE SET epsilon = '9'"
        for change in [*CHANGES, "TRUNCATE discreet_releases", upsert]:
            with (
                psycopg.connect(location) as connection,
                pytest.raises(psycopg.Error, match="append-only"),
            ):
                connection.execute(change.encode())
    else:
        replacing = [
            f"INSERT OR REPLACE INTO {row}",
            "INSERT OR REPLACE INTO discreet_keys SELECT key_id, '', '' FROM discreet_keys",
            "INSERT INTO discreet_budgets VALUES ('census', 7, '', '9', '0')",
        ]
        with closing(sqlite3.connect(location)) as file:
            for change in CHANGES + replacing:
                with pytest.raises(sqlite3.IntegrityError, match="append-only"):
                    file.execute(change)
    assert ledger.entries("census") == before
    remaining = ledger.remaining("census")
    assert remaining is not None
    assert remaining.epsilon == 1 - TENTH


WRITER = """
import sys
from discreet.errors import GuaranteeError
from discreet.release.ledger import Ledger
from tests.release.ledger_writer import release
ledger = Ledger.open(sys.argv[1])
n_done = 0
print("ready", flush=True)
sys.stdin.readline()
for _ in range(int(sys.argv[2])):
    try:
        ledger.record(release, source="census")
        n_done += 1
        print(n_done, flush=True)
    except GuaranteeError:
        pass
print("end", n_done, flush=True)
"""


def start(location: str, n_writes: int) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", WRITER, location, str(n_writes)],
        cwd=REPOSITORY, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
    )  # fmt: skip


def test_processes_writing_at_once_lose_nothing_and_keep_the_budget(location: str) -> None:
    """Three processes open, and thus make, the ledger at once; 3 x 12 tries, room for 20."""
    runs = [start(location, 12) for _ in range(3)]
    for run in runs:
        assert run.stdout is not None
        assert run.stdout.readline() == "ready\n"
    Ledger.open(location, create=False).budget("census", epsilon=2, delta=TENTH)
    done = 0
    for run in runs:
        assert run.stdin is not None
        run.stdin.write("\n")
        run.stdin.flush()
    for run in runs:
        out, _ = run.communicate()
        assert run.returncode == 0
        done += int(out.split()[-1])
    ledger = Ledger.open(location)
    assert done == 20
    assert [entry.number for entry in ledger.entries("census")] == list(range(1, 21))
    assert ledger.spent("census").epsilon == 2


def test_threads_share_a_ledger(tmp_path: Path) -> None:
    ledger = Ledger.open(tmp_path / "ledger.sqlite")

    def write() -> None:
        for _ in range(4):
            ledger.record(release_of(private()), source="census")

    threads = [threading.Thread(target=write) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert ledger.spent("census").n_releases == 12


def test_a_killed_process_leaves_every_acknowledged_entry(location: str) -> None:
    acknowledged = 0
    for wait in (0.03, 0.11):
        run = start(location, 10**6)
        with run:
            assert run.stdin is not None
            assert run.stdout is not None
            run.stdout.readline()
            run.stdin.write("\n")
            run.stdin.flush()
            run.stdout.readline()
            time.sleep(wait)
            run.send_signal(signal.SIGKILL)
            last = 1 + len(run.stdout.readlines())
        found = Ledger.open(location).spent("census").n_releases
        assert acknowledged + last <= found <= acknowledged + last + 1
        acknowledged = found
    if "://" not in location:
        with closing(sqlite3.connect(location)) as file:
            assert file.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
            assert file.execute("PRAGMA journal_mode").fetchall() == [("wal",)]
    Ledger.open(location).record(release_of(private()), source="census")


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
        file.execute("DROP TRIGGER discreet_releases_no_delete")
        file.execute("DELETE FROM discreet_releases WHERE number = 1")
        file.commit()
    with pytest.raises(DataError, match="Release 1 of 'census' is missing"):
        ledger.spent("census")
    with closing(sqlite3.connect(path)) as file:
        file.execute("DROP TRIGGER discreet_ledger_no_update")
        file.execute("UPDATE discreet_ledger SET version = 2")
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


def test_nothing_is_warned_of_without_reason(tmp_path: Path) -> None:
    ledger = Ledger.open(tmp_path / "ledger")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for _ in range(2):
            ledger.record(release_of(private()), source="census")
    assert caught == []
