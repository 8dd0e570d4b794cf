"""Patients who come again: what each command says of them, and that none runs unasked."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest
from tests.conftest import Outcome
from tests.verify.admissions import admissions

import discreet as dc
from discreet.policy import read_policy
from discreet.policy.choose import choose
from discreet.policy.load import load_source

Run = Callable[..., Outcome]

REASON = "410 values in 600 rows: 1.5 rows for each on average"
READ = ("--bins", "days=10", "--categorical", "postcode")
NAMING = ("patient_id", "name", "email", "phone", "note")


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """600 admissions of 410 patients."""
    monkeypatch.chdir(tmp_path)
    admissions(600, 410).write_csv("admissions.csv")
    return tmp_path / "admissions.csv"


def one_line(text: str) -> str:
    """Return what was printed without the breaks of lines."""
    return " ".join(text.split())


def test_look_counts_people_beside_rows(discreet: Run, file: Path) -> None:
    code, out, _ = discreet("look", file, "--max-size", 1)
    said = one_line(out)
    assert code == 0
    assert "600 rows of 410 patients" in said
    assert REASON in said
    assert '--person patient_id, or person = "patient_id" in a policy' in said
    found = json.loads(discreet("look", file, "--max-size", 1, "--json").out)
    assert found["n_people"] == 410
    assert found["person"]["column"] == "patient_id"
    assert [each["name"] for each in found["columns"] if each["role"] == "identifying"] == [*NAMING]
    stated = one_line(discreet("look", file, "--max-size", 1, "--person", "patient_id").out)
    assert "600 rows of 410 patients" in stated
    assert "seems to say whose" not in stated
    assert " patient_id " not in stated


def test_look_where_everybody_has_one_row(discreet: Run, file: Path) -> None:
    admissions(200, 200).write_csv(file)
    said = one_line(discreet("look", file, "--max-size", 1).out)
    assert "patient_id seems to say whose each row is" in said
    assert "every value of it stands in one row" in said
    assert "--one-row-per-person" in said
    assert "rows of" not in said


def test_init_writes_both_statements_switched_off(discreet: Run, file: Path) -> None:
    said = one_line(discreet("init", file).out)
    assert "take the # away before one of them" in said
    text = Path("policy.toml").read_text("utf-8")
    why = f"its name says that it identifies a person, and it has {REASON}."
    assert f"# Whose is each row? patient_id: {why}" in text
    assert '\n# person = "patient_id"\n' in text
    assert "\n# one_row_per_person = true\n" in text
    assert all(f'{name} = "identifying"' in text for name in NAMING)


def test_init_proposes_one_row_for_each(discreet: Run, file: Path) -> None:
    admissions(200, 200).write_csv(file)
    said = discreet("init", file).out
    assert "People:" not in said
    path = Path("policy.toml")
    text = path.read_text("utf-8")
    assert "# Is every row another person? patient_id: " in text
    load_source(read_policy(path))  # nobody has several rows: nothing has to be stated
    path.write_text(text.replace("# one_row_per_person", "one_row_per_person"), "utf-8")
    assert load_source(read_policy(path)).one_row_per_person


@pytest.mark.parametrize(
    "command",
    [
        "run policy.toml -o out",
        "plan policy.toml",
        "protect k-mii admissions.csv -k 3 -o out",
        "protect mondrian admissions.csv -k 3 -o out --role name=identifying",
        "protect synthesize admissions.csv --epsilon 1 -o out",
        "synthesize admissions.csv --epsilon 1 -o out",
        "synthesize admissions.csv --epsilon 1 --plan",
        "patterns sanitize admissions.csv --min-support 50 -k 3 --method certified -o out",
        "plan admissions.csv -k 3",
    ],
)
def test_nothing_runs_until_it_is_stated_whose_rows_these_are(
    discreet: Run, file: Path, command: str
) -> None:
    discreet("init", file)
    words = shlex.split(command)
    code, _, err = discreet(*words, *(() if ".toml" in command else READ))
    said = one_line(err)
    assert code == 2
    assert "Column 'patient_id' seems to say whose each row is" in said
    assert REASON in said
    assert "k rows that are equal may all be of one person" in said
    if ".toml" in command:
        assert 'In [source] of policy.toml, write person = "patient_id"' in said
        assert "policy.toml, line 5:" in said
    else:
        assert "Give --person patient_id to protect people" in said
        assert "--one-row-per-person only if you know" in said
    assert not Path("out").exists()
    assert "example.org" not in err
    assert "P100" not in err


def test_stated_either_way_the_table_is_read(discreet: Run, file: Path) -> None:
    del file
    discreet("init", "admissions.csv")
    text = Path("policy.toml").read_text("utf-8")
    Path("policy.toml").write_text(text.replace("# person = ", "person = "), "utf-8")
    table = load_source(read_policy("policy.toml"))
    assert table.people is not None
    assert table.people.n_people == 410
    assert "patient_id" not in table.columns
    one_each = text.replace("# one_row_per_person = ", "one_row_per_person = ")
    Path("policy.toml").write_text(one_each, "utf-8")
    table = load_source(read_policy("policy.toml"))
    assert table.one_row_per_person
    assert table.people is None


def test_choose_puts_the_person_into_the_command(discreet: Run, file: Path) -> None:
    found = json.loads(discreet("choose", file, "--yes", "--json").out)
    assert (found["facts"]["n_rows"], found["facts"]["n_people"]) == (600, 410)
    words = found["first"]["arguments"]
    assert words[words.index("--person") + 1] == "patient_id"
    assert "patient_id=identifying" not in words
    assert {f"{name}=identifying" for name in NAMING[1:]} <= {*words}
    said = one_line(discreet("choose", file, "--yes").out)
    assert "600 rows of 410 patients" in said
    assert REASON in said
    assert "Put --one-row-per-person in its place only if" in said
    code, _, err = discreet("choose", file, "--yes", "-k", 411)
    assert code == 2
    assert "has 410 people, fewer than -k 411" in one_line(err)


def test_choose_where_everybody_has_one_row(discreet: Run, file: Path) -> None:
    admissions(200, 200).write_csv(file)
    said = one_line(discreet("choose", file, "--yes").out)
    assert "--person" not in said
    assert "add --one-row-per-person" in said


def switched(text: str, *, on: str) -> str:
    """Return a drafted policy with a statement switched on, for a fast method and a text file."""
    changed = text.replace(f"\n# {on} = ", f"\n{on} = ").replace('"set-cover"', '"mondrian"')
    return changed.replace('format = "parquet"', 'format = "csv"')


def names_nobody(folder: Path, rows: pl.DataFrame) -> None:
    """Assert that no file of a release has a value of a column that names people."""
    texts = {path.name: path.read_text("utf-8") for path in folder.iterdir()}
    assert {"data.csv", "certificate.json", "report.html", "policy.toml"} <= {*texts}
    header = texts["data.csv"].partition("\n")[0].split(",")
    assert header
    assert not {*header} & {*NAMING}
    for column in NAMING:
        values = rows[column].drop_nulls().unique().to_list()
        assert len(values) > 100
        for name, text in texts.items():
            assert not [value for value in values if value in text], (column, name)


def test_the_walk_where_every_patient_has_one_row(
    discreet: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first admission of each of 3,413 patients: look, init, run."""
    monkeypatch.chdir(tmp_path)
    rows = admissions().unique("patient_id", keep="first", maintain_order=True)
    rows.write_csv("first.csv")
    said = one_line(discreet("look", "first.csv", "--max-size", 1).out)
    assert "3,413 rows" in said
    assert "every value of it stands in one row" in said
    assert discreet("init", "first.csv").code == 0
    text = Path("policy.toml").read_text("utf-8")
    Path("policy.toml").write_text(switched(text, on="one_row_per_person"), "utf-8")
    code, out, err = discreet("run", "policy.toml", "-o", "out")
    assert code == 0, err
    assert "one person, who has one row" in one_line(out)
    names_nobody(Path("out"), rows)


@pytest.fixture(scope="module")
def hospital(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The whole file: 5,000 admissions of 3,413 patients."""
    folder = tmp_path_factory.mktemp("hospital")
    admissions().write_csv(folder / "admissions.csv")
    return folder


OF_ALL = "of 3,413 people (100.0%) have a record that nobody else shares"


def test_the_walk_where_patients_come_again(
    discreet: Run, hospital: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Look, init, plan and run, which ask, then all again; verify and both reports."""
    monkeypatch.chdir(hospital)
    rows = admissions()
    said = one_line(discreet("look", "admissions.csv", "--max-size", 1).out)
    assert "5,000 rows of 3,413 patients" in said
    assert "5,000 of 5,000 records (100.0%) are unique" in said  # nothing is stated yet
    said = one_line(
        discreet("look", "admissions.csv", "--max-size", 1, "--person", "patient_id").out
    )
    assert f"3,413 {OF_ALL}" in said
    assert "identify a single person" in said
    assert "records" not in said
    assert discreet("init", "admissions.csv").code == 0
    policy = Path("policy.toml")
    assert "patients have a record nobody else shares" in policy.read_text("utf-8")
    policy.write_text(switched(policy.read_text("utf-8"), on="nothing"), "utf-8")
    for command in (("plan", "policy.toml"), ("run", "policy.toml", "-o", "out")):
        code, _, err = discreet(*command)
        assert code == 2
        assert "Column 'patient_id' seems to say whose each row is" in err
    assert not Path("out").exists()
    policy.write_text(switched(policy.read_text("utf-8"), on="person"), "utf-8")
    planned = one_line(discreet("plan", "policy.toml", "-k", 5).out)
    assert f"3,413 {OF_ALL}" in planned
    assert "finds the person" in planned
    assert "people in smallest class" in planned
    code, out, err = discreet("run", "policy.toml", "-o", "out", "--internal-report", "us.html")
    assert code == 0, err
    assert "one person, who may have several rows" in one_line(out)
    names_nobody(Path("out"), rows)
    alone = one_line(discreet("verify", "out").out)
    assert alone.startswith("Consistent")
    assert "what cannot be seen here" in alone
    known = discreet("verify", "out", "--original", "admissions.csv", "--json")
    assert known.code == 0
    checks = {each["name"]: each["passed"] for each in json.loads(known.out)["checks"]}
    assert "people" in checks
    assert False not in checks.values()
    internal = one_line(Path("us.html").read_text("utf-8"))
    assert "people in the smallest equivalence class" in internal
    assert "of 5,000 in the original, which are of 3,413 people" in internal
    assert f"3,413 {OF_ALL}" in internal
    assert "at most 4 people" in internal
    assert "records</" not in internal
    written = discreet("report", "out", "--original", "admissions.csv", "-o", "page.html")
    assert written.code == 0, written.err
    page = Path("page.html").read_text("utf-8")
    assert "original (people)" in page
    assert "3,413" not in page
    assert not [value for value in rows["birth_date"].cast(str).unique() if value in page]
    assert not [value for value in rows["name"].unique() if value in page]


def test_the_walk_in_python(tmp_path: Path) -> None:
    """The same from Python, of fewer rows: by a chosen method, and with nothing but ``dc``."""
    rows = admissions(600, 410)
    file = tmp_path / "admissions.csv"
    rows.write_csv(file)
    columns = ["sex", "postcode", "ward", "days", "diagnoses"]
    table = dc.load(
        file, person="patient_id", sets={"diagnoses": ";"}, bins={"days": [3, 10]},
        categorical=["postcode"], columns=["patient_id", *columns],
        roles={"diagnoses": "sensitive"},
    )  # fmt: skip
    assert isinstance(table, dc.Table)
    assert table.people is not None
    assert table.people.n_people == 410
    assert "410 people" in dc.look(table, max_size=1).sentence
    found = choose(file, publish="table", to="public", promise="k-anonymity")
    assert "410 patients" in found.facts.sentence
    planned = dc.policy.plan(table.select(["sex", "ward"]), ks=(5,))
    assert planned.n_people == 410
    assert "people" in planned.sentence
    release = dc.generalize.mondrian(table, k=5)
    assert release.guarantee.unit == "one person, who may have several rows"
    out = release.save(tmp_path / "out", format="csv")
    checked = dc.verify_release(out, original=table)
    assert checked.answer != "refuted", checked
    assert {each.name: each.passed for each in checked.checks}["people"] is not False
    page = dc.html_report(release, original=table, internal=True)
    assert "people in the smallest equivalence class" in page
    public = dc.html_report(release, original=table)
    for text in (public, *(each.read_text("utf-8") for each in out.iterdir())):
        for column in ("birth_date", *NAMING):
            values = rows[column].drop_nulls().cast(str).unique().to_list()
            assert not [value for value in values if value in text], column


def test_a_chosen_command_runs_for_people(discreet: Run, file: Path) -> None:
    """What ``choose`` prints for patients who come again runs as it stands."""
    chosen = discreet("choose", file.name, "--yes")
    assert "% of the patients have a record nobody else shares" in one_line(chosen.out)
    line = next(each for each in chosen.out.splitlines() if each.startswith("  discreet "))
    words = shlex.split(line)[1:]
    assert words[words.index("--person") + 1] == "patient_id"
    words[words.index("-o") + 1] = "out"
    ran = discreet(*words, "--format", "csv")
    assert ran.code == 0, ran.err
    assert "one person, who may have several rows" in one_line(ran.out)
    names_nobody(Path("out"), admissions(600, 410))


def test_a_report_without_a_policy_is_told_whose_the_rows_are(discreet: Run, file: Path) -> None:
    rows = {"who": [f"p{n // 2}" for n in range(60)], "sex": ["f", "f", "m"] * 20}
    dc.write_table(dc.Table.from_frame(rows), file, overwrite=True)
    dc.k_mii(rows, k=3, person="who").save("out")
    page = ("report", "out", "--original", file, "-o", "page.html", "--overwrite")
    assert discreet(*page).code == 0
    assert "does not say which rows are of one person" in Path("page.html").read_text("utf-8")
    known = discreet(*page, "--person", "who")
    assert known.code == 0, known.err
    assert "original (people)" in Path("page.html").read_text("utf-8")
