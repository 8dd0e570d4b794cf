"""The server never receives, stores or logs an original: everything it has is searched."""

from __future__ import annotations

import contextlib
import json
import re
import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from discreet.errors import DataError
from discreet.randomize import CutAndPaste
from discreet.randomize.collect import Client, ServiceLimits, open_campaign
from tests.randomize.collect.service import Server, serving

ITEMS = [f"item {i:03}" for i in range(200)]
# Half of all items are inserted, so the items of an original never stand side by side.
OPERATOR = CutAndPaste(cutoff=3, rho="1/2")
ORIGINALS = [[ITEMS[(i + 37 * j) % 200] for j in range(5)] for i in range(100)]


class Wire:
    """A port that passes bytes on to the server, and keeps those that clients sent."""

    def __init__(self, server: Server) -> None:
        self.sent = bytearray()
        self._is_closed = False
        self._target = ("127.0.0.1", server.port)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        self._thread = threading.Thread(target=self._accept)
        self._thread.start()

    def _accept(self) -> None:
        """Pass connections on, one at a time: the client keeps none open."""
        while True:
            with contextlib.ExitStack() as opened:
                near = opened.enter_context(self._listener.accept()[0])
                if self._is_closed:
                    return
                far = opened.enter_context(socket.create_connection(self._target))
                back = threading.Thread(target=_pump, args=(far, near, bytearray()))
                back.start()
                _pump(near, far, self.sent)
                back.join()

    def close(self) -> None:
        self._is_closed = True
        socket.create_connection(self._listener.getsockname()).close()
        self._thread.join()
        self._listener.close()


def _pump(source: socket.socket, target: socket.socket, kept: bytearray) -> None:
    with contextlib.suppress(OSError):
        while data := source.recv(65536):
            kept += data
            target.sendall(data)
        target.shutdown(socket.SHUT_WR)


def forms(original: list[str]) -> Iterator[bytes]:
    """Yield the ways in which an original could be written down."""
    for items in (original, sorted(original)):
        codes = [ITEMS.index(item) for item in items]
        for values in (items, codes):
            yield json.dumps(values)[1:-1].encode()
            yield json.dumps(values, separators=(",", ":"))[1:-1].encode()
            yield ",".join(map(str, values)).encode()
            yield " ".join(map(str, values)).encode()
        for kind in ("<i8", "<i4", "<i2"):
            yield np.array(codes, kind).tobytes()


def n_found(held: bytes) -> int:
    """Return the number of originals of which some form is in what is held."""
    return sum(any(form in held for form in forms(original)) for original in ORIGINALS)


def everything(server: Server, folder: Path) -> bytes:
    """Return all files of the server, and all rows of its database."""
    held = b"".join(path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file())
    store = open_campaign(server.location)
    with store._database.reading() as run:
        rows = run("SELECT key, body, sizes, lengths, items FROM discreet_batches")
    cells = [cell for row in rows for cell in row]
    return held + b"".join(cell if isinstance(cell, bytes) else cell.encode() for cell in cells)


def test_no_original_is_sent_stored_or_logged(tmp_path: Path, location: str) -> None:
    limits = ServiceLimits(max_rate=1e9, burst=10**9)
    with serving(
        tmp_path, location, operator=OPERATOR, items=ITEMS, max_size=5, service_limits=limits
    ) as server:
        wire = Wire(server)
        client = Client(wire.url, server.token)
        assert client.send(ORIGINALS).n_transactions == 100
        with pytest.raises(DataError, match="has the item 'secret', which"):
            client.send([["item 001"], ["item 002", "secret"]])
        # Refusals are where a careless server would repeat what it got.
        body = client.prepare(ORIGINALS[:3])[0].body
        assert server.post(body.replace(b'"size": 5', b'"size": 6', 1), "refused").code == 422
        assert server.post(body, "taken").code == 201
        assert server.post(b"{" + body, "no JSON").code == 422
        sent = bytes(wire.sent)
        assert sent.count(b"POST /transactions") == 1  # the batch with the secret was not sent
        assert b'"transactions": [{"size": 5, "items": ["item' in sent
        assert n_found(sent) == 0
        assert b"secret" not in sent
        held = everything(server, tmp_path)
        assert b"cut-and-paste" in held or "://" in location
        assert n_found(held) == 0
        assert b"secret" not in held
        # The search would find one: a client that does not randomize is noticed.
        careless = {"transactions": [{"size": 5, "items": ORIGINALS[7]}]}
        assert server.post(careless, "careless").code == 201
        assert n_found(everything(server, tmp_path)) == 1
        assert n_found(json.dumps(careless).encode()) == 1
        wire.close()
    assert re.search("item [0-9]", server.log.read_text()) is None
    assert server.token not in server.log.read_text()
