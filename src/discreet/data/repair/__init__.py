"""Messy cells into what they mean, by rules that a person has stated."""
