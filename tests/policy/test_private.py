"""Policies that ask for differential privacy: the same way, with exact figures."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

import discreet as dc
from discreet.errors import GuaranteeError, ParameterError
from discreet.policy import plan, read_policy, run_policy
from discreet.release.ledger import Ledger
from tests.policy.people import write_censuses, write_policy

POLICY = """\
[source]
file = "census.csv"

[roles]
condition = "sensitive"

[method]
name = "dp-mii-suppress"
epsilon = 1
delta = "1e-6"
k = 20
scheme = "dp"
columns = ["sex", "region"]
split_rate = 0.3

[release]
format = "csv"

[ledger]
path = "ledger.sqlite"
source = "census"
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a census, a public one of others, and a policy."""
    write_censuses(tmp_path, 4000)
    write_policy(tmp_path, with_lists(tmp_path))
    return tmp_path


def with_lists(folder: Path) -> str:
    """Return the policy with lists of values, those of the public census."""
    public = dc.load(folder / "public.csv")
    assert isinstance(public, dc.Table)
    lists = {name: sorted(map(str, public.values(name))) for name in ("sex", "region")}
    stated = ", ".join(f"{name} = {values}" for name, values in lists.items())
    return POLICY.replace("k = 20", f"k = 20\ndomains = {{ {stated} }}")


def test_a_private_release(folder: Path) -> None:
    result = run_policy(folder / "policy.toml", folder / "out")
    assert result.verification.answer != "refuted"
    assert result.guarantee.parameters == {"epsilon": Fraction(1), "delta": Fraction(1, 10**6)}
    assert dc.Release.load(folder / "out").data.columns == ("sex", "region")
    spent = Ledger.open(folder / "ledger.sqlite").spent("census")
    assert (spent.epsilon, spent.delta) == (Fraction(1), Fraction(1, 10**6))
    published = read_policy(folder / "out" / "policy.toml")
    assert published.method == read_policy(folder / "policy.toml").method


def test_without_lists_a_release_is_counted_and_its_epsilon_is_not(folder: Path) -> None:
    result = run_policy(write_policy(folder, POLICY), folder / "out")
    assert result.guarantee.condition == "only if the lists of values are public"
    spent = Ledger.open(folder / "ledger.sqlite").spent("census")
    assert not spent.epsilon
    assert spent.n_releases == 1
    assert "only if the lists of values are public" in spent.notes[0]


def test_the_budget_is_kept(folder: Path) -> None:
    Ledger.open(folder / "ledger.sqlite").budget(
        "census", epsilon=Fraction(3, 2), delta=Fraction(1, 1000)
    )
    run_policy(folder / "policy.toml", folder / "one")
    with pytest.raises(GuaranteeError, match="past its budget"):
        run_policy(folder / "policy.toml", folder / "two")
    assert not (folder / "two").exists()
    assert len(Ledger.open(folder / "ledger.sqlite").entries("census")) == 1


def test_a_public_table_is_read_like_the_source_and_named_without_its_folder(folder: Path) -> None:
    (folder / "elsewhere").mkdir()
    (folder / "public.csv").rename(folder / "elsewhere" / "public.csv")
    text = POLICY.replace('"dp"', '"public"\npublic = "elsewhere/public.csv"')
    path = write_policy(folder, text.replace("split_rate = 0.3\n", ""))
    assert run_policy(path, folder / "out").verification.answer != "refuted"
    published = (folder / "out" / "policy.toml").read_text()
    assert 'public = "public.csv"' in published
    assert "elsewhere" not in published


def test_domains_are_lists_of_values(folder: Path) -> None:
    text = POLICY.replace("k = 20", 'k = 20\ndomains = { sex = "f" }')
    with pytest.raises(ParameterError, match="line 12: The domain of column 'sex' is a list"):
        read_policy(write_policy(folder, text))


@pytest.mark.parametrize("key", ["split_rate", "beta"])
def test_shares_out_of_range(folder: Path, key: str) -> None:
    text = POLICY.replace("split_rate = 0.3\n", f"{key} = 1.5\n")
    with pytest.raises(ParameterError, match=f"line 14: {key} is a number more than 0 and less"):
        read_policy(write_policy(folder, text))


def test_a_plan_publishes_and_counts_nothing(folder: Path) -> None:
    found = plan(read_policy(folder / "policy.toml"), ks=[10, 20])
    assert found.columns == ("sex", "region")
    assert [setting.k for setting in found.settings] == [10, 20]
    assert not (folder / "ledger.sqlite").exists()
