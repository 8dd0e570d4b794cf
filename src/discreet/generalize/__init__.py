"""Generalization: show groups of a hierarchy in place of values, so that rows become alike."""

from discreet.generalize.clustering import closures, generalization_costs, generalize_clusters
from discreet.generalize.datafly import datafly
from discreet.generalize.incognito import incognito
from discreet.generalize.mondrian import mondrian
from discreet.generalize.prune import prune_hierarchy
from discreet.generalize.records import Records, encode_records

__all__ = [
    "Records",
    "closures",
    "datafly",
    "encode_records",
    "generalization_costs",
    "generalize_clusters",
    "incognito",
    "mondrian",
    "prune_hierarchy",
]
