"""Generalization: show groups of a hierarchy in place of values, so that rows become alike."""

from discreet.generalize.agglomerative import agglomerative
from discreet.generalize.clustering import closures, generalization_costs
from discreet.generalize.datafly import datafly
from discreet.generalize.forest import forest
from discreet.generalize.improve import improve_clusters
from discreet.generalize.incognito import incognito
from discreet.generalize.lower_bound import lower_bound
from discreet.generalize.mondrian import mondrian
from discreet.generalize.prune import prune_hierarchy
from discreet.generalize.records import Records, encode_records
from discreet.generalize.repair import repair
from discreet.generalize.set_cover import set_cover

__all__ = [
    "Records",
    "agglomerative",
    "closures",
    "datafly",
    "encode_records",
    "forest",
    "generalization_costs",
    "improve_clusters",
    "incognito",
    "lower_bound",
    "mondrian",
    "prune_hierarchy",
    "repair",
    "set_cover",
]
