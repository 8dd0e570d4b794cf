"""Differential privacy of people: one row of each, chosen at random before anything is measured."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import partial
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import chisquare  # type: ignore[import-untyped]

import discreet as dc
from discreet.data.domains import one_row_of_each
from discreet.errors import WeakGuaranteeWarning
from discreet.noise import SecureNoise, SeededNoise
from discreet.policy import make_policy, run_policy
from discreet.suppress import dp_mii
from discreet.synthesize import plan_synthesis, synthesizer, synthetic_release
from discreet.synthesize.marginals import measure_marginals

PERSON = "one person, who may have several rows"
LISTS = {"sex": ["f", "m"], "ward": ["a", "b", "c"]}


def visits(n_people: int = 300, *, of_first: int = 3, twice: bool = True) -> dc.Table:
    """Return two rows of each person, or one; the first has more, all of them in ward c."""
    who = [0] * of_first + [i for i in range(1, n_people) for _ in range(1 + twice)]
    ward = ["c"] * of_first + [("a", "b")[i % 2] for i in range(len(who) - of_first)]
    sex = ["m"] * of_first + [("f", "m")[i % 2] for i in who[of_first:]]
    return dc.Table.from_frame({"who": who, "sex": sex, "ward": ward}, person="who")


# The choice


def given_order(order: tuple[int, ...], _: int) -> NDArray[np.int64]:
    return np.array(order)


def test_each_row_of_a_person_has_the_same_chance_whatever_the_others_have() -> None:
    table = dc.Table.from_frame({"who": [7, 3, 7, 3, 3], "row": list("abcde")}, person="who")
    seen = Counter[tuple[int, ...]]()
    for order in permutations(range(5)):
        kept, rows = one_row_of_each(table, partial(given_order, order))
        assert kept.n_rows == 2
        assert kept.people is None
        assert [list(table["row"])[row] for row in rows.tolist()] == list(kept["row"])
        seen[tuple(rows.tolist())] += 1
    # of two times three choices all are equally likely: the people are independent
    assert set(seen) == {tuple(sorted((x, y))) for x in (0, 2) for y in (1, 3, 4)}
    assert set(seen.values()) == {120 // 6}


def test_the_noise_of_the_run_draws_uniformly() -> None:
    table = visits(2, of_first=4, twice=False)
    drawn = [one_row_of_each(table, SecureNoise().permutation)[1][0] for _ in range(2000)]
    assert chisquare(np.bincount(drawn, minlength=4)).pvalue > 1e-9


def test_nothing_is_drawn_where_nothing_says_whose_rows_are() -> None:
    table = replace(visits(), people=None)

    def never(_: int) -> NDArray[np.int64]:
        raise AssertionError

    kept, rows = one_row_of_each(table, never)
    assert kept is table
    assert rows.tolist() == list(range(table.n_rows))


# What is measured


class Silent(SeededNoise):
    """Noise of nothing: what is published are the true numbers."""

    def discrete_laplace(self, scale: Fraction | float, size: int) -> NDArray[np.int64]:  # noqa: ARG002
        return np.zeros(size, np.int64)

    def discrete_gaussian(self, sigma2: Fraction | float, size: int) -> NDArray[np.int64]:  # noqa: ARG002
        return np.zeros(size, np.int64)


@pytest.mark.parametrize("delta", [0, 1e-6])
def test_a_person_with_a_thousand_rows_moves_a_count_by_one(
    monkeypatch: pytest.MonkeyPatch, delta: float
) -> None:
    monkeypatch.setattr(synthesizer, "noise_from", lambda _: Silent(1))
    counted: list[list[NDArray[np.int64]]] = []

    def looked_at(codes: Any, **options: Any) -> Any:  # noqa: ANN401
        counted.append([np.bincount(column, minlength=3) for column in codes])
        return measure_marginals(codes, **options)

    monkeypatch.setattr(synthesizer, "measure_marginals", looked_at)
    with_all = visits(of_first=1000, twice=False)
    assert with_all.people is not None
    others = with_all.take(with_all.people.codes != with_all.people.codes[0])
    for table in (with_all, others):
        made = synthesizer.Synthesizer(1, delta=delta, domains=LISTS).fit(table)
        assert made.n_rows <= 300
    for more, less in zip(*counted, strict=True):
        assert int(np.abs(more - less).sum()) == 1


def test_private_lists_count_people(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(synthesizer, "noise_from", lambda _: Silent(1))
    made = synthesizer.Synthesizer(1, delta=1e-6).fit(visits(of_first=1000))
    # ward c is of one person alone, and a thousand of their rows do not list it
    assert "c" not in made.model.domain["ward"]


def test_suppression_looks_at_one_row_of_each(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[NDArray[np.int64]] = []
    sample = dp_mii.sample_and_suppress

    def looked_at(codes: NDArray[np.int64], **options: Any) -> Any:  # noqa: ANN401
        seen.append(codes)
        return sample(codes, **options)

    monkeypatch.setattr(dp_mii, "sample_and_suppress", looked_at)
    table = visits(of_first=1000)
    release = dc.dp_mii_suppress(table, epsilon=1, delta=1e-3, k=5, domains=LISTS, seed=2)
    assert [len(codes) for codes in seen] == [300]
    assert int((seen[0][:, 1] == 2).sum()) == 1  # of ward c
    # the released rows are found in the table as it was
    assert release.input_rows is not None
    assert table.people is not None
    whose = table.people.codes[release.input_rows]
    assert len(set(whose.tolist())) == len(whose)
    for name in release.data.columns:
        out, was = release.data[name], table.take(release.input_rows)[name]
        assert all(x is None or x == y for x, y in zip(out, was, strict=True))


def test_a_plan_is_of_people() -> None:
    plans = [
        plan_synthesis(visits(of_first=n), epsilon=1, delta=1e-6, domains=LISTS) for n in (1, 1000)
    ]
    assert plans[0].n_rows == plans[1].n_rows == 300


# What is claimed, and verified


def central(table: dc.Table) -> dc.Release[Any]:
    return synthetic_release(table, epsilon=1, delta=1e-6)


def pure(table: dc.Table) -> dc.Release[Any]:
    return synthetic_release(table, epsilon=1, domains=LISTS)


def local(table: dc.Table) -> dc.Release[Any]:
    return synthetic_release(table, epsilon=1, trust="local", domains=LISTS)


def sampled(table: dc.Table) -> dc.Release[Any]:
    return dc.dp_mii_suppress(table, epsilon=1, delta=1e-3, k=5, domains=LISTS)


def split(table: dc.Table) -> dc.Release[Any]:
    with pytest.warns(WeakGuaranteeWarning):
        return dc.dp_mii_suppress(table, epsilon=1, delta=1e-3, k=5, scheme="split")


@pytest.mark.parametrize("method", [central, pure, local, sampled, split])
def test_the_claim_is_of_people_and_is_recomputed(
    method: Callable[[dc.Table], dc.Release[Any]], tmp_path: Path
) -> None:
    table = visits()
    release = method(table)
    claim, first = release.guarantee, release.events[0]
    assert claim.unit == PERSON
    assert (first.name, dict(first.parameters), dict(first.counts), dict(first.internal)) == (
        "choose_one_per_person", {}, {}, {},
    )  # fmt: skip
    assert any("One row of each person was chosen" in text for text in claim.assumptions)
    assert not any("n rows together" in text for text in claim.not_protected)
    assert not claim.experimental
    found = dc.verify_release(release.save(tmp_path / "out"))
    assert found.answer == "consistent", found
    found = dc.verify_release(tmp_path / "out", original=table)
    assert found.answer == "consistent", found
    refuted = {
        "no choice": replace(release, events=release.events[1:]),
        "chosen late": replace(release, events=(*release.events[1:2], first, *release.events[2:])),
        "chosen twice": replace(release, events=(first, *release.events)),
        "of rows": replace(release, guarantee=replace(claim, unit="one row")),
        "of rows between rows": replace(
            release,
            guarantee=replace(claim, neighbours="tables that differ in one row added or removed"),
        ),
        "how many": replace(
            release, events=(replace(first, counts={"n_rows": 5}), *release.events[1:])
        ),
    }
    for name, changed in refuted.items():
        answer = dc.verify_release(changed.save(tmp_path / name)).answer
        assert answer == "refuted", name


def test_nothing_that_is_said_depends_on_how_many_rows_are_passed_over() -> None:
    # what local trust and suppression state follows from options and lists alone
    for method in (local, sampled):
        said = [method(visits(of_first=n)) for n in (1, 1000)]
        assert said[0].events == said[1].events
        assert said[0].guarantee.to_dict() == said[1].guarantee.to_dict()


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("synthesize", {"epsilon": 1, "delta": "1e-6"}),
        ("synthesize", {"epsilon": 2, "trust": "local", "domains": LISTS}),
        ("dp-mii-suppress", {"epsilon": 1, "delta": "1e-3", "k": 5, "domains": LISTS}),
    ],
)
def test_a_policy_that_names_the_person(name: str, options: dict[str, Any], tmp_path: Path) -> None:
    table = visits()
    assert table.people is not None
    frame = table.to_polars().with_columns(who=table.people.codes)
    frame.write_csv(tmp_path / "visits.csv")
    policy = make_policy(
        {
            "source": {"file": str(tmp_path / "visits.csv"), "person": "who"},
            "method": {"name": name, **options},
        }
    )
    run_policy(policy, tmp_path / "out")
    found = dc.verify_release(tmp_path / "out")
    assert found.answer == "consistent"
    assert "who" not in (tmp_path / "out" / "certificate.json").read_text("utf-8").split('"')
