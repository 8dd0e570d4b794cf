"""What a policy and a command say of people."""

from __future__ import annotations

from pathlib import Path

import pytest

from discreet.errors import ParameterError
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


def test_both_statements_are_refused() -> None:
    source = {"file": "a.csv", "person": "id", "one_row_per_person": True}
    with pytest.raises(ParameterError, match="State one of them"):
        make_policy({"source": source, "method": {"name": "k-mii", "k": 5}})
