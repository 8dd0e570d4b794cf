"""The glossary has the words of policies, certificates and roles."""

from __future__ import annotations

import re
from pathlib import Path

from discreet.data.roles import ROLES
from discreet.release.certificate import json_schema
from discreet.release.guarantee import _NEEDS
from discreet.release.methods import METHODS
from discreet.verify.verifier import CHECKERS

PAGE = (Path(__file__).parents[2] / "docs" / "glossary.md").read_text(encoding="utf-8")
TERMS = re.findall(r"^(?!#|:|  )(.+)\n  \S", PAGE, re.MULTILINE)
WORDS = {*TERMS, *re.findall(r"`([^`]+)`", PAGE)}


def test_every_term_has_one_entry() -> None:
    assert len(TERMS) == len(set(TERMS)) > 50


def test_every_method_and_its_options_are_words() -> None:
    options = {option.name for record in METHODS.values() for option in record.options}
    assert {*METHODS, *options} - {"name", "columns", "public"} <= WORDS


def test_every_role_model_and_parameter_is_a_word() -> None:
    models = {
        part
        for each in CHECKERS
        for part in re.split(r",? and |, ", (each.model or "").replace("(epsilon, delta)-", ""))
    }
    known = {word.lower() for word in WORDS}
    assert set(ROLES) <= known
    assert {name for names in _NEEDS.values() for name in names} - {"n_rows"} <= known
    for model in models - {"", "(epsilon", "witnessed"}:
        assert model.removeprefix("delta)-").lower() in known, model


def test_parts_of_a_certificate_are_words() -> None:
    parts = {*json_schema()["properties"], *json_schema()["$defs"]["GuaranteeV1"]["properties"]}
    shapes = {"data", "columns", "created", "parameters", "experimental_reason"}
    plain = {name for name in parts if not re.search("_version|_sha256", name)} - shapes
    known = {word.replace(" ", "_") for word in WORDS}
    known |= {f"{word}s" for word in known}
    assert plain <= known
