"""Pages of releases as the mechanisms make them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import discreet as dc
from discreet.report.sections import risk

CENSUS = dc.datasets.census(600).select(["sex", "age", "region"])


def test_a_k_anonymous_release_tells_its_floor_and_rare_combinations() -> None:
    release = dc.k_mii(CENSUS, k=4)
    summary = dc.suppress.suppression_summary(CENSUS, release)
    public = dc.html_report(release, original=CENSUS)
    internal = dc.html_report(release, original=CENSUS, internal=True)
    for page in (public, internal):
        assert "Identifying combinations by size" in page
        assert f">{summary.support_floor}<" in page
    assert f"{sum(summary.n_miis_by_size):,}" in internal
    assert ">combinations</th>" not in public


def test_without_the_rows_or_with_a_sample_there_is_no_such_part(tmp_path: Path) -> None:
    release = dc.k_mii(CENSUS, k=4)
    loaded = dc.Release.load(release.save(tmp_path / "out"))
    assert "Suppressed combinations" not in dc.html_report(loaded, original=CENSUS)
    sampled = dc.k_mii(CENSUS, k=4, sample_size=100, seed=1)
    assert "Suppressed combinations" not in dc.html_report(sampled, original=CENSUS)


def test_too_many_rare_combinations_are_said_to_be(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(risk, "MAX_COMBINATIONS", 3)
    page = dc.html_report(dc.k_mii(CENSUS, k=4), original=CENSUS)
    assert "more than 3 combinations" in page


def test_a_private_release_tells_nothing_of_the_original() -> None:
    release = dc.dp_mii_suppress(CENSUS, epsilon=1, delta=1e-6, k=5)
    with_original = dc.html_report(release, original=CENSUS)
    other = CENSUS.take(range(10))  # nothing but the reason why it is not there may differ
    release_alone = dc.html_report(replace(release, input_rows=None), original=other)
    assert with_original == release_alone
    assert "differential privacy. Figures computed" in with_original


@pytest.mark.parametrize("internal", [False, True])
def test_the_command_says_that_the_release_was_checked(tmp_path: Path, *, internal: bool) -> None:
    folder = dc.k_mii(CENSUS, k=4).save(tmp_path / "out")
    checked = dc.verify_release(folder, original=CENSUS if internal else None)
    page = dc.html_report(dc.Release.load(folder), verification=checked, internal=internal)
    assert "Verified: k-anonymity with k = 4 holds" in page
