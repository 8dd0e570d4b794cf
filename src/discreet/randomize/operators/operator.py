"""What every randomization operator answers: sets in, randomized sets out, and what is known.

An operator is public: whoever knows it can recover supports from what many people sent, and
can say how little one person's report tells.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, ClassVar

from discreet.errors import ParameterError
from discreet.noise import noise_from
from discreet.randomize.matrix import floats, invert
from discreet.randomize.randomized import Randomized
from discreet.randomize.transition import why_singular
from discreet.release.exact import log_above

if TYPE_CHECKING:
    from collections.abc import Mapping
    from fractions import Fraction
    from typing import Self

    import numpy as np
    from numpy.typing import NDArray

    from discreet.data.transactions import Transactions
    from discreet.noise import Noise
    from discreet.randomize.matrix import Matrix


class Operator(ABC):
    """Base of the randomization operators (Definition 2 of the paper).

    Notes
    -----
    An operator that is per-transaction (Definition 5) and item-invariant (Definition 6) has a
    transition matrix for every size m of a transaction and k of an itemset (Definition 10).

    References
    ----------
    A. Evfimievski, R. Srikant, R. Agrawal, J. Gehrke (2004), Privacy preserving mining of
    association rules, section 4.1.
    """

    kind: ClassVar[str]  # its name in a policy
    is_per_transaction: ClassVar[bool] = True  # whether a person can apply it alone

    def randomize(self, transactions: Transactions, *, seed: int | None = None) -> Randomized:
        """Return the transactions, each randomized on its own.

        Parameters
        ----------
        transactions : Transactions
            Their labels are the list of all items: every one of them may be inserted.
        seed : int, optional
            For experiments that are repeated and not published. By default every draw comes
            from the operating system.

        Returns
        -------
        Randomized
            The randomized sets in the same order, with the true sizes and this operator.

        Raises
        ------
        ParameterError
            If the operator is not defined for the size of some transaction.
        """
        noise = noise_from(seed)
        sizes = transactions.sizes
        self.check_sizes(sorted(set(sizes.tolist())), transactions.n_items)
        return Randomized(
            transactions=self._draw(transactions, noise),
            sizes=sizes.astype("int32"),
            operator=self,
            experimental=not noise.is_secure,
        )

    @abstractmethod
    def check_sizes(self, sizes: list[int], n_items: int) -> None:
        """Raise ParameterError if the operator is not defined for one of these sizes."""

    @abstractmethod
    def _draw(self, transactions: Transactions, noise: Noise) -> Transactions:
        """Return the randomized sets."""

    @abstractmethod
    def exact_transition(self, m: int, k: int, *, n_items: int | None = None) -> Matrix:
        """Return the transition matrix in exact fractions; see :meth:`transition`."""

    def transition(self, m: int, k: int, *, n_items: int | None = None) -> NDArray[np.float64]:
        r"""Return the chances that l items of an itemset become l' items.

        .. math:: P_{l' l} = p^m_k[l \to l']
            = \mathrm{P}\big[\, |t' \cap A| = l' \;\big|\; |t \cap A| = l \,\big]
            \qquad (3)

        where :math:`t` is a transaction of :math:`m` items, :math:`t'` what becomes of it, and
        :math:`A` an itemset of :math:`k` items.

        Parameters
        ----------
        m : int
            Size of the transaction, at least 0.
        k : int
            Size of the itemset, at least 0.
        n_items : int, optional
            Number of all items, which uniform randomization depends on.

        Returns
        -------
        ndarray of float64
            ``k + 1`` rows (l') and ``min(k, m) + 1`` columns (l); every column sums to 1.
        """
        return floats(self.exact_transition(m, k, n_items=n_items))

    def inverse(self, m: int, k: int, *, n_items: int | None = None) -> Matrix:
        """Return Q with Q P = 1 in exact fractions, which recovers partial supports (10).

        Parameters
        ----------
        m : int
            Size of the transactions, at least 0.
        k : int
            Size of the itemset, at least 0.
        n_items : int, optional
            Number of all items, which uniform randomization depends on.

        Returns
        -------
        Matrix
            ``min(k, m) + 1`` rows (l) and ``k + 1`` columns (l').

        Raises
        ------
        InfeasibleError
            If the transition matrix is singular, with the reason.
        """
        return invert(self.exact_transition(m, k, n_items=n_items), reason=why_singular(m, k))

    def all_present(self, m: int, k: int, *, n_items: int | None = None) -> tuple[Fraction, ...]:
        """Return the chances p[l -> k] that all items of an itemset are in the result.

        Parameters
        ----------
        m : int
            Size of the transaction, at least 0.
        k : int
            Size of the itemset, at least 0.
        n_items : int, optional
            Number of all items, which uniform randomization depends on.

        Returns
        -------
        tuple of Fraction
            One chance for each l from 0 to min(k, m).
        """
        return self.exact_transition(m, k, n_items=n_items)[k]

    @abstractmethod
    def gamma(self, m: int, n_items: int) -> Fraction | None:
        """Return the largest ratio of chances among transactions of one public size.

        Parameters
        ----------
        m : int
            The size, at least 0.
        n_items : int
            Number of all items, at least m.

        Returns
        -------
        Fraction or None
            How much likelier one transaction of ``m`` items makes a randomized set than
            another, at most; None where there is no bound.
        """

    def local_epsilon(self, m: int, n_items: int) -> float:
        """Return the local epsilon among transactions of one public size, rounded up.

        Parameters
        ----------
        m : int
            The size, at least 0.
        n_items : int
            Number of all items, at least m.

        Returns
        -------
        float
            The natural logarithm of :meth:`gamma`; ``inf`` where there is no bound.
        """
        return log_above(self.gamma(m, n_items))

    @abstractmethod
    def to_dict(self) -> dict[str, object]:
        """Return the operator as JSON holds it: the policy that people are given."""

    @classmethod
    @abstractmethod
    def from_dict(cls, given: Mapping[str, object]) -> Self:
        """Return the operator that :meth:`to_dict` wrote, or raise ParameterError."""

    @classmethod
    def _check_kind(cls, given: Mapping[str, object], keys: set[str]) -> None:
        """Raise ParameterError unless these are the keys of this operator and no others."""
        if given.get("operator") != cls.kind:
            raise ParameterError(
                f"This is operator {given.get('operator')!r}, not {cls.kind!r}; "
                "operator_from_dict reads every kind."
            )
        if set(given) != keys | {"operator"}:
            raise ParameterError(
                f"Operator {cls.kind!r} has the fields {sorted(keys)}, not "
                f"{sorted(set(given) - {'operator'})}."
            )
