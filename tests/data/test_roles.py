from __future__ import annotations

import hashlib
import json
import uuid
import warnings
from collections.abc import Callable
from datetime import date, timedelta

import pytest
from tests.verify.admissions import admissions

import discreet as dc
from discreet.data.column import Label
from discreet.data.suggest_roles import PersonSuggestion, suggest_roles, warn_of_people
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
        ("Prénom", "identifying"),
        ("Nachname", "identifying"),
        ("apellido", "identifying"),
        ("Cognome", "identifying"),
        ("achternaam", "identifying"),
        ("Straße", "identifying"),
        ("Kundennummer", "identifying"),
        ("n° client", "identifying"),
        ("Telefon", "identifying"),
        ("codiceFiscale", "identifying"),
        ("hospital_name", "quasi"),
        ("ward_id", "quasi"),
        ("product_id", "quasi"),
        ("nombre_enfants", "quasi"),
        ("income_source", "sensitive"),
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


def test_questions_are_no_names() -> None:
    asked = {"phone": ["yes", "no", "yes"], "email": [0, 1, 1], "fax": [True, False, None]}
    assert set(suggest_roles(Table.from_frame(asked)).roles.values()) == {"quasi"}


def test_values_speak_where_names_are_silent() -> None:
    codes = ["747546782", "073896342", "870232691", "516749286", "636494858", "186953239"]
    frame = {
        "a": [f"person{i}@example.org" for i in range(6)],
        "b": codes,
        "c": [f"She came on day {i}. All was well." for i in range(6)],
        "d": ["x", "y", "z", "x", "y", "z"],
    }
    found = suggest_roles(Table.from_frame(frame))
    assert found.roles == {"a": "identifying", "b": "identifying", "c": "identifying", "d": "quasi"}
    kinds = [each.kind for each in found.suggestions]
    assert kinds == ["e-mail addresses", "Dutch citizen numbers (BSN)", "free text", ""]
    assert not any(value in str(found) for name in "abc" for value in frame[name])


def repeated(column: str, values: list[Label], n_rows: int) -> PersonSuggestion | None:
    """Return the suggestion for rows that go round some values, the first ones more often."""
    rows = [*values, *values[: n_rows - len(values)]]
    sexes = [f"s{i % 2}" for i in range(len(rows))]
    table = Table.from_frame({"sex": sexes, column: rows}, categorical=True)
    return suggest_roles(table).person


NUMBERS: list[Label] = list(range(1000, 1700))


@pytest.mark.parametrize(
    ("column", "noun"),
    [
        ("patient_id", "patients"),
        ("PatientNo", "patients"),
        ("Kundennummer", "customers"),
        ("n° client", "customers"),
        ("numero_de_paciente", "patients"),
        ("mitarbeiter-nr", "employees"),
        ("member key", "members"),
        ("pseudonym", "people"),
        ("id", "people"),
        ("nr", "people"),
        ("case_id", "people"),
        ("Patient", "patients"),
    ],
)
def test_numbers_of_people_that_repeat(column: str, noun: str) -> None:
    found = repeated(column, NUMBERS, 1000)
    assert found is not None
    assert (found.column, found.n_people, found.n_rows) == (column, 700, 1000)
    assert (found.noun, found.setting, found.repeats) == (noun, "person", True)
    assert "700 values in 1,000 rows: 1.4 rows for each on average" in found.reason


@pytest.mark.parametrize(
    "column", ["postcode", "zip_code", "plz", "birth_date", "hospital_id", "product_no", "ward nr",
               "icd_key", "room_no", "income", "num_visits", "persons", "street_no", "age"],
)  # fmt: skip
def test_places_and_things_that_repeat_are_not_people(column: str) -> None:
    assert repeated(column, NUMBERS, 1000) is None


@pytest.mark.parametrize(
    ("values", "is_person"),
    [
        ([f"P{i:06d}" for i in range(700)], True),
        ([f"{i * 7919 % 10**8 + 10**8:09d}" for i in range(700)], True),
        ([f"{uuid.UUID(int=i * 12345678901234567)}" for i in range(700)], True),
        ([hashlib.md5(f"{i}".encode()).hexdigest() for i in range(700)], True),  # noqa: S324
        ([f"ann{i}@example.org" for i in range(700)], True),
        ([f"{date(1930, 1, 1) + timedelta(days=i * 37)}" for i in range(700)], False),
        ([f"{date(1930, 1, 1) + timedelta(days=i * 37):%Y%m%d}" for i in range(700)], False),
        ([f"{10_000 + i}" for i in range(700)], False),
        ([f"{i / 7:.4f}" for i in range(700)], False),
        ([f"town {i}" for i in range(700)], False),
        ([f"Müller {i:05d}" for i in range(700)], False),
        ([i * 1000 for i in range(700)], False),
    ],
)
def test_the_form_of_values_alone(values: list[Label], *, is_person: bool) -> None:
    assert (repeated("x", values, 1000) is not None) == is_person
    few: list[Label] = [value for value in values[:20] for _ in range(50)]
    assert suggest_roles(Table.from_frame({"x": few}, categorical=True)).person is None


def test_the_clearest_sign_counts() -> None:
    n = 600
    table = Table.from_frame(
        {
            "x": [f"P{i // 2:06d}" for i in range(n)],
            "case_no": [f"{i // 2}" for i in range(n)],
            "patient": [f"{i // 3}" for i in range(n)],
            "patient_id": [f"{i // 4}" for i in range(n)],
            "customer_id": [f"{i // 5}" for i in range(n)],
        }
    )
    found = suggest_roles(table)
    assert found.person is not None
    assert found.person.column == "patient_id"
    assert str(found).splitlines()[-1].startswith("person: patient_id (its name says")


def test_a_number_of_its_own_in_every_row() -> None:
    found = suggest_roles(Table.from_frame({"patient_id": ["a", "b", "c"], "sex": ["f", "m", "f"]}))
    assert found.roles["patient_id"] == "identifying"
    assert found.person is not None
    assert (found.person.repeats, found.person.setting) == (False, "one_row_per_person")
    assert json.loads(json.dumps(found.person.to_dict()))["n_people"] == 3


def test_admissions() -> None:
    found = suggest_roles(Table.from_frame(admissions(), categorical=True))
    roles = found.roles
    assert [name for name, role in roles.items() if role == "identifying"] == [
        "patient_id", "name", "email", "phone", "note",
    ]  # fmt: skip
    assert found.person is not None
    assert found.person.to_dict() == {
        "column": "patient_id",
        "n_people": 3413,
        "n_rows": 5000,
        "setting": "person",
        "reason": "its name says that it identifies a person, and it has 3,413 values in 5,000 "
        "rows: 1.5 rows for each on average",
    }


VISITS = {
    "patient_id": [f"p{i // 3}" for i in range(60)],
    "sex": ["f", "m"] * 30,
    "ward": ["a", "b", "c"] * 20,
}
METHODS: dict[str, Callable[[Table], object]] = {
    "k_mii": lambda table: dc.k_mii(table, k=2),
    "mii_suppress": lambda table: dc.mii_suppress(table, theta=1),
    "mondrian": lambda table: dc.generalize.mondrian(table, k=2),
    "dp_mii_suppress": lambda table: dc.dp_mii_suppress(
        table, epsilon=4, delta="1e-6", k=2, seed=1
    ),
    "synthesize": lambda table: dc.Synthesizer(epsilon=1, delta=1e-6, seed=1).fit(table),
    "patterns": lambda table: dc.patterns.pattern_release(
        dc.patterns.certified(table, min_support=9, k=2), source=table
    ),
}


@pytest.mark.parametrize("name", METHODS)
@pytest.mark.parametrize("role", ["quasi", "identifying"])
def test_methods_say_that_nothing_is_stated_of_people(name: str, role: str) -> None:
    table = Table.from_frame(VISITS, roles={"patient_id": role})
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        METHODS[name](table)
    said = [str(each.message) for each in caught if "patient_id" in str(each.message)]
    assert said[0] == (
        "Column 'patient_id' seems to say whose each row is and has 20 values in 60 rows, but "
        "nothing is stated of people: the guarantee is about single rows, and says less of a "
        "person who has several. State person='patient_id' to protect people, or "
        "one_row_per_person=True if every row is another person."
    )


@pytest.mark.parametrize(
    "frame",
    [
        {**VISITS, "patient_id": [f"p{i}" for i in range(60)]},
        {"ward_id" if name == "patient_id" else name: v for name, v in VISITS.items()},
        {name: v for name, v in VISITS.items() if name != "patient_id"},
        {**VISITS, "patient_id": ["yes", "no"] * 30},
    ],
)
def test_nothing_is_said_where_nobody_seems_to_repeat(frame: dict[str, list[str]]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warn_of_people(Table.from_frame(frame))
        warn_of_people(Table.from_frame(VISITS, one_row_per_person=True))
        warn_of_people(Table.from_frame(VISITS, person="patient_id"))


def test_the_column_of_people_is_never_published_whatever_speaks_for_it() -> None:
    table = Table.from_frame({"nr": [1000 + i % 70 for i in range(100)]}, categorical=True)
    found = suggest_roles(table)
    assert found.roles == {"nr": "identifying"}
    assert "numbers that are given out" in str(found)
