"""Every way to tamper with a folder is caught, and named."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from discreet.errors import DataError
from discreet.verify import verify_release
from tests.verify.folders import (
    PEOPLE,
    check,
    edit,
    failed,
    k_anonymous,
    replace_data,
    sampled,
)


def parquet(rows: dict[str, Any]) -> bytes:
    buffer = io.BytesIO()
    pl.DataFrame(rows).write_parquet(buffer)
    return buffer.getvalue()


@pytest.mark.parametrize("kind", ["parquet", "csv"])
def test_an_honest_release_passes(tmp_path: Path, kind: Any) -> None:  # noqa: ANN401
    folder = k_anonymous(tmp_path, format=kind, report="<html></html>")
    found = verify_release(folder)
    assert found.answer == "verified"
    said = "Verified: k-anonymity with k = 2 holds for the 9 released rows, "
    said += "each of another person, as it states"
    assert found.sentence == f"{said}; not checkable from the files: report and policy."
    assert not found.failed
    assert "What is said there is not checked" in check(found, "report and policy").detail
    (tmp_path / "without").mkdir()
    bare = verify_release(k_anonymous(tmp_path / "without", format=kind))
    assert bare.sentence == f"{said}."
    assert not bare.not_checkable


def test_there_is_no_release(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="There is no folder"):
        verify_release(tmp_path / "nowhere")
    with pytest.raises(DataError, match=r"no release in .* it has no certificate\.json"):
        verify_release(tmp_path)


# The certificate


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "not whole JSON"),
        (b'{"schema_version": 1, "data"', "not whole JSON"),
        (b"\xff\xfe", "not UTF-8"),
        (b"[]", "no schema version"),
        (b'{"schema_version": true}', "no schema version"),
        (b'{"schema_version": 3}', "has schema version 3.*newer discreet"),
        (b'{"schema_version": 1}', "not a certificate: it has no discreet_version"),
        (b'{"schema_version": 1, "schema_version": 1}', "the key 'schema_version' stands there tw"),
        (b'{"schema_version": NaN}', "NaN is not JSON"),
        (b"[" * 100_000, "not whole JSON"),
    ],
)
def test_a_damaged_certificate(tmp_path: Path, content: bytes, words: str) -> None:
    folder = k_anonymous(tmp_path)
    (folder / "certificate.json").write_bytes(content)
    found = verify_release(folder)
    assert failed(found) == ["certificate"]
    with pytest.raises(AssertionError, match=words):
        raise AssertionError(found.sentence)


def test_a_certificate_cut_off_anywhere(tmp_path: Path) -> None:
    folder = k_anonymous(tmp_path)
    path = folder / "certificate.json"
    whole = path.read_bytes()
    for length in range(0, len(whole) - 2, 97):
        path.write_bytes(whole[:length])
        assert "not whole JSON" in verify_release(folder).sentence


def test_a_careless_edit(tmp_path: Path) -> None:
    def change(values: dict[str, Any]) -> None:
        values["guarantee"]["unit"] = "one household"

    found = verify_release(edit(k_anonymous(tmp_path), change, reseal=False))
    assert failed(found) == ["checksum", "unit"]
    assert "changed after it was written" in check(found, "checksum").detail


def test_no_checksum(tmp_path: Path) -> None:
    folder = edit(k_anonymous(tmp_path), lambda values: values.pop("checksum"), reseal=False)
    found = verify_release(folder)
    assert failed(found) == ["checksum"]
    assert "has no checksum" in check(found, "checksum").detail


@pytest.mark.parametrize(
    ("place", "value", "words"),
    [
        ("more", 1, "it has more, which does not belong there"),
        ("experimental", True, "both that the release is experimental and that it is not"),
        ("guarantee.not_protected", [], "does not say what is not protected"),
        ("guarantee.parameters.k", 2.5, "guarantee.parameters.k is not as it should be"),
        ("data.n_rows", -1, "a count below 0"),
        ("data.n_rows", True, "data.n_rows is not as it should be"),
        ("data.columns", [], "it names no columns"),
        ("data.file", "../data.csv", "data.file is not as it should be"),
        ("data.sha256", "A" * 64, "data.sha256 is not as it should be"),
        ("created", "yesterday", "created is not as it should be"),
        ("events", [{"name": "x"}], r"events[0] has no parameters"),
    ],
)
def test_a_certificate_that_is_none(tmp_path: Path, place: str, value: object, words: str) -> None:
    def change(values: dict[str, Any]) -> None:
        *path, last = place.split(".")
        for name in path:
            values = values[name]
        values[last] = value

    found = verify_release(edit(k_anonymous(tmp_path), change))
    assert failed(found) == ["certificate"]
    assert words in found.sentence


@pytest.mark.parametrize(("number", "decimal"), [("1/10", "0.2"), ("1/3", "0.333333333333")])
def test_a_decimal_that_claims_more_than_its_fraction(
    tmp_path: Path, number: str, decimal: str
) -> None:
    def change(values: dict[str, Any]) -> None:
        values["guarantee"]["parameters"]["epsilon"] = {"exact": number, "decimal": decimal}

    found = verify_release(edit(sampled(tmp_path), change))
    assert failed(found) == ["certificate"]
    assert f"epsilon is stated as {number} and as {decimal}" in found.sentence


# Files


def test_a_changed_file_is_named(tmp_path: Path) -> None:
    folder = k_anonymous(tmp_path, report="<html></html>")
    (folder / "report.html").write_text("<html>all is well</html>")
    found = verify_release(folder)
    assert failed(found) == ["files"]
    assert check(found, "files").detail == "report.html was changed after it was certified."


def test_a_removed_and_an_added_file_are_named(tmp_path: Path) -> None:
    folder = k_anonymous(tmp_path, report="<html></html>")
    (folder / "report.html").unlink()
    (folder / "policy.toml").write_text("k = 2\n")
    (folder / "backup.csv").write_text("age,sex,name\n")
    found = verify_release(folder)
    assert failed(found) == ["files"]
    for words in ("report.html is missing", "policy.toml is not cert", "backup.csv is not cert"):
        assert words in check(found, "files").detail


def test_data_removed(tmp_path: Path) -> None:
    folder = k_anonymous(tmp_path)
    (folder / "data.parquet").unlink()
    found = verify_release(folder)
    assert failed(found) == ["files"]
    assert check(found, "claim").passed is None


def test_data_cut_short(tmp_path: Path) -> None:
    folder = k_anonymous(tmp_path)
    whole = (folder / "data.parquet").read_bytes()
    for part in (whole[: len(whole) // 2], whole[:4], b"", whole[100:]):
        replace_data(folder, part)
        found = verify_release(folder)
        assert failed(found) == ["data"]
        assert "damaged or cut short" in check(found, "data").detail
    replace_data(folder, whole[:-1], recertify=False)
    assert failed(verify_release(folder)) == ["files", "data"]


def test_files_of_two_releases_swapped(tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    one = k_anonymous(tmp_path)
    two = k_anonymous(tmp_path / "other", {"age": [1, 1], "sex": ["f", "f"]})
    (one / "data.parquet").write_bytes((two / "data.parquet").read_bytes())
    found = verify_release(one)
    assert failed(found) == ["files", "data"]
    assert "there are 2 rows, and 9 are certified" in check(found, "data").detail


# Data


def test_one_value_flipped(tmp_path: Path) -> None:
    folder = replace_data(
        k_anonymous(tmp_path), parquet({**PEOPLE, "age": [30, 30, 31, 40, 40, 40, 40, None, None]})
    )
    found = verify_release(folder)
    assert failed(found) == ["k-anonymity"]
    assert check(found, "k-anonymity").detail == (
        "In age, sex: 1 row is in classes of fewer than 2; the smallest class has 1 "
        "(row 3 of the data)."
    )


def test_the_original_put_in_place_of_the_release(tmp_path: Path) -> None:
    ages = [30, 31, 32, 40, 41, 42, 43, 44, 45]
    found = verify_release(replace_data(k_anonymous(tmp_path), parquet({**PEOPLE, "age": [*ages]})))
    assert failed(found) == ["k-anonymity"]
    assert "9 rows are in classes of fewer than 2" in check(found, "k-anonymity").detail


def test_rows_in_another_order(tmp_path: Path) -> None:
    turned = pl.DataFrame(PEOPLE)[[3, 0, 4, 1, 5, 2, 6, 7, 8]].to_dict(as_series=False)
    folder = k_anonymous(tmp_path)
    replace_data(folder, parquet(turned), recertify=False)
    assert failed(verify_release(folder)) == ["files"]
    found = verify_release(replace_data(folder, parquet(turned)))
    assert found.answer != "refuted"  # k-anonymity does not depend on it
    assert [each.name for each in found.not_checkable] == ["row order"]
    assert "not checkable from the files: row order" in found.sentence


def test_columns_in_another_order_or_renamed(tmp_path: Path) -> None:
    folder = k_anonymous(tmp_path)
    for rows in (dict(reversed(PEOPLE.items())), {"age": PEOPLE["age"], "gender": PEOPLE["sex"]}):
        found = verify_release(replace_data(folder, parquet(rows)))
        assert failed(found) == ["data"]
        assert "the certificate says age, sex, in this order" in check(found, "data").detail


def test_a_column_more(tmp_path: Path) -> None:
    rows = {**PEOPLE, "name": [f"person {i}" for i in range(9)]}
    assert failed(verify_release(replace_data(k_anonymous(tmp_path), parquet(rows)))) == ["data"]


def test_other_types(tmp_path: Path) -> None:
    ages = [None if age is None else str(age) for age in PEOPLE["age"]]
    found = verify_release(replace_data(k_anonymous(tmp_path), parquet({**PEOPLE, "age": [*ages]})))
    assert failed(found) == ["data"]
    assert "column 'age' is text, and integer is certified" in check(found, "data").detail


def test_a_list_of_categories_may_name_what_was_suppressed(tmp_path: Path) -> None:
    sexes = pl.Series("sex", PEOPLE["sex"], dtype=pl.Enum(["f", "m", "secret"]))
    buffer = io.BytesIO()
    pl.DataFrame(PEOPLE).with_columns(sexes).write_parquet(buffer)
    found = verify_release(replace_data(k_anonymous(tmp_path), buffer.getvalue()))
    assert failed(found) == ["data"]
    assert "may name what was suppressed" in check(found, "data").detail


def test_text_that_is_no_number(tmp_path: Path) -> None:
    folder = k_anonymous(tmp_path, format="csv")
    text = (folder / "data.csv").read_text().replace("30", "thirty")
    found = verify_release(replace_data(folder, text.encode()))
    assert failed(found) == ["data"]
    assert "integer is certified" in check(found, "data").detail


def test_the_answer_holds_no_value_of_the_data(tmp_path: Path) -> None:
    rows = {**PEOPLE, "age": [30, 30, 987654, 40, 40, 40, 40, None, None]}
    found = verify_release(replace_data(k_anonymous(tmp_path), parquet(rows)))
    assert "987654" not in json.dumps(found.to_dict())
