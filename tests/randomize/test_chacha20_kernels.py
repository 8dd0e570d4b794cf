"""The cipher that random bits are taken from, against its standard and a plain twin."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet import _native
from discreet.data.transactions import Transactions
from discreet.randomize import CutAndPaste
from tests.oracles import chacha20 as cipher

# RFC 8439: section 2.3.2, and vectors 1, 2, 4 and 5 of appendix A.1.
VECTORS = [
    (bytes(range(32)), "000000090000004a00000000", 1,
     ("10f1e7e4d13b5915500fdd1fa32071c4c7d1f4c733c068030422aa9ac3d46c4e"
     "d2826446079faa0914c2d705d98b02a2b5129cd1de164eb9cbd083e8a2503c4e")),
    (bytes(32), "00" * 12, 0,
     ("76b8e0ada0f13d90405d6ae55386bd28bdd219b8a08ded1aa836efcc8b770dc7"
     "da41597c5157488d7724e03fb8d84a376a43b8f41518a11cc387b669b2ee6586")),
    (bytes(32), "00" * 12, 1,
     ("9f07e7be5551387a98ba977c732d080dcb0f29a048e3656912c6533e32ee7aed"
     "29b721769ce64e43d57133b074d839d531ed1f28510afb45ace10a1f4b794d6f")),
    (bytes([0, 255, *[0] * 30]), "00" * 12, 2,
     ("72d54dfbf12ec44b362692df94137f328fea8da73990265ec1bbbea1ae9af0ca"
     "13b25aa26cb4a648cb9b9d1be65b2c0924a66c54d545ec1b7374f4872e99f096")),
    (bytes(32), "00" * 11 + "02", 0,
     ("c2c64d378cd536374ae204b9ef933fcd1a8b2288b3dfa49672ab765b54ee27c7"
     "8a970e0e955c14f3a88e741b97c286f75f8fc299e8148362fa198a39531bed6d")),
]  # fmt: skip


def key_stream(key: bytes, nonce: bytes, counter: int) -> list[bytes]:
    words = _native.chacha20(key, nonce, counter)
    return [column.astype("<u4").tobytes() for column in words.T]


@pytest.mark.parametrize(("key", "nonce", "counter", "expected"), VECTORS)
def test_chacha20_gives_the_vectors_of_the_standard(
    key: bytes, nonce: str, counter: int, expected: str
) -> None:
    assert key_stream(key, bytes.fromhex(nonce), counter)[0].hex() == expected
    assert cipher.block(key, bytes.fromhex(nonce), counter).hex() == expected


@given(
    key=st.binary(min_size=32, max_size=32),
    nonce=st.binary(min_size=12, max_size=12),
    counter=st.integers(0, 2**32 - 1),
)
def test_sixteen_blocks_are_those_of_the_plain_cipher(
    key: bytes, nonce: bytes, counter: int
) -> None:
    expected = [cipher.block(key, nonce, counter + i) for i in range(16)]
    assert key_stream(key, nonce, counter) == expected


def test_streams_of_one_key_differ() -> None:
    sets = Transactions.from_csr([0] * 300, [], list(range(64)))
    made = CutAndPaste(3, rho="1/2").randomize(sets).transactions
    assert len(set(made)) == 299  # rows of 64 fair coins: a repeat has chance 2^-47
