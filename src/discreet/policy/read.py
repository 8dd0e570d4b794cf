"""Policies from files, with errors that name file, line, key and what would fit."""

from __future__ import annotations

import re
import tomllib
from decimal import Decimal
from typing import TYPE_CHECKING

from pydantic import ValidationError

from discreet.data.files.find import find_file
from discreet.errors import DataError, ParameterError
from discreet.policy.explain import first_problem
from discreet.policy.lines import key_lines, line_of
from discreet.policy.model import Policy

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping
    from pathlib import Path

_AT_LINE = re.compile(r"\s*\(at (?:line (\d+), column \d+|end of document)\)$")


def read_policy(path: str | os.PathLike[str]) -> Policy:
    r"""Return the policy in a file.

    Parameters
    ----------
    path : path
        A TOML file; see the reference of policies for its keys. Paths in it are relative to
        the folder it is in.

    Returns
    -------
    Policy
        Checked but for what depends on the data: whether its columns exist is seen when it runs.

    Raises
    ------
    DataError
        If the file cannot be read or is not TOML.
    ParameterError
        If a key is unknown, missing or out of its range; the line is named.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "policy.toml"
    >>> _ = path.write_text('[source]\nfile = "people.csv"\n[method]\nname = "k-mii"\nk = 5\n')
    >>> read_policy(path).method
    KMii(columns=None, name='k-mii', k=5, leftover='drop', sample_size=None)
    """
    found = find_file(path)
    try:
        text = found.read_bytes().decode("utf-8-sig").replace("\r\n", "\n")
    except OSError as error:
        raise DataError(f"{found} cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        before = error.object[: error.start].count(b"\n")
        raise DataError(
            f"{found}, line {before + 1}: not UTF-8 text. Save the file as UTF-8."
        ) from None
    try:
        values = tomllib.loads(text, parse_float=Decimal)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise DataError(_not_toml(found, str(error), text)) from None
    try:
        policy = Policy.model_validate(values)
    except ValidationError as error:
        problem = first_problem(error)
        line = line_of(key_lines(text), problem.place)
        where = f"{found}: " if line is None else f"{found}, line {line}: "
        raise ParameterError(where + problem.sentence) from None
    return policy.written_in(found, text)


def make_policy(values: Mapping[str, object]) -> Policy:
    """Return the policy of given values, such as the options of a command.

    Parameters
    ----------
    values : mapping
        As in a policy file.

    Returns
    -------
    Policy
        With paths relative to the folder one is in.

    Raises
    ------
    ParameterError
        If a key is unknown, missing or out of its range.

    Examples
    --------
    >>> make_policy({"source": {"file": "a.csv"}, "method": {"name": "k-mi", "k": 5}})
    Traceback (most recent call last):
    discreet.errors.ParameterError: There is no method 'k-mi'. Did you mean 'k-mii'?
    """
    try:
        return Policy.model_validate(values)
    except ValidationError as error:
        raise ParameterError(first_problem(error).sentence) from None


def _not_toml(path: Path, message: str, text: str) -> str:
    """Return what is wrong with a text that is not TOML."""
    at = _AT_LINE.search(message)
    said = message[: at.start()] if at else message
    line = int(at[1]) if at and at[1] else text.rstrip("\n").count("\n") + 1
    lines = text.split("\n")
    shown = lines[line - 1].strip() if line <= len(lines) else ""
    quoted = f" in: {shown[:80]}" if shown else ""
    return (
        f"{path}, line {line}: not TOML ({said[:1].lower()}{said[1:]}){quoted}. Text stands in "
        'quotes, as in file = "people.csv".'
    )
