"""The paper's generator: a dependent code tree of the itemsets that Krimp finds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from discreet.mine.database import Item
from discreet.result import Result
from discreet.synthesize.code_tree import code_tree
from discreet.synthesize.krimp import krimp
from discreet.synthesize.row_drawer import BATCH, RowDrawer

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    import numpy as np
    from numpy.typing import NDArray

    from discreet.data.column import Label
    from discreet.data.table import Table
    from discreet.progress import Progress
    from discreet.result import Preview
    from discreet.synthesize.code_tree import CodeTree, Probability

MIN_SHARE = 0.01
THRESHOLD = 0.02


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class TreeModel(Result):
    """A code tree that rows are drawn from."""

    tree: CodeTree

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
        """Return codes of rows, a line for each column of the domain; see RowDrawer.batches."""
        drawer = RowDrawer.of(self.tree, given=given, seed=seed)
        return drawer.batches(n_rows, batch=batch, threads=threads, progress=progress)

    def preview(self) -> Preview:
        """Return the longest paths of the tree."""
        return self.tree.preview()

    def to_dict(self) -> dict[str, object]:
        """Return the tree."""
        return {"tree": self.tree.to_dict()}

    def __repr__(self) -> str:
        return f"TreeModel({self.tree!r})"


def fit_tree(
    rows: Table,
    *,
    domain: Mapping[str, tuple[Label, ...]],
    probability: Probability,
    progress: Progress | None = None,
) -> TreeModel:
    """Return the code tree of what Krimp finds in rows that may be looked at freely.

    Parameters
    ----------
    rows : Table
        Randomized cells, or rows drawn from another model: never the data themselves.
    domain : mapping
        Columns in the order of drawing, with their values.
    probability : callable
        The estimated shares of itemsets, see :func:`~discreet.synthesize.code_tree.code_tree`.
    progress : callable, optional
        Of Krimp.

    Notes
    -----
    Candidates are closed itemsets in one row of a hundred, unions those in one of fifty. The tree
    is coarse even where nothing is randomized: on Adult its pairs of values are off by a
    total variation of 0.06, ten times as much as the layers of
    :func:`~discreet.synthesize.pair_model.fit_pairs`.

    References
    ----------
    J. Dorrestijn (2018), Provable privacy for database generation, sections 3.4.2 to 3.4.4.
    """
    names = list(domain)
    table = krimp(
        rows.select(names), min_support=max(1, round(MIN_SHARE * rows.n_rows)), progress=progress
    )
    used = [
        frozenset(item for item in items if isinstance(item, Item))
        for items, usage in zip(table.itemsets, table.usages, strict=True)
        if usage > 0 and len(items) > 1
    ]
    return TreeModel(
        tree=code_tree(used, domain=domain, probability=probability, threshold=THRESHOLD)
    )
