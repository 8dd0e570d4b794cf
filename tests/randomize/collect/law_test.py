"""Whether randomized sets follow a law: one test for whoever randomized them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from fractions import Fraction
from math import comb

import numpy as np
from scipy.stats import chisquare  # type: ignore[import-untyped]

from discreet.data.item_sets import Label
from discreet.randomize import SizeLaw


def law_p_value(
    sent: Sequence[Collection[Label]],
    original: Collection[Label],
    items: Collection[Label],
    law: SizeLaw,
) -> float:
    """Return the smallest p-value, times their number, of four fits of randomized sets to a law.

    How many items stay; which ones; how many are inserted; and which ones.
    """
    outside = [item for item in items if item not in original]
    kept = [tuple(item for item in original if item in each) for each in sent]
    inserted = [[item for item in outside if item in each] for each in sent]
    n, rho = len(sent), float(law.rho)
    fits = [
        _fit(Counter(map(len, kept)), [float(chance) for chance in law.keep], n),
        _fit(
            Counter(map(len, inserted)),
            [
                comb(len(outside), j) * rho**j * (1 - rho) ** (len(outside) - j)
                for j in range(len(outside) + 1)
            ],
            n,
        ),
        *(
            _uniform([Counter(item for each in part for item in each)[item] for item in choice])
            for part, choice in ((kept, list(original)), (inserted, outside))
        ),
    ]
    return min(fits) * len(fits)


def scaled(law: SizeLaw, factor: float) -> SizeLaw:
    """Return the law with another chance of being inserted."""
    return SizeLaw(law.keep, law.rho * Fraction(str(factor)))


def tilted(law: SizeLaw, share: Fraction) -> SizeLaw:
    """Return the law with a share of the chance to keep nothing given to keeping all."""
    moved = law.keep[0] * share
    return SizeLaw((law.keep[0] - moved, *law.keep[1:-1], law.keep[-1] + moved), law.rho)


def _fit(counts: Counter[int], chances: list[float], n: int) -> float:
    """Return the p-value of counts, outcomes that are seldom expected taken together."""
    observed = np.array([counts[j] for j in range(len(chances))], float)
    expected = n * np.array(chances)
    rare = expected < 5
    groups = [(o, e) for o, e in zip(observed[~rare], expected[~rare], strict=True)]
    if rare.any():
        groups.append((observed[rare].sum(), expected[rare].sum()))
    seen, wanted = np.array(groups).T
    wanted = np.maximum(wanted, 1e-9)
    return float(chisquare(seen, wanted * seen.sum() / wanted.sum()).pvalue)


def _uniform(counts: list[int]) -> float:
    """Return a bound on the p-value of counts that should be equal.

    Items are in a set at most once, which makes counts vary less than if each was drawn alone.
    """
    return float(chisquare(counts).pvalue)
