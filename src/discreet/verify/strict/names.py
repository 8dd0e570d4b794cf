"""Names of columns that cannot be taken for others; labels that say what they stand for."""

from __future__ import annotations

import itertools
import json
import unicodedata
from collections import defaultdict
from typing import TYPE_CHECKING, Any

from discreet.verify.files.bounded import shown

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
        if has_unseen(name):
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
    if name.isascii():
        return name.lower()
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold()).casefold()


def reads(text: str) -> str:
    r"""Return a value as it reads: folded, without letters that are not seen, blanks made one.

    Examples
    --------
    >>> reads(" Flu\u200b") == reads("flu")
    True
    """
    seen = text if text.isascii() and text.isprintable() else "".join(map(_as_seen, text))
    return fold(" ".join(seen.split()))


def _as_seen(letter: str) -> str:
    if letter.isspace() or unicodedata.category(letter) == "Zs":
        return " "
    return "" if is_unseen(letter) else letter


def has_unseen(text: str) -> bool:
    """Say whether a text has letters that are not seen, or that change how others are seen."""
    return not (text.isascii() and text.isprintable()) and any(map(is_unseen, text))


def is_unseen(letter: str) -> bool:
    """Say whether a letter is not seen, or changes how others are seen."""
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
        if any(not node or len(_text(node[0])) > _LONGEST for node in nodes):
            return f"has a label of more than {_LONGEST} letters for column '{name}'"
        if _is_tree(nodes) and not _is_in_order(nodes):
            return f"has nodes of column '{name}' that are not in the order of their labels"
    beside = sorted(set(values["columns"]) - set(promised))
    return f"states a hierarchy of column '{beside[0]}', which no step went by" if beside else None


_LONGEST = 1000


def _is_in_order(nodes: list[tuple[str | None, int, int]]) -> bool:
    """Say whether each node stands after the one above it, and beside others by its label."""
    last: dict[int, tuple[str, bool, int]] = {}  # of each node the last one below it so far
    open_nodes = [0]
    for place, (label, parent, height) in enumerate(nodes[1:], 1):
        while open_nodes and open_nodes[-1] != parent:
            open_nodes.pop()
        key = (_text(label), label is None, height)
        if not open_nodes or key < last.get(parent, key):
            return False
        last[parent] = key
        open_nodes.append(place)
    return True


def doubtful_labels(content: bytes) -> list[str]:
    """Return, in words, what hierarchies say that is less than it seems.

    A label that is also that of a value, or of another group, or cannot be read apart from it; a
    hierarchy without groups; a height that nothing below it has, by which distances are measured.

    Examples
    --------
    >>> nodes = [["*", None, 3], ["a", 0, 1], ["a", 1, 0], ["b", 0, 1], ["b", 3, 0], ["b", 0, 1]]
    >>> for each in doubtful_labels(json.dumps({"columns": {"x": nodes}}).encode()):
    ...     print(each)
    'a' of column 'x' reads as a value and stands for a group
    'b' of column 'x' reads as a value and stands for a group
    'b' of column 'x' stands for different groups
    '*' of column 'x' is higher than what is shown below it
    """
    found: list[str] = []
    for column, nodes in json.loads(content.decode())["columns"].items():
        if _is_tree(nodes):
            found += _doubtful(f" of column {shown(column)}", nodes)
    return found


def _is_tree(nodes: list[Any]) -> bool:
    """Say whether nodes have labels, parents before them, and heights; another check says so."""
    return all(
        len(node) == 3
        and isinstance(node[0], str | None)
        and type(node[2]) is int
        and (node[1] is None if place == 0 else type(node[1]) is int and 0 <= node[1] < place)
        for place, node in enumerate(nodes)
    )


def _doubtful(where: str, nodes: list[tuple[str | None, int, int]]) -> Iterator[str]:
    """Yield what is doubtful in one hierarchy: nodes with the places of their parents."""
    values: dict[str, str] = {}
    groups: dict[str, list[int]] = defaultdict(list)
    for place, (label, _, height) in enumerate(nodes):
        text = _text(label)
        if has_unseen(text):
            yield f"{shown(text)}{where} has letters that are not seen"
        if height:
            groups[reads(text)].append(place)
        elif values.setdefault(reads(text), text) != text:
            yield f"{shown(text)}{where} reads as {shown(values[reads(text)])}"
    spans = _spans(nodes)
    for folded, places in groups.items():
        label = f"{shown(_text(nodes[places[0]][0]))}{where}"
        if folded in values:
            yield f"{label} reads as a value and stands for a group"
        inward = sorted(places, key=lambda place: (spans[place][0], -spans[place][1]))
        if any(spans[one][1] < spans[other][1] for one, other in itertools.pairwise(inward)):
            yield f"{label} stands for different groups"
    yield from _doubtful_heights(where, nodes)


def _doubtful_heights(where: str, nodes: list[tuple[str | None, int, int]]) -> Iterator[str]:
    """Yield groups that are higher than what is below them, and that there are no groups."""
    below = [0] * len(nodes)
    for _, parent, height in reversed(nodes[1:]):
        below[parent] = max(below[parent], height)
    if nodes and nodes[0][2] == 1 and len(nodes) > 2:
        yield f"the hierarchy{where} has no group but {shown(_text(nodes[0][0]))}, which is all"
    for place in sorted({parent for _, parent, _ in nodes[1:]}):
        if below[place] < nodes[place][2] - 1:
            yield f"{shown(_text(nodes[place][0]))}{where} is higher than what is shown below it"


def _spans(nodes: list[tuple[str | None, int, int]]) -> list[tuple[int, int]]:
    """Return for each node a span of numbers that holds just the spans of what is below it."""
    sizes = [1] * len(nodes)
    for place in range(len(nodes) - 1, 0, -1):
        sizes[nodes[place][1]] += sizes[place]
    spans, free = [(0, sizes[0])] if nodes else [], [1] * len(nodes)
    for place in range(1, len(nodes)):
        parent = nodes[place][1]
        start = free[parent]
        free[parent], free[place] = start + sizes[place], start + 1
        spans.append((start, start + sizes[place]))
    return spans


def _text(label: object) -> str:
    return "" if label is None else str(label)
