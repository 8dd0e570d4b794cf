"""Classes count people: rows of one person are one, and people hold what their rows do."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import discreet as dc
from discreet.errors import DataError, InfeasibleError, ParameterError
from discreet.generalize.clusters import group_rules
from discreet.generalize.problem import Problem, state_problem
from discreet.generalize.rules import Options, Rule, make_rules
from discreet.release.guarantee import HOUSEHOLD, SEVERAL_ROWS, WEIGHTED

METHODS = (
    dc.set_cover, dc.forest, dc.agglomerative, dc.mondrian, dc.datafly, dc.incognito,
)  # fmt: skip
TREE = dc.Hierarchy.from_mapping(
    {"*": {"low": [1, 2, 3], "middle": [4, 5, 6], "high": [7, 8, 9]}}, name="number"
)
Method = Callable[..., dc.Release]
each_method = pytest.mark.parametrize("method", METHODS, ids=lambda each: str(each.__name__))


def visits(n: int = 60, seed: int = 1) -> dict[str, list[object]]:
    """Return rows of which a few people have many, that look alike."""
    coins = np.random.default_rng(seed)
    who = np.minimum(coins.geometric(0.08, n), 20)
    number = 1 + (who * 7 + coins.integers(0, 2, n)) % 9
    ills = ["flu", "gout;flu", "hiv", "cold", "cold;gout"]
    return {
        "who": [f"p{each}" for each in who],
        "number": number.tolist(),
        "sex": ["f" if each % 2 else "m" for each in who],
        "ill": [ills[each] for each in coins.integers(0, 5, n)],
    }


def people_of_classes(release: dc.Release, who: list[object]) -> list[int]:
    """Return how many people each class of a release has rows of."""
    assert release.input_rows is not None
    rows = release.data.select(release.guarantee.columns).to_polars().rows()
    classes: dict[object, set[object]] = {}
    for shown, place in zip(rows, release.input_rows.tolist(), strict=True):
        classes.setdefault(shown, set()).add(who[place])
    return [len(each) for each in classes.values()]


@each_method
def test_every_class_has_rows_of_k_people(method: Method, tmp_path: Path) -> None:
    rows = visits()
    given: Options = {"hierarchies": {"number": TREE}, "columns": ["number", "sex"]}
    release = method(rows, k=4, person="who", **given)
    assert "who" not in release.data.columns
    assert release.guarantee.unit == SEVERAL_ROWS
    assert "rows of at least 3 other people" in release.guarantee.sentence
    assert min(people_of_classes(release, rows["who"])) >= 4
    # Red without people: the same call on rows shows a class of fewer.
    assert min(people_of_classes(method(rows, k=4, **given), rows["who"])) < 4
    folder = release.save(tmp_path / "out")
    assert dc.verify_release(folder).answer == "consistent"
    found = dc.verify_release(folder, original=rows, person="who")
    assert not found.failed
    assert found.answer in ("verified", "consistent")


@each_method
def test_shares_count_people(method: Method, tmp_path: Path) -> None:
    rows = visits(90)
    coins = np.random.default_rng(2)
    rows["who"] = [f"p{each}" for each in coins.integers(0, 60, 90)]
    table = dc.Table.from_frame(rows, person="who", sets={"ill": ";"}, roles={"ill": "sensitive"})
    release = method(table, k=3, l=1.5, t=0.6, hierarchies={"number": TREE})
    assert release.guarantee.parameters["diversity"] == "share"
    assert release.guarantee.parameters["distance"] == "members"
    assert "held by at most a share 1/1.5 of the people of a class" in release.guarantee.sentence
    assert release.input_rows is not None
    shown = release.data.select(release.guarantee.columns).to_polars().rows()
    holds: dict[object, dict[object, set[str]]] = {}
    for key, place in zip(shown, release.input_rows.tolist(), strict=True):
        members = holds.setdefault(key, {}).setdefault(rows["who"][place], set())
        members.update(str(rows["ill"][place]).split(";"))
    everybody: dict[object, set[str]] = {}
    for of_class in holds.values():
        for person, members in of_class.items():
            everybody.setdefault(person, set()).update(members)
    for of_class in holds.values():
        for member in ("flu", "gout", "hiv", "cold"):
            share = Fraction(sum(member in each for each in of_class.values()), len(of_class))
            whole = Fraction(sum(member in each for each in everybody.values()), len(everybody))
            assert share <= Fraction(2, 3)
            assert abs(share - whole) <= Fraction(6, 10)
    found = dc.verify_release(release.save(tmp_path / "out"), original=table)
    assert not found.failed


@each_method
def test_two_people_who_both_have_both_are_not_diverse(method: Method) -> None:
    trap = {
        "who": ["a", "a", "b", "b"], "age": ["20s"] * 4, "ill": ["hiv", "flu", "hiv", "flu"],
    }  # fmt: skip
    table = dc.Table.from_frame(trap, person="who", roles={"ill": "sensitive"})
    with pytest.raises(InfeasibleError, match="obey the rule"):
        method(table, k=2, l=2)
    # As rows, half of which say each, it would pass.
    rows = dc.Table.from_frame(trap, roles={"ill": "sensitive"})
    assert method(rows, k=2, l=2, columns=["age"]).data.n_rows == 4


def test_classes_that_show_the_same_are_joined_where_they_break_a_rule() -> None:
    rows = {
        "who": ["a", "b", "a", "b", "c", "d"],
        "age": ["x", "x", "x", "x", "y", "y"],
        "ill": ["hiv", "flu", "flu", "hiv", "gout", "cold"],
    }
    table = dc.Table.from_frame(rows, person="who", roles={"ill": "sensitive"})
    for method in METHODS:
        release = method(table, k=2, l=2)
        assert release.data.values("age") == ("*",), method.__name__


@st.composite
def held(draw: st.DrawFn) -> tuple[dc.Table, list[int]]:
    n = draw(st.integers(1, 12))
    who = draw(st.lists(st.integers(0, 5), min_size=n, max_size=n))
    cell = st.sets(st.sampled_from("pqr"), min_size=1).map(lambda each: ";".join(sorted(each)))
    ill = draw(st.lists(cell, min_size=n, max_size=n))
    groups = draw(st.lists(st.integers(0, 2), min_size=n, max_size=n))
    table = dc.Table.from_frame(
        {"who": who, "ill": ill}, person="who", sets={"ill": ";"}, roles={"ill": "sensitive"}
    )
    return table, np.unique(groups, return_inverse=True)[1].reshape(-1).tolist()


def hold(table: dc.Table, rows: list[int]) -> dict[str, Fraction]:
    """Return the share of the people of some rows who hold each member."""
    assert table.people is not None
    members: dict[int, set[str]] = {}
    values, codes = table.values("ill"), table.codes("ill")
    for row in rows:
        has = str(values[codes[row]]).split(";")
        members.setdefault(int(table.people.codes[row]), set()).update(has)
    return {
        member: Fraction(sum(member in each for each in members.values()), len(members))
        for member in "pqr"
    }


@given(
    drawn=held(), low=st.sampled_from(["1", "1.5", "2", "3"]), near=st.sampled_from([0, 0.25, 0.5])
)
def test_rules_of_people_mean_what_they_say(
    drawn: tuple[dc.Table, list[int]], low: str, near: float
) -> None:
    table, groups = drawn
    rules = make_rules(table, k=2, options={"l": float(low), "t": near})
    share, close, people = rules
    whole = hold(table, list(range(table.n_rows)))
    problem = _problem(table, rules)
    kernels = group_rules(problem)
    assert table.people is not None
    for group in set(groups):
        rows = [row for row, each in enumerate(groups) if each == group]
        shares = hold(table, rows)
        expected = [
            all(each * Fraction(low) <= 1 for each in shares.values()),
            all(abs(shares[m] - whole[m]) <= Fraction(str(near)) for m in "pqr"),
            len({int(table.people.codes[row]) for row in rows}) >= 2,
        ]
        found = [
            rule.holds(np.array(groups), max(groups) + 1)[group] for rule in (share, close, people)
        ]
        assert found == expected
        assert [rule.holds(np.array(rows)) for rule in kernels] == expected


def _problem(table: dc.Table, rules: tuple[Rule, ...]) -> Problem:
    flat = dc.Table.from_frame({"a": ["x"] * table.n_rows})
    return replace(state_problem(flat, k=1, options={}), rules=rules)


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"k": 4}, InfeasibleError, "rows of 3 people, fewer than k"),
        ({"k": 2, "l": 2, "diversity": "distinct"}, ParameterError, "A person has several rows"),
        ({"k": 2, "t": 0.5, "distance": "equal"}, ParameterError, "A person has several rows"),
        ({"k": 2, "households": "home"}, ParameterError, "has rows in several"),
        ({"k": 2, "one_row_per_person": True}, ParameterError, "is seen from it"),
        ({"k": 2, "l": "1.0001"}, ParameterError, "multiple of 1/1,000"),
    ],
)
def test_what_people_refuse(options: dict[str, object], error: type[Exception], words: str) -> None:
    rows = {
        "who": ["a", "a", "b", "c"], "age": list("xyxy"), "ill": list("pqpq"), "home": [1, 2, 2, 3],
    }  # fmt: skip
    table = dc.Table.from_frame(rows, roles={"ill": "sensitive"})
    with pytest.raises(error, match=words):
        dc.mondrian(table, person="who", **options)  # type: ignore[arg-type]


def test_a_set_column_takes_shares_only() -> None:
    rows = {"age": list("xxyy"), "ill": ["p;q", "r", "p", "q"]}
    table = dc.Table.from_frame(rows, sets={"ill": ";"}, roles={"ill": "sensitive"})
    with pytest.raises(ParameterError, match="Cells of column 'ill' have several members"):
        dc.mondrian(table, k=2, l=2, diversity="entropy")
    release = dc.mondrian(table, k=2, l=2)
    assert release.guarantee.parameters["diversity"] == "share"
    assert "at most a share 1/2 of the rows of a class" in release.guarantee.sentence


def test_people_with_one_row_each_may_have_any_diversity() -> None:
    rows = {"who": list("abcd"), "age": list("xxyy"), "ill": list("pqpq")}
    table = dc.Table.from_frame(rows, person="who", roles={"ill": "sensitive"})
    release = dc.mondrian(table, k=2, l=2)
    assert release.guarantee.parameters["diversity"] == "distinct"
    stated = dc.mondrian({"age": list("xxyy")}, k=2, one_row_per_person=True)
    assert stated.guarantee.unit == "one person, who has one row"


def test_households_and_weights_are_named(tmp_path: Path) -> None:
    rows = {
        "who": list("aabcde"), "age": list("xxxyyy"), "home": [1, 1, 2, 3, 3, 4],
        "weight": [1, 2, 3, 1, 1, 1],
    }  # fmt: skip
    release = dc.mondrian(rows, k=2, households="home", person="who", weights="weight")
    claim = release.guarantee
    assert claim.unit == HOUSEHOLD
    assert "rows of at least 1 other household" in claim.sentence
    assert WEIGHTED in claim.not_protected
    assert {"who", "home"}.isdisjoint(release.data.columns)
    found = dc.verify_release(release.save(tmp_path / "out"))
    assert found.answer == "consistent"


def test_joining_groups_keeps_the_number_of_people_and_not_their_shares() -> None:
    table = dc.Table.from_frame(
        {"who": ["a", "b", "a", "b"], "ill": ["p", "q", "q", "p"]},
        person="who", roles={"ill": "sensitive"},
    )  # fmt: skip
    share, people = make_rules(table, k=2, options={"l": 2})
    halves, whole = np.array([0, 0, 1, 1]), np.zeros(4, np.int64)
    assert share.holds(halves, 2).all()
    assert not share.holds(whole, 1).any()
    assert (share.is_kept_by_union, people.is_kept_by_union) == (False, True)


# Every method and every rule, on tables that hypothesis draws, by counting one by one.


@st.composite
def small_visits(draw: st.DrawFn) -> dict[str, list[object]]:
    """Return a few rows of a few people who live in pairs; some cells have two members."""
    n = draw(st.integers(3, 12))
    who = draw(st.lists(st.integers(0, 7), min_size=n, max_size=n))
    columns: dict[str, list[object]] = {
        name: [*draw(st.lists(st.sampled_from(values), min_size=n, max_size=n))]
        for name, values in (("a", "xyz"), ("b", "uv"), ("ill", ("p", "q", "r", "p;q", "q;r")))
    }
    return {"who": [*who], "home": [each // 2 for each in who], **columns}


def breaks(rows: list[int], table: dict[str, list[object]], rules: dict[str, object]) -> str | None:
    """Return which rule some rows break as a class of a release of these ``of`` rows, or None."""
    unit = "home" if rules["home"] else "who"
    if len({table[unit][row] for row in rows}) < int(str(rules["k"])):
        return "k"

    def shares(some: list[int]) -> dict[str, Fraction]:
        has: dict[object, set[str]] = {}
        for row in some:
            has.setdefault(table[unit][row], set()).update(str(table["ill"][row]).split(";"))
        return {m: Fraction(sum(m in each for each in has.values()), len(has)) for m in "pqr"}

    low, near, everybody = rules["l"], rules["t"], rules["of"]
    here = shares(rows)
    if low is not None and max(here.values()) * Fraction(str(low)) > 1:
        return "l"
    assert isinstance(everybody, list)
    whole = shares(everybody)
    if near is not None and any(abs(here[m] - whole[m]) > Fraction(str(near)) for m in "pqr"):
        return "t"
    return None


@pytest.mark.parametrize("method", [*METHODS, dc.k_mii], ids=lambda each: str(each.__name__))
@given(
    rows=small_visits(),
    rules=st.fixed_dictionaries(
        {
            "k": st.integers(2, 3),
            "l": st.sampled_from([None, 1.5, 2]),
            "t": st.sampled_from([None, 0.25, 0.5]),
            "home": st.booleans(),
        }
    ),
)
@pytest.mark.filterwarnings("ignore::discreet.errors.DiscreetWarning")
@settings(max_examples=40, deadline=None)
def test_whatever_is_released_obeys_every_rule_and_nothing_is_refused_without_need(
    method: Method, rows: dict[str, list[object]], rules: dict[str, object]
) -> None:
    is_mii = method is dc.k_mii
    if is_mii:  # it knows neither closeness nor households
        rules |= {"t": None, "home": False}
    rules["of"] = [*range(len(rows["who"]))]
    options = {name: rules[name] for name in "klt" if rules[name] is not None}
    options |= {"households": "home"} if rules["home"] else {}
    names = ["who", "a", "b", "ill", *(["home"] if rules["home"] else [])]
    table = dc.Table.from_frame(
        {name: rows[name] for name in names}, person="who", sets={"ill": ";"},
        roles={"ill": "sensitive"}, categorical=True,
    )  # fmt: skip
    everything = breaks(list(range(len(rows["who"]))), rows, rules)
    try:
        release = method(table, columns=["a", "b"], **options)
    except (InfeasibleError, DataError):
        # Of generalization: all rows in one class are a release, unless they break a rule too.
        assert everything is not None
        return
    assert "who" not in release.data.columns
    assert release.input_rows is not None
    released = release.input_rows.tolist()
    rules["of"] = released
    shown = release.data.select(release.guarantee.columns).to_polars().rows()
    classes: dict[object, list[int]] = {}
    for values, row in zip(shown, released, strict=True):
        classes.setdefault(values, []).append(row)
    for each in classes.values():
        assert breaks(each, rows, rules) is None
