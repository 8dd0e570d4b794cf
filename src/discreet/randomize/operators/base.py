"""What every randomization operator answers: sets in, randomized sets out, and what is known.

An operator is public: whoever knows it can recover supports from what many people sent, and
can say how little one person's report discloses.
"""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from discreet import _native, checks
from discreet.data.transactions import Transactions, as_transactions
from discreet.errors import DataError, ParameterError
from discreet.noise import noise_from
from discreet.randomize.operators.law import (
    all_present,
    floats,
    gamma_of_law,
    inverse,
    invert,
    transition_matrix,
    why_singular,
)
from discreet.release.exact import log_above

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from fractions import Fraction
    from typing import Self

    from numpy.typing import NDArray

    from discreet.data.item_sets import Label
    from discreet.limits import Progress
    from discreet.noise import Noise
    from discreet.randomize.operators.law import (
        Matrix,
        SizeLaw,
    )


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

    def randomize(self, transactions: object, *, seed: int | None = None) -> Randomized:
        """Return the transactions, each randomized on its own.

        Parameters
        ----------
        transactions : Transactions, frame or iterable of sets
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
        transactions = as_transactions(transactions)
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
                "operator_from_dict reads every kind.",
                parameter="operator",
            )
        if set(given) != keys | {"operator"}:
            raise ParameterError(
                f"Operator {cls.kind!r} has the fields {sorted(keys)}, not "
                f"{sorted(set(given) - {'operator'})}.",
                parameter="operator",
            )


# Select-a-size operators: keep some items of the transaction, insert others at random.
#
# How many items are kept, and how likely another item is inserted, is a law for each size. All
# that can be said of the operator follows from these laws.


def check_n_items(n_items: int | None) -> None:
    """Raise ParameterError if the number of all items is given and none."""
    if n_items is not None:
        checks.whole("n_items", n_items, at_least=0)


class SizeLawOperator(Operator):
    """Base of the operators that have a :class:`SizeLaw` for every size."""

    @abstractmethod
    def law(self, m: int) -> SizeLaw:
        """Return the law for transactions of m items, or raise ParameterError."""

    def check_sizes(self, sizes: list[int], n_items: int) -> None:
        """Raise ParameterError if there is no law for one of these sizes."""
        n_items = checks.whole("n_items", n_items, at_least=0)
        for m in sizes:
            if checks.whole("sizes", m, at_least=0) > n_items:
                raise ParameterError(
                    f"A transaction of {m} items does not fit {n_items} items.", parameter="m"
                )
            self.law(m)

    def exact_transition(self, m: int, k: int, *, n_items: int | None = None) -> Matrix:
        """Return the transition matrix in exact fractions; the number of items is no matter."""
        check_n_items(n_items)
        return transition_matrix(self.law(m), m, k)

    def inverse(self, m: int, k: int, *, n_items: int | None = None) -> Matrix:
        """Return Q with Q P = 1 in exact fractions; the number of items is no matter."""
        check_n_items(n_items)
        return inverse(self.law(m), m, k)

    def all_present(self, m: int, k: int, *, n_items: int | None = None) -> tuple[Fraction, ...]:
        """Return the chances p[l -> k] that all items of an itemset are in the result.

        Examples
        --------
        >>> from discreet.randomize import CutAndPaste
        >>> print(*CutAndPaste(cutoff=2, rho="1/5").all_present(3, 2))
        1/25 7/75 49/225
        """
        check_n_items(n_items)
        return all_present(self.law(m), checks.whole("k", k, at_least=0))

    def gamma(self, m: int, n_items: int) -> Fraction | None:
        """Return the largest ratio of chances among transactions of m of n_items items.

        Examples
        --------
        >>> from discreet.randomize import CutAndPaste
        >>> operator = CutAndPaste(cutoff=7, rho=0.353)
        >>> operator.local_epsilon(5, n_items=1000)
        6.471298316321646
        """
        return gamma_of_law(self.law(m), m, n_items)

    def _draw(self, transactions: Transactions, noise: Noise) -> Transactions:
        sizes = np.unique(transactions.sizes).tolist()
        n_items = transactions.n_items
        bulk = BulkRandomizer.of(self, sizes=sizes, n_items=n_items, key=noise.key())
        return bulk.randomize(transactions)


# Randomized transactions: what the server holds, and all it holds.


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Randomized:
    """Randomized transactions, the true size of each, and the operator that made them.

    Attributes
    ----------
    transactions : Transactions
        The randomized sets, with the labels of the originals.
    sizes : array of int32
        Number of items of each original. It is published: recovery depends on it.
    operator : Operator
        What was applied, public.
    experimental : bool
        Whether a seed was used: then whoever has the seed can undo it.
    dummies : int
        How many labels, the last ones, are null items that fill transactions up and stand for
        nothing (see :func:`discreet.randomize.pad`).

    Examples
    --------
    >>> from discreet.data.transactions import Transactions
    >>> from discreet.randomize import CutAndPaste
    >>> baskets = Transactions.from_iterable([["tea", "milk"], ["milk"]] * 500)
    >>> CutAndPaste(cutoff=3, rho="1/4").randomize(baskets, seed=1)
    Randomized: 1,000 transactions of true sizes 1 to 2, 2 items, by cut-and-paste (experimental)
    """

    transactions: Transactions
    sizes: NDArray[np.int32]
    operator: Operator
    experimental: bool
    dummies: int = 0

    def __post_init__(self) -> None:
        sizes = np.asarray(self.sizes)
        if sizes.shape != (self.transactions.n_transactions,) or sizes.dtype.kind not in "iu":
            raise DataError(
                f"There are {self.transactions.n_transactions} transactions, so sizes must be "
                f"as many integers, not {sizes.dtype} {sizes.shape}."
            )
        if sizes.size and not (sizes.min() >= 0 and sizes.max() <= self.transactions.n_items):
            raise DataError(
                f"Sizes are from 0 to {self.transactions.n_items}, the number of items, not "
                f"{sizes.min()} to {sizes.max()}."
            )
        if not 0 <= self.dummies <= self.transactions.n_items:
            raise DataError(
                "{dummies} must be at most the number of items.", options={"dummies": self.dummies}
            )
        sizes = sizes.astype(np.int32)
        sizes.flags.writeable = False
        object.__setattr__(self, "sizes", sizes)

    @property
    def n_items(self) -> int:
        """Number of labels that the operator drew from, null items included."""
        return self.transactions.n_items

    @property
    def real_labels(self) -> tuple[Label, ...]:
        """The labels that stand for items: all but the null ones."""
        return self.transactions.labels[: self.n_items - self.dummies]

    def n_of_size(self) -> dict[int, int]:
        """Return the number of transactions of each true size, sizes ascending."""
        sizes, counts = np.unique(self.sizes, return_counts=True)
        return dict(zip(sizes.tolist(), counts.tolist(), strict=True))

    def __len__(self) -> int:
        return self.transactions.n_transactions

    def __repr__(self) -> str:
        least, most = (int(self.sizes.min()), int(self.sizes.max())) if len(self) else (0, 0)
        spread = f"{least}" if least == most else f"{least} to {most}"
        padding = f" and {self.dummies} null items" if self.dummies else ""
        return (
            f"Randomized: {len(self):,} transactions of true sizes {spread}, "
            f"{self.n_items - self.dummies:,} items{padding}, by {self.operator.kind}"
            f"{' (experimental)' if self.experimental else ''}"
        )


# Select-a-size operators on many transactions at once, by the compiled kernel.
#
# A key of 32 bytes is stretched by the cipher ChaCha20 into a stream for each block of 128
# transactions. What is drawn depends on the key and the place of a transaction only, not on the
# number of threads or on how many transactions are handed over at a time.

BLOCK = _native.SELECT_A_SIZE_BLOCK

PLACES = 256  # binary places of a probability: as many as the key has bits

CHUNK_BYTES = 1 << 22  # of bitmaps made at a time


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class BulkRandomizer:
    """The laws of some sizes as the kernel takes them, and a key.

    Attributes
    ----------
    sizes : tuple of int
        The sizes of transactions that have a law.
    biases : array of uint64
        For each size, rho in 256 binary places.
    at_most : array of uint64
        For each size m, the chances of keeping at most 0, ..., m - 1 items.
    n_items : int
        How many items there are to insert.
    key : bytes
        32 of them; secret where the draws are.

    Notes
    -----
    Probabilities are rounded down to 256 binary places, and then drawn from exactly, by
    comparing random bits with them until they differ. What is drawn for a transaction is thus
    within ``(n_items + m + 1) / 2**256`` of the law in total variation, and every local epsilon is
    rounded up by far more than that moves it. The draws are as good as ChaCha20 with a key
    from the operating system: nobody is known to distinguish its streams from uniform bits.

    References
    ----------
    Y. Nir, A. Langley (2018), ChaCha20 and Poly1305 for IETF protocols, RFC 8439.
    """

    sizes: tuple[int, ...]
    biases: NDArray[np.uint64]
    at_most: NDArray[np.uint64]
    n_items: int
    key: bytes

    @classmethod
    def of(
        cls, operator: SizeLawOperator, *, sizes: Iterable[int], n_items: int, key: bytes
    ) -> Self:
        """Return the randomizer of an operator for transactions of these sizes."""
        laws = {m: operator.law(m) for m in sorted(set(sizes))}
        # The last sum is 1 and needs no comparison.
        cumulated = [sum_ for law in laws.values() for sum_ in list(accumulate(law.keep))[:-1]]
        return cls(
            sizes=tuple(laws),
            # Cut off at 256 binary places: what that changes is far below what epsilon is rounded
            # up by.
            biases=digits([law.rho for law in laws.values()]),
            at_most=digits(cumulated),
            n_items=n_items,
            key=key,
        )

    def draw(
        self,
        offsets: NDArray[np.int64],
        items: NDArray[np.int32],
        *,
        first: int = 0,
        threads: int | None = None,
        progress: Progress | None = None,
    ) -> NDArray[np.uint64]:
        """Return randomized transactions as bitmaps, a row of whole words for each.

        Parameters
        ----------
        offsets, items : arrays of int64 and int32
            The transactions, items ascending in each.
        first : int
            The place of the first of them among all that this key randomizes, a multiple of
            128. Never use a place of a key twice: equal draws would cancel out.
        threads : int, optional
            All cores by default. The result does not depend on it.
        progress : callable, optional
            Called with the share of the work done.
        """
        words = _native.select_a_size(
            np.ascontiguousarray(offsets, np.int64),
            np.ascontiguousarray(items, np.int32),
            self.n_items,
            self.sizes,
            self.biases,
            self.at_most,
            self.key,
            first // BLOCK,
            _native.Control(threads or os.cpu_count() or 1),
            progress,
        )
        return words.reshape(len(offsets) - 1, -(-self.n_items // 64))

    def randomize(self, transactions: Transactions) -> Transactions:
        """Return all transactions randomized, under the same labels."""
        offsets, parts, n = [np.zeros(1, np.int64)], [np.empty(0, np.int32)], 0
        # Whole blocks, because the stream of a transaction depends on the place of its block.
        step = chunk_size(self.n_items)
        for first in range(0, len(transactions), step):
            cuts = transactions.offsets[first : first + step + 1]
            own = transactions.items[cuts[0] : cuts[-1]]
            made, items = lists_of(self.draw(cuts - cuts[0], own, first=first), self.n_items)
            offsets.append(made[1:] + n)
            parts.append(items)
            n += items.size
        cuts, items = np.concatenate(offsets), np.concatenate(parts)
        # Shared by every table made from it: a change in place would reach all of them.
        cuts.flags.writeable = items.flags.writeable = False
        return Transactions(offsets=cuts, items=items, labels=transactions.labels)


def chunk_size(n_items: int) -> int:
    """Return how many transactions to hand over at a time: whole blocks of a few megabytes.

    Examples
    --------
    >>> chunk_size(1000)
    32768
    """
    row_bytes = 8 * max(1, -(-n_items // 64))
    return max(1, CHUNK_BYTES // (BLOCK * row_bytes)) * BLOCK


def lists_of(
    bitmaps: NDArray[np.uint64], n_items: int, *, threads: int | None = None
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Return sets as offsets and items, from bitmaps of whole words.

    Examples
    --------
    >>> offsets, items = lists_of(np.array([[5], [0], [2]], np.uint64), 3)
    >>> offsets.tolist(), items.tolist()
    ([0, 2, 2, 3], [0, 2, 1])
    """
    control = _native.Control(threads or os.cpu_count() or 1)
    words = np.ascontiguousarray(bitmaps, np.uint64).ravel()
    return _native.lists_of_bitmaps(words, len(bitmaps), n_items, control)


def digits(chances: Iterable[Fraction]) -> NDArray[np.uint64]:
    """Return the first 256 binary places of probabilities, four words each.

    Probability 1 becomes 256 ones.

    Examples
    --------
    >>> from fractions import Fraction
    >>> [hex(word) for word in digits([Fraction(1, 3)]).tolist()]
    ['0x5555555555555555', '0x5555555555555555', '0x5555555555555555', '0x5555555555555555']
    """
    # 1 itself has no digits after the point.
    found = [min(int(chance * 2**PLACES), 2**PLACES - 1) for chance in chances]
    written = b"".join(number.to_bytes(PLACES // 8, "big") for number in found)
    return np.frombuffer(written, ">u8").astype(np.uint64)
