"""Policies that ask for drawn rows."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

import discreet as dc
from discreet.errors import GuaranteeError, ParameterError
from discreet.policy import plan, preview, read_policy, run_policy
from discreet.policy.methods import read_method
from discreet.release.ledger import Ledger
from discreet.synthesize import ExpectedPairErrors, expected_pair_errors
from tests.policy.people import write_censuses, write_policy

POLICY = """\
[source]
file = "census.csv"

[method]
name = "synthesize"
epsilon = 2
delta = "1e-6"
columns = ["sex", "region", "education"]
label = "sex"
public = "public.csv"

[release]
format = "csv"

[ledger]
path = "ledger.sqlite"
source = "census"
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a census, a public one of others, and a policy."""
    write_censuses(tmp_path, 2000)
    write_policy(tmp_path, POLICY)
    return tmp_path


def test_rows_are_drawn_counted_and_verified(folder: Path) -> None:
    result = run_policy(folder / "policy.toml", folder / "out", internal_report=folder / "own.html")
    assert result.verification.answer != "refuted"
    assert result.guarantee.parameters == {"epsilon": Fraction(2), "delta": Fraction(1, 10**6)}
    data = dc.Release.load(folder / "out").data
    assert data.columns == ("sex", "region", "education")
    assert abs(data.n_rows - 2000) < 100
    assert f"{data.n_rows:,} synthetic rows in place of 2,000." in result.sentence
    spent = Ledger.open(folder / "ledger.sqlite").spent("census")
    assert (spent.epsilon, spent.delta) == (Fraction(2), Fraction(1, 10**6))
    published = (folder / "out" / "policy.toml").read_text()
    assert (
        read_policy(folder / "out" / "policy.toml").method
        == read_policy(folder / "policy.toml").method
    )
    assert str(folder) not in published
    page = (folder / "out" / "report.html").read_text()
    assert "in place of" not in page
    # The exact number of rows is not told; by chance it may be the number drawn.
    assert "2,000" not in page or data.n_rows == 2000
    assert (folder / "own.html").exists()


def test_the_budget_is_kept(folder: Path) -> None:
    Ledger.open(folder / "ledger.sqlite").budget(
        "census", epsilon=Fraction(3), delta=Fraction(1, 9)
    )
    run_policy(folder / "policy.toml", folder / "one")
    with pytest.raises(GuaranteeError, match="past its budget"):
        run_policy(folder / "policy.toml", folder / "two")
    assert not (folder / "two").exists()


def test_values_can_be_listed_in_the_policy(folder: Path) -> None:
    values = {name: list(dc.read_table(folder / "public.csv").values(name)) for name in ("sex",)}
    lists = f"domains = {{ sex = {values['sex']} }}\ntrust = 'local'\nn_rows = 70"
    text = POLICY.replace('public = "public.csv"', lists).replace(', "region", "education"', "")
    path = write_policy(folder, text.replace('delta = "1e-6"\n', "").replace("'", '"'))
    result = run_policy(path, folder / "out")
    assert result.verification.answer != "refuted"
    assert dc.Release.load(folder / "out").data.n_rows == 70


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"epsilon": 0}, "a number more than 0, not 0"),
        ({"delta": 1}, "a number from 0 to less than 1"),
        ({"domains": {"sex": ["f"]}, "public": "a.csv"}, "give one"),
    ],
)
def test_wrong_options(wrong: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        read_method({"name": "synthesize", "epsilon": 1, **wrong})


def test_there_are_no_classes_to_plan(folder: Path) -> None:
    with pytest.raises(ParameterError, match=r"synthesize makes none. .*plan_synthesis"):
        plan(read_policy(folder / "policy.toml"))
    with pytest.raises(ParameterError, match="makes none"):
        read_policy(folder / "policy.toml").method.at(5)


def test_what_synthetic_rows_will_be_worth_is_told_and_nothing_spent(folder: Path) -> None:
    expected = preview(folder / "policy.toml")
    assert isinstance(expected, ExpectedPairErrors)
    public = dc.read_table(folder / "public.csv").select(["sex", "region", "education"])
    sizes = {name: len(public.values(name)) for name in public.columns}
    assert expected == expected_pair_errors(sizes, epsilon=2, delta=1e-6, n_rows=2000)
    assert not (folder / "ledger.sqlite").exists()
    other = write_policy(folder, '[source]\nfile = "census.csv"\n[method]\nname = "k-mii"\nk = 2\n')
    with pytest.raises(ParameterError, match="k-mii is planned by trying it"):
        preview(other)


@pytest.mark.parametrize("more", ["", "A,f\n"])
def test_one_row_does_not_decide_whether_there_is_a_release(tmp_path: Path, more: str) -> None:
    (tmp_path / "people.csv").write_text("ward,sex\n" + "1,f\n2,m\n" * 200 + more)
    (tmp_path / "values.csv").write_text("ward,sex\n1,f\n2,m\nA,\n")
    (tmp_path / "policy.toml").write_text(
        '[source]\nfile = "people.csv"\n\n[method]\nname = "synthesize"\nepsilon = 1\n'
        'delta = "1e-6"\npublic = "values.csv"\n'
    )
    result = run_policy(tmp_path / "policy.toml", tmp_path / "out")
    assert result.verification.answer != "refuted"
    assert set(dc.Release.load(tmp_path / "out").data.values("ward")) <= {"1", "2", "A"}
