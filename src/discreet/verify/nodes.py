"""Whether every released value is a node of the hierarchy that the release states."""

from __future__ import annotations

from typing import TYPE_CHECKING

from discreet.errors import DataError
from discreet.verify.outcome import Check
from discreet.verify.stated import HIERARCHIES_FILE, read_stated

if TYPE_CHECKING:
    import polars as pl

    from discreet.verify.certificate import Claims
    from discreet.verify.stated import Stated

NAME = "hierarchies"


def check_nodes(
    content: bytes | None, claims: Claims, rows: pl.DataFrame
) -> tuple[tuple[Check, ...], dict[str, Stated]]:
    """Return whether released values are nodes of stated hierarchies, and the hierarchies.

    Parameters
    ----------
    content : bytes or None
        The content of ``hierarchies.json``, if the release has it.
    claims : Claims
        The step ``generalize`` says which columns were generalized by a hierarchy.
    rows : DataFrame
        The released rows.

    Returns
    -------
    tuple of Check
        None if nothing was generalized and no hierarchy is stated; else one, which names the
        column and the value that is no node.
    dict of str to Stated
        What could be read.

    Notes
    -----
    A column without a stated hierarchy may hold any value: whether it was kept or hidden only
    the original tells. An empty cell of a column that was not generalized is a suppressed one.
    """
    step = claims.step("generalize")
    promised = () if step is None else step.parameters.get("hierarchies")
    if content is None and not promised:
        if step is None:
            return (), {}
        detail = "No hierarchy is stated: values of generalized columns are kept or hidden."
        return (Check(name=NAME, passed=isinstance(promised, tuple), detail=detail),), {}
    try:
        stated = {} if content is None else read_stated(content)
    except DataError as error:
        return (Check(name=NAME, passed=False, detail=str(error)),), {}
    fault = _fault(stated, promised if isinstance(promised, tuple) else (), rows)
    if fault:
        return (Check(name=NAME, passed=False, detail=fault),), stated
    detail = f"Every value of {', '.join(stated)} is a node of its stated hierarchy."
    return (Check(name=NAME, passed=True, detail=detail),), stated


def _fault(stated: dict[str, Stated], promised: tuple[str, ...], rows: pl.DataFrame) -> str | None:
    """Return what is wrong in words, or None."""
    for name in promised:
        if name not in stated:
            return (
                f"Column '{name}' was generalized by a hierarchy that {HIERARCHIES_FILE} does not "
                "state."
            )
    for name, tree in stated.items():
        if name not in rows.columns:
            return f"A hierarchy is stated for column '{name}', which is not released."
        for value in rows[name].unique(maintain_order=True).to_list():
            if value is None and (name not in promised or "" in tree.spans):
                continue  # suppressed, which is the root; or a text that a file cannot tell
            text = None if value is None else str(value)
            if text not in tree.spans:
                place = rows[name].to_list().index(value) + 1
                shown = "an empty cell" if value is None else repr(text)
                return (
                    f"Column '{name}' shows {shown} (row {place} of the data), which is no "
                    "node of its stated hierarchy."
                )
    return None
