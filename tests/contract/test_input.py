"""What every mechanism does with its input: nothing to it, little to ask of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import discreet as dc
from discreet.errors import DiscreetError
from tests.contract.mechanisms import MECHANISMS, Data, Mechanism, keeping

pytestmark = pytest.mark.filterwarnings("ignore::discreet.errors.DiscreetWarning")

TABLES: dict[str, dict[str, list[Any]]] = {
    "empty": {"a": [], "b": []},
    "one row": {"a": ["x"], "b": ["y"]},
    "one column": {"a": ["x", "x", "y", "y", "z"] * 4},
    "all missing": {"a": [None] * 20, "b": [None] * 20},
    "constant": {"a": ["x"] * 20, "b": ["p", "q", "r", "s"] * 5},
}
SETS: dict[str, list[list[str]]] = {
    "empty": [],
    "one row": [["a"]],
    "one column": [["a"]] * 10 + [[]] * 10,
    "all missing": [[]] * 20,
    "constant": [["a", "b"], ["a"], ["a", "c"]] * 5,
}


def degenerate(kind: str, like: Data) -> Data:
    """Return a table or transactions with little in it."""
    if isinstance(like, dc.Table):
        return dc.Table.from_frame(TABLES[kind])
    return dc.Transactions.from_iterable(SETS[kind])


def arrays(data: Data) -> list[np.ndarray]:
    """Return copies of all that the data consists of."""
    inside: list[np.ndarray]
    if isinstance(data, dc.Table):
        inside = [data.codes(name) for name in data.columns]
        inside += [np.array(data.values(name), object) for name in data.columns]
    else:
        inside = [data.offsets, data.items, np.array(data.labels, object)]
    return [each.copy() for each in inside]


def contents(made: Any) -> list[str]:  # noqa: ANN401
    """Return the released rows, sorted, each with its columns in the order of names."""
    frame = made.data.to_frame("polars")
    return sorted(map(str, frame.select(sorted(frame.columns)).rows()))


def claim(made: Any) -> object:  # noqa: ANN401
    """Return what is claimed, whatever the order of columns; of cells, the chances."""
    if isinstance(made, dc.synthesize.Sanitized):
        return sorted((one.column, one.p, one.q) for one in made.channels)
    stated = made.guarantee
    return stated.model, stated.parameters, sorted(stated.columns), stated.experimental


@pytest.mark.parametrize("mechanism", MECHANISMS, ids=lambda one: one.name)
def test_input_is_not_modified(mechanism: Mechanism) -> None:
    frame = mechanism.data.to_frame("pandas")
    data: Data = (
        dc.Table.from_frame(frame)
        if isinstance(mechanism.data, dc.Table)
        else dc.Transactions.from_frame(frame, items="items")
    )
    before, before_frame = arrays(data), frame.copy(deep=True)
    mechanism.run(data)
    for old, new in zip(before, arrays(data), strict=True):
        np.testing.assert_array_equal(old, new)
    assert list(frame.columns) == list(before_frame.columns)
    assert frame.astype(str).equals(before_frame.astype(str))


def check_message(text: str) -> None:
    assert len(text) > 20
    assert text.endswith((".", "?"))


@pytest.mark.parametrize("kind", TABLES)
@pytest.mark.parametrize("mechanism", MECHANISMS, ids=lambda one: one.name)
def test_little_data_is_released_with_a_claim_that_holds_or_refused(
    mechanism: Mechanism, kind: str, tmp_path: Path
) -> None:
    data = degenerate(kind, mechanism.data)
    try:
        made = mechanism.run(data)
    except DiscreetError as error:
        check_message(str(error))
        return
    if "release" in mechanism.not_kept:
        assert made.n_rows == len(data)
        return
    original = data if mechanism.needs_original else None
    found = dc.verify_release(made.save(tmp_path / "out"), original=original)
    assert found.answer != "refuted", found.sentence


@pytest.mark.parametrize(
    "mechanism",
    [one for one in MECHANISMS if isinstance(one.data, dc.Table)],
    ids=lambda one: one.name,
)
def test_columns_in_another_order(mechanism: Mechanism) -> None:
    assert isinstance(mechanism.data, dc.Table)
    turned = mechanism.data.select(mechanism.data.columns[::-1])
    one, other = mechanism.made_again, mechanism.repeated(turned)
    assert claim(one) == claim(other)
    if "columns" not in mechanism.not_kept:
        assert contents(one) == contents(other)


@pytest.mark.parametrize("mechanism", MECHANISMS, ids=lambda one: one.name)
def test_rows_in_another_order(mechanism: Mechanism) -> None:
    order = np.random.default_rng(3).permutation(len(mechanism.data))
    one, other = mechanism.made_again, mechanism.repeated(mechanism.data.take(order))
    assert claim(one) == claim(other)
    if "rows" not in mechanism.not_kept:
        assert contents(one) == contents(other)


@keeping("threads")
def test_the_result_does_not_depend_on_threads(mechanism: Mechanism) -> None:
    for threads in (1, 2, 3):
        made = mechanism.repeated(mechanism.data, threads=threads)
        assert made.data == mechanism.made_again.data  # order of rows included
        assert claim(made) == claim(mechanism.made_again)
