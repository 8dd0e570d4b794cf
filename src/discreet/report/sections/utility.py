"""What can still be learnt from the release: distances of cross tables, patterns, predictions.

On public pages figures are means over many cross tables, in whole per cent: the exact ones
describe the original too closely, and the worst ones name what was rare.
"""

from __future__ import annotations

import importlib.util
from typing import TYPE_CHECKING

from discreet.errors import LimitError
from discreet.report.blocks import Grid, Note, Section
from discreet.report.text import label, percent
from discreet.utility.itemset_fidelity import itemset_fidelity
from discreet.utility.learning import learning_utility
from discreet.utility.marginal_fidelity import marginal_fidelity

if TYPE_CHECKING:
    from discreet.data.table import Table
    from discreet.report.blocks import Block
    from discreet.report.subject import Subject
    from discreet.utility.itemset_fidelity import ItemsetFidelity

SEED = 1
MAX_SETS = 60
MAX_ITEMSETS = 200_000
MIN_FREQUENCY = 0.05
_SIZES = {1: "single columns", 2: "pairs of columns", 3: "triples of columns"}


def utility_section(subject: Subject) -> Section | None:
    """Return what was lost for analysis, or None if there is nothing to compare with."""
    before = subject.before
    if before is None or not before.n_rows or not subject.data.n_rows:
        return None
    blocks: list[Block] = [_distances(subject, before), _patterns(subject, before)]
    learnt = _learning(subject, before) if subject.internal else None
    blocks += [learnt] if learnt else []
    return Section(
        name="use",
        title="What the release is still good for",
        lead="The same questions were asked of the original and of the release. The closer the "
        "answers, the more can be done with the release.",
        blocks=blocks,
    )


def _distances(subject: Subject, before: Table) -> Grid:
    digits = 2 if subject.internal else 0
    found = marginal_fidelity(before, subject.data, max_sets=MAX_SETS, rng=SEED)
    header = ["counts of", "rows to be moved, on average", "without suppressed cells"]
    header += ["worst", "worst columns"] if subject.internal else []
    rows = []
    for size, n_possible in found.n_possible.items():
        n_compared = len(found.of_size(size))
        sample = f" ({n_compared} of {n_possible:,} drawn)" if n_compared < n_possible else ""
        cells = [
            _SIZES[size] + sample,
            percent(found.mean(size), digits),
            percent(found.mean(size, "total_variation_visible"), digits),
        ]
        if subject.internal:
            worst = found.worst(size)
            cells += [
                percent(worst.total_variation, digits),
                " and ".join(label(name) for name in worst.columns),
            ]
        rows.append(cells)
    return Grid(
        caption="How far counts in the release are from those in the original",
        header=header,
        rows=rows,
        numeric=frozenset((1, 2, 3)),
        note="Share of the rows that would have to be moved to another value to make both tables "
        "agree (total variation): 0% means equal. The second figure leaves rows with suppressed "
        "cells out, so it shows whether what is visible gives a wrong picture.",
    )


def _patterns(subject: Subject, before: Table) -> Grid | Note:
    share = MIN_FREQUENCY
    if not subject.internal:  # nothing that few people have in common, with a wide margin
        share = max(share, min(1.0, 10 * subject.least / before.n_rows))
    try:
        found = itemset_fidelity(
            before, subject.data, min_frequency=share, max_size=4, max_itemsets=MAX_ITEMSETS
        )
    except LimitError:
        return Note(text="There are too many frequent combinations to compare them here.")
    return Grid(
        caption=f"Frequent combinations of up to 4 values, those in at least {percent(share)} of "
        "the rows",
        header=("question", "answer"),
        rows=_pattern_rows(found, 2 if subject.internal else 0),
        numeric=frozenset((1,)),
    )


def _pattern_rows(found: ItemsetFidelity, digits: int) -> list[tuple[str, str]]:
    rows = [
        (
            "Share of those in the original that the release shows, too",
            percent(found.recall, digits),
        ),
        ("Share of those in the release that are right", percent(found.precision, digits)),
    ]
    if found.nfd is not None:
        rows.append(("How far their frequencies are off, on average", percent(found.nfd, digits)))
    return rows


def _learning(subject: Subject, before: Table) -> Grid | None:
    """Return how well the first sensitive column is predicted; quick, for a first impression."""
    sensitive = [name for name in before.sensitive if len(before.values(name)) > 1]
    if not sensitive or before.n_columns < 2 or importlib.util.find_spec("sklearn") is None:
        return None
    if subject.rows is None and subject.data.n_rows != before.n_rows:
        return None
    found = learning_utility(
        before,
        subject.data,
        target=sensitive[0],
        rows=subject.rows,
        models=["decision_tree", "naive_bayes"],
        n_repeats=1,
        rng=SEED,
    )
    rows = [
        (each.model.replace("_", " "), percent(each.original.mean), percent(each.release.mean))
        for each in found.models
        if each.original.mean is not None and each.release.mean is not None
    ]
    if not rows or found.majority.mean is None:
        return None
    commonest = percent(found.majority.mean)
    return Grid(
        caption=f"How often {label(sensitive[0])} is predicted rightly",
        header=("trained on", "the original", "the release"),
        rows=[*rows, ("always the commonest value", commonest, commonest)],
        numeric=frozenset((1, 2)),
    )
