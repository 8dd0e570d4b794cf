"""The app as a person has it: a process of its own, and a browser that is shared by all tests."""

from __future__ import annotations

import contextlib
import json
import os
import re
import resource
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import discreet as dc
from discreet.web.project import PRIVATE
from tests.browser import chromium

if TYPE_CHECKING:
    from playwright._impl._api_structures import SetCookieParam
    from playwright.sync_api import Browser, Page

CANARY = "Xq7canaryZ"  # a value of the original that may appear in pages, and nowhere else


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Keep the order of tests here: those of a module share a folder and what was done in it."""
    places = [n for n, each in enumerate(items) if each.path.parent == Path(__file__).parent]
    found = [items[place] for place in places]
    # The modules stay where they were drawn to.
    first: dict[Path, int] = {}
    for n, each in enumerate(found):
        first.setdefault(each.path, n)
    found.sort(key=lambda each: (first[each.path], each.location[1] or 0))
    for place, each in zip(places, found, strict=True):
        items[place] = each


@dataclass
class Running:
    """An app that runs on a folder."""

    folder: Path
    address: str
    process: subprocess.Popen[str]
    cookies: list[SetCookieParam] = field(default_factory=list)  # of the browser that came first

    @property
    def root(self) -> str:
        return self.address.partition("/enter")[0]

    @property
    def port(self) -> int:
        return int(self.root.rpartition(":")[2])


@contextmanager
def running(folder: Path, *, most_bytes: int | None = None) -> Iterator[Running]:
    """Start the app on a folder, and end it; ``most_bytes`` bounds the files it can write."""

    def bound() -> None:
        if most_bytes is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (most_bytes, most_bytes))

    command = [sys.executable, "-m", "discreet", "app", str(folder), "--no-browser"]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
        text=True, env={**os.environ, "PYTHONUNBUFFERED": "1"}, preexec_fn=bound,  # noqa: PLW1509  it only sets a limit
    )  # fmt: skip
    assert process.stdout is not None
    said: list[str] = []
    for line in process.stdout:
        said.append(line)
        if "/enter?code=" in line:
            break
    else:
        pytest.fail("".join(said))
    # What it says later is kept: the log is searched for values.
    log = folder.parent / f"{folder.name}.log"

    def listen() -> None:
        assert process.stdout is not None
        log.write_text("".join(process.stdout))

    listener = threading.Thread(target=listen)
    listener.start()
    try:
        yield Running(folder, said[-1].split()[-1], process)
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(30)
        listener.join()
        process.stdout.close()


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a file of people, one of whom has a value that must not travel."""
    made = tmp_path_factory.mktemp("screens") / "survey"
    made.mkdir()
    people = dc.datasets.census(600, seed=1).select(["sex", "age", "region", "education"])
    dc.write_table(people, made / "people.csv")
    text = (made / "people.csv").read_text().splitlines()
    text[1] = text[1].rpartition(",")[0] + f",{CANARY}"
    (made / "people.csv").write_text("\n".join(text) + "\n")
    return made


@pytest.fixture(scope="session")
def app(folder: Path) -> Iterator[Running]:
    """Run one app for all tests of screens."""
    chromium()  # nothing is started where it could not be seen
    with running(folder) as started:
        yield started


@pytest.fixture
def here(app: Running, visit: Callable[..., Visitor]) -> Iterator[Visitor]:
    """Let a browser in, and see afterwards that it complained of nothing and nothing leaked."""
    visitor = visit(app)
    yield visitor
    assert visitor.complaints == []
    assert visitor.elsewhere == []
    assert_nothing_leaked(app.folder)


def assert_nothing_leaked(folder: Path) -> None:
    """Look for the value that must not travel in the list of jobs, the log and what is public."""
    private = folder / PRIVATE
    for path in private.glob("jobs.sqlite*"):
        assert CANARY.encode() not in path.read_bytes(), path
    log = folder.parent / f"{folder.name}.log"
    assert not log.exists() or CANARY not in log.read_text()
    for path in Path(tempfile.gettempdir()).glob("*"):  # not those of pytest, which lie deeper
        with contextlib.suppress(OSError):
            assert not path.is_file() or CANARY.encode() not in path.read_bytes(), path
    for place in folder.iterdir():
        if (place / "certificate.json").is_file():
            for path in place.iterdir():
                assert CANARY.encode() not in path.read_bytes(), path


class Visitor:
    """A browser that was let in, and all that it complained of or asked for elsewhere."""

    def __init__(self, page: Page, app: Running) -> None:
        self.page, self.app = page, app
        self.complaints: list[str] = []
        self.elsewhere: list[str] = []
        page.set_default_timeout(120_000)  # machines that test are busy
        page.on("console", lambda message: self.complaints.append(message.text))
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("request", lambda request: self._heard(request.url))
        if app.cookies:
            page.context.add_cookies(app.cookies)
            page.goto(f"{app.root}/")
            return
        page.goto(app.address)
        page.wait_for_url(f"{app.root}/")
        app.cookies = [
            {"name": each["name"], "value": each["value"], "url": app.root}
            for each in page.context.cookies()
        ]

    def _heard(self, url: str) -> None:
        assert CANARY not in url
        if not url.startswith((self.app.root, "data:", "blob:")):
            self.elsewhere.append(url)

    def go(self, path: str) -> None:
        """Go to a page and wait for jobs that it needs."""
        self.page.goto(self.app.root + path)
        self.settle()

    def settle(self) -> None:
        """Wait until no page of a job is shown any more."""
        self.page.wait_for_load_state()
        for _ in range(3000):
            if "/job/" not in self.page.url:
                self.page.wait_for_load_state()
                return
            alerts = self.page.locator("#job [role=alert]")
            if alerts.count():  # nothing more comes
                return
            self.page.wait_for_timeout(100)
        pytest.fail(f"{self.page.url} does not end")


def accessible(seen: Visitor, path: str, width: int) -> None:
    """Assert that axe finds nothing on a page, and that the page is no wider than the window."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe is missing")
    source = (Path(axe.__file__).parent / "axe.min.js").read_text("utf-8")
    # In a world of its own: the page allows no script but the app's.
    session = seen.page.context.new_cdp_session(seen.page)
    session.send("Page.enable")
    frame = session.send("Page.getFrameTree")["frameTree"]["frame"]["id"]
    world = session.send("Page.createIsolatedWorld", {"frameId": frame, "worldName": "axe"})
    context = world["executionContextId"]

    def asked(expression: str) -> object:
        found = session.send(
            "Runtime.evaluate",
            {"expression": expression, "contextId": context, "awaitPromise": True,
             "returnByValue": True},
        )  # fmt: skip
        return found["result"].get("value")

    asked(source)
    violations = asked(
        "axe.run().then(r => JSON.stringify(r.violations.map("
        "v => [v.id, v.nodes.map(n => n.html).slice(0, 3)])))"
    )
    assert json.loads(str(violations)) == [], path
    wide = asked("document.documentElement.scrollWidth")
    assert isinstance(wide, int)
    assert wide <= width, path


@pytest.fixture
def visit(browser: Browser) -> Iterator[Callable[..., Visitor]]:
    """Let a new browser in; ``width`` and ``scheme`` say how it looks."""
    pages = []

    def make(app: Running, *, width: int = 1200, scheme: str = "light") -> Visitor:
        context = browser.new_context(
            viewport={"width": width, "height": 900},
            color_scheme="dark" if scheme == "dark" else "light",
        )
        pages.append(context)
        return Visitor(context.new_page(), app)

    yield make
    for each in pages:
        each.close()


def button(visitor: Visitor, name: str) -> None:
    """Press a button by its name, and wait for what it starts."""
    visitor.page.get_by_role("button", name=name).first.click()
    visitor.settle()


def policy_for(here: Visitor, file: str) -> str:
    """Open a file and return the name of its policy."""
    button(here, f"Protect {file}")
    found = re.search(r"/policy/([^/]+)/data", here.page.url)
    assert found is not None, here.page.inner_text("main")
    return found[1]
