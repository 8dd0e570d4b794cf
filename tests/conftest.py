from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import settings

from discreet.cli import main
from tests.browser import browser
from tests.examples import EVERY_RUN
from tests.postgres import postgres_server, postgres_url

settings.load_profile(EVERY_RUN)

__all__ = ["browser", "postgres_server", "postgres_url"]  # fixtures of all tests

FLOOR = 3000  # raised as the suite grows: a run of everything that finds fewer tests is broken


class Outcome(NamedTuple):
    code: int
    out: str
    err: str


@pytest.fixture
def discreet(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., Outcome]:
    """Run the command line as a person does and return exit code, stdout and stderr."""
    monkeypatch.setenv("COLUMNS", "160")
    monkeypatch.setenv("DISCREET_DEBUG", "")  # and is as it was again after --debug

    def run(*arguments: object) -> Outcome:
        monkeypatch.setattr(sys, "argv", ["discreet", *map(str, arguments)])
        try:
            main()
            code: object = 0
        except SystemExit as stop:
            code = stop.code or 0
        shown = capsys.readouterr()
        assert isinstance(code, int)
        return Outcome(code, shown.out, shown.err)

    return run


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
