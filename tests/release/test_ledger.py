"""Ledgers: what composes, what a budget refuses, and what is warned of."""

from __future__ import annotations

import stat
import warnings
from fractions import Fraction
from pathlib import Path

import pytest

from discreet.errors import CompositionWarning, DataError, GuaranteeError, ParameterError
from discreet.release.composition import compose
from discreet.release.guarantee import IF_PUBLIC, REPLACE
from discreet.release.ledger import Ledger
from discreet.release.release import Release
from tests.release.claims import k_anonymity, private
from tests.release.ledger_releases import MILLIONTH, TABLE, TENTH, release_of


def test_sums_are_exact_and_survive(location: str) -> None:
    ledger = Ledger.open(location)
    assert ledger.remaining("census") is None
    release = release_of(private())
    for number in range(1, 4):
        assert ledger.record(release, source="census").number == number
    ledger.record(release_of(private(), age=40), source="süd, 'quoted'; --")
    ledger = Ledger.open(location, create=False)
    spent = ledger.spent("census")
    assert (spent.epsilon, spent.delta) == (3 * TENTH, 3 * MILLIONTH)
    assert (spent.n_releases, spent.n_without_epsilon, spent.notes) == (3, 0, ())
    assert spent.to_dict()["epsilon"] == {"exact": "3/10", "decimal": "0.3"}
    assert ledger.sources() == ("census", "süd, 'quoted'; --")
    entry = ledger.entries("census")[0]
    assert entry.guarantee == release.guarantee
    assert entry.fingerprint == release.fingerprint
    assert ledger.spent("other").n_releases == 0


def test_budget(location: str) -> None:
    ledger = Ledger.open(location)
    left = ledger.budget("census", epsilon=Fraction(1, 4), delta=2 * MILLIONTH)
    assert (left.epsilon, left.delta) == (Fraction(1, 4), 2 * MILLIONTH)
    ledger.record(release_of(private()), source="census")
    ledger.record(release_of(private()), source="census")
    with pytest.raises(GuaranteeError) as caught:
        ledger.record(release_of(private()), source="census")
    assert str(caught.value) == (
        "This release (epsilon 0.1, delta 0.000001) would bring 'census' to epsilon 0.3, delta "
        "0.000003, past its budget of epsilon 0.25, delta 0.000002; spent so far: epsilon 0.2, "
        "delta 0.000002. Nothing was recorded."
    )
    remaining = ledger.remaining("census")
    assert remaining is not None
    assert (remaining.epsilon, remaining.delta) == (Fraction(1, 20), Fraction(0))
    assert remaining.to_dict()["epsilon"] == {"exact": "1/20", "decimal": "0.05"}
    with pytest.warns(CompositionWarning, match="'another' has no budget"):
        ledger.record(release_of(private(), age=40), source="another")
    with pytest.raises(GuaranteeError, match=r"epsilon 0\.2, delta 0\.000002 is spent"):
        ledger.budget("census", epsilon=TENTH)
    ledger.budget("census", epsilon=1, delta=MILLIONTH * 3)  # the last one counts
    ledger.record(release_of(private()), source="census")
    assert ledger.spent("census").n_releases == 3


@pytest.mark.parametrize("figures", [{"epsilon": 0}, {"epsilon": -1}, {"epsilon": 1, "delta": 1},
                                     {"epsilon": float("inf")}, {"epsilon": "one"}])  # fmt: skip
def test_budgets_out_of_range(tmp_path: Path, figures: dict[str, float]) -> None:
    with pytest.raises(ParameterError):
        Ledger.open(tmp_path / "ledger").budget("census", **figures)


def test_what_holds_on_a_condition_is_counted_and_named_and_not_added(tmp_path: Path) -> None:
    ledger = Ledger.open(tmp_path / "ledger.sqlite")
    conditional = private(model=IF_PUBLIC + "(epsilon, delta)-differential privacy")
    ledger.record(release_of(private()), source="census")
    ledger.record(release_of(conditional), source="census")
    spent = ledger.spent("census")
    assert (spent.epsilon, spent.delta) == (TENTH, MILLIONTH)
    assert (spent.n_releases, spent.n_without_epsilon) == (2, 1)
    (note,) = spent.notes
    assert note == (
        "Release 2 holds only if the lists of values are public: the figures do not cover its "
        "epsilon 0.1 and delta 0.000001."
    )
    ledger.budget("poll", epsilon=1, delta=TENTH)
    with pytest.raises(GuaranteeError, match="holds only if the lists of values are public"):
        ledger.record(release_of(conditional), source="poll")


def test_a_budget_counts_only_what_adds_up(tmp_path: Path) -> None:
    ledger = Ledger.open(tmp_path / "ledger.sqlite")
    ledger.budget("census", epsilon=1, delta=TENTH)
    seeded = private(experimental=True, experimental_reason="drawn with seed 7")
    with pytest.raises(GuaranteeError, match="is experimental"):
        ledger.record(release_of(seeded), source="census")
    with pytest.raises(GuaranteeError, match="which has no epsilon"):
        ledger.record(release_of(k_anonymity(2)), source="census")
    ledger.record(release_of(private()), source="census")
    with pytest.raises(GuaranteeError, match="does not add up"):
        ledger.record(release_of(private(neighbours=REPLACE)), source="census")
    assert ledger.spent("census").n_releases == 1
    with pytest.warns(CompositionWarning, match="'survey' has no budget"):
        ledger.record(release_of(k_anonymity(2), age=40), source="survey")
    with pytest.raises(GuaranteeError, match=r"1 of 1 releases have no epsilon \(k-anonymity\)"):
        ledger.budget("survey", epsilon=1)


def test_several_k_anonymous_releases_are_warned_of(tmp_path: Path) -> None:
    ledger = Ledger.open(tmp_path / "ledger.sqlite")
    ledger.record(release_of(k_anonymity(2)), source="census")
    ledger.record(release_of(k_anonymity(2), age=40), source="survey")
    ledger.record(release_of(private()), source="census")
    with pytest.warns(CompositionWarning, match="'census' has 1 earlier release without"):
        ledger.record(release_of(k_anonymity(2)), source="census")
    with pytest.raises(CompositionWarning):  # where warnings are errors, nothing is recorded
        ledger.record(release_of(k_anonymity(2)), source="census")
    spent = ledger.spent("census")
    assert (spent.n_releases, spent.n_without_epsilon) == (3, 2)
    assert "2 of 3 releases have no epsilon (k-anonymity)" in spent.notes[0]
    with pytest.warns(CompositionWarning, match="different units"):
        ledger.record(release_of(private(unit="one household")), source="census")
    assert "sum is no guarantee" in ledger.spent("census").notes[-1]


def test_disjoint_parts_compose_in_parallel(tmp_path: Path) -> None:
    ledger = Ledger.open(tmp_path / "ledger.sqlite")
    ledger.budget("census", epsilon=Fraction(3, 10), delta=TENTH)
    for part in ("north", "south", "north"):
        ledger.record(release_of(private(), part), source="census")
    spent = ledger.spent("census")
    assert (spent.epsilon, spent.delta) == (2 * TENTH, 2 * MILLIONTH)
    assert "by region (north, south)" in spent.notes[0]
    ledger.record(release_of(private()), source="census")
    ledger.record(release_of(private(), "south"), source="census")
    with pytest.raises(GuaranteeError, match=r"to epsilon 0\.4"):
        ledger.record(release_of(private(), "north"), source="census")


def test_replacing_a_row_may_move_it_between_parts(tmp_path: Path) -> None:
    ledger = Ledger.open(tmp_path / "ledger.sqlite")
    for part in ("north", "south"):
        ledger.record(release_of(private(neighbours=REPLACE), part), source="census")
    assert ledger.spent("census").epsilon == 2 * TENTH
    assert compose("census", ledger.entries("census")).notes == ()


def test_keys_stay_with_the_curator(location: str, tmp_path: Path) -> None:
    ledger = Ledger.open(location)
    release = release_of(private())
    ledger.record(release, source="census")
    ledger.record(release, source="census")  # the same key twice
    folder = release.save(tmp_path / "out", format="csv")
    assert Release.load(folder).fingerprint is None  # differential privacy publishes none
    kept = release.fingerprint
    assert kept is not None
    assert kept.matches(TABLE, ledger.key(kept.key_id))
    with pytest.raises(DataError, match="no key 00"):
        ledger.key("00")
    ledger.record(Release.load(folder), source="census")  # without a key
    if "://" not in location:
        assert stat.S_IMODE(Path(location).stat().st_mode) == 0o600


def test_nothing_is_warned_of_without_reason(tmp_path: Path) -> None:
    ledger = Ledger.open(tmp_path / "ledger")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for _ in range(2):
            ledger.record(release_of(private()), source="census")
    assert caught == []
