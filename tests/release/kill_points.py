"""Kill a save at many of the lines it runs, one child each, and look at what is left.

Run as a script: ``python -m tests.release.kill_points FOLDER new|exchange|aside``. SIGKILL leaves
a process no time to tidy up.
"""

from __future__ import annotations

import itertools
import os
import shutil
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING

from discreet.data.table import Table
from discreet.release import folder as folders
from discreet.release.release import Release
from tests.release.claims import k_anonymity

if TYPE_CHECKING:
    from _typeshed import TraceFunction

EVERY = ("release/folder.py", "release/exchange.py")  # where names change: every line
SOME = ("release/files.py", "release/release.py", "files/atomic.py", "data/write.py", "shutil.py")
STEP = 40  # of the lines that only write inside the hidden folder


def release_of(value: str) -> Release:
    table = Table.from_codes({"age": [0, 0], "sex": [0, 0]}, {"age": [value], "sex": ["f"]})
    return Release(data=table, guarantee=k_anonymity(2))


def save(target: Path, value: str) -> None:
    release_of(value).save(target, format="csv", overwrite=True, report=value, policy=value)


def killed_at(point: int, work: Callable[[], None]) -> bool:
    """Run some work in a child that is killed before its n-th line; say whether it was."""
    child = os.fork()
    if child == 0:
        seen = others = 0

        def count(frame: FrameType, event: str, _: object) -> TraceFunction | None:
            nonlocal seen, others
            critical = frame.f_code.co_filename.endswith(EVERY)
            if not critical and not frame.f_code.co_filename.endswith(SOME):
                return None
            if event == "line":
                others += not critical
                seen += critical or others % STEP == 0
                if seen == point:
                    os.kill(os.getpid(), signal.SIGKILL)
            return count

        try:
            sys.settrace(count)
            work()
        finally:
            sys.settrace(None)
            os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) != 0


def state(target: Path) -> str:
    """Return which whole release is there, or that none is; anything else is an error."""
    if not target.exists():
        return "none"
    pages = {path.read_text() for path in (target / "report.html", target / "policy.toml")}
    assert sorted(path.name for path in target.iterdir()) == [
        "certificate.json", "data.csv", "policy.toml", "report.html"]  # fmt: skip
    (value,) = pages
    check_hashes(target)
    return value


def check_hashes(target: Path) -> None:
    """Check the hashes of all files, without the slow reading of data."""
    from discreet.release.folder import _check_files, _read_certificate

    _check_files(target, _read_certificate(target))


def main(folder: Path, way: str) -> None:
    vars(os)["fsync"] = lambda _handle: None  # for power cuts; against a kill it only takes time
    if way == "aside":
        vars(folders)["exchange"] = lambda _left, _right: False
    allowed = {"new": {"none", "new"}, "exchange": {"old", "new"}, "aside": {"old", "new", "none"}}
    seen: dict[str, int] = {}
    for point in itertools.count(1, 1 if way == "aside" else 2):  # which runs all the lines
        work = folder / "work"
        work.mkdir()
        target = work / "out"
        if way != "new":
            save(target, "old")
        died = killed_at(point, lambda target=target: save(target, "new"))  # type: ignore[misc]
        found = state(target)
        assert found in allowed[way], (point, found)
        seen[found] = seen.get(found, 0) + 1
        others = [path for path in work.iterdir() if path != target]
        assert all(path.name.startswith(".out.discreet-") for path in others), others
        if way == "aside" and found == "none":  # the former one is whole under its hidden name
            folders.clean_up(target)
            assert state(target) == "old"
        save(target, "next")
        assert state(target) == "next"
        assert list(work.iterdir()) == [target], (point, list(work.iterdir()))
        shutil.rmtree(work)
        if not died:
            break
    print(point, sorted(seen.items()))  # noqa: T201  read by the test


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
