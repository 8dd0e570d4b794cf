"""What the paper prints of its synthetic data, for the tables of the synthesis benchmark.

J.E.G. Dorrestijn (2018), Provable Privacy for Database Generation, tables 2 to 8: means of 100
synthetic data with epsilon 0.1 for *each cell*, which no row's budget was computed from.
"""

from __future__ import annotations

from typing import NamedTuple

METHOD, EPSILON = "the paper's", "0.1 a cell"
ABOUT = (
    "means of 100 synthetic tables, as printed; its epsilon is of each cell alone, and some of "
    "its data have other items (see its own *frequent*)"
)


class Printed(NamedTuple):
    """One data set; pairs are of the original and of the synthetic data."""

    frequent: int
    made: float
    both: float
    false_negatives: float
    false_positives: float
    nfd: tuple[float, float, float]  # both, FN, FP
    krimp: tuple[float, float]  # accuracy in per cent
    tree: tuple[float, float]
    bayes: tuple[float, float]
    records: float  # share of records in both
    rare_absent: float  # share of itemsets of support 1 that are not shown
    by_original: tuple[float, float]  # compressed size in per cent
    by_made: tuple[float, float]


PRINTED = {
    "adult": Printed(
        21519, 20577.2, 20231.3, 1288.9, 346.4, (0.093, 0.121, 0.105), (84.3, 83.9), (85.5, 85.2),
        (80.2, 79.9), 0.000369, 0.9981, (24.4, 24.9), (24.7, 24.1),
    ),
    "led7": Printed(
        411, 472.2, 316.3, 95.8, 156.7, (0.193, 0.306, 0.203), (75.3, 72.4), (75.3, 73.2),
        (75.4, 74.1), 0.00368, 0.9935, (38.6, 41.3), (40.9, 38.2),
    ),
    "letRecog": Printed(
        9172, 4465.2, 3898.5, 5253.8, 542.1, (0.250, 0.283, 0.118), (70.9, 62.6), (75.3, 64.1),
        (75.4, 62.2), 0.0, 0.99923, (35.7, 40.3), (38.8, 35.1),
    ),
    "nursery": Printed(
        179, 184.3, 156.0, 23.1, 28.8, (0.049, 0.129, 0.094), (92.3, 91.5), (99.5, 99.3),
        (92.2, 89.7), 0.000309, 0.9973, (47.2, 49.8), (49.4, 46.5),
    ),
    "penDigits": Printed(
        684, 380.0, 270.9, 414.1, 110.6, (0.169, 0.204, 0.130), (95.0, 93.4), (95.6, 92.2),
        (84.2, 81.5), 0.0, 0.9937, (42.3, 45.2), (44.2, 41.3),
    ),
}  # fmt: skip


def support_lines(figures: Printed) -> list[list[str]]:
    """Return tables 2 and 3 as lines of the benchmark's own."""
    counts = (
        figures.frequent,
        figures.made,
        figures.both,
        figures.false_negatives,
        figures.false_positives,
    )
    groups = " / ".join(f"{value:.3f}" for value in figures.nfd)
    cells = ["-", "-", "-", *(f"{count:,.0f}" for count in counts), "-", groups, "-", "-"]
    return [[METHOD, EPSILON, *cells]]


def learning_lines(figures: Printed) -> list[list[str]]:
    """Return the accuracies of table 4, of the original and of the synthetic data."""
    models = (figures.krimp, figures.tree, figures.bayes)
    original, made = ([f"{model[i] / 100:.3f}" for model in models] + ["-", "-"] for i in (0, 1))
    return [[f"original, {METHOD}", "-", *original], [METHOD, EPSILON, *made]]


def attack_lines(figures: Printed) -> list[list[str]]:
    """Return the shares of tables 5 and 6, the latter as shown, not as absent."""
    shown = 1 - figures.rare_absent
    return [[METHOD, EPSILON, f"{figures.records:.2%}", "-", "-", "-", f"{shown:.2%}", *("-",) * 6]]


def compression_lines(figures: Printed) -> list[list[str]]:
    """Return the ratios of tables 7 and 8."""
    (original, made), (original_by_made, made_by_made) = figures.by_original, figures.by_made
    ratios = (original, made, made_by_made, original_by_made)
    return [[METHOD, EPSILON, *(f"{value:.1f}%" for value in ratios)]]
