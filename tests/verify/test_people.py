"""People are counted again where the original knows them, and nothing is said of them where not."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import discreet as dc
from discreet.errors import ParameterError
from discreet.release.guarantee import SEVERAL_ROWS
from discreet.report.sections.words import in_plain_words
from tests.verify.admissions import PERSON, admissions
from tests.verify.folders import spoken

K = 5
COLUMNS = ["sex", "age", "ward"]


@cache
def hospital() -> pl.DataFrame:
    """Return the admissions with ages in tens of years, as a policy would have them."""
    rows = admissions()
    born = rows["birth_date"].cast(pl.String).str.slice(0, 3).alias("age")
    return rows.select(PERSON, "sex", "ward", "diagnoses").with_columns(born)


def method_of(name: str) -> Callable[..., dc.Release]:
    method: Callable[..., dc.Release] = getattr(dc, name)
    return method


def people_of_classes(release: dc.Release) -> list[int]:
    assert release.input_rows is not None
    who = hospital()[PERSON][release.input_rows]
    rows = release.data.to_polars().select(release.guarantee.columns).with_columns(who=who)
    counted = rows.group_by(release.guarantee.columns).agg(pl.col("who").n_unique())
    return counted["who"].to_list()


@pytest.mark.parametrize(
    "name",
    ["k_mii", "set_cover", "forest", "agglomerative", "mondrian", "datafly", "incognito"],
)
def test_every_class_of_admissions_has_rows_of_k_patients(name: str, tmp_path: Path) -> None:
    rows = hospital().select(PERSON, *COLUMNS)
    release = method_of(name)(rows, k=K, columns=COLUMNS, person=PERSON)
    assert release.guarantee.unit == SEVERAL_ROWS
    assert min(people_of_classes(release)) >= K
    folder = release.save(tmp_path / "out")
    alone = dc.verify_release(folder)
    assert alone.answer == "consistent"
    assert "that people were counted, and not rows" in alone.sentence
    found = dc.verify_release(folder, original=rows, person=PERSON)
    assert not found.failed, found.failed
    (people,) = [check for check in found.checks if check.name == "people"]
    assert found.answer == ("verified" if people.passed else "consistent")


@pytest.mark.parametrize("name", ["k_mii", "mondrian", "datafly"])
def test_counting_rows_leaves_classes_of_fewer_patients(name: str, tmp_path: Path) -> None:
    rows = hospital().select(PERSON, *COLUMNS)
    release = method_of(name)(rows.drop(PERSON), k=2, columns=COLUMNS)
    assert min(people_of_classes(release)) < 2
    # Claimed of people it is refuted, if the original knows them; without, it cannot be seen.
    forged = replace(release, guarantee=replace(release.guarantee, unit=SEVERAL_ROWS))
    folder = spoken(forged.save(tmp_path / "out"))
    assert dc.verify_release(folder).answer == "consistent"
    found = dc.verify_release(folder, original=rows, person=PERSON)
    assert [check.name for check in found.failed] == ["people"]


ROWS = {
    "who": [1, 1, 2, 3, 3, 4, 5, 6],
    "sex": list("ffffmmmm"),
    "ill": ["p", "q", "r", "s", "p", "q", "r", "s;t"],
}


def saved(folder: Path, rows: dict[str, list[Any]], claim: dict[str, object]) -> Path:
    """Return the folder of rows that are said to be 2-anonymous of people, by one method."""
    table = dc.Table.from_frame(ROWS, person="who", sets={"ill": ";"}, roles={"ill": "sensitive"})
    made = dc.mondrian(table, k=2, l="1.5", t="0.9")  # type: ignore[arg-type]
    data = dc.Table.from_frame(rows, sets={"ill": ";"}, roles={"ill": "sensitive"})
    stated = {**made.guarantee.parameters, **claim}
    release = dc.Release(
        data=data, guarantee=replace(made.guarantee, parameters=stated),  # type: ignore[arg-type]
        events=made.events,
    )  # fmt: skip
    return release.save(folder)


def original() -> dc.Table:
    return dc.Table.from_frame(ROWS, person="who", sets={"ill": ";"}, roles={"ill": "sensitive"})


def shown() -> dict[str, list[Any]]:
    return {"sex": list("ffffmmmm"), "ill": ["p", "q", "r", "s", "p", "q", "r", "s;t"]}


def test_shares_are_recomputed_of_people(tmp_path: Path) -> None:
    folder = saved(tmp_path / "out", shown(), {})
    found = dc.verify_release(folder, original=original())
    assert (found.answer, found.failed) == ("verified", ())
    alone = dc.verify_release(folder)
    assert alone.answer == "consistent"
    assert "how many people of a class hold a sensitive member" in alone.sentence


@pytest.mark.parametrize(
    ("claim", "failed"),
    [({"l": 4}, "l-diversity"), ({"t": 0}, "t-closeness")],
)
def test_shares_of_people_that_are_not_as_claimed(
    tmp_path: Path, claim: dict[str, object], failed: str
) -> None:
    folder = saved(tmp_path / "out", shown(), claim)
    found = dc.verify_release(folder, original=original())
    assert [check.name for check in found.failed] == [failed]
    assert dc.verify_release(folder).answer == "consistent"


def test_a_class_that_no_people_make_diverse_is_refuted_from_the_files(tmp_path: Path) -> None:
    rows = {"sex": list("ffffmmmm"), "ill": ["p", "p", "p", "p;q", "p", "q", "r", "s"]}
    found = dc.verify_release(saved(tmp_path / "out", rows, {}))
    assert "l-diversity" in [check.name for check in found.failed]


def test_diversity_of_values_is_none_of_people(tmp_path: Path) -> None:
    folder = saved(tmp_path / "out", shown(), {"l": 2, "diversity": "distinct"})
    found = dc.verify_release(folder, original=original())
    assert [check.name for check in found.failed] == ["rows of people"]
    assert dc.verify_release(folder).answer == "consistent"


def test_shares_of_rows_are_recomputed_from_the_files(tmp_path: Path) -> None:
    rows = {"sex": list("ffff"), "ill": ["p", "p;q", "r", "q"]}
    table = dc.Table.from_frame(rows, sets={"ill": ";"}, roles={"ill": "sensitive"})
    release = dc.mondrian(table, k=2, l=2, t="0.5")  # type: ignore[arg-type]
    assert dc.verify_release(release.save(tmp_path / "out")).answer == "verified"
    raised = replace(release.guarantee, parameters={**release.guarantee.parameters, "l": 3})
    forged = replace(release, guarantee=raised)
    found = dc.verify_release(forged.save(tmp_path / "forged"))
    assert [check.name for check in found.failed] == ["l-diversity"]


def test_the_floor_is_counted_in_people(tmp_path: Path) -> None:
    rows = {"who": [1, 1, 1, 2, 3, 4], "sex": list("ffffmm")}
    release = dc.mii_suppress(rows, theta=1, person="who")
    folder = release.save(tmp_path / "out")
    assert dc.verify_release(folder, original=rows, person="who").answer == "verified"
    raised = replace(release.guarantee, parameters={"theta": 2})
    forged = replace(release, guarantee=raised).save(tmp_path / "forged")
    found = dc.verify_release(forged, original=rows, person="who")
    assert "people" in [check.name for check in found.failed]


def test_a_person_needs_an_original(tmp_path: Path) -> None:
    folder = saved(tmp_path / "out", shown(), {})
    with pytest.raises(ParameterError, match="Without original"):
        dc.verify_release(folder, person="who")
    with pytest.raises(ParameterError, match="was read with 'who'"):
        dc.verify_release(folder, original=original(), person="sex")


def test_the_page_claims_no_probability_for_a_row_of_people() -> None:
    claim = dc.mondrian(ROWS, k=2, columns=["sex"], person="who").guarantee
    words = in_plain_words(claim)
    assert "finds rows of at least 2 people" in words
    assert "no probability" in words
    assert "1 in 2" not in words
