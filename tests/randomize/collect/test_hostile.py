"""What strangers can do to the service: hold connections, send endless headers, ask for names."""

from __future__ import annotations

import contextlib
import json
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import uvicorn

from discreet.randomize import CutAndPaste
from discreet.randomize.collect import ServiceLimits, create_campaign
from discreet.randomize.collect.app import GuardedProtocol, make_app

NAME = "oncology-ward-7"
OPEN = ServiceLimits(max_rate=1e9, burst=10**9, max_body=20_000)


class Quick(GuardedProtocol):
    """The same limits, of which a test makes one small."""

    head_seconds = 60.0
    max_connections = 8


class Running:
    def __init__(self, port: int, token: str, server: uvicorn.Server) -> None:
        self.port, self.token, self.server = port, token, server

    def connect(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.port), timeout=30)

    def ask(self, text: bytes) -> bytes:
        """Return all that is answered until the connection ends."""
        with contextlib.closing(self.connect()) as line:
            line.sendall(text)
            return read(line)

    def get(self, path: str, *, token: str | None = None) -> bytes:
        more = f"Authorization: Bearer {token}\r\n" if token else ""
        return self.ask(
            f"GET {path} HTTP/1.1\r\nHost: x\r\n{more}Connection: close\r\n\r\n".encode()
        )

    def n_open(self) -> int:
        return len(self.server.server_state.connections)


def read(line: socket.socket) -> bytes:
    """Return what comes until the other side closes, in whatever way."""
    got = b""
    with contextlib.suppress(ConnectionError):
        while more := line.recv(65536):
            got += more
    return got


@pytest.fixture
def running(tmp_path: Path) -> Iterator[Running]:
    made = create_campaign(
        tmp_path / "campaign.sqlite", operator=CutAndPaste(cutoff=3, rho="1/10"),
        items=["tea", "milk"], name=NAME, service_limits=OPEN,
    )  # fmt: skip
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    config = uvicorn.Config(
        make_app(made.store), port=port, log_level="error", access_log=False, http=Quick, ws="none"
    )
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    try:
        yield Running(port, made.tokens.client, server)
    finally:
        server.should_exit = True
        thread.join()


def upload(token: str) -> tuple[bytes, bytes]:
    body = json.dumps({"transactions": [{"size": 1, "items": ["tea"]}]}).encode()
    head = (
        f"POST /transactions HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\r\n"
        "Connection: close\r\nIdempotency-Key: a\r\nContent-Type: application/json\r\n"
        f"Content-Length: {len(body)}\r\n\r\n"
    )
    return head.encode(), body


@pytest.mark.parametrize(
    "beginning", [b"", b"GET", b"GET /policy HTTP/1.1\r\nHost: x\r\nX-A: ",
                  b"GET / HTTP/1.1\r\nHost: x\r\n\r\nGET /policy HT"],
)  # fmt: skip
def test_headers_that_do_not_end_are_not_waited_for(
    running: Running, monkeypatch: pytest.MonkeyPatch, beginning: bytes
) -> None:
    """A letter now and then is not enough; neither is a whole request before."""
    monkeypatch.setattr(Quick, "head_seconds", 0.3)
    with contextlib.closing(running.connect()) as line:
        line.sendall(beginning)
        line.settimeout(0.05)
        ended = False
        for _ in range(600):  # a client that never tires, of a service that never waits so long
            try:
                if beginning:
                    line.sendall(b"a")
                ended = line.recv(65536) == b""
            except TimeoutError:
                continue
            except ConnectionError:
                ended = True
            if ended:
                break
        assert ended
    monkeypatch.setattr(Quick, "head_seconds", 60.0)
    assert running.get("/policy", token=running.token).startswith(b"HTTP/1.1 200")


def test_bodies_that_do_not_end_are_not_waited_for(
    running: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    head, body = upload(running.token)
    monkeypatch.setattr(Quick, "body_seconds", 0.3)
    for token in (running.token, "wrong"):
        with contextlib.closing(running.connect()) as line:
            line.sendall(upload(token)[0] + body[:-1])
            assert b"201" not in read(line)
    monkeypatch.setattr(Quick, "body_seconds", 60.0)
    with contextlib.closing(running.connect()) as line:  # slow, but there in time
        for part in (head[:20], head[20:], body[:5], body[5:]):
            line.sendall(part)
            time.sleep(0.05)
        line.settimeout(30)
        assert line.recv(65536).startswith(b"HTTP/1.1 201")


@pytest.mark.parametrize("ends", [b"", b"\r\n\r\n"])
def test_headers_have_a_size(running: Running, ends: bytes) -> None:
    for header in (b"X-A: " + b"a" * 20_000, b"\r\n".join(b"X-%d: a" % n for n in range(4000))):
        answer = running.ask(b"GET /policy HTTP/1.1\r\nHost: x\r\n" + header + ends)
        assert answer.startswith(b"HTTP/1.1 431") or not answer
    answer = running.ask(b"\r\n" * 9 + b"GET /" + b"a" * 30_000)
    assert answer.startswith(b"HTTP/1.1 431") or not answer
    assert running.get("/policy", token=running.token).startswith(b"HTTP/1.1 200")


@pytest.mark.parametrize("length", ["99999999", "9" * 15, "9" * 5000, "\u00b2", "-1"])
def test_announced_bodies_have_a_size(running: Running, length: str) -> None:
    head = upload(running.token)[0].replace(b"Content-Length: ", b"X: ").removesuffix(b"\r\n\r\n")
    answer = running.ask(head + f"\r\nContent-Length: {length}\r\n\r\n".encode("latin-1"))
    assert answer.split()[1] in {b"413", b"400"}


def test_bodies_in_pieces_have_a_size(running: Running) -> None:
    head = upload(running.token)[0]
    start = head.index(b"Content-Length")
    piece = b"1000\r\n" + b"a" * 0x1000 + b"\r\n"
    with contextlib.closing(running.connect()) as line:
        with contextlib.suppress(ConnectionError):
            line.sendall(head[:start] + b"Transfer-Encoding: chunked\r\n\r\n" + piece * 64)
        assert read(line).startswith(b"HTTP/1.1 413")


def test_who_sends_nothing_makes_room_for_others(running: Running) -> None:
    """Forty idle connections where eight have room, and everybody else is served."""
    idle = [running.connect() for _ in range(40)]
    for line in idle:
        with contextlib.suppress(ConnectionError):
            line.sendall(b"GET /policy HTTP/1.1\r\n")
        assert running.n_open() <= Quick.max_connections
    assert running.get("/policy", token=running.token).startswith(b"HTTP/1.1 200")
    for line in idle:
        line.close()


def test_there_are_only_so_many_connections(running: Running) -> None:
    """Where all are in the middle of something, a new one is closed."""
    head, body = upload(running.token)
    busy = [running.connect() for _ in range(Quick.max_connections)]
    for line in busy:
        line.sendall(head)
    while running.n_open() < Quick.max_connections:
        time.sleep(0.01)
    time.sleep(0.1)  # their headers were read
    assert running.get("/policy", token=running.token) == b""
    for line in busy:
        line.sendall(body)
        line.settimeout(30)
        assert line.recv(65536).startswith((b"HTTP/1.1 201",))
        line.close()


PATHS = ["/policy", "/status", "/mine?min_frequency=0.5", "/mine?min_frequency=x", "/mine"]


def test_without_a_token_nothing_is_said_of_the_campaign(running: Running) -> None:
    public = ["/", "/client.js", "/page.js", "/style.css", "/openapi.json", "/docs", "/campaign",
              f"/{NAME}", "/favicon.ico"]  # fmt: skip
    for path in public + PATHS:
        for token in (None, "wrong", NAME, "x" * 5000):
            answer = running.get(path, token=token)
            for word in (NAME, "oncology", "tea", "cut-and-paste"):
                assert word.encode() not in answer.partition(b"\r\n\r\n")[2], path
    assert NAME.encode() in running.get("/policy", token=running.token)


def test_every_wrong_token_gets_the_same_answer(running: Running) -> None:
    answers = set()
    for path in PATHS:
        for token in (None, "wrong", running.token[:-1], running.token.swapcase()):
            head, _, body = running.get(path, token=token).partition(b"\r\n\r\n")
            lines = [line for line in head.split(b"\r\n") if not line.startswith(b"date")]
            answers.add((b"\r\n".join(lines), body))
    (answer,) = answers
    assert answer[0].startswith(b"HTTP/1.1 401")
    assert f"/{NAME}".encode() not in answer[1]
    unknown = {running.get(path).partition(b"\r\n\r\n")[2] for path in (f"/{NAME}", "/other")}
    assert unknown == {b'{"detail":"Not Found"}'}
