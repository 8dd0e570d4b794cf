"""A campaign in its database: what it is, who may talk to it, and what was sent.

A batch is one row, so it is there whole or not at all. Nothing says who sent it or when, and
rows lie in the order of hashed keys, not in the order they came.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import secrets
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

import numpy as np

from discreet.data.transactions import Transactions
from discreet.database import Form, open_database
from discreet.errors import DataError, ParameterError, did_you_mean
from discreet.randomize.collect.batch import CODES
from discreet.randomize.collect.campaign import Campaign
from discreet.randomize.padded import pad
from discreet.randomize.randomized import Randomized

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence

    from discreet.database import Database, Run, Session
    from discreet.randomize.collect.batch import Batch

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
                f"{database.shown} has a campaign '{campaign.name}' already, and a campaign never "
                "changes. Choose another name, or another database."
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
            f"{database.shown} has several campaigns. Say which by its name: {', '.join(names)}."
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
