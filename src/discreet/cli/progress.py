"""A progress bar on standard error, shown only when the work takes a while."""

from __future__ import annotations

from contextlib import contextmanager
from threading import Timer
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from discreet.progress import Progress

SECONDS_BEFORE_SHOWN = 1.0


@contextmanager
def progress_bar(what: str) -> Iterator[Progress]:
    """Show a bar named ``what`` once a second has passed.

    Give a callable that moves it to a share of the work. Until it is called the bar only shows
    that work is going on.
    """
    from rich.console import Console
    from rich.progress import Progress as RichProgress

    screen = Console(stderr=True)
    if not screen.is_interactive:  # in a file of messages a bar is only in the way
        yield lambda _: None
        return
    bar = RichProgress(console=screen, transient=True)
    task = bar.add_task(what, total=None)
    shown = Timer(SECONDS_BEFORE_SHOWN, bar.start)
    shown.daemon = True
    shown.start()

    def report(fraction: float, /) -> None:
        bar.update(task, total=1.0, completed=fraction)

    try:
        yield report
    finally:
        shown.cancel()
        shown.join()
        if bar.live.is_started:
            bar.stop()
