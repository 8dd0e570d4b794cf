"""Releases to record in ledgers, and the figures that they spend."""

from __future__ import annotations

from fractions import Fraction

from discreet.data.table import Table
from discreet.release.event import restrict_to_part
from discreet.release.fingerprint import Fingerprint
from discreet.release.guarantee import Guarantee
from discreet.release.release import Release

TABLE = Table.from_codes({"age": [0, 0], "sex": [0, 0]}, {"age": [31], "sex": ["f"]})
TENTH = Fraction(1, 10)
MILLIONTH = Fraction(1, 10**6)


def release_of(guarantee: Guarantee, *parts: str, age: int = 31) -> Release:
    events = tuple(restrict_to_part("region", part) for part in parts)
    table = TABLE if age == 31 else Table.from_frame({"age": [age, age], "sex": ["f", "f"]})
    return Release(
        data=table, guarantee=guarantee, events=events, fingerprint=Fingerprint.of(table)
    )
