"""A made-up file as a hospital has it: 5,000 admissions of 3,413 patients.

Nobody in it exists. It has what makes real files hard: patients who come again, several codes in
a cell, free text, direct identifiers, birth dates that hardly anybody shares, missing cells.

Run as ``python -m tests.verify.admissions FILE`` to write it as CSV.
"""

from __future__ import annotations

import sys
from datetime import date, timedelta
from pathlib import Path
from random import Random

import polars as pl

N_ADMISSIONS, N_PATIENTS = 5_000, 3_413

PERSON = "patient_id"

COLUMNS = (
    PERSON, "name", "email", "phone", "birth_date", "sex", "postcode", "admitted", "days", "ward",
    "diagnoses", "note",
)  # fmt: skip

_FIRST = {
    "f": ("Anna", "Bea", "Clara", "Dora", "Edith", "Frieda", "Greta", "Hanna", "Ida", "Maria"),
    "m": ("Anton", "Bruno", "Carl", "David", "Emil", "Felix", "Georg", "Hugo", "Ivo", "Max"),
}
_LAST = ("Adler", "Bach", "Conrad", "Dorn", "Ernst", "Falk", "Graf", "Horn", "Imhof", "Kern")
_CODES = (  # code, ward, how common, how common in the old
    ("I10", "internal", 90, 8),
    ("E11.9", "internal", 55, 6),
    ("I50.1", "internal", 22, 9),
    ("J18.9", "internal", 30, 3),
    ("S72.0", "surgery", 12, 10),
    ("K35.8", "surgery", 26, 1),
    ("S52.5", "surgery", 24, 2),
    ("O80", "maternity", 45, 0),
    ("C50.9", "oncology", 14, 3),
    ("C34.1", "oncology", 9, 4),
    ("F32.1", "psychiatry", 25, 1),
    ("F10.2", "psychiatry", 17, 1),
    ("B20", "infectious diseases", 4, 1),
    ("A41.9", "intensive care", 8, 5),
    ("G35", "neurology", 6, 1),
)
_NOTES = (
    "Patient came with {code} and was seen by the doctor on duty.",
    "Admitted by the general practitioner; {days} days, no complications.",
    "Reports pain since yesterday. Lives in {postcode}, has a dog.",
    "Relatives of {name} were informed by phone.",
)
_FROM, _DAYS = date(2022, 1, 1), 730


def admissions(
    n_admissions: int = N_ADMISSIONS, n_patients: int = N_PATIENTS, *, seed: int = 1
) -> pl.DataFrame:
    """Return admissions in the order of time; the same for the same seed.

    Every patient has at least one row; patients who come again have up to about a dozen.
    """
    if not 1 <= n_patients <= n_admissions:
        raise ValueError("There are at least as many admissions as patients, and one patient.")
    coins = Random(seed)
    patients = [_patient(number, coins) for number in range(n_patients)]
    # The first of the patients come again most often, as the chronically ill do.
    again = [
        int(coins.paretovariate(0.7) * n_patients / 40) % n_patients
        for _ in range(n_admissions - n_patients)
    ]
    rows = [_admission(patients[place], coins) for place in (*range(n_patients), *again)]
    rows.sort(key=lambda row: (row["admitted"], row[PERSON]))
    return pl.DataFrame(rows, schema_overrides={"days": pl.Int64}).select(COLUMNS)


def _patient(number: int, coins: Random) -> dict[str, object]:
    sex = "f" if coins.random() < 0.53 else "m"
    first, last = coins.choice(_FIRST[sex]), coins.choice(_LAST)
    born = date(1930, 1, 1) + timedelta(days=int(365.25 * 90 * coins.betavariate(2.2, 1.9)))
    return {
        PERSON: f"P{100_000 + number * 7 % 900_000}",
        "name": f"{first} {last}",
        "email": f"{first}.{last}{number}@example.org".lower() if coins.random() < 0.8 else None,
        "phone": f"+49 30 {coins.randrange(10**6, 10**7)}",
        "birth_date": born,
        "sex": sex,
        "postcode": f"{10_115 + int(coins.betavariate(1, 3) * 60) * 2:05d}",
    }


def _admission(patient: dict[str, object], coins: Random) -> dict[str, object]:
    born = patient["birth_date"]
    assert isinstance(born, date)
    admitted = _FROM + timedelta(days=coins.randrange(_DAYS))
    age = (admitted - born).days / 365.25
    weights = [
        0.0
        if code == "O80" and not (patient["sex"] == "f" and 17 < age < 46)
        else common * (1 + old * max(age - 40, 0) / 40)
        for code, _, common, old in _CODES
    ]
    n_codes = 1 + (coins.random() < 0.45) + (coins.random() < 0.15)
    picked = list(dict.fromkeys(coins.choices(range(len(_CODES)), weights, k=n_codes)))
    codes, days = [_CODES[place][0] for place in picked], 1 + int(coins.expovariate(0.2))
    words = {**patient, "code": codes[0], "days": days}
    return {
        **patient,
        "admitted": admitted,
        "days": days,
        "ward": _CODES[picked[0]][1],
        "diagnoses": ";".join(codes),
        "note": coins.choice(_NOTES).format(**words) if coins.random() < 0.9 else None,
    }


if __name__ == "__main__":
    admissions().write_csv(Path(sys.argv[1]))
