"""The corpus of tampered folders: each gets the answer that it deserves."""

from __future__ import annotations

from pathlib import Path

import pytest

from discreet.verify import verify_release
from tests.verify.tampers import BASES, TAMPERS, Tamper, saved, tampered


@pytest.fixture(scope="module")
def honest(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("honest")
    return {kind: saved(kind, folder) for kind in BASES}


def test_the_corpus_is_large_and_each_has_a_name() -> None:
    assert len(TAMPERS) >= 137
    assert len({tamper.name for tamper in TAMPERS}) == len(TAMPERS)
    # Without the original few pass, and all of these are refuted with it, but for one.
    passing = [tamper for tamper in TAMPERS if tamper.alone != "refuted"]
    assert len(passing) < 16
    assert [t.name for t in passing if t.with_original != "refuted"] == [
        "households that nobody counts"
    ]


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
