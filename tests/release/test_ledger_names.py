"""Sources and their names: what is the same, and what is warned of."""

from __future__ import annotations

import unicodedata
import warnings
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.data.transactions import Transactions
from discreet.errors import CompositionWarning, GuaranteeError, ParameterError
from discreet.release.fingerprint import Fingerprint
from discreet.release.ledger import Ledger, fold_source
from discreet.release.release import Release
from tests.release.claims import k_anonymity, private
from tests.release.ledger_releases import MILLIONTH, TABLE, TENTH, release_of

SAME = [
    "Survey 2026", "survey 2026", "SURVEY  2026", "  survey\t2026\n", "survey\u00a02026",
    "survey \uff12\uff10\uff12\uff16", "\uff33urvey 2026", "survey\ufe0f 2026",
]  # fmt: skip


def test_one_source_however_it_is_written(location: str) -> None:
    ledger = Ledger.open(location)
    ledger.budget(SAME[0], epsilon=Fraction(1, 4), delta=TENTH)
    for name in SAME[1:3]:
        ledger.record(release_of(private()), source=name)
    for name in SAME:
        assert ledger.spent(name).epsilon == 2 * TENTH
        assert len(ledger.entries(name)) == 2
        with pytest.raises(GuaranteeError, match="past its budget"):
            ledger.record(release_of(private()), source=name)
    assert ledger.sources() == ("Survey 2026",)
    assert [entry.number for entry in ledger.entries("survey 2026")] == [1, 2]


@pytest.mark.parametrize(
    ("one", "other"),
    [("Straße", "STRASSE"), ("café", "cafe\u0301"), ("ﬁle", "FILE"), ("Ⅳ", "iv"),
     ("Σίσυφος", "ΣΊΣΥΦΟΣ")],
)  # fmt: skip
def test_letters_that_are_the_same(one: str, other: str) -> None:
    assert fold_source(one) == fold_source(other)


@given(st.text(max_size=20))
def test_folding_is_done_once(name: str) -> None:
    folded = fold_source(name)
    assert fold_source(folded) == folded
    assert fold_source(f" {name.upper().lower()}\n") == fold_source(name.upper().lower())
    assert fold_source(unicodedata.normalize("NFD", name)) == folded


@pytest.mark.parametrize(
    "name", ["", " \n", "a\0b", "a\u200bb", "a\u202eb", "\ufe0f", "\udc80", "x" * 201, 7]
)
def test_names_that_are_none(tmp_path: Path, name: str) -> None:
    with pytest.raises(ParameterError, match="printable name of at most 200") as caught:
        Ledger.open(tmp_path / "ledger").record(release_of(private()), source=name)
    assert caught.value.parameter == "source"


def test_the_same_input_under_another_name_is_warned_of(location: str) -> None:
    ledger = Ledger.open(location)
    ledger.record(release_of(private()), source="census")
    for claim in (private(), k_anonymity(2)):  # whatever is done with it
        with pytest.warns(CompositionWarning, match=r"recorded before as 'census' \(release 1\)"):
            ledger.record(release_of(claim), source=f"register of {claim.model}")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ledger.record(release_of(private(), age=40), source="another")
        ledger.record(release_of(private(), age=40), source="Another")


def test_the_same_transactions_and_loaded_releases_are_recognized(tmp_path: Path) -> None:
    ledger = Ledger.open(tmp_path / "ledger")
    baskets = Transactions.from_iterable([{"a", "b"}, {"a"}])
    for name in ("baskets", "carts"):
        release = Release(data=TABLE, guarantee=private(), fingerprint=Fingerprint.of(baskets))
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            ledger.record(release, source=name)
        assert len(caught) == (name == "carts")
    folder = release_of(k_anonymity(2), age=40).save(tmp_path / "out")
    ledger.record(Release.load(folder), source="loaded")  # without a key, and without a digest
    with pytest.warns(CompositionWarning, match="recorded before as 'loaded'"):
        ledger.record(Release.load(folder), source="loaded again")


def test_a_source_without_a_budget_beside_others_is_warned_of(tmp_path: Path) -> None:
    ledger = Ledger.open(tmp_path / "ledger")
    ledger.record(release_of(private(), age=40), source="first")
    ledger.budget("survey 2026", epsilon=1, delta=MILLIONTH)
    with pytest.warns(CompositionWarning, match=r"'survey 2062' has no budget.* Did you mean"):
        ledger.record(release_of(private()), source="survey 2062")
    with pytest.warns(CompositionWarning, match="'first' has no budget"):
        ledger.record(release_of(k_anonymity(2), age=40), source="first")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ledger.record(release_of(private(), age=50), source="Survey  2026")
