"""Attacks on a release: what somebody who knows a little about a person can find out."""

from discreet.assess.attacks.homogeneity import HomogeneityAttack, Inference, homogeneity_attack
from discreet.assess.attacks.linkage import Linkage, LinkageAttack, linkage_attack
from discreet.assess.attacks.rates import Excess, Rate, excess

__all__ = [
    "Excess",
    "HomogeneityAttack",
    "Inference",
    "Linkage",
    "LinkageAttack",
    "Rate",
    "excess",
    "homogeneity_attack",
    "linkage_attack",
]
