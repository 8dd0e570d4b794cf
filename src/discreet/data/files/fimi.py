"""Transactions as text: FIMI ``.dat`` files and LUCS-KDD ``.num`` files.

Both hold one transaction on each line, its items separated by blanks. In a ``.num`` file every
row lists one item for each column, so that rows without missing values are also a table.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

import numpy as np

from discreet import _native, checks
from discreet.data.files.packed import read_bytes, write_bytes
from discreet.data.item_sets import INT64_MAX, sort_labels
from discreet.data.transactions import Transactions
from discreet.errors import DataError

if TYPE_CHECKING:
    import os

    from numpy.typing import NDArray

    from discreet.data.item_sets import Labels
    from discreet.limits import Progress


KINDS = ("auto", "int", "str")


@dataclass(frozen=True, slots=True, kw_only=True)
class NumRows:
    """The complete rows of a ``.num`` file as columns of codes.

    Attributes
    ----------
    columns : tuple of str
        ``c1`` to ``cn`` by position; the last one is the class.
    codes : tuple of arrays of uint32
        For each column, the place of each row's value in `values`.
    values : tuple of tuples of int
        For each column, its item numbers, ascending.
    n_rows : int
        Rows kept.
    n_dropped : int
        Rows dropped because they had another length than most, that is missing values.
    path : pathlib.Path
        The file they came from.
    """

    columns: tuple[str, ...]
    codes: tuple[NDArray[np.uint32], ...]
    values: tuple[tuple[int, ...], ...]
    n_rows: int
    n_dropped: int
    path: Path


def read_transactions(
    path: str | os.PathLike[str],
    *,
    labels: LabelKind = "auto",
    progress: Progress | None = None,
) -> Transactions:
    r"""Return the transactions of a text file: one a line, items separated by blanks.

    Parameters
    ----------
    path : path
        The file, plain or compressed by gzip, xz or Zstandard.
    labels : {"auto", "int", "str"}
        Whether items are numbers or text. ``auto``: numbers if every item of the file is
        written as an integer, without leading zeros or plus sign; otherwise text, all of them.
    progress : callable, optional
        Called with the share of the work done.

    Returns
    -------
    Transactions
        Labels in ascending order. A blank line is an empty transaction. Items repeated
        on a line are counted in ``n_repeated``.

    Raises
    ------
    DataError
        If the file cannot be read, is empty, is not UTF-8 text, holds control characters or
        items over 1000 bytes, or numbers beyond 64 bits; with the line and what to do.

    Notes
    -----
    Linear in the size of the file. A byte order mark is skipped; lines end in LF or CR LF.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> file = pathlib.Path(folder.name) / "small.dat"
    >>> _ = file.write_text("3 1 2\n\n2 2\n")
    >>> baskets = read_transactions(file)
    >>> baskets.labels, baskets.sizes.tolist(), baskets.n_repeated
    ((1, 2, 3), [3, 0, 1], 1)
    >>> folder.cleanup()
    """
    checks.one_of("labels", labels, KINDS)
    text = read_tokens(path, progress)
    names = as_labels(text, labels)
    ordered = sort_labels(names)
    place = {label: code for code, label in enumerate(ordered)}
    rank = np.asarray([place[name] for name in names], dtype=np.int64)
    return Transactions.from_csr(text.offsets, rank[text.codes], ordered)


def num_as_transactions(path: str | os.PathLike[str]) -> Transactions:
    """Return all rows of a LUCS-KDD ``.num`` file as transactions of item numbers.

    Rows with missing values are kept, as shorter transactions.

    Raises
    ------
    DataError
        As `read_transactions`, and if an item is not an integer.
    """
    return read_transactions(path, labels="int")


def read_num_table(path: str | os.PathLike[str]) -> NumRows:
    r"""Return the complete rows of a LUCS-KDD ``.num`` file as columns.

    Parameters
    ----------
    path : path
        The file, plain or compressed by gzip, xz or Zstandard.

    Returns
    -------
    NumRows
        Rows of the commonest length (of two equally common, the longer). The others are
        dropped and counted, as in published uses of these files.

    Raises
    ------
    DataError
        As `num_as_transactions`, and if an item stands in two columns: then position does
        not determine the column, and the file is one of transactions.

    Notes
    -----
    Linear in the size of the file.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> file = pathlib.Path(folder.name) / "small.num"
    >>> _ = file.write_text("1 3 5\n2 3 6\n4 5\n")
    >>> rows = read_num_table(file)
    >>> rows.columns, rows.values, rows.n_dropped
    (('c1', 'c2', 'c3'), ((1, 2), (3,), (5, 6)), 1)
    >>> folder.cleanup()
    """
    text = read_tokens(path)
    numbers = np.asarray(as_labels(text, "int"), dtype=np.int64)
    sizes = np.diff(text.offsets)
    counts = np.bincount(sizes)
    length = counts.size - 1 - int(np.argmax(counts[::-1]))
    if length == 0:
        raise DataError(f"{text.path}: most lines are blank; a .num file has its items on each.")
    kept = np.flatnonzero(sizes == length)
    matrix = text.codes[text.offsets[kept][:, None] + np.arange(length)]
    column_of = np.full(numbers.size, -1)
    codes, values = [], []
    for column in range(length):
        used = np.unique(matrix[:, column])
        if (column_of[used] >= 0).any():
            item = used[column_of[used] >= 0][0]
            line = int(kept[matrix[:, column] == item][0]) + 1
            raise DataError(
                f"{text.path}, line {line}: item {numbers[item]} stands in place {column + 1}, "
                f"elsewhere in place {column_of[item] + 1}, so places are not columns; read the "
                f"file with read_transactions."
            )
        column_of[used] = column
        order = np.sort(numbers[used])
        values.append(tuple(order.tolist()))
        codes.append(np.searchsorted(order, numbers[matrix[:, column]]).astype(np.uint32))
    return NumRows(
        columns=tuple(f"c{place + 1}" for place in range(length)),
        codes=tuple(codes),
        values=tuple(values),
        n_rows=kept.size,
        n_dropped=sizes.size - kept.size,
        path=text.path,
    )


def write_transactions(transactions: Transactions, path: str | os.PathLike[str]) -> None:
    """Write one transaction a line, items in order of their codes; all or nothing.

    Parameters
    ----------
    transactions : Transactions
        At least one; empty ones become blank lines. Labels may not contain blanks.
    path : path
        Replaced if it exists; compressed if it ends in ``.gz``, ``.xz`` or ``.zst``.

    Raises
    ------
    DataError
        If a label cannot be distinguished from its neighbours in this form, or the file cannot be
        written.

    Notes
    -----
    `read_transactions` gives back the same sets; items of no transaction are not written, and
    text that looks like integers needs ``labels="str"``.
    """
    if len(transactions) == 0:
        raise DataError("There are no transactions to write; an empty file could not be read.")
    names = [str(label) for label in transactions.labels]
    for name in names:
        if not name or UNWRITABLE.search(name) or len(name.encode(errors="replace")) > LONGEST_ITEM:
            raise DataError(
                f"Item {name[:60]!r} is empty, too long or contains a blank or control character "
                f"and cannot be distinguished from others in this kind of file; rename it or "
                "write Parquet."
            )
    items = [names[code] for code in transactions.items.tolist()]
    cuts = transactions.offsets.tolist()
    lines = [" ".join(items[cuts[i] : cuts[i + 1]]) for i in range(len(transactions))]
    try:
        content = ("\n".join(lines) + "\n").encode()
    except UnicodeEncodeError as error:
        raise DataError(f"An item is not valid text: {error}; rename it.") from None
    write_bytes(path, content)


# A text of one transaction a line, as numbers of its distinct tokens.

LabelKind: TypeAlias = Literal["auto", "int", "str"]

LONGEST_ITEM = 1000  # bytes; longer ones mean a file of another kind

BYTE_ORDER_MARK = b"\xef\xbb\xbf"

INTEGER = re.compile(r"0|-?[1-9][0-9]*", re.ASCII)

UNWRITABLE = re.compile("[\x00-\x20\x7f\ufeff]")


class Tokens(NamedTuple):
    """Lines as token numbers, and each token with the line it first stands on."""

    path: Path
    offsets: NDArray[np.int64]
    codes: NDArray[np.int32]
    names: list[str]
    lines: list[int]


def read_tokens(path: str | os.PathLike[str], progress: Progress | None = None) -> Tokens:
    """Return the lines of a file as numbers of its distinct tokens, repeats and order kept."""
    file = Path(path)
    content = read_bytes(file)
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise DataError(f"{file} is UTF-16 text; save it as UTF-8.")
    content = content.removeprefix(BYTE_ORDER_MARK)
    if not content:
        raise DataError(f"{file} is empty but for its byte order mark.")
    try:
        offsets, codes, begin, end, line = _native.parse_transactions(
            content, LONGEST_ITEM, _native.Control(), progress
        )
    except ValueError as error:
        raise DataError(
            f"{file}, {error}; items are short pieces of text or numbers separated by blanks, "
            f"one transaction a line."
        ) from None
    lines = line.tolist()
    names = []
    for start, stop, number in zip(begin.tolist(), end.tolist(), lines, strict=True):
        try:
            names.append(content[start:stop].decode())
        except UnicodeDecodeError:
            raise DataError(
                f"{file}, line {number}: item {content[start:stop][:60]!r} is not UTF-8; save "
                f"the file as UTF-8."
            ) from None
    return Tokens(file, offsets, codes, names, lines)


def as_labels(text: Tokens, kind: LabelKind) -> Labels:
    """Return the tokens as int or str; see `discreet.data.files.fimi.read_transactions`."""
    odd = next((i for i, name in enumerate(text.names) if not INTEGER.fullmatch(name)), None)
    if kind == "str" or (kind == "auto" and odd is not None):
        return tuple(text.names)
    if odd is not None:
        raise DataError(
            f"{text.path}, line {text.lines[odd]}: item {text.names[odd][:60]!r} is not a plain "
            "integer; correct it or read the file with {labels}.",
            options={"labels": "str"},
        )
    numbers = tuple(int(name) if len(name) < 25 else INT64_MAX + 1 for name in text.names)
    for name, number, line in zip(text.names, numbers, text.lines, strict=True):
        if not -INT64_MAX - 1 <= number <= INT64_MAX:
            raise DataError(
                f"{text.path}, line {line}: {name[:60]} does not fit 64 bits; read the file with "
                "{labels}.",
                options={"labels": "str"},
            )
    return numbers
