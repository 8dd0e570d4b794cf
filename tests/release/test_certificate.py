"""Certificates: deterministic, strict, and honest about versions."""

from __future__ import annotations

import copy
import hashlib
import json
from typing import Any

import pytest

from discreet.errors import DataError, DiscreetError, GuaranteeError
from discreet.release.certificate import Certificate, json_schema, read_certificate
from discreet.release.event import Event
from tests.release.claims import k_anonymity, patterns, private

VALUES: dict[str, Any] = {
    "schema_version": 2,
    "publishes": "rows",
    "discreet_version": "0.1.0",
    "created": "2026-01-31T12:00:00Z",
    "guarantee": private().to_dict(),
    "events": [Event(name="sample", parameters={"x": None, "y": True}).to_dict()],
    "data": {
        "file": "data.csv",
        "sha256": "a" * 64,
        "n_rows": 3,
        "columns": [{"name": "é", "role": "quasi", "type": "text"}],
    },
    "fingerprint": {"algorithm": "HMAC-SHA256", "key_id": "b" * 32, "mac": "c" * 64},
    "experimental": False,
    "policy_sha256": None,
    "report_sha256": "d" * 64,
}


def sealed(values: dict[str, Any]) -> str:
    """Return the text of a certificate, with the checksum written as an attacker would."""
    plain = json.dumps(values, sort_keys=True, indent=2, ensure_ascii=False) + "\n"
    checksum = hashlib.sha256(plain.encode()).hexdigest()
    return json.dumps({**values, "checksum": checksum}, sort_keys=True, indent=2) + "\n"


def changed(place: str, value: object) -> dict[str, Any]:
    values = copy.deepcopy(VALUES)
    *path, last = place.split(".")
    held = values
    for name in path:
        held = held[name]
    held[last] = value
    return values


def test_text_is_deterministic_and_reads_back() -> None:
    text = Certificate.model_validate(VALUES).to_json()
    again = read_certificate(text)
    assert again.to_json() == text
    assert text.endswith("}\n")
    assert "é" in text
    keys = list(json.loads(text))
    assert keys == sorted(keys)
    assert json.loads(text)["created"] == "2026-01-31T12:00:00Z"
    assert again.read_guarantee() == private()
    assert again.read_events()[0].parameters == {"x": None, "y": True}
    assert again.read_roles() == {"é": "quasi"}


def test_schema_accepts_what_is_written_and_refuses_more() -> None:
    jsonschema = pytest.importorskip("jsonschema")
    schema = json_schema()
    jsonschema.Draft202012Validator.check_schema(schema)
    written = json.loads(Certificate.model_validate(VALUES).to_json())
    jsonschema.validate(written, schema)
    for wrong in ({**written, "more": 1}, {**written, "schema_version": 1}):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(wrong, schema)


@pytest.mark.parametrize("text", ["", "{", "[]", "null", '{"a": NaN}', '{"a": 1, "a": 2}', "{}",
                                  '{"schema_version": true}', '{"schema_version": "1"}',
                                  '{"schema_version": 0}', "[" * 100_000])  # fmt: skip
def test_texts_that_are_no_certificate(text: str) -> None:
    with pytest.raises(DataError, match=r"somewhere/certificate\.json is not"):
        read_certificate(text, where="somewhere/certificate.json")


def test_every_cut_is_noticed() -> None:
    text = sealed(VALUES)
    for end in range(0, len(text) - 2, 7):
        with pytest.raises(DataError):
            read_certificate(text[:end])


def test_a_newer_version_asks_for_a_newer_reader() -> None:
    with pytest.raises(DataError, match=r"schema version 3; .* Read it with a newer discreet"):
        read_certificate(sealed({**VALUES, "schema_version": 3, "new_field": 1}))


def test_version_2_says_what_it_publishes() -> None:
    for kind in ("rows", "synthetic rows", "patterns", "transactions"):
        assert read_certificate(sealed({**VALUES, "publishes": kind})).publishes == kind
    silent = {name: value for name, value in VALUES.items() if name != "publishes"}
    for wrong in (silent, {**VALUES, "publishes": "tables"}, {**VALUES, "schema_version": 1}):
        with pytest.raises(DataError, match="is not a certificate: publishes"):
            read_certificate(sealed(wrong))


@pytest.mark.parametrize(
    ("changes", "kind"),
    [
        ({}, "rows"),
        ({"operator_sha256": "e" * 64}, "transactions"),
        ({"events": [Event(name="draw_rows").to_dict()]}, "synthetic rows"),
        ({"guarantee": patterns().to_dict()}, "patterns"),
    ],
)
def test_of_version_1_it_is_worked_out(changes: dict[str, Any], kind: str) -> None:
    silent = {name: value for name, value in VALUES.items() if name != "publishes"}
    text = sealed({**silent, "schema_version": 1, **changes})
    certificate = read_certificate(text)
    assert certificate.publishes == kind
    assert json.loads(certificate.to_json()) == json.loads(text)


def test_a_changed_certificate_is_noticed() -> None:
    text = Certificate.model_validate(VALUES).to_json()
    with pytest.raises(GuaranteeError, match="checksum differs"):
        read_certificate(text.replace('"n_rows": 3', '"n_rows": 4'))
    with pytest.raises(GuaranteeError, match="checksum differs"):
        read_certificate(json.dumps(VALUES))


@pytest.mark.parametrize(
    ("place", "value"),
    [
        ("experimental", True),
        ("experimental", "no"),
        ("created", "2026-01-31T12:00:00+02:00"),
        ("created", "2026-01-31T12:00:00"),
        ("created", "2026-01-31T12:00:00.5Z"),
        ("data.file", "../../etc/passwd"),
        ("data.sha256", "A" * 64),
        ("data.n_rows", -1),
        ("data.n_rows", True),
        ("data.n_rows", 1.0),
        ("data.columns", []),
        ("data.columns", [{"name": "id", "role": "identifying", "type": "text"}]),
        ("fingerprint.secret", "00"),
        ("fingerprint.algorithm", "SHA256"),
        ("guarantee.not_protected", []),
        ("guarantee.neighbours", None),
        ("guarantee.parameters.epsilon", 0.1),
        ("guarantee.parameters.epsilon", {"exact": "1/10", "decimal": "0.05"}),
        ("guarantee.parameters.epsilon", {"exact": "0/1", "decimal": "0"}),
        ("guarantee.columns", [""]),
        ("guarantee.model", "epsilon-differential privacy"),
        ("events", [{"name": "x"}]),
    ],
)
def test_strict_even_where_the_checksum_was_renewed(place: str, value: object) -> None:
    with pytest.raises(DiscreetError):
        read_certificate(sealed(changed(place, value)))


def test_without_fingerprint() -> None:
    values = {**changed("guarantee", k_anonymity().to_dict()), "fingerprint": None}
    assert read_certificate(sealed(values)).read_fingerprint() is None
