"""A text of one transaction a line, as numbers of its distinct tokens."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from discreet import _native
from discreet.data.files.compressed import read_bytes
from discreet.data.item_sets import INT64_MAX
from discreet.errors import DataError

if TYPE_CHECKING:
    import os

    import numpy as np
    from numpy.typing import NDArray

    from discreet.data.item_sets import Labels
    from discreet.progress import Progress

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
    """Return the tokens as int or str; see `discreet.data.fimi.read_transactions`."""
    odd = next((i for i, name in enumerate(text.names) if not INTEGER.fullmatch(name)), None)
    if kind == "str" or (kind == "auto" and odd is not None):
        return tuple(text.names)
    if odd is not None:
        raise DataError(
            f"{text.path}, line {text.lines[odd]}: item {text.names[odd][:60]!r} is not a plain "
            f"integer; correct it or read the file with labels='str'."
        )
    numbers = tuple(int(name) if len(name) < 25 else INT64_MAX + 1 for name in text.names)
    for name, number, line in zip(text.names, numbers, text.lines, strict=True):
        if not -INT64_MAX - 1 <= number <= INT64_MAX:
            raise DataError(
                f"{text.path}, line {line}: {name[:60]} does not fit 64 bits; read the file with "
                f"labels='str'."
            )
    return numbers
