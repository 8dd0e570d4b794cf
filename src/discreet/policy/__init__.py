"""Policies: a file that says how data is protected, and what runs it."""

from discreet.policy.compare import Compared, Comparison, compare
from discreet.policy.init import draft_policy
from discreet.policy.methods import MethodOptions
from discreet.policy.model import Policy, make_policy, read_policy
from discreet.policy.pipeline import STAGES, Job, Published, publish
from discreet.policy.plan import Plan, Setting, plan, plan_each, preview
from discreet.policy.run import RunResult, published_policy, run_policy

__all__ = [
    "STAGES",
    "Compared",
    "Comparison",
    "Job",
    "MethodOptions",
    "Plan",
    "Policy",
    "Published",
    "RunResult",
    "Setting",
    "compare",
    "draft_policy",
    "make_policy",
    "plan",
    "plan_each",
    "preview",
    "publish",
    "published_policy",
    "read_policy",
    "run_policy",
]
