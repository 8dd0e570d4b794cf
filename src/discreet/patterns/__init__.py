"""Publishing patterns: what a collection of itemsets gives away, and how to publish it safely."""

from discreet.patterns.additive import additive
from discreet.patterns.border import border_leaks
from discreet.patterns.certified import Certified, certified
from discreet.patterns.channel import Channel, Channels
from discreet.patterns.channels import channels
from discreet.patterns.derive import derive
from discreet.patterns.from_rules import check_rules
from discreet.patterns.leak import Leak, Leaks
from discreet.patterns.leaks import leaks
from discreet.patterns.of_columns import of_columns
from discreet.patterns.read import read_patterns
from discreet.patterns.release import is_pattern_release, pattern_release, patterns_of, witness_of
from discreet.patterns.rule_leaks import RuleLeak, RuleLeaks
from discreet.patterns.sanitized import Sanitized
from discreet.patterns.support_for_safety import SupportForSafety, support_for_safety
from discreet.patterns.suppressive import suppressive
from discreet.patterns.windows import window_leaks
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
    "border_leaks",
    "certified",
    "channels",
    "check_rules",
    "derive",
    "is_pattern_release",
    "leaks",
    "of_columns",
    "pattern_release",
    "patterns_of",
    "read_patterns",
    "support_for_safety",
    "suppressive",
    "window_leaks",
    "witness",
    "witness_of",
]
