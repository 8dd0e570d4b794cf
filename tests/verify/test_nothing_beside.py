"""A data file that says more than its rows is refuted."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

import numpy as np
import polars as pl
import pytest

import discreet as dc
from discreet.verify import verify_release
from tests.verify.folders import PEOPLE, check, failed, k_anonymous, replace_data
from tests.verify.parquet_files import footer_of, with_footer

CSV: list[Callable[[bytes], bytes]] = [
    lambda text: b"\xef\xbb\xbf" + text,
    lambda text: text.replace(b"\n", b"\r\n"),
    lambda text: text.replace(b"\n", b"\r\n", 2),
    lambda text: text[:-1],
    lambda text: text + b"\n",
    lambda text: text.replace(b"f\n", b'"f"\n', 1),
    lambda text: text.replace(b"30,", b"030,"),
    lambda text: text.replace(b"30,", b"+30,"),
    lambda text: text + text[: text.index(b"\n") + 1],
]


@pytest.mark.parametrize("change", CSV)
def test_csv_written_otherwise(tmp_path: Path, change: Callable[[bytes], bytes]) -> None:
    folder = k_anonymous(tmp_path, format="csv")
    content = (folder / "data.csv").read_bytes()
    assert change(content) != content
    assert set(failed(verify_release(replace_data(folder, change(content))))) & {
        "data",
        "nothing beside",
    }


def meta(change: Callable[[dict[int, Any]], object]) -> Callable[[bytes], bytes]:
    def apply(content: bytes) -> bytes:
        footer = footer_of(content)
        change(footer)
        return with_footer(content, footer)

    return apply


PARQUET: list[tuple[Callable[[bytes], bytes], str]] = [
    (meta(lambda footer: footer[5].append({1: b"note", 2: b"x"})), "has the key note"),
    (meta(lambda footer: footer.update({6: b"somebody"})), "a program that is not known"),
    (lambda content: with_footer(content, footer_of(content), b"hidden"), "6 bytes between"),
    (meta(lambda footer: footer[4][0][1][0][3][12].update({5: b"?" * 8})), "largest value"),
    (meta(lambda footer: footer[2][1].update({9: 7})), "does not belong there"),
]


@pytest.mark.parametrize(("change", "words"), PARQUET)
def test_parquet_with_more_in_it(
    tmp_path: Path, change: Callable[[bytes], bytes], words: str
) -> None:
    folder = k_anonymous(tmp_path)
    found = verify_release(replace_data(folder, change((folder / "data.parquet").read_bytes())))
    assert failed(found) == ["nothing beside"]
    assert words in check(found, "nothing beside").detail


def test_a_value_of_a_dictionary_that_no_row_has(tmp_path: Path) -> None:
    folder = k_anonymous(tmp_path)
    sex = ["f"] * 3 + ["z"] * 5 + ["m"]
    buffer = io.BytesIO()
    rows = pl.DataFrame({"age": PEOPLE["age"], "sex": sex}, schema_overrides={"age": pl.Int64})
    rows.write_parquet(buffer, compression="uncompressed")
    content = buffer.getvalue()
    places = bytes([0b01_00_00_00, 0b01_01_01_01, 0b10, 0])  # two bits a row: f f f z, z z z z, m
    assert content.count(places) == 1
    hidden = content.replace(places, places[:2] + bytes([0b01, 0]))
    assert "m" not in pl.read_parquet(io.BytesIO(hidden))["sex"]
    found = verify_release(replace_data(folder, hidden))
    assert failed(found) == ["nothing beside"]
    assert "a value in a dictionary that no row has" in check(found, "nothing beside").detail


@pytest.mark.parametrize(("bits", "words"), [(1 << 63, "minus sign"), (0x7FF8 << 48 | 5, "NaN")])
def test_floats_that_carry_something(tmp_path: Path, bits: int, words: str) -> None:
    folder = k_anonymous(tmp_path, {**PEOPLE, "age": [0.5] * 9})
    odd = np.array([bits] * 9, np.uint64).view(np.float64)
    buffer = io.BytesIO()
    pl.DataFrame({"age": odd, "sex": PEOPLE["sex"]}).write_parquet(buffer)
    found = verify_release(replace_data(folder, buffer.getvalue()))
    assert words in check(found, "nothing beside").detail


@pytest.mark.parametrize("format", ["parquet", "csv"])
def test_input_with_zeros_of_both_signs(tmp_path: Path, format: Literal["parquet", "csv"]) -> None:  # noqa: A002
    frame = pl.DataFrame({"age": [-0.0, 0.5, -0.0, 0.0] * 5, "sex": ["f", "m"] * 10})
    table = dc.Table.from_frame(frame, categorical=True)
    folder = dc.k_mii(table, k=2).save(tmp_path / "release", format=format)
    assert verify_release(folder).answer == "verified"
