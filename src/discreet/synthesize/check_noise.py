"""Whether the noise that a budget asks for can be drawn, told before anything is measured."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

from discreet.synthesize.choose_pairs import MOST_CHANGE
from discreet.synthesize.marginal_budget import marginal_parts
from discreet.synthesize.measured import SHARES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from discreet.synthesize.spending import Spending


def check_noise(sizes: Sequence[int], spending: Spending) -> None:
    """Raise ParameterError if epsilon is too little to measure columns and all their pairs.

    Parameters
    ----------
    sizes : sequence of int
        Numbers of values of the columns.
    spending : Spending
        The budget, of which nothing is spent.

    Raises
    ------
    ParameterError
        If noise would be larger than can be drawn.

    Notes
    -----
    Marginals of the fewest cells get the least of the budget, so that only they are looked at.
    """
    varied = [size for size in sizes if size > 1]
    pairs = [a * b for a, b in combinations(varied, 2)]
    total = spending.total
    if varied:
        share = total * (SHARES["values"] if pairs else 1)
        spending.variance(share * min(marginal_parts(varied, spending.law)))
    if pairs:
        spending.variance(total * SHARES["dependence"], most=MOST_CHANGE, n_changed=len(pairs))
        spending.variance(total * SHARES["pairs"] * min(marginal_parts(pairs, spending.law)))
