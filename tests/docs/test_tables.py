"""The tables of methods in the guide are those of the registry."""

from __future__ import annotations

from pathlib import Path

import pytest
from docs.tables import FOLDER, TABLES, written

from discreet.release.methods import METHODS


@pytest.mark.parametrize("page", TABLES)
def test_tables_are_made_from_the_records(page: str) -> None:
    committed = (FOLDER / page).read_text(encoding="utf-8")
    assert committed == written(page), "run make tables"


def test_every_method_has_a_page_that_proves_its_claim() -> None:
    pages = {path.stem for path in Path(FOLDER, "guarantees").glob("*.md")}
    assert {record.page for record in METHODS.values()} <= pages
