"""The operators that randomize transactions."""

from discreet.randomize.operators.base import Operator, SizeLawOperator
from discreet.randomize.operators.kinds import (
    CutAndPaste,
    Mixing,
    SelectASize,
    Uniform,
    operator_from_dict,
)
from discreet.randomize.operators.law import SizeLaw

__all__ = [
    "CutAndPaste",
    "Mixing",
    "Operator",
    "SelectASize",
    "SizeLaw",
    "SizeLawOperator",
    "Uniform",
    "operator_from_dict",
]
