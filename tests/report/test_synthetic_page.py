"""The page of drawn rows: what was measured, and attacks for the curator only."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

import discreet as dc
from discreet.errors import DataError, ParameterError
from discreet.report.page import write_report
from discreet.report.sections.risk import most_advantage
from discreet.synthesize import synthetic_release
from tests.report.hostile import TEXTS
from tests.report.pages import parse


def people(n: int, seed: int) -> dc.Table:
    rng = np.random.default_rng(seed)
    frame = {
        name: rng.choice(values, n).tolist()
        for name, values in {"sex": ["f", "m"], "job": [*"abc"], "ill": ["no", "yes"]}.items()
    }
    return dc.Table.from_frame(frame, roles={"ill": "sensitive"})


MEMBERS, OTHERS = people(300, 1), people(200, 2)
CENTRAL = synthetic_release(MEMBERS, epsilon=1, delta=1e-6)
LOCAL = synthetic_release(MEMBERS, epsilon=4, trust="local", domains=MEMBERS)


def words(page: str) -> str:
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", page))


def test_a_public_page_is_made_from_the_release_alone() -> None:
    page = dc.html_report(CENTRAL, original=MEMBERS)
    text = words(page)
    assert "Measurements" in text
    assert "counts of sex" in text
    assert "Synthetic rows were drawn from these measurements only" in text
    assert "Attacks on synthetic data" not in text
    assert "highest probability of re-identification" not in text
    assert page == dc.html_report(CENTRAL, original=OTHERS)


def test_a_local_page_lists_chances() -> None:
    text = words(dc.html_report(LOCAL))
    assert "probability that it keeps its value" in text
    assert "was randomized before anything was learnt" in text
    assert "collector had to be trusted" not in text
    assert "were given, and are public" in text


def test_attacks_are_told_beside_controls_on_internal_pages() -> None:
    page = dc.html_report(CENTRAL, original=MEMBERS, controls=OTHERS, internal=True)
    text = words(page)
    assert "Attacks on synthetic data" in text
    assert "area under the curve" in text
    assert "ill" in text
    assert "unique records of members" in text
    assert f"{most_advantage(CENTRAL.guarantee):.3f}" in text


@pytest.mark.parametrize("original", [None, MEMBERS])
def test_attacks_are_not_published(original: dc.Table | None) -> None:
    with pytest.raises(ParameterError, match="internal pages"):
        dc.html_report(CENTRAL, original=original, controls=OTHERS)
    if original is None:
        with pytest.raises(ParameterError, match="internal pages"):
            dc.html_report(CENTRAL, controls=OTHERS, internal=True)


def test_controls_of_other_columns() -> None:
    other = dc.Table.from_frame({"sex": ["f", "m"]})
    with pytest.raises(DataError, match="The table of controls has no column"):
        dc.html_report(CENTRAL, original=MEMBERS, controls=other, internal=True)


def test_the_guide_names_every_part() -> None:
    page = dc.html_report(CENTRAL, original=MEMBERS, controls=OTHERS, internal=True)
    guide = (Path(__file__).parents[2] / "docs" / "report.md").read_text()
    titles = [each.text for each in parse(page).all("h2")]
    assert "Attacks on synthetic data" in titles
    assert [title for title in titles if f"| {title} |" not in guide] == []
    assert "--controls" in guide


def test_the_original_is_no_control_group() -> None:
    with pytest.raises(ParameterError, match="controls: these are the rows of the original"):
        dc.html_report(CENTRAL, original=MEMBERS, controls=MEMBERS, internal=True)


def test_a_page_of_a_folder(tmp_path: Path) -> None:
    folder = CENTRAL.save(tmp_path / "out")
    page = write_report(folder, original=MEMBERS, controls=OTHERS, internal=True)
    assert "Attacks on synthetic data" in page.read_text()


def test_hostile_values_are_text() -> None:
    texts = [*TEXTS.values()]
    table = dc.Table.from_frame({"a": texts * 6, texts[0]: ["x", "y"] * (3 * len(texts))})
    page = dc.html_report(synthetic_release(table, epsilon=2, domains=table))
    assert "<script>document" not in page
    assert "<img" not in page
