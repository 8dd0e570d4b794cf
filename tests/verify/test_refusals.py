"""Certificates that say too little, or too much: each is refused or has no verdict."""

from __future__ import annotations

import io
from collections.abc import Callable
from fractions import Fraction
from functools import cache, partial
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import discreet as dc
from discreet.errors import DataError
from discreet.patterns import additive, pattern_release
from discreet.randomize import CutAndPaste
from discreet.verify.closeness import hierarchical_distance, ordered_distance
from discreet.verify.hierarchies import flat
from tests.generalize.releases import TREES, people
from tests.verify.folders import check, edit, exact, replace_data, sampled, support_floor

PEOPLE = people()
COLUMNS = ("age", "job", "sex")
FLOOR: dict[str, list[object]] = {"a": ["x", "x", "y", "y"], "b": ["p", "p", "q", "q"]}
BASKETS = dc.Transactions.from_iterable([["tea", "milk"], ["milk"], ["jam"]] * 20)
LISTS = {"sex": ["f", "m"], "town": ["a", "b"]}
DRAWN = dc.Table.from_frame({"sex": ["f", "m"] * 100, "town": ["a", "b", "b", "a"] * 50})

Values = dict[str, Any]


@cache
def made(kind: str) -> dc.Release[Any]:
    """Return an honest release of a kind."""
    if kind == "randomized":
        operator = CutAndPaste(cutoff=3, rho="1/4")
        return dc.randomize_transactions(BASKETS, operator=operator)
    if kind == "patterns":
        return pattern_release(additive(BASKETS, k=3, min_support=5), source=BASKETS)
    if kind in ("gaussian", "laplace"):
        delta = Fraction(1, 10**6) if kind == "gaussian" else 0
        return dc.synthetic_release(DRAWN, epsilon=1, delta=delta, n_rows=20, domains=LISTS)
    options: Any = {"households": "home"} if kind == "households" else {"weights": "weight"}
    return dc.mondrian(PEOPLE, k=4, hierarchies=TREES, columns=COLUMNS, **options)


def saved(kind: str, folder: Path) -> Path:
    if kind == "floor":
        return support_floor(folder, FLOOR, theta=1)
    if kind in ("public", "dp", "split"):
        return sampled(folder, scheme=kind)
    return made(kind).save(folder / "release")


def step(name: str, **options: object) -> Callable[[Values], None]:
    """Return the edit that gives the first event of a name other options."""

    def change(values: Values) -> None:
        event = next(event for event in values["events"] if event["name"] == name)
        event["parameters"] |= options

    return change


def claim(**options: object) -> Callable[[Values], None]:
    """Return the edit that gives the claim other parameters; None takes one out."""

    def change(values: Values) -> None:
        parameters = values["guarantee"]["parameters"] | options
        kept = {name: value for name, value in parameters.items() if value is not None}
        values["guarantee"]["parameters"] = kept

    return change


def part(**options: object) -> Callable[[Values], None]:
    """Return the edit that changes a field of the guarantee itself."""
    return lambda values: values["guarantee"].update(options)


def without_step(name: str) -> Callable[[Values], None]:
    def change(values: Values) -> None:
        values["events"] = [event for event in values["events"] if event["name"] != name]

    return change


EDITS = [
    ("households", step("obey_rules", households="sex"), False, "names no column"),
    ("weights", step("mean_weights", column="no"), False, "names no released column"),
    ("floor", claim(theta=None), False, "lacks its theta"),
    ("floor", claim(theta=-1), False, "lacks its theta"),
    ("floor", part(columns=["a", "no"]), False, "'no', which is not released"),
    ("public", step("learn_scheme", scheme="x"), None, "does not know the scheme 'x'"),
    ("dp", step("learn_scheme", scheme="public"), False, "A public scheme has no split"),
    ("split", without_step("split_rows"), False, "A public scheme has no split_rows"),
    ("dp", step("learn_scheme", noise="none"), None, "knows noise that is"),
    ("dp", step("learn_scheme", scale="9"), False, "lacks n_columns"),
    ("dp", step("learn_scheme", max_size=0), False, "lacks n_columns"),
    ("patterns", claim(k=1), False, "lacks k"),
    ("patterns", claim(min_support=None), False, "lacks k"),
    ("patterns", claim(n_rows=10), False, "of 10 rows"),
    ("patterns", claim(min_support=50), False, "at least 50 are claimed"),
    ("laplace", step("draw_rows", law="none"), False, "There is no trust"),
    ("laplace", step("draw_rows", trust="local"), False, "There is no trust"),
    ("laplace", claim(delta=exact("1/2")), False, "not an epsilon alone"),
    ("gaussian", claim(delta=None), False, "no delta above 0"),
    ("gaussian", step("draw_rows", n_measured=1), False, "1 were measured"),
    ("gaussian", step("list_values", column="town"), False, "one that has a list"),
    ("gaussian", step("list_values", n_values=0), False, "not stated how many values"),
    ("gaussian", step("list_values", n_values=3), False, "2 values, and 3 stated"),
    ("gaussian", step("list_values", values="f"), False, "is not stated"),
    ("randomized", claim(epsilon=None), False, "has no epsilon"),
    ("randomized", part(neighbours="friends"), False, "neighbours 'friends'"),
]


@pytest.mark.parametrize(("kind", "change", "passed", "words"), EDITS)
def test_a_certificate_that_says_something_else(
    kind: str,
    change: Callable[[Values], None],
    passed: bool | None,  # noqa: FBT001  told by pytest
    words: str,
    tmp_path: Path,
) -> None:
    found = dc.verify_release(edit(saved(kind, tmp_path), change))
    assert found.answer == "refuted"
    assert [each.passed for each in found.checks if words in each.detail] == [passed]


def as_lists(values: list[Any], dtype: Any) -> Callable[[pl.DataFrame], pl.DataFrame]:  # noqa: ANN401
    """Return the change of rows that puts one list into all of them."""
    return lambda rows: rows.with_columns(pl.Series("items", [values] * len(rows), dtype=dtype))


def with_row(kind: str, items: str) -> Callable[[pl.DataFrame], pl.DataFrame]:
    """Return the change of rows that puts other items into the first itemset."""
    first = pl.int_range(pl.len()) == 0
    return lambda rows: rows.with_columns(
        pl.when(first).then(pl.lit(items)).otherwise(kind).alias(kind)
    )


ROWS = [
    ("randomized", as_lists([0, None], pl.List(pl.Int32)), "An item is not a number"),
    ("randomized", as_lists([0, 0], pl.List(pl.Int32)), "An item stands twice"),
    ("randomized", as_lists(["a"], pl.List(pl.String)), "An item is not a number"),
    ("randomized", as_lists([0, 9], pl.List(pl.Int32)), "not one of the 3 stated"),
    ("randomized", lambda rows: rows.with_columns(size=None), "is missing"),
    ("patterns", with_row("items", "no list"), "not an itemset with its support"),
    ("patterns", with_row("items", "[1]"), "not an itemset with its support"),
    ("patterns", with_row("items", '["a", "a"]'), "not an itemset with its support"),
    ("patterns", with_row("kind", "other"), "not an itemset with its support"),
]


@pytest.mark.parametrize(("kind", "change", "words"), ROWS)
def test_rows_that_are_not_what_is_claimed_of_them(
    kind: str, change: Callable[[pl.DataFrame], pl.DataFrame], words: str, tmp_path: Path
) -> None:
    folder, content = saved(kind, tmp_path), io.BytesIO()
    change(pl.read_parquet(folder / "data.parquet")).write_parquet(content)
    found = dc.verify_release(replace_data(folder, content.getvalue()))
    assert found.answer == "refuted"
    assert any(words in each.detail for each in found.failed)


def changed(name: str, value: object) -> dc.Table:
    """Return the original with one value in a whole column."""
    return dc.Table.from_frame(
        PEOPLE.to_frame("polars").with_columns(pl.lit(value).alias(name)), categorical=True
    )


ORIGINALS = [
    (partial(PEOPLE.select, ["age", "job", "ill"]), False, "'sex' is released, and the original"),
    (partial(changed, "job", "king"), False, "that its stated hierarchy lacks"),
    (partial(changed, "age", 99), None, "'age' cannot be compared"),
]


@pytest.mark.parametrize(("original", "passed", "words"), ORIGINALS)
def test_an_original_of_another_kind(
    original: Callable[[], dc.Table],
    passed: bool | None,  # noqa: FBT001  told by pytest
    words: str,
    tmp_path: Path,
) -> None:
    found = dc.verify_release(saved("weights", tmp_path), original=original(), hierarchies=TREES)
    told = [each.passed for each in found.checks if words in each.detail]
    assert told[:1] == [passed]


def test_columns_that_were_generalized_are_named(tmp_path: Path) -> None:
    folder = edit(saved("weights", tmp_path), step("generalize", columns="age"))
    found = dc.verify_release(folder, original=PEOPLE)
    assert any("does not name its columns" in each.detail for each in found.failed)


def test_a_floor_needs_the_original(tmp_path: Path) -> None:
    folder = saved("floor", tmp_path)
    assert check(dc.verify_release(folder), "support floor").passed is None
    less = dc.Table.from_frame({"a": FLOOR["a"]})
    lacking = check(dc.verify_release(folder, original=less), "support floor")
    assert (lacking.passed, "'b' cannot be compared" in lacking.detail) == (None, True)


def test_a_delta_that_some_rows_would_satisfy_is_pointed_at(tmp_path: Path) -> None:
    release = dc.synthetic_release(DRAWN, epsilon=1, delta=0.01, n_rows=20, domains=LISTS)
    found = dc.verify_release(release.save(tmp_path / "out"), original=DRAWN)
    assert found.answer != "refuted"
    assert check(found, "size of delta").passed is None


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    folder = saved("floor", tmp_path)
    (folder / "data.parquet").unlink()
    (folder / "data.parquet").mkdir()
    found = dc.verify_release(folder, original=None)
    assert "data.parquet is a folder, not a regular file" in check(found, "files").detail


def test_values_without_an_order_or_a_place() -> None:
    with pytest.raises(DataError, match="different kinds have no order"):
        ordered_distance(["a", 1], None)
    with pytest.raises(DataError, match="lacks a value"):
        ordered_distance(["a", "b"], ["a"])
    with pytest.raises(DataError, match="hierarchy lacks a value"):
        hierarchical_distance(["a", "b"], flat(["a"]))
    assert ordered_distance(["a", None], None).column_of == {"a": 0, None: 1}
