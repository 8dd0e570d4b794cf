"""Suppression of identifying combinations, and the privacy that sampling before it adds."""

from discreet.suppress.dp_mii import dp_mii_suppress
from discreet.suppress.impute import Imputed, impute
from discreet.suppress.mii import k_mii, mii_suppress
from discreet.suppress.sampling import (
    SplitGuarantee,
    calibrate,
    li_bound,
    sampling_delta,
    split_guarantee,
    theta_1,
)
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
