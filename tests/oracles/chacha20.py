"""The block function of ChaCha20 as RFC 8439 writes it, in plain Python."""

from __future__ import annotations

import struct

MASK = 2**32 - 1
ROUNDS = [
    (0, 4, 8, 12), (1, 5, 9, 13), (2, 6, 10, 14), (3, 7, 11, 15),
    (0, 5, 10, 15), (1, 6, 11, 12), (2, 7, 8, 13), (3, 4, 9, 14),
]  # fmt: skip


def block(key: bytes, nonce: bytes, counter: int) -> bytes:
    """Return 64 bytes of the key stream (section 2.3)."""
    start = [*struct.unpack("<4I", b"expand 32-byte k"), *struct.unpack("<8I", key), counter & MASK]
    start += struct.unpack("<3I", nonce)
    x = list(start)
    for _ in range(10):
        for places in ROUNDS:
            _quarter_round(x, *places)
    return struct.pack("<16I", *((a + b) & MASK for a, b in zip(x, start, strict=True)))


def _quarter_round(x: list[int], a: int, b: int, c: int, d: int) -> None:
    """Mix four words (section 2.1)."""
    for left, right, turned, bits in ((a, b, d, 16), (c, d, b, 12), (a, b, d, 8), (c, d, b, 7)):
        x[left] = (x[left] + x[right]) & MASK
        mixed = x[turned] ^ x[left]
        x[turned] = (mixed << bits | mixed >> (32 - bits)) & MASK
