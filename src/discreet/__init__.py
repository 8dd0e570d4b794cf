"""Publish discrete data discreetly.

Load, assess, protect, verify, measure utility, report: ``import discreet as dc``. Names are
loaded when first used, so that importing the package costs next to nothing.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from discreet import mine as mine
    from discreet import randomize as randomize
    from discreet import suppress as suppress
    from discreet import synthesize as synthesize
    from discreet import verify as verify
    from discreet.assess.look import look as look
    from discreet.data import datasets as datasets
    from discreet.data.binning import Bins as Bins
    from discreet.data.files.fimi import read_transactions as read_transactions
    from discreet.data.hierarchy.tree import Hierarchy as Hierarchy
    from discreet.data.read import load as load
    from discreet.data.read import read_table as read_table
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
    from discreet.mine.bounds import bounds as bounds
    from discreet.mine.bounds import non_derivable as non_derivable
    from discreet.mine.frequent import closed as closed
    from discreet.mine.frequent import count_closed as count_closed
    from discreet.mine.frequent import count_frequent as count_frequent
    from discreet.mine.frequent import count_maximal as count_maximal
    from discreet.mine.frequent import frequent as frequent
    from discreet.mine.frequent import maximal as maximal
    from discreet.mine.generalized import generalized_closed as generalized_closed
    from discreet.mine.infrequent import (
        count_minimal_infrequent as count_minimal_infrequent,
    )
    from discreet.mine.infrequent import mark_cells as mark_cells
    from discreet.mine.infrequent import minimal_infrequent as minimal_infrequent
    from discreet.mine.rules import rules as rules
    from discreet.policy.choose import choose as choose
    from discreet.policy.init import draft_policy as draft_policy
    from discreet.policy.model import read_policy as read_policy
    from discreet.policy.plan import plan as plan
    from discreet.policy.run import run_policy as run_policy
    from discreet.randomize.collect.client import Client as Client
    from discreet.randomize.mining import mine_randomized as mine_randomized
    from discreet.randomize.release import (
        randomize_transactions as randomize_transactions,
    )
    from discreet.release.release import Release as Release
    from discreet.report.page import html_report as html_report
    from discreet.suppress.dp_mii import dp_mii_suppress as dp_mii_suppress
    from discreet.suppress.impute import impute as impute
    from discreet.suppress.mii import k_mii as k_mii
    from discreet.suppress.mii import mii_suppress as mii_suppress
    from discreet.synthesize.synthesizer import Synthesizer as Synthesizer
    from discreet.synthesize.synthesizer import synthetic_release as synthetic_release
    from discreet.verify.verifier import verify_release as verify_release

__version__ = "0.2.0.dev0"

# Where each public name lives.
_HOME = {
    "Bins": "discreet.data.binning",
    "Client": "discreet.randomize.collect.client",
    "Hierarchy": "discreet.data.hierarchy.tree",
    "Release": "discreet.release.release",
    "Synthesizer": "discreet.synthesize.synthesizer",
    "Table": "discreet.data.table",
    "Transactions": "discreet.data.transactions",
    "agglomerative": "discreet.generalize.agglomerative",
    "bounds": "discreet.mine.bounds",
    "choose": "discreet.policy.choose",
    "closed": "discreet.mine.frequent",
    "count_closed": "discreet.mine.frequent",
    "count_frequent": "discreet.mine.frequent",
    "count_maximal": "discreet.mine.frequent",
    "count_minimal_infrequent": "discreet.mine.infrequent",
    "datafly": "discreet.generalize.full_domain",
    "dp_mii_suppress": "discreet.suppress.dp_mii",
    "draft_policy": "discreet.policy.init",
    "forest": "discreet.generalize.forest",
    "frequent": "discreet.mine.frequent",
    "generalized_closed": "discreet.mine.generalized",
    "html_report": "discreet.report.page",
    "impute": "discreet.suppress.impute",
    "incognito": "discreet.generalize.full_domain",
    "k_mii": "discreet.suppress.mii",
    "load": "discreet.data.read",
    "look": "discreet.assess.look",
    "mark_cells": "discreet.mine.infrequent",
    "maximal": "discreet.mine.frequent",
    "mii_suppress": "discreet.suppress.mii",
    "mine_randomized": "discreet.randomize.mining",
    "minimal_infrequent": "discreet.mine.infrequent",
    "mondrian": "discreet.generalize.mondrian",
    "non_derivable": "discreet.mine.bounds",
    "plan": "discreet.policy.plan",
    "randomize_transactions": "discreet.randomize.release",
    "read_policy": "discreet.policy.model",
    "read_table": "discreet.data.read",
    "read_transactions": "discreet.data.files.fimi",
    "rules": "discreet.mine.rules",
    "run_policy": "discreet.policy.run",
    "set_cover": "discreet.generalize.set_cover",
    "suggest_roles": "discreet.data.suggest_roles",
    "synthetic_release": "discreet.synthesize.synthesizer",
    "verify_release": "discreet.verify.verifier",
    "write_table": "discreet.data.write",
}
_MODULES = {
    "datasets": "discreet.data.datasets",
    "mine": "discreet.mine",
    "randomize": "discreet.randomize",
    "suppress": "discreet.suppress",
    "synthesize": "discreet.synthesize",
    "verify": "discreet.verify",
}
# Names of version 0.1 and what took their place.
_RETIRED = {
    "KrimpSynthesizer": "discreet.Synthesizer",
}
__all__ = ["__version__", *sorted(_HOME | _MODULES)]  # noqa: PLE0604  they are strings


def __getattr__(name: str) -> object:
    if name in _MODULES:
        value: object = importlib.import_module(_MODULES[name])
    elif name in _HOME:
        value = getattr(importlib.import_module(_HOME[name]), name)
    elif name in _RETIRED:
        raise AttributeError(f"discreet.{name} is now {_RETIRED[name]}.")
    else:
        raise AttributeError(f"module 'discreet' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
