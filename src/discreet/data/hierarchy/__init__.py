"""Hierarchies: trees over the values of a column, read, built, checked and drawn."""
