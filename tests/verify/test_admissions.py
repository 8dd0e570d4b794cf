"""The made-up admissions have what the tests that use them rest on."""

from __future__ import annotations

import polars as pl
import pytest

from tests.verify.admissions import COLUMNS, N_ADMISSIONS, N_PATIENTS, PERSON, admissions


def test_the_file_of_admissions() -> None:
    rows = admissions()
    assert rows.height == N_ADMISSIONS
    assert rows[PERSON].n_unique() == N_PATIENTS
    assert tuple(rows.columns) == COLUMNS
    assert rows.equals(admissions())
    assert not rows.equals(admissions(seed=2))
    # Patients who come again, cells with several codes, birth dates that few people share.
    assert 5 <= rows.group_by(PERSON).len()["len"].max() <= 50  # type: ignore[operator]
    assert rows["diagnoses"].str.contains(";").mean() > 0.2  # type: ignore[operator]
    people = rows.unique(PERSON)
    assert people["birth_date"].is_unique().sum() > 1_000
    # What a person is does not change from one admission to the next.
    fixed = ["name", "email", "phone", "birth_date", "sex", "postcode"]
    assert (rows.group_by(PERSON).agg(pl.col(fixed).n_unique())[fixed] == 1).min_horizontal().all()
    # No delivery of a man, and some rare, sensitive diagnosis.
    births = rows.filter(pl.col("diagnoses").str.contains("O80"))
    assert births["sex"].unique().to_list() == ["f"]
    assert 10 < rows["diagnoses"].str.contains("B20").sum() < 200


def test_a_smaller_file() -> None:
    rows = admissions(60, 41, seed=3)
    assert (rows.height, rows[PERSON].n_unique()) == (60, 41)
    with pytest.raises(ValueError, match="at least as many"):
        admissions(3, 4)
