"""Closed generalized itemsets: bad input is refused, limits and interruptions stop the search."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet import _native
from tests.examples import examples

if TYPE_CHECKING:
    pass
from tests.mine.generalized_closed import Table, arrays

BAD_TREES = {
    "no nodes": [],
    "2 roots": [-1, -1],
    "0 roots": [1, 0],
    "cycle": [-1, 2, 1],
    "not a node": [-1, 5],
    "parent of node 1": [-1, -2],
}


@pytest.mark.parametrize("told", BAD_TREES)
def test_a_bad_tree_is_refused_by_column(told: str) -> None:
    parents = [[-1], BAD_TREES[told]]
    for call in (_native.generalized_closed, _native.count_generalized_closed):
        with pytest.raises(ValueError, match=f"column 1: .*{told}"):
            call(*arrays(parents, [], []), 1, _native.Control())


def test_bad_rows_are_refused() -> None:
    for rows, weights, told in [
        ([(0,)], [1], "column 0: .*row 0 is not a leaf"),
        ([(9,)], [1], "column 0: .*row 0 is not a node"),
        ([(1,)], [1, 1], "column 0: there must be one code per weight"),
        ([(1,)], [0], "below 1"),
        ([(1,), (1,)], [2**31 - 1, 1], "2\\^31"),
    ]:
        with pytest.raises(ValueError, match=told):
            _native.generalized_closed(*arrays([[-1, 0]], rows, weights), 1, _native.Control())
    with pytest.raises(ValueError, match="k must be"):
        _native.generalized_closed(*arrays([[-1, 0]], [(1,)], [1]), 0, _native.Control())
    with pytest.raises(ValueError, match="one array per column"):
        _native.generalized_closed(
            [np.array([-1], np.int32)], [], np.array([], np.int64), 1, _native.Control()
        )


def test_other_types_are_refused() -> None:
    parents, leaves, weights = arrays([[-1, 0]], [(1,)], [1])
    bad: Any  # on purpose: what the stub forbids
    for bad in (np.zeros(1), np.zeros(1, np.int16), np.zeros((1, 1), np.int32), [0], None):
        for changed in (
            ([bad], leaves, weights),
            (parents, [bad], weights),
            (parents, leaves, bad),
        ):
            with pytest.raises(TypeError):
                _native.generalized_closed(changed[0], changed[1], changed[2], 1, _native.Control())


@examples(200)
@given(data=st.data())
def test_malformed_arrays_never_crash(data: st.DataObject) -> None:
    number = st.integers(-2, 5) | st.sampled_from([2**31 - 1, -(2**31)])
    dtype = st.sampled_from([np.int32, np.uint32, np.int64, np.float64, np.uint8])

    def array(preferred: type[np.generic]) -> Any:  # noqa: ANN401
        kind = data.draw(st.just(preferred) | st.just(preferred) | dtype)
        return (
            np.array(data.draw(st.lists(number, max_size=5)), np.float64)
            .astype(np.int64)
            .astype(kind)
        )

    parents = [array(np.int32) for _ in range(data.draw(st.integers(0, 2)))]
    leaves = [array(np.uint32) for _ in range(data.draw(st.integers(0, 2)))]
    with contextlib.suppress(TypeError, ValueError):
        _native.generalized_closed(
            parents, leaves, array(np.int64), data.draw(st.integers(-1, 3)), _native.Control()
        )


def cube(n_columns: int, n_values: int) -> Table:
    """Rows drawn over flat hierarchies: very many closed sets from very few arrays."""
    random = np.random.default_rng(1)
    parents = [np.array([-1] + [0] * n_values, np.int32)] * n_columns
    leaves = [random.integers(1, n_values + 1, 4000).astype(np.uint32) for _ in range(n_columns)]
    return parents, leaves, np.ones(4000, np.int64)


@pytest.mark.parametrize("threads", [1, 3])
def test_limits_are_obeyed(threads: int) -> None:
    table = cube(8, 3)
    control = _native.Control(threads)
    nodes, _ = _native.generalized_closed(*table, 5, control)
    assert control.n_found == len(nodes)
    assert control.peak_memory > nodes.nbytes
    assert control.fraction == 1.0
    _native.generalized_closed(*table, 5, _native.Control(threads, max_itemsets=len(nodes)))
    for call in (_native.generalized_closed, _native.count_generalized_closed):
        with pytest.raises(_native.LimitReached) as limit:
            call(*table, 5, _native.Control(threads, max_itemsets=len(nodes) - 1))
        assert limit.value.args == ("itemsets", len(nodes) - 1)
    with pytest.raises(_native.LimitReached) as limit:
        _native.generalized_closed(*table, 5, _native.Control(threads, max_memory=1000))
    assert limit.value.args == ("memory", 1000)


@pytest.mark.parametrize("threads", [1, 2])
def test_an_exception_in_progress_stops_the_search(threads: int) -> None:
    class Enough(Exception):  # noqa: N818
        pass

    def stop(fraction: float) -> None:
        assert 0 <= fraction <= 1
        raise Enough

    with pytest.raises(Enough):
        _native.count_generalized_closed(*cube(20, 3), 2, _native.Control(threads), stop)
