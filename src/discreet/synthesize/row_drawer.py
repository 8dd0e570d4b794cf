"""Rows drawn from a code tree as codes, some thousands at a time, by the compiled kernel.

A key of 32 bytes is stretched by the cipher ChaCha20 into a stream for each block of rows. What is
drawn depends on the key and the place of a row only, not on the number of threads or on how many
rows are asked for at a time.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from discreet import _native
from discreet.errors import ParameterError, did_you_mean
from discreet.synthesize.contexts import contexts

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Self

    from numpy.typing import NDArray

    from discreet.data.column import Label
    from discreet.noise import Noise
    from discreet.progress import Progress
    from discreet.synthesize.code_tree import CodeTree

BLOCK = _native.GENERATE_BLOCK
BATCH = 1 << 16


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RowDrawer:
    """A tree as the kernel takes it, the codes its first columns are given, and a key.

    Notes
    -----
    Chances are rounded to 63 binary places. Nothing rests on that: what protects anybody is in
    the tree. The draws are as good as ChaCha20 with a key from the operating system.

    References
    ----------
    Y. Nir, A. Langley (2018), ChaCha20 and Poly1305 for IETF protocols, RFC 8439.
    """

    contexts: _native.Contexts
    given: NDArray[np.int32]
    key: bytes

    @classmethod
    def of(cls, tree: CodeTree, *, noise: Noise, given: Mapping[str, Label] | None = None) -> Self:
        """Return the drawer of a tree, with a key of its own from a source of noise."""
        codes = _given_codes(tree, given or {})
        return cls(contexts=contexts(tree), given=codes, key=noise.key())

    def batches(
        self,
        n_rows: int,
        *,
        batch: int = BATCH,
        threads: int | None = None,
        progress: Progress | None = None,
    ) -> Iterator[NDArray[np.int32]]:
        """Return codes, a line for each column, of all rows in order.

        Parameters
        ----------
        n_rows : int
            How many rows there are in all.
        batch : int
            How many at a time; rounded up to whole blocks of 256.
        threads : int, optional
            All cores by default. The rows do not depend on it.
        progress : callable, optional
            Called with the share of the rows drawn.
        """
        size = -(-batch // BLOCK) * BLOCK
        for first in range(0, n_rows, size):
            n = min(size, n_rows - first)
            control = _native.Control(threads or os.cpu_count() or 1)
            yield _native.generate(self.contexts, self.given, self.key, first // BLOCK, n, control)
            if progress is not None:
                progress((first + n) / n_rows)


def check_numbers(n_rows: int, *, batch: int = BATCH, threads: int | None = None) -> None:
    """Raise ParameterError unless the numbers are in their ranges."""
    if n_rows < 0:
        raise ParameterError(f"n_rows={n_rows} must be at least 0.")
    if batch < 1:
        raise ParameterError(f"batch={batch} must be at least 1.")
    if threads is not None and threads < 1:
        raise ParameterError(f"threads={threads} must be at least 1.")


def _given_codes(tree: CodeTree, given: Mapping[str, Label]) -> NDArray[np.int32]:
    """Return the codes of the first columns, or raise ParameterError."""
    first = list(tree.domain)[: len(given)]
    for name, value in given.items():
        if name not in tree.domain:
            raise ParameterError(
                f"given: there is no column {name!r}. {did_you_mean(str(name), tree.domain)}"
            )
        if name not in first:
            raise ParameterError(
                f"given: column '{name}' is not among the first {len(given)} of the tree, "
                f"{', '.join(first)}. Make the tree with a domain that begins with those given."
            )
        if value not in tree.domain[name]:
            known = [str(label) for label in tree.domain[name]]
            raise ParameterError(
                f"given: column '{name}' has no value {value!r}. {did_you_mean(str(value), known)}"
            )
    return np.array([tree.domain[name].index(given[name]) for name in first], np.int32)
