"""Operators: what they accept, what they write, and that they leave their input alone."""

from __future__ import annotations

import json
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.data.transactions import Transactions
from discreet.errors import DataError, ParameterError
from discreet.randomize import (
    CutAndPaste,
    Mixing,
    Operator,
    Randomized,
    SelectASize,
    SizeLaw,
    Uniform,
    operator_from_dict,
)
from tests.examples import examples

KINDS: list[Operator] = [
    CutAndPaste(3, rho=0.25),
    CutAndPaste({0: 1, 1: 2, 2: 3, 3: 3}, rho={0: 0.1, 1: "1/3", 2: 0.3, 3: 0.4}),
    SelectASize({0: [1], 1: [0.5, 0.5], 2: ["1/3"] * 3, 3: [0, 0, 0, 1]}, rho=0.2),
    Uniform(0.8),
    Mixing(3, p=0.5),
]


def baskets() -> Transactions:
    return Transactions.from_csr(
        [0, 2, 3, 3, 6], [0, 1, 1, 3, 4, 5], ["a", "b", "c", "d", "e", "f", "g"]
    )


@pytest.mark.parametrize("operator", KINDS, ids=lambda operator: operator.kind)
def test_randomized_sets_have_the_labels_and_the_true_sizes(operator: Operator) -> None:
    given_ = baskets()
    sent = operator.randomize(given_, seed=3)
    assert sent.transactions.labels == given_.labels
    assert sent.sizes.tolist() == [2, 1, 0, 3]
    assert len(sent) == 4
    assert sent.experimental
    assert given_ == baskets()
    assert operator.randomize(given_, seed=3).transactions == sent.transactions
    assert not operator.randomize(given_).experimental


@pytest.mark.parametrize("operator", KINDS, ids=lambda operator: operator.kind)
def test_no_transactions_and_only_empty_ones(operator: Operator) -> None:
    none = Transactions.from_csr([0], [], ["a", "b"])
    assert len(operator.randomize(none)) == 0
    empty = Transactions.from_csr([0, 0, 0], [], [])
    assert operator.randomize(empty).transactions == empty


@pytest.mark.parametrize("operator", KINDS, ids=lambda operator: operator.kind)
def test_a_policy_is_read_back_exactly(operator: Operator) -> None:
    text = json.dumps(operator.to_dict())
    again = operator_from_dict(json.loads(text))
    assert again == operator
    assert type(again) is type(operator)
    assert type(operator).from_dict(json.loads(text)) == operator


def test_only_mixing_needs_all_transactions() -> None:
    assert [operator.is_per_transaction for operator in KINDS] == [True] * 4 + [False]


def test_uniform_keeps_the_size() -> None:
    given_ = baskets()
    for seed in range(20):
        assert np.array_equal(Uniform(0.8).randomize(given_, seed=seed).transactions.sizes,
                              given_.sizes)  # fmt: skip


@examples(30)
@given(st.integers(0, 2**32))
def test_mixing_shows_only_what_was_there(seed: int) -> None:
    sent = Mixing(2, p=0.5).randomize(baskets(), seed=seed)
    assert "g" not in set().union(*sent.transactions)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (0.1, "1/10"),
        ("1/5", "1/5"),
        ("0.353", "353/1000"),
        (1, "1"),
        ("1e-3", "1/1000"),
        (0.0, "0"),
    ],
)
def test_probabilities_are_what_is_written(value: float | str, expected: str) -> None:
    rest = 1 - Fraction(expected)
    assert SizeLaw((value, rest), Fraction(1, 2)).keep[0] == Fraction(expected)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "value",
    [-0.1, 1.5, "x", "1/0", float("nan"), float("inf"), None, True, [0.5], "1e-99999", "0x1", ""],
)
def test_bad_probabilities(value: object) -> None:
    with pytest.raises(ParameterError, match=r"keep\[0\]="):
        SizeLaw((value, 1), Fraction(1, 2))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: CutAndPaste(0, rho=0.5), "cutoff=0"),
        (lambda: CutAndPaste(2.5, rho=0.5), "cutoff=2.5"),  # type: ignore[arg-type]
        (lambda: CutAndPaste(2, rho=0), "above 0 and below 1"),
        (lambda: CutAndPaste(2, rho=1), "above 0 and below 1"),
        (lambda: CutAndPaste({1: 2}, rho={2: 0.5}), "same sizes"),
        (lambda: CutAndPaste({}, rho=0.5), "at least one size"),
        (lambda: CutAndPaste({-1: 2}, rho=0.5), "size -1"),
        (lambda: SelectASize({2: [0.5, 0.5]}, rho=0.1), "3 chances"),
        (lambda: SelectASize({1: [0.5, 0.4]}, rho=0.1), "sum to 1"),
        (lambda: SelectASize({1: [0.5, 0.5]}, rho={2: 0.1}), "same sizes"),
        (lambda: SelectASize({}, rho=0.1), "at least one size"),
        (lambda: Uniform(1), "above 0 and below 1"),
        (lambda: Mixing(1, p=0.5), "cutoff=1"),
        (lambda: CutAndPaste({1: 2}, rho=0.5).law(3), "only for sizes"),
        (lambda: SelectASize({1: [0.5, 0.5]}, rho=0.1).law(3), "only for sizes"),
        (lambda: CutAndPaste(2, rho=0.5).law(-1), "m=-1"),
        (lambda: operator_from_dict({"operator": "cut-and-past"}), "Did you mean"),
        (lambda: operator_from_dict({"operator": "uniform", "p": 0.5, "q": 1}), "fields"),
        (lambda: operator_from_dict([]), "table of fields"),  # type: ignore[arg-type]
        (lambda: Uniform.from_dict({"operator": "mixing"}), "not 'uniform'"),
    ],
)
def test_refusals(make: object, message: str) -> None:
    assert callable(make)
    with pytest.raises(ParameterError, match=message):
        make()


def test_sizes_the_operator_has_no_law_for() -> None:
    with pytest.raises(ParameterError, match="only for sizes"):
        CutAndPaste({1: 2}, rho=0.5).randomize(baskets())
    with pytest.raises(ParameterError, match="half the number"):
        Uniform(0.5).randomize(Transactions.from_iterable([["a", "b", "c"]]))
    with pytest.raises(ParameterError, match="only one"):
        Mixing(2, p=0.5).randomize(Transactions.from_iterable([["a", "b", "c"]]))


def test_randomized_checks_its_sizes() -> None:
    for sizes in ([1, 1], [1, 1, 1, 8], [1, 1, 1, -1]):
        with pytest.raises(DataError, match="izes"):
            Randomized(
                transactions=baskets(),
                sizes=np.array(sizes, np.int32),
                operator=Uniform(0.5),
                experimental=True,
            )
    sent = Uniform(0.5).randomize(baskets())
    with pytest.raises(ValueError, match="read-only"):
        sent.sizes[0] = 3
    assert sent.n_of_size() == {0: 1, 1: 1, 2: 1, 3: 1}
