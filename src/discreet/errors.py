"""Every error discreet raises on purpose.

A message says what is wrong, where (file, row, column, option) and what to do.
"""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


class DiscreetError(Exception):
    """Base of all errors raised on purpose; ``except DiscreetError`` catches them all."""


class ParameterError(DiscreetError, ValueError):
    """An option is out of its range, misspelt, or does not fit another option."""


class DataError(DiscreetError, ValueError):
    """A file, frame or value cannot be read as it stands."""


class HierarchyError(DataError):
    """A hierarchy is not a tree over the values of its column."""


class LimitError(DiscreetError):
    """A result or its memory would pass the limit given; nothing was returned."""


class InfeasibleError(DiscreetError):
    """No release can meet what was asked for, such as k larger than the number of rows."""


class GuaranteeError(DiscreetError):
    """A claim does not hold: it says too much, differs from its data, or passes a budget."""


class VerificationError(GuaranteeError):
    """The independent checker found that a release does not keep its claim."""


class ServiceError(DiscreetError):
    """A service did not answer, or refused what was asked of it."""


class DiscreetWarning(UserWarning):
    """Base of all warnings issued by discreet."""


class WeakGuaranteeWarning(DiscreetWarning):
    """A guarantee holds as stated, but says little with these parameters."""


class EstimateWarning(DiscreetWarning):
    """An estimate was made, but rests on an assumption that the data do not bear out."""


class CompositionWarning(DiscreetWarning):
    """Releases of one source protect less together than each of them does alone."""


def did_you_mean(wrong: str, known: Iterable[str]) -> str:
    """Return a hint naming the closest known names, or all of them if none is close.

    Examples
    --------
    >>> did_you_mean("gendre", ["age", "gender", "zip"])
    "Did you mean 'gender'?"
    >>> did_you_mean("x", ["age", "zip"])
    "Known: 'age', 'zip'."
    """
    names = [str(name) for name in known]
    close = difflib.get_close_matches(wrong, names, n=3)
    if close:
        return f"Did you mean {' or '.join(map(repr, close))}?"
    shown = ", ".join(map(repr, names[:12]))
    return f"Known: {shown}{', ...' if len(names) > 12 else ''}."
