"""Mixing: hide a transaction in the union with others. It needs them all in one place."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar, NoReturn, cast

import numpy as np

from discreet.data.item_sets import take_sets
from discreet.data.transactions import Transactions
from discreet.errors import InfeasibleError, ParameterError
from discreet.randomize.operators.operator import Operator
from discreet.randomize.probability import as_text, inner_probability
from discreet.release.exact import whole

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Self

    from discreet.noise import Noise
    from discreet.randomize.probability import Number


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
        object.__setattr__(self, "cutoff", whole("cutoff", cutoff, least=2))
        object.__setattr__(self, "p", inner_probability("p", p))

    def check_sizes(self, sizes: list[int], n_items: int) -> None:
        """Do nothing: every size will do."""

    def exact_transition(self, m: int, k: int, *, n_items: int | None = None) -> NoReturn:
        """Raise InfeasibleError: what becomes of a transaction depends on the others."""
        del m, k, n_items
        raise InfeasibleError(
            "Mixing has no transition matrix, as the outcome depends on the other transactions. "
            "Use cut-and-paste where supports are to be recovered."
        )

    def gamma(self, m: int, n_items: int) -> Fraction | None:
        """Return None, for no bound, or 1 where all transactions are alike."""
        if not 0 <= m <= n_items:
            raise ParameterError(f"m={m} must be the size of a transaction, 0 to {n_items}.")
        return None if 0 < m < n_items else Fraction(1)

    def to_dict(self) -> dict[str, object]:
        """Return the operator as JSON holds it.

        Examples
        --------
        >>> Mixing(cutoff=3, p=0.5).to_dict()
        {'operator': 'mixing', 'cutoff': 3, 'p': '1/2'}
        """
        return {"operator": self.kind, "cutoff": self.cutoff, "p": as_text(self.p)}

    @classmethod
    def from_dict(cls, given: Mapping[str, object]) -> Self:
        """Return the operator that :meth:`to_dict` wrote, or raise ParameterError."""
        cls._check_kind(given, {"cutoff", "p"})
        return cls(cast("int", given["cutoff"]), p=cast("Number", given["p"]))

    def _draw(self, transactions: Transactions, noise: Noise) -> Transactions:
        n = len(transactions)
        if n == 1:
            raise ParameterError("Mixing needs other transactions to mix with; there is only one.")
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
