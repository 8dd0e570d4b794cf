"""Differential privacy in plain words: no more than is true, and no comfort where there is none."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

import discreet as dc
from discreet.release.guarantee import ADD_REMOVE, REPLACE, Guarantee
from discreet.report.page import html_report
from discreet.report.sections.words import banners, in_plain_words, outcome
from discreet.synthesize import synthetic_release
from discreet.synthesize.budget import ANY_ROWS
from tests.report.samples import Check, Verification, private

COMFORT = "It makes little difference"
UNCHANGED = "publishing some rows of the original unchanged"


def claimed(
    epsilon: Fraction | int, delta: Fraction | int = 0, *, neighbours: str = ADD_REMOVE
) -> Guarantee:
    return Guarantee(
        model="(epsilon, delta)-differential privacy" if delta else "differential privacy",
        parameters={"epsilon": Fraction(epsilon), "delta": Fraction(delta)},
        unit="one row",
        neighbours=neighbours,
        not_protected=("Much.",),
    )


def local(epsilon: int, neighbours: str = "any two transactions") -> Guarantee:
    return Guarantee(
        model="local differential privacy",
        parameters={"epsilon": Fraction(epsilon)},
        unit="one transaction",
        neighbours=neighbours,
        not_protected=("Much.",),
    )


def test_delta_is_added_to_the_chance_of_each_person() -> None:
    said = in_plain_words(claimed(1, Fraction(1, 10**6)), n_rows=500)
    assert "For each person: the probability" in said
    assert "at most 2.72 times" in said  # e rounded up, never down
    assert ", plus 0.000001, and the other way round" in said
    assert "fails for somebody" not in said
    assert "plus" not in in_plain_words(claimed(1), n_rows=500)


@pytest.mark.parametrize(
    ("epsilon", "delta", "n_rows", "is_small"),
    [
        (1, 0, 500, True),
        (1, 0, None, True),
        (1, Fraction(1, 10**6), 500, True),
        (1, Fraction(1, 10**6), None, False),
        (1, Fraction(1, 10**6), 10**6, False),
        (1, Fraction(1, 100), 50, False),
        (1, Fraction(1, 2), 500, False),
        (1, Fraction(1, 2), 0, False),
        (Fraction(101, 100), 0, 500, False),
        (10, 0, 500, False),
    ],
)
def test_a_difference_is_called_little_only_where_it_is(
    *, epsilon: Fraction | int, delta: Fraction | int, n_rows: int | None, is_small: bool
) -> None:
    said = in_plain_words(claimed(epsilon, delta), n_rows=n_rows)
    assert (COMFORT in said) == is_small
    assert "nearly the same" not in said
    assert "times what it would be" in said


def test_a_large_factor_is_told_plainly() -> None:
    assert "at most 22,026.47 times" in in_plain_words(claimed(10), n_rows=500)


def test_a_delta_that_rows_as_they_are_would_satisfy() -> None:
    said = in_plain_words(claimed(1, Fraction(1, 2)), n_rows=300)
    assert f"A delta of 0.5 is too large for 300 rows: {UNCHANGED}" in said
    assert UNCHANGED in in_plain_words(claimed(1, Fraction(1, 300)), n_rows=300)
    assert UNCHANGED not in in_plain_words(claimed(1, Fraction(1, 301)), n_rows=300)


def test_the_page_counts_its_own_rows() -> None:
    data = dc.datasets.census(200).select(["sex", "income"])
    assert COMFORT in html_report(private(data))
    coarse = {"epsilon": Fraction(1, 2), "delta": Fraction(1, 200)}
    page = html_report(private(data, parameters=coarse))
    assert COMFORT not in page
    assert UNCHANGED in page


def test_other_neighbours_are_named() -> None:
    """Whether somebody is in the data at all is not hidden if rows are replaced."""
    said = in_plain_words(claimed(1, neighbours=REPLACE), n_rows=500)
    assert f"Compare {REPLACE}" in said
    assert COMFORT not in said
    assert "without the row" not in said


@pytest.mark.parametrize("epsilon", [Fraction(20), Fraction(10**6)])
def test_an_epsilon_that_protects_hardly_anyone_is_not_made_to_look_small(
    epsilon: Fraction,
) -> None:
    assert "protects hardly anyone" in in_plain_words(claimed(epsilon))


@pytest.mark.parametrize("neighbours", ["any two transactions", ANY_ROWS])
def test_local_reports_are_said_to_prove_nothing_only_if_epsilon_is_small(neighbours: str) -> None:
    small, large = (in_plain_words(local(epsilon, neighbours)) for epsilon in (1, 9))
    assert "prove" in small
    assert "at most 2.8 times as likely" in small
    assert "prove" not in large
    assert "at most 8,103.1 times as likely" in large
    assert "the odds of a guess between the two can rise by that factor" in large
    assert "protects hardly anyone" in in_plain_words(local(11, neighbours))


def test_an_experiment_whose_claim_holds_did_not_fail_its_check(tmp_path: Path) -> None:
    people = dc.datasets.census(300).select(["sex", "income"])
    release = synthetic_release(people, epsilon=1, delta=1e-6, domains=people, seed=1)
    checked = dc.verify_release(release.save(tmp_path / "out"))
    assert [each.name for each in checked.failed] == ["publication"]
    (banner,) = banners(release.guarantee, checked, internal=False)
    assert (banner.tone, banner.title) == ("danger", "Experimental, not for publication")
    found = outcome(checked)
    assert found.tone == "warning"
    assert found.title == (
        "Consistent with its claim, which rests on what cannot be seen in the files, but not for "
        "publication"
    )
    page = html_report(release, verification=checked)
    assert "Refuted" not in page


@pytest.mark.parametrize(
    ("sentence", "checks"),
    [
        ("refuted: privacy is not shown; failed: rows.", (Check("rows", False, "none"),)),
        ("refuted: privacy could not be recomputed (rows).", (Check("rows", None, "none"),)),
    ],
    ids=["failed", "not checkable"],
)
def test_an_experiment_whose_claim_does_not_hold_failed_its_check(
    sentence: str, checks: tuple[Check, ...]
) -> None:
    found = Verification(
        answer="refuted",
        sentence=f"Experimental, not for publication: {sentence}",
        checks=(*checks, Check("publication", False, "Made with a seed.")),
    )
    people = dc.datasets.census(10).select(["sex"])
    seeded = private(people, experimental=True, experimental_reason="made with a seed").guarantee
    titles = [each.title for each in banners(seeded, found, internal=False)]
    assert titles == ["Experimental, not for publication", "Refuted: the claim is not shown"]
    assert outcome(found).title == "Refuted: the claim is not shown"


def test_a_collector_is_not_said_to_be_untrusted_without_condition() -> None:
    """A file of transactions randomized by its holder was seen by the holder."""
    claim = Guarantee(
        model="local differential privacy",
        parameters={"epsilon": 1},
        unit="one transaction",
        neighbours="any two transactions",
        not_protected=("Much.",),
    )
    assert "where people did that themselves" in in_plain_words(claim)
