"""How much one randomized transaction tells at most: local differential privacy, exactly.

The chance of a randomized set depends on the original only through how many items they
share, so the largest ratio of two chances is a maximum over pairs of small numbers.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import comb
from typing import TYPE_CHECKING

from discreet.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from discreet.randomize.operators.size_law import SizeLaw

_DIGITS = 50


def gamma_of_law(law: SizeLaw, m: int, n_items: int) -> Fraction | None:
    r"""Return the largest ratio of chances over transactions of one size, or None: no bound.

    .. math:: \gamma = \max_{|a - b| \le n - m} \frac{w_a}{w_b}, \qquad
        w_j = \frac{p_m[j]}{\binom{m}{j}} \Big(\frac{1 - \rho}{\rho}\Big)^j

    where :math:`n` is the number of all items and :math:`p_m`, :math:`\rho` are the law.

    Parameters
    ----------
    law : SizeLaw
        Of transactions of m items.
    m : int
        The size, at least 0.
    n_items : int
        At least m.

    Returns
    -------
    Fraction or None
        Exact; None if a set that one transaction may become is impossible for another.

    Notes
    -----
    A set t' that shares j items with a transaction t of size m comes from it with chance
    :math:`\frac{p_m[j]}{\binom{m}{j}} \rho^{|t'| - j} (1 - \rho)^{n - m - |t'| + j}`, that is
    :math:`w_j` times what depends on t' alone. Two transactions that differ in d items, which
    is at most n - m and at most m, can share a and b items with one set exactly if
    :math:`|a - b| \le d`: for :math:`n \ge 2m` every pair is possible.

    Examples
    --------
    >>> from discreet.randomize import CutAndPaste
    >>> gamma_of_law(CutAndPaste(cutoff=2, rho="1/5").law(3), 3, n_items=6)
    Fraction(31, 1)
    """
    _check_size(law, m, n_items)
    weights = [
        chance / comb(m, j) * ((1 - law.rho) / law.rho) ** j for j, chance in enumerate(law.keep)
    ]
    apart = n_items - m
    largest = Fraction(1)
    for a, b in product(range(m + 1), repeat=2):
        if abs(a - b) <= apart and weights[a] > 0:
            if weights[b] == 0:
                return None
            largest = max(largest, weights[a] / weights[b])
    return largest


def gamma_of_cut_and_paste(cutoff: int, rho: Fraction, m: int) -> Fraction:
    r"""Return the same for cut-and-paste in closed form, for m >= 1 and at least 2 m items.

    .. math:: \gamma = \sum_{i < \min(K, m)} \rho^{-i}
        + (K + 1 - \min(K, m)) \, \rho^{-\min(K, m)}

    Notes
    -----
    A set t' that shares j items with t comes from it with chance
    :math:`\rho^{|t'|} (1 - \rho)^{n - |t'|} \, \mathrm{E}\big[\binom{j}{i} / \binom{m}{i} \,
    \rho^{-i}\big]`, where i is the number of items kept for certain. It grows with j, is
    :math:`1 / (K + 1)` at j = 0 and :math:`\gamma / (K + 1)` at j = m.

    Examples
    --------
    >>> gamma_of_cut_and_paste(5, Fraction(1, 5), 3)
    Fraction(406, 1)
    """
    top = min(cutoff, m)
    return sum((rho**-i for i in range(top)), (cutoff + 1 - top) * rho**-top)


def gamma_of_uniform(p: Fraction, m: int, n_items: int) -> Fraction:
    r"""Return the largest ratio of chances of uniform randomization, for one size.

    .. math:: \gamma = \frac{\max_j w_j}{\min_j w_j}, \qquad
        w_j = \frac{(1 - p)^j p^{m - j}}{\binom{n - m}{m - j}}

    where :math:`j` is the number of items that the result shares with the original.

    Notes
    -----
    :math:`w_{j+1} / w_j` grows with j, so the largest :math:`w` is at 0 or at m, and a set
    that shares 0 or all m items with one transaction can share any number with another.

    Examples
    --------
    >>> gamma_of_uniform(Fraction(1, 2), 1, 4)
    Fraction(3, 1)
    """
    weights = [(1 - p) ** j * p ** (m - j) / comb(n_items - m, m - j) for j in range(m + 1)]
    return max(weights) / min(weights)


def gamma_without_size(laws: Mapping[int, SizeLaw], n_items: int) -> Fraction | None:
    r"""Return the largest ratio of chances over all sizes, if the size is **not** published.

    Parameters
    ----------
    laws : mapping from m to SizeLaw
        The sizes that occur.
    n_items : int
        At least the largest size.

    Returns
    -------
    Fraction or None
        Exact; None where there is no bound.

    Notes
    -----
    For cut-and-paste with one rho and K for all sizes, among them one of at least K, this is
    :math:`\sum_{i=0}^{K} \rho^{-i}`. With a rho for each size it grows like a power of the
    number of items. Recovery of supports needs the size, so this claim is of use only where
    nothing is recovered. Time :math:`O(M^6)` for sizes up to M.

    Examples
    --------
    >>> from discreet.randomize import CutAndPaste
    >>> operator = CutAndPaste(cutoff=2, rho="1/4")
    >>> gamma_without_size({m: operator.law(m) for m in range(5)}, n_items=6)
    Fraction(21, 1)
    """
    for m, law in laws.items():
        _check_size(law, m, n_items)
    largest = Fraction(1)
    for (m, first), (other, second) in product(laws.items(), repeat=2):
        for a, b, size in _shared(m, other, n_items):
            above = _chance(first, n_items, a, size)
            below = _chance(second, n_items, b, size)
            if above > 0:
                if below == 0:
                    return None
                largest = max(largest, above / below)
    return largest


def _shared(m: int, other: int, n_items: int) -> Iterator[tuple[int, int, int]]:
    """Yield (a, b, size): a set of ``size`` items that shares a with one, b with another.

    The ratio of chances is monotone in the number of items outside both, so only none and all
    of them are looked at.
    """
    found: set[tuple[int, int, int]] = set()
    for overlap in range(max(0, m + other - n_items), min(m, other) + 1):
        outside = n_items - m - other + overlap
        inside = range(overlap + 1), range(m - overlap + 1), range(other - overlap + 1)
        for both, left, right in product(*inside):
            size = both + left + right
            found.update({(both + left, both + right, size + y) for y in (0, outside)})
    yield from found


def _chance(law: SizeLaw, n_items: int, shared: int, size: int) -> Fraction:
    """Return the chance of one set of ``size`` items that shares some with the transaction."""
    m, inserted = law.m, size - shared
    chance = law.keep[shared] / comb(m, shared)
    return chance * law.rho**inserted * (1 - law.rho) ** (n_items - m - inserted)


def _check_size(law: SizeLaw, m: int, n_items: int) -> None:
    if law.m != m:
        raise ParameterError(f"The law is one of transactions of {law.m} items, not {m}.")
    if m > n_items:
        raise ParameterError(f"A transaction of {m} items does not fit {n_items} items.")
