"""Where a ledger may live."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture(params=["sqlite", "postgres"])
def location(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Where to open a new ledger: once a file, once a database."""
    if request.param == "sqlite":
        return str(tmp_path / "ledger #1?.sqlite")
    url: str = request.getfixturevalue("postgres_url")
    return url
