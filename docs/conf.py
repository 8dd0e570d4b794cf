"""Sphinx configuration of the guide."""

from importlib.metadata import version

project = "discreet"
author = "the discreet developers"
copyright = "the discreet developers"  # noqa: A001  Sphinx's name
release = version("discreet")
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
mathjax_path = ""  # formulas are shown as text: the guide makes no network calls
autosummary_generate = True
numpydoc_show_class_members = False
autodoc_typehints = "none"
myst_enable_extensions = ["colon_fence", "dollarmath"]
