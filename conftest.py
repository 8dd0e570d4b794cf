"""Runs the examples of README and guide as tests."""

from __future__ import annotations

from sybil import Sybil
from sybil.parsers.markdown import PythonCodeBlockParser, SkipParser
from sybil.parsers.rest import DocTestParser

pytest_collect_file = Sybil(
    parsers=[DocTestParser(), PythonCodeBlockParser(), SkipParser()],
    patterns=["README.md", "docs/**/*.md"],
).pytest()
