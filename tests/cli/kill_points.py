"""Kill a command before each of its file operations, one child each, and look at what is left.

Run as a script: ``python -m tests.cli.kill_points FOLDER CASE SIGNAL STEP``. Operations are
counted by an audit hook, so that every run is killed at the same places. The parent itself
never computes: children of a process with running threads could wait for ever.
"""

from __future__ import annotations

import itertools
import os
import shutil
import signal
import sys
from collections.abc import Callable
from pathlib import Path

import discreet.report.html
import discreet.verify  # noqa: F401  imported once, before the children
from discreet.cli import main
from discreet.policy import run_policy
from discreet.release.folder import left_behind
from discreet.release.ledger import Ledger
from discreet.verify import verify_release
from tests.policy.people import POLICY, write_people, write_policy

LEDGER = '\n[ledger]\npath = "ledger.sqlite"\nsource = "people"\n'
SETTINGS = "-k 3 --bins age=40,60 --role name=identifying --format csv"
CALLS = {
    "protect": f"protect k-mii people.csv {SETTINGS} -o out",
    "replace": f"protect k-mii people.csv {SETTINGS} -o out --overwrite --ledger ledger.sqlite "
    "--source people --internal-report internal.html",
    "run": "run policy.toml -o out",
    "init": "init people.csv -o new.toml",
    "demo": "demo -o demo --rows 300",
}
KEPT = {"people.csv", "policy.toml", "ledger.sqlite", "ledger.sqlite-shm", "ledger.sqlite-wal"}
MADE = {"out", "internal.html", "new.toml", "demo"}


def in_child(work: Callable[[], int]) -> int:
    """Do some work in a child and return its exit code; a negative one is a signal."""
    child = os.fork()
    if child == 0:
        code = 99
        try:
            code = work()
        except SystemExit as stop:
            code = stop.code if isinstance(stop.code, int) else 1
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def command(case: str, point: int | None, how: signal.Signals) -> int:
    """Run a command that is sent a signal before its n-th file operation in this folder."""
    here, seen = str(Path.cwd()), 0

    def count(event: str, arguments: tuple[object, ...]) -> None:
        nonlocal seen
        if not event.startswith(("open", "os.", "shutil.", "sqlite3.")):
            return
        paths = [os.fspath(each) for each in arguments if isinstance(each, str | os.PathLike)]
        if any(isinstance(path, str) and is_here(path) for path in paths):
            seen += 1
            if seen == point:
                os.kill(os.getpid(), how)

    def is_here(path: str) -> bool:
        return path.removeprefix("file://").startswith(here) or path in CALLS[case].split()

    if point is not None:
        sys.addaudithook(count)
    sys.argv = ["discreet", *CALLS[case].split()]
    quiet = os.open(os.devnull, os.O_WRONLY)
    os.dup2(quiet, 1)
    os.dup2(quiet, 2)
    main()
    return 0


def set_up(case: str) -> int:
    """Make the people, the policy and what was there before."""
    write_people(Path.cwd(), 60)
    write_policy(Path.cwd(), POLICY + (LEDGER if case in ("run", "replace") else ""))
    if case == "replace":
        run_policy("policy.toml", "out")
        Path("internal.html").write_text("old")
    return 0


def check(case: str, *, interrupted: bool) -> int:
    """Check what is left, then that the command works and tidies up."""
    found = {path.name for path in Path.cwd().iterdir()}
    hidden = found - KEPT - MADE
    assert all(name.startswith(".") for name in hidden), hidden
    assert not (interrupted and case != "replace" and hidden), hidden
    for made in ("out", "demo/release"):
        if Path(made).exists():
            assert verify_release(made).passed, made
            assert not (Path(made) / "release").exists()
    assert case != "replace" or "out" in found or left_behind(Path("out"))
    if "new.toml" in found:
        assert Path("new.toml").read_text().endswith('"survey 2026"\n')
    n_published = int("out" in found)
    if case in ("run", "replace") and "ledger.sqlite" in found:
        assert len(Ledger.open("ledger.sqlite").entries("people")) >= n_published
    Path("new.toml").unlink(missing_ok=True)
    shutil.rmtree("out") if case != "replace" and "out" in found else None
    assert in_child(lambda: command(case, None, signal.SIGKILL)) == 0
    left = {path.name for path in Path.cwd().iterdir()} - KEPT - MADE
    assert case == "init" or not {name for name in left if name.startswith(".out")}, left
    return 0


def checked(case: str, people: bytes, *, interrupted: bool) -> int:
    assert Path("people.csv").read_bytes() == people
    return check(case, interrupted=interrupted)


def go_through(folder: Path, case: str, how: signal.Signals, step: int) -> int:
    """Try every point; return how many there are."""
    for point in itertools.count(1, step):
        work = folder / f"work{point}"
        work.mkdir()
        os.chdir(work)
        assert in_child(lambda: set_up(case)) == 0
        people = Path("people.csv").read_bytes()
        code = in_child(lambda: command(case, point, how))  # noqa: B023  run at once
        assert code in ((0, -how) if how == signal.SIGKILL else (0, 130)), (point, code)
        interrupted = code == 130
        passed = in_child(lambda: checked(case, people, interrupted=interrupted))  # noqa: B023
        assert passed == 0, f"{case} at {point}: see {work}"
        os.chdir(folder)
        shutil.rmtree(work)
        if code == 0:
            return point
    raise AssertionError


if __name__ == "__main__":
    where, which, name, stride = sys.argv[1:]
    print(go_through(Path(where), which, signal.Signals[name], int(stride)))  # noqa: T201
