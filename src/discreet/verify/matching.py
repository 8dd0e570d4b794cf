"""Released rows beside the original: values told apart by what they are written as.

A number that a text file made a text, or the other way round, is the same value. A suppressed
cell matches everything; a value that the original lacks matches nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from discreet.data.table import Table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from discreet.data.column import Label
    from discreet.progress import Progress

INVENTED = -1


@dataclass(frozen=True, slots=True, kw_only=True)
class Matched:
    """The original and the release in the same codes, column by column.

    ``original`` and ``released`` have an integer for each value; a suppressed cell is null and a
    value that the original lacks is :data:`INVENTED`. ``absent`` are released columns that the
    original does not have, ``other_type`` those whose values are text on one side only.
    """

    original: pl.DataFrame
    released: pl.DataFrame
    absent: tuple[str, ...]
    other_type: frozenset[str]
    identifying: tuple[str, ...]

    @property
    def invented(self) -> tuple[str, ...]:
        """The columns with released values that they do not have in the original."""
        return tuple(
            name for name in self.released.columns if (self.released[name] == INVENTED).any()
        )


def match(original: Table, rows: pl.DataFrame) -> Matched:
    """Return the original and released rows in the same codes.

    Parameters
    ----------
    original : Table
        What the release was made from.
    rows : DataFrame
        The released rows.

    Returns
    -------
    Matched
        With the released columns that the original has.
    """
    release = Table.from_frame(rows, categorical=True)
    shared = [name for name in release.columns if name in original.columns]
    before: dict[str, pl.Series] = {}
    after: dict[str, pl.Series] = {}
    other_type = set()
    for name in shared:
        had, has = original.values(name), release.values(name)
        code_of = {str(label): code for code, label in enumerate(had) if label is not None}
        codes = [None if label is None else code_of.get(str(label), INVENTED) for label in has]
        new = pl.Series(codes, dtype=pl.Int64)
        before[name] = pl.Series(original.codes(name).astype(np.int64))
        after[name] = new.gather(release.codes(name).astype(np.uint32))
        if _is_text(had) != _is_text(has):
            other_type.add(name)
    return Matched(
        original=pl.DataFrame(before),
        released=pl.DataFrame(after),
        absent=tuple(name for name in release.columns if name not in original.columns),
        other_type=frozenset(other_type),
        identifying=tuple(name for name in shared if original.role(name) == "identifying"),
    )


def _is_text(labels: Sequence[Label]) -> bool:
    return any(isinstance(label, str) for label in labels)


def supports(
    matched: Matched, columns: Sequence[str], *, progress: Progress | None = None
) -> pl.DataFrame:
    """Return in how many rows of the original each distinct released row is contained.

    A row is contained in another if the other has the same value wherever it shows one.

    Parameters
    ----------
    matched : Matched
        Released rows and original.
    columns : sequence of str
        The columns to look at, all in both.
    progress : Progress, optional
        Told the share of the work done.

    Returns
    -------
    DataFrame
        One row for each distinct released row: ``n_released`` times released, contained in
        ``support`` rows of the original.

    Notes
    -----
    Distinct rows that show the same columns are counted together: one pass over the distinct
    rows of the original for each set of columns shown.
    """
    short = {name: f"c{i}" for i, name in enumerate(columns)}
    keys = list(short.values())
    weighted = matched.original.select(columns).rename(short).group_by(keys).len("weight")
    distinct = matched.released.select(columns).rename(short).group_by(keys).len("n_released")
    shown = [pl.col(key).is_not_null().alias(f"shows {key}") for key in keys]
    parts = distinct.with_columns(shown).partition_by([f"shows {key}" for key in keys])
    counted = []
    for place, part in enumerate(parts):
        if progress is not None:
            progress(place / len(parts))
        visible = [key for key in keys if part[key].null_count() == 0]
        counted.append(_supports_of(part, visible, weighted))
    none = pl.DataFrame(schema={"n_released": pl.Int64, "support": pl.Int64})
    return pl.concat([none, *counted])


def _supports_of(part: pl.DataFrame, visible: list[str], weighted: pl.DataFrame) -> pl.DataFrame:
    """Return times released and support of rows that all show the same columns."""
    total = pl.col("weight").sum().cast(pl.Int64).alias("support")
    if visible:
        wanted = weighted.join(part.select(visible), on=visible, how="semi")
        found = part.join(wanted.group_by(visible).agg(total), on=visible, how="left")
    else:
        found = part.join(weighted.select(total), how="cross")
    return found.select(pl.col("n_released").cast(pl.Int64), pl.col("support").fill_null(0))
