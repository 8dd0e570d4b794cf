"""Releases of randomized transactions: claims, folders, and what is refused."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import discreet as dc
from discreet.errors import DataError, GuaranteeError, ParameterError
from discreet.randomize import (
    CutAndPaste,
    Mixing,
    SelectASize,
    randomize_transactions,
    randomized_of,
    support,
)
from discreet.release.contents import operator_text, read_operator_text
from discreet.release.ledger import Ledger

BASKETS = dc.Transactions.from_iterable([["tea", "milk"], ["milk"], [], ["tea", "jam", "ham"]] * 25)
LOCAL = "local differential privacy"
OPERATOR = CutAndPaste(cutoff=3, rho="1/4")


def test_a_release_comes_back_as_it_was(tmp_path: Path) -> None:
    made = randomize_transactions(BASKETS, operator=OPERATOR, items=["ham", "jam", "milk", "tea"])
    back = dc.Release.load(made.save(tmp_path / "out"))
    assert back == made
    assert back.kind == "transactions"
    assert back.data == made.data
    assert back.sizes is not None
    assert back.sizes.tolist() == BASKETS.sizes.tolist()
    sent, again = randomized_of(made), randomized_of(back)
    assert again.operator == sent.operator == OPERATOR
    assert support(again, ["milk"]) == support(sent, ["milk"])
    assert replace(made, sizes=np.flip(BASKETS.sizes).astype(np.int32)) != made


def test_the_claim() -> None:
    made = randomize_transactions(BASKETS, operator=OPERATOR, items=["ham", "jam", "milk", "tea"])
    claim, event = made.guarantee, made.events[-1]
    worst = max(OPERATOR.local_epsilon(m, 4) for m in (0, 1, 2, 3))
    assert claim.model == "local differential privacy"
    assert claim.parameters["epsilon"] == Fraction(worst)
    assert claim.unit.startswith("one transaction")
    assert claim.neighbours == "any two transactions of the same size"
    assert "The true size of every transaction is published as it is." in claim.not_protected
    by_size = event.parameters["epsilon_by_size"]
    assert isinstance(by_size, tuple)
    for text in by_size:
        m, epsilon = text.split(": ")
        assert 0 <= float(epsilon) - OPERATOR.local_epsilon(int(m), 4) <= 1e-4
    assert len(by_size) == 4
    assert event.parameters["items_are_public"] is True


def test_a_list_that_was_taken_from_the_data_is_named() -> None:
    made = randomize_transactions(BASKETS, operator=OPERATOR)
    assert any("taken from the transactions" in text for text in made.guarantee.not_protected)
    assert made.guarantee.model == "Only if the list of items is public: " + LOCAL
    assert made.guarantee.condition == "only if the list of items is public"
    stated = randomize_transactions(BASKETS, operator=OPERATOR, items=[*BASKETS.labels, "rice"])
    assert not any("taken" in text for text in stated.guarantee.not_protected)
    assert stated.guarantee.model == LOCAL
    assert stated.data.n_items == 5


def test_an_epsilon_on_a_condition_is_not_counted(tmp_path: Path) -> None:
    ledger = Ledger.open(tmp_path / "ledger.db")
    ledger.record(randomize_transactions(BASKETS, operator=OPERATOR), source="baskets")
    spent = ledger.spent("baskets")
    assert spent.epsilon == 0
    assert any("only if the list of items is public" in note for note in spent.notes)


def test_types_of_items_follow_from_the_list_alone(tmp_path: Path) -> None:
    file = tmp_path / "items.txt"
    numbers, words = [["1", "2"]], [[1, 2]]
    for listed, found in (("1\n2\n3", (1, 2, 3)), ("1\n2\nx", ("1", "2", "x"))):
        file.write_text(listed)
        for sets in (numbers, words):
            baskets = dc.Transactions.from_iterable(sets * 9)
            made = randomize_transactions(baskets, operator=OPERATOR, items=file)
            assert made.data.labels == found


def test_a_seed_makes_it_experimental() -> None:
    first, second = (randomize_transactions(BASKETS, operator=OPERATOR, seed=3) for _ in range(2))
    assert first.data == second.data
    assert first.guarantee.experimental
    others = [randomize_transactions(BASKETS, operator=OPERATOR) for _ in range(2)]
    assert others[0].data != others[1].data
    assert not others[0].guarantee.experimental


def test_large_ones_left_out() -> None:
    made = randomize_transactions(BASKETS, operator=OPERATOR, max_size=2)
    assert len(made.data) == 75
    assert made.events[0].counts == {"n_left_out": 25}
    with pytest.raises(ParameterError, match="max_size=0"):
        randomize_transactions(BASKETS, operator=OPERATOR, max_size=0)


def test_operators_without_a_bound_are_refused() -> None:
    always = SelectASize({m: [0] * m + [1] for m in range(4)}, rho=0.1)
    never_none = SelectASize({m: [0] + [Fraction(1, m)] * m for m in range(1, 4)}, rho=0.1)
    small = BASKETS.take(np.flatnonzero(BASKETS.sizes > 0))
    # All items kept for certain: whatever is missing from the result was not there.
    with pytest.raises(GuaranteeError, match="no finite local epsilon"):
        randomize_transactions(BASKETS, operator=always)
    with pytest.raises(GuaranteeError, match="no finite local epsilon"):
        randomize_transactions(small, operator=never_none)
    with pytest.raises(GuaranteeError, match="no finite local epsilon"):
        randomize_transactions(small, operator=Mixing(3, p="1/2"))


def test_items_that_are_not_listed() -> None:
    with pytest.raises(DataError, match="Item 'ham' is not on the list"):
        randomize_transactions(BASKETS, operator=OPERATOR, items=["jam", "milk", "tea"])


def test_a_folder_of_another_kind(tmp_path: Path) -> None:
    table = dc.k_mii(dc.Table.from_frame({"a": ["x"] * 9}), k=2)
    with pytest.raises(DataError, match="not one of randomized transactions"):
        randomized_of(dc.Release.load(table.save(tmp_path / "table")))
    folder = randomize_transactions(BASKETS, operator=OPERATOR).save(tmp_path / "sets")
    (folder / "operator.json").write_text("{}")
    with pytest.raises(GuaranteeError, match=r"operator\.json was changed"):
        dc.Release.load(folder)


def test_the_ledger_adds_up_local_losses(tmp_path: Path) -> None:
    ledger = Ledger.open(tmp_path / "ledger.sqlite")
    made = randomize_transactions(BASKETS, operator=OPERATOR, items=BASKETS.labels)
    for _ in range(2):
        ledger.record(made, source="baskets")
    epsilon = made.guarantee.parameters["epsilon"]
    assert ledger.spent("baskets").epsilon == 2 * Fraction(epsilon)
    ledger.budget("baskets", epsilon=2 * Fraction(epsilon))
    with pytest.raises(GuaranteeError, match="budget"):
        ledger.record(made, source="baskets")


def test_nothing_sent() -> None:
    nobody = dc.Transactions.from_csr([0], [], ["milk", "tea"])
    with pytest.raises(DataError, match="no transaction was sent"):
        randomize_transactions(nobody, operator=OPERATOR)


def test_only_empty_ones(tmp_path: Path) -> None:
    empty = dc.Transactions.from_csr([0, 0, 0], [], ["milk", "tea"])
    made = randomize_transactions(empty, operator=OPERATOR)
    assert 0 < made.guarantee.parameters["epsilon"] < 1e-6  # type: ignore[operator]
    assert dc.verify_release(made.save(tmp_path / "out")).answer != "refuted"


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ("{", "not whole JSON"),
        ("[]", "items, null_items, operator, and nothing else"),
        ({"more": 1}, "and nothing else"),
        ({"items": "tea"}, "items is a list"),
        ({"null_items": 9}, "null_items the number of null ones"),
        ({"null_items": True}, "null_items the number of null ones"),
        ({"operator": "cut-and-paste"}, "operator is a table"),
        ({"items": ["tea", "tea"]}, "tea"),
        ({"items": [["tea"]]}, "operator.json: "),
    ],
)
def test_a_file_that_states_no_operator(changed: str | dict[str, object], words: str) -> None:
    text = operator_text(OPERATOR.to_dict(), labels=("jam", "tea"), n_null=1)
    assert read_operator_text(text.encode()) == (OPERATOR.to_dict(), ("jam", "tea"), 1)
    wrong = changed if isinstance(changed, str) else json.dumps(json.loads(text) | changed)
    with pytest.raises(DataError, match=re.escape(words)):
        read_operator_text(wrong.encode())


def test_an_operator_that_is_not_known() -> None:
    made = randomize_transactions(BASKETS, operator=OPERATOR)
    with pytest.raises(DataError, match=r"operator\.json: "):
        randomized_of(replace(made, operator={"operator": "none"}))


def test_the_class_of_its_own_is_gone() -> None:
    with pytest.raises(AttributeError, match=r"RandomizedRelease is now discreet\.Release"):
        dc.randomize.RandomizedRelease  # noqa: B018  what it raises
