"""Covers made into clusters: disjoint, of the right size, and as the twin makes them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.examples import examples
from tests.generalize.cover_cases import clusters
from tests.oracles.set_cover import (
    clusters_of,
)


@pytest.mark.parametrize(
    ("cover", "n_rows", "expected"),
    [
        pytest.param([[0, 1], [1, 2]], 3, [[0, 1, 2]], id="002-alg2-merge"),
        pytest.param([[0, 1, 2], [2, 3]], 4, [[0, 1], [2, 3]], id="002-alg2-shrink"),
        pytest.param([[0, 1], [0, 1]], 2, [[0, 1]], id="the same set twice"),
        pytest.param([[0, 1], [0, 1, 2]], 3, [[0, 1, 2]], id="one in another"),
        pytest.param([[0, 1], [2, 3], [1, 2]], 4, [[0, 1], [2, 3]], id="joined, then shrunk"),
    ],
)
def test_clusters_of_small_covers(
    cover: list[list[int]], n_rows: int, expected: list[list[int]]
) -> None:
    assert clusters(cover, n_rows, 2) == expected


@examples(120)
@given(data=st.data(), k=st.integers(1, 5))
def test_clusters_are_disjoint_and_of_the_right_size(data: st.DataObject, k: int) -> None:
    n_rows = data.draw(st.integers(k, 16))
    rows = st.lists(
        st.integers(0, n_rows - 1), min_size=k, max_size=min(2 * k - 1, n_rows), unique=True
    )
    cover = [sorted(some) for some in data.draw(st.lists(rows, max_size=8))]
    missing = sorted(set(range(n_rows)) - {row for some in cover for row in some})
    for row in missing:
        others = [other for other in range(n_rows) if other != row]
        cover.append(sorted([row, *others[: k - 1]]))
    found = clusters(cover, n_rows, k)
    assert found == clusters_of(cover, k=k)
    assert sorted(row for cluster in found for row in cluster) == list(range(n_rows))
    assert all(k <= len(cluster) <= 2 * k - 1 for cluster in found)


@pytest.mark.parametrize(
    ("cover", "n_rows", "told"),
    [
        ([[0, 1], [2]], 3, "set 1 has not k to 2k-1 rows"),
        ([[0, 1, 2, 3]], 4, "set 0 has not k to 2k-1 rows"),
        ([[1, 0]], 2, "ascending"),
        ([[0, 1], [1, 3]], 3, "ascending"),
        ([[0, 1]], 3, "leaves out a row"),
    ],
)
def test_a_bad_cover_is_refused(cover: list[list[int]], n_rows: int, told: str) -> None:
    with pytest.raises(ValueError, match=told):
        clusters(cover, n_rows, 2)
