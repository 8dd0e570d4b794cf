"""The Krimp classifier: shortest smoothed code, by hand and on real data."""

from __future__ import annotations

from collections import Counter
from math import log2
from typing import TYPE_CHECKING

import pytest

import discreet as dc
from discreet.errors import DataError
from discreet.synthesize import krimp_classifier

if TYPE_CHECKING:
    from pathlib import Path


def test_lengths_by_hand() -> None:
    """Each class has ab or cd 4 times, single items unused: 5 elements, one added to each."""
    rows = dc.Transactions.from_iterable([set("ab")] * 4 + [set("cd")] * 4)
    made = krimp_classifier(rows, classes=[0] * 4 + [1] * 4)
    lengths = made.encoded_lengths(dc.Transactions.from_iterable([set("ab"), {"a"}]))
    assert lengths[0] == pytest.approx([log2(9 / 5), 2 * log2(9)])
    assert lengths[1] == pytest.approx([log2(9), log2(9)])
    # Rows take no bits, cd being the only code; c and d are each in half of all, one bit each.
    assert made.preview().rows[1] == ("1", "4", "1", "2")
    assert len(made.to_dict()["classes"]) == 2  # type: ignore[arg-type]


def test_learns_from_columns() -> None:
    import polars as pl

    frame = pl.DataFrame({"x": ["a", "b"] * 8, "y": ["c", "d"] * 8})
    made = krimp_classifier(frame, classes=["even", "odd"] * 8)
    assert made.predict(frame) == ["even", "odd"] * 8


def test_real_data(public_data: Path) -> None:
    """Half of ticTacToe tells the other half better than to name the larger class always."""
    lines = (public_data / "lucs/ticTacToe.D29.N958.C2.num").read_text().splitlines()
    rows, classes = [line.split()[:-1] for line in lines], [line.split()[-1] for line in lines]
    data = dc.Transactions.from_iterable(rows)
    made = krimp_classifier(data[::2], classes=classes[::2])
    predicted = made.predict(data[1::2])
    right = sum(a == b for a, b in zip(predicted, classes[1::2], strict=True))
    larger = max(Counter(classes[1::2]).values())
    assert right > 1.1 * larger


def test_refuses() -> None:
    rows = dc.Transactions.from_iterable([set("ab")])
    with pytest.raises(DataError, match="2 classes for 1 rows"):
        krimp_classifier(rows, classes=[1, 2])
    with pytest.raises(DataError, match="no rows"):
        krimp_classifier(dc.Transactions.from_iterable([]), classes=[])
