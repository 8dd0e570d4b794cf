"""The hierarchies that a release states, read by their published format alone.

A hierarchy is a list of lines, one for each value, from the value to the root. Labels are texts
that nothing is computed from; one label may stand for several groups.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from discreet.errors import DataError
from discreet.verify.certificate import refuse_repeats

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

Text: TypeAlias = str | None
Span: TypeAlias = tuple[int, int]

HIERARCHIES_FILE = "hierarchies.json"
HIDDEN = "*"


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
    """

    place_of: dict[Text, int]
    spans: dict[Text, tuple[Span, ...]]
    chains: tuple[tuple[Span, ...], ...]

    @property
    def heights(self) -> dict[Span, int]:
        """How many groups lie one in another below each group, at the most."""
        spans = {span for chain in self.chains for span in chain}
        found = dict.fromkeys(spans, 0)
        for span in sorted(spans, key=lambda span: span[1] - span[0]):  # what is inside first
            chain = self.chains[span[0]]
            above = chain[chain.index(span) + 1 :]
            if above:
                found[above[0]] = max(found[above[0]], found[span] + 1)
        return found


def read_stated(content: bytes) -> dict[str, Stated]:
    """Return column to hierarchy from the content of ``hierarchies.json``.

    Raises
    ------
    DataError
        If it is not of that form; the column is named.

    Examples
    --------
    >>> lines = [["a", "ab", "*"], ["b", "ab", "*"], ["c", "c", "*"]]
    >>> text = {"version": 1, "columns": {"x": {"version": 1, "name": "x", "levels": lines}}}
    >>> tree = read_stated(json.dumps(text).encode())["x"]
    >>> tree.spans["ab"], tree.chains[tree.place_of["c"]]
    (((0, 2),), ((2, 3), (0, 3)))
    """
    try:
        values = json.loads(content.decode(), object_pairs_hook=refuse_repeats)
    except (ValueError, RecursionError):
        raise DataError(f"{HIERARCHIES_FILE} is not whole JSON.") from None
    if not isinstance(values, dict) or set(values) != {"version", "columns"}:
        raise DataError(f"{HIERARCHIES_FILE} has no version or no columns.")
    if values["version"] != 1 or not isinstance(values["columns"], dict):
        raise DataError(f"{HIERARCHIES_FILE} is of a version that this verifier does not know.")
    return {name: _stated(name, stored) for name, stored in values["columns"].items()}


def flat(values: Iterable[object]) -> Stated:
    """Return what is stated of a column without a hierarchy: a value is kept or hidden.

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
    spans |= {HIDDEN: (everything,), None: (everything,)}
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
    if len({(len(line), str(line[-1])) for line in lines}) > 1:
        raise _fault(column, "has lines of different lengths, or that end in different roots")
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
    for level in range(1, len(paths[0])):
        for start, stop in _runs([path[level:] for path in paths]):
            found.setdefault(paths[start][level], set()).add((start, stop))
            for place in range(start, stop):
                if chains[place][-1] != (start, stop):
                    chains[place].append((start, stop))
    if any(chain[-1] != (0, len(paths)) for chain in chains):
        raise _fault(column, "has no root above all values")
    spans = {text: _joined(each) for text, each in found.items()}
    return Stated(place_of=place_of, spans=spans, chains=tuple(map(tuple, chains)))


def _is_line(line: object) -> bool:
    return (
        isinstance(line, list)
        and len(line) > 0
        and isinstance(line[0], str | int | float | None)
        and all(isinstance(label, str) for label in line[1:])
    )


def _runs(keys: Sequence[object]) -> list[Span]:
    """Return the runs of equal members of a sequence."""
    starts = [i for i in range(len(keys)) if i == 0 or keys[i] != keys[i - 1]]
    return list(zip(starts, [*starts[1:], len(keys)], strict=True))


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
    return DataError(f"{HIERARCHIES_FILE}: the hierarchy of column '{column}' {what}.")
