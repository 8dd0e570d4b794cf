from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("fastapi", reason="fastapi is absent: pip install 'discreet[collect]'")
pytest.importorskip("uvicorn", reason="uvicorn is absent: pip install 'discreet[collect]'")


@pytest.fixture(params=["sqlite", "postgres"])
def location(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Where to make a new campaign: once a file, once a database."""
    if request.param == "sqlite":
        return str(tmp_path / "campaign.sqlite")
    url: str = request.getfixturevalue("postgres_url")
    return url
