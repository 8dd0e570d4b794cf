"""Select-a-size with any law for every size."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, ClassVar, cast

from discreet.errors import ParameterError
from discreet.randomize.operators.per_size import per_size, size_keys
from discreet.randomize.operators.size_law import SizeLaw, SizeLawOperator
from discreet.randomize.probability import as_text, inner_probability, probability

if TYPE_CHECKING:
    from collections.abc import Mapping
    from fractions import Fraction
    from typing import Self

    from discreet.randomize.probability import Number

__all__ = ["SelectASize", "SizeLaw"]


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
        rhos = per_size("rho", rho, inner_probability)
        if not isinstance(rhos, dict):
            rhos = dict.fromkeys(chances, rhos)
        if set(rhos) != set(chances):
            raise ParameterError(
                f"rho is given for sizes {sorted(rhos)}, keep for {sorted(chances)}; "
                "give both for the same sizes."
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
        if m not in self._laws:
            raise ParameterError(
                f"The operator has no law for transactions of {m} items, only for sizes "
                f"{sorted(self.keep)}; leave others out, or give chances for them."
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
            "keep": {str(m): [as_text(chance) for chance in row] for m, row in self.keep.items()},
            "rho": {str(m): as_text(rho) for m, rho in self.rho.items()},
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
        raise ParameterError(f"keep[{m}] must be {m + 1} chances, of keeping 0 to {m} items.")
    chances = tuple(probability(f"keep[{m}][{j}]", value) for j, value in enumerate(given))
    if sum(chances) != 1:
        raise ParameterError(f"keep[{m}] must sum to 1, not to {sum(chances)}.")
    return chances
