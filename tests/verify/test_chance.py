"""With the original: what chance cannot explain is refuted, and honest releases never are."""

from __future__ import annotations

import io
import json
import lzma
import math
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from scipy.stats import binom  # type: ignore[import-untyped]

import discreet as dc
from discreet.randomize import CutAndPaste, Uniform
from discreet.verify import verify_release
from discreet.verify.chance import (
    NOISE,
    SAMPLED,
    UNCHANGED,
    Cost,
    at_least,
    chance_of_counts,
)
from tests.verify.folders import check, edit, failed, replace_data

SEEDS = range(12)

# That the scheme "split" protects less is known.
pytestmark = pytest.mark.filterwarnings("ignore::discreet.errors.WeakGuaranteeWarning")


def people(n_rows: int = 3000, seed: int = 1) -> dc.Table:
    return dc.datasets.census(n_rows, seed=seed).select(["sex", "education", "marital_status"])


def parquet(rows: pl.DataFrame) -> bytes:
    buffer = io.BytesIO()
    rows.write_parquet(buffer)
    return buffer.getvalue()


def put(folder: Path, rows: pl.DataFrame) -> Path:
    """Certify other rows in place of the released ones."""
    replace_data(folder, parquet(rows))
    return edit(folder, lambda values: values["data"].update(n_rows=rows.height))


# Tails


@pytest.mark.parametrize("share", [0.0, 0.01, 0.5, 1.0])
def test_tails_are_those_of_the_binomial_law(share: float) -> None:
    for seen in range(9):
        exact = sum(
            math.comb(8, j) * Fraction(share) ** j * (1 - Fraction(share)) ** (8 - j)
            for j in range(seen, 9)
        )
        assert math.isclose(at_least(np.array([seen]), np.array([8]), share), exact, abs_tol=1e-15)
    assert at_least(np.array([], int), np.array([], int), share) == 1


@pytest.mark.parametrize("epsilon", [0.1, 0.5, 2.0])
def test_no_mechanism_meets_counts_more_often(epsilon: float) -> None:
    """The geometric mechanism, released as it is, keeps to the bound on average."""
    # One count of n rows; a row replaced changes it by 1, which costs epsilon.
    a = math.exp(-epsilon)
    for spacing in (1, 3, 5):
        w = spacing // 2
        hit = sum((1 - a) / (1 + a) * a ** abs(j) for j in range(-w, w + 1))
        bound = math.exp(Cost(epsilon=epsilon).log_chance(spacing))
        assert hit <= bound * (1 + 1e-9)
        # It is the best there is: at spacing 1 the bound is met.
        assert spacing > 1 or math.isclose(hit, bound)


@pytest.mark.parametrize("rho", [0.001, 0.05, 0.5])
def test_gaussian_noise_meets_counts_no_more_often(rho: float) -> None:
    # One row replaced moves a count by one: the precision is at most 8 rho.
    sigma = 1 / math.sqrt(8 * rho)
    for spacing in (1, 3):
        hit = math.erf(spacing / 2 / sigma / math.sqrt(2))
        assert hit <= math.exp(Cost(rho=rho).log_chance(spacing)) + 1e-12


def test_small_counts_say_nothing() -> None:
    counts = Counter({"a": 2, "b": 1, "c": 1})
    assert chance_of_counts([(counts, counts)] * 50, Cost(epsilon=0.1)) == (0.0, 0)
    assert chance_of_counts([(Counter(), Counter())], Cost(epsilon=0.1)) == (0.0, 0)


# Rows sampled

DP: dict[str, Any] = {"epsilon": 1, "delta": 1e-6, "k": 20}


def sampled(folder: Path, seed: int, scheme: str = "public") -> tuple[Path, dc.Table]:
    table = people(4000, seed=2)
    more: dict[str, Any] = {"public": people(500, seed=9)} if scheme == "public" else {}
    if scheme == "dp":
        more = {"domains": table}
    made = dc.dp_mii_suppress(table, scheme=scheme, seed=seed, **DP, **more)  # type: ignore[arg-type]
    return made.save(folder / f"{scheme}-{seed}"), table


@pytest.mark.parametrize("scheme", ["public", "dp", "split"])
def test_honest_samples_are_never_refuted(tmp_path: Path, scheme: str) -> None:
    for seed in SEEDS:
        folder, table = sampled(tmp_path, seed, scheme)
        found = verify_release(folder, original=table)
        assert found.answer == "consistent", found.sentence
        assert check(found, SAMPLED).passed


@pytest.mark.parametrize("scheme", ["public", "split"])
def test_rows_that_were_not_sampled_are_refuted(tmp_path: Path, scheme: str) -> None:
    folder, table = sampled(tmp_path, 1, scheme)
    rows = table.to_frame("polars").sort(table.columns)
    raw = rows.filter(pl.len().over(table.columns) >= 20)
    put(folder, raw)
    assert verify_release(folder).answer == "consistent"
    assert SAMPLED in failed(verify_release(folder, original=table))


def test_one_class_that_was_not_sampled_is_refuted(tmp_path: Path) -> None:
    folder, table = sampled(tmp_path, 1)
    rows = table.to_frame("polars").sort(table.columns)
    largest = rows.group_by(table.columns).len().sort("len")[-1]
    more = rows.join(largest, on=table.columns, how="semi")
    put(folder, more)
    found = verify_release(folder, original=table)
    assert SAMPLED in failed(found)
    released, of = more.height, rows.height
    rate = float(sampling_rate(folder))
    # It takes a look at the classes: as a number of rows of the table it would pass.
    assert binom.sf(released - 1, of, rate) < 1e-9 or "combinations" in check(found, SAMPLED).detail


def sampling_rate(folder: Path) -> Fraction:
    (sample,) = [e for e in dc.Release.load(folder).events if e.name == "bernoulli_sample"]
    return Fraction(sample.parameters["beta"])  # type: ignore[arg-type]


def test_15832_rows_of_adult_that_were_not_sampled(tmp_path: Path, public_data: Path) -> None:
    columns = ["workclass", "education", "marital-status", "race", "sex"]
    table = adult(public_data).select(columns)
    made = dc.dp_mii_suppress(table, scheme="dp", domains=table, seed=1, **DP)
    rows = table.to_frame("polars")
    raw = rows.filter(pl.len().over(columns) >= 20).sample(15_832, seed=1).sort(columns)
    raw = raw.filter(pl.len().over(columns) >= 20)
    folder = put(made.save(tmp_path / "out"), raw)
    assert verify_release(folder).answer == "consistent"
    assert SAMPLED in failed(verify_release(folder, original=table))


def adult(folder: Path) -> dc.Table:
    names = [
        "age", "workclass", "fnlwgt", "education", "education-num", "marital-status",
        "occupation", "relationship", "race", "sex", "gain", "loss", "hours", "country", "class",
    ]  # fmt: skip
    text = lzma.decompress((folder / "adult" / "adult.data.xz").read_bytes())
    rows = pl.read_csv(text, has_header=False, new_columns=names, infer_schema=False)
    return dc.Table.from_frame(rows.with_columns(pl.all().str.strip_chars()), categorical=True)


def led7(folder: Path) -> dc.Table:
    """Return seven segments and the digit: items 1 to 14 are the segments, off or on."""
    lines = (folder / "lucs" / "led7.D24.N3200.C10.num").read_text().splitlines()
    records = [[int(item) for item in line.split()] for line in lines]
    return dc.Table.from_frame(
        {f"c{j}": [str(record[j]) for record in records] for j in range(8)}, categorical=True
    )


# Synthetic rows

KINDS: dict[str, dict[str, Any]] = {
    "laplace": {"epsilon": Fraction(1, 10)},
    "gaussian": {"epsilon": Fraction(1, 10), "delta": 1e-6},
    "local": {"epsilon": Fraction(1, 2), "trust": "local"},
}


def synthetic(table: dc.Table, folder: Path, **options: object) -> Path:
    domains = {name: list(table.values(name)) for name in table.columns}
    made = dc.synthetic_release(table, domains=domains, **options)  # type: ignore[arg-type]
    return made.save(folder)


def digits(n_rows: int = 3000, seed: int = 1) -> dc.Table:
    """Return rows as those of led7: a digit, and seven segments that are wrong now and then."""
    coins = np.random.default_rng(seed)
    shown = coins.integers(0, 10, n_rows)
    lit = np.array([list(map(int, f"{0x7B5F3A6C9D >> d & 127:07b}")) for d in range(10)])
    wrong = coins.random((n_rows, 7)) < 0.1
    frame = {f"segment {j}": (lit[shown, j] ^ wrong[:, j]).astype(str) for j in range(7)}
    return dc.Table.from_frame({**frame, "digit": shown.astype(str)}, categorical=True)


@pytest.mark.parametrize("kind", KINDS)
def test_the_original_as_synthetic_rows_is_refuted(tmp_path: Path, kind: str) -> None:
    table = digits()
    folder = put(synthetic(table, tmp_path / "out", **KINDS[kind]), table.to_frame("polars"))
    assert verify_release(folder).answer == "consistent"
    assert NOISE in failed(verify_release(folder, original=table))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("epsilon", [Fraction(1, 10), Fraction(1), Fraction(20)])
def test_honest_synthetic_rows_are_never_refuted(
    tmp_path: Path, kind: str, epsilon: Fraction
) -> None:
    even = dc.Table.from_frame({"a": ["x", "y"] * 300, "b": ["p", "p", "q", "q"] * 150})
    for seed in range(4):
        table = even if seed % 2 else people(800, seed=seed)
        options = {**KINDS[kind], "epsilon": epsilon, "seed": seed}
        folder = synthetic(table, tmp_path / f"out{seed}", **options)
        found = verify_release(folder, original=table)
        assert found.answer == "consistent", found.sentence
        assert check(found, NOISE).passed


def test_rows_of_led7_with_an_epsilon_of_a_tenth(tmp_path: Path, public_data: Path) -> None:
    table = led7(public_data)
    folder = put(
        synthetic(table, tmp_path / "out", epsilon=Fraction(1, 10)), table.to_frame("polars")
    )
    assert verify_release(folder).answer == "consistent"
    assert NOISE in failed(verify_release(folder, original=table))


# Transactions

ITEMS = [*"abcdefgh"]
BASKETS = dc.Transactions.from_iterable([list(each) for each in product("ab", "cd", "efgh")] * 12)
HOW: dict[str, Callable[..., dc.Release[Any]]] = {
    "plain": lambda **more: dc.randomize_transactions(
        BASKETS, operator=CutAndPaste(2, rho="1/4"), items=ITEMS, **more
    ),
    "uniform": lambda **more: dc.randomize_transactions(
        BASKETS, operator=Uniform("1/2"), items=ITEMS, **more
    ),
    "padded": lambda **more: dc.randomize_transactions(
        BASKETS, operator=CutAndPaste(2, rho="1/4"), items=ITEMS, padded_size=4, **more
    ),
}


@pytest.mark.parametrize("kind", HOW)
def test_honest_randomization_is_never_refuted(tmp_path: Path, kind: str) -> None:
    for seed in SEEDS:
        folder = HOW[kind](seed=seed).save(tmp_path / str(seed))
        found = verify_release(folder, original=BASKETS)
        assert found.answer == "consistent", found.sentence
        assert check(found, UNCHANGED).passed


@pytest.mark.parametrize("kind", HOW)
def test_raw_transactions_as_randomized_are_refuted(tmp_path: Path, kind: str) -> None:
    folder = HOW[kind]().save(tmp_path / "out")
    rows = pl.read_parquet(folder / "data.parquet")
    sets = [sorted(each) for each in _numbers(folder)]
    # An attacker who randomizes some of them does not change that the others are as they were.
    mixed = [*sets[: len(sets) // 2], *rows["items"].to_list()[len(sets) // 2 :]]
    for name, each in (("raw", sets), ("half", mixed)):
        put(folder, rows.with_columns(items=pl.Series(each, dtype=rows["items"].dtype)))
        found = verify_release(folder, original=BASKETS)
        assert UNCHANGED in failed(found), name


def _numbers(folder: Path) -> list[list[int]]:
    """Return the transactions by the places of their items in the list of the operator."""
    items = json.loads((folder / "operator.json").read_text())["items"]
    place = {str(item): number for number, item in enumerate(items)}
    return [[place[str(item)] for item in each] for each in BASKETS]
