"""Randomized transactions: people send randomized sets, the server recovers what is true."""

from discreet.randomize.covariance import support_covariance
from discreet.randomize.discovered import Discovered
from discreet.randomize.estimate import Estimate, PartialSupports
from discreet.randomize.mining import mine_randomized
from discreet.randomize.operators import (
    CutAndPaste,
    Mixing,
    Operator,
    SelectASize,
    SizeLaw,
    Uniform,
    operator_from_dict,
)
from discreet.randomize.overlaps import overlaps, partial_counts
from discreet.randomize.randomized import Randomized
from discreet.randomize.recovery import (
    partial_supports,
    recover_partial_supports,
    recover_support,
    support,
    support_weights,
)
from discreet.randomize.rule_confidence import RuleConfidence, chance_within, confidence
from discreet.randomize.transition import eigenvalues, inverse, transition_matrix, two_set_matrix

__all__ = [
    "CutAndPaste",
    "Discovered",
    "Estimate",
    "Mixing",
    "Operator",
    "PartialSupports",
    "Randomized",
    "RuleConfidence",
    "SelectASize",
    "SizeLaw",
    "Uniform",
    "chance_within",
    "confidence",
    "eigenvalues",
    "inverse",
    "mine_randomized",
    "operator_from_dict",
    "overlaps",
    "partial_counts",
    "partial_supports",
    "recover_partial_supports",
    "recover_support",
    "support",
    "support_covariance",
    "support_weights",
    "transition_matrix",
    "two_set_matrix",
]
