"""What the verifier recomputes, against brute force and against the definition."""

from __future__ import annotations

import itertools
import json
import math
import subprocess
import sys
import tempfile
from collections import Counter
from fractions import Fraction
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import discreet as dc
from discreet.errors import LimitError
from discreet.release.event import Event
from discreet.release.guarantee import Guarantee
from discreet.release.release import Release
from discreet.suppress import sampling_delta as closed_form
from discreet.verify import verify_release
from discreet.verify.row_order import rows_are_sorted
from discreet.verify.sampling_delta import sampling_delta
from tests.oracles import hockey_stick
from tests.strategies import Record, tables
from tests.verify.folders import (
    K_MII,
    OPEN,
    PEOPLE,
    check,
    edit,
    failed,
    k_anonymous,
    sampled,
    support_floor,
)

CELLS = st.sampled_from(["p", "q", None])


def columns_of(records: list[tuple[object, ...]], width: int) -> dict[str, list[object]]:
    return {f"c{j}": [record[j] for record in records] for j in range(width)}


# k-anonymity


@settings(max_examples=60)
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
    assert found.passed == (smallest >= k)
    detail = check(found, "k-anonymity").detail
    assert f"has {smallest}" in detail
    assert found.passed or f"{n_below} row" in detail


def test_a_suppressed_cell_equals_suppressed_cells_only(tmp_path: Path) -> None:
    # 000-kmii-equality: (a, *) is contained in three rows and equal to one.
    rows: dict[str, list[object]] = {"x": ["a", "a", "a"], "y": ["b", "b", None]}
    assert failed(verify_release(k_anonymous(tmp_path, rows))) == ["k-anonymity"]


def test_no_rows(tmp_path: Path) -> None:
    data = dc.Table.from_codes({"age": [], "sex": []}, {"age": [], "sex": []})
    claim = Guarantee(
        model="k-anonymity", parameters={"k": 2}, unit="row", columns=("age",), not_protected=OPEN
    )
    found = verify_release(Release(data=data, guarantee=claim).save(tmp_path / "out"))
    assert found.passed
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
    assert found.passed
    assert [each.name for each in found.left_open] == ["identifying values", "columns outside"]
    assert "name" in check(found, "identifying values").detail
    assert "2 points are left open" in found.sentence


# Support floor and the original


@settings(max_examples=60)
@given(
    records=tables(max_columns=4, max_records=8).filter(bool),
    theta=st.integers(0, 3),
    data=st.data(),
)
def test_support_floor_is_that_of_brute_force(
    records: list[Record], theta: int, data: st.DataObject
) -> None:
    width = len(records[0])
    hidden = st.lists(st.booleans(), min_size=width, max_size=width)
    released = [
        tuple(None if hide else cell for cell, hide in zip(record, data.draw(hidden), strict=True))
        for record in records
    ]
    supports = [
        sum(all(a in (None, b) for a, b in zip(row, other, strict=True)) for other in records)
        for row in released
    ]
    with tempfile.TemporaryDirectory() as name:
        folder = support_floor(Path(name), columns_of([*released], width), theta=theta)
        original = dc.Table.from_frame(columns_of([*records], width))
        found = verify_release(folder, original=original)
        alone = verify_release(folder)
    assert found.passed == (min(supports) > theta)
    assert check(found, "values of original").passed
    assert check(found, "rows of original").passed
    assert not alone.passed
    assert not alone.failed
    assert "could not be recomputed (support floor)" in alone.sentence


def test_invented_values_and_rows(tmp_path: Path) -> None:
    folder = k_anonymous(tmp_path)
    ages: list[object] = [30, 30, 30, 40, 40, 40, 40, 50, 60, 70]
    sexes: list[object] = [*"fffmmmmmmm"]
    assert verify_release(folder, original={"sex": sexes, "age": ages, "more": ages}).passed

    found = verify_release(folder, original={"age": ages, "sex": ["f"] * 10})
    assert failed(found) == ["values of original", "rows of original"]
    assert "'sex' shows values" in check(found, "values of original").detail

    found = verify_release(folder, original={"age": ages, "sex": [*"mmmfffmmmm"]})
    assert failed(found) == ["rows of original"]
    assert "7 released rows show combinations" in check(found, "rows of original").detail

    found = verify_release(folder, original={"age": ages[:8], "sex": sexes[:8]})
    assert failed(found) == ["rows of original"]
    assert "the original has 8" in check(found, "rows of original").detail

    found = verify_release(folder, original={"age": ages})
    assert failed(found) == ["values of original"]
    assert "'sex' is released, and the original does not" in check(found, failed(found)[0]).detail


def test_columns_binned_since_are_said_to_be_left_out(tmp_path: Path) -> None:
    rows: dict[str, list[object]] = {"age": [*["< 20"] * 2, *[">= 20"] * 2], "sex": ["f"] * 4}
    original: dict[str, list[object]] = {"age": [10, 11, 30, 40], "sex": ["f"] * 4}
    folder = k_anonymous(tmp_path, rows)
    found = verify_release(folder, original=original)
    assert found.passed
    assert check(found, "values of original").passed is None
    assert "Was it binned?" in check(found, "values of original").detail
    assert check(found, "rows of original").detail.endswith(", in sex.")
    binned = dc.Table.from_frame(original, bins={"age": [20]})
    assert not verify_release(folder, original=binned).failed


def test_numbers_written_as_text_are_the_same_values(tmp_path: Path) -> None:
    folder = k_anonymous(tmp_path, {"zip": ["1", "1", "2", "2"]}, format="csv")
    found = verify_release(folder, original={"zip": [1, 1, 2, 2]})
    assert check(found, "values of original").passed


@pytest.mark.parametrize("events", [(), (*K_MII, Event(name="impute"))])
def test_more_than_suppression_is_not_compared(tmp_path: Path, events: tuple[Event, ...]) -> None:
    folder = k_anonymous(tmp_path, events=events)
    found = verify_release(folder, original={"age": [1], "sex": ["f"]})
    assert check(found, "values of original").passed is None


# Sampling


@pytest.mark.parametrize("scheme", ["public", "dp", "split"])
def test_an_honest_sampled_release(tmp_path: Path, scheme: str) -> None:
    found = verify_release(sampled(tmp_path, scheme=scheme))
    assert found.passed
    assert ("size of delta" in {each.name for each in found.left_open}) == (scheme == "split")


def test_a_delta_of_one_over_the_rows_is_pointed_at(tmp_path: Path) -> None:
    (tmp_path / "alone").mkdir()
    found = verify_release(sampled(tmp_path / "alone", delta=Fraction(1, 7)))
    assert "at least one over 7 rows" in check(found, "size of delta").detail
    original = {"a": [*"xy"] * 9, "b": ["z"] * 18}
    found = verify_release(sampled(tmp_path, delta=Fraction(1, 18)), original=original)
    assert "at least one over 18 rows" in check(found, "size of delta").detail


def test_a_weaker_total_than_due_is_true(tmp_path: Path) -> None:
    assert verify_release(sampled(tmp_path, total=(Fraction(2), Fraction("0.05")))).passed


def test_a_step_that_is_not_known_leaves_the_claim_open(tmp_path: Path) -> None:
    extra = {"name": "polish", "parameters": {}, "counts": {"n_rows": 3}}
    found = verify_release(edit(sampled(tmp_path), lambda values: values["events"].append(extra)))
    assert not found.passed
    assert not found.failed
    assert "does not know what the step 'polish' does" in check(found, "steps").detail
    assert "polish" in check(found, "counts").detail


@pytest.mark.parametrize(
    ("k", "beta", "epsilon", "expected"),
    [
        pytest.param(2, "0.1", "0.2", 0.018100722771515247, id="000-exact-delta-2-0.1-0.2"),
        pytest.param(1, "0.1", "0.05", 0.1, id="000-exact-delta-1-0.1-0.05"),
        pytest.param(2, "0.5", "0.6931471805599453", 0.25, id="000-exact-delta-2-0.5-0.6931"),
        pytest.param(5, "0.093", "0.1", 0.0037443687091507083, id="000-d-5-0.093"),
        pytest.param(5, "0.034", "0.1", 0.00017407888364618426, id="000-d-5-0.034"),
        pytest.param(5, "0.017", "0.1", 1.2043177225730991e-05, id="000-d-5-0.017"),
        pytest.param(10, "0.095", "0.1", 0.0006384952741453793, id="000-d-10-0.095"),
        pytest.param(10, "0.041", "0.1", 9.564809726927048e-06, id="000-d-10-0.041"),
    ],
)
def test_known_deltas(k: int, beta: str, epsilon: str, expected: float) -> None:
    found = sampling_delta(k, beta=Fraction(beta), epsilon=Fraction(epsilon))
    assert found == pytest.approx(expected, rel=1e-9)


@settings(max_examples=40)
@given(
    k=st.integers(1, 5),
    beta=st.fractions(min_value=Fraction(1, 20), max_value=Fraction(19, 20), max_denominator=40),
    growth=st.fractions(min_value=1, max_value=4, max_denominator=20),
)
def test_delta_is_the_largest_distance_of_neighbouring_classes(
    k: int, beta: Fraction, growth: Fraction
) -> None:
    n_most = min(40, math.ceil(1.5 * k / beta) + 2)
    expected = float(hockey_stick.sampling_delta(k, beta, growth, n_most))
    found = sampling_delta(k, beta=beta, epsilon=Fraction(math.log(growth)))
    if (k - 1) / beta < n_most:  # the largest is among those looked at
        assert found == pytest.approx(expected, rel=1e-9)
    else:
        assert found >= expected * (1 - 1e-9)


@pytest.mark.parametrize(
    ("k", "beta"),
    [*itertools.product([1, 2, 7, 50, 300], ["0.003", "0.02", "0.35", "0.9"]), (4, "0"), (4, "1")],
)
def test_delta_agrees_with_the_closed_form(k: int, beta: str) -> None:
    for epsilon in ["0", "0.001", "0.1", "1", "5", "60", "2000"]:
        found = sampling_delta(k, beta=Fraction(beta), epsilon=Fraction(epsilon))
        expected = closed_form(k, beta=Fraction(beta), epsilon=float(epsilon))
        if expected > 1e-250:
            assert found == pytest.approx(expected, rel=1e-9, abs=0)
        else:
            assert found < 1e-200


def test_a_scan_that_would_be_too_long_is_left_open(tmp_path: Path) -> None:
    with pytest.raises(LimitError, match="class sizes to be looked at"):
        sampling_delta(20, beta=Fraction(1, 10**9), epsilon=Fraction(1, 10**9))
    tiny = Fraction(1, 10**9)
    found = verify_release(sampled(tmp_path, beta=tiny, epsilon=tiny))
    assert not found.passed
    assert not found.failed
    assert check(found, "delta of sampling").passed is None


# Order of rows


@settings(max_examples=80)
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
    assert "seed 7" in check(found, "publication").detail


def test_a_model_that_is_not_known_is_not_verified(tmp_path: Path) -> None:
    def change(values: dict[str, dict[str, object]]) -> None:
        values["guarantee"]["model"] = "m-invariance"

    found = verify_release(edit(k_anonymous(tmp_path), change))
    assert not found.passed
    assert not found.failed
    assert "cannot check the claim 'm-invariance'" in check(found, "claim").detail
    assert "could not be recomputed (claim)" in found.sentence


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
    assert values["passed"] is True
    assert values["not_protected"] == list(OPEN)
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
    assert ours <= {"data", "errors", "progress", "result", "verify"}
    assert "scipy" in loaded
    assert "pydantic" not in loaded
