"""Under load and when the machine fails: nothing lost or half-published, each said plainly."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import discreet as dc
from discreet.web.desk import Desk
from discreet.web.jobs import Job, Jobs, process_born
from discreet.web.project import PRIVATE
from tests.web.conftest import Running, running
from tests.web.test_guard import ask

POLICY = """\
[source]
file = "people.csv"

[method]
name = "k-mii"
k = 5
"""
SLOW = {"policy": "policy.toml", "ks": list(range(2, 90))}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "survey"
    made.mkdir()
    people = dc.datasets.census(2000, seed=1).select(["sex", "region", "education"])
    dc.write_table(people, made / "people.csv")
    (made / "policy.toml").write_text(POLICY)
    return made


@pytest.fixture
def desk(folder: Path) -> Iterator[Desk]:
    made = Desk(folder)
    made.supervisor.start()
    yield made
    made.supervisor.close()


def until(jobs: Jobs, number: int, what: str, *, seconds: float = 120) -> Job:
    """Wait until a job is ``over``, or has ``begun``."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        job = jobs.get(number)
        if job.is_over or (what == "begun" and job.pid is not None):
            return job
        time.sleep(0.02)
    raise AssertionError(jobs.get(number))


def let_in(app: Running) -> str:
    answer = ask(app, "GET", app.address.removeprefix(app.root))
    return str(answer.getheader("set-cookie")).partition(";")[0]


def post(app: Running, cookie: str, path: str, body: str = "") -> str:
    """Send a form and return where it leads."""
    answer = ask(
        app, "POST", path, body.encode(), Cookie=cookie, Origin=app.root,
        Content_Type="application/x-www-form-urlencoded",
    )  # fmt: skip
    assert answer.status == 303, answer.body
    return str(answer.getheader("location"))


def test_twenty_tabs_three_jobs_one_cancelled_one_killed(folder: Path) -> None:
    with running(folder) as app:
        cookie = let_in(app)
        jobs = [post(app, cookie, "/policy/policy.toml/run", f"release=r{n}") for n in range(3)]
        jobs.append(post(app, cookie, "/census"))
        numbers = [int(path.rpartition("/")[2]) for path in jobs]
        post(app, cookie, f"{jobs[1]}/cancel")
        statuses: list[int] = []
        is_over = threading.Event()

        def tab(place: int) -> None:
            while not is_over.is_set():
                path = f"/job/{numbers[place % 4]}/part"
                statuses.append(ask(app, "GET", path, Cookie=cookie).status)
                time.sleep(0.2)

        tabs = [threading.Thread(target=tab, args=(n,)) for n in range(20)]
        for each in tabs:
            each.start()
        known = Jobs(folder / PRIVATE)
        killed = until(known, numbers[2], "begun")
        if killed.pid is not None and not killed.is_over:
            os.kill(killed.pid, signal.SIGKILL)
        states = [until(known, number, "over").state for number in numbers]
        is_over.set()
        for each in tabs:
            each.join()
        assert states[:2] == ["done", "cancelled"]
        assert states[2] in ("failed", "done")  # it may have been faster than the signal
        assert states[3] == "done"
        assert set(statuses) == {200}
        said = ask(app, "GET", jobs[2], Cookie=cookie).body.decode()
        assert states[2] == "done" or "Nothing was published" in said
        assert dc.verify_release(folder / "r0").answer == "verified"
        left = {path.name for path in folder.iterdir()} - {"r2"}
        assert left == {"people.csv", "policy.toml", "census.csv", "r0", PRIVATE}


def test_a_killed_app_says_what_was_interrupted(folder: Path) -> None:
    people = dc.datasets.census(60_000, seed=2).select(["sex", "region", "education"])
    dc.write_table(people, folder / "people.csv", overwrite=True)
    with running(folder) as app:
        cookie = let_in(app)
        path = post(app, cookie, "/policy/policy.toml/run", "release=out")
        begun = until(Jobs(folder / PRIVATE), int(path.rpartition("/")[2]), "begun")
        app.process.kill()
        app.process.wait()
    assert begun.pid is not None
    end = time.monotonic() + 60
    while process_born(begun.pid) == begun.born and time.monotonic() < end:
        time.sleep(0.05)
    assert process_born(begun.pid) != begun.born
    with running(folder) as app:
        cookie = let_in(app)
        said = ask(app, "GET", path, Cookie=cookie).body.decode()
        assert "Cancelled" in said or "Interrupted: nothing was published" in said
    assert {path.name for path in folder.iterdir()} == {"people.csv", "policy.toml", PRIVATE}


def test_a_full_disk_is_said_and_nothing_half_written(folder: Path) -> None:
    """Files may not grow beyond 300 kB: as on a disk that is full, writing fails in the middle."""
    people = dc.datasets.census(60_000, seed=2).select(["sex", "region", "education"])
    dc.write_table(people, folder / "people.csv", overwrite=True)
    (folder / "policy.toml").write_text(POLICY + '\n[release]\nformat = "csv"\n')
    with running(folder, most_bytes=300_000) as app:
        cookie = let_in(app)
        paths = [post(app, cookie, "/policy/policy.toml/run", "release=out"),
                 post(app, cookie, "/census")]  # fmt: skip
        known = Jobs(folder / PRIVATE)
        job = until(known, int(paths[0].rpartition("/")[2]), "over")
        after = until(known, int(paths[1].rpartition("/")[2]), "over")
        said = ask(app, "GET", paths[0], Cookie=cookie).body.decode()
        assert job.state == "failed"
        assert "Nothing was published" in said
        assert "disk" in said
        assert after.state == "failed"  # the census is larger, too
    left = {path.name for path in folder.iterdir()}
    assert left == {"people.csv", "policy.toml", PRIVATE}


def test_many_real_starts_and_cancels_leave_nothing(desk: Desk) -> None:
    n = int(os.environ.get("DISCREET_SOAK", "20"))
    files = Path("/proc/self/fd")
    before = len(list(files.iterdir())) if files.exists() else 0
    pids, resident = [], []
    for place in range(n):
        number = desk.supervisor.submit("plan", SLOW, then_to="/")
        job = until(desk.jobs, number, "begun")
        if place % 3:
            time.sleep(0.05 * (place % 7))
        desk.supervisor.cancel(number)
        assert until(desk.jobs, number, "over").state == "cancelled"
        pids.append((job.pid, job.born))
        resident.append(_resident())
    assert all(pid is None or process_born(pid) != born for pid, born in pids)
    children = ["ps", "--ppid", str(os.getpid()), "-o", "args="]
    left = subprocess.run(children, capture_output=True, check=False, text=True).stdout
    assert "discreet.web.work" not in left
    assert {path.name for path in desk.project.folder.iterdir()} == {
        "people.csv", "policy.toml", PRIVATE,
    }  # fmt: skip
    assert not list((desk.project.private / "uploads").iterdir())
    if before:
        assert len(list(files.iterdir())) <= before + 2
    if len(resident) >= 20:  # the first starts load what all need
        assert resident[-1] - resident[9] < 20 * 1024**2
    if n > 100:
        print(f"{n} starts, {resident[9]:,} bytes after 10, {resident[-1]:,} after all")  # noqa: T201  what a long run is for


def _resident() -> int:
    place = Path("/proc/self/statm")
    if place.exists():
        return int(place.read_text().split()[1]) * resource.getpagesize()
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def test_the_browser_is_opened_through_a_file_that_nobody_else_reads(folder: Path) -> None:
    seen = folder.parent / "opened"
    script = folder.parent / "browser.sh"
    script.write_text(f'#!/bin/sh\nstat -c %a "${{1#file://}}" > {seen}.part\n'
                      f'cat "${{1#file://}}" >> {seen}.part\nmv {seen}.part {seen}\n')  # fmt: skip
    script.chmod(0o700)
    app = subprocess.Popen(
        [sys.executable, "-m", "discreet", "app", str(folder)], stdout=subprocess.PIPE,
        stdin=subprocess.DEVNULL, text=True, env={**os.environ, "BROWSER": f"{script} %s"},
    )  # fmt: skip
    end = time.monotonic() + 60
    while not seen.exists() and time.monotonic() < end:
        time.sleep(0.05)
    app.send_signal(signal.SIGINT)
    said, _ = app.communicate(timeout=60)
    assert seen.read_text().startswith("600\n<meta http-equiv=")
    assert "/enter?code=" in seen.read_text()
    assert "/enter?code=" not in said
    assert not (folder / PRIVATE / "enter.html").exists()
