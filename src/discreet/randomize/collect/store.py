"""A campaign in its database: what it is, who may talk to it, and what was sent.

A batch is one row, so it is there whole or not at all. Nothing says who sent it or when, and
rows lie in the order of hashed keys, not in the order they came.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import queue
import secrets
import threading
from collections import Counter
from concurrent.futures import Future
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, TypeAlias, cast

import numpy as np

from discreet.data.transactions import Transactions
from discreet.database import Form, open_database
from discreet.errors import DataError, LimitError, ParameterError, did_you_mean
from discreet.randomize.collect.campaign import Campaign
from discreet.randomize.operators import Uniform
from discreet.randomize.operators.base import Randomized
from discreet.randomize.padded import pad

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping, Sequence

    from discreet.database import Database, Run, Session


VERSION = 1

FORM = Form(
    noun="campaign",
    version=VERSION,
    version_table="discreet_collect",
    tables=("discreet_collect", "discreet_campaigns", "discreet_batches", "discreet_sizes"),
    schema=(
        """CREATE TABLE discreet_campaigns (
            name TEXT NOT NULL PRIMARY KEY, record TEXT NOT NULL,
            client_token TEXT NOT NULL, analyst_token TEXT NOT NULL)""",
        """CREATE TABLE discreet_batches (
            campaign TEXT NOT NULL, key TEXT NOT NULL, body TEXT NOT NULL,
            sizes BLOB NOT NULL, lengths BLOB NOT NULL, items BLOB NOT NULL,
            PRIMARY KEY (campaign, key)) WITHOUT ROWID""",
        """CREATE TABLE discreet_sizes (
            campaign TEXT NOT NULL, size INTEGER NOT NULL, n_transactions BIGINT NOT NULL,
            PRIMARY KEY (campaign, size))""",
        "CREATE TABLE discreet_collect (version INTEGER NOT NULL)",
        f"INSERT INTO discreet_collect (version) VALUES ({VERSION})",  # noqa: S608  a number
    ),
)


class Role(StrEnum):
    """Who may do what: clients send, analysts mine."""

    CLIENT = "client"
    ANALYST = "analyst"


class Outcome(StrEnum):
    """What became of a batch."""

    STORED = "stored"
    REPEATED = "repeated"
    CONFLICT = "conflict"


@dataclass(frozen=True, slots=True, kw_only=True)
class Tokens:
    """The secrets of a campaign; only their hashes are stored, so they are shown once.

    Attributes
    ----------
    client : str
        For those who send: the policy and uploads.
    analyst : str
        For those who mine: also counts and estimates.
    """

    client: str = field(repr=False)
    analyst: str = field(repr=False)

    def hashes(self) -> tuple[str, str]:
        """Return what is stored of them."""
        return _hash(self.client), _hash(self.analyst)


@dataclass(frozen=True, slots=True)
class CampaignStore:
    """A campaign and its batches; made by :func:`open_campaign` or :func:`create_campaign`."""

    campaign: Campaign
    _database: Database
    _token_hashes: tuple[str, str]

    @property
    def shown(self) -> str:
        """Where it is, without secrets."""
        return self._database.shown

    def session(self) -> Session:
        """Return a connection to keep, for :meth:`add`."""
        return self._database.session()

    def role_of(self, token: str) -> Role | None:
        """Return what a token allows, or None; takes the same time for any wrong token."""
        given = _hash(token)
        found = [hmac.compare_digest(given, each) for each in self._token_hashes]
        return Role.CLIENT if found[0] else Role.ANALYST if found[1] else None

    def add(self, session: Session, batches: Sequence[Batch]) -> list[Outcome]:
        """Store batches in one transaction; all of it is on disk when this returns.

        A batch whose key is known is not stored again: it is repeated if its body is the same,
        and a conflict otherwise.
        """
        name, outcomes, n_of_size = self.campaign.name, list[Outcome](), dict[int, int]()
        with session.writing(name) as run:
            for batch in batches:
                outcome = self._add_one(run, batch)
                outcomes.append(outcome)
                if outcome is Outcome.STORED:
                    for size, n in batch.n_of_size.items():
                        n_of_size[size] = n_of_size.get(size, 0) + n
            for size, n in n_of_size.items():
                run(
                    "INSERT INTO discreet_sizes (campaign, size, n_transactions) VALUES (?, ?, ?) "
                    "ON CONFLICT (campaign, size) DO UPDATE SET "
                    "n_transactions = discreet_sizes.n_transactions + excluded.n_transactions",
                    (name, size, n),
                )
        return outcomes

    def _add_one(self, run: Run, batch: Batch) -> Outcome:
        known = run(
            "SELECT body FROM discreet_batches WHERE campaign = ? AND key = ?",
            (self.campaign.name, batch.key),
        )
        if known:
            return Outcome.REPEATED if known[0][0] == batch.body else Outcome.CONFLICT
        run(
            "INSERT INTO discreet_batches (campaign, key, body, sizes, lengths, items) "
            "VALUES (?, ?, ?, ?, ?, ?)",
            (self.campaign.name, batch.key, batch.body, batch.sizes, batch.lengths, batch.items),
        )
        return Outcome.STORED

    def n_of_size(self) -> dict[int, int]:
        """Return the number of transactions of each true size, sizes ascending."""
        with self._database.reading() as run:
            rows = run(
                "SELECT size, n_transactions FROM discreet_sizes WHERE campaign = ? ORDER BY size",
                (self.campaign.name,),
            )
        return {int(size): int(n) for size, n in rows}

    def n_batches(self) -> int:
        """Return the number of batches."""
        with self._database.reading() as run:
            rows = run(
                "SELECT count(*) FROM discreet_batches WHERE campaign = ?", (self.campaign.name,)
            )
        return int(rows[0][0])

    def randomized(self) -> Randomized:
        """Return all that was sent, in the order of hashed keys."""
        with self._database.reading() as run:
            rows = run(
                "SELECT sizes, lengths, items FROM discreet_batches WHERE campaign = ? "
                "ORDER BY key",
                (self.campaign.name,),
            )
        sizes, lengths, items = (
            np.frombuffer(b"".join(bytes(row[column]) for row in rows), CODES)
            for column in range(3)
        )
        campaign = self.campaign
        labels = campaign.items
        if campaign.padded:  # null items were drawn too, though none was sent
            none = Transactions.from_csr([0], [], labels)
            labels = pad(none, size=campaign.dummies).transactions.labels
        offsets = np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)])
        return Randomized(
            transactions=Transactions.from_csr(offsets, items, labels),
            sizes=sizes.astype(np.int32),
            operator=campaign.operator,
            experimental=False,
            dummies=campaign.dummies,
        )

    def renew_tokens(self) -> tuple[CampaignStore, Tokens]:
        """Replace both tokens and return the campaign with them; the old ones end.

        A server that runs knows the old ones until it is started again.
        """
        tokens = _new_tokens()
        with self._database.writing(self.campaign.name) as run:
            run(
                "UPDATE discreet_campaigns SET client_token = ?, analyst_token = ? WHERE name = ?",
                (*tokens.hashes(), self.campaign.name),
            )
        return CampaignStore(self.campaign, self._database, tokens.hashes()), tokens


def create_store(
    url_or_path: str | os.PathLike[str], campaign: Campaign
) -> tuple[CampaignStore, Tokens]:
    """Store a new campaign, or raise ParameterError if there is one of its name."""
    database = open_database(url_or_path, FORM)
    tokens = _new_tokens()
    with database.writing(campaign.name) as run:
        if run("SELECT 1 FROM discreet_campaigns WHERE name = ?", (campaign.name,)):
            raise ParameterError(
                f"{database.shown} has a campaign '{campaign.name}' already, and a campaign "
                "never changes.",
                parameter="name",
                remedy="Choose another name, or another database.",
            )
        run(
            "INSERT INTO discreet_campaigns (name, record, client_token, analyst_token) "
            "VALUES (?, ?, ?, ?)",
            (campaign.name, json.dumps(campaign.to_dict(), sort_keys=True), *tokens.hashes()),
        )
    return CampaignStore(campaign, database, tokens.hashes()), tokens


def open_campaign(url_or_path: str | os.PathLike[str], *, name: str | None = None) -> CampaignStore:
    """Return a campaign that was created before.

    Parameters
    ----------
    url_or_path : str or path
        The path of an SQLite file, or ``postgresql://user@host/database``.
    name : str, optional
        Which campaign; not needed where there is only one.

    Returns
    -------
    CampaignStore
        The campaign and what was sent.

    Raises
    ------
    DataError
        If there is no database, or no such campaign in it.
    ParameterError
        If there are several and none is named.
    """
    database = open_database(url_or_path, FORM, create=False)
    with database.reading() as run:
        rows = run("SELECT name, record, client_token, analyst_token FROM discreet_campaigns")
    names = sorted(row[0] for row in rows)
    if not names:
        raise DataError(f"There is no campaign in {database.shown}.")
    if name is None and len(names) > 1:
        raise ParameterError(
            f"{database.shown} has several campaigns.",
            parameter="name",
            remedy=f"Say which by its name: {', '.join(names)}.",
        )
    found = [row for row in rows if name in {None, row[0]}]
    if not found:
        raise DataError(
            f"There is no campaign '{name}' in {database.shown}. {did_you_mean(str(name), names)}"
        )
    _, record, client, analyst = found[0]
    return CampaignStore(Campaign.from_dict(json.loads(record)), database, (client, analyst))


def _new_tokens() -> Tokens:
    """Return two secrets of 256 bits."""
    return Tokens(client=secrets.token_urlsafe(32), analyst=secrets.token_urlsafe(32))


def _hash(token: str) -> str:
    """Return what is stored of a token; it is too long to be guessed, so one round is enough."""
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


# A batch of randomized transactions: read from a request, refused as a whole or taken whole.

CODES = np.dtype("<i4")  # how sizes and items are stored

_MAX_SHOWN = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """Transactions that are stored together.

    Attributes
    ----------
    key : str
        Hash of the idempotency key: the key itself is not kept.
    body : str
        Hash of the request, to distinguish a repetition from another request under the same key.
    sizes, lengths : bytes
        True size and number of randomized items of each transaction, as ``CODES``.
    items : bytes
        The randomized items one after another, as ``CODES``: places in the list of items,
        ascending in each transaction, so that the order a client sent them in is not kept.
    n_of_size : mapping
        Number of transactions by true size.
    """

    key: str
    body: str
    sizes: bytes
    lengths: bytes
    items: bytes
    n_of_size: Mapping[int, int]

    @property
    def n_transactions(self) -> int:
        """Number of transactions."""
        return sum(self.n_of_size.values())


class BatchReader:
    """Reads the requests of one campaign.

    Parameters
    ----------
    campaign : Campaign
        Its items, sizes and limits are what is taken.
    """

    __slots__ = ("_campaign", "_code_of", "_keeps_size", "_sizes")

    def __init__(self, campaign: Campaign) -> None:
        self._campaign = campaign
        self._sizes = frozenset(campaign.sizes)
        # A label of JSON is text or a whole number: True and 1.0, which equal 1, are not labels.
        self._code_of = dict(zip(campaign.items, range(len(campaign.items)), strict=True))
        self._keeps_size = isinstance(campaign.operator, Uniform) and not campaign.padded

    def read(self, body: bytes, key: str) -> Batch:
        """Return the batch in a request, or raise DataError that names the place.

        Parameters
        ----------
        body : bytes
            JSON: ``{"transactions": [{"size": 2, "items": ["tea", "milk"]}, ...]}``.
        key : str
            The idempotency key: 1 to 200 printable ASCII characters.

        Returns
        -------
        Batch
            Ready to be stored.

        Raises
        ------
        DataError
            If anything is not as the campaign says.
        LimitError
            If there are too many transactions.
        """
        transactions = self._transactions(body)
        sizes, lengths, items = list[int](), list[int](), list[int]()
        for place, given in enumerate(transactions):
            size, codes = self._transaction(given, f"transactions[{place}]")
            sizes.append(size)
            lengths.append(len(codes))
            items += codes
        return Batch(
            key=hashlib.sha256(key.encode()).hexdigest(),
            body=hashlib.sha256(body).hexdigest(),
            sizes=np.array(sizes, CODES).tobytes(),
            lengths=np.array(lengths, CODES).tobytes(),
            items=np.array(items, CODES).tobytes(),
            n_of_size=Counter(sizes),
        )

    def _transactions(self, body: bytes) -> list[object]:
        """Return the list in the body."""
        try:
            given = json.loads(body.decode("utf-8"))
        except UnicodeDecodeError:
            raise DataError("The body is not text in UTF-8.") from None
        except json.JSONDecodeError as error:
            raise DataError(
                f"The body is not JSON: {error.msg} at line {error.lineno}, column {error.colno}."
            ) from None
        except (ValueError, RecursionError):  # numbers of thousands of digits, endless brackets
            raise DataError("The body is not JSON of the form that is taken.") from None
        _check_fields(given, {"transactions"}, "The body")
        transactions = cast("dict[str, object]", given)["transactions"]
        if not isinstance(transactions, list) or not transactions:
            raise DataError("transactions is a list of at least one transaction.")
        most = self._campaign.limits.max_batch
        if len(transactions) > most:
            raise LimitError(
                f"The batch has {len(transactions)} transactions; at most {most} are taken "
                "at a time. Send several batches."
            )
        return transactions

    def _transaction(self, given: object, where: str) -> tuple[int, list[int]]:
        """Return the true size and the codes of one transaction."""
        _check_fields(given, {"size", "items"}, where)
        fields = cast("dict[str, object]", given)
        size, items = fields["size"], fields["items"]
        if type(size) is not int or size not in self._sizes:
            shown = ", ".join(map(str, self._campaign.sizes[:12]))
            raise DataError(
                f"{where}.size is {_shown(size)}; the campaign takes the sizes {shown}"
                f"{', ...' if len(self._campaign.sizes) > 12 else ''}."
            )
        if not isinstance(items, list):
            raise DataError(f"{where}.items is not a list of items.")
        if self._keeps_size and len(items) != size:
            raise DataError(
                f"{where}.items has {len(items)} items; operator "
                f"{self._campaign.operator.kind!r} leaves the size as it is, {size}."
            )
        return size, self._codes(items, f"{where}.items")

    def _codes(self, items: list[object], where: str) -> list[int]:
        """Return the codes of items, ascending."""
        codes = []
        for place, item in enumerate(items):
            code = self._code_of.get(item) if type(item) in (str, int) else None
            if code is None:
                raise DataError(
                    f"{where}[{place}] is {_shown(item)}, which is not in the list of items."
                )
            codes.append(code)
        distinct = sorted(set(codes))
        if len(distinct) < len(codes):
            place = next(at for at, code in enumerate(codes) if code in codes[:at])
            raise DataError(
                f"{where}[{place}] is {_shown(items[place])}, which stands there twice."
            )
        return distinct


def _check_fields(given: object, names: set[str], where: str) -> None:
    """Raise DataError unless this is an object with these fields and no others."""
    wanted = " and ".join(f"'{name}'" for name in sorted(names, reverse=True))
    if not isinstance(given, dict):
        raise DataError(f"{where} is not an object with {wanted}.")
    if set(given) != names:
        wrong = min(set(given) ^ names)
        fault = "lacks" if wrong in names else "must not have"
        raise DataError(f"{where} {fault} the field {_shown(wrong)}; it has {wanted}.")


def _shown(value: object) -> str:
    """Return a value as JSON, shortened."""
    text = json.dumps(value, ensure_ascii=True)
    return text if len(text) <= _MAX_SHOWN else f"{text[:_MAX_SHOWN]}..."


# The one thread of a worker process that stores batches, many in one commit.
#
# A commit waits for the disk. While it does, more requests come; they are stored together by the
# next one. A request is answered when its commit is on disk, never before.

if TYPE_CHECKING:
    Waiting: TypeAlias = "tuple[Batch, Future[Outcome]]"


MAX_WAITING = 1000  # requests; with more, clients are asked to come later

MAX_TOGETHER = 200  # batches of one commit


class Writer:
    """Stores what is submitted; close it to store what is left.

    Parameters
    ----------
    store : CampaignStore
        Where to.
    """

    __slots__ = ("_queue", "_store", "_thread")

    def __init__(self, store: CampaignStore) -> None:
        self._store = store
        self._queue: queue.Queue[Waiting | None] = queue.Queue(MAX_WAITING)
        self._thread = threading.Thread(target=self._work, name="discreet-writer", daemon=True)
        self._thread.start()

    def submit(self, batch: Batch) -> Future[Outcome]:
        """Return what will become of a batch, or raise LimitError if too many wait."""
        busy = LimitError("The server is busy. Send the same request again later.")
        if not self._thread.is_alive():
            raise busy
        future: Future[Outcome] = Future()
        try:
            self._queue.put_nowait((batch, future))
        except queue.Full:
            raise busy from None
        return future

    def close(self) -> None:
        """Store what was submitted, and end."""
        self._queue.put(None)
        self._thread.join()

    def _work(self) -> None:
        session = self._store.session()
        last = False
        while not last:
            group, last = self._next_group()
            try:
                outcomes = self._store.add(session, [batch for batch, _ in group]) if group else []
            except Exception as error:  # noqa: BLE001  each of those who wait gets it
                for _, future in group:
                    future.set_exception(error)
            else:
                for (_, future), outcome in zip(group, outcomes, strict=True):
                    future.set_result(outcome)
        session.close()

    def _next_group(self) -> tuple[list[Waiting], bool]:
        """Wait for a batch; return it with all that wait too, and whether this is the end."""
        group: list[Waiting] = []
        entry = self._queue.get()
        while entry is not None:
            if entry[1].set_running_or_notify_cancel():  # whoever waited may have gone
                group.append(entry)
            if len(group) >= MAX_TOGETHER:
                break
            try:
                entry = self._queue.get_nowait()
            except queue.Empty:
                break
        return group, entry is None
