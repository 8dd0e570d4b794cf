"""The page that randomizes in the browser, and what keeps it from talking to anybody else."""

from __future__ import annotations

from importlib.resources import files
from typing import TYPE_CHECKING

from fastapi import APIRouter, Response

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

_POLICY = (
    b"default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    b"img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_HEADERS = (
    (b"content-security-policy", _POLICY),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cache-control", b"no-store"),
)
_TYPES = {"html": "text/html", "js": "text/javascript", "css": "text/css"}

pages = APIRouter(include_in_schema=False)


class SecurityHeaders:
    """Puts the same headers on every answer: nothing is run, framed, sniffed or kept."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, with the headers."""

        async def send_more(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message["headers"], *_HEADERS]
            await send(message)

        await self.app(scope, receive, send_more)


@pages.get("/")
async def page() -> Response:
    """Return the page; the token stays in the address's fragment, which is never sent."""
    return _file("index.html")


@pages.get("/client.js")
async def client() -> Response:
    """Return what randomizes and sends."""
    return _file("client.js")


@pages.get("/page.js")
async def script() -> Response:
    """Return what shows the items and takes the choice."""
    return _file("page.js")


@pages.get("/style.css")
async def style() -> Response:
    """Return how the page looks."""
    return _file("style.css")


@pages.get("/favicon.ico")
async def icon() -> Response:
    """Return no icon, so that browsers do not complain."""
    return Response(status_code=204)


def _file(name: str) -> Response:
    """Return a file of this package."""
    content = files("discreet.randomize.collect").joinpath("static", name).read_bytes()
    media_type = f"{_TYPES[name.rpartition('.')[2]]}; charset=utf-8"
    return Response(content, media_type=media_type)
