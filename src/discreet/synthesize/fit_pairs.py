"""Rows with given pair marginals: drawn from a code tree, swept by layers of weights, balanced.

The tree gives every column one parent. Each layer redraws every cell given all others, and is
trained so that all measured pairs come nearer to their shares; whatever was not measured stays as
random as it can be. Layers are numbers, so rows can be drawn for ever without the data. What
layers and chance leave open, balancing closes (see :mod:`discreet.synthesize.balance`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from discreet.errors import LimitError
from discreet.synthesize.layers import Layers, sweep
from discreet.synthesize.pair_tree import pair_table, pair_tree, spanning_tree
from discreet.synthesize.row_drawer import RowDrawer
from discreet.synthesize.row_model import RowModel
from discreet.synthesize.wanted_shares import value_slices, wanted_shares

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from discreet.data.column import Label
    from discreet.noise import Noise
    from discreet.progress import Progress
    from discreet.synthesize.reconcile import Agreed

N_LAYERS = 24
N_TRAINED = 30_000  # rows that layers are trained on: they are drawn, not anybody's
N_COUNTED = 8  # last layers that pairs which were not measured are counted after
MAX_VALUES = 1_500
N_NAMED = 3  # of the columns of most values, where there are too many
RATE, SLOWED = 0.1, 0.5
LEAST_SHARE = 0.003
SLACK = 0.3  # standard errors by which layers may miss a share
MOST_WEIGHT = 6.0


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
    drawn = next(RowDrawer.of(tree, noise=noise).batches(N_TRAINED, batch=N_TRAINED))
    layers = Layers(
        biases=np.empty((n_layers, len(biases)), np.float32),
        links=np.empty((n_layers, *links.shape), np.float32),
    )
    drawn, shares = sweep(drawn, tree.domain, layers[:0], key=noise.key(), count=True)
    gain, implied, n_counted = RATE / (target + LEAST_SHARE), np.zeros_like(target), 0
    for number in range(n_layers):
        missed = target - shares
        missed = np.sign(missed) * np.maximum(np.abs(missed) - SLACK * errors, 0)
        step = (1 - SLOWED * number / n_layers) * gain * missed
        biases = biases + np.diag(step)
        links = np.clip(links + np.where(errors > 0, step, 0), -MOST_WEIGHT, MOST_WEIGHT)
        layers.biases[number], layers.links[number] = biases, links
        this = layers[number : number + 1]
        drawn, shares = sweep(drawn, tree.domain, this, key=noise.key(), count=True)
        if number >= n_layers - N_COUNTED:
            n_counted += 1
            implied += (shares - implied) / n_counted
        if progress is not None:
            progress((number + 1) / n_layers)
    wanted = wanted_shares(
        agreed, at, target=target, errors=errors, implied=implied, n_counted=n_counted * N_TRAINED
    )
    return RowModel(tree=tree, layers=layers, wanted=wanted)


def count_values(domain: Mapping[str, tuple[Label, ...]]) -> int:
    """Return the number of values of all columns, or raise LimitError if layers are too large.

    Examples
    --------
    >>> count_values({"sex": ("f", "m"), "age": (30, 40, 50)})
    5
    """
    n_values = sum(map(len, domain.values()))
    if n_values > MAX_VALUES:
        raise LimitError(
            f"The columns have {n_values:,} values in all, over {MAX_VALUES:,}: {_widest(domain)}. "
            "Leave such columns out by columns= or the role identifying, cut numbers into bins, "
            "or generalize values."
        )
    return n_values


def _widest(domain: Mapping[str, tuple[Label, ...]]) -> str:
    """Return the columns of most values in words."""
    widest = sorted(domain, key=lambda name: -len(domain[name]))[:N_NAMED]
    return ", ".join(f"'{name}' has {len(domain[name]):,}" for name in widest)


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
            table = np.maximum(pair_table(agreed, parent, column), 1e-7)
            table = table / table.sum()
            log = np.log(table / np.outer(table.sum(1), table.sum(0)))
            log = np.clip(log, -MOST_WEIGHT, MOST_WEIGHT)
            links[at[parent], at[column]], links[at[column], at[parent]] = log, log.T
    biases = np.log(np.maximum(np.diag(target), 1e-6))
    return target, errors, biases, links
