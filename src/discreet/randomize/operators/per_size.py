"""Parameters of an operator that are one for all sizes, or one for each."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, TypeVar

from discreet.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Callable

Kept = TypeVar("Kept")
LARGEST_SIZE = 1000  # exact laws of larger transactions would take long and hide nothing


def per_size(
    name: str, given: object, read: Callable[[str, object], Kept]
) -> Kept | dict[int, Kept]:
    """Return a parameter read, or a dict of them by size.

    Examples
    --------
    >>> per_size("cutoff", {"2": 7, 1: 3}, lambda name, value: value)
    {1: 3, 2: 7}
    """
    if not isinstance(given, Mapping):
        return read(name, given)
    return {m: read(f"{name}[{m}]", value) for m, value in size_keys(name, given).items()}


def size_keys(name: str, given: object) -> dict[int, object]:
    """Return a mapping with its keys as sizes, ascending; JSON has them as text.

    Examples
    --------
    >>> size_keys("rho", {"10": 0.1, "2": 0.2})
    {2: 0.2, 10: 0.1}
    """
    if not isinstance(given, Mapping) or not given:
        raise ParameterError(f"{name} must be given for at least one size, as {{size: value}}.")
    out: dict[int, object] = {}
    for key, value in given.items():
        text = str(key)
        if isinstance(key, bool) or not text.isdecimal() or int(text) > LARGEST_SIZE:
            raise ParameterError(
                f"{name} is given for size {key!r}; a size is a whole number up to {LARGEST_SIZE}."
            )
        if int(text) in out:
            raise ParameterError(f"{name} is given twice for size {text}.")
        out[int(text)] = value
    return dict(sorted(out.items()))


def at_size(name: str, kept: Kept | Mapping[int, Kept], m: int) -> Kept:
    """Return the parameter for one size, or raise ParameterError naming the sizes there are.

    Examples
    --------
    >>> at_size("cutoff", {1: 3, 2: 7}, 2), at_size("cutoff", 5, 2)
    (7, 5)
    """
    if not isinstance(kept, Mapping):
        return kept
    if m not in kept:
        raise ParameterError(
            f"{name} is not given for transactions of {m} items, only for sizes {sorted(kept)}; "
            "leave others out, or give it for them."
        )
    found: Kept = kept[m]
    return found
