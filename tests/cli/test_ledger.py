"""``discreet ledger``."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.conftest import Outcome

Run = Callable[..., Outcome]


@pytest.fixture
def people(tmp_path: Path) -> Path:
    path = tmp_path / "people.csv"
    path.write_text("sex,job\n" + "f,nurse\nm,clerk\n" * 2000)
    return path


def protect(discreet: Run, people: Path, output: str) -> Outcome:
    books = people.parent / "books.sqlite"
    return discreet(
        "protect", "dp-mii-suppress", people, "--epsilon", "1", "--delta", "1e-4", "-k", "5",
        "--scheme", "public", "--public", people,
        "--ledger", books, "--source", "survey", "-o", people.parent / output,
    )  # fmt: skip


def test_releases_are_counted_until_the_budget_is_spent(discreet: Run, people: Path) -> None:
    books = people.parent / "books.sqlite"
    code, out, _ = discreet(
        "ledger", books, "--source", "survey", "--epsilon", "1.5", "--delta", "1e-3"
    )
    assert code == 0
    assert "survey: 0 releases" in out
    assert protect(discreet, people, "first").code == 0
    assert protect(discreet, people, "second").code == 2
    assert not (people.parent / "second").exists()
    code, out, _ = discreet("ledger", books, "--json")
    (survey,) = json.loads(out)["sources"]
    assert survey["n_releases"] == 1
    assert survey["epsilon"]["exact"] == "1/1"
    assert survey["remaining"]["epsilon"]["exact"] == "1/2"
    head = json.loads(out)["head"]
    assert json.loads(out)["n_entries"] == 2
    out = discreet("ledger", books).out
    assert "survey: 1 release, " in out
    assert f"Head after 2 entries: {head}" in out
    assert head in discreet("ledger", books, "--source", " SURVEY", "--expect-head", head).out
    wrong = discreet("ledger", books, "--expect-head", "7" * 64)
    assert wrong.code == 2
    assert "were removed, or entries were written anew" in " ".join(wrong.err.split())


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (("--epsilon", "1"), "give --source"),
        (("--source", "s", "--delta", "1e-6"), "give --epsilon"),
        (("--source", "s", "--epsilon", "much"), "--epsilon much must be a number"),
        (("--source", "s"), "books.sqlite"),
        (("--source", "s", "--epsilon", "9" * 400), "--epsilon"),
        (("--expect-head", "abc"), "books.sqlite"),
    ],
)
def test_bad_calls(discreet: Run, tmp_path: Path, options: tuple[str, ...], told: str) -> None:
    code, _, err = discreet("ledger", tmp_path / "books.sqlite", *options)
    assert code == 2
    assert told in err
    assert not (tmp_path / "books.sqlite").exists()
