"""Pages of all kinds of releases: what they say, and that odd ones are no problem."""

from __future__ import annotations

import hashlib
import subprocess
import sys
from dataclasses import replace
from importlib.resources import files

import pytest

import discreet as dc
from discreet.release.event import Event
from discreet.release.guarantee import Guarantee
from discreet.release.release import Release
from discreet.report.page import html_report
from discreet.report.sections.events import in_words
from discreet.report.sections.words import in_plain_words
from tests.report.pages import parse
from tests.report.samples import MADE, Verification, claim, k_anonymous, private, sample


def test_page_one_says_it_all_in_plain_words(public_page: str) -> None:
    said = " ".join(parse(public_page).with_id("words").text.split())
    for words in (
        "at least 5 rows of this release that are equal in these columns",
        "at most 1 in 5",
        "What all members of a group have in common can be learnt about each of them.",
        "Each person is in one row only.",
        "Verified: recomputed from the files, the claim holds",
        "Privacy officer",
        "combinations that fewer than 5 share",
    ):
        assert words in said


def test_columns_that_the_claim_leaves_out_are_not_said_to_be_covered() -> None:
    many = Guarantee(
        model="k-anonymity", parameters={"k": 3}, unit="one row",
        columns=tuple(f"c{i}" for i in range(12)), not_protected=("What a class has in common.",),
    )  # fmt: skip
    assert "values in the 12 columns below" in in_plain_words(many)
    assert "every column" not in in_plain_words(many)


def test_the_sections_are_there(public_page: str) -> None:
    titles = [each.text for each in parse(public_page).all("h2")]
    assert titles == [
        "In plain words",
        "Re-identification risk",
        "Equivalence classes",
        "Suppressed cells and records",
        "Suppressed combinations",
        "Distribution of values",
        "Utility",
        "All figures",
    ]


def test_the_same_input_gives_the_same_page(
    release: Release, original: dc.Table, internal_page: str
) -> None:
    again = html_report(release, original=original, internal=True, verification=Verification())
    assert again == internal_page


def test_the_page_does_not_depend_on_the_process() -> None:
    code = (
        "from tests.report.test_pages import page_of_a_sample\n"
        "import hashlib\n"
        "print(hashlib.sha256(page_of_a_sample().encode()).hexdigest())"
    )
    run = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env={"PYTHONHASHSEED": "1", "PYTHONPATH": "."},
    )
    assert run.stdout.strip() == hashlib.sha256(page_of_a_sample().encode()).hexdigest()


def page_of_a_sample() -> str:
    table = sample(400)
    return html_report(k_anonymous(table, columns=["sex", "age"]), original=table)


def test_an_experimental_release_is_marked_in_red(release: Release) -> None:
    marked = replace(
        release,
        guarantee=claim(5, ("sex",), experimental=True, experimental_reason="a seed was given"),
    )
    tree = parse(html_report(marked))
    banner = next(each for each in tree.all("div") if each.attributes.get("class") == "banner")
    assert "Experimental, not for publication" in banner.text
    assert "a seed was given" in banner.text
    assert "banner" not in [
        each.attributes.get("class") for each in parse(html_report(release)).all()
    ]


def test_a_failed_check_is_at_the_head_of_the_page(release: Release) -> None:
    failed = Verification(answer="refuted", sentence="Class 3 has 2 rows only.")
    page = html_report(release, verification=failed)
    assert page.index("Refuted: the claim is not shown") < page.index("<h1>")


def test_an_unchecked_release_says_so(release: Release) -> None:
    assert "Not verified yet" in html_report(release)


def test_how_to_repeat_it(release: Release) -> None:
    page = html_report(
        release,
        command="discreet run policy.toml",
        policy="k = 5\n",
        hashes={"data.csv": "ab" * 32},
    )
    text = parse(page).with_id("details").text
    for part in ("discreet run policy.toml", "k = 5\n", "ab" * 32, "2026-03-01 12:00:00 UTC"):
        assert part in text


def test_every_figure_of_a_private_release_is_stated() -> None:
    table = dc.Table.from_frame({"sex": ["f"] * 30 + ["m"] * 30})
    text = parse(html_report(private(table))).with_id("details").text
    for part in ("epsilon", "0.5", "exactly 1/2", "0.000001", "beta = 0.2", "scale = 110"):
        assert part in text


def test_the_journalist_of_a_sample_is_estimated() -> None:
    table = dc.Table.from_frame({"sex": ["f"] * 30 + ["m"] * 30})
    assert "the release is a sample of 20.0%" in html_report(private(table))


PEOPLE = {"sex": list("fmfmfmfmf"), "job": list("abcabcabc")}
ODD: dict[str, tuple[dict[str, list[str]], list[int]]] = {
    "no rows": (PEOPLE, []),
    "one row": ({"sex": ["f"], "job": ["a"]}, [0]),
    "one column": ({"sex": ["f"] * 9 + ["m"] * 9}, [*range(18)]),
    "one value": ({"sex": ["f"] * 9}, [*range(9)]),
    "all suppressed": (PEOPLE, [*range(9)]),
}


@pytest.mark.parametrize("internal", [False, True], ids=["public", "internal"])
@pytest.mark.parametrize("kind", ODD)
@pytest.mark.parametrize("with_original", [False, True], ids=["alone", "compared"])
def test_odd_releases(*, kind: str, with_original: bool, internal: bool) -> None:
    cells, rows = ODD[kind]
    original = dc.Table.from_frame(cells)
    data = original.take(rows)
    if kind == "all suppressed":
        for name in data.columns:
            data = data.with_column(name, [0] * len(data), [None])
    release = Release(data=data, guarantee=claim(1, data.columns), created=MADE)
    page = html_report(release, original=original if with_original else None, internal=internal)
    tree = parse(page)
    assert tree.all("h1")
    assert all(each.all("tbody")[0].all("tr") for each in tree.all("table"))
    assert bool(tree.all("svg")) == bool(rows or with_original)


def test_many_columns_and_many_values(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("discreet.report.sections.utility.MAX_FIGURES", 2)
    table = dc.Table.from_frame(
        {f"c{i}": [f"v{(row * (i + 1)) % 60}" for row in range(300)] for i in range(7)}
    )
    release = Release(data=table, guarantee=claim(1, table.columns[:3]), created=MADE)
    page = html_report(release, original=table)
    assert "5 more columns are not drawn" in page
    assert "other values" in page


def test_an_original_of_numbers_is_compared_with_a_release_of_texts() -> None:
    original = dc.Table.from_frame({"size": [1] * 30 + [2] * 30})
    release = Release(
        data=dc.Table.from_frame({"size": ["1"] * 30 + ["2"] * 30}), guarantee=claim(5, ["size"])
    )
    page = html_report(release, original=original)
    assert "the original never has" not in page


def test_a_single_column_has_no_made_up_people() -> None:
    """Shuffled by itself it has the same people, who are no control group."""
    table = dc.Table.from_frame({"sex": ["f", "m"] * 30, "job": ["a", "b", "c"] * 20})
    pages = [
        html_report(Release(data=table, guarantee=claim(5, columns)), original=table)
        for columns in (["sex"], ["sex", "job"])
    ]
    assert ["Linkage attack" in page for page in pages] == [True, True]
    assert ["Control group" in page for page in pages] == [False, True]
    assert "made-up people" not in pages[0]


def test_progress_ends_at_one(release: Release) -> None:
    seen: list[float] = []
    html_report(release, progress=seen.append)
    assert seen == sorted(seen)
    assert seen[-1] == 1


def test_templates_are_in_the_package() -> None:
    names = {each.name for each in files("discreet.report").joinpath("templates").iterdir()}
    assert names == {"page.html.j2", "words.html.j2", "blocks.html.j2", "style.css.j2"}


def test_plain_words_of_each_model() -> None:
    floor = Guarantee(
        model="support floor", parameters={"theta": 4}, unit="one row", columns=("sex",),
        not_protected=("Much.",),
    )  # fmt: skip
    assert "At least 5 rows in the original" in in_plain_words(floor)
    of_people = replace(floor, unit="one person, who has one row")
    assert "At least 5 people in the original" in in_plain_words(of_people)
    other = Guarantee(model="odd", parameters={}, unit="one row", not_protected=("Much.",))
    assert in_plain_words(other) == other.sentence


def test_unknown_steps_are_told_by_their_options() -> None:
    event = Event(name="shake", parameters={"hard": True, "n": None}, counts={"n_rows": 2000})
    assert in_words(event) == "Step “shake” with hard = yes, n = none, n_rows = 2,000."


@pytest.mark.parametrize("leftover", ["drop", "suppress"])
def test_what_happened_to_leftover_rows(leftover: str) -> None:
    counts = {"n_rows_dropped": 3, "n_rows_suppressed": 7 if leftover == "suppress" else 0}
    said = in_words(Event(name="enforce_classes", parameters={"k": 5}, counts=counts))
    assert ("were suppressed: 7 records, and 3 records suppressed" in said) == (
        leftover == "suppress"
    )


def test_a_public_k_anonymous_page_is_quick_to_make_for_many_suppressed_cells() -> None:
    table = dc.datasets.census(300).select(["sex", "education", "occupation", "industry"])
    release = k_anonymous(table)
    assert "Suppressed cells and records" in html_report(release, original=table)
