"""``discreet verify`` as a person uses it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.conftest import Outcome
from tests.verify.folders import k_anonymous, support_floor

import discreet as dc

Run = Callable[..., Outcome]


def test_a_release_that_holds(discreet: Run, tmp_path: Path) -> None:
    folder = k_anonymous(tmp_path)
    code, out, err = discreet("verify", folder)
    assert code == 0
    assert out.startswith("Verified: k-anonymity with k = 2 holds for the 9 released rows, each of")
    assert "Not protected:\n  What all rows of a class have in common" in out
    assert "\n  Whether a person is in the data is not protected." in out
    assert not err


def test_a_release_that_does_not(discreet: Run, tmp_path: Path) -> None:
    folder = k_anonymous(tmp_path)
    (folder / "notes.txt").write_text("")
    code, out, _ = discreet("verify", folder)
    assert code == 1
    assert "notes.txt is not certified" in out
    code, out, _ = discreet("verify", folder, "--json")
    assert code == 1
    assert json.loads(out)["answer"] == "refuted"


def test_nothing_there_and_something_damaged(discreet: Run, tmp_path: Path) -> None:
    for folder in (tmp_path, tmp_path / "nowhere"):
        code, out, err = discreet("verify", folder)
        assert (code, out) == (2, "")
        assert "There is no" in err
    folder = k_anonymous(tmp_path)
    (folder / "certificate.json").write_text("{")
    code, out, _ = discreet("verify", folder)
    assert code == 1
    assert "not whole JSON" in out


@pytest.mark.parametrize("bins", [["--bins", "age=20,50"], []])
def test_with_the_original(discreet: Run, tmp_path: Path, bins: list[str]) -> None:
    rows: dict[str, list[object]] = {"age": ["< 20"] * 2 + [None] * 2, "sex": ["f"] * 4}
    folder = support_floor(tmp_path, rows, theta=1)
    assert discreet("verify", folder, "--require", "verified").code == 1
    path = tmp_path / "people.csv"
    path.write_text("age,sex\n17,f\n18,f\n30,f\n40,f\n")
    code, out, _ = discreet("verify", folder, "--original", path, *bins)
    assert code == (0 if bins else 1)
    assert ("cannot be compared" in out) != bool(bins)
    assert discreet("verify", folder, "--original", tmp_path / "no.csv").code == 2


def test_the_original_must_be_a_table(discreet: Run, tmp_path: Path) -> None:
    path = tmp_path / "baskets.dat"
    path.write_text("1 2\n")
    code, _, err = discreet("verify", k_anonymous(tmp_path), "--original", path)
    assert code == 2
    assert "table" in err


def test_people_are_counted_with_the_original(discreet: Run, tmp_path: Path) -> None:
    rows = {"who": [1, 1, 2, 3, 4], "sex": list("fffmm")}
    frame = dc.Table.from_frame(rows).to_frame()
    frame.write_csv(tmp_path / "visits.csv")
    folder = dc.mondrian(rows, k=2, person="who").save(tmp_path / "out")
    asked = ("verify", folder, "--require", "verified")
    code, out, _ = discreet(*asked)
    assert code == 1
    assert out.startswith("Consistent: ")
    code, out, _ = discreet(*asked, "--original", tmp_path / "visits.csv", "--person", "who")
    assert code == 0, out
