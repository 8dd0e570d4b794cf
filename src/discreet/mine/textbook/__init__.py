"""Textbook versions of the mining algorithms, one readable file each.

They exist to be read and to be trusted: plain Python, no arrays, the steps in the order in which
the papers print them. The engine is faster by orders of magnitude and is tested against them.
All return a mapping from itemset to support, without the empty itemset, in one order (by size,
then by items) that does not depend on hashing or on the order of the transactions.
"""

from discreet.mine.textbook.apriori import apriori
from discreet.mine.textbook.charm import charm
from discreet.mine.textbook.closet import closet
from discreet.mine.textbook.cumulate import closed_generalized, cumulate
from discreet.mine.textbook.fp_growth import fp_growth
from discreet.mine.textbook.minit import minit

__all__ = ["apriori", "charm", "closed_generalized", "closet", "cumulate", "fp_growth", "minit"]
