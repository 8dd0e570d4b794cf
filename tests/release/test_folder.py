"""Folders: whole or not at all, whatever happens; nothing foreign is ever replaced."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest

from discreet.errors import DataError, ParameterError
from discreet.release import folder as exchanges
from discreet.release import folder as folders
from discreet.release.folder import atomic_folder, clean_up, left_behind

FILES = ("a.txt",)
REPOSITORY = Path(__file__).parents[2]


def write(target: Path, text: str, *, overwrite: bool = False) -> None:
    with atomic_folder(target, files=FILES, overwrite=overwrite) as temporary:
        (temporary / "a.txt").write_text(text)


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@pytest.fixture(params=["exchange", "aside"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    if request.param == "aside":
        monkeypatch.setattr(folders, "exchange", lambda _left, _right: False)
    return str(request.param)


@pytest.mark.usefixtures("way")
def test_new_empty_and_replaced(tmp_path: Path) -> None:
    target = tmp_path / "out"
    target.mkdir()
    write(target, "1")
    with pytest.raises(ParameterError, match="overwrite=True"):
        write(target, "2")
    write(target, "3", overwrite=True)
    assert (target / "a.txt").read_text() == "3"
    assert names(tmp_path) == ["out"]


@pytest.mark.parametrize("error", [KeyboardInterrupt, ValueError])
def test_an_error_leaves_the_old_one(tmp_path: Path, error: type[BaseException]) -> None:
    target = tmp_path / "out"
    write(target, "1")

    def fail() -> None:
        with atomic_folder(target, files=FILES, overwrite=True) as temporary:
            (temporary / "a.txt").write_text("2")
            raise error

    with pytest.raises(error):
        fail()
    assert (target / "a.txt").read_text() == "1"
    assert names(tmp_path) == ["out"]


def test_a_full_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_handle: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(DataError, match="No space left"):
        write(tmp_path / "out", "1")
    assert names(tmp_path) == []


def test_what_is_never_replaced(tmp_path: Path) -> None:
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "thesis.tex").write_text("years of work")
    with pytest.raises(ParameterError, match=r"holds 'thesis\.tex'"):
        write(mine, "1", overwrite=True)
    file = tmp_path / "file"
    file.write_text("")
    link = tmp_path / "link"
    link.symlink_to(mine)
    for target in (file, link):
        with pytest.raises(ParameterError, match="is not a folder"):
            write(target, "1", overwrite=True)
    with pytest.raises(DataError, match="Make it first"):
        write(tmp_path / "no" / "out", "1")
    assert names(tmp_path) == ["file", "link", "mine"]


def test_the_working_folder_is_not_pulled_away(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ParameterError, match="folder you are in"):
        write(Path(), "1")
    write(Path("out"), "1")
    assert names(tmp_path) == ["out"]


def test_two_writers_of_one_name(tmp_path: Path) -> None:
    target = tmp_path / "out"

    def write_while_another_writes() -> None:
        with atomic_folder(target, files=FILES) as temporary:
            (temporary / "a.txt").write_text("first")
            write(target, "second")  # does not take the other's folder for one left behind

    with pytest.raises(ParameterError, match=r"exists|somebody else"):
        write_while_another_writes()
    assert (target / "a.txt").read_text() == "second"
    assert names(tmp_path) == ["out"]


def test_what_is_left_behind_is_known_by_its_name(tmp_path: Path) -> None:
    target = tmp_path / "out"
    for name in (".out.discreet-tmp-0123456789abcdef", ".out.discreet-tmp-mine", ".outer"):
        (tmp_path / name).mkdir()
    write(target, "1")
    assert names(tmp_path) == [".out.discreet-tmp-mine", ".outer", "out"]


def test_a_former_folder_that_stepped_aside_is_put_back(tmp_path: Path) -> None:
    target = tmp_path / "out"
    write(target, "1")
    target.rename(tmp_path / ".out.discreet-old-0123456789abcdef")
    assert len(left_behind(target)) == 1
    clean_up(target)
    assert (target / "a.txt").read_text() == "1"
    (tmp_path / ".out.discreet-old-0123456789abcdef").mkdir()
    clean_up(target)
    assert names(tmp_path) == ["out"]


def test_a_rename_that_fails_halfway_is_undone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "out"
    write(target, "1")
    monkeypatch.setattr(folders, "exchange", lambda _left, _right: False)
    rename = Path.rename

    def refuse_new(self: Path, to: Path) -> Path:
        if ".discreet-tmp-" in self.name:
            raise OSError(errno.EACCES, os.strerror(errno.EACCES))
        return rename(self, to)

    monkeypatch.setattr(Path, "rename", refuse_new)
    with pytest.raises(DataError, match="Permission denied"):
        write(target, "2", overwrite=True)
    assert (target / "a.txt").read_text() == "1"
    assert names(tmp_path) == ["out"]


def test_exchange_reports_what_it_cannot_do(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        exchanges.exchange(tmp_path / "a", tmp_path / "b")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.parametrize("way", ["new", "exchange", "aside"])
def test_killed_at_many_points(tmp_path: Path, way: str) -> None:
    run = subprocess.run(
        [sys.executable, "-m", "tests.release.kill_points", str(tmp_path), way],
        cwd=REPOSITORY, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert run.returncode == 0, run.stderr
    n_points = int(run.stdout.split()[0])
    assert n_points > 50
