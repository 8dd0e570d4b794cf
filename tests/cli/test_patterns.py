"""``discreet patterns`` as a person uses it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.conftest import Outcome
from tests.policy.people import write_people

import discreet as dc
from discreet.patterns import channels
from discreet.release.ledger import Ledger

Run = Callable[..., Outcome]


@pytest.fixture(autouse=True)
def baskets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Baskets in the folder one is in."""
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "baskets.dat"
    path.write_text("1 2\n" * 8 + "1\n" + "2\n" * 3 + "3\n" * 8)
    return path


def test_check_of_data(discreet: Run) -> None:
    code, out, err = discreet("patterns", "check", "baskets.dat", "--min-support", 8, "-k", 3)
    assert (code, err) == (1, "")
    assert out.splitlines()[1] == "  only 1 row has 1, but not 2"
    code, out, _ = discreet(
        "patterns", "check", "baskets.dat", "--min-support", 8, "-k", 3, "--json"
    )
    said = json.loads(out)
    assert code == 1
    assert (said["n_itemsets"], said["n_channels"], said["n_maximal_channels"]) == (5, 1, 1)
    assert said["maximal_channels"][0]["support"] == 1
    code, out, _ = discreet("patterns", "check", "baskets.dat", "--min-frequency", 0.45, "-k", 3)
    assert code == 0
    assert out.startswith("These itemsets disclose no group of fewer than 3 rows")


def test_check_of_columns(discreet: Run, tmp_path: Path) -> None:
    write_people(tmp_path)
    call = ["patterns", "check", "people.csv", "--min-support", 15, "-k", 16, "--bins", "age=40,60"]
    assert discreet(*call, "--columns", "sex,job").code == 0
    code, out, _ = discreet(*call, "--columns", "sex,diagnosis")
    assert code == 1
    assert "only 15 rows have diagnosis flu and sex f" in out
    assert discreet(*call, "--columns", "sxe").code == 2


def test_check_of_what_is_published(discreet: Run, tmp_path: Path) -> None:
    dc.mine.frequent(dc.read_transactions("baskets.dat"), min_support=8).write(
        tmp_path / "sets.csv"
    )
    code, out, _ = discreet("patterns", "check", "sets.csv", "--published", "-k", 3)
    assert code == 1
    assert "only 1 row has 1, but not 2" in out
    more = ["--min-support", 9]
    assert discreet("patterns", "check", "sets.csv", "--published", "-k", 3, *more).code == 0
    (tmp_path / "bare.csv").write_text("items,support\n1,9\n2,11\n3,8\n1 2,8\n")
    code, _, err = discreet("patterns", "check", "bare.csv", "--published", "-k", 3)
    assert code == 2
    assert "pass --n-rows" in err
    more = ["--n-rows", 20]
    assert discreet("patterns", "check", "bare.csv", "--published", "-k", 3, *more).code == 1


def test_check_of_rules(discreet: Run, tmp_path: Path) -> None:
    text = 'antecedents,consequents,support,confidence\n"a b",c,80,98.7 %\nd,e,1900,99.5 %\n'
    (tmp_path / "rules.csv").write_text(text)
    code, out, _ = discreet("patterns", "check", "rules.csv", "--rules", "-k", 10)
    assert code == 1
    lines = [line.strip() for line in out.splitlines()]
    assert "only 1 row has a and b, but not c" in lines
    code, out, _ = discreet("patterns", "check", "rules.csv", "--rules", "-k", 10, "--json")
    assert json.loads(out)["n_maximal_channels"] == 1
    call = ["patterns", "check", "rules.csv", "--rules", "-k", 10, "--decimals", 1]
    code, out, _ = discreet(*call)
    assert (code, "Possibly:" in out) == (0, True)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["-k", 3], "--min-support (rows"),
        (["-k", 1, "--min-support", 8], "-k 1 must be at least 2"),
        (["-k", 3, "--min-support", 8, "--n-rows", 5], "--n-rows"),
        (["-k", 3, "--rules", "--columns", "a"], "--columns is not for rules"),
        (["-k", 3, "--published", "--bins", "a=1,2"], "--bins"),
        (["-k", 3, "--rules", "--min-support", 8], "not for rules"),
        (["-k", 3, "--min-support", 8, "--columns", "a"], "columns"),
        (["-k", 3, "--published"], "a .csv or .parquet file"),
    ],
)
def test_calls_that_make_no_sense(discreet: Run, options: list[object], said: str) -> None:
    code, out, err = discreet("patterns", "check", "baskets.dat", *options)
    assert (code, out) == (2, "")
    assert said in err


@pytest.mark.parametrize("method", ["additive", "suppressive", "certified"])
def test_sanitize(discreet: Run, tmp_path: Path, method: str) -> None:
    call = ["patterns", "sanitize", "baskets.dat", "--min-support", 8, "-k", 3]
    code, out, err = discreet(*call, "--method", method, "-o", "out", "--format", "csv")
    assert (code, err) == (0, "")
    assert "Guarantee: k-anonymous patterns" in out
    assert "itemsets released." in out
    assert "Next: discreet verify out" in out
    release = dc.Release.load(tmp_path / "out")
    assert not len(channels(release.data, k=3))
    assert discreet("patterns", "check", "out", "--published", "-k", 3).code == 0
    assert discreet("verify", "out").code == 0
    assert (tmp_path / "out" / "data.csv").exists()
    assert discreet(*call, "--method", method, "-o", "out").code == 2
    again = discreet(*call, "--method", method, "-o", "out", "--overwrite", "--json")
    assert json.loads(again.out)["loss"]["n_itemsets"] == 5


def test_sanitize_with_values_that_nobody_knows(discreet: Run, tmp_path: Path) -> None:
    write_people(tmp_path)
    call = ["patterns", "sanitize", "people.csv", "--min-support", 10, "-k", 8, "-o", "out"]
    call += ["--role", "name=identifying", "--bins", "age=40,60", "--quasi", "sex,age"]
    code, out, err = discreet(*call, "--method", "additive", "--internal-report", "in.html")
    assert (code, err) == (0, "")
    assert "by patterns over published itemsets of sex and age" in " ".join(out.split())
    assert "published combinations of sex and age has" in (tmp_path / "out/report.html").read_text()
    items = str(list(dc.Release.load(tmp_path / "out").data))
    assert "diagnosis=" in items
    assert "P0" not in items
    assert discreet("verify", "out").code == 0
    check = ["patterns", "check", "out", "--published", "-k", 8]
    assert discreet(*check, "--columns", "sex,age").code == 0
    assert "Did you mean 'sex'" in discreet(*check, "--columns", "sxe").err
    code, _, err = discreet(*call, "--method", "certified", "--overwrite")
    assert code == 2
    assert "There is no 'quasi' in method 'patterns-certified'" in err


def test_sanitize_with_a_ledger(discreet: Run) -> None:
    call = ["patterns", "sanitize", "baskets.dat", "-k", 3, "--method", "additive"]
    counted = ["--ledger", "ledger.sqlite", "--source", "baskets"]
    assert discreet(*call, "--min-support", 8, "-o", "one", *counted).code == 0
    code, _, err = discreet(*call, "--min-support", 3, "-o", "two", *counted)
    assert code == 0
    assert "derive the others" in err
    assert len(Ledger.open("ledger.sqlite").entries("baskets")) == 2


def test_sanitize_what_cannot_be(discreet: Run, tmp_path: Path) -> None:
    call = ["patterns", "sanitize", "baskets.dat", "-k", 3, "-o", "out", "--method"]
    assert discreet(*call, "additive").code == 2
    assert discreet(*call, "subtractive", "--min-support", 8).code == 2
    assert discreet(*call, "additive", "--min-support", 50).code == 2
    assert discreet(*call, "additive", "--min-support", 8, "--source", "x").code == 2
    assert sorted(path.name for path in tmp_path.iterdir()) == ["baskets.dat"]


def test_safety(discreet: Run) -> None:
    code, out, _ = discreet("patterns", "safety", "baskets.dat", "-k", 3, "--supports", "8,10")
    assert code == 0
    assert out.startswith("From support 9 ")
    code, out, _ = discreet("patterns", "safety", "baskets.dat", "-k", 3, "--json")
    assert json.loads(out)["support"] == 9
    assert discreet("patterns", "safety", "baskets.dat", "-k", 21).code == 1
    assert discreet("patterns", "safety", "baskets.dat", "-k", 3, "--supports", "many").code == 2


def test_the_figures_of_mushroom(discreet: Run, public_data: Path) -> None:
    file = public_data / "fimi" / "mushroom.dat"
    code, out, _ = discreet("patterns", "check", file, "--min-support", 4874, "-k", 10, "--json")
    said = json.loads(out)
    assert code == 1
    assert (said["n_itemsets"], said["n_channels"], said["n_maximal_channels"]) == (52, 20, 3)
    supports = [channel["support"] for channel in said["maximal_channels"]]
    assert supports == sorted(supports)
    call = ["patterns", "sanitize", file, "--min-support", 4874, "-k", 10, "--method", "additive"]
    code, out, _ = discreet(*call, "-o", "out", "--json")
    assert json.loads(out)["loss"]["n_added"] == 10  # the three merge into one
    assert discreet("verify", "out").code == 0
