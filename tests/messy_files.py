"""A hospital's export with every fault that such files have, and the same rows as they are meant.

The file is made up by a seed. It begins with two lines about itself, repeats its header now and
then, ends with a total, is semicolon-separated cp1252, and no column of it is written in one way.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import polars as pl

if TYPE_CHECKING:
    from collections.abc import Callable

Kind = Literal["cp1252", "utf-8", "utf-8-sig", "utf-16"]

HEADER = (
    "patient_id", "sex", "born", "admitted", "referred", "ward", "city", "plz", "diagnosis",
    "weight_kg", "cost_eur", "smoker",
)  # fmt: skip
EXCEL_DAY_ZERO = date(1899, 12, 30)
HEADER_EVERY = 250  # rows between repeated headers
UNREADABLE = "ca. 80"  # the one weight that is no number
FAULTY_ROW = 7  # where it stands, counting rows from 0

_SPELLINGS = {
    "male": ("m", "M", "male", "Male", "male "),
    "female": ("f", "F", "female", "FEMALE", "w"),
}
_SMOKES = {True: ("yes", "Yes", "ja", "1", "y"), False: ("no", "No", "nein", "0", "n")}
_WARDS = {
    "Innere Medizin": ("Innere Medizin", "innere medizin", "Innere  Medizin "),
    "Chirurgie": ("Chirurgie", " Chirurgie", "CHIRURGIE"),
    "Gynäkologie": ("Gynäkologie", "gynäkologie"),
}
_PLACES = {
    "Köln": ("50667", "50937"), "München": ("80331", "80992"), "Dresden": ("01067", "01309"),
}  # fmt: skip
_CODES = ("E11.9", "I10", "J45.0", "K35.8", "O80", "S72.0")


@dataclass(frozen=True, kw_only=True)
class MessyFile:
    """A file, and its rows without any fault: typed, nulls for what is missing.

    Attributes
    ----------
    path : Path
        The messy file.
    rows : DataFrame
        What each row means.
    lines : list of int
        The line of the file, counted from 1, that each row stands in.
    """

    path: Path
    rows: pl.DataFrame
    lines: list[int]


def write_admissions(
    folder: Path,
    *,
    n_rows: int = 600,
    seed: int = 1,
    encoding: Kind = "cp1252",
    name: str = "admissions.csv",
    unreadable: bool = True,
) -> MessyFile:
    """Write the export of a hospital with all faults, and return what it means.

    Parameters
    ----------
    folder : Path
        Where it goes.
    n_rows : int
        Admissions; about three in four are of a patient of their own.
    seed : int
        Of what is made up.
    encoding : str
        Of the file.
    name : str
        Of the file.
    unreadable : bool
        Whether one weight is a text that is no number.

    Notes
    -----
    What is wrong, column by column: ``sex`` is spelt in ten ways; ``born`` and ``admitted`` are
    days first with dots, some as ISO dates, some as the numbers that Excel keeps; ``referred`` has
    slashes and no day above 12, so that nothing says which of both comes first; ``ward`` differs
    in blanks and case; ``diagnosis`` is sometimes "unknown"; ``weight_kg`` has decimal commas, "?"
    and "NA"; ``cost_eur`` has dots between thousands as well; ``smoker`` is yes, ja, 1 and so on.
    ``plz`` has leading zeros and is as it should be.
    """
    random_ = random.Random(seed)
    meant: list[dict[str, Any]] = []
    lines = [
        "Export Krankenhaus Mitte;;;;;;;;;;;",
        "Stand: 31.03.2025",
        ";".join(HEADER),
    ]
    at: list[int] = []
    for row in range(n_rows):
        if row and row % HEADER_EVERY == 0:
            lines.append(";".join(HEADER))
        one = _admission(random_, row)
        cells = _written(one, random_)
        if row == FAULTY_ROW and unreadable:
            cells["weight_kg"], one["weight_kg"] = UNREADABLE, None
        meant.append(one)
        lines.append(";".join(cells[column] for column in HEADER))
        at.append(len(lines))
    lines += [f"Summe;{n_rows}"]
    path = folder / name
    path.write_bytes(("\r\n".join(lines) + "\r\n").encode(encoding))
    return MessyFile(path=path, rows=pl.DataFrame(meant, schema=_SCHEMA), lines=at)


_SCHEMA: dict[str, Any] = {
    **dict.fromkeys(HEADER, pl.String),
    **dict.fromkeys(("born", "admitted", "referred"), pl.Date),
    **dict.fromkeys(("weight_kg", "cost_eur"), pl.Float64),
    "smoker": pl.Boolean,
}


def _admission(random_: random.Random, row: int) -> dict[str, Any]:
    """Return one admission as it is meant."""
    patient = f"P{random_.randrange(max(row, 1)) + 1:05}"
    always = random.Random(patient)  # what is the same in all rows of a patient
    city = always.choice(list(_PLACES))
    admitted = date(2024, 1, 1) + timedelta(days=random_.randrange(366))
    return {
        "patient_id": patient,
        "sex": always.choice(list(_SPELLINGS)),
        "born": date(1930, 1, 1) + timedelta(days=always.randrange(27_000)),
        "admitted": admitted,
        "referred": date(2024, random_.randint(1, 12), random_.randint(1, 12)),
        "ward": random_.choice(list(_WARDS)),
        "city": city,
        "plz": always.choice(_PLACES[city]),
        "diagnosis": None if random_.random() < 0.03 else random_.choice(_CODES),
        "weight_kg": None if random_.random() < 0.05 else random_.randrange(450, 1200) / 10,
        "cost_eur": random_.randrange(30_000, 2_000_000) / 100,
        "smoker": random_.random() < 0.3,
    }


def _written(one: dict[str, Any], random_: random.Random) -> dict[str, str]:
    """Return the cells of an admission, each written in one of the ways that people have."""
    write: dict[str, Callable[[Any], str]] = {
        "sex": lambda value: random_.choice(_SPELLINGS[value]),
        "born": lambda value: _date(value, random_),
        "admitted": lambda value: _date(value, random_),
        "referred": lambda value: f"{value.day:02}/{value.month:02}/{value.year}",
        "ward": lambda value: random_.choice(_WARDS[value]),
        "diagnosis": lambda value: "unknown" if value is None else value,
        "weight_kg": lambda value: (
            random_.choice(("?", "NA")) if value is None else f"{value:.1f}".replace(".", ",")
        ),
        "cost_eur": lambda value: f"{value:,.2f}".translate(str.maketrans(",.", ".,")),
        "smoker": lambda value: random_.choice(_SMOKES[value]),
    }
    return {name: write.get(name, str)(value) for name, value in one.items()}


def _date(value: date, random_: random.Random) -> str:
    """Return a date: mostly day, month, year with dots, sometimes ISO or Excel's number."""
    kind = random_.random()
    if kind < 0.1:
        return value.isoformat()
    if kind < 0.15:
        return str((value - EXCEL_DAY_ZERO).days)
    return f"{value.day:02}.{value.month:02}.{value.year}"
