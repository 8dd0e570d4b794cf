"""Policies that generalize: hierarchies from files, options, plans, and the command line.

What the methods do is tested with them; here a stand-in takes their place, but in the last test.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Unpack

import pytest

import discreet as dc
from discreet.errors import DataError, HierarchyError, ParameterError
from discreet.generalize.problem import state_problem
from discreet.generalize.release import clustered_release
from discreet.generalize.rules import Options
from discreet.policy import draft_policy, make_policy, plan, read_policy, run_policy
from discreet.policy.load import find_hierarchies
from discreet.release.event import Event
from discreet.release.release import Release
from tests.conftest import Outcome
from tests.generalize.releases import cut
from tests.policy.people import write_people, write_policy

NAMES = ("set-cover", "forest", "agglomerative", "mondrian", "datafly", "incognito")
POLICY = """\
[source]
file = "people.csv"

[roles]
name = "identifying"
diagnosis = "sensitive"

[hierarchies]
age = "trees/age.csv"
job = "trees/job.csv"

[method]
name = "{name}"
k = 5
"""


def mondrian(table: dc.Table, *, k: int, **options: Unpack[Options]) -> Release:
    """Put neighbours in the order of values together: no method, but a release."""
    problem = state_problem(table, k=k, options=options)
    tell = options.get("progress")
    if tell is not None:
        tell(1.0)
    return clustered_release(
        table,
        problem=problem,
        options=options,
        clusters=cut(table, 3 * k, problem.records.columns),
        events=(
            Event(name="mondrian", parameters={"k": k, "loss": problem.loss, "choose": "loss"}),
        ),
        before=1.0,
        least=0.01,
        ratio=2.0,
    )


@pytest.fixture
def two_groups(monkeypatch: pytest.MonkeyPatch) -> None:
    """Put a method that makes two groups where the record says that it is."""
    monkeypatch.setattr("discreet.generalize.mondrian", mondrian)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with people, hierarchies for their ages and jobs, and a policy."""
    write_people(tmp_path)
    trees = tmp_path / "trees"
    trees.mkdir()
    dc.Hierarchy.intervals(range(20, 90), steps=[10, 20]).to_csv(trees / "age.csv")
    jobs = {"*": {"office": ["clerk"], "hands": ["cook", "nurse"]}}
    dc.Hierarchy.from_mapping(jobs).to_csv(trees / "job.csv")
    (trees / "read me.txt").write_text("about these trees")
    write_policy(tmp_path, POLICY.format(name="mondrian"))
    return tmp_path


@pytest.mark.usefixtures("two_groups")
def test_a_policy_becomes_a_release(folder: Path) -> None:
    result = run_policy(folder / "policy.toml", folder / "out")
    assert result.verification.answer != "refuted"
    beside = [each.name for each in result.verification.not_checkable]
    assert beside == ["report and policy", "columns outside"]
    names = {path.name for path in (folder / "out").iterdir()}
    assert names == {
        "certificate.json", "data.parquet", "hierarchies.json", "policy.toml", "report.html",
    }  # fmt: skip
    release = dc.Release.load(folder / "out")
    assert release.guarantee.columns == ("sex", "age", "job")
    assert sorted(release.stated) == ["age", "job"]
    assert {"[20, 40)", "[20, 30)", "*"} & {*release.data.values("age")}
    assert result.sentence.startswith(
        "120 of 120 rows released, 0 records (0.0%) suppressed. Share of information lost (lm) 0."
    )
    assert "no choice of groups loses less than 0.0100" in result.sentence
    assert json.loads(json.dumps(result.to_dict()))["loss"]["ratio"] == 2.0


@pytest.mark.usefixtures("two_groups")
def test_the_published_policy_has_no_folders(folder: Path) -> None:
    run_policy(folder / "policy.toml", folder / "out")
    text = (folder / "out" / "policy.toml").read_text()
    assert '[hierarchies]\nage = "age.csv"\njob = "job.csv"\n' in text
    assert "trees" not in text
    published = read_policy(folder / "out" / "policy.toml")
    assert published.method == read_policy(folder / "policy.toml").method


@pytest.mark.usefixtures("two_groups")
@pytest.mark.parametrize(
    ("options", "model"),
    [
        ("l = 2", "k-anonymity and l-diversity"),
        ('l = 1.5\ndiversity = "entropy"', "k-anonymity and l-diversity"),
        ('l = 2\ndiversity = "recursive"\nc = 9', "k-anonymity and l-diversity"),
        ('t = 0.9\ndistance = "ordered"', "k-anonymity and t-closeness"),
        ('l = 2\nt = "0.9"\nsensitive = ["diagnosis"]', "k-anonymity, l-diversity and t-closeness"),
        ('columns = ["age", "sex"]\nloss = "entropy"', "k-anonymity"),
    ],
)
def test_options_reach_the_method(folder: Path, options: str, model: str) -> None:
    write_policy(folder, POLICY.format(name="mondrian") + options + "\n")
    result = run_policy(folder / "policy.toml", folder / "out")
    assert result.guarantee.model == model
    assert result.verification.answer != "refuted"


@pytest.mark.usefixtures("two_groups")
def test_weights_and_households(folder: Path) -> None:
    path = folder / "people.csv"
    header, *rows = path.read_text().splitlines()
    more = [f"{row},{1 + i % 3},H{i // 2}" for i, row in enumerate(rows)]
    path.write_text("\n".join([f"{header},weight,home", *more]) + "\n")
    text = POLICY.format(name="mondrian").replace("[roles]", '[roles]\nhome = "insensitive"')
    write_policy(folder, text + 'weights = "weight"\nhouseholds = "home"\n')
    result = run_policy(folder / "policy.toml", folder / "out")
    assert result.verification.answer != "refuted"
    unclear = [check.name for check in result.verification.not_checkable]
    assert unclear == ["report and policy", "columns outside", "households"]
    data = dc.Release.load(folder / "out").data
    assert "home" not in data.columns
    assert all(isinstance(value, float) for value in data.values("weight"))


@pytest.mark.usefixtures("two_groups")
def test_missing_values_need_no_line(folder: Path) -> None:
    path = folder / "people.csv"
    path.write_text(path.read_text().replace(",57,", ",,").replace(",clerk,", ",,"))
    result = run_policy(folder / "policy.toml", folder / "out")
    assert result.verification.answer != "refuted"
    assert None in result.release.hierarchies["job"].leaves


@pytest.mark.parametrize(
    ("change", "error", "words"),
    [
        (("20;[20", "19;[20"), HierarchyError, r"line 9: .*age.csv: .*lacks 1 of the values: 20"),
        (("20;[20, 30);[20", "20;[30, 40);[40"), HierarchyError, r"line 9: .*age.csv, line"),
        (("20;[20, 30);[20, 40);*\n", ""), HierarchyError, "lacks 1 of the values: 20"),
    ],
)
def test_a_hierarchy_that_does_not_fit(
    folder: Path, change: tuple[str, str], error: type[Exception], words: str
) -> None:
    path = folder / "trees" / "age.csv"
    path.write_text(path.read_text().replace(*change))
    with pytest.raises(error, match=words):
        run_policy(folder / "policy.toml", folder / "out")
    assert not (folder / "out").exists()


def test_a_hierarchy_that_is_not_there(folder: Path) -> None:
    (folder / "trees" / "job.csv").unlink()
    with pytest.raises(DataError, match=r"line 10: .*job\.csv"):
        run_policy(folder / "policy.toml", folder / "out")


def test_a_hierarchy_of_no_column(folder: Path) -> None:
    text = POLICY.format(name="mondrian").replace("job =", "jobb =")
    with pytest.raises(ParameterError, match=r"line 10: There is no column 'jobb'.*'job'"):
        run_policy(write_policy(folder, text), folder / "out")


VISITS = """\
[source]
file = "visits.csv"
one_row_per_person = true

[hierarchies]
birth = { dates = true, levels = ["year", 5, "decade"] }
zip = { prefix = [3, 2, 1] }
icd = { icd = true }

[method]
name = "incognito"
k = 2
"""


def test_hierarchies_that_the_policy_makes(tmp_path: Path) -> None:
    rows = ["1931-05-09,12345,E11.9", "1931-07-01,12399,E11.6", "1931-01-02,12346,E11"]
    rows += ["1933-02-03,12300,E11.9"]
    (tmp_path / "visits.csv").write_text("\n".join(["birth,zip,icd", *rows]) + "\n")
    result = run_policy(write_policy(tmp_path, VISITS), tmp_path / "out")
    assert result.verification.answer != "refuted"
    trees = result.release.hierarchies
    assert trees["birth"].n_leaves == 365 + 366 + 365  # whole years
    shown = result.release.data.to_frame("polars")
    assert set(shown["birth"]) == {"1930-1934"}
    assert set(shown["zip"]) == {"123"}
    assert set(shown["icd"]) == {"E11.-"}
    stated = json.loads((tmp_path / "out" / "hierarchies.json").read_text())["columns"]
    assert [label for label, _, _ in stated["birth"]] == ["*", "1930s", "1930-1934"]
    again = read_policy(tmp_path / "out" / "policy.toml")
    assert again.hierarchies == read_policy(tmp_path / "policy.toml").hierarchies


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ("{ dats = true }", r"line 6: .*not made by 'dats'. Did you mean 'dates'"),
        ("{ prefix = 3 }", "line 6: Prefix is a list"),
        ("{ dates = true, icd = true }", "line 6: .*exactly one of"),
        ('{ dates = true, levels = ["year", "month"] }', "a year does not lie within a month"),
        ('{ icd = true, levels = ["year"] }', "Levels are of dates"),
        ("3", "line 6: .*a file such as"),
    ],
)
def test_ways_that_are_none(tmp_path: Path, how: str, words: str) -> None:
    lines = VISITS.replace('{ dates = true, levels = ["year", 5, "decade"] }', how)
    with pytest.raises(ParameterError, match=words):
        read_policy(write_policy(tmp_path, lines))


def test_a_way_that_does_not_fit_its_values(tmp_path: Path) -> None:
    (tmp_path / "visits.csv").write_text("birth,zip,icd\n1931-05-09,1,cold\n1931-05-10,1,E11\n")
    with pytest.raises(HierarchyError, match=r"line 8: 'cold' is not an ICD-10 code"):
        run_policy(write_policy(tmp_path, VISITS), tmp_path / "out")


def refusal(**options: object) -> str:
    with pytest.raises(ParameterError) as caught:
        make_policy({"source": {"file": "a.csv"}, "method": {"name": "forest", "k": 5, **options}})
    return str(caught.value)


def test_refused_options() -> None:
    assert refusal(l="0.5") == "l is a number of at least 1, not 0.5."
    assert refusal(l="2.5", diversity="distinct") == "l is a whole number for distinct diversity."
    assert refusal(t="1.5") == "t is a number from 0 to 1, not 1.5."
    assert refusal(l=2, diversity="recursive").startswith("c belongs to diversity")
    assert refusal(c=2).startswith("c belongs to diversity")
    assert "Did you mean 'entropy'" in refusal(loss="entrop")
    assert "There is no 'leftover' in method 'forest'" in refusal(leftover="drop")
    with pytest.raises(ParameterError, match=r"Hierarchies are for .* and k-mii does not\."):
        make_policy(
            {
                "source": {"file": "a.csv"},
                "method": {"name": "k-mii", "k": 5},
                "hierarchies": {"age": "age.csv"},
            }
        )


@pytest.mark.usefixtures("two_groups")
def test_a_plan_shows_the_loss(folder: Path) -> None:
    told: list[float] = []
    found = plan(read_policy(folder / "policy.toml"), ks=(2, 5, 20), progress=told.append)
    losses = [setting.loss for setting in found.settings]
    assert all(loss is not None and 0 <= loss <= 1 for loss in losses)
    assert losses == sorted(losses, key=float)  # type: ignore[arg-type]  # none is None
    assert found.columns == ("sex", "age", "job")
    assert found.preview().header[1:4] == ("loss", "records suppressed", "cells changed")
    assert "mean loss of a cell" in json.dumps(found.plot().to_dict(), default=str)
    assert told[-1] == 1.0


def test_a_draft_mentions_hierarchies(folder: Path) -> None:
    text = draft_policy(folder / "people.csv", folder=folder)
    assert '# [hierarchies]\n# age = "age.csv"\n' in text
    chosen = text.replace('# [hierarchies]\n# age = "age.csv"', '[hierarchies]\nage = "age.csv"')
    chosen = chosen.replace('name = "k-mii"', 'name = "set-cover"')
    path = write_policy(folder, "\n".join(line for line in chosen.splitlines()))
    assert read_policy(path).hierarchies == {"age": "age.csv"}


# The command line


@pytest.mark.usefixtures("two_groups")
def test_protect_with_files(folder: Path, discreet: Callable[..., Outcome]) -> None:
    done = discreet(
        "protect", "mondrian", folder / "people.csv", "-k", 5, "-l", 2, "-t", "0.9",
        "--hierarchy", f"age={folder / 'trees' / 'age.csv'}", "--role", "name=identifying",
        "--role", "diagnosis=sensitive", "--set", "distance=ordered", "-o", folder / "out",
        "--internal-report", folder / "page.html",
    )  # fmt: skip
    assert done.code == 0, done.err
    assert "k-anonymity, l-diversity and t-closeness" in done.out
    assert "Loss: 120 of 120 rows released" in done.out
    assert "Verified" in done.out
    assert sorted(dc.Release.load(folder / "out").stated) == ["age"]
    checked = discreet("verify", folder / "out", "--original", folder / "people.csv")
    assert checked.code == 0, checked.out


@pytest.mark.usefixtures("two_groups")
def test_protect_with_a_folder(folder: Path, discreet: Callable[..., Outcome]) -> None:
    trees = folder / "trees"
    (trees / "job.csv").rename(trees / "people_hierarchy_job.csv")
    done = discreet(
        "protect", "mondrian", folder / "people.csv", "-k", 5, "--hierarchies", trees,
        "--role", "name=identifying", "-o", folder / "out", "--json",
    )  # fmt: skip
    assert done.code == 0, done.err
    assert json.loads(done.out)["loss"]["measure"] == "lm"
    assert sorted(dc.Release.load(folder / "out").stated) == ["age", "job"]


def test_folders_of_hierarchies(folder: Path) -> None:
    trees = folder / "trees"
    (trees / "x_hierarchy_age.csv").write_text((trees / "age.csv").read_text())
    with pytest.raises(DataError, match="two hierarchies for column 'age'"):
        find_hierarchies(trees, folder / "people.csv")
    with pytest.raises(DataError, match="no folder"):
        find_hierarchies(folder / "nowhere", folder / "people.csv")
    (folder / "empty").mkdir()
    with pytest.raises(DataError, match="no hierarchy for a column"):
        find_hierarchies(folder / "empty", folder / "people.csv")


def test_errors_are_sentences(folder: Path, discreet: Callable[..., Outcome]) -> None:
    people = folder / "people.csv"
    done = discreet("protect", "mondrian", people, "-k", 5, "--hierarchy", "age", "-o", "x")
    assert done.code == 2
    assert "not of the form" in done.err
    done = discreet("protect", "k-mii", people, "-k", 5, "--hierarchy", "age=a.csv", "-o", "x")
    assert done.code == 2
    assert "No such option: --hierarchy" in done.err


# The methods themselves


@pytest.mark.parametrize("name", NAMES)
def test_every_method_goes_the_whole_way(folder: Path, name: str) -> None:
    write_policy(folder, POLICY.format(name=name) + "l = 2\n")
    result = run_policy(folder / "policy.toml", folder / "out")
    assert result.verification.answer != "refuted"
    assert result.guarantee.parameters["k"] == 5
    assert result.loss is not None
    assert sorted(dc.Release.load(folder / "out").stated) == ["age", "job"]


@pytest.mark.usefixtures("two_groups")
def test_a_plan_names_a_hierarchy_made_from_the_rows(folder: Path) -> None:
    ages = dc.Hierarchy.intervals(range(100), steps=[10, 20])
    ages.to_csv(folder / "trees" / "age.csv", overwrite=True)
    found = plan(read_policy(folder / "policy.toml"), ks=[5])
    named = [each for each in found.not_protected if "lists exactly the values" in each]
    assert [each.split("'")[1] for each in named] == ["job"]  # ages have the whole range
    assert named[0] in found.to_dict()["not_protected"]  # type: ignore[operator]
