"""Frequent itemsets drawn by the exponential mechanism, exactly and without listing them all.

Every itemset over the public values is drawn with a chance that grows with its support. There
are too many to list, so the frequent ones are mined and the rest are drawn uniformly and
accepted by their support.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate
from math import log2, prod
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

import numpy as np

from discreet import checks
from discreet.data.domains import (
    column_domains,
    listed_codes,
    one_row_of_each,
    published_columns,
    refuse_cut_by_rows,
)
from discreet.data.table import Table, as_table
from discreet.errors import LimitError
from discreet.mine.database import Database, Item
from discreet.mine.frequent import count_frequent, frequent
from discreet.noise import noise_from
from discreet.release.exact import exp_below, shown
from discreet.release.guarantee import IF_PUBLIC, ONE_ROW, unit_of
from discreet.result import Preview, Result
from discreet.synthesize.budget import exact_epsilon

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Unpack

    from numpy.typing import NDArray

    from discreet.data.column import Label
    from discreet.data.domains import DomainsLike
    from discreet.limits import Limits
    from discreet.noise import Noise


Neighbours: TypeAlias = Literal["replace", "add-remove"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Extracted(Result):
    """Itemsets drawn with chances that grow with their supports; the supports are not released.

    Attributes
    ----------
    itemsets : tuple of frozenset of Item
        In the order drawn, independently: one may come twice.
    epsilon : Fraction
        Of all draws together.
    neighbours : {"replace", "add-remove"}
        Which tables epsilon bounds the difference of.
    theta : int
        From this support on all itemsets are alike.
    includes_empty : bool
        Whether the empty itemset, which is in every row, could be drawn.
    domains_are_public : bool
        Whether the lists of values were given, not read from the data.
    is_secure : bool
        Whether nobody can repeat the draws.
    unit : str
        The unit of privacy.
    """

    itemsets: tuple[frozenset[Item], ...]
    epsilon: Fraction
    neighbours: Neighbours
    theta: int
    includes_empty: bool
    domains_are_public: bool
    is_secure: bool
    unit: str = ONE_ROW

    def __len__(self) -> int:
        return len(self.itemsets)

    def preview(self) -> Preview:
        """Return the first ten itemsets."""
        title = (
            f"{len(self):,} itemsets drawn with epsilon {shown('epsilon', self.epsilon)} together, "
            f"the empty one {'included' if self.includes_empty else 'excluded'}, for {self.unit}"
        )
        if not self.domains_are_public:
            # That a value can be drawn says that somebody has it: no epsilon covers that.
            title = f"{IF_PUBLIC}{title}"
        rows = [(", ".join(sorted(map(str, one))) or "(empty)",) for one in self.itemsets[:10]]
        return Preview(title=title, header=("items",), rows=rows)

    def to_dict(self) -> dict[str, object]:
        """Return the itemsets as text and what they cost."""
        return {
            "itemsets": [sorted(map(str, one)) for one in self.itemsets],
            "epsilon": str(self.epsilon),
            "neighbours": self.neighbours,
            "theta": self.theta,
            "includes_empty": self.includes_empty,
            "domains_are_public": self.domains_are_public,
            "is_secure": self.is_secure,
            "unit": self.unit,
        }


def extract(
    table: object,
    *,
    epsilon: Fraction | float,
    theta: int,
    n_draws: int = 1,
    neighbours: Neighbours = "replace",
    include_empty: bool = False,
    domains: DomainsLike | None = None,
    columns: Iterable[str] | None = None,
    min_support: int | None = None,
    seed: int | None = None,
    **limits: Unpack[Limits],
) -> Extracted:
    r"""Return itemsets drawn by the exponential mechanism on their supports.

    .. math:: P(I = i) \propto e^{c \min\{\theta, \mathrm{supp}(i)\}}

    where :math:`c` is half the epsilon of a draw if tables differ by replacing a row, and the
    whole of it if they differ by adding or removing one.

    Parameters
    ----------
    table : Table or frame
        If it says whose each row is, one row of each person is chosen at random and all others
        are passed over.
    epsilon : Fraction or float
        The cost of all draws together, above 0.
    theta : int
        The support from which on an itemset is frequent, at least 1; fixed before the data
        are looked at.
    n_draws : int
        How many to draw, at least 1; each has its part of epsilon.
    neighbours : {"replace", "add-remove"}
        Which tables are neighbours.
    include_empty : bool
        Whether the empty itemset may be drawn.
    domains : mapping or Table, optional
        The public list of values of each column; read from the table by default: the guarantee
        then holds only if the values that occur are public, and the result says so first.
    columns : iterable of str, optional
        The columns; all but the identifying ones by default.
    min_support : int, optional
        Itemsets of at least this support are mined, the others drawn by rejection. It changes
        the time, never the chances; chosen by itself by default.
    seed : int, optional
        None draws from the operating system; a seed is for experiments only.
    **limits : Limits
        ``threads``, ``max_itemsets``, ``max_memory``, ``progress`` of the mining.

    Returns
    -------
    Extracted
        The itemsets, without their supports: those would cost more.

    Raises
    ------
    ParameterError
        If an option is out of its range.
    DataError
        If a cell has a value that is not listed, or no itemset can be drawn.
    LimitError
        If too many itemsets are frequent; raise ``min_support`` or ``theta``. If the weights of
        those from ``min_support`` on are too long to add up; leave ``min_support`` out.

    Notes
    -----
    **Guarantee.** epsilon-differential privacy of a row; of a table that says whose each row is,
    of all rows of one person. One row changes each support by at
    most 1 (the thesis says 2 and takes :math:`c = \varepsilon / 4`, which is only
    :math:`\varepsilon / 2`). Adding a row only raises supports, so weights and their sum grow
    together and the factor 2 is not needed there. The time taken, and an error because a
    limit was passed, are not protected.

    All weights are whole numbers, see
    :class:`~discreet.synthesize.extract.SupportWeights`, and all draws are exact. Their
    steps are surely not above :math:`e^c`, and every chance is the one stated but for a share of
    :math:`\theta 2^{-250}`, also if no support comes near theta.

    With F the mined itemsets, N the number of all and B the largest weight outside F: with
    chance proportional to the sum of w - B over F take one of F by w - B; with chance
    proportional to N B draw a uniform itemset, keep it if it is in F, else with chance w / B;
    otherwise begin again. Every itemset is kept with a chance proportional to w.

    References
    ----------
    F. McSherry, K. Talwar (2007), Mechanism design via differential privacy. J. Dorrestijn
    (2018), Provable privacy for database generation, section 3.2 and theorem 7.

    Examples
    --------
    >>> people = Table.from_frame({"sex": ["f"] * 60 + ["m"] * 2, "job": ["a"] * 59 + ["b"] * 3})
    >>> found = extract(people, epsilon=2, theta=50, seed=1)
    >>> [sorted(map(str, one)) for one in found.itemsets]
    [['job=a', 'sex=f']]
    """
    whole = as_table(table)
    names = published_columns(whole, columns)
    if domains is not None:
        refuse_cut_by_rows(whole, names)
    total, theta = exact_epsilon(epsilon), checks.whole("theta", theta, at_least=1)
    n_draws = checks.whole("n_draws", n_draws, at_least=1)
    checks.one_of("neighbours", neighbours, ("replace", "add-remove"))
    least = None
    if min_support is not None:
        least = min(checks.whole("min_support", min_support, at_least=1), theta)
    noise = noise_from(seed)
    values = column_domains(whole, columns=names, domains=domains)
    # Before anything is counted: what is proved of one row then holds of one person.
    given, _ = one_row_of_each(whole, noise.permutation)
    # Replacing a row can raise one support while it lowers another, which costs twice; adding one
    # only raises them (theorem 7, whose factor 4 counts a change of 2 where there is one of 1).
    exponent = total / n_draws / (2 if neighbours == "replace" else 1)
    weights = SupportWeights(exponent, theta=theta)
    drawer = ItemsetDrawer(
        given, values, weights=weights, least=least, include_empty=include_empty, limits=limits
    )
    return Extracted(
        itemsets=tuple(drawer.draw(noise) for _ in range(n_draws)),
        epsilon=total,
        neighbours=neighbours,
        theta=theta,
        includes_empty=include_empty,
        domains_are_public=domains is not None,
        is_secure=noise.is_secure,
        unit=unit_of(whole),
    )


# Itemsets drawn with whole weights by support: mined where frequent, else by rejection.

MAX_SUM_BITS = 1 << 29  # of all sums of weights together: 64 MB

_TRIALS = 16  # about so many uniform itemsets are drawn for one that is kept, at most

_WORD = 32

_NEAR = 64


class ItemsetDrawer:
    """The mined itemsets by weight, and the table for counting all others.

    Parameters
    ----------
    table : Table
        One row per person.
    values : mapping of str to tuple
        The values of each column.
    weights : SupportWeights
        Of all supports.
    least : int or None
        Support from which on itemsets are mined, from 1 to theta; None finds one for which few
        draws are rejected.
    include_empty : bool
        Whether the empty itemset may be drawn.
    limits : Limits
        Of the mining.

    Raises
    ------
    LimitError
        If mined itemsets have so different weights that their sums pass 64 MB.
    """

    def __init__(
        self,
        table: Table,
        values: Mapping[str, tuple[Label, ...]],
        *,
        weights: SupportWeights,
        least: int | None = None,
        include_empty: bool = False,
        limits: Limits,
    ) -> None:
        self.names, self.values = tuple(values), tuple(values.values())
        self.weights, self.include_empty = weights, include_empty
        codes = {name: listed_codes(table, name, one) for name, one in values.items()}
        self.codes = list(codes.values())
        self.n_rows = table.n_rows
        self.n_all = prod(len(one) + 1 for one in self.values)  # the empty one included
        self.highest = self.n_rows if include_empty else max(map(_most_frequent, self.codes))
        database = Database.from_table(Table.from_codes(codes, dict(values)), **limits)
        self.least = self._least_support(database, limits) if least is None else least
        self.found = frequent(
            database, min_support=self.least, include_empty=include_empty, **limits
        )
        # From theta on all weigh the same, so that they are one level of the running sums.
        capped = np.minimum(self.found.supports, weights.theta)
        self.order = np.argsort(capped, kind="stable")
        levels, starts = np.unique(capped[self.order], return_index=True)
        self.bounds = [*starts.tolist(), len(capped)]
        # B: no itemset that was not mined weighs more
        self.rest = weights.of(min(self.least - 1, self.highest))
        self.sums = self._sums([weights.of(level) for level in levels.tolist()])

    def draw(self, noise: Noise) -> frozenset[Item]:
        """Return one itemset, with a chance proportional to the weight of its support.

        A mined one of weight w is returned for w - B tickets here and for B below, where it is
        one of N; any other for B w / B below.
        """
        mined = self.sums[-1] if self.sums else 0
        while True:
            # One draw over a sum: mined itemsets with what they weigh beyond B, and all itemsets
            # with B each.
            ticket = _below(noise, mined + self.n_all * self.rest.mantissa)
            if ticket < mined:
                return self._mined(bisect_right(self.sums, ticket), noise)
            chosen = self._uniform(noise)
            # Drawn again from the start: taking another itemset here would change the chances of
            # the others.
            if not chosen and not self.include_empty:
                continue
            weight = self.weights.of(self._support(chosen))
            # A mined itemset weighs B or more; its share beyond B was in the ticket. Rarer ones are
            # kept with the chance weight / B.
            if weight >= self.rest or _is_kept(noise, weight, self.rest):
                return frozenset(Item(self.names[j], self.values[j][c]) for j, c in chosen.items())

    def _mined(self, level: int, noise: Noise) -> frozenset[Item]:
        """Return one of the mined itemsets of a level, all alike."""
        start, end = self.bounds[level], self.bounds[level + 1]
        place = start + int(noise.integers(end - start, 1)[0])
        items = self.found[int(self.order[place])].items
        return frozenset(item for item in items if isinstance(item, Item))

    def _uniform(self, noise: Noise) -> dict[int, int]:
        """Return for each column one of its values, or none, all itemsets alike."""
        picked = [int(noise.integers(len(values) + 1, 1)[0]) for values in self.values]
        return {j: code for j, code in enumerate(picked) if code < len(self.values[j])}

    def _support(self, chosen: Mapping[int, int]) -> int:
        rows = np.arange(self.n_rows)
        for j, code in chosen.items():
            rows = rows[self.codes[j][rows] == code]
        return len(rows)

    def _sums(self, weights: list[Weight]) -> list[int]:
        """Return the running sums of w - B over the mined itemsets by level.

        They are in units of the power of two of B, which divides all of them.
        """
        n_bits = weights[-1].over(self.rest.power).bit_length() if weights else 0
        if n_bits * len(weights) > MAX_SUM_BITS:
            raise LimitError(
                f"The itemsets of support {self.least:,} or more have {len(weights):,} weights "
                f"of up to {n_bits:,} bits, too long to add up.",
                remedy=(
                    "Leave min_support out, so that fewer are mined; or lower epsilon or {theta}."
                ),
                options={"theta": self.weights.theta},
            )
        sizes = np.diff(self.bounds).tolist()
        return list(
            accumulate(
                (weight.over(self.rest.power) - self.rest.mantissa) * size
                for weight, size in zip(weights, sizes, strict=True)
            )
        )

    def _least_support(self, database: Database, limits: Limits) -> int:
        """Return the largest support to mine from for which few draws are rejected.

        It changes no chance, so logarithms need not be exact. The itemsets of the highest support
        are among those kept, so that sums of the weights of mined ones are never long.
        """
        top = max(1, min(self.weights.theta, self.highest))
        n_top = count_frequent(database, min_support=top, **limits).total + self.include_empty
        kept = log2(self.n_all) + self.weights.of(0).log2()
        if n_top:
            kept = float(np.logaddexp2(kept, log2(n_top) + self.weights.of(top).log2()))
        most = log2(_TRIALS) + kept - log2(self.n_all)
        return max(1, bisect_right(range(top), most, key=lambda s: self.weights.of(s).log2()))


def _most_frequent(codes: NDArray[np.int64]) -> int:
    """Return how many rows have the most frequent value of a column."""
    return int(np.bincount(codes).max()) if len(codes) else 0


def _is_kept(noise: Noise, weight: Weight, bound: Weight) -> bool:
    """Return True with a chance of the weight divided by a bound that is not below it.

    The second number is drawn for one in 2**63 or fewer, so no draw is long.
    """
    # A chance of mantissas times one of powers of two, so that numbers of many bits are never drawn
    # unless the first is met.
    apart = bound.power - weight.power
    near = min(apart, _NEAR)
    return (
        _below(noise, bound.mantissa << near) < weight.mantissa
        and _below(noise, 1 << (apart - near)) == 0
    )


def _below(noise: Noise, bound: int) -> int:
    """Return a uniform whole number below a bound of any length."""
    bits = (bound - 1).bit_length()
    n_words = -(-bits // _WORD)
    while True:
        words = noise.integers(1 << _WORD, n_words).astype(">u4")
        found = int.from_bytes(words.tobytes(), "big") >> (n_words * _WORD - bits)
        if found < bound:
            return found


# Whole weights that grow with the support, in steps that surely keep to the guarantee.

WEIGHT_BITS = 256


class Weight(NamedTuple):
    """A whole number, a mantissa times a power of two; ordered as numbers are.

    Attributes
    ----------
    power : int
        How often the mantissa is doubled, at least 0.
    mantissa : int
        Of the same number of bits in all weights that are compared.
    """

    power: int
    mantissa: int

    def over(self, power: int) -> int:
        """Return the number divided by a power of two that is not above its own."""
        return self.mantissa << (self.power - power)

    def log2(self) -> float:
        """Return the logarithm, about."""
        return self.power + log2(self.mantissa)


class SupportWeights:
    r"""Whole weights of supports, in steps of at most e to the exponent.

    .. math:: 2^p G^s (1 - s 2^{-p}) \le w_s \le 2^p G^s, \qquad G \le (1 - 2^{-256}) e^c

    where :math:`c` is the exponent, :math:`s` a support up to theta and :math:`p` is so large
    that :math:`\theta 2^{-p} < 2^{-256}`.

    Parameters
    ----------
    exponent : Fraction
        Above 0.
    theta : int
        Larger supports have the weight of this one; at least 1.

    Notes
    -----
    They depend on the exponent and theta alone. :math:`w_s` is a product of powers
    :math:`G^{2^j}`, each the square of the one before. Mantissas have p + 1 bits, and each
    product is rounded down, by a share of less than :math:`2^{-p}`. A rounding counts twice
    in a square, so fewer than s of them count in :math:`w_s`, which is the bound above.

    One step never passes :math:`e^c`, whatever the rounding, so the guarantee is exact:
    :math:`w_{s+1} / w_s \le G / (1 - s 2^{-p}) \le e^c`. And weights never fall: G is at least
    :math:`1 + 2^{-255}`, more than is rounded off, or else exactly 1, which makes all weights
    alike. Weights are those of the exponential up to a share of :math:`s 2^{-252}`, for
    supports however far below theta.

    A weight takes time O(log theta), and none is stored.

    Examples
    --------
    >>> weights = SupportWeights(Fraction(1, 2), theta=2)
    >>> [round(2 ** (weights.of(support).log2() - weights.of(0).log2()), 4) for support in range(4)]
    [1.0, 1.6487, 2.7183, 2.7183]
    """

    def __init__(self, exponent: Fraction, *, theta: int) -> None:
        self.theta, self.places = theta, WEIGHT_BITS + theta.bit_length()
        # Rounded down, so that two supports that differ by one never have weights more than e to
        # the exponent apart.
        below = exp_below(exponent, bits=WEIGHT_BITS - 1) * (1 - Fraction(1, 1 << WEIGHT_BITS))
        steps = max(1 << (WEIGHT_BITS - 1), int(below * (1 << (WEIGHT_BITS - 1))))  # G 2^255
        self.powers = [self._rounded(steps << (self.places - WEIGHT_BITS + 1), 0)]
        for _ in range(theta.bit_length() - 1):
            # Powers of two of the growth: any weight is a product of few of them, not of theta
            # factors.
            self.powers.append(self._times(self.powers[-1], self.powers[-1]))

    def of(self, support: int) -> Weight:
        """Return the weight of a support; from theta on they are alike."""
        support = min(self.theta, support)
        found = Weight(0, 1 << self.places)
        for j in range(support.bit_length()):
            if support >> j & 1:
                found = self._times(found, self.powers[j])
        return found

    def _times(self, one: Weight, other: Weight) -> Weight:
        """Return the product of two weights as multiples of 2^p, rounded down."""
        product = one.mantissa * other.mantissa >> self.places
        return self._rounded(product, one.power + other.power)

    def _rounded(self, number: int, power: int) -> Weight:
        """Return a number of at least 2^p times a power of two with p + 1 bits of it left."""
        excess = number.bit_length() - self.places - 1
        return Weight(power + excess, number >> excess)
