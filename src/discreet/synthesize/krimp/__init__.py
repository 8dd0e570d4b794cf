"""Krimp: code tables that compress, and what is learned and drawn with them."""
