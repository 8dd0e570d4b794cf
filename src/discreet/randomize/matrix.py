r"""Exact matrices, and their inverses through the triangular form.

Partial supports :math:`s` and cumulative supports :math:`\Sigma = S s`, with
:math:`S_{lj} = \binom{j}{l}` (13), say the same. In cumulative supports the matrix of an
item-invariant operator is lower triangular (Statement 4), so its inverse needs no solver.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from math import comb
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from discreet.errors import InfeasibleError

if TYPE_CHECKING:
    from numpy.typing import NDArray

Matrix: TypeAlias = tuple[tuple[Fraction, ...], ...]


def floats(matrix: Matrix) -> NDArray[np.float64]:
    """Return the matrix in floating point, every entry rounded once.

    Examples
    --------
    >>> floats(((Fraction(1, 4), Fraction(1, 2)),))
    array([[0.25, 0.5 ]])
    """
    return np.array([[float(entry) for entry in row] for row in matrix], dtype=np.float64)


def multiply(left: Matrix, right: Matrix) -> Matrix:
    """Return the product of two exact matrices.

    Examples
    --------
    >>> multiply(((Fraction(1, 2), Fraction(1, 2)),), ((Fraction(1),), (Fraction(3),)))
    ((Fraction(2, 1),),)
    """
    columns = tuple(zip(*right, strict=True))
    return tuple(
        tuple(
            sum((a * b for a, b in zip(row, column, strict=True)), Fraction(0))
            for column in columns
        )
        for row in left
    )


@lru_cache(maxsize=64)
def to_cumulative(k: int) -> Matrix:
    r"""Return the matrix of (13) from partial to cumulative supports: :math:`\binom{j}{l}`.

    Examples
    --------
    >>> [[int(entry) for entry in row] for row in to_cumulative(2)]
    [[1, 1, 1], [0, 1, 2], [0, 0, 1]]
    """
    return tuple(tuple(Fraction(comb(j, row)) for j in range(k + 1)) for row in range(k + 1))


@lru_cache(maxsize=64)
def to_partial(k: int) -> Matrix:
    r"""Return the matrix of (13) back: :math:`(-1)^{j - l} \binom{j}{l}`.

    Examples
    --------
    >>> [[int(entry) for entry in row] for row in to_partial(2)]
    [[1, -1, 1], [0, 1, -2], [0, 0, 1]]
    """
    return tuple(
        tuple(Fraction((-1) ** (j - row) * comb(j, row)) for j in range(k + 1))
        for row in range(k + 1)
    )


def triangular(matrix: Matrix) -> Matrix:
    """Return a transition matrix as it acts on cumulative supports: lower triangular.

    Parameters
    ----------
    matrix : Matrix
        k + 1 rows and min(k, m) + 1 columns.

    Returns
    -------
    Matrix
        Of the same shape; its diagonal holds the eigenvalues.

    References
    ----------
    Evfimievski et al. (2004), Statement 4.
    """
    return multiply(
        multiply(to_cumulative(len(matrix) - 1), matrix), to_partial(len(matrix[0]) - 1)
    )


def invert(matrix: Matrix, *, reason: str) -> Matrix:
    r"""Return Q with Q P = 1, from the triangular form.

    .. math:: Q = S^{-1} T^{-1} S, \quad T = S P S^{-1}

    Parameters
    ----------
    matrix : Matrix
        Transition matrix P, k + 1 rows and min(k, m) + 1 columns. Where m < k only the first
        m + 1 cumulative supports are used, as the others are known to be 0.
    reason : str
        What to say of a singular matrix.

    Returns
    -------
    Matrix
        min(k, m) + 1 rows and k + 1 columns.

    Raises
    ------
    InfeasibleError
        If an eigenvalue is 0: nothing can be recovered then.
    """
    n_rows, n_columns = len(matrix), len(matrix[0])
    lower = triangular(matrix)[:n_columns]
    singular = [order for order in range(n_columns) if lower[order][order] == 0]
    if singular:
        raise InfeasibleError(f"{reason} Its eigenvalue of order {singular[0]} is 0.")
    cumulative = to_cumulative(n_rows - 1)[:n_columns]
    return multiply(multiply(to_partial(n_columns - 1), _inverse_of_lower(lower)), cumulative)


def _inverse_of_lower(lower: Matrix) -> Matrix:
    """Return the inverse of a lower triangular matrix by forward substitution."""
    size = len(lower)
    rows: list[tuple[Fraction, ...]] = []
    for i in range(size):
        row = []
        for j in range(size):
            known = sum((lower[i][x] * rows[x][j] for x in range(i)), Fraction(0))
            row.append((Fraction(int(i == j)) - known) / lower[i][i])
        rows.append(tuple(row))
    return tuple(rows)
