"""The kernel of generation against its definition, on tiny trees."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chisquare  # type: ignore[import-untyped]

from discreet import _native
from discreet.synthesize import CodeTree
from discreet.synthesize.rows import contexts
from tests.oracles import code_tree as oracle

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from discreet.synthesize.rows import Path

NOTHING = np.empty(0, np.int32)
CHANCES = st.sampled_from([0.0, 0.02, 0.1, 0.125, 0.25, 0.25, 0.3, 0.5, 0.7, 1.0])


@st.composite
def trees(draw: st.DrawFn) -> CodeTree:
    """Return any tree at all: its probabilities need not fit together."""
    sizes = draw(st.lists(st.integers(1, 3), min_size=1, max_size=4))
    domain = {f"c{c}": tuple(range(size)) for c, size in enumerate(sizes)}
    rows = st.tuples(*(st.sampled_from([None, *range(size)]) for size in sizes))
    paths: set[Path] = {((c, v),) for c, size in enumerate(sizes) for v in range(size)}
    for row in draw(st.lists(rows, max_size=8)):
        path = tuple((c, v) for c, v in enumerate(row) if v is not None)
        paths |= {path[:length] for length in range(1, len(path) + 1)}
    return CodeTree(domain=domain, probabilities={path: draw(CHANCES) for path in sorted(paths)})


def drawn(
    tree: CodeTree, n_rows: int, *, key: bytes = bytes(32), first_block: int = 0,
    fixed: NDArray[np.int32] = NOTHING, threads: int = 1,
) -> NDArray[np.int32]:  # fmt: skip
    control = _native.Control(threads)
    return _native.generate(contexts(tree), fixed, key, first_block, n_rows, control)


@settings(max_examples=150, deadline=None)
@given(tree=trees(), key=st.binary(min_size=32, max_size=32))
def test_draws_what_the_definition_draws(tree: CodeTree, key: bytes) -> None:
    found = drawn(tree, 20, key=key)
    assert list(zip(*found.tolist(), strict=True)) == oracle.generate(tree, key, 20)


@settings(max_examples=40, deadline=None)
@given(tree=trees(), n_given=st.integers(0, 2), key=st.binary(min_size=32, max_size=32))
def test_rows_follow_the_law(tree: CodeTree, n_given: int, key: bytes) -> None:
    fixed = np.array([len(v) - 1 for v in tree.domain.values()][:n_given], np.int32)
    law = oracle.row_law(tree, dict(enumerate(fixed.tolist())))
    assert sum(law.values()) == pytest.approx(1)
    counts = Counter(zip(*drawn(tree, 20_000, key=key, fixed=fixed).tolist(), strict=True))
    likely = [row for row, p in law.items() if p > 1e-12]
    assert set(counts) <= set(likely)
    common = [row for row in likely if law[row] * 20_000 > 20]
    expected = np.array([law[row] for row in common] + [sum(law[r] for r in {*likely} - {*common})])
    sizes = np.array(
        [counts[row] for row in common] + [sum(counts[r] for r in {*likely} - {*common})]
    )
    held = expected > 1e-3  # too rare together: nothing to test
    if held.sum() > 1:
        wanted = expected[held] / expected[held].sum() * sizes[held].sum()
        assert chisquare(sizes[held], wanted).pvalue > 1e-9


def test_the_test_of_the_law_can_tell() -> None:
    tree = CodeTree(
        domain={"x": (0, 1), "y": (0, 1)},
        probabilities={((0, 0),): 0.6, ((0, 1),): 0.4, ((1, 0),): 0.5, ((1, 1),): 0.5,
                       ((0, 0), (1, 1)): 0.15},
    )  # fmt: skip
    law = oracle.row_law(tree)
    assert law == pytest.approx({(0, 0): 0.45, (0, 1): 0.15, (1, 0): 0.2, (1, 1): 0.2})
    counts = Counter(zip(*drawn(tree, 20_000).tolist(), strict=True))
    sizes = np.array([counts[row] for row in law])
    assert chisquare(sizes, np.array([*law.values()]) * 20_000).pvalue > 1e-9
    for factor in (0.7, 1.3):
        wrong = np.array([*law.values()]) * [1, factor, 1, 1]
        assert chisquare(sizes, wrong / wrong.sum() * 20_000).pvalue < 1e-9


def test_threads_and_batches_do_not_change_the_rows() -> None:
    probabilities: dict[Path, float] = {((c, v),): (v + 1) / 6 for c in range(3) for v in range(3)}
    probabilities.update({((0, v), (1, v)): v / 7 for v in range(3)})
    tree = CodeTree(domain=dict.fromkeys("abc", (0, 1, 2)), probabilities=probabilities)
    whole = drawn(tree, 3000)
    assert np.array_equal(drawn(tree, 3000, threads=5), whole)
    parts = [drawn(tree, 512, first_block=0), drawn(tree, 3000 - 512, first_block=2, threads=2)]
    assert np.array_equal(np.concatenate(parts, axis=1), whole)
    assert not np.array_equal(drawn(tree, 3000, key=b"1" * 32), whole)
    assert drawn(tree, 0).shape == (3, 0)
    assert repr(contexts(tree)) == "Contexts(6 contexts of 4 nodes, 3 columns)"


FAIR: dict[str, Any] = {
    "value_offsets": np.array([0, 2], np.int64),
    "weights": np.array([1, 2], np.uint64),
    "node_offsets": np.array([0, 1], np.int64),
    "node_contexts": np.array([0], np.int32),
    "columns": np.array([0], np.int32),
    "law_offsets": np.array([0, 2], np.int64),
    "law_values": np.array([0, 1], np.int32),
    "law_below": np.array([2**62, 2**63], np.uint64),
    "rest": np.array([0], np.uint64),
    "step_offsets": np.array([0, 0], np.int64),
    "step_values": NOTHING,
    "step_nodes": NOTHING,
}


@pytest.mark.parametrize(
    ("name", "values", "what"),
    [
        ("value_offsets", [0, 3], "value_offsets must rise"),
        ("weights", [1, 0], "weights must rise"),
        ("weights", [0, 0], "weights must rise"),
        ("columns", [1], "order of their columns"),
        ("node_offsets", [0], "node_offsets must rise"),
        ("node_contexts", [1], "unknown context"),
        ("law_offsets", [0, 1], "law_offsets must rise"),
        ("law_values", [0, 2], "values must rise within"),
        ("law_values", [1, 1], "values must rise within"),
        ("law_below", [2**63, 5], "law_below falls"),
        ("law_below", [2, 5], "leaves nothing to draw"),
        ("rest", [9], "leaves nothing to draw"),
        ("rest", [], "one rest"),
        ("step_offsets", [0, 1], "step_offsets must rise"),
    ],
)
def test_refuses_arrays_that_make_no_tree(name: str, values: list[int], what: str) -> None:
    wrong = np.array(values, FAIR[name].dtype)
    with pytest.raises(ValueError, match=what):
        _native.Contexts(**{**FAIR, name: wrong})


def test_refuses_steps_that_lead_nowhere() -> None:
    step = {"step_offsets": np.array([0, 1], np.int64), "step_values": np.array([1], np.int32)}
    for node, what in ((0, "later columns"), (1, "unknown node")):
        with pytest.raises(ValueError, match=what):
            _native.Contexts(**{**FAIR, **step, "step_nodes": np.array([node], np.int32)})
    rootless = {"node_offsets": np.array([0, 0, 1], np.int64)}
    with pytest.raises(ValueError, match="root must have a context"):
        _native.Contexts(**{**FAIR, **rootless})


@pytest.mark.parametrize(
    ("arguments", "what"),
    [
        ({"fixed": np.array([2], np.int32)}, "not in its column"),
        ({"fixed": np.array([0, 0], np.int32)}, "more values are given"),
        ({"key": b"short"}, "expected 32 bytes"),
        ({"first_block": -1}, "from 0 to"),
    ],
)
def test_refuses_arguments(arguments: dict[str, Any], what: str) -> None:
    tree = CodeTree(domain={"x": (0, 1)}, probabilities={((0, 0),): 0.5, ((0, 1),): 0.5})
    with pytest.raises(ValueError, match=what):
        drawn(tree, 10, **arguments)
