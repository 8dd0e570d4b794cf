from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.report.text import counted, distinct, label, percent, shortened, visible


@given(st.text(alphabet=st.characters()))
def test_nothing_unseen_is_left_and_it_can_be_encoded(text: str) -> None:
    shown = visible(text)
    assert len(shown.encode()) >= len(shown) >= len(text)
    assert not any(unicodedata.category(each) in {"Cc", "Cf", "Cs", "Zl", "Zp"} for each in shown)


@given(st.text(alphabet=st.characters()), st.text(alphabet=st.characters()))
def test_texts_that_differ_in_unseen_characters_only_look_different(a: str, b: str) -> None:
    if "⟨" not in a + b:
        assert (visible(a) == visible(b)) == (a == b)


@pytest.mark.parametrize(
    "unseen", ["\u202e", "\u2066", "\u200b", "\u00ad", "\ufeff", "\ud800", "\x85"]
)
def test_each_unseen_character_is_written_out(unseen: str) -> None:
    assert visible(f"a{unseen}b") == f"a⟨U+{ord(unseen):04X}⟩b"


def test_lines_are_kept_only_where_asked_for() -> None:
    assert visible("a\n\tb\u200b", keep_lines=True) == "a\n\tb⟨U+200B⟩"
    assert visible("a\nb") == "a⟨U+000A⟩b"


def test_plain_text_is_left_alone() -> None:
    for text in ("plain", "ünïcödé 日本語", "emoji 🙂"):
        assert visible(text) == text


def test_long_texts_say_how_long_they_are() -> None:
    assert shortened("x" * 10, 10) == "x" * 10
    assert shortened("x" * 11, 10) == "x" * 10 + "… (11 characters)"


@given(st.lists(st.text(alphabet="ab() 123", max_size=14), max_size=12), st.integers(3, 12))
def test_labels_of_a_chart_are_distinct(labels: list[str], limit: int) -> None:
    found = distinct(labels, limit)
    assert len(found) == len(labels)
    assert len(set(found)) == len(found)


@given(st.floats(0, 1), st.integers(0, 3))
def test_only_nothing_and_all_are_called_so(share: float, digits: int) -> None:
    told = percent(share, digits)
    if 0 < share < 1:
        assert told not in ("0%", "100%", f"{0:.{digits}%}", f"{1:.{digits}%}")


def test_labels() -> None:
    assert label(None) != label("") != label(" ")
    assert label(True) == "True"
    assert counted(0, "row") == "0 rows"
