"""The names at the top of the package."""

from __future__ import annotations

import ast
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from types import ModuleType

import pytest

import discreet as dc

NAMES = dir(dc)
FAMILIES = ("suppress", "generalize", "randomize", "synthesize", "patterns")


@pytest.mark.parametrize("name", NAMES)
def test_every_public_name_resolves_and_is_told(name: str) -> None:
    value = getattr(dc, name)
    assert name == "__version__" or value.__doc__


def test_type_checkers_and_the_lazy_loader_know_the_same_names() -> None:
    tree = ast.parse(Path(dc.__file__ or "").read_text())
    declared = [
        alias.asname
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("discreet")
        for alias in node.names
    ]
    assert sorted(filter(None, declared)) == sorted(set(NAMES) - {"__version__"})


def test_every_name_is_what_its_home_has() -> None:
    """The list says from where, and the lazy loader brings the same object."""
    for name, home in dc._homes().items():
        value = getattr(dc, name)
        if isinstance(value, ModuleType):
            assert value.__name__ == f"{home}.{name}"
        else:
            assert value is vars(import_module(home))[name]


def test_about_thirty_names_and_the_families_are_there() -> None:
    modules = {name for name in NAMES if isinstance(getattr(dc, name), ModuleType)}
    assert {*FAMILIES, "mine", "assess", "utility", "verify", "policy", "datasets"} <= modules
    assert 25 <= len(set(NAMES) - modules) <= 35


def test_star_brings_all_of_them() -> None:
    brought: dict[str, object] = {}
    exec("from discreet import *", brought)  # noqa: S102  a star is not allowed elsewhere
    assert brought.keys() - {"__builtins__"} == set(NAMES)


def test_unknown_name() -> None:
    with pytest.raises(AttributeError, match="no attribute 'k_anon'"):
        getattr(dc, "k_anon")  # noqa: B009  type checkers refuse it


@pytest.mark.parametrize(("old", "new"), dc._RETIRED.items())
def test_a_retired_name_says_what_to_write(old: str, new: str) -> None:
    with pytest.raises(AttributeError, match=rf"{old} is now {new}$"):
        getattr(dc, old)
    assert old not in NAMES
    home, _, name = new.rpartition(".")
    assert getattr(import_module(home), name)


def test_a_retired_name_of_a_family() -> None:
    with pytest.raises(AttributeError, match=r"KrimpSynthesizer is now Synthesizer"):
        getattr(dc.synthesize, "KrimpSynthesizer")  # noqa: B009


def test_version_is_that_of_the_package() -> None:
    assert dc.__version__ == version("discreet")


def test_notebooks_show_tables_in_a_frame_of_their_own() -> None:
    shown = dc.Table.from_frame({"sex": ["f", "<b>"]})._repr_html_()
    assert shown.startswith('<div class="discreet"><style>.discreet table{')
    assert shown.endswith("</table></div>")
    assert "<b>" not in shown
