"""Generalization: show groups of a hierarchy in place of values, so that rows become alike."""

from discreet.generalize.agglomerative import agglomerative
from discreet.generalize.clusters import closures, generalization_costs, improve_clusters, repair
from discreet.generalize.cover import lower_bound
from discreet.generalize.forest import forest
from discreet.generalize.full_domain import datafly, incognito
from discreet.generalize.mondrian import mondrian
from discreet.generalize.problem import Records, encode_records, prune_hierarchy
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
