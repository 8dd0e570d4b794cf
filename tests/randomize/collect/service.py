"""A real collect service in processes of its own, and raw HTTP to talk to it."""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from discreet.randomize.collect import NewCampaign, create_campaign


class Answer(NamedTuple):
    code: int
    body: Any  # what JSON holds
    headers: dict[str, str]


class Server:
    """``discreet collect serve`` on a free port; everything it says goes to a log."""

    def __init__(
        self, folder: Path, location: str, campaign: NewCampaign, *, workers: int = 1
    ) -> None:
        self.log = folder / f"server-{len(list(folder.glob('server-*')))}.log"
        self.location = location
        self.campaign = campaign
        self.workers = workers
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port: int = probe.getsockname()[1]
        self.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def token(self) -> str:
        return self.campaign.tokens.client

    @property
    def analyst(self) -> str:
        return self.campaign.tokens.analyst

    def start(self) -> None:
        """Start, and wait until every worker answers."""
        with self.log.open("a") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "discreet", "collect", "serve", "--db", self.location,
                 "--port", str(self.port), "--workers", str(self.workers)],
                stdout=log, stderr=log, start_new_session=True,
            )  # fmt: skip
        while True:
            assert self.process.poll() is None, self.log.read_text()
            with contextlib.suppress(OSError):
                answer = self.ask("GET", "/policy", token=self.token)
                assert answer.code == 200, answer
                return
            time.sleep(0.05)

    def kill(self) -> None:
        """Kill all processes at once, as a power cut would."""
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()

    def stop(self) -> None:
        """End as Ctrl-C does, and wait until nothing is left."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(60)
            finally:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(self.process.pid, signal.SIGKILL)

    def ask(
        self,
        method: str,
        path: str,
        body: object = None,
        *,
        token: str | None = None,
        headers: dict[str, str] | None = None,
    ) -> Answer:
        """Return the answer to one request; a body that is not bytes is sent as JSON."""
        more = dict(headers or {})
        if token is not None:
            more.setdefault("Authorization", f"Bearer {token}")
        if body is not None:
            more.setdefault("Content-Type", "application/json")
        data = body if isinstance(body, bytes | None) else json.dumps(body).encode()
        with contextlib.closing(http.client.HTTPConnection("127.0.0.1", self.port)) as connection:
            connection.request(method, path, data, more)
            answer = connection.getresponse()
            text = answer.read()
            found = {name.lower(): value for name, value in answer.getheaders()}
        is_json = found.get("content-type") == "application/json"
        return Answer(answer.status, json.loads(text) if is_json else text.decode(), found)

    def post(self, body: object, key: str, **options: Any) -> Answer:  # noqa: ANN401
        """Send a batch as a client."""
        headers = {"Idempotency-Key": key, **options.pop("headers", {})}
        return self.ask(
            "POST", "/transactions", body, headers=headers, **{"token": self.token, **options}
        )


@contextlib.contextmanager
def serving(folder: Path, location: str, *, workers: int = 1, **campaign: Any) -> Iterator[Server]:  # noqa: ANN401
    """Make a campaign, serve it, and end the service."""
    server = Server(folder, location, create_campaign(location, **campaign), workers=workers)
    try:
        yield server
    finally:
        server.stop()


class KeptConnection:
    """One connection that stays open, with as little work for each request as can be."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self.socket: socket.socket | None = None

    def post(self, body: bytes, key: str) -> int:
        """Send a batch and return the code of the answer; OSError if there is none."""
        if self.socket is None:
            self.socket = socket.create_connection(("127.0.0.1", self.server.port), timeout=60)
        head = (
            f"POST /transactions HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {self.server.token}"
            f"\r\nIdempotency-Key: {key}\r\nContent-Type: application/json\r\n"
            f"Content-Length: {len(body)}\r\n\r\n"
        )
        try:
            self.socket.sendall(head.encode() + body)
            return self._answer(self.socket)
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        if self.socket is not None:
            self.socket.close()
            self.socket = None

    @staticmethod
    def _answer(connection: socket.socket) -> int:
        got = b""
        while b"\r\n\r\n" not in got:
            more = connection.recv(65536)
            if not more:
                raise ConnectionResetError
            got += more
        head, _, rest = got.partition(b"\r\n\r\n")
        length = int(head.lower().partition(b"content-length: ")[2].partition(b"\r\n")[0])
        while len(rest) < length:
            more = connection.recv(65536)
            if not more:
                raise ConnectionResetError
            rest += more
        return int(head.split()[1])
