"""A release to record many times, without what only tests import."""

from __future__ import annotations

from discreet.data.table import Table
from discreet.release.release import Release
from tests.release.claims import private

release = Release(
    data=Table.from_codes({"age": [0]}, {"age": [31]}),
    guarantee=private(),
)
