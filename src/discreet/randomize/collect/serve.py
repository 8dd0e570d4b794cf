"""The service as a process, or several, on a port."""

from __future__ import annotations

import os
import signal
import socket
import threading
import time
from importlib.util import find_spec
from typing import TYPE_CHECKING

from discreet import checks
from discreet.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


DATABASE = "DISCREET_COLLECT_DATABASE"  # how worker processes learn of it

CAMPAIGN = "DISCREET_COLLECT_CAMPAIGN"

PROTOCOL = "discreet.randomize.collect.app:GuardedProtocol"

FACTORY = "discreet.randomize.collect.app:app_from_environment"


def serve(
    url_or_path: str | os.PathLike[str],
    *,
    campaign: str,
    host: str = "127.0.0.1",
    port: int = 8400,
    workers: int = 1,
    certificate: Path | None = None,
    key: Path | None = None,
    proxy: str | None = None,
) -> None:
    """Serve a campaign until interrupted.

    Parameters
    ----------
    url_or_path : str or path
        The database: an SQLite file, or ``postgresql://user@host/database``.
    campaign : str
        Which of its campaigns.
    host, port : str, int
        Where to listen.
    workers : int
        Number of processes, at least 1.
    certificate, key : path, optional
        Files of the TLS certificate and its key, in PEM; plain HTTP without them.
    proxy : str, optional
        Address of a proxy in front, whose word on the client's address is believed.

    Raises
    ------
    ParameterError
        If the port cannot be had, or FastAPI and uvicorn are not installed.
    """
    if find_spec("fastapi") is None or find_spec("uvicorn") is None:
        raise ParameterError(
            "The collect service needs packages more: pip install 'discreet[collect]'."
        )
    import uvicorn

    workers = checks.whole("workers", workers, at_least=1)
    check_port(host, port)
    os.environ |= {DATABASE: os.fspath(url_or_path), CAMPAIGN: campaign}
    if workers > 1:
        os.environ[PARENT] = str(os.getpid())
    uvicorn.run(
        FACTORY,
        factory=True,
        host=host,
        port=port,
        workers=workers,
        log_level="warning",
        access_log=False,
        server_header=False,
        http=PROTOCOL,
        ws="none",
        timeout_graceful_shutdown=10,
        proxy_headers=proxy is not None,
        forwarded_allow_ips=proxy or "",
        ssl_certfile=certificate,
        ssl_keyfile=key,
    )


def check_port(host: str, port: int) -> None:
    """Raise ParameterError if nobody can listen there."""
    port = checks.whole("port", port, at_least=0, at_most=65_535)
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        with socket.socket(family) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind((host, port))
    except (OSError, OverflowError) as error:
        raise ParameterError(
            f"{{host}}, {{port}} cannot be listened on: {error}.",
            parameter="host",
            remedy="Choose others.",
            options={"host": host, "port": port},
        ) from None


# Worker processes end when the process that started them was killed.

PARENT = "DISCREET_COLLECT_PARENT"  # its number, where there are worker processes


def end_with_parent() -> None:
    """Watch, in a thread, whether the parent lives; end in order if it does not.

    A killed parent cannot stop its workers, which would keep the port.
    """
    parent = os.environ.get(PARENT)
    if parent is not None and os.getppid() == int(parent):
        threading.Thread(target=_watch, args=(int(parent),), daemon=True).start()


def _watch(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(0.5)
    os.kill(os.getpid(), signal.SIGTERM)


# How often one client may come: a bucket of requests that fills again at a steady rate.

MAX_CLIENTS = 50_000  # that are remembered


class RateLimit:
    """Counts requests by client.

    Parameters
    ----------
    rate : float
        Requests a second that are added to a bucket.
    burst : int
        What a bucket holds.
    clock : callable
        Seconds; for tests.

    Examples
    --------
    >>> now = 0.0
    >>> limit = RateLimit(2.0, 1, clock=lambda: now)
    >>> limit.wait("a"), limit.wait("a"), limit.wait("b")
    (0.0, 0.5, 0.0)
    """

    __slots__ = ("_buckets", "_burst", "_clock", "_rate")

    def __init__(
        self, rate: float, burst: int, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._rate = rate
        self._burst = burst
        self._clock = clock
        self._buckets: dict[str, tuple[float, float]] = {}  # what is left, and when

    def wait(self, client: str) -> float:
        """Count a request; return 0, or the seconds after which the next one is taken."""
        now = self._clock()
        left, then = self._buckets.pop(client, (float(self._burst), now))
        left = min(self._burst, left + (now - then) * self._rate)
        allowed = left >= 1
        if len(self._buckets) >= MAX_CLIENTS:  # the one that came least recently is first
            del self._buckets[next(iter(self._buckets))]
        self._buckets[client] = (left - 1 if allowed else left, now)
        return 0.0 if allowed else (1 - left) / self._rate
