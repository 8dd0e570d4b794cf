"""The rarest itemsets and least confident rules that can still be told from chance."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from discreet.errors import ParameterError
from discreet.randomize.recovery import support_weights
from discreet.release.exact import whole

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from discreet.randomize.operators.operator import Operator

GRID = 400  # points between the least support looked at and 1, evenly spaced in the logarithm
LEAST = 1e-12


def lowest_discoverable_support(
    operator: Operator,
    *,
    k: int,
    sizes: Mapping[int, int],
    sigmas: float = 4.0,
    n_items: int | None = None,
) -> float:
    r"""Return the support at which an estimate is four sigmas away from 0.

    .. math:: s = 4 \sigma(s), \qquad \sigma^2(s) = \sum_{m \ge k} \Big(\frac{N_m}{N}\Big)^2
        \frac{1}{N_m} \sum_{l=0}^k s_l \Big(\sum_{l'} p_m[l \to l'] \, q_m[k \leftarrow l']^2
        - \delta_{l=k}\Big)

    where the items of the itemset are independent and equally frequent within every size, so
    that :math:`s_l = \binom{k}{l} f^l (1 - f)^{k-l}`.

    Parameters
    ----------
    operator : Operator
        What is applied.
    k : int
        Size of the itemset, at least 1.
    sizes : mapping from m to int
        Number of transactions of each true size.
    sigmas : float
        How many standard deviations, above 0.
    n_items : int, optional
        Number of all items, which uniform randomization depends on.

    Returns
    -------
    float
        Share of all transactions; ``inf`` if even an itemset that is everywhere cannot be
        told from none.

    Raises
    ------
    InfeasibleError
        If supports of k items cannot be recovered at all.

    References
    ----------
    A. Evfimievski, R. Srikant, R. Agrawal, J. Gehrke (2004), Privacy preserving mining of
    association rules, section 5.1.

    Examples
    --------
    >>> from discreet.randomize import CutAndPaste
    >>> operator = CutAndPaste(cutoff=5, rho="0.3")
    >>> [f"{lowest_discoverable_support(operator, k=k, sizes={5: 5_000_000}):.5f}"
    ...  for k in (1, 2, 3)]
    ['0.00234', '0.00237', '0.00228']
    """
    k = whole("k", k, least=1)
    if not sigmas > 0:
        raise ParameterError(f"sigmas={sigmas} must be above 0.")
    counts = checked_sizes(sizes)
    total = sum(counts.values())
    reached = sum(n for m, n in counts.items() if m >= k) / total
    spread = np.zeros(k + 1)
    for m, n in counts.items():
        if m >= k:
            weights = support_weights(operator, m, k, n_items=n_items)
            chances = operator.transition(m, k, n_items=n_items)
            spread += n * (chances.T @ weights**2 - (np.arange(k + 1) == k))
    if reached == 0:
        return math.inf

    def excess(within: float) -> float:
        """Return support less so many sigmas, for a support within the sizes that reach k."""
        variance = float(independent_supports(within, k) @ spread) / total**2
        return reached * within - sigmas * math.sqrt(max(0.0, variance))

    points = np.geomspace(LEAST, 1.0, GRID).tolist()
    first = next((i for i, point in enumerate(points) if excess(point) >= 0), None)
    if first is None:
        return math.inf
    low, high = (0.0 if first == 0 else points[first - 1]), points[first]
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (low, middle) if excess(middle) >= 0 else (middle, high)
    return reached * float(high)


def independent_supports(support: float, k: int) -> NDArray[np.float64]:
    """Return partial supports of k independent and equally frequent items.

    Examples
    --------
    >>> independent_supports(0.25, 2)
    array([0.25, 0.5 , 0.25])
    """
    frequency = support ** (1 / k)
    orders = np.arange(k + 1)
    ways = np.array([math.comb(k, order) for order in range(k + 1)], np.float64)
    found: NDArray[np.float64] = ways * frequency**orders * (1 - frequency) ** (k - orders)
    return found


def checked_sizes(sizes: Mapping[int, int]) -> dict[int, int]:
    """Return the number of transactions of each size, those that occur.

    Examples
    --------
    >>> checked_sizes({3: 10, 4: 0})
    {3: 10}
    """
    if not isinstance(sizes, Mapping):
        raise ParameterError("sizes must give the number of transactions of each size: {5: 1000}.")
    counts = {
        whole("a size", m, least=0): whole(f"sizes[{m}]", n, least=0) for m, n in sizes.items()
    }
    found = {m: n for m, n in sorted(counts.items()) if n}
    if not found:
        raise ParameterError("sizes must have at least one transaction.")
    return found
