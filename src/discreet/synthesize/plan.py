"""How far off synthetic rows will be, and which values are likely lost: nothing is spent."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from discreet.data.domains import (
    column_domains,
    one_row_of_each,
    published_columns,
    refuse_cut_by_rows,
)
from discreet.data.table import as_table
from discreet.noise import noise_from
from discreet.synthesize.budget import FROM_DATA, PRIVATE, check_trust, exact_delta, exact_epsilon
from discreet.synthesize.expected import expected_errors, expected_pair_errors
from discreet.synthesize.marginals import count_values
from discreet.synthesize.private_values import (
    budget_with_selection,
    check_lists_given,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from fractions import Fraction

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
) -> ExpectedErrors | ExpectedPairErrors:
    """Return how far off supports and columns of synthetic rows will be; nothing is spent.

    Parameters
    ----------
    table : Table or frame
        Only its number of rows and, without public lists, its values are looked at: a plan is not
        for publication. If it says whose each row is, a plan is of one row of each person.
    epsilon, delta, trust, columns, domains
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
    given, _ = one_row_of_each(whole, noise_from(0).permutation)
    if domains == PRIVATE:
        return _with_selection(given, names, epsilon=exact_epsilon(epsilon), delta=slack)
    public = None if domains == FROM_DATA else domains
    lists = column_domains(given, columns=names, domains=public)
    count_values(lists)
    sizes = {name: len(values) for name, values in lists.items()}
    if trust == "local":
        return expected_errors(sizes, epsilon=epsilon, n_rows=given.n_rows, split="pairs")
    return expected_pair_errors(sizes, epsilon=epsilon, delta=delta, n_rows=given.n_rows)


def _with_selection(
    table: Table, names: Sequence[str], *, epsilon: Fraction, delta: Fraction
) -> ExpectedPairErrors:
    """Return the errors where values are selected first, and which are likely lost."""
    budget, threshold = budget_with_selection(
        names, epsilon=epsilon, delta=delta, noise=noise_from(None)
    )
    n_values = {name: len(table.values(name)) for name in names}
    n_lost = {
        name: int((np.bincount(table.codes(name)) < threshold.tau).sum()) if table.n_rows else 0
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
    counts = np.bincount(table.codes(column))
    return float(counts[counts < tau].sum() / max(1, table.n_rows))
