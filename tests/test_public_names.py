"""The names at the top of the package."""

from __future__ import annotations

import ast
from importlib.metadata import version
from pathlib import Path

import pytest

import discreet as dc


@pytest.mark.parametrize("name", dc.__all__)
def test_every_public_name_resolves_and_is_told(name: str) -> None:
    value = getattr(dc, name)
    assert name == "__version__" or value.__doc__


def test_type_checkers_and_the_lazy_loader_know_the_same_names() -> None:
    tree = ast.parse(Path(dc.__file__ or "").read_text())
    declared = {
        alias.asname
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module != "__future__"
        for alias in node.names
        if alias.asname
    }
    assert declared | {"__version__"} == set(dc.__all__) == set(dir(dc))


def test_unknown_name() -> None:
    with pytest.raises(AttributeError, match="no attribute 'k_anon'"):
        dc.k_anon  # noqa: B018


def test_a_retired_name_says_what_took_its_place() -> None:
    with pytest.raises(AttributeError, match=r"KrimpSynthesizer is now discreet\.Synthesizer"):
        dc.KrimpSynthesizer  # noqa: B018
    with pytest.raises(AttributeError, match=r"KrimpSynthesizer is now Synthesizer"):
        dc.synthesize.KrimpSynthesizer  # noqa: B018
    with pytest.raises(AttributeError, match="no attribute 'Krimp'"):
        dc.synthesize.Krimp  # noqa: B018


def test_version_is_that_of_the_package() -> None:
    assert dc.__version__ == version("discreet")
