from __future__ import annotations

import json

import pytest

from discreet.data.suggest_roles import suggest_roles
from discreet.data.table import Table


@pytest.mark.parametrize(
    ("column", "role"),
    [
        ("email", "identifying"),
        ("First Name", "identifying"),
        ("patientId", "identifying"),
        ("SSN", "identifying"),
        ("ID", "identifying"),
        ("diagnosis", "sensitive"),
        ("annual-income", "sensitive"),
        ("Religion", "sensitive"),
        ("sex", "quasi"),
        ("width", "quasi"),
        ("filename_kind", "quasi"),
        ("native-country", "quasi"),
    ],
)
def test_names_tell(column: str, role: str) -> None:
    table = Table.from_frame({column: ["a", "b", "a"]})
    assert suggest_roles(table).roles == {column: role}


def test_counts_tell() -> None:
    n = 40
    table = Table.from_frame(
        {
            "a": [str(i) for i in range(n)],
            "b": ["same"] * n,
            "c": [str(i % 5) for i in range(n)],
            "d": [str(max(i, 2)) for i in range(n)],
        }
    )
    found = suggest_roles(table)
    assert found.roles == {"a": "identifying", "b": "insensitive", "c": "quasi", "d": "identifying"}
    assert "every row has a value of its own" in str(found)
    assert "38 values in 40 rows" in str(found)
    assert table.with_roles(found.roles).identifying == ("a", "d")
    assert json.loads(json.dumps(found.to_dict()))["b"]["role"] == "insensitive"
