"""Randomized transactions: people send randomized sets, the server recovers what is true."""

from discreet.randomize.breach import Breach, breach_level, challenging_supports, worst_breach
from discreet.randomize.covariance import support_covariance
from discreet.randomize.discoverable import lowest_discoverable_support
from discreet.randomize.discoverable_confidence import lowest_discoverable_confidence
from discreet.randomize.discovered import Discovered
from discreet.randomize.estimate import Estimate, PartialSupports
from discreet.randomize.max_supports import MaxSupport, max_supports
from discreet.randomize.measured_breaches import (
    MeasuredBreach,
    MeasuredBreaches,
    measured_breaches,
)
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
from discreet.randomize.padded import (
    Padded,
    Truncation,
    pad,
    padded_epsilon,
    randomize_padded,
    survival_rate,
)
from discreet.randomize.posterior import (
    Protection,
    posterior_bound,
    prevents_breach,
    protection,
)
from discreet.randomize.randomized import Randomized
from discreet.randomize.randomized_file import RandomizedFile, open_randomized
from discreet.randomize.recovery import (
    partial_supports,
    recover_partial_supports,
    recover_support,
    support,
    support_weights,
)
from discreet.randomize.rule_confidence import RuleConfidence, chance_within, confidence
from discreet.randomize.shuffle import Shuffled, clones_delta, shuffled_epsilon
from discreet.randomize.stream import randomize_file
from discreet.randomize.transition import eigenvalues, inverse, transition_matrix, two_set_matrix
from discreet.randomize.tune import Tuned, TunedSize, tune

__all__ = [
    "Breach",
    "CutAndPaste",
    "Discovered",
    "Estimate",
    "MaxSupport",
    "MeasuredBreach",
    "MeasuredBreaches",
    "Mixing",
    "Operator",
    "Padded",
    "PartialSupports",
    "Protection",
    "Randomized",
    "RandomizedFile",
    "RuleConfidence",
    "SelectASize",
    "Shuffled",
    "SizeLaw",
    "Truncation",
    "Tuned",
    "TunedSize",
    "Uniform",
    "breach_level",
    "challenging_supports",
    "chance_within",
    "clones_delta",
    "confidence",
    "eigenvalues",
    "inverse",
    "lowest_discoverable_confidence",
    "lowest_discoverable_support",
    "max_supports",
    "measured_breaches",
    "mine_randomized",
    "open_randomized",
    "operator_from_dict",
    "overlaps",
    "pad",
    "padded_epsilon",
    "partial_counts",
    "partial_supports",
    "posterior_bound",
    "prevents_breach",
    "protection",
    "randomize_file",
    "randomize_padded",
    "recover_partial_supports",
    "recover_support",
    "shuffled_epsilon",
    "support",
    "support_covariance",
    "support_weights",
    "survival_rate",
    "transition_matrix",
    "tune",
    "two_set_matrix",
    "worst_breach",
]
