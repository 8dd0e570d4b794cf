"""One meaning of whole numbers, exact numbers and choices, whatever they come as."""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet import checks
from discreet.errors import ParameterError

NO_NUMBERS = [
    True,
    False,
    np.True_,
    None,
    math.nan,
    math.inf,
    -math.inf,
    np.float64("nan"),
    Decimal("NaN"),
    Decimal("Infinity"),
    "",
    "five",
    "nan",
    "inf",
    "1/0",
    "1_000",
    "٥",  # noqa: RUF001  a digit that only looks like one
    b"5",
    5j,
    [5],
    np.array([5]),
    np.array(5),
    "1e-999999999",
    Decimal("1e-999999999"),
    "9" * 5000,
]
WHOLE_TYPES = [int, np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint64]


@pytest.mark.parametrize("kind", WHOLE_TYPES)
def test_integers_of_every_kind_are_whole_and_become_int(kind: type) -> None:
    found = checks.whole("k", kind(5))
    assert found == 5
    assert type(found) is int


@pytest.mark.parametrize("value", [*NO_NUMBERS, 5.5, "5.5", Fraction(1, 2)])
def test_what_is_no_whole_number_is_refused_by_the_name_of_its_parameter(value: object) -> None:
    with pytest.raises(ParameterError, match="must be a whole number, at least 2") as caught:
        checks.whole("k", value, at_least=2)
    assert caught.value.parameter == "k"
    assert caught.value.remedy is None


@pytest.mark.parametrize("value", [5.0, "5", " 5 ", np.float32(5), Decimal(5), "5.0"])
def test_a_whole_number_of_another_kind_is_refused_with_what_to_write(value: object) -> None:
    with pytest.raises(ParameterError) as caught:
        checks.whole("k", value, at_least=2)
    assert str(caught.value).endswith(" must be a whole number, at least 2. Write k=5.")
    assert caught.value.remedy is not None


def test_a_whole_number_of_another_kind_and_out_of_range_gets_no_such_advice() -> None:
    with pytest.raises(ParameterError) as caught:
        checks.whole("k", 1.0, at_least=2)
    assert caught.value.remedy is None


@given(st.integers(), st.integers(), st.integers())
def test_a_whole_number_is_taken_if_and_only_if_it_is_in_its_range(
    value: int, low: int, high: int
) -> None:
    if low <= value <= high:
        assert checks.whole("k", value, at_least=low, at_most=high) == value
    else:
        with pytest.raises(ParameterError) as caught:
            checks.whole("k", value, at_least=low, at_most=high)
        assert str(caught.value) == f"k={value} must be from {low} to {high}."


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_float_means_the_decimal_it_is_written_as(value: float) -> None:
    assert checks.exact("x", value) == Fraction(repr(value))
    assert float(checks.exact("x", value)) == value


@given(st.fractions())
def test_a_fraction_is_itself_and_so_is_its_text(value: Fraction) -> None:
    assert checks.exact("x", value) == value
    assert checks.exact("x", str(value)) == value


@given(st.decimals(allow_nan=False, allow_infinity=False, places=6))
def test_a_decimal_is_itself_and_so_is_its_text(value: Decimal) -> None:
    assert checks.exact("x", value) == Fraction(value)
    assert checks.exact("x", str(value)) == Fraction(value)


@pytest.mark.parametrize(
    "value",
    [
        0.1,
        "0.1",
        "1/10",
        ".1",
        "+0.1",
        " 1e-1 ",
        Decimal("0.1"),
        Fraction(1, 10),
        np.float64(0.1),
        np.float32(0.1),
        np.float16(0.1),
        np.longdouble("0.1"),
    ],
)
def test_one_tenth_is_one_tenth_however_it_is_written(value: object) -> None:
    found = checks.exact("epsilon", value)
    assert found == Fraction(1, 10)
    assert type(found) is Fraction


@pytest.mark.parametrize("kind", WHOLE_TYPES)
def test_whole_numbers_are_exact(kind: type) -> None:
    assert checks.exact("epsilon", kind(5)) == 5


@pytest.mark.parametrize("value", NO_NUMBERS)
def test_what_is_no_finite_number_is_refused(value: object) -> None:
    with pytest.raises(ParameterError, match="must be a number, above 0") as caught:
        checks.exact("epsilon", value, above=0)
    assert caught.value.parameter == "epsilon"


@pytest.mark.parametrize("value", NO_NUMBERS)
def test_a_share_is_a_number(value: object) -> None:
    with pytest.raises(ParameterError, match="must be a number, from 0 to 1") as caught:
        checks.share("rate", value)
    assert caught.value.parameter == "rate"


@given(st.fractions(min_value=-2, max_value=2))
def test_each_bound_holds_at_its_own_value_or_not(value: Fraction) -> None:
    bounds: dict[str, tuple[Callable[[], Fraction], bool]] = {
        "above": (lambda: checks.exact("x", value, above=0), value > 0),
        "at least": (lambda: checks.exact("x", value, at_least=0), value >= 0),
        "at most": (lambda: checks.exact("x", value, at_most=0), value <= 0),
        "below": (lambda: checks.exact("x", value, below=0), value < 0),
    }
    for words, (check, holds) in bounds.items():
        if holds:
            assert check() == value
        else:
            with pytest.raises(ParameterError, match=f"must be {words} 0"):
                check()


def test_a_range_is_said_in_words() -> None:
    with pytest.raises(ParameterError, match=r"^epsilon=2000 must be above 0 and at most 1000\.$"):
        checks.exact("epsilon", 2000, above=0, at_most=1000)
    with pytest.raises(ParameterError, match=r"^delta=1 must be above 0 and below 1\.$"):
        checks.exact("delta", 1, above=0, below=1)


def test_a_choice_is_exact_text() -> None:
    assert checks.one_of("linkage", "single", ("single", "average")) == "single"
    assert checks.one_of("linkage", np.str_("single"), ["single"]) == "single"


@pytest.mark.parametrize("value", ["Single", " single", "", None, 1, True, ["single"], b"single"])
def test_what_is_not_among_the_choices_is_refused(value: object) -> None:
    with pytest.raises(ParameterError, match=r"^There is no linkage=.*'single'") as caught:
        checks.one_of("linkage", value, ("single", "average"))
    assert caught.value.parameter == "linkage"


def test_a_value_too_long_to_show_is_cut() -> None:
    with pytest.raises(ParameterError) as caught:
        checks.whole("k", list(range(10_000)))
    assert len(str(caught.value)) < 150


def test_a_number_too_long_to_write_is_named_by_its_kind() -> None:
    with pytest.raises(ParameterError, match="k=<int> must be at most 5"):
        checks.whole("k", 10**5000, at_most=5)


@pytest.mark.parametrize("value", [0, 1, -1, "0", "1.0"])
def test_an_inner_share_is_neither_0_nor_1(value: object) -> None:
    with pytest.raises(ParameterError, match="must be above 0 and below 1"):
        checks.inner_share("rho", value)


def test_an_element_is_refused_by_the_name_of_its_parameter() -> None:
    with pytest.raises(ParameterError, match=r"^keep\[3\]=2 must be from 0 to 1\.$") as caught:
        checks.share("keep[3]", 2)
    assert caught.value.parameter == "keep"


def test_a_generator_is_itself_and_a_seed_makes_the_same_one() -> None:
    own = np.random.default_rng(7)
    assert checks.generator("rng", own) is own
    assert checks.generator("rng", np.int64(7)).random() == np.random.default_rng(7).random()
    assert checks.generator("rng", None).random() != checks.generator("rng", None).random()


@pytest.mark.parametrize("value", [*(v for v in NO_NUMBERS if v is not None), 5.0, "5", -1])
def test_what_is_no_seed_is_refused(value: object) -> None:
    with pytest.raises(ParameterError) as caught:
        checks.generator("rng", value)
    assert caught.value.parameter == "rng"


def test_advice_of_the_caller_follows_what_is_wrong() -> None:
    with pytest.raises(ParameterError, match=r"^k=1 must be at least 2\. Take more\.$"):
        checks.whole("k", 1, at_least=2, remedy="Take more.")
    with pytest.raises(ParameterError, match=r"^k=1\.5 must be .*, at least 2\. Take more\.$"):
        checks.whole("k", 1.5, at_least=2, remedy="Take more.")
    with pytest.raises(ParameterError, match=r"^k=5\.0 must be .*, at least 2\. Write k=5\.$"):
        checks.whole("k", 5.0, at_least=2, remedy="Take more.")
    with pytest.raises(ParameterError, match=r"^t=2 must be at most 1\. Take less\.$"):
        checks.exact("t", 2, at_most=1, remedy="Take less.")
