"""The next one is fetched while this one is worked on."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

T = TypeVar("T")


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


def _next(source: Iterator[T]) -> tuple[T] | tuple[()]:
    """Return the next item in a tuple, empty at the end."""
    for item in source:
        return (item,)
    return ()
