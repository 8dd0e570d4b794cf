"""Dates and ages in a policy, and missing cells under a hierarchy."""

from __future__ import annotations

from typing import TYPE_CHECKING

import discreet as dc
from discreet.policy import run_policy
from discreet.verify import verify_release

if TYPE_CHECKING:
    from pathlib import Path

ROWS = [
    f"{1930 + i % 60}-0{1 + i % 9}-1{i % 9},{'' if i % 7 == 0 else f'2024-0{1 + i % 9}-01'},"
    f"{'fm'[i % 2]}"
    for i in range(200)
]
POLICY = """
[source]
file = "a.csv"
missing = "stated"
columns = ["age", "seen", "sex"]

[repairs]
born = { date = "year-first" }
seen = { date = "year-first" }
age = { age_of = ["born", "seen"] }

[hierarchies]
age = { steps = [10, 20, 40] }
seen = { dates = true, levels = ["month", "quarter", "year"] }

[method]
name = "mondrian"
k = 5
"""


def test_ages_and_months_with_missing_cells_are_grouped(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("\n".join(["born,seen,sex", *ROWS]))
    (tmp_path / "policy.toml").write_text(POLICY)
    result = run_policy(tmp_path / "policy.toml", tmp_path / "out")
    data = result.release.data
    assert data.columns == ("age", "seen", "sex")
    assert all(value in ("missing", "*") or value[:4] == "2024" for value in data.values("seen"))
    assert 'age_of = ["born", "seen"]' in (tmp_path / "out" / "policy.toml").read_text()
    assert verify_release(tmp_path / "out").answer == "verified"
    assert dc.Release.load(tmp_path / "out").data.columns == data.columns
