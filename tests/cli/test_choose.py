"""``discreet choose``: answers by options, by questions, and commands that really run."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from io import StringIO
from pathlib import Path

import pytest
from tests.conftest import Outcome

Run = Callable[..., Outcome]


class Terminal(StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def people(tmp_path: Path) -> Path:
    """A table with names, measured numbers and a sensitive column."""
    path = tmp_path / "our people.csv"
    rows = [
        f"{1000 + 7 * i},{'fm'[i % 2]},{['cook', 'clerk', 'coder'][i % 3]},"
        f"{20 + i % 70}.5,{['flu', 'cold', 'asthma'][i % 7 % 3]}"
        for i in range(600)
    ]
    path.write_text("patient id,sex,job,age,diagnosis\n" + "\n".join(rows) + "\n")
    return path


@pytest.fixture
def baskets(tmp_path: Path) -> Path:
    path = tmp_path / "baskets.dat"
    path.write_text("".join(f"1 {2 + i % 3} {5 + i % 4}\n" for i in range(400)) + "1 2 9\n" * 3)
    return path


def chosen(discreet: Run, file: Path, *answers: str) -> dict[str, dict[str, object]]:
    publish, to, promise = answers
    told = discreet(
        "choose", file, "--publish", publish, "--to", to, "--promise", promise, "--json"
    )
    assert (told.code, told.err) == (0, "")
    found: dict[str, dict[str, object]] = json.loads(told.out)
    return found


@pytest.mark.parametrize(
    "case",
    [
        ("people", "table", "k-anonymity", ["set-cover", "k-mii"]),
        ("people", "table", "small-groups", ["mii-suppress", "k-mii"]),
        ("people", "table", "differential-privacy", ["synthesize", "dp-mii-suppress"]),
        ("people", "synthetic", "differential-privacy", ["synthesize", "synthesize"]),
        ("people", "synthetic", "local", ["synthesize", "synthesize"]),
        ("people", "patterns", "small-groups", ["patterns-additive", "patterns-certified"]),
        ("baskets", "patterns", "k-anonymity", ["patterns-additive", "patterns-certified"]),
        ("baskets", "transactions", "local", ["randomize"]),
        ("baskets", "transactions", "differential-privacy", ["randomize"]),
    ],
)
def test_every_command_runs_and_its_certificate_says_what_was_told(
    discreet: Run,
    request: pytest.FixtureRequest,
    monkeypatch: pytest.MonkeyPatch,
    case: tuple[str, str, str, list[str]],
) -> None:
    kind, publish, promise, methods = case
    file: Path = request.getfixturevalue(kind)
    found = chosen(discreet, file, publish, "partner", promise)
    assert [found[place]["method"] for place in ("first", "second") if found[place]] == methods
    for place in ("first", "second")[: len(methods)]:
        advice = found[place]
        folder = file.parent / place
        folder.mkdir()
        monkeypatch.chdir(folder)
        arguments = advice["arguments"]
        assert isinstance(arguments, list)
        ran = discreet(*arguments, "--no-report")
        assert ran.code == 0, ran.err
        claim = json.loads((folder / "out" / "certificate.json").read_text())["guarantee"]
        told, model = advice["not_protected"], advice["model"]
        assert isinstance(told, list)
        assert isinstance(model, str)
        assert {*told} <= {*claim["not_protected"]}
        assert claim["model"].split(",")[0] in model
        if publish != "transactions":
            assert "patient id" not in claim["columns"]


def test_the_command_can_be_pasted_into_a_shell(discreet: Run, people: Path) -> None:
    told = discreet("choose", people, "--yes")
    assert told.code == 0
    line = next(each for each in told.out.splitlines() if each.startswith("  discreet protect"))
    assert f"'{people}'" in line
    assert "--role 'patient id=identifying'" in line
    assert "It will not protect:" in told.out
    assert "Second: k-mii" in told.out


def test_questions_are_asked_at_a_terminal_only(
    discreet: Run, people: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", Terminal("synthetics\nsynthetic\npartner\n\n"))
    asked = discreet("choose", people, "--json")
    found = json.loads(asked.out)
    assert [found[name] for name in ("publish", "to", "promise")] == [
        "synthetic", "partner", "differential-privacy",
    ]  # fmt: skip
    assert "Please answer with one of table, synthetic" in asked.err
    monkeypatch.setattr(sys, "stdin", StringIO(""))
    code, _, err = discreet("choose", people, "--publish", "table", "--to", "public")
    assert code == 2
    assert "give --promise with one of k-anonymity, small-groups" in err


def test_what_cannot_be_kept_is_refused_in_the_words_of_options(
    discreet: Run, people: Path, baskets: Path
) -> None:
    for file, publish, promise, reason in (
        (people, "patterns", "differential-privacy", "one person can change"),
        (people, "table", "local", "never saw the records"),
        (people, "synthetic", "k-anonymity", "synthetic rows describe no real person"),
        (people, "transactions", "local", "holds a table"),
        (baskets, "table", "k-anonymity", "no columns to generalize"),
        (baskets, "transactions", "k-anonymity", "nearly each is unique"),
    ):
        code, _, err = discreet(
            "choose", file, "--publish", publish, "--to", "public", "--promise", promise
        )
        assert code == 2
        assert reason in err
        assert "publish=" not in err
