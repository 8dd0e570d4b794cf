"""Pages of releases by generalization: levels, losses, and what stays inside the house."""

from __future__ import annotations

from pathlib import Path

import pytest

import discreet as dc
from discreet.generalize.problem import state_problem
from discreet.generalize.release import clustered_release
from discreet.generalize.rules import Options
from discreet.release.event import Event
from discreet.release.release import Release
from discreet.report.page import html_report
from discreet.report.sections.events import in_words
from discreet.report.sections.words import in_plain_words
from discreet.report.subject import LEVELS, column_levels
from discreet.utility import loss
from tests.generalize.releases import TREES, chunked, cut, people
from tests.report.pages import parse

TABLE = people(400).select(["age", "job", "sex", "ill"])


@pytest.fixture(scope="module")
def release() -> Release:
    options: Options = {"hierarchies": TREES, "l": 2}
    return clustered_release(
        TABLE,
        problem=state_problem(TABLE, k=8, options=options),
        options=options,
        clusters=cut(TABLE, 8),
        events=(Event(name="mondrian", parameters={"k": 8}),),
        before=0.9,
        least=0.0123,
        ratio=7.5,
    )


@pytest.fixture(scope="module")
def public(release: Release) -> str:
    return html_report(release, original=TABLE)


@pytest.fixture(scope="module")
def internal(release: Release) -> str:
    return html_report(release, original=TABLE, internal=True)


def test_the_sections_are_there(public: str) -> None:
    titles = [each.text for each in parse(public).all("h2")]
    assert titles == [
        "In plain words",
        "Re-identification risk",
        "Equivalence classes",
        "Generalized values",
        "Distribution of values",
        "Utility",
        "All figures",
    ]
    assert "Cells without a value" not in public
    assert "Linkage attack" in public
    assert "A group matches the values it holds" in public
    assert "Groups are compared with groups" in public


def test_levels_and_losses_are_those_of_the_release(release: Release) -> None:
    found = {each.column: each for each in column_levels(release)}
    assert list(found) == ["age", "job", "sex"]
    for each in found.values():
        assert sum(each.shares) == pytest.approx(1)
        assert len(each.shares) == len(LEVELS)
    measured = loss(
        TABLE, release.data, hierarchies=TREES, columns=["age", "job", "sex"],
        rows=release.input_rows,
    )  # fmt: skip
    assert measured.by_column is not None
    assert [each.loss for each in found.values()] == pytest.approx(measured.by_column.tolist())
    ages = release.data.to_frame()["age"]
    shown = ages.str.contains("[", literal=True).mean()
    assert sum(found["age"].shares[1:4]) == pytest.approx(shown)
    assert found["sex"].shares[-1] == (release.data.to_frame()["sex"] == "*").mean()
    assert not found["sex"].has_hierarchy


def test_what_describes_the_input_stays_inside(public: str, internal: str) -> None:
    for words in ("0.0123", "7.5000", "0.9000", "not for publication"):
        assert words in internal
        assert words not in public
    assert "distance to the smallest possible" not in public.lower()


def test_the_first_page_in_plain_words(release: Release, public: str) -> None:
    said = " ".join(parse(public).with_id("words").text.split())
    assert "Rows were grouped by cutting them at one column after another." in said
    assert "only what all rows of its cluster have in common" in said
    assert "each sensitive column has at least 2 different values" in said
    assert "of the generalized cells still show their value" in said
    assert "The hierarchies were made without looking at the rows" in said
    assert "1 in 8" in in_plain_words(release.guarantee)


def test_a_loaded_release_shows_the_same(release: Release, tmp_path: Path) -> None:
    loaded = dc.Release.load(release.save(tmp_path / "out"))
    for one, other in zip(column_levels(loaded), column_levels(release), strict=True):
        assert one.column == other.column
        assert one.shares == pytest.approx(other.shares)
        assert one.loss == (None if one.has_hierarchy else pytest.approx(other.loss))
    again = dc.Release.load(tmp_path / "out", hierarchies=release.hierarchies)
    assert [each.loss for each in column_levels(again)] == [
        pytest.approx(each.loss) for each in column_levels(release)
    ]
    for original in (None, TABLE):
        assert "Generalized values" in html_report(loaded, original=original)


def test_closeness_and_households_in_words() -> None:
    release = chunked(people(), k=5, size=15, t=0.8, households="home")
    assert "by at most 0.8, for each member" in in_plain_words(release.guarantee)
    alone = chunked(people(), k=5, size=15, t=0.8)
    assert "by at most 0.8, from 0" in in_plain_words(alone.guarantee)
    said = [in_words(event) for event in release.events]
    assert any("values of ill are mixed as claimed and it has rows" in each for each in said)


def test_every_colour_is_used_once(public: str) -> None:
    assert "Level of generalization, by column" in public
    for level in LEVELS:
        assert level in public


def test_what_holds_too_many_values_is_not_predicted_and_the_page_says_so() -> None:
    n = 300
    table = dc.Table.from_frame(
        {"born": [f"{place:04d}" for place in range(n)], "sex": list("fm") * (n // 2)},
        roles={"born": "sensitive", "sex": "quasi"},
    )
    release = dc.mondrian(table, k=5)
    page = html_report(release, original=table, internal=True)
    assert "Whether born can be predicted was not tried: it has 300 values" in page
    swapped = table.with_roles(born="quasi", sex="sensitive")
    page = html_report(dc.k_mii(swapped, k=5), original=swapped, internal=True)
    assert "Only the 199 commonest values of born were learnt from, the others as one" in page


def test_a_loaded_release_is_compared_and_attacked_with_its_whole_hierarchies_only(
    release: Release, tmp_path: Path
) -> None:
    folder = release.save(tmp_path / "out")
    page = html_report(Release.load(folder), original=TABLE, internal=True)
    assert "No attack was run here" in page
    assert "made without the hierarchies" in page
    whole = html_report(Release.load(folder, hierarchies=TREES), original=TABLE, internal=True)
    assert "Linkage attack" in whole
    assert "Groups are compared with groups" in whole
