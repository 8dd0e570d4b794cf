"""The collect service: publishes a policy, takes randomized transactions, answers with estimates.

It never receives an original: what comes is randomized already. It writes no access log.
"""

from __future__ import annotations

import asyncio
import json
import logging
import math
import os
import threading
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from importlib.resources import files
from typing import TYPE_CHECKING, Annotated

from fastapi import (
    APIRouter,
    Depends,
    FastAPI,
    Header,
    HTTPException,
    Query,
    Request,  # noqa: TC002  FastAPI reads the annotations
    Response,
)
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer
from pydantic import BaseModel, ConfigDict, Field
from starlette.requests import ClientDisconnect
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

import discreet
from discreet.errors import DataError, DiscreetError, LimitError
from discreet.randomize.collect.results import mine_campaign
from discreet.randomize.collect.serve import CAMPAIGN, DATABASE, RateLimit, end_with_parent
from discreet.randomize.collect.store import BatchReader, Outcome, Role, Writer, open_campaign

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from discreet.randomize.collect.store import Batch, CampaignStore


# What the service is sent and answers, as its OpenAPI description states it.


class SentTransaction(BaseModel):
    """One transaction, randomized before it was sent."""

    model_config = ConfigDict(extra="forbid")

    size: int = Field(ge=0, description="Number of items of the original, which is published.")
    items: list[int | str] = Field(
        description="The randomized items, each once, from the list of the policy."
    )


class SentBatch(BaseModel):
    """Transactions that are stored together or not at all."""

    model_config = ConfigDict(extra="forbid")

    transactions: list[SentTransaction] = Field(min_length=1)


class Receipt(BaseModel):
    """The batch is on disk. A repetition of the request gets the same answer."""

    n_transactions: int = Field(description="Transactions of the batch.")


class Law(BaseModel):
    """What becomes of a transaction of one size: some of its items stay, others are inserted."""

    keep: list[str] = Field(
        description="keep[j] is the chance that j of the items stay, an exact fraction."
    )
    rho: str = Field(description="The chance of each other item to be inserted.")


class LimitsOfUse(BaseModel):
    """What the service takes from one client at a time."""

    max_body: int = Field(description="Bytes of a request.")
    max_batch: int = Field(description="Transactions of a request.")
    max_rate: float = Field(description="Requests a second, on average.")
    burst: int = Field(description="Requests at once.")


class Policy(BaseModel):
    """What a client needs to randomize: the operator with its parameters, and all items."""

    version: int
    campaign: str
    operator: dict[str, object]
    items: list[int | str]
    sizes: list[int] = Field(description="True sizes that are taken.")
    padded: bool = Field(description="Whether every transaction is brought to the one size.")
    local_epsilon: dict[str, float | None] = Field(
        description="By true size, among transactions of that size; null where there is no bound."
    )
    laws: dict[str, Law] | None = Field(
        default=None, description="By true size; absent if the operator is not select-a-size."
    )
    limits: LimitsOfUse


class Status(BaseModel):
    """What was collected so far."""

    campaign: str
    n_batches: int
    n_transactions: int
    n_of_size: dict[str, int] = Field(description="Transactions by true size.")


class MinedItemset(BaseModel):
    """An itemset with the estimate of its support among the originals."""

    items: list[int | str]
    support: float = Field(description="Share of the originals, estimated without bias.")
    sigma: float = Field(description="Standard deviation of the estimate.")
    is_discoverable: bool = Field(
        description="Whether the estimate is so many sigmas that it is clearly not 0."
    )


class Mined(BaseModel):
    """Itemsets that are frequent among the originals, by estimates."""

    n_transactions: int
    min_frequency: float
    itemsets: list[MinedItemset]
    stopped: str | None = Field(description="Why larger itemsets were not looked for, if so.")


class Problem(BaseModel):
    """What is wrong, where, and what to do. Nothing was stored."""

    detail: str


def batch_schema() -> dict[str, object]:
    """Return the JSON schema of a batch, whole, as a request is described."""
    schema = SentBatch.model_json_schema()
    del schema["$defs"]
    schema["properties"]["transactions"]["items"] = SentTransaction.model_json_schema()
    return schema


# The page that randomizes in the browser, and what keeps it from talking to anybody else.

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


# What a connection may take before anybody knows who is there: bytes, seconds, places. The web
# server bounds none of them: whoever sends a letter a minute would hold a connection for ever, and
# some hundreds of those would end the service for all others.

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


_LOG = logging.getLogger("uvicorn.error")

_BEARER = HTTPBearer(auto_error=False, description="The token of the campaign.")

_PROBLEMS: dict[int | str, dict[str, object]] = {
    401: {"model": Problem, "description": "The token is missing or wrong."},
    403: {"model": Problem, "description": "The token is for something else."},
    429: {"model": Problem, "description": "Too many requests; see the header Retry-After."},
    503: {"model": Problem, "description": "Busy; send the same request again later."},
}


@dataclass(slots=True)
class Service:
    """What the routes share in one worker process."""

    store: CampaignStore
    reader: BatchReader
    rate: RateLimit
    policy: bytes
    mining: threading.Lock = field(default_factory=threading.Lock)
    writer: Writer | None = None


def make_app(store: CampaignStore) -> FastAPI:
    """Return the service of one campaign, for any ASGI server.

    Parameters
    ----------
    store : CampaignStore
        From :func:`create_campaign` or :func:`open_campaign`.

    Returns
    -------
    FastAPI
        Each process that runs it has its own writer and its own count of requests.
    """
    limits = store.campaign.limits
    service = Service(
        store=store,
        reader=BatchReader(store.campaign),
        rate=RateLimit(limits.max_rate, limits.burst),
        policy=json.dumps(store.campaign.policy()).encode(),
    )

    @asynccontextmanager
    async def life(_: FastAPI) -> AsyncIterator[None]:
        service.writer = Writer(store)
        end_with_parent()
        yield
        await asyncio.to_thread(service.writer.close)

    app = FastAPI(
        title="discreet collect",  # anybody may read it: it does not name the campaign
        summary="Takes transactions that were randomized by those who sent them.",
        version=discreet.__version__,
        lifespan=life,
        docs_url=None,  # those pages load scripts from elsewhere
        redoc_url=None,
        generate_unique_id_function=lambda route: route.name,
    )
    app.state.service = service
    app.add_middleware(SecurityHeaders)
    app.add_exception_handler(RequestValidationError, _name_the_place)
    app.include_router(routes)
    app.include_router(pages)
    return app


def app_from_environment() -> FastAPI:
    """Return the service that the environment names: how worker processes start."""
    return make_app(open_campaign(os.environ[DATABASE], name=os.environ[CAMPAIGN]))


async def _name_the_place(_: Request, error: Exception) -> JSONResponse:
    """Answer a malformed question in one sentence, as everything else is answered."""
    assert isinstance(error, RequestValidationError)
    first = error.errors()[0]
    return JSONResponse({"detail": f"{first['loc'][-1]}: {first['msg']}."}, 422)


def _service(request: Request) -> Service:
    service: Service = request.app.state.service
    return service


Credentials = Annotated[HTTPAuthorizationCredentials | None, Depends(_BEARER)]


async def anybody(request: Request, credentials: Credentials) -> None:
    """Take whoever has a token of the campaign."""
    _admit(request, credentials)


async def clients(request: Request, credentials: Credentials) -> None:
    """Take those who send only."""
    if _admit(request, credentials) is not Role.CLIENT:
        raise HTTPException(403, "This token is for mining. Send with the token for clients.")


async def analysts(request: Request, credentials: Credentials) -> None:
    """Take those who mine only."""
    if _admit(request, credentials) is not Role.ANALYST:
        raise HTTPException(403, "This token is for sending. Mine with the token for analysts.")


def _admit(request: Request, credentials: HTTPAuthorizationCredentials | None) -> Role:
    """Return what the token of a request allows; refuse whoever comes too often, or has none."""
    service = _service(request)
    wait = service.rate.wait(request.client.host if request.client else "")
    if wait:
        raise _problem(429, "Too many requests.", retry_after=wait)
    role = service.store.role_of(credentials.credentials) if credentials else None
    if role is None:
        raise HTTPException(
            401,
            "Give the token of the campaign: Authorization: Bearer TOKEN.",
            {"WWW-Authenticate": "Bearer"},
        )
    return role


routes = APIRouter(responses=_PROBLEMS)

_MORE: dict[int | str, dict[str, object]] = {
    409: {"model": Problem, "description": "Another batch was sent under this key."},
    413: {"model": Problem, "description": "The body or the batch is too large."},
    415: {"model": Problem, "description": "The body is not JSON by its type."},
    422: {"model": Problem, "description": "Something is not as the policy says."},
}


@routes.get("/policy", dependencies=[Depends(anybody)], response_model=Policy)
async def policy(request: Request) -> Response:
    """Say how to randomize: the operator, its parameters, all items, the local epsilon."""
    return Response(_service(request).policy, media_type="application/json")


@routes.post(
    "/transactions",
    status_code=201,
    dependencies=[Depends(clients)],
    responses=_MORE,
    openapi_extra={
        "requestBody": {
            "required": True,
            "content": {"application/json": {"schema": batch_schema()}},
        }
    },
)
async def transactions(
    request: Request,
    key: Annotated[
        str,
        Header(
            alias="Idempotency-Key",
            min_length=1,
            max_length=200,
            pattern="^[ -~]+$",
            description="Chosen by the client; this batch, and no other, is sent under it.",
        ),
    ],
) -> Receipt:
    """Store a batch of randomized transactions, all of it or nothing; answer when it is on disk.

    A request may be repeated with the same key and body until it is answered: it counts once.
    """
    service = _service(request)
    if request.headers.get("content-type", "").partition(";")[0].strip() != "application/json":
        raise HTTPException(415, "Send the batch as application/json.")
    body = await _read_body(request, service.store.campaign.limits.max_body)
    try:
        batch = service.reader.read(body, key)
    except LimitError as error:
        raise HTTPException(413, str(error)) from None
    except DataError as error:
        raise HTTPException(422, str(error)) from None
    if await _stored(service, batch) is Outcome.CONFLICT:
        raise HTTPException(409, "Another batch was sent under this Idempotency-Key before.")
    return Receipt(n_transactions=batch.n_transactions)


@routes.get("/status", dependencies=[Depends(analysts)])
def status(request: Request) -> Status:
    """Say how many transactions of each true size were collected."""
    store = _service(request).store
    try:
        n_of_size, n_batches = store.n_of_size(), store.n_batches()
    except DataError as error:
        raise _unusable(error) from error
    return Status(
        campaign=store.campaign.name,
        n_batches=n_batches,
        n_transactions=sum(n_of_size.values()),
        n_of_size={str(size): n for size, n in n_of_size.items()},
    )


@routes.get(
    "/mine",
    dependencies=[Depends(analysts)],
    responses={422: {"model": Problem, "description": "The question cannot be answered."}},
)
def mine(
    request: Request,
    min_frequency: Annotated[float, Query(gt=0, le=1, description="Least share of the originals.")],
    max_size: Annotated[int | None, Query(ge=1, description="Largest itemset; 3 if absent.")] = 3,
) -> Mined:
    """Estimate which itemsets are frequent among the originals, and how surely."""
    service = _service(request)
    if not service.mining.acquire(blocking=False):
        raise _problem(503, "Another question is being answered.", retry_after=5)
    try:
        randomized = service.store.randomized()
    except DataError as error:
        raise _unusable(error) from error
    else:
        try:
            found = mine_campaign(randomized, min_frequency=min_frequency, max_size=max_size)
        except DiscreetError as error:
            raise HTTPException(422, str(error)) from None
    finally:
        service.mining.release()
    return Mined.model_validate(found)


async def _read_body(request: Request, most: int) -> bytes:
    """Return the body; refuse it as soon as it is too long."""
    too_large = HTTPException(413, f"The body is longer than {most} bytes. Send smaller batches.")
    announced = request.headers.get("content-length", "0")
    if (
        announced.isascii()
        and announced.isdigit()
        and (len(announced) > 15 or int(announced) > most)
    ):
        raise too_large
    body = bytearray()
    try:
        async for chunk in request.stream():
            body += chunk
            if len(body) > most:
                raise too_large
    except ClientDisconnect:
        raise HTTPException(400, "The connection ended before the body did.") from None
    return bytes(body)


async def _stored(service: Service, batch: Batch) -> Outcome:
    """Wait until a batch is on disk; return what became of it."""
    if service.writer is None:
        raise _problem(503, "The server is starting.", retry_after=1)
    try:
        return await asyncio.wrap_future(service.writer.submit(batch))
    except LimitError as error:
        raise _problem(503, str(error), retry_after=1) from None
    except DataError as error:
        raise _unusable(error) from error


def _unusable(error: DataError) -> HTTPException:
    """Return the answer where the database fails; the log says why."""
    _LOG.error("%s", error)
    return _problem(503, "The database cannot be used at the moment.", retry_after=1)


def _problem(code: int, detail: str, *, retry_after: float) -> HTTPException:
    """Return an answer that asks to come again later."""
    seconds = max(1, math.ceil(retry_after))
    return HTTPException(code, f"{detail} Try again in {seconds} s.", {"Retry-After": str(seconds)})
