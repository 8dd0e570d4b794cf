"""Texts of the data stay texts: nothing in them becomes part of the page."""

from __future__ import annotations

import pytest

from discreet.report.page import html_report
from tests.report.hostile import TEXTS, hostile_original, hostile_release
from tests.report.pages import Element, parse
from tests.report.samples import Check, Verification

ALLOWED = frozenset(
    [
        "html",
        "head",
        "meta",
        "title",
        "style",
        "body",
        "a",
        "div",
        "strong",
        "span",
        "header",
        "p",
        "h1",
        "nav",
        "ul",
        "li",
        "main",
        "section",
        "h2",
        "h3",
        "dl",
        "dt",
        "dd",
        "ol",
        "table",
        "caption",
        "thead",
        "tbody",
        "tr",
        "th",
        "td",
        "figure",
        "figcaption",
        "details",
        "summary",
        "pre",
        "code",
        "footer",
        "svg",
        "g",
        "path",
        "line",
        "text",
    ]
)
ATTRIBUTES = frozenset(
    [
        "class",
        "id",
        "lang",
        "charset",
        "http-equiv",
        "content",
        "name",
        "href",
        "role",
        "aria-label",
        "aria-labelledby",
        "aria-hidden",
        "aria-roledescription",
        "tabindex",
        "scope",
        "xmlns",
        "width",
        "height",
        "viewbox",
        "fill",
        "stroke",
        "d",
        "transform",
        "x2",
        "y2",
        "opacity",
        "text-anchor",
        "font-family",
        "font-size",
        "font-weight",
        "pointer-events",
        "display",
        "stroke-width",
        "stroke-miterlimit",
        "style",
    ]
)
EVIL = "<script>document.title='pwned'</script>"


@pytest.fixture(scope="module", params=[False, True], ids=["public", "internal"])
def page(request: pytest.FixtureRequest) -> str:
    original = hostile_original()
    checks = (Check(f"check {EVIL}", False, f"detail {EVIL}"),)
    return html_report(
        hostile_release(original),
        original=original,
        internal=request.param,
        verification=Verification(answer="refuted", sentence=f"failed {EVIL}", checks=checks),
        command=f"discreet {EVIL}\n--next \u202e line",
        policy=f"name = '{EVIL}'\n# </pre>\u202e",
        hashes={f"file {EVIL}": "0" * 64},
    )


@pytest.fixture(scope="module")
def tree(page: str) -> Element:
    return parse(page)


def test_only_the_elements_and_attributes_of_the_templates_are_there(tree: Element) -> None:
    found = tree.all()
    assert {each.tag for each in found} <= ALLOWED
    assert {name for each in found for name in each.attributes} <= ATTRIBUTES


def test_links_lead_to_the_page_only(tree: Element) -> None:
    links = [each.attributes["href"] for each in tree.all("a")]
    assert links
    assert all(link is not None and link.startswith("#") for link in links)


@pytest.mark.parametrize("text", [*TEXTS], ids=range(len(TEXTS)))
def test_each_text_is_shown_as_value_and_as_name(tree: Element, text: str) -> None:
    rows = [each.text for each in tree.all("th") if each.attributes.get("scope") == "row"]
    assert TEXTS[text] in rows
    titles = [each.text for each in tree.all("h3")]
    assert f"Values of {TEXTS[text]}" in titles


def test_texts_are_in_the_charts_too(tree: Element) -> None:
    drawn = {each.text for svg in tree.all("svg") for each in svg.all("text")}
    assert "<script>document.title='pwned…" in drawn
    assert "javascript:alert(1)" in drawn
    assert "{{7*7}}{% raw %}${7*7}" in drawn


def test_no_template_was_run_on_data(page: str) -> None:
    assert "49" not in parse(page).with_id("values").text.replace(",", "")


def test_words_of_the_guarantee_steps_and_checks_are_texts(tree: Element) -> None:
    whole = tree.text
    for text in (
        f"Open: {EVIL}",
        f"Assumed: {EVIL}",
        f"a seed {EVIL}",
        f"step {EVIL}",
        f"option {EVIL}",
        f"0.1 {EVIL}",
        f"check {EVIL}",
        f"detail {EVIL}",
        f"failed {EVIL}",
        f"discreet {EVIL}\n--next ⟨U+202E⟩ line",
        f"name = '{EVIL}'\n# </pre>⟨U+202E⟩",
        f"file {EVIL}",
    ):
        assert text in whole


def test_no_character_that_reorders_or_hides_is_in_the_page(page: str) -> None:
    assert not set("\u202e\u2066\u200b\ufeff\x00\x1b\r") & set(page)


def test_the_page_can_be_written_even_with_broken_characters() -> None:
    import discreet as dc
    from discreet.release.release import Release
    from tests.report.samples import claim

    broken = "broken\ud800"
    table = dc.Table.from_codes({"a": [0, 0]}, {"a": [broken]})
    page = html_report(Release(data=table, guarantee=claim(2, ["a"])), original=table)
    assert "broken⟨U+D800⟩" in page
    assert page.encode()
