"""Many clients, two worker processes, crashes: nothing is lost, nothing counts twice."""

from __future__ import annotations

import json
import random
import sqlite3
import threading
from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

from discreet.randomize import CutAndPaste
from discreet.randomize.collect import Limits, open_campaign
from tests.randomize.collect.service import KeptConnection, Server, serving

ITEMS = list(range(40))
OPERATOR = CutAndPaste(cutoff=3, rho="1/5")
OPEN = Limits(max_rate=1e9, burst=10**9)


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


def upload(server: Server, todo: list[Sending], n_threads: int = 8) -> list[Sending]:
    """Send from several connections at once; return what was acknowledged, one by one.

    A connection that breaks ends its thread: the server is gone.
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
            codes.append(code)
            if code == 201:
                acknowledged.append(sending)
        connection.close()

    threads = [threading.Thread(target=work) for _ in range(n_threads)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert set(codes) <= {201}
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


def test_ten_thousand_clients_through_two_workers(tmp_path: Path) -> None:
    """Every ninth upload is repeated, at once or later, on whatever connection comes."""
    location = str(tmp_path / "campaign.sqlite")
    clients = sendings(10_000, seed=1)
    retries = clients[::9]
    todo = clients + retries
    random.Random(2).shuffle(todo)
    with serving(
        tmp_path, location, workers=2, operator=OPERATOR, items=ITEMS, limits=OPEN
    ) as server:
        acknowledged = upload(server, todo)
        assert len(acknowledged) == len(todo)
        assert server.ask("GET", "/status", token=server.analyst).body["n_batches"] == 10_000
    assert stored(location) == expected(clients)
    assert open_campaign(location).n_batches() == 10_000


def test_two_workers_on_a_database_server(tmp_path: Path, postgres_url: str) -> None:
    clients = sendings(1500, seed=3)
    todo = clients + clients[::3]
    random.Random(4).shuffle(todo)
    with serving(
        tmp_path, postgres_url, workers=2, operator=OPERATOR, items=ITEMS, limits=OPEN
    ) as server:
        assert len(upload(server, todo)) == len(todo)
    assert stored(postgres_url) == expected(clients)


def test_a_killed_server_has_all_that_it_acknowledged(tmp_path: Path, location: str) -> None:
    clients = sendings(30_000, seed=5)  # more than can be sent before the end
    with serving(
        tmp_path, location, workers=2, operator=OPERATOR, items=ITEMS, limits=OPEN
    ) as server:
        for round_ in range(2):
            part = clients[round_ * 15_000 : (round_ + 1) * 15_000]
            killer = threading.Timer(0.7, server.kill)
            killer.start()
            acknowledged = upload(server, part)
            killer.join()
            assert 0 < len(acknowledged) < len(part)
            found = stored(location)
            assert expected(acknowledged) <= found
            server.start()
            # Nobody knows what became of the others: those who sent them ask again.
            keys = {sending.key for sending in acknowledged}
            doubtful = [each for each in part if each.key not in keys][:100]
            assert len(upload(server, acknowledged[:50] + doubtful)) == len(doubtful) + len(
                acknowledged[:50]
            )
            assert found <= stored(location)
            assert expected(acknowledged + doubtful) <= stored(location)
    if "://" not in location:
        with closing(sqlite3.connect(location)) as file:
            assert file.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
            assert file.execute("PRAGMA journal_mode").fetchall() == [("wal",)]
