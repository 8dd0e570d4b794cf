"""Rows balanced: cells redrawn until shares of values and pairs are those that were measured.

Rows drawn one by one have any share only up to chance, and up to what the model misses. Both can be
seen in the rows alone: where a value or a pair is had by too many of them, some get another.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from discreet import _native

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from discreet.data.column import Label
    from discreet.synthesize.layers import Layers

CHUNK = _native.BALANCE_CHUNK
N_ROUNDS = 16  # at most: the last is the first that changes less than one cell in a thousand


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Wanted:
    """Shares of the rows that rows are balanced to.

    Attributes
    ----------
    shares : array of float64
        Values x values, all columns' values numbered through: of two values together, and on
        the diagonal of one.
    slack : array of float64
        By how much each may be missed; infinite where it was not measured.
    """

    shares: NDArray[np.float64]
    slack: NDArray[np.float64]


def balance(
    codes: NDArray[np.int32],
    domain: Mapping[str, tuple[Label, ...]],
    layer: Layers,
    wanted: Wanted,
    *,
    key: bytes,
    first_chunk: int = 0,
    n_rounds: int = N_ROUNDS,
    threads: int | None = None,
) -> NDArray[np.int32]:
    r"""Return rows with some cells redrawn, nearer to the wanted shares.

    Row after row, column after column, a value is drawn given all others, and taken if it lowers

    .. math:: \sum_{u \le v} \max(|C_{uv} - n T_{uv}| - n s_{uv}, 0)^2

    where C are counts of values and pairs, T the wanted shares, s the slack, and n the number of
    rows of a chunk. Wanted counts are rounded up or down by chance, to the same sums over all
    chunks.

    Parameters
    ----------
    codes : array of int32
        A line for each column.
    domain : mapping
        Columns and their values.
    layer : Layers
        One, that cells are redrawn by: what a row gets goes with the rest of it.
    wanted : Wanted
        Shares and slack.
    key : bytes
        Of the random numbers.
    first_chunk : int
        The number of the first chunk of 16,384 rows among all that this key balances.
    n_rounds : int
        How many times every cell is redrawn at most; no more once less than one cell in a
        thousand changes.
    threads : int, optional
        All cores by default. The rows do not depend on it.

    Notes
    -----
    Post-processing: nothing is looked at but the rows, the layer and the wanted shares. Time:
    rounds x rows x columns x values.

    References
    ----------
    Z. Zhang et al. (2021), PrivSyn, for rows that are changed until they have the marginals;
    here a change must be likely by the layer too.
    """
    offsets = np.cumsum([0, *map(len, domain.values())])
    return _native.balance_rows(
        offsets, layer.biases.ravel(), layer.links.ravel(), np.ascontiguousarray(codes).ravel(),
        wanted.shares.ravel(), wanted.slack.ravel(), n_rounds, key, first_chunk,
        _native.Control(threads or os.cpu_count() or 1),
    )  # fmt: skip
