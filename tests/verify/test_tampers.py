"""The corpus of tampered folders: each gets the answer that it deserves."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from discreet.verify import verify_release
from tests.verify.folders import edit, spoken
from tests.verify.tampers import (
    BASES,
    TAMPERS,
    Edit,
    Tamper,
    both,
    form_of_node,
    put,
    saved,
    step,
    tampered,
)


@pytest.fixture(scope="module")
def honest(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("honest")
    return {kind: saved(kind, folder) for kind in BASES}


def test_the_corpus_is_large_and_each_has_a_name() -> None:
    assert len(TAMPERS) >= 137
    assert len({tamper.name for tamper in TAMPERS}) == len(TAMPERS)
    # Without the original few pass, and all of these are refuted with it.
    passing = [tamper for tamper in TAMPERS if tamper.alone != "refuted"]
    assert len(passing) < 16
    assert not [t.name for t in passing if t.with_original != "refuted"]


@pytest.mark.parametrize("kind", BASES)
def test_what_was_not_touched(kind: str, honest: dict[str, Path]) -> None:
    base = BASES[kind]
    assert verify_release(honest[kind]).answer == base.alone
    assert verify_release(honest[kind], original=base.original).answer == base.with_original


@pytest.mark.parametrize("tamper", TAMPERS, ids=lambda tamper: tamper.name)
def test_what_was_tampered_with(tamper: Tamper, honest: dict[str, Path], tmp_path: Path) -> None:
    folder = tampered(tamper, honest[tamper.base], tmp_path)
    alone = verify_release(folder)
    assert alone.answer == tamper.alone, alone.sentence
    given = verify_release(folder, original=BASES[tamper.base].original)
    assert given.answer == tamper.with_original, given.sentence


# What is no fault, and is named.

NAMED: list[tuple[str, Edit, str, str]] = [
    (
        "k-mii",
        both(
            put("guarantee/parameters/k", 1),
            step("mii_suppress", theta=0),
            step("enforce_classes", k=1),
        ),
        "strength",
        "k = 1 is true of any rows",
    ),
    (
        "laplace",
        put("guarantee/parameters/epsilon", {"exact": "1000000000/1", "decimal": "1000000000"}),
        "strength",
        "leaves next to no doubt",
    ),
    (
        "k-mii",
        lambda folder: edit(
            folder,
            lambda values: values["events"].insert(
                0,
                {
                    "name": "restrict_to_part",
                    "counts": {},
                    "parameters": {"composition": "parallel", "partition": "x", "part": "Be sure"},
                },
            ),
        ),
        "part of the source",
        "by names that its publisher chose",
    ),
    ("mondrian", form_of_node(0, 2, 65_000), "labels", "is higher than what is shown below it"),
    ("mondrian", form_of_node(1, 0, "bachelor\u200b"), "labels", "letters that are not seen"),
]


@pytest.mark.parametrize("case", NAMED, ids=lambda case: case[3])
def test_what_says_little_is_named(
    case: tuple[str, Edit, str, str], honest: dict[str, Path], tmp_path: Path
) -> None:
    kind, change, name, words = case
    folder = Path(shutil.copytree(honest[kind], tmp_path / "release"))
    change(folder)
    (found,) = [each for each in verify_release(spoken(folder)).checks if each.name == name]
    assert found.passed is None
    assert words in found.detail


def test_a_certificate_called_one_of_version_1_is_never_plainly_verified(
    honest: dict[str, Path], tmp_path: Path
) -> None:
    folder = Path(shutil.copytree(honest["k-mii"], tmp_path / "release"))

    def older(values: dict[str, Any]) -> None:
        del values["publishes"]
        values.update(schema_version=1, discreet_version="0.1.0")

    found = verify_release(edit(folder, older))
    assert found.answer == "verified"
    assert (
        "; of version 1: its sentences, and what files say beside rows, are not" in found.sentence
    )
