"""Every number that a public function takes means the same, or is refused by its name.

The kind of a parameter follows from its name. A public function with a number that is not listed
here, or without a call below, makes a test fail: so the battery stays whole.
"""

from __future__ import annotations

import importlib
import inspect
import math
import re
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from fractions import Fraction
from functools import cache
from itertools import count
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest

import discreet as dc
from discreet import assess, generalize, mine, patterns, policy, randomize, suppress, synthesize
from discreet.data import datasets
from discreet.data.people import People
from discreet.errors import DiscreetWarning, ParameterError
from discreet.generalize.problem import Problem, state_problem
from discreet.limits import Limits
from discreet.mine import textbook
from discreet.noise import SeededNoise
from discreet.randomize import collect
from discreet.randomize.confidence import Moments
from discreet.result import Result
from discreet.sklearn import GeneralizingTransformer, KrimpClassifier
from discreet.sklearn import Synthesizer as SklearnSynthesizer

WHOLE = {
    "batch", "batch_size", "burst", "count", "counts", "cutoff", "cutoffs", "decimals", "k", "ks",
    "m", "max_batch", "max_body", "max_bytes", "max_cells", "max_columns", "max_items",
    "max_itemsets", "max_memory", "max_nodes", "max_reports", "max_seconds",
    "max_sets", "max_size", "max_values", "max_windows", "min_support", "n", "n_antecedent",
    "n_columns",
    "n_consequent", "n_draws", "n_first", "n_items", "n_itemsets", "n_known", "n_repeats",
    "n_reports", "n_rows", "n_samples", "n_second", "n_shown", "n_targets", "n_transactions",
    "n_trees", "n_tries", "n_values", "padded_size", "port", "random_state",
    "reports_per_person", "rng", "rows_per_person", "s",
    "sample_size", "seed", "size", "sizes", "smoothing", "strength", "supports", "theta",
    "theta_2", "threads", "workers",
}  # fmt: skip
EXACT = {
    "antecedent_support", "beta", "breach", "c", "chances", "delta", "entropy", "epsilon",
    "frequency", "gamma", "information", "keep", "l", "level", "local_epsilon", "max_dropped",
    "max_epsilon", "max_rate", "min_confidence", "min_frequency", "p", "parts",
    "posterior", "prior", "priors", "rho", "s_max", "sampling_rate", "scale", "scheme_delta",
    "scheme_epsilon", "sigma2", "sigmas", "split_rate", "step", "t", "test_rate", "threshold",
    "timeout", "with_item",
}  # fmt: skip
OTHERWISE = {
    "assess.Diversity.is_recursive.l": "whole",  # the l-th most frequent value
    "randomize.breach_level.supports": "exact",  # shares of transactions
}
# What an infinite number means: no limit, or no bound.
INFINITE = {"local_epsilon", "max_epsilon", "parts"}
NO_NUMBERS = {
    "index": "a place, as of a list",
    "dummies": "kept by pad, checked with its transactions",
    "itemsets": "pairs of a column and a value",
    "joint": "a table of chances, checked as a whole",
    "place": "part of the place in a file",
    "seconds": "measured by the caller inside",
}
CHOICES = {
    "bound", "candidates", "choose", "compression", "dependence", "distance", "diversity", "form",
    "generator", "grouping", "how", "leftover", "limit", "linkage", "loss", "measure",
    "neighbours", "per_person", "price", "promise", "publish", "scheme", "search", "to", "trust",
}  # fmt: skip
ROOMS = (
    "noise", "mine", "mine.textbook", "release", "suppress", "generalize", "randomize",
    "randomize.collect", "synthesize", "patterns", "assess", "utility", "policy", "report",
    "sklearn", "verify",
)  # fmt: skip

PEOPLE = datasets.census(200, seed=1).select(["sex", "marital_status", "education", "income"])
SICK = dc.Table.from_frame(
    {"age": ["20s", "20s", "30s", "30s"] * 5, "ill": ["flu", "cold", "flu", "gout"] * 5},
    roles={"ill": "sensitive"},
)
OTHERS = datasets.census(200, seed=2).select(PEOPLE.columns)
VISITS = replace(PEOPLE, people=People.of("who", np.arange(200) // 2))
EACH: dict[str, Any] = {"data": VISITS, "per_person": "one", "seed": 1}
PLACES = count()


@dataclass(frozen=True)
class Call:
    """A call that does well, and what has to be given besides where one parameter is tried."""

    function: Callable[..., object]
    given: Mapping[str, Any]
    besides: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    def run(self, name: str, value: object) -> object:
        """Call with one parameter as given; what is made lazily is made."""
        given = {**self.given, **self.besides.get(name, {}), name: value}
        made = self.function(**{each: one for each, one in given.items() if one is not ...})
        return next(iter(made), None) if isinstance(made, Iterator) else made


@cache
def baskets() -> dc.Transactions:
    return dc.Transactions.from_iterable([["tea", "milk"], ["milk"], ["jam", "tea"]] * 20)


@cache
def of_people() -> dc.Transactions:
    return replace(baskets(), people=People.of("who", np.arange(60) // 2))


@cache
def operator() -> randomize.CutAndPaste:
    return randomize.CutAndPaste(3, rho="1/4")


@cache
def law() -> randomize.SizeLaw:
    return operator().law(2)


@cache
def sent() -> randomize.Randomized:
    return operator().randomize(baskets(), seed=1)


@cache
def published() -> mine.Itemsets:
    return mine.frequent(PEOPLE, min_support=80)


@cache
def tree() -> synthesize.CodeTree:
    def half(itemsets: Sequence[object]) -> list[float]:
        return [0.5] * len(itemsets)

    return synthesize.code_tree([], domain={"x": (0, 1)}, threshold=0.1, probability=half)


@cache
def fitted() -> synthesize.Synthesizer:
    return synthesize.Synthesizer(2, seed=1, domains="from-data").fit(PEOPLE)


@cache
def problem() -> Problem:
    return state_problem(PEOPLE, k=2, options={})


def table_calls() -> dict[str, Call]:
    """Return calls of the rooms that look into tables."""
    found = {"min_support": 40, "min_frequency": ..., "max_size": 2}
    share = {"min_frequency": {"min_support": ..., "min_frequency": 0.5}}
    of_rows = {"data": PEOPLE, **found}
    calls = {
        f"mine.{name}": Call(getattr(mine, name), of_rows, share)
        for name in ("closed", "count_closed", "count_frequent", "count_maximal", "frequent",
                     "maximal", "non_derivable")
    }  # fmt: skip
    calls |= {
        f"mine.{name}": Call(getattr(mine, name), {"data": PEOPLE, "theta": 2, "max_size": 2})
        for name in ("count_minimal_infrequent", "mark_cells", "minimal_infrequent")
    }
    calls |= {
        f"mine.textbook.{name}": Call(
            getattr(textbook, name), {"transactions": ["ab", "bc"], "min_support": 1}
        )
        for name in ("apriori", "charm", "closet", "fp_growth")
    }
    jobs = dc.Hierarchy.from_mapping({"*": ["a", "b"]})
    mixed = assess.Diversity(
        column="job", n_values=2, distinct=2, entropy=1.9, recursive_ratios=(0.6, 1.5), t_equal=0.1
    )
    return calls | {
        "mine.textbook.cumulate": Call(
            textbook.cumulate,
            {"records": ["a", "b"], "hierarchies": [{"a": "*", "b": "*"}], "min_support": 1},
        ),
        "mine.textbook.minit": Call(textbook.minit, {"transactions": ["ab"], "theta": 1}),
        "mine.Database.of": Call(mine.Database.of, {"data": PEOPLE}),
        "mine.Database.from_table": Call(mine.Database.from_table, {"table": PEOPLE}),
        "mine.Itemsets.from_mlxtend": Call(
            mine.Itemsets.from_mlxtend, {"frame": published().to_mlxtend(), "n_rows": 200}
        ),
        "mine.Itemsets.from_mapping": Call(
            mine.Itemsets.from_mapping, {"supports": {frozenset("a"): 2}, "n_rows": 3}
        ),
        "mine.generalized_closed": Call(
            mine.generalized_closed,
            {"table": dc.Table.from_frame({"job": ["a", "b"]}), "hierarchies": {"job": jobs},
             "k": 2},
        ),
        "mine.mark_itemsets": Call(
            mine.mark_itemsets, {"data": PEOPLE, "itemsets": published()}
        ),
        "mine.rules": Call(mine.rules, {"itemsets": published(), "min_confidence": 0.5}),
        "assess.Anonymity.n_rows_below": Call(assess.anonymity(PEOPLE).n_rows_below, {"k": 2}),
        "assess.Diversity.is_recursive": Call(
            mixed.is_recursive, {"c": 2, "l": 1}
        ),
        "assess.attribute_attack": Call(
            assess.attribute_attack,
            {"release": PEOPLE, "original": PEOPLE, "sensitive": "income", "controls": OTHERS,
             "n_targets": 5, "rng": 1},
        ),
        "assess.homogeneity_attack": Call(
            assess.homogeneity_attack,
            {"release": PEOPLE, "original": PEOPLE, "sensitive": "income", "n_targets": 5,
             "min_confidence": 0.5, "rng": 1},
        ),
        "assess.linkage_attack": Call(
            assess.linkage_attack,
            {"release": PEOPLE, "original": PEOPLE, "n_known": 2, "n_targets": 5, "k": 2,
             "rng": 1},
        ),
        "assess.membership_attack": Call(
            assess.membership_attack,
            {"release": PEOPLE, "original": PEOPLE, "controls": OTHERS, "n_targets": 5,
             "rng": 1},
        ),
        "assess.rare_itemsets": Call(
            assess.rare_itemsets,
            {"release": PEOPLE, "original": PEOPLE, "sizes": [2], "n_itemsets": 5, "rng": 1},
        ),
        "assess.records_in_common": Call(
            assess.records_in_common, {"release": PEOPLE, "original": OTHERS, "rng": 1}
        ),
        "assess.look": Call(assess.look, {"data": PEOPLE, "theta": 1, "max_size": 2, "n_shown": 3}),
        "assess.uniqueness": Call(
            assess.uniqueness,
            {"table": PEOPLE, "max_size": 2, "sampling_rate": ..., "n_shown": 3},
            {"sampling_rate": {"max_size": ..., "sampling_rate": 0.5}},
        ),
        "assess.prosecutor_risk": Call(assess.prosecutor_risk, {"table": PEOPLE, "threshold": 0.2}),
        "assess.journalist_risk": Call(
            assess.journalist_risk, {"table": PEOPLE, "sampling_rate": 0.5, "threshold": 0.2}
        ),
        "assess.marketer_risk": Call(
            assess.marketer_risk, {"table": PEOPLE, "sampling_rate": 0.5, "threshold": 0.2}
        ),
        **utility_calls(),
    }  # fmt: skip


def utility_calls() -> dict[str, Call]:
    """Return calls of measures of utility."""
    from discreet import utility

    fidelity = utility.marginal_fidelity(PEOPLE, OTHERS, sizes=[1])
    both = {"original": PEOPLE, "release": OTHERS}
    of_size = {"size": 1, "measure": "hellinger"}
    return {
        "utility.Differences.sample": Call(utility.differences(PEOPLE, PEOPLE).sample, {"n": 2}),
        "utility.MarginalFidelity.of_size": Call(fidelity.of_size, {"size": 1}),
        "utility.MarginalFidelity.mean": Call(fidelity.mean, of_size),
        "utility.MarginalFidelity.worst": Call(fidelity.worst, of_size),
        "utility.held_out_accuracy": Call(
            utility.held_out_accuracy,
            {"train": PEOPLE, "held_out": OTHERS, "target": "income", "models": ["naive_bayes"],
             "max_values": 50, "n_repeats": 1, "n_trees": 2, "rng": 1},
        ),
        "utility.learning_utility": Call(
            utility.learning_utility,
            {**both, "target": "income", "models": ["naive_bayes"], "max_values": 50,
             "n_repeats": 1, "test_rate": 0.2, "n_trees": 2, "rng": 1},
        ),
        "utility.itemset_fidelity": Call(
            utility.itemset_fidelity, {**both, "min_frequency": 0.5, "max_size": 2}
        ),
        "utility.marginal_fidelity": Call(
            utility.marginal_fidelity, {**both, "sizes": [1], "max_sets": 3, "rng": 1}
        ),
        "utility.node_costs": Call(
            utility.node_costs, {"hierarchy": dc.Hierarchy.flat(["a", "b"]), "measure": "lm"}
        ),
        "utility.loss": Call(
            utility.loss, {"original": PEOPLE, "release": PEOPLE, "measure": "suppression"}
        ),
    }  # fmt: skip


def family_calls() -> dict[str, Call]:
    """Return calls of suppression and generalization."""
    generalized = {"table": SICK, "k": 2, "l": 2, "t": 0.9, "c": ..., "loss": "lm",
                   "diversity": "distinct", "distance": "equal"}  # fmt: skip
    ratio = {"c": {"c": 2, "l": 1, "diversity": "recursive"}}
    split = {"epsilon": 1, "delta": 0.1, "scheme": "dp", "split_rate": 0.1, "scheme_epsilon": 1,
             "scheme_delta": 0}  # fmt: skip
    private = {
        "table": PEOPLE, "epsilon": 2, "delta": 0.001, "k": 5, "scheme": "dp",
        "split_rate": 0.1, "scheme_epsilon": 2, "theta": 9, "beta": 0.01, "seed": 1,
    }  # fmt: skip
    return {
        **{
            f"generalize.{name}": Call(getattr(generalize, name), {**generalized, **more}, ratio)
            for name, more in (
                ("agglomerative", {"linkage": "change"}),
                ("datafly", {"max_dropped": 0.1}),
                ("forest", {}),
                ("incognito", {"max_dropped": 0.1, "max_nodes": 1000}),
                ("mondrian", {"choose": "loss"}),
                ("set_cover", {"price": "rows"}),
            )
        },
        "generalize.improve_clusters": Call(
            generalize.improve_clusters, {"problem": problem(), "clusters": np.zeros(200, int)}
        ),
        "generalize.repair": Call(
            generalize.repair, {"problem": problem(), "clusters": np.arange(200)}
        ),
        "generalize.lower_bound": Call(generalize.lower_bound, {"problem": problem()}),
        "suppress.calibrate": Call(
            suppress.calibrate, {"epsilon": 1, "delta": 0.001, "k": 5, "n_rows": 100}
        ),
        "suppress.dp_mii_suppress": Call(suppress.dp_mii_suppress, private),
        "suppress.impute": Call(suppress.impute, {"release": dc.k_mii(PEOPLE, k=3), "rng": 1}),
        "suppress.k_mii": Call(
            suppress.k_mii,
            {"table": PEOPLE, "k": 3, "leftover": "drop", "sample_size": 100, "seed": 1, "l": 1,
             "max_size": 2, "sensitive": ["income"]},
        ),
        "suppress.li_bound": Call(suppress.li_bound, {"k": 5, "beta": 0.01, "epsilon": 1}),
        "suppress.mii_bound": Call(suppress.mii_bound, {"n_rows": 5, "n_columns": 3}),
        "suppress.mii_suppress": Call(
            suppress.mii_suppress, {"table": PEOPLE, "theta": 1, "max_size": 2}
        ),
        "suppress.sampling_delta": Call(
            suppress.sampling_delta, {"k": 5, "beta": 0.01, "epsilon": 1}
        ),
        "suppress.split_guarantee": Call(suppress.split_guarantee, split),
        "suppress.suppression_summary": Call(
            suppress.suppression_summary,
            {"table": PEOPLE, "release": suppress.mii_suppress(PEOPLE, theta=1)},
        ),
        "suppress.theta_1": Call(
            suppress.theta_1, {"theta_2": 4, "beta": 0.1, "split_rate": 0.1}
        ),
        "suppress.worst_case_table": Call(
            suppress.worst_case_table, {"n_columns": 3, "theta": 1, "strength": 2}
        ),
    }  # fmt: skip


def pattern_calls() -> dict[str, Call]:
    """Return calls about published patterns."""
    sanitized = {"k": 3, "min_support": 80, "min_frequency": ...}
    share = {"min_frequency": {"min_support": ..., "min_frequency": 0.5}}
    rules = {"antecedents": ["a"], "consequents": ["b"], "support": [80], "confidence": [0.8]}
    return {
        "patterns.Channels.worst": Call(
            patterns.channels(PEOPLE, k=3, min_support=80).worst, {"n": 1}
        ),
        "patterns.additive": Call(
            patterns.additive, {"published": PEOPLE, **sanitized, "grouping": "best"}, share
        ),
        "patterns.suppressive": Call(patterns.suppressive, {"data": PEOPLE, **sanitized}, share),
        "patterns.certified": Call(
            patterns.certified, {"data": PEOPLE, **sanitized, "how": "drop"}, share
        ),
        "patterns.channels": Call(patterns.channels, {"data": PEOPLE, **sanitized}, share),
        "patterns.leaks": Call(patterns.leaks, {"data": PEOPLE, **sanitized}, share),
        "patterns.border_leaks": Call(
            patterns.border_leaks, {"published": published(), "k": 3, "min_support": 80}
        ),
        "patterns.window_leaks": Call(
            patterns.window_leaks,
            {"published": published(), "k": 3, "min_support": 80, "n_items": 2, "max_windows": 1,
             "max_nodes": 10},
        ),
        "patterns.witness": Call(
            patterns.witness,
            {"published": published(), "k": 3, "min_support": 80, "max_items": 4,
             "max_nodes": 10},
        ),
        "patterns.check_rules": Call(
            patterns.check_rules, {"rules": rules, "k": 3, "n_rows": 200, "decimals": 2}
        ),
        "patterns.derive": Call(
            patterns.derive, {"published": published(), "min_support": 90}
        ),
        "patterns.read_patterns": Call(
            patterns.read_patterns,
            {"source": {"items": ['["a"]'], "support": [5]}, "n_rows": 9},
        ),
        "patterns.support_for_safety": Call(
            patterns.support_for_safety,
            {"data": VISITS, "k": 3, "supports": [150], "per_person": "one"},
        ),
        "mine.one_per_person": Call(mine.one_per_person, EACH),
        **{
            f"patterns.{method.__name__}": Call(method, {**EACH, "k": 3, "min_support": 60})
            for method in (patterns.additive_release, patterns.suppressive_release,
                           patterns.certified_release)
        },
    }  # fmt: skip


def randomize_calls(folder: Path) -> dict[str, Call]:
    """Return calls about randomized transactions."""
    lists = {"m": 2, "k": 1}
    many = {"m": 2, "k": 1, "n_items": 9}
    padded = randomize.pad(baskets(), size=2, seed=1).truncation
    estimate = randomize.support(sent(), ["tea"])
    moments = Moments(mean_x=0.2, mean_y=0.5, variance_x=0.01, variance_y=0.01, covariance=0.0)
    file = folder / "baskets.dat"
    file.write_text("1 2\n2\n1\n")
    calls = {
        f"randomize.{kind}.{name}": Call(getattr(made, name), given)
        for kind, made in (
            ("Operator", operator()), ("Uniform", randomize.Uniform(0.8)),
            ("Mixing", randomize.Mixing(2, p=0.5)),
        )
        for name, given in (
            ("exact_transition", many), ("transition", many), ("inverse", many),
            ("all_present", many), ("gamma", {"m": 2, "n_items": 9}),
            ("local_epsilon", {"m": 2, "n_items": 9}),
            ("check_sizes", {"sizes": [2], "n_items": 9}),
        )
        if not (kind == "Mixing" and "k" in given)  # Mixing has no matrix
    }  # fmt: skip
    return calls | {
        "randomize.Operator.randomize": Call(
            operator().randomize, {"transactions": baskets(), "seed": 1}
        ),
        "randomize.CutAndPaste": Call(randomize.CutAndPaste, {"cutoff": 3, "rho": 0.25}),
        "randomize.CutAndPaste.law": Call(operator().law, {"m": 2}),
        "randomize.Mixing": Call(randomize.Mixing, {"cutoff": 2, "p": 0.5}),
        "randomize.Uniform": Call(randomize.Uniform, {"p": 0.8}),
        "randomize.SelectASize": Call(
            randomize.SelectASize, {"keep": {1: [0.5, 0.5]}, "rho": 0.25}
        ),
        "randomize.SelectASize.law": Call(
            randomize.SelectASize({1: [0.5, 0.5]}, rho=0.25).law, {"m": 1}
        ),
        "randomize.SizeLaw": Call(randomize.SizeLaw, {"keep": (0.5, 0.5), "rho": 0.25}),
        "randomize.Estimate.interval": Call(estimate.interval, {"level": 0.9}),
        "randomize.Truncation.survival": Call(padded.survival, {"k": 1}),
        "randomize.Truncation.worst_survival": Call(padded.worst_survival, {"k": 1}),
        "randomize.breach_level": Call(
            randomize.breach_level,
            {"operator": operator(), "m": 2, "supports": [0.5, 0.5], "with_item": [0, 0.5],
             "n_items": 9},
        ),
        "randomize.challenging_supports": Call(
            randomize.challenging_supports, {"s_max": [0.1], "k": 1}
        ),
        "randomize.chance_within": Call(
            randomize.chance_within, {"delta": 0.1, "moments": moments}
        ),
        "randomize.clones_delta": Call(
            randomize.clones_delta, {"epsilon": 0.5, "local_epsilon": 1, "n_reports": 100}
        ),
        "randomize.shuffled_epsilon": Call(
            randomize.shuffled_epsilon,
            {"local_epsilon": 1, "n_reports": 1000, "delta": 0.001, "bound": "clones"},
        ),
        "randomize.confidence": Call(
            randomize.confidence,
            {"randomized": sent(), "antecedent": ["milk"], "consequent": ["tea"], "level": 0.9},
        ),
        "randomize.eigenvalues": Call(randomize.eigenvalues, {"law": law(), **lists}),
        "randomize.inverse": Call(randomize.inverse, {"law": law(), **lists}),
        "randomize.transition_matrix": Call(randomize.transition_matrix, {"law": law(), **lists}),
        "randomize.two_set_matrix": Call(
            randomize.two_set_matrix, {"law": law(), "m": 2, "n_first": 1, "n_second": 1}
        ),
        "randomize.support_weights": Call(
            randomize.support_weights, {"operator": operator(), **many}
        ),
        "randomize.lowest_discoverable_confidence": Call(
            randomize.lowest_discoverable_confidence,
            {"operator": operator(), "n_antecedent": 1, "n_consequent": 1, "m": 5,
             "n_transactions": 10**6, "antecedent_support": 0.5, "level": 0.9,
             "dependence": "independent"},
        ),
        "randomize.lowest_discoverable_support": Call(
            randomize.lowest_discoverable_support,
            {"operator": operator(), "k": 1, "sizes": {3: 1000}, "sigmas": 2, "n_items": 9},
        ),
        "randomize.max_supports": Call(
            randomize.max_supports, {"transactions": baskets(), "sizes": [2]}
        ),
        "randomize.measured_breaches": Call(
            randomize.measured_breaches,
            {"original": baskets(), "randomized": sent(), "min_frequency": 0.1, "max_size": 1},
        ),
        "randomize.mine_randomized": Call(
            randomize.mine_randomized,
            {"randomized": sent(), "min_frequency": 0.1, "max_size": 1, "limit": "sigma"},
        ),
        "randomize.pad": Call(
            randomize.pad, {"transactions": baskets(), "size": 2, "seed": 1}
        ),
        "randomize.padded_epsilon": Call(
            randomize.padded_epsilon, {"operator": operator(), "size": 2, "n_items": 9}
        ),
        "randomize.posterior_bound": Call(randomize.posterior_bound, {"prior": 0.1, "gamma": 2}),
        "randomize.prevents_breach": Call(
            randomize.prevents_breach, {"gamma": 2, "prior": 0.1, "posterior": 0.5}
        ),
        "randomize.protection": Call(
            randomize.protection,
            {"operator": operator(), "sizes": [2], "n_items": 9, "priors": [0.1]},
        ),
        "randomize.randomize_file": Call(
            lambda **given: randomize.randomize_file(
                file, folder / f"{next(PLACES)}.parquet", **given
            ),
            {"operator": operator(), "items": [1, 2], "seed": 1, "threads": 1,
             "compression": "zstd", "form": "lists"},
        ),
        "randomize.RandomizedFile.batches": Call(
            lambda **given: written(folder, file).batches(**given), {"size": 2}
        ),
        "randomize.RandomizedFile.bitmap_batches": Call(
            lambda **given: written(folder, file, "bitmaps").bitmap_batches(**given), {"size": 2}
        ),
        "randomize.randomize_padded": Call(
            randomize.randomize_padded,
            {"operator": operator(), "transactions": baskets(), "size": 2, "seed": 1},
        ),
        "randomize.randomize_transactions": Call(
            randomize.randomize_transactions,
            {"transactions": baskets(), "cutoff": 3, "rho": 0.25, "max_size": 2, "seed": 1,
             "padded_size": ...},
            {"padded_size": {"max_size": ..., "padded_size": 2},
             "reports_per_person": {"transactions": of_people(), "reports_per_person": 1}},
        ),
        "randomize.randomized_release": Call(
            randomize.randomized_release,
            {"randomized": randomize.randomize_padded(operator(), baskets(), size=2, seed=1),
             "items_are_public": True, "reports_per_person": 1},
        ),
        "randomize.recover_partial_supports": Call(
            randomize.recover_partial_supports,
            {"counts_by_size": {2: [5, 5]}, "operator": operator(), "n_items": 9},
        ),
        "randomize.recover_support": Call(
            randomize.recover_support,
            {"counts_by_size": {2: [5, 5]}, "operator": operator(), "n_items": 9},
        ),
        "randomize.survival_rate": Call(randomize.survival_rate, {"s": 3, "size": 2, "k": 1}),
        "randomize.tune": Call(
            randomize.tune,
            {"sizes": [2], "s_max": [0.1, 0.01], "breach": 0.5, "step": 0.1, "cutoffs": [3],
             "repair": True},
        ),
        "randomize.worst_breach": Call(
            randomize.worst_breach,
            {"operator": operator(), "m": 2, "s_max": [0.1, 0.01], "n_items": 9},
        ),
        "randomize.collect.Client": Call(
            collect.Client,
            {"url": "https://host", "token": "t", "max_epsilon": 2, "batch_size": 5, "n_tries": 1,
             "timeout": 1, "max_reports": 3, "count_file": "reports.json"},
        ),
        "randomize.collect.Client.mine": Call(
            collect.Client("http://127.0.0.1:1", "t", n_tries=1).mine,
            {"min_frequency": 0.1, "max_size": 2},
        ),
        "randomize.collect.serve": Call(
            collect.serve,
            {"url_or_path": folder / "none.sqlite", "campaign": "x", "port": 1, "workers": 1},
        ),
        "randomize.collect.ServiceLimits": Call(
            collect.ServiceLimits,
            {"max_body": 2048, "max_batch": 5, "max_rate": 2, "burst": 3},
        ),
        "randomize.collect.check_port": Call(
            collect.check_port, {"host": "127.0.0.1", "port": 0}
        ),
        "randomize.collect.create_campaign": Call(
            lambda **given: collect.create_campaign(folder / f"{next(PLACES)}.sqlite", **given),
            {"operator": operator(), "items": [1, 2], "name": "x", "max_size": 2},
        ),
        "randomize.collect.mine_campaign": Call(
            collect.mine_campaign, {"randomized": sent(), "min_frequency": 0.1, "max_size": 1}
        ),
    }  # fmt: skip


def written(
    folder: Path, file: Path, form: Literal["lists", "bitmaps"] = "lists"
) -> randomize.RandomizedFile:
    """Return a randomized file."""
    target = folder / f"{next(PLACES)}.parquet"
    return randomize.randomize_file(
        file, target, operator=operator(), items=[1, 2], seed=1, form=form
    )


def synthesis_calls(folder: Path) -> dict[str, Call]:
    """Return calls about synthetic data, noise and policies."""
    private = {"table": PEOPLE, "epsilon": 2, "delta": 0.001}
    noise = SeededNoise(1)
    krimp = {"data": PEOPLE, "min_support": 60, "candidates": "closed"}
    sizes = {"a": 2, "b": 3}
    source = folder / "people.csv"
    dc.write_table(PEOPLE, source)
    options = policy.read_policy(written_policy(folder, source))
    return {
        "noise.SeededNoise": Call(SeededNoise, {"seed": 1}),
        "noise.noise_from": Call(importlib.import_module("discreet.noise").noise_from, {"seed": 1}),
        "noise.Noise.integers": Call(noise.integers, {"n": 3, "size": 2}),
        "noise.Noise.bernoulli": Call(noise.bernoulli, {"p": 0.5, "size": 2}),
        "noise.Noise.permutation": Call(noise.permutation, {"n": 3}),
        "noise.Noise.discrete_laplace": Call(noise.discrete_laplace, {"scale": 2, "size": 2}),
        "noise.Noise.discrete_gaussian": Call(noise.discrete_gaussian, {"sigma2": 2, "size": 2}),
        "synthesize.Channel": Call(
            synthesize.Channel, {"column": "a", "values": (0, 1), "epsilon": 1}
        ),
        "synthesize.CodeTable.cover": Call(
            synthesize.krimp(PEOPLE, min_support=60).cover, {"rows": PEOPLE}
        ),
        "synthesize.CodeTable.encoded_lengths": Call(
            synthesize.krimp(PEOPLE, min_support=60).encoded_lengths,
            {"data": PEOPLE, "smoothing": 1},
        ),
        "synthesize.Synthesizer": Call(
            synthesize.Synthesizer,
            {"epsilon": 1, "delta": 0.001, "seed": 1, "trust": "central", "generator": "marginals",
             "rows_per_person": 2},
        ),
        "synthesize.Synthesizer.sample": Call(
            fitted().sample, {"n_rows": 5, "seed": 1, "threads": 1}
        ),
        "synthesize.Synthesizer.write": Call(
            lambda **given: fitted().write(folder / f"{next(PLACES)}.parquet", **given),
            {"n_rows": 5, "seed": 1, "threads": 1, "compression": "zstd"},
        ),
        "synthesize.code_tree": Call(
            synthesize.code_tree,
            {"itemsets": [], "domain": {"x": (0, 1)}, "threshold": 0.1, "max_nodes": 10,
             "probability": lambda sets: [0.5] * len(sets)},
        ),
        "synthesize.decide_exact_count": Call(
            synthesize.decide_exact_count,
            {"count": 1, "chances": [0.5, 0.5], "epsilon": 1, "assumes_independent_people": True},
        ),
        "synthesize.decide_exact_histogram": Call(
            synthesize.decide_exact_histogram,
            {"counts": [1, 1], "prior": [0.5, 0.5], "epsilon": 1,
             "assumes_independent_people": True},
        ),
        "synthesize.degraded_epsilon": Call(
            synthesize.degraded_epsilon, {"epsilon": 1, "parts": 1}
        ),
        "synthesize.dp_from_dependence": Call(synthesize.dp_from_dependence, {"epsilon": 1}),
        "synthesize.expected_errors": Call(
            synthesize.expected_errors,
            {"sizes": sizes, "epsilon": 1, "n_rows": 100, "frequency": 0.5},
        ),
        "synthesize.expected_pair_errors": Call(
            synthesize.expected_pair_errors,
            {"sizes": sizes, "epsilon": 1, "delta": 0.001, "n_rows": 100, "frequency": 0.5},
        ),
        "synthesize.extract": Call(
            synthesize.extract,
            {"table": PEOPLE, "epsilon": 2, "theta": 20, "n_draws": 1, "min_support": 60,
             "seed": 1, "neighbours": "replace"},
        ),
        "synthesize.fano_error": Call(
            synthesize.fano_error, {"entropy": 1, "information": 0.5, "n_values": 4}
        ),
        "synthesize.generate": Call(
            synthesize.generate, {"tree": tree(), "n_rows": 5, "seed": 1, "threads": 1}
        ),
        "synthesize.generate_batches": Call(
            synthesize.generate_batches,
            {"tree": tree(), "n_rows": 5, "batch": 2, "seed": 1, "threads": 1},
        ),
        "synthesize.generate_file": Call(
            lambda **given: synthesize.generate_file(
                tree(), folder / f"{next(PLACES)}.parquet", **given
            ),
            {"n_rows": 5, "seed": 1, "threads": 1, "compression": "zstd"},
        ),
        "synthesize.krimp": Call(synthesize.krimp, krimp),
        "synthesize.krimp_classifier": Call(
            synthesize.krimp_classifier, {**krimp, "classes": ["a", "b"] * 100}
        ),
        "synthesize.KrimpClassifier.encoded_lengths": Call(
            synthesize.krimp_classifier(
                PEOPLE, classes=["a", "b"] * 100, min_support=60
            ).encoded_lengths,
            {"data": PEOPLE},
        ),
        "synthesize.KrimpClassifier.predict": Call(
            synthesize.krimp_classifier(PEOPLE, classes=["a", "b"] * 100, min_support=60).predict,
            {"data": PEOPLE},
        ),
        "synthesize.mutual_information_bound": Call(
            synthesize.mutual_information_bound, {"epsilon": 1}
        ),
        "synthesize.plan_synthesis": Call(
            synthesize.plan_synthesis, {**private, "trust": "central", "rows_per_person": 1}
        ),
        "synthesize.query_epsilon": Call(
            synthesize.query_epsilon, {"itemsets": [[("a", 1)]], "epsilon": 1}
        ),
        "synthesize.randomized_response": Call(
            synthesize.randomized_response, {"table": PEOPLE, "epsilon": 2, "seed": 1}
        ),
        "synthesize.split_budget": Call(synthesize.split_budget, {"sizes": sizes, "epsilon": 1}),
        "synthesize.synthetic_release": Call(
            synthesize.synthetic_release,
            {**private, "n_rows": 5, "seed": 1, "threads": 1, "trust": "central",
             "generator": "marginals", "rows_per_person": 1},
        ),
        "policy.MethodOptions.protect": Call(
            lambda **given: options.method.protect(PEOPLE, **given), {"seed": 1}
        ),
        "policy.MethodOptions.at": Call(options.method.at, {"k": 3}),
        "dc.choose": Call(
            dc.choose,
            {"file": source, "publish": "table", "to": "partner", "promise": "k-anonymity",
             "k": 3, "epsilon": ...},
            {"epsilon": {"epsilon": 1}},
        ),
        "policy.compare": Call(
            policy.compare, {"table": PEOPLE, "methods": ["k-mii"], "k": 3}
        ),
        "policy.draft_policy": Call(
            policy.draft_policy, {"file": source, "folder": folder, "k": 3}
        ),
        "policy.plan": Call(policy.plan, {"what": PEOPLE, "ks": [3]}),
        "policy.plan_each": Call(policy.plan_each, {"what": PEOPLE, "ks": [3]}),
        "policy.run_policy": Call(
            lambda **given: policy.run_policy(options, folder / f"out{next(PLACES)}", **given),
            {"seed": 1},
        ),
        "sklearn.GeneralizingTransformer": Call(
            lambda **given: GeneralizingTransformer(**given).fit(PEOPLE.to_frame("pandas")),
            {"k": 2, "max_dropped": 0.1, "search": "datafly"},
        ),
        "sklearn.KrimpClassifier": Call(
            lambda **given: KrimpClassifier(**given).fit([["a"], ["b"]] * 5, ["x", "y"] * 5),
            {"min_support": 2, "max_itemsets": 100, "threads": 1, "candidates": "closed"},
        ),
        "sklearn.Synthesizer": Call(
            lambda **given: SklearnSynthesizer(**given).fit(PEOPLE.to_frame("pandas")),
            {"epsilon": 2, "delta": 0.001, "random_state": 1, "trust": "central",
             "generator": "marginals"},
        ),
        "sklearn.Synthesizer.sample": Call(
            SklearnSynthesizer(2, delta=0.1, random_state=1).fit(PEOPLE.to_frame("pandas")).sample,
            {"n_samples": 5, "random_state": 1},
        ),
    }  # fmt: skip


def written_policy(folder: Path, source: Path) -> Path:
    """Return the file of a policy whose method takes a seed and a size of class."""
    path = folder / "policy.toml"
    path.write_text(f'[source]\nfile = "{source}"\n[method]\nname = "k-mii"\nk = 3\n')
    return path


# What the faces of the rooms show


def public() -> Iterator[tuple[str, Callable[..., object]]]:
    """Yield functions, methods, and the classes that are made by hand, with their names."""
    for room in ROOMS:
        module = importlib.import_module(f"discreet.{room}")
        for name in getattr(module, "__all__", ()):
            shown = getattr(module, name)
            if inspect.isclass(shown):
                if not is_record(shown):
                    yield f"{room}.{name}", shown
                for part, method in vars(shown).items():
                    function = getattr(method, "__func__", method)
                    if not part.startswith("_") and inspect.isfunction(function):
                        yield f"{room}.{name}.{part}", function
            elif callable(shown):
                yield f"{room}.{name}", shown
    yield "dc.choose", dc.choose  # its module has the same name


def is_record(shown: type) -> bool:
    """Say whether a class only keeps what a function found, or cannot be made."""
    if issubclass(shown, Result | BaseException | tuple):
        return True
    code = getattr(shown.__init__, "__code__", None)
    is_generated = code is None or code.co_filename == "<string>"  # by dataclass
    return is_generated and not hasattr(shown, "__post_init__")


@dataclass(frozen=True)
class Parameter:
    """A parameter of a public function."""

    function: str
    name: str
    annotation: str
    is_optional: bool

    @property
    def label(self) -> str:
        """Function and name."""
        return f"{self.function}.{self.name}"

    @property
    def is_number(self) -> bool:
        """Whether it takes a number, or a list of them."""
        return bool(re.search(r"\b(int|float|Fraction|Number)\b", self.annotation)) and not (
            re.search(
                r"NDArray|ArrayLike|dict\[|Mapping\[(str|frozenset)|Callable", self.annotation
            )
        )

    @property
    def is_list(self) -> bool:
        """Whether it takes a list of numbers."""
        return bool(re.match(r"(Iterable|Sequence|list|tuple|Mapping)\[", self.annotation))

    @property
    def kind(self) -> str:
        """Whole or exact."""
        names = {**dict.fromkeys(WHOLE, "whole"), **dict.fromkeys(EXACT, "exact")}
        return OTHERWISE.get(self.label) or names[self.name]


def verify_calls(folder: Path) -> dict[str, Call]:
    release = dc.k_mii(PEOPLE, k=5).save(folder / "release")
    limits = {"max_bytes": 10**6, "max_cells": 10**4, "max_columns": 10}
    return {
        "verify.verify_release": Call(lambda **given: dc.verify_release(release, **given), limits)
    }


def parameters() -> Iterator[Parameter]:
    """Yield the parameters of all public functions; limits and options by their names."""
    for function, shown in public():
        for each in inspect.signature(shown).parameters.values():
            annotation = str(each.annotation)
            if annotation == "Unpack[Options]":
                for name in ("l", "t", "c"):
                    yield Parameter(function, name, "float | None", is_optional=True)
            if annotation in {"Unpack[Limits]", "Unpack[Options]"}:
                for name in ("threads", "max_itemsets", "max_memory", "max_seconds"):
                    optional = name != "max_itemsets"
                    yield Parameter(function, name, "int | None", is_optional=optional)
            elif each.name != "self":
                yield Parameter(function, each.name, annotation, is_optional="None" in annotation)


PARAMETERS = list(parameters())
REFUSES_ALL = "randomize.Mixing.exact_transition"  # Mixing has no matrix
NUMBERS = [
    each
    for each in PARAMETERS
    if each.is_number and each.name not in NO_NUMBERS and each.function != REFUSES_ALL
]
LIMITS = {"threads": 1, "max_itemsets": 10**6, "max_memory": 10**9, "max_seconds": 1000}
NO_WHOLE = [True, np.True_, 5.0, np.float64(5), 2.5, math.nan, "5", "five", Decimal(5), [5]]
NO_EXACT = [True, np.True_, math.nan, math.inf, -math.inf, "five", "1/0", Decimal("NaN"), [0.5]]


@pytest.fixture(scope="module")
def calls(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Call]:
    folder = tmp_path_factory.mktemp("parameters")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DiscreetWarning)
        return (
            table_calls()
            | family_calls()
            | pattern_calls()
            | randomize_calls(folder)
            | synthesis_calls(folder)
            | verify_calls(folder)
        )


def tried(call: Call, parameter: Parameter, value: object) -> object:
    """Call with a value in place of the parameter, or of the first number in it."""
    given = {**call.given, **call.besides.get(parameter.name, {})}
    usual = given.get(parameter.name, LIMITS.get(parameter.name))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DiscreetWarning)
        return call.run(parameter.name, replaced(usual, value))


def replaced(usual: Any, value: object) -> object:  # noqa: ANN401  numbers in anything
    """Return what is usually given with its first number replaced."""
    if isinstance(usual, dict):
        (key, first), *rest = usual.items()
        return {key: replaced(first, value), **dict(rest)}
    if isinstance(usual, list | tuple):
        return type(usual)([replaced(usual[0], value), *usual[1:]])
    return value


def usual_number(call: Call, parameter: Parameter) -> Any:  # noqa: ANN401  any kind of number
    """Return the first number that is usually given for a parameter."""
    usual = {**call.given, **call.besides.get(parameter.name, {})}
    found = usual.get(parameter.name, LIMITS.get(parameter.name))
    while isinstance(found, dict | list | tuple):
        found = next(iter(found.values())) if isinstance(found, dict) else found[0]
    return found


def test_every_number_of_a_public_function_is_listed() -> None:
    unknown = {each.name for each in NUMBERS} - WHOLE - EXACT
    assert not unknown, f"say in {__name__} of which kind these are: {sorted(unknown)}"
    assert not WHOLE & EXACT
    assert WHOLE | EXACT | set(NO_NUMBERS) <= {each.name for each in PARAMETERS}


def test_every_public_function_with_a_number_is_called(calls: dict[str, Call]) -> None:
    assert {each.function for each in NUMBERS} - set(calls) == set()
    assert len(NUMBERS) > 300


@pytest.mark.parametrize("parameter", NUMBERS, ids=lambda each: each.label)
def test_what_is_no_number_is_refused_by_the_name_of_its_parameter(
    calls: dict[str, Call], parameter: Parameter
) -> None:
    call = calls[parameter.function]
    wrong = NO_WHOLE if parameter.kind == "whole" else NO_EXACT
    for value in wrong if parameter.is_optional else [*wrong, None]:
        if parameter.name in INFINITE and value == math.inf:
            continue
        if value == [5] and parameter.label == "policy.compare.k":
            continue  # one size, or a list of them
        with pytest.raises(ParameterError) as caught:
            tried(call, parameter, value)
        assert caught.value.parameter == parameter.name, value


TALKS = {"randomize.collect.serve", "randomize.collect.Client.mine"}  # with other processes


@pytest.mark.parametrize(
    "parameter",
    [each for each in NUMBERS if each.function not in TALKS],
    ids=lambda each: each.label,
)
def test_numbers_of_every_kind_are_taken(calls: dict[str, Call], parameter: Parameter) -> None:
    call = calls[parameter.function]
    usual = usual_number(call, parameter)
    if parameter.kind == "whole":
        tried(call, parameter, np.int64(usual))
        return
    number = Fraction(str(usual))
    for value in (np.float64(float(number)), Decimal(str(usual)), number, str(usual)):
        tried(call, parameter, value)


NO_CHOICES = {"generalize.lower_bound.candidates"}  # itemsets
CHOSEN = [each for each in PARAMETERS if each.name in CHOICES and each.label not in NO_CHOICES]


@pytest.mark.parametrize("parameter", CHOSEN, ids=lambda each: each.label)
def test_what_is_no_choice_is_refused_by_the_name_of_its_parameter(
    calls: dict[str, Call], parameter: Parameter
) -> None:
    if parameter.name not in calls[parameter.function].given:
        pytest.fail("say a choice that is usually given")
    for value in ("nonsense", "", 1, True, ["nonsense"]):
        with pytest.raises(ParameterError) as caught:
            calls[parameter.function].run(parameter.name, value)
        assert caught.value.parameter == parameter.name, value


def test_limits_are_those_of_the_miners() -> None:
    assert set(LIMITS) == set(Limits.__annotations__) - {"progress"}
