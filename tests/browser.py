"""A browser for all tests that need one.

A process can drive one Playwright at a time, and no other event loop meanwhile: so each module
starts its own, and ends it.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser


def chromium() -> str:
    """Return where the system's Chromium is; where it or Playwright is missing, the test skips."""
    pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    found = shutil.which("chromium")
    if found is None:
        pytest.skip("Debian's chromium is not installed")
    return found


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Start the browser."""
    path = chromium()
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield started
        started.close()
