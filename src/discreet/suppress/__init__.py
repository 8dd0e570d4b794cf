"""Suppression: what sampling before it is worth, and the tables that make it hardest."""

from discreet.suppress.sampling import calibrate, li_bound, sampling_delta
from discreet.suppress.split import SplitGuarantee, split_guarantee, theta_1

__all__ = [
    "SplitGuarantee",
    "calibrate",
    "li_bound",
    "sampling_delta",
    "split_guarantee",
    "theta_1",
]
