"""The linkage attack: find a person's row by a few values known from elsewhere."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from discreet import checks
from discreet.assess.attacks.setting import (
    READINGS,
    Matcher,
    Rate,
    attacked,
    draw_targets,
    excess,
    stated_hierarchies,
    warn_of_strangers,
)
from discreet.result import Preview, Result

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from numpy.random import Generator
    from numpy.typing import NDArray

    from discreet.assess.attacks.setting import Excess, Reading
    from discreet.data.hierarchy.tree import Hierarchy


@dataclass(frozen=True, slots=True, kw_only=True)
class Linkage:
    """How often few rows fit, with suppressed cells read in one way.

    Attributes
    ----------
    reading : str
        ``"wildcard"``: a suppressed cell fits everything; ``"exact"``: it fits nothing.
    unique, below_k, unmatched : Rate
        Targets that exactly one row fits, 1 to k - 1 rows, no row.
    control_unique, control_below_k : Rate or None
        The same for people who are not in the release.
    """

    reading: Reading
    unique: Rate
    below_k: Rate
    unmatched: Rate
    control_unique: Rate | None = None
    control_below_k: Rate | None = None

    @property
    def excess_unique(self) -> Excess | None:
        """How much oftener targets than controls have one row, with its interval."""
        return None if self.control_unique is None else excess(self.unique, self.control_unique)

    def to_dict(self) -> dict[str, object]:
        """Return all rates as plain values."""
        control, below = self.control_unique, self.control_below_k
        return {
            "reading": self.reading,
            "unique": self.unique.to_dict(),
            "below_k": self.below_k.to_dict(),
            "unmatched": self.unmatched.to_dict(),
            "control_unique": None if control is None else control.to_dict(),
            "control_below_k": None if below is None else below.to_dict(),
            "excess_unique": None if self.excess_unique is None else list(self.excess_unique),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkageAttack(Result):
    """What an attacker finds who knows some random columns of random people.

    Rows that fit are counted; the people they are of, where that is known (``of_people``).
    """

    columns: tuple[str, ...]
    n_known: int
    n_targets: int
    k: int
    wildcard: Linkage
    exact: Linkage
    of_people: bool = False

    @property
    def sentence(self) -> str:
        """The attack in plain sentences."""
        known = "1 random column" if self.n_known == 1 else f"{self.n_known} random columns"
        control = self.wildcard.control_unique
        others = (
            ""
            if control is None
            else f" Of people who are not in the release, exactly one {self.match} matches "
            f"{control}."
        )
        what = "rows of exactly one person" if self.of_people else "exactly one matching row"
        return (
            f"Knowing {known} of a person, an attacker finds {what} for "
            f"{self.wildcard.unique} of {self.n_targets:,} people if suppressed cells match any "
            f"value, and for {self.exact.unique} if only visible values count.{others}"
        )

    @property
    def match(self) -> str:
        """What is counted: ``"person"`` or ``"row"``."""
        return "person" if self.of_people else "row"

    def preview(self) -> Preview:
        """Return the rates under both readings."""
        rows = [
            (each.reading, str(each.unique), str(each.below_k), str(each.unmatched))
            for each in (self.wildcard, self.exact)
        ]
        header = (
            "suppressed cells",
            f"one {self.match} fits",
            f"fewer than {self.k} fit",
            "none fits",
        )
        return Preview(title=self.sentence, header=header, rows=rows)

    def to_dict(self) -> dict[str, object]:
        """Return all fields as plain values."""
        return {
            "columns": list(self.columns),
            "n_known": self.n_known,
            "n_targets": self.n_targets,
            "k": self.k,
            "of_people": self.of_people,
            "wildcard": self.wildcard.to_dict(),
            "exact": self.exact.to_dict(),
        }


def linkage_attack(
    release: object,
    original: object,
    *,
    n_known: int,
    n_targets: int = 1000,
    k: int = 5,
    columns: Iterable[str] | None = None,
    controls: object = None,
    hierarchies: Mapping[str, Hierarchy] | None = None,
    rng: Generator | int | None = None,
) -> LinkageAttack:
    """Return how often an attacker who knows a few values is left with a single row.

    For each target, a random row of the original, ``n_known`` random columns are known; where the
    original knows whose its rows are, targets are people, a random row of each. The rows of the
    release that fit are counted, and if it is known whose they are, these people: visible cells
    must be the value known (or a group that holds it), suppressed cells fit everything (wildcard)
    or nothing (exact).

    Parameters
    ----------
    release, original : Release, Table or frame
        What was published, and what it was made from. The same columns; rows need not align.
    n_known : int
        How many columns the attacker knows, from 1 to all.
    n_targets : int, default 1000
        How many targets to draw, with replacement.
    k : int, default 5
        Fewer rows than this are counted as well; at least 2.
    columns : iterable of str, optional
        The columns that may be known; all but the identifying ones by default.
    controls : Table or frame, optional
        People of the same population who are not in the release. What the attack finds out
        about them is due to regularity of the population, not to the release of their data.
    hierarchies : mapping of str to Hierarchy, optional
        Trees of the columns that were generalized; by default those that a Release states.
    rng : Generator, int or None
        Randomness of targets and columns; an int makes the attack repeatable.

    Returns
    -------
    LinkageAttack
        Rates with 95 per cent intervals, under both readings.

    Raises
    ------
    ParameterError
        If a table lacks a column, an option is out of its range, or the controls are the original.
    DataError
        If the release has no rows.

    Warns
    -----
    DiscreetWarning
        If the release has values that the original never has and no hierarchy explains.

    Notes
    -----
    Guarantee: none, this is an experiment: that this attack fails does not mean that others
    do. A single row that fits need not be the target's own. Time grows with targets times
    distinct rows of the release.

    References
    ----------
    M. Giomi, F. Boenisch, C. Wehmeyer, B. Tasnadi (2023), A unified framework for quantifying
    privacy risk in synthetic data: control group and intervals.

    Examples
    --------
    >>> people = {"sex": ["f", "f", "m", "m"], "job": ["a", "b", "a", "b"]}
    >>> found = linkage_attack(people, people, n_known=2, n_targets=100, rng=1)
    >>> print(found.wildcard.unique)
    100.0% (96.3% to 100.0%)
    """
    setting = attacked(release, original, controls, columns)
    names = setting.columns
    n_known = checks.whole("n_known", n_known, at_least=1, at_most=len(names))
    n_targets = checks.whole("n_targets", n_targets, at_least=1)
    k = checks.whole("k", k, at_least=2)
    trees = stated_hierarchies(release, hierarchies)
    warn_of_strangers(setting.release, setting.original, names, trees)
    random = checks.generator("rng", rng)
    n_fitting: list[dict[Reading, NDArray[np.int64]]] = []
    for people in (setting.original, setting.controls):
        if people is None:
            continue
        matcher = Matcher(setting.release, people, names, trees)
        rows = draw_targets(people, n_targets, random)
        order = random.random((n_targets, len(names))).argsort(axis=1)[:, :n_known]
        counts = {reading: np.empty(n_targets, np.int64) for reading in READINGS}
        for place, (row, known) in enumerate(zip(rows.tolist(), order.tolist(), strict=True)):
            for reading in READINGS:
                fits = matcher.rows(row, (names[j] for j in known), reading)
                counts[reading][place] = matcher.count(fits)
        n_fitting.append(counts)
    wildcard, exact = (
        _linkage(reading, [counts[reading] for counts in n_fitting], k) for reading in READINGS
    )
    return LinkageAttack(
        columns=names,
        n_known=n_known,
        n_targets=n_targets,
        k=k,
        wildcard=wildcard,
        exact=exact,
        of_people=setting.release.people is not None,
    )


def _linkage(reading: Reading, counts: list[NDArray[np.int64]], k: int) -> Linkage:
    def rate(hits: NDArray[np.bool_]) -> Rate:
        return Rate(n_hits=int(hits.sum()), n_trials=len(hits))

    targets, *control = counts
    return Linkage(
        reading=reading,
        unique=rate(targets == 1),
        below_k=rate((targets > 0) & (targets < k)),
        unmatched=rate(targets == 0),
        control_unique=rate(control[0] == 1) if control else None,
        control_below_k=rate((control[0] > 0) & (control[0] < k)) if control else None,
    )
