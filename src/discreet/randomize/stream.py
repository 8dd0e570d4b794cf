"""Randomizing a file of transactions of any length in the memory of a few thousand."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np
import polars as pl
from polars.io.plugins import register_io_source

from discreet import _native
from discreet.data.files.atomic import atomic_path
from discreet.errors import ParameterError, did_you_mean
from discreet.noise import noise_from
from discreet.randomize.ahead import ahead, made_ahead
from discreet.randomize.bulk import BulkRandomizer, chunk_size, lists_of
from discreet.randomize.file_batches import file_batches
from discreet.randomize.item_codes import ItemCodes
from discreet.randomize.operators.size_law import SizeLawOperator
from discreet.randomize.randomized_file import FORMS, metadata, open_randomized

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from discreet.data.item_sets import Label
    from discreet.progress import Progress
    from discreet.randomize.file_batches import Batch
    from discreet.randomize.operators.operator import Operator
    from discreet.randomize.randomized_file import Form, RandomizedFile

Compression: TypeAlias = Literal["zstd", "lz4", "snappy", "uncompressed"]


def randomize_file(
    source: str | os.PathLike[str],
    target: str | os.PathLike[str],
    operator: Operator,
    *,
    items: Sequence[Label],
    column: str = "items",
    form: Form = "lists",
    compression: Compression | None = None,
    seed: int | None = None,
    overwrite: bool = False,
    threads: int | None = None,
    progress: Progress | None = None,
) -> RandomizedFile:
    r"""Randomize the transactions of a file into another one, a few thousand at a time.

    Parameters
    ----------
    source : path
        Parquet with a list column, or FIMI text (one transaction a line), also compressed.
    target : path
        The Parquet file to write. It appears whole or not at all.
    operator : SelectASize or CutAndPaste
        What to apply.
    items : sequence of int, or of str
        The public list of all items, each once. It must not be taken from the transactions
        themselves: an item that is listed because somebody has it would tell of that person.
    column : str
        The list column of a Parquet source.
    form : {"lists", "bitmaps"}
        How the randomized sets are held: lists of items, or a bit for every item of the list.
        Bitmaps are faster, and smaller where rho is above a few hundredths.
    compression : {"zstd", "lz4", "snappy", "uncompressed"}, optional
        Of the target. By default ``zstd`` for lists and ``uncompressed`` for bitmaps, of
        which hardly anything can be saved.
    seed : int, optional
        For experiments that are repeated and not published.
    overwrite : bool
        Whether a file of that name may be replaced.
    threads : int, optional
        All cores by default. What is drawn does not depend on it.
    progress : callable, optional
        Called with the share of the source read.

    Returns
    -------
    RandomizedFile
        The target, opened. It holds the sets and the true sizes, and in its metadata the
        operator and the list of items.

    Raises
    ------
    ParameterError
        If an option is out of its range, the target exists, or the operator is not defined
        for the size of some transaction.
    DataError
        If the source cannot be read, an item is missing or not in the list, or the target
        cannot be written.

    Notes
    -----
    **Guarantee.** That of the operator, for each transaction; see its ``local_epsilon``. The
    order of the transactions is kept.

    Time is linear in transactions times items. Memory does not grow with the number of
    transactions. The draws are the same as those of ``operator.randomize`` with that seed.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from discreet.randomize import CutAndPaste
    >>> folder = tempfile.TemporaryDirectory()
    >>> source = pathlib.Path(folder.name) / "baskets.dat"
    >>> _ = source.write_text("1 2\n2\n\n1 3\n")
    >>> operator = CutAndPaste(cutoff=3, rho="1/4")
    >>> made = randomize_file(source, source.with_suffix(".parquet"), operator, items=[1, 2, 3])
    >>> len(made), made.n_of_size
    (4, {0: 1, 1: 1, 2: 2})
    >>> folder.cleanup()
    """
    bulk = _checked(target, operator, form)
    codes, noise = ItemCodes.of(items), noise_from(seed)
    n_items, key = len(codes.labels), noise.key()
    chunk = chunk_size(n_items)
    batches = file_batches(source, codes=codes, column=column, size=chunk)
    schema = _schema(codes, form)

    def drawn(numbered: tuple[int, Batch]) -> tuple[pl.DataFrame, float]:
        number, batch = numbered
        sizes = np.diff(batch.offsets)
        seen = np.unique(sizes).tolist()
        bulk.check_sizes(seen, n_items)
        bits = BulkRandomizer.of(bulk, sizes=seen, n_items=n_items, key=key).draw(
            batch.offsets, batch.items, first=number * chunk, threads=1
        )
        return _frame(bits, sizes, codes, schema), batch.fraction

    def frames(*_asked: object) -> Iterator[pl.DataFrame]:
        workers = threads or os.cpu_count() or 1
        for frame, fraction in made_ahead(drawn, enumerate(ahead(batches)), workers):
            yield frame
            if progress is not None:
                progress(fraction)

    with atomic_path(target, overwrite=overwrite) as temporary:
        register_io_source(frames, schema=schema).sink_parquet(
            temporary,
            compression=compression or ("zstd" if form == "lists" else "uncompressed"),
            statistics=False,
            row_group_size=chunk,
            metadata=metadata(operator, codes.labels, experimental=not noise.is_secure),
        )
    return open_randomized(target)


def _schema(codes: ItemCodes, form: Form) -> dict[str, pl.DataType]:
    sets: dict[str, pl.DataType] = {"items": pl.List(codes.dtype)}
    if form == "bitmaps":
        sets = {"bitmap": pl.Array(pl.UInt64, -(-len(codes.labels) // 64))}
    return sets | {"size": pl.Int32()}


def _frame(
    drawn: NDArray[np.uint64],
    sizes: NDArray[np.int64],
    codes: ItemCodes,
    schema: dict[str, pl.DataType],
) -> pl.DataFrame:
    """Return a batch as the file holds it."""
    of_sizes = pl.Series(sizes.astype(np.int32))
    if "bitmap" in schema:
        return pl.DataFrame(
            {"bitmap": pl.Series(drawn.ravel()).reshape(drawn.shape), "size": of_sizes}
        )
    offsets, items = lists_of(drawn, len(codes.labels), threads=1)
    column = pl.Series(_native.ListColumn(offsets, codes.numbers(items)))
    if codes.is_text:
        names = pl.Series(codes.labels)
        places = np.arange(len(codes.labels), dtype=np.int32)
        column = column.list.eval(
            pl.element().replace_strict(places, names, return_dtype=pl.String)
        )
    return pl.DataFrame({"items": column, "size": of_sizes})


def _checked(target: str | os.PathLike[str], operator: Operator, form: str) -> SizeLawOperator:
    """Return the operator if all options will do."""
    if Path(target).suffix.lower() != ".parquet":
        raise ParameterError(f"{target} must end in .parquet, the kind of file that is written.")
    if form not in FORMS:
        raise ParameterError(f"There is no form {form!r}. {did_you_mean(str(form), FORMS)}")
    if not isinstance(operator, SizeLawOperator):
        raise ParameterError(
            f"Only select-a-size operators, such as cut-and-paste, randomize files, not "
            f"{operator.kind}; read the transactions and use its randomize."
        )
    return operator
