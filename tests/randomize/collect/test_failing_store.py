"""A database that fails, or is slow: nobody is told that a batch is stored, and all can retry."""

from __future__ import annotations

import asyncio
import threading
from types import SimpleNamespace
from typing import Any

import pytest
from fastapi import HTTPException

from discreet.errors import DataError, LimitError
from discreet.randomize.collect import app
from discreet.randomize.collect.store import Writer


class Store:
    """Fails, waits or stores, as it is told."""

    def __init__(self) -> None:
        self.fails = False
        self.begun, self.may_go_on = threading.Event(), threading.Event()
        self.may_go_on.set()
        self.stored: list[object] = []

    def session(self) -> Any:  # noqa: ANN401
        return SimpleNamespace(close=lambda: None)

    def add(self, _session: object, batches: list[object]) -> list[object]:
        self.begun.set()
        assert self.may_go_on.wait(10)
        if self.fails:
            raise DataError("The disk is full.")
        self.stored += batches
        return batches

    def n_of_size(self) -> dict[int, int]:
        raise DataError("The file is gone.")

    randomized = n_of_size


def writing(store: Store) -> Any:  # noqa: ANN401  batches here are any objects
    return Writer(store)  # type: ignore[arg-type]


def test_who_waits_for_a_failed_batch_is_told_and_the_next_is_stored() -> None:
    store = Store()
    made = writing(store)
    store.fails = True
    with pytest.raises(DataError, match="disk is full"):
        made.submit("lost").result(10)
    store.fails = False
    assert made.submit("kept").result(10) == "kept"
    made.close()
    assert store.stored == ["kept"]
    with pytest.raises(LimitError, match="busy"):
        made.submit("late")


def test_too_many_that_wait_are_refused_and_who_has_gone_is_left_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("discreet.randomize.collect.store.MAX_WAITING", 2)
    store = Store()
    store.may_go_on.clear()
    made = writing(store)
    first = made.submit("first")
    assert store.begun.wait(10)
    gone, last = made.submit("gone"), made.submit("last")
    with pytest.raises(LimitError, match="busy"):
        made.submit("one too many")
    assert gone.cancel()
    store.may_go_on.set()
    assert (first.result(10), last.result(10)) == ("first", "last")
    made.close()
    assert store.stored == ["first", "last"]


def asked(store: Store, made: object = None) -> tuple[Any, Any]:
    service = SimpleNamespace(store=store, mining=threading.Lock(), writer=made)
    return service, SimpleNamespace(app=SimpleNamespace(state=SimpleNamespace(service=service)))


def test_answers_do_not_tell_what_is_wrong_inside() -> None:
    service, request = asked(Store())
    for ask in (app.status, lambda given: app.mine(given, min_frequency=0.5)):
        with pytest.raises(HTTPException, match="cannot be used at the moment") as told:
            ask(request)
        assert (told.value.status_code, told.value.headers) == (503, {"Retry-After": "1"})
        assert "gone" not in str(told.value.detail)
    assert not service.mining.locked()  # the next question is answered


def test_one_question_at_a_time() -> None:
    service, request = asked(Store())
    service.mining.acquire()
    with pytest.raises(HTTPException, match="Another question"):
        app.mine(request, min_frequency=0.5)
    assert service.mining.locked()


def test_a_batch_that_cannot_be_stored_is_not_acknowledged() -> None:
    store = Store()
    service, _ = asked(store)
    batch: Any = "batch"
    with pytest.raises(HTTPException, match="is starting"):
        asyncio.run(app._stored(service, batch))
    service.writer = writing(store)
    store.fails = True
    with pytest.raises(HTTPException, match="cannot be used") as told:
        asyncio.run(app._stored(service, batch))
    assert told.value.status_code == 503
    service.writer.close()
    with pytest.raises(HTTPException, match="busy"):
        asyncio.run(app._stored(service, batch))
