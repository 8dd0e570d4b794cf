"""How far off a stand-in for a table will be, before anything is spent."""

from __future__ import annotations

from typing import TYPE_CHECKING

from discreet.data.table import Table
from discreet.synthesize.domains import column_domains, published_columns
from discreet.synthesize.expected_errors import expected_errors
from discreet.synthesize.expected_pair_errors import expected_pair_errors
from discreet.synthesize.fit_pairs import count_values
from discreet.synthesize.parameters import check_trust, exact_delta

if TYPE_CHECKING:
    from collections.abc import Iterable
    from fractions import Fraction

    from discreet.data.listed_values import DomainsLike
    from discreet.synthesize.expected_errors import ExpectedErrors
    from discreet.synthesize.expected_pair_errors import ExpectedPairErrors
    from discreet.synthesize.synthesizer import Trust


def plan_synthesis(
    table: object,
    *,
    epsilon: Fraction | float,
    delta: Fraction | float = 0,
    trust: Trust = "central",
    columns: Iterable[str] | None = None,
    domains: DomainsLike | None = None,
) -> ExpectedErrors | ExpectedPairErrors:
    """Return how far off supports and columns of a stand-in will be; nothing is spent.

    Parameters
    ----------
    table : Table or frame
        Only its number of rows and, without ``domains``, its lists of values are looked at.
    epsilon, delta, trust, columns, domains
        As in :class:`~discreet.synthesize.KrimpSynthesizer`.

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
    >>> people = Table.from_frame({"sex": ["f", "m"] * 500, "job": ["nurse", "smith"] * 500})
    >>> plan_synthesis(people, epsilon=1, delta=1e-6).is_noise
    False
    >>> plan_synthesis(people, epsilon=0.01, delta=1e-6).is_noise
    True
    """
    check_trust(trust, exact_delta(delta))
    given = table if isinstance(table, Table) else Table.from_frame(table)
    names = published_columns(given, columns)
    lists = column_domains(given, columns=names, domains=domains)
    count_values(lists)
    sizes = {name: len(values) for name, values in lists.items()}
    if trust == "local":
        return expected_errors(sizes, epsilon=epsilon, n_rows=given.n_rows, split="pairs")
    return expected_pair_errors(sizes, epsilon=epsilon, delta=delta, n_rows=given.n_rows)
