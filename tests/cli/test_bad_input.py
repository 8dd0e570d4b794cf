"""Mistakes: one clear sentence, exit code 2, no traceback, nothing written."""

from __future__ import annotations

import os
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import pytest
from tests.conftest import Outcome
from tests.policy.people import POLICY, write_people, write_policy

from discreet.release.ledger import Ledger

Run = Callable[..., Outcome]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    write_people(tmp_path)
    write_policy(tmp_path)
    (tmp_path / "empty.csv").write_text("")
    (tmp_path / "header.csv").write_text("sex,age\n")
    (tmp_path / "taken").mkdir()
    (tmp_path / "taken" / "mine.txt").write_text("mine")
    return tmp_path


PROTECT = "protect k-mii people.csv -k 3 --bins age=20 --role name=identifying -o out"
DP = "protect dp-mii-suppress people.csv --bins age=20 --role name=identifying -o out -k 20"


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (PROTECT.replace("k-mii", "k-mi"), "There is no method 'k-mi'. Did you mean 'k-mii'?"),
        (PROTECT.replace("k-mii", "magic"), "There is no method 'magic'. Known: 'k-mii'"),
        (PROTECT.replace("name=", "nam="), "no column 'nam' in people.csv. Did you mean 'name'?"),
        (PROTECT.replace("-k 3", "-k 1"), "k is at least 2, not 1."),
        (PROTECT.replace("-k 3", "-k 1000"), "No row of people.csv could be released"),
        (PROTECT.replace("-k 3", "-k many"), "Invalid value for '-k'"),
        (PROTECT.replace("-k 3", ""), "-k is missing: give it."),
        (PROTECT.replace("people.csv", "peple.csv"), "no file 'peple.csv'. Did you mean 'people"),
        (PROTECT.replace("people.csv", "empty.csv"), "empty.csv"),
        (PROTECT.replace("people.csv", "header.csv").replace("--role name=identifying", ""),
         "header.csv has no rows"),
        (PROTECT.replace("-o out", "-o taken"), "mine.txt"),
        (PROTECT.replace("-o out", "-o none/out"), "none does not exist. Make it first."),
        (PROTECT.replace("-o out", ""), "Missing option '--output'"),
        (PROTECT.replace("-o out", "-o people.csv"), "people.csv is not a folder"),
        (PROTECT + " --bins job=20", "Column 'job' does not hold numbers"),
        (PROTECT.replace("--bins age=20", ""), "--bins age=20,40,60 for edges"),
        (PROTECT.replace("--bins age=20", "--bins agee=20"), "no column 'agee' in people.csv"),
        (PROTECT + " --columns age,jb", "no column 'jb' in people.csv. Did you mean 'job'?"),
        (PROTECT + " --leftover dorp", "'drop' or 'suppress', not 'dorp'. Did you mean 'drop'?"),
        (PROTECT + " --theta 4", "No such option: --theta"),
        (PROTECT + " --set theta=4", "no 'theta' in method 'k-mii'. It belongs to mii-suppress"),
        (PROTECT + " --set colour=red", "no 'colour' in method 'k-mii'"),
        (PROTECT + " --set colour", "not of the form name=value"),
        (PROTECT + " --role name", "not of the form name=value"),
        (PROTECT + " --role sex=secret", "'secret'"),
        (PROTECT + " --format xlsx", "xlsx"),
        (PROTECT + " --source people", "give --ledger too"),
        (PROTECT + " --ledger none/ledger.sqlite", "none of the ledger does not exist"),
        (PROTECT + " --ledger http://x", "begins with postgresql://"),
        (PROTECT + " --internal-report out/page.html", "folder that is published"),
        (PROTECT + " --sample-size 0", "--sample-size is at least 1, not 0."),
        (DP + " --epsilon 0 --delta 1e-6", "epsilon is a number more than 0, not 0."),
        (DP + " --epsilon one --delta 1e-6", "epsilon is a number such as 0.1"),
        (DP + " --epsilon 1 --delta 1", "delta is a number more than 0 and less than 1, not 1."),
        (DP + " --epsilon 1", "--delta is missing: give it."),
        ("run policy.toml -o taken", "mine.txt"),
        ("run polcy.toml -o out", "no file 'polcy.toml'. Did you mean 'policy.toml'?"),
        ("run people.csv -o out", "not TOML"),
        ("plan people.csv --role name=identifying", "--bins age=20,40,60"),
        ("plan policy.toml -k 5,x", "-k takes whole numbers such as 2,5,10, not '5,x'."),
        ("plan policy.toml -k 1", "-k 1 must be at least 2."),
        ("plan policy.toml --bins age=5", "change them there"),
        ("plan policy.toml -k 3 --chart plan.txt", ".html, .svg or .png"),
        ("init none.csv -o new.toml", "no file 'none.csv'"),
        ("init empty.csv -o new.toml", "empty.csv"),
        ("init people.csv -o none/policy.toml", "none does not exist"),
        ("init people.csv", "policy.toml exists and is not replaced"),
        ("demo -o taken", "is not of an earlier demo"),
        ("demo -o none/demo", "none does not exist"),
    ],
)  # fmt: skip
def test_one_sentence_and_nothing_written(
    discreet: Run, folder: Path, call: str, message: str
) -> None:
    before = sorted(path.name for path in folder.rglob("*"))
    code, out, err = discreet(*call.split())
    assert code == 2
    assert message in " ".join(err.replace("│", " ").split())
    assert "Traceback" not in err
    assert "overwrite=True" not in err
    assert not out or call.startswith("demo")
    assert sorted(path.name for path in folder.rglob("*")) == before


def test_a_typo_in_a_policy_is_named_with_its_line(discreet: Run, folder: Path) -> None:
    write_policy(folder, POLICY.replace("k = 3", "kay = 3"))
    code, _, err = discreet("run", "policy.toml", "-o", "out")
    assert code == 2
    assert "Error: policy.toml, line 14: There is no 'kay' in method 'k-mii'." in err


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_an_unreadable_file(discreet: Run, folder: Path) -> None:
    (folder / "people.csv").chmod(0)
    code, _, err = discreet("run", "policy.toml", "-o", "out")
    assert code == 2
    assert "people.csv" in err


def test_a_file_that_is_not_text(discreet: Run, folder: Path) -> None:
    (folder / "people.csv").write_bytes(bytes(range(256)) * 20)
    code, _, err = discreet("run", "policy.toml", "-o", "out")
    assert code == 2
    assert "people.csv" in err
    assert not (folder / "out").exists()


def test_past_the_budget(discreet: Run, folder: Path) -> None:
    Ledger.open("ledger.sqlite").budget("people.csv", epsilon=Fraction(1, 2))
    code, _, err = discreet(*PROTECT.split(), "--ledger", "ledger.sqlite")
    assert code == 2
    assert "has a budget of" in err
    assert not (folder / "out").exists()
    assert Ledger.open("ledger.sqlite").entries("people.csv") == ()


def test_a_failed_verification_is_exit_code_1(
    discreet: Run, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from discreet.verify import Verification

    no = Verification(answer="refuted", sentence="Refuted: no.", checks=())
    monkeypatch.setattr("discreet.verify.verify_release", lambda *_, **__: no)
    code, _, err = discreet(*PROTECT.split())
    assert code == 1
    assert "Nothing was published: Refuted: no." in err
    assert not (folder / "out").exists()
