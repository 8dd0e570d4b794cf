"""Suppression, what sampling before it is worth, and the tables that make it hardest."""

from discreet.suppress.dp_mii import dp_mii_suppress
from discreet.suppress.impute import impute
from discreet.suppress.imputed import Imputed
from discreet.suppress.sampling import calibrate, li_bound, sampling_delta
from discreet.suppress.split import SplitGuarantee, split_guarantee, theta_1
from discreet.suppress.worst_case import mii_bound, worst_case_table

__all__ = [
    "Imputed",
    "SplitGuarantee",
    "calibrate",
    "dp_mii_suppress",
    "impute",
    "li_bound",
    "mii_bound",
    "sampling_delta",
    "split_guarantee",
    "theta_1",
    "worst_case_table",
]
