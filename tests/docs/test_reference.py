"""The reference lists every public name, and nothing that is not there."""

from __future__ import annotations

import importlib.util
import re
from functools import cache, reduce
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"
PAGES = sorted([*DOCS.rglob("*.md"), DOCS.parent / "README.md"])
PACKAGES = (
    "discreet", "discreet.assess", "discreet.assess.attacks", "discreet.data", "discreet.errors",
    "discreet.generalize", "discreet.mine", "discreet.patterns", "discreet.policy",
    "discreet.randomize", "discreet.randomize.collect", "discreet.release", "discreet.report",
    "discreet.suppress", "discreet.synthesize", "discreet.utility", "discreet.verify",
)  # fmt: skip


def found(path: str) -> object:
    """Return what a path of the reference means: the longest module, and then its names."""
    parts = ["discreet", *path.removeprefix("~").split(".")]
    for end in range(len(parts) - 1, 0, -1):
        name = ".".join(parts[:end])
        if importlib.util.find_spec(name) is not None:
            return reduce(getattr, parts[end:], importlib.import_module(name))
    raise AssertionError(path)


@cache
def listed() -> tuple[object, ...]:
    text = (DOCS / "api.md").read_text(encoding="utf-8")
    entries = re.findall(r"^   (~?[\w.]+)$", text, re.MULTILINE)
    assert len(entries) == len(set(entries))
    return tuple(map(found, entries))


def public(package: str) -> dict[str, object]:
    """Return functions and classes; modules and constants have no page of their own."""
    module = importlib.import_module(package)
    names = getattr(module, "__all__", None)
    if names is None:  # of modules without a list: the classes they define
        names = [n for n, each in vars(module).items() if of_module(each, package)]
    return {name: value for name in names if callable(value := getattr(module, name))}


def of_module(value: object, package: str) -> bool:
    return isinstance(value, type) and value.__module__ == package


@pytest.mark.parametrize("package", PACKAGES)
def test_every_public_name_is_listed(package: str) -> None:
    missing = [
        name
        for name, value in public(package).items()
        if not any(value is each for each in listed())
    ]
    assert not missing, f"docs/api.md does not list {missing} of {package}"


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.stem)
def test_every_name_that_an_example_imports_is_listed(page: Path) -> None:
    text = re.sub(r"\n\.\.\. *", " ", page.read_text(encoding="utf-8"))
    missing = []
    for module, names in re.findall(r"^>>> from (discreet[\w.]*) import (.+)$", text, re.MULTILINE):
        for name in re.findall(r"\w+", names):
            value = getattr(importlib.import_module(module), name)
            if callable(value) and not any(value is each for each in listed()):
                missing.append(f"{module}.{name}")
    assert not missing
