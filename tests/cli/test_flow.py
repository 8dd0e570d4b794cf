"""The whole way as a person goes it: look, init, edit, plan, run, verify; and protect."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.conftest import Outcome
from tests.policy.people import write_people

import discreet as dc
from discreet.release.ledger import Ledger

Run = Callable[..., Outcome]


@pytest.fixture
def people(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file of one's own, in the folder one is in."""
    monkeypatch.chdir(tmp_path)
    return write_people(tmp_path)


def test_from_a_csv_of_ones_own_to_a_release(discreet: Run, people: Path) -> None:
    folder = people.parent
    assert discreet("look", "people.csv").code == 0
    code, out, _ = discreet("init", "people.csv")
    assert code == 0
    assert "Next: discreet plan policy.toml" in out
    policy = folder / "policy.toml"
    text = policy.read_text()
    assert 'name = "identifying"' in text
    policy.write_text(
        text.replace("k = 5", "k = 3").replace('format = "parquet"', 'format = "csv"')
    )
    code, out, _ = discreet("plan", "policy.toml", "-k", "2,3,5")
    assert code == 0
    assert "discreet run policy.toml" in out
    assert sorted(path.name for path in folder.iterdir()) == ["people.csv", "policy.toml"]
    code, out, err = discreet("run", "policy.toml", "-o", "out/")
    assert (code, err) == (0, "")
    assert "k-anonymity and l-diversity with k = 3, l = 2" in out
    assert "Verified: k-anonymity and l-diversity with k = 3" in out
    assert "Next: discreet verify out" in out
    assert sorted(path.name for path in (folder / "out").iterdir()) == [
        "certificate.json", "data.csv", "policy.toml", "report.html"]  # fmt: skip
    assert discreet("verify", "out").code == 0
    assert discreet("report", "out", "-o", "page.html").code == 0
    assert "k-anonymity" in (folder / "page.html").read_text()
    (folder / "out" / "data.csv").write_text("changed")
    assert discreet("verify", "out").code == 1


def test_the_release_can_be_run_again_from_the_policy_in_it(discreet: Run, people: Path) -> None:
    arguments = ["people.csv", "-k", 3, "--bins", "age=40,60", "--role", "name=identifying"]
    assert discreet("protect", "k-mii", *arguments, "-o", "one").code == 0
    (people.parent / "again.toml").write_bytes((people.parent / "one/policy.toml").read_bytes())
    assert discreet("run", "again.toml", "-o", "two").code == 0
    assert dc.Release.load("one").data == dc.Release.load("two").data


def test_protect_with_everything(discreet: Run, people: Path) -> None:
    code, out, err = discreet(
        "protect", "k-mii", "people.csv", "-k", 3, "-o", "out", "--role", "name=identifying",
        "--role", "diagnosis=sensitive", "--columns", "age,sex", "--bins", "age=20",
        "--categorical", "job", "--leftover", "suppress", "--format", "csv", "--ledger",
        "ledger.sqlite", "--source", "survey 2026", "--no-report", "--internal-report",
        "internal.html", "--json",
    )  # fmt: skip
    said = json.loads(out)
    assert (code, err) == (0, "")
    assert said["guarantee"]["columns"] == ["age", "sex"]
    head = Ledger.open("ledger.sqlite").verify().head
    assert said["ledger"] == {"source": "survey 2026", "number": 1, "head": head}
    assert said["internal_report"] == "internal.html"
    assert (people.parent / "internal.html").exists()
    release = dc.Release.load("out")
    assert release.data.sensitive == ("diagnosis",)
    assert release.data.columns == ("sex", "age", "job", "diagnosis")
    assert not (people.parent / "out" / "report.html").exists()
    assert len(Ledger.open("ledger.sqlite").entries("survey 2026")) == 1


def test_protect_by_another_method(discreet: Run, people: Path) -> None:
    given = ["people.csv", "--bins", "age=20", "--role", "name=identifying", "-o", "out"]
    code, out, _ = discreet("protect", "mii-suppress", *given, "--theta", 2)
    assert code == 0
    assert "120 of 120 rows released" in out
    code, out, _ = discreet("protect", "mii-suppress", *given, "--set", "theta=3", "--overwrite")
    assert code == 0
    assert dc.Release.load(people.parent / "out").guarantee.parameters["theta"] == 3


def test_a_second_release_of_a_source_is_told(discreet: Run, people: Path) -> None:
    given = ["protect", "k-mii", people, "-k", 3, "--columns", "sex,job", "--bins", "age=20",
             "--role", "name=identifying", "--ledger", "ledger.sqlite"]  # fmt: skip
    assert not discreet(*given, "-o", "one").err
    code, out, err = discreet(*given, "-o", "two")
    assert code == 0
    assert "Ledger: entry 2 of 'people.csv'; the head of the ledger is " in out
    assert err.startswith("Warning: 'people.csv' has 1 earlier release without differential")


def test_a_column_that_looks_identifying_is_told_with_the_option(
    discreet: Run, people: Path
) -> None:
    code, _, err = discreet("protect", "k-mii", people, "-k", 3, "--bins", "age=20", "-o", "out")
    assert code == 0
    assert "Warning: Column 'name' looks identifying" in err
    assert "--role name=identifying" in err


def test_plan_of_a_file(discreet: Run, people: Path) -> None:
    given = ["plan", people, "--bins", "age=20", "--role", "name=identifying", "-k", "5,2"]
    said = json.loads(discreet(*given, "--json").out)
    assert [setting["k"] for setting in said["settings"]] == [2, 5]
    assert said["columns"] == ["sex", "age", "job", "diagnosis"]
    code, out, _ = discreet(*given, "--columns", "sex,job")
    assert code == 0
    assert "discreet protect k-mii" in out


@pytest.mark.parametrize("name", ["plan.html", "plan.svg", "plan.png"])
def test_chart_of_a_plan(discreet: Run, people: Path, name: str) -> None:
    pytest.importorskip("vl_convert")
    given = ["plan", people, "--bins", "age=20", "--role", "name=identifying", "-k", "2,5"]
    code, out, _ = discreet(*given, "--chart", name)
    assert code == 0
    assert f"Chart in {name}" in out
    content = (people.parent / name).read_bytes()
    assert len(content) > 1000
    assert b"cdn.jsdelivr.net" not in content
    assert discreet(*given, "--chart", name).code == 2


def test_init_never_replaces(discreet: Run, people: Path) -> None:
    path = people.parent / "policy.toml"
    path.write_text("mine")
    code, _, err = discreet("init", people)
    assert code == 2
    assert "exists" in err
    assert path.read_text() == "mine"
    assert discreet("init", people, "-o", "other.toml").code == 0


@pytest.mark.parametrize("command", ["init", "plan", "protect", "run", "demo", "verify"])
def test_help_teaches_by_example(discreet: Run, command: str) -> None:
    code, out, _ = discreet(command, "--help")
    assert code == 0
    assert f"discreet {command} " in out


def test_the_same_policy_is_run_on_next_months_file(discreet: Run, people: Path) -> None:
    """And the ledger counts both months for the same people."""
    folder = people.parent
    assert discreet("init", "people.csv").code == 0
    policy = folder / "policy.toml"
    text = policy.read_text()
    assert "# path = " in text
    policy.write_text(text[: text.index("# [ledger]")] + '[ledger]\npath = "ledger.sqlite"\n')
    discreet("run", "policy.toml", "-o", "may")
    (folder / "elsewhere").mkdir()
    lines = people.read_text().splitlines()
    (folder / "elsewhere" / "june.csv").write_text("\n".join(lines[:-20]) + "\n")
    ran = discreet("run", "policy.toml", "--input", "elsewhere/june.csv", "-o", "june")
    assert ran.code == 0, ran.err
    may, june = (
        json.loads((folder / name / "certificate.json").read_text()) for name in ("may", "june")
    )
    assert june["data"]["sha256"] != may["data"]["sha256"]
    assert 'file = "june.csv"' in (folder / "june" / "policy.toml").read_text()
    assert "elsewhere" not in (folder / "june" / "policy.toml").read_text()
    ledger = Ledger.open(folder / "ledger.sqlite", create=False)
    assert ledger.sources() == ("people.csv",)
    assert len(ledger.entries("people.csv")) == 2
    assert discreet("verify", "june", "--original", "elsewhere/june.csv").code == 0
    missing = discreet("run", "policy.toml", "--input", "july.csv", "-o", "july")
    assert missing.code != 0
    assert "july.csv" in missing.err
