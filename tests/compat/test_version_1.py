"""Release folders of certificate version 1, of every method, are read and verified as they were.

The folders are kept as discreet 0.1.0 wrote them: see ``v1/README.md``.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from tests.conftest import Outcome

import discreet as dc
from discreet.errors import GuaranteeError
from discreet.release.contents import pattern_table, sized_frame
from discreet.verify import Verification

V1 = Path(__file__).parent / "v1"
EXPECTED: dict[str, Any] = json.loads((V1 / "expected.json").read_text(encoding="utf-8"))
each_folder = pytest.mark.parametrize("name", EXPECTED)


def certificate_of(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / "certificate.json").read_text(encoding="utf-8"))
    return found


def load(folder: Path) -> dc.Release[Any]:
    return dc.Release.load(folder)


def kind_of(name: str) -> str:
    """Return what a folder publishes, by its name."""
    for start, kind in (
        ("patterns-", "patterns"),
        ("randomized-", "transactions"),
        ("collected", "transactions"),
        ("synthesis-", "synthetic rows"),
    ):
        if name.startswith(start):
            return kind
    return "rows"


def read_original(name: str) -> dc.Table | dc.Transactions:
    """Return the original as it was read for the release."""
    how = EXPECTED[name]
    path = V1 / "originals" / how["original"]
    if path.suffix != ".dat":
        return dc.read_table(path, bins=how["bins"], categorical=True)
    baskets = dc.read_transactions(path)
    return baskets.take(np.flatnonzero(baskets.sizes <= how["max_size"]))


def found(verification: Verification) -> dict[str, Any]:
    return {
        "answer": verification.answer,
        "experimental": verification.experimental,
        # Since then the verifier names what version 1 did not demand, and what it cannot see of a
        # part of a source or of weak figures, in checks of their own.
        "checks": [
            [check.name, check.passed]
            for check in verification.checks
            if check.passed is not None
            or check.name not in {"version", "part of the source", "strength"}
        ],
    }


def code_of(expected: dict[str, Any]) -> int:
    return 1 if expected["answer"] == "refuted" or expected["experimental"] else 0


def number(value: object) -> object:
    """Return a parameter of a certificate as a claim holds it."""
    return Fraction(value["exact"]) if isinstance(value, dict) else value


def read_data(folder: Path) -> pl.DataFrame:
    path = folder / "data.parquet"
    if path.is_file():
        return pl.read_parquet(path)
    return pl.read_csv(folder / "data.csv", infer_schema=False)


def change_a_cell(folder: Path) -> None:
    """Give the first cell of the data that is not empty another value of its kind."""
    rows = read_data(folder)
    name = next(each for each in rows.columns if rows[each].count())
    cells = rows[name].to_list()
    place = next(number for number, cell in enumerate(cells) if cell is not None)
    cells[place] = f"{cells[place]}!" if isinstance(cells[place], str) else cells[place] + 1
    changed = rows.with_columns(pl.Series(name, cells, dtype=rows[name].dtype))
    if (folder / "data.parquet").is_file():
        changed.write_parquet(folder / "data.parquet")
    else:
        changed.write_csv(folder / "data.csv")


def test_each_folder_is_expected() -> None:
    assert list(EXPECTED) == sorted(path.parent.name for path in V1.glob("*/certificate.json"))
    assert {certificate_of(V1 / name)["schema_version"] for name in EXPECTED} == {1}


@each_folder
def test_load(name: str) -> None:
    release, stated = load(V1 / name), certificate_of(V1 / name)
    claim, guarantee = release.guarantee, stated["guarantee"]
    assert claim.model == guarantee["model"]
    assert dict(claim.parameters) == {n: number(v) for n, v in guarantee["parameters"].items()}
    assert (claim.unit, claim.neighbours) == (guarantee["unit"], guarantee["neighbours"])
    assert list(claim.columns) == guarantee["columns"]
    assert list(claim.assumptions) == guarantee["assumptions"]
    assert list(claim.not_protected) == guarantee["not_protected"]
    assert claim.experimental == guarantee["experimental"]
    assert [event.name for event in release.events] == [each["name"] for each in stated["events"]]
    assert [dict(event.counts) for event in release.events] == [
        each["counts"] for each in stated["events"]
    ]
    assert release.fingerprint is None or release.fingerprint.mac == stated["fingerprint"]["mac"]
    assert release.created.strftime("%Y-%m-%dT%H:%M:%SZ") == stated["created"]
    assert release.version == stated["discreet_version"]


@each_folder
def test_loaded_data_are_those_of_the_file(name: str) -> None:
    release, rows = load(V1 / name), read_data(V1 / name)
    assert release.kind == kind_of(name)
    if release.kind == "transactions":
        assert release.sizes is not None
        assert sized_frame(release.data, release.sizes).rows() == rows.rows()
        return
    is_patterns = release.kind == "patterns"
    table = pattern_table(release.data, release.witness) if is_patterns else release.data
    read = table.to_frame()
    assert read.columns == rows.columns
    assert table.roles == {
        column["name"]: column["role"] for column in certificate_of(V1 / name)["data"]["columns"]
    }
    if name == "types-csv":  # of the same rows as the other, so that types can be compared
        rows = read_data(V1 / "types-parquet").select(rows.columns)
    elif (V1 / name / "data.csv").is_file():
        read = read.cast(pl.String)
    assert read.rows() == rows.rows()


@each_folder
def test_saved_again_it_is_of_version_2(name: str, tmp_path: Path) -> None:
    release = load(V1 / name)
    is_text = (V1 / name / "data.csv").is_file()
    folder = release.save(tmp_path / "out", format="csv" if is_text else "parquet")
    stated = certificate_of(folder)
    assert (stated["schema_version"], stated["publishes"]) == (2, kind_of(name))
    assert load(folder) == release
    # Version 2 demands more than this release was made for: its sentences are of version 1.
    verification = dc.verify_release(folder)
    assert {check.name for check in verification.failed} <= {
        "sentences",
        "publication",
        "items",
        "steps",
        "steps stated",
    }


@each_folder
def test_verify(name: str) -> None:
    assert found(dc.verify_release(V1 / name)) == EXPECTED[name]["alone"]


@each_folder
def test_verify_with_the_original(name: str) -> None:
    verification = dc.verify_release(V1 / name, original=read_original(name))
    assert found(verification) == EXPECTED[name]["with_original"]


@each_folder
def test_command_line(name: str, tmp_path: Path, discreet: Callable[..., Outcome]) -> None:
    said = discreet("verify", V1 / name)
    assert said.code == code_of(EXPECTED[name]["alone"]), said.err
    if EXPECTED[name]["max_size"] == 3:  # otherwise the file has transactions that were left out
        file = V1 / "originals" / EXPECTED[name]["original"]
        said = discreet("verify", V1 / name, "--original", file)
        assert said.code == code_of(EXPECTED[name]["with_original"]), said.err
    page = tmp_path / "page.html"
    said = discreet("report", V1 / name, "-o", page)
    assert said.code == 0, said.err
    assert certificate_of(V1 / name)["data"]["sha256"] in page.read_text(encoding="utf-8")


@each_folder
def test_a_changed_cell_is_refused(name: str, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(V1 / name, tmp_path / name))
    change_a_cell(folder)
    with pytest.raises(GuaranteeError, match=r"data\.(parquet|csv)"):
        load(folder)
    verification = dc.verify_release(folder)
    assert verification.answer == "refuted"
    assert "files" in {check.name for check in verification.failed}


@each_folder
def test_a_changed_certificate_is_refused(name: str, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(V1 / name, tmp_path / name))
    stated = certificate_of(folder)
    stated["guarantee"]["unit"] = "nobody"
    (folder / "certificate.json").write_text(json.dumps(stated), encoding="utf-8")
    with pytest.raises(GuaranteeError, match="checksum"):
        load(folder)
    verification = dc.verify_release(folder)
    assert verification.answer == "refuted"
    assert "checksum" in {check.name for check in verification.failed}
