"""The tables of a ledger.

Rows are only ever added. Numbers of releases and budgets run 1, 2, 3, ... for each source, so
that a row that is missing shows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from discreet.database import Form

if TYPE_CHECKING:
    from collections.abc import Iterator

LEDGER_VERSION = 1
TABLES = ("discreet_releases", "discreet_budgets", "discreet_keys", "discreet_ledger")
SCHEMA = (
    """CREATE TABLE discreet_releases (
        source TEXT NOT NULL, number INTEGER NOT NULL, recorded TEXT NOT NULL,
        model TEXT NOT NULL, record TEXT NOT NULL, PRIMARY KEY (source, number))""",
    """CREATE TABLE discreet_budgets (
        source TEXT NOT NULL, number INTEGER NOT NULL, recorded TEXT NOT NULL,
        epsilon TEXT NOT NULL, delta TEXT NOT NULL, PRIMARY KEY (source, number))""",
    """CREATE TABLE discreet_keys (
        key_id TEXT NOT NULL PRIMARY KEY, secret TEXT NOT NULL, recorded TEXT NOT NULL)""",
    "CREATE TABLE discreet_ledger (version INTEGER NOT NULL)",
    f"INSERT INTO discreet_ledger (version) VALUES ({LEDGER_VERSION})",  # noqa: S608  a number
)


def _sqlite_triggers() -> Iterator[str]:
    """Yield the triggers that let rows be added only, each under its next number."""
    for table in TABLES:
        for change in ("UPDATE", "DELETE"):
            yield (
                f"CREATE TRIGGER {table}_no_{change.lower()} BEFORE {change} ON {table} "
                "BEGIN SELECT RAISE(ABORT, 'a ledger is append-only'); END"
            )
    for table in TABLES[:2]:  # INSERT OR REPLACE would delete without asking the triggers above
        yield (
            f"CREATE TRIGGER {table}_next BEFORE INSERT ON {table} "  # noqa: S608  names of ours
            f"WHEN NEW.number <> 1 + (SELECT count(*) FROM {table} WHERE source = NEW.source) "
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
)
