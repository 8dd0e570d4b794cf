"""Work that takes long, done by a process of its own: started, watched, cancelled, remembered.

A kernel can be interrupted, reading a file cannot, and a process that runs out of memory is killed:
so each job is a process, and the app outlives all of them. What is known of a job stands in a small
SQLite file in the folder and holds no value of the data; results lie in files beside it.
"""

from __future__ import annotations

import errno
import json
import os
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from contextlib import closing, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from discreet.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

State: TypeAlias = Literal["queued", "running", "done", "failed", "cancelled", "interrupted"]
UNFINISHED: Final = ("queued", "running")
PATIENCE: Final = (4.0, 3.0)  # seconds after the interrupt, and after asking to end
_SCHEMA: Final = """
create table if not exists jobs (
    id integer primary key, kind text not null, arguments text not null, then_to text not null,
    state text not null, stage text not null default '', share real not null default 0,
    pid integer, born text, counted integer not null default 0, made real not null, ended real
)"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """What is known of a job.

    Attributes
    ----------
    id : int
        Its number.
    kind : str
        What is done; see :mod:`discreet.web.work`.
    arguments : dict
        Names of files and options; no value of the data.
    then_to : str
        The page that shows what came of it.
    state : str
        Queued, running, done, failed, cancelled, or interrupted with the app.
    stage, share : str, float
        What it is at, and how much of that is done.
    pid, born : int, str, optional
        The process, and when it was started: numbers of processes are used again.
    counted : bool
        Whether the ledger has counted the release that the job makes.
    made, ended : float
        Seconds since 1970.
    """

    id: int
    kind: str
    arguments: dict[str, Any]
    then_to: str
    state: State
    stage: str
    share: float
    pid: int | None
    born: str | None
    counted: bool
    made: float
    ended: float | None

    @property
    def is_over(self) -> bool:
        """Whether nothing more comes."""
        return self.state not in UNFINISHED

    @property
    def seconds(self) -> float:
        """How long it took, or has taken so far."""
        return (self.ended or time.time()) - self.made


class Jobs:
    """The jobs of a folder, in its private folder.

    Parameters
    ----------
    private : Path
        The private folder; it exists.
    """

    def __init__(self, private: Path) -> None:
        self._path = private / "jobs.sqlite"
        self._results = private / "results"
        if not self._path.exists():
            os.close(os.open(self._path, os.O_CREAT | os.O_WRONLY, 0o600))
        with self._open() as database:
            database.execute(_SCHEMA)

    def add(self, kind: str, arguments: Mapping[str, object], *, then_to: str) -> int:
        """Queue a job and return its number."""
        with self._open() as database:
            made = database.execute(
                "insert into jobs (kind, arguments, then_to, state, made) values (?, ?, ?, ?, ?)",
                (kind, json.dumps(dict(arguments)), then_to, "queued", time.time()),
            )
            return int(made.lastrowid or 0)

    def get(self, number: int) -> Job:
        """Return a job; raise DataError if there is none of that number."""
        with self._open() as database:
            row = database.execute("select * from jobs where id = ?", (number,)).fetchone()
        if row is None:
            raise DataError("There is no such job.")
        return _job(row)

    def recent(self, most: int = 20) -> list[Job]:
        """Return the newest jobs, newest first."""
        with self._open() as database:
            rows = database.execute("select * from jobs order by id desc limit ?", (most,))
            return [_job(row) for row in rows.fetchall()]

    def latest(self, kind: str, arguments: Mapping[str, object]) -> Job | None:
        """Return the newest job of a kind with just these arguments."""
        with self._open() as database:
            row = database.execute(
                "select * from jobs where kind = ? and arguments = ? order by id desc limit 1",
                (kind, json.dumps(dict(arguments))),
            ).fetchone()
        return None if row is None else _job(row)

    def next_queued(self) -> Job | None:
        """Return the job that has waited longest."""
        with self._open() as database:
            row = database.execute(
                "select * from jobs where state = 'queued' order by id limit 1"
            ).fetchone()
        return None if row is None else _job(row)

    def unfinished(self) -> bool:
        """Say whether anything is queued or running."""
        with self._open() as database:
            found = database.execute(
                "select 1 from jobs where state in ('queued', 'running') limit 1"
            )
            return found.fetchone() is not None

    def update(self, number: int, **fields: object) -> None:
        """Write some fields of a job."""
        names = ", ".join(f"{name} = ?" for name in fields)  # keywords of our own calls
        with self._open() as database:
            database.execute(f"update jobs set {names} where id = ?", (*fields.values(), number))  # noqa: S608  as above

    def end(self, number: int, state: State) -> None:
        """Write how a job ended, unless that is known already."""
        with self._open() as database:
            database.execute(
                "update jobs set state = ?, ended = ? where id = ? and state in (?, ?)",
                (state, time.time(), number, *UNFINISHED),
            )

    def forget(self, before: float) -> None:
        """Forget the jobs that ended long ago."""
        with self._open() as database:
            database.execute("delete from jobs where ended < ?", (before,))

    # Results: what a page shows of the data, in files that only the owner can read.

    def write_result(self, number: int, result: Mapping[str, object]) -> None:
        """Write what came of a job so far, whole or not at all."""
        path = self._results / f"{number}.json"
        temporary = path.with_suffix(".part")
        handle = os.open(temporary, os.O_CREAT | os.O_WRONLY | os.O_TRUNC, 0o600)
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            json.dump(result, file, ensure_ascii=False)
        temporary.replace(path)

    def result(self, number: int) -> dict[str, Any]:
        """Return what came of a job so far; empty if nothing has, or it was swept."""
        try:
            found: dict[str, Any] = json.loads((self._results / f"{number}.json").read_bytes())
        except FileNotFoundError:
            return {}
        return found

    def beside(self, number: int, ending: str) -> Path:
        """Return where a result is kept that is no text, such as codes of many rows."""
        return self._results / f"{number}.{ending}"

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        with closing(sqlite3.connect(self._path, timeout=30, isolation_level=None)) as database:
            database.row_factory = sqlite3.Row
            yield database


def _job(row: sqlite3.Row) -> Job:
    fields = dict(row)
    fields["arguments"] = json.loads(fields["arguments"])
    fields["counted"] = bool(fields["counted"])
    return Job(**fields)


class Supervisor:
    """Starts one queued job after the other, each in a process, and ends what must end.

    Parameters
    ----------
    jobs : Jobs
        Where jobs are queued.
    folder : Path
        The folder that jobs work in.
    """

    def __init__(self, jobs: Jobs, folder: Path) -> None:
        self._jobs = jobs
        self._folder = folder
        self._wake = threading.Event()
        self._is_over = False
        self._cancelled: set[int] = set()
        self._lock = threading.Lock()
        self._thread = threading.Thread(target=self._work, daemon=True)

    def start(self) -> None:
        """Say what became of the jobs of an earlier run of the app, and begin with the queue."""
        for job in self._jobs.recent(1000):
            if not job.is_over:
                if job.pid is not None and process_born(job.pid) == job.born:
                    _signal(job.pid, signal.SIGKILL)  # nobody would hear its end
                self._jobs.end(job.id, "interrupted")
        self._thread.start()

    def submit(self, kind: str, arguments: Mapping[str, object], *, then_to: str) -> int:
        """Queue a job and return its number."""
        number = self._jobs.add(kind, arguments, then_to=then_to)
        self._wake.set()
        return number

    def cancel(self, number: int) -> None:
        """Take a job from the queue, or end its process; returns at once."""
        with self._lock:
            self._cancelled.add(number)
        job = self._jobs.get(number)
        if job.state == "queued":
            self._jobs.end(number, "cancelled")
        self._wake.set()

    def close(self) -> None:
        """End the running job and start no other."""
        self._is_over = True
        self._wake.set()
        self._thread.join(sum(PATIENCE) + 5)

    def _work(self) -> None:
        while not self._is_over:
            try:
                job = self._jobs.next_queued()
                if job is not None:
                    self._run(job)
                    continue
            except (sqlite3.Error, OSError):
                pass  # a full disk takes no note of it: the job stays queued, or is tried again
            self._wake.wait(1)
            self._wake.clear()

    def _run(self, job: Job) -> None:
        command = [sys.executable, "-m", "discreet.web.work", str(self._folder), str(job.id)]
        # A session of its own: Ctrl-C in the terminal is for the app, which ends the job.
        process = subprocess.Popen(  # noqa: S603  our own module
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            cwd=self._folder,
        )
        try:
            born = process_born(process.pid)
            self._jobs.update(job.id, state="running", pid=process.pid, born=born)
        except BaseException:
            process.kill()  # what nobody knows of must not run
            process.wait()
            raise
        asked: float | None = None
        steps = iter(((signal.SIGTERM, PATIENCE[0]), (signal.SIGKILL, PATIENCE[1])))
        pending = next(steps)
        while process.poll() is None:
            wanted = self._is_over or job.id in self._cancelled
            if wanted and asked is None:
                asked = time.monotonic()
                _signal(process.pid, signal.SIGINT)
            elif asked is not None and time.monotonic() - asked > pending[1]:
                _signal(process.pid, pending[0])
                asked, pending = time.monotonic(), next(steps, pending)
            time.sleep(0.05)
        assert process.stdin is not None
        process.stdin.close()
        # Who ended well has said so; who was killed could not.
        state: State = "cancelled" if job.id in self._cancelled else "failed"
        self._end(job.id, "interrupted" if self._is_over else state)

    def _end(self, number: int, state: State) -> None:
        """Write how a job ended; on a full disk, as soon as there is room."""
        while True:
            try:
                return self._jobs.end(number, state)
            except sqlite3.Error:
                if self._is_over:
                    return None  # the next start says that it was interrupted
                time.sleep(1)


FULL: Final = "The disk is full, or takes no file so large. Make room, and start it again."


def said_of_disk(error: OSError) -> str:
    """Return what the system said of a file; its path is not repeated."""
    if error.errno in (errno.ENOSPC, errno.EFBIG, errno.EDQUOT):
        return FULL
    return f"A file could not be read or written: {error.strerror or type(error).__name__}."


def process_born(pid: int) -> str | None:
    """Return when a process was started, as the system writes it; None if there is none."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:  # noqa: PTH123  no path of the user's
            return file.read().rpartition(b")")[2].split()[19].decode()
    except (OSError, IndexError):
        try:
            os.kill(pid, 0)
        except OSError:
            return None
        return "unknown"


def _signal(pid: int, number: int) -> None:
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        return
