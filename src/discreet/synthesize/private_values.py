"""Which values the columns have, found within the budget: counted with noise, kept above a bound.

A list of values that is read from a table discloses that somebody has each value. Here every value
that occurs is counted with noise, and it is listed if its noisy count reaches a threshold that a
single person hardly ever reaches. All others become one value.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal, localcontext
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from discreet import checks
from discreet.data.domains import as_text, labels_of_texts, text_order
from discreet.errors import ParameterError
from discreet.release.event import Event
from discreet.synthesize.budget import FROM_DATA, PRIVATE, Spending
from discreet.synthesize.marginals import MAX_VALUES, Marginal, check_noise

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Literal, TypeAlias

    from numpy.typing import NDArray

    from discreet.data.column import Label
    from discreet.data.domains import DomainsLike
    from discreet.data.table import Table
    from discreet.noise import Noise
    from discreet.release.event import Option
    from discreet.synthesize.budget import Trust

    ValuesLike: TypeAlias = DomainsLike | Literal["private", "from-data"]


# Of rho, by trials on public tables: with more, fewer values are lost, and pairs have more noise.
SHARE = Fraction(35, 100)

DELTA_SHARE = Fraction(1, 4)  # of delta, for the chance that a value of one person is listed

OTHER = "other"

CLEAR = 2.0  # standard deviations above 0, from which on `other` is a value worth having


def check_lists_given(domains: object, trust: Trust, delta: Fraction) -> None:
    """Raise ParameterError where values cannot be selected privately and no list is given.

    Examples
    --------
    >>> check_lists_given(PRIVATE, "central", Fraction(1, 10**6))
    >>> check_lists_given({"sex": ["f", "m"]}, "local", Fraction(0))
    """
    if isinstance(domains, str) and domains not in (PRIVATE, FROM_DATA):
        raise ParameterError(
            f"{{domains}} must be {PRIVATE!r}, {FROM_DATA!r} or lists of values.",
            parameter="domains",
            options={"domains": domains},
        )
    if not isinstance(domains, str) or domains == FROM_DATA:
        return
    remedy = "Give public lists of the values of all columns by {domains}"
    if trust == "local":
        raise ParameterError(
            "{trust} needs lists of values: who randomizes a cell has to know which values there "
            "are, and none can be selected.",
            parameter="domains",
            remedy=f"{remedy}.",
            options={"trust": "local", "domains": ...},
        )
    if delta == 0:
        raise ParameterError(
            "{delta} needs lists of values: that a value of one person is not selected holds but "
            "for a chance, which is part of delta.",
            parameter="domains",
            remedy=f"{remedy}, or a delta above 0, far below 1 / rows, such as 1e-9.",
            options={"delta": 0, "domains": ...},
        )


def check_rows_per_person(most: object, trust: Trust) -> int:
    """Return how many rows of a person are taken, or raise ParameterError if it cannot be so many.

    Examples
    --------
    >>> check_rows_per_person(3, "central")
    3
    """
    number = checks.whole("rows_per_person", most, at_least=1)
    if number > 1 and trust == "local":
        raise ParameterError(
            "{rows_per_person} above 1 is for central trust: with local trust every row is "
            "randomized, and each more would cost a person as much again.",
            parameter="rows_per_person",
            remedy="Leave it out, so that one row of each person is taken; or take {trust}.",
            options={"rows_per_person": number, "trust": "central"},
        )
    return number


# What selection costs: a part of rho, and the chance that the threshold is passed by one person.


@dataclass(frozen=True, slots=True, kw_only=True)
class Threshold:
    """Noise and threshold of a selection, all known before anything is counted.

    Attributes
    ----------
    columns : tuple of str
        The columns whose values are selected.
    variance : Fraction
        Variance parameter of the discrete Gaussian noise on every count.
    sensitivity : int
        The sum of the squared changes of all counts by one person.
    tau : int
        The least noisy count of a value that is listed.
    delta : Fraction
        At least the chance that a value which one person alone has is listed.
    """

    columns: tuple[str, ...]
    variance: Fraction
    sensitivity: int
    tau: int
    delta: Fraction

    @classmethod
    def of(cls, columns: Sequence[str], *, spending: Spending, delta: Fraction) -> Threshold:
        """Return noise for a third of a budget, and the least threshold for a delta."""
        # One row has one value in each column, and people are counted, each once for a value.
        sensitivity = len(columns) * spending.rows_per_person
        variance = spending.least_scale(spending.total * SHARE, sensitivity=sensitivity)
        tau = least_threshold(variance, n_values=sensitivity, delta=delta)
        return cls(
            columns=tuple(columns), variance=variance, sensitivity=sensitivity, tau=tau, delta=delta
        )

    @property
    def rho(self) -> Fraction:
        """What the noisy counts cost in zero-concentrated differential privacy."""
        return Fraction(self.sensitivity) / (2 * self.variance)

    @property
    def event(self) -> Event:
        """The step of a certificate."""
        return Event(
            name="select_values",
            parameters={
                "columns": self.columns, "law": "gaussian", "scale": self.variance,
                "sensitivity": self.sensitivity, "tau": self.tau, "delta": self.delta,
            },
        )  # fmt: skip


def budget_with_selection(
    columns: Sequence[str],
    *,
    epsilon: Fraction,
    delta: Fraction,
    noise: Noise,
    rows_per_person: int = 1,
) -> tuple[Spending, Threshold]:
    """Return a budget of which the selection of values is spent already, and its threshold.

    Examples
    --------
    >>> from discreet.noise import noise_from
    >>> budget, least = budget_with_selection(
    ...     ["sex", "job"], epsilon=Fraction(1), delta=Fraction(1, 10**9),
    ...     noise=noise_from(None))
    >>> float(least.variance), least.tau
    (193.9375, 90)
    """
    spending = Spending.of(
        epsilon=epsilon, delta=delta * (1 - DELTA_SHARE), noise=noise,
        rows_per_person=rows_per_person,
    )  # fmt: skip
    threshold = Threshold.of(columns, spending=spending, delta=delta * DELTA_SHARE)
    spending.selection = threshold.rho
    return spending, threshold


def check_sizes(n_columns: int, spending: Spending) -> None:
    """Raise ParameterError if epsilon is too little, before anything is counted.

    The columns have 1,500 values at most, which is what is looked at: none of their own.
    """
    n_values = max(1, MAX_VALUES // n_columns)
    check_noise([2, 2, *[n_values] * (n_columns - 2)][:n_columns], spending)


_DIGITS = 60

_PI = Decimal("3.14159265358979323846264338327950288419716939937510")  # rounded down

_SLACK = Decimal(1) + Decimal(10) ** -40  # far above what rounding to sixty digits adds up to


def least_threshold(variance: Fraction, *, n_values: int, delta: Fraction) -> int:
    r"""Return the least threshold that values which one person alone has pass with chance delta.

    .. math:: m \, P[1 + Z \ge \tau] \le \frac{m \, e^{-t^2 / 2 s^2}}
        {(1 - e^{-t / s^2}) \sqrt{2 \pi s^2}} \le \delta, \qquad t = \tau - 1

    Parameters
    ----------
    variance : Fraction
        Of the discrete Gaussian noise Z.
    n_values : int
        How many values one person has.
    delta : Fraction
        Above 0.

    Examples
    --------
    >>> least_threshold(Fraction(100), n_values=1, delta=Fraction(1, 10**6))
    50
    """

    def is_enough(tau: int) -> bool:
        return n_values * tail_bound(tau - 1, variance) <= delta

    high = 2
    while not is_enough(high):
        high *= 2
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if is_enough(middle) else (middle, high)
    return high


def tail_bound(least: int, variance: Fraction) -> Fraction:
    r"""Return a bound on the chance that discrete Gaussian noise is ``least`` or more.

    The weights :math:`e^{-x^2 / 2 s^2}` fall from one x to the next by :math:`e^{-t / s^2}` or
    more above t, so that their sum is at most a geometric one, and the weights of all whole
    numbers add up to :math:`\sqrt{2 \pi s^2}` at least.

    Parameters
    ----------
    least : int
        At least 1.
    variance : Fraction
        The parameter :math:`s^2`.

    References
    ----------
    C. Canonne, G. Kamath, T. Steinke (2020), The discrete Gaussian for differential privacy,
    fact 18, for the sum of all weights by Poisson summation.

    Examples
    --------
    >>> float(tail_bound(5, Fraction(1))) < 2e-6
    True
    """
    with localcontext() as context:
        context.prec = _DIGITS
        s2 = Decimal(variance.numerator) / Decimal(variance.denominator)
        t = Decimal(least)
        weights = (-t * t / (2 * s2)).exp() / (1 - (-t / s2).exp())
        context.rounding = ROUND_FLOOR
        total = (2 * _PI * s2).sqrt()
        context.rounding = ROUND_CEILING
        return Fraction(min(Decimal(1), weights / total * _SLACK))


# The values themselves, as texts, so that what one row holds changes none of the others.


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Selected:
    """The values of one column that are listed, and where its cells are in the list.

    Attributes
    ----------
    values : tuple of (str or None)
        As texts, in a fixed order; None, for a missing cell, last.
    counts : array of int64
        Their noisy counts.
    codes : array of int64
        The place of each cell in the list; that after the last for all other values.
    """

    values: tuple[str | None, ...]
    counts: NDArray[np.int64]
    codes: NDArray[np.int64]


def select_values(table: Table, threshold: Threshold, *, noise: Noise) -> list[Selected]:
    """Return for each column the values whose noisy counts reach the threshold.

    Parameters
    ----------
    table : Table
        One row per person; or several, of which the table knows whose they are.
    threshold : Threshold
        The noise, and the least noisy count.
    noise : Noise
        Where the noise comes from.

    Notes
    -----
    **Guarantee.** With values that both of two neighbouring tables have, the Gaussian mechanism;
    with the others, the chance that one of them is listed; see ``docs/guarantees/synthesis.md``.

    Of over 1,500 values of all columns those with the largest noisy counts are kept.
    """
    noisy = [
        _noisy_counts(table, name, variance=threshold.variance, noise=noise)
        for name in threshold.columns
    ]
    # Layers are for so many values; `other` takes a place in each column.
    room = MAX_VALUES - len(noisy)
    falling = sorted((count for counts in noisy for count in counts.values()), reverse=True)
    least = max(threshold.tau, falling[room] + 1 if len(falling) > room else threshold.tau)
    return [
        _listed(table, name, {value: n for value, n in counts.items() if n >= least})
        for name, counts in zip(threshold.columns, noisy, strict=True)
    ]


_NONE = np.empty(0, np.int64)


def _noisy_counts(
    table: Table, column: str, *, variance: Fraction, noise: Noise
) -> dict[str | None, int]:
    """Return the noisy number of people with every value that occurs in a column, as texts."""
    texts = [as_text(value) for value in table.values(column)]
    known = sorted(set(texts), key=text_order)
    place = {text: number for number, text in enumerate(known)}
    of_code = np.array([place[text] for text in texts], np.int64)
    codes = of_code[table.codes(column)] if table.n_rows else _NONE
    counts = np.bincount(codes, minlength=len(known))
    if table.people is not None:
        counts = table.people.count(codes, len(known))
    present = np.flatnonzero(counts)  # a value that no row has is none
    noisy = counts[present] + noise.discrete_gaussian(variance, len(present))
    return {known[value]: int(n) for value, n in zip(present, noisy, strict=True)}


def _listed(table: Table, column: str, counts: dict[str | None, int]) -> Selected:
    values = tuple(sorted(counts, key=text_order))
    place = {text: number for number, text in enumerate(values)}
    of_code = [place.get(as_text(value), len(values)) for value in table.values(column)]
    codes = np.array(of_code, np.int64)[table.codes(column)] if table.n_rows else _NONE
    return Selected(
        values=values,
        counts=np.array([counts[value] for value in values], np.int64),
        codes=codes,
    )


def labels_of(texts: Sequence[str | None], *, has_other: bool) -> tuple[Label, ...]:
    """Return texts as the values that are published: numbers, truths or texts, by a fixed rule.

    ``other``, if there is one, stands before a missing value. Where a listed value reads the same,
    it is ``other values``, and so on.

    Examples
    --------
    >>> labels_of(["1", "2", None], has_other=False), labels_of(["1", "2"], has_other=True)
    ((1, 2, None), ('1', '2', 'other'))
    >>> labels_of(["other"], has_other=True)
    ('other', 'other values')
    """
    if not has_other:
        return labels_of_texts(texts)
    present = [text for text in texts if text is not None]
    missing = (None,) if len(present) < len(texts) else ()
    name = OTHER
    while name in present:
        name += " values" if name == OTHER else "'"
    return (*present, name, *missing)


# The value `other`: kept where its own noisy count says that there are such rows.


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Lists:
    """Columns as they are measured: values, codes and marginals so far.

    Attributes
    ----------
    values : tuple of tuple
        The values of each column as they are published.
    codes : list of array of int64
        Their places; -1 for a cell of no listed value, which is counted nowhere.
    others : tuple of (str or None)
        What all other values of a column are called; None if they were left out.
    marginals : list of Marginal
        Of single columns.
    """

    values: tuple[tuple[Label, ...], ...]
    codes: list[NDArray[np.int64]]
    others: tuple[str | None, ...]
    marginals: list[Marginal]


def with_others(
    selected: Sequence[Selected],
    measured: Sequence[Marginal],
    *,
    variance: Fraction,
    are_rows: bool = True,
) -> Lists:
    """Return the lists of values, with `other` where noisy counts say that some rows have it.

    Parameters
    ----------
    selected : sequence of Selected
        Of each column; a cell of another value has the code after the last.
    measured : sequence of Marginal
        Counts of the columns, `other` last.
    variance : Fraction
        Of the noise on the counts that values were selected by.
    are_rows : bool
        Whether these counts are of rows, and not of people who may have several.

    Notes
    -----
    Post-processing: only noisy counts are looked at. Where `other` is left out, the few rows that
    have it, if any, are counted in no table of that column: one row still changes one count.
    """
    counted = {marginal.columns[0]: marginal for marginal in measured}
    values: list[tuple[Label, ...]] = []
    codes: list[NDArray[np.int64]] = []
    others: list[str | None] = []
    marginals: list[Marginal] = []
    for j, one in enumerate(selected):
        found, n = counted.get(j), len(one.values)
        if found is None:
            has_other = n == 0
        else:
            has_other = n == 0 or bool(found.counts[n] > CLEAR * np.sqrt(found.variance))
        labels = labels_of(one.values, has_other=has_other)
        place = np.arange(n + 1)
        if not has_other:
            place[n] = -1
        elif n and one.values[-1] is None:
            place[n - 1], place[n] = n, n - 1  # None is last among the values
        values.append(labels)
        codes.append(place[one.codes])
        others.append(str(labels[place[n]]) if has_other else None)
        if found is not None:
            kept = np.argsort(place)[-len(labels) :]
            counts, mean_variance = found.counts, found.variance
            if n and has_other and are_rows:
                # What values were selected by shows how often they are, too; not `other`.
                first, second = 1 / float(variance), 1 / found.variance
                both = (one.counts * first + counts[:n] * second) / (first + second)
                counts = np.append(both, counts[n])
                mean_variance = (n / (first + second) + found.variance) / (n + 1)
            marginals.append(Marginal(columns=(j,), counts=counts[kept], variance=mean_variance))
        if n and not has_other and are_rows:
            marginals.append(
                Marginal(columns=(j,), counts=one.counts.astype(float), variance=float(variance))
            )
    return Lists(values=tuple(values), codes=codes, others=tuple(others), marginals=marginals)


# How a certificate states the values of a column.


def list_event(column: str, values: tuple[Label, ...], *, is_public: bool) -> Event:
    """Return which values a column can have; only how many if that is not public.

    Examples
    --------
    >>> stated = list_event("sex", ("f", "m", None), is_public=True).parameters
    >>> stated["n_values"], stated["values"], stated["can_be_missing"]
    (3, ('f', 'm'), True)
    >>> "values" in list_event("sex", ("f", "m", None), is_public=False).parameters
    False
    """
    stated: dict[str, Option] = {"column": column, "n_values": len(values), "is_public": is_public}
    if is_public:
        stated["values"] = tuple(str(value) for value in values if value is not None)
        stated["can_be_missing"] = None in values
    return Event(name="list_values", parameters=stated)


def selected_event(column: str, values: tuple[Label, ...], *, other: str | None) -> Event:
    """Return which values a column can have that were selected with noise.

    Examples
    --------
    >>> stated = selected_event("sex", ("f", "m", "other"), other="other").parameters
    >>> stated["values"], stated["n_selected"], stated["other"]
    (('f', 'm', 'other'), 2, 'other')
    """
    return Event(
        name="list_values",
        parameters={
            "column": column, "n_values": len(values), "is_public": False,
            "values": tuple(str(value) for value in values if value is not None),
            "can_be_missing": None in values, "n_selected": len(values) - (other is not None),
            "other": other,
        },
    )  # fmt: skip
