"""A collection of itemsets that leaks nothing, with the rows that prove it.

Instead of repairing a collection leak by leak, the rows are changed so that every group of equal
rows is large, and mined again: these rows are the proof that comes with the result.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

import numpy as np

from discreet import checks
from discreet.errors import InfeasibleError, ParameterError
from discreet.mine.database import least_support, one_per_person
from discreet.mine.frequent import frequent
from discreet.patterns.channels import channels, projected
from discreet.patterns.collection import Sanitized, checked, database_of, groups_of
from discreet.patterns.release import check_columns, pattern_release
from discreet.patterns.witness import witness
from discreet.result import Preview, Result
from discreet.utility.distortion import distortion

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Sequence
    from typing import Unpack

    from numpy.typing import NDArray

    from discreet.limits import Limits
    from discreet.mine.database import Database, PerPerson
    from discreet.mine.itemsets import Itemsets
    from discreet.patterns.collection import Groups, Row
    from discreet.patterns.witness import Witness
    from discreet.release.release import Release
    from discreet.utility.distortion import Distortion


How: TypeAlias = Literal["drop", "fill", "merge", "trim", "split"]

DID: dict[How, str] = {
    "drop": "rows of small groups were suppressed",
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
            f"{len(self.published):,} itemsets, even by an attacker who knows the least support "
            f"{support:,}"
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
            f"disclosing small groups, such as {named}. To keep more of the others, raise "
            "min_support, lower k, or drop rare items or columns."
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
        Smallest group that may be disclosed, at least 2.
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
    true rows cannot be distinguished from them (:func:`discreet.patterns.witness`). The witness is
    verified by mining it again.

    Not protected: patterns that hold for no row; what all rows of a large group have in common;
    rows that are known from elsewhere; several releases of one source together; conclusions from
    how the changes were chosen, which depends on the data.

    Items that are not frequent are dropped first. Mining again is the largest part of the work;
    "merge" takes time in the square of the number of distinct rows and is not tried with many.

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
    if how is not None:
        checks.one_of("how", how, get_args(How))
    database = projected(data, columns, **limits)
    # An itemset of fewer than k rows would be a small group itself.
    support = max(least_support(min_support, min_frequency, n_rows=database.n_rows), k)
    if database.n_rows < k:
        raise InfeasibleError(
            f"There are {database.n_rows} rows, fewer than {{k}}: even their number would "
            "disclose a small group.",
            parameter="k",
            options={"k": k},
        )
    original = frequent(database, min_support=support, **limits)
    # Rows by their published items alone: what an unpublished item divides is no group of the
    # claim.
    groups = groups_of(database, np.unique(original.items).tolist())
    ways = _ways(groups, k, database, how)
    # Each way is mined anew: what is published must be exactly what its rows give, also where that
    # is new.
    made = {way: frequent(d, min_support=support, **limits) for way, d in ways.items()}
    trials = sorted(
        (_trial(way, original, found) for way, found in made.items()), key=lambda t: t.loss
    )
    best = trials[0].how
    proof = witness(made[best], k=k, min_support=support, data=ways[best], **limits)
    # Computed although it is known to hold: a claim does not rest on the code that made the rows.
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


def certified_release(
    data: object,
    *,
    columns: Sequence[str] | None = None,
    per_person: PerPerson | None = None,
    person: str | None = None,
    one_row_per_person: bool = False,
    seed: int | None = None,
    **options: Any,  # noqa: ANN401  those of certified
) -> Release[Itemsets]:
    """Return the release of what :func:`~discreet.patterns.certified` makes of data.

    Parameters
    ----------
    data, columns, per_person, person, one_row_per_person, seed
        As in :func:`~discreet.patterns.additive_release`.
    **options
        As in :func:`~discreet.patterns.certified`.
    """
    counted = one_per_person(
        data, per_person=per_person, person=person, one_row_per_person=one_row_per_person, seed=seed
    )
    check_columns(counted.data, columns)
    made = certified(counted.data, columns=columns, **options)
    return pattern_release(made, source=counted, columns=columns)


def _ways(groups: Groups, k: int, database: Database, how: How | None) -> dict[How, Database]:
    """Return the rows that each way makes, of those that leave any."""
    columns = database.column_of.astype(np.int64) if database.is_table else None
    made: dict[How, Groups | None] = {}
    for way in get_args(How) if how is None else (how,):
        if way in {"trim", "split"} and database.is_table:
            if how is not None:
                raise ParameterError(
                    "{how} is for transactions; rows of a table stay whole.",
                    parameter="how",
                    options={"how": how},
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
            "No rows are left in groups of {k} or more.",
            parameter="k",
            remedy="Take another way than {how}, lower k, or drop items or columns.",
            options={"k": k, "how": how},
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


# Ways of changing rows so that no group of equal rows is small.
#
# Each takes groups of equal rows and returns groups of ``k`` rows or more. They differ in what
# they distort: the number of rows, the items of single rows, or what goes together.

MOST_WORK = 5e8  # words compared


def drop(groups: Groups, k: int) -> Groups:
    """Suppress small groups.

    Examples
    --------
    >>> drop({(0, 1): 5, (0,): 1}, 3)
    {(0, 1): 5}
    """
    return {row: count for row, count in groups.items() if count >= k}


def fill(groups: Groups, k: int) -> Groups:
    """Add copies of the rows of small groups.

    Examples
    --------
    >>> fill({(0, 1): 5, (0,): 1}, 3)
    {(0, 1): 5, (0,): 3}
    """
    return {row: max(count, k) for row, count in groups.items()}


def trim(groups: Groups, k: int, *, split: bool = False) -> Groups:
    """Take the rarest item out of the rows of small groups, until the groups are large.

    Parameters
    ----------
    groups : dict
        Rows and their numbers.
    k : int
        Least size of a group.
    split : bool
        Whether what is taken out of rows becomes rows of its own, trimmed in turn.

    Returns
    -------
    dict
        With ``split`` single items keep most of their support, and there are more rows.

    Examples
    --------
    >>> trim({(0, 1): 5, (0,): 4, (0, 2): 1}, 3)
    {(0, 1): 5, (0,): 5}
    >>> trim({(0, 1): 4, (0, 2): 2, (0, 3, 2): 2}, 3, split=True)
    {(0, 1): 4, (0, 2): 4}
    """
    total: dict[Row, int] = defaultdict(int)
    kept, rest = _trimmed(groups, k)
    while kept:
        for row, count in kept.items():
            total[row] += count
        if not split:
            break
        kept, rest = _trimmed(rest, k)
        kept.pop((), None)  # a part without items is no row
    return dict(total)


def merge(groups: Groups, k: int, *, columns: NDArray[np.int64] | None = None) -> Groups | None:
    """Make the rows of small groups like the most similar rows.

    Parameters
    ----------
    groups : dict
        Rows and their numbers.
    k : int
        Least size of a group.
    columns : ndarray, optional
        In a table, the column of each item; the row of a group then has one value for each.

    Returns
    -------
    dict or None
        As many rows as before; None if there are too many for this to be tried, or fewer than
        ``k``.

    Notes
    -----
    The largest small group that is left joins a large one, or takes those small ones most similar
    to it until they are ``k`` rows, whichever is nearer. An item is in the common row of these if
    at least half of them have it; in a table, each column has its commonest value. Time grows
    with the square of the number of groups.

    Examples
    --------
    >>> merge({(0, 1): 5, (0, 2): 2, (2,): 2, (1,): 1}, 3)
    {(0, 1): 6, (0, 2): 4}
    """
    rows = sorted(groups, key=lambda row: (-groups[row], row))
    items = sorted({item for row in rows for item in row})
    counts = np.array([groups[row] for row in rows], np.int64)
    if counts.sum() < k or len(rows) ** 2 * (len(items) // 64 + 1) > MOST_WORK:
        return None
    place_of = {item: place for place, item in enumerate(items)}
    bits = np.zeros((len(rows), -(-max(len(items), 1) // 64) * 64), bool)
    for number, row in enumerate(rows):
        bits[number, [place_of[item] for item in row]] = True
    own_column = None if columns is None else columns[items]
    words = np.packbits(bits, axis=1).view(np.uint64)
    n_large = int((counts >= k).sum())
    centres, sizes = list(words[:n_large]), counts[:n_large].tolist()
    # Rows are sorted by their numbers, so that large groups come first; their rows never change.
    left = np.arange(n_large, len(rows))
    while len(left) and counts[left].sum() >= k:
        apart = _apart(words[left], words[left[0]])
        order = np.argsort(apart, kind="stable")
        n_taken = int(np.searchsorted(np.cumsum(counts[left[order]]), k)) + 1
        taken = order[:n_taken]
        if n_large:
            nearest = _apart(words[:n_large], words[left[0]])
            if nearest.min() <= apart[taken[-1]]:
                sizes[int(nearest.argmin())] += int(counts[left[0]])
                left = left[1:]
                continue
        centre = _centre(bits[left[taken]], counts[left[taken]], own_column)
        centres.append(np.packbits(centre).view(np.uint64))
        sizes.append(int(counts[left[taken]].sum()))
        left = np.delete(left, taken)
    # Too few are left for a group of their own: each joins the centre that is nearest.
    for number in left.tolist():
        sizes[int(_apart(np.array(centres), words[number]).argmin())] += int(counts[number])
    total: dict[Row, int] = defaultdict(int)
    for centre, size in zip(centres, sizes, strict=True):
        has = np.flatnonzero(np.unpackbits(centre.view(np.uint8)))
        total[tuple(items[place] for place in has.tolist())] += size
    return dict(total)


def _apart(words: NDArray[np.uint64], row: NDArray[np.uint64]) -> NDArray[np.int64]:
    """Return by how many items some rows differ from one."""
    apart: NDArray[np.int64] = np.bitwise_count(words ^ row).sum(axis=1, dtype=np.int64)
    return apart


def _trimmed(groups: Groups, k: int) -> tuple[Groups, Groups]:
    """Return large groups and what was taken out of rows to make them so."""
    supports: dict[int, int] = defaultdict(int)
    for row, count in groups.items():
        for item in row:
            supports[item] += count
    by_size: dict[int, dict[Row, list[tuple[Row, int]]]] = defaultdict(lambda: defaultdict(list))
    for row, count in groups.items():
        # The rarest item last: it is the one that is taken out first, and costs the least support.
        ordered = tuple(sorted(row, key=lambda item: (-supports[item], item)))
        by_size[len(row)][ordered].append(((), count))
    kept: Groups = {}
    rest: dict[Row, int] = defaultdict(int)
    for size in range(max(by_size, default=0), -1, -1):
        for row, parts in by_size[size].items():
            n_rows = sum(count for _, count in parts)
            if n_rows >= k:
                kept[tuple(sorted(row))] = n_rows
                for taken, count in parts:
                    if taken and row:  # what lost all its items is not tried again
                        rest[taken] += count
            elif row:
                shorter = [((*taken, row[-1]), count) for taken, count in parts]
                by_size[size - 1][row[:-1]] += shorter
    return kept, {tuple(sorted(row)): count for row, count in rest.items()}


def _centre(
    bits: NDArray[np.bool_], counts: NDArray[np.int64], columns: NDArray[np.int64] | None
) -> NDArray[np.bool_]:
    """Return the row that a group of rows is made to be."""
    votes = counts @ bits
    if columns is None:
        half: NDArray[np.bool_] = 2 * votes >= counts.sum()
        return half & (votes > 0)
    centre = np.zeros(bits.shape[1], bool)
    for column in np.unique(columns).tolist():
        own = np.flatnonzero(columns == column)
        # A row of a table has at most one value of a column: the most frequent, unless most have
        # none.
        best = own[int(votes[own].argmax())]
        centre[best] = votes[best] >= counts.sum() - votes[own].sum()
    return centre
