"""Publish discrete data discreetly.

Load, assess, protect, verify, measure utility, report: ``import discreet as dc``. The common names
stand here, everything else in the family it belongs to, such as ``dc.mine`` or ``dc.utility``.
Names are loaded when first used, so that importing the package costs next to nothing.
"""

from __future__ import annotations

import importlib
import sys
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    # The one list of public names: type checkers read it, and so does _homes at run time.
    from discreet import assess as assess
    from discreet import errors as errors
    from discreet import generalize as generalize
    from discreet import mine as mine
    from discreet import patterns as patterns
    from discreet import policy as policy
    from discreet import randomize as randomize
    from discreet import suppress as suppress
    from discreet import synthesize as synthesize
    from discreet import utility as utility
    from discreet import verify as verify
    from discreet.assess.look import look as look
    from discreet.data import datasets as datasets
    from discreet.data.binning import Bins as Bins
    from discreet.data.domains import draw_numbers as draw_numbers
    from discreet.data.files.fimi import read_transactions as read_transactions
    from discreet.data.hierarchy.tree import Hierarchy as Hierarchy
    from discreet.data.read import load as load
    from discreet.data.read import read_table as read_table
    from discreet.data.repair.suggest import suggest_repairs as suggest_repairs
    from discreet.data.suggest_roles import suggest_roles as suggest_roles
    from discreet.data.table import Table as Table
    from discreet.data.transactions import Transactions as Transactions
    from discreet.data.write import write_table as write_table
    from discreet.generalize.agglomerative import agglomerative as agglomerative
    from discreet.generalize.forest import forest as forest
    from discreet.generalize.full_domain import datafly as datafly
    from discreet.generalize.full_domain import incognito as incognito
    from discreet.generalize.mondrian import mondrian as mondrian
    from discreet.generalize.set_cover import set_cover as set_cover
    from discreet.policy.choose import choose as choose
    from discreet.policy.compare import compare as compare
    from discreet.policy.init import draft_policy as draft_policy
    from discreet.policy.model import read_policy as read_policy
    from discreet.policy.plan import plan as plan
    from discreet.policy.run import run_policy as run_policy
    from discreet.randomize.collect.client import Client as Client
    from discreet.randomize.release import (
        randomize_transactions as randomize_transactions,
    )
    from discreet.release.release import Release as Release
    from discreet.report.page import html_report as html_report
    from discreet.suppress.dp_mii import dp_mii_suppress as dp_mii_suppress
    from discreet.suppress.mii import k_mii as k_mii
    from discreet.suppress.mii import mii_suppress as mii_suppress
    from discreet.synthesize.synthesizer import Synthesizer as Synthesizer
    from discreet.synthesize.synthesizer import synthetic_release as synthetic_release
    from discreet.verify.verifier import verify_release as verify_release

__version__ = "0.2.0.dev0"

# Names of version 0.1, and what to write in their place.
_RETIRED = {
    "KrimpSynthesizer": "discreet.Synthesizer",
    "bounds": "discreet.mine.bounds",
    "closed": "discreet.mine.closed",
    "count_closed": "discreet.mine.count_closed",
    "count_frequent": "discreet.mine.count_frequent",
    "count_maximal": "discreet.mine.count_maximal",
    "count_minimal_infrequent": "discreet.mine.count_minimal_infrequent",
    "frequent": "discreet.mine.frequent",
    "generalized_closed": "discreet.mine.generalized_closed",
    "impute": "discreet.suppress.impute",
    "mark_cells": "discreet.mine.mark_cells",
    "maximal": "discreet.mine.maximal",
    "mine_randomized": "discreet.randomize.mine_randomized",
    "minimal_infrequent": "discreet.mine.minimal_infrequent",
    "non_derivable": "discreet.mine.non_derivable",
    "rules": "discreet.mine.rules",
}


@cache
def _homes() -> dict[str, str]:
    """Return the module that each public name is imported from in the list above."""
    import ast
    import inspect

    tree = ast.parse(inspect.getsource(sys.modules[__name__]))
    return {
        alias.name: node.module
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith(__name__)
        for alias in node.names
    }


if not TYPE_CHECKING:  # so that type checkers refuse a name that is not in the list

    def __getattr__(name: str) -> object:
        if name == "__all__":
            return __dir__()
        if name in _RETIRED:
            raise AttributeError(f"discreet.{name} is now {_RETIRED[name]}")
        home = None if name.startswith("_") else _homes().get(name)
        if home is None:
            raise AttributeError(f"module 'discreet' has no attribute {name!r}")
        inside = vars(importlib.import_module(home))
        value = inside[name] if name in inside else importlib.import_module(f"{home}.{name}")
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return ["__version__", *sorted(_homes())]
