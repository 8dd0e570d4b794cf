"""Combinations of values that one person alone has, and whether a release shows them again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from discreet import checks
from discreet.assess.attacks.setting import Rate, attacked, excess, one_coding
from discreet.mine.database import Database
from discreet.mine.frequent import supports
from discreet.result import Preview, Result

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.random import Generator
    from numpy.typing import NDArray

    from discreet.assess.attacks.setting import Excess
    from discreet.data.table import Table

DRAWS = 20  # for one itemset asked for; if too few have support 1, there are fewer


@dataclass(frozen=True, slots=True, kw_only=True)
class RareItemsets(Result):
    """By the number of items: shares of itemsets of support 1 that are in the release.

    ``members`` are itemsets of one row of the original, ``controls`` of one of the controls.
    """

    columns: tuple[str, ...]
    members: dict[int, Rate]
    controls: dict[int, Rate] | None = None

    @property
    def total(self) -> Rate:
        """The share over all sizes."""
        return _sum(self.members.values())

    @property
    def control_total(self) -> Rate | None:
        """The share of the controls over all sizes."""
        return None if self.controls is None else _sum(self.controls.values())

    @property
    def excess(self) -> Excess | None:
        """How much oftener those of members than those of controls are shown, and interval."""
        control = self.control_total
        return None if control is None else excess(self.total, control)

    @property
    def sentence(self) -> str:
        """The shares in a plain sentence."""
        control = self.control_total
        others = "" if control is None else f", and {control} of those of people not used"
        return (
            f"Of {self.total.n_trials:,} random combinations of values that one person alone has "
            f"the release shows {self.total}{others}."
        )

    def preview(self) -> Preview:
        """Return the rates by size."""
        rows = [
            (str(size), f"{rate.n_trials:,}", str(rate), self._control(size))
            for size, rate in self.members.items()
        ]
        header = ("items", "itemsets", "of members", "of controls")
        return Preview(title=self.sentence, header=header, rows=rows)

    def to_dict(self) -> dict[str, object]:
        """Return all rates as plain values; sizes are text, as keys of JSON are."""
        groups = {"members": self.members, "controls": self.controls}
        more = self.excess
        return {
            "columns": list(self.columns),
            **{
                name: None if rates is None else {str(n): r.to_dict() for n, r in rates.items()}
                for name, rates in groups.items()
            },
            "excess": None if more is None else list(more),
        }

    def _control(self, size: int) -> str:
        return "-" if self.controls is None else str(self.controls[size])


def rare_itemsets(
    release: object,
    original: object,
    *,
    sizes: Iterable[int] = (2, 3, 4),
    n_itemsets: int = 300,
    controls: object = None,
    columns: Iterable[str] | None = None,
    rng: Generator | int | None = None,
) -> RareItemsets:
    """Return how many of the itemsets that one person alone has are in a release.

    Itemsets are drawn at random, each of one size as likely as any other: a row and columns are
    drawn, and the draw counts if no other row has these values there.

    Parameters
    ----------
    release, original : Release, Table or frame
        What was published, and what it was made from. The same columns; rows need not align.
    sizes : iterable of int, default (2, 3, 4)
        How many items, from 1 to the number of columns.
    n_itemsets : int, default 300
        How many itemsets of each size to draw, with replacement; fewer if twenty times as many
        draws did not give them.
    controls : Table or frame, optional
        People of the same population whose rows were not used. Then an itemset has to be of
        one row of both tables together, so that members and controls are alike but for their
        membership.
    columns : iterable of str, optional
        The columns to draw from; all but the identifying ones by default.
    rng : Generator, int or None
        Draws rows and columns; an int makes the result repeatable.

    Returns
    -------
    RareItemsets
        Rates by size with 95 per cent Wilson intervals.

    Raises
    ------
    ParameterError
        If a table lacks a column, a size is out of its range, or the controls are the original.
    DataError
        If the release has no rows.

    Notes
    -----
    The paper gives the share *not* shown, without controls, and not the sizes it drew. Missing
    and suppressed cells are values. Guarantee: none, this is an experiment.

    References
    ----------
    J.E.G. Dorrestijn (2018), Provable Privacy for Database Generation, table 6 and figure 2.

    Examples
    --------
    >>> people = {"sex": ["f", "f", "m"], "job": ["a", "b", "b"]}
    >>> found = rare_itemsets(people, people, sizes=[1], rng=1)
    >>> found.members[1].n_trials, found.total.rate
    (300, 1.0)
    """
    n_itemsets = checks.whole("n_itemsets", n_itemsets, at_least=1)
    setting = attacked(release, original, controls, columns)
    most = len(setting.columns)
    wanted = sorted({checks.whole("sizes", size, at_least=1, at_most=most) for size in sizes})
    random = checks.generator("rng", rng)
    tables = [setting.original] + ([] if setting.controls is None else [setting.controls])
    there, *people = _items([setting.release, *tables], setting.columns)
    n_items = 1 + max(int(table.max(initial=-1)) for table in (there, *people))
    drawer = _Drawer(
        release=_database(there, n_items), everybody=_database(np.concatenate(people), n_items)
    )
    found = [
        {size: drawer.shown(rows, size, n_itemsets, random) for size in wanted} for rows in people
    ]
    return RareItemsets(
        columns=setting.columns, members=found[0], controls=found[1] if found[1:] else None
    )


class _Drawer(NamedTuple):
    """Draws itemsets of rows of people and counts them."""

    release: Database
    everybody: Database

    def shown(self, rows: NDArray[np.int32], size: int, n_itemsets: int, rng: Generator) -> Rate:
        """Return how many itemsets of these rows, and of no other, are in the release."""
        n_rows, n_columns = rows.shape
        n_draws = DRAWS * n_itemsets
        order = rng.permuted(np.tile(np.arange(n_columns), (n_draws, 1)), axis=1)
        known = np.sort(order[:, :size], axis=1)  # ascending, as items of a row are
        drawn = rows[rng.integers(n_rows, size=n_draws)[:, None], known]
        alone = drawn[_supports(self.everybody, drawn) == 1][:n_itemsets]
        return Rate(n_hits=int((_supports(self.release, alone) > 0).sum()), n_trials=len(alone))


def _items(tables: Sequence[Table], columns: Sequence[str]) -> list[NDArray[np.int32]]:
    """Return the rows of each table as items: each value of a column has a number of its own."""
    coded = one_coding(tables, columns)
    sizes = [
        max(int(codes[place].max(initial=0)) for codes in coded) + 1
        for place in range(len(columns))
    ]
    starts = np.cumsum([0, *sizes[:-1]])
    return [(codes.T + starts).astype(np.int32) for codes in coded]


def _database(rows: NDArray[np.int32], n_items: int) -> Database:
    n_rows, n_columns = rows.shape
    return Database(
        offsets=np.arange(n_rows + 1) * n_columns,
        items=rows.reshape(-1),
        weights=np.ones(n_rows, np.int64),
        labels=range(n_items),
    )


def _supports(database: Database, itemsets: NDArray[np.int32]) -> NDArray[np.int64]:
    n_sets, size = itemsets.shape
    return supports(database, np.arange(n_sets + 1) * size, itemsets.reshape(-1))


def _sum(rates: Iterable[Rate]) -> Rate:
    every = list(rates)
    return Rate(n_hits=sum(r.n_hits for r in every), n_trials=sum(r.n_trials for r in every))
