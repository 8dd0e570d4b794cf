"""A mechanism in one file: its function, and the record by which everything else knows it."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

import discreet as dc
from discreet import checks
from discreet.assess.classes import equivalence_classes
from discreet.limits import Progress
from discreet.release.event import Event
from discreet.release.fingerprint import Fingerprint
from discreet.release.guarantee import (
    ONE_ROW_EACH,
    Guarantee,
    assumed_of,
    never_protected,
    other_columns,
)
from discreet.release.method import Method, Option


def keep_common(
    table: dc.Table,
    *,
    k: int,
    columns: Iterable[str] | None = None,
    progress: Progress | None = None,
) -> dc.Release:
    """Return the rows that at least ``k - 1`` others are equal to."""
    k = checks.whole("k", k, at_least=2)
    known = table.select([name for name in table.columns if name not in table.identifying])
    names = known.columns if columns is None else tuple(columns)
    if progress is not None:
        progress(0.0)
    classes = equivalence_classes(known, names)
    kept = np.flatnonzero(classes.sizes[classes.class_of] >= k)
    step = Event(
        name="keep_common", parameters={"k": k}, counts={"n_dropped": known.n_rows - len(kept)}
    )
    return dc.Release(
        data=known.take(kept),
        guarantee=Guarantee(
            model="k-anonymity",
            parameters={"k": k},
            unit="one person, who has one row",
            columns=names,
            assumptions=assumed_of(ONE_ROW_EACH),
            not_protected=(
                *never_protected("cells are suppressed"),  # those of whole rows, as by k-MII
                *other_columns(known.columns, names),
            ),
        ),
        events=(step,),
        fingerprint=Fingerprint.of(table),
        input_rows=kept,
    )


RECORD = Method(
    name="keep-common",
    family="toys",
    function=f"{__name__}:keep_common",
    summary="Publish the rows that at least k people share.",
    publishes="rows",
    claims=("k-anonymity",),
    options=(
        Option(
            name="k",
            kind="whole",
            required=True,
            at_least=2,
            of_k=0,
            help="Rows that fewer people share are dropped.",
        ),
        Option(
            name="columns",
            kind="columns",
            example=["age", "sex"],
            help="The columns that must be alike; all but the identifying ones by default.",
        ),
    ),
    example={"k": 3},
    page="toys",
    limits=("progress",),
    words={"keep_common": "Rows that fewer than {k} people share were dropped: {n_dropped} rows."},
)
