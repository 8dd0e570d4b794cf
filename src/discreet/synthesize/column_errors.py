"""How far off the shares of a column's values will be, and which columns are lost in noise."""

from __future__ import annotations

from typing import TypeAlias

ColumnErrors: TypeAlias = tuple[tuple[str, float], ...]

LOST = 0.25  # of the rows: the values of a column that is farther off are lost in noise
N_NAMED = 5  # columns at most that a sentence or table names


def lost_columns(errors: ColumnErrors) -> ColumnErrors:
    """Return the columns that are lost in noise with their errors, the worst first.

    Examples
    --------
    >>> lost_columns((("sex", 0.01), ("job", 0.3), ("ward", 1.0)))
    (('ward', 1.0), ('job', 0.3))
    """
    lost = [each for each in errors if each[1] > LOST]
    return tuple(sorted(lost, key=lambda each: -each[1]))


def are_mostly_lost(errors: ColumnErrors) -> bool:
    """Say whether half of the columns or more are lost in noise.

    Examples
    --------
    >>> are_mostly_lost((("sex", 0.01), ("ward", 1.0)))
    True
    """
    return 2 * len(lost_columns(errors)) >= len(errors)


def lost_sentence(errors: ColumnErrors) -> str:
    """Return which columns are lost and what to do, or nothing if none is.

    Examples
    --------
    >>> lost_sentence((("sex", 0.01), ("ward", 1.0)))
    "Lost in noise are the shares of the values of 'ward' (off by up to 100% of the rows in all):
    leave such columns out or generalize them."
    """
    lost = lost_columns(errors)
    if not lost:
        return ""
    (first, error), *others = lost[:N_NAMED]
    named = [f"'{first}' (off by up to {error:.0%} of the rows in all)"]
    named += [f"'{name}' (up to {error:.0%})" for name, error in others]
    named += [f"{len(lost) - N_NAMED} more"] if len(lost) > N_NAMED else []
    together = named[0] if len(named) == 1 else f"{', '.join(named[:-1])} and {named[-1]}"
    return (
        f"Lost in noise are the shares of the values of {together}: leave such columns out or "
        "generalize them."
    )


def percent(share: float) -> str:
    """Return a share of the rows as a person reads it.

    Examples
    --------
    >>> percent(0.0123), percent(7.0)
    ('1.23%', 'more than 100%')
    """
    return f"{share:.2%}" if share <= 1 else "more than 100%"
