"""That people read the page with their ears, at night, on paper, and with weak eyes."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest

from discreet.report.charts import CHART, PAGE, TEXT_ON
from tests.report.pages import Element, parse


@pytest.fixture(params=["public_page", "internal_page"])
def tree(request: pytest.FixtureRequest) -> Element:
    page: str = request.getfixturevalue(request.param)
    return parse(page)


def luminance(colour: str) -> float:
    """Return the relative luminance of WCAG 2.2."""
    channels = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def test_contrast_of_known_colours() -> None:
    assert contrast("#ffffff", "#000000") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)


@pytest.mark.parametrize("mode", [0, 1], ids=["light", "dark"])
@pytest.mark.parametrize(("text", "ground"), TEXT_ON)
def test_text_can_be_read(text: str, ground: str, mode: int) -> None:
    assert contrast(PAGE[text][mode], PAGE[ground][mode]) >= 4.5


@pytest.mark.parametrize("mode", [0, 1], ids=["light", "dark"])
def test_charts_can_be_read(mode: int) -> None:
    card = PAGE["card"][mode]
    assert contrast(CHART["text"][mode], card) >= 4.5
    for name in ("before", "after", "suppressed", "step3", "step4"):
        assert contrast(CHART[name][mode], card) >= 3, name


def test_the_steps_of_the_map_go_one_way() -> None:
    for mode in (0, 1):
        steps = [luminance(CHART[f"step{place}"][mode]) for place in range(5)]
        assert steps in (sorted(steps), sorted(steps, reverse=True))


def test_no_two_colours_of_a_chart_are_the_same() -> None:
    drawn = [light for light, _ in CHART.values()]
    assert len(set(drawn)) == len(drawn)


def test_every_colour_in_a_chart_has_one_for_the_dark(tree: Element) -> None:
    known = {light for light, _ in CHART.values()}
    for svg in tree.all("svg"):
        for each in svg.all():
            for name in ("fill", "stroke"):
                colour = each.attributes.get(name)
                assert colour in (None, "none", "transparent") or colour in known


def test_the_page_says_its_language_and_has_landmarks(tree: Element) -> None:
    assert tree.all("html")[0].attributes["lang"] == "en"
    for landmark in ("header", "nav", "main", "footer"):
        assert len(tree.all(landmark)) == 1
    assert tree.all("title")[0].text


def test_headings_do_not_jump(tree: Element) -> None:
    levels = [int(each.tag[1]) for each in tree.all("h1", "h2", "h3", "h4", "h5", "h6")]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))


def test_every_table_has_a_caption_and_every_heading_a_scope(tree: Element) -> None:
    tables = tree.all("table")
    assert tables
    for table in tables:
        assert table.all("caption")[0].text.strip()
        assert {each.attributes.get("scope") for each in table.all("th")} == {"col", "row"}
        width = len(table.all("thead")[0].all("th"))
        assert all(len(row.all("th", "td")) == width for row in table.all("tr"))


def test_every_chart_has_a_name_and_the_same_numbers_as_a_table(tree: Element) -> None:
    figures = tree.all("figure")
    assert len(figures) == len(tree.all("svg"))
    for figure in figures:
        (svg,) = figure.all("svg")
        assert svg.attributes["role"] == "img"
        assert svg.attributes["aria-label"]
        assert svg.all("title")[0].text
        assert len(figure.all("details")[0].all("table")) == 1


def test_what_can_be_scrolled_can_be_reached_by_keyboard(tree: Element) -> None:
    scrolled = [each for each in tree.all("div") if each.attributes.get("class") == "scroll"]
    assert scrolled
    for each in scrolled:
        assert each.attributes["tabindex"] == "0"
        assert each.attributes.get("aria-label") or each.attributes.get("aria-labelledby")


def test_ids_are_unique_and_links_lead_somewhere(tree: Element) -> None:
    ids = [each.attributes["id"] for each in tree.all() if "id" in each.attributes]
    assert len(set(ids)) == len(ids)
    for link in tree.all("a"):
        assert (link.attributes["href"] or "")[1:] in ids


def test_nothing_is_fetched_and_nothing_runs(public_page: str) -> None:
    assert "default-src 'none'; style-src 'unsafe-inline'; img-src data:" in public_page
    assert not re.search(r"<script|@import|url\(|\bsrc=|<link|<iframe|\bon\w+=", public_page)
    addresses = set(re.findall(r"https?://[^\s\"'<]+", public_page))
    assert addresses <= {"http://www.w3.org/2000/svg"}
