from __future__ import annotations

import json
import os
import subprocess
import sys
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from accuracy import forest_accuracies, in_percent, repeats_for
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from local_suppression import local_suppression
from mondrian import mondrian_classes
from readings import SUPPRESSED, read_both_ways, supports, wildcard_matches
from results_page import write_part
from suppress_ablations import one_cell_each
from suppress_methods import codes_of

import discreet as dc
from discreet.utility import learning_utility

ROOT = Path(__file__).parents[2]
CODES = st.tuples(st.integers(1, 12), st.integers(1, 4)).flatmap(
    lambda shape: arrays(np.uint16, shape, elements=st.integers(0, 2))
)


@st.composite
def releases(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray]:
    codes = draw(CODES)
    return codes, draw(arrays(np.bool_, codes.shape))


@given(releases())
def test_supports_and_matches_agree_with_counting(release: tuple[np.ndarray, np.ndarray]) -> None:
    codes, suppressed = release
    shown = np.where(suppressed, np.uint16(SUPPRESSED), codes)
    expected = [sum(all(h or a == b for a, b, h in zip(*rows, strict=True))
                    for rows in ((row, other, away) for other in codes))
                for row, away in zip(codes, suppressed, strict=True)]  # fmt: skip
    assert supports(shown, codes).tolist() == expected
    agree = [
        sum(all(a == b or SUPPRESSED in (a, b) for a, b in zip(row, other, strict=True))
            for other in shown)
        for row in shown
    ]  # fmt: skip
    assert wildcard_matches(shown, shown).tolist() == agree


@given(releases(), st.integers(1, 4))
def test_readings_are_shares_of_the_released_records(
    release: tuple[np.ndarray, np.ndarray], k: int
) -> None:
    codes, suppressed = release
    rows = np.arange(len(codes))
    shown = [tuple(row) for row in np.where(suppressed, np.uint16(SUPPRESSED), codes).tolist()]
    sizes = [shown.count(row) for row in shown]
    seen = read_both_ways(codes, rows, suppressed, k=k)
    assert seen.smallest_class == min(sizes)
    assert seen.small_class_rate == pytest.approx(np.mean(np.array(sizes) < k))
    assert seen.fewest_matches >= seen.smallest_class


def test_a_release_without_records_has_zeros() -> None:
    codes = np.zeros((3, 2), np.uint16)
    seen = read_both_ways(codes, np.arange(0), np.zeros((0, 2), bool), k=2)
    assert (seen.smallest_class, seen.rare_rate, seen.fewest_matches) == (0, 0, 0)


@given(CODES, st.integers(1, 4), st.booleans())
def test_local_suppression_reaches_k_by_the_wildcard_reading(
    codes: np.ndarray,
    k: int,
    most_values_first: bool,  # noqa: FBT001  hypothesis gives it
) -> None:
    suppressed = local_suppression(codes, k=k, most_values_first=most_values_first)
    shown = np.where(suppressed, np.uint16(SUPPRESSED), codes)
    assert (wildcard_matches(shown, shown) >= min(k, len(codes))).all()


def test_local_suppression_leaves_records_that_exact_classes_would_not() -> None:
    codes = np.array([[0, 0], [0, 0], [0, 1]], np.uint16)
    suppressed = local_suppression(codes, k=2)
    assert suppressed.tolist() == [[False, False], [False, False], [False, True]]
    seen = read_both_ways(codes, np.arange(3), suppressed, k=2)
    assert seen.few_matches_rate == 0
    assert seen.small_class_rate == pytest.approx(1 / 3)


@given(CODES, st.integers(2, 4))
def test_one_cell_of_each_rare_combination_leaves_none_to_see(codes: np.ndarray, k: int) -> None:
    columns = {f"c{place}": column.tolist() for place, column in enumerate(codes.T)}
    table = dc.Table.from_frame(columns)
    if table.n_rows < k:
        return
    made = one_cell_each(table, table.columns, k)
    seen = read_both_ways(codes_of(table, table.columns), made.rows, made.suppressed, k=k)
    assert seen.rare_rate == 0
    assert seen.small_class_rate == 0


def test_accuracies_are_those_of_learning_utility() -> None:
    people = dc.datasets.census(300).select(["education", "occupation", "income"])
    release = dc.mii_suppress(people, theta=2)
    rows = release.input_rows
    assert rows is not None
    result = learning_utility(
        people, release.data, target="income", rows=rows, models=["random_forest"],
        n_repeats=2, n_trees=3, rng=5,
    )  # fmt: skip
    mine = forest_accuracies(
        people, release.data, target="income", rows=rows, n_repeats=2, n_trees=3, seed=5
    )
    assert mine == result.models[0].release.values


@given(CODES, st.integers(1, 4), st.booleans())
def test_mondrian_makes_classes_of_at_least_k(codes: np.ndarray, k: int, is_number: bool) -> None:  # noqa: FBT001
    columns = [column.astype(np.int64) for column in codes.T]
    class_of = mondrian_classes(columns, [is_number] * len(columns), k=k)
    assert np.bincount(class_of).min() >= min(k, len(codes))


def test_mondrian_halves_the_widest_column() -> None:
    ages = np.array([10, 20, 30, 40])
    sexes = np.array([0, 0, 0, 1])
    assert mondrian_classes([ages, sexes], [True, False], k=2).tolist() in (
        [0, 0, 1, 1],
        [1, 1, 0, 0],
    )


def test_the_standard_error_is_of_the_mean() -> None:
    learnt = in_percent([0.5, 0.7], 2)
    assert learnt.accuracy == pytest.approx(60)
    assert learnt.error == pytest.approx(10)
    assert (in_percent([0.5], 1).error, in_percent([], 1).accuracy) == (None, None)


@pytest.mark.parametrize(
    ("n_rows", "n_repeats", "expected"), [(100, 3, 30), (100, 100, 100), (20_000, 3, 3)]
)
def test_small_tables_are_trained_on_more_often(n_rows: int, n_repeats: int, expected: int) -> None:
    assert repeats_for(n_rows, n_repeats) == expected


def test_a_part_of_the_page_leaves_the_others_alone(tmp_path: Path) -> None:
    page = tmp_path / "RESULTS.md"
    for name, text in product(("one", "two"), ("old", "new")):
        write_part(page, name, f"# {name} {text}")
    write_part(page, "one", "# one again")
    shown = [line for line in page.read_text(encoding="utf-8").splitlines() if line[:1] == "#"]
    assert shown == ["# one again", "# two new"]


def test_the_quick_benchmark_runs_on_built_in_data(tmp_path: Path) -> None:
    environment = {name: value for name, value in os.environ.items() if name != "DISCREET_DATA"}
    environment["PEERS_PYTHON"] = str(tmp_path / "absent")
    script = str(ROOT / "benchmarks" / "suppress.py")
    command = [sys.executable, script, "--quick", "--output", str(tmp_path)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    for name in ("speed", "adult", "dp", "paper"):
        saved = json.loads((tmp_path / "results" / f"suppress-{name}.json").read_text("utf-8"))
        assert saved["rows"]
        assert saved["machine"]["python"]
    page = (tmp_path / "RESULTS.md").read_text(encoding="utf-8")
    assert "Mondrian (anonypy): run make peers" in page
    assert "ARX, cell suppression" not in page  # its figures are of Adult
    assert str(tmp_path) not in page
