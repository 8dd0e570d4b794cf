"""Transition matrices of select-a-size operators: one itemset, two itemsets, and back.

All in exact fractions; `discreet.randomize.matrix.floats` gives the view for computing.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from itertools import product
from math import comb
from typing import TYPE_CHECKING

from discreet.errors import ParameterError
from discreet.randomize.matrix import invert

if TYPE_CHECKING:
    from discreet.randomize.matrix import Matrix
    from discreet.randomize.operators.size_law import SizeLaw


@lru_cache(maxsize=4096)
def transition_matrix(law: SizeLaw, m: int, k: int) -> Matrix:
    r"""Return the chances that l items of an itemset become l' items.

    .. math:: p^m_k[l \to l'] = \sum_{j=0}^m p_m[j]
        \sum_{q = \max\{0, j+l-m, l+l'-k\}}^{\min\{j, l, l'\}}
        \frac{\binom{l}{q} \binom{m-l}{j-q}}{\binom{m}{j}}
        \binom{k-l}{l'-q} \rho^{l'-q} (1 - \rho)^{k-l-l'+q} \qquad (8)

    where j is the number of items kept and q how many of them are in the itemset.

    Parameters
    ----------
    law : SizeLaw
        Of transactions of m items.
    m : int
        Size of the transaction.
    k : int
        Size of the itemset, at least 0.

    Returns
    -------
    Matrix
        ``matrix[l'][l]``, k + 1 rows and min(k, m) + 1 columns: a transaction of m items
        cannot hold more than m of the itemset.

    References
    ----------
    Evfimievski et al. (2004), Statement 2.

    Examples
    --------
    >>> from discreet.randomize import CutAndPaste
    >>> for row in transition_matrix(CutAndPaste(cutoff=2, rho="1/5").law(3), 3, 2):
    ...     print(*row)
    16/25 32/75 64/225
    8/25 12/25 112/225
    1/25 7/75 49/225
    """
    _check(law, m, k)
    return tuple(
        tuple(_chance(law, k, before, after) for before in range(min(k, m) + 1))
        for after in range(k + 1)
    )


@lru_cache(maxsize=1024)
def two_set_matrix(law: SizeLaw, m: int, n_first: int, n_second: int) -> Matrix:
    r"""Return the chances that items of two disjoint itemsets become others, jointly.

    .. math:: p\Big[{l_A \to l'_A \atop l_B \to l'_B}\Big]
        = \sum_i \sum_{j_A} \sum_{j_B} \frac{p_m[i + j_A + j_B]}{\binom{m}{i + j_A + j_B}}
        \binom{m - l_A - l_B}{i} \prod_{C = A, B} \binom{l_C}{j_C}
        \binom{|C| - l_C}{l'_C - j_C} \rho^{l'_C - j_C} (1 - \rho)^{|C| - l_C - l'_C + j_C}

    where :math:`j_C` of the items kept are in C and i in neither,
    :math:`\max(0, l_C + l'_C - |C|) \le j_C \le \min(l_C, l'_C)`.

    Parameters
    ----------
    law : SizeLaw
        Of transactions of m items.
    m : int
        Size of the transaction.
    n_first, n_second : int
        Sizes of A and B, at least 0.

    Returns
    -------
    Matrix
        Rows and columns are the pairs (l_A, l_B) in the order (0, 0), (0, 1), ...; columns only
        for the pairs with l_A + l_B <= m, which alone exist.

    References
    ----------
    Evfimievski et al. (2004), section 4.6, with the bounds of j repaired.

    Examples
    --------
    >>> from discreet.randomize import CutAndPaste
    >>> for row in two_set_matrix(CutAndPaste(cutoff=2, rho="1/5").law(3), 3, 1, 1):
    ...     print(*row)
    16/25 32/75 32/75 64/225
    4/25 28/75 8/75 56/225
    4/25 8/75 28/75 56/225
    1/25 7/75 7/75 49/225
    """
    _check(law, m, n_first)
    _check(law, m, n_second)
    pairs = list(product(range(n_first + 1), range(n_second + 1)))
    sizes = (n_first, n_second)
    existing = [pair for pair in pairs if sum(pair) <= m]
    return tuple(
        tuple(_two_set_chance(law, sizes, before, after) for before in existing) for after in pairs
    )


@lru_cache(maxsize=4096)
def eigenvalues(law: SizeLaw, m: int, k: int) -> tuple[Fraction, ...]:
    r"""Return the eigenvalues of the transition matrix, of orders 0 to min(k, m).

    .. math:: \lambda_l = \mathrm{E} \prod_{i=1}^l (X_i - \rho)
        = \sum_{i=0}^l \binom{l}{i} (1 - \rho)^i (-\rho)^{l-i}
        \sum_j p_m[j] \frac{\binom{m-l}{j-i}}{\binom{m}{j}}

    where :math:`X_i` says whether the i-th of l items of the transaction is kept.

    Notes
    -----
    They are the diagonal of the triangular form (Statement 4). Cut-and-paste has
    :math:`\lambda_l = (1 - \rho)^l \, \mathrm{E} \binom{i}{l} / \binom{m}{l}`, with
    i = min(U{0..K}, m), so its matrix has an inverse exactly for k <= K.

    Examples
    --------
    >>> from discreet.randomize import CutAndPaste
    >>> print(*eigenvalues(CutAndPaste(cutoff=2, rho="1/5").law(4), 4, 3))
    1 1/5 8/225 0
    """
    _check(law, m, k)
    found = []
    for order in range(min(k, m) + 1):
        total = Fraction(0)
        for kept in range(order + 1):
            sign = (1 - law.rho) ** kept * (-law.rho) ** (order - kept)
            total += comb(order, kept) * sign * _exactly_kept(law, order, kept)
        found.append(total)
    return tuple(found)


@lru_cache(maxsize=4096)
def inverse(law: SizeLaw, m: int, k: int) -> Matrix:
    """Return Q with Q P = 1, the matrix that recovers partial supports (10).

    Parameters
    ----------
    law : SizeLaw
        Of transactions of m items.
    m : int
        Size of the transactions.
    k : int
        Size of the itemset, at least 0.

    Returns
    -------
    Matrix
        ``matrix[l][l']``, min(k, m) + 1 rows and k + 1 columns.

    Raises
    ------
    InfeasibleError
        If an eigenvalue is 0, with the reason.

    Examples
    --------
    >>> from discreet.randomize import CutAndPaste
    >>> for row in inverse(CutAndPaste(cutoff=2, rho="1/5").law(3), 3, 2):
    ...     print(*row)
    49/16 -7/2 4
    -21/8 27/4 -12
    9/16 -9/4 9
    """
    return invert(transition_matrix(law, m, k), reason=why_singular(m, k))


def all_present(law: SizeLaw, k: int) -> tuple[Fraction, ...]:
    r"""Return the chances p[l -> k] that all items of an itemset are in the result.

    .. math:: p[l \to k] = \rho^{k - l} \sum_j p_m[j] \binom{m-l}{j-l} \Big/ \binom{m}{j}

    as the l items that were there must be kept and all others inserted: (8) for l' = k.

    Examples
    --------
    >>> from discreet.randomize import CutAndPaste
    >>> print(*all_present(CutAndPaste(cutoff=2, rho="1/5").law(3), 2))
    1/25 7/75 49/225
    """
    return tuple(
        law.rho ** (k - before) * _exactly_kept(law, before, before)
        for before in range(min(k, law.m) + 1)
    )


def why_singular(m: int, k: int) -> str:
    """Return what to say of a matrix that has no inverse.

    Examples
    --------
    >>> why_singular(4, 3)
    'Supports of 3 items cannot be recovered from randomized transactions of 4 items: ...'
    """
    return (
        f"Supports of {k} items cannot be recovered from randomized transactions of {m} items: "
        "the operator keeps too few items together (cut-and-paste: no more than its cutoff), or "
        "keeps them as often as it inserts others."
    )


def _chance(law: SizeLaw, k: int, before: int, after: int) -> Fraction:
    """Return p[before -> after] by (8)."""
    rho, total = law.rho, Fraction(0)
    for q in range(max(0, before + after - k), min(before, after) + 1):
        inserted = comb(k - before, after - q) * rho ** (after - q)
        inserted *= (1 - rho) ** (k - before - after + q)
        total += comb(before, q) * inserted * _exactly_kept(law, before, q)
    return total


@lru_cache(maxsize=1 << 16)
def _exactly_kept(law: SizeLaw, n_given: int, n_kept: int) -> Fraction:
    """Return the chance that of given items of the transaction exactly the first few are kept."""
    m, total = law.m, Fraction(0)
    for j in range(n_kept, m - n_given + n_kept + 1):
        total += law.keep[j] * Fraction(comb(m - n_given, j - n_kept), comb(m, j))
    return total


def _two_set_chance(
    law: SizeLaw, sizes: tuple[int, int], before: tuple[int, int], after: tuple[int, int]
) -> Fraction:
    """Return the joint chance of two disjoint itemsets by the formula of section 4.6."""
    kept_ranges = [
        range(max(0, old + new - size), min(old, new) + 1)
        for size, old, new in zip(sizes, before, after, strict=True)
    ]
    total = Fraction(0)
    for kept in product(*kept_ranges):
        chance = _exactly_kept(law, sum(before), sum(kept))
        for size, old, new, j in zip(sizes, before, after, kept, strict=True):
            chance *= comb(old, j) * comb(size - old, new - j) * law.rho ** (new - j)
            chance *= (1 - law.rho) ** (size - old - new + j)
        total += chance
    return total


def _check(law: SizeLaw, m: int, k: int) -> None:
    if law.m != m:
        raise ParameterError(f"The law is one of transactions of {law.m} items, not {m}.")
    if isinstance(k, bool) or k < 0:
        raise ParameterError(f"k={k} must be the size of an itemset, at least 0.")
