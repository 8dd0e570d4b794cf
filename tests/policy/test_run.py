"""Running a policy: a whole, verified, counted release, or nothing."""

from __future__ import annotations

import json
import os
import warnings
from pathlib import Path

import pytest

import discreet as dc
from discreet.errors import (
    CompositionWarning,
    DataError,
    DiscreetWarning,
    GuaranteeError,
    InfeasibleError,
    ParameterError,
    VerificationError,
)
from discreet.policy import pipeline, read_policy, run_policy
from discreet.policy.load import load_source
from discreet.release.ledger import Ledger
from discreet.verify import Verification
from tests.policy.people import POLICY, write_people, write_policy

LEDGER = '\n[ledger]\npath = "ledger.sqlite"\nsource = "people"\n'
FILES = ["certificate.json", "data.csv", "policy.toml", "report.html"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with people and a policy for them."""
    write_people(tmp_path)
    write_policy(tmp_path)
    return tmp_path


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_policy_becomes_a_release(folder: Path) -> None:
    result = run_policy(folder / "policy.toml", folder / "out")
    assert names(folder) == ["out", "people.csv", "policy.toml"]
    assert names(folder / "out") == FILES
    release = dc.Release.load(folder / "out")
    assert release.guarantee == result.guarantee
    assert release.guarantee.parameters["k"] == 3
    assert "name" not in release.data.columns
    assert release.data.sensitive == ("diagnosis",)
    assert result.verification.answer != "refuted"
    assert result.n_rows == 120
    assert result.n_released == release.data.n_rows
    assert dc.verify_release(folder / "out").answer != "refuted"


def test_what_it_says_of_itself(folder: Path) -> None:
    result = run_policy(folder / "policy.toml", folder / "out")
    said = json.loads(json.dumps(result.to_dict()))
    assert said["verification"]["answer"] == "verified"
    assert said["ledger"] is None
    assert "120 rows released" in result.sentence
    assert str(folder / "out") in result._repr_html_()


def test_the_published_policy_has_no_folders_and_no_remarks(folder: Path) -> None:
    text = POLICY.replace('"people.csv"', json.dumps(str(folder / "people.csv")))
    run_policy(write_policy(folder, text + LEDGER), folder / "out")
    published = (folder / "out" / "policy.toml").read_text()
    assert read_policy(folder / "out" / "policy.toml").source.file == "people.csv"
    for secret in (str(folder), "nobody's business", "ledger.sqlite"):
        assert secret not in published


def test_without_a_report(folder: Path) -> None:
    run_policy(write_policy(folder, POLICY + "report = false\n"), folder / "out")
    assert names(folder / "out") == [name for name in FILES if name != "report.html"]


def test_the_internal_report_lies_elsewhere(folder: Path) -> None:
    page = folder / "internal.html"
    result = run_policy(folder / "policy.toml", folder / "out", internal_report=page)
    assert result.internal_report == page
    assert "not for publication" in page.read_text().lower()
    for wrong, message in (
        (folder / "new" / "page.html", "folder that is published"),
        (folder / "none" / "page.html", "cannot be written"),
        (page, "exists"),
    ):
        with pytest.raises(ParameterError, match=message):
            run_policy(folder / "policy.toml", folder / "new", internal_report=wrong)
    assert not (folder / "new").exists()


def test_a_release_is_replaced_only_when_asked(folder: Path) -> None:
    run_policy(folder / "policy.toml", folder / "out")
    before = (folder / "out" / "data.csv").read_bytes()
    write_policy(folder, POLICY.replace("k = 3", "k = 20"))
    with pytest.raises(ParameterError, match="exists"):
        run_policy(folder / "policy.toml", folder / "out")
    assert (folder / "out" / "data.csv").read_bytes() == before
    run_policy(folder / "policy.toml", folder / "out", overwrite=True)
    assert dc.Release.load(folder / "out").guarantee.parameters["k"] == 20
    assert names(folder) == ["out", "people.csv", "policy.toml"]


def test_the_ledger_counts_and_warns(folder: Path) -> None:
    path = write_policy(folder, POLICY + LEDGER)
    first = run_policy(path, folder / "one")
    assert first.entry is not None
    assert (first.entry.source, first.entry.number) == ("people", 1)
    with pytest.warns(CompositionWarning, match="1 earlier release"):
        second = run_policy(path, folder / "two")
    assert second.entry is not None
    assert second.entry.number == 2
    ledger = Ledger.open(folder / "ledger.sqlite", create=False)
    (entry, _) = ledger.entries("people")
    assert entry.fingerprint is not None
    assert ledger.key(entry.fingerprint.key_id).key_id == entry.fingerprint.key_id


def test_past_the_budget_nothing_is_written(folder: Path) -> None:
    Ledger.open(folder / "ledger.sqlite").budget("people", epsilon=1)
    before = names(folder)
    with pytest.raises(GuaranteeError, match="budget"):
        run_policy(write_policy(folder, POLICY + LEDGER), folder / "out")
    assert [name for name in names(folder) if "sqlite-" not in name] == before
    assert Ledger.open(folder / "ledger.sqlite").entries("people") == ()


def test_a_ledger_that_cannot_be_used_stops_before_the_work(folder: Path) -> None:
    (folder / "ledger.sqlite").write_text("not a database" * 100)
    with pytest.raises(DataError, match="ledger"):
        run_policy(write_policy(folder, POLICY + LEDGER), folder / "out")
    text = POLICY + '\n[ledger]\npath = "none/ledger.sqlite"\n'
    with pytest.raises(DataError, match=r"line 20: The folder .*none of the ledger"):
        run_policy(write_policy(folder, text), folder / "out")
    assert not (folder / "out").exists()


def test_a_release_that_fails_verification_is_not_published(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(path: object, **_: object) -> Verification:
        assert Path(str(path)).parent != folder, "it is verified before it has its name"
        return Verification(answer="refuted", sentence="Refuted: no.", checks=())

    monkeypatch.setattr("discreet.verify.verify_release", refuse)
    path = write_policy(folder, POLICY + LEDGER)
    with (
        pytest.raises(VerificationError, match=r"Nothing was published: Refuted: no\."),
        pytest.warns(DiscreetWarning, match="entry 1 of 'people'"),
    ):
        run_policy(path, folder / "out")
    assert not (folder / "out").exists()
    assert not [name for name in names(folder) if name.startswith(".")]
    assert len(Ledger.open(folder / "ledger.sqlite").entries("people")) == 1


def test_the_ledger_counts_before_anything_is_written(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("discreet.release.release.write_table", full)
    with (
        pytest.raises(DataError, match="No space left"),
        pytest.warns(DiscreetWarning, match="did not come to be published"),
    ):
        run_policy(write_policy(folder, POLICY + LEDGER), folder / "out")
    assert len(Ledger.open(folder / "ledger.sqlite").entries("people")) == 1


def test_more_than_can_be_released(folder: Path) -> None:
    for k in (60, 1000):
        with pytest.raises(InfeasibleError, match=r"No row of .*people\.csv could be released"):
            run_policy(write_policy(folder, POLICY.replace("k = 3", f"k = {k}1")), folder / "out")
    assert names(folder) == ["people.csv", "policy.toml"]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('diagnosis = "s', 'diagnose = "s', "line 10: There is no column 'diagnose' .*diagnosis'"),
        ("age = [40", "agee = [40", "line 6: There is no column 'agee' in .*Did you mean 'age'"),
        ("k = 3", 'k = 3\ncolumns = [\n"sex",\n"jb"]', "line 17: .*'jb'.*Did you mean 'job'"),
        ('"people.csv"', '"people.csv"\ncategorical = ["zip"]', "line 4: There is no column 'zip'"),
        ('"people.csv"', '"people.csv"\ncolumns = ["sex", "aeg"]', "line 4: .*'aeg'.*'age'"),
        ("k = 3", 'k = 3\ncolumns = ["ag"]', "line 15: There is no column 'ag' in"),
    ],
)
def test_columns_that_the_file_has_not(folder: Path, old: str, new: str, message: str) -> None:
    assert old in POLICY
    with pytest.raises(ParameterError, match=message):
        run_policy(write_policy(folder, POLICY.replace(old, new)), folder / "out")
    assert names(folder) == ["people.csv", "policy.toml"]


def test_columns_that_are_not_kept_may_have_roles_and_bins(folder: Path) -> None:
    text = POLICY.replace('"people.csv"', '"people.csv"\ncolumns = ["sex", "job"]')
    run_policy(write_policy(folder, text), folder / "out")
    assert dc.Release.load(folder / "out").data.columns == ("sex", "job")
    wrong = text.replace("k = 3", 'k = 3\ncolumns = ["age"]').replace("diagnosis", "diagnose")
    with pytest.raises(ParameterError, match="line 11: There is no column 'diagnose' in"):
        run_policy(write_policy(folder, wrong), folder / "new")
    wrong = text.replace("k = 3", 'k = 3\ncolumns = ["age"]')
    with pytest.raises(ParameterError, match=r"line 16: .*'age' among those kept.*'sex', 'job'"):
        run_policy(write_policy(folder, wrong), folder / "new")


def test_a_column_that_looks_identifying_is_told(folder: Path) -> None:
    path = write_policy(folder, POLICY.replace('name = "identifying"\n', "", 1))
    with pytest.warns(DiscreetWarning, match=r"'name' looks identifying .* In \[roles\]"):
        run_policy(path, folder / "out")
    assert "name" in dc.Release.load(folder / "out").data.columns


@pytest.mark.parametrize(
    ("role", "column", "kind"),
    [
        ("quasi", "contact", "e-mail addresses"),
        ("insensitive", "remark", "free text"),
        ("sensitive", "remark", "free text"),
        ("quasi", "code", "Dutch citizen numbers"),
        ("quasi", "surname", "names of people"),
        ("quasi", "id", ""),
        ("identifying", "contact", ""),
    ],
)
def test_values_that_name_people_are_told_whatever_their_role(
    tmp_path: Path, role: str, column: str, kind: str
) -> None:
    bsn = ["747546782", "073896342", "870232691", "516749286", "636494858", "186953239"]
    cells = {
        "contact": [f"ann{i}@example.org" for i in range(6)],
        "remark": [f"She came on day {i}. All was well." for i in range(6)],
        "code": bsn,
        "surname": ["Adler", "Bach", "Conrad", "Dorn", "Ernst", "Falk"],
        "id": [f"{i}" for i in range(6)],
    }[column]
    rows = [f"{cell},{'fm'[i % 2]}" for i in range(4) for cell in cells]
    (tmp_path / "people.csv").write_text(f"{column},sex\n" + "\n".join(rows) + "\n")
    stated = '[source]\nfile = "people.csv"\none_row_per_person = true\n'
    text = f'{stated}[roles]\n{column} = "{role}"\n'
    path = write_policy(tmp_path, text + '[method]\nname = "k-mii"\nk = 2\n')
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        load_source(read_policy(path))
    said = [str(each.message) for each in caught]
    if not kind:
        assert said == []
        return
    (message,) = said
    assert message.startswith(f"Column '{column}' looks identifying (")
    assert kind in message
    assert f"has the role {role}, so it would be published" in message
    assert f'{column} = "identifying" leaves it out' in message
    assert not any(cell in message for cell in cells)


def test_columns_that_are_not_published_are_not_told(tmp_path: Path) -> None:
    rows = [f"ann{i}@example.org,{'fm'[i % 2]},x" for i in range(40)]
    (tmp_path / "people.csv").write_text("contact,sex,job\n" + "\n".join(rows) + "\n")
    text = '[source]\nfile = "people.csv"\n{}[method]\n{}'
    patterns = 'name = "patterns-additive"\nk = 2\nmin_support = 5\ncolumns = ["sex"]\n'
    kept = 'columns = ["sex", "job"]\n'
    for source, method in (("", patterns), (kept, 'name = "k-mii"\nk = 2\n')):
        load_source(read_policy(write_policy(tmp_path, text.format(source, method))))
    covered = 'name = "k-mii"\nk = 2\ncolumns = ["sex"]\n'
    with pytest.warns(DiscreetWarning, match="looks identifying"):
        load_source(read_policy(write_policy(tmp_path, text.format("", covered))))


def test_nothing_to_release(folder: Path) -> None:
    roles = "".join(f'{name} = "identifying"\n' for name in ("sex", "age", "job"))
    text = POLICY.replace('diagnosis = "sensitive"\n', f'diagnosis = "identifying"\n{roles}')
    with pytest.raises(ParameterError, match="All columns are identifying"):
        run_policy(write_policy(folder, text), folder / "out")
    (folder / "people.csv").write_text("name,sex,age,job,diagnosis\n")
    with pytest.raises(DataError, match=r"people\.csv has no rows"):
        run_policy(write_policy(folder), folder / "out")


def test_an_interrupted_run_leaves_nothing(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(pipeline, "_refuse_faults", interrupt)
    with pytest.raises(KeyboardInterrupt):
        run_policy(folder / "policy.toml", folder / "out")
    assert names(folder) == ["people.csv", "policy.toml"]


def test_the_input_stays_as_it_is(folder: Path) -> None:
    people = folder / "people.csv"
    people.chmod(0o400)
    before = (people.read_bytes(), people.stat().st_mtime_ns)
    run_policy(folder / "policy.toml", folder / "out")
    assert (people.read_bytes(), people.stat().st_mtime_ns) == before
    assert os.access(folder / "out" / "data.csv", os.W_OK)


def test_tables_of_item_numbers(tmp_path: Path) -> None:
    (tmp_path / "small.num").write_text("1 3\n1 3\n2 3\n2 3\n")
    text = '[source]\nfile = "small.num"\n[method]\nname = "mii-suppress"\ntheta = 1\n'
    result = run_policy(write_policy(tmp_path, text), tmp_path / "out")
    assert (result.n_released, result.n_suppressed) == (4, 0)
