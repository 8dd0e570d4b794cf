"""Figures that pages take from the benchmarks are still there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"
INCLUDE = re.compile(r'```\{include\} (\S+)\n:start-after: "(.*)"\n:end-before: "(.*)"\n```')
INCLUDES = [
    pytest.param(page.parent / path, start, end, id=start)
    for page in sorted(DOCS.rglob("*.md"))
    for path, start, end in INCLUDE.findall(page.read_text(encoding="utf-8"))
]


def test_every_include_is_read_here() -> None:
    written = sum(
        page.read_text(encoding="utf-8").count("{include}") for page in DOCS.rglob("*.md")
    )
    assert written == len(INCLUDES) > 0


@pytest.mark.parametrize(("path", "start", "end"), INCLUDES)
def test_part_that_is_included_is_a_table(path: Path, start: str, end: str) -> None:
    whole = path.read_text(encoding="utf-8")
    assert whole.count(start) == 1, "the first one would be taken"
    part = whole.split(start)[1].split(end)[0]
    assert end in whole.split(start)[1]
    assert "\n| --- |" in part
    assert "README.md" not in part, "a link that leads nowhere from the guide"
