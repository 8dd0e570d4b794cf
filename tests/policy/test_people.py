"""What a policy and a command say of people."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import discreet as dc
from discreet.assess.risk import prosecutor_risk
from discreet.errors import ParameterError
from discreet.policy import compare, plan, preview
from discreet.policy.load import load_source
from discreet.policy.model import make_policy, read_policy
from discreet.policy.run import published_policy

TEXT = """[source]
file = "visits.csv"
{statement}

[method]
name = "mondrian"
k = 2
"""


@pytest.fixture
def visits(tmp_path: Path) -> Path:
    rows = [f"p{row // 2},{'abc'[row % 3]},{30 + row % 2}" for row in range(20)]
    (tmp_path / "visits.csv").write_text("patient,ward,age\n" + "\n".join(rows) + "\n")
    return tmp_path


def test_a_policy_names_the_column_of_people(visits: Path) -> None:
    path = visits / "policy.toml"
    path.write_text(TEXT.format(statement='person = "patient"'))
    policy = read_policy(path)
    table = load_source(policy)
    assert table.columns == ("ward", "age")
    assert table.people is not None
    assert table.people.n_people == 10
    assert 'person = "patient"' in published_policy(policy)


def test_a_policy_states_that_every_row_is_another_person(visits: Path) -> None:
    path = visits / "policy.toml"
    path.write_text(TEXT.format(statement="one_row_per_person = true"))
    table = load_source(read_policy(path))
    assert table.one_row_per_person
    assert table.people is None


def test_a_column_of_people_that_is_not_there_is_named_with_its_line(visits: Path) -> None:
    path = visits / "policy.toml"
    path.write_text(TEXT.format(statement='person = "pateint"'))
    with pytest.raises(ParameterError, match=r"line 3: There is no column 'pateint'.*'patient'"):
        load_source(read_policy(path))


def test_plans_and_comparisons_count_people(visits: Path) -> None:
    """The figures of a setting are those of its release, in people."""
    table = dc.read_table(visits / "visits.csv", person="patient", categorical=True)
    assert table.people is not None
    before = prosecutor_risk(table, columns=table.columns, threshold=0.5)
    assert before.n_people == 10
    planned = dc.plan(table, ks=[2, 3])
    assert (planned.n_people, planned.n_unique) == (10, before.n_at_risk)
    assert planned.mean_risk == before.mean
    assert f"{before.n_at_risk} of 10 people" in planned.sentence
    assert "people in smallest class" in planned.preview().header
    for setting in planned.settings:
        release = dc.k_mii(table, k=setting.k)
        assert release.input_rows is not None
        classes: dict[object, set[int]] = {}
        for row, place in zip(release.data.to_polars().rows(), release.input_rows, strict=True):
            classes.setdefault(row, set()).add(int(table.people.codes[place]))
        assert setting.smallest_class == min(map(len, classes.values()), default=0)
        assert setting.n_unique == 0
    compared = dc.compare(table, methods=["k-mii", "mondrian"], k=[3])
    for run in compared.runs:
        assert run.smallest_class is not None
        assert run.smallest_class == 0 or 3 <= run.smallest_class <= 10
    assert compared.runs[0].smallest_class == planned.settings[1].smallest_class


def test_both_statements_are_refused() -> None:
    source = {"file": "a.csv", "person": "id", "one_row_per_person": True}
    with pytest.raises(ParameterError, match="State one of them"):
        make_policy({"source": source, "method": {"name": "k-mii", "k": 5}})


METHODS_OF_CLASSES = ["k-mii", "mondrian", "set-cover", "agglomerative", "datafly"]


def many_visits() -> dc.Table:
    """Return visits of which every third person has five, all of them alike."""
    rows = [
        (who, "abc"[who % 3], 30 + who % 4)
        for who in range(60)
        for _ in range(1 + 4 * (who % 3 == 0))
    ]
    who, ward, age = (list(each) for each in zip(*rows, strict=True))
    return dc.Table.from_frame({"who": who, "ward": ward, "age": age}, person="who")


def test_a_comparison_is_of_people() -> None:
    table = many_visits()
    found = compare(table, methods=METHODS_OF_CLASSES, k=[2, 4])
    for each in found.runs:
        assert each.smallest_class is not None, each
        assert each.smallest_class >= each.k
    # two people with five rows each, all alike: ten rows of one class, and two people
    alone = {"who": [0] * 5 + [1] * 5, "ward": ["a"] * 5 + ["b"] * 5}
    (run,) = compare(dc.Table.from_frame(alone, person="who"), methods=["k-mii"], k=2).runs
    assert (run.smallest_class, run.loss) == (2, 1.0)
    in_rows = compare(dc.Table.from_frame({"ward": alone["ward"]}), methods=["k-mii"], k=2)
    assert in_rows.runs[0].smallest_class == 5


def test_a_plan_is_of_people(visits: Path) -> None:
    found = plan(many_visits(), ks=(2, 4))
    assert [each.smallest_class >= each.k for each in found.settings] == [True, True]
    path = visits / "policy.toml"
    path.write_text(TEXT.format(statement='person = "patient"'))
    (setting,) = plan(path, ks=(3,)).settings
    assert setting.smallest_class >= 3


@pytest.mark.parametrize("rows_per_person", [1, 2])
def test_a_preview_of_synthetic_data_is_of_people(visits: Path, rows_per_person: int) -> None:
    policy = make_policy(
        {
            "source": {"file": str(visits / "visits.csv"), "person": "patient"},
            "method": {
                "name": "synthesize",
                "epsilon": 1,
                "delta": "1e-6",
                "rows_per_person": rows_per_person,
            },
        }
    )
    found: Any = preview(policy)
    assert found.n_rows == 10 * rows_per_person
