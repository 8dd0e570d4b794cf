"""Pruning of hierarchies: costs never fall on the way up, and no set of rows loses more."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet as dc
from discreet.errors import ParameterError
from discreet.generalize.problem import prune_hierarchy
from discreet.utility.node_costs import is_monotone, node_costs
from tests.strategies import hierarchies

FOUR = dc.Hierarchy.from_mapping({"*": {"low": [1, 2], "high": [3, 4]}}, name="number")


def test_the_group_of_rare_values_goes() -> None:  # 002-entropy-nonmonotone
    costs = node_costs(FOUR, [97, 1, 1, 1], measure="plain_entropy")
    pruned = prune_hierarchy(FOUR, costs=costs)
    assert pruned.labels == (1, 2, 3, 4, "low", "*")
    assert pruned.parent.tolist() == [4, 4, 5, 5, 5, -1]
    assert (pruned.name, pruned.leaves) == ("number", (1, 2, 3, 4))


def test_nothing_to_prune_is_the_same_hierarchy() -> None:
    assert prune_hierarchy(FOUR, costs=node_costs(FOUR)) is FOUR


def test_the_nearest_kept_one_decides() -> None:
    tree = dc.Hierarchy.from_mapping({"*": {"A": {"B": {"C": [1, 2], "c": []}, "b": []}, "a": []}})
    at = [tree.node_of(label) for label in ("C", "B", "A", "*")]
    for of_groups, kept in [
        ([1, 2, 3, 4], ["C", "B", "A", "*"]),
        ([2, 3, 9, 4], ["C", "B", "*"]),
        ([5, 9, 9, 4], ["*"]),  # C costs less than what stood above it, but not than the root
        ([4, 9, 4, 4], ["C", "A", "*"]),
    ]:
        costs = np.zeros(tree.n_nodes)
        costs[at] = of_groups
        assert list(prune_hierarchy(tree, costs=costs).labels[tree.n_leaves :]) == kept


@given(parents=hierarchies(), counts=st.lists(st.integers(0, 40), min_size=4, max_size=4))
def test_no_set_loses_more_and_costs_never_fall(parents: dict[str, str], counts: list[int]) -> None:
    tree = dc.Hierarchy.from_parents(parents)
    at_leaf = [counts["pqrs".index(str(leaf))] for leaf in tree.leaves]
    costs = node_costs(tree, at_leaf, measure="plain_entropy")
    pruned = prune_hierarchy(tree, costs=costs)
    after = node_costs(pruned, at_leaf, measure="plain_entropy")
    assert is_monotone(pruned, after - 1e-12 * np.arange(pruned.n_nodes, 0, -1))
    assert pruned.leaves == tree.leaves
    assert set(pruned.labels) <= set(tree.labels)
    assert pruned.labels[-1] == tree.labels[-1]
    for node in range(tree.n_nodes):
        under = set(tree.leaves_under(node))
        takes_place = min(
            (new for new in range(pruned.n_nodes) if under <= set(pruned.leaves_under(new))),
            key=lambda new: int(pruned.leaf_counts[new]),
        )
        assert after[takes_place] <= costs[node] + 1e-12


def test_costs_that_do_not_fit() -> None:
    with pytest.raises(ParameterError, match="one number for each of the 7 nodes"):
        prune_hierarchy(FOUR, costs=np.zeros(4))
