"""Rows of hierarchies made from values alone: intervals of numbers, beginnings of codes.

A group is called by the beginning that its codes share: ``E11``, ``750``. Where a code of the
column reads the same and others begin with it, the group is called ``750...`` (``E11.-`` for
diagnoses, as the classification itself writes it): a label never means both a value and a group.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from discreet import checks
from discreet.data.hierarchy.sources import ROOT
from discreet.errors import HierarchyError, ParameterError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    Rows = Iterable[tuple[str, Sequence[object]]]


def rows_of_intervals(values: Iterable[float], steps: Sequence[float], origin: float) -> Rows:
    """Yield each number with its intervals, narrow to wide; see `Hierarchy.intervals`."""
    widths = [checks.exact("steps", step, above=0) for step in steps]
    start = checks.exact("origin", origin)
    multiples = all(wide > narrow and wide % narrow == 0 for narrow, wide in pairwise(widths))
    if not multiples:
        raise ParameterError(
            "{steps}: each must be a multiple of the one before, such as [5, 10, 20]; otherwise "
            "intervals would overlap.",
            parameter="steps",
            options={"steps": list(steps)},
        )
    numbers = {_exact(value, "Value"): value for value in _each(values)}
    for exact in sorted(numbers):
        lows = [start + (exact - start) // width * width for width in widths]
        bounds = zip(lows, widths, strict=True)
        groups = [f"[{_plain(low)}, {_plain(low + width)})" for low, width in bounds]
        yield f"value {numbers[exact]}", [numbers[exact], *groups, ROOT]


def rows_of_prefixes(codes: Iterable[str], lengths: Sequence[int]) -> Rows:
    """Yield each code with its beginnings, long to short; see `Hierarchy.prefixes`."""
    lengths = [checks.whole("lengths", n, at_least=1) for n in lengths]
    if any(long <= short for long, short in pairwise(lengths)):
        raise checks.refused("lengths", lengths, "numbers that fall, such as [3, 2]")
    return _rows(_texts(codes), lambda code: [code[:n] for n in lengths])


def rows_of_codes(codes: Iterable[str], kind: str) -> Rows:
    """Yield each code with the groups of its kind; see `Hierarchy.codes`."""
    checks.one_of("kind", kind, KINDS)
    known = _texts(codes)
    if kind == "dotted":
        has_parts = any(_SEPARATED.fullmatch(code) for code in known)
        return _rows(known, lambda code: _shorter(code, has_parts=has_parts))
    return _rows(known, KINDS[kind], ".-" if kind == "icd" else "...")


def suggest_way(values: Sequence[object]) -> dict[str, object]:
    """Return how groups of some values may be made, as `Grouping` takes it, for a person to judge.

    Examples
    --------
    >>> suggest_way([17, 18, 64, 91]), suggest_way(["2024-01-31", "2024-02-01"])
    ({'steps': [5, 10, 20]}, {'dates': True})
    >>> suggest_way(["75001", "75002", "13001"]), suggest_way(["cook", "baker"])
    ({'prefix': [3, 2, 1]}, {'flat': True})
    """
    texts = [str(value) for value in values if value is not None]
    if not texts:
        return {"flat": True}
    if all(map(_DAY.fullmatch, texts)):
        return {"dates": True}
    shortest = min(map(len, texts))
    are_codes = shortest == max(map(len, texts)) and shortest > 3 and len(texts) > 1
    if are_codes and all(any(letter.isdigit() for letter in text) for text in texts):
        return {"prefix": [3, 2, 1]}
    try:
        numbers = [float(text) for text in texts]
    except ValueError:
        return {"flat": True}
    spread = max(numbers) - min(numbers)
    if not 0 < spread < math.inf:
        return {"flat": True}
    # Some twenty groups at the lowest level, of a width that people count in.
    scale = 10.0 ** math.floor(math.log10(spread / 20))
    wide = next(each for each in (1, 2, 5, 10) if each * scale >= spread / 20)
    widths = [wide * scale * times for times in (1, 2, 4)]
    whole = all(number.is_integer() for number in numbers)
    if whole and widths[0] < 1:
        widths = [2.0, 4.0]
    return {"steps": [int(width) if width.is_integer() else width for width in widths]}


_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}(?:[ T].*)?", re.ASCII)


def _texts(codes: object) -> list[str]:
    known: dict[str, None] = {}
    for code in _each(codes):
        if not isinstance(code, str):
            raise HierarchyError(f"The code {code!r} is not text; write it as text.")
        known[code] = None
    return list(known)


def _rows(codes: list[str], cut: Callable[[str], list[str]], mark: str = "...") -> Rows:
    """Yield each code with its groups, each called so that no value reads the same."""
    groups = {code: cut(code) for code in codes}
    # A group needs a name of its own only if it holds others than the value of its name.
    shared = {label for code, labels in groups.items() for label in labels if label != code}
    taken = shared | groups.keys()
    called: dict[str, str] = {}
    for label in sorted(shared & {*groups, ROOT}):
        own = f"{label}{'-' if mark == '.-' and len(label) > _CATEGORY else mark}"
        while own in taken:
            own += mark[-1]
        taken.add(own)
        called[label] = own
    for code, labels in groups.items():
        # A code that is shorter than a level stands there itself; the widest such is its group.
        last = len(labels) - 1 - labels[::-1].index(code) if code in labels else -1
        above = [
            label if label == code and place != last else called.get(label, label)
            for place, label in enumerate(labels)
        ]
        yield f"code {code!r}", [code, *above, ROOT]


# Kinds of codes that say themselves what they are part of.


def _postcode(code: str) -> list[str]:
    """Return what stands before a blank or hyphen, and its first 3, 2 and 1 characters."""
    area = re.split(r"[ -]", code, maxsplit=1)[0] or code
    return [area, area[:3], area[:2], area[:1]]


_SEPARATED = re.compile(r"([^./ -]+)[./ -].*", re.DOTALL)


def _shorter(code: str, *, has_parts: bool) -> list[str]:
    """Return a code cut by one character at a time, down to the part before the first dot.

    Where no code of the column has parts, down to one character. A letter before digits is a
    group, as in C10.1.
    """
    found = _SEPARATED.fullmatch(code)
    first = found[1] if found else code
    least = len(first) if has_parts else 1
    cuts = [code[:n] for n in range(len(code), max(least, 1) - 1, -1) if code[n - 1] not in "./ -"]
    if has_parts and re.fullmatch(r"[^\W\d_]\d+", first):
        cuts.append(first[0])
    return cuts


_ICD = re.compile(r"[A-Z][0-9][0-9A-Z](?:\.?[0-9A-Z]{1,4})?\.?[-+*!]?", re.ASCII | re.IGNORECASE)

_CATEGORY = 3  # characters of a category, such as E11

# The chapters of ICD-10: the first category of each, and what it is called.
_CHAPTERS = (
    ("A00", "A00-B99"), ("C00", "C00-D49"), ("D50", "D50-D89"), ("E00", "E00-E90"),
    ("F00", "F00-F99"), ("G00", "G00-G99"), ("H00", "H00-H59"), ("H60", "H60-H95"),
    ("I00", "I00-I99"), ("J00", "J00-J99"), ("K00", "K00-K95"), ("L00", "L00-L99"),
    ("M00", "M00-M99"), ("N00", "N00-N99"), ("O00", "O00-O99"), ("P00", "P00-P96"),
    ("Q00", "Q00-Q99"), ("R00", "R00-R99"), ("S00", "S00-T98"), ("U00", "U00-U99"),
    ("V00", "V00-Y99"), ("Z00", "Z00-Z99"),
)  # fmt: skip


def _diagnosis(code: str) -> list[str]:
    """Return subcategory, category, ten categories and chapter of an ICD-10 code."""
    if not _ICD.fullmatch(code):
        raise HierarchyError(
            f"{code!r} is not an ICD-10 code such as E11 or E11.9. Correct it, give it as a "
            "missing value, or group by prefix."
        )
    plain = code.rstrip("-+*!").rstrip(".").upper()
    category, tens = plain[:_CATEGORY], plain[:2]
    chapter = next(label for first, label in reversed(_CHAPTERS) if first <= category)
    return [plain[: 5 if "." in plain else 4], category, f"{tens}0-{tens}9", chapter]


KINDS: dict[str, Callable[[str], list[str]]] = {
    "icd": _diagnosis,
    "postcode": _postcode,
    "dotted": lambda code: _shorter(code, has_parts=True),
}


def _each(values: object) -> list[object]:
    if isinstance(values, (str, bytes)) or not isinstance(values, Iterable):
        raise HierarchyError(f"{values!r} is not a list of values.")
    if hasattr(values, "tolist"):
        return list(values.tolist())
    return [value.item() if isinstance(value, np.generic) else value for value in values]


def _exact(value: object, what: str) -> int | Fraction:
    """Return the number as it is written, so that 0.3 is three tenths."""
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    if not isinstance(value, float) or not math.isfinite(value):
        raise HierarchyError(f"{what} {value!r} is not a finite number; bin or drop it.")
    return Fraction(repr(value))


def _plain(number: int | Fraction) -> str:
    return str(number.numerator) if number.denominator == 1 else repr(float(number))
