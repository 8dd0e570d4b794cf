"""Retired phrases stay out of what users and contributors read: one word for one thing.

The words that replace them are those of the glossary. The sentences of certificates of version 1
are in ``tests/compat``, which is not searched. Tables of `CHANGELOG.md` may name what was retired.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parents[2]
SEARCHED = ("src", "docs", "examples", "README.md", "CONTRIBUTING.md", "CHANGELOG.md")
SUFFIXES = {".py", ".pyi", ".md", ".j2", ".js", ".html", ".css", ".ipynb", ".svg", ".toml"}

# Between two words of a phrase: the end of a line of text, of a comment or of a string literal.
GAP = r"""\s*["']?\s+(?:(?:#|//|\*)\s*)?(?:[fr]{0,2}["'])?"""

# Phrase and what to write instead. A space stands for GAP; letters must not touch a phrase, while
# an underscore may, so that identifiers are found too.
RETIRED = {
    "stand[-_]?ins?": "synthetic data, synthetic rows",
    "drawn(?: |[_-])rows?": "synthetic rows",
    "nobody's": "synthetic (rows); private, secret (anything else)",
    r"(?:told|tells?|telling)(?!\(\))(?!.{0,40}\bapart\b)": "report, disclose, release, show",
    "(?:given|gives?|giving|gave) away": "disclose",
    "(?:is|are|was|were|be|remains?|remained) left open": "not checkable from the files",
    "leaves? open": "does not protect; is not checkable from the files",
    "(?:stands?|stood) out": "unique records, records at risk",
    "like no other": "unique",
    "class(?:es)? of equal": "equivalence class",
    "least class": "smallest class",
    "hidden(?: |_)(?:cells?|rows?|records?|values?)": "suppressed",
    "(?:cells?|rows?|records?) (?:are|is|were|was|be) hidden": "suppressed",
    "(?:n|max|is|share)_hidden": "suppressed",
    "(?:cells?|rows?|records?|persons?|people) (?:(?:are|is|were|was|be) )?left out": "suppressed",
    "lea(?:ve|ves|ving) (?:out (?:cells|rows|records)|(?:cells|rows|records) out)": "suppress",
    "(?:rows?|records?) (?:are |is |were |was )?lost": "suppressed records",
    "lost(?: |_)(?:rows?|records?)": "suppressed records",
    "of somebody": "an attacker who knows",
    "dangerous (?:combinations?|itemsets?)": "identifying combination",
    "the house": "architecture; leaves the house: is published",
}


class Hit(NamedTuple):
    line: int
    phrase: str
    instead: str


def _compiled(phrase: str) -> re.Pattern[str]:
    pattern = f"(?<![A-Za-z.])(?:{phrase.replace(' ', GAP)})(?![A-Za-z])"
    return re.compile(pattern, re.IGNORECASE)


PATTERNS = [(_compiled(phrase), instead) for phrase, instead in RETIRED.items()]


def hits(text: str) -> list[Hit]:
    return [
        Hit(text.count("\n", 0, found.start()) + 1, " ".join(found[0].split()), instead)
        for pattern, instead in PATTERNS
        for found in pattern.finditer(text)
    ]


def _files() -> list[Path]:
    places = [ROOT / name for name in SEARCHED]
    found = [path for place in places for path in (place.rglob("*") if place.is_dir() else [place])]
    return sorted(path for path in found if path.suffix in SUFFIXES)


def _text(path: Path) -> str:
    text = path.read_text(encoding="utf-8")
    return re.sub(r"(?m)^\|.*$", "", text) if path.name == "CHANGELOG.md" else text


def test_retired_phrases_are_nowhere() -> None:
    found = [
        f"{path.relative_to(ROOT)}:{line}: {phrase!r}: write {instead}"
        for path in _files()
        for line, phrase, instead in hits(_text(path))
    ]
    assert not found, "Retired phrases:\n" + "\n".join(found)


def test_every_room_is_searched() -> None:
    """An empty list of files would find nothing."""
    searched = {path.relative_to(ROOT).as_posix() for path in _files()}
    assert {"README.md", "docs/glossary.md", "src/discreet/limits.py"} <= searched
    assert any(name.endswith(".j2") for name in searched)


@pytest.mark.parametrize(
    ("text", "phrase"),
    [
        ("a stand-in for the table", "stand-in"),
        ("plan_stand_in(", "stand_in"),
        ("Drawn rows of", "Drawn rows"),
        ('    "what may be "\n    "told of it"', "told"),
        ("may_be_told = 1", "told"),
        ("the size tells nothing", "tells"),
        ("what it gives\n    away", "gives away"),
        ('"is given "\n    f"away by"', 'given " f"away'),
        ("1 point is left open", "is left open"),
        ("the records that stand\n# out", "stand # out"),
        ("n_hidden_ : int", "n_hidden"),
        ("the cells are hidden", "cells are hidden"),
        ("12 rows left out", "rows left out"),
        ("3 records were lost", "records were lost"),
        ("The most dangerous combinations", "dangerous combinations"),
        ("nothing leaves the house", "the house"),
    ],
)
def test_a_retired_phrase_is_found(text: str, phrase: str) -> None:
    assert [hit.phrase for hit in hits(f"first line\n{text}")] == [phrase]


@pytest.mark.parametrize(
    "text",
    [
        "two items that nobody can tell apart",
        "told, as records go, apart",
        "file.tell()",
        "a hidden folder",
        "the household",
        "lost in noise",
        "leaves rows that differ",
        "rows drawn from a model",
        "standard output, untold, teller, storytelling",
        "an outstanding record",
    ],
)
def test_plain_english_is_let_through(text: str) -> None:
    assert hits(text) == []


def test_a_hit_names_line_and_replacement() -> None:
    assert hits("one\ntwo\nthe support is given away") == [Hit(3, "given away", "disclose")]
