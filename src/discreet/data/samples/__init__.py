"""Invented data to try things on."""
