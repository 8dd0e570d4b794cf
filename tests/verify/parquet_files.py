"""Parquet files changed byte by byte: a writer of the compact protocol, for tests alone."""

from __future__ import annotations

from typing import Any

from discreet.verify.files.parquet import Reader

# Of fields that are not 32 or 64 bits long, as the place of the type in the tests needs no other.
_I32, _I64, _BINARY, _LIST, _STRUCT = 5, 6, 8, 9, 12


def footer_of(content: bytes) -> dict[int, Any]:
    """Return what the footer of a file says."""
    length = int.from_bytes(content[-8:-4], "little")
    return Reader(content, len(content) - 8 - length, len(content) - 8).struct()


def with_footer(content: bytes, meta: dict[int, Any], more: bytes = b"") -> bytes:
    """Return a file with another footer, and perhaps something before it."""
    length = int.from_bytes(content[-8:-4], "little")
    written = compact(meta)
    begin = content[: len(content) - 8 - length]
    return begin + more + written + len(written).to_bytes(4, "little") + b"PAR1"


def compact(fields: dict[int, Any]) -> bytes:
    """Return a struct in the compact protocol; readers do not look at the lengths of numbers."""
    written, last = b"", 0
    for number, value in sorted(fields.items()):
        kind, body = _value(value)
        step = number - last
        written += bytes([step << 4 | kind]) if step < 16 else bytes([kind]) + _varint(2 * number)
        written += body
        last = number
    return written + b"\0"


def _value(value: Any) -> tuple[int, bytes]:  # noqa: ANN401
    if isinstance(value, bool):
        return (1 if value else 2), b""
    if isinstance(value, int):
        kind = _I32 if -(2**31) <= value < 2**31 else _I64
        return kind, _varint(2 * value if value >= 0 else -2 * value - 1)
    if isinstance(value, bytes):
        return _BINARY, _varint(len(value)) + value
    if isinstance(value, dict):
        return _STRUCT, compact(value)
    members = [_value(each) for each in value]
    kind = max((kind for kind, _ in members), default=_STRUCT)
    head = len(members) << 4 | kind if len(members) < 15 else 0xF0 | kind
    length = b"" if len(members) < 15 else _varint(len(members))
    flags = [bytes([1 if each else 2]) for each in value] if kind in (1, 2) else None
    return _LIST, bytes([head]) + length + b"".join(flags or [body for _, body in members])


def _varint(number: int) -> bytes:
    written = b""
    while number > 127:
        written += bytes([number & 127 | 128])
        number >>= 7
    return written + bytes([number])
