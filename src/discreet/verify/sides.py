"""Released and original columns side by side, so that rows can be looked up."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from discreet.data.table import Table
from discreet.verify.outcome import Check
from discreet.verify.stated import HIDDEN, flat
from discreet.verify.under import Side
from discreet.verify.weights import weights_column

if TYPE_CHECKING:
    from discreet.verify.evidence import Evidence
    from discreet.verify.stated import Span, Stated, Text

NAME = "values of original"


def line_up(evidence: Evidence) -> tuple[Check, list[Side]]:
    """Return whether released values lie above values of the original, and the columns.

    Parameters
    ----------
    evidence : Evidence
        With the original, and the step ``generalize``.

    Returns
    -------
    Check
        The column, and the released value that is none, are named.
    list of Side
        The columns that can be compared. A column that was generalized shows nodes; any
        other shows values as they were, and the one of weights is left out.
    """
    claims, original = evidence.claims, evidence.original
    assert original is not None
    step = claims.step("generalize")
    generalized = None if step is None else step.parameters.get("columns")
    if not isinstance(generalized, tuple):
        detail = "The step generalize does not name its columns."
        return Check(name=NAME, passed=False, detail=detail), []
    skipped = weights_column(claims)
    released = Table.from_frame(evidence.rows, categorical=True)
    sides, apart = [], []
    for name in released.columns:
        if name == skipped:
            continue
        if name not in original.columns:
            detail = f"Column '{name}' is released, and the original does not have it."
            return Check(name=NAME, passed=False, detail=detail), []
        tree = _tree(evidence, name, is_generalized=name in generalized)
        side = _side(name, tree, original, released)
        if isinstance(side, Side):
            sides.append(side)
        elif side is None:
            apart.append(name)
        else:
            return Check(name=NAME, passed=False, detail=side), []
    if apart:
        detail = (
            f"Column '{apart[0]}' cannot be compared: numbers on one side, text on the other. Was "
            "it binned? Read the original with the same bins."
        )
        return Check(name=NAME, passed=None, detail=detail), sides
    detail = "Every released value is, or lies above, one that its column has in the original."
    return Check(name=NAME, passed=True, detail=detail), sides


def _tree(evidence: Evidence, column: str, *, is_generalized: bool) -> Stated:
    """Return what a column may show: nodes of its hierarchy, or its values as they are."""
    assert evidence.original is not None
    values = evidence.original.values(column)
    if not is_generalized:
        tree = flat(values)
        kept: dict[Text, tuple[Span, ...]] = {
            text: ((place, place + 1),) for text, place in tree.place_of.items()
        }
        return replace(tree, spans=kept)
    return evidence.hierarchies.get(column) or flat(values)


def _side(name: str, tree: Stated, original: Table, released: Table) -> Side | str | None:
    """Return a column of both tables, what is wrong with it, or None if it was binned since."""
    had = [_text(value) for value in original.values(name)]
    has = [_text(value) for value in released.values(name)]
    strange = [text for text in has if text not in tree.spans]
    is_text = any(isinstance(value, str) for value in original.values(name))
    if not all(text in tree.place_of for text in had):
        if not is_text and not any(text in tree.place_of for text in had if text is not None):
            return None
        return f"The original has values in column '{name}' that its stated hierarchy lacks."
    if strange and not is_text and {*has} <= {*strange, None, HIDDEN}:
        return None
    if strange:
        place = int(np.flatnonzero(released.codes(name) == has.index(strange[0]))[0]) + 1
        shown = "an empty cell" if strange[0] is None else repr(strange[0])
        return (
            f"Column '{name}' shows {shown} (row {place} of the data), which is neither a value "
            "of it in the original nor a node above one."
        )
    places = np.array([tree.place_of[text] for text in had], np.int64)
    return Side(
        name=name,
        tree=tree,
        places=places[original.codes(name)],
        codes=released.codes(name).astype(np.int64),
        labels=has,
    )


def _text(value: object) -> Text:
    return None if value is None else str(value)
