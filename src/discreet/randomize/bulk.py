"""Select-a-size operators on many transactions at once, by the compiled kernel.

A key of 32 bytes is stretched by the cipher ChaCha20 into a stream for each block of 128
transactions. What is drawn depends on the key and the place of a transaction only, not on the
number of threads or on how many transactions are handed over at a time.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING

import numpy as np

from discreet import _native
from discreet.data.transactions import Transactions

if TYPE_CHECKING:
    from collections.abc import Iterable
    from fractions import Fraction
    from typing import Self

    from numpy.typing import NDArray

    from discreet.progress import Progress
    from discreet.randomize.operators.size_law import SizeLawOperator

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
    from the operating system: nobody is known to tell its streams from uniform bits.

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
        cumulated = [sum_ for law in laws.values() for sum_ in list(accumulate(law.keep))[:-1]]
        return cls(
            sizes=tuple(laws),
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
        step = chunk_size(self.n_items)
        for first in range(0, len(transactions), step):
            cuts = transactions.offsets[first : first + step + 1]
            own = transactions.items[cuts[0] : cuts[-1]]
            made, items = lists_of(self.draw(cuts - cuts[0], own, first=first), self.n_items)
            offsets.append(made[1:] + n)
            parts.append(items)
            n += items.size
        cuts, items = np.concatenate(offsets), np.concatenate(parts)
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
    found = [min(int(chance * 2**PLACES), 2**PLACES - 1) for chance in chances]
    written = b"".join(number.to_bytes(PLACES // 8, "big") for number in found)
    return np.frombuffer(written, ">u8").astype(np.uint64)
