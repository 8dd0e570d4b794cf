"""Patterns by policy: from a table or transactions to a verified folder of itemsets."""

from __future__ import annotations

from pathlib import Path

import pytest

import discreet as dc
from discreet.errors import (
    CompositionWarning,
    DataError,
    DiscreetWarning,
    InfeasibleError,
    ParameterError,
)
from discreet.patterns import channels, of_columns
from discreet.policy import plan, read_policy, run_policy
from tests.policy.people import write_people

METHODS = ["additive", "suppressive", "certified"]
TABLE = """\
[source]
file = "people.csv"
columns = ["name", "sex", "job", "diagnosis"]
[roles]
name = "identifying"
[method]
name = "patterns-{method}"
k = 5
{threshold}
[release]
format = "csv"
"""
BASKETS = """\
[source]
file = "baskets.dat"
[method]
name = "patterns-{method}"
k = 3
{threshold}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with people and baskets."""
    write_people(tmp_path)
    (tmp_path / "baskets.dat").write_text("1 2\n" * 8 + "1\n" + "2\n" * 3)
    return tmp_path


def written(folder: Path, text: str, method: str, threshold: str = "min_support = 8") -> Path:
    path = folder / "policy.toml"
    path.write_text(text.format(method=method, threshold=threshold))
    return path


@pytest.mark.parametrize("method", METHODS)
def test_a_table(folder: Path, method: str) -> None:
    result = run_policy(written(folder, TABLE, method), folder / "out")
    release = dc.Release.load(folder / "out")
    found = release.data
    assert not len(channels(found, k=5))
    assert not any("P0" in str(items) for items, _ in found)  # no names
    assert (result.n_rows, result.n_released) == (120, len(found))
    assert f"{len(found)} itemsets released." in result.sentence
    assert result.to_dict()["loss"] is not None
    assert result.verification.answer != "refuted"
    assert dc.verify_release(folder / "out").answer != "refuted"
    assert sorted(path.name for path in (folder / "out").iterdir()) == [
        "certificate.json", "data.csv", "policy.toml", "report.html"]  # fmt: skip


@pytest.mark.parametrize("method", METHODS)
def test_transactions(folder: Path, method: str) -> None:
    result = run_policy(written(folder, BASKETS, method), folder / "out")
    found = dc.Release.load(folder / "out").data
    assert not len(channels(found, k=3))
    assert result.n_rows == 12
    assert frozenset({"1", "2"}) in dict(found)


def test_a_share_is_published_as_a_number_of_rows(folder: Path) -> None:
    # With both, everybody could tell how many rows there were, and so how many were added.
    share = written(folder, BASKETS, "additive", "min_frequency = 0.6")
    run_policy(share, folder / "out")
    text = (folder / "out" / "policy.toml").read_text()
    assert "min_frequency" not in text
    assert "min_support = 8" in text
    (folder / "again.toml").write_text(text)
    run_policy(folder / "again.toml", folder / "two")
    assert dc.Release.load(folder / "two").data == dc.Release.load(folder / "out").data


@pytest.mark.parametrize(
    ("threshold", "message"),
    [
        ("", "has min_support or min_frequency: give one"),
        ("min_support = 8\nmin_frequency = 0.5", "has min_support or min_frequency: give one"),
        ("min_support = 0", "line 6: min_support is at least 1, not 0"),
        ("min_frequency = 1.5", "more than 0 and at most 1"),
        ("theta = 3", "There is no 'theta' in method 'patterns-additive'"),
    ],
)
def test_thresholds(folder: Path, threshold: str, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        read_policy(written(folder, BASKETS, "additive", threshold))


def test_columns(folder: Path) -> None:
    text = 'min_support = 8\ncolumns = ["sex", "job"]'
    run_policy(written(folder, TABLE, "additive", text), folder / "out")
    release = dc.Release.load(folder / "out")
    items = {item.partition("=")[0] for sets, _ in release.data for item in map(str, sets)}
    assert items == {"sex", "job"}
    assert release.events[0].parameters["columns"] == ("sex", "job")
    policy = read_policy(written(folder, TABLE, "additive", text.replace('"sex"', '"name"')))
    with pytest.raises(ParameterError, match="'name' is identifying"):
        run_policy(policy, folder / "two")
    policy = read_policy(written(folder, BASKETS, "additive", text))
    with pytest.raises(ParameterError, match=r"line 7: .* no column 'sex'"):
        run_policy(policy, folder / "two")
    assert not (folder / "two").exists()


def test_quasi_identifiers(folder: Path) -> None:
    text = 'min_support = 8\nquasi = ["sex", "job"]'
    result = run_policy(written(folder, TABLE, "additive", text), folder / "out")
    assert result.verification.answer != "refuted"
    release = dc.Release.load(folder / "out")
    assert release.guarantee.columns == release.events[0].parameters["quasi"] == ("sex", "job")
    found = release.data
    assert not len(channels(of_columns(found, columns=["sex", "job"]), k=5))
    assert any("diagnosis=" in item for items, _ in found for item in map(str, items))
    assert 'quasi = ["sex", "job"]' in (folder / "out" / "policy.toml").read_text()
    policy = read_policy(written(folder, TABLE, "additive", text.replace("job", "jbo")))
    with pytest.raises(ParameterError, match=r"line 10: .* no column 'jbo'.*Did you mean 'job'"):
        run_policy(policy, folder / "two")
    policy = read_policy(written(folder, TABLE, "additive", text.replace("job", "name")))
    with pytest.raises(ParameterError, match="'name', of which no itemset would be published"):
        run_policy(policy, folder / "two")


def test_what_cannot_be_published(folder: Path) -> None:
    with pytest.raises(InfeasibleError, match="No itemset of at least 13 rows"):
        run_policy(written(folder, BASKETS, "additive", "min_support = 13"), folder / "out")
    # Each of the pairs 1 2 and 3 4 loses the rows that are a small group of the other.
    rows = "1 2\n" * 6 + "1 2 3\n" * 2 + "3 4\n" * 6 + "1 3 4\n" * 2
    (folder / "baskets.dat").write_text(rows)
    policy = read_policy(written(folder, BASKETS, "suppressive"))
    with (
        pytest.warns(DiscreetWarning, match="Use additive"),
        pytest.raises(InfeasibleError, match="additive"),
    ):
        run_policy(policy, folder / "out")
    assert not (folder / "out").exists()


def test_transactions_are_for_patterns_only(folder: Path) -> None:
    text = BASKETS.replace("patterns-{method}", "k-mii")
    with pytest.raises(DataError, match="methods for patterns take both"):
        run_policy(written(folder, text, "", ""), folder / "out")
    (folder / "baskets.dat").write_text("")
    with pytest.raises(DataError):
        run_policy(written(folder, BASKETS, "additive"), folder / "out")


def test_no_plan(folder: Path) -> None:
    with pytest.raises(ParameterError, match="support_for_safety"):
        plan(read_policy(written(folder, BASKETS, "additive")))


def test_the_ledger_advises_to_derive(folder: Path) -> None:
    ledger = '\n[ledger]\npath = "ledger.sqlite"\n'
    run_policy(written(folder, BASKETS + ledger, "additive"), folder / "one")
    with pytest.warns(CompositionWarning, match="goes down to 3. .* derive the others"):
        run_policy(written(folder, BASKETS + ledger, "additive", "min_support = 3"), folder / "two")


def test_an_internal_page(folder: Path) -> None:
    page = folder / "internal.html"
    run_policy(written(folder, BASKETS, "additive"), folder / "out", internal_report=page)
    assert page.read_text().startswith("<!doctype html>")
