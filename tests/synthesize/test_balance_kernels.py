"""The kernel that balances rows against its definition, on tiny domains."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chisquare  # type: ignore[import-untyped]

from discreet import _native
from tests.oracles import balance as oracle
from tests.oracles.sweeps import cell_law, pair_counts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

CHUNK = _native.BALANCE_CHUNK
Layer = tuple["NDArray[np.float32]", "NDArray[np.float32]"]


def balanced(
    sizes: Sequence[int],
    layer: Layer,
    codes: NDArray[np.int32],
    shares: NDArray[np.float64],
    slack: NDArray[np.float64],
    *,
    n_rounds: int = 1,
    key: bytes = bytes(32),
    first_chunk: int = 0,
    threads: int = 1,
) -> NDArray[np.int32]:
    return _native.balance_rows(
        np.cumsum([0, *sizes]), layer[0].ravel(), layer[1].ravel(), codes.ravel(), shares.ravel(),
        slack.ravel(), n_rounds, key, first_chunk, _native.Control(threads),
    )  # fmt: skip


def symmetric(values: NDArray[np.float64]) -> NDArray[np.float64]:
    upper = np.triu(values)
    return upper + np.triu(upper, 1).T


def some_codes(sizes: Sequence[int], n_rows: int, seed: int) -> NDArray[np.int32]:
    draw = np.random.default_rng(seed)
    return np.stack([draw.integers(0, size, n_rows) for size in sizes]).astype(np.int32)


def rows_of(codes: NDArray[np.int32]) -> list[tuple[int, ...]]:
    return [tuple(row) for row in codes.T.tolist()]


@settings(max_examples=60, deadline=None)
@given(
    sizes=st.lists(st.integers(1, 3), min_size=1, max_size=3),
    n_rows=st.integers(1, 6),
    n_rounds=st.integers(0, 2),
    seed=st.integers(0, 9999),
)
def test_same_rows_as_by_definition(
    sizes: list[int], n_rows: int, n_rounds: int, seed: int
) -> None:
    """Weights so far apart that every draw is certain."""
    draw, n = np.random.default_rng(seed), sum(sizes)
    bias = (60 * draw.permutation(n)).astype(np.float32)
    link = np.zeros((n, n), np.float32)
    link[: sizes[0]] = draw.choice([0, 90], (sizes[0], n))
    codes = some_codes(sizes, n_rows, seed)
    wanted = symmetric(draw.integers(0, n_rows + 1, (n, n)).astype(float))
    # Sums of squares beyond such a slack are exact, so that no tie is decided by rounding.
    slack = symmetric(draw.choice([0, 0.5, 1, np.inf], (n, n)))
    layer = (bias, link)
    made = balanced(sizes, layer, codes, wanted / n_rows, slack / n_rows, n_rounds=n_rounds)
    expected = oracle.balanced(sizes, layer, rows_of(codes), wanted, slack, n_rounds=n_rounds)
    assert rows_of(made) == expected


def shares_of(sizes: Sequence[int], codes: NDArray[np.int32]) -> NDArray[np.float64]:
    counts = np.array(pair_counts(sizes, rows_of(codes)), float)
    return symmetric(counts / codes.shape[1])


SIZES = (3, 2, 4)
N_VALUES = sum(SIZES)
EQUAL: Layer = (np.zeros(N_VALUES, np.float32), np.zeros((N_VALUES, N_VALUES), np.float32))
EXACTLY = np.zeros((N_VALUES, N_VALUES))


def test_rows_of_one_table_get_the_shares_of_another() -> None:
    codes = some_codes(SIZES, 3000, 1)
    other = codes.copy()
    other[0] = np.where(np.random.default_rng(2).random(3000) < 0.5, other[2] % 3, other[0])
    wanted = shares_of(SIZES, other)
    made = balanced(SIZES, EQUAL, codes, wanted, EXACTLY, n_rounds=8)
    far, near = (np.abs(shares_of(SIZES, rows) - wanted).max() for rows in (codes, made))
    assert far > 0.05
    assert near < 0.005


@pytest.mark.parametrize(("bias", "ends"), [(-9.0, True), (-3.0, False)])
def test_ends_once_hardly_a_cell_changes(bias: float, ends: bool) -> None:  # noqa: FBT001
    """All rows should have another value, which is drawn for one in 8,000, or one in 20."""
    layer = (np.array([0, bias], np.float32), np.zeros((2, 2), np.float32))
    wanted, slack = np.diag([0.0, 1.0]), np.where(np.eye(2) > 0, 0, np.inf)
    codes = np.zeros((1, 10_000), np.int32)
    once, often = (balanced((2,), layer, codes, wanted, slack, n_rounds=n) for n in (1, 16))
    assert once.any()
    assert np.array_equal(once, often) == ends


def test_what_is_not_wanted_is_left() -> None:
    codes = some_codes(SIZES, 500, 3)
    nothing = np.full((N_VALUES, N_VALUES), np.inf)
    assert np.array_equal(balanced(SIZES, EQUAL, codes, EXACTLY, nothing), codes)
    right = shares_of(SIZES, codes)
    assert np.array_equal(balanced(SIZES, EQUAL, codes, right, EXACTLY), codes)


def test_new_values_follow_the_layer() -> None:
    """No row may keep its value 0, and any other is as welcome as the next."""
    sizes, n = (4, 2), 15_000
    draw = np.random.default_rng(6)
    layer = (draw.normal(0, 1, 6).astype(np.float32), draw.normal(0, 1, (6, 6)).astype(np.float32))
    slack = np.full((6, 6), np.inf)
    slack[0, 0] = 0
    codes = np.zeros((2, n), np.int32)
    made = balanced(sizes, layer, codes, np.zeros((6, 6)), slack)
    law = cell_law(sizes, *layer, (0, 0), 0)
    counts = np.bincount(made[0], minlength=4)
    assert chisquare(counts, np.array(law) * n).pvalue > 1e-9
    wrong = np.array([*law[:2], law[3], law[2]])
    assert chisquare(counts, wrong * n).pvalue < 1e-9
    assert not made[1].any()


def with_rare_value(n_rows: int, rare: float, key: int) -> NDArray[np.int32]:
    """Return whether each row got a value that this many rows should have."""
    shares = np.diag([1 - rare / n_rows, rare / n_rows])
    slack = np.array([[np.inf, np.inf], [np.inf, 0]])
    layer = (np.zeros(2, np.float32), np.zeros((2, 2), np.float32))
    codes = np.zeros((1, n_rows), np.int32)
    return balanced((2,), layer, codes, shares, slack, key=bytes([key] * 32), threads=2).ravel()


@pytest.mark.parametrize("key", range(3))
def test_rare_values_keep_their_share_over_all_chunks(key: int) -> None:
    """Three rows in ten chunks should have a value: no chunk has half a row of it."""
    by_chunk = with_rare_value(40 * CHUNK, 12, key).reshape(40, CHUNK).sum(1)
    assert by_chunk.sum() in (11, 12, 13)
    assert by_chunk.max() == 1


def test_a_value_of_less_than_a_row_is_there_by_chance() -> None:
    found = [int(with_rare_value(500, 0.3, key).sum()) for key in range(60)]
    assert set(found) == {0, 1}
    assert 5 < sum(found) < 35


def test_threads_and_batches_do_not_change_the_rows() -> None:
    n = 2 * CHUNK + 77
    codes, wanted = some_codes(SIZES, n, 4), shares_of(SIZES, some_codes(SIZES, 50, 5))
    kept = codes.copy()
    whole = balanced(SIZES, EQUAL, codes, wanted, EXACTLY)
    assert np.array_equal(balanced(SIZES, EQUAL, codes, wanted, EXACTLY, threads=3), whole)
    begin = balanced(SIZES, EQUAL, codes[:, :CHUNK], wanted, EXACTLY)
    end = balanced(SIZES, EQUAL, codes[:, CHUNK:], wanted, EXACTLY, first_chunk=1, threads=2)
    assert np.array_equal(np.concatenate([begin, end], axis=1), whole)
    other = balanced(SIZES, EQUAL, codes, wanted, EXACTLY, key=b"1" * 32)
    assert not np.array_equal(other, whole)
    assert np.array_equal(codes, kept)  # what is given stays as it is


FAIR: dict[str, Any] = {
    "value_offsets": np.array([0, 2, 3], np.int64),
    "biases": np.zeros(3, np.float32),
    "links": np.zeros(9, np.float32),
    "codes": np.array([0, 1, 0, 0], np.int32),
    "shares": np.zeros(9),
    "slack": np.zeros(9),
    "n_rounds": 1,
    "key": bytes(32),
    "first_chunk": 0,
}


@pytest.mark.parametrize(
    ("name", "value", "what"),
    [
        ("value_offsets", [], "begin with 0"),
        ("biases", [0] * 6, "a link for each"),
        ("codes", [0, 2, 0, 0], "not in its column"),
        ("codes", [0, 1, 0], "a code for each column and row"),
        ("shares", [0] * 8, "a share and a slack for each"),
        ("slack", [0] * 8, "a share and a slack for each"),
        ("shares", [1.5] + [0] * 8, "from 0 to 1"),
        ("shares", [np.nan] + [0] * 8, "from 0 to 1"),
        ("slack", [-1] + [0] * 8, "slack at least 0"),
        ("slack", [np.nan] + [0] * 8, "slack at least 0"),
        ("n_rounds", -1, "at least 0"),
        ("key", b"short", "expected 32 bytes"),
        ("first_chunk", -1, "at least 0"),
    ],
)
def test_refuses(name: str, value: Any, what: str) -> None:  # noqa: ANN401  any argument
    wrong = np.array(value, FAIR[name].dtype) if isinstance(value, list) else value
    with pytest.raises(ValueError, match=what):
        _native.balance_rows(**{**FAIR, name: wrong}, control=_native.Control(1))
    _native.balance_rows(**FAIR, control=_native.Control(1))


def test_balances_by_one_layer() -> None:
    two = {**FAIR, "biases": np.zeros(6, np.float32), "links": np.zeros(18, np.float32)}
    with pytest.raises(ValueError, match="one layer"):
        _native.balance_rows(**two, control=_native.Control(1))
