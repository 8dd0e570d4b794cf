"""The client of the collect service: randomizes here, and sends only the result."""

from __future__ import annotations

import hashlib
import http.client
import json
import math
import secrets
import time
import urllib.request
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.error import HTTPError
from urllib.parse import urlencode, urlsplit

import numpy as np

from discreet import checks
from discreet.data.transactions import Transactions
from discreet.errors import DataError, GuaranteeError, ParameterError, ServiceError, did_you_mean
from discreet.randomize.collect.campaign import Campaign
from discreet.randomize.padded import randomize_padded

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Iterator, Sequence
    from email.message import Message
    from typing import IO

    from discreet.data.item_sets import Label
    from discreet.randomize.operators.base import Randomized


@dataclass(frozen=True, slots=True)
class Upload:
    """A request that is ready to be sent: randomized, and under a key of its own."""

    key: str
    body: bytes
    n_transactions: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Sent:
    """What the server has acknowledged, and keeps."""

    n_transactions: int
    n_batches: int


class UploadError(ServiceError):
    """Some uploads were not acknowledged.

    Attributes
    ----------
    unsent : tuple of Upload
        What is left: give it to :meth:`Client.upload` again. Randomizing and sending the same
        originals anew would disclose more about them than was promised.
    """

    def __init__(self, message: str, unsent: tuple[Upload, ...]) -> None:
        super().__init__(message)
        self.unsent = unsent


class Client:
    """Sends transactions to a collect service, randomized before they leave this process.

    Parameters
    ----------
    url : str
        Where the service is, as in ``https://collect.example.org``. Plain ``http://`` is for this
        machine only: whoever can change the policy on its way decides how much is disclosed.
    token : str
        The campaign's token for clients; the one for analysts to mine.
    max_epsilon : float, optional
        The largest local epsilon that is accepted; a policy that protects less is refused
        before anything is sent. By default any that is finite.
    batch_size : int
        Most transactions of one request, at least 1.
    n_tries : int
        How often a request is tried, at least 1. It counts once however often it arrives.
    timeout : float
        Seconds to wait for one answer.
    allow_http : bool
        Whether plain HTTP to other machines is allowed.
    count_file : path, optional
        For the client of one person: a file of its own that keeps count of their reports, so that
        it is known what all of them cost together; see :attr:`n_reports`, :attr:`spent_epsilon`.
    max_reports : int, optional
        With a file: the most reports that this person sends to the campaign, at least 1; more are
        refused before anything is randomized.

    Notes
    -----
    **Guarantee.** That of the campaign's operator, applied once to each transaction with
    randomness of the operating system. Retries repeat the same randomized bytes. Not protected:
    that something was sent, from where and when; which transactions came in one batch; and an
    original that is sent twice: that of n reports of one person is n times epsilon.

    Examples
    --------
    >>> client = Client("http://127.0.0.1:8400", "the token", max_epsilon=7)
    >>> client.send([["tea", "milk"], ["cake"]])  # doctest: +SKIP
    Sent(n_transactions=2, n_batches=1)
    """

    def __init__(
        self,
        url: str,
        token: str,
        *,
        max_epsilon: float | None = None,
        batch_size: int = 100,
        n_tries: int = 8,
        timeout: float = 30.0,
        allow_http: bool = False,
        count_file: str | os.PathLike[str] | None = None,
        max_reports: int | None = None,
    ) -> None:
        if max_reports is not None:
            checks.whole("max_reports", max_reports, at_least=1)
            if count_file is None:
                raise ParameterError(
                    "{max_reports} needs a file that keeps count.",
                    parameter="max_reports",
                    remedy="Name it by {count_file}.",
                    options={"max_reports": max_reports, "count_file": ...},
                )
        self._counted = None if count_file is None else ReportCount(Path(count_file))
        self._max_reports = max_reports
        if max_epsilon is not None and max_epsilon != math.inf:  # that allows everything
            max_epsilon = float(checks.exact("max_epsilon", max_epsilon, above=0))
        self._connection = Connection(
            url,
            token,
            n_tries=checks.whole("n_tries", n_tries, at_least=1),
            timeout=float(checks.exact("timeout", timeout, above=0)),
            allow_http=allow_http,
        )
        self._max_epsilon = max_epsilon
        self._batch_size = checks.whole("batch_size", batch_size, at_least=1)

    @cached_property
    def campaign(self) -> Campaign:
        """The policy of the service, asked for once."""
        return Campaign.from_dict(self._connection.get("/policy"))

    def send(self, transactions: Transactions | Iterable[Iterable[Label]]) -> Sent:
        """Randomize transactions, send the result, and return what was acknowledged.

        Parameters
        ----------
        transactions : Transactions or iterable of iterables of labels
            The originals; they do not leave this process.

        Returns
        -------
        Sent
            All of them, on the server's disk.

        Raises
        ------
        DataError
            If a transaction has an item or a size that the campaign does not take; nothing was
            sent.
        GuaranteeError
            If the policy protects less than ``max_epsilon``; nothing was sent.
        UploadError
            If the server could not be reached or refused; it has what is left to send.
        """
        return self.upload(self.prepare(transactions))

    def prepare(self, transactions: Transactions | Iterable[Iterable[Label]]) -> tuple[Upload, ...]:
        """Return the requests that would send transactions, randomized, without sending them.

        They can be kept and sent later by :meth:`upload`, as often as it takes.
        """
        originals = self._encode(transactions)
        self._check_epsilon(originals)
        self._count(len(originals))
        operator = self.campaign.operator
        if self.campaign.padded:
            size = self.campaign.sizes[0]
            return tuple(self._requests(randomize_padded(operator, originals, size=size)))
        return tuple(self._requests(operator.randomize(originals)))

    def upload(self, uploads: Sequence[Upload]) -> Sent:
        """Send requests that :meth:`prepare` made; each counts once however often it is sent."""
        for done, upload in enumerate(uploads):
            try:
                self._connection.post("/transactions", upload.body, key=upload.key)
            except ServiceError as error:
                raise UploadError(
                    f"{error} {done} of {len(uploads)} batches were taken; send the others with "
                    "upload(error.unsent).",
                    tuple(uploads[done:]),
                ) from error
        return Sent(
            n_transactions=sum(upload.n_transactions for upload in uploads),
            n_batches=len(uploads),
        )

    @property
    def n_reports(self) -> int:
        """How many reports of this person were randomized for the campaign, by the file's count."""
        if self._counted is None:
            raise ParameterError(
                "This client keeps no count of reports.",
                parameter="count_file",
                remedy="Make it with {count_file}, a file of one person.",
                options={"count_file": ...},
            )
        return self._counted.read(self._campaign_mark)

    @property
    def spent_epsilon(self) -> float:
        """What all reports of this person cost together: their number times the largest epsilon."""
        n = self.n_reports
        return n * max(self.campaign.local_epsilons().values()) if n else 0.0

    @property
    def _campaign_mark(self) -> str:
        """What the campaign is known by: its policy, so that another of its name is another."""
        stated = self.campaign.to_dict()
        del stated["limits"]  # of requests, which can change
        policy = json.dumps(stated, sort_keys=True)
        return hashlib.sha256(policy.encode()).hexdigest()

    def _count(self, n: int) -> None:
        """Count reports before they are randomized: what is never sent is counted all the same."""
        if self._counted is None:
            return
        before = self.n_reports
        if self._max_reports is not None and before + n > self._max_reports:
            raise GuaranteeError(
                f"{before} reports were made for this campaign, and {n} more would be over "
                f"{self._max_reports}: together they would disclose more than was agreed. "
                "Nothing was sent."
            )
        self._counted.write(self._campaign_mark, before + n)

    def status(self) -> dict[str, object]:
        """Return how many transactions of each size were collected; for analysts."""
        return self._connection.get("/status")

    def mine(self, *, min_frequency: float, max_size: int = 3) -> dict[str, object]:
        """Return the frequent itemsets with estimates and sigmas; for analysts."""
        share = checks.exact("min_frequency", min_frequency, above=0, at_most=1)
        size = checks.whole("max_size", max_size, at_least=1)
        asked = urlencode({"min_frequency": float(share), "max_size": size})
        return self._connection.get(f"/mine?{asked}")

    def _encode(self, transactions: Transactions | Iterable[Iterable[Label]]) -> Transactions:
        """Return the transactions with the campaign's items as labels."""
        if not isinstance(transactions, Transactions):
            transactions = Transactions.from_iterable(transactions)
        code_of = {label: code for code, label in enumerate(self.campaign.items)}
        codes = np.array([code_of.get(label, -1) for label in transactions.labels], np.int64)
        items = codes[transactions.items]
        if items.size and items.min() < 0:
            place = int(np.argmin(items))
            label = transactions.labels[transactions.items[place]]
            row = int(np.searchsorted(transactions.offsets, place, side="right")) - 1
            raise DataError(
                f"Transaction {row} has the item {label!r}, which the campaign does not ask for. "
                f"{did_you_mean(str(label), map(str, self.campaign.items))}"
            )
        return Transactions.from_csr(transactions.offsets, items, self.campaign.items)

    def _check_epsilon(self, originals: Transactions) -> None:
        """Raise unless every size is taken, and protected as much as is asked for."""
        campaign = self.campaign
        sizes = set(campaign.sizes) if campaign.padded else set(originals.sizes.tolist())
        wrong = sizes - set(campaign.sizes)
        if wrong:
            row = int(np.flatnonzero(np.isin(originals.sizes, list(wrong)))[0])
            raise DataError(
                f"Transaction {row} has {originals.sizes[row]} items; the campaign takes the sizes "
                f"{', '.join(map(str, campaign.sizes))}. Leave it out."
            )
        limit = self._max_epsilon
        for size, epsilon in campaign.local_epsilons().items():
            if size in sizes and (math.isinf(epsilon) if limit is None else epsilon > limit):
                raise GuaranteeError(
                    f"The campaign's operator has local epsilon {epsilon:.4g} for transactions of "
                    f"{size} items, more than the {limit or 'finite one'} that is accepted. "
                    "Nothing was sent; accept it by max_epsilon, or ask for another policy."
                )

    def _requests(self, randomized: Randomized) -> Iterator[Upload]:
        """Yield the requests, each within the limits of the campaign."""
        limits = self.campaign.limits
        n_real = len(self.campaign.items)
        labels = [json.dumps(label) for label in self.campaign.items]
        sets = randomized.transactions
        most = min(self._batch_size, limits.max_batch)
        texts, length = list[str](), 0
        for row, size in enumerate(randomized.sizes.tolist()):
            codes = sets.items[sets.offsets[row] : sets.offsets[row + 1]].tolist()
            # Null items stand for nothing, so they stay here; to drop them discloses nothing more.
            shown = ", ".join(labels[code] for code in codes if code < n_real)
            text = f'{{"size": {size}, "items": [{shown}]}}'
            if texts and (len(texts) == most or length + len(text) + 30 > limits.max_body):
                yield _upload(texts)
                texts, length = [], 0
            texts.append(text)
            length += len(text) + 2
        if texts:
            yield _upload(texts)


@dataclass(frozen=True, slots=True)
class ReportCount:
    """How many reports of one person were made for each campaign, in a file of theirs.

    The file holds numbers only: nothing of what was reported.
    """

    path: Path

    def read(self, campaign: str) -> int:
        """Return the number for a campaign; 0 if it is not in the file."""
        return self._all().get(campaign, 0)

    def write(self, campaign: str, n: int) -> None:
        """Write the number for a campaign, wholly or not at all."""
        counts = {**self._all(), campaign: n}
        new = self.path.with_name(f"{self.path.name}.{secrets.token_hex(4)}.part")
        try:
            new.write_text(json.dumps(counts, indent=2) + "\n", "utf-8")
            new.replace(self.path)
        except OSError as error:
            raise self._error(f"cannot be written: {error.strerror}") from None
        finally:
            new.unlink(missing_ok=True)

    def _all(self) -> dict[str, int]:
        try:
            counts = json.loads(self.path.read_text("utf-8"))
        except FileNotFoundError:
            return {}
        except OSError as error:
            raise self._error(f"cannot be read: {error.strerror}") from None
        except ValueError:
            counts = None
        if not isinstance(counts, dict) or any(type(n) is not int for n in counts.values()):
            # Beginning anew at 0 would forget what was disclosed.
            raise self._error("is not a count of reports")
        return counts

    def _error(self, what: str) -> ParameterError:
        return ParameterError(
            f"{self.path} {what}.",
            parameter="count_file",
            remedy="Give the file that this client wrote, or a new place.",
        )


def _upload(texts: list[str]) -> Upload:
    """Return a request under a new key."""
    body = f'{{"transactions": [{", ".join(texts)}]}}'
    return Upload(key=secrets.token_hex(16), body=body.encode(), n_transactions=len(texts))


# HTTP to the collect service: a token, a few tries, no redirection.

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
            raise ParameterError(
                "{url} must begin with https://, and name a host.",
                parameter="url",
                options={"url": url},
            )
        if parts.scheme == "http" and parts.hostname not in _HERE and not allow_http:
            raise ParameterError(
                "{url} is plain HTTP to another machine: anybody on the way could change the "
                "policy.",
                parameter="url",
                remedy="Use https://, or pass {allow_http} in a network that you trust.",
                options={"url": url, "allow_http": True},
            )
        if not token or not token.isascii() or not token.isprintable():
            raise ParameterError("The token is not one: copy it whole.", parameter="token")
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
