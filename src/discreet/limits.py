"""Threads, limits and progress of one search, the same for every miner.

Output can grow exponentially with the input, so every search has an explicit limit and
ends with a clear error, never with the machine out of memory.
"""

from __future__ import annotations

import os
import time
from contextlib import contextmanager
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, Protocol, TypedDict

from discreet import _native, checks
from discreet.errors import LimitError, ParameterError, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Unpack


MAX_ITEMSETS = 50_000_000

NO_MAX_SIZE = 2**31 - 1
MOST_THREADS = 4096
LARGEST = 2**63 - 1


class Limits(TypedDict, total=False):
    """Keyword arguments every miner takes besides its own.

    Parameters
    ----------
    threads : int, optional
        Number of threads, at least 1; all cores by default. The result does not depend on it.
    max_itemsets : int, optional
        Most results to return, 50 million by default.
    max_memory : int, optional
        Most bytes the search may hold; three quarters of the machine's memory by default.
    max_seconds : int, optional
        Most seconds that one search may take, at least 1; any number by default. A method that
        searches several times gives each search as many. What is found before depends on the
        machine, so past it there is an error and no result.
    progress : callable, optional
        Called with the share of the work done, from 0 to 1, about twenty times a second.
    """

    threads: int | None
    max_itemsets: int
    max_memory: int | None
    max_seconds: int | None
    progress: Progress | None


def check_limits(limits: Limits) -> None:
    """Raise ParameterError for a keyword that is no limit, or a value that no limit has.

    Examples
    --------
    >>> check_limits({"thread": 2})
    Traceback (most recent call last):
    discreet.errors.ParameterError: There is no option 'thread'. Did you mean 'threads'?
    """
    for name in limits:
        if name not in Limits.__annotations__:
            hint = did_you_mean(name, Limits.__annotations__)
            raise ParameterError(f"There is no option {name!r}.", parameter=name, remedy=hint)
    thread_count(limits.get("threads"))
    most_itemsets(limits)
    _most_memory(limits.get("max_memory"))
    _most_seconds(limits.get("max_seconds"))


class _TimeIsUp(Exception):  # noqa: N818  no error yet: the search says what was looked for
    """Ends a kernel from within its progress."""


class Search:
    """One running search: the kernel's control and the caller's progress.

    Kernels call the progress whether or not they find anything, so that it keeps the time too.
    """

    __slots__ = ("control", "progress")

    def __init__(self, limits: Limits) -> None:
        check_limits(limits)
        self.control = _native.Control(
            thread_count(limits.get("threads")),
            most_itemsets(limits),
            _most_memory(limits.get("max_memory")),
        )
        self.progress = _until(_most_seconds(limits.get("max_seconds")), limits.get("progress"))


@contextmanager
def search(what: str, remedy: str, **limits: Unpack[Limits]) -> Iterator[Search]:
    """Run a kernel under limits; past one, raise LimitError saying how far it came.

    Parameters
    ----------
    what : str
        What is searched for, in words, with its parameters.
    remedy : str
        What the user can change to make the result smaller.
    **limits : Limits
        Threads, limits and progress.

    Raises
    ------
    LimitError
        If the kernel passed ``max_itemsets``, ``max_memory`` or ``max_seconds``.
    """
    running = Search(limits)
    if running.progress is not None:
        running.progress(0.0)  # a kernel that is done at once reports nothing
    try:
        yield running
    except _TimeIsUp:
        control = running.control
        came = f"{control.n_found:,} found after {control.fraction:.0%} of the search"
        seconds = limits.get("max_seconds") or 0
        time_given = "1 second" if seconds == 1 else f"{seconds:,} seconds"
        passed = f"More than {time_given} needed ({came}) while looking for {what}."
        raise LimitError(f"{passed} {remedy} or raise max_seconds.") from None
    except _native.LimitReached as reached:
        kind, limit = reached.args
        control = running.control
        came = f"{control.n_found:,} found after {control.fraction:.0%} of the search"
        if kind == "itemsets":
            passed = f"More than {limit:,} results ({came}) while looking for {what}."
            raise LimitError(f"{passed} {remedy} or raise max_itemsets.") from None
        passed = f"More than {limit:,} bytes needed ({came}) while looking for {what}."
        raise LimitError(f"{passed} {remedy} or raise max_memory.") from None


def thread_count(threads: int | None) -> int:
    """Return the number of threads, all cores for None, refusing what is none."""
    if threads is None:
        return os.cpu_count() or 1
    return min(checks.whole("threads", threads, at_least=1), MOST_THREADS)


def most_itemsets(limits: Limits, *, default: int = MAX_ITEMSETS) -> int:
    """Return the most results to return, refusing what is no such number."""
    return min(
        checks.whole("max_itemsets", limits.get("max_itemsets", default), at_least=1), LARGEST
    )


def size_limit(max_size: int | None) -> int:
    """Return the kernel's form of ``max_size``, refusing sizes below 1."""
    if max_size is None:
        return NO_MAX_SIZE
    return min(checks.whole("max_size", max_size, at_least=1), NO_MAX_SIZE)


def limit_shares(limits: Limits | None, cuts: Sequence[float]) -> list[Limits]:
    """Return the limits of each step of one work, with progress from one cut to the next.

    Examples
    --------
    >>> seen = []
    >>> first, second = limit_shares({"progress": seen.append}, (0.0, 0.75, 1.0))
    >>> first["progress"](1.0), second["progress"](0.5), seen
    (None, None, [0.75, 0.875])
    """
    limits = limits or {}
    check_limits(limits)
    listener = limits.get("progress")
    if listener is None:
        return [limits] * (len(cuts) - 1)

    def part(low: float, high: float) -> Limits:
        return {**limits, "progress": lambda done: listener(low + (high - low) * done)}

    return [part(low, high) for low, high in pairwise(cuts)]


def _most_memory(max_memory: int | None) -> int:
    """Return the most bytes to hold, three quarters of the machine's for None."""
    if max_memory is None:
        return _physical_memory() * 3 // 4
    return min(checks.whole("max_memory", max_memory, at_least=1), LARGEST)


def _most_seconds(max_seconds: int | None) -> int | None:
    """Return the most seconds of a search, refusing what is no such number."""
    return None if max_seconds is None else checks.whole("max_seconds", max_seconds, at_least=1)


def _until(seconds: int | None, listener: Progress | None) -> Progress | None:
    """Return a progress that ends the search once the time is up."""
    if seconds is None:
        return listener
    end = time.monotonic() + seconds

    def progress(fraction: float, /) -> None:
        if listener is not None:
            listener(fraction)
        if time.monotonic() > end:
            raise _TimeIsUp

    return progress


@cache
def _physical_memory() -> int:
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


# How long-running work reports how far it has come.
#
# Anything callable with one number from 0 to 1 can listen; raising from it stops the work.


class Progress(Protocol):
    """Called about twenty times a second with the share of the work done."""

    def __call__(self, fraction: float, /) -> object:
        """Receive the share of the work done, from 0 to 1."""
