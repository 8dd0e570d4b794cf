"""The homogeneity attack: learn a sensitive value without knowing which row is the person's.

If all rows that fit a person have the same sensitive value, it is learnt with certainty; if
most have it, with confidence. Both are compared with guessing the most frequent value.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from discreet import checks
from discreet.assess.attacks.setting import (
    Matcher,
    Rate,
    attacked,
    draw_targets,
    excess,
    fitting,
    stated_hierarchies,
    warn_of_strangers,
)
from discreet.assess.classes import in_words
from discreet.data.table import as_table
from discreet.errors import ParameterError
from discreet.result import Preview, Result

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from numpy.random import Generator
    from numpy.typing import NDArray

    from discreet.assess.attacks.setting import Excess
    from discreet.data.column import Column
    from discreet.data.hierarchy.tree import Hierarchy
    from discreet.data.table import Table


@dataclass(frozen=True, slots=True, kw_only=True)
class Inference:
    """How often a sensitive value is inferred.

    Attributes
    ----------
    certain : Rate
        All rows that fit have one value, and it is the right one.
    confident : Rate
        At least the asked share of the rows that fit has one value, and it is the right one.
    misled : Rate
        As confident, but the value is wrong.
    guessed : Rate
        The most frequent value among the rows that fit is the right one.
    baseline : Rate
        The most frequent value of the whole release is the right one.
    """

    certain: Rate
    confident: Rate
    misled: Rate
    guessed: Rate
    baseline: Rate

    def to_dict(self) -> dict[str, object]:
        """Return all rates as plain values."""
        return {name: getattr(self, name).to_dict() for name in Inference.__slots__}


@dataclass(frozen=True, slots=True, kw_only=True)
class HomogeneityAttack(Result):
    """What an attacker learns about a sensitive column; ``controls`` are not in the release."""

    columns: tuple[str, ...]
    sensitive: str
    n_targets: int
    min_confidence: float
    targets: Inference
    controls: Inference | None = None

    @property
    def excess_confident(self) -> Excess | None:
        """How much oftener values of targets than of controls are inferred, with its interval."""
        if self.controls is None:
            return None
        return excess(self.targets.confident, self.controls.confident)

    @property
    def sentence(self) -> str:
        """The attack in plain sentences."""
        others = ""
        if self.controls is not None:
            others = f" Of people who are not in the release, for {self.controls.certain}."
        return (
            f"An attacker who knows {in_words(self.columns)} of a person is certain of "
            f"'{self.sensitive}' for {self.targets.certain} of {self.n_targets:,} people.{others} "
            f"The best guess is right for {self.targets.guessed}; the most frequent value is for "
            f"{self.targets.baseline}."
        )

    def preview(self) -> Preview:
        """Return the rates of targets and controls."""
        bound = f"at least {self.min_confidence:.0%} sure"
        header = ("people", "certain", bound, "misled", "guessed", "baseline")
        groups = (("in the release", self.targets), ("not in it", self.controls))
        rows = [
            (title, *(str(getattr(found, name)) for name in Inference.__slots__))
            for title, found in groups
            if found is not None
        ]
        return Preview(title=self.sentence, header=header, rows=rows)

    def to_dict(self) -> dict[str, object]:
        """Return all fields as plain values."""
        more = self.excess_confident
        return {
            "columns": list(self.columns),
            "sensitive": self.sensitive,
            "n_targets": self.n_targets,
            "min_confidence": self.min_confidence,
            "targets": self.targets.to_dict(),
            "controls": None if self.controls is None else self.controls.to_dict(),
            "excess_confident": None if more is None else list(more),
        }


def homogeneity_attack(
    release: object,
    original: object,
    *,
    sensitive: str,
    columns: Iterable[str] | None = None,
    n_targets: int = 1000,
    min_confidence: float = 0.9,
    controls: object = None,
    hierarchies: Mapping[str, Hierarchy] | None = None,
    rng: Generator | int | None = None,
) -> HomogeneityAttack:
    """Return how often a sensitive value is learnt from the rows that fit a person.

    Parameters
    ----------
    release, original : Release, Table or frame
        What was published, and what it was made from. The same columns; rows need not align.
    sensitive : str
        The column to be learnt. A suppressed sensitive cell counts for no value.
    columns : iterable of str, optional
        The columns the attacker knows; the quasi-identifiers of the original by default. A
        suppressed cell there fits every value.
    n_targets : int, default 1000
        How many targets to draw from the original, with replacement.
    min_confidence : float, default 0.9
        Share of the rows that fit which must agree; above 0 and at most 1.
    controls : Table or frame, optional
        People of the same population who are not in the release.
    hierarchies : mapping of str to Hierarchy, optional
        Trees of the columns that were generalized; by default those that a Release states.
    rng : Generator, int or None
        Randomness of the targets; an int makes the attack repeatable.

    Returns
    -------
    HomogeneityAttack
        Rates with 95 per cent intervals.

    Raises
    ------
    ParameterError
        If a table lacks a column, an option is out of its range, or the controls are the original.
    DataError
        If the release has no rows.

    Notes
    -----
    Guarantee: none, this is an experiment. Where no row fits, the attacker guesses the most
    frequent value of the release. Time grows with targets times distinct rows of the release.

    References
    ----------
    A. Machanavajjhala, D. Kifer, J. Gehrke, M. Venkitasubramaniam (2007), l-Diversity, section
    1.1, homogeneity attack; N. Li, T. Li, S. Venkatasubramanian (2007), t-Closeness, section
    3.1, skewness attack.

    Examples
    --------
    >>> people = {"age": ["20s", "20s", "30s", "30s"], "ill": ["flu", "flu", "gout", "gout"]}
    >>> found = homogeneity_attack(people, people, sensitive="ill", columns=["age"], rng=1)
    >>> print(found.targets.certain)
    100.0% (99.6% to 100.0%)
    """
    min_confidence = float(checks.exact("min_confidence", min_confidence, above=0, at_most=1))
    n_targets = checks.whole("n_targets", n_targets, at_least=1)
    before = as_table(original)
    if columns is None:
        columns = [name for name in before.quasi if name != sensitive]
    setting = attacked(release, before, controls, columns, also=[sensitive])
    if sensitive in setting.columns:
        raise ParameterError(
            f"Column '{sensitive}' is both known to the attacker and sensitive.",
            parameter="sensitive",
            column=sensitive,
        )
    names, trees = (*setting.columns, sensitive), stated_hierarchies(release, hierarchies)
    warn_of_strangers(setting.release, before, names, trees)
    random = checks.generator("rng", rng)

    def attack(people: Table) -> Inference:
        drawn = draw_targets(people, n_targets, random)
        matcher = Matcher(setting.release, people, names, trees)
        there = setting.release.column(sensitive)
        right = fitting(people.column(sensitive), there, trees.get(sensitive))
        is_right = right[people.codes(sensitive)]
        if people.people is not None:  # of a person any of whose rows has the value
            of_person = np.zeros((people.people.n_people, is_right.shape[1]), np.bool_)
            np.logical_or.at(of_person, people.people.codes, is_right)
            is_right = of_person[people.people.codes]
        return _inference(
            matcher, drawn, names, there=there, is_right=is_right, min_confidence=min_confidence
        )

    return HomogeneityAttack(
        columns=setting.columns,
        sensitive=sensitive,
        n_targets=n_targets,
        min_confidence=min_confidence,
        targets=attack(before),
        controls=None if setting.controls is None else attack(setting.controls),
    )


def _inference(
    matcher: Matcher,
    drawn: NDArray[np.int64],
    names: tuple[str, ...],
    *,
    there: Column,
    is_right: NDArray[np.bool_],
    min_confidence: float,
) -> Inference:
    """Return the rates for the people drawn; ``is_right[person, value]`` says what is true."""
    *known, sensitive = names
    usual, _ = _best_guess(matcher, np.arange(len(matcher.weights)), sensitive, there)
    people, place = np.unique(drawn, return_inverse=True)
    found = np.zeros((len(Inference.__slots__), len(people)), np.bool_)
    for i, person in enumerate(people.tolist()):
        rows = matcher.rows(person, known, "wildcard")
        guess, share = _best_guess(matcher, rows, sensitive, there)
        best = usual if guess is None else guess
        right = best is not None and bool(is_right[person, best])
        sure = share >= min_confidence
        plain = usual is not None and bool(is_right[person, usual])
        found[:, i] = (right and share == 1, right and sure, not right and sure, right, plain)
    hits = found[:, place].sum(axis=1)
    rates = (Rate(n_hits=int(n), n_trials=len(drawn)) for n in hits)
    return Inference(**dict(zip(Inference.__slots__, rates, strict=True)))


def _best_guess(
    matcher: Matcher, rows: NDArray[np.int64], name: str, column: Column
) -> tuple[int | None, float]:
    """Return the most frequent visible value and its share of all rows, suppressed included.

    Of people where these are known: a person has a value if any of their rows has it.
    """
    counts = matcher.holders(rows, matcher.codes[name][rows], len(column.values))
    total = matcher.count(rows)
    if column.missing_code is not None:
        counts[column.missing_code] = 0
    if not counts.any():
        return None, 0.0
    best = int(counts.argmax())
    return best, int(counts[best]) / total
