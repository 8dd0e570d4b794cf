"""Utility of a release: cells suppressed or changed, errors of counts, accuracy of models."""

from discreet.utility.changes import CellsChanged, cells_changed
from discreet.utility.differences import Differences, differences
from discreet.utility.distortion import Distortion, distortion
from discreet.utility.held_out_accuracy import HeldOutAccuracy, held_out_accuracy
from discreet.utility.itemset_fidelity import ItemsetFidelity, itemset_fidelity
from discreet.utility.learning import Accuracies, LearningUtility, ModelAccuracy, learning_utility
from discreet.utility.loss import Loss, loss
from discreet.utility.marginal_fidelity import MarginalDistance, MarginalFidelity, marginal_fidelity
from discreet.utility.node_costs import node_costs

__all__ = [
    "Accuracies",
    "CellsChanged",
    "Differences",
    "Distortion",
    "HeldOutAccuracy",
    "ItemsetFidelity",
    "LearningUtility",
    "Loss",
    "MarginalDistance",
    "MarginalFidelity",
    "ModelAccuracy",
    "cells_changed",
    "differences",
    "distortion",
    "held_out_accuracy",
    "itemset_fidelity",
    "learning_utility",
    "loss",
    "marginal_fidelity",
    "node_costs",
]
