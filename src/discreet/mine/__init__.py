"""Itemset mining: the native engine and the textbook versions it is compared with."""
