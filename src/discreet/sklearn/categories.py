"""The rows given to an estimator as a table: every distinct value of a column is a category."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sklearn.utils.validation import validate_data  # type: ignore[import-untyped]

from discreet.data.table import Table

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator  # type: ignore[import-untyped]


def categories(estimator: BaseEstimator, rows: object, *, reset: bool = False) -> Table:
    """Return rows as a table, checked as scikit-learn checks them.

    Parameters
    ----------
    estimator : estimator
        Learns the names and the number of its columns if ``reset``, else asks for the same.
    rows : array-like or frame
        Rows by columns, numbers or text. NaN and None are one value, ``None``.
    reset : bool
        Whether this is a fit.

    Returns
    -------
    Table
        With the names of the frame, or x0, x1, ... for an array.

    Raises
    ------
    DataError
        If a column mixes text and numbers, or holds what is no category.
    """
    # Lists would become arrays of one type, numbers beside text of text.
    has_types = hasattr(rows, "dtype") or hasattr(rows, "columns")
    checked: Any = validate_data(
        estimator,
        rows,
        reset=reset,
        dtype=None if has_types else object,
        ensure_all_finite="allow-nan",
    )
    names = getattr(estimator, "feature_names_in_", None)
    if names is None:
        names = [f"x{place}" for place in range(checked.shape[1])]
    columns = {str(name): checked[:, place].tolist() for place, name in enumerate(names)}
    return Table.from_frame(columns, categorical=True)
