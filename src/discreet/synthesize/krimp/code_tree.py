"""The dependent code tree: unions of code-table itemsets as paths from column to column.

A node stands for the values on its path, and its probability is that of a row having all of them.
The root has a child for every value of every column, so that any row can be generated.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from discreet import checks
from discreet.errors import LimitError, ParameterError
from discreet.mine.database import Item
from discreet.result import Preview, Result

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from discreet.data.column import Label

MAX_NODES = 100_000

Path: TypeAlias = tuple[tuple[int, int], ...]
Probability: TypeAlias = "Callable[[Sequence[frozenset[Item]]], Sequence[float]]"


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeTree(Result):
    """The domain, and the probability of each path: (column, value) numbers, columns rising."""

    domain: Mapping[str, tuple[Label, ...]]
    probabilities: Mapping[Path, float]

    def __repr__(self) -> str:
        return f"CodeTree({len(self.probabilities):,} nodes, {len(self.domain)} columns)"

    def items(self, path: Path) -> frozenset[Item]:
        """Return the values on a path."""
        columns = list(self.domain.items())
        return frozenset(Item(columns[c][0], columns[c][1][v]) for c, v in path)

    def preview(self) -> Preview:
        """Return the ten longest paths."""
        longest = sorted(self.probabilities, key=lambda path: (-len(path), path))[:10]
        rows = [
            (", ".join(sorted(map(str, self.items(path)))), f"{self.probabilities[path]:.4f}")
            for path in longest
        ]
        return Preview(title=repr(self), header=("values", "probability"), rows=rows)

    def to_dict(self) -> dict[str, object]:
        """Return the domain and the nodes."""
        return {
            "domain": {name: list(map(str, values)) for name, values in self.domain.items()},
            "nodes": [
                {"path": [list(step) for step in path], "probability": probability}
                for path, probability in self.probabilities.items()
            ],
        }


def code_tree(
    itemsets: Iterable[frozenset[Item]],
    *,
    domain: Mapping[str, Sequence[Label]],
    probability: Probability,
    threshold: float,
    max_nodes: int = MAX_NODES,
) -> CodeTree:
    r"""Return the dependent code tree of some itemsets.

    Its paths are the unions U of itemsets, no column twice, with

    .. math:: P(U) > t

    and their beginnings, columns in the order of the domain; and every single value.

    Parameters
    ----------
    itemsets : iterable of frozenset of Item
        The elements of a code table; those with one item change nothing.
    domain : mapping
        The columns in the order in which they will be generated, with all their values. It must
        be known without the data, or cost privacy of its own.
    probability : callable
        Gives for itemsets the share of rows that contain each: counts, or estimates from
        randomized cells. Negative estimates are taken as 0.
    threshold : float
        From 0 to 1; a union with no larger probability is left out.
    max_nodes : int, default 100,000
        Most nodes, at least 1.

    Returns
    -------
    CodeTree
        Paths with probabilities.

    Raises
    ------
    ParameterError
        If the threshold is no share or an item is not in the domain.
    LimitError
        If the tree would pass ``max_nodes``.

    Notes
    -----
    **Guarantee.** None of its own: all it knows of the data are the probabilities it is given.

    Unions are enumerated level by level: only those above the threshold are extended, by parts
    that are above it themselves, which loses none since a union is never more probable than its
    parts. The thesis speaks of all subsets of the code table.

    References
    ----------
    J. Dorrestijn (2018), Provable privacy for database generation, definition 2 and
    section 3.4.3.

    Examples
    --------
    >>> both = frozenset({Item("x", 0), Item("y", 0)})
    >>> tree = code_tree(
    ...     [both], domain={"x": (0, 1), "y": (0, 1)}, threshold=0.1,
    ...     probability=lambda sets: [0.5] * len(sets))
    >>> tree
    CodeTree(5 nodes, 2 columns)
    """
    threshold = float(checks.share("threshold", threshold))
    max_nodes = checks.whole("max_nodes", max_nodes, at_least=1)
    known = {name: tuple(values) for name, values in domain.items()}
    number = {
        Item(name, value): (c, v)
        for c, (name, values) in enumerate(known.items())
        for v, value in enumerate(values)
    }
    parts = [_path(itemset, number) for itemset in itemsets]
    label = {step: item for item, step in number.items()}

    def clipped(paths: list[Path]) -> dict[Path, float]:
        asked = [frozenset(label[step] for step in path) for path in paths]
        return {path: max(0.0, p) for path, p in zip(paths, probability(asked), strict=True)}

    unions = _unions(parts, clipped, threshold, max_nodes)
    prefixes = {path[:length] for path in unions for length in range(1, len(path) + 1)}
    nodes = sorted(prefixes | {(step,) for step in label}, key=lambda path: (len(path), path))
    if len(nodes) > max_nodes:
        raise LimitError(
            f"{len(nodes):,} nodes; raise threshold, or {{max_nodes}}.",
            parameter="max_nodes",
            options={"max_nodes": max_nodes},
        )
    return CodeTree(domain=known, probabilities=clipped(nodes))


def _path(itemset: frozenset[Item], number: Mapping[Item, tuple[int, int]]) -> Path:
    for item in itemset:
        if item not in number:
            raise ParameterError(
                f"{item} is not in the domain; add its column and value.", parameter="domain"
            )
    return tuple(sorted(number[item] for item in itemset))


def _unions(
    parts: list[Path],
    clipped: Callable[[list[Path]], dict[Path, float]],
    threshold: float,
    max_nodes: int,
) -> set[Path]:
    """Return the unions of parts above the threshold, level by level."""

    def above(paths: Iterable[Path]) -> list[Path]:
        ordered = sorted(paths)
        return [path for path, p in clipped(ordered).items() if p > threshold] if ordered else []

    parts = above({part for part in parts if len(part) > 1})
    seen, found, level = set(parts), set(parts), parts
    while level:
        more: set[Path] = set()
        for path in level:
            more |= {_union(path, part) for part in parts} - seen - {()}
            if len(seen) + len(more) > max_nodes:
                raise LimitError(f"Over {max_nodes:,} unions; raise threshold or max_nodes.")
        seen |= more
        level = above(more)
        found.update(level)
    return found


def _union(path: Path, part: Path) -> Path:
    """Return the union, or nothing if it has two values of one column."""
    both = sorted({*path, *part})
    columns = {column for column, _ in both}
    return tuple(both) if len(columns) == len(both) else ()
