"""The line of each key of a TOML text."""

from __future__ import annotations

import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.policy.section import Place, key_lines, line_of, toml_key, toml_string

TEXT = '''# a comment with [brackets] and key = 1
title = "a # b" # comment

[source] # header = 1
file = "people.csv"
"odd.key # [x]" = 'single "quoted"'
 spaced  =  1
names = [ # comment ] here
    "first, ]",
    'second }',   # third = 3
    """third
]""",
    "fourth",
]
bins.age = [1, 2,
  3]
bins."in come" = { width = 10, closed = "right", more = { edges = [1,
 2] } }

[ source . other ]
long = """
[not.a.header]
key = 1
"""
after = true
date = 1979-05-27T07:32:00Z
raw = \'\'\'
ends with two quotes\'\'\'\'\'
last = -1e-6

[[list]]
a = 1
[[list]]
a = 2
[list.inner]
b = 3
'''


@pytest.mark.parametrize(
    ("place", "line"),
    [
        (("title",), 2),
        (("source",), 4),
        (("source", "file"), 5),
        (("source", "odd.key # [x]"), 6),
        (("source", "spaced"), 7),
        (("source", "names"), 8),
        (("source", "names", 0), 9),
        (("source", "names", 1), 10),
        (("source", "names", 2), 11),
        (("source", "names", 3), 13),
        (("source", "bins"), 15),
        (("source", "bins", "age"), 15),
        (("source", "bins", "age", 2), 16),
        (("source", "bins", "in come"), 17),
        (("source", "bins", "in come", "closed"), 17),
        (("source", "bins", "in come", "more", "edges", 1), 18),
        (("source", "other"), 20),
        (("source", "other", "long"), 21),
        (("source", "other", "after"), 25),
        (("source", "other", "date"), 26),
        (("source", "other", "raw"), 27),
        (("source", "other", "last"), 29),
        (("list",), 31),
        (("list", 0, "a"), 32),
        (("list", 1), 33),
        (("list", 1, "a"), 34),
        (("list", 1, "inner", "b"), 36),
    ],
)
def test_every_kind_of_key(place: Place, line: int) -> None:
    tomllib.loads(TEXT)
    assert key_lines(TEXT)[place] == line


def test_nothing_inside_text_is_taken_for_a_key() -> None:
    places = set(key_lines(TEXT))
    assert not {place for place in places if "not" in place or "header" in place}
    assert ("source", "other", "key") not in places


def test_the_nearest_line_is_that_of_what_is_around() -> None:
    lines = key_lines("[method]\nname = 'k-mii'\n")
    assert line_of(lines, ("method", "k")) == 1
    assert line_of(lines, ("method", "name")) == 2
    assert line_of(lines, ("source",)) is None


words = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
scalars = st.one_of(
    words.map(toml_string), st.integers().map(str), st.sampled_from(["true", "0.5"])
)
blanks = st.sampled_from(["", "\n", "# [x] = '\n", '\n\n  # y = "\n'])


@st.composite
def documents(draw: st.DrawFn) -> tuple[str, dict[Place, int]]:
    """Return a text and the line of each of its keys, counted while writing it."""
    text, lines = "", dict[Place, int]()

    def note(*place: str | int) -> None:
        lines[place] = text.count("\n") + 1

    for table in draw(st.lists(words, unique=True, max_size=4)):
        text += draw(blanks)
        note(table)
        text += f"[{toml_key(table)}]  # comment\n"
        for key in draw(st.lists(words, unique=True, max_size=4)):
            text += draw(blanks)
            note(table, key)
            text += f"{toml_key(key)} = "
            if draw(st.booleans()):
                text += draw(scalars) + draw(st.sampled_from(["\n", "  # x\n"]))
                continue
            text += "["
            for number, value in enumerate(draw(st.lists(scalars, max_size=4))):
                text += draw(blanks)
                note(table, key, number)
                text += value + draw(st.sampled_from([",", "\n,", " , # ]\n"]))
            text += draw(blanks) + "]\n"
    return text, lines


@given(documents())
def test_lines_of_any_document(document: tuple[str, dict[Place, int]]) -> None:
    text, lines = document
    tomllib.loads(text)
    assert key_lines(text) == lines
