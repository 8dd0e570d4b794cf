"""``discreet mine`` as a person uses it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest
from tests.conftest import Outcome

Run = Callable[..., Outcome]


@pytest.fixture
def baskets(tmp_path: Path) -> Path:
    path = tmp_path / "baskets.dat"
    path.write_text("1 2\n1 2 3\n1\n2 4\n")
    return path


@pytest.fixture
def people(tmp_path: Path) -> Path:
    path = tmp_path / "people.csv"
    rows = ["sex,job", "f,cook", "f,cook", "f,clerk", "m,clerk", "m,clerk", "m,cook"]
    path.write_text("\n".join(rows) + "\n")
    return path


def test_frequent_as_json(discreet: Run, baskets: Path) -> None:
    code, out, _ = discreet("mine", "frequent", baskets, "--min-support", 2, "--json")
    found = json.loads(out)
    assert code == 0
    assert found["n_itemsets"] == 3
    assert found["n_rows"] == 4
    assert found["seconds"] >= 0
    assert found["itemsets"] == [
        {"items": ["1"], "support": 3},
        {"items": ["2"], "support": 3},
        {"items": ["1", "2"], "support": 2},
    ]


@pytest.mark.parametrize(("kind", "n_itemsets"), [("frequent", 3), ("closed", 3), ("maximal", 1)])
def test_count_prints_no_itemsets(discreet: Run, baskets: Path, kind: str, n_itemsets: int) -> None:
    code, out, _ = discreet("mine", kind, baskets, "--min-frequency", 0.5, "--count", "--json")
    found = json.loads(out)
    assert (code, found["n_itemsets"]) == (0, n_itemsets)
    assert "itemsets" not in found


def test_minimal_infrequent_of_a_table(discreet: Run, people: Path) -> None:
    code, out, _ = discreet("mine", "minimal-infrequent", people, "--theta", 1, "--json")
    found = json.loads(out)
    assert code == 0
    assert {tuple(sorted(s["items"])) for s in found["itemsets"]} == {
        ("job=clerk", "sex=f"),
        ("job=cook", "sex=m"),
    }


def test_num_file_drops_and_counts_rows_of_other_length(discreet: Run, tmp_path: Path) -> None:
    path = tmp_path / "small.num"
    path.write_text("1 3 5\n2 3 6\n4 5\n")
    code, out, _ = discreet("mine", "frequent", path, "--min-support", 1, "--json")
    found = json.loads(out)
    assert (code, found["n_rows"], found["n_dropped"]) == (0, 2, 1)


def test_table_for_people(discreet: Run, baskets: Path) -> None:
    code, out, _ = discreet("mine", "frequent", baskets, "--min-support", 2)
    assert code == 0
    assert "3 frequent" in out
    assert "1, 2" in out


@pytest.mark.parametrize("name", ["found.parquet", "found.csv"])
def test_output_file(discreet: Run, baskets: Path, tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    code, _, _ = discreet("mine", "frequent", baskets, "--min-support", 2, "-o", path)
    frame = pl.read_parquet(path) if path.suffix == ".parquet" else pl.read_csv(path)
    assert code == 0
    assert frame["support"].to_list() == [3, 3, 2]
    last = frame["items"].to_list()[-1]
    assert (json.loads(last) if isinstance(last, str) else last) == ["1", "2"]
    code, _, err = discreet("mine", "frequent", baskets, "--min-support", 2, "-o", path)
    assert code == 2
    assert "exists" in err
    code, _, _ = discreet(
        "mine", "frequent", baskets, "--min-support", 3, "-o", path, "--overwrite"
    )
    assert code == 0


def test_rules(discreet: Run, baskets: Path) -> None:
    code, out, _ = discreet(
        "mine", "rules", baskets, "--min-support", 2, "--min-confidence", 0.6, "--json"
    )
    found = json.loads(out)
    assert code == 0
    assert found["n_itemsets"] == 3
    assert found["n_rules"] == 2
    assert found["rules"][0]["confidence"] == pytest.approx(2 / 3)


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["frequent", "FILE"], 2, "exactly one of --min-support"),
        (
            ["frequent", "FILE", "--min-support", "0"],
            2,
            "--min-support 0 must be",
        ),
        (["frequent", "FILE", "--theta", "1"], 2, "minimal-infrequent takes --theta"),
        (["minimal-infrequent", "FILE", "--min-support", "1"], 2, "takes --theta"),
        (["rules", "FILE", "--min-support", "1", "--count"], 2, "--count"),
        (["frequent", "nothing.dat", "--min-support", "1"], 2, "nothing.dat"),
        (["often", "FILE", "--min-support", "1"], 2, "often"),
        (["frequent", "FILE", "--min-support", "1", "--bins", "age"], 2, "column=20,40,60"),
        (["frequent", "FILE", "--min-support", "1", "--max-itemsets", "2"], 1, "More than 2"),
        (["frequent", "FILE", "--min-support", "1", "-o", "x.txt"], 2, ".parquet or .csv"),
    ],
)
def test_errors_are_one_sentence_and_an_exit_code(
    discreet: Run, baskets: Path, arguments: list[str], code: int, message: str
) -> None:
    given = [str(baskets) if argument == "FILE" else argument for argument in arguments]
    outcome = discreet("mine", *given)
    assert outcome.code == code
    assert message in outcome.err
    assert "Traceback" not in outcome.err
    assert not outcome.out


def test_debug_shows_the_traceback(discreet: Run, baskets: Path) -> None:
    with pytest.raises(
        ValueError,
        match="min_support=0",
    ):
        discreet("--debug", "mine", "frequent", baskets, "--min-support", 0)
