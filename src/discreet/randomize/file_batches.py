"""Transactions of a file, some at a time: Parquet with a list column, or FIMI text."""

from __future__ import annotations

import gzip
import lzma
from typing import IO, TYPE_CHECKING, NamedTuple, cast

import numpy as np
import polars as pl
import zstandard

from discreet import _native
from discreet.data.files.find import find_file
from discreet.data.files.parquet import open_parquet
from discreet.data.files.tokens import BYTE_ORDER_MARK, LONGEST_ITEM
from discreet.data.item_sets import sorted_sets
from discreet.errors import DataError, did_you_mean

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator
    from pathlib import Path

    from numpy.typing import NDArray

    from discreet.randomize.item_codes import ItemCodes

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
        raise DataError(f"{file} has no column {column!r}. {did_you_mean(column, frame.schema)}")
    kind = frame.schema[column]
    if not isinstance(kind, pl.List | pl.Array):
        raise DataError(f"{file}: column {column!r} holds {kind}, not lists of items.")
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
