"""Many clients, two worker processes, crashes: nothing is lost, nothing counts twice.

``DISCREET_UPLOADS=10000`` sends that many, as ``make thorough`` does.
"""

from __future__ import annotations

import json
import os
import random
import sqlite3
import threading
from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

import pytest

from discreet.randomize import CutAndPaste
from discreet.randomize.collect import ServiceLimits, open_campaign
from tests.randomize.collect.service import KeptConnection, Server, serving

ITEMS = list(range(40))
OPERATOR = CutAndPaste(cutoff=3, rho="1/5")
OPEN = ServiceLimits(max_rate=1e9, burst=10**9)


class Sending(NamedTuple):
    key: str
    body: bytes
    transactions: list[tuple[int, tuple[int, ...]]]


def sendings(n: int, seed: int) -> list[Sending]:
    """Return what n clients send: each a batch of one to three sets, randomized long ago."""
    rng = random.Random(seed)
    found = []
    for client in range(n):
        sets = [
            (rng.randrange(1, 6), tuple(sorted(rng.sample(ITEMS, rng.randrange(12)))))
            for _ in range(rng.randrange(1, 4))
        ]
        sent = [{"size": size, "items": items} for size, items in sets]
        found.append(Sending(f"{seed}-{client}", json.dumps({"transactions": sent}).encode(), sets))
    return found


def upload(
    server: Server, todo: list[Sending], *, n_threads: int = 48, kill_after: int | None = None
) -> list[Sending]:
    """Send from several connections at once; return what was acknowledged, one by one.

    With ``kill_after`` the server is killed after so many, while other requests are under way.
    A connection that breaks ends its thread.
    """
    acknowledged: list[Sending] = []
    codes: list[int] = []
    left = iter(todo)
    lock = threading.Lock()

    def work() -> None:
        connection = KeptConnection(server)
        while True:
            with lock:
                sending = next(left, None)
            if sending is None:
                break
            try:
                code = connection.post(sending.body, sending.key)
            except OSError:
                break
            with lock:
                codes.append(code)
                acknowledged.append(sending)
                is_last = len(acknowledged) == kill_after
            if is_last:
                server.kill()
        connection.close()

    threads = [threading.Thread(target=work) for _ in range(n_threads)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert set(codes) == {201}
    return acknowledged


def stored(location: str) -> Counter[tuple[int, tuple[int, ...]]]:
    """Return every stored transaction, and check what is counted against what is there."""
    store = open_campaign(location)
    randomized = store.randomized()
    assert store.n_of_size() == randomized.n_of_size()
    sets = (tuple(sorted(items)) for items in randomized.transactions)
    return Counter(zip(randomized.sizes.tolist(), sets, strict=True))  # type: ignore[arg-type]


def expected(sent: list[Sending]) -> Counter[tuple[int, tuple[int, ...]]]:
    return Counter(each for sending in sent for each in sending.transactions)


N_CLIENTS = int(os.environ.get("DISCREET_UPLOADS", "300"))
N_KILLS = 3 if N_CLIENTS >= 1000 else 1  # a restart takes seconds
N_THREADS = min(48, N_CLIENTS // 20)  # few enough that some are left when the server is killed


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_clients_through_two_workers_and_crashes(
    request: pytest.FixtureRequest, tmp_path: Path, kind: str
) -> None:
    """Every ninth upload is repeated, at once or later, on whatever connection comes."""
    location = str(tmp_path / "campaign.sqlite")
    if kind == "postgres":
        location = request.getfixturevalue("postgres_url")
    clients = sendings(N_CLIENTS, seed=1)
    todo = clients + clients[::9]
    random.Random(2).shuffle(todo)
    kept: dict[str, Sending] = {}
    with serving(
        tmp_path, location, workers=2, operator=OPERATOR, items=ITEMS, service_limits=OPEN
    ) as server:
        for kill in range(N_KILLS):
            # Nobody knows what became of the others: those who sent them ask again, and some who
            # were answered do too.
            repeated = list(kept.values())[::20]
            left = [each for each in todo if each.key not in kept] + repeated
            kill_after = len(left) // 4
            acknowledged = upload(server, left, n_threads=N_THREADS, kill_after=kill_after)
            assert kill_after <= len(acknowledged) < len(left), f"kill {kill}"
            kept |= {sending.key: sending for sending in acknowledged}
            found = stored(location)
            assert expected(list(kept.values())) <= found  # what was acknowledged is there
            assert found <= expected(clients)  # and nothing counts twice
            server.start()
        again = [each for each in todo if each.key not in kept] + list(kept.values())[::20]
        assert len(upload(server, again)) == len(again)
        status = server.ask("GET", "/status", token=server.analyst).body
        assert status["n_batches"] == N_CLIENTS
        assert status["n_transactions"] == sum(len(each.transactions) for each in clients)
    assert stored(location) == expected(clients)
    if kind == "sqlite":
        with closing(sqlite3.connect(location)) as file:
            assert file.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
            assert file.execute("PRAGMA journal_mode").fetchall() == [("wal",)]
