"""Publishing patterns: what a collection of itemsets gives away, and how to publish it safely."""

from discreet.patterns.additive import additive
from discreet.patterns.border import border_leaks
from discreet.patterns.certified import Certified, certified
from discreet.patterns.channel import Channel, Channels
from discreet.patterns.channels import channels
from discreet.patterns.leak import Leak, Leaks
from discreet.patterns.leaks import leaks
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
    "Sanitized",
    "SupportForSafety",
    "Witness",
    "additive",
    "border_leaks",
    "certified",
    "channels",
    "leaks",
    "support_for_safety",
    "suppressive",
    "window_leaks",
    "witness",
]
