"""How often one client may come: a bucket of requests that fills again at a steady rate."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

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
