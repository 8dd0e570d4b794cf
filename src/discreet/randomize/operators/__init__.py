"""The operators that randomize transactions."""

from discreet.randomize.operators.cut_and_paste import CutAndPaste
from discreet.randomize.operators.from_dict import operator_from_dict
from discreet.randomize.operators.mixing import Mixing
from discreet.randomize.operators.operator import Operator
from discreet.randomize.operators.select_a_size import SelectASize
from discreet.randomize.operators.size_law import SizeLaw, SizeLawOperator
from discreet.randomize.operators.uniform import Uniform

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
