"""The shape of a certificate of version 1, as its format is described, not as it is written.

A shape is a Python type, a pattern for text, a list with the shape of its members, a dict with
the shapes of all its keys (one that ends in ``?`` may be missing), or a tuple of shapes of which
one has to fit.
"""

from __future__ import annotations

import re
from typing import TypeAlias

Shape: TypeAlias = (
    "type | re.Pattern[str] | list[Shape] | dict[str, Shape] | tuple[Shape, ...] | None"
)

MAYBE = "?"  # at the end of a key: it may be missing
ANY_KEY = "*"  # a dict with this key alone may have any keys
_TEXT = re.compile(r"[\s\S]*\S[\s\S]*")
_SHA256 = re.compile(r"[0-9a-f]{64}")
_EXACT: Shape = {
    "exact": re.compile(r"-?[0-9]{1,2000}/[1-9][0-9]{0,1999}"),
    "decimal": re.compile(r"-?[0-9]{1,2100}(\.[0-9]{1,2100})?(e[+-]?[0-9]{1,4})?"),
}
_NUMBER: Shape = (int, str, _EXACT)
_TYPES = "text integer float boolean decimal date datetime time duration none items"

CERTIFICATE: Shape = {
    "schema_version": int,
    "discreet_version": _TEXT,
    "created": re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z"),
    "guarantee": {
        "model": _TEXT,
        "parameters": {ANY_KEY: _NUMBER},
        "unit": _TEXT,
        "neighbours": (_TEXT, None),
        "columns": [str],
        "assumptions": [_TEXT],
        "not_protected": [_TEXT],
        "experimental": bool,
        "experimental_reason": (_TEXT, None),
    },
    "events": [
        {
            "name": _TEXT,
            "parameters": {ANY_KEY: (bool, int, str, _EXACT, [str], None)},
            "counts": {ANY_KEY: int},
        }
    ],
    "data": {
        "file": re.compile(r"data\.(parquet|csv)"),
        "sha256": _SHA256,
        "n_rows": int,
        "columns": [
            {
                "name": str,
                # A column that names people fits the shape: another check says what it means.
                "role": re.compile("quasi|sensitive|insensitive|identifying"),
                "type": re.compile(_TYPES.replace(" ", "|")),
            }
        ],
    },
    "fingerprint": (
        {"algorithm": str, "key_id": re.compile("[0-9a-f]{32}"), "mac": _SHA256},
        None,
    ),
    "experimental": bool,
    "policy_sha256": (_SHA256, None),
    "report_sha256": (_SHA256, None),
    "hierarchies_sha256?": _SHA256,
    "operator_sha256?": _SHA256,
}


def misfit(shape: Shape, value: object, where: str = "it") -> str | None:
    """Return in words where a value departs from a shape, or None if it fits.

    Examples
    --------
    >>> misfit({"k": int}, {"k": "5"})
    'k is not as it should be'
    >>> misfit({"k": int}, {"k": 5, "l": 2})
    'it has l, which does not belong there'
    """
    if isinstance(shape, dict) and isinstance(value, dict):
        return _misfit_of_keys(shape, value, where)
    if isinstance(shape, list) and isinstance(value, list):
        found = (misfit(shape[0], each, f"{where}[{i}]") for i, each in enumerate(value))
        return next((fault for fault in found if fault), None)
    if isinstance(shape, tuple):
        faults = [misfit(each, value, where) for each in shape]
        return None if None in faults else faults[-1]
    fits = (
        (shape is None and value is None)
        or (isinstance(shape, type) and type(value) is shape)
        or (
            isinstance(shape, re.Pattern)
            and isinstance(value, str)
            and bool(shape.fullmatch(value))
        )
    )
    return None if fits else f"{where} is not as it should be"


def _misfit_of_keys(shape: dict[str, Shape], value: dict[str, object], where: str) -> str | None:
    """Return what is wrong with an object: keys missing, keys too many, or one of its values."""
    if ANY_KEY in shape:
        shape = dict.fromkeys(value, shape[ANY_KEY])
    else:
        shape = {
            key.removesuffix(MAYBE): part
            for key, part in shape.items()
            if not key.endswith(MAYBE) or key.removesuffix(MAYBE) in value
        }
    for key in shape:
        if key not in value:
            return f"{where} has no {key}"
    for key in value:
        if key not in shape:
            return f"{where} has {key}, which does not belong there"
    prefix = "" if where == "it" else f"{where}."
    found = (misfit(part, value[key], prefix + key) for key, part in shape.items())
    return next((fault for fault in found if fault), None)
