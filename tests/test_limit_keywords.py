"""One way to call: threads, limits and progress are keywords of every function that runs long."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable, Iterator

import pytest

from discreet.generalize.rules import Options
from discreet.limits import Limits

ROOMS = (
    "suppress", "generalize", "randomize", "synthesize", "patterns", "mine", "assess", "utility",
    "verify", "policy", "randomize.collect",
)  # fmt: skip
TAKES_ALL_LIMITS = (
    "suppress.k_mii", "suppress.mii_suppress", "suppress.dp_mii_suppress",
    "suppress.suppression_summary", "generalize.set_cover", "generalize.forest",
    "generalize.agglomerative", "generalize.mondrian", "generalize.datafly",
    "generalize.incognito", "generalize.improve_clusters", "generalize.repair",
    "generalize.lower_bound", "synthesize.extract", "synthesize.krimp", "patterns.additive",
    "patterns.suppressive", "patterns.certified", "patterns.channels", "patterns.leaks",
    "randomize.mine_randomized", "mine.frequent", "mine.minimal_infrequent", "mine.rules",
    "assess.look", "assess.uniqueness", "utility.itemset_fidelity", "policy.plan",
    "policy.compare", "policy.run_policy",
)  # fmt: skip


def public_functions() -> Iterator[tuple[str, Callable[..., object]]]:
    """Yield the functions and methods that the faces of the rooms show, with their names."""
    for room in ROOMS:
        module = importlib.import_module(f"discreet.{room}")
        for name in module.__all__:
            value = getattr(module, name)
            if inspect.isfunction(value):
                yield f"{room}.{name}", value
            elif inspect.isclass(value):
                for part, method in inspect.getmembers(value, inspect.isfunction):
                    if not part.startswith("_") and method.__module__.startswith("discreet."):
                        yield f"{room}.{name}.{part}", method


FUNCTIONS = dict(public_functions())


@pytest.mark.parametrize("name", FUNCTIONS)
def test_limits_are_keywords(name: str) -> None:
    for parameter in inspect.signature(FUNCTIONS[name]).parameters.values():
        if parameter.name in Limits.__annotations__:
            assert parameter.kind is parameter.KEYWORD_ONLY
        if parameter.name == "limits":
            assert parameter.kind is parameter.VAR_KEYWORD, "threads=, not limits={'threads': ...}"
            assert parameter.annotation == "Unpack[Limits]"


@pytest.mark.parametrize("name", TAKES_ALL_LIMITS)
def test_what_can_run_long_takes_every_limit(name: str) -> None:
    *_, last = inspect.signature(FUNCTIONS[name]).parameters.values()
    assert last.annotation in ("Unpack[Limits]", "Unpack[Options]")


def test_the_options_of_generalization_include_the_limits() -> None:
    assert Limits.__annotations__.items() <= Options.__annotations__.items()


def test_threads_and_progress_come_together_where_they_are_named() -> None:
    """What takes threads runs long, so it reports how far it has come."""
    for name, function in FUNCTIONS.items():
        named = inspect.signature(function).parameters
        assert "threads" not in named or "progress" in named, name
