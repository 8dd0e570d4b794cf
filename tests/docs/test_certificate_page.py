"""The reference of certificates describes every field, model and step."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from discreet.patterns.release import PATTERNS, WITNESSED
from discreet.randomize.operators.kinds import KINDS
from discreet.release.certificate import json_schema
from discreet.report.sections.events import words_of_events
from discreet.synthesize.budget import APPROXIMATE, LOCAL, PURE
from discreet.verify.verifier import CHECKERS

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "certificate.md").read_text(encoding="utf-8")
SCHEMA = json_schema()
FIELDS = {"Certificate": SCHEMA, **SCHEMA["$defs"]}


def section(name: str) -> str:
    return PAGE.split(f"\n## {name}\n")[1].split("\n## ")[0]


@pytest.mark.parametrize("name", FIELDS)
def test_every_field_is_described_in_its_section(name: str) -> None:
    text = section(name.removesuffix("V1"))
    for field in FIELDS[name]["properties"]:
        assert f"\n| `{field}` |" in text, field


def test_every_model_is_described() -> None:
    text = section("Guarantee")
    known = {each.model for each in CHECKERS if each.model}
    for name in (PATTERNS, WITNESSED, PURE, APPROXIMATE, LOCAL, *known):
        assert f"`{name}`" in text


def names_of_events() -> set[str]:
    """Names written in the code beside those that the report has words for."""
    found = set(words_of_events())
    for path in (ROOT / "src" / "discreet").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Event":
                given = {each.arg: each.value for each in node.keywords}.get("name")
                if isinstance(given, ast.Constant):
                    found.add(str(given.value))
    return found


def test_every_step_is_described() -> None:
    text = section("Event")
    certified = [name for name, operator in KINDS.items() if operator.is_per_transaction]
    for name in names_of_events() | {name.replace("-", "_") for name in certified}:
        assert f"`{name}`" in text, name


def test_every_type_of_column_is_described() -> None:
    for name in SCHEMA["$defs"]["Column"]["properties"]["type"]["enum"]:
        assert f'`"{name}"`' in section("Column")
