"""Judges of loss: what a release no longer tells, in cells, in counts and in what can be learnt."""

from discreet.utility.changes import CellsChanged, cells_changed
from discreet.utility.cross_tables import MarginalDistance
from discreet.utility.itemset_fidelity import ItemsetFidelity, itemset_fidelity
from discreet.utility.marginal_fidelity import MarginalFidelity, marginal_fidelity

__all__ = [
    "CellsChanged",
    "ItemsetFidelity",
    "MarginalDistance",
    "MarginalFidelity",
    "cells_changed",
    "itemset_fidelity",
    "marginal_fidelity",
]
