"""A messy file from look to a release: what is proposed runs as it stands, and doubts are named."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from typer.testing import CliRunner

import discreet as dc
from discreet.cli.app import app
from discreet.data.repair.rules import RULES
from discreet.errors import DataError, ParameterError
from discreet.policy import draft_policy, read_policy, run_policy
from discreet.policy.load import load_source, read_original
from discreet.policy.repairs import ColumnRepair
from tests.messy_files import FAULTY_ROW, write_admissions

if TYPE_CHECKING:
    from tests.messy_files import MessyFile

RUN = CliRunner()
METHOD = '[method]\nname = "k-mii"\nk = 2\n'


@pytest.fixture(name="messy")
def fixture_messy(tmp_path: Path) -> MessyFile:
    return write_admissions(tmp_path, n_rows=300)


def draft(messy: MessyFile) -> Path:
    """Write the draft for a file as it stands, people stated, and return where."""
    text = draft_policy(messy.path, folder=messy.path.parent)
    path = messy.path.parent / "policy.toml"
    path.write_text(text.replace("# person = ", "person = ").replace('"set-cover"', '"mondrian"'))
    return path


def policy_of(tmp_path: Path, content: str, repairs: str) -> Path:
    (tmp_path / "a.csv").write_text(content)
    path = tmp_path / "policy.toml"
    path.write_text(f'[source]\nfile = "a.csv"\n\n[repairs]\n{repairs}\n\n{METHOD}')
    return path


def test_the_draft_runs_as_it_stands_and_the_internal_report_counts(messy: MessyFile) -> None:
    policy = draft(messy)
    folder, page = messy.path.parent / "out", messy.path.parent / "internal.html"
    result = run_policy(policy, folder, internal_report=page)
    assert result.verification.answer != "refuted"
    told = page.read_text()
    assert "Repaired cells" in told
    assert "excel_dates" in told
    public = "".join(path.read_text() for path in folder.iterdir() if path.suffix != ".parquet")
    assert "Repaired cells" not in public
    assert "ca. 80" not in public
    table = load_source(read_policy(policy))
    original = read_original(messy.path, release=folder)
    assert isinstance(original, dc.Table)
    assert original.to_polars().equals(table.to_polars())


def test_the_draft_says_what_was_seen_and_leaves_open_what_nothing_decides(
    messy: MessyFile,
) -> None:
    text = draft(messy).read_text()
    assert f"#   line {messy.lines[FAULTY_ROW]}: 'ca. 80' is no number" in text
    assert '# referred = { date = "day-first" }' in text
    assert '# referred = { date = "month-first" }' in text
    assert 'cost_eur = { decimal = ",", thousands = "." }' in text
    policy = read_policy(messy.path.parent / "policy.toml")
    assert "referred" not in policy.repairs
    assert (policy.source.skip_first, policy.source.skip_last) == (2, 1)


def test_look_shows_the_line_that_mends_each(messy: MessyFile) -> None:
    found = RUN.invoke(app, ["look", str(messy.path), "--max-size", "1"])
    assert found.exit_code == 0, found.output
    said = " ".join(found.stdout.split())
    assert 'cost_eur = { decimal = ",", thousands = "." }' in said
    assert f"line {messy.lines[FAULTY_ROW]}: 'ca. 80' is no number" in said
    assert "skip_first = 2, skip_last = 1" in said
    as_json = RUN.invoke(app, ["look", str(messy.path), "--max-size", "1", "--json"])
    columns = {each["column"] for each in json.loads(as_json.stdout)["messy"]["suggestions"]}
    assert {"sex", "born", "weight_kg", "smoker", "referred"} <= columns


def test_init_says_how_many_columns_are_messy(messy: MessyFile) -> None:
    output = messy.path.parent / "drafted.toml"
    found = RUN.invoke(app, ["init", str(messy.path), "-o", str(output)])
    assert found.exit_code == 0, found.output
    assert "8 columns can be repaired, 2 for you to decide" in " ".join(found.stdout.split())


def test_nothing_is_changed_where_the_line_is_struck_out(messy: MessyFile) -> None:
    policy = draft(messy)
    lines = [line for line in policy.read_text().splitlines() if not line.startswith("sex = { tr")]
    policy.write_text("\n".join(lines))
    table = load_source(read_policy(policy))
    assert {"m", "M", "male", "male ", "w"} <= set(table.values("sex"))
    assert "sex" not in {each.column for each in table.repaired}


def test_a_clean_file_gets_no_repairs(tmp_path: Path) -> None:
    path = tmp_path / "clean.csv"
    path.write_text("sex,ward\nf,a\nm,b\n")
    assert not draft_policy(path).count("\n[repairs]")


def test_policies_know_the_rules_of_the_library() -> None:
    assert tuple(ColumnRepair.model_fields) == RULES


@pytest.mark.parametrize(
    ("repair", "words"),
    [
        ("sex = { trimm = true }", "line 5: There is no 'trimm' in [repairs.sex]. Did you mean"),
        ('sex = { case = "small" }', "line 5: case is 'lower' or 'upper', not 'small'."),
        ('sex = { decimal = ",", date = "day-first" }', "line 5: The repair of column 'sex': A co"),
        ("sxe = { trim = true }", "line 5: There is no column 'sxe' in"),
    ],
)  # fmt: skip
def test_a_misspelt_repair_names_its_line(tmp_path: Path, repair: str, words: str) -> None:
    path = policy_of(tmp_path, "sex\nf\nf\n", repair)
    with pytest.raises(ParameterError) as caught:
        load_source(read_policy(path))
    assert words in str(caught.value)


def test_a_cell_that_does_not_fit_names_the_line_of_file_and_policy(tmp_path: Path) -> None:
    path = policy_of(tmp_path, 'kg\n"72,5"\nheavy\n', 'kg = { decimal = "," }')
    with pytest.raises(DataError) as caught:
        load_source(read_policy(path))
    said = str(caught.value)
    assert f"{path}, line 5: Column 'kg', line 3 of " in said
    assert 'kg = { decimal = ",", missing = ["heavy"] }' in said
    assert 'kg = { decimal = ",", other = "missing" }' in said
