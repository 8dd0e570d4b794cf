"""Releases of randomized transactions: honest ones pass, others are found out."""

from __future__ import annotations

import hashlib
import io
import json
import math
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet as dc
from discreet.randomize import (
    CutAndPaste,
    Operator,
    SelectASize,
    Uniform,
    randomize_transactions,
)
from discreet.verify.randomized import StatedOperator
from tests.oracles import randomized_sets
from tests.verify.folders import check, edit, exact, replace_data

HALVES = SelectASize({m: [Fraction(1, m + 1)] * (m + 1) for m in range(1, 5)}, rho=0.2)
OPERATORS = [CutAndPaste(cutoff=3, rho="1/4"), HALVES, Uniform("3/5")]


def baskets(n: int = 3000, *, n_items: int = 30) -> dc.Transactions:
    rng = np.random.default_rng(5)
    rows = [rng.choice(n_items, rng.integers(1, 5), replace=False).tolist() for _ in range(n)]
    return dc.Transactions.from_iterable(rows)


BASKETS = baskets()


def saved(folder: Path, operator: Operator = OPERATORS[0], *, seed: int | None = None) -> Path:
    made = randomize_transactions(BASKETS, operator=operator, items=range(30), seed=seed)
    return made.save(folder / "release")


def restate(folder: Path, change: Callable[[dict[str, Any]], object]) -> Path:
    """Change the operator and, as an attacker would, certify the changed one."""
    path = folder / "operator.json"
    values = json.loads(path.read_text())
    change(values)
    path.write_text(json.dumps(values))

    def recertify(certificate: dict[str, Any]) -> None:
        certificate["operator_sha256"] = hashlib.sha256(path.read_bytes()).hexdigest()

    return edit(folder, recertify)


def with_rows(folder: Path, change: Callable[[pl.DataFrame], pl.DataFrame]) -> Path:
    buffer = io.BytesIO()
    change(pl.read_parquet(folder / "data.parquet")).write_parquet(buffer)
    return replace_data(folder, buffer.getvalue())


@pytest.mark.parametrize("operator", OPERATORS, ids=lambda one: str(one.kind))
def test_honest_releases_pass(tmp_path: Path, operator: Operator) -> None:
    folder = saved(tmp_path, operator)
    for original in (None, BASKETS):
        found = dc.verify_release(folder, original=original)
        assert found.answer != "refuted", found
        assert not found.failed
    assert "3,000 released transactions" in found.sentence
    assert check(found, "original").passed


def test_one_public_size(tmp_path: Path) -> None:
    release = randomize_transactions(BASKETS, operator=OPERATORS[0], padded_size=3)
    folder = release.save(tmp_path / "release")
    found = dc.verify_release(folder, original=BASKETS)
    assert found.answer != "refuted", found
    assert check(found, "neighbours").detail.startswith("Between any two transactions")
    assert check(found, "randomization").passed
    assert check(found, "original").passed is None
    real = pl.col("items").list.eval(pl.element().filter(pl.element() < 30))
    found = dc.verify_release(with_rows(folder, lambda rows: rows.with_columns(items=real)))
    assert found.answer != "refuted"  # as a service holds them: null items are not sent
    assert check(found, "randomization").passed is None


def test_a_seeded_run_is_not_for_publication(tmp_path: Path) -> None:
    found = dc.verify_release(saved(tmp_path, seed=1))
    assert (found.answer, found.experimental) == ("consistent", True)
    assert found.sentence.startswith("Experimental, not for publication: consistent:")
    assert check(found, "epsilon").passed


def test_an_epsilon_that_is_too_low(tmp_path: Path) -> None:
    true = max(OPERATORS[0].local_epsilon(m, 30) for m in range(1, 5))

    def claim(epsilon: float) -> Callable[[dict[str, Any]], object]:
        number = exact(Fraction(math.ceil(epsilon * 10**6), 10**6))
        return lambda values: values["guarantee"]["parameters"].update(epsilon=number)

    folder = saved(tmp_path)
    assert dc.verify_release(edit(folder, claim(true + 1e-5))).answer != "refuted"
    found = dc.verify_release(edit(folder, claim(true - 1e-5)))
    assert not check(found, "epsilon").passed
    assert "Sets of 3 items have a local epsilon of 4.4427" in check(found, "epsilon").detail


@pytest.mark.parametrize("rho", ["1/5", "3/10"])
def test_another_operator_than_the_one_used(tmp_path: Path, rho: str) -> None:
    folder = restate(saved(tmp_path), lambda values: values["operator"].update(rho=rho))
    found = dc.verify_release(folder)
    assert not check(found, "randomization").passed
    assert found.answer == "refuted"


def test_what_was_not_randomized_at_all(tmp_path: Path) -> None:
    raw = [sorted(basket) for basket in BASKETS]

    def bare(rows: pl.DataFrame) -> pl.DataFrame:
        return rows.with_columns(items=pl.Series(raw, dtype=pl.List(pl.Int32)))

    found = dc.verify_release(with_rows(saved(tmp_path), bare))
    assert not check(found, "randomization").passed


def test_the_original_kept_too_often(tmp_path: Path) -> None:
    folder = saved(tmp_path)
    rows = pl.read_parquet(folder / "data.parquet")

    def cling(row: list[int], basket: frozenset[Any]) -> list[int]:
        """Keep one item more of the original, and one less of the others."""
        lost = [item for item in sorted(basket) if item not in row]
        strange = [item for item in row if item not in basket]
        if not lost or not strange:
            return row
        return sorted({*row, lost[0]} - {strange[0]})

    moved = [
        cling(row, basket) for row, basket in zip(rows["items"].to_list(), BASKETS, strict=True)
    ]
    folder = with_rows(
        folder, lambda rows: rows.with_columns(items=pl.Series(moved, dtype=pl.List(pl.Int32)))
    )
    assert dc.verify_release(folder).answer != "refuted"  # nobody else can tell
    assert not check(dc.verify_release(folder, original=BASKETS), "original").passed


def test_another_original(tmp_path: Path) -> None:
    found = dc.verify_release(saved(tmp_path), original=baskets(2999))
    assert "other items or sizes" in check(found, "original").detail
    table = dc.Table.from_frame({"a": ["x", "y"]})
    assert check(dc.verify_release(tmp_path / "release", original=table), "original").passed is None


def test_neighbours_that_sizes_give_away(tmp_path: Path) -> None:
    def claim(values: dict[str, Any]) -> None:
        values["guarantee"]["neighbours"] = "any two transactions"

    found = dc.verify_release(edit(saved(tmp_path), claim))
    assert "sizes differ" in check(found, "neighbours").detail
    assert found.answer == "refuted"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda rows: rows.with_columns(items=pl.lit([99], dtype=pl.List(pl.Int32))), "not one of"),
        (lambda rows: rows.with_columns(items=pl.lit([1, 1], dtype=pl.List(pl.Int32))), "twice"),
        (lambda rows: rows.with_columns(size=pl.lit(31, dtype=pl.Int32)), "no law for sets of 31"),
        (lambda rows: rows.with_columns(size=pl.lit(-1, dtype=pl.Int32)), "no law for sets of -1"),
    ],
)
def test_rows_that_are_no_sets(
    tmp_path: Path, change: Callable[[pl.DataFrame], pl.DataFrame], message: str
) -> None:
    found = dc.verify_release(with_rows(saved(tmp_path), change))
    assert message in check(found, "epsilon").detail
    assert found.answer == "refuted"


@pytest.mark.parametrize(
    "change",
    [
        lambda values: values.pop("items"),
        lambda values: values.update(items=["a", "a"]),
        lambda values: values.update(null_items=-1),
        lambda values: values["operator"].update(operator="magic"),
        lambda values: values["operator"].update(rho="0"),
        lambda values: values["operator"].update(rho="0.5.5"),
        lambda values: values["operator"].update(cutoff="3"),
        lambda values: values["operator"].update(cutoff={"1": 3}),
    ],
)
def test_an_operator_that_is_none(
    tmp_path: Path, change: Callable[[dict[str, Any]], object]
) -> None:
    found = dc.verify_release(restate(saved(tmp_path), change))
    assert check(found, "epsilon").passed is False
    assert found.answer == "refuted"


def test_no_operator(tmp_path: Path) -> None:
    folder = saved(tmp_path)
    (folder / "operator.json").unlink()
    found = dc.verify_release(edit(folder, lambda values: values.pop("operator_sha256")))
    assert check(found, "publishes").passed is False
    edit(folder, lambda values: values.update(schema_version=1))
    found = dc.verify_release(edit(folder, lambda values: values.pop("publishes")))
    assert check(found, "epsilon").passed is False


def test_an_operator_edited(tmp_path: Path) -> None:
    folder = saved(tmp_path)
    path = folder / "operator.json"
    path.write_text(path.read_text().replace("1/4", "1/5"))
    found = dc.verify_release(folder)
    assert "operator.json was changed" in check(found, "files").detail


fractions = st.fractions(Fraction(1, 9), Fraction(8, 9), max_denominator=9)


@given(st.integers(0, 3), st.integers(0, 3), st.integers(1, 4), fractions)
def test_gamma_is_that_of_all_results(m: int, spare: int, cutoff: int, rho: Fraction) -> None:
    n_items = m + spare
    options = {"operator": "cut-and-paste", "cutoff": cutoff, "rho": str(rho)}
    law = StatedOperator(options=options, n_items=n_items, n_null=0).law(m)
    laws = [
        randomized_sets.cut_and_paste(each, n_items, cutoff, rho)
        for each in randomized_sets.all_of_size(n_items, m)
    ]
    assert law.gamma() == randomized_sets.gamma(laws)


@given(
    st.lists(st.integers(0, 3), min_size=1, max_size=4).filter(any), st.integers(0, 3), fractions
)
def test_gamma_of_any_law_is_that_of_all_results(
    weights: list[int], spare: int, rho: Fraction
) -> None:
    m, n_items = len(weights) - 1, len(weights) - 1 + spare
    keep = [Fraction(weight, sum(weights)) for weight in weights]
    options = {
        "operator": "select-a-size",
        "keep": {str(m): [str(chance) for chance in keep]},
        "rho": {str(m): str(rho)},
    }
    law = StatedOperator(options=options, n_items=n_items, n_null=0).law(m)
    laws = [
        randomized_sets.select_a_size(each, n_items, keep, rho)
        for each in randomized_sets.all_of_size(n_items, m)
    ]
    assert law.gamma() == randomized_sets.gamma(laws)


@given(st.integers(0, 3), st.integers(0, 3), fractions)
def test_gamma_of_uniform_is_that_of_all_results(m: int, spare: int, p: Fraction) -> None:
    n_items = 2 * m + spare
    stated = StatedOperator(options={"operator": "uniform", "p": str(p)}, n_items=n_items, n_null=0)
    laws = [
        randomized_sets.uniform(each, n_items, p)
        for each in randomized_sets.all_of_size(n_items, m)
    ]
    assert stated.law(m).gamma() == randomized_sets.gamma(laws)


def test_items_that_were_listed_from_the_transactions(tmp_path: Path) -> None:
    def without(certificate: dict[str, Any]) -> None:
        claim = certificate["guarantee"]
        claim["model"] = claim["model"].removeprefix("Only if the list of items is public: ")

    made = randomize_transactions(BASKETS, operator=OPERATORS[0])
    folder = made.save(tmp_path / "release")
    found = dc.verify_release(folder)
    assert found.answer == "consistent"
    assert check(found, "items").passed is None
    assert "Only if the list of items is public" in found.sentence
    assert "without which the figures do not hold" in found.sentence
    found = dc.verify_release(edit(folder, without))
    assert found.answer == "refuted"
    assert not check(found, "items").passed
    public = randomize_transactions(BASKETS, operator=OPERATORS[0], items=range(30))
    assert "Only if" not in dc.verify_release(public.save(tmp_path / "public")).sentence
