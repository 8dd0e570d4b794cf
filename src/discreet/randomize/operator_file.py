"""The file that says how transactions were randomized: operator, items, null items."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from discreet.data.item_sets import check_labels
from discreet.errors import DataError, DiscreetError
from discreet.randomize.operators import operator_from_dict

if TYPE_CHECKING:
    from collections.abc import Sequence

    from discreet.data.item_sets import Label, Labels
    from discreet.randomize.operators.operator import Operator

_KEYS = {"items", "null_items", "operator"}


def operator_text(operator: Operator, *, labels: Sequence[Label], dummies: int = 0) -> str:
    """Return the text of the file.

    Examples
    --------
    >>> from discreet.randomize import CutAndPaste
    >>> text = operator_text(CutAndPaste(cutoff=3, rho="1/4"), labels=["milk", "tea"])
    >>> read_operator(text)[1:]
    (('milk', 'tea'), 0)
    """
    values = {
        "items": list(labels),
        "null_items": dummies,
        "operator": operator.to_dict(),
    }
    return json.dumps(values, indent=1, ensure_ascii=False, sort_keys=True) + "\n"


def read_operator(text: str) -> tuple[Operator, Labels, int]:
    """Return operator, items (null ones last) and the number of null items.

    Raises
    ------
    DataError
        If the text is not such a file.
    """
    try:
        values = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise DataError(f"operator.json is not whole JSON: {error}.") from None
    if not isinstance(values, dict) or set(values) != _KEYS:
        raise DataError(f"operator.json has {', '.join(sorted(_KEYS))}, and nothing else.")
    labels, dummies = values["items"], values["null_items"]
    if not isinstance(labels, list) or type(dummies) is not int or not 0 <= dummies <= len(labels):
        raise DataError("operator.json: items is a list, null_items the number of null ones in it.")
    if not isinstance(values["operator"], dict):
        raise DataError("operator.json: operator is a table of options.")
    try:
        return operator_from_dict(values["operator"]), check_labels(labels), dummies
    except DiscreetError as error:
        raise DataError(f"operator.json: {error}") from error
