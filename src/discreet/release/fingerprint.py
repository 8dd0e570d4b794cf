"""Which input a release was made from, without letting anybody test guesses of that input.

A plain hash of a table would confirm a right guess of its last unknown cell. The fingerprint is
keyed: a message authentication code under 256 random bits that stay with the curator, in a key
file or a ledger, and are never part of a release.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import re
import secrets
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from discreet.data.transactions import Transactions
from discreet.errors import DataError, ParameterError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from discreet.data.column import Label
    from discreet.data.table import Table

_KEY_BYTES = 32
_FORMAT, _SETS = b"discreet table 1", b"discreet transactions 1"
_HEX_KEY = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class FingerprintKey:
    """The curator's secret: 256 random bits. Whoever has it can test guesses of the input.

    Examples
    --------
    >>> key = FingerprintKey.random()
    >>> key
    FingerprintKey(secret=...)
    """

    secret: bytes = field(repr=False)

    def __post_init__(self) -> None:
        """Refuse keys that could be guessed."""
        if len(self.secret) != _KEY_BYTES:
            raise ParameterError(
                f"A fingerprint key is {_KEY_BYTES} random bytes.", parameter="key"
            )

    def __repr__(self) -> str:
        return "FingerprintKey(secret=...)"

    @classmethod
    def random(cls) -> FingerprintKey:
        """Return a new key from the operating system's entropy."""
        return cls(secrets.token_bytes(_KEY_BYTES))

    @property
    def key_id(self) -> str:
        """A name for the key that says nothing about it: half of a hash of 256 random bits."""
        return hashlib.sha256(b"discreet key id" + self.secret).hexdigest()[:32]

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the key to a new file that only its owner can read, and return the path."""
        target = Path(path)
        text = json.dumps({"key_id": self.key_id, "secret": self.secret.hex()}, sort_keys=True)
        try:
            handle = os.open(target, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
        except FileExistsError:
            raise ParameterError(
                f"{target} exists, and a key is never written over.", parameter="path"
            ) from None
        except OSError as error:
            raise DataError(f"{target} cannot be written: {error.strerror}.") from error
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text + "\n")
            file.flush()
            os.fsync(file.fileno())
        return target

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> FingerprintKey:
        """Return the key in a file that :meth:`save` wrote."""
        try:
            values = json.loads(Path(path).read_text(encoding="utf-8"))
            secret, key_id = values["secret"], values["key_id"]
        except OSError as error:
            raise DataError(f"{path} cannot be read: {error.strerror}.") from error
        except (ValueError, KeyError, TypeError):
            raise DataError(f"{path} is not a file of a fingerprint key.") from None
        if not isinstance(secret, str) or not _HEX_KEY.fullmatch(secret):
            raise DataError(f"{path} is not a file of a fingerprint key.")
        key = cls(bytes.fromhex(secret))
        if key.key_id != key_id:
            raise DataError(f"{path} is damaged: its key does not have the id written beside it.")
        return key


@dataclass(frozen=True, slots=True, kw_only=True)
class Fingerprint:
    """The keyed fingerprint of an input: what may be published of it.

    Parameters
    ----------
    mac : str
        HMAC-SHA256 of the table, 64 hexadecimal digits.
    key_id : str
        Which key; the key itself is not published.
    key : FingerprintKey, optional
        The key, where the fingerprint was made; a loaded release does not have it. Keep it with
        ``key.save(path)`` or by recording the release in a ledger.
    digest : bytes, optional
        Without a key, where the fingerprint was made: a ledger knows an input again by it, under
        its own key. It is never written.

    Examples
    --------
    >>> from discreet.data.table import Table
    >>> table = Table.from_frame({"sex": ["f", "m"]})
    >>> taken = Fingerprint.of(table)
    >>> taken.matches(table), sorted(taken.to_dict())
    (True, ['algorithm', 'key_id', 'mac'])
    """

    mac: str
    key_id: str
    key: FingerprintKey | None = field(default=None, repr=False, compare=False)
    digest: bytes | None = field(default=None, repr=False, compare=False)

    @classmethod
    def of(cls, table: Table | Transactions, key: FingerprintKey | None = None) -> Fingerprint:
        """Return the fingerprint of a table or of transactions, by default under a new key.

        Parameters
        ----------
        table : Table or Transactions
            Names, values and the order of rows count; roles and the kind of frame do not.
        key : FingerprintKey, optional
            With one key for several releases everybody sees whether their input was the same;
            with a new one for each, which is the default, only the curator does.

        Returns
        -------
        Fingerprint
            With its key.
        """
        key = FingerprintKey.random() if key is None else key
        code, plain = hmac.new(key.secret, digestmod=hashlib.sha256), hashlib.sha256()
        pieces = _set_pieces(table) if isinstance(table, Transactions) else _pieces(table)
        for piece in pieces:
            # Lengths stand before contents, so that no two tables give the same bytes.
            length = len(piece).to_bytes(8, "big")
            for each in (code, plain):
                each.update(length)
                each.update(piece)
        return cls(mac=code.hexdigest(), key_id=key.key_id, key=key, digest=plain.digest())

    def matches(self, table: Table | Transactions, key: FingerprintKey | None = None) -> bool:
        """Say whether this was the input; needs the key unless the fingerprint holds it."""
        key = key or self.key
        if key is None or key.key_id != self.key_id:
            raise ParameterError(
                f"This fingerprint can be checked with key {self.key_id} only.", parameter="key"
            )
        return hmac.compare_digest(self.mac, Fingerprint.of(table, key).mac)

    def to_dict(self) -> dict[str, object]:
        """Return what is published: never the key."""
        return {"algorithm": "HMAC-SHA256", "key_id": self.key_id, "mac": self.mac}


def _pieces(table: Table) -> Iterator[bytes | memoryview]:
    """Yield the table as bytes; the same for equal cells, however values are ordered inside."""
    yield _FORMAT
    yield f"{table.n_rows} {table.n_columns}".encode()
    for name in table.columns:
        yield name.encode("utf-8", "surrogatepass")
        texts = [_text(value) for value in table.values(name)]
        order = sorted(range(len(texts)), key=texts.__getitem__)
        yield str(len(texts)).encode()
        yield from (texts[place] for place in order)
        rank = np.zeros(max(len(texts), 1), dtype="<u4")
        rank[order] = np.arange(len(texts), dtype="<u4")
        yield rank[table.codes(name)].data.cast("B")


def _set_pieces(transactions: Transactions) -> Iterator[bytes | memoryview]:
    """Yield transactions as bytes; the same for equal sets in the same order."""
    yield _SETS
    yield f"{transactions.n_transactions} {transactions.n_items}".encode()
    yield from (_text(label) for label in transactions.labels)
    yield transactions.offsets.astype("<i8").data.cast("B")
    yield transactions.items.astype("<i4").data.cast("B")


def _text(value: Label) -> bytes:
    """Return a value with its type as bytes.

    Examples
    --------
    >>> _text("1"), _text(1), _text(None)
    (b'str:1', b'int:1', b'NoneType:None')
    """
    shown = value.hex() if isinstance(value, float) else str(value)
    if isinstance(value, timedelta):
        shown = f"{value.days} {value.seconds} {value.microseconds}"
    return f"{type(value).__name__}:{shown}".encode("utf-8", "surrogatepass")
