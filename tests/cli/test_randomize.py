"""``discreet randomize`` and ``discreet recover`` as a person uses them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from tests.conftest import Outcome

Run = Callable[..., Outcome]


@pytest.fixture(scope="module")
def baskets(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a file of 4,000 baskets: 7 in about half of them, 8 with most 7s."""
    rng = np.random.default_rng(2)
    lines = []
    for _ in range(4000):
        basket = set(rng.choice(np.arange(10, 30), rng.integers(1, 4), replace=False).tolist())
        if rng.random() < 0.5:
            basket |= {7, 8} if rng.random() < 0.8 else {7}
        lines.append(" ".join(map(str, sorted(basket))))
    path = tmp_path_factory.mktemp("baskets") / "baskets.dat"
    path.write_text("\n".join(lines) + "\n")
    return path


def test_from_a_file_to_estimates(discreet: Run, baskets: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    code, said, err = discreet("randomize", baskets, "--cutoff", "5", "--rho", "0.15", "-o", out)
    assert code == 0, err
    assert "agree with Only if the list of items is public: local differential privacy" in " ".join(
        said.split()
    )
    assert "The list of items was taken" in " ".join(said.split())
    assert "the odds of a guess between the two can rise by that factor" in " ".join(said.split())
    names = {path.name for path in out.iterdir()}
    assert names == {
        "certificate.json", "data.parquet", "operator.json", "policy.toml", "report.html",
    }  # fmt: skip
    assert "What one report discloses" in (out / "report.html").read_text()
    certain = ("--level", "0.9999999", "--json")
    code, said, err = discreet("recover", out, "--items", "7", "--rule", "7=>8", *certain)
    assert code == 0, err
    item, rule = json.loads(said)["found"]
    assert item["low"] < 0.5 < item["high"]
    assert rule["low"] < 0.8 < rule["high"]
    assert rule["high"] - rule["low"] < 0.8
    code, said, _ = discreet("recover", out, "--items", "7,8")
    assert code == 0
    assert said.startswith("7, 8: 0.")
    assert discreet("verify", out, "--original", baskets)[0] == 0
    code, said, err = discreet("report", out)
    assert code == 0, err
    assert (tmp_path / "out-report.html").exists()


def test_a_list_of_items_and_an_operator(discreet: Run, baskets: Path, tmp_path: Path) -> None:
    (tmp_path / "items.txt").write_text("\n".join(map(str, range(40))))
    first = tmp_path / "first"
    options = ("--items", tmp_path / "items.txt", "--no-report")
    code, said, err = discreet(
        "randomize", baskets, "--cutoff", "4", "--rho", "1/5", "-o", first, *options, "--json"
    )
    assert code == 0, err
    assert json.loads(said)["answer"] == "consistent"
    code, said, err = discreet(
        "randomize", baskets, "--operator", first / "operator.json", "-o", tmp_path / "second",
        *options,
    )  # fmt: skip
    assert code == 0, err
    assert "taken" not in said
    texts = [(tmp_path / name / "operator.json").read_text() for name in ("first", "second")]
    assert texts[0] == texts[1]


def test_a_seed_is_told(discreet: Run, baskets: Path, tmp_path: Path) -> None:
    code, said, _ = discreet(
        "randomize", baskets, "--cutoff", "4", "--rho", "1/5", "--seed", "1", "-o", tmp_path / "out"
    )
    assert code == 0
    assert "Experimental, not for publication" in said


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--cutoff", "3"), "--cutoff and --rho go together"),
        ((), "Give either --cutoff and --rho, as --cutoff 3 --rho 0.25, or --operator"),
        (("--cutoff", "3", "--rho", "2"), "rho"),
        (("--cutoff", "0", "--rho", "0.1"), "cutoff"),
        (("--operator", "nowhere.json"), "nowhere.json cannot be read"),
    ],
)
def test_wrong_options(
    discreet: Run, baskets: Path, tmp_path: Path, arguments: tuple[str, ...], message: str
) -> None:
    code, _, err = discreet("randomize", baskets, "-o", tmp_path / "out", *arguments)
    assert code == 2
    assert message in " ".join(err.split())
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("--operator cut.json", "is not whole JSON"),
        ("--operator list.json", "does not describe an operator"),
        ("--cutoff 3 --rho 0.1 --items items.txt", "is not on the list of items"),
        ("--cutoff 3 --rho 0.1 --items nowhere.txt", "nowhere.txt cannot be read"),
    ],
)
def test_wrong_files(
    discreet: Run,
    baskets: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    *,
    arguments: str,
    message: str,
) -> None:
    for name, content in (("cut.json", "{"), ("list.json", "[1]"), ("items.txt", "7\nseven\n")):
        (tmp_path / name).write_text(content)
    monkeypatch.chdir(tmp_path)
    code, _, err = discreet("randomize", baskets, "-o", "out", *arguments.split())
    assert code == 2
    assert message in " ".join(err.split())
    assert not (tmp_path / "out").exists()


def test_a_release_is_recorded(discreet: Run, tmp_path: Path) -> None:
    (tmp_path / "few.dat").write_text("tea milk\nmilk\ntea\n" * 20)
    (tmp_path / "items.txt").write_text("milk\ntea\njam\n")
    ledger = tmp_path / "ledger.sqlite"
    code, said, err = discreet(
        "randomize", tmp_path / "few.dat", "--cutoff", "3", "--rho", "0.25", "-o", tmp_path / "out",
        "--items", tmp_path / "items.txt", "--ledger", ledger, "--no-report", "--json",
    )  # fmt: skip
    assert code == 0, err
    assert json.loads(said)["answer"] == "consistent"
    assert not (tmp_path / "out" / "report.html").exists()
    code, said, err = discreet("ledger", ledger)
    assert code == 0, err
    assert "few.dat: 1 release" in said


def test_a_table_is_refused(discreet: Run, tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text("sex\nf\nm\n")
    code, _, err = discreet(
        "randomize", tmp_path / "people.csv", "--cutoff", "3", "--rho", "0.1", "-o", tmp_path / "o"
    )
    assert code == 2
    assert "is a table" in err


def test_recover_names_what_is_missing(discreet: Run, baskets: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    discreet("randomize", baskets, "--cutoff", "2", "--rho", "0.2", "-o", out, "--no-report")
    for arguments, message in (
        ((), "as --items milk,tea or --rule"),
        (("--items", "77"), "There is no item '77'"),
        (("--rule", "7"), "not of the form"),
        (("--items", "7", "--level", "1"), "--level"),
        (("--items", "7,8,10"), "3"),  # past the cutoff
    ):
        code, _, err = discreet("recover", out, *arguments)
        assert code in (1, 2)
        assert message in err


def test_what_is_frequent_is_mined(discreet: Run, baskets: Path, tmp_path: Path) -> None:
    out, file = tmp_path / "out", tmp_path / "found.parquet"
    discreet("randomize", baskets, "--cutoff", "5", "--rho", "0.1", "-o", out, "--no-report")
    code, said, err = discreet(
        "mine", "randomized", out, "--min-frequency", "0.3", "--max-size", "2", "-o", file, "--json"
    )
    assert code == 0, err
    assert json.loads(said)["n_transactions"] == 4000
    found = {frozenset(row["items"]) for row in pl.read_parquet(file).to_dicts()}
    assert found == {frozenset({7}), frozenset({8}), frozenset({7, 8})}
    code, said, _ = discreet("mine", "randomized", out, "--min-frequency", "0.3")
    assert code == 0
    assert "4,000 randomized transactions mined" in said
    for arguments in (("--min-support", "3"), (), ("--min-frequency", "0.3", "-o", "x.csv")):
        assert discreet("mine", "randomized", out, *arguments)[0] == 2


def test_one_size_for_everybody(discreet: Run, baskets: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    code, said, err = discreet(
        "randomize", baskets, "--cutoff", "5", "--rho", "0.1", "--padded-size", "4", "-o", out
    )
    assert code == 0, err
    words = " ".join(said.split())
    assert "between any two transactions" in words
    assert "The true size" not in words
    code, said, _ = discreet("recover", out, "--items", "7", "--level", "0.9999999", "--json")
    (item,) = json.loads(said)["found"]
    assert item["low"] < 0.48 < item["high"]  # some of the largest lost it
    assert discreet("recover", out, "--items", "null 1")[0] == 2
    code, _, err = discreet(
        "randomize", baskets, "--cutoff", "5", "--rho", "0.1", "--padded-size", "4", "--max-size",
        "4", "-o", tmp_path / "other",
    )  # fmt: skip
    assert code == 2
    assert "nothing is too large" in " ".join(err.split())
