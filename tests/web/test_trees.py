"""The trees of columns, in a real browser: made, opened, changed by hand, by key and by mouse."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from typer.testing import CliRunner

import discreet as dc
from discreet.cli.app import app as command_line
from discreet.policy.load import load_hierarchies, load_source
from tests.web.conftest import CANARY, Running, Visitor, button

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

POLICY = """\
[source]
file = "{file}"
header = true
columns = [{column}]
[roles]
{column} = "quasi"
[method]
name = "set-cover"
k = 5
"""
HOSTILE = "<b onclick=alert(1)>{{7*7}}"


def policy_of(folder: Path, name: str, *, file: str, column: str) -> str:
    (folder / name).write_text(POLICY.format(file=file, column=f'"{column}"'))
    return name


def shown(page: Page) -> list[str]:
    """Return the labels of the tree that are to be seen, in order."""
    return page.locator("#tree .node > label").all_inner_texts()


def done(page: Page, said: str) -> None:
    page.wait_for_selector(f".done:has-text('{said}')")


def loaded(folder: Path, policy: str, column: str) -> list[str]:
    """Return the labels of the tree that the next run uses, in the same order."""
    read = dc.policy.read_policy(folder / policy)
    tree = load_hierarchies(read, load_source(read))[column].full
    found, waiting = [], [tree.root]
    while waiting:
        node = waiting.pop()
        found.append(str(tree.labels[node]))
        waiting.extend(reversed(tree.children(node)))
    return found


def test_a_tree_is_made_changed_by_key_and_used(here: Visitor, folder: Path) -> None:
    name = policy_of(folder, "ages.toml", file="people.csv", column="age")
    before = (folder / name).read_bytes()
    page = here.page
    here.go(f"/policy/{name}/tree?column=age")
    assert page.get_by_label(re.compile("^Intervals")).is_checked()  # seen from the values
    page.get_by_label("Widths of intervals").fill("5, 20")
    button(here, "Make the tree")
    made = CliRunner().invoke(
        command_line,
        ["hierarchy", "build", str(folder / "people.csv"), "--column", "age", "--steps", "5,20",
         "-o", str(folder.parent / "age.csv")],
    )  # fmt: skip
    assert made.exit_code == 0, made.output
    file = folder / "trees" / "age.csv"
    assert file.read_bytes() == (folder.parent / "age.csv").read_bytes()
    assert file.stat().st_mode & 0o077 == 0
    first = file.read_bytes()
    # By keys alone: down to the first group, close it, rename it, take it back.
    page.locator("#tree .pick").first.focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowLeft")
    assert shown(page)[1:3] == ["[0, 20)", "[20, 40)"]
    page.keyboard.press("F2")
    page.keyboard.type("young")
    page.keyboard.press("Enter")
    done(page, "Renamed to young")
    assert shown(page)[1:3] == ["young", "[20, 40)"]  # and it is still closed
    page.keyboard.press("Control+z")
    done(page, "taken back")
    assert file.read_bytes() == first
    page.keyboard.press("Control+y")
    done(page, "made again")
    page.locator("#tree .pick").nth(2).focus()
    page.keyboard.press("Space")
    page.keyboard.press("m")
    page.keyboard.type("young")
    page.keyboard.press("Enter")
    done(page, "Moved 1 entry into young")
    assert page.evaluate("document.activeElement.labels[0].innerText") == "young"
    assert set(shown(page)) <= set(loaded(folder, name, "age"))
    # What is written is what was shown, and the release shows nothing else.
    release = dc.policy.run_policy(folder / name, folder.parent / "aged").folder
    seen = set(dc.Release.load(release).data.values("age"))
    assert seen <= {None, *loaded(folder, name, "age")}
    for _ in range(4):
        page.keyboard.press("Control+z")
        done(page, "taken back")
    assert (folder / name).read_bytes() == before
    assert not file.exists()


def test_values_are_grouped_with_the_mouse(here: Visitor, folder: Path) -> None:
    jobs = ["cook", "baker", "coder", "admin", HOSTILE]
    rows = [f'"{jobs[n % 5]}"' for n in range(100)] + [CANARY] * 5
    (folder / "jobs.csv").write_text("\n".join([f'"{HOSTILE}"', *rows]) + "\n")
    name = policy_of(folder, "jobs.toml", file="jobs.csv", column=HOSTILE)
    page = here.page
    here.go(f"/policy/{name}/trees")
    page.get_by_role("link", name=HOSTILE, exact=True).click()
    here.settle()
    assert page.get_by_label(re.compile("^All values under one root")).is_checked()
    button(here, "Make the tree")
    assert page.get_by_role("heading", level=1).inner_text() == f"Groups of {HOSTILE}"
    assert sorted(shown(page)) == sorted(["*", *jobs, CANARY])
    for label in ("cook", "baker"):
        page.get_by_label(label, exact=True).check()
    page.fill("#label", "food")
    page.get_by_role("button", name="New group").click()
    done(page, "new group food")
    page.get_by_label("coder", exact=True).check()
    page.fill("#label", "tech")
    page.get_by_role("button", name="New group").click()
    done(page, "new group tech")
    node = page.locator("#tree .node")
    node.filter(has_text="admin").drag_to(node.filter(has_text="tech"))
    done(page, "Moved 1 entry into tech")
    assert "tech" in loaded(folder, name, HOSTILE)
    # A refusal is the library's sentence, and changes nothing.
    stood = loaded(folder, name, HOSTILE)
    page.get_by_label("tech", exact=True).check()
    page.fill("#to", "fod")
    page.get_by_role("button", name="Move", exact=True).click()
    alert = page.locator("#refused")
    alert.wait_for()
    assert "Did you mean 'food'" in alert.inner_text()
    assert loaded(folder, name, HOSTILE) == stood
    assert CANARY not in page.url


def test_ten_thousand_values_do_not_freeze(here: Visitor, folder: Path) -> None:
    codes = [f"{n:05d}" for n in range(10_000)]
    (folder / "codes.csv").write_text("\n".join(["code", *codes]) + "\n")
    lines = [f"{code};{code[:4]}x;{code[:3]}xx;*" for code in codes[:-2]]
    (folder.parent / "arx.csv").write_text("\n".join(lines) + "\n")
    name = policy_of(folder, "codes.toml", file="codes.csv", column="code")
    page = here.page
    here.go(f"/policy/{name}/tree?column=code")
    page.set_input_files("#file", folder.parent / "arx.csv")
    button(here, "Take this file")
    assert "2 values of the data are not in the tree" in page.inner_text("main")
    assert page.locator("#tree .node").count() <= 1500
    assert len(page.content()) < 1_000_000
    button(here, "Put them under the root")
    done(page, "Put 2 values under the root")
    assert page.locator("#tree .node").count() == 101  # the root, and a window of what is in it
    page.get_by_role("link", name="Show more").click()
    page.locator("#tree .node").nth(102).wait_for(state="attached")
    page.get_by_label("000xx: 100 values").click()
    page.get_by_label("0004x", exact=True).wait_for()
    page.fill("#text", "0999")
    page.get_by_role("button", name="Find", exact=True).click()
    page.locator(".results").wait_for()
    assert page.locator(".results li").count() == sum("0999" in code for code in codes) + 1
    page.get_by_role("button", name="Select all").click()
    page.fill("#to", "000xx")
    page.get_by_role("button", name="Move", exact=True).click()
    done(page, "into 000xx")
    moved = [line for line in (folder / "trees/code.csv").read_text().splitlines()
             if line.endswith("000xx;*")]  # fmt: skip
    assert len(moved) > 100
    assert len(page.content()) < 1_000_000


def test_it_works_without_script(app: Running, browser: Browser, folder: Path) -> None:
    name = policy_of(folder, "plain.toml", file="people.csv", column="region")
    context = browser.new_context(java_script_enabled=False)
    context.add_cookies(app.cookies or pytest.skip("nobody is in"))
    page = context.new_page()
    page.goto(f"{app.root}/policy/{name}/tree?column=region")
    page.wait_for_url("**/tree?**", timeout=120_000)
    page.get_by_label(re.compile("^All values under one root")).check()
    page.get_by_role("button", name="Make the tree").click()
    page.wait_for_url("**/tree?**", timeout=120_000)
    boxes = page.locator("#tree .pick")
    boxes.nth(1).check()
    boxes.nth(2).check()
    page.fill("#label", "together")
    page.get_by_role("button", name="New group").click()
    assert "together" in page.inner_text("#tree")
    page.get_by_role("link", name="together: 2 values").click()
    assert len(shown(page)) == len(loaded(folder, name, "region"))
    page.get_by_role("button", name="Undo").click()
    assert "together" not in page.inner_text("#tree")
    context.close()


def test_an_older_tree_changes_nothing(
    here: Visitor, visit: Callable[..., Visitor], app: Running, folder: Path
) -> None:
    name = policy_of(folder, "twice.toml", file="people.csv", column="sex")
    (folder / "trees").mkdir(exist_ok=True)
    (folder / "trees/sex.csv").write_text("female;*\nmale;*\n")
    (folder / name).write_text(
        (folder / name).read_text() + '[hierarchies]\nsex = "trees/sex.csv"\n'
    )
    here.go(f"/policy/{name}/tree?column=sex")
    other = visit(app)
    other.go(f"/policy/{name}/tree?column=sex")
    for each in (here, other):
        each.page.get_by_label("female", exact=True).check()
        each.page.fill("#label", "some")
        each.page.get_by_role("button", name="New group").click()
        if each is here:
            done(each.page, "new group some")
    other.page.locator("#refused").wait_for()
    assert "changed meanwhile" in other.page.inner_text("#refused")
    assert (folder / "trees/sex.csv").read_text() == "female;some;*\nmale;male;*\n"
