"""What a connection may take before anybody knows who is there: bytes, seconds, places.

The web server in use bounds none of them: whoever sends a letter a minute would hold a connection
for ever, and some hundreds of those would end the service for all others.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

if TYPE_CHECKING:
    import asyncio

_TOO_LARGE = (
    b"HTTP/1.1 431 Request Header Fields Too Large\r\ncontent-type: text/plain; charset=utf-8\r\n"
    b"content-length: 0\r\nconnection: close\r\n\r\n"
)

_END = b"\r\n\r\n"


class GuardedProtocol(HttpToolsProtocol):
    """HTTP with limits that hold before a token was seen.

    From the first byte of a request, or from the connection, its headers have to come within
    ``head_seconds`` and ``head_bytes``, and its body within ``body_seconds`` more; how large a body
    may be, the service says. A process has ``max_connections``. Where all are taken, a new one
    takes the place of the one that would be closed next because it sends no request; if all are in
    the middle of one, the new one is closed.
    """

    head_seconds = 10.0
    body_seconds = 60.0
    head_bytes = 16_384
    max_connections = 500

    _timer: asyncio.TimerHandle | None = None
    _reads_head = True
    _head = b""  # of the request that is being read

    @property
    def ends_at(self) -> float | None:
        """When it is closed for want of a request; None in the middle of one."""
        timer = self._timer if self._reads_head else None
        if timer is None and self._timer is None:
            timer = self.timeout_keep_alive_task
        return None if timer is None else timer.when()

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Take a connection, if there is room."""
        if len(self.connections) >= self.max_connections:
            others = [each for each in self.connections if isinstance(each, GuardedProtocol)]
            waiting = [each for each in others if each.ends_at is not None]
            if not waiting:
                self.transport = transport
                transport.abort()
                return
            min(waiting, key=lambda each: each.ends_at or 0.0).end()
        super().connection_made(transport)
        self._begin_head()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection."""
        self._stop_timer()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Pass on what came, unless it is too much."""
        if self.transport.is_closing():
            return
        if self._timer is None:
            self._begin_head()
        if self._reads_head:
            # Empty lines before a request are passed over, here as by the parser.
            head = (self._head + data).lstrip(b"\r\n")
            self._head = head[: self.head_bytes + len(_END)]
            end = self._head.find(_END)
            if (len(self._head) if end < 0 else end) > self.head_bytes:
                self.transport.write(_TOO_LARGE)
                self.end(abort=False)
                return
        before = self.cycle
        super().data_received(data)
        if self.transport.is_closing():
            return
        if self._reads_head and end >= 0 and self.cycle is before:
            self.end()  # what ended was no request: its size would not be known
            return
        if self.cycle is not before:
            self._stop_timer()
            self._head, self._reads_head = b"", False
            if self.cycle.more_body:
                self._timer = self.loop.call_later(self.body_seconds, self.end)
        elif not self._reads_head and not self.cycle.more_body:
            self._stop_timer()

    def _begin_head(self) -> None:
        """Wait for the headers of a request."""
        self._head, self._reads_head = b"", True
        self._timer = self.loop.call_later(self.head_seconds, self.end)

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def end(self, *, abort: bool = True) -> None:
        """Close the connection; what was not sent yet is dropped with abort."""
        self._stop_timer()
        self.connections.discard(self)
        if abort:
            self.transport.abort()
        else:
            self.transport.close()
