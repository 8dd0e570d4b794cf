"""Association rules: the kernel against brute force and known answers."""

from __future__ import annotations

import contextlib
import itertools
from fractions import Fraction
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet import _native
from tests.examples import examples

if TYPE_CHECKING:
    from numpy.typing import NDArray

Itemset: TypeAlias = tuple[int, ...]
Rule: TypeAlias = tuple[Itemset, Itemset, int, int, int]


def arrays(
    collection: dict[Itemset, int],
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int64]]:
    return (
        np.cumsum([0, *map(len, collection)], dtype=np.int64),
        np.array([item for itemset in collection for item in itemset], np.int32),
        np.array(list(collection.values()), np.int64),
    )


def find_rules(
    collection: dict[Itemset, int],
    n_rows: int,
    confidence: Fraction,
    min_support: int = 1,
    threads: int = 1,
) -> list[Rule]:
    control = _native.Control(threads)
    found = _native.rules(
        *arrays(collection),
        n_rows,
        confidence.numerator,
        confidence.denominator,
        min_support,
        control,
    )
    x_offsets, x_items, y_offsets, y_items, both, x_supports, y_supports = found
    assert control.n_found == len(both)
    assert [array.dtype for array in found] == [
        np.int64, np.int32, np.int64, np.int32, np.int64, np.int64, np.int64,
    ]  # fmt: skip
    return [
        (
            tuple(x_items[x_offsets[r] : x_offsets[r + 1]].tolist()),
            tuple(y_items[y_offsets[r] : y_offsets[r + 1]].tolist()),
            int(both[r]),
            int(x_supports[r]),
            int(y_supports[r]),
        )
        for r in range(len(both))
    ]


def brute_force(
    collection: dict[Itemset, int], confidence: Fraction, min_support: int
) -> list[Rule]:
    rules = []
    for union in sorted(collection, key=lambda z: (len(z), z)):
        if collection[union] < min_support:
            continue
        for size in range(1, len(union)):
            for x in itertools.combinations(union, size):
                y = tuple(item for item in union if item not in x)
                if Fraction(collection[union], collection[x]) >= confidence:
                    rules.append((x, y, collection[union], collection[x], collection[y]))
    return rules


def frequent(transactions: list[set[int]], min_support: int) -> dict[Itemset, int]:
    items = sorted(set().union(*transactions))
    counted = {
        itemset: sum(set(itemset) <= transaction for transaction in transactions)
        for size in range(len(items) + 1)
        for itemset in itertools.combinations(items, size)
    }
    return {itemset: support for itemset, support in counted.items() if support >= min_support}


confidences = st.fractions(0, 1, max_denominator=12) | st.floats(0, 1).map(Fraction).filter(
    lambda fraction: fraction.denominator < 2**63
)


@examples(300)
@given(
    transactions=st.lists(st.sets(st.integers(0, 5)), min_size=1, max_size=10),
    collected=st.integers(1, 3),
    min_support=st.integers(1, 4),
    confidence=confidences,
    data=st.data(),
)
def test_equals_brute_force(
    transactions: list[set[int]],
    collected: int,
    min_support: int,
    confidence: Fraction,
    data: st.DataObject,
) -> None:
    collection = frequent(transactions, collected)
    expected = brute_force(collection, confidence, min_support)
    shuffled = dict(data.draw(st.permutations(list(collection.items()))))
    for threads in (1, 2, 3):
        found = find_rules(shuffled, len(transactions), confidence, min_support, threads)
        assert found == expected


def test_paper_004_running_example() -> None:
    """Section 1.1 with confidence = sup(XY) / sup(X); items a..e are 0..4."""
    letters = {"": 12, "a": 9, "b": 8, "c": 9, "d": 10, "e": 11, "ab": 8, "ae": 8}
    letters |= {"cd": 9, "ce": 9, "de": 10, "cde": 9}
    collection = {tuple("abcde".index(c) for c in word): s for word, s in letters.items()}
    rules = find_rules(collection, 12, Fraction(1), 8)
    named = [("".join("abcde"[i] for i in x), "".join("abcde"[i] for i in y)) for x, y, *_ in rules]
    assert named == [
        ("b", "a"),
        ("c", "d"),
        ("c", "e"),
        ("d", "e"),
        ("c", "de"),
        ("cd", "e"),
        ("ce", "d"),
    ]


def test_the_confidence_is_compared_without_rounding() -> None:
    # 2/3 as a float is a little less than 2/3, the next float a little more.
    collection = {(0,): 3 * 10**8, (1,): 3 * 10**8, (0, 1): 2 * 10**8}
    below, beyond = Fraction(2 / 3), Fraction(float(np.nextafter(2 / 3, 1)))
    assert below < Fraction(2, 3) < beyond
    assert len(find_rules(collection, 10**9, below)) == 2
    assert len(find_rules(collection, 10**9, Fraction(2, 3))) == 2
    assert find_rules(collection, 10**9, beyond) == []
    largest = {(0,): 2**31 - 1, (1,): 2**31 - 1, (0, 1): 2**31 - 2}
    assert find_rules(largest, 2**31 - 1, Fraction(2**63 - 2, 2**63 - 1)) == []
    assert len(find_rules(largest, 2**31 - 1, Fraction(2**31 - 2, 2**31 - 1))) == 2


def test_no_rules_from_nothing_single_items_or_the_empty_set() -> None:
    assert find_rules({}, 0, Fraction(0)) == []
    assert find_rules({(): 5, (3,): 4}, 5, Fraction(0)) == []


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_a_missing_subset_is_named_and_the_same_one_for_all_threads(threads: int) -> None:
    many = {itemset: 5 for size in (1, 2, 3) for itemset in itertools.combinations(range(20), size)}
    del many[(4, 7)], many[(11, 12)]
    with pytest.raises(ValueError, match=r"not closed under subsets: \{4, 7\} is missing"):
        find_rules(many, 5, Fraction(1, 2), threads=threads)
    with pytest.raises(ValueError, match=r"not closed under subsets: \{2\} is missing"):
        find_rules({(1,): 4, (1, 2): 3}, 5, Fraction(1, 2), threads=threads)


def test_a_very_long_itemset_alone_is_refused_not_enumerated() -> None:
    with pytest.raises(ValueError, match="not closed under subsets"):
        find_rules({tuple(range(1000)): 1}, 9, Fraction(0))


@pytest.mark.parametrize(
    ("collection", "told"),
    [
        ({(0,): 3, (1,): 1, (0, 1): 2}, r"support of \{1\} is below that of its superset"),
        ({(0,): -1}, "support of itemset 0 is not from 0 to n_rows"),
        ({(0,): 99}, "support of itemset 0 is not from 0 to n_rows"),
        ({(1, 0): 1}, "items of itemset 0 are not strictly ascending"),
        ({(1, 1): 1}, "items of itemset 0 are not strictly ascending"),
        ({(-1,): 1}, "items of itemset 0 are not strictly ascending"),
    ],
)
def test_bad_collections_are_refused(collection: dict[Itemset, int], told: str) -> None:
    with pytest.raises(ValueError, match=told):
        find_rules(collection, 10, Fraction(0))


def test_bad_arguments_are_refused() -> None:
    collection = arrays({(0,): 1})
    for numerator, denominator in [(1, 0), (-1, 2), (3, 2), (1, -1)]:
        with pytest.raises(ValueError, match="fraction from 0 to 1"):
            _native.rules(*collection, 1, numerator, denominator, 1, _native.Control())
    with pytest.raises(ValueError, match="min_support"):
        _native.rules(*collection, 1, 1, 2, 0, _native.Control())
    for n_rows in (-1, 2**31):
        with pytest.raises(ValueError, match="n_rows"):
            _native.rules(*collection, n_rows, 1, 2, 1, _native.Control())
    twice = (np.array([0, 1, 2]), np.array([5, 5], np.int32), np.array([1, 1]))
    with pytest.raises(ValueError, match="itemset 1 is listed before"):
        _native.rules(*twice, 1, 1, 2, 1, _native.Control())


def test_other_types_are_refused() -> None:
    for position in range(3):
        for wrong in (np.zeros(1), np.zeros(1, np.int16), [0], None):
            changed: list[Any] = [*arrays({(0,): 1})]  # Any: what the stub forbids
            changed[position] = wrong
            with pytest.raises(TypeError):
                _native.rules(changed[0], changed[1], changed[2], 1, 1, 2, 1, _native.Control())


@examples(300)
@given(data=st.data())
def test_malformed_arrays_never_crash(data: st.DataObject) -> None:
    dtypes = st.sampled_from([np.int32, np.int64, np.float64, np.uint8])
    number = st.integers(-1, 5) | st.sampled_from([2**31 - 1, -(2**31)])

    def array(preferred: type[np.generic], values: list[int] | None = None) -> Any:  # noqa: ANN401
        kind = data.draw(st.sampled_from([preferred] * 9) | dtypes)
        if values is None or data.draw(st.integers(0, 3)) == 0:
            values = data.draw(st.lists(number, max_size=6))
        return np.array(values, np.int64).astype(kind)

    offsets = [0, *sorted(data.draw(st.lists(st.integers(0, 4), max_size=4)))]
    with contextlib.suppress(TypeError, ValueError):
        _native.rules(
            array(np.int64, offsets),
            array(
                np.int32, data.draw(st.lists(number, min_size=offsets[-1], max_size=offsets[-1]))
            ),
            array(np.int64, [1] * (len(offsets) - 1)),
            data.draw(number),
            data.draw(number),
            data.draw(number),
            data.draw(number),
            _native.Control(),
        )


def cube(n_items: int) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int64]]:
    return arrays(
        {
            itemset: 7
            for size in range(1, n_items + 1)
            for itemset in itertools.combinations(range(n_items), size)
        }
    )


@pytest.mark.parametrize("threads", [1, 3])
def test_limits_are_obeyed(threads: int) -> None:
    n_rules = 3**9 - 2 * 2**9 + 1
    for most in (n_rules, n_rules - 1, 1):
        control = _native.Control(threads, max_itemsets=most)
        if most == n_rules:
            assert len(_native.rules(*cube(9), 7, 1, 2, 1, control)[4]) == n_rules
            continue
        with pytest.raises(_native.LimitReached) as limit:
            _native.rules(*cube(9), 7, 1, 2, 1, control)
        assert limit.value.args == ("itemsets", most)
    with pytest.raises(_native.LimitReached) as limit:
        _native.rules(*cube(9), 7, 1, 2, 1, _native.Control(threads, max_memory=50_000))
    assert limit.value.args == ("memory", 50_000)


def test_an_exception_in_progress_stops_the_search() -> None:
    def stop(fraction: float) -> None:
        assert 0 <= fraction <= 1
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        _native.rules(*cube(14), 7, 1, 2, 1, _native.Control(), stop)
