"""HTTP to the collect service: a token, a few tries, no redirection."""

from __future__ import annotations

import http.client
import json
import secrets
import time
import urllib.request
from typing import TYPE_CHECKING
from urllib.error import HTTPError
from urllib.parse import urlsplit

from discreet.errors import ParameterError, ServiceError

if TYPE_CHECKING:
    from email.message import Message
    from typing import IO

_LATER = {429, 500, 502, 503, 504}
_HERE = {"localhost", "127.0.0.1", "::1"}
_MAX_ANSWER = 1 << 28
_MAX_WAIT = 60.0


class Connection:
    """Asks one service; every question is asked again if it gets no answer.

    Parameters
    ----------
    url, token : str
        Where it is, and the secret that is sent along.
    n_tries : int
        How often to ask.
    timeout : float
        Seconds to wait for one answer.
    allow_http : bool
        Whether plain HTTP to other machines is allowed.
    """

    __slots__ = ("_n_tries", "_opener", "_timeout", "_token", "_url")

    def __init__(
        self, url: str, token: str, *, n_tries: int, timeout: float, allow_http: bool
    ) -> None:
        parts = urlsplit(url)
        if parts.scheme not in {"http", "https"} or not parts.hostname:
            raise ParameterError(f"url={url!r} must begin with https://, and name a host.")
        if parts.scheme == "http" and parts.hostname not in _HERE and not allow_http:
            raise ParameterError(
                f"url={url!r} is plain HTTP to another machine: anybody on the way could change "
                "the policy. Use https://, or pass allow_http=True in a network that you trust."
            )
        if not token or not token.isascii() or not token.isprintable():
            raise ParameterError("The token is not one: copy it whole.")
        self._url = url.rstrip("/")
        self._token = token
        self._n_tries = n_tries
        self._timeout = timeout
        self._opener = urllib.request.build_opener(_NoRedirect)

    def get(self, path: str) -> dict[str, object]:
        """Return the answer to a question, or raise ServiceError."""
        return self._ask(urllib.request.Request(self._url + path))  # noqa: S310  http or https

    def post(self, path: str, body: bytes, *, key: str) -> dict[str, object]:
        """Send a body under an idempotency key and return the answer, or raise ServiceError."""
        headers = {"Content-Type": "application/json", "Idempotency-Key": key}
        return self._ask(
            urllib.request.Request(self._url + path, data=body, headers=headers, method="POST")  # noqa: S310  http or https
        )

    def _ask(self, request: urllib.request.Request) -> dict[str, object]:
        # A header that no redirection would carry on, were one followed.
        request.add_unredirected_header("Authorization", f"Bearer {self._token}")
        for n_tried in range(1, self._n_tries + 1):
            wait = min(10.0, 0.1 * 2**n_tried) * (0.5 + secrets.randbelow(1000) / 2000)
            try:
                with self._opener.open(request, timeout=self._timeout) as answer:
                    return _object(answer.read(_MAX_ANSWER))
            except HTTPError as error:
                with error:
                    said = _detail(error)
                problem = f"{self._url} answered {error.code}: {said}"
                if error.code not in _LATER:
                    raise ServiceError(problem) from None
                asked = error.headers.get("Retry-After", "")
                wait = max(wait, min(_MAX_WAIT, float(asked) if asked.isdigit() else 0))
            except (OSError, http.client.HTTPException) as error:
                problem = f"{self._url} did not answer: {error}."
            if n_tried < self._n_tries:
                time.sleep(wait)
        raise ServiceError(f"{problem} Tried {self._n_tries} times.")


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """Refuses to be sent elsewhere, with the token."""

    def redirect_request(  # noqa: PLR0917  as urllib calls it
        self,
        req: urllib.request.Request,
        fp: IO[bytes],
        code: int,
        msg: str,
        headers: Message,
        newurl: str,
    ) -> None:
        """Follow nothing: the answer is then an error."""


def _object(answer: bytes) -> dict[str, object]:
    try:
        found = json.loads(answer)
    except ValueError:
        found = None
    if not isinstance(found, dict):
        raise ServiceError("The answer is not that of a collect service.")
    return found


def _detail(error: HTTPError) -> str:
    """Return what the service said, as one line."""
    try:
        said = json.loads(error.read(1 << 16)).get("detail")
    except (ValueError, AttributeError, OSError, http.client.HTTPException):
        said = None
    return (said if isinstance(said, str) else json.dumps(said or error.reason))[:500]
