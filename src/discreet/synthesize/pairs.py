"""Rows with given pair marginals: drawn from a code tree, swept by layers of weights, balanced.

The tree gives every column one parent. Each layer redraws every cell given all others, and is
trained so that all measured pairs come nearer to their shares; whatever was not measured stays as
random as it can be. Layers are numbers, so rows can be drawn for ever without the data. What
layers and chance miss, balancing closes (see :mod:`discreet.synthesize.rows`).
"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from discreet.synthesize.marginals import count_values, fit_sums
from discreet.synthesize.rows import CodeTree, Layers, RowDrawer, RowModel, Wanted, sweep

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from discreet.data.column import Label
    from discreet.limits import Progress
    from discreet.noise import Noise
    from discreet.synthesize.marginals import Agreed
    from discreet.synthesize.rows import Path


N_LAYERS = 24

N_TRAINED = 30_000  # rows that layers are trained on: they are drawn, not anybody's

N_COUNTED = 8  # last layers that pairs which were not measured are counted after

RATE, SLOWED = 0.1, 0.5  # the first step, and by which part the last is shorter

LEAST_SHARE = 0.003  # t of the formula: rare pairs take no huge steps

SLACK = 0.3  # standard errors by which layers may miss a share

MOST_WEIGHT = 6.0  # of a link: odds of 400 to 1 are as good as never


def fit_pairs(
    agreed: Agreed,
    *,
    domain: Mapping[str, tuple[Label, ...]],
    noise: Noise,
    first: int | None = None,
    n_layers: int = N_LAYERS,
    progress: Progress | None = None,
) -> RowModel:
    r"""Return a model whose rows have the agreed shares of values and measured pairs.

    With :math:`G_{uv}` the share of trained rows that have values u and v before a layer, and
    :math:`T_{uv}` the agreed one, the layer's links are

    .. math:: J_{uv} \leftarrow J_{uv} + \eta \, \frac{S(T_{uv} - G_{uv})}{T_{uv} + t}

    where S shrinks towards 0 by a part of the standard error, and biases likewise for shares of
    single values. The first links are those of the tree, log T_uv / (T_u T_v).

    Parameters
    ----------
    agreed : Agreed
        Shares, columns numbered as in the domain.
    domain : mapping
        Columns and their values.
    noise : Noise
        Where the keys of the trained rows come from.
    first : int, optional
        The column to draw first.
    n_layers : int
        How many layers.
    progress : callable, optional
        Called with the share of layers trained.

    Raises
    ------
    LimitError
        If the columns have more than 1,500 values in all.

    Notes
    -----
    Post-processing: only agreed shares are looked at. Without end and with small steps the rows
    would follow the distribution of largest entropy among those with the given pairs; layers are
    kept, instead of one set of weights, because sweeps with fixed weights take very long to
    forget where they began when columns determine each other. Time: layers x rows x columns x
    values, whatever the number of rows of the data.

    References
    ----------
    T. Tieleman (2008), Training restricted Boltzmann machines using approximations to the
    likelihood gradient, for weights trained on rows that are swept on; M. Dudik, S. Phillips, R.
    Schapire (2004), for the slack.
    """
    count_values(domain)
    order = spanning_tree(agreed, first=first)
    tree = pair_tree(agreed, order, domain=domain)
    at = value_slices(agreed, order)
    target, errors, biases, links = _starting_weights(agreed, order, at)
    # Layers are trained on rows of the model, never on the table: all of this is post-processing.
    drawn = next(RowDrawer.of(tree, noise=noise).batches(N_TRAINED, batch=N_TRAINED))
    layers = Layers(
        biases=np.empty((n_layers, len(biases)), np.float32),
        links=np.empty((n_layers, *links.shape), np.float32),
    )
    drawn, shares = sweep(drawn, tree.domain, layers[:0], key=noise.key(), count=True)
    gain, implied, n_counted = RATE / (target + LEAST_SHARE), np.zeros_like(target), 0
    for number in range(n_layers):
        missed = target - shares
        # S of the formula: what noise alone could miss is no reason for a step.
        missed = np.sign(missed) * np.maximum(np.abs(missed) - SLACK * errors, 0)
        step = (1 - SLOWED * number / n_layers) * gain * missed
        biases = biases + np.diag(step)
        # Links of pairs that were not measured stay 0, which leaves them as random as they can be.
        links = np.clip(links + np.where(errors > 0, step, 0), -MOST_WEIGHT, MOST_WEIGHT)
        # Each layer keeps its own weights: it starts from rows that the layers before it have made.
        layers.biases[number], layers.links[number] = biases, links
        this = layers[number : number + 1]
        drawn, shares = sweep(drawn, tree.domain, this, key=noise.key(), count=True)
        if number >= n_layers - N_COUNTED:
            n_counted += 1
            # A mean over several sweeps: the rows of one alone would put their own chance into it.
            implied += (shares - implied) / n_counted
        if progress is not None:
            progress((number + 1) / n_layers)
    wanted = wanted_shares(
        agreed, at, target=target, errors=errors, implied=implied, n_counted=n_counted * N_TRAINED
    )
    return RowModel(tree=tree, layers=layers, wanted=wanted)


def _starting_weights(
    agreed: Agreed, order: list[tuple[int, int | None]], at: dict[int, slice]
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Return target shares, their standard errors (0 if not measured), biases and links."""
    target = np.diag(np.concatenate([agreed.values[column] for column, _ in order]))
    errors, links = np.zeros_like(target), np.zeros_like(target)
    for (a, b), table in agreed.pairs.items():
        target[at[a], at[b]], target[at[b], at[a]] = table, table.T
        errors[at[a], at[b]] = errors[at[b], at[a]] = agreed.errors[a, b]
    for column, parent in order:
        if parent is not None:
            # An empty cell gets the lowest link there is, not one of minus infinity.
            table = np.maximum(pair_table(agreed, parent, column), 1e-7)
            table = table / table.sum()
            log = np.log(table / np.outer(table.sum(1), table.sum(0)))
            log = np.clip(log, -MOST_WEIGHT, MOST_WEIGHT)
            links[at[parent], at[column]], links[at[column], at[parent]] = log, log.T
    biases = np.log(np.maximum(np.diag(target), 1e-6))
    return target, errors, biases, links


# The code tree of measured pairs: each column depends on one other, the most informative.


def spanning_tree(agreed: Agreed, *, first: int | None = None) -> list[tuple[int, int | None]]:
    """Return every column with the earlier one it hangs on, so that pairs inform most in all.

    Parameters
    ----------
    agreed : Agreed
        Shares of values and of measured pairs.
    first : int, optional
        The column to begin with; by default the one whose pairs inform most.

    Returns
    -------
    list of (int, int or None)
        Column and parent, parents first; None for a column that no measured pair connects.

    References
    ----------
    C. Chow, C. Liu (1968), Approximating discrete probability distributions with dependence
    trees; grown from one column as by R. Prim (1957).
    """
    bits_of = {pair: information(table) for pair, table in agreed.pairs.items()}
    left = set(range(len(agreed.values)))
    total = {j: sum(bits for pair, bits in bits_of.items() if j in pair) for j in left}
    start = max(left, key=lambda j: (total[j], -j)) if first is None else first
    order: list[tuple[int, int | None]] = [(start, None)]
    left.discard(start)
    # Prim's algorithm; equal pairs are decided by the number of the column, so that fits can be
    # repeated.
    while left:
        edges = [
            (bits, -min(pair), -max(pair), pair)
            for pair, bits in bits_of.items()
            if (pair[0] in left) != (pair[1] in left)
        ]
        if edges:
            pair = max(edges)[-1]
            column, parent = pair if pair[0] in left else pair[::-1]
            order.append((column, parent))
        else:
            column = max(left, key=lambda j: (total[j], -j))
            order.append((column, None))
        left.discard(column)
    return order


def information(table: NDArray[np.float64]) -> float:
    """Return the mutual information of a table of shares, in nats."""
    products = np.outer(table.sum(1), table.sum(0))
    seen = table > 0
    return float((table[seen] * np.log(table[seen] / products[seen])).sum())


def pair_table(agreed: Agreed, first: int, second: int) -> NDArray[np.float64]:
    """Return the shares of a measured pair, the values of the first column in rows."""
    if first < second:
        return agreed.pairs[first, second]
    return agreed.pairs[second, first].T


def pair_tree(
    agreed: Agreed,
    order: list[tuple[int, int | None]],
    *,
    domain: Mapping[str, tuple[Label, ...]],
) -> CodeTree:
    """Return the dependent code tree whose paths are values, and pairs of child and parent.

    Parameters
    ----------
    agreed : Agreed
        Shares, columns numbered as in the domain.
    order : list of (int, int or None)
        From :func:`spanning_tree`.
    domain : mapping
        Columns and their values.
    """
    names = list(domain)
    place = {column: number for number, (column, _) in enumerate(order)}
    probabilities: dict[Path, float] = {}
    for column, _ in order:
        for v, share in enumerate(agreed.values[column].tolist()):
            probabilities[((place[column], v),)] = share
    for column, parent in order:
        if parent is not None:
            for (u, v), share in np.ndenumerate(pair_table(agreed, parent, column)):
                probabilities[((place[parent], u), (place[column], v))] = float(share)
    return CodeTree(
        domain={names[column]: domain[names[column]] for column, _ in order},
        probabilities=probabilities,
    )


# The shares that rows are balanced to: those measured, and those that they imply.

ROW_SLACK, IMPLIED_SLACK = 0.6, 0.5  # standard errors by which rows may miss a share


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
        Likewise shares among rows drawn by the layers.
    n_counted : int
        How many rows these were counted in; 0 if in none, and then nothing is implied.
    """
    shares, slack = target.copy(), np.where(errors > 0, ROW_SLACK * errors, np.inf)
    for a, b in combinations(sorted(at), 2):
        if (a, b) not in agreed.pairs and n_counted:
            table = _no_more_dependent(implied[at[a], at[b]], agreed, a, b)
            missed = IMPLIED_SLACK * np.sqrt(table / n_counted)
            shares[at[a], at[b]], shares[at[b], at[a]] = table, table.T
            slack[at[a], at[b]], slack[at[b], at[a]] = missed, missed.T
    # Shares of single values are met exactly: they are known best, and every pair shares them.
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
