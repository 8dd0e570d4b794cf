"""Marginals share a budget so that their noise is least, and no more than all of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.synthesize.budget import marginal_parts, marginal_weights

if TYPE_CHECKING:
    from discreet.synthesize.budget import Law

LAWS: list[Law] = ["gaussian", "laplace"]


@pytest.mark.parametrize("law", LAWS)
def test_weights_make_the_noise_least(law: Law) -> None:
    cells = [4, 9, 100]
    weights = marginal_weights(cells, law)
    power = 1 / 2 if law == "gaussian" else 1

    def noise(shares: np.ndarray) -> float:
        """Return the total of cells x standard deviation, with shares of a budget."""
        return float(sum(c / s**power for c, s in zip(cells, shares, strict=True)))

    best = weights / weights.sum()
    draw = np.random.default_rng(2)
    assert all(noise(best) <= noise(draw.dirichlet([2, 2, 2])) for _ in range(200))
    for by in (0.9, 1.1):
        other = best * [1, 1, by]
        assert noise(other / other.sum()) > noise(best)


@given(cells=st.lists(st.integers(1, 10**6), max_size=50), law=st.sampled_from(LAWS))
def test_parts_are_nearly_all_and_never_more(cells: list[int], law: Law) -> None:
    parts = marginal_parts(cells, law)
    assert len(parts) == len(cells)
    assert all(part > 0 for part in parts)
    assert 1 - len(cells) * 1e-11 <= sum(parts, start=0) <= 1 or not cells
