"""The committed figures show what the script computes today."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
from docs.draw import FIGURES, FOLDER, drawn

NUMBER = re.compile(r"\d+(?:\.\d+)?")
ROOT = Path(__file__).parents[2]
PAGES = {path.stem: path.read_text(encoding="utf-8") for path in (ROOT / "docs").glob("*.md")}


def words(svg: str) -> str:
    found = re.search(r'aria-label="([^"]*)"', svg)
    assert found is not None
    return found[1]


@pytest.mark.parametrize("name", FIGURES)
def test_committed_figure_shows_the_figures_of_today(name: str) -> None:
    """Coordinates, and the last digit of a number, may differ from machine to machine."""
    committed = words((FOLDER / f"{name}.svg").read_text(encoding="utf-8"))
    today = words(drawn(name))
    assert NUMBER.sub("#", committed) == NUMBER.sub("#", today), "run make figures"
    for before, now in zip(NUMBER.findall(committed), NUMBER.findall(today), strict=True):
        digits = len(now.partition(".")[2])
        assert abs(float(before) - float(now)) < 1.5 * 10**-digits * (digits > 0) or before == now


def test_every_figure_is_on_a_page_and_no_other_is() -> None:
    shown = [
        name for page in PAGES.values() for name in re.findall(r"\(figures/(\w+)\.svg\)", page)
    ]
    assert sorted(shown) == sorted(FIGURES)
    assert {path.name for path in FOLDER.iterdir()} == {
        *(f"{name}.svg" for name in FIGURES),
        "report.png",
    }


def test_the_picture_of_a_report_is_on_the_readme_and_light_enough() -> None:
    picture = FOLDER / "report.png"
    content = picture.read_bytes()
    assert content.startswith(b"\x89PNG\r\n\x1a\n")
    width, height = (int.from_bytes(content[at : at + 4], "big") for at in (16, 20))
    assert width == 960
    assert 600 < height < 1000
    assert len(content) < 150_000
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert "](docs/figures/report.png)" in readme


def test_layers_in_the_picture_are_those_of_the_contract() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    layers = project["tool"]["importlinter"]["contracts"][0]["layers"]
    svg = (FOLDER / "layers.svg").read_text(encoding="utf-8")
    rows: dict[str, list[str]] = {}
    for height, name in re.findall(r'<text x="[^"]*" y="([^"]*)"[^>]*>(\w+)</text>', svg):
        rows.setdefault(height, []).append(name)
    assert list(rows.values()) == [
        [re.sub(r"\W", "", name) for name in re.split(r"[:|]", layer)] for layer in layers
    ]
