"""How far off a stand-in for a table will be, before anything is spent."""

from __future__ import annotations

from typing import TYPE_CHECKING

from discreet.data.table import Table
from discreet.errors import ParameterError
from discreet.synthesize.domains import column_domains
from discreet.synthesize.expected_errors import expected_errors
from discreet.synthesize.expected_pair_errors import expected_pair_errors

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
    """Return standard errors of supports in a stand-in for a table; nothing is spent.

    Parameters
    ----------
    table : Table or frame
        Only its number of rows and, without ``domains``, its lists of values are looked at.
    epsilon, delta, trust, columns, domains
        As in :class:`~discreet.synthesize.KrimpSynthesizer`.

    Raises
    ------
    ParameterError
        If an option is out of its range, or ``domains`` says nothing of a column.

    Examples
    --------
    >>> people = Table.from_frame({"sex": ["f", "m"] * 500, "job": ["nurse", "smith"] * 500})
    >>> plan_synthesis(people, epsilon=1, delta=1e-6).is_noise
    False
    >>> plan_synthesis(people, epsilon=0.01, delta=1e-6).is_noise
    True
    """
    given = table if isinstance(table, Table) else Table.from_frame(table)
    if trust == "local" and delta:
        raise ParameterError("delta must be 0 with trust='local': cells are randomized purely.")
    names = [name for name in given.columns if name not in given.identifying]
    names = names if columns is None else list(columns)
    lists = column_domains(given, columns=names, domains=domains)
    sizes = {name: len(values) for name, values in lists.items()}
    if trust == "local":
        return expected_errors(sizes, epsilon=epsilon, n_rows=given.n_rows, split="pairs")
    return expected_pair_errors(sizes, epsilon=epsilon, delta=delta, n_rows=given.n_rows)
