"""What the verifier recomputes, against brute force and against the definition."""

from __future__ import annotations

import itertools
import json
import subprocess
import sys
import tempfile
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import polars as pl
from hypothesis import given
from hypothesis import strategies as st

import discreet as dc
from discreet.release.guarantee import Guarantee
from discreet.release.release import Release
from discreet.verify import verify_release
from discreet.verify.original import rows_are_sorted
from tests.examples import examples
from tests.verify.folders import (
    K_MII,
    OPEN,
    PEOPLE,
    check,
    columns_of,
    edit,
    failed,
    k_anonymous,
    sampled,
    spoken,
)

CELLS = st.sampled_from(["p", "q", None])


# k-anonymity


@examples(60)
@given(
    records=st.lists(st.tuples(CELLS, CELLS, CELLS), min_size=1, max_size=12),
    k=st.integers(1, 5),
    n_covered=st.integers(1, 3),
)
def test_k_anonymity_is_that_of_brute_force(
    records: list[tuple[object, ...]], k: int, n_covered: int
) -> None:
    smallest = min(Counter(record[:n_covered] for record in records).values())
    n_below = sum(
        size for size in Counter(record[:n_covered] for record in records).values() if size < k
    )
    with tempfile.TemporaryDirectory() as folder:
        covered = tuple(f"c{j}" for j in range(n_covered))
        rows = columns_of(records, 3)
        found = verify_release(k_anonymous(Path(folder), rows, k=k, columns=covered))
    assert found.answer == ("verified" if smallest >= k else "refuted")
    detail = check(found, "k-anonymity").detail
    assert f"has {smallest}" in detail
    assert found.answer == "verified" or f"{n_below} row" in detail


def test_a_suppressed_cell_equals_suppressed_cells_only(tmp_path: Path) -> None:
    # 000-kmii-equality: (a, *) is contained in three rows and equal to one.
    rows: dict[str, list[object]] = {"x": ["a", "a", "a"], "y": ["b", "b", None]}
    assert failed(verify_release(k_anonymous(tmp_path, rows))) == ["k-anonymity"]


def test_no_rows(tmp_path: Path) -> None:
    data = dc.Table.from_codes({"age": [], "sex": []}, {"age": [], "sex": []})
    claim = Guarantee(
        model="k-anonymity",
        parameters={"k": 2},
        unit="one row",
        columns=("age",),
        not_protected=OPEN,
    )
    first = replace(K_MII[0], parameters={"theta": 1, "columns": ("age",)})
    release = Release(data=data, guarantee=claim, events=(first, K_MII[1]))
    found = verify_release(spoken(release.save(tmp_path / "out")))
    assert found.answer != "refuted"
    assert check(found, "k-anonymity").detail == "No rows are released."


def test_a_claim_about_a_column_that_is_not_released(tmp_path: Path) -> None:
    folder = edit(
        k_anonymous(tmp_path), lambda values: values["guarantee"]["columns"].append("zip")
    )
    found = verify_release(folder)
    assert failed(found) == ["k-anonymity"]
    assert "column 'zip', which is not released" in check(found, "k-anonymity").detail


# Identifying columns


def test_roles(tmp_path: Path) -> None:
    folder = k_anonymous(tmp_path)
    original = dc.Table.from_frame(PEOPLE, categorical=True).with_roles(sex="identifying")
    assert failed(verify_release(folder, original=original)) == ["roles"]

    edit(folder, lambda values: values["data"]["columns"][0].update(role="identifying"))
    found = verify_release(folder)
    assert failed(found) == ["roles"]
    assert "'age' is released, and is identifying" in check(found, "roles").detail


def test_a_column_that_looks_like_names_is_left_to_a_person(tmp_path: Path) -> None:
    rows: dict[str, list[object]] = {"sex": ["f"] * 25, "name": [f"{i:02}" for i in range(25)]}
    found = verify_release(k_anonymous(tmp_path, rows, columns=("sex",)))
    assert found.answer != "refuted"
    assert [each.name for each in found.not_checkable] == ["identifying values", "columns outside"]
    assert "name" in check(found, "identifying values").detail
    assert "not checkable from the files: identifying values, columns outside" in found.sentence


# Order of rows


@examples(80)
@given(records=st.lists(st.tuples(CELLS, CELLS), max_size=8), by=st.permutations(["p", "q", None]))
def test_rows_sorted_in_any_order_of_values(
    records: list[tuple[str | None, str | None]], by: list[str | None]
) -> None:
    ordered = sorted(records, key=lambda record: [by.index(cell) for cell in record])
    kinds = {"a": pl.String, "b": pl.String}
    assert rows_are_sorted(pl.DataFrame(ordered, schema=kinds, orient="row"))
    is_sorted = any(
        records
        == sorted(
            records,
            key=lambda record: (first.index(record[0]), second.index(record[1])),
        )
        for first in itertools.permutations(["p", "q", None])
        for second in itertools.permutations(["p", "q", None])
    )
    assert rows_are_sorted(pl.DataFrame(records, schema=kinds, orient="row")) == is_sorted


# Other claims


def test_an_experimental_release_does_not_pass(tmp_path: Path) -> None:
    found = verify_release(k_anonymous(tmp_path, seeded=True))
    assert failed(found) == ["publication"]
    assert found.experimental
    assert found.sentence.startswith("Experimental, not for publication: verified: k-anonymity")
    assert "with a seed" in check(found, "publication").detail


def test_a_model_that_is_not_known_is_not_verified(tmp_path: Path) -> None:
    def change(values: dict[str, dict[str, object]]) -> None:
        values["guarantee"]["model"] = "m-invariance"

    found = verify_release(edit(k_anonymous(tmp_path), change))
    assert found.answer == "refuted"
    assert failed(found) == ["steps stated"]
    assert "cannot check the claim 'm-invariance'" in check(found, "claim").detail


def test_differential_privacy_made_otherwise_is_not_verified(tmp_path: Path) -> None:
    folder = edit(sampled(tmp_path), lambda values: values["events"].clear())
    assert check(verify_release(folder), "claim").passed is None


def test_an_old_certificate_is_still_read() -> None:
    from discreet.verify.certificate import read_claims

    path = Path(__file__).parents[1] / "compat" / "certificate-v1.json"
    claims = read_claims(path.read_bytes())
    assert claims.checksum_fits
    assert claims.parameters["epsilon"] == Fraction(1, 3)


# The verifier itself


def test_result(tmp_path: Path) -> None:
    found = verify_release(k_anonymous(tmp_path))
    values = json.loads(json.dumps(found.to_dict()))
    assert values["answer"] == "verified"
    assert OPEN[0] in values["not_protected"]
    assert [each["name"] for each in values["checks"]][:4] == [
        "certificate", "checksum", "files", "data",
    ]  # fmt: skip
    assert "<td>k-anonymity</td>" in found._repr_html_()
    assert "Verified" in repr(found)


def test_it_loads_nothing_of_what_it_checks(tmp_path: Path) -> None:
    folder = sampled(tmp_path, scheme="dp")
    code = (
        "import sys\nfrom discreet.verify import verify_release\n"
        f"found = verify_release({str(folder)!r}, original={{'a': ['x'] * 9, 'b': ['z'] * 9}})\n"
        "print(len(found.checks), *sorted(sys.modules))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    n_checks, *loaded = run.stdout.split()
    assert int(n_checks) > 8
    ours = {name.split(".")[1] for name in loaded if name.startswith("discreet.")}
    assert ours <= {"checks", "data", "errors", "limits", "result", "verify"}
    assert "scipy" in loaded
    assert "pydantic" not in loaded
