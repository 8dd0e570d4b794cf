"""Krimp as a classifier: one code table for each class, and the shortest code decides."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from discreet.errors import DataError
from discreet.mine.database import Database
from discreet.result import Preview, Result
from discreet.synthesize.krimp.krimp import krimp

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence
    from typing import Unpack

    from numpy.typing import NDArray

    from discreet.limits import Limits
    from discreet.synthesize.krimp.krimp import CodeTable


@dataclass(frozen=True, slots=True, kw_only=True)
class KrimpClassifier(Result):
    """The classes and the code table of each."""

    classes: tuple[Hashable, ...]
    tables: tuple[CodeTable, ...]

    def __repr__(self) -> str:
        return f"KrimpClassifier({len(self.classes)} classes)"

    def encoded_lengths(self, data: object, **limits: Unpack[Limits]) -> NDArray[np.float64]:
        """Return the bits of each row (down) by the table of each class (across)."""
        database = Database.of(data, **limits)
        return np.column_stack(
            [table.encoded_lengths(database, smoothing=1, **limits) for table in self.tables]
        )

    def predict(self, data: object, **limits: Unpack[Limits]) -> list[Hashable]:
        """Return the class of the shortest code for each row; the first of equal ones."""
        shortest = self.encoded_lengths(data, **limits).argmin(axis=1)
        return [self.classes[place] for place in shortest]

    def preview(self) -> Preview:
        """Return one line for each class."""
        rows = [
            (str(name), f"{table.n_rows:,}", f"{table.n_itemsets:,}", f"{table.total_bits:,.0f}")
            for name, table in zip(self.classes, self.tables, strict=True)
        ]
        header = ("class", "rows", "itemsets", "bits")
        return Preview(title=repr(self), header=header, rows=rows)

    def to_dict(self) -> dict[str, object]:
        """Return the code table of each class."""
        return {
            "classes": [
                {"class": str(name), "table": table.to_dict()}
                for name, table in zip(self.classes, self.tables, strict=True)
            ]
        }


def krimp_classifier(
    data: object,
    *,
    classes: Sequence[Hashable],
    min_support: int = 1,
    candidates: Literal["closed", "all"] = "closed",
    prune: bool = True,
    **limits: Unpack[Limits],
) -> KrimpClassifier:
    r"""Return a classifier with one code table for each class.

    A row t belongs to the class whose table encodes it in the fewest bits,

    .. math:: \arg\min_c \sum_{X \in \mathrm{cover}_c(t)} \log_2 \frac{S_c + |CT_c|}{u_c(X) + 1}

    where :math:`u_c(X)` are the usages in the table of class c and :math:`S_c` is their sum: one
    is added to each (Laplace), so that every row over the known items has a code in every table.

    Parameters
    ----------
    data : Database, Table, Transactions or frame
        The rows, without the class.
    classes : sequence
        The class of each row.
    min_support, candidates, prune
        As for :func:`krimp`, in the rows of each class.
    **limits : Limits
        As for :func:`krimp`.

    Returns
    -------
    KrimpClassifier
        Classes in order of their first row.

    Raises
    ------
    DataError
        If there is not one class for each row, or there are no rows.

    Notes
    -----
    **Guarantee.** None: this is a heuristic. Splitting by class protects no label.

    References
    ----------
    M. van Leeuwen, J. Vreeken, A. Siebes (2006), section 4.

    Examples
    --------
    >>> import discreet as dc
    >>> rows = dc.Transactions.from_iterable([{*"ab"}] * 4 + [{*"cd"}] * 4)
    >>> made = krimp_classifier(rows, classes=["x"] * 4 + ["y"] * 4)
    >>> made.predict(dc.Transactions.from_iterable([{*"cd"}, {*"ab"}, {"a"}]))
    ['y', 'x', 'x']
    """
    database = Database.of(data, **limits)
    if len(classes) != database.n_rows:
        raise DataError(f"{len(classes):,} classes for {database.n_rows:,} rows; give one each.")
    if not classes:
        raise DataError("There are no rows to learn from.")
    names = tuple(dict.fromkeys(classes))
    place = {name: number for number, name in enumerate(names)}
    numbers = np.array([place[name] for name in classes])
    tables = [
        krimp(
            _rows(database, numbers == number),
            min_support=min_support, candidates=candidates, prune=prune, **limits,
        )
        for number in range(len(names))
    ]  # fmt: skip
    return KrimpClassifier(classes=names, tables=tuple(tables))


def _rows(database: Database, kept: NDArray[np.bool_]) -> Database:
    """Return the rows kept, over all items."""
    group_of = (
        np.arange(database.n_transactions) if database.group_of is None else database.group_of
    )
    weights = np.bincount(group_of[kept], minlength=database.n_transactions)
    present = weights > 0
    sizes = np.diff(database.offsets)
    return Database(
        offsets=np.concatenate([[0], np.cumsum(sizes[present])]).astype(np.int64),
        items=database.items[np.repeat(present, sizes)],
        weights=weights[present].astype(np.int64),
        labels=database.labels,
    )
