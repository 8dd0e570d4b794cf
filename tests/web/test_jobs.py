"""Jobs: queued, run, cancelled, killed; nothing half-published, nothing lost."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import discreet as dc
from discreet.errors import DataError, ParameterError
from discreet.web.desk import Desk
from discreet.web.jobs import Job, Supervisor, process_born
from discreet.web.project import PRIVATE, Project, StaleError

POLICY = """\
# A remark that stays.
[source]
file = "people.csv"

[roles]
region = "sensitive"  # and why

[method]
name = "k-mii"
k = 5
"""


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    people = dc.datasets.census(2000, seed=1).select(["sex", "region", "education"])
    dc.write_table(people, tmp_path / "people.csv")
    (tmp_path / "policy.toml").write_text(POLICY)
    made = Desk(tmp_path)
    made.supervisor.start()
    yield made
    made.supervisor.close()


def ended(desk: Desk, number: int, *, seconds: float = 60) -> Job:
    until = time.monotonic() + seconds
    while not (job := desk.jobs.get(number)).is_over:
        assert time.monotonic() < until, job
        time.sleep(0.05)
    return job


def running(desk: Desk, number: int) -> Job:
    until = time.monotonic() + 60
    while (job := desk.jobs.get(number)).pid is None or job.stage == "":
        assert not job.is_over
        assert time.monotonic() < until
        time.sleep(0.02)
    return job


def test_a_run_is_verified_and_nothing_of_the_data_is_in_the_list_of_jobs(desk: Desk) -> None:
    arguments = {"policy": "policy.toml", "release": "out"}
    job = ended(desk, desk.supervisor.submit("run", arguments, then_to="/"))
    assert (job.state, desk.jobs.result(job.id)["method"]) == ("done", "k-mii")
    assert dc.verify_release(desk.project.folder / "out").answer == "verified"
    table = dc.load(desk.project.folder / "people.csv")
    assert isinstance(table, dc.Table)
    kept = (desk.project.private / "jobs.sqlite").read_bytes()
    values = [str(value) for value in table.values("region")]
    assert not any(value.encode() in kept for value in values), values
    result = desk.project.private / "results" / f"{job.id}.json"
    assert stat.S_IMODE(result.stat().st_mode) == 0o600


def test_an_error_is_said_in_the_words_of_the_library(desk: Desk) -> None:
    (desk.project.folder / "people.csv").write_text("sex,region\n")
    job = ended(desk, desk.supervisor.submit("look", {"policy": "policy.toml"}, then_to="/"))
    assert job.state == "failed"
    assert "no rows" in desk.jobs.result(job.id)["error"]


def test_jobs_wait_for_each_other_and_a_waiting_one_is_taken_out(desk: Desk) -> None:
    slow = {"policy": "policy.toml", "ks": list(range(2, 60))}
    first = desk.supervisor.submit("plan", slow, then_to="/")
    second = desk.supervisor.submit("plan", slow, then_to="/")
    third = desk.supervisor.submit("look", {"policy": "policy.toml"}, then_to="/")
    running(desk, first)
    assert desk.jobs.get(second).state == "queued"
    desk.supervisor.cancel(second)
    desk.supervisor.cancel(first)
    assert ended(desk, second).state == "cancelled"
    assert ended(desk, first).state == "cancelled"
    assert ended(desk, third).state == "done"
    assert desk.jobs.get(second).pid is None


def test_a_cancelled_run_leaves_no_folder(desk: Desk) -> None:
    people = dc.datasets.census(60_000, seed=2)
    dc.write_table(people, desk.project.folder / "people.csv", overwrite=True)
    number = desk.supervisor.submit("run", {"policy": "policy.toml", "release": "out"}, then_to="/")
    running(desk, number)
    desk.supervisor.cancel(number)
    assert ended(desk, number).state == "cancelled"
    left = {path.name for path in desk.project.folder.iterdir()}
    assert left == {"people.csv", "policy.toml", PRIVATE}


def test_a_killed_worker_is_said_and_the_next_job_runs(desk: Desk) -> None:
    slow = {"policy": "policy.toml", "ks": list(range(2, 60))}
    number = desk.supervisor.submit("plan", slow, then_to="/")
    pid = running(desk, number).pid
    assert pid is not None
    os.kill(pid, signal.SIGKILL)
    assert ended(desk, number).state == "failed"
    after = desk.supervisor.submit("look", {"policy": "policy.toml"}, then_to="/")
    assert ended(desk, after).state == "done"


def test_a_worker_ends_with_the_app(tmp_path: Path, desk: Desk) -> None:
    code = (
        "import sys, time\n"
        "from discreet.web.desk import Desk\n"
        "desk = Desk(sys.argv[1])\n"
        "desk.supervisor.start()\n"
        "desk.supervisor.submit('plan', {'policy': 'policy.toml', 'ks': list(range(2, 90))},"
        " then_to='/')\n"
        "time.sleep(600)\n"
    )
    desk.supervisor.close()
    app = subprocess.Popen([sys.executable, "-c", code, str(desk.project.folder)])
    number = None
    until = time.monotonic() + 60
    while number is None and time.monotonic() < until:
        found = [job for job in desk.jobs.recent() if job.state == "running" and job.stage]
        number = found[0].id if found else None
        time.sleep(0.05)
    assert number is not None
    pid = desk.jobs.get(number).pid
    assert pid is not None
    app.kill()
    app.wait()
    while process_born(pid) is not None and time.monotonic() < until:
        time.sleep(0.05)
    assert process_born(pid) is None
    assert not (desk.project.folder / "out").exists()
    again = Desk(desk.project.folder)
    again.supervisor.start()
    assert again.jobs.get(number).is_over
    again.supervisor.close()
    del tmp_path


def test_jobs_of_an_app_that_was_killed_are_interrupted(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    queued = desk.jobs.add("look", {"policy": "policy.toml"}, then_to="/")
    ran = desk.jobs.add("run", {"policy": "policy.toml", "release": "out"}, then_to="/")
    desk.jobs.update(ran, state="running", pid=2**22 + 1, born="1", stage="verify", counted=1)
    again = Desk(tmp_path)
    again.supervisor.start()
    again.supervisor.close()
    assert [again.jobs.get(each).state for each in (queued, ran)] == ["interrupted"] * 2
    assert again.jobs.get(ran).counted


def test_another_process_with_the_number_is_left_alone(tmp_path: Path) -> None:
    other = subprocess.Popen(["/bin/sleep", "60"])  # no job of ours
    desk = Desk(tmp_path)
    ran = desk.jobs.add("look", {}, then_to="/")
    desk.jobs.update(ran, state="running", pid=other.pid, born="1")
    again = Supervisor(desk.jobs, desk.project.folder)
    again.start()
    again.close()
    assert other.poll() is None
    other.kill()
    other.wait()


def _n_open() -> int:
    place = Path("/proc/self/fd")
    return len(list(place.iterdir())) if place.exists() else 0


def test_many_starts_and_cancels_leave_nothing(desk: Desk) -> None:
    before = _n_open()
    numbers = []
    for _ in range(int(os.environ.get("DISCREET_SOAK", "6"))):
        numbers.append(desk.supervisor.submit("look", {"policy": "policy.toml"}, then_to="/"))
        time.sleep(0.01)
        desk.supervisor.cancel(numbers[-1])
    assert {ended(desk, each).state for each in numbers} <= {"cancelled", "done"}
    pids = [pid for each in numbers if (pid := desk.jobs.get(each).pid) is not None]
    assert [process_born(pid) for pid in pids] == [None] * len(pids)
    assert {path.name for path in desk.project.folder.iterdir()} == {
        "people.csv", "policy.toml", PRIVATE,
    }  # fmt: skip
    if before:
        assert _n_open() <= before + 2


# Policies, edited in place.


def test_an_edit_keeps_remarks_and_can_be_undone_byte_for_byte(tmp_path: Path) -> None:
    project = Project(tmp_path)
    (tmp_path / "policy.toml").write_text(POLICY)
    version = project.text("policy.toml").version
    project.edit("policy.toml", version, lambda text: text["roles"].update({"sex": "quasi"}))
    changed = project.text("policy.toml").text
    assert "# A remark that stays." in changed
    assert "# and why" in changed
    assert project.policy("policy.toml").roles == {"region": "sensitive", "sex": "quasi"}
    project.undo("policy.toml")
    assert (tmp_path / "policy.toml").read_text() == POLICY
    project.redo("policy.toml")
    assert project.text("policy.toml").text == changed


def test_an_outdated_page_and_a_wrong_value_change_nothing(tmp_path: Path) -> None:
    project = Project(tmp_path)
    (tmp_path / "policy.toml").write_text(POLICY)
    version = project.text("policy.toml").version
    with pytest.raises(ParameterError, match="role"):
        project.edit("policy.toml", version, lambda text: text["roles"].update({"sex": "rols"}))
    (tmp_path / "policy.toml").write_text(POLICY + "\n")
    with pytest.raises(StaleError, match="changed meanwhile"):
        project.edit("policy.toml", version, lambda text: text["roles"].update({"sex": "quasi"}))
    assert (tmp_path / "policy.toml").read_text() == POLICY + "\n"


@pytest.mark.parametrize("name", ["../x", "/etc/passwd", ".", PRIVATE, f"{PRIVATE}/jobs.sqlite"])
def test_no_path_leads_out(tmp_path: Path, name: str) -> None:
    with pytest.raises(DataError, match=r"outside of the folder|belongs to the app"):
        Project(tmp_path).path(name)
