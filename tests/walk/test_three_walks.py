"""Three people who have never seen discreet, from their own file to one that they can open.

An officer of a hospital with a messy CSV, who works on the command line and in Excel; a data
scientist with a pandas frame; people who know ARX, sdcMicro or SDV, and bring what these read.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd  # type: ignore[import-untyped]
import polars as pl
import pyreadstat
import pytest
from tests.conftest import Outcome
from tests.messy_files import write_admissions
from tests.walk.files import patients, write_for_arx, write_survey

import discreet as dc
from discreet.verify import verify_release

Run = Callable[..., Outcome]


def test_an_officer_with_a_messy_csv(
    discreet: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    messy = write_admissions(tmp_path, n_rows=400)
    monkeypatch.chdir(tmp_path)
    looked = discreet("look", messy.path.name)
    assert looked.code == 0
    assert "referred" in looked.out  # in which order its dates are, nobody can see

    assert discreet("init", messy.path.name, "-o", "policy.toml").code == 0
    stopped = discreet("run", "policy.toml", "-o", "out")
    assert stopped.code != 0  # she has to say whose the rows are
    assert "person" in stopped.err
    policy = Path("policy.toml")
    text = policy.read_text()
    # What she knows: rows are of patients, days come first, months are enough, and of the birth
    # the age. Five columns are asked for.
    for old, new in (
        ("# person = ", "person = "),
        ('# referred = { date = "day-first" }', 'referred = { date = "day-first" }'),
        ('admitted = { date = "day-first"', 'admitted = { period = "quarter", date = "day-first"'),
        ('# age = { age_of = ["born", "admitted"]', 'age = { age_of = ["born", "admitted"]'),
        ('missing = "value"', 'missing = "stated"'),
        ("# missing = ", "missing = "),
        ('"set-cover"', '"mondrian"'),
        ("# columns = ", 'columns = ["sex", "age", "admitted", "ward", "diagnosis"]  # '),
        ("# [hierarchies]", "[hierarchies]\nage = { steps = [5, 10, 20, 40] }"),
    ):
        assert old in text, old
        text = text.replace(old, new, 1)
    policy.write_text(text)
    assert discreet("plan", "policy.toml", "-k", "5").code == 0
    ran = discreet("run", "policy.toml", "-o", "out", "--export", "xlsx", "--bounds")
    assert ran.code == 0, ran.err
    assert discreet("verify", "out", "--original", messy.path.name).code == 0
    assert Path("out/report.html").stat().st_size > 10_000

    # She opens it: one row for each admission, no patient's number, groups with their ends.
    opened = pl.read_excel("out/export.xlsx")
    released = json.loads(Path("out/certificate.json").read_text())["data"]["n_rows"]
    assert opened.height == released == 400
    assert "patient_id" not in opened.columns
    assert {"age", "age_lower", "age_upper", "ward", "sex"} <= {*opened.columns}
    assert {*opened["sex"].drop_nulls()} <= {"female", "male", "*"}
    ages = opened.filter(pl.col("age_lower").is_not_null() & pl.col("age_upper").is_not_null())
    assert (ages["age_lower"] < ages["age_upper"]).all()

    # The next month, with the same policy.
    later = write_admissions(tmp_path, n_rows=300, seed=2, name="april.csv")
    ran = discreet("run", "policy.toml", "--input", later.path.name, "-o", "april")
    assert ran.code == 0, ran.err


def test_a_data_scientist_with_pandas(tmp_path: Path) -> None:
    frame = patients(600)
    table = dc.Table.from_frame(
        frame, person="patient", missing="stated", bins={"weight": [60, 75, 90]},
        repairs={"admitted": {"date": "year-first", "period": "quarter"}},
        roles={"diagnosis": "sensitive"},
    )  # fmt: skip
    release = dc.k_mii(table, k=5)
    released = release.data.to_pandas()
    assert isinstance(released["ward"].dtype, pd.CategoricalDtype)  # as it came
    assert {*released["ward"].cat.categories} <= {*frame["ward"].cat.categories}
    assert "missing" in {*released["smoker"].dropna()}  # who was not asked is no suppressed cell
    original = frame["smoker"].isna().to_numpy()
    assert release.input_rows is not None
    shown = released["smoker"].to_numpy()
    assert not (shown[original[release.input_rows]] == "yes").any()
    folder = release.save(tmp_path / "patients")
    assert verify_release(folder).answer in {"verified", "consistent"}
    again = pd.read_parquet(folder / "data.parquet")
    assert again["smoker"].isna().sum() == released["smoker"].isna().sum()
    assert {*again["admitted"].dropna()} <= {f"2024-Q{quarter}" for quarter in (1, 2, 3, 4)}


def test_somebody_who_knows_arx(
    discreet: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = write_for_arx(tmp_path)
    monkeypatch.chdir(tmp_path)
    ran = discreet(
        "protect", "mondrian", file.name, "-k", "5", "--hierarchies", ".", "--set", "l=2",
        "--set", 'sensitive=["illness"]', "--role", "illness=sensitive", "-o", "out", "--format",
        "csv", "--categorical", "age",
    )  # fmt: skip
    assert ran.code == 0, ran.err
    opened = pd.read_csv("out/data.csv", dtype=str)
    assert len(opened) == len(pl.read_csv(file, separator=";"))
    sizes = opened.fillna("").groupby(["age", "zip"]).size()
    assert sizes.min() >= 5
    assert opened["age"].str.match(r"\d|\[|\*").all()


def test_somebody_who_knows_sdcmicro_or_spss(tmp_path: Path) -> None:
    file = write_survey(tmp_path)
    table = dc.load(file, bins={"income": [1000, 2000, 3000]})
    assert isinstance(table, dc.Table)
    assert table.values("region")[:2] == ("north", "east")  # labels, in the order of their codes
    risk = dc.assess.prosecutor_risk(table)
    assert risk.to_dict()
    folder = dc.k_mii(table, k=3).save(tmp_path / "out", export="sav", bounds=True)
    assert verify_release(folder).answer == "verified"
    read_sav: Any = pyreadstat.read_sav
    frame, about = read_sav(str(folder / "export.sav"), output_format="polars")
    assert frame.height == dc.Release.load(folder).data.n_rows
    assert {*about.variable_value_labels["region"].values()} <= {"north", "east", "south", "west"}
    assert {*frame["income_lower"].drop_nulls()} <= {1000, 2000, 3000}


def test_somebody_who_knows_sdv(tmp_path: Path) -> None:
    frame = patients(800).drop(columns=["patient", "admitted"])
    made = dc.Synthesizer(
        2, domains={"sex": ["f", "m"], "ward": ["surgery", "internal", "eyes"],
                    "diagnosis": ["E11", "I10", "J45"], "smoker": ["yes", "no", None],
                    "weight": ["< 60", "[60, 75)", "[75, 90)", ">= 90"]},
        delta=1e-6, seed=1,
    )  # fmt: skip
    table = dc.Table.from_frame(frame, bins={"weight": [60, 75, 90]})
    drawn = made.fit(table).sample(500).to_pandas()
    assert len(drawn) == 500
    assert list(drawn.columns) == list(frame.columns)
    again = dc.draw_numbers(drawn, columns=["weight"]).to_pandas()
    assert again["weight"].dropna().between(0, 110).all()
    path = made.write(tmp_path / "drawn.parquet", 500)
    assert len(pd.read_parquet(path)) == 500
