"""Tables 4.4 and 4.5 of the thesis beside what we find: cells suppressed, rows kept, accuracy.

J.S. ten Tusscher (2024), Privacy preservation on categorical datasets through Minimal Infrequent
Itemset suppression. A figure that cannot be read in our copy, or was not measured there, is None.
"""

from __future__ import annotations

import sys
import warnings
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from accuracy import forest_accuracies, in_percent, repeats_for
from results_page import header, line
from suppress_part import Part, in_parallel, load_table

import discreet as dc
from discreet.errors import DiscreetWarning
from discreet.utility import cells_changed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from suppress_part import Options

THETAS = (1, 5, 10, 50)
# Table 4.4: suppressed % in the kept rows, and rows kept, for each theta.
KEPT: dict[str, tuple[tuple[float | None, int | None], ...]] = {
    "adult": ((6.66, 44367), (16.71, 44271), (23.23, 44038), (45.95, 42196)),
    "breast": ((0.29, 680), (2.94, 668), (6.18, 666), (None, 655)),
    "chessKRvK": ((94.21, 28045), (None, None), (None, None), (None, None)),
    "iris": ((8.13, 145), (41.24, 145), (50.79, 139), (100.0, 150)),
    "pageBlocks": ((0.11, 5456), (0.17, 5430), (0.28, 5408), (0.67, 5229)),
}
# Tables 4.2 and 4.5: accuracy on the original, then for each theta of MII-suppress and of K-MII.
ORIGINAL = {
    "adult": 84.51, "breast": 94.46, "chessKRvK": 82.69, "iris": 93.56, "pageBlocks": 92.73,
}  # fmt: skip
MII: dict[str, tuple[float | None, ...]] = {
    "adult": (85.16, 84.74, 84.50, 81.58),
    "breast": (94.67, 93.43, 90.97, 90.68),
    "chessKRvK": (12.10, None, None, None),
    "iris": (96.77, 94.87, 95.10, 95.03),
    "pageBlocks": (92.83, 92.60, 92.53, 91.43),
}
K_MII: dict[str, tuple[float | None, ...]] = {
    "adult": (85.18, 84.80, 84.51, 81.61),
    "breast": (94.93, 93.78, 91.18, 90.30),
    "chessKRvK": (12.03, None, None, None),
    "iris": (95.80, 95.17, 95.13, None),
    "pageBlocks": (92.72, 92.43, 92.27, 90.52),
}


def paper_part(options: Options) -> Part:
    """Run MII-suppress and K-MII on the thesis' data sets, or on a small census if quick."""
    tables, absent = {}, []
    for name in KEPT:
        file = options.file(f"lucs/{name}.D*.num*")
        if file is not None:
            tables[name] = load_table(file)
        elif not options.is_quick:
            absent.append(f"{name}: not below $DISCREET_DATA/lucs")
    if options.is_quick:
        columns = ["sex", "education", "region", "income"]
        tables["census"] = dc.datasets.census(600).select(columns)
    rows = [row for name, table in tables.items() for row in _run(name, table, options)]
    return Part(
        title="the thesis' tables 4.4 and 4.5", lines=list(_page(rows)), rows=rows, absent=absent
    )


def _run(name: str, table: dc.Table, options: Options) -> list[dict[str, object]]:
    """Return one row for the original and one for each theta."""
    target = table.columns[-1]
    train = partial(
        forest_accuracies, table, target=target, n_trees=options.n_trees,
        n_repeats=repeats_for(table.n_rows, options.n_repeats),
    )  # fmt: skip
    calls = [partial(train, table, rows=np.arange(table.n_rows))]
    rows: list[dict[str, object]] = [{"data": name, "n_rows": table.n_rows, "theta": None}]
    # The thesis omits the others: nearly all of chessKRvK is suppressed at theta = 1 already.
    for theta in THETAS[:1] if name == "chessKRvK" or options.is_quick else THETAS:
        suppressed = dc.mii_suppress(table, theta=theta)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DiscreetWarning)  # no row may be left
            kept = dc.k_mii(table, k=theta + 1)
        calls += [partial(train, made.data, rows=made.input_rows) for made in (suppressed, kept)]
        n_cells, n_suppressed = (
            suppressed.events[0].internal[c] for c in ("n_cells", "n_cells_suppressed")
        )
        loss = cells_changed(table, kept.data, rows=kept.input_rows)
        rows.append(
            {
                "data": name, "n_rows": table.n_rows, "theta": theta,
                "suppressed": 100 * n_suppressed / n_cells, "kept": kept.data.n_rows,
                "suppressed_in_kept": 100 * loss.suppressed_rate,
            }
        )  # fmt: skip
    found = [in_percent(values, options.n_repeats) for values in in_parallel(calls)]
    rows[0]["original"] = found[0]
    for place, row in enumerate(rows[1:]):
        row["mii_suppress"], row["k_mii"] = found[1 + 2 * place : 3 + 2 * place]
    print(*rows, sep="\n", file=sys.stderr, flush=True)
    return rows


def _page(rows: list[dict[str, object]]) -> Iterator[str]:
    yield (
        "J.S. ten Tusscher (2024), tables 4.4 and 4.5; LUCS-KDD data, rows of modal length. "
        "Percentages of cells; accuracy in percent of a forest of 100 trees, tested on original "
        "rows, with its standard error (the thesis: mean of 100 runs, deviation of a run 2 to 5)."
    )
    yield ""
    names = ["data", "theta", "suppressed %", "rows kept", "paper", "suppressed in kept %", "paper",
             "MII-suppress accuracy", "paper", "K-MII accuracy", "paper"]  # fmt: skip
    yield from header(names)
    for row in rows:
        data, theta = str(row["data"]), row["theta"]
        if theta is None:
            original = [str(row["original"]), _shown(ORIGINAL.get(data))]
            yield line([data, "original", "0.00", f"{row['n_rows']:,}", "-", "0.00", "-",
                        *original, *original])  # fmt: skip
            continue
        place = THETAS.index(int(str(theta)))
        in_kept, kept = KEPT[data][place] if data in KEPT else (None, None)
        yield line([
            data, str(theta), f"{row['suppressed']:.2f}", f"{row['kept']:,}",
            "-" if kept is None else f"{kept:,}", f"{row['suppressed_in_kept']:.2f}",
            _shown(in_kept), str(row["mii_suppress"]),
            _shown(MII[data][place] if data in MII else None), str(row["k_mii"]),
            _shown(K_MII[data][place] if data in K_MII else None),
        ])  # fmt: skip


def _shown(figure: float | None) -> str:
    return "-" if figure is None else f"{figure:.2f}"
