"""The three attackers of re-identification: prosecutor, journalist and marketer.

A prosecutor knows that the target is in the table; a journalist does not, and has to find the
target from all people in the population; a marketer wants as many matches as possible, not a
particular person. Where it is known whose each row is, people are counted, and the risk of a
person with several rows is that of the one that identifies best.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from discreet import checks
from discreet.assess.classes import (
    equal_codes,
    equivalence_classes,
    in_words,
    quasi_columns,
)
from discreet.data.table import as_table
from discreet.errors import DataError, ParameterError
from discreet.result import Preview, Result

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from discreet.assess.classes import Classes
    from discreet.data.column import Column
    from discreet.data.table import Table


WHO = {
    "prosecutor": "who knows that a person is in the table",
    "journalist": "who does not know whether a person is in the table",
    "marketer": "who matches the whole table with a register",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Risk(Result):
    """The risk that people are re-identified by one kind of attacker.

    Where nothing says whose each row is, every row is taken for a person.

    Attributes
    ----------
    attacker : str
        ``"prosecutor"``, ``"journalist"`` or ``"marketer"``.
    columns : tuple of str
        The columns the attacker knows.
    n_rows : int
        Rows of the table.
    highest, mean : float
        Largest and mean probability that a person, or row, is matched rightly; 0 without rows.
    threshold : float
        What counts as too high.
    n_at_risk : int
        People, or rows, whose probability is above the threshold.
    is_estimated : bool
        Whether class sizes of the population were estimated from the sampling rate.
    n_people : int, optional
        People of the table, if it is known whose each row is: then people are counted.
    """

    attacker: str
    columns: tuple[str, ...]
    n_rows: int
    highest: float
    mean: float
    threshold: float
    n_at_risk: int
    is_estimated: bool = False
    n_people: int | None = None

    @property
    def n_counted(self) -> int:
        """Number of people, where it is known whose each row is, and else of rows."""
        return self.n_rows if self.n_people is None else self.n_people

    @property
    def counted(self) -> str:
        """What is counted: ``"people"`` or ``"rows"``."""
        return "rows" if self.n_people is None else "people"

    @property
    def at_risk_rate(self) -> float:
        """Share of the people, or rows, whose probability is above the threshold."""
        return self.n_at_risk / self.n_counted if self.n_counted else 0.0

    @property
    def sentence(self) -> str:
        """The risk in one plain sentence."""
        known = f"An attacker {WHO[self.attacker]} and knows {in_words(self.columns)}"
        about = "about " if self.is_estimated else ""
        if self.attacker == "marketer":
            return (
                f"{known} gets {about}{self.mean * self.n_counted:,.1f} of {self.n_counted:,} "
                f"{self.counted} ({self.mean:.1%}) right on average."
            )
        return (
            f"{known} finds the right one with probability at most {about}{self.highest:.1%}, "
            f"{self.mean:.1%} on average; for {self.n_at_risk:,} of {self.n_counted:,} "
            f"{self.counted} ({self.at_risk_rate:.1%}) it is above {self.threshold:.1%}."
        )

    def preview(self) -> Preview:
        """Return the measures with their values."""
        rows = [
            ("highest", f"{self.highest:.4f}"),
            ("mean", f"{self.mean:.4f}"),
            (f"share of {self.counted} above {self.threshold:g}", f"{self.at_risk_rate:.4f}"),
        ]
        return Preview(title=self.sentence, header=(f"{self.attacker} risk", "value"), rows=rows)

    def to_dict(self) -> dict[str, object]:
        """Return all measures as plain values."""
        return {
            "attacker": self.attacker,
            "columns": list(self.columns),
            "n_rows": self.n_rows,
            "n_people": self.n_people,
            "highest": self.highest,
            "mean": self.mean,
            "threshold": self.threshold,
            "n_at_risk": self.n_at_risk,
            "at_risk_rate": self.at_risk_rate,
            "is_estimated": self.is_estimated,
        }


def prosecutor_risk(
    table: object, *, columns: Iterable[str] | None = None, threshold: float = 0.2
) -> Risk:
    r"""Return the risk if the attacker knows that the target is in the table.

    .. math:: \max_t \frac{1}{f_t}, \qquad \frac1n \sum_t \frac{1}{f_t}, \qquad
        \frac1n \bigl| \{ t : 1 / f_t > \tau \} \bigr|

    where :math:`f_t` is the number of rows equal to row :math:`t` in ``columns``, :math:`n`
    that of all rows and :math:`\tau` the threshold. Of a table that knows its people, :math:`f_t`
    is the number of people with such a row, and mean and share are over people, each with the
    largest :math:`1 / f_t` of their rows.

    Parameters
    ----------
    table : Release, Table or frame
        What to measure; a missing cell is a value of its own.
    columns : iterable of str, optional
        The columns the attacker knows; the quasi-identifiers by default.
    threshold : float, default 0.2
        Rows with a larger probability are at risk; from 0 to 1.

    Notes
    -----
    Guarantee: none, this is a measure. The mean is the number of classes over that of rows.

    References
    ----------
    K. El Emam (2013), Guide to the de-identification of personal health information,
    chapter 16: the measures pRa, pRb and pRc.

    Examples
    --------
    >>> people = {"age": ["20s", "20s", "30s", "30s", "40s"]}
    >>> found = prosecutor_risk(people, threshold=0.5)
    >>> found.highest, found.mean, found.at_risk_rate
    (1.0, 0.6, 0.2)
    """
    return _risk("prosecutor", table, columns, threshold)


def journalist_risk(
    table: object,
    *,
    columns: Iterable[str] | None = None,
    population: object = None,
    sampling_rate: float | None = None,
    threshold: float = 0.2,
) -> Risk:
    r"""Return the risk if the attacker has to find the target in the population.

    As :func:`prosecutor_risk`, with :math:`F_t` in place of :math:`f_t`: the number of people
    in the population equal to row :math:`t`.

    Parameters
    ----------
    table : Release, Table or frame
        The sample.
    columns, threshold
        As in :func:`prosecutor_risk`.
    population : Table or frame, optional
        Everybody, those in the table included; either this or ``sampling_rate``. People are
        counted if it knows them; else every row is one, as in a register.
    sampling_rate : float, optional
        Share of the population in the table; then :math:`1/F_t` is estimated, on average
        and often too low (see :func:`~discreet.assess.risk.expected_inverse`).

    References
    ----------
    K. El Emam (2013), chapter 16: jRa, jRb and the second term of jRc.

    Examples
    --------
    >>> everybody = {"age": ["20s", "20s", "30s", "30s", "30s"]}
    >>> journalist_risk({"age": ["20s", "30s"]}, population=everybody).highest
    0.5
    """
    if (population is None) == (sampling_rate is None):
        raise ParameterError(
            "Give exactly one of population (a table) and sampling_rate.", parameter="population"
        )
    return _risk(
        "journalist", table, columns, threshold, population=population, sampling_rate=sampling_rate
    )


def marketer_risk(
    table: object,
    *,
    columns: Iterable[str] | None = None,
    population: object = None,
    sampling_rate: float | None = None,
    threshold: float = 0.2,
) -> Risk:
    r"""Return the share of rows that come out right if all are matched with a register.

    .. math:: \frac1n \sum_t \frac{1}{F_t}

    where :math:`F_t` is the number of people in the register equal to row :math:`t`; without
    ``population`` and ``sampling_rate`` the register holds the people of the table only.

    Parameters
    ----------
    table, columns, population, sampling_rate, threshold
        As in :func:`journalist_risk`.

    References
    ----------
    F. Dankar, K. El Emam (2010), A method for evaluating marketer re-identification risk.

    Examples
    --------
    >>> marketer_risk({"age": ["20s", "20s", "30s", "30s", "40s"]}).mean
    0.6
    """
    if population is not None and sampling_rate is not None:
        raise ParameterError(
            "Give at most one of population (a table) and sampling_rate.", parameter="population"
        )
    return _risk(
        "marketer", table, columns, threshold, population=population, sampling_rate=sampling_rate
    )


def _risk(
    attacker: str,
    table: object,
    columns: Iterable[str] | None,
    threshold: float,
    *,
    population: object = None,
    sampling_rate: float | None = None,
) -> Risk:
    threshold = float(checks.share("threshold", threshold))
    data = as_table(table)
    known = quasi_columns(data, columns)
    classes = equivalence_classes(data, known)
    chances = 1.0 / classes.members
    if population is not None:
        chances = inverse_of_population(data, classes, as_table(population), known)
    elif sampling_rate is not None:
        chances = expected_inverse(classes.members, sampling_rate=sampling_rate)
    of_each, weight = chances, classes.sizes
    if data.people is not None:
        # Whoever knows one row of a person may know the one that identifies best.
        of_each = np.zeros(data.people.n_people)
        np.maximum.at(of_each, data.people.codes, chances[classes.class_of])
        weight = np.ones(data.people.n_people, np.int64)
    n_counted = int(weight.sum())
    return Risk(
        attacker=attacker,
        columns=known,
        n_rows=data.n_rows,
        highest=float(chances.max()) if len(chances) else 0.0,
        mean=float(of_each @ weight) / n_counted if n_counted else 0.0,
        threshold=threshold,
        n_at_risk=int(weight[of_each > threshold].sum()),
        is_estimated=sampling_rate is not None,
        n_people=None if data.people is None else data.people.n_people,
    )


# How many people of the population share a row's values: counted, or estimated.
#
# A row that is alone in a sample need not be alone in the population it was drawn from. With the
# population at hand its classes are counted; without it, they follow from the sampling rate.

SMALL = 30  # class sizes up to which the recurrence is used; above, the series is short


def inverse_of_population(
    table: Table, classes: Classes, population: Table, columns: Sequence[str]
) -> NDArray[np.float64]:
    """Return 1 / F for each class of a table, F being its size in the population.

    Parameters
    ----------
    table : Table
        The sample.
    classes : Classes
        Its classes in ``columns``.
    population : Table
        Everybody, those in the table included, with the same values in ``columns``.
    columns : sequence of str
        Columns of both.

    Raises
    ------
    DataError
        If a class has fewer people in the population than in the table.
    """
    n_everybody = population.n_rows
    codes = [
        np.concatenate(
            [population.codes(name), _codes_there(table.column(name), population.column(name))]
        )
        for name in columns
    ]
    joint = equal_codes(codes, n_everybody + table.n_rows)
    class_there = joint.class_of[:n_everybody]
    sizes = np.bincount(class_there, minlength=len(joint))
    if population.people is not None:
        sizes = population.people.count(class_there, len(joint))
    there = sizes[joint.class_of[n_everybody + classes.first]]
    lacking = there < classes.members
    if lacking.any():
        n_rows = int(classes.sizes[lacking].sum())
        counted = "rows" if table.people is None else "people"
        raise DataError(
            f"{n_rows:,} rows are in classes that have fewer {counted} in the population than in "
            "the table: the population must hold everybody in the table, with values in the same "
            "form (generalize both alike)."
        )
    return 1.0 / there


def expected_inverse(sizes: NDArray[np.int64], *, sampling_rate: float) -> NDArray[np.float64]:
    r"""Return the expected value of 1 / F for classes of these sizes in a random sample.

    .. math:: E[1/F \mid f] = \sum_{h \ge f} \frac1h \binom{h-1}{f-1} \pi^f (1-\pi)^{h-f}
        = \frac{\pi}{f} \sum_{n \ge 0} \frac{n!}{(f+1) \cdots (f+n)} (1-\pi)^n

    where :math:`f` is the size in the sample, :math:`F` that in the population and
    :math:`\pi` the sampling rate.

    Parameters
    ----------
    sizes : array of int
        Class sizes in the sample, at least 1.
    sampling_rate : float
        Share of the population in the sample, above 0 and at most 1.

    Notes
    -----
    Assumes simple random sampling and the negative binomial law of the reference. For a
    sample unique it is :math:`\pi \ln(1/\pi) / (1-\pi)`, more than the naive :math:`\pi / f`.
    It is an average, no bound, and too low where the population itself has many rare classes:
    for every tenth row of Adult, all 15 columns known, the mean is 0.10 and in truth 0.21. Count
    the population where it can be had.

    References
    ----------
    R. Benedetti, L. Franconi (1998), Statistical and technological solutions for controlled
    data dissemination: the individual risk of mu-Argus and sdcMicro.

    Examples
    --------
    >>> expected_inverse(np.array([1, 2, 10]), sampling_rate=0.1).round(4).tolist()
    [0.2558, 0.0827, 0.011]
    """
    sampling_rate = float(checks.exact("sampling_rate", sampling_rate, above=0, at_most=1))
    distinct, where = np.unique(sizes, return_inverse=True)
    if sampling_rate > 0.5:
        return _series(distinct, sampling_rate)[where]
    inverse = np.empty(len(distinct))
    small = distinct <= SMALL
    inverse[small] = _recurrence(sampling_rate)[distinct[small] - 1]
    inverse[~small] = _series(distinct[~small], sampling_rate)
    return inverse[where]


def _series(sizes: NDArray[np.int64], sampling_rate: float) -> NDArray[np.float64]:
    """Sum the series; 100 terms are enough for sizes above 30 or rates above a half."""
    term = sampling_rate / sizes
    total = term.copy()
    for n in range(1, 101):
        term = term * (n / (sizes + n) * (1 - sampling_rate))
        total += term
    return total


def _recurrence(sampling_rate: float) -> NDArray[np.float64]:
    r"""Return the values for sizes 1 to 30, for rates up to a half.

    The sum is :math:`I_f = \int_0^1 y^{f-1} / (1 + a y) \, dy` with :math:`a = (1 - \pi)/\pi`,
    so that :math:`I_{f+1} = (1/f - I_f) / a`; errors shrink as long as :math:`a \ge 1`.
    """
    ratio = (1 - sampling_rate) / sampling_rate
    found = [math.log1p(ratio) / ratio]
    for size in range(1, SMALL):
        found.append((1 / size - found[-1]) / ratio)
    return np.array(found)


def _codes_there(here: Column, there: Column) -> NDArray[np.int64]:
    """Return a column's codes in terms of another column, new ones for values it lacks."""
    code_of = {(type(value), value): code for code, value in enumerate(there.values)}
    new = [
        code_of.get((type(value), value), len(there.values) + place)
        for place, value in enumerate(here.values)
    ]
    return np.array(new, np.int64)[here.codes]
