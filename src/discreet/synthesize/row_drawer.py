"""Rows drawn from a code tree as codes, some thousands at a time, by the compiled kernel.

A key of 32 bytes is stretched by the cipher ChaCha20 into a stream for each block of rows. What is
drawn depends on the key and the place of a row only, not on the number of threads or on how many
rows are asked for at a time.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from discreet import _native
from discreet.errors import LimitError, ParameterError, did_you_mean
from discreet.synthesize.contexts import contexts

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Self

    from numpy.typing import NDArray

    from discreet.data.column import Label
    from discreet.noise import Noise
    from discreet.progress import Progress
    from discreet.synthesize.code_tree import CodeTree

BLOCK = _native.GENERATE_BLOCK
BATCH = 1 << 16
MOST_CELLS = 4_000_000_000  # of rows that are held in memory, of a byte or two each
MOST_ROWS = 10**12  # of rows that are drawn some at a time


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


def check_numbers(
    n_rows: int, *, batch: int = BATCH, threads: int | None = None, n_columns: int | None = None
) -> None:
    """Raise an error unless the numbers are in their ranges.

    Parameters
    ----------
    n_rows, batch, threads : int
        As of `RowDrawer.batches`.
    n_columns : int, optional
        Of rows that are all held in memory; not of rows that go to a file.

    Raises
    ------
    ParameterError
        If a number is not whole or too small.
    LimitError
        If there are more rows than memory holds, or than could ever be drawn.
    """
    _check_whole("n_rows", n_rows, least=0)
    _check_whole("batch", batch, least=1)
    if threads is not None:
        _check_whole("threads", threads, least=1)
    if n_columns is not None and int(n_rows) * n_columns > MOST_CELLS:
        raise LimitError(
            f"n_rows={n_rows:,} with {n_columns} columns is more than the {MOST_CELLS:,} cells "
            "that are held in memory. Ask for fewer by n_rows=; without it, as many are drawn as "
            "are estimated. KrimpSynthesizer.write and generate_file write more to a file."
        )
    if n_rows > MOST_ROWS:
        raise LimitError(f"n_rows={n_rows:,} is more than {MOST_ROWS:,}. Ask for fewer rows.")


def _check_whole(name: str, value: object, *, least: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int | np.integer):
        raise ParameterError(f"{name}={value!r} must be a whole number, at least {least}.")
    if value < least:
        raise ParameterError(f"{name}={value} must be at least {least}.")


def _given_codes(tree: CodeTree, given: Mapping[str, Label]) -> NDArray[np.int32]:
    """Return the codes of the first columns, or raise ParameterError."""
    if not isinstance(given, Mapping):
        raise ParameterError(
            f"given={given!r} must say of which column it is a value, as in "
            "given={'column': 'value'}."
        )
    first = list(tree.domain)[: len(given)]
    for name, value in given.items():
        if name not in tree.domain:
            raise ParameterError(
                f"given: there is no column {name!r}. {did_you_mean(str(name), tree.domain)}"
            )
        if name not in first:
            raise ParameterError(
                f"given: column '{name}' is not among the first {len(given)} of the tree, "
                f"{', '.join(first)}. Make the tree with a domain that begins with those given; to "
                f"draw from a fitted table, fit KrimpSynthesizer(label='{name}')."
            )
        if value not in tree.domain[name]:
            known = [str(label) for label in tree.domain[name]]
            raise ParameterError(
                f"given: column '{name}' has no value {value!r}. {did_you_mean(str(value), known)}"
            )
    return np.array([tree.domain[name].index(given[name]) for name in first], np.int32)
