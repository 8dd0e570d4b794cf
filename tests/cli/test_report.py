"""``discreet report``."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.conftest import Outcome
from tests.report.samples import claim

import discreet as dc
from discreet.release.release import Release
from discreet.synthesize import synthetic_release

Run = Callable[..., Outcome]
SEXES, AGES = ["f", "m"] * 30, [20, 30, 40] * 20


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    table = dc.Table.from_frame({"sex": SEXES, "age": AGES}, bins={"age": [25, 35]})
    release = Release(data=table, guarantee=claim(5, table.columns))
    return release.save(tmp_path / "survey", policy="k = 5\n", report="<p>certified</p>")


@pytest.fixture
def original(tmp_path: Path) -> Path:
    path = tmp_path / "people.csv"
    rows = [f"{sex},{age}" for sex, age in zip(SEXES, AGES, strict=True)]
    path.write_text("sex,age\n" + "\n".join(rows) + "\n")
    return path


def content(folder: Path) -> dict[str, str]:
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.iterdir()}


def test_the_page_goes_beside_the_folder_and_the_folder_stays_as_it_is(
    discreet: Run, folder: Path
) -> None:
    before = content(folder)
    code, out, _ = discreet("report", folder)
    page = folder.parent / "survey-report.html"
    assert code == 0
    assert "survey-report.html" in out
    assert content(folder) == before
    text = page.read_text()
    assert before["data.parquet"] in text
    assert "k = 5" in text
    Release.load(folder)


def test_with_the_original_and_bins(discreet: Run, folder: Path, original: Path) -> None:
    page = folder.parent / "page.html"
    code, _, _ = discreet(
        "report", folder, "--original", original, "--bins", "age=25,35", "-o", page
    )
    assert code == 0
    text = page.read_text()
    assert "Utility" in text
    assert "the original never has" not in text
    assert "Internal" not in text


def test_an_internal_page_says_so(discreet: Run, folder: Path, original: Path) -> None:
    arguments = ["report", folder, "--original", original, "--bins", "age=25,35", "--internal"]
    code, out, _ = discreet(*arguments)
    assert code == 0
    assert "not for publication" in out
    assert "Internal, not for publication" in (folder.parent / "survey-internal.html").read_text()


@pytest.mark.parametrize("internal", [[], ["--internal"]])
@pytest.mark.parametrize("name", ["report.html", "new.html", "deep/er/page.html"])
def test_no_page_is_written_inside_a_release_folder(
    discreet: Run, folder: Path, internal: list[str], name: str
) -> None:
    before = content(folder)
    target = folder / name
    code, _, err = discreet("report", folder, "-o", target, "--overwrite", *internal)
    assert code == 2
    assert "inside the release folder" in err
    assert content(folder) == before


def test_not_even_by_way_of_a_link(discreet: Run, folder: Path) -> None:
    link = folder.parent / "link"
    link.symlink_to(folder)
    code, _, err = discreet("report", folder, "-o", link / "page.html", "--internal")
    assert code == 2
    assert "inside the release folder" in err


def test_a_page_is_not_replaced_unless_asked_for(discreet: Run, folder: Path) -> None:
    page = folder.parent / "page.html"
    page.write_text("mine")
    code, _, err = discreet("report", folder, "-o", page)
    assert code == 2
    assert "exists" in err
    assert page.read_text() == "mine"
    assert discreet("report", folder, "-o", page, "--overwrite").code == 0
    assert page.read_text().startswith("<!doctype html>")


def test_a_folder_that_was_changed_is_refused(discreet: Run, folder: Path) -> None:
    (folder / "policy.toml").write_text("k = 1\n")
    code, _, err = discreet("report", folder)
    assert code == 2
    assert "policy.toml" in err
    assert not (folder.parent / "survey-report.html").exists()


def test_no_release_at_all(discreet: Run, tmp_path: Path) -> None:
    code, _, err = discreet("report", tmp_path)
    assert code == 2
    assert "no release" in err


def test_an_original_of_another_table(discreet: Run, folder: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.csv"
    other.write_text("a,b\n1,2\n")
    code, _, err = discreet("report", folder, "--original", other)
    assert code == 2
    assert "no column 'sex'" in err


def test_transactions_are_no_original(discreet: Run, folder: Path, tmp_path: Path) -> None:
    baskets = tmp_path / "baskets.dat"
    baskets.write_text("1 2\n")
    code, _, err = discreet("report", folder, "--original", baskets)
    assert code == 2
    assert "transactions" in err


def test_the_original_is_no_control_group(discreet: Run, original: Path, tmp_path: Path) -> None:
    table = dc.Table.from_frame({"sex": SEXES, "age": [str(age) for age in AGES]})
    out = synthetic_release(table, epsilon=1, delta=1e-6, domains=table).save(tmp_path / "drawn")
    arguments = ["report", out, "--original", original, "--controls", original, "--internal"]
    code, _, err = discreet(*arguments)
    assert code == 2
    assert "controls: these are the rows of the original" in " ".join(err.split())
    assert not (tmp_path / "drawn-internal.html").exists()


def test_help_teaches(discreet: Run) -> None:
    assert "--internal" in discreet("report", "--help").out
