"""Synthesis: randomized cells, what can be estimated from them, and the code tables of Krimp."""

from discreet.synthesize.budget import Spent
from discreet.synthesize.dependence.dependence import (
    Dependence,
    degraded_epsilon,
    dependence,
    dp_from_dependence,
    fano_error,
    mutual_information,
    mutual_information_bound,
)
from discreet.synthesize.dependence.exact_release import (
    ExactCountDecision,
    decide_exact_count,
    decide_exact_histogram,
)
from discreet.synthesize.estimate_support import SupportEstimates, estimate_support, query_epsilon
from discreet.synthesize.expected import (
    ExpectedErrors,
    ExpectedPairErrors,
    expected_errors,
    expected_pair_errors,
)
from discreet.synthesize.extract import Extracted, extract
from discreet.synthesize.generate import generate, generate_batches, generate_file
from discreet.synthesize.krimp.classifier import KrimpClassifier, krimp_classifier
from discreet.synthesize.krimp.code_tree import code_tree
from discreet.synthesize.krimp.krimp import CodeTable, krimp
from discreet.synthesize.plan import plan_synthesis
from discreet.synthesize.response import (
    Accounting,
    Channel,
    Sanitized,
    account,
    randomized_response,
    split_budget,
)
from discreet.synthesize.rows import CodeTree
from discreet.synthesize.synthesizer import Synthesizer, synthetic_release

__all__ = [
    "Accounting",
    "Channel",
    "CodeTable",
    "CodeTree",
    "Dependence",
    "ExactCountDecision",
    "ExpectedErrors",
    "ExpectedPairErrors",
    "Extracted",
    "KrimpClassifier",
    "Sanitized",
    "Spent",
    "SupportEstimates",
    "Synthesizer",
    "account",
    "code_tree",
    "decide_exact_count",
    "decide_exact_histogram",
    "degraded_epsilon",
    "dependence",
    "dp_from_dependence",
    "estimate_support",
    "expected_errors",
    "expected_pair_errors",
    "extract",
    "fano_error",
    "generate",
    "generate_batches",
    "generate_file",
    "krimp",
    "krimp_classifier",
    "mutual_information",
    "mutual_information_bound",
    "plan_synthesis",
    "query_epsilon",
    "randomized_response",
    "split_budget",
    "synthetic_release",
]

# Names of version 0.1 and what took their place.
_RETIRED = {
    "ExactCounts": "ExactCountDecision",
    "KrimpSynthesizer": "Synthesizer",
    "exact_count": "decide_exact_count",
    "exact_counts": "decide_exact_histogram",
}


def __getattr__(name: str) -> object:
    if name in _RETIRED:
        raise AttributeError(f"discreet.synthesize.{name} is now {_RETIRED[name]}.")
    raise AttributeError(f"module 'discreet.synthesize' has no attribute {name!r}")
