"""Randomized transactions: people send randomized sets, the server recovers what is true."""

from discreet.randomize.operators import (
    CutAndPaste,
    Mixing,
    Operator,
    SelectASize,
    SizeLaw,
    Uniform,
    operator_from_dict,
)
from discreet.randomize.randomized import Randomized
from discreet.randomize.transition import eigenvalues, inverse, transition_matrix, two_set_matrix

__all__ = [
    "CutAndPaste",
    "Mixing",
    "Operator",
    "Randomized",
    "SelectASize",
    "SizeLaw",
    "Uniform",
    "eigenvalues",
    "inverse",
    "operator_from_dict",
    "transition_matrix",
    "two_set_matrix",
]
