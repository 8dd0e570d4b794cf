"""One budget per row, split over the columns."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from discreet.errors import ParameterError, did_you_mean
from discreet.release.exact import whole
from discreet.synthesize.parameters import exact_epsilon

if TYPE_CHECKING:
    from numpy.typing import NDArray

Split: TypeAlias = "Literal['equal', 'pairs'] | Mapping[str, Fraction | float]"

GRID = 100_000  # budgets by domain size are multiples of this part of the whole
_LEAST = 1e-3  # of an equal share: no column is left without anything


def split_budget(
    sizes: Mapping[str, int], *, epsilon: Fraction | float, split: Split = "equal"
) -> dict[str, Fraction]:
    r"""Return what each column may cost, together exactly ``epsilon`` a row.

    .. math:: \sum_j \varepsilon_j = \varepsilon

    Parameters
    ----------
    sizes : mapping of str to int
        Number of values of each column, at least 1; a column of one value costs nothing.
    epsilon : Fraction or float
        The budget of a row, above 0.
    split : {"equal", "pairs"} or mapping
        ``"equal"`` gives every column the same; ``"pairs"`` gives columns of many values more,
        so that the mean variance of all supports of two values is least; a mapping of column
        to epsilon, or to any positive weights, is scaled to the budget.

    Returns
    -------
    dict of str to Fraction
        Epsilon of each column, exact.

    Raises
    ------
    ParameterError
        If sizes, epsilon or weights are out of their range.

    Notes
    -----
    Added up over all values of two columns, the variances of the supports do not depend on the
    data: they are :math:`(A_i A_j - 1) / n` with
    :math:`A = ((E + k - 2)^2 + k - 1) / (E - 1)^2` and :math:`E = e^{\varepsilon_j}`. So the
    best split is found before the data are seen, and it costs nothing. The logarithm of
    :math:`A` is convex in epsilon, therefore so is :math:`\sum_{i<j} A_i A_j`, and its one
    minimum is found by descent; it is rounded to parts of 1/100000 of the budget.

    Examples
    --------
    >>> split_budget({"sex": 2, "age": 5}, epsilon=1)
    {'sex': Fraction(1, 2), 'age': Fraction(1, 2)}
    >>> best = split_budget({"sex": 2, "age": 5, "zip": 50}, epsilon=6, split="pairs")
    >>> {name: round(float(share), 2) for name, share in best.items()}
    {'sex': 0.9, 'age': 1.56, 'zip': 3.54}
    """
    total = exact_epsilon(epsilon)
    for name, size in sizes.items():
        whole(f"sizes['{name}']", size, least=1)
    telling = [name for name, size in sizes.items() if size > 1]
    if isinstance(split, Mapping):
        weights = _given(split, sizes)
    elif split == "equal":
        weights = dict.fromkeys(telling, Fraction(1))
    elif split == "pairs":
        weights = _best_for_pairs({name: sizes[name] for name in telling}, float(total))
    else:
        raise ParameterError(f"split={split!r}. {did_you_mean(str(split), ('equal', 'pairs'))}")
    together = sum((weights[name] for name in telling), Fraction(0))
    return {
        name: total * weights[name] / together if name in telling else Fraction(0) for name in sizes
    }


def _given(split: Mapping[str, Fraction | float], sizes: Mapping[str, int]) -> dict[str, Fraction]:
    for name in split:
        if name not in sizes:
            raise ParameterError(f"split names column {name!r}. {did_you_mean(name, sizes)}")
    for name in sizes:
        if name not in split:
            raise ParameterError(f"split says nothing of column '{name}'.")
    return {name: exact_epsilon(split[name], name=f"split['{name}']") for name in sizes}


def _best_for_pairs(sizes: Mapping[str, int], total: float) -> dict[str, Fraction]:
    """Return whole weights that minimise the sum of A_i A_j over pairs of columns."""
    n = len(sizes)
    if n < 3 and len(set(sizes.values())) < 2:
        return dict.fromkeys(sizes, Fraction(1))
    from scipy import optimize  # type: ignore[import-untyped]  # scipy has no types

    k = np.array(list(sizes.values()), float)
    least = _LEAST * total / n

    def objective(shares: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        a, slope = _squares(shares * total, k)
        pairs = (a.sum() ** 2 - (a**2).sum()) / 2
        return float(np.log(pairs)), slope * total * (a.sum() - a) / pairs

    found: Any = optimize.minimize(  # scipy has no types
        objective,
        np.full(n, 1 / n),
        jac=True,
        method="SLSQP",
        bounds=[(least / total, 1.0)] * n,
        constraints={"type": "eq", "fun": lambda x: x.sum() - 1, "jac": np.ones_like},
        options={"maxiter": 1000, "ftol": 1e-13},
    )
    ends = np.rint(np.cumsum(found.x) / found.x.sum() * GRID).astype(int)
    parts = np.maximum(1, np.diff(ends, prepend=0)).tolist()
    return {name: Fraction(part) for name, part in zip(sizes, parts, strict=True)}


def _squares(
    epsilon: NDArray[np.float64], k: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return A of each column and its derivative by epsilon; in u = 1 / E, which stays small."""
    u, gap = np.exp(-epsilon), -np.expm1(-epsilon)
    above = (1 + (k - 2) * u) ** 2 + (k - 1) * u**2
    by_u = 2 * ((1 + (k - 2) * u) * (k - 2) + (k - 1) * u) / gap**2 + 2 * above / gap**3
    return above / gap**2, -u * by_u
