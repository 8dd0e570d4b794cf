"""How estimates of several supports vary together: they come from the same transactions."""

from __future__ import annotations

from itertools import combinations_with_replacement
from typing import TYPE_CHECKING

import numpy as np

from discreet.errors import DataError, ParameterError
from discreet.randomize.overlaps import itemset_codes, overlaps
from discreet.randomize.recovery import support_weights

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from discreet.data.item_sets import Label
    from discreet.randomize.randomized import Randomized


def support_covariance(
    randomized: Randomized, itemsets: Sequence[Iterable[Label]]
) -> NDArray[np.float64]:
    r"""Return an unbiased estimate of the covariance matrix of recovered supports.

    .. math:: \mathrm{Cov}(\tilde s_A, \tilde s_B)_{est} = \frac{1}{N}
        \Big( \frac{1}{N} \sum_i x_A(t'_i) \, x_B(t'_i) - \tilde s_{A \cup B} \Big)

    where :math:`x_A(t')` is what a randomized transaction is worth for A
    (:func:`support_weights`), whose mean is :math:`\tilde s_A`.

    Parameters
    ----------
    randomized : Randomized
        What was sent.
    itemsets : sequence of itemsets
        Each an iterable of labels.

    Returns
    -------
    ndarray of float64
        Symmetric; its diagonal holds the unbiased variances, which may be negative.

    Raises
    ------
    InfeasibleError
        If the support of an itemset, or of the union of two, cannot be recovered.

    Notes
    -----
    Transactions are independent and :math:`\mathrm{E}\, x_A(t'_i)` is 1 if A is in
    :math:`t_i` and 0 if not, so a transaction adds :math:`\mathrm{E}[x_A x_B]` less 1 if both
    are in it, that is their union: the unbiased estimate of which is at hand. For A inside B
    this equals the paper's two-set formula (17) with the two-set partial supports estimated;
    :func:`two_set_matrix` gives the latter for known ones. Time O(transactions) for each pair.

    References
    ----------
    Evfimievski et al. (2004), section 4.6.

    Examples
    --------
    >>> from discreet.data.transactions import Transactions
    >>> from discreet.randomize import CutAndPaste
    >>> baskets = Transactions.from_iterable([["tea", "milk"], ["milk"]] * 500)
    >>> sent = CutAndPaste(cutoff=3, rho="1/4").randomize(baskets, seed=1)
    >>> support_covariance(sent, [["tea"], ["tea", "milk"]]).shape
    (2, 2)
    """
    if not itemsets:
        raise ParameterError("Give at least one itemset.")
    if len(randomized) == 0:
        raise DataError("There are no randomized transactions to recover a support from.")
    labels = randomized.transactions.labels
    sets = [
        frozenset(labels[code] for code in itemset_codes(randomized.transactions, itemset))
        for itemset in itemsets
    ]
    worth = [_worth(randomized, one) for one in sets]
    n = len(randomized)
    out = np.empty((len(sets), len(sets)))
    for i, j in combinations_with_replacement(range(len(sets)), 2):
        union = sets[i] | sets[j]
        both = worth[j] if union == sets[j] else _worth(randomized, union)
        out[i, j] = out[j, i] = (float(worth[i] @ worth[j]) - float(both.sum())) / n**2
    return out


def _worth(randomized: Randomized, itemset: frozenset[Label]) -> NDArray[np.float64]:
    """Return what every randomized transaction is worth for the support of an itemset."""
    k = len(itemset)
    table = np.zeros((int(randomized.sizes.max()) + 1, k + 1))
    for m in randomized.n_of_size():
        table[m] = support_weights(randomized.operator, m, k, n_items=randomized.n_items)
    found: NDArray[np.float64] = table[randomized.sizes, overlaps(randomized.transactions, itemset)]
    return found
