"""``discreet synthesize`` as a person uses it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from tests.conftest import Outcome

Run = Callable[..., Outcome]
BUDGET = ("--epsilon", "1", "--delta", "1e-6")


@pytest.fixture(scope="module")
def people(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a file of 800 people with their names."""
    rng = np.random.default_rng(2)
    sex = rng.choice(["f", "m"], 800)
    job = np.where(rng.random(800) < 0.8, np.where(sex == "f", "nurse", "smith"), "cook")
    lines = [f"p{i},{a},{b}" for i, (a, b) in enumerate(zip(sex, job, strict=True))]
    path = tmp_path_factory.mktemp("people") / "people.csv"
    path.write_text("\n".join(["name,sex,job", *lines]) + "\n")
    return path


def test_from_a_file_to_draw_targets(discreet: Run, people: Path, tmp_path: Path) -> None:
    out, book = tmp_path / "out", tmp_path / "ledger.db"
    code, said, err = discreet(
        "synthesize", people, *BUDGET, "--role", "name=identifying", "--rows", "300",
        "--ledger", book, "-o", out,
    )  # fmt: skip
    assert code == 0, err
    words = " ".join(said.split())
    assert "agree with (epsilon, delta)-differential privacy" in words
    assert "lists of values were read from the table" not in words
    assert "the standard error is" in words
    assert {path.name for path in out.iterdir()} == {
        "certificate.json", "data.parquet", "policy.toml", "report.html",
    }  # fmt: skip
    rows = pl.read_parquet(out / "data.parquet")
    assert (rows.height, rows.columns) == (300, ["sex", "job"])
    assert discreet("verify", out)[0] == 0
    code, books, _ = discreet("ledger", book)
    assert "people.csv: 1 release" in books
    assert books.split()[-1] in words  # the head, which was printed when the release was made
    page = tmp_path / "page.html"
    others = tmp_path / "others.csv"
    others.write_text("name,sex,job\n" + "q1,f,cook\nq2,m,smith\n" * 30)
    attacked = ("report", out, "--original", people, "--controls", others, "-o", page)
    code, _, err = discreet(*attacked, "--internal")
    assert code == 0, err
    assert "Attacks on synthetic data" in page.read_text()
    code, _, err = discreet(*attacked, "--overwrite")
    assert code == 2
    assert "internal pages" in err


def test_a_plan_spends_nothing(discreet: Run, people: Path, tmp_path: Path) -> None:
    identifying = ("--role", "name=identifying")
    code, said, err = discreet("synthesize", people, *BUDGET, "--plan", *identifying, "--json")
    assert code == 0, err
    central = json.loads(said)
    assert central["pair_error"] > 0
    assert not central["is_noise"]
    code, said, _ = discreet(
        "synthesize", people, "--epsilon", "0.1", "--trust", "local", "--plan", *identifying,
        "--values", "from-data",
    )  # fmt: skip
    assert code == 0
    assert "The answer will be noise" in " ".join(said.split())
    assert not list(tmp_path.iterdir())


def test_public_lists_and_local_trust(discreet: Run, people: Path, tmp_path: Path) -> None:
    values = tmp_path / "values.csv"
    values.write_text("sex,job\nf,nurse\nm,smith\nf,cook\nf,clerk\n")
    code, said, err = discreet(
        "synthesize", people, "--epsilon", "4", "--trust", "local", "--domains", values, "--role",
        "name=identifying", "-o", tmp_path / "out", "--no-report", "--json",
    )  # fmt: skip
    assert code == 0, err
    told = json.loads(said)
    assert told["answer"] == "consistent"
    assert told["guarantee"]["model"] == "local differential privacy"
    assert told["events"][1]["parameters"]["values"] == ["clerk", "cook", "nurse", "smith"]


def test_a_seed_is_told(discreet: Run, people: Path, tmp_path: Path) -> None:
    code, said, err = discreet(
        "synthesize", people, *BUDGET, "--seed", "1", "-o", tmp_path / "out", "--role",
        "name=identifying", "--no-report",
    )  # fmt: skip
    assert code == 0, err
    assert "Experimental, not for publication" in " ".join(said.split())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--epsilon", "1"), "Give the folder to make"),
        (
            ("--epsilon", "much", "-o", "out"),
            "epsilon is a number such as 0.1, 1e-6 or 1/3, not 'much'",
        ),
        (("--epsilon", "0", "-o", "out"), "epsilon"),
        (
            ("--epsilon", "1", "--trust", "local", "--delta", "0.1", "--plan"),
            "delta 0.1 must be 0",
        ),
        (("--epsilon", "1", "--label", "town", "-o", "out"), "There is no column 'town' in"),
        (("--epsilon", "1", "--rows", "-1", "-o", "out"), "rows"),
    ],
)
def test_wrong_options(
    discreet: Run, people: Path, tmp_path: Path, arguments: tuple[str, ...], message: str
) -> None:
    given = [tmp_path / "out" if each == "out" else each for each in arguments]
    code, _, err = discreet("synthesize", people, *given, "--role", "name=identifying")
    assert code == 2
    assert message in " ".join(err.split())
    assert not list(tmp_path.iterdir())


def test_plan_of_a_policy_that_draws_rows(discreet: Run, people: Path) -> None:
    policy = people.with_name("policy.toml")
    policy.write_text(
        f'[source]\nfile = "{people.name}"\n[roles]\nname = "identifying"\n'
        '[method]\nname = "synthesize"\nepsilon = 1\ndelta = "1e-6"\n'
    )
    code, said, err = discreet("plan", policy)
    assert (code, err) == (0, "")
    assert "three values together" in said
    assert f"Nothing was spent. Next: discreet run {policy} -o out" in " ".join(said.split())
    assert (
        discreet("plan", policy, "--json").out
        == discreet(
            "synthesize", people, *BUDGET, "--plan", "--role", "name=identifying", "--json"
        ).out
    )
    refused = discreet("plan", policy, "-k", "2")
    assert refused.code == 2
    assert "-k and --chart are about classes" in refused.err


def wards(path: Path, *more: str) -> Path:
    path.write_text("\n".join(["ward,sex", *["1,f", "2,m"] * 200, *more]) + "\n")
    return path


@pytest.mark.parametrize("more", [(), ("A,f",), ("1.5,m",)])
def test_one_row_does_not_decide_whether_there_is_a_release(
    discreet: Run, tmp_path: Path, more: tuple[str, ...]
) -> None:
    """The ward is a number in the file unless somebody is in ward A, or a decimal in 1.5."""
    people = wards(tmp_path / "people.csv", *more)
    values = tmp_path / "values.csv"
    values.write_text("ward,sex\n1,f\n2,m\nA,\n1.5,\n")
    code, said, err = discreet(
        "synthesize", people, *BUDGET, "--domains", values, "-o", tmp_path / "out", "--no-report",
        "--json",
    )  # fmt: skip
    assert code == 0, err
    lists = [e["parameters"] for e in json.loads(said)["events"] if e["name"] == "list_values"]
    assert [one["can_be_missing"] for one in lists] == [False, False]  # sex is padded
    assert pl.read_parquet(tmp_path / "out" / "data.parquet")["ward"].dtype == pl.String


def test_numbers_that_are_listed_are_no_measurements(discreet: Run, tmp_path: Path) -> None:
    people, values = tmp_path / "people.csv", tmp_path / "values.csv"
    people.write_text("\n".join(["age,sex", *(f"{i % 90},f" for i in range(900))]) + "\n")
    values.write_text("\n".join(["age,sex", *(f"{i},f" for i in range(100))]) + "\n")
    out = tmp_path / "out"
    code, _, err = discreet("synthesize", people, *BUDGET, "--domains", values, "-o", out)
    assert code == 0, err


@pytest.mark.parametrize(
    ("epsilon", "delta", "told"),
    [
        ("0.002", "1e-6", "will be noise"),
        ("1", "0.00125", "--delta 0.00125 is at least one over 800 rows"),
    ],
)
def test_what_is_worth_little_is_told_before(
    *, discreet: Run, people: Path, tmp_path: Path, epsilon: str, delta: str, told: str
) -> None:
    code, _, err = discreet(
        "synthesize", people, "--epsilon", epsilon, "--delta", delta, "--role", "name=identifying",
        "--no-report", "-o", tmp_path / "out",
    )  # fmt: skip
    assert code == 0, err
    words = " ".join(err.split())
    assert words.count("Warning: ") == 1
    assert told in words


def test_faults_of_the_lists_name_their_file(discreet: Run, people: Path, tmp_path: Path) -> None:
    values = tmp_path / "values.csv"
    values.write_text("sex,job\nf,nurse\nm\n,cook,smith\n")
    given = ("synthesize", people, *BUDGET, "--domains", values, "--plan")
    code, _, err = discreet(*given)
    assert code == 2
    assert f"--domains {values}: " in " ".join(err.split()).replace("values. csv", "values.csv")
