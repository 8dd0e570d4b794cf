"""Synthesis: randomized cells, what can be estimated from them, and the code tables of Krimp."""

from discreet.synthesize.accounting import Accounting, account, query_epsilon
from discreet.synthesize.budget import split_budget
from discreet.synthesize.channel import Channel
from discreet.synthesize.code_table import CodeTable
from discreet.synthesize.code_tree import CodeTree, code_tree
from discreet.synthesize.dependence import (
    Dependence,
    degraded_epsilon,
    dependence,
    dp_from_dependence,
)
from discreet.synthesize.exact_count import exact_count
from discreet.synthesize.exact_counts import exact_counts
from discreet.synthesize.expected_errors import ExpectedErrors, expected_errors
from discreet.synthesize.expected_pair_errors import (
    ExpectedPairErrors,
    expected_pair_errors,
)
from discreet.synthesize.extract import Extracted, extract
from discreet.synthesize.generate_batches import generate_batches
from discreet.synthesize.generate_file import generate_file
from discreet.synthesize.generator import generate
from discreet.synthesize.information import (
    fano_error,
    mutual_information,
    mutual_information_bound,
)
from discreet.synthesize.krimp import krimp
from discreet.synthesize.krimp_classifier import KrimpClassifier, krimp_classifier
from discreet.synthesize.plan_synthesis import plan_synthesis
from discreet.synthesize.release import synthetic_release
from discreet.synthesize.response import Sanitized, randomized_response
from discreet.synthesize.spending import Spent
from discreet.synthesize.supports import SupportEstimates, estimate_support
from discreet.synthesize.synthesizer import KrimpSynthesizer
from discreet.synthesize.told_counts import ExactCounts

__all__ = [
    "Accounting",
    "Channel",
    "CodeTable",
    "CodeTree",
    "Dependence",
    "ExactCounts",
    "ExpectedErrors",
    "ExpectedPairErrors",
    "Extracted",
    "KrimpClassifier",
    "KrimpSynthesizer",
    "Sanitized",
    "Spent",
    "SupportEstimates",
    "account",
    "code_tree",
    "degraded_epsilon",
    "dependence",
    "dp_from_dependence",
    "estimate_support",
    "exact_count",
    "exact_counts",
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
