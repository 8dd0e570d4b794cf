"""Transactions drawn at random, to randomize and to count."""

from __future__ import annotations

import numpy as np

from discreet.data.transactions import Transactions


def baskets(n: int, n_items: int, most: int, seed: int = 1) -> Transactions:
    draws = np.random.default_rng(seed)
    lists = [draws.choice(n_items, draws.integers(0, most + 1), replace=False) for _ in range(n)]
    offsets = np.concatenate([[0], np.cumsum([len(one) for one in lists])])
    return Transactions.from_csr(offsets, np.concatenate(lists), range(n_items))
