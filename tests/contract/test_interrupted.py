"""Whoever stops a mechanism, or the writing of its release, finds everything as it was."""

from __future__ import annotations

from pathlib import Path
from typing import NoReturn

import pytest

import discreet as dc
from tests.contract import mechanisms
from tests.contract.mechanisms import Mechanism, keeping

pytestmark = pytest.mark.filterwarnings("ignore::discreet.errors.DiscreetWarning")


def stop(*_: object, **__: object) -> NoReturn:
    raise KeyboardInterrupt


def files(folder: Path) -> dict[str, bytes]:
    """Return the contents of all files under a folder, hidden ones included."""
    found = (path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in found}


@pytest.fixture(scope="module")
def much() -> dict[type, dc.Table | dc.Transactions]:
    """Data on which every search lasts long enough to report."""
    return {
        dc.Table: dc.datasets.census(30_000, seed=1),
        dc.Transactions: dc.datasets.baskets(30_000, seed=1),
    }


@keeping("progress")
def test_an_interrupt_from_progress_stops_it(
    mechanism: Mechanism,
    much: dict[type, dc.Table | dc.Transactions],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(mechanisms, "PUBLIC", much[dc.Table])
    is_synthetic = mechanism.name.startswith("synthesize")  # reports on any table
    data = mechanism.data if is_synthetic else much[type(mechanism.data)]
    with pytest.raises(KeyboardInterrupt):
        mechanism.run(data, progress=stop)
    assert not files(tmp_path)


@keeping("release")
@pytest.mark.parametrize("place", ["certify", "atomic"])
def test_an_interrupted_save_leaves_what_was_there(
    mechanism: Mechanism, place: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    made = mechanism.made
    made.save(tmp_path / "out")
    before = files(tmp_path)
    module = type(made).__module__
    where = f"{module}.certify" if place == "certify" else "discreet.release.folder._take_name"
    monkeypatch.setattr(where, stop)
    for target in ("out", "new"):
        with pytest.raises(KeyboardInterrupt):
            made.save(tmp_path / target, overwrite=True)
        assert files(tmp_path) == before
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_draw_targets_that_are_interrupted_leave_the_file_as_it_was(tmp_path: Path) -> None:
    made = dc.Synthesizer(1, delta=1e-6).fit(mechanisms.FEW)
    made.write(tmp_path / "old.parquet", 10)
    before = files(tmp_path)
    for name in ("old.parquet", "new.parquet"):
        with pytest.raises(KeyboardInterrupt):
            made.write(tmp_path / name, 20, overwrite=True, progress=stop)
        assert files(tmp_path) == before
