"""The hierarchies that a release states, read by their published format alone.

A hierarchy of version 1 is a list of lines, one for each value, from the value to the root. Of
version 2 it is the released nodes and those above them. Labels are texts that nothing is computed
from; one label may stand for several groups.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from discreet.errors import DataError
from discreet.verify.files.bounded import read_json

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from discreet.data.hierarchy.tree import Hierarchy

Text: TypeAlias = str | None

Span: TypeAlias = tuple[int, int]

HIERARCHIES_FILE = "hierarchies.json"

SUPPRESSED = "*"


@dataclass(frozen=True, slots=True, kw_only=True)
class Stated:
    """One hierarchy: its values have places such that those of every group stand together.

    Attributes
    ----------
    place_of : dict of text to int
        The place of each value as text; None is a missing one.
    spans : dict of text to tuple of pairs
        For each label the places under it, as runs that do not touch: of all groups that bear
        it.
    chains : tuple of tuples of pairs
        For each place its groups, from itself alone to everything, each once.
    edges : tuple of pairs of texts, optional
        Of what a release states from version 2 on, each label and the one above it. Such a
        hierarchy has only released nodes and those above them: the places are those of its lowest
        nodes, and what else lies under a group is not known.
    stated_heights : tuple of pairs
        Of such a hierarchy, the height of each group before it was cut off.
    height : int, optional
        Of such a hierarchy, the height of the root.
    """

    place_of: dict[Text, int]
    spans: dict[Text, tuple[Span, ...]]
    chains: tuple[tuple[Span, ...], ...]
    edges: tuple[tuple[Text, Text], ...] | None = None
    stated_heights: tuple[tuple[Span, int], ...] = ()
    height: int | None = None

    @property
    def is_whole(self) -> bool:
        """Whether all values are there, and not only what is released."""
        return self.edges is None

    @property
    def heights(self) -> dict[Span, int]:
        """How many groups lie one in another below each group, at the most."""
        if self.edges is not None:
            return dict(self.stated_heights)
        spans = {span for chain in self.chains for span in chain}
        found = dict.fromkeys(spans, 0)
        for span in sorted(spans, key=lambda span: span[1] - span[0]):  # what is inside first
            chain = self.chains[span[0]]
            above = chain[chain.index(span) + 1 :]
            if above:
                found[above[0]] = max(found[above[0]], found[span] + 1)
        return found


def read_stated(content: bytes, *, version: int = 1) -> dict[str, Stated]:
    """Return column to hierarchy from the content of ``hierarchies.json``.

    Parameters
    ----------
    content : bytes
        The file.
    version : int
        Of the certificate. With version 1 goes a file of version 1, which lists all values.

    Raises
    ------
    DataError
        If it is not of that form; the column is named.

    Examples
    --------
    >>> import json
    >>> lines = [["a", "ab", "*"], ["b", "ab", "*"], ["c", "c", "*"]]
    >>> text = {"version": 1, "columns": {"x": {"version": 1, "name": "x", "levels": lines}}}
    >>> tree = read_stated(json.dumps(text).encode())["x"]
    >>> tree.spans["ab"], tree.chains[tree.place_of["c"]]
    (((0, 2),), ((2, 3), (0, 3)))
    """
    try:
        values = read_json(content)
    except DataError as error:
        raise DataError(f"{HIERARCHIES_FILE} {error}") from None
    if not isinstance(values, dict) or set(values) != {"version", "columns"}:
        raise DataError(f"{HIERARCHIES_FILE} has no version or no columns.")
    known = type(values["version"]) is int and isinstance(values["columns"], dict)
    if not known or values["version"] not in (1, 2):
        raise DataError(f"{HIERARCHIES_FILE} is of a version that this verifier does not know.")
    if values["version"] < min(version, 2):
        raise DataError(
            f"{HIERARCHIES_FILE} is of version {values['version']}, which lists values that are "
            f"not released and does not go with a certificate of version {version}."
        )
    read = _stated if values["version"] == 1 else _cut_off
    return {name: read(name, stored) for name, stored in values["columns"].items()}


def flat(values: Iterable[object]) -> Stated:
    """Return what is stated of a column without a hierarchy: a value is kept or suppressed.

    Examples
    --------
    >>> flat(["f", "m"]).spans
    {'f': ((0, 1),), 'm': ((1, 2),), '*': ((0, 2),), None: ((0, 2),)}
    """
    texts = [None if value is None else str(value) for value in values]
    place_of = {text: place for place, text in enumerate(texts)}
    everything = (0, len(texts))
    spans: dict[Text, tuple[Span, ...]] = {
        text: ((place, place + 1),) for place, text in enumerate(texts)
    }
    spans |= {SUPPRESSED: (everything,), None: (everything,)}
    chains = tuple(
        ((place, place + 1), everything) if len(texts) > 1 else (everything,)
        for place in range(len(texts))
    )
    return Stated(place_of=place_of, spans=spans, chains=chains)


def _stated(column: str, stored: Any) -> Stated:  # noqa: ANN401  any JSON
    """Return the hierarchy of one column."""
    lines = stored.get("levels") if isinstance(stored, dict) else None
    if not isinstance(lines, list) or not lines or not all(map(_is_line, lines)):
        raise _fault(column, "has no lines from a value to the root")
    if len({(len(line), str(line[-1]), len(line) == 1 and line[0]) for line in lines}) > 1:
        raise _fault(column, "has lines of different lengths, or that end in different roots")
    if len(lines) * len(lines[0]) > MOST_STEPS:
        raise _fault(column, TOO_LARGE)
    paths = [(_text(line[0]), *map(str, line[1:])) for line in lines]
    # Sorted from the root down, so that the values of every group stand together.
    paths.sort(key=lambda path: [text or "" for text in reversed(path)])
    place_of = {path[0]: place for place, path in enumerate(paths)}
    if len(place_of) < len(paths):
        raise _fault(column, "has two lines for one value")
    found: dict[Text, set[Span]] = {}
    chains: list[list[Span]] = [[(place, place + 1)] for place in range(len(paths))]
    for place, path in enumerate(paths):
        found.setdefault(path[0], set()).add((place, place + 1))
    for level, spans_of_level in reversed([*_runs_by_level(paths)]):
        for start, stop in spans_of_level:
            found.setdefault(paths[start][level], set()).add((start, stop))
            for place in range(start, stop):
                if chains[place][-1] != (start, stop):
                    chains[place].append((start, stop))
    spans = {text: _joined(each) for text, each in found.items()}
    return Stated(place_of=place_of, spans=spans, chains=tuple(map(tuple, chains)))


def _cut_off(column: str, stored: Any) -> Stated:  # noqa: ANN401  any JSON
    """Return what is stated of the hierarchy of one column: its nodes, each after its parent."""
    if not isinstance(stored, list) or not stored or not all(map(_is_node, stored)):
        raise _fault(column, "has no nodes with label, parent and height")
    parents = [node[1] for node in stored]
    if parents[0] is not None or not all(
        type(parent) is int and parent < place for place, parent in enumerate(parents[1:], 1)
    ):
        raise _fault(column, "has a node that does not come after the one above it")
    if any(stored[place][2] >= stored[parent][2] for place, parent in enumerate(parents[1:], 1)
           for parent in [parents[place]]):  # fmt: skip
        raise _fault(column, "has a node that is not lower than the one above it")
    labels: list[Text] = [node[0] for node in stored]
    values = [label for label, node in zip(labels, stored, strict=True) if node[2] == 0]
    if len(set(values)) < len(values):
        raise _fault(column, "has one value twice")
    return _placed(column, labels, parents, [node[2] for node in stored])


MOST_STEPS = 10**7  # from values to the root, all values together

TOO_LARGE = "has too many levels over too many values to be worked with"


def _placed(
    column: str, labels: list[Text], parents: list[int | None], heights: list[int]
) -> Stated:
    """Return nodes with places for the lowest of them: those of a group stand together."""
    below: dict[int, list[int]] = {}
    for place, parent in enumerate(parents):
        if parent is not None:
            below.setdefault(parent, []).append(place)
    spans: dict[int, Span] = {}
    tips: list[int] = []
    waiting = [(0, False)]
    first: dict[int, int] = {}
    while waiting:
        node, is_done = waiting.pop()
        if is_done:
            spans[node] = (first[node], len(tips))
            continue
        first[node] = len(tips)
        if node not in below:
            tips.append(node)
        waiting.append((node, True))
        waiting.extend((child, False) for child in reversed(below.get(node, ())))
    found: dict[Text, set[Span]] = {}
    lowest: dict[Span, int] = {}
    for node, span in spans.items():
        found.setdefault(labels[node], set()).add(span)
        lowest[span] = min(lowest.get(span, heights[node]), heights[node])
    chains = _chains(column, tips, parents, spans)
    return Stated(
        place_of={labels[tip]: place for place, tip in enumerate(tips) if heights[tip] == 0},
        spans={text: _joined(each) for text, each in found.items()},
        chains=chains,
        edges=tuple(
            (labels[place], labels[parent])
            for place, parent in enumerate(parents)
            if parent is not None
        ),
        stated_heights=tuple(lowest.items()),
        height=heights[0],
    )


def _chains(
    column: str, tips: list[int], parents: list[int | None], spans: dict[int, Span]
) -> tuple[tuple[Span, ...], ...]:
    """Return for each lowest node the places under it and under all above it, each once."""
    depths: list[int] = []
    for parent in parents:  # each after the one above it
        depths.append(1 if parent is None else depths[parent] + 1)
    if sum(depths[tip] for tip in tips) > MOST_STEPS:
        raise _fault(column, TOO_LARGE)
    chains = []
    for tip in tips:
        chain: list[Span] = []
        at: int | None = tip
        while at is not None:
            if not chain or chain[-1] != spans[at]:
                chain.append(spans[at])
            at = parents[at]
        chains.append(tuple(chain))
    return tuple(chains)


def _is_node(node: object) -> bool:
    return (
        isinstance(node, list)
        and len(node) == 3
        and isinstance(node[0], str | None)
        and (node[1] is None or (type(node[1]) is int and node[1] >= 0))
        and type(node[2]) is int
        and 0 <= node[2] < _HIGHEST
    )


_HIGHEST = 1 << 16  # no hierarchy has more levels


def whole_tree(column: str, tree: Hierarchy, values: Iterable[object]) -> Stated:
    """Return the hierarchy that a checker gives, with every value of the original.

    A missing value, which a file has no line for, comes right under the root.
    """
    if None in values and None not in tree.leaves:
        tree = tree.with_leaf(None)
    lines = [[None if leaf is None else str(leaf), *above] for leaf, *above in tree.to_levels()]
    return _stated(column, {"levels": lines})


def contradiction(stated: Stated, whole: Stated) -> str | None:
    """Return a label that is stated where a whole hierarchy does not have it, or None.

    Every place under a label has to lie under the label that is stated above it.
    """
    for low, high in stated.edges or ():
        above = whole.spans.get(high, ())
        for start, stop in whole.spans.get(low, ((-1, 0),)):
            if not any(first <= start and stop <= last for first, last in above):
                return repr(low)
    values = [text for text in stated.place_of if text not in whole.place_of]
    return repr(values[0]) if values else None


def _is_line(line: object) -> bool:
    return (
        isinstance(line, list)
        and len(line) > 0
        and isinstance(line[0], str | int | float | None)
        and all(isinstance(label, str) for label in line[1:])
    )


def _runs_by_level(paths: Sequence[Sequence[Text]]) -> Iterator[tuple[int, list[Span]]]:
    """Yield the runs of paths that agree from a level on, from the root down to above values."""
    starts = [0]
    for level in range(len(paths[0]) - 1, 0, -1):
        is_start = {*starts}
        starts = [
            place
            for place in range(len(paths))
            if place in is_start or paths[place][level] != paths[place - 1][level]
        ]
        yield level, list(zip(starts, [*starts[1:], len(paths)], strict=True))


def _joined(spans: set[Span]) -> tuple[Span, ...]:
    """Return the same places as runs that neither overlap nor touch."""
    joined: list[Span] = []
    for start, stop in sorted(spans):
        if joined and start <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(joined[-1][1], stop))
        else:
            joined.append((start, stop))
    return tuple(joined)


def _text(value: object) -> Text:
    return None if value is None else str(value)


def _fault(column: str, what: str) -> DataError:
    return DataError(
        f"{HIERARCHIES_FILE}: the hierarchy of column '{column}' {what}.", column=column
    )
