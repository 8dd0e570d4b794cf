"""A small hierarchy of countries, and the shape of any."""

from __future__ import annotations

from typing import Any, TypeAlias

from discreet.data.hierarchy.tree import Hierarchy

Wrong: TypeAlias = Any  # of the wrong kind on purpose
EUROPE = "FR;Europe;*\nDE;Europe;*\nJP;Asia;*\nIN;Asia;*\n"


def shape(tree: Hierarchy) -> dict[Any, Any]:
    """Return each node's label with the set of its leaves."""
    return {
        tree.labels[node]: {tree.leaves[leaf] for leaf in tree.leaves_under(node)}
        for node in range(tree.n_nodes)
    }
