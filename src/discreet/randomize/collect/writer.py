"""The one thread of a worker process that stores batches, many in one commit.

A commit waits for the disk. While it does, more requests come; they are stored together by the
next one. A request is answered when its commit is on disk, never before.
"""

from __future__ import annotations

import queue
import threading
from concurrent.futures import Future
from typing import TYPE_CHECKING, TypeAlias

from discreet.errors import LimitError

if TYPE_CHECKING:
    from discreet.randomize.collect.batch import Batch
    from discreet.randomize.collect.store import CampaignStore, Outcome

    Waiting: TypeAlias = "tuple[Batch, Future[Outcome]]"

MAX_WAITING = 1000  # requests; with more, clients are asked to come later
MAX_TOGETHER = 200  # batches of one commit


class Writer:
    """Stores what is submitted; close it to store what is left.

    Parameters
    ----------
    store : CampaignStore
        Where to.
    """

    __slots__ = ("_queue", "_store", "_thread")

    def __init__(self, store: CampaignStore) -> None:
        self._store = store
        self._queue: queue.Queue[Waiting | None] = queue.Queue(MAX_WAITING)
        self._thread = threading.Thread(target=self._work, name="discreet-writer", daemon=True)
        self._thread.start()

    def submit(self, batch: Batch) -> Future[Outcome]:
        """Return what will become of a batch, or raise LimitError if too many wait."""
        busy = LimitError("The server is busy. Send the same request again later.")
        if not self._thread.is_alive():
            raise busy
        future: Future[Outcome] = Future()
        try:
            self._queue.put_nowait((batch, future))
        except queue.Full:
            raise busy from None
        return future

    def close(self) -> None:
        """Store what was submitted, and end."""
        self._queue.put(None)
        self._thread.join()

    def _work(self) -> None:
        session = self._store.session()
        last = False
        while not last:
            group, last = self._next_group()
            try:
                outcomes = self._store.add(session, [batch for batch, _ in group]) if group else []
            except Exception as error:  # noqa: BLE001  each of those who wait is told
                for _, future in group:
                    future.set_exception(error)
            else:
                for (_, future), outcome in zip(group, outcomes, strict=True):
                    future.set_result(outcome)
        session.close()

    def _next_group(self) -> tuple[list[Waiting], bool]:
        """Wait for a batch; return it with all that wait too, and whether this is the end."""
        group: list[Waiting] = []
        entry = self._queue.get()
        while entry is not None:
            if entry[1].set_running_or_notify_cancel():  # whoever waited may have gone
                group.append(entry)
            if len(group) >= MAX_TOGETHER:
                break
            try:
                entry = self._queue.get_nowait()
            except queue.Empty:
                break
        return group, entry is None
