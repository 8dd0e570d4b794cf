"""How marginals share a budget: more cells, more of it."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from discreet.synthesize.spending import Law

POWERS = {"gaussian": 2 / 3, "laplace": 1 / 2}
DIGITS = 10**12  # of a marginal's part


def marginal_weights(n_cells: Sequence[int], law: Law) -> NDArray[np.float64]:
    r"""Return in which proportion marginals share a budget so that their noise is least in all.

    The total of :math:`c_i \sigma_i` over marginals of :math:`c_i` cells is least for budgets
    in proportion to :math:`c_i^{2/3}` with Gaussian, :math:`c_i^{1/2}` with Laplace noise.
    """
    weights: NDArray[np.float64] = np.asarray(n_cells, float) ** POWERS[law]
    return weights


def marginal_parts(n_cells: Sequence[int], law: Law) -> list[Fraction]:
    """Return the part of a budget that each marginal gets; at most 1 in all.

    Examples
    --------
    >>> [float(part) for part in marginal_parts([1, 4, 4], "laplace")]
    [0.2, 0.4, 0.4]
    """
    weights = marginal_weights(n_cells, law)
    return [Fraction(int(w * DIGITS), DIGITS) for w in weights / max(weights.sum(), 1e-300)]
