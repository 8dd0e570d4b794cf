"""Plans of all kinds, patterns, synthesis, campaigns, and the explorer: equal to the library."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import discreet as dc
from discreet.policy.plan import EPSILONS, plan_epsilons
from discreet.policy.run import run_policy
from discreet.randomize import CutAndPaste
from discreet.randomize.collect import create_campaign, mine_campaign
from discreet.release.ledger import Ledger
from discreet.web.explore import cube_of
from tests.web.conftest import Running, Visitor, accessible, running

if TYPE_CHECKING:
    from playwright.sync_api import Browser

Visit = Callable[..., Visitor]
HOSTILE = '<img src=x onerror="alert(1)">{{7*7}}'
SOURCE = '[source]\nfile = "people.csv"\none_row_per_person = true\n\n'
POLICIES = {
    "k.toml": '[method]\nname = "k-mii"\nk = 5\n',
    "noise.toml": '[method]\nname = "synthesize"\nepsilon = 1\ndelta = "1e-6"\n\n'
    '[ledger]\npath = "ledger.sqlite"\n',
    "sets.toml": '[method]\nname = "patterns-additive"\nk = 10\nmin_support = 60\n',
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("kinds") / "survey"
    made.mkdir()
    people = dc.datasets.census(1500, seed=1).select(["sex", "region", "education"])
    frame = people.to_frame("polars").rename({"education": HOSTILE})
    dc.write_table(dc.Table.from_frame(frame), made / "people.csv")
    for name, text in POLICIES.items():
        (made / name).write_text(SOURCE + text)
    Ledger.open(made / "ledger.sqlite").budget("people.csv", epsilon=3, delta=Fraction(1, 10**5))
    run_policy(made / "k.toml", made / "first")
    store = create_campaign(
        made / "tea.sqlite", operator=CutAndPaste(cutoff=3, rho="1/4"),
        items=["tea", "milk", "cake"], name="tea", max_size=2,
    ).store  # fmt: skip
    assert store.n_batches() == 0
    return made


@pytest.fixture(scope="module")
def app(folder: Path, browser: Browser) -> Iterator[Running]:
    del browser  # nothing is started where it could not be seen
    with running(folder) as started:
        yield started


@pytest.fixture
def here(app: Running, visit: Visit) -> Iterator[Visitor]:
    visitor = visit(app)
    yield visitor
    assert visitor.complaints == []
    assert visitor.elsewhere == []


def slide(here: Visitor, presses: str) -> str:
    """Move the slider by keys and return what is said of the choice."""
    here.page.locator(".slide [type=range]").focus()
    for key in presses.split():
        here.page.keyboard.press(key)
    return here.page.locator(".slide output").inner_text()


def test_dots_come_one_by_one_and_the_slider_writes_k(here: Visitor, folder: Path) -> None:
    here.go("/")
    here.page.goto(f"{here.app.root}/policy/k.toml/plan?ks={','.join(map(str, range(2, 60)))}")
    part = here.page.locator("#plan").get_attribute("data-poll")
    assert part is not None
    seen: list[tuple[int, bool]] = []
    while not seen or not seen[-1][1]:  # as a browser does, only more often
        answer = here.page.request.get(here.app.root + part)
        seen.append((answer.text().count("<circle"), "x-over" in answer.headers))
    assert seen[-1][0] == 58
    assert any(0 < n < 58 for n, _ in seen), seen
    here.page.wait_for_selector("#plan progress", state="detached", timeout=60_000)
    planned = dc.policy.plan(folder / "k.toml", ks=[2, 5])
    said = slide(here, "Home ArrowRight ArrowRight ArrowRight")
    assert said.startswith("k = 5 loses")
    assert f"{planned.settings[1].loss_rate:.1%}" in said
    assert here.page.locator(".dot.chosen").get_attribute("data-dot") == "5"
    slide(here, "Home")
    here.page.keyboard.press("Tab")
    here.page.get_by_role("button", name="Write it into the policy").press("Enter")
    here.page.wait_for_url("**/run")
    assert dc.policy.read_policy(folder / "k.toml").method.k == 2


def test_noise_against_epsilon_equals_the_preview(here: Visitor, folder: Path) -> None:
    budget = Ledger.open(folder / "ledger.sqlite").budget
    budget("people.csv", epsilon=3, delta=Fraction(1, 10**5))
    here.go("/policy/noise.toml/plan?error=1")
    here.page.wait_for_selector("#answer", timeout=60_000)
    expected = list(plan_epsilons(folder / "noise.toml", error=0.01))
    assert here.page.locator("#answer").get_attribute("data-epsilon") == (
        f"{float(expected[-1].epsilon):g}"
    )
    assert expected[-1].error <= 0.01
    rows = here.page.locator("#plan table").first.locator("tbody tr").all_inner_texts()
    assert len(rows) == len(EPSILONS)
    for row, each in zip(rows, expected, strict=False):
        assert row.split("\t")[1] == f"{each.error:.2%}"
    policy = dc.policy.read_policy(folder / "noise.toml")
    alone = dc.policy.preview(policy).to_dict()
    at_one = next(each for each in expected if each.epsilon == 1)
    assert at_one.expected.to_dict() == alone
    assert "more private" in here.page.inner_text("main")
    columns = here.page.locator("#plan table").nth(1).inner_text()
    assert HOSTILE in columns
    meter = here.page.get_by_role("img", name="of 3 is spent")
    assert meter.get_attribute("aria-label") == "0 of 3 is spent; this release takes 1"
    said = slide(here, "Home ArrowRight ArrowRight")
    assert said.startswith("epsilon = 0.5")
    here.page.get_by_role("button", name="Write it into the policy").click()
    here.page.wait_for_url("**/run")
    assert dc.policy.read_policy(folder / "noise.toml").method.epsilon == Fraction(1, 2)


def test_a_budget_is_set_and_a_wrong_one_said(here: Visitor, folder: Path) -> None:
    here.go("/policy/noise.toml/plan")
    here.page.get_by_label("All releases of this source together").fill("-2")
    here.page.get_by_role("button", name="Set this budget").click()
    here.page.wait_for_load_state()
    assert here.page.get_by_role("alert").count() == 1
    here.complaints.clear()  # the browser notes that a form was refused
    here.page.get_by_label("All releases of this source together").fill("2.5")
    here.page.get_by_role("button", name="Set this budget").click()
    here.page.wait_for_load_state()
    left = Ledger.open(folder / "ledger.sqlite").remaining("people.csv")
    assert left is not None
    assert left.budget.epsilon == Fraction(5, 2)
    here.page.goto(f"{here.app.root}/policy/noise.toml/plan?error=lots")
    assert "per cent" in here.page.get_by_role("alert").inner_text()
    here.complaints.clear()


def test_supports_and_what_they_disclose(here: Visitor, folder: Path) -> None:
    here.go("/policy/sets.toml/plan")
    here.page.wait_for_selector(".slide", timeout=60_000)
    table = dc.policy.load.load_source(dc.policy.read_policy(folder / "sets.toml"))
    expected = dc.patterns.support_for_safety(table, k=10)
    assert expected.sentence in here.page.inner_text("main")
    shown = {
        int(cells[0].replace(",", "")): (int(cells[1].replace(",", "")), int(cells[2]))
        for row in here.page.locator("#plan tbody tr").all_inner_texts()
        if (cells := row.split("\t"))
    }
    for point in expected.curve:
        assert shown[point.support] == (point.n_itemsets, point.n_maximal_channels)
    here.page.get_by_label("If itemsets were published").fill("20")
    here.page.get_by_role("button", name="What would they disclose?").click()
    here.settle()
    found = dc.patterns.channels(table, k=10, min_support=20)
    here.page.wait_for_selector("#disclosed")
    text = here.page.inner_text("#disclosed")
    assert found.sentence in text
    assert all(str(each) in text for each in found.worst(5))
    here.page.wait_for_selector(".slide", timeout=60_000)
    assert "discloses 0 small groups" in slide(here, "End")
    here.page.get_by_role("button", name="Write it into the policy").click()
    here.page.wait_for_url("**/run")
    assert dc.policy.read_policy(folder / "sets.toml").method.min_support > 60


def test_a_campaign_says_what_was_collected_and_estimates(here: Visitor, folder: Path) -> None:
    from discreet.randomize.collect import open_campaign

    here.go("/campaign/tea.sqlite")
    store = open_campaign(folder / "tea.sqlite")
    assert store.campaign.operator.kind in here.page.inner_text("main")
    assert "0" in here.page.locator(".facts .number").first.inner_text()
    here.page.get_by_label("Itemsets that at least").fill("10")
    here.page.get_by_role("button", name="Estimate").click()
    here.settle()
    found = mine_campaign(store.randomized(), min_frequency=0.1)
    itemsets = found["itemsets"]
    assert isinstance(itemsets, list)
    assert f"{len(itemsets)} itemsets" in here.page.inner_text("main")
    assert "collect mine --db tea.sqlite --min-frequency 0.1" in here.page.inner_text(".command")


def group_by(table: dc.Table, where: dict[str, str | None]) -> dict[str, Counter[str]]:
    """Count values the plain way, row by row."""
    rows = table.to_frame("polars").to_dicts()
    kept = [row for row in rows if all(row[name] == value for name, value in where.items())]
    return {name: Counter(str(row[name]) for row in kept) for name in table.columns}


def shown_counts(here: Visitor) -> dict[str, dict[str, int]]:
    found: dict[str, dict[str, int]] = {}
    for card in here.page.locator(".explorer section").all():
        names = card.locator(".name").all_text_contents()
        numbers = card.locator(".n").all_text_contents()
        found[card.locator("h2").inner_text()] = {
            "None" if name.startswith("(missing") else name: int(n.replace(",", ""))
            for name, n in zip(names, numbers, strict=True)
        }
    return found


def test_explored_counts_equal_a_group_by(here: Visitor, folder: Path, app: Running) -> None:
    here.go("/release/first/explore")
    released = dc.Release.load(folder / "first").data
    assert isinstance(released, dc.Table)
    here.page.wait_for_selector("[data-ready]")
    assert shown_counts(here) == {
        name: dict(found) for name, found in group_by(released, {}).items()
    }
    region = next(value for value in released.values("region") if value is not None)
    bar = here.page.get_by_role("link", name=re.compile(f"^{re.escape(str(region))}"))
    bar.focus()
    here.page.keyboard.press(" ")
    expected = group_by(released, {"region": str(region)})
    shown = shown_counts(here)
    for name in ("sex", HOSTILE):
        assert {k: n for k, n in shown[name].items() if n} == dict(expected[name])
    assert shown["region"] == dict(group_by(released, {})["region"])
    assert here.page.locator("[data-all]").inner_text() == f"{sum(expected['sex'].values()):,}"
    # The same without script, from the address alone.
    code = next(
        column["labels"].index(str(region))
        for column in cube_of(released, list(released.columns)).columns
        if column["name"] == "region"
    )
    place = list(released.columns).index("region")
    plain = here.page.request.get(f"{app.root}/release/first/explore?f={place}.{code}")
    assert f"data-all>{sum(expected['sex'].values()):,}<" in plain.text()


def test_the_explorer_is_one_page_that_works_offline(
    here: Visitor, folder: Path, browser: Browser, tmp_path: Path
) -> None:
    here.go("/release/first/explore")
    with here.page.expect_download() as saved:
        here.page.get_by_role("link", name="Save as one page").click()
    page = tmp_path / "explore.html"
    saved.value.save_as(page)
    context = browser.new_context(offline=True)
    alone = context.new_page()
    said: list[str] = []
    alone.on("console", lambda message: said.append(message.text))
    alone.on("pageerror", lambda error: said.append(str(error)))
    alone.on("request", lambda request: said.append(request.url))
    alone.goto(page.as_uri())
    alone.wait_for_selector("[data-ready]")
    alone.locator(".explorer a").first.click()
    released = dc.Release.load(folder / "first").data
    assert isinstance(released, dc.Table)
    value = alone.locator(".explorer a .name").first.inner_text()
    expected = group_by(released, {released.columns[0]: value})
    assert alone.locator("[data-all]").inner_text() == f"{expected[released.columns[0]].total():,}"
    assert HOSTILE in alone.inner_text("main")
    assert [each for each in said if not each.startswith(("file:", "data:"))] == []
    context.close()


def test_a_cube_counts_numbers_in_intervals_and_many_values_together() -> None:
    table = dc.Table.from_frame(
        {"n": [n % 90 for n in range(900)], "code": [f"c{n}" for n in range(900)]},
        categorical=["n"],
    )
    cube = cube_of(table, ["n", "code"])
    intervals, many = (column["labels"] for column in cube.columns)
    assert intervals[:2] == ["0 to 4", "5 to 9"]
    assert len(intervals) <= 24
    assert len(many) == 255
    counts, n = cube.counts({0: {0}})
    assert (sum(counts[1]), n) == (50, 50)
    assert counts[0] == [50] * 18


SCREENS = ("/policy/k.toml/plan", "/policy/noise.toml/plan", "/policy/sets.toml/plan",
           "/campaign/tea.sqlite", "/release/first/explore")  # fmt: skip


@pytest.mark.parametrize(("width", "scheme"), [(1200, "light"), (360, "dark")])
def test_these_screens_are_accessible_and_fit(
    app: Running, visit: Visit, width: int, scheme: str
) -> None:
    seen = visit(app, width=width, scheme=scheme)
    for path in SCREENS:
        seen.go(path)
        accessible(seen, path, width)
    assert seen.complaints == []
    assert seen.elsewhere == []
    jobs = (app.folder / ".discreet" / "jobs.sqlite").read_bytes()
    assert json.dumps("Northmark").encode() not in jobs
