"""Cut-and-paste: the select-a-size operator with two numbers for each size."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import comb
from types import MappingProxyType
from typing import TYPE_CHECKING, ClassVar, cast

from discreet.errors import ParameterError
from discreet.randomize.operators.per_size import LARGEST_SIZE, at_size, per_size
from discreet.randomize.operators.size_law import SizeLaw, SizeLawOperator
from discreet.randomize.probability import as_text, inner_probability
from discreet.release.exact import whole

if TYPE_CHECKING:
    from typing import Self

    from discreet.randomize.probability import Number


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
        rhos = per_size("rho", rho, inner_probability)
        if isinstance(cutoffs, dict) and isinstance(rhos, dict) and set(cutoffs) != set(rhos):
            raise ParameterError(
                f"cutoff is given for sizes {sorted(cutoffs)}, rho for {sorted(rhos)}; "
                "give both for the same sizes."
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
        if not 0 <= m <= LARGEST_SIZE:
            raise ParameterError(f"m={m} must be the size of a transaction, 0 to {LARGEST_SIZE}.")
        return cut_and_paste_law(m, at_size("cutoff", self.cutoff, m), at_size("rho", self.rho, m))

    def to_dict(self) -> dict[str, object]:
        """Return the operator as JSON holds it.

        Examples
        --------
        >>> CutAndPaste(cutoff={1: 3, 2: 4}, rho=0.25).to_dict()
        {'operator': 'cut-and-paste', 'cutoff': {'1': 3, '2': 4}, 'rho': '1/4'}
        """
        cutoff: object = self.cutoff
        if isinstance(self.cutoff, Mapping):
            cutoff = {str(m): value for m, value in self.cutoff.items()}
        rho: object = self.rho
        if isinstance(self.rho, Mapping):
            rho = {str(m): as_text(value) for m, value in self.rho.items()}
        elif isinstance(self.rho, Fraction):
            rho = as_text(self.rho)
        return {"operator": self.kind, "cutoff": cutoff, "rho": rho}

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
            is_lowered = i == m < cutoff
            chance = 1 - Fraction(m, cutoff + 1) if is_lowered else Fraction(1, cutoff + 1)
            total += comb(m - i, j - i) * rho ** (j - i) * (1 - rho) ** (m - j) * chance
        chances.append(total)
    return SizeLaw(tuple(chances), rho)


def _cutoff(name: str, value: object) -> int:
    return whole(name, value, least=1)
