"""A table as wide as a customer file: columns about the neighbourhood, then about the customer."""

from __future__ import annotations

import numpy as np

import discreet as dc


def wide_table(n_rows: int, n_columns: int, *, seed: int = 1) -> dc.Table:
    """Return rows of customers, as of CoIL 2000.

    The first half of the columns says what kind of neighbourhood a customer lives in, by degrees;
    the second half says what few customers have, and most have none of it.
    """
    rng = np.random.default_rng(seed)
    kind = rng.integers(0, 8, n_rows)
    half = n_columns // 2
    columns: dict[str, list[int]] = {}
    for place in range(n_columns):
        if place < half:
            usual = (kind * (place % 7 + 1)) % 5
            codes = usual + rng.choice([-1, 0, 1], n_rows, p=[0.15, 0.7, 0.15])
            codes = np.clip(codes, 0, 5)
        else:
            codes = np.where(rng.random(n_rows) < 0.06 + 0.02 * (kind == place % 8), 1, 0)
            codes = codes * rng.integers(1, 4, n_rows)
        columns[f"c{place:03}"] = codes.tolist()
    return dc.Table.from_frame(columns, categorical=True)
