"""How a ledger is kept: a chain of entries, each with the hash of the one before, and the keys.

What was changed or removed inside shows at once; what was cut off at the end, or written anew as a
whole, shows to whoever knows an earlier hash.
"""

from __future__ import annotations

import hashlib
import json
import re
from typing import TYPE_CHECKING, NamedTuple

from discreet.database import Form
from discreet.errors import DataError
from discreet.release.fingerprint import FingerprintKey

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from discreet.database import Run

START = "0" * 64  # the head of a ledger without entries

REMEDY = "Do not release anything before you have restored the ledger from a copy."


class Link(NamedTuple):
    """One row: an entry of the chain."""

    number: int
    kind: str
    source: str
    recorded: str
    content: str
    previous: str
    hash: str


LOCK = "chain"  # one chain, one writer: entries of all sources follow one another


def _hash_of(link: Link) -> str:
    """Return the hash of everything in an entry, the hash of the one before included."""
    text = json.dumps(["discreet ledger 2", *link[:-1]], ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()


def is_hash(text: object) -> bool:
    """Say whether this is a hash, or a secret of the same length."""
    return isinstance(text, str) and re.fullmatch(r"[0-9a-f]{64}", text) is not None


def append(
    run: Run, links: Sequence[Link], *, kind: str, source: str, recorded: str, content: object
) -> str:
    """Add an entry to the chain, and return its hash."""
    previous = links[-1].hash if links else START
    text = json.dumps(content, sort_keys=True, ensure_ascii=True)
    link = Link(len(links) + 1, kind, source, recorded, text, previous, "")
    link = link._replace(hash=_hash_of(link))
    run(
        "INSERT INTO discreet_entries (number, kind, source, recorded, content, previous, hash) "
        "VALUES (?, ?, ?, ?, ?, ?, ?)",
        link,
    )
    return link.hash


def read_chain(run: Run, shown: str) -> list[Link]:
    """Return all entries, or raise DataError naming the first that is missing or was changed."""
    rows = run(
        "SELECT number, kind, source, recorded, content, previous, hash FROM discreet_entries "
        "ORDER BY number"
    )
    links: list[Link] = []
    for place, row in enumerate(rows, start=1):
        link = Link(*row)
        # SQLite keeps values of any type in any column.
        if [type(value) for value in row] != [int, *[str] * 6]:
            raise damaged(place, shown, "it does not hold texts")
        if link.number != place:
            raise DataError(f"Entry {place} of the ledger {shown} is missing. {REMEDY}")
        if link.previous != (links[-1].hash if links else START):
            raise damaged(place, shown, "it does not follow the entry before it")
        if _hash_of(link) != link.hash:
            raise damaged(place, shown, "its content does not have the hash beside it")
        links.append(link)
    return links


def damaged(place: int, shown: str, why: str) -> DataError:
    """Return the error about an entry that is not as it was written."""
    return DataError(f"Entry {place} of the ledger {shown} was changed or damaged: {why}. {REMEDY}")


# Keys: those of fingerprints, and the ledger's own, under which it knows an input again.


def read_key(run: Run, key_id: str) -> FingerprintKey | None:
    """Return a key by its id."""
    rows = run("SELECT secret FROM discreet_keys WHERE key_id = ?", (key_id,))
    if not rows:
        return None
    (secret,) = rows[0]
    if is_hash(secret):
        key = FingerprintKey(bytes.fromhex(secret))
        if key.key_id == key_id:
            return key
    raise DataError(f"Key {key_id} of the ledger was changed or damaged. {REMEDY}")


def keep_key(run: Run, key: FingerprintKey, recorded: str) -> None:
    """Keep a key, once."""
    if read_key(run, key.key_id) is None:
        run(
            "INSERT INTO discreet_keys (key_id, secret, recorded) VALUES (?, ?, ?)",
            (key.key_id, key.secret.hex(), recorded),
        )


# The tables of a ledger. Rows are only ever added.

LEDGER_VERSION = 2

TABLES = ("discreet_entries", "discreet_keys", "discreet_ledger")

SCHEMA = (
    """CREATE TABLE discreet_entries (
        number INTEGER NOT NULL PRIMARY KEY, kind TEXT NOT NULL, source TEXT NOT NULL,
        recorded TEXT NOT NULL, content TEXT NOT NULL, previous TEXT NOT NULL,
        hash TEXT NOT NULL)""",
    """CREATE TABLE discreet_keys (
        key_id TEXT NOT NULL PRIMARY KEY, secret TEXT NOT NULL, recorded TEXT NOT NULL)""",
    "CREATE TABLE discreet_ledger (version INTEGER NOT NULL)",
    f"INSERT INTO discreet_ledger (version) VALUES ({LEDGER_VERSION})",  # noqa: S608  a number
)


def _sqlite_triggers() -> Iterator[str]:
    """Yield the triggers that let rows be added only, each entry after the last."""
    for table in TABLES:
        for change in ("UPDATE", "DELETE"):
            yield (
                f"CREATE TRIGGER {table}_no_{change.lower()} BEFORE {change} ON {table} "
                "BEGIN SELECT RAISE(ABORT, 'a ledger is append-only'); END"
            )
    # INSERT OR REPLACE would delete without asking the triggers above.
    yield (
        "CREATE TRIGGER discreet_entries_next BEFORE INSERT ON discreet_entries "
        "WHEN NEW.number <> 1 + (SELECT count(*) FROM discreet_entries) "
        "BEGIN SELECT RAISE(ABORT, 'a ledger is append-only'); END"
    )
    yield (
        "CREATE TRIGGER discreet_keys_new BEFORE INSERT ON discreet_keys WHEN EXISTS "
        "(SELECT 1 FROM discreet_keys WHERE key_id = NEW.key_id) "
        "BEGIN SELECT RAISE(ABORT, 'a ledger is append-only'); END"
    )


def _postgres_triggers() -> Iterator[str]:
    """Yield the triggers that let rows be added only."""
    yield (
        "CREATE FUNCTION discreet_append_only() RETURNS trigger LANGUAGE plpgsql AS "
        "$$ BEGIN RAISE EXCEPTION 'a ledger is append-only'; END $$"
    )
    for table in TABLES:
        yield (
            f"CREATE TRIGGER {table}_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON {table} "
            "FOR EACH STATEMENT EXECUTE FUNCTION discreet_append_only()"
        )


LEDGER = Form(
    noun="ledger",
    version=LEDGER_VERSION,
    version_table="discreet_ledger",
    tables=TABLES,
    schema=SCHEMA,
    sqlite_triggers=tuple(_sqlite_triggers()),
    postgres_triggers=tuple(_postgres_triggers()),
    outdated={
        1: "It was made before releases were chained and before the first published version. Have "
        "that version show what each source spent, make a new ledger, and set there the budgets "
        "that are left.",
    },
)
