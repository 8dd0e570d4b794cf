"""Records of the original that a release shows again, beside those of people not in it.

Frequent records occur in any faithful synthetic data, so their number alone says little. Controls,
whose records were not used, show how many would occur anyway.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from discreet import checks
from discreet.assess.attacks.setting import Rate, attacked, excess, one_coding
from discreet.assess.classes import equal_codes
from discreet.result import Preview, Result

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.random import Generator
    from numpy.typing import NDArray

    from discreet.assess.attacks.setting import Excess


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordsInCommon(Result):
    """Shares of distinct records that the release has as well.

    Attributes
    ----------
    columns : tuple of str
        What a record consists of.
    n_rows : int
        Rows of the original looked at, and of the controls.
    members, controls : Rate
        Distinct records of those rows that are in the release.
    single, control_single : Rate
        The same of records that one person alone has, among all of original and controls.
    released : Rate
        Distinct records of the release that are in the original.
    """

    columns: tuple[str, ...]
    n_rows: int
    members: Rate
    single: Rate
    released: Rate
    controls: Rate | None = None
    control_single: Rate | None = None

    @property
    def excess(self) -> Excess | None:
        """How much oftener records of members than of controls are shown, with its interval."""
        return None if self.controls is None else excess(self.members, self.controls)

    @property
    def excess_single(self) -> Excess | None:
        """The same of unique records, which matters more."""
        return None if self.control_single is None else excess(self.single, self.control_single)

    @property
    def sentence(self) -> str:
        """The comparison in plain sentences."""
        others = single = ""
        if self.controls is not None:
            others = f", and {self.controls} of those of controls"
            single = f" and {self.control_single}"
        return (
            f"The release shows {self.members} of the original's distinct records{others}; of "
            f"unique records {self.single}{single}."
        )

    def preview(self) -> Preview:
        """Return the rates of members and controls."""
        groups = (
            ("members", self.members, self.single),
            ("controls", self.controls, self.control_single),
        )
        rows = [(title, str(every), str(one)) for title, every, one in groups if every is not None]
        header = ("in the release", "distinct records", "unique records")
        return Preview(title=self.sentence, header=header, rows=rows)

    def to_dict(self) -> dict[str, object]:
        """Return all fields as plain values."""
        rates = ("members", "single", "released", "controls", "control_single")
        found = {name: getattr(self, name) for name in rates}
        more, more_single = self.excess, self.excess_single
        return {
            "columns": list(self.columns),
            "n_rows": self.n_rows,
            **{name: None if rate is None else rate.to_dict() for name, rate in found.items()},
            "excess": None if more is None else list(more),
            "excess_single": None if more_single is None else list(more_single),
        }


def records_in_common(
    release: object,
    original: object,
    *,
    controls: object = None,
    columns: Iterable[str] | None = None,
    rng: Generator | int | None = None,
) -> RecordsInCommon:
    r"""Return which share of the original's distinct records a release has too.

    .. math:: \frac{|\{ t \in D \} \cap \{ r \in R \}|}{|\{ t \in D \}|}

    where :math:`D` are the rows of the original, or of the controls, and :math:`R` those of the
    release, each distinct row taken once.

    Parameters
    ----------
    release, original : Release, Table or frame
        What was published, and what it was made from. The same columns; rows need not align.
    controls : Table or frame, optional
        People of the same population whose rows were not used. If there are more of them than
        rows of the original, or fewer, as many of the larger table are drawn as the smaller
        has: among many rows more records are rare.
    columns : iterable of str, optional
        What a record consists of; all but the identifying columns by default.
    rng : Generator, int or None
        Draws the rows; not used if there are as many.

    Returns
    -------
    RecordsInCommon
        Rates with 95 per cent Wilson intervals; differences with Newcombe's.

    Raises
    ------
    ParameterError
        If a table lacks a column, or the controls are the original.
    DataError
        If the release has no rows.

    Notes
    -----
    Records that one person alone has are found among all rows of original and controls
    together, so that members and controls are alike but for their membership. Guarantee: none,
    this is an experiment. Time is linear in the rows of all tables.

    References
    ----------
    J.E.G. Dorrestijn (2018), Provable Privacy for Database Generation, table 5 and figure 1
    (without controls).

    Examples
    --------
    >>> import discreet as dc
    >>> people = dc.datasets.census(1000)
    >>> members, others = people.take(range(500)), people.take(range(500, 1000))
    >>> found = records_in_common(members, members, controls=others)
    >>> found.members.rate, found.controls.rate < 1, found.control_single.rate
    (1.0, True, 0.0)
    """
    setting = attacked(release, original, controls, columns)
    tables = [setting.release, setting.original]
    tables += [] if setting.controls is None else [setting.controls]
    coded = one_coding(tables, setting.columns)
    sizes = [table.n_rows for table in tables]
    alike = equal_codes(list(np.concatenate(coded, axis=1)), sum(sizes))
    there, *people = np.split(alike.class_of, np.cumsum(sizes)[:-1])
    in_release = np.zeros(len(alike), bool)
    in_release[there] = True
    n_people = np.bincount(np.concatenate(people), minlength=len(alike))
    n_rows = min(len(rows) for rows in people)
    random = checks.generator("rng", rng)
    every = [_share(np.unique(_some(rows, n_rows, random)), in_release) for rows in people]
    single = [_share(rows[n_people[rows] == 1], in_release) for rows in people]
    in_original = np.zeros(len(alike), bool)
    in_original[people[0]] = True
    return RecordsInCommon(
        columns=setting.columns,
        n_rows=n_rows,
        members=every[0],
        single=single[0],
        released=_share(np.unique(there), in_original),
        controls=every[1] if setting.controls is not None else None,
        control_single=single[1] if setting.controls is not None else None,
    )


def _some(rows: NDArray[np.int32], n_rows: int, rng: np.random.Generator) -> NDArray[np.int32]:
    return rows if len(rows) == n_rows else rng.choice(rows, n_rows, replace=False)


def _share(records: NDArray[np.int32], found: NDArray[np.bool_]) -> Rate:
    return Rate(n_hits=int(found[records].sum()), n_trials=len(records))
