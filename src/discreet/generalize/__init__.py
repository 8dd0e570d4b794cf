"""Generalization: show groups of a hierarchy in place of values, so that rows become alike."""

from discreet.generalize.clustering import closures, generalization_costs, generalize_clusters
from discreet.generalize.records import Records, encode_records

__all__ = [
    "Records",
    "closures",
    "encode_records",
    "generalization_costs",
    "generalize_clusters",
]
