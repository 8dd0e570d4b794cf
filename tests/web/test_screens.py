"""The app as a person has it, in a real browser: from a file to a release, and to a verdict."""

from __future__ import annotations

import json
import re
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

import discreet as dc
from tests.web.conftest import CANARY, Running, Visitor, button, policy_for

HOSTILE = '<img src=x onerror="alert(1)">{{7*7}}'
Visit = Callable[..., Visitor]


def test_from_a_file_to_a_verdict(here: Visitor, folder: Path) -> None:
    policy = policy_for(here, "people.csv")
    page = here.page
    assert "600 rows" in page.inner_text("main")
    assert page.locator("text=Shows the original").is_visible()
    assert page.locator("tbody tr").count() == 50
    page.click("a.next")
    here.settle()
    table = dc.policy.read_policy(folder / policy)
    seen = dc.policy.load.load_source(table)
    quasi = [name for name in seen.columns if seen.role(name) == "quasi"]
    expected = dc.assess.uniqueness(seen, columns=quasi, max_size=3)
    assert f"{expected.n_unique:,} of 600" in page.inner_text(".facts")
    page.get_by_label("education").uncheck()
    button(here, "Count again")
    fewer = dc.assess.uniqueness(seen, columns=[q for q in quasi if q != "education"], max_size=3)
    assert f"{fewer.n_unique:,} of 600" in page.inner_text(".facts")
    assert CANARY not in page.url
    here.go(f"/policy/{policy}/method")
    button(here, "Recommend a method")
    chosen = dc.policy.choose.choose(
        folder / "people.csv", publish="table", to="public", promise="k-anonymity"
    )
    assert f"Recommended: {chosen.first.method}" in page.inner_text("main")
    here.go(f"/policy/{policy}/method?name=k-mii")
    page.get_by_label(re.compile("^k ")).fill("5")
    button(here, "Take this method")
    assert dc.policy.read_policy(folder / policy).method.name == "k-mii"
    page.wait_for_selector('#plan [role="status"]:has-text("Before")', timeout=120_000)
    settings = dc.policy.plan(folder / policy).settings
    shown = [row.split("\t")[0] for row in page.locator("#plan tbody tr").all_inner_texts()]
    assert shown == [str(each.k) for each in settings]
    assert page.locator("#plan circle").count() == len(settings)
    page.select_option("#k", "10")
    button(here, "Write it into the policy")
    assert dc.policy.read_policy(folder / policy).method.model_dump()["k"] == 10
    page.get_by_label("Folder of the release").fill("first")
    button(here, "Make and verify the release")
    assert page.url.endswith("/release/first")
    assert "Verified" in page.inner_text("main")
    assert dc.verify_release(folder / "first").sentence in page.inner_text("main")
    assert page.locator("text=Shows the original").count() == 0
    page.get_by_role("link", name="What was lost").click()
    assert page.locator("text=Shows the original").is_visible()
    page.go_back()
    _pack_and_check(here, folder)


def _pack_and_check(here: Visitor, folder: Path) -> None:
    page = here.page
    button(here, "Pack it into a zip")
    with page.expect_download() as saved:
        page.get_by_role("link", name="Save first.zip").click()
    with zipfile.ZipFile(saved.value.path()) as archive:
        contents = {name: archive.read(name) for name in archive.namelist()}
    assert set(contents) == {f"first/{path.name}" for path in (folder / "first").iterdir()}
    assert not any(CANARY.encode() in content for content in contents.values())
    here.go("/verify")
    page.select_option("#place", "first.zip")
    button(here, "Check it")
    assert "Verified" in page.inner_text("main")


def test_a_tampered_release_of_somebody_else_is_refuted(here: Visitor, folder: Path) -> None:
    people = dc.datasets.census(300, seed=3).select(["sex", "region"])
    made = dc.k_mii(people, k=5).save(folder.parent / "theirs")
    text = json.loads((made / "certificate.json").read_text())
    text["guarantee"]["parameters"]["k"] = 50
    path = folder.parent / "theirs.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for each in made.iterdir():
            archive.write(each, f"theirs/{each.name}")
        archive.writestr("theirs/certificate.json.bak", json.dumps(text))
        archive.writestr("../outside.txt", "x")
    here.go("/verify")
    here.page.set_input_files("#file", path)
    button(here, "Add it")
    here.page.select_option("#place", "theirs.zip")
    button(here, "Check it")
    said = here.page.inner_text("main")
    assert "Refuted" in said or "not a release" in said
    assert not (folder / "outside.txt").exists()
    assert not (folder.parent / "outside.txt").exists()
    button(here, "Delete theirs.zip")
    assert not (folder / "theirs.zip").exists()


def test_differential_privacy_needs_a_ledger(here: Visitor, folder: Path) -> None:
    policy = policy_for(here, "people.csv")
    here.go(f"/policy/{policy}/method?name=synthesize")
    here.page.get_by_label(re.compile("^epsilon")).fill("1")
    here.page.get_by_label(re.compile("^delta")).fill("1e-6")
    button(here, "Take this method")
    here.go(f"/policy/{policy}/run")
    here.page.get_by_label("Folder of the release").fill("drawn")
    button(here, "Make and verify the release")
    refusal = here.page.locator("[role=alert]").inner_text()
    assert "no ledger counts it" in refusal
    here.complaints.clear()  # the browser notes that a form was refused
    assert not (folder / "drawn").exists()
    button(here, "Make a ledger")
    here.page.get_by_label("Folder of the release").fill("drawn")
    button(here, "Make and verify the release")
    assert "Consistent" in here.page.inner_text("main")
    here.go("/history")
    assert "people.csv" in here.page.inner_text("main")


def test_two_hundred_columns_set_at_once_and_undone(here: Visitor, folder: Path) -> None:
    names = [f"c{n}" for n in range(199)] + [HOSTILE]
    header = ",".join('"' + name.replace('"', '""') + '"' for name in names)
    rows = [",".join(str((row * n) % 3) for n in range(200)) for row in range(40)]
    (folder / "wide.csv").write_text("\n".join([header, *rows]) + "\n")
    here.go("/")
    policy = policy_for(here, "wide.csv")
    before = (folder / policy).read_bytes()
    here.go(f"/policy/{policy}/roles")
    assert here.page.locator(".roles tbody tr").count() == 200
    assert HOSTILE in here.page.locator(".roles tbody tr th").last.inner_text()
    button(here, "Select all")
    for name in range(50):
        here.page.get_by_label(f"Select c{name}", exact=True).uncheck()
    here.page.select_option("#role", "insensitive")
    button(here, "Save")
    roles = dc.policy.read_policy(folder / policy).roles
    assert sum(role == "insensitive" for role in roles.values()) >= 150
    assert roles[HOSTILE] == "insensitive"
    here.page.locator("details.policy summary").click()
    button(here, "Undo the last change")
    assert (folder / policy).read_bytes() == before
    here.page.locator("details.policy summary").click()
    button(here, "Redo it")
    assert dc.policy.read_policy(folder / policy).roles == roles


def test_a_file_without_header_is_mended(here: Visitor, folder: Path) -> None:
    rows = [f"{'fm'[n % 2]};{20 + n % 50};{'NS'[n % 3 == 0]}" for n in range(80)]
    (folder / "bare.csv").write_text("\n".join(rows) + "\n")
    here.go("/")
    policy = policy_for(here, "bare.csv")
    here.page.get_by_label("The first line is a row already").fill("sex, age, region")
    button(here, "Draft the policy again")
    assert "80 rows" in here.page.inner_text("main")
    source = dc.policy.read_policy(folder / policy).source
    assert source.names == ("sex", "age", "region")


def test_messy_cells_are_mended_by_a_click_and_numbers_cut(here: Visitor, folder: Path) -> None:
    rows = [f"{('m', 'M', 'male', 'f', 'F')[n % 5]},{20 + n % 60},0{1 + n % 9}/0{1 + n % 7}/2024"
            for n in range(120)]  # fmt: skip
    (folder / "messy.csv").write_text("\n".join(["sex,age,visit", *rows]) + "\n")
    here.go("/")
    policy = policy_for(here, "messy.csv")
    page = here.page
    found = dc.suggest_repairs(folder / "messy.csv")
    assert page.locator("h2:has-text('Rows 1 to 50')").is_visible()
    page.get_by_role("link", name="Later rows").click()
    here.settle()
    assert page.locator("h2:has-text('Rows 51 to 100')").is_visible()
    assert page.locator("tbody tr").count() == 50
    page.locator(".repairs > li").first.wait_for()
    assert page.locator(".repairs h3").all_inner_texts() == [e.column for e in found.suggestions]
    visit = next(each for each in found.suggestions if each.column == "visit")
    assert visit.repair is None
    page.get_by_text("cells that can be read in two ways").click()
    doubt = visit.doubts[0].replace(f" of {folder / 'messy.csv'}:", ":")
    assert doubt in page.inner_text(".repairs")
    button(here, "Mend so visit, way 1")
    read = dc.policy.read_policy(folder / policy)
    assert read.repairs["visit"].to_repair() == visit.choices[0]
    assert read.repairs["sex"].to_repair() == found.repairs["sex"]
    button(here, "Leave the cells as they are in sex")
    assert "sex" not in dc.policy.read_policy(folder / policy).repairs
    button(here, "Mend so sex, way 1")
    page.get_by_label("Another column to cut").select_option("age")
    page.get_by_label("Where to cut the other column").fill("30, 50")
    button(here, "Cut so")
    assert dc.policy.read_policy(folder / policy).source.bins["age"].edges == (30, 50)
    assert "[30, 50)" in page.inner_text(".cells")
    page.get_by_label("age", exact=True).fill("thirty")
    button(here, "Cut so")
    assert "is cut at numbers such as" in page.locator("[role=alert]").first.inner_text()
    here.complaints.clear()
    page.get_by_label("Every row is another person").check()
    button(here, "Read the file so")
    assert dc.policy.read_policy(folder / policy).source.one_row_per_person
    here.go(f"/policy/{policy}/risk")
    page.get_by_label("visit").uncheck()  # it counts again by itself
    page.locator(".was").first.wait_for()
    table = dc.policy.load.load_source(dc.policy.read_policy(folder / policy))
    fewer = dc.assess.uniqueness(table, columns=["sex", "age"], max_size=3)
    assert f"{fewer.n_unique:,} of 120" in page.inner_text(".facts")


def test_from_the_census_to_a_verified_release_by_keyboard_alone(here: Visitor) -> None:
    page = here.page

    def press(name: str) -> None:
        """Go to a link or button by Tab and press Enter."""
        for _ in range(400):
            page.keyboard.press("Tab")
            if " ".join(page.evaluate("document.activeElement.textContent").split()) == name:
                break
        else:
            pytest.fail(f"Tab does not come to {name!r}")
        with page.expect_navigation():
            page.keyboard.press("Enter")
        here.settle()

    press("Try the built-in census")
    press("Protect census.csv")
    press("It is understood: who is at risk?")
    press("Next: what each column is")
    press("Next: groups of values")
    press("Run")
    press("Make and verify the release")
    assert "/release/" in page.url
    assert "Verified" in page.inner_text("main")


def test_an_outdated_page_changes_nothing(here: Visitor, folder: Path) -> None:
    policy = policy_for(here, "people.csv")
    here.go(f"/policy/{policy}/roles")
    text = (folder / policy).read_text() + "# changed by hand\n"
    (folder / policy).write_text(text)
    here.page.get_by_label("Select sex", exact=True).check()
    here.page.select_option("#role", "sensitive")
    button(here, "Save")
    assert "changed meanwhile" in here.page.locator("[role=alert]").inner_text()
    assert (folder / policy).read_text() == text
    here.complaints.clear()


def test_groups_are_made_as_the_command_line_makes_them(here: Visitor, folder: Path) -> None:
    rows = [f"{'fm'[n % 2]},{'ABC'[n % 3]}{n % 7},2024-0{1 + n % 9}-1{n % 9}" for n in range(200)]
    (folder / "visits.csv").write_text("\n".join(["sex,ward,visit", *rows]) + "\n")
    here.go("/")
    policy = policy_for(here, "visits.csv")
    here.go(f"/policy/{policy}/method?name=set-cover")
    here.page.get_by_label(re.compile("^k ")).fill("5")
    button(here, "Take this method")
    here.go(f"/policy/{policy}/trees")
    here.page.get_by_label("Groups of visit").select_option("dates")
    here.page.get_by_label("Groups of ward").select_option("prefix")
    here.page.get_by_label("Widths, lengths or file for ward").fill("2, 1")
    button(here, "Make these groups")
    read = dc.policy.read_policy(folder / policy)
    table = dc.policy.load.load_source(read)
    made = dc.policy.load.load_hierarchies(read, table)
    assert set(made) == {"visit", "ward"}
    shown = here.page.inner_text("main")
    for column, tree in made.items():
        assert tree.render(max_lines=60).splitlines()[0] in shown, column
    here.page.get_by_label("Groups of ward").select_option("prefix")
    here.page.get_by_label("Widths, lengths or file for ward").fill("two")
    button(here, "Make these groups")
    assert "numbers such as 5, 10" in here.page.locator("[role=alert]").inner_text()
    here.complaints.clear()
    assert dc.policy.read_policy(folder / policy).hierarchies == read.hierarchies


SCREENS = ("/", "/policy/{}/data", "/policy/{}/risk", "/policy/{}/roles", "/policy/{}/trees",
           "/policy/{}/method",
           "/policy/{}/run", "/verify", "/history", "/policy/{}/tree?column=sex",
           "/policy/axe.toml/tree?column=sex")  # fmt: skip


@pytest.mark.parametrize(("width", "scheme"), [(1200, "light"), (360, "dark")])
def test_every_screen_is_accessible_and_fits(
    app: Running, visit: Visit, width: int, scheme: str
) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe is missing")
    seen = visit(app, width=width, scheme=scheme)
    policy = policy_for(seen, "people.csv")
    (app.folder / "axe.csv").write_text("female;all;*\nmale;all;*\n")
    (app.folder / "axe.toml").write_text(
        '[source]\nfile = "people.csv"\ncolumns = ["sex"]\n[roles]\nsex = "quasi"\n'
        '[method]\nname = "set-cover"\nk = 5\n[hierarchies]\nsex = "axe.csv"\n'
    )
    source = (Path(axe.__file__).parent / "axe.min.js").read_text("utf-8")
    for path in SCREENS:
        seen.go(path.format(policy))
        # In a world of its own: the page allows no script but the app's.
        session = seen.page.context.new_cdp_session(seen.page)
        session.send("Page.enable")
        frame = session.send("Page.getFrameTree")["frameTree"]["frame"]["id"]
        world = session.send("Page.createIsolatedWorld", {"frameId": frame, "worldName": "axe"})
        context = world["executionContextId"]
        session.send("Runtime.evaluate", {"expression": source, "contextId": context})
        found = session.send(
            "Runtime.evaluate",
            {
                "expression": "axe.run().then(r => JSON.stringify(r.violations.map("
                "v => [v.id, v.nodes.map(n => n.html).slice(0, 3)])))",
                "contextId": context, "awaitPromise": True, "returnByValue": True,
            },
        )  # fmt: skip
        assert json.loads(found["result"]["value"]) == [], path
        wide = session.send(
            "Runtime.evaluate",
            {"expression": "document.documentElement.scrollWidth", "contextId": context,
             "returnByValue": True},
        )  # fmt: skip
        assert wide["result"]["value"] <= width, path
    assert seen.elsewhere == []
