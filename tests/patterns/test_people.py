"""Patterns of people who have several rows or transactions: groups of people are protected."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

import discreet as dc
from discreet.cli.app import app
from discreet.errors import DiscreetError, ParameterError
from discreet.mine.database import PerPerson
from discreet.patterns import (
    additive,
    additive_release,
    certified_release,
    channels,
    pattern_release,
    support_for_safety,
    suppressive_release,
)
from discreet.policy import make_policy, run_policy
from discreet.report.page import html_report

pytestmark = pytest.mark.filterwarnings("ignore::discreet.errors.DiscreetWarning")

RELEASES = (additive_release, suppressive_release, certified_release)
ROWS = st.lists(
    st.tuples(st.integers(0, 11), st.frozensets(st.sampled_from("abc"))), min_size=12, max_size=40
)


def bought(rows: list[tuple[int, frozenset[str]]]) -> dc.Transactions:
    frame = pl.DataFrame(
        {"who": [who for who, _ in rows], "basket": [sorted(basket) for _, basket in rows]},
        schema={"who": pl.Int64, "basket": pl.List(pl.String)},
    )
    return dc.Transactions.from_frame(frame, items="basket", person="who")


def group_sizes(published: Any) -> list[int]:  # noqa: ANN401
    """Return by inclusion and exclusion how many have of a published itemset exactly a part."""
    supports = {frozenset[str](): published.n_rows} | {frozenset(i): s for i, s in published}
    return [
        sum(
            (-1) ** (len(whole) - len(part)) * supports[frozenset(whole)]
            for n in range(len(part), len(top) + 1)
            for whole in combinations(sorted(top), n)
            if part <= frozenset(whole)
        )
        for top in supports
        for m in range(len(top) + 1)
        for part in map(frozenset, combinations(sorted(top), m))
    ]


@settings(max_examples=40, deadline=None)
@given(ROWS, st.sampled_from(RELEASES), st.sampled_from(["unite", "one"]))
def test_no_small_group_of_people_follows(
    rows: list[tuple[int, frozenset[str]]], method: Callable[..., Any], per_person: str
) -> None:
    try:
        release = method(bought(rows), k=3, min_support=3, per_person=per_person)
    except DiscreetError:
        assume(False)
    assert not [size for size in group_sizes(release.data) if size != 0 and size < 3]
    assert release.guarantee.unit == "one person, who may have several transactions"
    n_people = len({who for who, _ in rows})
    if method is suppressive_release:
        assert release.guarantee.parameters["n_rows"] <= n_people
    elif method is additive_release:
        n = release.guarantee.parameters["n_rows"]
        assert n >= n_people
        assert (n - n_people) % 3 == 0


def test_supports_are_numbers_of_people_not_of_rows() -> None:
    rows = [(who, frozenset(basket)) for who in range(6) for basket in ("a", "b", "ab")]
    release = additive_release(bought(rows), k=2, min_support=2, per_person="unite")
    assert {frozenset(items): n for items, n in release.data} == {
        frozenset("a"): 6, frozenset("b"): 6, frozenset("ab"): 6,
    }  # fmt: skip
    assert release.guarantee.parameters["n_rows"] == 6


def test_what_was_mined_is_said(tmp_path: Path) -> None:
    rows = [(who, frozenset(basket)) for who in range(6) for basket in ("a", "ab")]
    cases: list[tuple[PerPerson, str, str]] = [
        ("unite", "unite_per_person", "united into one"),
        ("one", "choose_one_per_person", "chosen at random"),
    ]
    for per_person, step, words in cases:
        release = additive_release(bought(rows), k=2, min_support=2, per_person=per_person)
        assert [event.name for event in release.events] == [step, "additive_sanitization"]
        assert any(words in text for text in release.guarantee.assumptions)
        assert "no group of fewer than 2 people is disclosed" in release.guarantee.sentence
        assert not any("rows" in text for text in release.guarantee.not_protected)
        assert not release.guarantee.experimental
        found = dc.verify_release(release.save(tmp_path / per_person))
        assert found.answer == "consistent"  # whose the rows were cannot be seen


def test_a_unit_of_people_without_its_step_is_refuted(tmp_path: Path) -> None:
    rows = [(who, frozenset(basket)) for who in range(6) for basket in ("a", "ab")]
    release = additive_release(bought(rows), k=2, min_support=2, per_person="unite")
    bare = replace(release, events=release.events[1:])
    assert dc.verify_release(bare.save(tmp_path / "bare")).answer == "refuted"
    united = replace(
        release, guarantee=replace(release.guarantee, unit="one person, who may have several rows")
    )
    assert dc.verify_release(united.save(tmp_path / "united")).answer == "refuted"


TABLE = dc.Table.from_frame(
    {
        "who": [n // 2 for n in range(40)],
        "sex": ["f", "m"] * 10 + ["f", "f"] * 10,
        "ward": ["a", "a", "b", "b"] * 10,
    },
    person="who",
)


@pytest.mark.parametrize("method", RELEASES)
def test_one_row_of_each_person_of_a_table(method: Callable[..., Any], tmp_path: Path) -> None:
    release = method(TABLE, k=3, min_support=4, per_person="one")
    assert release.guarantee.unit == "one person, who may have several rows"
    assert (
        max(support for _, support in release.data)
        <= 20 + release.guarantee.parameters["n_rows"] - 20
    )
    assert dc.verify_release(release.save(tmp_path / "out")).answer == "consistent"
    seeded = [method(TABLE, k=3, min_support=4, per_person="one", seed=4) for _ in range(2)]
    assert seeded[0].guarantee.experimental
    assert "a seed was used" in seeded[0].guarantee.sentence
    assert dict(seeded[0].data) == dict(seeded[1].data)


@pytest.mark.parametrize(
    "count",
    [
        lambda: additive(TABLE, k=3, min_support=4),
        lambda: additive(TABLE, k=3, min_support=4, quasi=["sex"]),
        lambda: channels(TABLE, k=3, min_support=4),
        lambda: support_for_safety(TABLE, k=3),
        lambda: additive_release(TABLE, k=3, min_support=4),
        lambda: pattern_release(
            additive(dc.mine.one_per_person(TABLE, per_person="one").data, k=3, min_support=4),
            source=TABLE,
        ),
    ],
)
def test_people_are_never_counted_over_rows(count: Callable[[], object]) -> None:
    with pytest.raises(ParameterError, match="people with several rows"):
        count()


def test_a_preview_takes_one_row_of_each() -> None:
    assert support_for_safety(TABLE, k=3, per_person="one").n_rows == 20


def test_frames_of_people() -> None:
    frame = TABLE.to_polars().with_columns(who=pl.Series([n // 2 for n in range(40)]))
    release = additive_release(frame, k=3, min_support=4, person="who", per_person="one")
    assert release.guarantee.unit == "one person, who may have several rows"
    assert not any("who=" in str(item) for items, _ in release.data for item in items)
    each = additive_release(TABLE.to_polars(), k=3, min_support=4, one_row_per_person=True)
    assert each.guarantee.unit == "one person, who has one row"


def test_stated_transactions() -> None:
    baskets = dc.Transactions.from_iterable([["a", "b"], ["a"]] * 6)
    release = additive_release(baskets, k=2, min_support=2, one_row_per_person=True)
    assert release.guarantee.unit == "one person, who has one row"
    assert "Every row of the input is another person." in release.guarantee.assumptions


def test_the_command_line_and_the_policy(tmp_path: Path) -> None:
    file = tmp_path / "visits.csv"
    frame = TABLE.to_polars().with_columns(who=pl.Series([f"p{n // 2}" for n in range(40)]))
    frame.write_csv(file)
    words = ["patterns", "sanitize", str(file), "-k", "3", "--min-support", "4", "--method",
             "additive", "--person", "who", "-o", str(tmp_path / "out")]  # fmt: skip
    asked = CliRunner().invoke(app, words)
    assert isinstance(asked.exception, ParameterError)
    assert asked.exception.parameter == "per_person"
    done = CliRunner().invoke(app, [*words, "--per-person", "one"])
    assert done.exit_code == 0, done.output
    found = dc.Release.load(tmp_path / "out")
    assert found.guarantee.unit == "one person, who may have several rows"
    policy = make_policy({
        "source": {"file": str(file), "person": "who"},
        "method": {"name": "patterns-certified", "k": 3, "min_frequency": "0.2",
                   "per_person": "one"},
    })  # fmt: skip
    result = run_policy(policy, tmp_path / "policy")
    assert result.guarantee.parameters["min_support"] == 4  # a share of the people
    page = (tmp_path / "policy" / "report.html").read_text("utf-8")
    assert "One row of each person was chosen at random" in page
    stated = tmp_path / "baskets.dat"
    stated.write_text("1 2\n1\n" * 6)
    policy = make_policy({
        "source": {"file": str(stated), "one_row_per_person": True},
        "method": {"name": "patterns-additive", "k": 2, "min_support": 2},
    })  # fmt: skip
    assert run_policy(policy, tmp_path / "dat").guarantee.unit == "one person, who has one row"


@pytest.mark.parametrize("per_person", ["one", "unite"])
def test_reports_say_people_where_people_are_counted(per_person: PerPerson) -> None:
    rows = [(who, frozenset(basket)) for who in range(9) for basket in ("a", "ab", "c")]
    data = bought([*rows, (9, frozenset("ab"))])
    release = additive_release(data, k=3, min_support=3, per_person=per_person)
    page = html_report(release, original=data, internal=True)
    assert "What is protected: one person, who may have several transactions" in page
    assert "people, or more, share an itemset" in page
    assert "rows, or more, share an itemset" not in page
    assert "Groups of fewer than 3 people that" in page
    assert ("For these figures one row of each person" in page) == (per_person == "one")


def test_reports_say_rows_where_rows_are_counted() -> None:
    data = dc.Transactions.from_iterable([["a", "b"]] * 8 + [["a"]] + [["b"]] * 3)
    page = html_report(additive_release(data, k=3, min_support=8), original=data, internal=True)
    assert "What is protected: one row" in page
    assert "rows, or more, share an itemset" in page
    assert "people, or more, share an itemset" not in page
    assert "Groups of fewer than 3 rows that" in page
