"""Randomized transactions: people send randomized sets, the server recovers what is true."""

from discreet.randomize.breach import (
    Breach,
    Protection,
    breach_level,
    challenging_supports,
    posterior_bound,
    prevents_breach,
    protection,
    worst_breach,
)
from discreet.randomize.confidence import (
    RuleConfidence,
    chance_within,
    confidence,
    lowest_discoverable_confidence,
    support_covariance,
)
from discreet.randomize.files import RandomizedFile, open_randomized
from discreet.randomize.measured_breaches import (
    MaxSupport,
    MeasuredBreach,
    MeasuredBreaches,
    max_supports,
    measured_breaches,
)
from discreet.randomize.mining import Discovered, mine_randomized
from discreet.randomize.operators import (
    CutAndPaste,
    Mixing,
    Operator,
    SelectASize,
    SizeLaw,
    Uniform,
    operator_from_dict,
)
from discreet.randomize.operators.base import Randomized
from discreet.randomize.operators.law import eigenvalues, inverse, transition_matrix, two_set_matrix
from discreet.randomize.padded import (
    Padded,
    Truncation,
    pad,
    padded_epsilon,
    randomize_padded,
    survival_rate,
)
from discreet.randomize.recovery import (
    Estimate,
    PartialSupports,
    overlaps,
    partial_counts,
    partial_supports,
    recover_partial_supports,
    recover_support,
    support,
    support_weights,
)
from discreet.randomize.release import randomize_transactions, randomized_of, randomized_release
from discreet.randomize.shuffle import Shuffled, clones_delta, shuffled_epsilon
from discreet.randomize.stream import randomize_file
from discreet.randomize.tune import Tuned, TunedSize, lowest_discoverable_support, tune

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
    "randomize_transactions",
    "randomized_of",
    "randomized_release",
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

_RETIRED = {  # names of version 0.1 and what took their place
    "RandomizedRelease": "discreet.Release",
}


def __getattr__(name: str) -> object:
    if name in _RETIRED:
        raise AttributeError(f"discreet.randomize.{name} is now {_RETIRED[name]}.")
    raise AttributeError(f"module 'discreet.randomize' has no attribute {name!r}")
