"""Releases of drawn rows: what they claim, what they list, and that they survive a folder."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import discreet as dc
from discreet.errors import DataError, LimitError, ParameterError
from discreet.release.ledger import Ledger
from discreet.synthesize import Spent, Synthesizer, synthetic_release
from discreet.synthesize.budget import measured_event


def people(n: int = 600) -> dc.Table:
    rng = np.random.default_rng(4)
    sex = rng.integers(0, 2, n)
    job = np.where(rng.random(n) < 0.8, sex, rng.integers(0, 3, n))
    frame = {
        "name": [f"p{i}" for i in range(n)],
        "sex": np.array(["f", "m"])[sex].tolist(),
        "job": np.array(["nurse", "smith", "cook"])[job].tolist(),
        "town": rng.choice(["a", "b"], n).tolist(),
    }
    return dc.Table.from_frame(frame, roles={"name": "identifying"})


PEOPLE = people()
LISTS: dict[str, list[str | None]] = {
    "sex": ["f", "m"],
    "job": ["nurse", "smith", "cook", "clerk"],
    "town": ["a", "b", None],
}
APPROXIMATE = synthetic_release(PEOPLE, epsilon=1, delta=1e-6)
PURE = synthetic_release(PEOPLE, epsilon=Fraction(1, 2), domains=LISTS, n_rows=50)


def test_central_trust_lists_every_quantity_and_what_it_cost() -> None:
    release = APPROXIMATE
    claim = release.guarantee
    assert claim.model == "(epsilon, delta)-differential privacy"
    assert claim.parameters == {"epsilon": 1, "delta": Fraction(1, 10**6)}
    assert claim.neighbours == "tables that differ in one row added or removed"
    assert not claim.experimental
    assert not any("read from the table" in each for each in claim.not_protected)
    assert release.data.columns == ("sex", "job", "town")
    names = [event.name for event in release.events]
    assert names[:4] == ["select_values", *["list_values"] * 3]
    assert names[-1] == "draw_rows"
    measured = [event for event in release.events if event.name.startswith("measure_")]
    selected = release.events[0]
    costs = [
        Fraction(event.parameters["sensitivity"]) / (2 * event.parameters["scale"])  # type: ignore[arg-type, operator]
        for event in [selected, *measured]
    ]
    stated = release.events[-1].parameters["spent"]
    assert 0 <= stated - sum(costs) < Fraction(1, 10**12)  # type: ignore[operator]
    assert release.events[-1].parameters["n_measured"] == len(measured)
    assert release.kind == "synthetic rows"


def test_pure_privacy_is_not_called_approximate() -> None:
    release = PURE
    assert release.guarantee.model == "differential privacy"
    assert release.data.n_rows == 50
    assert not any("read from the table" in each for each in release.guarantee.not_protected)
    assert release.events[1].parameters["values"] == ("nurse", "smith", "cook", "clerk")
    assert release.events[2].parameters["can_be_missing"] is True


def test_local_trust_says_that_the_number_of_rows_is_told() -> None:
    release = synthetic_release(PEOPLE, epsilon=4, trust="local", domains=LISTS)
    claim = release.guarantee
    assert claim.model == "local differential privacy"
    assert claim.neighbours == "any two rows that one person could have"
    assert any("number of rows" in each for each in claim.not_protected)
    assert release.data.n_rows == PEOPLE.n_rows
    cells = [event for event in release.events if event.name == "randomize_cells"]
    assert sum(event.parameters["epsilon"] for event in cells) <= 4  # type: ignore[misc]
    assert all(event.parameters["p"] > event.parameters["q"] for event in cells)  # type: ignore[operator]


def test_a_seed_makes_it_an_experiment(tmp_path: Path) -> None:
    made = [
        synthetic_release(
            PEOPLE,
            epsilon=1,
            delta=1e-6,
            seed=3,
            label="job",
            generator="krimp",
            domains="from-data",
        )
        for _ in range(2)
    ]
    assert made[0].guarantee.experimental
    assert made[0].data.to_frame().equals(made[1].data.to_frame())
    assert not any("values" in event.parameters for event in made[0].events)  # they are not public
    folder = made[0].save(tmp_path / "out")
    assert dc.Release.load(folder).events == made[0].events
    assert "publication" in {check.name for check in dc.verify_release(folder).failed}


def test_the_ledger_counts_it(tmp_path: Path) -> None:
    ledger = Ledger.open(tmp_path / "ledger.db")
    for release in (APPROXIMATE, PURE):
        ledger.record(release, source="people")
    spent = ledger.spent("people")
    assert spent.epsilon == Fraction(3, 2)
    assert spent.delta == Fraction(1, 10**6)


def test_what_cannot_be_released() -> None:
    with pytest.raises(DataError, match="not in the list"):
        synthetic_release(PEOPLE, epsilon=1, domains={**LISTS, "job": ["nurse"]})
    with pytest.raises(ParameterError, match="delta=1e-06 must be 0"):
        synthetic_release(PEOPLE, epsilon=1, delta=1e-6, trust="local", domains="from-data")
    with pytest.raises(ParameterError, match="n_rows"):
        synthetic_release(PEOPLE, epsilon=1, n_rows=-1, domains="from-data")


def test_more_rows_than_memory_holds(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is asked for is refused before anything is spent, what is estimated before drawing."""
    with pytest.raises(LimitError, match=r"n_rows=\d[\d,]+ with 3 columns"):
        synthetic_release(
            PEOPLE, epsilon=1e-9, seed=1, domains="from-data"
        )  # the noise on it is of billions of rows
    monkeypatch.setattr(Synthesizer, "fit", None)
    with pytest.raises(LimitError, match="n_rows=100000000000 with 3 columns"):
        synthetic_release(PEOPLE, epsilon=1, n_rows=10**11, domains="from-data")
    with pytest.raises(ParameterError, match="threads=0"):
        synthetic_release(PEOPLE, epsilon=1, threads=0, domains="from-data")
    with pytest.raises(ParameterError, match=r"n_rows=5\.0 must be a whole number"):
        synthetic_release(PEOPLE, epsilon=1, n_rows=5.0, domains="from-data")  # type: ignore[arg-type]


def test_columns_are_asked_for_once() -> None:
    some = synthetic_release(
        PEOPLE, epsilon=1, columns=iter(["town", "sex"]), n_rows=5, domains="from-data"
    )
    assert some.data.columns == ("town", "sex")


def test_what_was_spent_is_told_in_the_words_of_the_entry() -> None:
    entry = Spent(
        what="counts of sex", columns=("sex",), law="laplace", scale=Fraction(3, 2), sensitivity=1,
        n_numbers=2,
    )  # fmt: skip
    told = entry.to_dict()
    stated = measured_event(entry).to_dict()["parameters"]
    assert isinstance(stated, dict)
    assert set(told) == set(stated)
    assert stated["scale"]["exact"] == told["scale"]
