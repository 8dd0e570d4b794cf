"""Layers trained to pairs: rows have them, however they are drawn."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cache
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
import pytest

from discreet.errors import LimitError, ParameterError
from discreet.noise import noise_from
from discreet.synthesize.marginals import Agreed, Marginal, reconcile, true_counts
from discreet.synthesize.pairs import fit_pairs
from discreet.synthesize.rows import CHUNK, RowModel

if TYPE_CHECKING:
    from numpy.typing import NDArray

SIZES = (3, 2, 4, 2, 3)
DOMAIN = {f"c{j}": tuple(range(size)) for j, size in enumerate(SIZES)}
N_DRAWN = 60_000


@cache
def table() -> tuple[NDArray[np.int64], ...]:
    """A cycle of dependences, which no tree has."""
    draw, n = np.random.default_rng(7), 4000
    codes = [draw.integers(0, 3, n)]
    for size in SIZES[1:]:
        with_last = (codes[-1] * 2 + draw.integers(0, 2, n)) % size
        codes.append(np.where(draw.random(n) < 0.7, with_last, draw.integers(0, size, n)))
    codes[-1] = np.where(draw.random(n) < 0.5, codes[0], codes[-1])
    return tuple(codes)


@cache
def agreed(*, pairs: bool = True) -> Agreed:
    wanted = [*((j,) for j in range(5)), *(combinations(range(5), 2) if pairs else ())]
    exact = [
        Marginal(columns=c, counts=true_counts(table(), c, SIZES).astype(float), variance=1e-3)
        for c in wanted
    ]
    return reconcile(exact, sizes=SIZES)


@cache
def model() -> RowModel:
    return fit_pairs(agreed(), domain=DOMAIN, noise=noise_from(1), first=1)


def drawn(
    n_rows: int, *, given: dict[str, int] | None = None, seed: int | None = 5,
    batch: int = 1 << 16, threads: int | None = None, of: RowModel | None = None,
) -> NDArray[np.int32]:  # fmt: skip
    made = of or model()
    batches = made.batches(n_rows, given=given, seed=seed, batch=batch, threads=threads)
    rows = np.concatenate(list(batches), axis=1)
    assert rows.shape == (5, n_rows)
    return rows[[list(made.domain).index(name) for name in DOMAIN]]


def off(rows: NDArray[np.int32], pair: tuple[int, int]) -> float:
    """Return the total variation of a pair of columns from its agreed shares."""
    shares = true_counts(list(rows.astype(np.int64)), pair, SIZES) / rows.shape[1]
    return float(np.abs(shares - agreed().pairs[pair]).sum()) / 2


def by_chance(pair: tuple[int, int], n_rows: int) -> float:
    """Return a total variation that true rows exceed once in a billion times or less."""
    mean = float(np.sqrt(agreed().pairs[pair] / n_rows).sum()) / 2
    return mean + math.sqrt(math.log(1e9) / (2 * n_rows))  # McDiarmid


def test_layers_bring_the_agreed_pairs() -> None:
    swept = replace(model(), wanted=None)
    rows = drawn(N_DRAWN, of=swept)
    for pair in combinations(range(5), 2):
        assert off(rows, pair) < by_chance(pair, N_DRAWN) + 0.005
    tree = RowModel(tree=model().tree)  # without layers a cycle is not possible
    worst = max(off(drawn(N_DRAWN, of=tree), pair) for pair in combinations(range(5), 2))
    assert worst > by_chance((0, 4), N_DRAWN) + 0.02


@pytest.mark.parametrize("n_rows", [500, 3000, N_DRAWN])
def test_balanced_rows_have_them_more_nearly_than_chance_allows(n_rows: int) -> None:
    """Independent rows miss a cell by the root of its count, balanced ones by a row or two."""
    rows = drawn(n_rows)
    for pair in combinations(range(5), 2):
        n_cells = agreed().pairs[pair].size
        assert off(rows, pair) < 1.5 * n_cells / n_rows


@pytest.mark.parametrize(("most", "expected"), [(0.0, 0.0), (0.1, 0.1), (2.0, 0.25)])
def test_a_pair_not_measured_is_implied_or_as_little_dependent_as_known(
    most: float, expected: float
) -> None:
    """Two fair bits, and one that is either of them: without their pair they seem to depend."""
    near = np.array([[0.375, 0.125], [0.125, 0.375]])
    bits = Agreed(
        n_rows=1e6,
        values=(np.full(2, 0.5),) * 3,
        pairs={(0, 1): near, (1, 2): near},
        errors={(0, 1): 1e-5, (1, 2): 1e-5},
        dependences={(0, 2): most},
    )
    made = fit_pairs(bits, domain=dict.fromkeys("abc", (0, 1)), noise=noise_from(1))
    (rows,) = made.batches(CHUNK, seed=3)
    a, b, c = (rows[list(made.domain).index(name)].astype(np.int64) for name in "abc")
    for pair in ((a, b), (b, c)):
        assert true_counts(pair, (0, 1), (2, 2)) / CHUNK == pytest.approx(near, abs=1e-3)
    depends = np.abs(true_counts((a, c), (0, 1), (2, 2)) / CHUNK - 0.25).sum()
    assert depends == pytest.approx(expected, abs=0.01)


def test_rows_do_not_depend_on_threads_and_batches() -> None:
    n = 2 * CHUNK + 3000
    whole = drawn(n)
    assert np.array_equal(drawn(n, threads=3), whole)
    assert np.array_equal(drawn(n, batch=1, threads=1), whole)
    assert np.array_equal(drawn(n, batch=20_000), whole)
    # Only the last chunk is balanced among as many rows as there are.
    assert np.array_equal(drawn(n - 1000)[:, : 2 * CHUNK], whole[:, : 2 * CHUNK])
    assert not np.array_equal(drawn(n, seed=6), whole)
    assert not np.array_equal(drawn(n, seed=None), drawn(n, seed=None))


def test_a_given_value_is_held_and_the_others_go_with_it() -> None:
    for value in range(2):
        rows = drawn(N_DRAWN, given={"c1": value})
        assert (rows[1] == value).all()
        for j in (0, 2, 3, 4):
            pair = agreed().pairs[min(1, j), max(1, j)]
            true = pair[value] if j > 1 else pair[:, value]
            found = np.bincount(rows[j], minlength=SIZES[j]) / N_DRAWN
            assert np.abs(found - true / true.sum()).sum() / 2 < 0.03


def test_only_the_first_column_can_be_given() -> None:
    with pytest.raises(ParameterError, match="not among the first"):
        drawn(10, given={"c0": 1})


def test_fitting_is_repeatable() -> None:
    again = fit_pairs(agreed(), domain=DOMAIN, noise=noise_from(1), first=1, n_layers=2)
    first, layers = model().layers, again.layers
    assert first is not None
    assert layers is not None
    assert np.array_equal(layers.biases[0], first.biases[0])
    assert layers.biases.shape == (2, 14)
    assert layers.links.shape == (2, 14, 14)
    assert next(iter(model().domain)) == "c1"


def test_columns_without_pairs_are_drawn_alone() -> None:
    told: list[float] = []
    made = fit_pairs(
        agreed(pairs=False), domain=DOMAIN, noise=noise_from(2), n_layers=4, progress=told.append
    )
    assert told == [0.25, 0.5, 0.75, 1]
    rows = drawn(N_DRAWN, of=made)
    for a, b in combinations(range(5), 2):
        shares = true_counts(list(rows.astype(np.int64)), (a, b), SIZES) / N_DRAWN
        alone = np.outer(agreed().values[a], agreed().values[b])
        assert np.abs(shares - alone).sum() / 2 < 0.015


def test_no_rows_and_no_layers() -> None:
    made = fit_pairs(agreed(), domain=DOMAIN, noise=noise_from(2), n_layers=0)
    assert list(made.batches(0)) == []
    assert drawn(7, of=made).shape == (5, 7)
    assert repr(made) == "RowModel(5 columns, 0 layers)"
    assert made.to_dict()["n_layers"] == 0
    assert str(made.preview())


def test_too_many_values() -> None:
    domain = {"a": tuple(range(1000)), "b": tuple(range(1000))}
    one = Marginal(columns=(0,), counts=np.ones(1000), variance=1.0)
    what = "2,000 values in all, over 1,500: 'a' has 1,000, 'b' has 1,000.*columns.*bins"
    with pytest.raises(LimitError, match=what):
        fit_pairs(reconcile([one], sizes=[1000, 1000]), domain=domain, noise=noise_from(1))
