"""Who may talk to the app: one browser of this machine, which was let in once.

A page of another site can make a browser send requests to this machine, and a name of another site
can be made to point here. So the name in ``Host`` must be of this machine, whatever changes
anything must come from our own pages, and everything needs a cookie that one code was exchanged
for.
"""

from __future__ import annotations

import hmac
import secrets
import shutil
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final
from urllib.parse import parse_qs

from starlette.datastructures import Headers
from starlette.responses import HTMLResponse, PlainTextResponse

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from starlette.responses import Response
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

CODE_SECONDS: Final = 60.0
HOSTS: Final = ("localhost", "127.0.0.1", "[::1]")
MAX_FORM: Final = 4 * 1024**2  # bytes of a form
MAX_UPLOAD: Final = 8 * 1024**3  # bytes of a file
UPLOADS: Final = ("/upload", "/upload-folder")  # where files come in
SPARE_DISK: Final = 256 * 1024**2  # bytes that an upload must leave free
_CHANGES: Final = frozenset({"POST"})
_READS: Final = frozenset({"GET", "HEAD"})

_POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS: Final = {
    "content-security-policy": _POLICY,
    "cache-control": "no-store",
    # Not "no-referrer": a browser would then call the origin of our own forms "null".
    "referrer-policy": "same-origin",
    "x-content-type-options": "nosniff",
    "cross-origin-resource-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
}
# Somebody else's report, or our own, is shown without any right: no script, no form, no origin.
SANDBOX: Final = "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:"

# The cookie is not sent where another site led here, so the page that sets it leads on by itself.
_LET_IN: Final = """<!doctype html><html lang="en"><meta charset="utf-8"><title>discreet</title>
<link rel="icon" href="data:,">
<meta http-equiv="refresh" content="0;url=/"><p><a href="/">Open the app</a></p></html>"""
_SHUT: Final = (
    "This address was used before, or is too old. Press Enter in the window that runs discreet app "
    "for a new one."
)


@dataclass
class Door:
    """The codes that let a browser in, and the cookies of those who are.

    Parameters
    ----------
    port : int
        Where the app listens; the cookie is named by it, because cookies know no ports.
    clock : callable
        Seconds; for tests.
    """

    port: int
    clock: Callable[[], float] = time.monotonic
    _codes: dict[str, float] = field(default_factory=dict)
    _cookies: list[str] = field(default_factory=list)

    @property
    def cookie(self) -> str:
        """The name of the cookie."""
        return f"discreet_{self.port}"

    def new_code(self) -> str:
        """Return a code that lets one browser in, once, within a minute."""
        code = secrets.token_urlsafe(32)
        self._codes = {code: self.clock() + CODE_SECONDS}
        return code

    def address(self) -> str:
        """Return a new address to open in a browser."""
        return f"http://127.0.0.1:{self.port}/enter?code={self.new_code()}"

    def let_in(self, code: str) -> str | None:
        """Return a cookie for a code, or None if it lets nobody in."""
        for known, until in list(self._codes.items()):
            if hmac.compare_digest(known.encode(), code.encode()):
                del self._codes[known]
                if self.clock() <= until:
                    self._cookies.append(secrets.token_urlsafe(32))
                    return self._cookies[-1]
        return None

    def knows(self, cookie: str) -> bool:
        """Say whether somebody is in."""
        return any(hmac.compare_digest(known.encode(), cookie.encode()) for known in self._cookies)


class Guard:
    """Refuses every request that is not of the browser that was let in, or is too large.

    Parameters
    ----------
    app : ASGI application
        What is behind the door.
    door : Door
        Who may come in.
    private : Path
        Where uploads go: a full disk is noticed beforehand.
    """

    def __init__(self, app: ASGIApp, *, door: Door, private: Path) -> None:
        self._app, self._door, self._private = app, door, private
        self._hosts = [f"{name}:{door.port}" for name in HOSTS]
        self.last_request = time.monotonic()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer or refuse a request; every answer has the same headers."""
        if scope["type"] != "http":
            return
        answer = _Answer(send)
        refusal = self._refusal(scope)
        if refusal is not None:
            await refusal(scope, receive, answer)
            return
        self.last_request = time.monotonic()
        most = self._most_bytes(scope)
        body = _Body(receive, most)
        inner = _Unless(body, answer)
        try:
            body.announce(Headers(scope=scope).get("content-length", "0"))
            await self._app(scope, body, inner)
        except TooLargeError:
            if not answer.has_begun:
                why = f"That is more than {most:,} bytes, which the app takes or the disk holds."
                await _refused(413, why)(scope, receive, answer)

    def _most_bytes(self, scope: Scope) -> int:
        """Return how much a request may bring."""
        if scope["path"] not in UPLOADS:
            return MAX_FORM
        free = shutil.disk_usage(self._private).free - SPARE_DISK
        return max(0, min(MAX_UPLOAD, free))

    def _refusal(self, scope: Scope) -> Response | None:
        """Return why a request is refused, or None."""
        headers, method = Headers(scope=scope), scope["method"]
        host = headers.get("host", "")
        if headers.getlist("host") != [host] or host not in self._hosts:
            return _refused(421, "The app answers to this machine's own name only.")
        if scope["path"] == "/enter" and method in _READS:
            return self._enter(scope)
        is_ours = headers.get("sec-fetch-site", "none") in ("none", "same-origin")
        if method in _CHANGES:
            is_ours = is_ours and headers.get("origin") == f"http://{host}"
        elif method not in _READS:
            return _refused(405, "The app knows GET and POST.")
        if not is_ours:
            return _refused(403, "This came from another page than one of the app.")
        if not self._door.knows(_cookie(headers, self._door.cookie)):
            return _refused(401, f"You are not let in. {_SHUT}")
        return None

    def _enter(self, scope: Scope) -> Response:
        """Exchange a code for a cookie."""
        given = parse_qs(scope["query_string"].decode("latin-1")).get("code", [""])
        cookie = self._door.let_in(given[0])
        if cookie is None:
            return _refused(401, _SHUT)
        page = HTMLResponse(_LET_IN)
        page.set_cookie(self._door.cookie, cookie, httponly=True, samesite="strict", path="/")
        return page


class TooLargeError(Exception):
    """A request brings more than it may."""


class _Answer:
    """Sends an answer with the headers that every answer has, unless it has its own."""

    def __init__(self, send: Send) -> None:
        self._send, self.has_begun = send, False

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.has_begun = True
            given = {name for name, _ in message["headers"]}
            more = [(name.encode(), value.encode()) for name, value in HEADERS.items()]
            kept = [pair for pair in more if pair[0] not in given]
            message["headers"] = [*message["headers"], *kept]
        await self._send(message)


class _Body:
    """Receives a body and counts it: what is announced may not be what comes."""

    def __init__(self, receive: Receive, most: int) -> None:
        self._receive, self._left = receive, most

    @property
    def is_too_large(self) -> bool:
        """Whether more came than may."""
        return self._left < 0

    def announce(self, length: str) -> None:
        """Refuse a length at once."""
        if not length.isdecimal() or int(length[:20]) > self._left:
            raise TooLargeError

    async def __call__(self) -> Message:
        message = await self._receive()
        self._left -= len(message.get("body", b""))
        if self._left < 0:
            raise TooLargeError
        return message


class _Unless:
    """Sends an answer unless its request was too large: that has an answer of its own."""

    def __init__(self, body: _Body, answer: _Answer) -> None:
        self._body, self._answer = body, answer

    async def __call__(self, message: Message) -> None:
        if self._answer.has_begun or not self._body.is_too_large:
            await self._answer(message)


def _refused(status: int, why: str) -> PlainTextResponse:
    return PlainTextResponse(why + "\n", status_code=status, headers={"connection": "close"})


def _cookie(headers: Headers, name: str) -> str:
    """Return the value of a cookie; empty if there is none or there are two."""
    pairs = [part.strip().partition("=") for part in headers.get("cookie", "").split(";")]
    found = [value for key, _, value in pairs if key == name]
    return found[0] if len(found) == 1 else ""
