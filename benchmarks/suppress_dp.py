"""Table 4.6 of the thesis: what it claims, what its steps really give, and what ours give.

The thesis draws a sample of fixed size, which hides nobody: its size tells whether a unique row
is there. With Bernoulli sampling the published part has a small delta, and the rows that
trained the scheme have none at all, so that the total is r + (1 - r) delta.
"""

from __future__ import annotations

import sys
import warnings
from fractions import Fraction
from functools import partial
from statistics import mean
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from accuracy import forest_accuracies, in_percent
from results_page import header, line
from suppress_methods import suppressed_cells
from suppress_part import Part, in_parallel, load_table

import discreet as dc
from discreet.errors import WeakGuaranteeWarning
from discreet.suppress import sampling_delta, split_guarantee

if TYPE_CHECKING:
    from collections.abc import Iterator

    from suppress_part import Options

    from discreet.release.release import Release

FILE = "lucs/adult.D*.num.xz"
EPSILON, SPLIT_RATE = Fraction(1, 10), Fraction(1, 10)


class Setting(NamedTuple):
    """A row of table 4.6."""

    delta: str
    k: int
    beta: str
    theta: int
    size: int
    hidden_told: float  # percent in rows whose class is shown
    suppressed: float  # percent in all rows
    accuracy: float


TABLE_46: tuple[Setting, ...] = (
    Setting("0.1", 5, "0.093", 6, 3422, 13.44, 43.53, 81.69),
    Setting("0.01", 5, "0.034", 17, 1214, 14.78, 60.95, 76.10),
    Setting("0.001", 5, "0.017", 33, 609, 35.60, 78.01, 75.03),
    Setting("0.033", 10, "0.095", 12, 3405, 20.08, 55.15, 80.42),
    Setting("0.01", 10, "0.068", 17, 2525, 24.73, 61.26, 77.56),
    Setting("0.001", 10, "0.041", 27, 1477, 26.29, 70.29, 76.69),
)


def dp_part(options: Options) -> Part:
    """Make releases with the thesis' settings and train on them."""
    file = options.file(FILE)
    if file is not None:
        table, settings = load_table(file), TABLE_46
    elif options.is_quick:
        table = dc.datasets.census(3000).select(["sex", "education", "region", "income"])
        settings = TABLE_46[:1]
    else:
        return Part(
            title="the thesis' table 4.6", lines=[], rows=[], absent=[f"Table 4.6: no {FILE}"]
        )
    rows = [_run(setting, table, options) for setting in settings]
    return Part(
        title="the thesis' table 4.6, differential privacy",
        lines=list(_page(rows, table, is_adult=file is not None)),
        rows=rows,
    )


def _run(setting: Setting, table: dc.Table, options: Options) -> dict[str, object]:
    """Return the guarantees of a setting and the means over several seeded releases."""
    beta = Fraction(setting.beta)
    exact = sampling_delta(setting.k, beta=beta, epsilon=float(EPSILON))
    total = split_guarantee(
        float(EPSILON), delta=exact, scheme="split", split_rate=SPLIT_RATE
    ).delta
    releases = [_release(setting, table, seed) for seed in range(max(1, options.n_repeats))]
    target = table.columns[-1]
    calls = [
        partial(
            forest_accuracies, table, made.data, target=target, rows=made.input_rows,
            n_repeats=min(1, options.n_repeats), n_trees=options.n_trees, seed=seed,
        )
        for seed, made in enumerate(releases)
        if made.input_rows is not None
    ]  # fmt: skip
    accuracies = [value for values in in_parallel(calls) for value in values]
    suppressed = [suppressed_cells(made.data, table.columns) for made in releases]
    row: dict[str, object] = {
        "setting": setting,
        "delta": exact,
        "total_delta": total,
        "size": mean(len(cells) for cells in suppressed),
        "suppressed": _percent(suppressed),
        "hidden_told": _percent([cells[~cells[:, -1]] for cells in suppressed]),
        "accuracy": in_percent(accuracies, options.n_repeats),
    }
    print(row, file=sys.stderr, flush=True)
    return row


def _release(setting: Setting, table: dc.Table, seed: int) -> Release:
    with warnings.catch_warnings():
        # Both are the point of this table: delta is large, and the training part is open.
        warnings.simplefilter("ignore", WeakGuaranteeWarning)
        return dc.dp_mii_suppress(
            table, epsilon=EPSILON, delta=Fraction(setting.delta), k=setting.k, scheme="split",
            split_rate=SPLIT_RATE, theta=setting.theta, beta=Fraction(setting.beta), seed=seed,
        )  # fmt: skip


def _percent(cells: list[np.ndarray[tuple[int, ...], np.dtype[np.bool_]]]) -> float:
    together = np.concatenate(cells)
    return float(100 * together.mean()) if together.size else 0.0


def _page(rows: list[dict[str, object]], table: dc.Table, *, is_adult: bool) -> Iterator[str]:
    target = table.codes(table.columns[-1])
    commonest = 100 * np.bincount(target).max() / max(len(target), 1)
    yield (
        f"epsilon = 0.1, r = 0.1, {table.n_rows:,} rows, theta_1 as in the thesis. *Claimed* is "
        "the thesis' delta. Its sampling, of a fixed size, really has delta = 1. *Part* is the "
        "exact delta of the published part with Bernoulli sampling, *everybody* that of all rows, "
        "those that train the scheme included. Below: releases of "
        '`dp_mii_suppress(scheme="split")` with the same k, beta, r and theta_1, means over '
        f"seeds. Always saying the commonest class is right for {commonest:.2f} % of rows."
    )
    yield ""
    yield from header(
        ["k", "beta", "theta_1", "claimed delta", "as published", "part", "everybody"]
    )
    for row in rows:
        setting = row["setting"]
        assert isinstance(setting, Setting)
        yield line([
            str(setting.k), setting.beta, str(setting.theta), setting.delta, "1",
            f"{row['delta']:.2g}", f"{row['total_delta']:.4f}",
        ])  # fmt: skip
    yield ""
    yield from header(
        ["k", "beta", "rows", "paper", "suppressed %", "paper", "suppressed %, class shown",
         "paper", "accuracy %", "paper"]
    )  # fmt: skip
    for row in rows:
        setting = row["setting"]
        assert isinstance(setting, Setting)
        paper = [f"{setting.size:,}", f"{setting.suppressed:.2f}", f"{setting.hidden_told:.2f}",
                 f"{setting.accuracy:.2f}"] if is_adult else ["-"] * 4  # fmt: skip
        yield line([
            str(setting.k), setting.beta, f"{row['size']:,.0f}", paper[0],
            f"{row['suppressed']:.2f}", paper[1], f"{row['hidden_told']:.2f}", paper[2],
            str(row["accuracy"]), paper[3],
        ])  # fmt: skip
