"""Whoever waits is shown that work is going on, and how far it is where that is known."""

from __future__ import annotations

import threading
import time

import pytest
from rich.console import Console

from discreet.cli import console as cli_console


@pytest.fixture
def screen(monkeypatch: pytest.MonkeyPatch) -> Console:
    """A terminal that keeps what was shown, and bars that are shown at once."""
    console = Console(record=True, force_terminal=True, width=80, stderr=True)
    monkeypatch.setattr("rich.console.Console", lambda **_: console)
    monkeypatch.setattr(cli_console, "SECONDS_BEFORE_SHOWN", 0.01)
    return console


def test_work_that_tells_nothing_is_shown_to_go_on(screen: Console) -> None:
    with cli_console.progress_bar("reading a file"):
        time.sleep(0.3)
    assert "reading a file" in screen.export_text()


def test_the_share_done_is_shown(screen: Console) -> None:
    with cli_console.progress_bar("mining") as report:
        time.sleep(0.1)
        report(0.25)
        time.sleep(0.3)
    assert "25%" in screen.export_text()


def test_short_work_shows_nothing(screen: Console, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cli_console, "SECONDS_BEFORE_SHOWN", 60.0)
    with cli_console.progress_bar("mining") as report:
        report(0.5)
    assert screen.export_text() == ""


def test_nothing_is_written_to_what_is_no_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(cli_console, "SECONDS_BEFORE_SHOWN", 0.01)
    with cli_console.progress_bar("mining") as report:
        time.sleep(0.2)
        report(0.5)
    assert capsys.readouterr() == ("", "")


def bars() -> list[threading.Thread]:
    """The threads that draw bars; other tests may have left other threads."""
    return [each for each in threading.enumerate() if type(each).__module__.startswith("rich.")]


@pytest.mark.usefixtures("screen")
def test_the_bar_goes_when_work_fails() -> None:
    shown: list[threading.Thread] = []

    def failing_work() -> None:
        with cli_console.progress_bar("mining"):
            ends = time.monotonic() + 10
            while not bars() and time.monotonic() < ends:
                time.sleep(0.01)
            shown.extend(bars())
            raise ValueError("the work failed")

    with pytest.raises(ValueError, match="the work failed"):
        failing_work()
    assert len(shown) == 1
    shown[0].join(10)  # it sees at its next turn that it is over
    assert not shown[0].is_alive()
