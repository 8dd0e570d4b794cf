"""What a command leaves if it is killed before its n-th file operation, for every n.

``record`` runs every command once and copies the folder before each of its file operations, which
an audit hook sees: SIGKILL at that moment leaves exactly this. ``kill`` does kill a command, to
show that it is so. ``interrupt`` sends SIGINT at one point after the other. Each is one process.
"""

from __future__ import annotations

import itertools
import os
import shutil
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.policy.people import POLICY, write_people, write_policy

from discreet.cli import main
from discreet.policy import run_policy
from discreet.report import page as report_page

LEDGER = '\n[ledger]\npath = "ledger.sqlite"\nsource = "people"\n'
SETTINGS = "-k 3 --bins age=40,60 --role name=identifying --format csv"
CALLS = {
    "protect": f"protect k-mii people.csv {SETTINGS} -o out --no-report",
    "replace": f"protect k-mii people.csv {SETTINGS} -o out --overwrite --ledger ledger.sqlite "
    "--source people --internal-report internal.html",
    "run": "run policy.toml -o out",
    "report": "report out -o page.html",
    "init": "init people.csv -o new.toml",
    "demo": "demo -o demo --rows 300",
}


PAGE = "<html>" + "a page takes seconds to draw, and no file operation\n" * 2000 + "</html>\n"

STEPS = {"protect": 7, "init": 1, "run": 60}  # from one interrupted operation to the next


def set_up(case: str) -> None:
    """Make the people, the policy and what was there before, in the folder one is in."""
    write_people(Path.cwd(), 60)
    write_policy(Path.cwd(), POLICY + (LEDGER if case in ("run", "replace") else ""))
    if case in ("replace", "report"):
        run_policy("policy.toml", "out")


def discreet(case: str) -> int:
    """Run the command and return its exit code; what it prints is of no interest here."""
    sys.argv = ["discreet", *CALLS[case].split()]
    try:
        main()
    except SystemExit as stop:
        return stop.code if isinstance(stop.code, int) else 0
    return 0


class Watch:
    """Calls something before each file operation in a folder, while it is on."""

    def __init__(self) -> None:
        self.then: Callable[[int], object] | None = None
        self.n_seen = 0
        sys.addaudithook(self._see)

    @contextmanager
    def on(self, then: Callable[[int], object]) -> Iterator[None]:
        self.then, self.n_seen = then, 0
        try:
            yield
        finally:
            self.then = None

    def _see(self, event: str, arguments: tuple[object, ...]) -> None:
        if self.then is None or not event.startswith(("open", "os.", "shutil.", "sqlite3.")):
            return
        here = str(Path.cwd())
        paths = [str(each) for each in arguments if isinstance(each, str | os.PathLike)]
        if any(not path.startswith("/") or here in path for path in paths):
            then, self.then = self.then, None  # not before operations of our own
            self.n_seen += 1
            try:
                then(self.n_seen)
            finally:
                self.then = then


def record(folder: Path) -> None:
    """Run each command in a folder of its own; copy that before each operation."""
    watch, page = Watch(), report_page.html_report
    for case in CALLS:
        vars(report_page)["html_report"] = page if case == "report" else lambda *_, **__: PAGE
        work, copies = folder / case / "work", folder / case / "copies"
        work.mkdir(parents=True)
        copies.mkdir()
        record_one(case, work, copies, watch)


def record_one(case: str, work: Path, copies: Path, watch: Watch) -> None:
    """Copy the folder before each operation of a command that changed it."""
    os.chdir(work)
    set_up(case)
    last: list[tuple[str, int, int]] = []

    def copy(point: int) -> None:
        nonlocal last
        now = [
            (str(path), path.stat().st_size, path.stat().st_ino) for path in sorted(work.rglob("*"))
        ]
        if now != last:  # reading changes nothing
            last = now
            shutil.copytree(work, copies / f"{point:05d}")

    with watch.on(copy):
        assert discreet(case) == 0
    shutil.copytree(work, copies / "99999")


def kill(case: str, work: Path, point: int) -> None:
    """Be killed before the n-th operation."""
    os.chdir(work)
    set_up(case)
    end = {point: lambda: os.kill(os.getpid(), signal.SIGKILL)}
    with Watch().on(lambda seen: end.get(seen, int)()):
        discreet(case)


def interrupt(work: Path) -> None:
    """Interrupt some of the commands at one point after the other."""
    watch = Watch()
    vars(report_page)["html_report"] = lambda *_, **__: PAGE
    for case, step in STEPS.items():
        for point in itertools.count(1, step):
            folder = work / f"{case}-{point}"
            folder.mkdir()
            if not interrupted(case, folder, point, watch):
                break
            shutil.rmtree(folder)
        assert point > step, case


def interrupted(case: str, folder: Path, point: int, watch: Watch) -> bool:
    """Interrupt a command before its n-th operation, which leaves what was there, or all."""
    os.chdir(folder)
    set_up(case)
    before = {path.name for path in folder.iterdir()}
    end = {point: lambda: os.kill(os.getpid(), signal.SIGINT)}
    with watch.on(lambda seen: end.get(seen, int)()):
        code = discreet(case)
    after = {path.name for path in folder.iterdir()}
    assert code in (0, 130), code
    new = {name for name in after - before if not name.startswith("ledger.sqlite")}
    assert new <= {"out", "demo", "new.toml", "page.html", "internal.html"}, (point, new)
    os.chdir(folder.parent)
    return code == 130


if __name__ == "__main__":
    way, where, *more = sys.argv[1:]
    if way == "kill":
        kill(more[0], Path(where), int(more[1]))
    else:
        {"record": record, "interrupt": interrupt}[way](Path(where))
