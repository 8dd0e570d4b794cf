"""Suppression: hide what singles people out, and what sampling before it is worth."""

from discreet.suppress.dp_mii import dp_mii_suppress
from discreet.suppress.impute import impute
from discreet.suppress.imputed import Imputed
from discreet.suppress.k_mii import k_mii
from discreet.suppress.mii import mii_suppress
from discreet.suppress.sampling import calibrate, li_bound, sampling_delta
from discreet.suppress.split import SplitGuarantee, split_guarantee, theta_1
from discreet.suppress.summary import SuppressionSummary, suppression_summary
from discreet.suppress.worst_case import mii_bound, worst_case_table

__all__ = [
    "Imputed",
    "SplitGuarantee",
    "SuppressionSummary",
    "calibrate",
    "dp_mii_suppress",
    "impute",
    "k_mii",
    "li_bound",
    "mii_bound",
    "mii_suppress",
    "sampling_delta",
    "split_guarantee",
    "suppression_summary",
    "theta_1",
    "worst_case_table",
]
