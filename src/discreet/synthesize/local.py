"""Local trust: every cell is randomized before anything is learnt from it, and nobody is trusted.

Marginals of one and two columns are estimated from the randomized cells, with the variance of
their counts.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from discreet.release.event import Event
from discreet.synthesize.marginals import SHRUNK, Learnt, Marginal, reconcile, true_counts
from discreet.synthesize.response import randomized_response

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from discreet.data.domains import Domains
    from discreet.data.table import Table
    from discreet.synthesize.budget import Split
    from discreet.synthesize.response import Channel, Sanitized


def learn_locally(
    table: Table,
    domain: Domains,
    *,
    epsilon: Fraction,
    split: Split,
    is_public: bool,
    seed: int | None,
) -> Learnt:
    """Return the shares of values and pairs, as far as randomized cells show them.

    Parameters
    ----------
    table : Table
        Of which every cell is randomized.
    domain : mapping
        The columns and their values.
    epsilon, split, seed
        As in :func:`~discreet.synthesize.response.randomized_response`.
    is_public : bool
        Whether the lists of values were given.
    """
    randomized = randomized_response(
        table, epsilon=epsilon, split=split, domains=domain, columns=domain, seed=seed
    )
    sizes = [len(values) for values in domain.values()]
    return Learnt(
        agreed=reconcile(local_marginals(randomized), sizes=sizes),
        events=tuple(
            Event(
                name="randomize_cells",
                parameters={
                    "column": one.column, "epsilon": one.epsilon, "p": one.p, "q": one.q,
                },
            )
            for one in randomized.channels
        ),
        spent=sum((one.epsilon for one in randomized.channels), Fraction(0)),
        cells=replace(randomized, domains_are_public=is_public),
    )  # fmt: skip


def local_marginals(sanitized: Sanitized) -> list[Marginal]:
    r"""Return unbiased counts of all columns, and of the pairs that show more than noise.

    .. math:: \hat N = n \, K_a^{-1} \hat G K_b^{-\top}, \qquad
        K_j^{-1} = (I - q_j J) / (p_j - q_j)

    where :math:`\hat G` are the shares among randomized cells. The mean variance of a count is
    :math:`n (A_a A_b - 1) / (k_a k_b)` with :math:`A_j` of
    :func:`~discreet.synthesize.expected.expected_errors`.

    Parameters
    ----------
    sanitized : Sanitized
        From :func:`~discreet.synthesize.response.randomized_response`.

    Returns
    -------
    list of Marginal
        Columns numbered as the channels. A pair is dropped if its distance from independence
        is not above what noise alone gives, by half as much again.

    Notes
    -----
    Post-processing: it costs nothing.
    """
    channels = sanitized.channels
    codes = [sanitized.codes(channel.column) for channel in channels]
    sizes = [channel.size for channel in channels]
    n = sanitized.n_rows

    def estimate(columns: tuple[int, ...]) -> Marginal:
        counts = true_counts(codes, columns, sizes).astype(float)
        # The inverse of the channel of each column, one axis after the other: no matrix over pairs.
        for axis, j in enumerate(columns):
            counts = np.moveaxis(
                np.tensordot(_inverse(channels[j]), counts, axes=(1, axis)), 0, axis
            )
        squares = float(np.prod([channels[j].total_square for j in columns]))
        variance = max(1e-9, n * (squares - 1) / counts.size)
        return Marginal(columns=columns, counts=counts, variance=variance)

    varied = [j for j, size in enumerate(sizes) if size > 1] or [0]
    single = {j: estimate((j,)) for j in varied}
    pairs = (estimate(pair) for pair in combinations(varied, 2))
    return [*single.values(), *(pair for pair in pairs if _is_above_noise(pair))]


def _inverse(channel: Channel) -> NDArray[np.float64]:
    p, q, size = float(channel.p), float(channel.q), channel.size
    if size == 1:
        return np.ones((1, 1))
    # The channel is (p - q) I + q J with p + (k - 1) q = 1, whose inverse needs no solver.
    found: NDArray[np.float64] = (np.eye(size) - q) / (p - q)
    return found


def _is_above_noise(pair: Marginal) -> bool:
    total = max(1.0, float(pair.counts.sum()))
    products = np.outer(pair.counts.sum(1), pair.counts.sum(0)) / total
    by_noise = pair.counts.size * float(np.sqrt(2 / np.pi * pair.variance))
    return float(np.abs(pair.counts - products).sum()) > (1 + SHRUNK) * by_noise
