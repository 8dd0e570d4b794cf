"""The rows of a ledger as objects."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import TYPE_CHECKING

from discreet.errors import DataError
from discreet.release.composition import Entry, Loss
from discreet.release.event import Event
from discreet.release.fingerprint import Fingerprint, FingerprintKey
from discreet.release.guarantee import Guarantee

if TYPE_CHECKING:
    from discreet.database import Run


def read_entries(run: Run, source: str) -> list[Entry]:
    """Return the releases of a source, oldest first, or raise DataError if one is missing."""
    rows = run(
        "SELECT number, recorded, record FROM discreet_releases WHERE source = ? ORDER BY number",
        (source,),
    )
    entries = []
    for place, (number, recorded, record) in enumerate(rows, start=1):
        if number != place:
            raise DataError(f"Release {place} of '{source}' is missing from the ledger.")
        values = json.loads(record)
        held = values["fingerprint"]
        entries.append(
            Entry(
                source=source,
                number=number,
                recorded=recorded,
                guarantee=Guarantee.from_dict(values["guarantee"]),
                events=tuple(Event.from_dict(each) for each in values["events"]),
                fingerprint=None
                if held is None
                else Fingerprint(mac=held["mac"], key_id=held["key_id"]),
                created=values["created"],
                version=values["discreet_version"],
            )
        )
    return entries


def read_budget(run: Run, source: str) -> Loss | None:
    """Return the last budget of a source."""
    rows = run(
        "SELECT epsilon, delta FROM discreet_budgets WHERE source = ? ORDER BY number DESC LIMIT 1",
        (source,),
    )
    if not rows:
        return None
    epsilon, delta = rows[0]
    return Loss(epsilon=Fraction(epsilon), delta=Fraction(delta))


def read_key(run: Run, key_id: str) -> FingerprintKey | None:
    """Return a key by its id."""
    rows = run("SELECT secret FROM discreet_keys WHERE key_id = ?", (key_id,))
    return FingerprintKey(bytes.fromhex(rows[0][0])) if rows else None
