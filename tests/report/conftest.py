from __future__ import annotations

import pytest

import discreet as dc
from discreet.release.release import Release
from discreet.report.page import html_report
from tests.report.samples import Verification, k_anonymous, sample

COVERED = ("sex", "age", "region", "education")


@pytest.fixture(scope="session")
def original() -> dc.Table:
    return sample(1200)


@pytest.fixture(scope="session")
def release(original: dc.Table) -> Release:
    return k_anonymous(original, columns=COVERED)


@pytest.fixture(scope="session")
def public_page(original: dc.Table, release: Release) -> str:
    return html_report(release, original=original, verification=Verification())


@pytest.fixture(scope="session")
def internal_page(original: dc.Table, release: Release) -> str:
    return html_report(release, original=original, internal=True, verification=Verification())
