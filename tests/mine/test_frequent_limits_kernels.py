"""Frequent, closed and maximal itemsets: bad arguments, limits, interruption, progress."""

from __future__ import annotations

import numpy as np
import pytest

from discreet import _native
from tests.mine.frequent import KINDS, NO_LIMIT, count, database, random_rows


@pytest.mark.parametrize("kind", KINDS)
def test_bad_arguments_are_named(kind: str) -> None:
    db = database([(frozenset({0}), 1)], 1)
    for function in (getattr(_native, kind), getattr(_native, f"count_{kind}")):
        with pytest.raises(ValueError, match="min_support"):
            function(db, 0, 1, _native.Control())
        with pytest.raises(ValueError, match="max_size"):
            function(db, 1, 0, _native.Control())


def large() -> _native.Database:
    return database(random_rows(1, n_rows=300, n_items=40, length=20), 40)


@pytest.mark.parametrize("threads", [1, 2])
def test_limits_stop_the_search(threads: int) -> None:
    db = large()
    control = _native.Control(threads=threads, max_itemsets=10_000)
    with pytest.raises(_native.LimitReached) as limit:
        _native.frequent(db, 30, NO_LIMIT, control)
    assert limit.value.args == ("itemsets", 10_000)
    control = _native.Control(threads=threads, max_memory=3_000_000)
    with pytest.raises(_native.LimitReached) as limit:
        _native.frequent(db, 30, NO_LIMIT, control)
    assert limit.value.args == ("memory", 3_000_000)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("threads", [1, 2])
def test_progress_may_stop_the_search(kind: str, threads: int) -> None:
    heard: list[float] = []

    def progress(fraction: float) -> None:
        heard.append(fraction)
        raise KeyboardInterrupt

    # Coin tosses: millions of itemsets of every kind, and nothing to prune.
    tosses = np.random.default_rng(5).random((2000, 60)) < 0.5
    rows = [(frozenset(np.flatnonzero(row).tolist()), 1) for row in tosses]
    counter = getattr(_native, f"count_{kind}")
    with pytest.raises(KeyboardInterrupt):
        counter(database(rows, 60), 10, NO_LIMIT, _native.Control(threads=threads), progress)
    assert len(heard) == 1
    assert 0 <= heard[0] <= 1


def test_progress_is_complete_at_the_end() -> None:
    control = _native.Control(threads=2)
    _native.closed(large(), 400, NO_LIMIT, control)
    assert control.fraction == 1
    assert control.n_found == sum(count("closed", large(), 400))
