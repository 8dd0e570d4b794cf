"""A collection of itemsets that leaks nothing, with the rows that prove it.

Instead of repairing a collection leak by leak, the rows are changed so that every group of equal
rows is large, and mined again: these rows are the proof that comes with the result.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

import numpy as np

from discreet.errors import InfeasibleError, ParameterError, did_you_mean
from discreet.mine.frequent import frequent
from discreet.mine.support import least_support
from discreet.patterns.border import checked
from discreet.patterns.channels import channels, projected
from discreet.patterns.groups import database_of, groups_of
from discreet.patterns.large_groups import drop, fill, merge, trim
from discreet.patterns.sanitized import Sanitized
from discreet.patterns.witness import witness
from discreet.result import Preview, Result
from discreet.utility.distortion import distortion

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable
    from typing import Unpack

    from discreet.mine.database import Database
    from discreet.mine.itemsets import Itemsets
    from discreet.mine.limits import Limits
    from discreet.patterns.groups import Groups
    from discreet.patterns.witness import Witness
    from discreet.utility.distortion import Distortion

How: TypeAlias = Literal["drop", "fill", "merge", "trim", "split"]
DID: dict[How, str] = {
    "drop": "rows of small groups were left out",
    "fill": "copies of rows of small groups were added",
    "merge": "rows of small groups were made like the most similar rows",
    "trim": "rare items were taken out of rows of small groups",
    "split": "rare items were taken out of rows of small groups and put into rows of their own",
}
N_NAMED = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """One way of making groups large, and what it would cost."""

    how: How
    distortion: Distortion
    n_new: int

    @property
    def loss(self) -> float:
        """Average change of a support plus new itemsets as a share of the original ones."""
        return self.distortion.average + self.n_new / self.distortion.n_itemsets


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Certified(Result):
    """A collection of itemsets that leaks nothing about small groups, and why.

    Only ``published`` is for publication. The rows of the witness may be published too: no
    group of them is small.

    Attributes
    ----------
    sanitized : Sanitized
        The collection with its distortion.
    witness : Witness
        The rows that the collection was mined from.
    how : str
        How small groups were made large: "drop", "fill", "merge", "trim" or "split".
    trials : tuple of Trial
        What each way would cost, least loss first.
    lost : tuple of frozenset
        The most frequent itemsets that could not be kept.
    """

    sanitized: Sanitized
    witness: Witness
    how: How
    trials: tuple[Trial, ...]
    lost: tuple[frozenset[Hashable], ...]

    @property
    def published(self) -> Itemsets:
        """The collection to publish."""
        return self.sanitized.published

    @property
    def distortion(self) -> Distortion:
        """How far the supports are from the true ones."""
        return self.sanitized.distortion

    @property
    def n_new(self) -> int:
        """Itemsets that are published now and were not frequent before."""
        return self.trials[0].n_new

    def __repr__(self) -> str:
        return f"Certified({self.sentence})"

    @property
    def sentence(self) -> str:
        """What is proved and what it cost, in plain sentences."""
        k, support = self.sanitized.k, self.sanitized.min_support
        proved = (
            f"Nothing about fewer than {k:,} rows can be inferred from these "
            f"{len(self.published):,} itemsets, even by who knows the least support {support:,}"
        )
        if not self.distortion.n_changed and not self.n_new:
            return f"{proved}; no support was changed."
        new = f" {self.n_new:,} itemsets are new." if self.n_new else ""
        return f"{proved}: {DID[self.how]}. {self.distortion.sentence}{new}{self._cannot}"

    @property
    def _cannot(self) -> str:
        """What could not be kept, and what to do about it."""
        if not self.lost:
            return ""
        named = "; ".join("{" + ", ".join(sorted(map(str, items))) + "}" for items in self.lost)
        return (
            f" {self.distortion.n_lost:,} itemsets could not be kept at this support without "
            f"telling of small groups, such as {named}. To keep more of the others, raise "
            "min_support, lower k, or leave out rare items or columns."
        )

    def preview(self) -> Preview:
        """Return the cost of each way that was tried."""
        rows = [
            (
                trial.how + (" (chosen)" if trial.how == self.how else ""),
                f"{trial.distortion.average:.2%}",
                f"{trial.distortion.n_lost:,}",
                f"{trial.n_new:,}",
            )
            for trial in self.trials
        ]
        header = ("small groups", "average change of a support", "itemsets lost", "new")
        return Preview(title=self.sentence, header=header, rows=rows)

    def to_dict(self) -> dict[str, object]:
        """Return the collection, the witness and what each way would cost."""
        return {
            "how": self.how,
            "sanitized": self.sanitized.to_dict(),
            "witness": self.witness.to_dict(),
            "trials": [
                {
                    "how": trial.how,
                    "n_new": trial.n_new,
                    "loss": trial.loss,
                    "distortion": trial.distortion.to_dict(),
                }
                for trial in self.trials
            ],
            "lost": [sorted(map(str, items)) for items in self.lost],
        }


def certified(
    data: object,
    *,
    k: int,
    min_support: int | None = None,
    min_frequency: float | None = None,
    columns: Iterable[str] | None = None,
    how: How | None = None,
    **limits: Unpack[Limits],
) -> Certified:
    """Return a collection of itemsets from which nothing follows about fewer than k rows.

    Parameters
    ----------
    data : Database, Table, Transactions or frame
        The data.
    k : int
        Smallest group that may be told of, at least 2.
    min_support, min_frequency : optional
        Least support, in rows or as a share. Below ``k`` it is raised to ``k``.
    columns : iterable of str, optional
        Columns of a table to look at, such as the quasi-identifiers; all by default.
    how : {"drop", "fill", "merge", "trim", "split"}, optional
        How small groups are made large; by default all are tried and the one of least loss taken
        ("fill" only if it adds no more rows than there are, "merge" only with few groups). Rows of
        a table are never trimmed or split: each has a value in every column.
    **limits : Limits
        ``threads``, ``max_itemsets``, ``max_memory``, ``progress``.

    Returns
    -------
    Certified
        The collection, the rows that prove it safe, and what it cost.

    Raises
    ------
    InfeasibleError
        If there are fewer than ``k`` rows, or none would be left.

    Notes
    -----
    **Guarantee.** For no Boolean pattern over the published items can anybody conclude, from
    the collection, ``k`` and the least support, that it holds for at least 1 and fewer than ``k``
    rows. Unit: one row. *Proof*: the collection is exactly the frequent itemsets of the rows of the
    witness, in which every group of rows with the same published items has at least ``k``; the
    true rows cannot be told from them (:func:`discreet.patterns.witness`). The witness is verified
    by mining it again.

    Not protected: patterns that hold for no row; what all rows of a large group have in common;
    rows that are known from elsewhere; several releases of one source together; conclusions from
    how the changes were chosen, which depends on the data.

    Items that are not frequent are left out first. Mining again is the largest part of the work;
    "merge" takes time in the square of the number of distinct rows and is left out with many.

    Examples
    --------
    >>> import discreet as dc
    >>> baskets = dc.Transactions.from_iterable(
    ...     [{"a", "b"}] * 8 + [{"a"}] + [{"b"}] * 3)
    >>> safe = certified(baskets, k=3, min_support=8)
    >>> safe.how, dict(safe.published)[frozenset("a")], safe.witness.exists
    ('drop', 8, True)
    """
    k, _ = checked(k, None)
    if how is not None and how not in get_args(How):
        raise ParameterError(f"how={how!r} is unknown. {did_you_mean(how, get_args(How))}")
    database = projected(data, columns, **limits)
    support = max(least_support(min_support, min_frequency, n_rows=database.n_rows), k)
    if database.n_rows < k:
        raise InfeasibleError(
            f"There are {database.n_rows} rows, fewer than k={k}: even their number would tell of "
            "a small group."
        )
    original = frequent(database, min_support=support, **limits)
    groups = groups_of(database, np.unique(original.items).tolist())
    ways = _ways(groups, k, database, how)
    made = {way: frequent(d, min_support=support, **limits) for way, d in ways.items()}
    trials = sorted(
        (_trial(way, original, found) for way, found in made.items()), key=lambda t: t.loss
    )
    best = trials[0].how
    proof = witness(made[best], k=k, min_support=support, data=ways[best], **limits)
    assert proof.exists, "rows in large groups are a witness of what is mined from them"
    return Certified(
        sanitized=Sanitized(
            published=made[best],
            k=k,
            min_support=support,
            method="certified",
            distortion=trials[0].distortion,
            n_channels=len(channels(original, k=k, count_all=False, **limits)),
            n_added=trials[0].distortion.n_added,
            n_removed=trials[0].distortion.n_removed,
        ),
        witness=proof,
        how=best,
        trials=tuple(trials),
        lost=_lost(original, made[best]),
    )


def _ways(groups: Groups, k: int, database: Database, how: How | None) -> dict[How, Database]:
    """Return the rows that each way makes, of those that leave any."""
    columns = database.column_of.astype(np.int64) if database.is_table else None
    made: dict[How, Groups | None] = {}
    for way in get_args(How) if how is None else (how,):
        if way in {"trim", "split"} and database.is_table:
            if how is not None:
                raise ParameterError(
                    f"how={how!r} is for transactions; rows of a table stay whole."
                )
            continue
        n_copies = sum(max(k - count, 0) for count in groups.values())
        if way == "fill" and how is None and n_copies > database.n_rows:
            continue  # more copies than rows: far from the best, and long to mine
        if way == "merge":
            made[way] = merge(groups, k, columns=columns)
        elif way in {"trim", "split"}:
            made[way] = trim(groups, k, split=way == "split")
        else:
            made[way] = (drop if way == "drop" else fill)(groups, k)
    usable = {way: found for way, found in made.items() if found}
    if not usable:
        raise InfeasibleError(
            f"No rows are left in groups of k={k} or more. Take another way than how={how!r}, "
            "lower k, or leave out items or columns."
        )
    return {way: database_of(found, database.labels) for way, found in usable.items()}


def _trial(how: How, original: Itemsets, found: Itemsets) -> Trial:
    """Return what one way costs."""
    cost = distortion(original, found)
    n_kept = len(original) - cost.n_lost
    return Trial(how=how, distortion=cost, n_new=len(found) - n_kept)


def _lost(original: Itemsets, found: Itemsets) -> tuple[frozenset[Hashable], ...]:
    """Return the most frequent itemsets that are no longer published."""
    left = dict(found)
    lost = [(support, len(items), items) for items, support in original if items not in left]
    lost.sort(key=lambda entry: (-entry[0], entry[1], sorted(map(str, entry[2]))))
    return tuple(items for _, _, items in lost[:N_NAMED])
