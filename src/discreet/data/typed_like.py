"""Types of columns for what is published: those of the data, but never telling of its rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from discreet.data.column import make_column
from discreet.data.table import Table

if TYPE_CHECKING:
    from collections.abc import Mapping

    from discreet.data.column import Label
    from discreet.data.frames.kinds import FrameKind


def typed_like(domain: Mapping[str, tuple[Label, ...]], like: Table, *, is_public: bool) -> Table:
    """Return a table that has every listed value of every column, in the types of another.

    Parameters
    ----------
    domain : mapping
        Columns and all their values.
    like : Table
        Roles, kind of frame and types are taken from it.
    is_public : bool
        Whether the lists were given, not read from the other table.

    Returns
    -------
    Table
        As long as the longest list. A type that cannot hold all listed values is left out; a
        pandas category gets public values as its categories, which are often read from rows, and
        where cells may be missing the numpy type goes that pandas makes of rows without one.

    Notes
    -----
    :meth:`Table.from_codes` takes over a type where all labels occur in the other table. Here that
    would tell whether a listed value occurs in the data, so the type alone decides. The number
    of rows dropped when the data were read is not taken over either.

    Examples
    --------
    >>> import polars as pl
    >>> ages = pl.Series([30, 40], dtype=pl.Int8)
    >>> people = Table.from_frame(pl.DataFrame({"age": ages}))
    >>> typed_like({"age": (30, 40, 50)}, people, is_public=True).to_frame().schema
    Schema([('age', Int8)])
    >>> typed_like({"age": (30, 40, 500)}, people, is_public=True).to_frame().schema
    Schema([('age', Int64)])
    """
    n = max(map(len, domain.values()))
    columns = {}
    for name, values in domain.items():
        codes = np.arange(n) % len(values)
        dtype = like.column(name).dtype
        if is_public:
            dtype = _fitting(name, values, dtype, like.frame_kind)
        columns[name] = make_column(codes, values, dtype)
    roles = {name: like.role(name) for name in domain}
    return Table(
        _columns=columns, _roles=roles, n_rows=n, frame_kind=like.frame_kind, source=like.source
    )


def _fitting(name: str, values: tuple[Label, ...], dtype: Any, kind: FrameKind) -> object:  # noqa: ANN401  of any library
    """Return the type for a column of these values, None for the library's own choice."""
    if dtype is None:
        return None
    if kind == "pandas" and getattr(dtype, "name", "") == "category":
        present = [value for value in values if value is not None]
        return type(dtype)(present, ordered=dtype.ordered)
    if None in values and isinstance(dtype, np.dtype) and not _holds_missing(dtype, values):
        return None
    column = make_column(np.arange(len(values)), values, dtype)
    one = Table(_columns={name: column}, _roles={name: "quasi"}, n_rows=len(values),
                frame_kind=kind)  # fmt: skip
    try:
        back = Table.from_frame(one.to_frame(), categorical=True)
    except Exception:  # noqa: BLE001  every library says in its own way that a type does not fit
        return None
    held = [back.values(name)[code] for code in back.codes(name)]
    return dtype if held == list(values) else None


def _holds_missing(dtype: np.dtype[Any], values: tuple[Label, ...]) -> bool:
    """Say whether a column of numpy's has this type with a missing cell and without.

    Without one, pandas has bool for truths and int64 for whole numbers; with one, object and
    float64.
    """
    if dtype.kind == "O":
        return all(isinstance(value, str) for value in values if value is not None)
    return dtype.kind not in "biuf"
