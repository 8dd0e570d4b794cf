"""Publishing patterns: what a collection of itemsets discloses, and how to publish it safely."""

from discreet.patterns.additive import additive, additive_release
from discreet.patterns.border import Leak, Leaks, border_leaks
from discreet.patterns.certified import Certified, certified, certified_release
from discreet.patterns.channels import Channel, Channels, channels
from discreet.patterns.collection import Sanitized, of_columns
from discreet.patterns.leaks import leaks, window_leaks
from discreet.patterns.read import read_patterns
from discreet.patterns.release import derive, pattern_release
from discreet.patterns.rules import RuleLeak, RuleLeaks, check_rules
from discreet.patterns.safety import SupportForSafety, support_for_safety
from discreet.patterns.suppressive import suppressive, suppressive_release
from discreet.patterns.witness import Witness, witness

__all__ = [
    "Certified",
    "Channel",
    "Channels",
    "Leak",
    "Leaks",
    "RuleLeak",
    "RuleLeaks",
    "Sanitized",
    "SupportForSafety",
    "Witness",
    "additive",
    "additive_release",
    "border_leaks",
    "certified",
    "certified_release",
    "channels",
    "check_rules",
    "derive",
    "leaks",
    "of_columns",
    "pattern_release",
    "read_patterns",
    "support_for_safety",
    "suppressive",
    "suppressive_release",
    "window_leaks",
    "witness",
]

_RETIRED = {  # names of version 0.1 and what took their place
    "is_pattern_release": "release.kind == 'patterns'",
    "patterns_of": "release.data",
    "witness_of": "release.witness",
}


def __getattr__(name: str) -> object:
    if name in _RETIRED:
        raise AttributeError(f"discreet.patterns.{name} is now {_RETIRED[name]}.")
    raise AttributeError(f"module 'discreet.patterns' has no attribute {name!r}")
