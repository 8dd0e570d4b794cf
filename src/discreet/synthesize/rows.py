"""What synthetic rows are drawn from: a code tree, layers that sweep its rows, shares to meet."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

from discreet import _native, checks
from discreet.errors import LimitError, ParameterError, did_you_mean
from discreet.limits import thread_count
from discreet.mine.database import Item
from discreet.noise import noise_from
from discreet.result import Preview, Result

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Self

    from numpy.typing import NDArray

    from discreet.data.column import Label
    from discreet.limits import Progress
    from discreet.noise import Noise


BATCH = 1 << 16

Path: TypeAlias = tuple[tuple[int, int], ...]  # numbers of columns and values, columns rising


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class RowModel(Result):
    """A code tree, the layers that sweep what is drawn from it, and the shares it is balanced to.

    Attributes
    ----------
    tree : CodeTree
        Its domain has the columns in the order of drawing.
    layers : Layers, optional
        In the order in which they sweep.
    wanted : Wanted, optional
        What swept rows are balanced to, in chunks; not with values given, when other shares hold.
    """

    tree: CodeTree
    layers: Layers | None = None
    wanted: Wanted | None = None

    @property
    def domain(self) -> Mapping[str, tuple[Label, ...]]:
        """Columns in the order of drawing, with their values."""
        return self.tree.domain

    def batches(
        self,
        n_rows: int,
        *,
        given: Mapping[str, Label] | None = None,
        seed: int | None = None,
        batch: int = BATCH,
        threads: int | None = None,
        progress: Progress | None = None,
    ) -> Iterator[NDArray[np.int32]]:
        """Yield codes of rows, a line for each column of the domain; see RowDrawer.batches."""
        noise = noise_from(seed)
        drawer = RowDrawer.of(self.tree, given=given, noise=noise)
        held = np.array([name in (given or {}) for name in self.domain], np.uint8)
        sweeping, balancing, first = noise.key(), noise.key(), 0
        # With a value given, all other shares change, and what was measured is wanted no longer.
        wanted = None if given else self.wanted
        if wanted is not None:
            # Whole chunks, so that the rows do not depend on how many are asked for at a time.
            batch = -(-batch // CHUNK) * CHUNK
        for drawn in drawer.batches(n_rows, batch=batch, threads=threads, progress=progress):
            rows = drawn
            if self.layers:
                rows, _ = sweep(
                    rows, self.domain, self.layers, key=sweeping, held=held,
                    first_block=first // BLOCK, threads=threads,
                )  # fmt: skip
                if wanted is not None:
                    rows = balance(
                        rows, self.domain, self.layers[-1:], wanted, key=balancing,
                        first_chunk=first // CHUNK, threads=threads,
                    )  # fmt: skip
            yield rows
            first += rows.shape[1]

    def preview(self) -> Preview:
        """Return the longest paths of the tree."""
        return self.tree.preview()

    def to_dict(self) -> dict[str, object]:
        """Return the tree and the number of layers."""
        return {"tree": self.tree.to_dict(), "n_layers": len(self.layers or ())}

    def __repr__(self) -> str:
        return f"RowModel({len(self.domain)} columns, {len(self.layers or ())} layers)"


# The dependent code tree: values as paths from column to column, each with a probability.
#
# A node stands for the values on its path, and its probability is that of a row having all of them.
# The root has a child for every value of every column, so that any row can be generated.


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


# Rows drawn from a code tree as codes, some thousands at a time, by the compiled kernel.
#
# A key of 32 bytes is stretched by the cipher ChaCha20 into a stream for each block of rows.
# What is drawn depends on the key and the place of a row only, not on the number of threads or
# on how many rows are asked for at a time.

BLOCK = _native.GENERATE_BLOCK

MOST_CELLS = 4_000_000_000  # of rows that are held in memory, of a byte or two each

MOST_ROWS = 10**12  # of rows that are drawn some at a time


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RowDrawer:
    """A tree as the kernel takes it, the codes its first columns are given, and a key.

    Notes
    -----
    Chances are rounded to 63 binary places. Nothing rests on that: what protects anybody is in
    the tree. The draws are as good as ChaCha20 with a key from the operating system.

    References
    ----------
    Y. Nir, A. Langley (2018), ChaCha20 and Poly1305 for IETF protocols, RFC 8439.
    """

    contexts: _native.Contexts
    given: NDArray[np.int32]
    key: bytes

    @classmethod
    def of(cls, tree: CodeTree, *, noise: Noise, given: Mapping[str, Label] | None = None) -> Self:
        """Return the drawer of a tree, with a key of its own from a source of noise."""
        codes = _given_codes(tree, given or {})
        return cls(contexts=contexts(tree), given=codes, key=noise.key())

    def batches(
        self,
        n_rows: int,
        *,
        batch: int = BATCH,
        threads: int | None = None,
        progress: Progress | None = None,
    ) -> Iterator[NDArray[np.int32]]:
        """Return codes, a line for each column, of all rows in order.

        Parameters
        ----------
        n_rows : int
            How many rows there are in all.
        batch : int
            How many at a time; rounded up to whole blocks of 256.
        threads : int, optional
            All cores by default. The rows do not depend on it.
        progress : callable, optional
            Called with the share of the rows drawn.
        """
        size = -(-batch // BLOCK) * BLOCK
        for first in range(0, n_rows, size):
            n = min(size, n_rows - first)
            control = _native.Control(threads or os.cpu_count() or 1)
            yield _native.generate(self.contexts, self.given, self.key, first // BLOCK, n, control)
            if progress is not None:
                progress((first + n) / n_rows)


def check_numbers(
    n_rows: int, *, batch: int = BATCH, threads: int | None = None, n_columns: int | None = None
) -> None:
    """Raise an error unless the numbers are in their ranges.

    Parameters
    ----------
    n_rows, batch, threads : int
        As of `RowDrawer.batches`.
    n_columns : int, optional
        Of rows that are all held in memory; not of rows that go to a file.

    Raises
    ------
    ParameterError
        If a number is not whole or too small.
    LimitError
        If there are more rows than memory holds, or than could ever be drawn.
    """
    checks.whole("n_rows", n_rows, at_least=0)
    checks.whole("batch", batch, at_least=1)
    thread_count(threads)
    if n_columns is not None and int(n_rows) * n_columns > MOST_CELLS:
        raise LimitError(
            f"{{n_rows}} with {n_columns} columns is more than the {MOST_CELLS:,} cells that are "
            "held in memory. Ask for fewer; without n_rows as many are drawn as are "
            "estimated. Synthesizer.write and generate_file write more to a file.",
            parameter="n_rows",
            options={"n_rows": n_rows},
        )
    if n_rows > MOST_ROWS:
        raise LimitError(
            f"{{n_rows}} is more than {MOST_ROWS:,}.",
            parameter="n_rows",
            remedy="Ask for fewer rows.",
            options={"n_rows": n_rows},
        )


def _given_codes(tree: CodeTree, given: Mapping[str, Label]) -> NDArray[np.int32]:
    """Return the codes of the first columns, or raise ParameterError."""
    if not isinstance(given, Mapping):
        raise ParameterError(
            "{given} must say of which column it is a value, as in given={'column': 'value'}.",
            parameter="given",
            options={"given": given},
        )
    first = list(tree.domain)[: len(given)]
    for name, value in given.items():
        if name not in tree.domain:
            raise ParameterError(
                f"given: there is no column {name!r}.",
                parameter="given",
                column=name,
                remedy=did_you_mean(str(name), tree.domain),
            )
        if name not in first:
            raise ParameterError(
                f"given: column '{name}' is not among the first {len(given)} of the tree, "
                f"{', '.join(first)}.",
                parameter="given",
                column=name,
                remedy=(
                    "Make the tree with a domain that begins with those given; to draw "
                    f"from a fitted table, fit Synthesizer(label='{name}')."
                ),
            )
        if value not in tree.domain[name]:
            known = [str(label) for label in tree.domain[name]]
            raise ParameterError(
                f"given: column '{name}' has no value {value!r}.",
                parameter="given",
                column=name,
                remedy=did_you_mean(str(value), known),
            )
    return np.array([tree.domain[name].index(given[name]) for name in first], np.int32)


# A dependent code tree in the form from which rows are drawn.
#
# A context is a node with the children it has in one column: it says with what chance the column
# has which value, in rows that agree with the node's path.

BITS = 63  # of the uniform numbers that are compared with chances

WEIGHT_BITS = 62


class Law(NamedTuple):
    """What one context draws: the values of its children, and otherwise one of the rest."""

    values: tuple[int, ...]
    below: NDArray[np.uint64]
    rest: int


def contexts(tree: CodeTree) -> _native.Contexts:
    """Return the contexts of a tree as the kernel takes them.

    Parameters
    ----------
    tree : CodeTree
        The tree.

    Returns
    -------
    Contexts
        Within a column the deepest contexts last, of equally deep ones the most probable, then
        the first, so that the last one that agrees with a row counts.

    Raises
    ------
    ParameterError
        If the tree has a node without its parent, or lacks a value of a column.

    Notes
    -----
    Chances are rounded to 63 binary places, and the weights of values without a child to 62.

    Examples
    --------
    >>> fair = {((0, 0),): 0.5, ((0, 1),): 0.5}
    >>> contexts(CodeTree(domain={"x": ("a", "b")}, probabilities=fair))
    Contexts(1 contexts of 1 nodes, 1 columns)
    """
    children = _children(tree)
    weights = _weights(tree)
    cumulated = [list(accumulate(column)) for column in weights]
    order = sorted(children, key=lambda key: _rank(tree, *key))
    parents = dict.fromkeys([(), *(path for _, path in order)])
    nodes = {path: number for number, path in enumerate(parents)}
    of_node: list[list[int]] = [[] for _ in nodes]
    for number, (_, path) in enumerate(order):
        of_node[nodes[path]].append(number)
    laws = [_law(tree, column, path, children[column, path], weights) for column, path in order]
    steps = [
        [(v, nodes[(*path, (column, v))]) for v in law.values if (*path, (column, v)) in nodes]
        for (column, path), law in zip(order, laws, strict=True)
    ]
    return _native.Contexts(
        _offsets(cumulated),
        np.array([weight for column in cumulated for weight in column], np.uint64),
        _offsets(of_node),
        _flat(of_node),
        np.array([column for column, _ in order], np.int32),
        _offsets([law.values for law in laws]),
        _flat(law.values for law in laws),
        np.concatenate([np.empty(0, np.uint64), *(law.below for law in laws)]),
        np.array([law.rest for law in laws], np.uint64),
        _offsets(steps),
        _flat([value for value, _ in step] for step in steps),
        _flat([node for _, node in step] for step in steps),
    )


def _children(tree: CodeTree) -> dict[tuple[int, Path], dict[int, float]]:
    """Return for each context, a column and a path, its children's probabilities by value."""
    known = tree.probabilities
    found: defaultdict[tuple[int, Path], dict[int, float]] = defaultdict(dict)
    for path, probability in known.items():
        if len(path) > 1 and path[:-1] not in known:
            raise ParameterError(
                f"The tree has the node {path} but not {path[:-1]}; add it.", parameter="tree"
            )
        found[path[-1][0], path[:-1]][path[-1][1]] = probability
    for column, (name, values) in enumerate(tree.domain.items()):
        if len(found.get((column, ()), {})) != len(values):
            raise ParameterError(
                f"The tree's root lacks a value of column '{name}'; add it.",
                parameter="tree",
                column=name,
            )
    return {key: dict(sorted(of.items())) for key, of in found.items()}


def _weights(tree: CodeTree) -> list[list[int]]:
    """Return for each column the weights of its values: all equal if none has any."""
    found = []
    for column, values in enumerate(tree.domain.values()):
        alone = [tree.probabilities[((column, v),)] for v in range(len(values))]
        total = sum(alone)
        found.append([int(p / total * 2**WEIGHT_BITS) if total > 0 else 1 for p in alone])
    return found


def _rank(
    tree: CodeTree, column: int, path: Path
) -> tuple[int, int, float, tuple[tuple[int, int], ...]]:
    # Deep contexts are the most specific; of equally deep ones, the most probable is known best.
    backwards = tuple((-c, -v) for c, v in path)
    return column, len(path), tree.probabilities.get(path, 1.0), backwards


def _law(
    tree: CodeTree, column: int, path: Path, children: dict[int, float], weights: list[list[int]]
) -> Law:
    """Return what one context draws."""
    whole = tree.probabilities.get(path, 1.0)
    shares = [p / whole if whole > 0 else 0.0 for p in children.values()]
    sums, total = np.array(list(accumulate(shares))), sum(shares)
    has_weight = any(tree.probabilities[((column, v),)] > 0 for v in range(len(weights[column])))
    rest = sum(w for v, w in enumerate(weights[column]) if v not in children) if has_weight else 0
    if rest == 0 and total == 0:  # nothing is known here: as if there were no context
        rest = sum(weights[column])
    # Estimated shares can add up to more than 1, and some values have none: the children then share
    # all there is.
    elif rest == 0 or total >= 1:
        sums = np.where(sums >= sums[-1], 1.0, sums / sums[-1])
    below = np.minimum(np.rint(sums * 2.0**BITS), 2.0**BITS).astype(np.uint64)
    return Law(tuple(children), below, rest)


def _offsets(lists: Sequence[Sequence[object]]) -> NDArray[np.int64]:
    return np.cumsum([0, *map(len, lists)], dtype=np.int64)


def _flat(lists: Iterable[Sequence[int]]) -> NDArray[np.int32]:
    return np.array([number for numbers in lists for number in numbers], np.int32)


# Layers of weights, and the sweeps that redraw the cells of rows by them.


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Layers:
    """Weights by which every cell of a row is redrawn given all others, column after column.

    Attributes
    ----------
    biases : array of float32
        Layers x values, all columns' values numbered through.
    links : array of float32
        Layers x values x values.
    """

    biases: NDArray[np.float32]
    links: NDArray[np.float32]

    def __len__(self) -> int:
        return len(self.biases)

    def __getitem__(self, some: slice) -> Layers:
        return Layers(biases=self.biases[some], links=self.links[some])


def sweep(
    codes: NDArray[np.int32],
    domain: Mapping[str, tuple[Label, ...]],
    layers: Layers,
    *,
    key: bytes,
    held: NDArray[np.uint8] | None = None,
    first_block: int = 0,
    count: bool = False,
    threads: int | None = None,
) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
    """Return rows swept by every layer in turn, and their shares of pairs if asked for.

    Parameters
    ----------
    codes : array of int32
        A line for each column.
    domain : mapping
        Columns and their values.
    layers : Layers
        In the order in which they sweep.
    key : bytes
        Of the random numbers.
    held : array of uint8, optional
        Which columns stay as they are.
    first_block : int
        The number of the first block of rows among all that this key sweeps.
    count : bool
        Whether to count; else all shares are 0.
    threads : int, optional
        All cores by default. The rows do not depend on it.
    """
    offsets = np.cumsum([0, *map(len, domain.values())])
    swept, counts = _native.sweep_rows(
        offsets, layers.biases.ravel(), layers.links.ravel(), np.ascontiguousarray(codes).ravel(),
        np.zeros(len(domain), np.uint8) if held is None else held, key, first_block, count,
        _native.Control(threads or os.cpu_count() or 1),
    )  # fmt: skip
    return swept, (counts + np.triu(counts, 1).T) / max(1, codes.shape[1])


# Rows balanced: cells redrawn until shares of values and pairs are those that were measured.
#
# Rows drawn one by one have any share only up to chance, and up to what the model misses. Both
# can be seen in the rows alone: where a value or a pair is had by too many of them, some get
# another.

CHUNK = _native.BALANCE_CHUNK

N_ROUNDS = 16  # at most: the last is the first that changes less than one cell in a thousand


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Wanted:
    """Shares of the rows that rows are balanced to.

    Attributes
    ----------
    shares : array of float64
        Values x values, all columns' values numbered through: of two values together, and on
        the diagonal of one.
    slack : array of float64
        By how much each may be missed; infinite where it was not measured.
    """

    shares: NDArray[np.float64]
    slack: NDArray[np.float64]


def balance(
    codes: NDArray[np.int32],
    domain: Mapping[str, tuple[Label, ...]],
    layer: Layers,
    wanted: Wanted,
    *,
    key: bytes,
    first_chunk: int = 0,
    n_rounds: int = N_ROUNDS,
    threads: int | None = None,
) -> NDArray[np.int32]:
    r"""Return rows with some cells redrawn, nearer to the wanted shares.

    Row after row, column after column, a value is drawn given all others, and taken if it lowers

    .. math:: \sum_{u \le v} \max(|C_{uv} - n T_{uv}| - n s_{uv}, 0)^2

    where C are counts of values and pairs, T the wanted shares, s the slack, and n the number of
    rows of a chunk. Wanted counts are rounded up or down by chance, to the same sums over all
    chunks.

    Parameters
    ----------
    codes : array of int32
        A line for each column.
    domain : mapping
        Columns and their values.
    layer : Layers
        One, that cells are redrawn by: what a row gets goes with the rest of it.
    wanted : Wanted
        Shares and slack.
    key : bytes
        Of the random numbers.
    first_chunk : int
        The number of the first chunk of 16,384 rows among all that this key balances.
    n_rounds : int
        How many times every cell is redrawn at most; no more once less than one cell in a
        thousand changes.
    threads : int, optional
        All cores by default. The rows do not depend on it.

    Notes
    -----
    Post-processing: nothing is looked at but the rows, the layer and the wanted shares. Time:
    rounds x rows x columns x values.

    References
    ----------
    Z. Zhang et al. (2021), PrivSyn, for rows that are changed until they have the marginals;
    here a change must be likely by the layer too.
    """
    offsets = np.cumsum([0, *map(len, domain.values())])
    return _native.balance_rows(
        offsets, layer.biases.ravel(), layer.links.ravel(), np.ascontiguousarray(codes).ravel(),
        wanted.shares.ravel(), wanted.slack.ravel(), n_rounds, key, first_chunk,
        _native.Control(threads or os.cpu_count() or 1),
    )  # fmt: skip
