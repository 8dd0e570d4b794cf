"""Worker processes end when the process that started them was killed."""

from __future__ import annotations

import os
import signal
import threading
import time

PARENT = "DISCREET_COLLECT_PARENT"  # its number, where there are worker processes


def end_with_parent() -> None:
    """Watch, in a thread, whether the parent lives; end in order if it does not.

    A killed parent cannot tell its workers, which would keep the port.
    """
    parent = os.environ.get(PARENT)
    if parent is not None and os.getppid() == int(parent):
        threading.Thread(target=_watch, args=(int(parent),), daemon=True).start()


def _watch(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(0.5)
    os.kill(os.getpid(), signal.SIGTERM)
