"""The kernels for minimal infrequent itemsets: bad arguments, limits, interruption, progress."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from discreet import _native

if TYPE_CHECKING:
    pass
from tests.mine.minimal_infrequent import Rows, listed, table


@pytest.mark.parametrize("name", ["minimal_infrequent", "count_minimal_infrequent", "mark_cells"])
def test_arguments_out_of_range(name: str) -> None:
    database = table(["ab", "ac"]).native()
    with pytest.raises(ValueError, match="theta"):
        getattr(_native, name)(database, -1, 3, _native.Control())
    with pytest.raises(ValueError, match="max_size"):
        getattr(_native, name)(database, 1, 0, _native.Control())


def wide(n_columns: int = 22, n_rows: int = 400) -> Rows:
    values = np.random.default_rng(1).integers(0, 3, (n_rows, n_columns))
    return table(values.tolist())


@pytest.mark.parametrize("threads", [1, 2])
def test_limit_of_itemsets(threads: int) -> None:
    rows = wide(8)
    n = len(listed(rows, 3))
    _native.minimal_infrequent(rows.native(), 3, 99, _native.Control(threads, n))
    for kernel in (_native.minimal_infrequent, _native.count_minimal_infrequent):
        with pytest.raises(_native.LimitReached) as caught:
            kernel(rows.native(), 3, 99, _native.Control(threads, n - 1))
        assert caught.value.args == ("itemsets", n - 1)


@pytest.mark.parametrize(
    "kernel", [_native.minimal_infrequent, _native.count_minimal_infrequent, _native.mark_cells]
)
def test_limit_of_memory(kernel: object) -> None:
    assert callable(kernel)
    with pytest.raises(_native.LimitReached) as caught:
        kernel(wide(8, 4000).native(), 3, 99, _native.Control(1, max_memory=1000))
    assert caught.value.args == ("memory", 1000)


@pytest.mark.parametrize(
    "kernel", [_native.minimal_infrequent, _native.count_minimal_infrequent, _native.mark_cells]
)
def test_progress_may_stop_the_run(kernel: object) -> None:
    seen = []

    class StopError(Exception):
        pass

    def progress(fraction: float) -> None:
        seen.append(fraction)
        raise StopError

    assert callable(kernel)
    with pytest.raises(StopError):  # the whole search would take minutes
        kernel(wide(40, 20000).native(), 2, 99, _native.Control(threads=2), progress)
    assert len(seen) == 1
    assert 0 <= seen[0] <= 1
