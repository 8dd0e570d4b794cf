"""Epsilon-dependence: its measure, and counts that are published exactly."""
