"""The kinds of operators: select-a-size, cut-and-paste, uniform randomization and mixing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from math import comb
from types import MappingProxyType
from typing import TYPE_CHECKING, ClassVar, NoReturn, TypeVar, cast

import numpy as np

from discreet import checks
from discreet.data.item_sets import take_sets
from discreet.data.transactions import Transactions
from discreet.errors import InfeasibleError, ParameterError, did_you_mean
from discreet.randomize.operators.base import Operator, SizeLawOperator
from discreet.randomize.operators.law import SizeLaw, gamma_of_uniform, invert, why_singular

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Self

    from numpy.typing import NDArray

    from discreet.checks import Number
    from discreet.noise import Noise
    from discreet.randomize.operators.law import Matrix


@dataclass(frozen=True, init=False)
class SelectASize(SizeLawOperator):
    r"""The select-a-size operator: keep j of the m items with chance p_m[j], insert with rho_m.

    Parameters
    ----------
    keep : mapping from m to m + 1 probabilities
        The chances of keeping 0, 1, ..., m items; for each size they sum to 1.
    rho : probability, or mapping from m to one
        Chance that an item outside the transaction is inserted, above 0 and below 1.

    Raises
    ------
    ParameterError
        If the chances of a size do not sum to 1, or sizes of ``keep`` and ``rho`` differ.

    Notes
    -----
    **Guarantee.** Local differential privacy of one transaction among those of the same public
    size, :meth:`local_epsilon`; none between sizes, as the true size is published.

    References
    ----------
    A. Evfimievski, R. Srikant, R. Agrawal, J. Gehrke (2004), Privacy preserving mining of
    association rules, Definition 7.

    Examples
    --------
    >>> operator = SelectASize(keep={2: ["1/2", "1/4", "1/4"]}, rho="1/5")
    >>> operator.transition(2, 1)
    array([[0.8  , 0.625],
           [0.2  , 0.375]])
    """

    kind: ClassVar[str] = "select-a-size"
    keep: Mapping[int, tuple[Fraction, ...]]
    rho: Mapping[int, Fraction]
    _laws: Mapping[int, SizeLaw] = field(repr=False, compare=False)

    def __init__(
        self, keep: Mapping[int, Sequence[Number]], *, rho: Number | Mapping[int, Number]
    ) -> None:
        chances = {m: _chances(m, given) for m, given in size_keys("keep", keep).items()}
        rhos = per_size("rho", rho, checks.inner_share)
        if not isinstance(rhos, dict):
            rhos = dict.fromkeys(chances, rhos)
        if set(rhos) != set(chances):
            raise ParameterError(
                f"rho is given for sizes {sorted(rhos)}, keep for {sorted(chances)}; give both "
                "for the same sizes.",
                parameter="rho",
            )
        object.__setattr__(self, "keep", MappingProxyType(chances))
        object.__setattr__(self, "rho", MappingProxyType(rhos))
        laws = {m: SizeLaw(chances[m], rhos[m]) for m in chances}
        object.__setattr__(self, "_laws", laws)

    def law(self, m: int) -> SizeLaw:
        """Return the law for transactions of m items.

        Examples
        --------
        >>> SelectASize({1: [0.5, 0.5]}, rho=0.1).law(1).rho
        Fraction(1, 10)
        """
        if checks.whole("m", m, at_least=0) not in self._laws:
            raise ParameterError(
                f"The operator has no law for transactions of {m} items, only for sizes "
                f"{sorted(self.keep)}; leave others out, or give chances for them.",
                parameter="m",
            )
        return self._laws[m]

    def to_dict(self) -> dict[str, object]:
        """Return the operator as JSON holds it.

        Examples
        --------
        >>> SelectASize({1: [0.5, 0.5]}, rho=0.1).to_dict()
        {'operator': 'select-a-size', 'keep': {'1': ['1/2', '1/2']}, 'rho': {'1': '1/10'}}
        """
        return {
            "operator": self.kind,
            "keep": {str(m): [str(chance) for chance in row] for m, row in self.keep.items()},
            "rho": written(self.rho),
        }

    @classmethod
    def from_dict(cls, given: Mapping[str, object]) -> Self:
        """Return the operator that :meth:`to_dict` wrote, or raise ParameterError."""
        cls._check_kind(given, {"keep", "rho"})
        return cls(
            cast("Mapping[int, Sequence[Number]]", given["keep"]),
            rho=cast("Number | Mapping[int, Number]", given["rho"]),
        )


def _chances(m: int, given: object) -> tuple[Fraction, ...]:
    if isinstance(given, str) or not isinstance(given, Sequence) or len(given) != m + 1:
        raise ParameterError(
            f"keep[{m}] must be {m + 1} chances, of keeping 0 to {m} items.", parameter="keep"
        )
    chances = tuple(checks.share(f"keep[{m}][{j}]", value) for j, value in enumerate(given))
    if sum(chances) != 1:
        raise ParameterError(f"keep[{m}] must sum to 1, not to {sum(chances)}.", parameter="keep")
    return chances


# Cut-and-paste: the select-a-size operator with two numbers for each size.


@dataclass(frozen=True, init=False)
class CutAndPaste(SizeLawOperator):
    r"""The cut-and-paste operator: keep up to K items, then every other item with chance rho.

    An integer is drawn uniformly from 0 to K and lowered to m if it is larger; so many items
    of the transaction are kept for certain, and every other item, of the transaction or not,
    is in the result with chance rho. As a select-a-size operator it has

    .. math:: p_m[j] = \sum_{i=0}^{\min(K, j)} \binom{m-i}{j-i} \rho^{j-i} (1-\rho)^{m-j}
        \cdot \begin{cases} 1 - \frac{m}{K+1} & i = m < K \\ \frac{1}{K+1} & \text{else}
        \end{cases}

    Parameters
    ----------
    cutoff : int, or mapping from m to int
        K, at least 1. Itemsets of more than K items cannot be recovered.
    rho : probability, or mapping from m to one
        Above 0 and below 1.

    Raises
    ------
    ParameterError
        If a parameter is out of its range, or the two are given for different sizes.

    Notes
    -----
    **Guarantee.** Local differential privacy of one transaction among those of the same public
    size, :meth:`local_epsilon`; none between sizes, as the true size is published.

    References
    ----------
    A. Evfimievski, R. Srikant, R. Agrawal, J. Gehrke (2004), Privacy preserving mining of
    association rules, Definition 8 and Remark 4.2.

    Examples
    --------
    >>> operator = CutAndPaste(cutoff=2, rho="1/5")
    >>> [str(chance) for chance in operator.law(3).keep]
    ['64/375', '128/375', '152/375', '31/375']
    """

    kind: ClassVar[str] = "cut-and-paste"
    cutoff: int | Mapping[int, int]
    rho: Fraction | Mapping[int, Fraction]

    def __init__(
        self, cutoff: int | Mapping[int, int], *, rho: Number | Mapping[int, Number]
    ) -> None:
        cutoffs = per_size("cutoff", cutoff, _cutoff)
        rhos = per_size("rho", rho, checks.inner_share)
        if isinstance(cutoffs, dict) and isinstance(rhos, dict) and set(cutoffs) != set(rhos):
            raise ParameterError(
                f"cutoff is given for sizes {sorted(cutoffs)}, rho for {sorted(rhos)}; give both "
                "for the same sizes.",
                parameter="cutoff",
            )
        kept_cutoff = MappingProxyType(cutoffs) if isinstance(cutoffs, dict) else cutoffs
        kept_rho = MappingProxyType(rhos) if isinstance(rhos, dict) else rhos
        object.__setattr__(self, "cutoff", kept_cutoff)
        object.__setattr__(self, "rho", kept_rho)

    def law(self, m: int) -> SizeLaw:
        """Return the law for transactions of m items.

        Examples
        --------
        >>> CutAndPaste(cutoff=3, rho=0.25).law(1).keep
        (Fraction(3, 16), Fraction(13, 16))
        """
        m = checks.whole("m", m, at_least=0, at_most=LARGEST_SIZE)
        return cut_and_paste_law(m, at_size("cutoff", self.cutoff, m), at_size("rho", self.rho, m))

    def to_dict(self) -> dict[str, object]:
        """Return the operator as JSON holds it.

        Examples
        --------
        >>> CutAndPaste(cutoff={1: 3, 2: 4}, rho=0.25).to_dict()
        {'operator': 'cut-and-paste', 'cutoff': {'1': 3, '2': 4}, 'rho': '1/4'}
        """
        return {
            "operator": self.kind, "cutoff": written(self.cutoff), "rho": written(self.rho),
        }  # fmt: skip

    @classmethod
    def from_dict(cls, given: Mapping[str, object]) -> Self:
        """Return the operator that :meth:`to_dict` wrote, or raise ParameterError."""
        cls._check_kind(given, {"cutoff", "rho"})
        return cls(
            cast("int | Mapping[int, int]", given["cutoff"]),
            rho=cast("Number | Mapping[int, Number]", given["rho"]),
        )


@lru_cache(maxsize=1024)
def cut_and_paste_law(m: int, cutoff: int, rho: Fraction) -> SizeLaw:
    """Return the law of cut-and-paste for transactions of m items (Remark 4.2).

    Examples
    --------
    >>> cut_and_paste_law(0, 3, Fraction(1, 4)).keep
    (Fraction(1, 1),)
    """
    chances = []
    for j in range(m + 1):
        total = Fraction(0)
        for i in range(min(cutoff, j) + 1):
            # Draws of m to K are all lowered to m, and share the chance of K + 1 - m of K + 1.
            is_lowered = i == m < cutoff
            chance = 1 - Fraction(m, cutoff + 1) if is_lowered else Fraction(1, cutoff + 1)
            total += comb(m - i, j - i) * rho ** (j - i) * (1 - rho) ** (m - j) * chance
        chances.append(total)
    return SizeLaw(tuple(chances), rho)


def _cutoff(name: str, value: object) -> int:
    return checks.whole(name, value, at_least=1)


# Uniform randomization: every item is replaced, with one chance, by an item of others.


@dataclass(frozen=True, init=False)
class Uniform(Operator):
    r"""Uniform randomization: r ~ Bin(m, p) of the m items give way to r new ones.

    Every item is replaced with chance p, independently; the r new items are distinct and drawn
    uniformly from those that were not in the transaction.

    Parameters
    ----------
    p : probability
        Above 0 and below 1.

    Notes
    -----
    **Guarantee.** Local differential privacy among transactions of one size, but with an
    epsilon that grows with the number of items: an item that is seen is seldom there by
    chance. It is here for comparison. The paper does not say which items are the new ones; this
    is the definition that keeps the size.

    References
    ----------
    A. Evfimievski, R. Srikant, R. Agrawal, J. Gehrke (2004), Privacy preserving mining of
    association rules, section 2.

    Examples
    --------
    >>> round(Uniform(0.8).local_epsilon(3, n_items=10_000), 1)
    21.7
    """

    kind: ClassVar[str] = "uniform"
    p: Fraction

    def __init__(self, p: Number) -> None:
        object.__setattr__(self, "p", checks.inner_share("p", p))

    def check_sizes(self, sizes: list[int], n_items: int) -> None:
        """Raise ParameterError if a transaction holds more than half of the items."""
        for m in sizes:
            _check_room(checks.whole("sizes", m, at_least=0), n_items)

    def exact_transition(self, m: int, k: int, *, n_items: int | None = None) -> Matrix:
        """Return the transition matrix in exact fractions, for ``n_items`` items in all."""
        if n_items is None:
            raise ParameterError(
                "Uniform randomization inserts the rarer the more items there are: give n_items.",
                parameter="n_items",
            )
        m, n_items = _check_room(m, n_items)
        return _transition(self.p, m, checks.whole("k", k, at_least=0, at_most=n_items), n_items)

    def inverse(self, m: int, k: int, *, n_items: int | None = None) -> Matrix:
        """Return Q with Q P = 1 in exact fractions, for ``n_items`` items in all."""
        return _inverse(self.exact_transition(m, k, n_items=n_items), why_singular(m, k))

    def gamma(self, m: int, n_items: int) -> Fraction:
        """Return the largest ratio of chances among transactions of m items."""
        return gamma_of_uniform(self.p, *_check_room(m, n_items))

    def to_dict(self) -> dict[str, object]:
        """Return the operator as JSON holds it."""
        return {"operator": self.kind, "p": str(self.p)}

    @classmethod
    def from_dict(cls, given: Mapping[str, object]) -> Self:
        """Return the operator that :meth:`to_dict` wrote, or raise ParameterError."""
        cls._check_kind(given, {"p"})
        return cls(cast("Number", given["p"]))

    def _draw(self, transactions: Transactions, noise: Noise) -> Transactions:
        offsets, n_items = transactions.offsets, transactions.n_items
        row = np.repeat(np.arange(len(transactions)), transactions.sizes)
        taken = row * n_items + transactions.items  # keys of items that are not new
        replaced = noise.bernoulli(self.p, row.size)
        place = np.arange(row.size) - offsets[row]
        new = np.empty(row.size, np.int64)
        # One place of every transaction at a time: a new item differs from those drawn before it.
        for slot in range(int(transactions.sizes.max(initial=0))):
            todo = np.flatnonzero(replaced & (place == slot))
            new[todo] = _draw_outside(row[todo], taken, n_items, noise)
            taken = np.sort(np.concatenate([taken, new[todo]]))
        keys = np.sort(np.where(replaced, new, row * n_items + transactions.items))
        return Transactions.from_csr(offsets, keys % max(1, n_items), transactions.labels)


def _draw_outside(
    rows: NDArray[np.int64], taken: NDArray[np.int64], n_items: int, noise: Noise
) -> NDArray[np.int64]:
    """Return one item for each row as a key, uniform among those not taken, by trying."""
    out = np.empty(rows.size, np.int64)
    todo = np.arange(rows.size)
    while todo.size:
        keys = rows[todo] * n_items + noise.integers(n_items, size=todo.size)
        # There is always a free one: at most 2 m - 1 are taken, of 2 m or more (_check_room).
        at = np.minimum(np.searchsorted(taken, keys), taken.size - 1)
        is_free = taken[at] != keys
        out[todo[is_free]] = keys[is_free]
        todo = todo[~is_free]
    return out


@lru_cache(maxsize=1024)
def _transition(p: Fraction, m: int, k: int, n_items: int) -> Matrix:
    """Return p[l -> l'] by the number q of kept items of A, and r of replaced ones."""
    size = min(k, m)
    rows = [[Fraction(0)] * (size + 1) for _ in range(k + 1)]
    for before in range(size + 1):
        if k - before > n_items - m:
            continue  # such a transaction does not exist
        for kept in range(before + 1):
            chance = comb(before, kept) * (1 - p) ** kept * p ** (before - kept)
            for others in range(m - before + 1):
                r = before - kept + others
                weight = chance * comb(m - before, others)
                weight *= p**others * (1 - p) ** (m - before - others)
                # Of the r new items, `new` are of the itemset: hypergeometric among n - m.
                for new in range(min(k - before, r) + 1):
                    ways = comb(k - before, new) * comb(n_items - m - k + before, r - new)
                    rows[kept + new][before] += weight * Fraction(ways, comb(n_items - m, r))
    return tuple(map(tuple, rows))


@lru_cache(maxsize=1024)
def _inverse(matrix: Matrix, reason: str) -> Matrix:
    return invert(matrix, reason=reason)


def _check_room(m: int, n_items: int) -> tuple[int, int]:
    """Return both as integers, or raise ParameterError if so many items cannot be replaced."""
    m, n_items = checks.whole("m", m, at_least=0), checks.whole("n_items", n_items, at_least=0)
    if 2 * m > n_items:
        raise ParameterError(
            f"A transaction of {m} of {n_items} items leaves too few others to replace all of "
            "them. Uniform randomization takes sizes up to half the number of items.",
            parameter="m",
        )
    return m, n_items


# Mixing: hide a transaction in the union with others. It needs them all in one place.


@dataclass(frozen=True, init=False)
class Mixing(Operator):
    """Mixing: the union with K - 1 other transactions, of which every item stays with chance p.

    Parameters
    ----------
    cutoff : int
        K, the number of transactions in a union, at least 2. The others are drawn with
        replacement from all but the transaction itself.
    p : probability
        Above 0 and below 1.

    Notes
    -----
    **Guarantee.** None that is local: whoever applies it sees all transactions, and an item
    that nobody else has is seen only if its owner has it. There is no transition matrix
    either, as the outcome depends on the other transactions, so nothing is recovered from it.

    References
    ----------
    A. Evfimievski, R. Srikant, R. Agrawal, J. Gehrke (2004), Privacy preserving mining of
    association rules, Example 4.1.

    Examples
    --------
    >>> Mixing(cutoff=3, p=0.5).local_epsilon(5, n_items=100)
    inf
    """

    kind: ClassVar[str] = "mixing"
    is_per_transaction: ClassVar[bool] = False
    cutoff: int
    p: Fraction

    def __init__(self, cutoff: int, *, p: Number) -> None:
        object.__setattr__(self, "cutoff", checks.whole("cutoff", cutoff, at_least=2))
        object.__setattr__(self, "p", checks.inner_share("p", p))

    def check_sizes(self, sizes: list[int], n_items: int) -> None:
        """Raise ParameterError for what is no size; every size will do."""
        checks.whole("n_items", n_items, at_least=0)
        for m in sizes:
            checks.whole("sizes", m, at_least=0)

    def exact_transition(self, m: int, k: int, *, n_items: int | None = None) -> NoReturn:
        """Raise InfeasibleError: what becomes of a transaction depends on the others."""
        del m, k, n_items
        raise InfeasibleError(
            "Mixing has no transition matrix, as the outcome depends on the other transactions. "
            "Use cut-and-paste where supports are to be recovered."
        )

    def gamma(self, m: int, n_items: int) -> Fraction | None:
        """Return None, for no bound, or 1 where all transactions are alike."""
        n_items = checks.whole("n_items", n_items, at_least=0)
        m = checks.whole("m", m, at_least=0, at_most=n_items)
        return None if 0 < m < n_items else Fraction(1)

    def to_dict(self) -> dict[str, object]:
        """Return the operator as JSON holds it."""
        return {"operator": self.kind, "cutoff": self.cutoff, "p": str(self.p)}

    @classmethod
    def from_dict(cls, given: Mapping[str, object]) -> Self:
        """Return the operator that :meth:`to_dict` wrote, or raise ParameterError."""
        cls._check_kind(given, {"cutoff", "p"})
        return cls(cast("int", given["cutoff"]), p=cast("Number", given["p"]))

    def _draw(self, transactions: Transactions, noise: Noise) -> Transactions:
        n = len(transactions)
        if n == 1:
            raise ParameterError(
                "Mixing needs other transactions to mix with; there is only one.",
                parameter="transactions",
            )
        if n == 0:
            return transactions
        own = np.arange(n)
        drawn = noise.integers(n - 1, size=n * (self.cutoff - 1)).reshape(n, -1)
        others = drawn + (drawn >= own[:, None])  # all but the transaction itself
        members = np.column_stack([own, others]).ravel()
        offsets, items = take_sets(transactions.offsets, transactions.items, members)
        unions = Transactions.from_csr(offsets[:: self.cutoff], items, transactions.labels)
        stays = noise.bernoulli(self.p, unions.items.size)
        kept = np.concatenate([[0], np.cumsum(stays)])[unions.offsets]
        return Transactions.from_csr(kept, unions.items[stays], transactions.labels)


# Parameters of an operator that are one for all sizes, or one for each.

Kept = TypeVar("Kept")

LARGEST_SIZE = 1000  # exact laws of larger transactions would take long and hide nothing


def per_size(
    name: str, given: object, read: Callable[[str, object], Kept]
) -> Kept | dict[int, Kept]:
    """Return a parameter read, or a dict of them by size.

    Examples
    --------
    >>> per_size("cutoff", {"2": 7, 1: 3}, lambda name, value: value)
    {1: 3, 2: 7}
    """
    if not isinstance(given, Mapping):
        return read(name, given)
    return {m: read(f"{name}[{m}]", value) for m, value in size_keys(name, given).items()}


def size_keys(name: str, given: object) -> dict[int, object]:
    """Return a mapping with its keys as sizes, ascending; JSON has them as text.

    Examples
    --------
    >>> size_keys("rho", {"10": 0.1, "2": 0.2})
    {2: 0.2, 10: 0.1}
    """
    if not isinstance(given, Mapping) or not given:
        raise ParameterError(
            f"{name} must be given for at least one size, as {{size: value}}.", parameter=name
        )
    out: dict[int, object] = {}
    for key, value in given.items():
        text = str(key)
        if isinstance(key, bool) or not text.isdecimal() or int(text) > LARGEST_SIZE:
            raise ParameterError(
                f"{name} is given for size {key!r}; a size is a whole number up to {LARGEST_SIZE}.",
                parameter=name,
            )
        if int(text) in out:
            raise ParameterError(f"{name} is given twice for size {text}.", parameter=name)
        out[int(text)] = value
    return dict(sorted(out.items()))


def written(kept: object) -> object:
    """Return a parameter as JSON holds it: sizes and fractions are text there."""
    if isinstance(kept, Mapping):
        return {str(m): written(value) for m, value in kept.items()}
    return str(kept) if isinstance(kept, Fraction) else kept


def at_size(name: str, kept: Kept | Mapping[int, Kept], m: int) -> Kept:
    """Return the parameter for one size, or raise ParameterError naming the sizes there are.

    Examples
    --------
    >>> at_size("cutoff", {1: 3, 2: 7}, 2), at_size("cutoff", 5, 2)
    (7, 5)
    """
    if not isinstance(kept, Mapping):
        return kept
    if m not in kept:
        raise ParameterError(
            f"{name} is not given for transactions of {m} items, only for sizes {sorted(kept)}; "
            "leave others out, or give it for them.",
            parameter=name,
        )
    found: Kept = kept[m]
    return found


# Reading an operator of any kind from a policy.

KINDS: dict[str, type[Operator]] = {
    kind.kind: kind for kind in (CutAndPaste, SelectASize, Uniform, Mixing)
}


def operator_from_dict(given: Mapping[str, object]) -> Operator:
    """Return the operator that its ``to_dict`` wrote.

    Parameters
    ----------
    given : mapping
        As JSON holds it; ``"operator"`` names the kind.

    Returns
    -------
    Operator
        Equal to the one written: fractions are exact.

    Raises
    ------
    ParameterError
        If the kind is not known or a field is missing, unknown or out of its range.

    Examples
    --------
    >>> operator_from_dict({"operator": "cut-and-paste", "cutoff": 7, "rho": "1/5"})
    CutAndPaste(cutoff=7, rho=Fraction(1, 5))
    """
    if not isinstance(given, Mapping):
        raise ParameterError(
            f"An operator is a table of fields, not {type(given).__name__}.", parameter="operator"
        )
    kind = given.get("operator")
    if not isinstance(kind, str) or kind not in KINDS:
        raise ParameterError(
            f"Unknown operator {kind!r}.",
            parameter="operator",
            remedy=did_you_mean(str(kind), KINDS),
        )
    return KINDS[kind].from_dict(given)
