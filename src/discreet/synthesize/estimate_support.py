"""Supports of itemsets from randomized cells, with how far off they may be.

The inverse of the channel is applied cell by cell: every row counts for the product of the
weights of its cells, and the mean over rows is an unbiased estimate.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from discreet.data.frames import as_kind
from discreet.errors import LimitError, ParameterError, did_you_mean
from discreet.mine.itemsets import Itemsets
from discreet.release.exact import shown
from discreet.result import Preview, Result
from discreet.synthesize.budget import exact_epsilon

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Sequence
    from fractions import Fraction

    from numpy.typing import NDArray

    from discreet.data.column import FrameKind
    from discreet.synthesize.response import Channel, Sanitized

    Items: TypeAlias = "Mapping[str, Hashable] | Iterable[tuple[str, Hashable]]"
    Codes: TypeAlias = "NDArray[np.int64]"  # a column's cells as places in its list of values
    RowItems: TypeAlias = tuple[tuple[int, int], ...]  # (column, code), by column
    Weights: TypeAlias = Sequence[tuple[float, float]]  # of a cell with the item, and without


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class SupportEstimates(Result):
    """Unbiased estimates of the supports of itemsets, as shares of the rows.

    Attributes
    ----------
    itemsets : tuple of dict
        Column to value, as asked for.
    supports : array of float
        The estimates. They may lie outside 0 to 1; cutting them off would make them biased.
    unbiased_variances : array of float
        Unbiased estimates of their variances given the true table, which may be negative.
    n_rows : int
        Number of rows.
    """

    itemsets: tuple[dict[str, Hashable], ...]
    supports: NDArray[np.float64]
    unbiased_variances: NDArray[np.float64]
    n_rows: int

    def __len__(self) -> int:
        return len(self.itemsets)

    @property
    def is_clipped(self) -> NDArray[np.bool_]:
        """Where the variance came out negative and is taken as 0: do not trust that 0."""
        found: NDArray[np.bool_] = self.unbiased_variances < 0
        return found

    @property
    def standard_errors(self) -> NDArray[np.float64]:
        """Square roots of the variances, 0 where they are clipped."""
        found: NDArray[np.float64] = np.sqrt(np.maximum(self.unbiased_variances, 0))
        return found

    def preview(self) -> Preview:
        """Return the first ten."""
        rows = [
            (
                ", ".join(f"{name}={value}" for name, value in self.itemsets[i].items())
                or "(empty)",
                f"{self.supports[i]:.4f}",
                "unknown" if self.is_clipped[i] else f"{self.standard_errors[i]:.4f}",
            )
            for i in range(min(10, len(self)))
        ]
        header = ("items", "share of rows", "standard error")
        return Preview(title=repr(self), header=header, rows=rows)

    def to_dict(self) -> dict[str, object]:
        """Return the estimates with their itemsets as text."""
        return {
            "n_rows": self.n_rows,
            "itemsets": [
                {name: str(value) for name, value in one.items()} for one in self.itemsets
            ],
            "supports": self.supports.tolist(),
            "standard_errors": self.standard_errors.tolist(),
            "is_clipped": self.is_clipped.tolist(),
        }

    def to_frame(self, kind: FrameKind = "polars") -> Any:  # noqa: ANN401  of the kind asked for
        """Return a frame of items, support, standard error and whether it was clipped."""
        import polars as pl

        return as_kind(
            pl.DataFrame(
                {
                    "items": [
                        [f"{name}={value}" for name, value in one.items()] for one in self.itemsets
                    ],
                    "support": self.supports,
                    "standard_error": self.standard_errors,
                    "is_clipped": self.is_clipped,
                },
                schema_overrides={"items": pl.List(pl.String)},
            ),
            kind,
        )

    def __repr__(self) -> str:
        return f"SupportEstimates({len(self):,} itemsets, from {self.n_rows:,} randomized rows)"


def estimate_support(
    sanitized: Sanitized, items: Items | Iterable[Items] | Itemsets
) -> SupportEstimates:
    r"""Return the supports of itemsets before the cells were randomized, estimated.

    .. math:: \hat s = \frac{1}{n} \sum_r g_r, \qquad
        g_r = \prod_j \frac{1[y_{rj} = v_j] - q_j}{p_j - q_j}, \qquad
        \widehat{\mathrm{Var}}\, \hat s = \frac{1}{n^2} \sum_r (g_r^2 - g_r)

    where :math:`y_{rj}` is the randomized cell of row :math:`r` and the product is over the
    columns of the itemset, which asks for :math:`v_j` there.

    Parameters
    ----------
    sanitized : Sanitized
        From :func:`~discreet.synthesize.response.randomized_response`, at least one row.
    items : mapping, or iterable of mappings or of sets of (column, value) pairs, or Itemsets
        One itemset as a mapping of column to value, or many of them.

    Returns
    -------
    SupportEstimates
        In the order given; shares of the rows.

    Raises
    ------
    ParameterError
        If an itemset names an unknown column, a value that is not listed, or a column twice,
        or there are no rows.

    Notes
    -----
    Post-processing: it costs nothing. The variance is given the true table: over the draws of
    the cells only. Its true value is :math:`\frac{1}{n} [\mathrm{mean} \prod_j (a_j
    \text{ or } b_j) - s]` with a where the true row matches and b where not. Time
    O(rows / 64) for each itemset if most of their subsets are asked for, too, as in mining;
    else O(distinct rows) for each.

    References
    ----------
    J. Dorrestijn (2018), section 3.3, for one bit; A. Evfimievski, J. Gehrke, R. Srikant
    (2003), Limiting privacy breaches in privacy preserving data mining, for the inverse of a
    channel.

    Examples
    --------
    >>> import discreet as dc
    >>> from discreet.synthesize.response import randomized_response
    >>> people = dc.Table.from_frame({"sex": ["f"] * 900 + ["m"] * 100})
    >>> sent = randomized_response(people, epsilon=3, seed=1)
    >>> found = estimate_support(sent, {"sex": "f"})
    >>> found.supports.round(2), found.standard_errors.round(3)
    (array([0.91]), array([0.007]))
    """
    if not sanitized.n_rows:
        raise ParameterError("There are no rows to estimate a support from.")
    channels = {channel.column: channel for channel in sanitized.channels}
    listed = [_checked(one, channels) for one in _many(items)]
    first, second = row_sums(
        _coded(listed, sanitized.channels),
        columns=[sanitized.codes(name) for name in channels],
        weights=[channel.weights for channel in sanitized.channels],
    )
    return SupportEstimates(
        itemsets=tuple(listed),
        supports=first / sanitized.n_rows,
        # The sum of g^2 - g: below 0 by chance if hardly any row has the items, and unbiased so.
        unbiased_variances=(second - first) / sanitized.n_rows**2,
        n_rows=sanitized.n_rows,
    )


def _coded(
    itemsets: Sequence[Mapping[str, Hashable]], channels: Sequence[Channel]
) -> list[tuple[tuple[int, int], ...]]:
    """Return itemsets as pairs of the numbers of a column and of a value."""
    numbers: list[tuple[str, dict[Hashable, int]]] = [
        (channel.column, {value: code for code, value in enumerate(channel.values)})
        for channel in channels
    ]
    return [
        tuple((j, code[one[name]]) for j, (name, code) in enumerate(numbers) if name in one)
        for one in itemsets
    ]


def _many(items: Items | Iterable[Items] | Itemsets) -> list[Items]:
    if isinstance(items, Mapping):
        return [items]
    if isinstance(items, Itemsets):
        return [one.items for one in items]  # type: ignore[misc]  # labels are column and value
    return list(items)  # type: ignore[arg-type]  # each is checked below


def _checked(items: Items, channels: Mapping[str, Channel]) -> dict[str, Hashable]:
    """Return an itemset as column to value, in the order of the columns."""
    found: dict[str, Hashable] = {}
    try:
        pairs = [(c, v) for c, v in (items.items() if isinstance(items, Mapping) else items)]
    except (TypeError, ValueError):
        raise ParameterError(
            f"{items!r} is no itemset: give a mapping of column to value, or a list of those.",
            parameter="items",
        ) from None
    for column, value in pairs:
        if column not in channels:
            raise ParameterError(
                f"No column {column!r}.",
                parameter="items",
                column=column,
                remedy=did_you_mean(str(column), channels),
            )
        if column in found:
            raise ParameterError(
                f"Column {column!r} is twice in an itemset; a row has one value.",
                parameter="items",
                column=column,
            )
        known = channels[column].values
        if value not in known:
            hint = did_you_mean(str(value), map(str, known))
            raise ParameterError(
                f"Column {column!r} has no value {value!r}.",
                parameter="items",
                column=column,
                remedy=hint,
            )
        found[column] = value
    return {name: found[name] for name in channels if name in found}


# Sums over rows of products of weights, one product for each itemset.
#
# A row counts for an itemset by the product, over its items, of one weight where the row has the
# item and another where it has not. Itemsets whose subsets are also asked for are summed
# together from supports; others are summed row by row. Both give the same numbers.


MANY = 8  # subsets for each itemset, from which on rows are cheaper

_CHUNK = 1 << 22  # products at a time


def row_sums(
    itemsets: Sequence[RowItems], *, columns: Sequence[Codes], weights: Weights
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return for each itemset the sum over rows of the product of weights, and of its square.

    Parameters
    ----------
    itemsets : sequence of tuples of (int, int)
        Column and code, by column, each column at most once.
    columns : sequence of arrays of int
        The codes of all rows, for each column.
    weights : sequence of (float, float)
        For each column, of a cell that has the item and of one that has not.

    Returns
    -------
    tuple of arrays of float
        Sums of the products and of their squares.

    Examples
    --------
    >>> first, second = row_sums(
    ...     [((0, 1),), ()], columns=[np.array([1, 1, 0])], weights=[(2.0, -0.5)]
    ... )
    >>> first.tolist(), second.tolist()
    ([3.5, 3.0], [8.25, 3.0])
    """
    closed = _with_subsets(itemsets)
    if closed is None:
        return _by_rows(itemsets, columns, weights)
    # Sorted, so that the prefixes of an itemset come before it and their rows are at hand.
    supports = _supports(sorted(closed), columns)
    squares = [(hit**2, miss**2) for hit, miss in weights]
    first, second = _by_supports(supports, weights), _by_supports(supports, squares)
    places = {itemset: place for place, itemset in enumerate(supports)}
    wanted = [places[itemset] for itemset in itemsets]
    return first[wanted], second[wanted]


def _with_subsets(itemsets: Sequence[RowItems]) -> set[RowItems] | None:
    """Return the itemsets and all their subsets, None if those are far more."""
    found, waiting = set(itemsets), list(set(itemsets))
    most = MANY * (len(found) + 1)
    while waiting:
        itemset = waiting.pop()
        for place in range(len(itemset)):
            subset = itemset[:place] + itemset[place + 1 :]
            if subset not in found:
                found.add(subset)
                waiting.append(subset)
        if len(found) > most:
            return None
    return found


def _supports(itemsets: Sequence[RowItems], columns: Sequence[Codes]) -> dict[RowItems, int]:
    """Return supports of sorted itemsets, with every prefix of one among them, by bits of rows."""
    n_rows = len(columns[0])
    rows: dict[tuple[int, int], NDArray[np.uint64]] = {}
    path = [_bits(np.ones(n_rows, np.bool_))]  # of the prefixes of the itemset before
    found = {}
    for itemset in itemsets:
        del path[max(1, len(itemset)) :]
        if itemset:
            column, code = item = itemset[-1]
            if item not in rows:
                rows[item] = _bits(columns[column] == code)
            path.append(path[-1] & rows[item])
        found[itemset] = int(np.bitwise_count(path[-1]).sum())
    return found


def _by_supports(supports: Mapping[RowItems, int], weights: Weights) -> NDArray[np.float64]:
    """Return the sums of products, one column after the other.

    The weight of an item is ``miss + (hit - miss) [the row has it]``, so the sum for an itemset
    is ``miss`` times that without the item plus ``hit - miss`` times that with it.
    """
    places = {itemset: place for place, itemset in enumerate(supports)}
    with_item: list[list[int]] = [[] for _ in weights]
    without: list[list[int]] = [[] for _ in weights]
    for itemset, place in places.items():
        for j, (column, _) in enumerate(itemset):
            with_item[column].append(place)
            without[column].append(places[itemset[:j] + itemset[j + 1 :]])
    sums = np.array(list(supports.values()), float)
    for column, (hit, miss) in enumerate(weights):
        here = with_item[column]
        sums[here] = (hit - miss) * sums[here] + miss * sums[without[column]]
    return sums


def _by_rows(
    itemsets: Sequence[RowItems], columns: Sequence[Codes], weights: Weights
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the sums, from the distinct rows of the columns that itemsets share."""
    first, second = np.empty(len(itemsets)), np.empty(len(itemsets))
    groups: dict[tuple[int, ...], list[int]] = {}
    for place, itemset in enumerate(itemsets):
        groups.setdefault(tuple(column for column, _ in itemset), []).append(place)
    for group, places in groups.items():
        rows, counts = _distinct([columns[column] for column in group], len(columns[0]))
        step = max(1, _CHUNK // max(1, len(counts)))
        for start in range(0, len(places), step):
            some = places[start : start + step]
            product = np.ones((len(some), len(counts)))
            for j, column in enumerate(group):
                wanted = np.array([itemsets[place][j][1] for place in some])
                product *= np.where(wanted[:, None] == rows[j][None, :], *weights[column])
            first[some] = product @ counts
            second[some] = (product * product) @ counts
    return first, second


def _distinct(columns: Sequence[Codes], n_rows: int) -> tuple[list[Codes], NDArray[np.float64]]:
    """Return the distinct rows of some columns and how often each occurs."""
    keys = np.zeros(n_rows, np.int64)
    for column in columns:
        # Renumbered at every step, so that keys stay below rows times values.
        keys = np.unique(keys * (int(column.max()) + 1) + column, return_inverse=True)[1]
    _, chosen, counts = np.unique(keys, return_index=True, return_counts=True)
    return [column[chosen] for column in columns], counts.astype(float)


def _bits(rows: NDArray[np.bool_]) -> NDArray[np.uint64]:
    """Return one bit for each row, in words of 64."""
    padded = np.zeros(-(-len(rows) // 64) * 64, np.bool_)
    padded[: len(rows)] = rows
    return np.packbits(padded).view(np.uint64)


# What it costs to ask for itemsets themselves in place of cells.

MAX_PATTERNS = 4096


def query_epsilon(
    itemsets: Iterable[Iterable[tuple[str | int, Hashable]]],
    *,
    epsilon: Fraction | float,
    sizes: Mapping[str | int, int] | None = None,
) -> Fraction:
    r"""Return what a row costs if it answers, randomized, whether it contains each itemset.

    .. math:: \varepsilon \max_{x, x'} \#\{ i : 1[I_i \subseteq x] \ne 1[I_i \subseteq x'] \}

    Parameters
    ----------
    itemsets : iterable of itemsets
        Each a set of (column, value) pairs: the queries.
    epsilon : Fraction or float
        Cost of each answer, which is a bit under randomized response of its own.
    sizes : mapping, optional
        Number of values of each column. By default every column may have a value that no
        itemset names.

    Returns
    -------
    Fraction
        At most epsilon times the number of itemsets, and tight for these sizes.

    Raises
    ------
    LimitError
        If rows can answer in more than 4096 ways; the number of itemsets times epsilon is then
        a bound.

    Examples
    --------
    >>> from fractions import Fraction
    >>> query_epsilon([[("sex", "f")], [("sex", "m")], [("age", 1)]], epsilon=Fraction(1, 10))
    Fraction(3, 10)
    """
    queries = [frozenset(itemset) for itemset in itemsets]
    cost = exact_epsilon(epsilon)
    values: dict[str | int, set[Hashable]] = {}
    for query in queries:
        for column, value in query:
            values.setdefault(column, set()).add(value)
    patterns = {(1 << len(queries)) - 1}  # bit i: itemset i is not ruled out yet
    for column, named in values.items():
        masks = {_left_by(queries, column, value) for value in named}
        if sizes is None or sizes[column] > len(named):
            masks.add(_left_by(queries, column, None))
        patterns = {pattern & mask for pattern in patterns for mask in masks}
        if len(patterns) > MAX_PATTERNS:
            raise LimitError(
                f"Rows can answer {len(queries)} queries in more than {MAX_PATTERNS} ways. "
                f"Count with epsilon {shown('epsilon', cost * len(queries))} or ask less."
            )
    # Two rows are as far apart as the number of queries that they answer differently.
    return cost * max((a ^ b).bit_count() for a in patterns for b in patterns)


def _left_by(
    queries: Sequence[frozenset[tuple[str | int, Hashable]]], column: str | int, value: Hashable
) -> int:
    """Return the queries that a row with this value in this column may still contain."""
    return sum(
        1 << i
        for i, query in enumerate(queries)
        if all(other == value for name, other in query if name == column)
    )
