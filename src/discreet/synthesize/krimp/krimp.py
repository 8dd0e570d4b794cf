"""Krimp: the itemsets that compress the data best, chosen greedily by description length.

Candidates are tried from the most to the least supported; one stays if data and code table
together become shorter, and elements it made superfluous go.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from discreet import _native, checks
from discreet.data.frames import as_kind
from discreet.errors import DataError, LimitError, did_you_mean
from discreet.limits import search
from discreet.mine.database import Database
from discreet.mine.frequent import closed, frequent
from discreet.mine.itemsets import list_column
from discreet.result import Preview, Result

if TYPE_CHECKING:
    from collections.abc import Hashable
    from typing import Unpack

    from numpy.typing import NDArray

    from discreet.data.column import FrameKind
    from discreet.limits import Limits


MINERS = {"closed": closed, "all": frequent}

MAX_ROW = 4096  # items


def krimp(
    data: object,
    *,
    min_support: int = 1,
    candidates: Literal["closed", "all"] = "closed",
    prune: bool = True,
    **limits: Unpack[Limits],
) -> CodeTable:
    r"""Return the code table that Krimp finds for the data.

    A row is covered by taking, in cover order (size falling, support falling, lexicographic), every
    element whose items are all still uncovered. Starting from single items only, each candidate
    X, in candidate order (support falling, size falling, lexicographic), is accepted if

    .. math:: L(D, CT \cup \{X\}) < L(D, CT), \qquad L(D, CT) = L(D \mid CT) + L(CT \mid D)

    with the lengths of :class:`CodeTable`.

    Parameters
    ----------
    data : Database, Table, Transactions or frame
        What to compress.
    min_support : int, default 1
        Least support of a candidate, at least 1.
    candidates : {"closed", "all"}, default "closed"
        Closed itemsets only, or all frequent ones: many more, seldom much better.
    prune : bool, default True
        Whether, after an acceptance, elements that lost usage are removed if the total does not
        grow without them.
    **limits : Limits
        ``threads`` (of mining), ``max_itemsets`` (candidates), ``max_memory``, ``progress``.

    Returns
    -------
    CodeTable
        The elements with their usages; single items that never occur included.

    Raises
    ------
    ParameterError
        If ``min_support`` is below 1 or ``candidates`` is no such kind.
    LimitError
        If there are more candidates than ``max_itemsets``, memory passes its limit, or a row has
        more than 4,096 items.

    Notes
    -----
    **Guarantee.** None: this is a heuristic, and the code table shows what is in the data. Made
    from randomized cells it is post-processing and costs nothing more.

    Items are numbered by falling support, of equal ones the last in the data first;
    *lexicographic* means these numbers. A difference below a millionth of a bit is a tie, which
    rejects a candidate and removes an element. Pruning tries elements in cover order and, from
    the first removal on, the least used first. All this is as in the original program, which
    departs from the published algorithm 3 (least used first from the start).

    Time grows with candidates times distinct rows / 64, plus the rows that would use each
    candidate; these are the AND of one bitmap for each of its items, and no other row is
    looked at.

    References
    ----------
    J. Vreeken, M. van Leeuwen, A. Siebes (2011), algorithms 1 to 3. J. Dorrestijn (2018),
    Provable privacy for database generation, algorithm 1.

    Examples
    --------
    >>> import discreet as dc
    >>> baskets = dc.Transactions.from_iterable([{*"abc"}] * 4 + [{*"ab"}] * 2 + [{"c"}] * 2)
    >>> table = krimp(baskets)
    >>> [(sorted(items), int(usage)) for items, usage in zip(table.itemsets, table.usages)]
    [(['a', 'b'], 6), (['c'], 6), (['b'], 0), (['a'], 0)]
    >>> round(table.data_bits, 3), round(table.table_bits, 3)
    (12.0, 6.755)
    """
    checks.one_of("candidates", candidates, MINERS)
    database = by_support(Database.of(data, **limits))
    longest = int(np.diff(database.offsets).max(initial=0))
    if longest > MAX_ROW:
        raise LimitError(
            f"A row has {longest:,} items, and Krimp is for rows of at most {MAX_ROW:,}. Drop the "
            "items that occur least, or the longest rows."
        )
    found = MINERS[candidates](database, min_support=min_support, **limits)
    with search("a code table", "Raise min_support", **limits) as running:
        offsets, items, supports, usages, alone, n_accepted = _native.krimp(
            database.native, found.offsets, found.items, found.supports, prune, running.control,
            running.progress,
        )  # fmt: skip
    n_items = database.n_items
    return CodeTable(
        offsets=np.concatenate([offsets, offsets[-1] + np.arange(1, n_items + 1)]),
        items=np.concatenate([items, np.arange(n_items, dtype=np.int32)]),
        usages=np.concatenate([usages, alone]),
        supports=np.concatenate([supports, item_supports(database)]),
        labels=database.labels,
        n_rows=database.n_rows,
        n_accepted=n_accepted,
    )


def by_support(database: Database) -> Database:
    """Return the database with items numbered by falling support, of equal ones the last first."""
    supports = item_supports(database)
    order = np.lexsort((-np.arange(database.n_items), -supports))
    codes = np.empty(database.n_items, np.int32)
    codes[order] = np.arange(database.n_items, dtype=np.int32)
    return renumbered(database, codes, tuple(database.labels[item] for item in order))


def item_supports(database: Database) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """Return the number of rows that have each item."""
    rows = np.repeat(database.weights, np.diff(database.offsets))
    return np.bincount(database.items, rows, database.n_items).astype(np.int64)


# A code table: itemsets in cover order, how often each is used, and the bits that costs.
#
# Every row is the disjoint union of the elements that cover it, so that the table and the codes
# of the rows give the data back.


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CodeTable(Result):
    r"""Elements in cover order with their usages and supports; single items come last.

    .. math:: L(D \mid CT) = \sum_{X \in CT} u_X \log_2 \frac{S}{u_X}, \qquad
        L(CT \mid D) = \sum_{X \in CT,\, u_X > 0} \Bigl(\log_2 \frac{S}{u_X} +
        \sum_{i \in X} \log_2 \frac{\sum_j s_j}{s_i}\Bigr)

    where :math:`u_X` is the number of rows whose cover has X, :math:`S` the sum of the usages and
    :math:`s_i` the support of item i. Element ``e`` is ``items[offsets[e]:offsets[e + 1]]``;
    items are numbered by falling support, as in ``labels``.
    """

    offsets: NDArray[np.int64]
    items: NDArray[np.int32]
    usages: NDArray[np.int64]
    supports: NDArray[np.int64]
    labels: tuple[Hashable, ...]
    n_rows: int
    n_accepted: int

    def __len__(self) -> int:
        return len(self.usages)

    def __repr__(self) -> str:
        return (
            f"CodeTable({self.n_itemsets:,} itemsets used, {self.total_bits:,.0f} bits, "
            f"{self.compression_ratio:.1%} of {self.standard_bits:,.0f})"
        )

    @property
    def itemsets(self) -> tuple[frozenset[Hashable], ...]:
        """The elements as sets of labels, in cover order."""
        return tuple(
            frozenset(self.labels[code] for code in self.items[begin:end])
            for begin, end in pairwise(self.offsets)
        )

    @property
    def sizes(self) -> NDArray[np.int64]:
        """Number of items of each element."""
        return np.diff(self.offsets)

    @property
    def n_itemsets(self) -> int:
        """Number of elements with two items or more that are used."""
        return int(((self.sizes > 1) & (self.usages > 0)).sum())

    @property
    def code_lengths(self) -> NDArray[np.float64]:
        """Bits of each element's code; infinite for elements that are not used."""
        return _code_lengths(self.usages)

    @property
    def data_bits(self) -> float:
        """Length of the data, L(D | CT)."""
        used = self.usages > 0
        return float(self.usages[used] @ self.code_lengths[used])

    @property
    def table_bits(self) -> float:
        """Length of the table, L(CT | D): used elements only."""
        standard = np.concatenate([[0.0], np.cumsum(self._item_lengths()[self.items])])
        of_items = standard[self.offsets[1:]] - standard[self.offsets[:-1]]
        used = self.usages > 0
        return float(self.code_lengths[used].sum() + of_items[used].sum())

    @property
    def total_bits(self) -> float:
        """Length of data and table together: what Krimp makes small."""
        return self.data_bits + self.table_bits

    @property
    def standard_bits(self) -> float:
        """Length of the data in the standard code, which has single items only."""
        supports = self._item_supports()
        return float(supports @ self._item_lengths())

    @property
    def compression_ratio(self) -> float:
        """Total length as a share of the standard length of the data; lower is better."""
        standard = self.standard_bits
        return self.total_bits / standard if standard else 1.0

    def cover(
        self, rows: object, **limits: Unpack[Limits]
    ) -> list[tuple[frozenset[Hashable], ...]]:
        """Return for each row the elements that cover it, in the order they were taken."""
        covers, elements, group_of = self._covers(rows, **limits)
        itemsets = self.itemsets
        found = [
            tuple(itemsets[element] for element in elements[begin:end])
            for begin, end in pairwise(covers)
        ]
        return [found[group] for group in group_of]

    def encoded_lengths(
        self, data: object, *, smoothing: int = 0, **limits: Unpack[Limits]
    ) -> NDArray[np.float64]:
        """Return the bits of each row's cover.

        Parameters
        ----------
        data : Database, Table, Transactions or frame
            Rows of items that the table knows.
        smoothing : int, default 0
            Added to every usage, at least 0; with 1 (Laplace) no code is infinite.
        **limits : Limits
            Limits and progress.

        Returns
        -------
        numpy.ndarray
            One length for each row; infinite where an element of usage 0 covers.

        Raises
        ------
        DataError
            If a row has an item that the table does not know.
        """
        smoothing = checks.whole("smoothing", smoothing, at_least=0)
        covers, elements, group_of = self._covers(data, **limits)
        lengths = _code_lengths(self.usages + smoothing)[elements]
        row_of = np.repeat(np.arange(len(covers) - 1), np.diff(covers))
        bits = np.bincount(row_of, lengths, len(covers) - 1)
        return bits[group_of].astype(np.float64)

    def preview(self) -> Preview:
        """Return the first ten elements in cover order."""
        rows = [
            (", ".join(words), f"{self.usages[e]:,}", f"{self.supports[e]:,}")
            for e, words in enumerate(self._in_words(10))
        ]
        return Preview(title=repr(self), header=("items", "usage", "support"), rows=rows)

    def to_dict(self) -> dict[str, object]:
        """Return the lengths and the elements as text with usages and supports."""
        return {
            "n_rows": self.n_rows,
            "n_accepted": self.n_accepted,
            "data_bits": self.data_bits,
            "table_bits": self.table_bits,
            "total_bits": self.total_bits,
            "standard_bits": self.standard_bits,
            "elements": [
                {"items": words, "usage": int(usage), "support": int(support)}
                for words, usage, support in zip(
                    self._in_words(len(self)), self.usages, self.supports, strict=True
                )
            ],
        }

    def to_frame(self, kind: FrameKind = "polars") -> Any:  # noqa: ANN401  of the kind asked for
        """Return a frame with columns items (list of text), size, usage, support and bits."""
        import polars as pl

        frame = pl.DataFrame(
            {
                "items": list_column(self.labels, self.offsets, self.items),
                "size": self.sizes,
                "usage": self.usages,
                "support": self.supports,
                "bits": self.code_lengths,
            }
        )
        return as_kind(frame, kind)

    def _in_words(self, n: int) -> list[list[str]]:
        return [
            [str(self.labels[code]) for code in self.items[begin:end]]
            for begin, end in zip(self.offsets[:n], self.offsets[1 : n + 1], strict=False)
        ]

    def _item_supports(self) -> NDArray[np.int64]:
        return self.supports[len(self) - len(self.labels) :]

    def _item_lengths(self) -> NDArray[np.float64]:
        """Return the standard code's length of each item, 0 for those that never occur."""
        lengths = _code_lengths(self._item_supports())
        return np.where(np.isinf(lengths), 0.0, lengths)

    def _covers(
        self, data: object, **limits: Unpack[Limits]
    ) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int64]]:
        """Return the covers of stored transactions, and which of them each row is."""
        database = Database.of(data, **limits)
        known = self._recoded(database)
        with search("covers", "Give fewer rows", **limits) as running:
            covers, elements = _native.krimp_cover(
                known.native, self.offsets, self.items, running.control, running.progress
            )
        if database.group_of is not None:
            return covers, elements, database.group_of.astype(np.int64)
        return covers, elements, np.arange(database.n_transactions)

    def _recoded(self, database: Database) -> Database:
        """Return the database with this table's numbers of items."""
        if database.labels == self.labels and not database.is_table:
            return database
        place = {label: code for code, label in enumerate(self.labels)}
        codes = np.array([place.get(label, -1) for label in database.labels], np.int32)
        items = codes[database.items]
        if len(items) and items.min() < 0:
            unknown = database.labels[database.items[int(items.argmin())]]
            hint = did_you_mean(str(unknown), map(str, self.labels))
            raise DataError(f"The code table has no item {str(unknown)!r}. {hint}")
        return renumbered(database, codes, self.labels)


def renumbered(
    database: Database, codes: NDArray[np.int32], labels: tuple[Hashable, ...]
) -> Database:
    """Return the same transactions with other numbers of items, ascending in each."""
    row_of = np.repeat(np.arange(database.n_transactions), np.diff(database.offsets))
    items = codes[database.items]
    return Database(
        offsets=database.offsets,
        items=items[np.lexsort((items, row_of))],
        weights=database.weights,
        labels=labels,
        group_of=database.group_of,
    )


def _code_lengths(usages: NDArray[np.int64]) -> NDArray[np.float64]:
    lengths = np.full(len(usages), np.inf)
    used = usages > 0
    lengths[used] = np.log2(usages.sum() / usages[used])
    return lengths
