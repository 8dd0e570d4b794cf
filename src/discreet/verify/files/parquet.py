"""What a Parquet file says that it holds: its footer and page headers, read before any row is.

A tiny file can claim billions of rows or pages of many gigabytes. Here nothing is unpacked: sizes
are held to the limits, and :mod:`discreet.verify.files.pages` accounts for what is inside.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from discreet.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    from discreet.verify.files.bounded import ReadLimits

MAGIC = b"PAR1"

_TAIL = 8  # the length of the footer, and the magic again

MAX_PAGES = 200_000

# Fields of the footer that are read here, by their numbers in the format.
SCHEMA, N_ROWS, GROUPS = 2, 3, 4
CHUNKS, GROUP_ROWS = 1, 3
META = 3
N_VALUES, CHUNK_SIZE, DATA_PAGE, DICTIONARY_PAGE = 5, 7, 9, 11
PAGE_TYPE, UNPACKED, PACKED, DATA_V1, DICTIONARY, DATA_V2 = 1, 2, 3, 5, 7, 8
TYPE, WIDTH, REPETITION, NAME, N_CHILDREN, CONVERTED, LOGICAL = 1, 2, 3, 4, 5, 6, 10

REQUIRED, OPTIONAL, REPEATED = range(3)

# Types of pages.
DATA, INDEX, DICT, DATA_2 = range(4)


@dataclass(frozen=True, slots=True, kw_only=True)
class Leaf:
    """A column as it is stored: how deep its values are nested, and of which type they are."""

    path: tuple[bytes, ...]
    element: dict[int, Value]
    max_definition: int
    max_repetition: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """A page: its header, and where header and body stand."""

    kind: int
    header: dict[int, Value]
    start: int
    body: int
    end: int
    n_values: int
    unpacked: int
    is_canonical: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Chunk:
    """The pages of one column in one group of rows."""

    leaf: Leaf
    stated: dict[int, Value]
    meta: dict[int, Value]
    pages: tuple[Page, ...]
    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """A whole file: what its footer says, and the chunks of every group of rows."""

    footer: dict[int, Value]
    footer_start: int
    is_canonical: bool
    leaves: tuple[Leaf, ...]
    groups: tuple[tuple[Chunk, ...], ...]
    n_rows: int


def read_layout(content: bytes, limits: ReadLimits) -> Layout:
    """Return what a Parquet file says that it holds.

    Raises
    ------
    BrokenError
        If it is not whole or contradicts itself; the words go after its name.
    DataError
        If it passes a limit.
    """
    if len(content) < len(MAGIC) + _TAIL or not content.startswith(MAGIC):
        raise BrokenError("is no Parquet file")
    if content[-len(MAGIC) :] != MAGIC:
        raise BrokenError("does not end as a Parquet file does")
    end = len(content) - _TAIL
    (length,) = struct.unpack("<I", content[end : end + 4])
    start = end - length
    if start < len(MAGIC) or length > limits.max_json:
        raise BrokenError("has a footer that is longer than the file or than is read (max_bytes)")
    reader = Reader(content, start, end)
    footer = reader.struct()
    if reader.place != end:
        raise BrokenError("has something behind its footer")
    leaves = tuple(_leaves(structs(footer, SCHEMA), limits))
    n_rows = whole(footer, N_ROWS)
    fault = limits.fault(n_rows=n_rows, n_columns=len(leaves))
    if fault is not None:
        raise DataError(f"has {fault}")
    walk = _Walk(content, start, limits)
    groups = tuple(
        tuple(walk.chunks(leaves, group)) for group in structs(footer, GROUPS, may_lack=True)
    )
    if sum(whole(group, GROUP_ROWS) for group in structs(footer, GROUPS, may_lack=True)) != n_rows:
        raise BrokenError("has groups that do not hold all rows")
    return Layout(
        footer=footer,
        footer_start=start,
        is_canonical=reader.is_canonical,
        leaves=leaves,
        groups=groups,
        n_rows=n_rows,
    )


class _Walk:
    """Goes from page to page, counting what unpacking them would take."""

    def __init__(self, content: bytes, stop: int, limits: ReadLimits) -> None:
        self.content, self.stop, self.limits = content, stop, limits
        self.n_pages = self.n_bytes = self.n_values = 0

    def chunks(self, leaves: tuple[Leaf, ...], group: dict[int, Value]) -> Iterator[Chunk]:
        stated, n_rows = structs(group, CHUNKS, may_lack=True), whole(group, GROUP_ROWS)
        if len(stated) != len(leaves):
            raise BrokenError("has a group of rows without some of the columns")
        for leaf, each in zip(leaves, stated, strict=True):
            meta = each.get(META)
            if not isinstance(meta, dict):
                raise BrokenError("has a column that is not described")
            start = whole(meta, DATA_PAGE)
            if DICTIONARY_PAGE in meta:
                start = min(start, whole(meta, DICTIONARY_PAGE) or start)
            end = start + whole(meta, CHUNK_SIZE)
            if not len(MAGIC) <= start <= end <= self.stop:
                raise BrokenError("has a column outside of the file")
            pages = tuple(self.pages(start, end))
            n_values = sum(page.n_values for page in pages if page.kind != DICT)
            if n_values != whole(meta, N_VALUES) or (
                n_values != n_rows if leaf.max_repetition == 0 else n_values < n_rows
            ):
                raise BrokenError("has a column with another number of values than it says")
            yield Chunk(leaf=leaf, stated=each, meta=meta, pages=pages, start=start, end=end)

    def pages(self, start: int, end: int) -> Iterator[Page]:
        place = start
        while place < end:
            reader = Reader(self.content, place, end)
            header = reader.struct()
            kind, unpacked = whole(header, PAGE_TYPE), whole(header, UNPACKED)
            about = header.get({DATA: DATA_V1, DICT: DICTIONARY, DATA_2: DATA_V2}.get(kind, 0))
            if not isinstance(about, dict):
                raise BrokenError("has a page of an unknown type")
            n_values = whole(about, 1)
            after = reader.place + whole(header, PACKED)
            if after > end:
                raise BrokenError("has a page outside of its column")
            self.n_pages += 1
            self.n_bytes += unpacked
            self.n_values += n_values
            if self.n_pages > MAX_PAGES:
                raise DataError(f"has more than {MAX_PAGES:,} pages")
            if self.n_bytes > self.limits.max_bytes:
                raise DataError(
                    f"unpacks to more than the limit of {self.limits.max_bytes:,} bytes (max_bytes)"
                )
            if self.n_values > 2 * self.limits.max_cells:  # of pages and of dictionaries
                raise DataError(
                    f"has more values than the limit of {self.limits.max_cells:,} (max_cells)"
                )
            yield Page(
                kind=kind,
                header=header,
                start=place,
                body=reader.place,
                end=after,
                n_values=n_values,
                unpacked=unpacked,
                is_canonical=reader.is_canonical,
            )
            place = after


def _leaves(elements: list[dict[int, Value]], limits: ReadLimits) -> Iterator[Leaf]:
    """Yield the columns that hold values, from the tree of all, whose root comes first."""
    waiting = iter(elements)
    root = next(waiting, {})
    n_leaves = 0
    # Each open node: its path, its levels, and how many of its children are to come.
    open_nodes: list[list[object]] = [[(), 0, 0, whole(root, N_CHILDREN)]]
    for element in waiting:
        while open_nodes and open_nodes[-1][3] == 0:
            open_nodes.pop()
        if not open_nodes or len(open_nodes) > 8:
            raise BrokenError("has columns that are not described as a tree")
        path, definition, repetition, left = open_nodes[-1]
        open_nodes[-1][3] = _int(left) - 1
        name, kind = element.get(NAME), whole(element, REPETITION)
        if not isinstance(name, bytes) or not isinstance(path, tuple):
            raise BrokenError("has a column without a name")
        below = (*path, name)
        levels = _int(definition) + (kind != REQUIRED), _int(repetition) + (kind == REPEATED)
        if element.get(N_CHILDREN):
            open_nodes.append([below, *levels, whole(element, N_CHILDREN)])
            continue
        n_leaves += 1
        if n_leaves > limits.max_columns:
            raise DataError(
                f"has more than the limit of {limits.max_columns:,} columns (max_columns)"
            )
        yield Leaf(path=below, element=element, max_definition=levels[0], max_repetition=levels[1])
    if any(left for *_, left in open_nodes):
        raise BrokenError("has columns that are not described as a tree")


def _int(value: object) -> int:
    assert isinstance(value, int)
    return value


def whole(stated: dict[int, Value], number: int) -> int:
    """Return a field that is a whole number of at least 0."""
    value = stated.get(number)
    if type(value) is not int or value < 0:
        raise BrokenError("lacks a number in its description")
    return value


def structs(
    stated: dict[int, Value], number: int, *, may_lack: bool = False
) -> list[dict[int, Value]]:
    """Return a field that is a list of structs."""
    value = stated.get(number, [] if may_lack else None)
    found = [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []
    if not isinstance(value, list) or len(found) < len(value):
        raise BrokenError("lacks a list in its description")
    return found


# The compact protocol of Thrift, in which all that is written.

Value: TypeAlias = "bool | int | float | bytes | list[Value] | dict[int, Value]"

# Types of fields and members.
TRUE, FALSE, BYTE, I16, I32, I64, DOUBLE, BINARY, LIST, SET, MAP, STRUCT = range(1, 13)

_SHORT = 15  # a list of so many members says its length in more bytes

MAX_DEPTH = 12

MAX_VALUES = 5_000_000


class BrokenError(ValueError):
    """The bytes are no Thrift, or too many; the words go after the name of the file."""


@dataclass(slots=True)
class Reader:
    """Reads one struct after the other from some bytes.

    Attributes
    ----------
    data : bytes
        What is read.
    place : int
        Where the next byte is.
    stop : int
        Where reading has to stop.
    is_canonical : bool
        False once something was written in another than the shortest way, in whose choice
        anything could be said.
    """

    data: bytes
    place: int
    stop: int
    is_canonical: bool = True
    _n_values: int = field(default=0)

    def struct(self, depth: int = 0) -> dict[int, Value]:
        """Return the fields of a struct by number."""
        if depth > MAX_DEPTH:
            raise BrokenError("is nested too deeply")
        found: dict[int, Value] = {}
        last = 0
        while head := self.byte():
            step, kind = head >> 4, head & 15
            number = last + step if step else _signed(self.varint(16))
            self.is_canonical &= bool(step) or not last < number <= last + 15
            self.is_canonical &= number > last  # fields stand in order, each once
            if number in found or number < 1:
                raise BrokenError("has a field twice or one that cannot be")
            found[number] = self.value(kind, depth)
            last = number
        return found

    def value(self, kind: int, depth: int) -> Value:
        """Return the next value of a type."""
        self._n_values += 1
        if self._n_values > MAX_VALUES:
            raise BrokenError("says more about itself than can be read")
        read = _READ.get(kind)
        if read is None:
            raise BrokenError("has a field of a type that Parquet does not use")
        return read(self, depth)

    def list_(self, depth: int) -> list[Value]:
        """Return the members of the next list."""
        head = self.byte()
        length, kind = head >> 4, head & 15
        if length == _SHORT:
            length = self.varint(32)
            self.is_canonical &= length >= _SHORT
        if length > self.stop - self.place or depth > MAX_DEPTH:
            raise BrokenError("has a list that is longer than the file")
        if kind in (TRUE, FALSE):
            self._n_values += length
            flags = self.take(length)
            self.is_canonical &= set(flags) <= {TRUE, FALSE}
            return [flag == TRUE for flag in flags]
        return [self.value(kind, depth + 1) for _ in range(length)]

    def take(self, length: int) -> bytes:
        """Return so many of the next bytes."""
        end = self.place + length
        if end > self.stop:
            raise BrokenError("is cut short")
        found = self.data[self.place : end]
        self.place = end
        return found

    def byte(self) -> int:
        """Return the next byte."""
        if self.place >= self.stop:
            raise BrokenError("is cut short")
        self.place += 1
        return self.data[self.place - 1]

    def varint(self, n_bits: int) -> int:
        """Return the next whole number of at most some bits, seven in each byte."""
        number = shift = 0
        while True:
            byte = self.byte()
            number |= (byte & 127) << shift
            if byte < 128:
                self.is_canonical &= byte > 0 or shift == 0
                break
            shift += 7
            if shift >= n_bits + 7:
                raise BrokenError("has a number of too many digits")
        if number >> n_bits:
            raise BrokenError("has a number of too many digits")
        return number


def _signed(number: int) -> int:
    """Return a number whose sign stands in its last bit.

    Examples
    --------
    >>> [_signed(number) for number in range(4)]
    [0, -1, 1, -2]
    """
    return (number >> 1) ^ -(number & 1)


_READ: dict[int, Callable[[Reader, int], Value]] = {
    TRUE: lambda _reader, _depth: True,
    FALSE: lambda _reader, _depth: False,
    BYTE: lambda reader, _depth: reader.byte(),
    I16: lambda reader, _depth: _signed(reader.varint(16)),
    I32: lambda reader, _depth: _signed(reader.varint(32)),
    I64: lambda reader, _depth: _signed(reader.varint(64)),
    DOUBLE: lambda reader, _depth: float(struct.unpack("<d", reader.take(8))[0]),
    BINARY: lambda reader, _depth: reader.take(reader.varint(32)),
    LIST: lambda reader, depth: reader.list_(depth),
    STRUCT: lambda reader, depth: reader.struct(depth + 1),
}


# Numbers packed as runs and as bits.

_BUFFER = 32  # values that polars packs into bits at a time

_SLICE = 1 << 16  # groups of eight that are unpacked at a time


class OddError(Exception):
    """A file holds what does not follow from its rows; the words go after its name."""


def demand(is_so: object, words: str) -> None:
    """Raise OddError unless something is so."""
    if not is_so:
        raise OddError(words)


def levels(body: bytes, place: int, most: int, n_values: int) -> tuple[NDArray[np.uint32], int]:
    """Return levels and where the values after them begin."""
    length = int.from_bytes(body[place : place + 4], "little")
    end = place + 4 + length
    demand(end <= len(body), "has levels that are cut short")
    found = hybrid(body[place + 4 : end], most.bit_length(), n_values)
    demand(not len(found) or int(found.max()) <= most, "has levels that cannot be")
    return found, end


def hybrid(body: bytes, width: int, n_values: int) -> NDArray[np.uint32]:
    """Return numbers that are packed as runs and as bits, if nothing else is in the bytes.

    Examples
    --------
    >>> hybrid(bytes([0b110, 5]), 3, 3).tolist(), hybrid(bytes([3, 0b00000110]), 1, 3).tolist()
    ([5, 5, 5], [0, 1, 1])
    """
    found = np.empty(n_values, np.uint32)
    reader = Reader(body, 0, len(body))
    n_found, n_bytes = 0, -(-width // 8)
    while n_found < n_values:
        head = reader.varint(32)
        if head & 1:
            n_left, begin = head >> 1, n_found
            demand(0 < n_left <= -(-(n_values - n_found) // 8), "has a run that is too long")
            while n_left:
                n_groups = min(n_left, _SLICE)
                numbers = _from_bits(reader.take(n_groups * width), width, 8 * n_groups)
                n_taken = min(len(numbers), n_values - n_found)
                found[n_found : n_found + n_taken] = numbers[:n_taken]
                n_found, n_left = n_found + n_taken, n_left - n_groups
                _check_padding(numbers[n_taken:], found[begin:n_found])
        else:
            number = int.from_bytes(reader.take(n_bytes), "little")
            length = head >> 1
            demand(
                0 < length <= n_values - n_found and number < 1 << width,
                "has a run of other values than there are",
            )
            found[n_found : n_found + length] = number
            n_found += length
    demand(
        reader.is_canonical and reader.place == len(body), "has bytes behind the values of a page"
    )
    return found


def _from_bits(packed: bytes, width: int, n_values: int) -> NDArray[np.uint32]:
    """Return numbers of some bits each, the lowest bit first."""
    bits = np.unpackbits(np.frombuffer(packed, np.uint8), bitorder="little")
    numbers = np.zeros(n_values, np.uint32)
    for place in range(width):
        numbers |= bits[place::width].astype(np.uint32) << np.uint32(place)
    return numbers


def _check_padding(padding: NDArray[np.uint32], run: NDArray[np.uint32]) -> None:
    """Demand that what fills the last group of eight is zeros, or what polars leaves there.

    It packs 32 values at a time out of one buffer, which still holds the 32 before.
    """
    if len(padding):
        before = run[len(run) - _BUFFER :][: len(padding)] if len(run) >= _BUFFER else run[:0]
        demand(
            not padding.any() or np.array_equal(padding, before),
            "has bits behind the values of a page",
        )
