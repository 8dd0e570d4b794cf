"""What a suppression did and how far it reached: cells, rows, and the rare combinations behind it.

The rare combinations are those of the input, so this is for the curator; of the release alone only
the suppressed cells can be seen.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from discreet.assess.uniqueness import covered_rows
from discreet.data.table import as_table
from discreet.errors import ParameterError
from discreet.mine.database import Database
from discreet.mine.infrequent import minimal_infrequent
from discreet.release.guarantee import SEVERAL_ROWS
from discreet.release.release import publishable
from discreet.result import Preview, Result
from discreet.utility.changes import cells_changed

if TYPE_CHECKING:
    from typing import Unpack

    from numpy.typing import NDArray

    from discreet.limits import Limits
    from discreet.release.release import Release
    from discreet.utility.changes import CellsChanged


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SuppressionSummary(Result):
    """Loss of a suppression, and the minimal infrequent itemsets (MIIs) it removed.

    Attributes
    ----------
    theta : int
        Infrequency threshold.
    changes : CellsChanged
        Suppressed cells by column and by row, and suppressed records.
    n_miis_by_size : tuple of int
        MIIs of the input by number of values.
    floors : array of int64
        For each released row, a number of input rows that surely share what it shows; of people
        who hold it where they are known.
    of_people : bool
        Whether people are counted.
    max_size : int, optional
        If not None, the floors are those of any so many values of a row, or fewer.
    """

    theta: int
    changes: CellsChanged
    n_miis_by_size: tuple[int, ...]
    floors: NDArray[np.int64]
    of_people: bool = False
    max_size: int | None = None

    @property
    def support_floor(self) -> int:
        """The least of the floors; ``theta + 1`` if no row was released."""
        return int(self.floors.min()) if len(self.floors) else self.theta + 1

    def __repr__(self) -> str:
        return f"SuppressionSummary({self.sentence})"

    @property
    def sentence(self) -> str:
        """The summary in plain words."""
        changes = self.changes
        what = "what"
        if self.max_size is not None:
            what = "any value" if self.max_size == 1 else f"any {self.max_size} values"
        return (
            f"{changes.n_suppressed:,} cells suppressed ({changes.suppressed_rate:.2%} of those "
            f"released), {changes.n_suppressed_records:,} of {changes.n_rows:,} rows dropped; "
            f"{sum(self.n_miis_by_size):,} rare combinations gone; {what} a row shows was shared "
            f"by at least {self.support_floor:,} {'people' if self.of_people else 'rows'}."
        )

    def preview(self) -> Preview:
        """Return the suppression by column."""
        n = max(self.changes.n_released, 1)
        rows = [
            (name, f"{count:,}", f"{count / n:.1%}")
            for name, count in zip(
                self.changes.columns, self.changes.suppressed_by_column.tolist(), strict=True
            )
        ]
        return Preview(title=self.sentence, header=("column", "suppressed", "of rows"), rows=rows)

    def to_dict(self) -> dict[str, object]:
        """Return all figures as plain values."""
        return {
            "theta": self.theta,
            "changes": self.changes.to_dict(),
            "n_miis_by_size": list(self.n_miis_by_size),
            "support_floor": self.support_floor,
            "max_size": self.max_size,
        }


def suppression_summary(
    table: object, release: Release, *, person: str | None = None, **limits: Unpack[Limits]
) -> SuppressionSummary:
    r"""Return what :func:`mii_suppress` or :func:`k_mii` suppressed, and each row's support floor.

    .. math:: \mathrm{supp}_D(\tilde t) \ge
        \max_{x \subseteq t} \; s(x) + |x| \, (\theta + 1 - s(x)),
        \quad s(x) = \mathrm{supp}_D(x)

    where :math:`x` runs over the MIIs contained in the row :math:`t`; rows that contain none
    have :math:`\theta + 1`.

    Parameters
    ----------
    table : Table or frame
        The input.
    release : Release
        Made from it just now: it must still know which row came from where.
    person : str, optional
        Of a frame: the column that says whose each row is.
    **limits : Limits
        ``threads``, ``max_itemsets``, ``max_memory``, ``progress``.

    Returns
    -------
    SuppressionSummary
        For the curator: figures of the input are among it.

    Raises
    ------
    ParameterError
        If the release was not made by MII suppression, or was read from a file.
    LimitError
        If there are more MIIs than ``max_itemsets``.

    Notes
    -----
    **Guarantee.** None: this is a measure. The bound is about the input, not the release, and
    is stronger than the theorem's :math:`\theta + |c|`: dropping one item of an MII at a time
    leaves supports above :math:`\theta`, and the rows gained each time are different ones.
    It is proved for rows, and of all MIIs; of people, and where combinations of at most
    ``max_size`` values were looked for or only a sample was mined, the floor is
    :math:`\theta + 1`, in :func:`mii_suppress` of any ``max_size`` values. Besides the mining,
    time grows with the rows that contain MIIs, at most ``theta`` for each.

    References
    ----------
    The thesis this family follows, theorem 2.3, strengthened.

    Examples
    --------
    >>> import discreet as dc
    >>> rows = [(1, 1), (1, 2), (1, 2), (2, 1), (2, 1), (2, 2), (2, 2)]
    >>> table = dc.Table.from_frame({"a": [a for a, _ in rows], "b": [b for _, b in rows]})
    >>> found = suppression_summary(table, dc.mii_suppress(table, theta=2))
    >>> found.n_miis_by_size, int(found.floors.max()), found.support_floor
    ((0, 0, 4), 5, 4)
    """
    table = as_table(table, person=person)
    steps = [event for event in release.events if event.name == "mii_suppress"]
    if not steps or release.input_rows is None:
        raise ParameterError(
            "The summary is made from the release that mii_suppress or k_mii returned, not from "
            "one that was read back or made otherwise.",
            parameter="release",
        )
    stated = steps[0].parameters
    theta, columns, most = stated["theta"], stated["columns"], stated.get("max_size")
    assert most is None or isinstance(most, int)
    assert isinstance(theta, int)
    assert isinstance(columns, tuple)
    if (release.guarantee.unit == SEVERAL_ROWS) != (table.people is not None):
        raise ParameterError(
            "The release and the table are not about the same people: one of them does not know "
            "whose the rows are.",
            parameter="person",
            remedy="Give {person} as the release was made with.",
            options={"person": person},
        )
    database = Database.from_table(table, columns=columns, of_people=True, **limits)
    found = minimal_infrequent(database, theta=theta, max_size=most, **limits)
    rows = database.items.reshape(database.n_transactions, len(columns))
    floor = np.full(len(rows), theta + 1)
    bound = found.supports + found.sizes * (theta + 1 - found.supports)
    if table.people is not None or most is not None or "sample_size" in stated:
        bound = np.full(len(found), theta + 1)
    for which, row in covered_rows(found, rows, database.column_of):
        np.maximum.at(floor, row, bound[which])
    assert database.group_of is not None
    return SuppressionSummary(
        theta=theta,
        changes=cells_changed(publishable(table), release.data, rows=release.input_rows),
        n_miis_by_size=tuple(np.bincount(found.sizes, minlength=1).tolist()),
        of_people=table.people is not None,
        # Equivalence classes have their floor whatever was looked for.
        max_size=most if release.guarantee.model == "support floor" else None,
        floors=floor[database.group_of][release.input_rows],
    )
