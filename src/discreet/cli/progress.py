"""A progress bar on standard error, shown only when the work takes a while."""

from __future__ import annotations

import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from discreet.progress import Progress

SECONDS_BEFORE_SHOWN = 1.0


@contextmanager
def progress_bar(what: str) -> Iterator[Progress]:
    """Give a callable that draws a bar named ``what`` once a second has passed."""
    from rich.console import Console
    from rich.progress import Progress as RichProgress

    started = time.monotonic()
    bar = RichProgress(console=Console(stderr=True), transient=True)
    task = bar.add_task(what, total=1.0)

    def report(fraction: float, /) -> None:
        if not bar.live.is_started and time.monotonic() - started > SECONDS_BEFORE_SHOWN:
            bar.start()
        bar.update(task, completed=fraction)

    try:
        yield report
    finally:
        if bar.live.is_started:
            bar.stop()
