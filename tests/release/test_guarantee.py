"""Guarantees: what they say, what they refuse, and numbers that never claim too much."""

from __future__ import annotations

import json
import pickle
from dataclasses import FrozenInstanceError, replace
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.errors import DataError, GuaranteeError, ParameterError
from discreet.release.exact import Exact, number_from_json, number_to_json, shown
from discreet.release.guarantee import Guarantee
from tests.release.claims import k_anonymity, private

FRACTIONS = st.fractions(min_value=0, max_value=1000)


def test_sentences() -> None:
    assert k_anonymity(2).sentence.endswith("in age and sex, every row is the same as at least "
                                            "1 other.")  # fmt: skip
    assert private().sentence == (
        "(epsilon, delta)-differential privacy with epsilon = 0.1, delta = 0.000001 and "
        "scheme = public for one person, who has one row: between tables that differ in one row "
        "added or removed, no outcome is more than exp(0.1) times as likely, plus 0.000001."
    )
    seeded = private(experimental=True, experimental_reason="drawn with seed 7")
    assert seeded.sentence.endswith("; experimental, not for publication: drawn with seed 7.")
    assert seeded.sentence in repr(seeded)


def test_the_page_escapes_and_shows_what_is_not_protected() -> None:
    page = k_anonymity(not_protected=("<b>this</b>",))._repr_html_()
    assert "&lt;b&gt;this&lt;/b&gt;" in page
    assert "<b>this" not in page


@pytest.mark.parametrize("claim", [k_anonymity(), private()])
def test_json_round_trip_whatever_the_order_of_keys(claim: Guarantee) -> None:
    back = Guarantee.from_dict(json.loads(json.dumps(claim.to_dict(), sort_keys=True)))
    assert back == claim
    assert back.sentence == claim.sentence
    assert pickle.loads(pickle.dumps(claim)) == claim  # noqa: S301  made here


def test_it_cannot_be_changed() -> None:
    parameters = {"k": 5}
    claim = k_anonymity(parameters=parameters)
    parameters["k"] = 50
    assert claim.parameters["k"] == 5
    with pytest.raises(TypeError):
        claim.parameters["k"] = 50  # type: ignore[index]
    with pytest.raises(FrozenInstanceError):
        claim.unit = "all"  # type: ignore[misc]
    with pytest.raises(GuaranteeError):
        replace(claim, not_protected=())


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"not_protected": ()}, "has limits"),
        ({"parameters": {}}, "without k"),
        ({"parameters": {"k": 0}}, "k is a whole number"),
        ({"parameters": {"k": Fraction(5, 2)}}, "k is a whole number"),
        ({"parameters": {"k": "5"}}, "k is a whole number"),
        ({"columns": ()}, "name them"),
        ({"unit": " "}, "its unit"),
        ({"model": ""}, "its model"),
        ({"experimental": True}, "go together"),
        ({"experimental_reason": "seed"}, "go together"),
        ({"model": "k-anonymity and l-diversity"}, "without l"),
        ({"parameters": {"k": 5, "l": Fraction(1, 2)}}, "l is a number"),
        ({"parameters": {"k": 5, "t": 2}}, "t is a share"),
    ],
)
def test_refuses_to_say_too_much_about_classes(changed: dict[str, object], message: str) -> None:
    with pytest.raises(GuaranteeError, match=message):
        k_anonymity(**changed)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"parameters": {"delta": 0}}, "without epsilon"),
        ({"parameters": {"epsilon": 1}}, "without delta"),
        ({"parameters": {"epsilon": 0, "delta": 0}}, "epsilon is more than 0"),
        ({"parameters": {"epsilon": 1, "delta": 1}}, "less than 1"),
        ({"parameters": {"epsilon": 1, "delta": Fraction(-1, 9)}}, "at least 0"),
        ({"neighbours": None}, "neighbours"),
        ({"neighbours": 3}, "in words"),
        ({"model": "epsilon-differential privacy"}, "call it that"),
    ],
)
def test_refuses_to_say_too_much_about_epsilon(changed: dict[str, object], message: str) -> None:
    with pytest.raises(GuaranteeError, match=message):
        private(**changed)


@pytest.mark.parametrize(
    "changed",
    [
        {"parameters": {"k": True}},
        {"parameters": {"k": 5, "share": float("nan")}},
        {"parameters": {"k": 5, "share": [1]}},
        {"parameters": {"k": 5, "epsilon": "1"}},
        {"columns": "age"},
        {"assumptions": ("",)},
        {"experimental": 1},
    ],
)
def test_refuses_what_is_no_claim(changed: dict[str, object]) -> None:
    with pytest.raises(ParameterError):
        k_anonymity(**changed)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"moddel": "k"}, "Did you mean 'model'"),
        ({"parameters": None}, "one is missing"),
        ({"parameters": {"k": 5.0}}, "neither text"),
        ({"parameters": {"k": 5, "r": {"exact": "1/0", "decimal": "0"}}}, "neither text"),
        ({"parameters": {"k": 5, "r": {"exact": "1/2", "decimal": "0.4"}}}, "do not agree"),
        ({"parameters": {"k": 5, "r": {"exact": "2/4", "decimal": "0.5"}}}, "do not agree"),
    ],
)
def test_refuses_changed_json(wrong: dict[str, object], message: str) -> None:
    with pytest.raises(DataError, match=message):
        Guarantee.from_dict({**k_anonymity().to_dict(), **wrong})


@given(FRACTIONS)
def test_decimals_never_claim_more_than_the_fraction(value: Fraction) -> None:
    assert Fraction(shown("epsilon", value)) >= value
    assert Fraction(shown("l", value)) <= value
    assert abs(Fraction(shown("epsilon", value)) - value) <= value / 10**11


@given(st.sampled_from(["epsilon", "l", "beta"]), FRACTIONS | st.integers() | st.text())
def test_numbers_round_trip(name: str, value: Exact) -> None:
    written = json.loads(json.dumps(number_to_json(name, value)))
    assert number_from_json(name, written) == value


def test_floats_and_decimals_are_what_is_written() -> None:
    claim = private(parameters={"epsilon": 0.1, "delta": Decimal("1e-6")})
    assert claim.parameters["epsilon"] == Fraction(1, 10)
    assert claim.parameters["delta"] == Fraction(1, 10**6)
