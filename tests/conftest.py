from __future__ import annotations

import os
from pathlib import Path

import pytest

FLOOR = 100  # raised as the suite grows: a run of everything that finds fewer tests is broken


@pytest.fixture(scope="session")
def public_data() -> Path:
    """The folder of public datasets; the test skips where it is absent."""
    folder = os.environ.get("DISCREET_DATA")
    if not folder or not Path(folder).is_dir():
        pytest.skip("public datasets absent: set DISCREET_DATA to their folder")
    return Path(folder)


def pytest_collection_finish(session: pytest.Session) -> None:
    """Refuse a run of the whole suite that found suspiciously few tests."""
    whole_suite = session.config.args == session.config.getini("testpaths")
    if whole_suite and not session.config.option.keyword and len(session.items) < FLOOR:
        raise pytest.UsageError(f"found {len(session.items)} tests, expected at least {FLOOR}")
