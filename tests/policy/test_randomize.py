"""Policies that ask for randomized transactions."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import discreet as dc
from discreet.errors import DataError, ParameterError
from discreet.policy import plan, preview, read_policy, run_policy
from discreet.release.ledger import Ledger

POLICY = """\
[source]
file = "baskets.dat"

[method]
name = "randomize"
{options}

[ledger]
path = "ledger.sqlite"
source = "baskets"
"""


def written(folder: Path, options: str = 'cutoff = 2\nrho = "1/3"') -> Path:
    path = folder / "policy.toml"
    path.write_text(POLICY.format(options=options))
    return path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with transactions, a list of all items, and an operator."""
    rng = np.random.default_rng(1)
    lines = (" ".join(map(str, sorted({*rng.integers(1, 6, 3)}))) for _ in range(300))
    (tmp_path / "baskets.dat").write_text("\n".join(lines) + "\n")
    (tmp_path / "items.txt").write_text("\n".join(map(str, range(1, 8))))
    operator = {"operator": "cut-and-paste", "cutoff": 2, "rho": "1/3"}
    (tmp_path / "operator.json").write_text(json.dumps(operator))
    return tmp_path


def test_transactions_are_randomized_counted_and_verified(folder: Path) -> None:
    result = run_policy(written(folder), folder / "out")
    assert result.verification.answer != "refuted"
    assert (result.method, result.n_rows, result.n_released) == ("randomize", 300, 300)
    assert result.sentence == "300 of 300 transactions released, randomized."
    words = "Only if the list of items is public: local differential privacy"
    assert result.guarantee.model == words
    assert len(Ledger.open(folder / "ledger.sqlite").entries("baskets")) == 1
    assert dc.verify_release(folder / "out").answer != "refuted"
    published = read_policy(folder / "out" / "policy.toml")
    assert published.method == read_policy(folder / "policy.toml").method
    assert "What one report" in (folder / "out" / "report.html").read_text()


def test_operator_and_items_are_files_beside_the_policy(folder: Path) -> None:
    options = 'operator = "operator.json"\nitems = "items.txt"\nmax_size = 2'
    result = run_policy(written(folder, options), folder / "out")
    assert result.verification.answer != "refuted"
    assert 0 < result.n_released < 300
    assert not any("taken from" in each for each in result.guarantee.not_protected)


@pytest.mark.filterwarnings("ignore::discreet.errors.CompositionWarning")
def test_a_seed_repeats_the_draws_and_is_certified(folder: Path) -> None:
    path = written(folder)
    one, two = (run_policy(path, folder / name, seed=3) for name in ("one", "two"))
    assert one.guarantee.experimental
    assert one.verification.experimental
    assert [check.name for check in one.verification.failed] == ["publication"]
    assert one.release.to_dict()["events"] == two.release.to_dict()["events"]
    files = [(folder / name / "data.parquet").read_bytes() for name in ("one", "two")]
    assert files[0] == files[1]


def test_a_method_that_draws_nothing_takes_no_seed(tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text("sex\nf\nf\nm\nm\n")
    path = tmp_path / "policy.toml"
    path.write_text('[source]\nfile = "people.csv"\n[method]\nname = "mondrian"\nk = 2\n')
    with pytest.raises(ParameterError, match="mondrian draws nothing at random"):
        run_policy(path, tmp_path / "out", seed=1)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("cutoff = 2", "line 4: cutoff and rho go together"),
        ("", "line 4: Randomize has either cutoff and rho, or operator"),
        ('cutoff = 2\nrho = 0.1\noperator = "a.json"', "either cutoff and rho, or operator"),
        ("cutoff = 0\nrho = 0.1", "line 6: cutoff is at least 1, not 0"),
        ("cutoff = 2\nrho = 1", "line 7: rho is a number more than 0 and less than 1, not 1"),
        ("columns = ['a']", "There is no 'columns' in method 'randomize'"),
    ],
)
def test_what_is_wrong_is_named_with_its_line(folder: Path, options: str, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        read_policy(written(folder, options))


def test_tables_are_for_other_methods(folder: Path) -> None:
    (folder / "people.csv").write_text("sex\nf\nm\n")
    path = written(folder)
    path.write_text(path.read_text().replace("baskets.dat", "people.csv"))
    with pytest.raises(DataError, match="is a table, and randomize is for transactions"):
        run_policy(path, folder / "out")


def test_there_is_nothing_to_plan_and_no_internal_page(folder: Path) -> None:
    policy = read_policy(written(folder))
    with pytest.raises(ParameterError, match="randomize makes none"):
        plan(policy)
    with pytest.raises(ParameterError, match="Nothing says what randomize costs"):
        preview(policy)
    with pytest.raises(ParameterError, match="there is no internal one"):
        run_policy(policy, folder / "out", internal_report=folder / "page.html")
