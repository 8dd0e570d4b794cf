"""Fetching ahead changes neither order nor errors."""

from __future__ import annotations

from collections.abc import Iterator
from threading import Barrier, Event

import pytest

from discreet.randomize.stream import ahead, made_ahead


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


def test_several_are_made_at_once_and_come_in_order() -> None:
    together = Barrier(2, timeout=10)  # passed only by two calls at the same time

    def make(number: int) -> int:
        together.wait()
        return -number

    assert list(made_ahead(make, range(6), workers=2)) == [0, -1, -2, -3, -4, -5]


def test_no_more_are_taken_than_are_being_made() -> None:
    taken = []

    def items() -> Iterator[int]:
        for number in range(100):
            taken.append(number)
            yield number

    coming = made_ahead(abs, items(), workers=3)
    assert next(coming) == 0
    assert len(taken) == 4


def test_an_error_in_making_comes_in_its_place() -> None:
    def make(number: int) -> int:
        return 1 // number

    coming = made_ahead(make, [1, 0, 1], workers=1)
    assert next(coming) == 1
    with pytest.raises(ZeroDivisionError):
        next(coming)
