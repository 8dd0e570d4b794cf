"""Synthetic data from randomized cells, and the code tables they are modelled by."""

from discreet.synthesize.code_table import CodeTable
from discreet.synthesize.code_tree import CodeTree, code_tree
from discreet.synthesize.generator import generate
from discreet.synthesize.krimp import krimp
from discreet.synthesize.krimp_classifier import KrimpClassifier, krimp_classifier

__all__ = [
    "CodeTable",
    "CodeTree",
    "KrimpClassifier",
    "code_tree",
    "generate",
    "krimp",
    "krimp_classifier",
]
