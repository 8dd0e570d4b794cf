"""Randomizing a file of transactions of any length in the memory of a few thousand."""

from __future__ import annotations

import gzip
import lzma
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import IO, TYPE_CHECKING, Literal, NamedTuple, TypeAlias, TypeVar, cast

import numpy as np
import polars as pl
import zstandard
from polars.io.plugins import register_io_source

from discreet import _native, checks
from discreet.data.files.fimi import BYTE_ORDER_MARK, LONGEST_ITEM
from discreet.data.files.packed import atomic_path, find_file
from discreet.data.files.source import open_parquet
from discreet.data.item_sets import sorted_sets
from discreet.data.write import COMPRESSIONS
from discreet.errors import DataError, ParameterError, did_you_mean
from discreet.limits import thread_count
from discreet.noise import noise_from
from discreet.randomize.files import FORMS, ItemCodes, metadata, open_randomized
from discreet.randomize.operators.base import BulkRandomizer, SizeLawOperator, chunk_size, lists_of

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from concurrent.futures import Future

    from numpy.typing import NDArray

    from discreet.data.item_sets import Label
    from discreet.limits import Progress
    from discreet.randomize.files import Form, RandomizedFile
    from discreet.randomize.operators.base import Operator


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
        themselves: an item that is listed because somebody has it would disclose that.
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
    if compression is not None:
        checks.one_of("compression", compression, COMPRESSIONS)
    workers = thread_count(threads)
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
        raise ParameterError(
            f"{target} must end in .parquet, the kind of file that is written.", parameter="target"
        )
    checks.one_of("form", form, FORMS)
    if not isinstance(operator, SizeLawOperator):
        raise ParameterError(
            "Only select-a-size operators, such as cut-and-paste, randomize files, not "
            f"{operator.kind}; read the transactions and use its randomize.",
            parameter="operator",
        )
    return operator


# Transactions of a file, some at a time: Parquet with a list column, or FIMI text.

TEXT_BYTES = 1 << 20


class Batch(NamedTuple):
    """Some transactions, and what share of the file has been read with them."""

    offsets: NDArray[np.int64]
    items: NDArray[np.int32]
    fraction: float


def file_batches(
    path: str | os.PathLike[str], *, codes: ItemCodes, column: str, size: int
) -> Iterator[Batch]:
    """Return an iterator over the transactions of a file, in its order.

    Parameters
    ----------
    path : path
        Parquet if it ends in ``.parquet``; otherwise one transaction a line, items separated
        by blanks, plain or compressed by gzip, xz or Zstandard.
    codes : ItemCodes
        The list of items.
    column : str
        The list column of a Parquet file.
    size : int
        Transactions in each batch but the last.

    Raises
    ------
    DataError
        At once if the file cannot be read or has no such column; later if an item is missing
        or not in the list.
    """
    file = find_file(path)
    pieces = _of_parquet(file, codes, column, size) if is_parquet(file) else _of_text(file, codes)
    return _of_size(pieces, size)


def is_parquet(path: Path) -> bool:
    """Say whether a file is read as Parquet."""
    return path.suffix.lower() == ".parquet"


def _of_parquet(file: Path, codes: ItemCodes, column: str, size: int) -> Iterator[Batch]:
    frame = open_parquet(file)
    if column not in frame.schema:
        raise DataError(
            f"{file} has no column {column!r}.",
            column=column,
            remedy=did_you_mean(column, frame.schema),
        )
    kind = frame.schema[column]
    if not isinstance(kind, pl.List | pl.Array):
        raise DataError(
            f"{file}: column {column!r} holds {kind}, not lists of items.", column=column
        )
    lazy = pl.scan_parquet(file, glob=False).select(pl.col(column).cast(pl.List(kind.inner)))
    return _read_parquet(lazy, codes, f"{file}, column {column!r}", frame.n_rows, size)


def _read_parquet(
    lazy: pl.LazyFrame, codes: ItemCodes, what: str, n_rows: int, size: int
) -> Iterator[Batch]:
    done = 0
    for frame in lazy.collect_batches(chunk_size=size):
        lists = frame.to_series()
        where = f"{what}, rows {done} to {done + lists.len() - 1}"
        if lists.null_count():
            raise DataError(f"{where}: a list is missing; an empty one stands for no items.")
        lengths = lists.list.len()
        offsets = np.concatenate([[0], np.cumsum(lengths.to_numpy(), dtype=np.int64)])
        flat = lists.filter(lengths > 0).explode()
        items = codes.encode(flat, where)
        done += lists.len()
        yield Batch(*_ascending(offsets, items, len(codes.labels)), done / max(1, n_rows))


def _of_text(file: Path, codes: ItemCodes) -> Iterator[Batch]:
    n_bytes = max(1, file.stat().st_size)
    n_lines = 0
    with file.open("rb") as raw, _opened(raw, file) as lines:
        for text in _whole_lines(lines):
            try:
                offsets, tokens, begin, end, _ = _native.parse_transactions(
                    text, LONGEST_ITEM, _native.Control()
                )
                names = [
                    text[a:b].decode() for a, b in zip(begin.tolist(), end.tolist(), strict=True)
                ]
            except ValueError as error:
                raise DataError(f"{file}, after line {n_lines}: {error}.") from None
            where = f"{file}, lines {n_lines + 1} to {n_lines + len(offsets) - 1}"
            known = codes.encode(_labels(names, codes, where), where)
            sets = _ascending(offsets, known[tokens], len(codes.labels))
            n_lines += len(offsets) - 1
            yield Batch(*sets, min(1.0, raw.tell() / n_bytes))


def _ascending(
    offsets: NDArray[np.int64], items: NDArray[np.int32], n_items: int
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Return the sets with items ascending and without repeats; most files have them so."""
    rises = np.ones(items.size + 1, np.bool_)
    rises[1:-1] = items[1:] > items[:-1]
    rises[offsets] = True  # where another set begins, an item may be any
    if rises.all():
        return offsets, items
    cuts, ordered, _ = sorted_sets(offsets, items, n_items)
    return cuts, ordered


def _labels(names: list[str], codes: ItemCodes, where: str) -> pl.Series:
    if codes.is_text:
        return pl.Series(names, dtype=pl.String)
    try:
        return pl.Series([int(name) for name in names], dtype=pl.Int64)
    except (ValueError, OverflowError) as error:
        raise DataError(f"{where}: items of the list are integers, but {error}.") from None


def _opened(raw: IO[bytes], file: Path) -> IO[bytes]:
    suffix = file.suffix.lower()
    if suffix == ".gz":
        return cast("IO[bytes]", gzip.GzipFile(fileobj=raw))
    if suffix == ".xz":
        return cast("IO[bytes]", lzma.LZMAFile(raw))
    if suffix == ".zst":
        return cast("IO[bytes]", zstandard.ZstdDecompressor().stream_reader(raw))
    return raw


def _whole_lines(lines: IO[bytes]) -> Iterator[bytes]:
    """Yield a file in pieces that end where a line does; refuse a file without lines."""
    rest, is_first = b"", True
    while block := lines.read(TEXT_BYTES):
        if is_first:
            block, is_first = block.removeprefix(BYTE_ORDER_MARK), False
        text, newline, rest_of_block = block.rpartition(b"\n")
        if newline:
            yield rest + text + newline
            rest = rest_of_block
        else:
            rest += rest_of_block
    if rest:
        yield rest
    elif is_first:
        raise DataError("The file is empty; check that it was written to the end.")


def _of_size(pieces: Iterator[Batch], size: int) -> Iterator[Batch]:
    """Yield the same transactions, ``size`` at a time."""
    lengths: list[NDArray[np.int64]] = []
    items: list[NDArray[np.int32]] = []
    n, fraction = 0, 0.0
    for piece in pieces:
        lengths.append(np.diff(piece.offsets))
        items.append(piece.items)
        n, fraction = n + len(piece.offsets) - 1, piece.fraction
        while n >= size:
            batch, lengths, items = _split(lengths, items, size, fraction)
            n -= size
            yield batch
    if n:
        yield _split(lengths, items, n, 1.0)[0]


def _split(
    lengths: list[NDArray[np.int64]], items: list[NDArray[np.int32]], size: int, fraction: float
) -> tuple[Batch, list[NDArray[np.int64]], list[NDArray[np.int32]]]:
    all_lengths, all_items = np.concatenate(lengths), np.concatenate(items)
    offsets = np.concatenate([[0], np.cumsum(all_lengths[:size])])
    batch = Batch(offsets, all_items[: offsets[-1]], fraction)
    return batch, [all_lengths[size:]], [all_items[offsets[-1] :]]


# The next ones are made while this one is worked on.

T = TypeVar("T")

Made = TypeVar("Made")


def ahead(items: Iterable[T]) -> Iterator[T]:
    """Yield the same items in the same order, the next one always being fetched by a thread.

    Parameters
    ----------
    items : iterable
        What takes time to come by, such as batches of a file. An error in it is raised where the
        item would have come.

    Examples
    --------
    >>> list(ahead(range(3)))
    [0, 1, 2]
    """
    source = iter(items)
    with ThreadPoolExecutor(1, "discreet-ahead") as pool:
        pending = pool.submit(_next, source)
        while found := pending.result():
            pending = pool.submit(_next, source)
            yield found[0]


def made_ahead(make: Callable[[T], Made], items: Iterable[T], workers: int) -> Iterator[Made]:
    """Yield what is made of each item, in their order, several being made at a time by threads.

    Parameters
    ----------
    make : callable
        Called by another thread, for ``workers`` items at once. Its errors are raised where
        the result would have come.
    items : iterable
        Of what to make something. At most ``workers + 1`` of them are held.
    workers : int
        How many threads.

    Examples
    --------
    >>> list(made_ahead(abs, [-3, 1, -2], workers=2))
    [3, 1, 2]
    """
    pending: deque[Future[Made]] = deque()
    with ThreadPoolExecutor(workers, "discreet-made-ahead") as pool:
        for item in items:
            pending.append(pool.submit(make, item))
            if len(pending) > workers:
                yield pending.popleft().result()
        while pending:
            yield pending.popleft().result()


def _next(source: Iterator[T]) -> tuple[T] | tuple[()]:
    """Return the next item in a tuple, empty at the end."""
    for item in source:
        return (item,)
    return ()
