"""What releases of patterns claim, what they assume, and what they leave open, in sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING

from discreet.release.guarantee import Guarantee
from discreet.release.wording import UNIT

if TYPE_CHECKING:
    from discreet.patterns.sanitized import Method

PATTERNS = "k-anonymous patterns"
WITNESSED = "k-anonymous patterns, witnessed"

_ONE_ROW = "Every row of the input is another person."
_ONCE = (
    "This is the only collection of its source, or the others were derived from it by a larger "
    "least support."
)
_FALSE_ROWS = (
    "Whoever uses the supports knows that they were raised on purpose and are not the true ones."
)
_UNPUBLISHED = (
    "Patterns that use itemsets which are not published: a group of fewer than k rows may follow "
    "for them from the published supports."
)
_SIGMA = (
    "An attacker who knows the least support knows that what is not published is rarer, and may "
    "infer more from that."
)
_DISJUNCTIONS = (
    "Disjunctions: that one of two conditions holds for fewer than k rows may follow although "
    "each condition alone is protected."
)
_UNDONE = (
    "Whoever knows how many rows the input has, or that every row has one of the published values "
    "of a column, knows how many were added, and may find out which supports were raised; a count "
    "from k to 2 k may be one that was smaller than k."
)
_REMOVED = (
    "Whoever knows how many rows the input has knows how many were removed for being in small "
    "groups."
)
_WITNESS = (
    "The rows of the witness are published: how often each combination of the published items "
    "occurs there can be read, and may be true."
)
_CHOICE = "How the changes were chosen depends on the data, and may tell something of it."
_HOMOGENEOUS = (
    "What all rows of a group have in common can be learnt of each, such as a shared diagnosis."
)
_SEVERAL = "Several collections of the same source: who holds two of them can combine them."
_KNOWN_ROWS = "An attacker who knows some rows can take them away from the supports."

_KNOWN_COLUMNS = "Nobody who uses the collection knows more of a person than {columns}."
_OTHER_COLUMNS = (
    "Groups that a value of another column than {columns} tells apart: a pattern with such a value "
    "may hold for fewer than k rows."
)

_OPEN: dict[Method, tuple[str, ...]] = {
    "additive": (_UNPUBLISHED, _SIGMA, _DISJUNCTIONS, _UNDONE),
    "suppressive": (_UNPUBLISHED, _SIGMA, _DISJUNCTIONS, _REMOVED),
    "certified": (_WITNESS, _CHOICE),
}


def pattern_guarantee(
    method: Method,
    *,
    k: int,
    min_support: int,
    n_rows: int,
    quasi: tuple[str, ...] = (),
) -> Guarantee:
    """Return the guarantee of a collection.

    Parameters
    ----------
    method : {"additive", "suppressive", "certified"}
        How it was sanitized.
    k, min_support, n_rows : int
        Least size of a group, least support, and the published number of rows.
    quasi : tuple of str
        The columns that the claim is about, if others are published beside them.

    Returns
    -------
    Guarantee
        With what the method does not protect.

    Examples
    --------
    >>> pattern_guarantee("additive", k=3, min_support=8, n_rows=15)
    Guarantee: k-anonymous patterns with k = 3, min_support = 8 and n_rows = 15 for one row, which
    is one person: no group of fewer than 3 rows can be told apart by patterns over published
    itemsets.
    """
    assumed = [_ONE_ROW, _ONCE, *((_FALSE_ROWS,) if method == "additive" else ())]
    left_open = [*_OPEN[method], _HOMOGENEOUS, _KNOWN_ROWS, _SEVERAL]
    if quasi:
        names = f"{', '.join(quasi[:-1])} and {quasi[-1]}" if len(quasi) > 1 else quasi[0]
        assumed.append(_KNOWN_COLUMNS.format(columns=names))
        left_open.insert(0, _OTHER_COLUMNS.format(columns=names))
    return Guarantee(
        model=WITNESSED if method == "certified" else PATTERNS,
        parameters={"k": k, "min_support": min_support, "n_rows": n_rows},
        unit=UNIT,
        columns=quasi,
        assumptions=tuple(assumed),
        not_protected=tuple(left_open),
    )
