"""Layers of weights, and the sweeps that redraw the cells of rows by them."""

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


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Layers:
    """Weights by which every cell of a row is redrawn given all others, column after column.

    Attributes
    ----------
    biases : array of float32
        Layers x values, all columns' values numbered through.
    links : array of float32
        Layers x values x values.
    """

    biases: NDArray[np.float32]
    links: NDArray[np.float32]

    def __len__(self) -> int:
        return len(self.biases)

    def __getitem__(self, some: slice) -> Layers:
        return Layers(biases=self.biases[some], links=self.links[some])


def sweep(
    codes: NDArray[np.int32],
    domain: Mapping[str, tuple[Label, ...]],
    layers: Layers,
    *,
    key: bytes,
    held: NDArray[np.uint8] | None = None,
    first_block: int = 0,
    count: bool = False,
    threads: int | None = None,
) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
    """Return rows swept by every layer in turn, and their shares of pairs if asked for.

    Parameters
    ----------
    codes : array of int32
        A line for each column.
    domain : mapping
        Columns and their values.
    layers : Layers
        In the order in which they sweep.
    key : bytes
        Of the random numbers.
    held : array of uint8, optional
        Which columns stay as they are.
    first_block : int
        The number of the first block of rows among all that this key sweeps.
    count : bool
        Whether to count; else all shares are 0.
    threads : int, optional
        All cores by default. The rows do not depend on it.
    """
    offsets = np.cumsum([0, *map(len, domain.values())])
    swept, counts = _native.sweep_rows(
        offsets, layers.biases.ravel(), layers.links.ravel(), np.ascontiguousarray(codes).ravel(),
        np.zeros(len(domain), np.uint8) if held is None else held, key, first_block, count,
        _native.Control(threads or os.cpu_count() or 1),
    )  # fmt: skip
    return swept, (counts + np.triu(counts, 1).T) / max(1, codes.shape[1])
