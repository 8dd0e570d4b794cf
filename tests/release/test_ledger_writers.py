"""Ledgers lose nothing, whoever writes, writes at once, or dies."""

from __future__ import annotations

import signal
import sqlite3
import subprocess
import sys
import threading
import time
from contextlib import closing
from pathlib import Path

import pytest

from discreet.release.ledger import Ledger
from tests.release.claims import private
from tests.release.ledger_releases import TENTH, release_of

REPOSITORY = Path(__file__).parents[2]


CHANGES = [
    "UPDATE discreet_entries SET content = '{}'",
    "DELETE FROM discreet_entries",
    "DELETE FROM discreet_entries WHERE number = 2",
    "DELETE FROM discreet_keys",
    "UPDATE discreet_ledger SET version = 3",
]


def test_append_only(location: str) -> None:
    ledger = Ledger.open(location)
    ledger.budget("census", epsilon=1, delta=TENTH)
    ledger.record(release_of(private()), source="census")
    before = ledger.entries("census")
    row = "discreet_entries VALUES (1, 'budget', 'census', '', '{}', '', '')"
    if "://" in location:
        import psycopg

        upsert = f"INSERT INTO {row} ON CONFLICT (number) DO UPDATE SET content = '9'"
        for change in [*CHANGES, "TRUNCATE discreet_entries", upsert]:
            with (
                psycopg.connect(location) as connection,
                pytest.raises(psycopg.Error, match="append-only"),
            ):
                connection.execute(change.encode())
    else:
        replacing = [
            f"INSERT OR REPLACE INTO {row}",
            "INSERT OR REPLACE INTO discreet_keys SELECT key_id, '', '' FROM discreet_keys",
            "INSERT INTO discreet_entries VALUES (7, 'budget', 'census', '', '{}', '', '')",
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
