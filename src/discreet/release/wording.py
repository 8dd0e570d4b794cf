"""Sentences that guarantees of different families have in common."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

UNIT = "one row, which is one person"


def always_open(choice: str) -> tuple[str, ...]:
    """Return what no claim about classes of equal rows covers.

    Parameters
    ----------
    choice : str
        What the mechanism chooses by looking at all rows, such as ``"cells are hidden"``.

    Examples
    --------
    >>> always_open("cells are hidden")[1]
    'Which cells are hidden depends on all rows, and can tell something of what they held.'
    """
    return (
        "What the rows of a class have in common can be learnt of each, such as an illness.",
        f"Which {choice} depends on all rows, and can tell something of what they held.",
        "Several releases of the same source: who holds two of them can combine them.",
        "That somebody is in the data is not hidden.",
    )


def other_columns(released: Sequence[str], covered: Sequence[str]) -> tuple[str, ...]:
    """Return the sentence about released columns that the claim does not cover, if there are any.

    Examples
    --------
    >>> other_columns(["age", "job", "sex"], ["age", "sex"])
    ("Column 'job' is released as it is: who knows it of somebody can tell rows of a class apart.",)
    """
    left = [f"'{name}'" for name in released if name not in covered]
    if not left:
        return ()
    subject = f"Column {left[0]} is" if len(left) == 1 else f"Columns {', '.join(left)} are"
    them = "it" if len(left) == 1 else "them"
    same = "it is" if len(left) == 1 else "they are"
    told = f"who knows {them} of somebody can tell rows of a class apart."
    return (f"{subject} released as {same}: {told}",)
