"""Every mechanism has its claim and a sketch of its proof in the guide."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from discreet.release.methods import METHODS

FOLDER = Path(__file__).parents[2] / "docs" / "guarantees"
INDEX = (FOLDER / "index.md").read_text(encoding="utf-8")
LINES = [line.split("|")[1:-1] for line in INDEX.splitlines() if line.startswith("| `")]
OTHERS = (
    "impute", "derive", "randomize_transactions", "randomize_file", "Synthesizer",
    "synthetic_release", "randomized_response", "extract", "decide_exact_count",
    "decide_exact_histogram",
)  # fmt: skip


def test_every_method_of_a_policy_and_every_other_mechanism_has_a_line() -> None:
    told = {name for names, *_ in LINES for name in re.findall(r"`([\w-]+)`", names)}
    assert {*METHODS, *OTHERS} <= told


def test_every_page_is_in_the_table_and_the_contents() -> None:
    pages = {path.stem for path in FOLDER.glob("*.md")} - {"index"}
    linked = set(re.findall(r"\((\S+)\.md\)", "".join(line[-1] for line in LINES)))
    contents = INDEX.split("```{toctree}")[1].split()
    assert linked == pages <= set(contents)


@pytest.mark.parametrize("path", sorted(FOLDER.glob("[!i]*.md")), ids=lambda path: path.stem)
def test_every_page_states_claim_and_proof_and_what_is_not_protected(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    for word in ("Claim", "Proof", "Not protected"):
        assert re.search(rf"(\*\*|## ){word}", text, re.IGNORECASE), word
