"""What a public page must not tell, and what an internal one may."""

from __future__ import annotations

import re

import numpy as np
import pytest

import discreet as dc
from discreet.errors import DataError, ParameterError
from discreet.release.guarantee import Guarantee
from discreet.release.release import Release
from discreet.report.page import html_report
from discreet.report.subject import group_size, make_subject
from tests.report.conftest import COVERED
from tests.report.pages import parse
from tests.report.samples import Check, Verification, claim, k_anonymous, private, sample


def with_rare_people(n_rows: int = 600) -> dc.Table:
    """Return people of whom two have jobs, and one a place, that nobody else has."""
    jobs = ["cook", "clerk", "nurse"] * (n_rows // 3)
    jobs[7], jobs[8] = "astronaut", "lion tamer"
    towns = ["Northmark", "Southport"] * (n_rows // 2)
    towns[9] = "Lighthouse Rock"
    return dc.Table.from_frame({"job": jobs, "town": towns, "sex": list("ffm") * (n_rows // 3)})


@pytest.fixture(scope="module")
def rare() -> dc.Table:
    return with_rare_people()


def test_a_public_page_names_no_rare_value(rare: dc.Table) -> None:
    page = html_report(k_anonymous(rare), original=rare)
    assert "cook" in page
    for word in ("astronaut", "lion tamer", "Lighthouse Rock"):
        assert word not in page


def test_an_internal_page_names_them_and_says_what_it_is(rare: dc.Table) -> None:
    page = html_report(k_anonymous(rare), original=rare, internal=True)
    for word in ("astronaut", "lion tamer", "Lighthouse Rock"):
        assert word in page
    assert "Internal, not for publication" in page
    assert "noindex" in page


def test_a_rare_value_that_is_released_uncovered_is_still_pooled(rare: dc.Table) -> None:
    release = k_anonymous(rare, columns=("sex",))
    assert "astronaut" in release.data.values("job")
    assert "astronaut" not in html_report(release, original=rare)


def test_nothing_of_the_original_is_in_the_page_of_a_private_release(rare: dc.Table) -> None:
    release = private(k_anonymous(rare).data)
    page = html_report(release, original=rare)
    other = with_rare_people(900)
    assert page == html_report(release, original=other)
    assert "shows only what the released data shows" in page
    alone = html_report(release)
    said = "The guarantee of this release is differential privacy."
    assert said in page
    assert len(re.findall("<svg", page)) == len(re.findall("<svg", alone))
    assert "original: share of rows" not in page


def test_a_model_that_is_not_known_takes_nothing_from_the_original(rare: dc.Table) -> None:
    release = Release(
        data=rare.take(np.arange(20, 600)),
        guarantee=Guarantee(
            model="a heuristic", parameters={}, unit="one row", not_protected=("All.",)
        ),
    )
    assert make_subject(release, original=rare).before is None
    assert html_report(release, original=rare) == html_report(release, original=rare.take([0]))


def test_without_the_original_only_the_release_is_shown(release: Release) -> None:
    page = html_report(release)
    assert "was made without the original data" in page
    assert "Utility" not in page


def test_details_of_checks_stay_out_of_public_pages_of_private_releases(rare: dc.Table) -> None:
    told = Verification(checks=(Check("rows", True, "row 17 of the original"),))
    release = private(k_anonymous(rare).data)
    assert "row 17" not in html_report(release, verification=told)
    assert "row 17" in html_report(release, verification=told, internal=True)


def test_exact_figures_are_for_internal_pages(public_page: str, internal_page: str) -> None:
    assert "worst columns" not in public_page
    assert "worst columns" in internal_page
    assert "predicted correctly" not in public_page
    assert "The most identifying combinations" not in public_page
    assert "The most identifying combinations" in internal_page


def test_no_public_page_counts_the_original(public_page: str, internal_page: str) -> None:
    def heads(page: str) -> list[str]:
        return [each.text for each in parse(page).all("th")]

    assert heads(public_page).count("share of the original") == 10
    for table in parse(public_page).all("table"):
        names = [each.text for each in table.all("thead")[0].all("th")]
        if "share of the original" in names:
            for row in table.all("tbody")[0].all("tr"):
                share = row.all("td")[names.index("share of the original") - 1].text
                assert share == "not shown" or re.fullmatch(r"\d+(\.0)?%", share), share
    for words in ("rows of the original", "original: classes"):
        assert words not in heads(public_page)
        assert words in heads(internal_page)


def test_which_empty_cells_were_missing_before_is_not_told_in_public() -> None:
    original = dc.Table.from_frame(
        {"sex": ["f"] * 50 + ["m"] * 50 + [None] * 10 + ["f", "m"], "town": ["A"] * 110 + ["B"] * 2}
    )
    release = k_anonymous(original, k=2)
    assert release.data.n_rows == 112
    page = html_report(release, original=original)
    assert "Cells without a value, by column" in page
    assert "Cells suppressed, by column" not in page
    assert "Cells suppressed, by column" in html_report(release, original=original, internal=True)


@pytest.mark.parametrize(
    ("parameters", "size"),
    [({"k": 7}, 7), ({"theta": 4}, 5), ({"theta": 4, "k": 3}, 3), ({}, None)],
)
def test_how_many_must_be_alike(parameters: dict[str, int], size: int | None) -> None:
    claim = Guarantee(model="odd", parameters=parameters, unit="one row", not_protected=("Much.",))
    assert group_size(claim) == size


def test_an_original_without_a_column_is_refused(release: Release, original: dc.Table) -> None:
    others = [name for name in original.columns if name != "region"]
    with pytest.raises(DataError, match="no column 'region'"):
        html_report(release, original=original.select(others))


def test_an_original_with_too_few_rows_is_refused(release: Release, original: dc.Table) -> None:
    with pytest.raises(ParameterError, match="Give the table that it was made from"):
        html_report(release, original=original.take(np.arange(50)))


def test_another_table_is_noticed() -> None:
    original = dc.Table.from_frame({"town": ["A"] * 20 + ["B"] * 20})
    other = dc.Table.from_frame({"town": ["A"] * 20 + ["C"] * 20})
    release = Release(data=original, guarantee=claim(5, ["town"]))
    page = html_report(release, original=other)
    assert "values in town that the original never has" in page


def test_identifying_columns_of_the_original_are_never_read(release: Release) -> None:
    original = sample(3000)
    frame = original.to_frame().with_row_index("passport")
    named = dc.Table.from_frame(
        frame, roles={"passport": "identifying"}, categorical=("household_size",)
    )
    page = html_report(release, original=named, internal=True)
    assert "passport" not in page


def test_the_sample_is_what_the_tests_think_it_is(release: Release) -> None:
    assert release.guarantee.columns == COVERED
    assert None in release.data.values("region")
