"""The three attackers of re-identification: prosecutor, journalist and marketer.

A prosecutor knows that the target is in the table; a journalist does not, and has to tell the
target from all people in the population; a marketer wants as many matches as possible, not a
particular person.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from discreet.assess.classes import as_table, equivalence_classes, in_words, quasi_columns
from discreet.assess.population import expected_inverse, inverse_of_population
from discreet.errors import ParameterError
from discreet.result import Preview, Result

if TYPE_CHECKING:
    from collections.abc import Iterable

WHO = {
    "prosecutor": "who knows that a person is in the table",
    "journalist": "who does not know whether a person is in the table",
    "marketer": "who matches the whole table with a register",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Risk(Result):
    """The risk that rows are re-identified by one kind of attacker.

    Attributes
    ----------
    attacker : str
        ``"prosecutor"``, ``"journalist"`` or ``"marketer"``.
    columns : tuple of str
        The columns the attacker knows.
    n_rows : int
        Rows of the table.
    highest, mean : float
        Largest and mean probability that a row is matched rightly; 0 without rows.
    threshold : float
        What counts as too high.
    n_at_risk : int
        Rows whose probability is above the threshold.
    is_estimated : bool
        Whether class sizes of the population were estimated from the sampling rate.
    """

    attacker: str
    columns: tuple[str, ...]
    n_rows: int
    highest: float
    mean: float
    threshold: float
    n_at_risk: int
    is_estimated: bool = False

    @property
    def at_risk_rate(self) -> float:
        """Share of the rows whose probability is above the threshold."""
        return self.n_at_risk / self.n_rows if self.n_rows else 0.0

    @property
    def sentence(self) -> str:
        """The risk in one plain sentence."""
        known = f"An attacker {WHO[self.attacker]} and knows {in_words(self.columns)}"
        about = "about " if self.is_estimated else ""
        if self.attacker == "marketer":
            return (
                f"{known} gets {about}{self.mean * self.n_rows:,.1f} of {self.n_rows:,} rows "
                f"({self.mean:.1%}) right on average."
            )
        return (
            f"{known} finds the right one with probability at most {about}{self.highest:.1%}, "
            f"{self.mean:.1%} on average; for {self.n_at_risk:,} of {self.n_rows:,} rows "
            f"({self.at_risk_rate:.1%}) it is above {self.threshold:.1%}."
        )

    def preview(self) -> Preview:
        """Return the measures with their values."""
        rows = [
            ("highest", f"{self.highest:.4f}"),
            ("mean", f"{self.mean:.4f}"),
            (f"share of rows above {self.threshold:g}", f"{self.at_risk_rate:.4f}"),
        ]
        return Preview(title=self.sentence, header=(f"{self.attacker} risk", "value"), rows=rows)

    def to_dict(self) -> dict[str, object]:
        """Return all measures as plain values."""
        return {
            "attacker": self.attacker,
            "columns": list(self.columns),
            "n_rows": self.n_rows,
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
    that of all rows and :math:`\tau` the threshold.

    Parameters
    ----------
    table : Table or frame
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
    table : Table or frame
        The sample.
    columns, threshold
        As in :func:`prosecutor_risk`.
    population : Table or frame, optional
        Everybody, those in the table included; either this or ``sampling_rate``.
    sampling_rate : float, optional
        Share of the population in the table; then :math:`1/F_t` is estimated, on average
        and often too low (see :func:`~discreet.assess.population.expected_inverse`).

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
        raise ParameterError("Give exactly one of population (a table) and sampling_rate.")
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
        raise ParameterError("Give at most one of population (a table) and sampling_rate.")
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
    if not 0 <= threshold <= 1:
        raise ParameterError(f"threshold={threshold} must be from 0 to 1.")
    data = as_table(table)
    known = quasi_columns(data, columns)
    classes = equivalence_classes(data, known)
    chances = 1.0 / classes.sizes
    if population is not None:
        chances = inverse_of_population(data, classes, as_table(population), known)
    elif sampling_rate is not None:
        chances = expected_inverse(classes.sizes, sampling_rate=sampling_rate)
    return Risk(
        attacker=attacker,
        columns=known,
        n_rows=data.n_rows,
        highest=float(chances.max()) if len(chances) else 0.0,
        mean=float(chances @ classes.sizes) / data.n_rows if data.n_rows else 0.0,
        threshold=threshold,
        n_at_risk=int(classes.sizes[chances > threshold].sum()),
        is_estimated=sampling_rate is not None,
    )
