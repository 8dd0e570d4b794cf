"""Whether every byte of a Parquet file follows from its rows.

A file can hold more than its rows: bytes between pages, values of a dictionary that no row has,
statistics of rows that were suppressed, keys with any text. Here every page is unpacked and every
number that a file states is computed again. What remains free is how a value is packed: where
pages end, and which of several codes the compression took.
"""

from __future__ import annotations

import io
import itertools
import re
from collections import Counter
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import polars as pl
import zstandard

from discreet.verify.files import parquet as layout_of
from discreet.verify.files.bounded import ReadLimits, plain
from discreet.verify.files.parquet import (
    DATA,
    DICT,
    GROUPS,
    MAGIC,
    OPTIONAL,
    SCHEMA,
    BrokenError,
    OddError,
    Reader,
    demand,
    hybrid,
    levels,
    read_layout,
    structs,
    whole,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from numpy.typing import NDArray

    from discreet.verify.files.parquet import Chunk, Layout, Page, Value

Values: TypeAlias = "NDArray[Any] | list[bytes]"

Extremes: TypeAlias = "tuple[Any, Any] | None"  # the least and the largest of some values

_WRITER = re.compile(
    rb"Polars( \(python\) version [0-9]{1,4}(\.[0-9]{1,4}){1,3}"
    rb"((a|b|rc|-alpha\.|-beta\.|-rc\.)[0-9]{1,3})?"
    rb"( \(build [0-9a-f]{40}\))?)?"
)

_PLAIN, _RLE, _OLD_DICTIONARY, _DICTIONARY = 0, 3, 2, 8

_UNCOMPRESSED, _ZSTD = 0, 6

# Physical types.
_BOOLEAN, _INT32, _INT64, _INT96, _FLOAT, _DOUBLE, _BYTES, _FIXED = range(8)

_DTYPES = {_INT32: "<i4", _INT64: "<i8", _FLOAT: "<f4", _DOUBLE: "<f8"}

_UNSIGNED = {11: "<u4", 12: "<u4", 13: "<u4", 14: "<u8"}  # by converted type

_LONGEST_END = 64  # bytes of a text that statistics state in full


def unaccounted(content: bytes, layout: Layout, frame: pl.DataFrame) -> str | None:
    """Return in words what of a Parquet file does not follow from its rows, or None.

    Parameters
    ----------
    content : bytes
        The file.
    layout : Layout
        What it says that it holds.
    frame : DataFrame
        Its rows.
    """
    try:
        _check_footer(layout, frame)
        spans = [
            (0, len(MAGIC), "the beginning"),
            (layout.footer_start, len(content), "the footer"),
        ]
        for number, (group, stated) in enumerate(
            zip(layout.groups, structs(layout.footer, GROUPS, may_lack=True), strict=True)
        ):
            _check_group(number, group, stated, is_only=len(layout.groups) == 1)
            for chunk in group:
                spans += _spans_of(content, chunk, layout.footer_start)
        _check_gaps(spans)
    except (OddError, BrokenError) as odd:
        return str(odd)
    return None


def _only(stated: Mapping[int, Value], known: set[int], what: str) -> None:
    """Demand that a struct has no field but the known ones."""
    for number in stated:
        demand(number in known, f"has a field in {what} that does not belong there ({number})")


# The footer.


def _check_footer(layout: Layout, frame: pl.DataFrame) -> None:
    footer = layout.footer
    demand(layout.is_canonical, "has a footer that is not written in the one short way")
    _only(footer, {1, 2, 3, 4, 5, 6, 7}, "its footer")
    demand(footer.get(1) in (1, 2), "has a footer of an unknown version")
    writer = footer.get(6)
    demand(
        isinstance(writer, bytes) and _WRITER.fullmatch(writer),
        "was written by a program that is not known here",
    )
    orders = footer.get(7, [])
    demand(
        orders in ([], [{1: {}}] * len(layout.leaves)), "states orders of its columns that are none"
    )
    _check_keys(footer, frame)
    _check_schema(structs(footer, SCHEMA), frame)


def _check_keys(footer: dict[int, Value], frame: pl.DataFrame) -> None:
    """Demand that the only key is the description of the columns that polars adds."""
    for pair in structs(footer, 5, may_lack=True):
        key = pair.get(1)
        name = plain(key.decode("utf-8", "backslashreplace")) if isinstance(key, bytes) else ""
        demand(key == b"ARROW:schema", f"has the key {name}, which does not belong there")
    demand(len(structs(footer, 5, may_lack=True)) <= 1, "describes its columns twice")
    for pair in structs(footer, 5, may_lack=True):
        buffer = io.BytesIO()
        frame.clear().write_parquet(buffer)
        due = structs(read_layout(buffer.getvalue(), ReadLimits()).footer, 5, may_lack=True)
        demand(
            [pair] == due,
            "describes its columns in other words than follow from them, or than "
            f"polars {pl.__version__} writes",
        )


def _check_schema(elements: list[dict[int, Value]], frame: pl.DataFrame) -> None:
    """Demand that columns are described by their names and types, and by nothing else."""
    root = elements[0]
    _only(root, {3, 4, 5}, "the root of its columns")
    demand(root.get(4) in (b"root", b"schema") and root.get(3, 0) == 0, "has an odd root")
    place = 1
    for name in frame.columns:
        kinds = [frame.schema[name]]
        outer = elements[place]
        if isinstance(kinds[0], pl.List):
            _only(outer, {3, 4, 5, 6, 10}, "a column of lists")
            repeated, element = elements[place + 1], elements[place + 2]
            _only(repeated, {3, 4, 5}, "a column of lists")
            demand(
                outer.get(6, 3) == 3
                and outer.get(10, {3: {}}) == {3: {}}
                and repeated.get(4) == b"list"
                and element.get(4) in (b"element", b"item"),
                "has lists that are described in an odd way",
            )
            place += 2
        else:
            element = outer
            demand(element.get(4) == name.encode(), "has columns in another order")
        _only(element, {1, 2, 3, 4, 6, 7, 8, 10}, "a column")
        demand(element.get(3) == OPTIONAL, "has a column that is not described as polars does")
        is_fixed = element.get(1) == _FIXED
        is_decimal = isinstance(kinds[0], pl.Decimal)
        demand((2 in element) == is_fixed, "states a width that a column has not")
        demand(is_decimal or not {7, 8} & set(element), "states digits that a column has not")
        place += 1
    demand(place == len(elements), "describes columns that it does not have")


# Groups of rows and their columns.


def _check_group(
    number: int, chunks: tuple[Chunk, ...], stated: dict[int, Value], *, is_only: bool
) -> None:
    _only(stated, {1, 2, 3, 5, 6, 7}, "a group of rows")
    demand(whole(stated, 3) > 0 or is_only, "has a group without rows")
    sums = [sum(whole(chunk.meta, field) for chunk in chunks) for field in (6, 7)]
    demand(
        stated.get(2) in sums
        and stated.get(6, sums[1]) == sums[1]
        and stated.get(7, number) == number
        and (not chunks or stated.get(5, chunks[0].start) in (0, chunks[0].start)),
        "has a group of rows whose sizes or places are not as stated",
    )


def _spans_of(content: bytes, chunk: Chunk, footer_start: int) -> Iterator[tuple[int, int, str]]:
    """Check a column of a group, and yield where its bytes stand."""
    meta, stated = chunk.meta, chunk.stated
    _only(stated, {2, 3, 4, 5, 6, 7}, "a column of a group")
    _only(meta, {1, 2, 3, 4, 5, 6, 7, 9, 11, 12, 13}, "a column of a group")
    demand(meta.get(3) == [*chunk.leaf.path], "has a column under another name")
    demand(meta.get(1) == chunk.leaf.element.get(1), "has a column of another type")
    unpacked = sum(page.body - page.start + page.unpacked for page in chunk.pages)
    demand(whole(meta, 6) == unpacked, "has a column of another size than stated")
    places = {0, chunk.start, chunk.end, whole(meta, 9) + whole(meta, 7)}
    demand(stated.get(2, 0) in places, "has a column at another place than stated")
    _check_dictionary_place(chunk)
    known = _Values(content, chunk)
    known.check()
    yield chunk.start, chunk.end, "a column"
    copy = Reader(content, chunk.end, footer_start)
    try:
        is_copied = copy.struct() == meta and copy.is_canonical
    except BrokenError:
        is_copied = False
    if is_copied:  # polars states what a column holds behind its pages, too
        yield chunk.end, copy.place, "a description"
    for field, check in ((6, known.check_column_index), (4, known.check_page_index)):
        if field not in stated and field + 1 not in stated:
            continue
        start, length = whole(stated, field), whole(stated, field + 1)
        reader = Reader(content, start, min(start + length, footer_start))
        check(reader.struct())
        demand(
            reader.is_canonical and reader.place == start + length,
            "has an index that is not written in the one short way",
        )
        yield start, start + length, "an index"


def _check_dictionary_place(chunk: Chunk) -> None:
    dictionaries = [page for page in chunk.pages if page.kind == DICT]
    data = [page for page in chunk.pages if page.kind == DATA]
    demand(len(data) + len(dictionaries) == len(chunk.pages), "has pages of an unknown form")
    demand(dictionaries in ([], [*chunk.pages[:1]]), "has a dictionary that is not the first page")
    starts = [page.start for page in dictionaries]
    demand([chunk.meta[11]] == starts if 11 in chunk.meta else not starts, "misplaces a dictionary")
    demand(
        whole(chunk.meta, 9) == (data[0].start if data else chunk.end), "misplaces its first page"
    )


def _check_gaps(spans: list[tuple[int, int, str]]) -> None:
    """Demand that spans follow each other without a gap."""
    place = 0
    for start, end, what in sorted(spans):
        demand(start >= place, f"has {what} that lies over something else")
        demand(start == place, f"has {start - place:,} bytes between its parts (at {place:,})")
        place = end


# What is inside pages.


class _Values:
    """The values of one column in one group of rows, page by page."""

    def __init__(self, content: bytes, chunk: Chunk) -> None:
        self.content, self.chunk, self.leaf = content, chunk, chunk.leaf
        self.physical = whole(chunk.meta, 1)
        self.dictionary: Values | None = None
        self.is_sorted = False  # as polars leaves the whole numbers of a small range
        self.n_seen = 0
        self.seen: NDArray[np.bool_] = np.zeros(0, np.bool_)
        self.encodings: Counter[tuple[int, int]] = Counter()
        self.n_nulls: list[int] = []
        self.n_rows: list[int] = []
        self.extremes: list[Extremes] = []

    def check(self) -> None:
        """Unpack all pages, and compare what is stated with what they hold."""
        for page in self.chunk.pages:
            demand(page.is_canonical, "has a page header that is not written in the one short way")
            demand(
                set(page.header) == {1, 2, 3, 7 if page.kind == DICT else 5},
                "has a field in a page header that does not belong there",
            )
            body = self._unpacked(page)
            if page.kind == DICT:
                self._read_dictionary(page, body)
            else:
                self._read_data(page, body)
        if self.dictionary is not None:
            demand(
                self.n_seen == len(self.dictionary), "has a value in a dictionary that no row has"
            )
        meta = self.chunk.meta
        used = {encoding for _, encoding in self.encodings}
        demand(
            meta.get(2) in (sorted(used | {_PLAIN, _RLE}), sorted(used | {_RLE})),
            "states encodings that it does not use",
        )
        if 13 in meta:
            listed = [(each.get(1), each.get(2), each.get(3)) for each in structs(meta, 13)]
            due = [(*kind, count) for kind, count in sorted(self.encodings.items())]
            demand(sorted(listed, key=repr) == sorted(due, key=repr), "miscounts its pages")
        if 12 in meta:
            ends = [each for each in self.extremes if each is not None]
            whole_range = ends and (
                min((low for low, _ in ends), key=self._key),
                max((high for _, high in ends), key=self._key),
            )
            self._check_statistics(meta[12], sum(self.n_nulls), whole_range or None)

    def _unpacked(self, page: Page) -> bytes:
        body = self.content[page.body : page.end]
        codec = self.chunk.meta.get(4)
        demand(codec in (_ZSTD, _UNCOMPRESSED), "is packed in a way that is not accounted for here")
        if codec == _UNCOMPRESSED:
            demand(len(body) == page.unpacked, "has a page of another size than stated")
            return body
        try:
            stated = zstandard.get_frame_parameters(body)
            one = zstandard.ZstdDecompressor(max_window_size=2**27).decompressobj()
            found = one.decompress(body) if stated.content_size == page.unpacked else b""
        except zstandard.ZstdError:
            raise OddError("has a page that cannot be unpacked") from None
        demand(
            one.eof and not one.unused_data and len(found) == page.unpacked,
            "has a page that is not packed as one piece of the stated size",
        )
        return found

    def _read_dictionary(self, page: Page, body: bytes) -> None:
        about = page.header[layout_of.DICTIONARY]
        assert isinstance(about, dict)
        _only(about, {1, 2, 3}, "a dictionary")
        demand(
            about.get(2) in (_PLAIN, _OLD_DICTIONARY) and not about.get(3), "has an odd dictionary"
        )
        self.encodings[DICT, whole(about, 2)] += 1
        values = self._plain(body, page.n_values)
        distinct = len(set(values)) if isinstance(values, list) else len(np.unique(values))
        demand(distinct == page.n_values, "has a dictionary with a value twice")
        self.dictionary, self.seen = values, np.zeros(len(values), np.bool_)
        if not isinstance(values, list) and values.dtype.kind in "iu":
            self.is_sorted = bool((values[:-1] < values[1:]).all())

    def _read_data(self, page: Page, body: bytes) -> None:
        about = page.header[layout_of.DATA_V1]
        assert isinstance(about, dict)
        _only(about, {1, 2, 3, 4, 5}, "a page")
        demand(about.get(3) == _RLE and about.get(4) == _RLE, "has levels of an unknown form")
        encoding, leaf, place = whole(about, 2), self.leaf, 0
        self.encodings[DATA, encoding] += 1
        n_rows = page.n_values
        if leaf.max_repetition:
            repetition, place = levels(body, place, leaf.max_repetition, page.n_values)
            n_rows = int((repetition == 0).sum())
            demand(not len(repetition) or repetition[0] == 0, "has a page that begins within a row")
        n_present = page.n_values
        if leaf.max_definition:
            definition, place = levels(body, place, leaf.max_definition, page.n_values)
            n_present = int((definition == leaf.max_definition).sum())
        rest = body[place:]
        if encoding in (_DICTIONARY, _OLD_DICTIONARY):
            values = self._looked_up(rest, n_present)
        elif encoding == _RLE and self.physical == _BOOLEAN:
            length = int.from_bytes(rest[:4], "little")
            demand(length == len(rest) - 4, "has something behind the values of a page")
            values = hybrid(rest[4:], 1, n_present).astype(np.bool_)
        else:
            demand(encoding == _PLAIN, "has values of an encoding that is not accounted for here")
            values = self._plain(rest, n_present)
        demand(page.n_values > 0 or len(self.chunk.pages) == 1, "has an empty page")
        self.n_nulls.append(page.n_values - n_present)
        self.n_rows.append(n_rows)
        extremes = self._extremes(values)
        self.extremes.append(extremes)
        if 5 in about:
            self._check_statistics(about[5], page.n_values - n_present, extremes)

    def _plain(self, body: bytes, n_values: int) -> Values:
        """Return values that are written one after the other, and nothing else."""
        words = "has something behind the values of a page"
        if self.physical == _BOOLEAN:
            demand(len(body) == -(-n_values // 8), words)
            bits = np.unpackbits(np.frombuffer(body, np.uint8), bitorder="little")
            demand(not bits[n_values:].any(), words)
            return bits[:n_values].astype(np.bool_)
        if self.physical in _DTYPES:
            converted = self.leaf.element.get(layout_of.CONVERTED)
            dtype = np.dtype(_DTYPES[self.physical])
            if isinstance(converted, int) and converted in _UNSIGNED and dtype.kind == "i":
                dtype = np.dtype(dtype.str.replace("i", "u"))
            demand(len(body) == n_values * dtype.itemsize, words)
            return np.frombuffer(body, dtype)
        if self.physical == _FIXED:
            width = whole(self.leaf.element, layout_of.WIDTH)
            demand(0 < width <= 64 and len(body) == n_values * width, words)
            return [body[i : i + width] for i in range(0, len(body), width)]
        demand(self.physical == _BYTES, "has values of a type that is not accounted for here")
        found, place, whole_length = [], 0, len(body)
        while place < whole_length:
            end = place + 4 + int.from_bytes(body[place : place + 4], "little")
            found.append(body[place + 4 : end])
            place = end
        demand(place == whole_length and len(found) == n_values, words)
        return found

    def _looked_up(self, body: bytes, n_values: int) -> Values:
        """Return the distinct values of a page, which states their places in the dictionary."""
        if self.dictionary is None:
            raise OddError("has a page without its dictionary")
        if not n_values:
            demand(body[1:] == b"" and body in (b"", b"\0"), "has places of no values")
            return self._plain(b"", 0)
        width = body[0] if body else 0
        demand(width <= 32, "has places of too many bits")
        places = hybrid(body[1:], width, n_values)
        distinct, first = np.unique(places, return_index=True)
        largest = int(distinct[-1])
        demand(largest < len(self.dictionary), "has a place outside of its dictionary")
        if not self.is_sorted:  # values stand in the order in which rows first have them
            new = distinct[np.argsort(first)]
            new = new[new >= self.n_seen]
            demand(
                np.array_equal(new, np.arange(self.n_seen, self.n_seen + len(new))),
                "has a dictionary in another order than its values or its rows",
            )
        self.seen[distinct] = True
        self.n_seen = int(self.seen.sum())
        of = self.dictionary
        return [of[i] for i in distinct.tolist()] if isinstance(of, list) else of[distinct]

    def _check_statistics(self, stated: Value, n_nulls: int, extremes: Extremes) -> None:
        """Demand that statistics are those of the values, field by field."""
        if not isinstance(stated, dict):
            raise OddError("has statistics of an unknown form")
        _only(stated, {3, 5, 6, 7, 8}, "statistics")
        demand(stated.get(3, n_nulls) == n_nulls, "miscounts missing values")
        demand((5 in stated) == (6 in stated), "states one end of its values alone")
        demand(stated.get(7, True) is True and stated.get(8, True) is True, "rounds its statistics")
        if 5 in stated:
            self._check_ends(stated[6], stated[5], extremes)

    def _check_ends(self, low: Value, high: Value, extremes: Extremes) -> None:
        is_so = (
            extremes is not None
            and self._is_stated(low, extremes[0], is_high=False)
            and self._is_stated(high, extremes[1], is_high=True)
        )
        demand(is_so, "states a least or a largest value that is none")

    def _is_stated(self, stated: Value, value: object, *, is_high: bool) -> bool:
        if not isinstance(stated, bytes):
            return False
        if isinstance(value, np.floating):  # a zero of either sign
            return len(stated) == value.nbytes and bool(
                np.frombuffer(stated, value.dtype)[0] == value
            )
        if isinstance(value, bytes) and len(value) > _LONGEST_END:
            return stated == value or stated == (_above(value) if is_high else _cut(value))
        return stated == (value.tobytes() if isinstance(value, np.generic) else value)

    def check_column_index(self, index: dict[int, Value]) -> None:
        """Demand that the index of values says what the pages hold."""
        _only(index, {1, 2, 3, 4, 5}, "an index")
        lows, highs = index.get(2), index.get(3)
        if not isinstance(lows, list) or not isinstance(highs, list):
            raise OddError("has an index of an unknown form")
        n_pages = len(self.extremes)
        demand(
            index.get(1) == [each is None for each in self.extremes]
            and len(lows) == len(highs) == n_pages
            and index.get(5, self.n_nulls) == self.n_nulls,
            "has an index of other pages",
        )
        for low, high, extremes in zip(lows, highs, self.extremes, strict=True):
            if extremes is None:
                demand(low == high == b"", "has an index of values where there are none")
            else:
                self._check_ends(low, high, extremes)
        # Whether pages are in order: 0 says nothing, 1 that they ascend, 2 that they descend.
        ends = [each for each in self.extremes if each is not None]
        pairs = [
            (self._key(one[end]), self._key(other[end]))
            for end in (0, 1)
            for one, other in itertools.pairwise(ends)
        ]
        is_fit = {
            0: True,
            1: all(one <= other for one, other in pairs),
            2: all(one >= other for one, other in pairs),
        }
        order = index.get(4)
        demand(isinstance(order, int) and is_fit.get(order), "misstates the order of its pages")

    def check_page_index(self, index: dict[int, Value]) -> None:
        """Demand that the index of places says where the pages stand."""
        _only(index, {1}, "an index")
        pages = [page for page in self.chunk.pages if page.kind == DATA]
        before = itertools.accumulate(self.n_rows, initial=0)
        due = [
            {1: page.start, 2: page.end - page.start, 3: first}
            for page, first in zip(pages, before, strict=False)
        ]
        demand(structs(index, 1) == due, "has an index of other pages")

    def _extremes(self, values: Values) -> Extremes:
        """Return the least and the largest value; None without values."""
        if isinstance(values, list):
            return (min(values, key=self._key), max(values, key=self._key)) if values else None
        if values.dtype.kind == "f":
            values = values[~np.isnan(values)]
        return (values.min(), values.max()) if len(values) else None

    def _key(self, value: Any) -> Any:  # noqa: ANN401  whatever can be compared
        """Return a value as it is ordered: fixed bytes are whole numbers with a sign."""
        return int.from_bytes(value, "big", signed=True) if self.physical == _FIXED else value


def _cut(text: bytes) -> bytes:
    """Return the beginning of a long text, as polars states it: whole characters of 64 bytes."""
    return text[:_LONGEST_END].decode("utf-8", "ignore").encode()


def _above(text: bytes) -> bytes:
    """Return the least text of that length that comes after all that begin like a long one.

    Examples
    --------
    >>> _above(b"a" * 70) == b"a" * 63 + b"b"
    True
    """
    cut = _cut(text).decode()
    while cut:
        one_more = ord(cut[-1]) + 1
        one_more = 0xE000 if one_more == 0xD800 else one_more  # what lies between is no character
        if one_more <= 0x10FFFF and len(chr(one_more).encode()) == len(cut[-1].encode()):
            return (cut[:-1] + chr(one_more)).encode()
        cut = cut[:-1]
    return text
