"""The select-a-size operator in plain numpy: the twin of the compiled kernel."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from discreet.data.transactions import Transactions

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from discreet.noise import Noise
    from discreet.randomize.operators import SizeLawOperator

CHUNK = 1 << 22  # coins at a time


def select_a_size(
    operator: SizeLawOperator, transactions: Transactions, noise: Noise
) -> Transactions:
    """Return the transactions randomized, size by size."""
    sizes = transactions.sizes
    drawn: list[NDArray[np.int64]] = []  # keys row * n_items + item
    for m in np.unique(sizes).tolist():
        rows = np.flatnonzero(sizes == m)
        step = max(1, CHUNK // max(1, transactions.n_items))
        drawn += [
            _draw_rows(operator, transactions, rows[start : start + step], m, noise)
            for start in range(0, rows.size, step)
        ]
    keys = np.sort(np.concatenate(drawn)) if drawn else np.empty(0, np.int64)
    row, items = np.divmod(keys, max(1, transactions.n_items))
    offsets = np.searchsorted(row, np.arange(len(transactions) + 1))
    return Transactions.from_csr(offsets, items, transactions.labels)


def _draw_rows(
    operator: SizeLawOperator,
    transactions: Transactions,
    rows: NDArray[np.int64],
    m: int,
    noise: Noise,
) -> NDArray[np.int64]:
    """Return the items of randomized rows, all of size m, as keys row * n_items + item."""
    law, n_items = operator.law(m), transactions.n_items
    own = transactions.items[transactions.offsets[rows][:, None] + np.arange(m)]
    # Definition 7: a coin for every item outside, the drawn j items inside.
    present = noise.bernoulli(law.rho, rows.size * n_items).reshape(rows.size, n_items)
    n_kept = draw_from(law.keep, rows.size, noise)
    shuffled = shuffle_rows(own, noise)
    present[np.arange(rows.size)[:, None], shuffled] = np.arange(m) < n_kept[:, None]
    row, item = np.nonzero(present)
    return rows[row] * n_items + item


def draw_from(chances: tuple[Fraction, ...], size: int, noise: Noise) -> NDArray[np.int64]:
    """Return numbers 0, 1, ... drawn with exactly these chances."""
    out = np.full(size, len(chances) - 1)
    left, remaining = np.arange(size), Fraction(1)
    for value, chance in enumerate(chances[:-1]):
        if remaining == 0:
            break
        hit = noise.bernoulli(chance / remaining, left.size)
        out[left[hit]] = value
        left, remaining = left[~hit], remaining - chance
    return out


def shuffle_rows(rows: NDArray[np.int32], noise: Noise) -> NDArray[np.int32]:
    """Return every row in an order drawn uniformly from all orders, rows independent."""
    out, at = rows.copy(), np.arange(len(rows))
    for i in range(rows.shape[1] - 1):  # Fisher and Yates, one column of all rows at a time
        chosen = i + noise.integers(rows.shape[1] - i, size=len(rows))
        out[at, i], out[at, chosen] = out[at, chosen], out[:, i].copy()
    return out
