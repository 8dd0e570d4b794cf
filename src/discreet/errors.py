"""Every error discreet raises on purpose.

A message says what is wrong, where (file, row, column, option) and what to do. An error also
carries these as fields, so that each face makes its own words: Python writes ``k=1``, the command
line ``-k 1``, a form marks the field ``k``.
"""

from __future__ import annotations

import difflib
import re
from numbers import Number
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

_LONGEST = 80  # characters of a value in a message


def python_words(name: str, value: object) -> str:
    """Return how a Python call writes a parameter; ``...`` for its name alone.

    Examples
    --------
    >>> python_words("k", 5), python_words("bins", {"age": 10}), python_words("columns", ...)
    ('k=5', "bins={'age': 10}", 'columns')
    """
    if value is ...:
        return name
    try:
        text = " ".join((str(value) if isinstance(value, Number) else repr(value)).split())
    except ValueError:  # a whole number of more digits than Python writes
        text = f"<{type(value).__name__}>"
    return f"{name}={text if len(text) <= _LONGEST else text[: _LONGEST - 3] + '...'}"


class Worded(Exception):  # noqa: N818  warnings are worded too
    """What errors and warnings have in common: fields of which each face makes its words.

    Parameters
    ----------
    message : str
        What is wrong and where, in sentences.
    parameter : str, optional
        The parameter it is about, as Python names it.
    column : str, optional
        The column it is about.
    remedy : str, optional
        What to do, in sentences that follow the message.
    options : mapping, optional
        The parameters that message and remedy name as ``{k}``, with the value each is shown
        with; ``...`` shows the name alone, and ``{k:new}`` names ``k`` with another value. Other
        braces are text.

    Examples
    --------
    >>> error = ParameterError("{k} must be at least 2.", parameter="k", options={"k": 1})
    >>> str(error), error.parameter
    ('k=1 must be at least 2.', 'k')
    >>> error.words(lambda name, value: f"-{name} {value}")
    '-k 1 must be at least 2.'
    """

    def __init__(
        self,
        message: str = "",
        *,
        parameter: str | None = None,
        column: str | None = None,
        remedy: str | None = None,
        options: Mapping[str, object] | None = None,
    ) -> None:
        self.message = message
        self.parameter = parameter
        self.column = column
        self.remedy = remedy
        self.options = dict(options or {})
        super().__init__(self.words())

    @property
    def template(self) -> str:
        """Message and remedy, with parameters as ``{k}``."""
        return f"{self.message} {self.remedy}" if self.remedy else self.message

    def words(self, option: Callable[[str, object], str] = python_words) -> str:
        """Return message and remedy with each parameter named as ``option(name, value)`` says."""

        def named(found: re.Match[str]) -> str:
            if found[1] not in self.options:
                return found[0]
            return option(found[1].partition(":")[0], self.options[found[1]])

        return re.sub(r"\{([^{}]+)\}", named, self.template)

    def inside(self, where: str) -> Self:
        """Return the same with where it happened said before it.

        Examples
        --------
        >>> str(DataError("Nothing is here.").inside("policy.toml, line 7"))
        'policy.toml, line 7: Nothing is here.'
        """
        return type(self)(
            f"{where}: {self.message}",
            parameter=self.parameter,
            column=self.column,
            remedy=self.remedy,
            options=self.options,
        )


class DiscreetError(Worded):
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


class DiscreetWarning(Worded, UserWarning):
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
