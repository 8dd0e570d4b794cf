"""What stand-in rows are drawn from: a code tree, and layers of weights that sweep its rows."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from discreet import _native
from discreet.noise import noise_from
from discreet.result import Result
from discreet.synthesize.row_drawer import BATCH, BLOCK, RowDrawer

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from numpy.typing import NDArray

    from discreet.data.column import Label
    from discreet.progress import Progress
    from discreet.result import Preview
    from discreet.synthesize.code_tree import CodeTree


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


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class RowModel(Result):
    """A code tree and the layers that sweep what is drawn from it, if any.

    Attributes
    ----------
    tree : CodeTree
        Its domain has the columns in the order of drawing.
    layers : Layers, optional
        In the order in which they sweep.
    """

    tree: CodeTree
    layers: Layers | None = None

    @property
    def domain(self) -> Mapping[str, tuple[Label, ...]]:
        """Columns in the order of drawing, with their values."""
        return self.tree.domain

    def batches(
        self,
        n_rows: int,
        *,
        given: Mapping[str, Label] | None = None,
        seed: int | None = None,
        batch: int = BATCH,
        threads: int | None = None,
        progress: Progress | None = None,
    ) -> Iterator[NDArray[np.int32]]:
        """Yield codes of rows, a line for each column of the domain; see RowDrawer.batches."""
        noise = noise_from(seed)
        drawer = RowDrawer.of(self.tree, given=given, noise=noise)
        held = np.array([name in (given or {}) for name in self.domain], np.uint8)
        key, first = noise.key(), 0
        for drawn in drawer.batches(n_rows, batch=batch, threads=threads, progress=progress):
            yield drawn if self.layers is None else sweep(
                drawn, self.domain, self.layers, key=key, held=held, first_block=first // BLOCK,
                threads=threads,
            )[0]  # fmt: skip
            first += drawn.shape[1]

    def preview(self) -> Preview:
        """Return the longest paths of the tree."""
        return self.tree.preview()

    def to_dict(self) -> dict[str, object]:
        """Return the tree and the number of layers."""
        return {"tree": self.tree.to_dict(), "n_layers": len(self.layers or ())}

    def __repr__(self) -> str:
        return f"RowModel({len(self.domain)} columns, {len(self.layers or ())} layers)"


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
