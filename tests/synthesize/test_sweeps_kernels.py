"""The kernel of Gibbs sweeps against its definition, on tiny domains."""

from __future__ import annotations

from collections import Counter
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chisquare  # type: ignore[import-untyped]

from discreet import _native
from tests.oracles import sweeps as oracle

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from tests.oracles.sweeps import Row

N_ROWS = 20_000
P_LEAST = 1e-9


def layers(
    sizes: Sequence[int], n_layers: int, seed: int, spread: float = 1.0
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    draw, n = np.random.default_rng(seed), sum(sizes)
    biases = draw.normal(0, spread, (n_layers, n)).astype(np.float32)
    return biases, draw.normal(0, spread, (n_layers, n, n)).astype(np.float32)


def swept(
    sizes: Sequence[int],
    weights: tuple[NDArray[np.float32], NDArray[np.float32]],
    codes: NDArray[np.int32],
    *,
    held: Sequence[int] = (),
    key: bytes = bytes(32),
    first_block: int = 0,
    count: bool = True,
    threads: int = 1,
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    return _native.sweep_rows(
        np.cumsum([0, *sizes]), weights[0].ravel(), weights[1].ravel(), codes.ravel(),
        np.array([j in held for j in range(len(sizes))], np.uint8), key, first_block, count,
        _native.Control(threads),
    )  # fmt: skip


def start_at(row: Row, n_rows: int = N_ROWS) -> NDArray[np.int32]:
    return np.repeat(np.array(row, np.int32)[:, None], n_rows, axis=1)


def p_of(rows: NDArray[np.int32], law: dict[Row, float]) -> float:
    """Return the p-value of rows for a law, its rare rows together."""
    counts = Counter(zip(*rows.tolist(), strict=True))
    assert set(counts) <= set(law)
    common = [row for row, p in law.items() if p * rows.shape[1] > 20]
    sizes = [counts[row] for row in common]
    wanted = [law[row] * rows.shape[1] for row in common]
    rest = rows.shape[1] - sum(wanted)
    if rest > 20:
        sizes.append(rows.shape[1] - sum(sizes))
        wanted.append(rest)
    else:  # too rare to be seen often
        assert rows.shape[1] - sum(sizes) < 100
    if len(sizes) < 2:
        return 1.0
    return float(chisquare(sizes, np.array(wanted) * sum(sizes) / sum(wanted)).pvalue)


@st.composite
def cases(draw: st.DrawFn) -> tuple[list[int], int, int, Row, list[int], bytes]:
    sizes = draw(st.lists(st.integers(1, 4), min_size=1, max_size=3))
    start = tuple(draw(st.integers(0, size - 1)) for size in sizes)
    held = draw(st.lists(st.integers(0, len(sizes) - 1), unique=True, max_size=1))
    n_layers, seed = draw(st.integers(0, 2)), draw(st.integers(0, 999))
    return sizes, n_layers, seed, start, held, draw(st.binary(min_size=32, max_size=32))


@settings(max_examples=30, deadline=None)
@given(case=cases(), spread=st.sampled_from([0.3, 1.0, 4.0]))
def test_rows_follow_the_law(
    case: tuple[list[int], int, int, Row, list[int], bytes], spread: float
) -> None:
    sizes, n_layers, seed, start, held, key = case
    weights = layers(sizes, n_layers, seed, spread)
    law = oracle.sweep_law(sizes, *weights, start, held=held)
    assert sum(law.values()) == pytest.approx(1)
    rows, _ = swept(sizes, weights, start_at(start), held=held, key=key, count=False)
    assert p_of(rows, law) > P_LEAST


@pytest.mark.parametrize("sizes", [(2, 3), (9, 2), (17, 3)])  # also beyond one vector of values
def test_the_test_of_the_law_can_tell(sizes: tuple[int, ...]) -> None:
    weights, start = layers(sizes, 1, 5, 0.5), (1, 1)
    rows, _ = swept(sizes, weights, start_at(start, 40_000))
    assert p_of(rows, oracle.sweep_law(sizes, *weights, start)) > P_LEAST
    other = (weights[0].copy(), weights[1])
    other[0][0, 0] += 0.4
    turned = (weights[0], weights[1].transpose(0, 2, 1))
    for wrong in (other, turned):
        assert p_of(rows, oracle.sweep_law(sizes, *wrong, start)) < P_LEAST


def test_sweeps_settle_where_the_weights_say() -> None:
    """With one symmetric layer again and again rows forget where they began."""
    sizes = (2, 3, 2)
    bias, link = layers(sizes, 1, 9, 0.5)
    begins = np.cumsum([0, *sizes])
    link = link + link.transpose(0, 2, 1)
    many = (np.repeat(bias, 30, axis=0), np.repeat(link, 30, axis=0))
    weights = {}
    for row in product(*map(range, sizes)):
        at = [int(begins[j]) + v for j, v in enumerate(row)]
        pairs = sum(float(link[0, at[j], at[k]]) for j in range(3) for k in range(j))
        weights[row] = np.exp(sum(float(bias[0, u]) for u in at) + pairs)
    law = {row: float(weight / sum(weights.values())) for row, weight in weights.items()}
    rows, _ = swept(sizes, many, start_at((0, 0, 0)))
    assert p_of(rows, law) > P_LEAST


def test_extreme_weights_decide() -> None:
    sizes = (3, 3)
    bias = np.array([[0, 80, -80, 0, 0, 0]], np.float32)
    link = np.zeros((1, 6, 6), np.float32)
    link[0, 1, 5] = 1000
    rows, _ = swept(sizes, (bias, link), start_at((0, 0)))
    assert (rows[0] == 1).all()
    assert (rows[1] == 2).all()


@settings(max_examples=30, deadline=None)
@given(case=cases(), n_rows=st.integers(0, 40))
def test_counts_are_those_of_the_rows(
    case: tuple[list[int], int, int, Row, list[int], bytes], n_rows: int
) -> None:
    sizes, n_layers, seed, _, held, key = case
    draw = np.random.default_rng(seed)
    codes = np.stack([draw.integers(0, size, n_rows) for size in sizes]).astype(np.int32)
    rows, counts = swept(sizes, layers(sizes, n_layers, seed), codes, held=held, key=key, threads=2)
    assert rows.shape == codes.shape
    found = [tuple(row) for row in rows.T.tolist()]
    assert counts.tolist() == oracle.pair_counts(sizes, found)
    for column in held:
        assert np.array_equal(rows[column], codes[column])
    for column, size in enumerate(sizes):
        assert ((rows[column] >= 0) & (rows[column] < size)).all()
    if n_layers == 0:
        assert np.array_equal(rows, codes)


SIZES = (3, 2, 4)
BLOCK = _native.SWEEP_BLOCK


def some_codes(n_rows: int) -> NDArray[np.int32]:
    draw = np.random.default_rng(4)
    return np.stack([draw.integers(0, size, n_rows) for size in SIZES]).astype(np.int32)


def test_threads_and_batches_do_not_change_the_rows() -> None:
    n = 5 * BLOCK + 77
    codes, weights = some_codes(n), layers(SIZES, 3, 1)
    kept = codes.copy()
    whole, counts = swept(SIZES, weights, codes)
    again, same = swept(SIZES, weights, codes, threads=3)
    assert np.array_equal(again, whole)
    assert np.array_equal(same, counts)
    cut = 2 * BLOCK
    begin, some = swept(SIZES, weights, codes[:, :cut])
    end, others = swept(SIZES, weights, codes[:, cut:], first_block=2, threads=2)
    assert np.array_equal(np.concatenate([begin, end], axis=1), whole)
    assert np.array_equal(some + others, counts)
    assert not np.array_equal(swept(SIZES, weights, codes, key=b"1" * 32)[0], whole)
    assert not np.array_equal(swept(SIZES, weights, codes, first_block=1)[0], whole)
    assert np.array_equal(codes, kept)  # what is given stays as it is


def test_layers_one_by_one_are_of_the_same_law() -> None:
    """All layers in one call, or a call for each with a key of its own."""
    weights, start = layers((2, 3), 2, 3), (0, 2)
    law = oracle.sweep_law((2, 3), *weights, start)
    first, _ = swept((2, 3), (weights[0][:1], weights[1][:1]), start_at(start))
    second, _ = swept((2, 3), (weights[0][1:], weights[1][1:]), first, key=b"2" * 32)
    assert p_of(second, law) > P_LEAST


def test_counts_only_if_asked_for() -> None:
    codes, weights = some_codes(300), layers(SIZES, 1, 1)
    rows, counts = swept(SIZES, weights, codes, count=False)
    assert counts.size == 0
    assert np.array_equal(rows, swept(SIZES, weights, codes)[0])


FAIR: dict[str, Any] = {
    "value_offsets": np.array([0, 2, 3], np.int64),
    "biases": np.zeros(3, np.float32),
    "links": np.zeros(9, np.float32),
    "codes": np.array([0, 1, 0, 0], np.int32),
    "held": np.zeros(2, np.uint8),
    "key": bytes(32),
    "first_block": 0,
    "count": True,
}


@pytest.mark.parametrize(
    ("name", "value", "what"),
    [
        ("value_offsets", [], "begin with 0"),
        ("value_offsets", [0], "begin with 0"),
        ("value_offsets", [1, 2, 3], "begin with 0"),
        ("value_offsets", [0, 0, 3], "every column must have a value"),
        ("value_offsets", [0, 3, 2], "every column must have a value"),
        ("value_offsets", [0, 2, -1], "every column must have a value"),
        ("biases", [0, 0, 0, 0], "a bias for each"),
        ("biases", [], "a link for each"),
        ("links", [0] * 8, "a link for each"),
        ("codes", [0, 2, 0, 0], "not in its column"),
        ("codes", [0, 1, 0, 1], "not in its column"),
        ("codes", [0, -1, 0, 0], "not in its column"),
        ("codes", [0, 1, 0], "a code for each column and row"),
        ("held", [0], "each column must be held or not"),
        ("key", b"short", "expected 32 bytes"),
        ("first_block", -1, "from 0 to"),
    ],
)
def test_refuses(name: str, value: Any, what: str) -> None:  # noqa: ANN401  any argument
    wrong = np.array(value, FAIR[name].dtype) if isinstance(value, list) else value
    with pytest.raises(ValueError, match=what):
        _native.sweep_rows(**{**FAIR, name: wrong}, control=_native.Control(1))
    _native.sweep_rows(**FAIR, control=_native.Control(1))
