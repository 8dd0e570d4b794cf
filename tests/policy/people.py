"""A file of people to protect."""

from __future__ import annotations

from pathlib import Path

import discreet as dc

HEADER = "name,sex,age,job,diagnosis"


def write_people(folder: Path, n_rows: int = 120) -> Path:
    """Write ages from 20 to 89, so that they need bins, and a name for everybody."""
    jobs, ills = ("cook", "clerk", "nurse"), ("none", "flu", "none", "asthma")
    rows = [
        f"P{i:04d},{'fm'[i % 2]},{20 + i * 37 % 70},{jobs[i // 2 % 3]},{ills[i // 6 % 4]}"
        for i in range(n_rows)
    ]
    path = folder / "people.csv"
    path.write_text("\n".join([HEADER, *rows]) + "\n")
    return path


def write_censuses(folder: Path, n_rows: int) -> None:
    """Write a census, and a public one of other people with the same columns."""
    names = ["sex", "region", "education", "condition"]
    dc.write_table(dc.datasets.census(n_rows).select(names), folder / "census.csv")
    dc.write_table(dc.datasets.census(4000, seed=7).select(names), folder / "public.csv")


POLICY = """\
# a remark that is nobody's business
[source]
file = "people.csv"

[source.bins]
age = [40, 60]

[roles]
name = "identifying"
diagnosis = "sensitive"

[method]
name = "k-mii"
k = 3

[release]
format = "csv"
"""


def write_policy(folder: Path, text: str = POLICY) -> Path:
    """Write a policy for the people in the same folder."""
    path = folder / "policy.toml"
    path.write_text(text)
    return path
