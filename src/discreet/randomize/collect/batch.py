"""A batch of randomized transactions: read from a request, refused as a whole or taken whole."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

import numpy as np

from discreet.errors import DataError, LimitError
from discreet.randomize.operators import Uniform

if TYPE_CHECKING:
    from collections.abc import Mapping

    from discreet.randomize.collect.campaign import Campaign

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
        Hash of the request, to tell a repetition from another request under the same key.
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
