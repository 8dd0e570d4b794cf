"""What the library calls things, in the words of the command line."""

from __future__ import annotations

import re
from shlex import quote

_WORDS = (
    (re.compile(r"pass overwrite=True"), "add --overwrite"),
    (re.compile(r"bins=\{'([^']*)': \[([^\]]*)\]\}"), lambda m: _bins(m[1], m[2])),
    (re.compile(r"bins=\{'([^']*)': ([0-9.]+)\}"), lambda m: _bins(m[1], m[2])),
    (re.compile(r"declare categorical=\{'([^']*)'\}"),
     lambda m: f"add --categorical {quote(m[1])}"),
    (re.compile(r"(Whole numbers with at most \d+ distinct values need neither\.)"),
     r"\1 What names people: --role NAME=identifying. discreet choose FILE writes these options."),
    (re.compile(r"Give exactly one of min_support \(rows\) and min_frequency \(share\)\."),
     "Give exactly one of --min-support (rows, as 100) and --min-frequency (share, as 0.01)."),
    (re.compile(r"Give it a role: (.*)=identifying leaves it out, .*=quasi keeps it"),
     r"Add --role \1=identifying to leave it out, or --role \1=quasi to keep it"),
    (re.compile(r"^(\w+) is missing in \[method\]: give it"), lambda m: _missing(m[1])),
    (re.compile(r"\b(publish|promise)=([\w-]+)"), r"--\1 \2"),
    (re.compile(r"pass n_rows="), "pass --n-rows"),
    (re.compile(r"out by columns=\."), "out by --role NAME=identifying."),
    (re.compile(r"pass null_values=\['([^']*)'.*?\]"), r"say null_values in a policy"),
)  # fmt: skip


def _bins(column: str, edges: str) -> str:
    """Return the option that cuts a column."""
    return "--bins " + quote(f"{column}={edges.replace(' ', '')}")


def _missing(option: str) -> str:
    """Return which option to add."""
    dashes = "-" if len(option) == 1 else "--"
    return f"{option} is missing: add {dashes}{option.replace('_', '-')}"


def in_cli_words(message: str) -> str:
    """Return a message with Python's keyword arguments turned into options.

    Examples
    --------
    >>> in_cli_words("out exists. Choose another name, or pass overwrite=True.")
    'out exists. Choose another name, or add --overwrite.'
    >>> in_cli_words("Say how: bins={'age': [20, 40, 60]} for edges.")
    'Say how: --bins age=20,40,60 for edges.'
    """
    for pattern, words in _WORDS:
        message = pattern.sub(words, message)
    return message
