"""The shares that rows are balanced to: those measured, and those that they imply."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from discreet.synthesize.balance import Wanted
from discreet.synthesize.reconcile import fit_sums

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from discreet.synthesize.reconcile import Agreed

SLACK, IMPLIED_SLACK = 0.6, 0.5  # standard errors by which rows may miss a share


def value_slices(agreed: Agreed, order: list[tuple[int, int | None]]) -> dict[int, slice]:
    """Return where the values of each column are when all are numbered in drawing order."""
    ends = np.cumsum([len(agreed.values[column]) for column, _ in order]).tolist()
    return {
        column: slice(end - len(agreed.values[column]), end)
        for (column, _), end in zip(order, ends, strict=True)
    }


def wanted_shares(
    agreed: Agreed,
    at: dict[int, slice],
    *,
    target: NDArray[np.float64],
    errors: NDArray[np.float64],
    implied: NDArray[np.float64],
    n_counted: int,
) -> Wanted:
    r"""Return the shares that rows shall have, and by how much they may miss them.

    A pair that was not measured shall have the shares that it has among rows drawn by the layers,
    so that chance has no part in them; but where it was measured to depend less than that, less:

    .. math:: T_{uv} = t_u t_v + \min\Bigl(1, \frac{d}{\sum |G_{uv} - t_u t_v|}\Bigr)
        (G_{uv} - t_u t_v)

    with :math:`t` the agreed shares of values, :math:`G` the shares among rows drawn, and
    :math:`d` the most that the pair is likely to depend.

    Parameters
    ----------
    agreed : Agreed
        Shares of values and measured pairs, and dependences.
    at : dict
        Where the values of each column are in the arrays; see :func:`value_slices`.
    target, errors : array of float64
        Values x values: shares that were measured, and their standard errors, 0 for others.
    implied : array of float64
        Likewise shares among drawn rows.
    n_counted : int
        How many rows these were counted in; 0 if in none, and then nothing is implied.
    """
    shares, slack = target.copy(), np.where(errors > 0, SLACK * errors, np.inf)
    for a, b in combinations(sorted(at), 2):
        if (a, b) not in agreed.pairs and n_counted:
            table = _no_more_dependent(implied[at[a], at[b]], agreed, a, b)
            missed = IMPLIED_SLACK * np.sqrt(table / n_counted)
            shares[at[a], at[b]], shares[at[b], at[a]] = table, table.T
            slack[at[a], at[b]], slack[at[b], at[a]] = missed, missed.T
    np.fill_diagonal(slack, 0)
    return Wanted(shares=np.clip(shares, 0, 1), slack=slack)


def _no_more_dependent(
    shares: NDArray[np.float64], agreed: Agreed, a: int, b: int
) -> NDArray[np.float64]:
    """Return a table of shares with the agreed sums and at most the dependence of the pair."""
    table = fit_sums(shares, agreed.values[a], agreed.values[b])
    products = np.outer(agreed.values[a], agreed.values[b])
    depends, most = np.abs(table - products).sum(), agreed.dependences.get((a, b), np.inf)
    return table if depends <= most else products + most / depends * (table - products)
