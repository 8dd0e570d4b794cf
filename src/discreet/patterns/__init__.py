"""Publishing patterns: what a collection of itemsets gives away, and how to publish it safely."""

from discreet.patterns.additive import additive
from discreet.patterns.channel import Channel, Channels
from discreet.patterns.channels import channels
from discreet.patterns.sanitized import Sanitized
from discreet.patterns.support_for_safety import SupportForSafety, support_for_safety
from discreet.patterns.suppressive import suppressive

__all__ = [
    "Channel",
    "Channels",
    "Sanitized",
    "SupportForSafety",
    "additive",
    "channels",
    "support_for_safety",
    "suppressive",
]
