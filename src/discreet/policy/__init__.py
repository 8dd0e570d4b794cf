"""Policies: a file that says how a table is protected, and what runs it."""

from discreet.policy.init import draft_policy
from discreet.policy.methods import METHODS, Method
from discreet.policy.model import Policy
from discreet.policy.plan import plan
from discreet.policy.plan_result import Plan, Setting
from discreet.policy.plan_stand_in import plan_stand_in
from discreet.policy.publish import published_policy
from discreet.policy.read import make_policy, read_policy
from discreet.policy.run import run_policy
from discreet.policy.run_result import RunResult

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
