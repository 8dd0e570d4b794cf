"""Attacks on a release: what an attacker who knows a little about a person can infer."""

from discreet.assess.attacks.attribute import AttributeAttack, attribute_attack
from discreet.assess.attacks.homogeneity import HomogeneityAttack, Inference, homogeneity_attack
from discreet.assess.attacks.linkage import Linkage, LinkageAttack, linkage_attack
from discreet.assess.attacks.membership import Advantage, Auc, MembershipAttack, membership_attack
from discreet.assess.attacks.rare_itemsets import RareItemsets, rare_itemsets
from discreet.assess.attacks.records_in_common import RecordsInCommon, records_in_common
from discreet.assess.attacks.setting import Excess, Rate, excess

__all__ = [
    "Advantage",
    "AttributeAttack",
    "Auc",
    "Excess",
    "HomogeneityAttack",
    "Inference",
    "Linkage",
    "LinkageAttack",
    "MembershipAttack",
    "RareItemsets",
    "Rate",
    "RecordsInCommon",
    "attribute_attack",
    "excess",
    "homogeneity_attack",
    "linkage_attack",
    "membership_attack",
    "rare_itemsets",
    "records_in_common",
]
