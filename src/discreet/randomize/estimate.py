"""What is recovered: a support or all partial supports, with how far off they may be."""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist
from typing import TYPE_CHECKING

from discreet.errors import ParameterError
from discreet.result import Preview, Result

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate(Result):
    """An unbiased estimate of the support of an itemset, as a share of the transactions.

    Attributes
    ----------
    support : float
        The estimate. It may lie outside 0 to 1, which is no error: cutting it off would make
        it biased.
    unbiased_variance : float
        The unbiased estimate of its variance, which may be negative.
    worst_variance : float
        The variance that no data would exceed, for these sizes and this operator.
    n_transactions : int
        Number of transactions, of all sizes.

    Examples
    --------
    >>> found = Estimate(support=0.28, unbiased_variance=0.0025, worst_variance=0.01,
    ...                  n_transactions=1000)
    >>> found
    Estimate: support 0.28 with sigma 0.05, from 1_000 randomized transactions
    >>> low, high = found.interval(0.95)
    >>> round(low, 3), round(high, 3)
    (0.182, 0.378)
    """

    support: float
    unbiased_variance: float
    worst_variance: float
    n_transactions: int

    @property
    def clipped(self) -> bool:
        """Whether the variance came out negative and is taken as 0."""
        return self.unbiased_variance < 0

    @property
    def variance(self) -> float:
        """The estimated variance, 0 where it came out negative."""
        return max(0.0, self.unbiased_variance)

    @property
    def sigma(self) -> float:
        """The estimated standard deviation."""
        return math.sqrt(self.variance)

    @property
    def worst_sigma(self) -> float:
        """The standard deviation that no data would exceed."""
        return math.sqrt(self.worst_variance)

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """Return a confidence interval by the normal approximation.

        Parameters
        ----------
        level : float
            Chance that the interval holds the true support, above 0 and below 1.

        Returns
        -------
        tuple of float
            Lower and upper end. Where the variance was clipped, the worst variance stands in
            for it: an interval of no width would claim certainty.
        """
        if not 0 < level < 1:
            raise ParameterError(f"level={level} must be above 0 and below 1.")
        sigma = self.worst_sigma if self.clipped else self.sigma
        reach = NormalDist().inv_cdf((1 + level) / 2) * sigma
        return self.support - reach, self.support + reach

    def preview(self) -> Preview:
        """Return one row."""
        low, high = self.interval()
        row = (f"{self.support:.6g}", f"{self.sigma:.3g}", f"{low:.6g} to {high:.6g}")
        return Preview(
            title=f"Support recovered from {self.n_transactions:,} randomized transactions",
            header=("support", "sigma", "95 % interval"),
            rows=[row],
        )

    def to_dict(self) -> dict[str, object]:
        """Return the estimate as plain values."""
        return {
            "support": self.support,
            "sigma": self.sigma,
            "variance": self.variance,
            "unbiased_variance": self.unbiased_variance,
            "worst_variance": self.worst_variance,
            "clipped": self.clipped,
            "n_transactions": self.n_transactions,
        }

    def __repr__(self) -> str:
        clipped = " (its square came out negative)" if self.clipped else ""
        return (
            f"Estimate: support {self.support:.4g} with sigma {self.sigma:.3g}{clipped}, "
            f"from {self.n_transactions:_} randomized transactions"
        )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PartialSupports:
    """Unbiased estimates of the partial supports of an itemset, with their covariance.

    Attributes
    ----------
    supports : ndarray of float64
        Share of the transactions that hold exactly l of the k items, l from 0 to k.
    covariance : ndarray of float64
        The unbiased estimate of their covariance matrix, (11).
    n_transactions : int
        Number of transactions, of all sizes.
    """

    supports: NDArray[np.float64]
    covariance: NDArray[np.float64]
    n_transactions: int
