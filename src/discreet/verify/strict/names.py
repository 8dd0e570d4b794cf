"""Names of columns that cannot be taken for others; labels that say what they stand for."""

from __future__ import annotations

import json
import unicodedata
from collections import defaultdict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

# Letters that are not seen, or that change how others are seen, by their category in Unicode.
_UNSEEN = {"Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp"}

# Blank all the same: fillers of Hangul, the blank pattern of braille, joiners and selectors.
_BLANK = {"\u115f", "\u1160", "\u2800", "\u3164", "\uffa0", "\u034f", "\u17b4", "\u17b5"}


def fault_of_names(names: Iterable[str]) -> str | None:
    r"""Return in words which names of columns cannot be read apart, or None.

    Examples
    --------
    >>> print(fault_of_names(["age", "sex"]))
    None
    >>> fault_of_names(["Strasse", "STRA\u00dfE"])
    "The names 'Strasse' and 'STRA\\xdfE' read the same, but for case and form of letters"
    >>> fault_of_names(["age\u200b"])
    "The name 'age\\u200b' has letters that are not seen"
    """
    known: dict[str, str] = {}
    for name in names:
        shown = ascii(name)
        if any(map(_is_unseen, name)):
            return f"The name {shown} has letters that are not seen"
        if name != name.strip() or "  " in name or not name:
            return f"The name {shown} begins or ends with a blank, or has two"
        folded = fold(name)
        if folded in known:
            both = f"{known[folded]!a} and {shown}"
            return f"The names {both} read the same, but for case and form of letters"
        known[folded] = name
    return None


def fold(name: str) -> str:
    """Return a name as it reads: forms and case of letters made one."""
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold()).casefold()


def _is_unseen(letter: str) -> bool:
    if letter in _BLANK or "\ufe00" <= letter <= "\ufe0f" or "\U000e0100" <= letter <= "\U000e01ef":
        return True
    category = unicodedata.category(letter)
    return category in _UNSEEN or (category == "Zs" and letter != " ")


def fault_of_file(content: bytes, promised: Sequence[str]) -> str | None:
    """Return in words what ``hierarchies.json`` states beside hierarchies, or None."""
    values = json.loads(content.decode())
    if not isinstance(values, dict) or set(values) != {"version", "columns"}:
        return "has other keys than version and columns"
    for name, nodes in values["columns"].items():
        if not isinstance(nodes, list) or not all(isinstance(node, list) for node in nodes):
            return f"has no list of nodes for column '{name}'"
        if any(len(_text(label)) > _LONGEST for label, *_ in nodes):
            return f"has a label of more than {_LONGEST} letters for column '{name}'"
    beside = sorted(set(values["columns"]) - set(promised))
    return f"states a hierarchy of column '{beside[0]}', which no step went by" if beside else None


_LONGEST = 1000


def doubtful_labels(content: bytes) -> list[str]:
    """Return, in words, labels of hierarchies that say less than they seem to.

    Examples
    --------
    >>> nodes = [["*", None, 2], ["a", 0, 1], ["a", 1, 0], ["b", 0, 1], ["b", 3, 0], ["b", 0, 1]]
    >>> for each in doubtful_labels(json.dumps({"columns": {"x": nodes}}).encode()):
    ...     print(each)
    'a' of column 'x' reads as a value and stands for a group
    'b' of column 'x' reads as a value and stands for a group
    'b' of column 'x' stands for different groups
    """
    found: list[str] = []
    for column, nodes in json.loads(content.decode())["columns"].items():
        found += _doubtful(f" of column '{column}'", nodes)
    return found


def _doubtful(where: str, nodes: list[tuple[object, int | None, int]]) -> Iterator[str]:
    """Yield what is doubtful in one hierarchy: nodes with the places of their parents."""
    values = {_text(label) for label, _, height in nodes if height == 0}
    groups: dict[str, list[int]] = defaultdict(list)
    for place, (label, _, height) in enumerate(nodes):
        if height:
            groups[_text(label)].append(place)
    for label in groups:
        if label in values:
            yield f"{label!r}{where} reads as a value and stands for a group"
    for label, places in groups.items():
        above = _above(nodes, places[-1])
        if not {*places} <= {places[-1], *above}:
            yield f"{label!r}{where} stands for different groups"


def _above(nodes: list[tuple[object, int | None, int]], place: int) -> Iterator[int]:
    """Yield the places of all nodes above one, each before its children."""
    parent = nodes[place][1]
    while parent is not None and 0 <= parent < place:  # a hostile file may go round in circles
        yield parent
        place, parent = parent, nodes[parent][1]


def _text(label: object) -> str:
    return "" if label is None else str(label)
