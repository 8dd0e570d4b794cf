"""Filling suppressed cells with values that the release itself makes likely.

Nothing but the release is looked at, so nothing is disclosed that it did not show already;
and nothing is added either: an imputed cell is a guess, and the mask says which cells are.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet import checks
from discreet.assess.classes import equal_codes
from discreet.data.item_sets import take_sets
from discreet.data.table import Table
from discreet.release.event import Event
from discreet.result import Preview, Result

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from discreet.data.column import FrameKind
    from discreet.release.release import Release


MAX_CONTEXT = 4  # visible cells that a donor is asked to agree in


def impute(release: Release, *, rng: np.random.Generator | int | None = None) -> Imputed:
    r"""Return a release with its null cells filled by draws from its own rows.

    .. math:: \mathrm{P}[t_c = v] = \frac{|\{u : u_c = v, \; u_j = t_j \text{ for all } j \in C\}|}
        {|\{u : u_c \ne *, \; u_j = t_j \text{ for all } j \in C\}|}

    where :math:`u` runs over the released rows, :math:`c` is the column of the null cell of row
    :math:`t`, and :math:`C` is its context: of the columns that are visible in :math:`t`, the
    four with the most information about :math:`c`, or as many of the best of them as leave at
    least one row :math:`u` that shows :math:`c`.

    Parameters
    ----------
    release : Release
        Of suppressed data.
    rng : Generator or int, optional
        Source of the draws. No guarantee rests on it, so a seed does no harm.

    Returns
    -------
    Imputed
        Filled data and the mask of filled cells; for differential privacy also a new release.

    Notes
    -----
    **Guarantee.** None is added. Differential privacy holds for whatever is computed from a
    release, so it is kept, and the verifier knows the step. k-anonymity is a claim about equal
    rows, and draws make rows differ: it stays with the release and is not claimed for the filled
    data.

    A cell that was missing in the original looks like a suppressed one and is filled too. A
    column without a single visible value stays null. Cells of one row are drawn independently
    of each other, given its visible cells, so relations between two filled cells of a row are
    weakened. Information is the mutual information of two columns over the rows that show both.
    Time: one pass over the distinct rows for each context that occurs.

    References
    ----------
    The thesis this family follows, section 2.4: imputation after the release is post-processing.

    Examples
    --------
    >>> from discreet.release.guarantee import Guarantee
    >>> from discreet.release.release import Release
    >>> claim = Guarantee(
    ...     model="k-anonymity", parameters={"k": 2}, unit="one row", columns=("sex", "job"),
    ...     not_protected=("What a class has in common can be learnt.",),
    ... )
    >>> frame = {"sex": ["f", "f", None, None], "job": ["a", "a", "a", "a"]}
    >>> filled = impute(Release(data=Table.from_frame(frame), guarantee=claim), rng=1)
    >>> filled.data.to_frame()["sex"].to_list(), filled.mask[:, 0].tolist()
    (['f', 'f', 'f', 'f'], [False, False, True, True])
    >>> filled.release is None
    True
    """
    generator = checks.generator("rng", rng)
    data = release.data
    # Everything below reads `codes`, never `filled`: a draw from an imputed cell would repeat a
    # guess as if it were data.
    codes = _visible_codes(data)
    filled = codes.copy()
    classes = equal_codes(list((codes + 1).T), len(codes))
    distinct, sizes = codes[classes.first], classes.sizes
    starts = np.concatenate([[0], np.cumsum(sizes)])
    members = np.argsort(classes.class_of, kind="stable").astype(np.int32)
    for column in range(data.n_columns):
        for wanting, low, high, donors in _draws(distinct, sizes, column):
            cuts, rows = take_sets(starts, members, wanting)
            n_each = np.diff(cuts)
            # A place among the donor rows, not among the donor classes: large classes are drawn
            # more often.
            drawn = generator.integers(np.repeat(low, n_each), np.repeat(high, n_each))
            ends = np.cumsum(sizes[donors])
            donor = donors[np.searchsorted(ends, drawn, side="right")]
            filled[rows, column] = distinct[donor, column]
    mask = (codes < 0) & (filled >= 0)
    table = _with_codes(data, filled)
    return Imputed(data=table, mask=mask, release=_certified(release, table, mask))


def _draws(
    distinct: NDArray[np.int64], sizes: NDArray[np.int64], column: int
) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]]:
    """Yield which classes draw a column's value from which others.

    Each time: classes, and for each of them the range of released rows, counted along the
    donor classes, that it draws from.
    """
    visible = distinct >= 0
    donors = np.flatnonzero(visible[:, column])
    wanting = np.flatnonzero(~visible[:, column])
    if not len(donors) or not len(wanting):
        return
    best_first = np.argsort(-_information(distinct, sizes, column), kind="stable")
    best_first = best_first[best_first != column]
    contexts = visible[np.ix_(wanting, best_first)]
    # The most informative visible columns only. With more of them hardly any donor agrees in all.
    contexts &= np.cumsum(contexts, axis=1) <= MAX_CONTEXT
    while len(wanting):
        missed = []
        # Classes that ask for the same columns are matched together, by one sort.
        patterns, pattern_of = np.unique(contexts, axis=0, return_inverse=True)
        for number, pattern in enumerate(patterns):
            asked = np.flatnonzero(pattern_of.ravel() == number)
            context = best_first[pattern]
            able = donors[visible[np.ix_(donors, context)].all(axis=1)]
            low, high, order = _matching(distinct, sizes, wanting[asked], able, context)
            found = high > low
            yield wanting[asked[found]], low[found], high[found], order
            missed.append(asked[~found])
        left = np.sort(np.concatenate(missed))
        wanting, contexts = wanting[left], contexts[left]
        # Those without a donor ask for one column less, the least informative one.
        last = contexts.shape[1] - 1 - np.argmax(contexts[:, ::-1], axis=1)
        contexts[np.arange(len(left)), last] = False


def _matching(
    distinct: NDArray[np.int64],
    sizes: NDArray[np.int64],
    wanting: NDArray[np.int64],
    donors: NDArray[np.int64],
    context: NDArray[np.int64],
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Return, for each class, its range among the rows of the donors in the order returned."""
    both = np.concatenate([wanting, donors])
    key = np.zeros(len(both), np.int64)
    for column in context:
        # Numbered anew after each column, so that no product of sizes can overflow.
        joint = key * (int(distinct[:, column].max()) + 1) + distinct[both, column]
        key = np.unique(joint, return_inverse=True)[1]
    asked, given = key[: len(wanting)], key[len(wanting) :]
    order = np.argsort(given, kind="stable")
    ends = np.concatenate([[0], np.cumsum(sizes[donors[order]])])
    low = ends[np.searchsorted(given[order], asked, side="left")]
    high = ends[np.searchsorted(given[order], asked, side="right")]
    return low, high, donors[order]


def _information(
    distinct: NDArray[np.int64], sizes: NDArray[np.int64], column: int
) -> NDArray[np.float64]:
    """Return the mutual information of a column with each column, over rows that show both."""
    information = np.zeros(distinct.shape[1])
    own = distinct[:, column]
    for other in range(distinct.shape[1]):
        both = (own >= 0) & (distinct[:, other] >= 0)
        if other == column or not both.any():
            continue
        shape = (int(own.max()) + 1, int(distinct[:, other].max()) + 1)
        cells = own[both] * shape[1] + distinct[both, other]
        joint = np.bincount(cells, sizes[both], minlength=shape[0] * shape[1]).reshape(shape)
        joint = joint / joint.sum()
        apart = np.outer(joint.sum(axis=1), joint.sum(axis=0))
        seen = joint > 0
        information[other] = float((joint[seen] * np.log(joint[seen] / apart[seen])).sum())
    return information


def _visible_codes(table: Table) -> NDArray[np.int64]:
    """Return the codes, rows by columns, -1 for null."""
    codes = np.empty((table.n_rows, table.n_columns), np.int64)
    for place, name in enumerate(table.columns):
        column = table.column(name)
        codes[:, place] = column.codes
        if column.missing_code is not None:
            codes[column.codes == column.missing_code, place] = -1
    return codes


def _with_codes(table: Table, codes: NDArray[np.int64]) -> Table:
    """Return the table with other codes, -1 for null."""
    present = {
        name: [value for value in table.values(name) if value is not None] for name in table.columns
    }
    filled = {
        name: np.where(codes[:, j] < 0, len(present[name]), codes[:, j])
        for j, name in enumerate(table.columns)
    }
    return Table.from_codes(filled, {name: [*v, None] for name, v in present.items()}, like=table)


def _certified(release: Release, data: Table, mask: NDArray[np.bool_]) -> Release | None:
    """Return the filled release where its guarantee outlasts the filling."""
    # Differential privacy survives every computation on the release. k-anonymity does not: filled
    # cells make equal rows differ again.
    if not release.guarantee.is_differentially_private:
        return None
    step = Event(
        name="impute",
        parameters={"source": "the release alone", "max_context": MAX_CONTEXT},
        counts={"n_cells_imputed": int(mask.sum())},
    )
    return release.after(step, data=data)


# What imputing leaves: filled data, the mask of what was filled, and what is still claimed.

NOTE = "Imputed cells are guesses made from the release alone; they add no protection."


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Imputed(Result):
    """Filled data and, beside it, which cells were filled.

    Attributes
    ----------
    data : Table
        The released rows in their order, with as few missing cells as possible.
    mask : array of bool, rows by columns
        True for every cell that was null in the release and has a value now.
    release : Release or None
        The filled data as a release of its own, with the guarantee of the old one, where that
        outlasts whatever is computed from a release: differential privacy. None for claims
        about equivalence classes, such as k-anonymity: filling takes classes apart.
    """

    data: Table
    mask: NDArray[np.bool_]
    release: Release | None

    @property
    def n_imputed(self) -> int:
        """Number of cells that were filled."""
        return int(self.mask.sum())

    @property
    def sentence(self) -> str:
        """What was done, and what it is worth, in plain words."""
        claim = (
            "The guarantee of the release holds for the filled data too."
            if self.release is not None
            else "Publish the release: its guarantee is not about filled rows."
        )
        return f"{self.n_imputed:,} of {self.mask.size:,} cells imputed. {NOTE} {claim}"

    def __repr__(self) -> str:
        return f"Imputed({self.sentence})"

    def to_frame(self, kind: FrameKind | None = None) -> Any:  # noqa: ANN401  a frame of the asked kind
        """Return the filled data as a frame, by default of the kind that came in."""
        return self.data.to_frame(kind)

    def mask_frame(self, kind: FrameKind | None = None) -> Any:  # noqa: ANN401  as above
        """Return a frame of the same shape, true where a cell was imputed."""
        codes = {name: self.mask[:, j].astype(np.uint8) for j, name in enumerate(self.data.columns)}
        flags = Table.from_codes(codes, dict.fromkeys(codes, (False, True)))
        return flags.to_frame(kind or self.data.frame_kind)

    def preview(self) -> Preview:
        """Return the number of imputed cells of each column."""
        counts = zip(self.data.columns, self.mask.sum(axis=0).tolist(), strict=True)
        rows = [(name, f"{n:,}") for name, n in counts]
        return Preview(title=self.sentence, header=("column", "imputed"), rows=rows)

    def to_dict(self) -> dict[str, object]:
        """Return the number of imputed cells, in all and by column."""
        by_column = dict(zip(self.data.columns, self.mask.sum(axis=0).tolist(), strict=True))
        return {
            "n_imputed": self.n_imputed,
            "by_column": by_column,
            "guarantee_is_kept": self.release is not None,
            "note": NOTE,
        }
