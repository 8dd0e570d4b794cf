"""Values of every kind survive the way from the release to the verifier."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Literal

import pytest

from discreet.verify import verify_release
from tests.verify.folders import failed, k_anonymous

COLUMNS: dict[str, list[object]] = {
    "text": ["a, b", 'say "a"', " blank before", "line\nbreak", "NA", "07", "é", "*", "return\r"],
    "integer": [3, -1, 10**12],
    "float": [0.5, -2.25, 1e300],
    "boolean": [True, False],
    "decimal": [Decimal("1.50"), Decimal("2.25")],
    "date": [date(2020, 1, 31), date(1900, 1, 1)],
    "datetime": [datetime(2020, 1, 31, 12, 30), datetime(2020, 1, 31)],  # noqa: DTZ001
    "time": [time(12, 30), time(0, 0, 1)],
    "duration": [timedelta(days=1), timedelta(seconds=2)],
    "none": [None],
}
Format = Literal["parquet", "csv"]
CASES: list[tuple[str, Format]] = [(name, "parquet") for name in COLUMNS]
CASES += [(name, "csv") for name in COLUMNS if name != "duration"]  # no CSV keeps durations


@pytest.mark.parametrize(("name", "kind"), CASES)
@pytest.mark.parametrize("alone", [False, True])
def test_round_trip(tmp_path: Path, name: str, kind: Format, *, alone: bool) -> None:
    values = sorted([*COLUMNS[name]] * 3, key=str)
    rows: dict[str, list[object]] = {name: [*values, None, None, None]}
    if not alone:
        rows["other column, é"] = ["x"] * len(rows[name])
    folder = k_anonymous(tmp_path, rows, k=3, format=kind)
    found = verify_release(folder, original=rows)
    assert found.answer != "refuted", found.checks
    assert not found.not_checkable
    (tmp_path / "more").mkdir()
    folder = k_anonymous(tmp_path / "more", rows, k=7, format=kind)
    assert failed(verify_release(folder)) == ["k-anonymity"]
