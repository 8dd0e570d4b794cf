"""The next ones are made while this one is worked on."""

from __future__ import annotations

from collections import deque
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from concurrent.futures import Future

T = TypeVar("T")
Made = TypeVar("Made")


def ahead(items: Iterable[T]) -> Iterator[T]:
    """Yield the same items in the same order, the next one always being fetched by a thread.

    Parameters
    ----------
    items : iterable
        What takes time to come by, such as batches of a file. An error in it is raised where the
        item would have come.

    Examples
    --------
    >>> list(ahead(range(3)))
    [0, 1, 2]
    """
    source = iter(items)
    with ThreadPoolExecutor(1, "discreet-ahead") as pool:
        pending = pool.submit(_next, source)
        while found := pending.result():
            pending = pool.submit(_next, source)
            yield found[0]


def made_ahead(make: Callable[[T], Made], items: Iterable[T], workers: int) -> Iterator[Made]:
    """Yield what is made of each item, in their order, several being made at a time by threads.

    Parameters
    ----------
    make : callable
        Called by another thread, for ``workers`` items at once. Its errors are raised where
        the result would have come.
    items : iterable
        Of what to make something. At most ``workers + 1`` of them are held.
    workers : int
        How many threads.

    Examples
    --------
    >>> list(made_ahead(abs, [-3, 1, -2], workers=2))
    [3, 1, 2]
    """
    pending: deque[Future[Made]] = deque()
    with ThreadPoolExecutor(workers, "discreet-made-ahead") as pool:
        for item in items:
            pending.append(pool.submit(make, item))
            if len(pending) > workers:
                yield pending.popleft().result()
        while pending:
            yield pending.popleft().result()


def _next(source: Iterator[T]) -> tuple[T] | tuple[()]:
    """Return the next item in a tuple, empty at the end."""
    for item in source:
        return (item,)
    return ()
