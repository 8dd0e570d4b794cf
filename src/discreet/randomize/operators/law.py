"""Transition matrices of select-a-size operators, exact: one itemset, two, and back."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from itertools import product
from math import comb
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from discreet import checks
from discreet.errors import InfeasibleError, ParameterError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class SizeLaw:
    """The law of a select-a-size operator for transactions of one size (Definition 7).

    Attributes
    ----------
    keep : tuple of Fraction
        ``keep[j]`` is the chance p_m[j] that j of the m items are kept, j from 0 to m; which
        ones is drawn uniformly without replacement.
    rho : Fraction
        The chance that an item outside the transaction is inserted, above 0 and below 1.

    Examples
    --------
    >>> from fractions import Fraction
    >>> SizeLaw((Fraction(1, 3), Fraction(2, 3)), Fraction(1, 5)).m
    1
    """

    keep: tuple[Fraction, ...]
    rho: Fraction
    _hash: int = field(init=False, repr=False, compare=False)  # laws are keys of every cache

    def __post_init__(self) -> None:
        keep = tuple(checks.share(f"keep[{j}]", chance) for j, chance in enumerate(self.keep))
        object.__setattr__(self, "keep", keep)
        if sum(self.keep) != 1:
            raise ParameterError(
                f"The {len(self.keep)} chances of keeping 0, 1, ... items of a transaction must "
                f"be at least 0 and sum to 1, not to {sum(self.keep)}.",
                parameter="keep",
            )
        object.__setattr__(self, "rho", checks.inner_share("rho", self.rho))
        object.__setattr__(self, "_hash", hash((self.keep, self.rho)))

    def __hash__(self) -> int:
        return self._hash

    @property
    def m(self) -> int:
        """The size of the transactions."""
        return len(self.keep) - 1


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
    return _transition_matrix(law, *_check(law, m, k=k))


@lru_cache(maxsize=4096)
def _transition_matrix(law: SizeLaw, m: int, k: int) -> Matrix:
    return tuple(
        tuple(_chance(law, k, before, after) for before in range(min(k, m) + 1))
        for after in range(k + 1)
    )


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
    return _two_set_matrix(law, *_check(law, m, n_first=n_first, n_second=n_second))


@lru_cache(maxsize=1024)
def _two_set_matrix(law: SizeLaw, m: int, n_first: int, n_second: int) -> Matrix:
    pairs = list(product(range(n_first + 1), range(n_second + 1)))
    sizes = (n_first, n_second)
    existing = [pair for pair in pairs if sum(pair) <= m]
    return tuple(
        tuple(_two_set_chance(law, sizes, before, after) for before in existing) for after in pairs
    )


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
    return _eigenvalues(law, *_check(law, m, k=k))


@lru_cache(maxsize=4096)
def _eigenvalues(law: SizeLaw, m: int, k: int) -> tuple[Fraction, ...]:
    found = []
    for order in range(min(k, m) + 1):
        total = Fraction(0)
        for kept in range(order + 1):
            sign = (1 - law.rho) ** kept * (-law.rho) ** (order - kept)
            total += comb(order, kept) * sign * _exactly_kept(law, order, kept)
        found.append(total)
    return tuple(found)


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
    return _inverse(law, *_check(law, m, k=k))


@lru_cache(maxsize=4096)
def _inverse(law: SizeLaw, m: int, k: int) -> Matrix:
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
    # At most k - before can be inserted, so at least the others of `after` were kept.
    for q in range(max(0, before + after - k), min(before, after) + 1):
        inserted = comb(k - before, after - q) * rho ** (after - q)
        inserted *= (1 - rho) ** (k - before - after + q)
        total += comb(before, q) * inserted * _exactly_kept(law, before, q)
    return total


@lru_cache(maxsize=1 << 16)
def _exactly_kept(law: SizeLaw, n_given: int, n_kept: int) -> Fraction:
    """Return the chance that of given items of the transaction exactly the first few are kept."""
    m, total = law.m, Fraction(0)
    # Which j are kept is uniform: of C(m, j) sets, so many have exactly the first few of the given.
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


def _check(law: SizeLaw, m: int, **sizes: int) -> tuple[int, ...]:
    """Return the size of the transactions and those of itemsets, or raise ParameterError."""
    if law.m != checks.whole("m", m, at_least=0):
        raise ParameterError(
            f"The law is one of transactions of {law.m} items, not {m}.", parameter="m"
        )
    return law.m, *(checks.whole(name, size, at_least=0) for name, size in sizes.items())


# Exact matrices, and their inverses through the triangular form.
#
# Partial supports :math:`s` and cumulative supports :math:`\Sigma = S s`, with
# :math:`S_{lj} = \binom{j}{l}` (13), say the same. In cumulative supports the matrix of an
# item-invariant operator is lower triangular (Statement 4), so its inverse needs no solver.

Matrix: TypeAlias = tuple[tuple[Fraction, ...], ...]


def floats(matrix: Matrix) -> NDArray[np.float64]:
    """Return the matrix in floating point, every entry rounded once."""
    return np.array([[float(entry) for entry in row] for row in matrix], dtype=np.float64)


def multiply(left: Matrix, right: Matrix) -> Matrix:
    """Return the product of two exact matrices."""
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
    # For m < k no transaction holds more than m of the items: higher orders are 0 and drop out.
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


# How much one randomized transaction discloses at most: local differential privacy, exactly.
#
# The chance of a randomized set depends on the original only through how many items they
# share, so the largest ratio of two chances is a maximum over pairs of small numbers.


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
                return None  # possible for one transaction, impossible for another
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
            above = _chance_of_size(first, n_items, a, size)
            below = _chance_of_size(second, n_items, b, size)
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


def _chance_of_size(law: SizeLaw, n_items: int, shared: int, size: int) -> Fraction:
    """Return the chance of one set of ``size`` items that shares some with the transaction."""
    m, inserted = law.m, size - shared
    chance = law.keep[shared] / comb(m, shared)
    return chance * law.rho**inserted * (1 - law.rho) ** (n_items - m - inserted)


def _check_size(law: SizeLaw, m: int, n_items: int) -> None:
    _check(law, m)
    if m > checks.whole("n_items", n_items, at_least=0):
        raise ParameterError(
            f"A transaction of {m} items does not fit {n_items} items.", parameter="m"
        )
