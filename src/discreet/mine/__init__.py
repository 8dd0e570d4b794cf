"""The itemset engine: every miner reads one Database and returns columnar results."""

from discreet.mine.bounds import Bounds, bounds, non_derivable
from discreet.mine.closed import closed, count_closed
from discreet.mine.database import Database, Item
from discreet.mine.frequent import count_frequent, frequent
from discreet.mine.generalized_closed import GeneralizedItemsets, generalized_closed
from discreet.mine.itemsets import Counts, Itemsets
from discreet.mine.mark_itemsets import mark_itemsets
from discreet.mine.maximal import count_maximal, maximal
from discreet.mine.minimal_infrequent import (
    count_minimal_infrequent,
    mark_cells,
    minimal_infrequent,
)
from discreet.mine.rules import Rules, rules

__all__ = [
    "Bounds",
    "Counts",
    "Database",
    "GeneralizedItemsets",
    "Item",
    "Itemsets",
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
    "rules",
]
