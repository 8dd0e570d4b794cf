"""The attribute attack: infer one value of a person from the others, by the nearest rows.

What can be inferred about anybody, in the release or not, is a regularity of the population. Only
what is inferred better about members than about controls was disclosed by the release.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from discreet import checks
from discreet.assess.attacks.setting import (
    Rate,
    attacked,
    draw_some,
    excess,
    nearest_votes,
    one_coding,
)
from discreet.assess.classes import in_words
from discreet.data.table import as_table
from discreet.errors import ParameterError
from discreet.result import Preview, Result

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.random import Generator
    from numpy.typing import NDArray

    from discreet.assess.attacks.setting import Excess
    from discreet.data.table import Table


@dataclass(frozen=True, slots=True, kw_only=True)
class AttributeAttack(Result):
    """How often a sensitive value is inferred: of members, of controls, and as a baseline.

    ``baseline`` and ``control_baseline`` are the rates of always guessing the most frequent value
    of the release.
    """

    columns: tuple[str, ...]
    sensitive: str
    n_targets: int
    members: Rate
    controls: Rate
    baseline: Rate
    control_baseline: Rate

    @property
    def excess(self) -> Excess:
        """How much oftener values of members than of controls are inferred, with its interval."""
        return excess(self.members, self.controls)

    @property
    def sentence(self) -> str:
        """The attack in plain sentences."""
        more = self.excess
        found = "is" if more.low > 0 else "cannot be shown to be"
        return (
            f"An attacker who knows {in_words(self.columns)} of a person infers "
            f"'{self.sensitive}' by the nearest rows for {self.members} of members and "
            f"{self.controls} of controls; the most frequent value is right for {self.baseline}. "
            f"The difference, {100 * more.difference:.1f} points ({100 * more.low:.1f} to "
            f"{100 * more.high:.1f}), {found} due to the release of their own records."
        )

    def preview(self) -> Preview:
        """Return the rates of members and controls."""
        rows = [
            ("members", str(self.members), str(self.baseline)),
            ("controls", str(self.controls), str(self.control_baseline)),
        ]
        header = ("people", f"'{self.sensitive}' inferred", "most frequent value")
        return Preview(title=self.sentence, header=header, rows=rows)

    def to_dict(self) -> dict[str, object]:
        """Return all fields as plain values."""
        rates = ("members", "controls", "baseline", "control_baseline")
        return {
            "columns": list(self.columns),
            "sensitive": self.sensitive,
            "n_targets": self.n_targets,
            **{name: getattr(self, name).to_dict() for name in rates},
            "excess": list(self.excess),
        }


def attribute_attack(
    release: object,
    original: object,
    *,
    sensitive: str,
    controls: object,
    n_targets: int = 1000,
    columns: Iterable[str] | None = None,
    rng: Generator | int | None = None,
) -> AttributeAttack:
    r"""Return how often an attacker infers a sensitive value by the nearest rows of a release.

    .. math::
        \hat s(t) = \arg\max_v \, |\{ r \in N(t) : r_s = v \}|, \qquad
        N(t) = \arg\min_{r \in R} |\{ j \ne s : t_j \ne r_j \}|

    where :math:`R` are the rows of the release, :math:`N(t)` those that differ from person
    :math:`t` in the fewest known columns, and :math:`s` is the sensitive column; of equally
    frequent values the one more frequent in the whole release is said.

    Parameters
    ----------
    release, original : Release, Table or frame
        What was published, and what it was made from. The same columns; rows need not align.
    sensitive : str
        The column to infer. Rows of the release in which it is suppressed are ignored; people
        without a value there are never inferred.
    controls : Table or frame
        People of the same population whose rows were not used.
    n_targets : int, default 1000
        How many members and how many others to draw, without replacement, at least 1; fewer if
        there are fewer.
    columns : iterable of str, optional
        What the attacker knows; all others but the identifying ones by default.
    rng : Generator, int or None
        Draws the people; an int makes the attack repeatable.

    Returns
    -------
    AttributeAttack
        Rates with 95 per cent Wilson intervals, and their difference with Newcombe's.

    Raises
    ------
    ParameterError
        If a table lacks a column, the sensitive one is known, or the controls are the
        original.
    DataError
        If the release has no rows.

    Notes
    -----
    Guarantee: none, this is an experiment: that this attack fails does not mean that others
    do. Time grows with targets times distinct rows of the release times columns.

    References
    ----------
    T. Stadler, B. Oprisanu, C. Troncoso (2022), Synthetic Data: Anonymisation Groundhog Day
    (inference with and without the target's row); M. Giomi et al. (2023), A Unified Framework
    for Quantifying Privacy Risk in Synthetic Data (nearest rows, control group).

    Examples
    --------
    >>> import discreet as dc
    >>> people = dc.datasets.census(1000)
    >>> members, others = people.take(range(500)), people.take(range(500, 1000))
    >>> found = attribute_attack(members, members, sensitive="income", controls=others, rng=1)
    >>> found.members.rate > found.controls.rate, found.excess.low > 0
    (True, True)
    """
    n_targets = checks.whole("n_targets", n_targets, at_least=1)
    before = as_table(original)
    if columns is None:
        left_out = {sensitive, *before.identifying}
        columns = [name for name in before.columns if name not in left_out]
    setting = attacked(release, before, controls, columns, also=[sensitive])
    if sensitive in setting.columns:
        raise ParameterError(
            f"Column '{sensitive}' is both known to the attacker and sensitive.",
            parameter="sensitive",
            column=sensitive,
        )
    if setting.controls is None:
        raise ParameterError(
            "controls: the attack needs people whose rows were not used.", parameter="controls"
        )
    random = checks.generator("rng", rng)
    drawn = [
        table.take(draw_some(table, n_targets, random))
        for table in (setting.original, setting.controls)
    ]
    inferred, plain = _rates(setting.release, drawn, (*setting.columns, sensitive))
    return AttributeAttack(
        columns=setting.columns,
        sensitive=sensitive,
        n_targets=drawn[0].n_rows,
        members=inferred[0],
        controls=inferred[1],
        baseline=plain[0],
        control_baseline=plain[1],
    )


def _rates(
    release: Table, people: list[Table], names: tuple[str, ...]
) -> tuple[list[Rate], list[Rate]]:
    """Return how often the last column is inferred by nearest rows, and by the most frequent."""
    tables = [release, *people]
    coded = one_coding(tables, names)
    shown, *truths = (
        _visible(table, names[-1], codes[-1]) for table, codes in zip(tables, coded, strict=True)
    )
    n_values = 1 + max(int(codes[-1].max(initial=0)) for codes in coded)
    overall = np.bincount(shown[shown >= 0], minlength=n_values)
    usual = int(overall.argmax()) if overall.any() else None
    inferred, plain = [], []
    for codes, truth in zip(coded[1:], truths, strict=True):
        votes = nearest_votes(coded[0][:-1], shown, codes[:-1], n_values=n_values)
        # Votes decide; among equal ones the value more frequent in the whole release.
        guesses = (votes + overall / (overall.sum() + 1)).argmax(axis=1)
        right = guesses == truth if usual is not None else np.zeros(len(truth), bool)
        inferred.append(Rate(n_hits=int(right.sum()), n_trials=len(truth)))
        plain.append(Rate(n_hits=int((truth == usual).sum()), n_trials=len(truth)))
    return inferred, plain


def _visible(table: Table, name: str, codes: NDArray[np.unsignedinteger]) -> NDArray[np.int64]:
    """Return the codes of a column, -1 where the cell is missing or suppressed."""
    missing = table.column(name).missing_code
    visible = codes.astype(np.int64)
    if missing is not None:
        visible[table.codes(name) == missing] = -1
    return visible
