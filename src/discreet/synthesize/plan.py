"""How far off synthetic rows will be, and which values are likely lost: nothing is spent."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from discreet.data.domains import (
    column_domains,
    published_columns,
    refuse_cut_by_rows,
    rows_of_each,
)
from discreet.data.table import as_table
from discreet.noise import noise_from
from discreet.synthesize.budget import (
    FROM_DATA,
    PRIVATE,
    Spending,
    check_trust,
    exact_delta,
    exact_epsilon,
)
from discreet.synthesize.expected import expected_errors, expected_pair_errors
from discreet.synthesize.marginals import count_values
from discreet.synthesize.private_values import (
    budget_with_selection,
    check_lists_given,
    check_rows_per_person,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from fractions import Fraction

    from numpy.typing import NDArray

    from discreet.data.table import Table
    from discreet.synthesize.budget import Trust
    from discreet.synthesize.expected import ExpectedErrors, ExpectedPairErrors
    from discreet.synthesize.private_values import ValuesLike


def plan_synthesis(
    table: object,
    *,
    epsilon: Fraction | float,
    delta: Fraction | float = 0,
    trust: Trust = "central",
    columns: Iterable[str] | None = None,
    domains: ValuesLike = PRIVATE,
    rows_per_person: int = 1,
) -> ExpectedErrors | ExpectedPairErrors:
    """Return how far off supports and columns of synthetic rows will be; nothing is spent.

    Parameters
    ----------
    table : Table or frame
        Only its number of rows and, without public lists, its values are looked at: a plan is not
        for publication. If it says whose each row is, a plan is of the rows that are taken.
    epsilon, delta, trust, columns, domains, rows_per_person
        As in :class:`~discreet.synthesize.Synthesizer`.

    Raises
    ------
    ParameterError
        If an option is out of its range, a column is not there, or ``domains`` says nothing of
        one.
    DataError
        If a cell has a value that is not listed, or nothing is left to publish.
    LimitError
        If the columns have too many values in all.

    Examples
    --------
    >>> from discreet.data.table import Table
    >>> people = Table.from_frame({"sex": ["f", "m"] * 500, "job": ["nurse", "smith"] * 500})
    >>> plan_synthesis(people, epsilon=1, delta=1e-6).is_noise
    False
    >>> plan_synthesis(people, epsilon=0.01, delta=1e-6).is_noise
    True
    """
    slack = exact_delta(delta)
    check_trust(trust, slack)
    check_lists_given(domains, trust, slack)
    whole = as_table(table)
    names = published_columns(whole, columns)
    if domains != FROM_DATA:
        refuse_cut_by_rows(whole, names)
    # Always the same rows, so that a plan does not change from one look to the next.
    most = check_rows_per_person(rows_per_person, trust)
    given = rows_of_each(whole, most, noise_from(0).permutation)
    if domains == PRIVATE:
        return _with_selection(given, names, most=most, epsilon=exact_epsilon(epsilon), delta=slack)
    public = None if domains == FROM_DATA else domains
    lists = column_domains(given, columns=names, domains=public)
    count_values(lists)
    sizes = {name: len(values) for name, values in lists.items()}
    if trust == "local":
        return expected_errors(sizes, epsilon=epsilon, n_rows=given.n_rows, split="pairs")
    budget = Spending.of(
        epsilon=exact_epsilon(epsilon), delta=slack, noise=noise_from(None), rows_per_person=most
    )
    return expected_pair_errors(
        sizes, epsilon=epsilon, delta=delta, n_rows=given.n_rows, budget=budget
    )


def _with_selection(
    table: Table, names: Sequence[str], *, most: int, epsilon: Fraction, delta: Fraction
) -> ExpectedPairErrors:
    """Return the errors where values are selected first, and which are likely lost."""
    budget, threshold = budget_with_selection(
        names, epsilon=epsilon, delta=delta, noise=noise_from(None), rows_per_person=most
    )
    n_values = {name: len(table.values(name)) for name in names}
    n_lost = {
        name: int((_counts(table, name) < threshold.tau).sum()) if table.n_rows else 0
        for name in names
    }
    sizes = {name: n_values[name] - n_lost[name] + bool(n_lost[name]) for name in names}
    if max(sizes.values()) < 2:
        sizes = n_values  # all is lost, and what is left would be called noise anyhow
    count_values({name: (None,) * size for name, size in sizes.items()})
    found = expected_pair_errors(
        sizes, epsilon=epsilon, delta=delta, n_rows=table.n_rows, budget=budget
    )
    lost = [(name, n_lost[name], n_values[name]) for name in names if n_lost[name]]
    # Rows of values that are not listed are off by all they are.
    off = {name: _share_lost(table, name, threshold.tau) for name in names}
    errors = dict(found.column_errors)
    errors = {name: max(errors.get(name, 0.0), share) for name, share in off.items()}
    return replace(
        found,
        column_errors=tuple(each for each in errors.items() if n_values[each[0]] > 1),
        tau=threshold.tau,
        likely_lost=tuple(sorted(lost, key=lambda each: -each[1] / each[2])),
    )


def _share_lost(table: Table, column: str, tau: int) -> float:
    """Return the share of rows whose value in a column fewer rows than a threshold have."""
    rare = _counts(table, column) < tau
    rows = np.bincount(table.codes(column), minlength=len(rare))
    return float(rows[rare].sum() / max(1, table.n_rows))


def _counts(table: Table, column: str) -> NDArray[np.int64]:
    """Return how many people have each value of a column: rows, unless people may have several."""
    codes, n_values = table.codes(column), len(table.values(column))
    if table.people is not None:
        return table.people.count(codes.astype(np.int64), n_values)
    return np.bincount(codes, minlength=n_values)
