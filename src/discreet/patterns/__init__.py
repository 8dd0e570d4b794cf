"""Publishing patterns: what a collection of itemsets gives away, and how to publish it safely."""

from discreet.patterns.channel import Channel, Channels
from discreet.patterns.channels import channels
from discreet.patterns.sanitized import Sanitized

__all__ = ["Channel", "Channels", "Sanitized", "channels"]
