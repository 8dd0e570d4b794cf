"""Releases to report on, made by hand: marking cells, then keeping classes of at least k rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from fractions import Fraction

import numpy as np

import discreet as dc
from discreet.assess.classes import equivalence_classes
from discreet.data.binning import Bins
from discreet.release.event import Event
from discreet.release.guarantee import ADD_REMOVE, Guarantee
from discreet.release.release import Release
from tests.utility.releases import suppress

MADE = datetime(2026, 3, 1, 12, tzinfo=UTC)
NOT_PROTECTED = (
    "What all members of a group have in common can be learnt about each of them.",
    "Several releases of the same people can undo each other's protection.",
)
SAMPLE_COLUMNS = (
    "sex", "age", "region", "education", "marital_status", "household_size", "industry",
    "occupation", "income", "condition",
)  # fmt: skip


@dataclass(frozen=True)
class Check:
    name: str
    passed: bool | None
    detail: str


@dataclass(frozen=True)
class Verification:
    answer: str = "verified"
    sentence: str = "k-anonymity with k = 5 was found again in the released data."
    checks: tuple[Check, ...] = (
        Check("smallest group", True, "5 rows"),
        Check("original", None, "was not given"),
    )


def sample(n_rows: int) -> dc.Table:
    """Return the built-in census with ages in bands."""
    census = dc.datasets.census(n_rows).select(SAMPLE_COLUMNS)
    frame = census.to_frame()
    return dc.Table.from_frame(
        frame,
        bins={"age": Bins(edges=(16, 30, 45, 60, 75))},
        categorical=("household_size",),
        roles={"condition": "sensitive"},
    )


def k_anonymous(original: dc.Table, *, k: int = 5, columns: Sequence[str] = ()) -> Release:
    """Return a release whose rows are equal to at least k - 1 others in the columns."""
    covered = tuple(columns) or original.columns
    cells = np.zeros((original.n_rows, original.n_columns), bool)
    marked = dc.mine.mark_cells(original.select(covered), theta=k - 1)
    for place, name in enumerate(covered):
        cells[:, original.columns.index(name)] = marked[:, place]
    hidden = suppress(original, cells)
    classes = equivalence_classes(hidden, covered)
    kept = np.flatnonzero(classes.sizes[classes.class_of] >= k)
    released = hidden.take(kept)
    order = np.lexsort([released.codes(name) for name in reversed(released.columns)])
    return Release(
        data=released.take(order),
        guarantee=claim(k, covered),
        events=(
            Event(
                name="mii_suppress",
                parameters={"theta": k - 1, "columns": covered},
                counts={
                    "n_rows": original.n_rows,
                    "n_cells": original.n_rows * len(covered),
                    "n_cells_suppressed": int(marked.sum()),
                },
            ),
            Event(
                name="enforce_classes",
                parameters={"k": k, "leftover": "drop"},
                counts={"n_rows_dropped": original.n_rows - len(kept), "n_rows_suppressed": 0},
            ),
        ),
        created=MADE,
        version="0.1.0",
        input_rows=kept[order],
    )


def claim(k: int, columns: Sequence[str], **changed: object) -> Guarantee:
    fields: dict[str, object] = {
        "model": "k-anonymity",
        "parameters": {"k": k},
        "unit": "one person, who has one row",
        "columns": tuple(columns),
        "assumptions": ("Each person is in one row only.",),
        "not_protected": NOT_PROTECTED,
    }
    return Guarantee(**{**fields, **changed})  # type: ignore[arg-type]


def private(data: dc.Table, **changed: object) -> Release:
    """Return a release that claims differential privacy."""
    fields: dict[str, object] = {
        "model": "(epsilon, delta)-differential privacy",
        "parameters": {"epsilon": Fraction(1, 2), "delta": Fraction(1, 10**6)},
        "unit": "one person, who has one row",
        "neighbours": ADD_REMOVE,
        "not_protected": ("What holds for the population can be learnt.",),
    }
    return Release(
        data=data,
        guarantee=Guarantee(**{**fields, **changed}),  # type: ignore[arg-type]
        events=(
            Event(name="split_rows", parameters={"split_rate": Fraction(3, 10)}),
            Event(
                name="learn_scheme",
                parameters={
                    "scheme": "dp",
                    "epsilon": Fraction(1, 2),
                    "delta": None,
                    "theta": 30,
                    "max_size": 2,
                    "n_columns": data.n_columns,
                    "noise": "discrete Laplace",
                    "scale": Fraction(110),
                },
            ),
            Event(name="suppress_by_scheme", parameters={"columns": data.columns}),
            Event(name="bernoulli_sample", parameters={"beta": Fraction(1, 5)}),
            Event(
                name="k_suppress",
                parameters={"k": 20, "epsilon": Fraction(1, 2), "delta": Fraction(1, 10**6)},
            ),
        ),
        created=MADE,
        version="0.1.0",
    )
