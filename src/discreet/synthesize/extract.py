"""Frequent itemsets drawn by the exponential mechanism, exactly and without listing them all.

Every itemset over the public values is drawn with a chance that grows with its support. There
are too many to list, so the frequent ones are mined and the rest are drawn uniformly and
accepted by their support.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from discreet.data.table import Table
from discreet.errors import ParameterError, did_you_mean
from discreet.noise import noise_from
from discreet.release.exact import shown, whole
from discreet.result import Preview, Result
from discreet.synthesize.domains import column_domains, published_columns
from discreet.synthesize.itemset_drawer import ItemsetDrawer
from discreet.synthesize.parameters import exact_epsilon
from discreet.synthesize.support_weights import SupportWeights

if TYPE_CHECKING:
    from collections.abc import Iterable
    from fractions import Fraction
    from typing import Unpack

    from discreet.data.listed_values import DomainsLike
    from discreet.mine.database import Item
    from discreet.mine.limits import Limits

Neighbours: TypeAlias = Literal["replace", "add-remove"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Extracted(Result):
    """Itemsets drawn with chances that grow with their supports; the supports are not told.

    Attributes
    ----------
    itemsets : tuple of frozenset of Item
        In the order drawn, independently: one may come twice.
    epsilon : Fraction
        Of all draws together.
    neighbours : {"replace", "add-remove"}
        What tables are told apart by at most epsilon.
    theta : int
        From this support on all itemsets are alike.
    includes_empty : bool
        Whether the empty itemset, which is in every row, could be drawn.
    domains_are_public : bool
        Whether the lists of values were given, not read from the data.
    is_secure : bool
        Whether nobody can repeat the draws.
    """

    itemsets: tuple[frozenset[Item], ...]
    epsilon: Fraction
    neighbours: Neighbours
    theta: int
    includes_empty: bool
    domains_are_public: bool
    is_secure: bool

    def __len__(self) -> int:
        return len(self.itemsets)

    def preview(self) -> Preview:
        """Return the first ten itemsets."""
        title = (
            f"{len(self):,} itemsets drawn with epsilon {shown('epsilon', self.epsilon)} together, "
            f"the empty one {'included' if self.includes_empty else 'left out'}"
        )
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
        One row per person.
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
        The public list of values of each column; read from the table by default, which is
        noted in the result.
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
    **Guarantee.** epsilon-differential privacy of a row. One row changes each support by at
    most 1 (the thesis says 2 and takes :math:`c = \varepsilon / 4`, which is only
    :math:`\varepsilon / 2`). Adding a row only raises supports, so weights and their sum grow
    together and the factor 2 is not needed there. The time taken, and an error because a
    limit was passed, are not protected.

    All weights are whole numbers, see
    :class:`~discreet.synthesize.support_weights.SupportWeights`, and all draws are exact. Their
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
    given = table if isinstance(table, Table) else Table.from_frame(table)
    names = published_columns(given, columns)
    total, theta = exact_epsilon(epsilon), whole("theta", theta, least=1)
    n_draws = whole("n_draws", n_draws, least=1)
    if neighbours not in {"replace", "add-remove"}:
        hint = did_you_mean(str(neighbours), ("replace", "add-remove"))
        raise ParameterError(f"neighbours={neighbours!r}. {hint}")
    least = None if min_support is None else min(whole("min_support", min_support, least=1), theta)
    noise = noise_from(seed)
    values = column_domains(given, columns=names, domains=domains)
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
    )
