"""Sphinx configuration of the guide."""

import importlib.metadata

project = "discreet"
author = "the discreet developers"
copyright = "the discreet developers"  # noqa: A001  Sphinx's name
release = version = importlib.metadata.version("discreet")
extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.mathjax",
    "numpydoc",
]
exclude_patterns = ["_build"]
html_theme = "furo"
html_title = f"discreet {release}"
autosummary_generate = True
numpydoc_show_class_members = False
autodoc_typehints = "none"
myst_enable_extensions = ["colon_fence", "dollarmath"]
