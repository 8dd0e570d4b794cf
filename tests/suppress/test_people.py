"""Suppression counts people: what is visible is held by k of them, and so are classes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet as dc
from discreet.errors import DataError, ParameterError
from discreet.release.guarantee import PER_CLASS, SEVERAL_ROWS, UNEVEN
from discreet.suppress import suppression_summary

Row = tuple[int, ...]


@st.composite
def visits(draw: st.DrawFn) -> tuple[list[int], list[Row]]:
    n = draw(st.integers(6, 30))
    row = st.tuples(*[st.integers(0, 1)] * 3)
    rows = draw(st.lists(row, min_size=n, max_size=n))
    people = st.lists(st.integers(0, 12), min_size=n - 4, max_size=n - 4)
    return [20, 21, 22, 23, *draw(people)], rows


def frame_of(who: list[int], rows: list[Row]) -> dict[str, list[int]]:
    columns = {f"c{place}": list(each) for place, each in enumerate(zip(*rows, strict=True))}
    return {"who": who, **columns}


def holders_of(who: list[int], rows: list[Row], shown: tuple[int | None, ...]) -> int:
    """Return how many people of the input have a row with all that is visible."""
    return len(
        {
            one
            for one, row in zip(who, rows, strict=True)
            if all(value in (None, had) for value, had in zip(shown, row, strict=True))
        }
    )


@given(drawn=visits(), k=st.integers(2, 4))
def test_what_is_visible_is_held_by_k_people(drawn: tuple[list[int], list[Row]], k: int) -> None:
    who, rows = drawn
    release = dc.mii_suppress(frame_of(who, rows), theta=k - 1, person="who")
    assert release.guarantee.unit == SEVERAL_ROWS
    assert f"shared by at least {k} people of the input" in release.guarantee.sentence
    for shown in release.data.to_polars().rows():
        assert holders_of(who, rows, shown) >= k
    summary = suppression_summary(frame_of(who, rows), release, person="who")
    assert summary.floors.tolist() == [k] * release.data.n_rows  # no more is proved of people


@given(
    drawn=visits(), k=st.integers(2, 4), leftover=st.sampled_from(["drop", "suppress"]),
    sample_size=st.sampled_from([None, 5]),
)  # fmt: skip
@pytest.mark.filterwarnings("ignore:No row is left")
def test_classes_have_rows_of_k_people(
    drawn: tuple[list[int], list[Row]], k: int, leftover: str, sample_size: int | None
) -> None:
    who, rows = drawn
    release = dc.k_mii(
        frame_of(who, rows), k=k, person="who", leftover=leftover,  # type: ignore[arg-type]
        sample_size=sample_size, seed=1,
    )  # fmt: skip
    assert release.input_rows is not None
    classes: dict[object, set[int]] = {}
    for shown, place in zip(
        release.data.to_polars().rows(), release.input_rows.tolist(), strict=True
    ):
        classes.setdefault(shown, set()).add(who[place])
    assert all(len(each) >= k for each in classes.values())


def test_one_person_with_many_rows_is_no_class(tmp_path: Path) -> None:
    rows = {"who": [1] * 9 + [2, 3, 4], "sex": ["f"] * 9 + ["m"] * 3}
    assert dc.k_mii({"sex": rows["sex"]}, k=3).data.n_rows == 12
    release = dc.k_mii(rows, k=3, person="who")
    assert release.data.to_polars().rows() == [("m",)] * 3
    assert UNEVEN in release.guarantee.not_protected
    folder = release.save(tmp_path / "out")
    assert dc.verify_release(folder).answer == "consistent"
    assert dc.verify_release(folder, original=rows, person="who").answer == "verified"


def test_too_few_people() -> None:
    rows = {"who": [1, 1, 1, 2], "sex": list("ffff")}
    with pytest.raises(DataError, match="has 2 people"):
        dc.mii_suppress(rows, theta=2, person="who")
    with pytest.raises(DataError, match="rows of 2 people, fewer than k"):
        dc.k_mii(rows, k=3, person="who")


def test_l_drops_classes_of_which_too_many_hold_a_member(tmp_path: Path) -> None:
    rows = {
        "who": [1, 1, 2, 2, 3, 4, 5],
        "sex": list("ffffmmm"),
        "ill": ["hiv", "flu", "hiv", "flu", "flu;hiv", "cold", "gout"],
    }
    table = dc.Table.from_frame(rows, person="who", sets={"ill": ";"}, roles={"ill": "sensitive"})
    assert dc.k_mii(table.select(["sex"]), k=2).data.n_rows == 7
    release = dc.k_mii(table, k=2, l=2)
    assert set(release.data.to_polars()["sex"].to_list()) == {"m"}
    claim = release.guarantee
    assert (claim.model, claim.columns) == ("k-anonymity and l-diversity", ("sex",))
    assert claim.parameters["l"] == 2
    assert PER_CLASS in claim.not_protected
    found = dc.verify_release(release.save(tmp_path / "out"), original=table)
    assert (found.answer, found.failed) == ("verified", ())
    # Without l, both people of a class have both: the verifier sees that where l is claimed.
    none = dc.k_mii(table, k=2, columns=["sex"])
    forged = dc.Release(
        data=none.data, guarantee=claim, events=release.events, fingerprint=none.fingerprint
    )
    wrong = dc.verify_release(forged.save(tmp_path / "forged"), original=table)
    assert "l-diversity" in [check.name for check in wrong.failed]


def test_l_without_people_counts_rows(tmp_path: Path) -> None:
    rows = {"sex": list("ffffmmmm"), "ill": list("ppqqpppq")}
    table = dc.Table.from_frame(rows, roles={"ill": "sensitive"})
    release = dc.k_mii(table, k=2, l=2)
    assert set(release.data.to_polars()["sex"].to_list()) == {"f"}
    assert dc.verify_release(release.save(tmp_path / "out")).answer == "verified"
    kept = dc.k_mii(table, k=2, l=2, leftover="suppress")
    assert kept.data.n_rows == 4  # blank rows would be three of four p
    assert dc.k_mii(table, k=2, l=1.25).data.n_rows == 8


def test_l_needs_a_sensitive_column_that_is_not_covered() -> None:
    rows = {"sex": list("ffmm"), "ill": list("pqpq")}
    with pytest.raises(ParameterError, match="no column has that role"):
        dc.k_mii(rows, k=2, l=2)
    with pytest.raises(ParameterError, match="is to be suppressed in and is sensitive"):
        dc.k_mii(rows, k=2, l=2, sensitive=["ill"], columns=["sex", "ill"])


def test_a_summary_needs_the_same_people() -> None:
    rows = {"who": [1, 2, 3, 3], "sex": list("ffff")}
    release = dc.k_mii(rows, k=2, person="who")
    with pytest.raises(ParameterError, match="not about the same people"):
        suppression_summary({"sex": rows["sex"]}, release)
    assert np.unique(suppression_summary(rows, release, person="who").floors).tolist() == [2]
