"""The page in a real browser: what it shows, asks for and runs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Literal

import pytest

from discreet.report.charts import CHART, PAGE
from discreet.report.page import html_report
from tests.report.hostile import TEXTS, hostile_original, hostile_release

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page


class Visit:
    """A page that was opened, and what happened meanwhile."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.requests: list[str] = []
        self.complaints: list[str] = []
        page.on("request", lambda request: self.requests.append(request.url))
        page.on("console", lambda message: self.complaints.append(message.text))
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("dialog", lambda dialog: self.complaints.append(dialog.message))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("pages")


@pytest.fixture(scope="module")
def hostile_file(folder: Path) -> Path:
    original = hostile_original()
    path = folder / "hostile.html"
    path.write_text(html_report(hostile_release(original), original=original), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def public_file(folder: Path, public_page: str) -> Path:
    path = folder / "public.html"
    path.write_text(public_page, encoding="utf-8")
    return path


def visit(
    browser: Browser,
    path: Path,
    *,
    width: int = 1200,
    scheme: Literal["light", "dark"] = "light",
) -> Visit:
    page = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
    seen = Visit(page)
    page.goto(path.as_uri())
    return seen


def ground(page: Page, selector: str) -> str:
    """Return the background colour of an element as #rrggbb."""
    found: str = page.eval_on_selector(
        selector,
        "each => '#' + getComputedStyle(each).backgroundColor.match(/\\d+/g).slice(0, 3)"
        ".map(part => Number(part).toString(16).padStart(2, '0')).join('')",
    )
    return found


def test_a_page_asks_for_nothing_and_complains_of_nothing(
    browser: Browser, public_file: Path
) -> None:
    seen = visit(browser, public_file)
    assert seen.requests == [public_file.as_uri()]
    assert seen.complaints == []
    seen.page.close()


def test_hostile_texts_do_nothing(browser: Browser, hostile_file: Path) -> None:
    seen = visit(browser, hostile_file)
    for summary in seen.page.query_selector_all("summary")[:20]:
        summary.click()
    seen.page.mouse.move(300, 300)
    assert seen.requests == [hostile_file.as_uri()]
    assert seen.complaints == []
    assert seen.page.title() == "Release report: k-anonymity"
    assert seen.page.evaluate("document.scripts.length") == 0
    assert (
        seen.page.evaluate("document.querySelectorAll('img, iframe, object, [onerror]').length")
        == 0
    )
    seen.page.close()


def test_hostile_texts_are_shown_as_they_are(browser: Browser, hostile_file: Path) -> None:
    seen = visit(browser, hostile_file)
    titles = seen.page.evaluate(
        "[...document.querySelectorAll('#values h3')].map(e => e.textContent)"
    )
    rows = seen.page.evaluate(
        "[...document.querySelectorAll('#values th[scope=row]')].map(e => e.textContent)"
    )
    for text in TEXTS.values():
        assert f"Values of {text}" in titles
        assert text in rows
    drawn = seen.page.evaluate("[...document.querySelectorAll('svg text')].map(e => e.textContent)")
    assert "{{7*7}}{% raw %}${7*7}" in drawn
    seen.page.close()


def test_the_browser_would_refuse_a_script(
    browser: Browser, folder: Path, public_page: str
) -> None:
    path = folder / "with-script.html"
    script = "<script>document.title = 'pwned'</script><img src='https://example.invalid/x.png'>"
    path.write_text(public_page.replace("</main>", f"{script}</main>"), encoding="utf-8")
    seen = visit(browser, path)
    assert seen.page.title() == "Release report: k-anonymity"
    assert any("Content Security Policy" in each for each in seen.complaints)
    seen.page.close()


def test_headings_and_tables_are_there(browser: Browser, public_file: Path) -> None:
    page = visit(browser, public_file).page
    assert page.locator("h1").inner_text() == "What this release protects, and what it does not"
    assert page.locator("main > section").count() == 8
    assert page.get_by_role("table", name="Sign-off").count() == 1
    assert page.get_by_role("img", name="Rows by the size of their equivalence class").count() == 1
    page.get_by_text("The same in numbers").first.click()
    assert page.get_by_role(
        "table", name="Rows by the size of their equivalence class"
    ).is_visible()
    page.close()


@pytest.mark.parametrize("mode", [0, 1], ids=["light", "dark"])
def test_light_and_dark(browser: Browser, public_file: Path, mode: int) -> None:
    page = visit(browser, public_file, scheme="dark" if mode else "light").page
    assert ground(page, "body") == PAGE["paper"][mode]
    assert ground(page, "#values figure") == PAGE["card"][mode]
    red, green, blue = (int(CHART["after"][mode][place : place + 2], 16) for place in (1, 3, 5))
    fills = page.evaluate(
        "[...document.querySelectorAll('#values svg path')].map(e => getComputedStyle(e).fill)"
    )
    assert f"rgb({red}, {green}, {blue})" in fills
    page.close()


def test_on_paper_it_is_light_and_without_what_is_clicked(
    browser: Browser, public_file: Path
) -> None:
    page = visit(browser, public_file, scheme="dark").page
    page.emulate_media(media="print")
    assert ground(page, "body") == "#ffffff"
    assert not page.locator("nav").is_visible()
    assert page.locator(".sign table").is_visible()
    assert page.pdf(format="A4").startswith(b"%PDF")
    page.close()


@pytest.mark.parametrize("kind", ["public_file", "hostile_file"])
def test_a_narrow_window_is_not_scrolled_sideways(
    browser: Browser, kind: str, request: pytest.FixtureRequest
) -> None:
    page = visit(browser, request.getfixturevalue(kind), width=320).page
    for summary in page.query_selector_all("summary")[:4]:
        summary.click()
    for width in (320, 390, 768):
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.close()


@pytest.mark.parametrize("kind", ["public_file", "hostile_file"])
def test_no_text_of_a_chart_is_cut_off(
    browser: Browser, kind: str, request: pytest.FixtureRequest
) -> None:
    page = visit(browser, request.getfixturevalue(kind)).page
    cut = page.evaluate(
        """[...document.querySelectorAll('svg')].flatMap(svg => {
            const whole = svg.getBoundingClientRect();
            return [...svg.querySelectorAll('text')].filter(text => {
                const box = text.getBoundingClientRect();
                return box.left < whole.left - 1 || box.right > whole.right + 1;
            }).map(text => text.textContent);
        })"""
    )
    assert cut == []
    page.close()
