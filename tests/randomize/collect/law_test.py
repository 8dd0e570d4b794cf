"""Whether randomized sets follow a law: one test for whoever randomized them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from fractions import Fraction
from math import comb
from typing import NamedTuple

from scipy.stats import chisquare  # type: ignore[import-untyped]

from discreet.data.item_sets import Label
from discreet.randomize import SizeLaw


class Fit(NamedTuple):
    """How well counts fit what is expected of them."""

    p_value: float
    what: str
    seen: list[float]
    wanted: list[float]


def worst_fit(
    sent: Sequence[Collection[Label]],
    original: Collection[Label],
    items: Collection[Label],
    law: SizeLaw,
) -> Fit:
    """Return the worst of four fits of randomized sets to a law, its p-value times their number.

    How many items stay; which ones; how many are inserted; and which ones.
    """
    outside = [item for item in items if item not in original]
    kept = [[item for item in original if item in each] for each in sent]
    inserted = [[item for item in outside if item in each] for each in sent]
    rho = float(law.rho)
    binomial = [
        comb(len(outside), j) * rho**j * (1 - rho) ** (len(outside) - j)
        for j in range(len(outside) + 1)
    ]
    fits = [
        _of_sizes("how many stay", kept, [float(chance) for chance in law.keep]),
        _of_sizes("how many are inserted", inserted, binomial),
        _of_items("which ones stay", kept, list(original)),
        _of_items("which ones are inserted", inserted, outside),
    ]
    worst = min(fits)
    return worst._replace(p_value=worst.p_value * len(fits))


def scaled(law: SizeLaw, factor: float) -> SizeLaw:
    """Return the law with another chance of being inserted."""
    return SizeLaw(law.keep, law.rho * Fraction(str(factor)))


def tilted(law: SizeLaw, share: Fraction) -> SizeLaw:
    """Return the law with a share of the chance to keep nothing given to keeping all."""
    moved = law.keep[0] * share
    return SizeLaw((law.keep[0] - moved, *law.keep[1:-1], law.keep[-1] + moved), law.rho)


def _of_sizes(what: str, drawn: list[list[Label]], chances: list[float]) -> Fit:
    """Return the fit of sizes to their chances; a size without a chance is never drawn.

    Neighbours are taken together until at least five are expected of each group.
    """
    sizes = Counter(map(len, drawn))
    seen, wanted = [0.0], [0.0]
    for size, chance in enumerate(chances):
        if chance == 0 and sizes[size]:
            return Fit(0.0, f"{what}: {size} has no chance", [sizes[size]], [0.0])
        if wanted[-1] >= 5:
            seen.append(0.0)
            wanted.append(0.0)
        seen[-1] += sizes[size]
        wanted[-1] += chance * len(drawn)
    if wanted[-1] < 5:
        rest = seen.pop(), wanted.pop()
        seen[-1] += rest[0]
        wanted[-1] += rest[1]
    return Fit(float(chisquare(seen, wanted).pvalue), what, seen, wanted)


def _of_items(what: str, drawn: list[list[Label]], items: list[Label]) -> Fit:
    """Return the fit of how often each item is drawn to equal counts, its p-value a bound.

    Items are in a set at most once, which makes counts vary less than if each was drawn alone.
    """
    counts = Counter(item for each in drawn for item in each)
    seen = [float(counts[item]) for item in items]
    return Fit(float(chisquare(seen).pvalue), what, seen, [sum(seen) / len(seen)] * len(seen))
