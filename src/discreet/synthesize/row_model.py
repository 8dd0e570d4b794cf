"""What stand-in rows are drawn from: a code tree, layers that sweep its rows, shares to meet."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from discreet.noise import noise_from
from discreet.result import Result
from discreet.synthesize.balance import CHUNK, balance
from discreet.synthesize.layers import sweep
from discreet.synthesize.row_drawer import BATCH, BLOCK, RowDrawer

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from numpy.typing import NDArray

    from discreet.data.column import Label
    from discreet.progress import Progress
    from discreet.result import Preview
    from discreet.synthesize.balance import Wanted
    from discreet.synthesize.code_tree import CodeTree
    from discreet.synthesize.layers import Layers


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class RowModel(Result):
    """A code tree, the layers that sweep what is drawn from it, and the shares it is balanced to.

    Attributes
    ----------
    tree : CodeTree
        Its domain has the columns in the order of drawing.
    layers : Layers, optional
        In the order in which they sweep.
    wanted : Wanted, optional
        What swept rows are balanced to, in chunks; not with values given, when other shares hold.
    """

    tree: CodeTree
    layers: Layers | None = None
    wanted: Wanted | None = None

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
        sweeping, balancing, first = noise.key(), noise.key(), 0
        wanted = None if given else self.wanted
        if wanted is not None:
            batch = -(-batch // CHUNK) * CHUNK
        for drawn in drawer.batches(n_rows, batch=batch, threads=threads, progress=progress):
            rows = drawn
            if self.layers:
                rows, _ = sweep(
                    rows, self.domain, self.layers, key=sweeping, held=held,
                    first_block=first // BLOCK, threads=threads,
                )  # fmt: skip
                if wanted is not None:
                    rows = balance(
                        rows, self.domain, self.layers[-1:], wanted, key=balancing,
                        first_chunk=first // CHUNK, threads=threads,
                    )  # fmt: skip
            yield rows
            first += rows.shape[1]

    def preview(self) -> Preview:
        """Return the longest paths of the tree."""
        return self.tree.preview()

    def to_dict(self) -> dict[str, object]:
        """Return the tree and the number of layers."""
        return {"tree": self.tree.to_dict(), "n_layers": len(self.layers or ())}

    def __repr__(self) -> str:
        return f"RowModel({len(self.domain)} columns, {len(self.layers or ())} layers)"
