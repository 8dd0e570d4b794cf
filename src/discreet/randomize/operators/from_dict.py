"""Reading an operator of any kind from a policy."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from discreet.errors import ParameterError, did_you_mean
from discreet.randomize.operators.cut_and_paste import CutAndPaste
from discreet.randomize.operators.mixing import Mixing
from discreet.randomize.operators.select_a_size import SelectASize
from discreet.randomize.operators.uniform import Uniform

if TYPE_CHECKING:
    from discreet.randomize.operators.operator import Operator

KINDS: dict[str, type[Operator]] = {
    kind.kind: kind for kind in (CutAndPaste, SelectASize, Uniform, Mixing)
}


def operator_from_dict(given: Mapping[str, object]) -> Operator:
    """Return the operator that its ``to_dict`` wrote.

    Parameters
    ----------
    given : mapping
        As JSON holds it; ``"operator"`` names the kind.

    Returns
    -------
    Operator
        Equal to the one written: fractions are exact.

    Raises
    ------
    ParameterError
        If the kind is not known or a field is missing, unknown or out of its range.

    Examples
    --------
    >>> operator_from_dict({"operator": "cut-and-paste", "cutoff": 7, "rho": "1/5"})
    CutAndPaste(cutoff=7, rho=Fraction(1, 5))
    """
    if not isinstance(given, Mapping):
        raise ParameterError(f"An operator is a table of fields, not {type(given).__name__}.")
    kind = given.get("operator")
    if not isinstance(kind, str) or kind not in KINDS:
        raise ParameterError(f"Unknown operator {kind!r}. {did_you_mean(str(kind), KINDS)}")
    return KINDS[kind].from_dict(given)
