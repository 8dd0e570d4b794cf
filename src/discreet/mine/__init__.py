"""The itemset engine: every miner reads one Database and returns columnar results."""

from discreet.mine.bounds import Bounds, bounds, non_derivable
from discreet.mine.database import Database, Item, OnePerPerson, one_per_person
from discreet.mine.frequent import (
    closed,
    count_closed,
    count_frequent,
    count_maximal,
    frequent,
    maximal,
)
from discreet.mine.generalized import GeneralizedItemsets, generalized_closed
from discreet.mine.infrequent import (
    count_minimal_infrequent,
    mark_cells,
    mark_itemsets,
    minimal_infrequent,
)
from discreet.mine.itemsets import Counts, Itemsets
from discreet.mine.rules import Rules, rules

__all__ = [
    "Bounds",
    "Counts",
    "Database",
    "GeneralizedItemsets",
    "Item",
    "Itemsets",
    "OnePerPerson",
    "Rules",
    "bounds",
    "closed",
    "count_closed",
    "count_frequent",
    "count_maximal",
    "count_minimal_infrequent",
    "frequent",
    "generalized_closed",
    "mark_cells",
    "mark_itemsets",
    "maximal",
    "minimal_infrequent",
    "non_derivable",
    "one_per_person",
    "rules",
]
