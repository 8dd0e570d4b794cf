"""Synthetic data from randomized cells, and the code tables they are modelled by."""

from discreet.synthesize.code_table import CodeTable
from discreet.synthesize.krimp import krimp
from discreet.synthesize.krimp_classifier import KrimpClassifier, krimp_classifier

__all__ = ["CodeTable", "KrimpClassifier", "krimp", "krimp_classifier"]
