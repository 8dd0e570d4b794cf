"""What comes of a policy: shown, compared, signed, sent, checked; and all of it by hand."""

from __future__ import annotations

import json
import re
import shutil
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import discreet as dc
from discreet.policy.run import run_policy
from discreet.release.ledger import Ledger
from tests.web.conftest import CANARY, Running, Visitor, accessible, running

if TYPE_CHECKING:
    from playwright.sync_api import Browser

Visit = Callable[..., Visitor]
HOSTILE = '<img src=x onerror="alert(1)">{{7*7}}'
SOURCE = '[source]\nfile = "people.csv"\none_row_per_person = true\n\n'


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("results") / "survey"
    made.mkdir()
    people = dc.datasets.census(800, seed=1).select(["sex", "region", "education"])
    frame = people.to_frame("polars").rename({"education": HOSTILE})
    dc.write_table(dc.Table.from_frame(frame), made / "people.csv")
    lines = (made / "people.csv").read_text().splitlines()
    lines[1] = lines[1].rpartition(",")[0] + f",{CANARY}"  # of one person: it must not travel
    (made / "people.csv").write_text("\n".join(lines) + "\n")
    (made / "k.toml").write_text(SOURCE + '[method]\nname = "k-mii"\nk = 5\n')
    (made / "other.toml").write_text(SOURCE + '[method]\nname = "k-mii"\nk = 10\n')
    (made / "noise.toml").write_text(
        SOURCE + '[method]\nname = "synthesize"\nepsilon = 1\ndelta = "1e-6"\n\n'
        '[ledger]\npath = "ledger.sqlite"\n'
    )
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


@pytest.fixture
def release(here: Visitor, folder: Path) -> str:
    """A release that the app has made."""
    if not (folder / "first").exists():
        make(here, "k.toml", "first")
    return "first"


def make(here: Visitor, policy: str, name: str) -> None:
    here.go(f"/policy/{policy}/run")
    here.page.get_by_label("Folder of the release").fill(name)
    press(here, "Make and verify the release")
    assert here.page.url.endswith(f"/release/{name}"), here.page.inner_text("main")


def press(here: Visitor, name: str) -> None:
    here.page.get_by_role("button", name=name).first.click()
    here.settle()


def test_a_result_shows_its_report_and_nothing_of_the_original(
    here: Visitor, folder: Path, release: str
) -> None:
    here.go(f"/release/{release}")
    text = here.page.inner_text("main")
    assert dc.verify_release(folder / release).sentence in text
    claim = dc.Release.load(folder / release).guarantee
    assert claim.sentence in text
    assert all(each in text for each in claim.not_protected)
    assert "Re-identification risk" in text
    assert here.page.locator(".report .chart").count() > 0
    assert HOSTILE in text
    assert CANARY not in here.page.content()
    here.page.get_by_role("link", name="What was lost").click()
    here.settle()
    assert "Shows the original" in here.page.inner_text("header")
    assert "Identifying" in here.page.inner_text("main")


def test_before_and_after_equal_the_library(here: Visitor, folder: Path, release: str) -> None:
    here.go(f"/release/{release}/rows")
    assert "Shows the original" in here.page.inner_text("header")
    policy = dc.policy.read_policy(folder / "k.toml")
    table = dc.policy.load.load_data(policy)
    assert isinstance(table, dc.Table)
    again = policy.method.protect(table)
    found = dc.utility.cells_changed(table, again.data, rows=again.input_rows)
    assert found.sentence in here.page.inner_text("main")
    rows = here.page.locator(".cells tbody tr")
    assert rows.count() == 50
    frame = table.to_frame("polars")
    released = again.data.to_frame("polars")
    assert again.input_rows is not None
    place_of = {int(place): n for n, place in enumerate(again.input_rows)}
    for n in (0, 7, 49):
        for column, cell in zip(table.columns, rows.nth(n).locator("td").all(), strict=True):
            after = released[column][place_of[n]] if n in place_of else None
            kept = after is not None
            assert cell.get_attribute("class") == ("same" if kept else "suppressed")
            assert frame[column][n] in cell.inner_text()
    here.page.get_by_role("link", name="Suppressed records").click()
    here.settle()
    assert here.page.locator(".cells tbody tr").count() == min(50, 800 - len(place_of))
    here.page.goto(f"{here.app.root}/release/{release}/rows?from=750")
    here.settle()
    assert "751 to 800 of 800" in here.page.inner_text("main")


def test_a_download_holds_no_marker_and_no_signature(
    here: Visitor, folder: Path, release: str
) -> None:
    here.go(f"/release/{release}/sign")
    here.page.get_by_label("Name").fill("Ada Example")
    here.page.get_by_label("Remark").fill(HOSTILE)
    press(here, "Add the name")
    table = here.page.locator(".signatures").inner_text()
    assert "Ada Example" in table
    assert HOSTILE in table
    kept = json.loads((folder / "first-signed.json").read_text())
    assert [each["name"] for each in kept["signatures"]] == ["Ada Example"]
    assert not (folder / release / "first-signed.json").exists()
    here.page.get_by_label("Date").evaluate("field => { field.type = 'text'; field.value = 'x' }")
    here.page.get_by_label("Name").fill("B")
    press(here, "Add the name")
    assert "2026-01-31" in here.page.get_by_role("alert").inner_text()
    here.complaints.clear()  # the browser notes that a form was refused
    here.go(f"/release/{release}")
    press(here, "Pack it into a zip")
    with here.page.expect_download() as saved:
        here.page.get_by_role("link", name="Save first.zip").click()
    with zipfile.ZipFile(saved.value.path()) as archive:
        contents = {name: archive.read(name) for name in archive.namelist()}
    assert contents
    assert not any(CANARY.encode() in content for content in contents.values())
    assert not any(b"Ada Example" in content for content in contents.values())
    assert "Ada Example" in here.page.inner_text("main")


def test_a_second_release_of_a_source_warns(here: Visitor, folder: Path, release: str) -> None:
    here.go("/policy/other.toml/run")
    warning = here.page.locator("#earlier").inner_text()
    assert "release 2 of people.csv" in warning
    assert release in warning
    make(here, "other.toml", "second")
    here.go("/history")
    text = here.page.inner_text("main")
    assert "first and second were all made from people.csv" in text
    here.go("/compare?first=k.toml&second=other.toml")
    differences = here.page.locator("table").first.inner_text()
    assert "method: k" in differences
    costs = here.page.locator("table").nth(1).inner_text()
    for name, k in (("k.toml", 5), ("other.toml", 10)):
        (setting,) = dc.policy.plan(folder / name, ks=[k]).settings
        assert f"{setting.loss_rate:.1%}" in costs
    shutil.copy(folder / "people.csv", folder / "june.csv")
    here.go("/history")
    here.page.get_by_label("The policy").select_option("noise.toml")
    here.page.get_by_label("on", exact=True).select_option("june.csv")
    press(here, "Make a policy for it")
    made = re.search(r"/policy/([^/]+)/data", here.page.url)
    assert made is not None
    again = dc.policy.read_policy(folder / made[1])
    asked = dc.policy.read_policy(folder / "noise.toml").with_input(folder / "june.csv")
    assert (again.source_path, again.source_name) == (asked.source_path, "people.csv")


def test_a_run_with_noise_shows_its_entry_and_the_history_what_is_spent(
    here: Visitor, folder: Path
) -> None:
    make(here, "noise.toml", "drawn")
    entry = Ledger.open(folder / "ledger.sqlite").entries("people.csv")[-1]
    here.go("/release/drawn/loss")
    assert entry.sentence in here.page.inner_text("main")
    here.go("/history")
    assert entry.head in here.page.inner_text("main")
    assert "epsilon 1, delta 0.000001" in here.page.inner_text("main")
    here.go("/release/drawn/rows")
    assert "No row of this release" in here.page.inner_text("main")


def theirs(folder: Path, name: str) -> Path:
    people = dc.datasets.census(300, seed=3).select(["sex", "region"])
    return dc.k_mii(people, k=5).save(folder.parent / name)


def test_a_folder_of_somebody_is_checked_and_a_tampered_file_named(
    here: Visitor, folder: Path
) -> None:
    made = theirs(folder, "sent")
    here.go("/verify")
    here.page.set_input_files("#files", made)
    press(here, "Check the folder")
    assert "Verified" in here.page.inner_text("main")
    assert (folder / "sent.zip").is_file()
    data = next(path for path in made.iterdir() if path.stem == "data")
    data.write_bytes(data.read_bytes()[:-1] + b"!")
    (made / "report.html").write_text("<script>alert(1)</script>")
    here.go("/verify")
    here.page.set_input_files("#files", made)
    press(here, "Check the folder")
    text = here.page.inner_text("main")
    assert "Refuted" in text
    assert data.name in text
    assert here.page.locator("a[href*=report]").count() == 0


@pytest.mark.parametrize("kind", ["slip", "link", "bomb"])
def test_a_hostile_zip_is_refused(here: Visitor, folder: Path, kind: str) -> None:
    made = theirs(folder, f"hostile-{kind}")
    path = folder.parent / f"{kind}.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for each in made.iterdir():
            archive.write(each, f"theirs/{each.name}")
        if kind == "slip":
            archive.writestr("theirs/../../slipped.txt", "x")
        if kind == "link":
            link = zipfile.ZipInfo("theirs/policy.toml")
            link.external_attr = 0o120777 << 16
            archive.writestr(link, "/etc/passwd")
        if kind == "bomb":
            with archive.open("theirs/policy.toml", "w", force_zip64=True) as part:
                for _ in range(3 * 1024):
                    part.write(bytes(1024 * 1024))
    here.go("/verify")
    here.page.set_input_files("#file", path)
    press(here, "Add it")
    here.page.goto(f"{here.app.root}/verify/{path.name}")
    here.settle()
    text = here.page.inner_text("main")
    assert "Verified" not in text
    assert "root:" not in text
    assert not (folder.parent / "slipped.txt").exists()
    assert not (folder / "slipped.txt").exists()


def test_a_strangers_report_has_no_right_on_our_pages(here: Visitor, folder: Path) -> None:
    foreign = folder / "foreign"
    shutil.copytree(theirs(folder, "foreign-source"), foreign)
    (foreign / "report.html").write_text("<h1>mine</h1><script>document.title = 'ran'</script>")
    answer = here.page.request.get(f"{here.app.root}/release/foreign/report")
    assert answer.headers["content-security-policy"].startswith("sandbox;")
    here.page.goto(f"{here.app.root}/release/foreign/report")
    assert here.page.title() != "ran"
    assert here.page.evaluate("window.origin") == "null"
    here.complaints.clear()  # the browser notes that the script did not run
    shutil.rmtree(foreign)


def test_from_a_messy_file_to_a_signed_release_by_hand(
    here: Visitor, folder: Path, tmp_path: Path
) -> None:
    """The whole: a person who has only the app."""
    rows = [f"{'fm'[n % 2]};{30 + n % 3 * 10};{'NESW'[n % 4]};{'abc'[n * n % 3]}"
            for n in range(240)]  # fmt: skip
    own = tmp_path / "own survey.csv"
    own.write_text("sex;age;region;job\n" + "\n".join(rows) + "\n")
    page = here.page
    here.go("/")
    page.locator("#file").set_input_files(own)
    press(here, "Add the file")
    press(here, "Protect own survey.csv")
    assert "240 rows" in page.inner_text("main")
    page.get_by_label("Every row is another person").check()
    press(here, "Read the file so")
    page.get_by_role("link", name="It is understood").click()
    here.settle()
    page.get_by_role("link", name="Next: what each column is").click()
    here.settle()
    page.get_by_label("Role of job").select_option("sensitive")
    press(here, "Save")
    policy = page.url.split("/")[-2]
    page.get_by_role("link", name="Method").click()
    here.settle()
    press(here, "Recommend a method")
    page.get_by_role("button", name=re.compile("^Take ")).first.click()
    page.wait_for_selector('#plan [role="status"]:has-text("Before")', timeout=120_000)
    page.locator(".slide [type=range]").focus()
    page.keyboard.press("Home")
    press(here, "Write it into the policy")
    page.get_by_label("Folder of the release").fill("own")
    press(here, "Make and verify the release")
    assert "Verified" in page.inner_text("main")
    page.get_by_role("link", name="Sign it").click()
    here.settle()
    page.get_by_label("Who").select_option("Privacy officer")
    page.get_by_label("Name").fill("Ada Example")
    press(here, "Add the name")
    assert "Ada Example" in page.locator(".signatures").inner_text()
    page.get_by_role("link", name="Back to own").click()
    here.settle()
    press(here, "Pack it into a zip")
    with page.expect_download() as saved:
        page.get_by_role("link", name="Save own.zip").click()
    got = tmp_path / "got.zip"
    saved.value.save_as(got)
    # The same policy on the command line makes the same data.
    again = run_policy(folder / policy.replace("%20", " "), tmp_path / "again")
    assert again.release.data == dc.Release.load(folder / "own").data
    _come_to_a_verdict(here, got)


def _come_to_a_verdict(here: Visitor, got: Path) -> None:
    """Whoever is sent the zip checks it."""
    here.go("/verify")
    here.page.set_input_files("#file", got)
    press(here, "Add it")
    here.page.select_option("#place", "got.zip")
    press(here, "Check it")
    assert "Verified" in here.page.inner_text("main")


SCREENS = ("/policy/k.toml/run", "/release/first", "/release/first/rows", "/release/first/loss",
           "/release/first/sign", "/history", "/compare?first=k.toml&second=noise.toml",
           "/verify")  # fmt: skip


@pytest.mark.parametrize(("width", "scheme"), [(1200, "light"), (360, "dark")])
def test_these_screens_are_accessible_and_fit(
    app: Running, visit: Visit, release: str, width: int, scheme: str
) -> None:
    del release
    seen = visit(app, width=width, scheme=scheme)
    for path in SCREENS:
        seen.go(path)
        accessible(seen, path, width)
    assert seen.complaints == []
    assert seen.elsewhere == []
    assert CANARY.encode() not in (app.folder / ".discreet" / "jobs.sqlite").read_bytes()
