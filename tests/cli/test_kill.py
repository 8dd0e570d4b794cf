"""A command that is killed leaves a whole, verifiable result, or none; never a half one."""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.cli.kill_points import CALLS, PAGE
from tests.conftest import Outcome

from discreet.policy.demo import FILES
from discreet.release.ledger import Ledger
from discreet.verify import verify_release

Run = Callable[..., Outcome]
KNOWN = {"people.csv", "policy.toml", "ledger.sqlite", "ledger.sqlite-shm", "ledger.sqlite-wal"}
MADE = {"out", "demo", "new.toml", "page.html", "internal.html"}


def points(*arguments: object) -> subprocess.CompletedProcess[str]:
    """Run the script of points in a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "tests.cli.kill_points", *map(str, arguments)],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        check=False,
    )


def check(folder: Path, case: str, people: bytes) -> str:
    """Check what a kill left; return which of the things it makes are there."""
    names = {path.name for path in folder.iterdir()}
    assert (folder / "people.csv").read_bytes() == people
    assert all(name.startswith(".") for name in names - KNOWN - MADE), names
    for release in (folder / "out", folder / "demo" / "release"):
        if release.exists():
            assert verify_release(release).answer != "refuted"
    for page in ("page.html", "internal.html"):
        if page in names:
            assert (folder / page).read_text().rstrip().endswith("</html>")
    if "new.toml" in names:
        assert (folder / "new.toml").read_text().endswith('"survey 2026"\n')
    if "demo" in names:
        assert {path.name for path in (folder / "demo").iterdir()} == set(FILES)
    if case in ("run", "replace") and "ledger.sqlite" in names:
        entries = Ledger.open(folder / "ledger.sqlite").entries("people")
        assert case != "run" or len(entries) >= int("out" in names)
        assert case != "replace" or len(entries) in (1, 2)
    if case in ("replace", "report"):
        assert "out" in names
    return " ".join(sorted(names & MADE))


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What each command would leave if it were killed, for all of its points."""
    folder = tmp_path_factory.mktemp("recorded")
    ended = points("record", folder)
    assert ended.returncode == 0, ended.stderr
    return folder


@pytest.mark.parametrize("case", CALLS)
def test_killed_at_any_point(
    discreet: Run, recorded: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, case: str
) -> None:
    shutil.copytree(recorded / case / "copies", tmp_path / "copies")
    people = (recorded / case / "work" / "people.csv").read_bytes()
    folders = sorted((tmp_path / "copies").iterdir())
    assert len(folders) >= 4
    seen = [check(folder, case, people) for folder in folders]
    assert len(set(seen)) > 1 or case == "replace"
    if case != "report":
        monkeypatch.setattr("discreet.report.page.html_report", lambda *_, **__: PAGE)
    # Wherever it was killed, the next run goes through and tidies up.
    for folder in (folders[len(folders) // 2], folders[-2]):
        monkeypatch.chdir(folder)
        call = CALLS[case]
        if "out" in {path.name for path in folder.iterdir()} and case in ("protect", "run"):
            call += " --overwrite"
        (folder / "new.toml").unlink(missing_ok=True)
        (folder / "page.html").unlink(missing_ok=True)
        assert discreet(*call.split()).code == 0
        left = {path.name for path in folder.iterdir()} - KNOWN - MADE
        assert not [name for name in left if ".discreet-" in name], left


def test_a_kill_leaves_what_was_recorded(recorded: Path, tmp_path: Path) -> None:
    copies = sorted((recorded / "protect" / "copies").iterdir())[:-1]

    def visible(folder: Path) -> list[str]:
        return sorted(
            str(path.relative_to(folder))
            for path in folder.rglob("*")
            if not str(path.relative_to(folder)).startswith(".") and "sqlite-" not in path.name
        )

    for share in (0.2, 0.9):
        chosen = copies[int(share * len(copies))]
        killed = tmp_path / f"killed-{chosen.name}"
        killed.mkdir()
        ended = points("kill", killed, "protect", int(chosen.name))
        assert ended.returncode == -signal.SIGKILL
        assert visible(killed) == visible(chosen)
        check(killed, "protect", (recorded / "protect" / "work" / "people.csv").read_bytes())


def test_interrupted_at_any_point(tmp_path: Path) -> None:
    ended = points("interrupt", tmp_path)
    assert ended.returncode == 0, ended.stderr
