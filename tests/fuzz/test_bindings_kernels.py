"""No array that reaches a kernel ends the process, however broken it is."""

from __future__ import annotations

import inspect
import random
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from discreet import _native
from tests.fuzz.bindings import KERNELS, WITHOUT

ROOT = Path(__file__).parents[2]
N_CASES = 150  # for each kernel; `python -m tests.fuzz.bindings 0 100000` tries more
NAMES = sorted(KERNELS)


@pytest.mark.parametrize("names", [NAMES[:15], NAMES[15:30], NAMES[30:]], ids=str)
def test_no_kernel_ends_the_process(names: list[str]) -> None:
    run = subprocess.run(
        [sys.executable, "-m", "tests.fuzz.bindings", "0", str(N_CASES), *names],
        cwd=ROOT, capture_output=True, text=True, check=False, timeout=1200,
    )  # fmt: skip
    last = run.stdout.splitlines()[-2:]
    assert run.returncode == 0, f"exit {run.returncode} after {last}: {run.stderr[-3000:]}"
    assert last[-1] == "done"
    ends = {line.partition(": ")[0]: line for line in run.stdout.splitlines() if "{" in line}
    for name in names:  # broken arrays are refused, and what is whole is taken
        assert "'returned'" in ends[name], ends[name]
        assert "Error'" in ends[name], ends[name]


def test_every_kernel_is_tried() -> None:
    members = {name for name, _ in inspect.getmembers(_native) if not name.startswith("_")}
    functions = {name for name in members if callable(getattr(_native, name))} - WITHOUT
    assert functions <= set(KERNELS)


LAST = 2**31 - 1


@pytest.mark.parametrize("item", [LAST, LAST - 1, 2**30])
def test_items_too_large_to_be_counted_are_refused(item: int) -> None:
    """One more than 2^31 - 1 is below 0, where arrays by item begin."""
    one = np.array([0, 1], np.int64), np.array([item], np.int32)
    with pytest.raises(ValueError, match=r"from 0 to 2\^30 - 1"):
        _native.Collection(*one, np.array([1], np.int64), 1)
    with pytest.raises(ValueError, match=r"from 0 to 2\^30 - 1"):
        _native.merge_itemsets(*one, *one, _native.Control())
    with pytest.raises(ValueError, match=r"n_items"):
        _native.Database(*one, np.array([1], np.int64), LAST, np.array([], np.int32))


@pytest.mark.parametrize("k", [0, -(2**63), 2**31, 2**62])
@pytest.mark.parametrize("kernel", ["improve_clusters", "repair_clusters"])
def test_k_that_overflows_the_size_of_a_block_is_refused(kernel: str, k: int) -> None:
    one = np.array([0], np.int32)
    costs = [np.array([0, 1], np.int64)]
    weights = np.array([1], np.int64)
    table = _native.CostTable([np.array([1, -1], np.int32)], costs, [one], weights)
    with pytest.raises(ValueError, match="k must be at least 1"):
        getattr(_native, kernel)(table, [], k, one, _native.Control())


def test_rows_whose_number_overflows_are_refused() -> None:
    """2^62 rows of 4 columns are 0 cells modulo 2^64."""
    tree = _native.Contexts(*KERNELS["generate"][0](random.Random(1))["tree"].values())
    none = np.array([], np.int32)
    for n_rows, block in ((2**62, 0), (2**63 - 1, 0), (1, 2**62)):
        with pytest.raises(ValueError, match="n_rows must be"):
            _native.generate(tree, none, bytes(32), block, n_rows, _native.Control())


def test_pairs_of_values_whose_number_overflows_are_refused() -> None:
    """2^32 values have 0 pairs modulo 2^64."""
    none = np.array([], np.float32)
    for n in (2**20 + 1, 2**32, 2**62):
        with pytest.raises(ValueError, match="more than"):
            _native.sweep_rows(
                np.array([0, n], np.int64), none, none, np.array([0], np.int32),
                np.array([0], np.uint8), bytes(32), 0, True, _native.Control(),
            )  # fmt: skip
