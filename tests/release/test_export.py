"""The same data once more, for programs: certified by its hash, and claimed by nobody."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING

import polars as pl
import pytest
from typer.testing import CliRunner

import discreet as dc
from discreet.cli.app import app
from discreet.data.binning import bounds_of
from discreet.errors import GuaranteeError, ParameterError
from discreet.release.contents import exported_table
from discreet.release.release import Release
from discreet.verify import verify_release

if TYPE_CHECKING:
    from pathlib import Path

PEOPLE = dc.Table.from_frame(
    {
        "sex": ["f", "m"] * 200,
        "age": [20 + i % 40 for i in range(400)],
        "town": ["Zürich" if i % 3 else "Bern" for i in range(400)],
    },
    bins={"age": [30, 40, 50]},
)
KINDS = ["xlsx", "dta", "sav", "csv", "parquet"]


@pytest.mark.parametrize("kind", KINDS)
def test_an_export_holds_the_data_and_is_named_as_not_checked(tmp_path: Path, kind: str) -> None:
    release = dc.k_mii(PEOPLE, k=5)
    folder = release.save(tmp_path / "out", export=kind, bounds=True)
    assert sorted(each.name for each in folder.iterdir()) == [
        "certificate.json", "data.parquet", f"export.{kind}",
    ]  # fmt: skip
    found = verify_release(folder)
    assert found.answer == "verified"
    (said,) = [check for check in found.checks if check.name == "export"]
    assert said.passed is None
    assert "claims are of the data file alone" in said.detail
    assert found.sentence.endswith("not checkable from the files: export.")
    assert Release.load(folder).guarantee == release.guarantee
    exported = dc.read_table(folder / f"export.{kind}")
    assert exported.columns == ("sex", "age", "age_lower", "age_upper", "town")
    for name in ("sex", "age", "town"):
        written = release.data.to_frame("polars")[name].cast(pl.String).to_list()
        assert exported.to_frame("polars")[name].cast(pl.String).to_list() == written
    lower = dict(zip(exported.to_frame()["age"], exported.to_frame()["age_lower"], strict=True))
    assert lower == {"< 30": None, "[30, 40)": 30, "[40, 50)": 40, ">= 50": 50}


def test_an_export_that_was_changed_or_put_there_is_found(tmp_path: Path) -> None:
    folder = dc.k_mii(PEOPLE, k=5).save(tmp_path / "out", export="csv")
    path = folder / "export.csv"
    path.write_bytes(path.read_bytes() + b"f,< 30,Bern\n")
    assert "export.csv was changed after it was certified" in str(
        [check.detail for check in verify_release(folder).checks]
    )
    with pytest.raises(GuaranteeError, match=r"export\.csv was changed"):
        Release.load(folder)
    path.rename(folder / "export.xlsx")
    assert "export.xlsx is not certified" in str(
        [check.detail for check in verify_release(folder).checks]
    )
    with pytest.raises(GuaranteeError, match=r"export\.xlsx is not certified"):
        Release.load(folder)


def test_exports_that_cannot_be_made(tmp_path: Path) -> None:
    release = dc.k_mii(PEOPLE, k=5)
    with pytest.raises(ParameterError, match="of which kind"):
        release.save(tmp_path / "out", bounds=True)
    with pytest.raises(ParameterError, match="'xlsx'"):
        release.save(tmp_path / "out", export="xls")
    assert not list(tmp_path.iterdir())


def run(*words: object) -> tuple[int, str]:
    found = CliRunner().invoke(app, [str(word) for word in words])
    return found.exit_code, found.output + str(found.exception or "")


def test_a_policy_and_commands_ask_for_it(tmp_path: Path) -> None:
    file, draft = tmp_path / "people.xlsx", tmp_path / "p.toml"
    PEOPLE.to_polars().write_excel(file)
    assert run("init", file, "-o", draft)[0] == 0
    assert 'export = "xlsx"' in draft.read_text()
    assert run("run", draft, "--bounds", "-o", tmp_path / "a")[0] == 0
    assert (tmp_path / "a" / "export.xlsx").exists()
    assert "bounds = true" in (tmp_path / "a" / "policy.toml").read_text()
    protect = ("protect", "k-mii", file, "-k", 5)
    assert run(*protect, "--export", "sav", "-o", tmp_path / "b")[0] == 0
    assert (tmp_path / "b" / "export.sav").exists()
    assert run(*protect, "--export", "xls", "-o", tmp_path / "c")[0] == 2
    code, said = run(*protect, "--bounds", "-o", tmp_path / "c")
    assert code
    assert "give --export too" in said
    draft.write_text(draft.read_text().replace('export = "xlsx"', "bounds = true"))
    code, said = run("run", draft, "-o", tmp_path / "c")
    assert code
    assert "give export too" in said
    assert not (tmp_path / "c").exists()


def test_intervals_say_where_they_begin_and_end() -> None:
    assert bounds_of("[-0.5, 1e-3)") == (-0.5, 0.001)
    assert bounds_of("(20, 40]") == (20, 40)
    assert bounds_of("<= 20") == (None, 20)
    assert bounds_of("> 60") == (60, None)
    assert bounds_of("2024-02") == (dt.date(2024, 2, 1), dt.date(2024, 2, 29))
    assert bounds_of("1930s") == (dt.date(1930, 1, 1), dt.date(1939, 12, 31))
    assert bounds_of("1930-1934") == (dt.date(1930, 1, 1), dt.date(1934, 12, 31))
    assert bounds_of("2024-02-30") is None
    assert bounds_of("2024-13") is None
    assert bounds_of("9999") is None  # it would end after the calendar
    assert bounds_of(True) is None
    assert bounds_of("*") is None


def test_bounds_are_added_to_columns_of_intervals_only() -> None:
    table = dc.Table.from_frame(
        {
            "age": ["[20, 40)", "*", None],
            "born": ["1931-05-09", "1930s", "1931"],
            "age_lower": ["x", "y", "z"],
            "icd": ["E11", "[20, 40)", "E10"],
            "n": [1, 2, None],
        }
    )
    exported = exported_table(table, bounds=True)
    assert exported.columns == (
        "age", "age_lower_", "age_upper", "born", "born_lower", "born_upper", "age_lower", "icd",
        "n",
    )  # fmt: skip
    assert exported.to_frame()["born_upper"].to_list() == [
        dt.date(1931, 5, 9), dt.date(1939, 12, 31), dt.date(1931, 12, 31),
    ]  # fmt: skip
    assert exported.to_frame()["age_lower_"].to_list() == [20, None, None]
