"""Judges of risk: who could be singled out, and through which combinations of values."""
