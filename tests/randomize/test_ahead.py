"""Fetching ahead changes neither order nor errors."""

from __future__ import annotations

from collections.abc import Iterator
from threading import Event

import pytest

from discreet.randomize.ahead import ahead


def test_the_next_is_fetched_while_this_one_is_worked_on() -> None:
    fetched = Event()

    def items() -> Iterator[int]:
        yield 1
        fetched.set()
        yield 2

    first = ahead(items())
    assert next(first) == 1
    assert fetched.wait(10)  # nobody has asked for the second yet
    assert list(first) == [2]


def test_an_error_comes_after_the_items_before_it() -> None:
    def items() -> Iterator[int]:
        yield 1
        raise ValueError("broken file")

    coming = ahead(items())
    assert next(coming) == 1
    with pytest.raises(ValueError, match="broken file"):
        next(coming)


def test_it_can_be_left_early() -> None:
    assert next(ahead(iter(range(10**9)))) == 0
    assert list(ahead([])) == []
