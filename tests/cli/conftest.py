from __future__ import annotations

import sys
from collections.abc import Callable
from typing import NamedTuple

import pytest

from discreet.cli import main


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
    monkeypatch.delenv("DISCREET_DEBUG", raising=False)

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
