"""The bulk randomizer: the law of what comes out, against the definition and a plain twin."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import combinations, product

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import chi2, chisquare  # type: ignore[import-untyped]

from discreet import _native
from discreet.data.transactions import Transactions
from discreet.noise import SecureNoise, SeededNoise
from discreet.randomize import CutAndPaste, SelectASize
from discreet.randomize.operators import SizeLawOperator
from discreet.randomize.operators import base as bulk_module
from discreet.randomize.operators.base import BulkRandomizer, digits, lists_of
from tests.oracles import select_a_size as twin
from tests.randomize.baskets import baskets

TINY = 1e-9


def outcomes(sets: Transactions) -> NDArray[np.int64]:
    """Return how often each subset of a few items came out."""
    rows = np.repeat(np.arange(len(sets)), sets.sizes)
    codes = np.zeros(len(sets), np.int64)
    np.add.at(codes, rows, 1 << sets.items.astype(np.int64))
    return np.bincount(codes, minlength=2**sets.n_items)


def law_of_outcomes(
    operator: SizeLawOperator, own: tuple[int, ...], n_items: int
) -> NDArray[np.float64]:
    """Return the chance of each subset, by Definition 7."""
    law = operator.law(len(own))
    chances = np.zeros(2**n_items)
    others = [item for item in range(n_items) if item not in own]
    for j, chance in enumerate(law.keep):
        subsets = list(combinations(own, j))
        for kept, coins in product(subsets, product((0, 1), repeat=len(others))):
            heads = sum(coins)
            inserted = law.rho**heads * (1 - law.rho) ** (len(others) - heads)
            code = sum(1 << item for item in kept)
            code += sum(coin << item for coin, item in zip(coins, others, strict=True))
            chances[code] += float(chance / len(subsets) * inserted)
    return chances


def p_value(counts: NDArray[np.int64], chances: NDArray[np.float64]) -> float:
    if counts[chances == 0].any():
        return 0.0
    possible = chances > 0
    return float(chisquare(counts[possible], counts.sum() * chances[possible]).pvalue)


CASES = [
    (["1/7", "2/7", "4/7"], "1/5", (0, 2), 4),
    (["0", "1/3", "0", "2/3"], "353/1000", (1, 2, 3), 5),
    (["1/2", "1/2"], "1/4", (0,), 3),
    (["1"], "3/5", (), 3),
    (["0", "0", "1"], "0.02", (0, 1), 4),
    (["999/1000", "1/1000"], "7/10", (2,), 3),
]


@pytest.mark.parametrize(("keep", "rho", "own", "n_items"), CASES)
def test_every_outcome_has_its_exact_chance(
    keep: list[str], rho: str, own: tuple[int, ...], n_items: int
) -> None:
    n, m = 60_000, len(own)
    sets = Transactions.from_csr(
        np.arange(n + 1) * m, np.tile(own, n).astype(np.int32), range(n_items)
    )
    operator = SelectASize({m: keep}, rho={m: rho})
    counts = outcomes(operator.randomize(sets, seed=5).transactions)
    assert p_value(counts, law_of_outcomes(operator, own, n_items)) > TINY
    for scale in (Fraction(7, 10), Fraction(13, 10)):  # the test has the power to see these
        wrong = SelectASize({m: keep}, rho={m: Fraction(rho) * scale})
        assert p_value(counts, law_of_outcomes(wrong, own, n_items)) < TINY


def test_the_chances_of_sizes_are_seen_by_the_same_test() -> None:
    n, own = 60_000, (0, 3)
    sets = Transactions.from_csr(np.arange(n + 1) * 2, np.tile(own, n).astype(np.int32), range(4))
    right = SelectASize({2: ["1/7", "2/7", "4/7"]}, rho={2: "1/5"})
    wrong = SelectASize({2: ["1/7", "13/35", "17/35"]}, rho={2: "1/5"})  # one chance x 1.3
    counts = outcomes(right.randomize(sets).transactions)
    assert p_value(counts, law_of_outcomes(right, own, 4)) > TINY
    assert p_value(counts, law_of_outcomes(wrong, own, 4)) < TINY
    drawn = outcomes(twin.select_a_size(right, sets, SeededNoise(1)))
    assert p_value(drawn, law_of_outcomes(right, own, 4)) > TINY


@pytest.mark.parametrize("rho", ["1/8", "353/1000", "0.9", "1/50"])
def test_coins_of_many_items_have_the_right_mean_and_are_independent(rho: str) -> None:
    n, n_items = 3000, 1100  # more than one tile of 1024, and a word partly used
    sets = Transactions.from_csr(np.zeros(n + 1, int), [], range(n_items))
    made = CutAndPaste(3, rho=rho).randomize(sets, seed=2).transactions
    chance = float(Fraction(rho))
    for counts, size in ((made.supports, n), (made.sizes, n_items)):
        # A sum of coins that were not independent would vary more, or less, than a binomial.
        square = float(((counts - size * chance) ** 2).sum() / (size * chance * (1 - chance)))
        assert TINY < chi2.cdf(square, len(counts)) < 1 - TINY
        assert chi2.cdf(square * 1.4, len(counts)) > 1 - TINY
    assert (np.diff(made.items)[np.diff(np.repeat(np.arange(n), made.sizes)) == 0] > 0).all()


@pytest.mark.parametrize("rho", ["262143/1048576", "1/3", "99999/131072"])
def test_places_after_the_first_eight_count(rho: str) -> None:
    n, n_items = 5000, 1000
    sets = Transactions.from_csr(np.zeros(n + 1, int), [], range(n_items))
    n_heads = CutAndPaste(3, rho=rho).randomize(sets, seed=6).transactions.items.size
    exact, cut = Fraction(rho), Fraction(int(Fraction(rho) * 256), 256)
    sigma = math.sqrt(n * n_items * exact * (1 - exact))
    assert abs(n_heads - n * n_items * exact) < 6.2 * sigma  # a chance of less than 1e-9
    if exact - cut > Fraction(1, 300):  # the test would see a bias cut off after eight places
        assert abs(n_heads - n * n_items * cut) > 6.2 * sigma


def test_neither_threads_nor_chunks_change_what_is_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    sets = baskets(1000, 90, 4)
    operator = CutAndPaste(3, rho="0.2")
    randomizer = BulkRandomizer.of(operator, sizes=range(5), n_items=90, key=SeededNoise(3).key())
    whole = randomizer.draw(sets.offsets, sets.items, threads=1)
    for threads in (2, 5):
        again = randomizer.draw(sets.offsets, sets.items, threads=threads)
        assert np.array_equal(whole, again)
    monkeypatch.setattr(bulk_module, "CHUNK_BYTES", 4000)
    assert bulk_module.chunk_size(90) == bulk_module.BLOCK
    parts = randomizer.randomize(sets)
    offsets, items = lists_of(whole, 90)
    assert np.array_equal(parts.offsets, offsets)
    assert np.array_equal(parts.items, items)
    assert operator.randomize(sets, seed=3).transactions == parts
    assert operator.randomize(sets, seed=4).transactions != parts
    assert operator.randomize(sets).transactions != operator.randomize(sets).transactions


def test_degenerate_sets() -> None:
    operator = CutAndPaste(3, rho="1/4")
    assert len(operator.randomize(Transactions.from_iterable([])).transactions) == 0
    empty = operator.randomize(Transactions.from_csr([0, 0, 0], [], [])).transactions
    assert empty.sizes.tolist() == [0, 0]
    everything = Transactions.from_csr([0, 2], [0, 1], ["a", "b"])
    always = SelectASize({2: ["0", "0", "1"]}, rho={2: "1/2"})
    assert always.randomize(everything).transactions == everything


def test_probabilities_keep_256_places() -> None:
    words = digits([Fraction(1, 2), Fraction(1), Fraction(0), Fraction(1, 2**256)]).reshape(4, 4)
    assert words[0].tolist() == [2**63, 0, 0, 0]
    assert words[1].tolist() == [2**64 - 1] * 4
    assert words[2].tolist() == [0] * 4
    assert words[3].tolist() == [0, 0, 0, 1]


def arguments(**changed: object) -> tuple[object, ...]:
    given_ = {
        "offsets": np.array([0, 2]), "items": np.array([0, 1], np.int32), "n_items": 3,
        "sizes": (2,), "biases": digits([Fraction(1, 2)]), "at_most": digits([Fraction(0)] * 2),
        "key": bytes(32), "first_block": 0, "control": _native.Control(),
    }  # fmt: skip
    return tuple((given_ | changed).values())


@pytest.mark.parametrize(
    ("changed", "what"),
    [
        ({"offsets": np.array([0, 1])}, "offsets must start at 0"),
        ({"offsets": np.array([0, 3, 2])}, "never fall"),
        ({"items": np.array([1, 0], np.int32)}, "ascend"),
        ({"items": np.array([0, 3], np.int32)}, "ascend"),
        ({"n_items": -1}, "n_items"),
        ({"sizes": (1,), "at_most": digits([Fraction(0)])}, "no law for transactions of 2"),
        ({"sizes": (3,)}, "m thresholds"),
        ({"sizes": (2, 2)}, "one bias"),
        ({"biases": np.zeros(3, np.uint64)}, "four words"),
        ({"key": bytes(31)}, "32 bytes"),
    ],
)
def test_bad_arguments_are_refused(changed: dict[str, object], what: str) -> None:
    assert len(_native.select_a_size(*arguments())) == 1  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=what):
        _native.select_a_size(*arguments(**changed))  # type: ignore[arg-type]


def test_bitmaps_that_do_not_fit_are_refused() -> None:
    control = _native.Control()
    with pytest.raises(ValueError, match="from n_items on"):
        _native.lists_of_bitmaps(np.array([1, 8], np.uint64), 2, 3, control)
    with pytest.raises(ValueError, match="same number of words"):
        _native.lists_of_bitmaps(np.zeros(3, np.uint64), 2, 65, control)
    offsets, items = _native.lists_of_bitmaps(np.array([7, 2**63], np.uint64), 1, 128, control)
    assert offsets.tolist() == [0, 4]
    assert items.tolist() == [0, 1, 2, 127]


def test_the_randomizer_can_be_interrupted() -> None:
    n, n_items = 20_000, 20_000
    randomizer = BulkRandomizer.of(
        CutAndPaste(3, rho="1/1000"), sizes=[0], n_items=n_items, key=SecureNoise().key()
    )

    def stop(fraction: float) -> None:
        assert 0 <= fraction <= 1
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        randomizer.draw(np.zeros(n + 1, np.int64), np.empty(0, np.int32), progress=stop)
