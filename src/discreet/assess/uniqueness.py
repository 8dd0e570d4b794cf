"""Sample uniques and special uniques: how easily each row is singled out.

A minimal sample unique (MSU) is a combination of values that one row has and none of whose
parts is unique. The fewer values it needs and the more of them a row has, the likelier it is
that the row is unique in the whole population as well.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet import checks
from discreet.assess.classes import equivalence_classes, quasi_columns
from discreet.assess.look import most_identifying, unique_words
from discreet.data.frames import as_kind
from discreet.data.table import as_table
from discreet.errors import ParameterError
from discreet.mine import Database, minimal_infrequent
from discreet.result import Preview, Result

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Unpack

    import altair as alt
    from numpy.typing import NDArray

    from discreet.assess.look import Combination
    from discreet.data.column import FrameKind
    from discreet.limits import Limits
    from discreet.mine.itemsets import Itemsets


MAX_COLUMNS = 170  # 170! is the largest factorial a float holds


def uniqueness(
    table: object,
    *,
    columns: Iterable[str] | None = None,
    max_size: int | None = None,
    sampling_rate: float | None = None,
    n_shown: int = 10,
    **limits: Unpack[Limits],
) -> Uniqueness:
    r"""Return the sample uniques of a table with their SUDA scores.

    .. math:: \mathrm{score}(t) = \sum_{X \in \mathrm{MSU}(t)} \prod_{i=|X|}^{M-1} (M - i)
        = \sum_{X \in \mathrm{MSU}(t)} (M - |X|)!

    where :math:`\mathrm{MSU}(t)` are the minimal sample uniques that row :math:`t` contains
    (the minimal infrequent itemsets with :math:`\theta = 1`) and :math:`M` is the number of
    ``columns``.

    Parameters
    ----------
    table : Release, Table or frame
        What to measure. A missing cell is a value of its own. If it says whose each row is, people
        are counted in place of rows.
    columns : iterable of str, optional
        The columns an attacker may know, 1 to 170; the quasi-identifiers by default.
    max_size : int, optional
        Only combinations of at most so many values, at least 1; any number by default.
    sampling_rate : float, optional
        Share of the population that the table holds, above 0 and at most 1; then DIS-SUDA
        scores are returned as well (see :func:`~discreet.assess.uniqueness.dis_suda`).
    n_shown : int, default 10
        How many of the most identifying combinations to keep.
    **limits : Limits
        ``threads``, ``max_itemsets``, ``max_memory``, ``progress``.

    Returns
    -------
    Uniqueness
        The unique rows, their scores, and the columns and values the risk goes through.

    Notes
    -----
    Guarantee: none, this is a measure. The product is the paper's with its largest size set
    to :math:`M - 1`, whatever ``max_size``: a smaller one would divide all scores by the same
    number. A table of one row has no combination (the empty one is unique already): the row
    is counted as unique, with score 0. Time beyond the mining as in
    :func:`~discreet.assess.uniqueness.covered_rows`.

    References
    ----------
    M. Elliot, A. Manning, K. Mayes, J. Gurd, M. Bane (2005), SUDA: a program for detecting
    special uniques; A. Manning, D. Haglin, J. Keane (2008), A recursive search algorithm for
    statistical disclosure assessment (SUDA2).

    Examples
    --------
    >>> from discreet import Table
    >>> people = Table.from_frame({"a": [2, 1, 1], "b": [0, 3, 0], "c": [0, 6, 0]})
    >>> found = uniqueness(people)
    >>> found.row_scores().tolist(), found.column_rates
    ([2.0, 4.0, 2.0], (('a', 0.5), ('b', 0.375), ('c', 0.375)))
    """
    data = as_table(table)
    known = quasi_columns(data, columns)
    n_shown = checks.whole("n_shown", n_shown, at_least=0)
    _check(len(known), sampling_rate)
    database = Database.from_table(data, columns=known, of_people=True, **limits)
    found = minimal_infrequent(database, theta=1, max_size=max_size, **limits)

    classes = equivalence_classes(data, known)
    of_one = classes.members[classes.class_of] == 1  # rows whose values one person has, or one row
    assert database.group_of is not None
    alone = np.zeros(database.n_transactions, np.bool_)
    alone[database.group_of[of_one]] = True
    unique = database.items.reshape(database.n_transactions, len(known))[alone]
    # A combination of one row is in that row; one of a person can be in several rows of theirs.
    pairs = [*covered_rows(found, unique, database.column_of)]
    which = np.concatenate([np.empty(0, np.int64), *(one for one, _ in pairs)])
    covered = np.concatenate([np.empty(0, np.int64), *(row for _, row in pairs)])
    order = np.argsort(which, kind="stable")
    which, covered = which[order], covered[order]
    sizes = found.sizes[which]
    weight = _weights(sizes, len(known))
    scores = np.zeros(len(unique))
    np.add.at(scores, covered, weight)
    items = found.items[_ranges(found.offsets[which], sizes)]
    parts = _contributions(sizes, covered, weight, database.column_of[items], unique)
    smallest = np.full(len(unique), len(known) + 1)
    np.minimum.at(smallest, covered, sizes)
    smallest[smallest > len(known)] = 0

    rows = np.flatnonzero(of_one)
    at = (np.cumsum(alone) - 1)[database.group_of[rows]]  # equal rows of one person are one

    def counted(some: NDArray[np.int64]) -> int:
        return len(some) if data.people is None else len(np.unique(data.people.codes[some]))

    of_file = None
    if sampling_rate is not None:
        once, paired = (int(n * np.sum(classes.members == n)) for n in (1, 2))
        of_file = dis_rate(once, paired, sampling_rate=sampling_rate)
    total = float(scores.sum()) or 1.0
    values = np.bincount(unique.ravel(), weights=parts.ravel(), minlength=database.n_items) / total
    ranked = np.argsort(-values, kind="stable")
    return Uniqueness(
        columns=known,
        n_rows=data.n_rows,
        n_special=counted(rows[(smallest[at] > 0) & (smallest[at] < len(known))]),
        n_unique=counted(rows),
        n_combinations_by_size=tuple(np.bincount(found.sizes, minlength=1).tolist()),
        rows=rows,
        scores=scores[at],
        dis_scores=(
            None
            if of_file is None
            else dis_suda(scores[at], n_columns=len(known), file_rate=of_file)
        ),
        n_combinations=np.bincount(covered, minlength=len(unique))[at],
        smallest=smallest[at],
        contributions=parts[at],
        column_rates=tuple(zip(known, (parts.sum(axis=0) / total).tolist(), strict=True)),
        value_rates=tuple(
            (str(database.labels[item]), float(values[item])) for item in ranked if values[item]
        ),
        dis_rate=of_file,
        combinations=most_identifying(found, database, n_shown),
        max_size=max_size,
        n_people=None if data.people is None else data.people.n_people,
    )


def _weights(sizes: NDArray[np.int64], n_columns: int) -> NDArray[np.float64]:
    """Return (M - m)! for each size m."""
    factorials = np.array([float(math.factorial(n_columns - m)) for m in range(n_columns + 1)])
    return factorials[sizes]


def _contributions(
    sizes: NDArray[np.int64],
    covered: NDArray[np.int64],
    weight: NDArray[np.float64],
    column: NDArray[np.int32],
    unique: NDArray[np.int32],
) -> NDArray[np.float64]:
    """Return the part of each unique row's score that goes through each column."""
    cell = np.repeat(covered, sizes) * unique.shape[1] + column
    parts = np.zeros(unique.size)
    np.add.at(parts, cell, np.repeat(weight, sizes))
    return parts.reshape(unique.shape)


def _check(n_columns: int, sampling_rate: float | None) -> None:
    if n_columns > MAX_COLUMNS:
        raise ParameterError(
            f"{n_columns} columns are too many for SUDA scores: choose at most {MAX_COLUMNS}.",
            parameter="columns",
        )
    if sampling_rate is not None:
        exponent(n_columns)
        dis_rate(0, 0, sampling_rate=sampling_rate)


# What is known about the rows that are unlike all others: the result of ``uniqueness``.


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Uniqueness(Result):
    """Rows that are unlike all others, and what singles them out.

    Attributes
    ----------
    columns : tuple of str
        The columns an attacker may know.
    n_rows : int
        Rows of the table.
    n_special : int
        Special uniques: rows that fewer than all columns single out.
    n_combinations_by_size : tuple of int
        Minimal sample uniques by number of values.
    rows : array of int64
        Positions of the sample uniques; the arrays below go with them.
    scores : array of float64
        SUDA score, larger for rows that are easier to single out.
    dis_scores : array of float64 or None
        Estimated probability that a match with this row is right, if asked for.
    n_combinations : array of int64
        Minimal sample uniques of each row.
    smallest : array of int64
        Values in the smallest of them, 0 if there is none.
    contributions : array of float64, uniques by columns
        Part of the score that goes through each column.
    column_rates : tuple of (str, float)
        Share of all scores that goes through each column; a combination counts for every
        column in it, so they add up to more than 1.
    value_rates : tuple of (str, float)
        The same by value, only values with a share, largest first.
    dis_rate : float or None
        The same probability for the file as a whole.
    combinations : tuple of Combination
        The most identifying ones, one for each set of columns.
    max_size : int or None
        Most values in a combination.
    n_people : int or None
        People of the table, if it says whose each row is: a record is then unique if no other
        person has its values, combinations are those of one person, and ``n_unique`` and
        ``n_special`` say how many people have such records.
    n_unique : int
        Unique records (sample uniques), or the people who have one.
    """

    columns: tuple[str, ...]
    n_rows: int
    n_special: int
    n_combinations_by_size: tuple[int, ...]
    rows: NDArray[np.int64]
    scores: NDArray[np.float64]
    dis_scores: NDArray[np.float64] | None
    n_combinations: NDArray[np.int64]
    smallest: NDArray[np.int64]
    contributions: NDArray[np.float64]
    column_rates: tuple[tuple[str, float], ...]
    value_rates: tuple[tuple[str, float], ...]
    dis_rate: float | None
    combinations: tuple[Combination, ...]
    max_size: int | None
    n_unique: int
    n_people: int | None = None

    def __repr__(self) -> str:
        return f"Uniqueness({unique_words(self.n_unique, self.n_rows, self.n_people)})"

    @property
    def sentence(self) -> str:
        """The uniqueness in plain sentences."""
        first = f"{unique_words(self.n_unique, self.n_rows, self.n_people)}."
        if not self.n_special:
            return first
        fewer = (
            f"fewer than all {len(self.columns)} columns"
            if self.max_size is None or self.max_size >= len(self.columns)
            else f"at most {self.max_size} of {len(self.columns)} columns"
        )
        name, rate = max(self.column_rates, key=lambda pair: pair[1])
        return (
            f"{first} {self.n_special:,} of them are identified by {fewer}; "
            f"'{name}' contributes {rate:.0%} of the risk."
        )

    def row_scores(self) -> NDArray[np.float64]:
        """Return the SUDA score of every row of the table, 0 for those like another."""
        every = np.zeros(self.n_rows)
        every[self.rows] = self.scores
        return every

    def preview(self) -> Preview:
        """Return the ten rows with the highest scores."""
        order = np.argsort(-self.scores, kind="stable")[:10]
        rows = [
            (
                f"{self.rows[i]:,}",
                f"{self.scores[i]:,.6g}",
                f"{self.n_combinations[i]:,}",
                str(self.smallest[i]),
            )
            for i in order
        ]
        header = ("row", "score", "combinations", "fewest values")
        return Preview(title=self.sentence, header=header, rows=rows)

    def to_dict(self) -> dict[str, object]:
        """Return all but the scores of single rows, for which see :meth:`to_frame`."""
        return {
            "columns": list(self.columns),
            "n_rows": self.n_rows,
            "n_people": self.n_people,
            "n_unique": self.n_unique,
            "n_special": self.n_special,
            "max_size": self.max_size,
            "n_combinations_by_size": list(self.n_combinations_by_size),
            "column_rates": dict(self.column_rates),
            "value_rates": dict(self.value_rates),
            "dis_rate": self.dis_rate,
            "combinations": [str(combination) for combination in self.combinations],
        }

    def to_frame(self, kind: FrameKind = "polars") -> Any:  # noqa: ANN401  of the kind asked for
        """Return a frame with a row for each sample unique, highest score first."""
        import polars as pl

        columns: dict[str, NDArray[np.float64] | NDArray[np.int64]] = {
            "row": self.rows,
            "score": self.scores,
            "n_combinations": self.n_combinations,
            "smallest": self.smallest,
        }
        if self.dis_scores is not None:
            columns["dis_score"] = self.dis_scores
        parts = {f"through {c}": self.contributions[:, j] for j, c in enumerate(self.columns)}
        frame = pl.DataFrame({**columns, **parts})
        return as_kind(frame.sort("score", descending=True, maintain_order=True), kind)

    def plot(self) -> alt.Chart:
        """Return a chart of the share of the risk that goes through each column."""
        import altair as alt
        import polars as pl

        names, rates = zip(*self.column_rates, strict=True)
        frame = pl.DataFrame({"column": list(names), "share of the risk": list(rates)})
        chart: alt.Chart = alt.Chart(frame).mark_bar()
        return chart.encode(x="share of the risk:Q", y=alt.Y("column:N", sort="-x"))


# DIS: how often a unique match with the file would be right, and its share for each row.
#
# Data intrusion simulation estimates from the sample alone how likely it is that a unique row is
# the right person; SUDA scores then show which unique records are at more risk than others.

NO_EXPONENT = 28  # columns from which on the exponent is not positive


def dis_rate(n_unique: int, n_paired: int, *, sampling_rate: float) -> float:
    r"""Return the estimated probability that a unique match with the file is right.

    .. math:: \hat\theta = \frac{\pi U}{\pi U + (1 - \pi) P}

    where :math:`U` is the number of unique rows, :math:`P` that of rows equal to exactly
    one other and :math:`\pi` the sampling rate.

    Parameters
    ----------
    n_unique, n_paired : int
        Unique rows, and rows that equal exactly one other row.
    sampling_rate : float
        Share of the population that the file holds, above 0 and at most 1.

    Returns
    -------
    float
        0 if no row is unique.

    Notes
    -----
    Assumes that the file is a simple random sample. Without a pair the estimate is 1.

    References
    ----------
    M. Elliot (2000), DIS: a new approach to the measurement of statistical disclosure risk;
    C. Skinner, M. Elliot (2002), A measure of disclosure risk for microdata, section 3.

    Examples
    --------
    >>> round(dis_rate(4, 6, sampling_rate=0.01), 4)
    0.0067
    """
    sampling_rate = float(checks.exact("sampling_rate", sampling_rate, above=0, at_most=1))
    n_unique = checks.whole("n_unique", n_unique, at_least=0)
    n_paired = checks.whole("n_paired", n_paired, at_least=0)
    if not n_unique:
        return 0.0
    right = sampling_rate * n_unique
    return right / (right + (1 - sampling_rate) * n_paired)


def dis_suda(
    scores: NDArray[np.float64], *, n_columns: int, file_rate: float
) -> NDArray[np.float64]:
    r"""Return for each unique row the probability that a match with it is right.

    The odds of the file are shared out among its unique rows by their scores:

    .. math:: o_t = \frac{\hat\theta}{1 - \hat\theta} \; s_t^q \;
        \frac{1}{U} \sum_{u} s_u^{-q}, \qquad q = 1 + \frac{8 - M}{20}, \qquad
        p_t = \frac{o_t}{1 + o_t}

    where :math:`s_t` is the SUDA score of row :math:`t`, :math:`U` the number of unique rows,
    :math:`M` the number of columns and :math:`\hat\theta` the DIS of the file.

    Parameters
    ----------
    scores : array of float
        SUDA scores of all unique rows; rows with score 0 get 0.
    n_columns : int
        Number of columns, at most 27.
    file_rate : float
        DIS of the file, from 0 to 1.

    Returns
    -------
    ndarray of float64
        From 0 to 1. Rows with equal scores all get the DIS of the file; in general the
        harmonic mean of the odds is that of the file.

    Notes
    -----
    The exponent is the one of the program published with the method (also in sdcMicro); it
    would turn the order of the rows around from 28 columns on, which is refused.

    References
    ----------
    M. Elliot, A. Manning (2003), Using DIS to modify the classification of special uniques.

    Examples
    --------
    >>> dis_suda(np.array([6.0, 12.0]), n_columns=4, file_rate=0.1).round(3).tolist()
    [0.074, 0.155]
    """
    power = exponent(n_columns)
    shares = np.zeros(len(scores))
    scored = scores > 0
    if file_rate >= 1:
        return scored.astype(np.float64)
    if not scored.any():
        return shares
    odds = file_rate / (1 - file_rate) * scores[scored] ** power
    odds *= np.sum(scores[scored] ** -power) / len(scores)
    shares[scored] = odds / (1 + odds)
    return shares


def exponent(n_columns: int) -> float:
    """Return the power of the scores in DIS-SUDA, or refuse too many columns."""
    if n_columns >= NO_EXPONENT:
        raise ParameterError(
            f"DIS-SUDA is defined for at most {NO_EXPONENT - 1} columns, not {n_columns}: choose "
            "{columns} or omit sampling_rate.",
            parameter="columns",
            options={"columns": ...},
        )
    return 1 + (8 - n_columns) / 20


# Which rows contain which combination.
#
# A rare combination is known by its items; this finds its rows. All combinations grow together,
# one item at a time and rarest first, and those that begin alike share the rows that still match.

BLOCK = 1 << 20  # combinations at a time

CANDIDATES = 1 << 22  # rows compared at a time


def covered_rows(
    found: Itemsets, rows: NDArray[np.int32], column_of: NDArray[np.int32]
) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """Yield which combination is contained in which row, in blocks of combinations.

    Parameters
    ----------
    found : Itemsets
        Combinations, none empty.
    rows : array of int32, rows by columns
        Item of each cell; rows that contain no combination may be omitted.
    column_of : array of int32
        Column of each item.

    Yields
    ------
    pair of ndarray of int64
        Positions in ``found`` and in ``rows``, one pair for each row that contains a combination.

    Notes
    -----
    Time grows with the rows that match the beginnings of combinations: on public data sets
    about ten comparisons for each combination and row of the result together. Memory grows
    with the table and a bounded block.

    Examples
    --------
    >>> import discreet as dc
    >>> people = dc.Table.from_frame({"sex": ["f", "m", "m"], "job": ["a", "a", "b"]})
    >>> database = dc.mine.Database.of(people)
    >>> found = dc.mine.minimal_infrequent(database, theta=1)
    >>> rows = database.items.reshape(-1, 2)
    >>> for which, row in covered_rows(found, rows, database.column_of):
    ...     print(list(zip(which.tolist(), row.tolist())))
    [(0, 0), (1, 2)]
    [(2, 1)]
    """
    support = np.bincount(rows.ravel(), minlength=len(column_of))
    by_item = np.argsort(rows.ravel(), kind="stable") // max(rows.shape[1], 1)
    for low in range(0, len(found), BLOCK):
        offsets = found.offsets[low : low + BLOCK + 1]
        sizes = np.diff(offsets)
        # One line for each combination, rarest item first; short ones repeat their last item,
        # which is never looked at.
        place = np.arange(sizes.max())
        items = found.items[np.minimum(place, sizes[:, None] - 1) + offsets[:-1, None]]
        rarity = np.where(place < sizes[:, None], support[items], len(rows) + 1)
        items = np.take_along_axis(items, np.argsort(rarity, axis=1, kind="stable"), axis=1)
        for line, row in _covered(
            items, sizes, rows=rows, column_of=column_of, by_item=by_item, support=support
        ):
            yield line + low, row


def _covered(
    items: NDArray[np.int32],
    sizes: NDArray[np.int64],
    *,
    rows: NDArray[np.int32],
    column_of: NDArray[np.int32],
    by_item: NDArray[np.int64],
    support: NDArray[np.int64],
) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """Yield the rows of the lines of items, shorter lines first."""
    # A beginning is a set of first items; matching[start[b]:][:count[b]] are its rows.
    open_lines, beginning = np.arange(len(items)), items[:, 0].astype(np.int64)
    matching, count = by_item, support
    for place in range(items.shape[1]):
        start = np.cumsum(count) - count
        done = sizes[open_lines] == place + 1
        n = count[beginning[done]]
        yield np.repeat(open_lines[done], n), matching[_ranges(start[beginning[done]], n)]
        open_lines, beginning = open_lines[~done], beginning[~done]
        if not len(open_lines):
            break
        longer = beginning * len(column_of) + items[open_lines, place + 1]
        known, beginning = np.unique(longer, return_inverse=True)
        shorter, added = np.divmod(known, len(column_of))
        matching, count = _with_item(
            matching,
            start=start[shorter],
            count=count[shorter],
            item=added,
            rows=rows,
            column_of=column_of,
        )


def _ranges(start: NDArray[np.int64], count: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the numbers of all ranges ``start, start + 1, ...``, one after the other."""
    within = np.arange(count.sum()) - np.repeat(np.cumsum(count) - count, count)
    numbers: NDArray[np.int64] = np.repeat(start, count) + within
    return numbers


def _with_item(
    matching: NDArray[np.int64],
    *,
    start: NDArray[np.int64],
    count: NDArray[np.int64],
    item: NDArray[np.int64],
    rows: NDArray[np.int32],
    column_of: NDArray[np.int32],
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the rows of each range that have one more item, and how many they are."""
    total = np.cumsum(count)
    cuts = np.searchsorted(total, np.arange(CANDIDATES, total[-1], CANDIDATES))
    kept, n_kept = [], []
    for part in np.split(np.arange(len(item)), np.unique(cuts)):
        which = np.repeat(part, count[part])
        row = matching[_ranges(start[part], count[part])]
        has = rows[row, column_of[item[which]]] == item[which]
        kept.append(row[has])
        n_kept.append(np.bincount(which[has] - (part[0] if len(part) else 0), minlength=len(part)))
    return np.concatenate(kept), np.concatenate(n_kept)
