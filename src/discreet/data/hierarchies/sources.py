"""The forms a hierarchy is written in: lines of a file, nested mappings, steps and prefixes."""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet.data.files.compressed import read_bytes
from discreet.data.hierarchies.draft import Draft
from discreet.errors import HierarchyError, ParameterError

if TYPE_CHECKING:
    import os

    from discreet.data.hierarchies.draft import Value

ROOT = "*"
QUOTED = re.compile(r'(?:^|(?<=[;,]))"(?:[^"]|"")*"')
INTEGER = re.compile(r"[+-]?[0-9]+", re.ASCII)


def draft_of_rows(rows: Iterable[tuple[str, object]]) -> Draft:
    """Return the tree of rows from leaf to root, each with the place it comes from."""
    draft = Draft()
    first = ""
    known: dict[tuple[object, ...], int] = {}
    lengths: set[int] = set()
    for place, row in rows:
        if isinstance(row, str) or not isinstance(row, Sequence) or len(row) == 0:
            raise HierarchyError(f"{place}: {row!r} is not a list of labels from leaf to root.")
        first = first or place
        lengths.add(len(row))
        above = tuple(row[1:]) or (str(row[0]),)
        if above not in known:
            if row[0] != "" and "" in above:
                raise HierarchyError(f"{place}: the label of a group is empty; name it.")
            node = -1
            for label in reversed(above):
                node = draft.add_group(node, label, place)
            known[above] = node
            if above[-1] != draft.labels[0]:
                raise HierarchyError(
                    f"{place} ends in {above[-1]!r}, {first} in {draft.labels[0]!r}; all must end "
                    f"in the same root, such as {ROOT!r}. Check the delimiter, too."
                )
        draft.add_leaf(known[above], row[0], place)
    if not first:
        raise HierarchyError("The hierarchy has no lines; give one for each value of the column.")
    if len(lengths) > 1:
        _refuse_shifted_groups(draft)
    return draft


def rows_of_csv(
    source: str | os.PathLike[str], delimiter: str | None, *, numbers: bool
) -> Iterable[tuple[str, Sequence[object]]]:
    """Yield the lines of a file, or of a text with line ends, as rows with their place."""
    if isinstance(source, str) and "\n" in source:
        name, text = "", source
    else:
        name = f"{Path(source)}, "
        content = read_bytes(source)
        try:
            text = content.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            line = content.count(b"\n", 0, error.start) + 1
            raise HierarchyError(f"{name}line {line} is not UTF-8; save it as UTF-8.") from None
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        raise HierarchyError(f"{name}line {line} holds a NUL; this is not a text file in UTF-8.")
    if delimiter is None:
        start = QUOTED.sub("", text.lstrip("\r\n")).split("\n", 1)[0]
        delimiter = "," if "," in start and ";" not in start else ";"
    elif not re.fullmatch(r'[^"\r\n]', delimiter):
        raise ParameterError(f"delimiter is one character such as ';', not {delimiter!r}.")
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    has_lines = False
    try:
        for row in reader:
            has_lines = has_lines or bool(row)
            place = f"{name}line {reader.line_num}"
            if row:
                yield place, [_number(row[0], place), *row[1:]] if numbers else row
    except csv.Error as error:
        raise HierarchyError(f"{name}line {reader.line_num}: {error}; check quotes.") from None
    if not has_lines:
        raise HierarchyError(f"{name}no lines: give one for each value, leaf;group;...;root.")


def draft_of_mapping(tree: object, root: str | None) -> Draft:
    """Return the tree of nested mappings and lists; see `Hierarchy.from_mapping`."""
    if not isinstance(tree, Mapping) or not tree:
        raise HierarchyError(f"{tree!r} is not a mapping of groups to what they hold.")
    if root is None and len(tree) > 1:
        shown = ", ".join(map(repr, list(tree)[:3]))
        raise HierarchyError(f"There are several roots: {shown}; pass root={ROOT!r} to join them.")
    draft = Draft()
    start = -1 if root is None else draft.add_group(-1, root)
    open_now: set[int] = set()  # containers on the way from the root: meeting one is a cycle
    work: list[tuple[int, object, bool]] = [(start, tree, False)]
    while work:
        parent, inside, is_done = work.pop()
        if is_done:
            open_now.discard(id(inside))
            continue
        if id(inside) in open_now:
            raise HierarchyError(
                f"The group {draft.labels[parent]!r} holds itself; a hierarchy has no cycles."
            )
        open_now.add(id(inside))
        work.append((parent, inside, True))
        work.extend(reversed(list(_unpack(draft, parent, inside))))
    if len(draft.parents) == 1:
        raise HierarchyError(f"The root {draft.labels[0]!r} holds no value; give it some.")
    return draft


def draft_of_parents(parents: Mapping[Any, str | None]) -> Draft:
    """Return the tree of a mapping from child to parent; see `Hierarchy.from_parents`."""
    children: dict[Value, list[Value]] = {}
    roots: dict[Value, None] = {}
    for child, parent in parents.items():
        if parent is None:
            roots[child] = None
        else:
            children.setdefault(parent, []).append(child)
    roots.update(dict.fromkeys(label for label in children if label not in parents))
    if len(roots) > 1:
        shown = ", ".join(map(repr, list(roots)[:3]))
        raise HierarchyError(f"There are several roots: {shown}; give them a parent {ROOT!r}.")
    if not parents:
        raise HierarchyError("The hierarchy is empty; give each value its parent.")
    draft = Draft()
    work: list[tuple[int, Value]] = [(-1, root) for root in roots]
    while work:
        above, label = work.pop()
        if label in children:
            node = draft.add_group(above, label)
            work.extend((node, child) for child in reversed(children[label]))
        else:
            draft.add_leaf(above, label)
    if len(draft.parents) < len(parents.keys() | children.keys()):
        lost = next(label for label in parents if _is_on_cycle(label, parents))
        raise HierarchyError(f"{lost!r} is its own ancestor; a hierarchy has no cycles.")
    return draft


def rows_of_intervals(
    values: Iterable[float], steps: Sequence[float], origin: float
) -> Iterable[tuple[str, Sequence[object]]]:
    """Yield each number with its intervals, narrow to wide; see `Hierarchy.intervals`."""
    widths = [_exact(step, "A step") for step in steps]
    start = _exact(origin, "The origin")
    multiples = all(wide > narrow and wide % narrow == 0 for narrow, wide in pairwise(widths))
    if any(width <= 0 for width in widths) or not multiples:
        raise ParameterError(
            f"Steps must be above 0 and each a multiple of the one before, such as "
            f"[5, 10, 20], not {list(steps)}; otherwise intervals would overlap."
        )
    numbers = {_exact(value, "Value"): value for value in _each(values)}
    for exact in sorted(numbers):
        lows = [start + (exact - start) // width * width for width in widths]
        bounds = zip(lows, widths, strict=True)
        groups = [f"[{_plain(low)}, {_plain(low + width)})" for low, width in bounds]
        yield f"value {numbers[exact]}", [numbers[exact], *groups, ROOT]


def rows_of_prefixes(
    codes: Iterable[str], lengths: Sequence[int]
) -> Iterable[tuple[str, Sequence[object]]]:
    """Yield each code with its beginnings, long to short; see `Hierarchy.prefixes`."""
    falls = all(long > short for long, short in pairwise(lengths))
    if any(type(n) is not int or n < 1 for n in lengths) or not falls:
        raise ParameterError(
            f"lengths must be integers of at least 1 that fall, such as [3, 2], not {lengths!r}."
        )
    known: dict[str, None] = {}
    for code in _each(codes):
        if not isinstance(code, str):
            raise HierarchyError(f"The code {code!r} is not text; write it as text.")
        known[code] = None
    longest = max(map(len, known), default=0)
    for code in known:
        starts = [code[:n] + ROOT * (longest - n) for n in lengths if n < len(code)]
        yield f"code {code!r}", [code, *starts, ROOT]


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


def _number(text: str, place: str) -> int:
    if not INTEGER.fullmatch(text):
        raise HierarchyError(f"{place}: {text!r} is not an integer; read with numbers=False.")
    return int(text)


def _unpack(draft: Draft, parent: int, inside: object) -> Iterable[tuple[int, object, bool]]:
    """Add what a container holds and yield the containers inside."""
    if isinstance(inside, Mapping):
        for label, held in inside.items():
            if held is None or (isinstance(held, (Mapping, list, tuple)) and not held):
                draft.add_leaf(parent, label)
            elif isinstance(held, (Mapping, list, tuple)):
                yield draft.add_group(parent, label), held, False
            else:
                raise HierarchyError(
                    f"The group {label!r} holds {held!r}; write a list, [{held!r}]. For a mapping "
                    f"from child to parent use Hierarchy.from_parents."
                )
    elif isinstance(inside, (list, tuple)):
        for held in inside:
            if isinstance(held, (Mapping, list, tuple)):
                yield parent, held, False
            else:
                draft.add_leaf(parent, held)


def _is_on_cycle(label: Value, parents: Mapping[Any, str | None]) -> bool:
    above = parents[label]
    for _ in range(len(parents)):
        if above is None or above == label:
            break
        above = parents.get(above)
    return above == label


def _refuse_shifted_groups(draft: Draft) -> None:
    """In rows of unequal length, refuse a label with two parents at any level."""
    seen: dict[Value, int] = {}
    for node, label in enumerate(draft.labels):
        above = draft.parents[node]
        if draft.is_leaf[node] or above < 0 or draft.labels[above] == label:
            continue
        other = seen.setdefault(label, node)
        if draft.parents[other] != above:
            raise HierarchyError(
                f"The group {label!r} stands {draft.where(other)} and {draft.where(node)}, and "
                f"lines are of unequal length; make every line name the same groups above it."
            )
