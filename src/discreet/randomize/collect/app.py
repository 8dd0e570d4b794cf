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
from starlette.requests import ClientDisconnect

import discreet
from discreet.errors import DataError, DiscreetError, LimitError
from discreet.randomize.collect.batch import BatchReader
from discreet.randomize.collect.messages import (
    Mined,
    Policy,
    Problem,
    Receipt,
    Status,
    batch_schema,
)
from discreet.randomize.collect.mining import mine_campaign
from discreet.randomize.collect.page import SecurityHeaders, pages
from discreet.randomize.collect.parent import end_with_parent
from discreet.randomize.collect.rate import RateLimit
from discreet.randomize.collect.serve import CAMPAIGN, DATABASE
from discreet.randomize.collect.store import Outcome, Role, open_campaign
from discreet.randomize.collect.writer import Writer

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from discreet.randomize.collect.batch import Batch
    from discreet.randomize.collect.store import CampaignStore

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
        title=f"discreet collect: {store.campaign.name}",
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
    if announced.isdigit() and int(announced) > most:
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
