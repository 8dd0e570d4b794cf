"""Some thirty files as people have them: other separators, dates, sets, odd names, next to nothing.

Every one is made up. Run as ``python -m tests.walk.files FOLDER`` to look at them.
"""

from __future__ import annotations

import gzip
import random
import sys
from datetime import date, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd  # type: ignore[import-untyped]
import polars as pl
import pyreadstat
from tests.verify.admissions import admissions

import discreet as dc

if TYPE_CHECKING:
    from collections.abc import Callable

JOBS = ("cook", "clerk", "coder", "nurse", "driver")
ILL = ("flu", "cold", "asthma", "diabetes", "none")
TOWNS = ("Köln", "München", "Dresden", "Łódź", "Aix-en-Provence")


def people(n: int = 300, seed: int = 1) -> pl.DataFrame:
    """Return a table in which little is wrong."""
    coins = random.Random(seed)
    return pl.DataFrame(
        {
            "sex": [coins.choice("fm") for _ in range(n)],
            "age": [coins.randrange(18, 95) for _ in range(n)],
            "job": [coins.choice(JOBS) for _ in range(n)],
            "town": [coins.choice(TOWNS) for _ in range(n)],
            "diagnosis": [coins.choice(ILL) for _ in range(n)],
        }
    )


def _text(folder: Path, name: str, frame: pl.DataFrame, **options: Any) -> Path:  # noqa: ANN401  polars' options
    frame.write_csv(folder / name, **options)
    return folder / name


def _plain(folder: Path) -> Path:
    return _text(folder, "people.csv", people())


def _semicolons(folder: Path) -> Path:
    frame = people().with_columns(weight=pl.col("age") * 0.37 + 40)
    return _text(folder, "semicolons.csv", frame, separator=";", decimal_comma=True)


def _tabs(folder: Path) -> Path:
    return _text(folder, "tabs.tsv", people(), separator="\t")


def _decimals(folder: Path) -> Path:
    frame = people().with_columns(
        income=(pl.col("age") * 812.37).round(2), height=1.5 + pl.col("age") / 200
    )
    return _text(folder, "decimals.csv", frame)


def _dates(folder: Path) -> Path:
    days = [date(1940, 1, 1) + timedelta(days=97 * row) for row in range(300)]
    return _text(folder, "dates.csv", people().with_columns(pl.Series("born", days)))


def _moments(folder: Path) -> Path:
    days = [
        f"2024-{1 + row % 12:02d}-{1 + row % 28:02d}T{row % 24:02d}:15:00" for row in range(300)
    ]
    return _text(folder, "moments.csv", people().with_columns(pl.Series("seen at", days)))


def _german_dates(folder: Path) -> Path:
    days = [f"{1 + row % 28:02d}.{1 + row % 12:02d}.{1940 + row % 70}" for row in range(300)]
    return _text(folder, "tage.csv", people().with_columns(pl.Series("geboren", days)))


def _sets(folder: Path) -> Path:
    coins = random.Random(2)
    codes = [
        ";".join(sorted(coins.sample(["I10", "E11.9", "J45", "F32"], k=coins.choice([1, 2]))))
        for _ in range(300)
    ]
    return _text(folder, "sets.csv", people().with_columns(pl.Series("diagnoses", codes)))


def _repeats(folder: Path) -> Path:
    return _text(
        folder, "repeats.csv", people().with_columns(patient_id=1000 + pl.arange(300) // 3)
    )


def _unique(folder: Path) -> Path:
    return _text(folder, "unique.csv", people().with_columns(patient_id=1000 + pl.arange(300)))


def _one_column(folder: Path) -> Path:
    return _text(folder, "one.csv", people().select("job"))


def _one_of_numbers(folder: Path) -> Path:
    return _text(folder, "ages.csv", people().select("age"))


def _wide(folder: Path) -> Path:
    coins = random.Random(3)
    columns = {f"q{place}": [coins.randrange(1, 6) for _ in range(300)] for place in range(60)}
    return _text(folder, "wide.csv", pl.DataFrame(columns))


def _unicode(folder: Path) -> Path:
    frame = people().rename(
        {"sex": "Geschlecht", "age": "âge", "job": "職業", "diagnosis": "Диагноз"}
    )
    return _text(folder, "Zürich 人々.csv", frame)


def _hostile(folder: Path) -> Path:
    names = ['the "job"', "line\nbreak", "a.b", "[x]", "a=b"]
    return _text(
        folder, "odd names.csv", people().rename(dict(zip(people().columns, names, strict=True)))
    )


def _commas(folder: Path) -> Path:
    names = ["sex, or gender", "'age'", "#job", "$town", "-diagnosis"]
    return _text(
        folder,
        "it's $odd; (very).csv",
        people().rename(dict(zip(people().columns, names, strict=True))),
    )


def _missing(folder: Path) -> Path:
    frame = people().with_columns(note=pl.lit(None, pl.String), empty=pl.lit(""))
    return _text(folder, "missing.csv", frame)


def _holes(folder: Path) -> Path:
    holes = pl.int_range(pl.len()) % 4 == 0
    frame = people().with_columns(
        pl.when(~holes).then(pl.col("age")).alias("age"),
        pl.when(~holes).then(pl.col("job")).alias("job"),
    )
    return _text(folder, "holes.csv", frame)


def _markers(folder: Path) -> Path:
    frame = people().with_columns(
        job=pl.when(pl.int_range(pl.len()) % 5 == 0).then(pl.lit("?")).otherwise("job")
    )
    return _text(folder, "markers.csv", frame)


def _constant(folder: Path) -> Path:
    return _text(
        folder, "constant.csv", people().with_columns(country=pl.lit("DE"), year=pl.lit(2024))
    )


def _booleans(folder: Path) -> Path:
    frame = people().with_columns(
        smoker=pl.col("age") % 2 == 0,
        insured=pl.when(pl.col("age") % 3 == 0).then(pl.lit("yes")).otherwise(pl.lit("no")),
    )
    return _text(folder, "booleans.csv", frame)


def _excel(folder: Path) -> Path:
    people().with_columns(
        born=pl.date(1950, 1, 1) + pl.duration(days=97 * pl.int_range(pl.len()))
    ).write_excel(folder / "people.xlsx")
    return folder / "people.xlsx"


def _parquet(folder: Path) -> Path:
    people().with_columns(
        pl.col("job").cast(pl.Categorical), weight=pl.col("age") / 3, well=pl.col("age") > 40
    ).write_parquet(folder / "people.parquet")
    return folder / "people.parquet"


def _gz(folder: Path) -> Path:
    (folder / "people.csv.gz").write_bytes(gzip.compress(people().write_csv().encode()))
    return folder / "people.csv.gz"


def _bom(folder: Path) -> Path:
    return _text(folder, "bom.csv", people(), include_bom=True)


def _cp1252(folder: Path) -> Path:
    path = folder / "cp1252.csv"
    path.write_bytes(people().write_csv(separator=";").replace("Łódź", "Lodz").encode("cp1252"))
    return path


def _baskets(folder: Path) -> Path:
    path = folder / "baskets.dat"
    path.write_text("".join(f"1 {2 + i % 3} {5 + i % 4}\n" for i in range(400)) + "1 2 9\n" * 3)
    return path


def _hospital(folder: Path) -> Path:
    return _text(folder, "hospital.csv", admissions(400, 280))


def _unheaded(folder: Path) -> Path:
    return _text(folder, "no header.csv", people(), include_header=False)


def _skewed(folder: Path) -> Path:
    """Most people have the same sensitive value: no class can be diverse."""
    ill = ["none"] * 260 + ["HIV"] * 40
    return _text(folder, "skewed.csv", people().with_columns(pl.Series("diagnosis", ill)))


def _codes(folder: Path) -> Path:
    frame = people().with_columns(
        plz=(1067 + 13 * (pl.col("age") % 40)).cast(pl.String).str.zfill(5), weight=pl.lit(1.5)
    )
    return _text(folder, "codes.csv", frame)


def _few(folder: Path) -> Path:
    return _text(folder, "few.csv", people(12))


# What the three walks begin with, beside the hospital's export of ``tests.messy_files``.


def patients(n: int, seed: int = 1) -> pd.DataFrame:
    """Return admissions as a data scientist has them: categories, dates, decimals, NaN."""
    coins = random.Random(seed)
    days = [date(2024, 1, 1) + timedelta(days=coins.randrange(366)) for _ in range(n)]
    wards = ["surgery", "internal", "eyes"]
    return pd.DataFrame(
        {
            "patient": [f"P{coins.randrange(n)}" for _ in range(n)],
            "sex": [coins.choice("fm") for _ in range(n)],
            "ward": pd.Categorical([coins.choice(wards[:2]) for _ in range(n)], categories=wards),
            "admitted": pd.to_datetime(days),
            "weight": [coins.randrange(450, 1100) / 10 for _ in range(n)],
            "smoker": [coins.choice(["yes", "no", "no", None]) for _ in range(n)],
            "diagnosis": [coins.choice(["E11", "I10", "J45"]) for _ in range(n)],
        }
    )


def write_for_arx(folder: Path) -> Path:
    """Write a table and hierarchies as ARX has them: semicolons, a line for each value."""
    coins = random.Random(1)
    rows = [
        (coins.randrange(20, 70), coins.choice(["81667", "81675", "80331", "01067"]),
         coins.choice(ILL))
        for _ in range(300)
    ]  # fmt: skip
    frame = pl.DataFrame(rows, schema=["age", "zip", "illness"], orient="row")
    ages = [f"{age};[{age // 10 * 10}, {age // 10 * 10 + 10});*" for age in range(20, 70)]
    zips = [f"{zip_};{zip_[:3]}**;{zip_[0]}****;*" for zip_ in ("81667", "81675", "80331", "01067")]
    (folder / "people_hierarchy_age.csv").write_text("\n".join(ages))
    (folder / "people_hierarchy_zip.csv").write_text("\n".join(zips))
    return _text(folder, "people.csv", frame, separator=";")


def write_survey(folder: Path) -> Path:
    """Write a survey as SPSS has it: codes with labels, and texts."""
    coins = random.Random(1)
    frame = pl.DataFrame(
        {
            "region": [coins.randrange(1, 5) for _ in range(300)],
            "sex": [coins.randrange(1, 3) for _ in range(300)],
            "income": [float(coins.randrange(5, 45) * 100) for _ in range(300)],
        }
    )
    labels: dict[str, dict[int | float, str]] = {
        "region": {1: "north", 2: "east", 3: "south", 4: "west"}, "sex": {1: "male", 2: "female"},
    }  # fmt: skip
    write_sav: Any = pyreadstat.write_sav
    write_sav(frame, str(folder / "survey.sav"), variable_value_labels=labels)
    return folder / "survey.sav"


def _spss(folder: Path) -> Path:
    return write_survey(folder)


def _stata(folder: Path) -> Path:
    table = dc.Table.from_frame(people(), categorical=True)
    return dc.write_table(table, folder / "people.dta")


FILES: dict[str, Callable[[Path], Path]] = {
    made.__name__.removeprefix("_"): made
    for made in (
        _plain, _semicolons, _tabs, _decimals, _dates, _moments, _german_dates, _sets, _repeats,
        _unique, _one_column, _one_of_numbers, _wide, _unicode, _hostile, _commas, _missing,
        _holes, _markers, _constant, _booleans, _excel, _parquet, _gz, _bom, _cp1252, _baskets,
        _hospital, _unheaded, _skewed, _codes, _few, _spss, _stata,
    )
}  # fmt: skip

if __name__ == "__main__":
    for make in FILES.values():
        make(Path(sys.argv[1]))
    write_for_arx(Path(sys.argv[1]))
    write_survey(Path(sys.argv[1]))
