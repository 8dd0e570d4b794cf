"""Policies: a file that says how a table is protected, and what runs it."""

from discreet.policy.init import draft_policy
from discreet.policy.methods import METHODS, Method
from discreet.policy.model import Policy, make_policy, read_policy
from discreet.policy.plan import Plan, Setting, plan, plan_stand_in
from discreet.policy.run import RunResult, published_policy, run_policy

__all__ = [
    "METHODS",
    "Method",
    "Plan",
    "Policy",
    "RunResult",
    "Setting",
    "draft_policy",
    "make_policy",
    "plan",
    "plan_stand_in",
    "published_policy",
    "read_policy",
    "run_policy",
]
