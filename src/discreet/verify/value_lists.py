"""The lists of values that a release of drawn rows states, and whether its rows keep to them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from discreet.errors import DataError
from discreet.verify.outcome import Check

if TYPE_CHECKING:
    import polars as pl

    from discreet.verify.certificate import Claims, Value


@dataclass(frozen=True, slots=True, kw_only=True)
class ValueList:
    """The values of one column: how many and, if they are public, which, as texts.

    ``texts`` holds None if cells may be missing; it is None itself if the list is not public.
    """

    n_values: int
    is_public: bool
    texts: frozenset[str | None] | None


def read_lists(claims: Claims) -> dict[str, ValueList]:
    """Return the list of values of each released column.

    Raises
    ------
    DataError
        If a released column has no list, or two, or a list contradicts itself.
    """
    found: dict[str, ValueList] = {}
    for event in claims.events:
        if event.name != "list_values":
            continue
        column, n_values = event.parameters.get("column"), event.parameters.get("n_values")
        if not isinstance(column, str) or column in found:
            raise DataError("A list of values names no column, or one that has a list.")
        if type(n_values) is not int or n_values < 1:
            raise DataError(f"It is not stated how many values column '{column}' can have.")
        is_public = event.parameters.get("is_public") is True
        if not is_public and "values" in event.parameters:
            raise DataError(f"The values of column '{column}' are told, and are not public.")
        texts = _texts(event.parameters) if is_public else None
        if texts is not None and len(texts) != n_values:
            raise DataError(f"Column '{column}' has {len(texts)} values, and {n_values} stated.")
        found[column] = ValueList(n_values=n_values, is_public=is_public, texts=texts)
    if set(found) != set(claims.column_names):
        raise DataError("The columns with a list of values are not those that are released.")
    return found


def check_values(rows: pl.DataFrame, lists: dict[str, ValueList]) -> Check:
    """Return whether all released values are on the lists; if those are secret, their number."""
    for name, listed in lists.items():
        values = {None if value is None else str(value) for value in rows[name].unique().to_list()}
        if listed.texts is not None and not values <= listed.texts:
            detail = f"Column '{name}' has a value that is not on its public list."
            return Check(name="values", passed=False, detail=detail)
        if len(values) > listed.n_values:
            detail = f"Column '{name}' has {len(values)} values, and {listed.n_values} are stated."
            return Check(name="values", passed=False, detail=detail)
    detail = "Released values are on the lists stated, or no more than these have."
    return Check(name="values", passed=True, detail=detail)


def _texts(parameters: dict[str, Value]) -> frozenset[str | None]:
    values = parameters.get("values")
    if not isinstance(values, tuple):
        raise DataError("A public list of values is not stated.")
    missing = (None,) if parameters.get("can_be_missing") is True else ()
    return frozenset((*values, *missing))
