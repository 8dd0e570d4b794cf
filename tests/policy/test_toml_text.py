"""Text that reads back as what was written, whatever it holds."""

from __future__ import annotations

import tomllib
from decimal import Decimal
from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from discreet.policy.section import (
    decimal_text,
    exact_number,
    toml_comment,
    toml_key,
    toml_string,
    toml_table,
    toml_value,
)

texts = st.text(st.characters(exclude_categories=["Cs"]))
values = st.recursive(
    st.one_of(
        texts,
        st.integers(-(2**60), 2**60),
        st.booleans(),
        st.floats(allow_nan=False, allow_infinity=False),
    ),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(texts, inner, max_size=3)),
    max_leaves=8,
)


@given(texts)
def test_strings_and_keys_read_back(text: str) -> None:
    assert tomllib.loads(f"k = {toml_string(text)}")["k"] == text
    assert tomllib.loads(f"{toml_key(text)} = 1") == {text: 1}
    assert "\n" not in toml_string(text)


@given(values)
def test_values_read_back(value: object) -> None:
    assert tomllib.loads(f"k = {toml_value(value)}")["k"] == value


@given(texts)
def test_a_comment_is_one_line_that_says_nothing_to_the_reader(text: str) -> None:
    assert tomllib.loads(f"a = 1 {toml_comment(text)}\nb = 2") == {"a": 1, "b": 2}


def test_a_table_leaves_out_what_is_none() -> None:
    assert toml_table("x", {"a": 1, "b": None}) == "[x]\na = 1\n"


@given(st.decimals(allow_nan=False, allow_infinity=False, places=12))
def test_decimals_are_exact(number: Decimal) -> None:
    assert exact_number(decimal_text(exact_number(number))) == Fraction(number)
