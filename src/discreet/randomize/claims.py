"""What randomized transactions promise to those who sent them, and what they do not."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING

from discreet.errors import GuaranteeError
from discreet.randomize.posterior import posterior_bound
from discreet.release.event import Event
from discreet.release.guarantee import Guarantee

if TYPE_CHECKING:
    from collections.abc import Mapping

    from discreet.randomize.operators.operator import Operator
    from discreet.randomize.randomized import Randomized

LOCAL = "local differential privacy"
UNIT = "one transaction, which is what one person sends"
SAME_SIZE = "any two transactions of the same size"
ANY = "any two transactions"
ONCE = (
    "Every person is in one transaction, randomized once. Whoever sends several, or one several "
    "times, loses so many times epsilon."
)
PUBLIC = "The list of items was made without looking at any transaction."
TAKEN = (
    "The list of items was taken from the transactions: that an item is on it says that somebody "
    "has it."
)
PURPOSE = (
    "What is true of many people can be learnt, such as how often items occur together: that is "
    "the purpose."
)
CUT = "Transactions of more items than the public size were cut to it at random."
SIZES = "The true size of every transaction is published as it is."
SENT = "That somebody sent a transaction is not hidden."
SEEDED = "a seed was used, and whoever knows it can undo the randomization"
PRIOR = Fraction(1, 100)
LEAST = Fraction(1, 10**9)  # stated where nothing at all is told: claims have an epsilon above 0


def epsilon_by_size(
    operator: Operator, *, sizes: Mapping[int, int], n_items: int
) -> dict[int, Fraction]:
    r"""Return the local epsilon of every size that occurs, rounded up.

    .. math:: \varepsilon_m = \ln \max_{t, u, t'} \frac{p[t \to t']}{p[u \to t']}

    where :math:`t` and :math:`u` are transactions of :math:`m` items, :math:`t'` any set.

    Raises
    ------
    GuaranteeError
        If there is no bound for a size: some result then excludes some transactions.

    Examples
    --------
    >>> from discreet.randomize import CutAndPaste
    >>> found = epsilon_by_size(CutAndPaste(cutoff=3, rho="1/4"), sizes={1: 10, 2: 5}, n_items=9)
    >>> {m: float(epsilon) for m, epsilon in found.items()}
    {1: 2.5649493574615367, 2: 3.610917912644225}
    """
    found = {}
    for m in sorted(sizes):
        epsilon = operator.local_epsilon(m, n_items)
        if not math.isfinite(epsilon):
            raise GuaranteeError(
                f"Transactions of {m} items have no finite local epsilon under {operator.kind}: "
                "some result cannot come from all of them. Let every number of items be kept "
                "with some chance."
            )
        found[m] = max(Fraction(epsilon), LEAST)
    return found


def claim_of(
    randomized: Randomized, *, items_are_public: bool, assumptions: tuple[str, ...] = ()
) -> Guarantee:
    """Return the claim that holds for every person who sent one of these transactions.

    Parameters
    ----------
    randomized : Randomized
        What is published.
    items_are_public : bool
        Whether the list of items was stated by somebody who had not seen the transactions.
    assumptions : tuple of str
        What else must be true for the claim to hold, a sentence each.
    """
    sizes = randomized.n_of_size()
    by_size = epsilon_by_size(randomized.operator, sizes=sizes, n_items=randomized.n_items)
    epsilon = max(by_size.values(), default=LEAST)
    return Guarantee(
        model=LOCAL,
        parameters={"epsilon": epsilon},
        unit=UNIT,
        neighbours=ANY if randomized.dummies else SAME_SIZE,
        assumptions=(ONCE, *((PUBLIC,) if items_are_public else ()), *assumptions),
        not_protected=(
            CUT if randomized.dummies else SIZES,
            *(() if items_are_public else (TAKEN,)),
            PURPOSE,
            _better_guesses(epsilon),
            SENT,
        ),
        experimental=randomized.experimental,
        experimental_reason=SEEDED if randomized.experimental else None,
    )


def randomize_event(randomized: Randomized, *, items_are_public: bool) -> Event:
    """Return what was done: the operator, and the local epsilon of every size."""
    sizes = randomized.n_of_size()
    by_size = epsilon_by_size(randomized.operator, sizes=sizes, n_items=randomized.n_items)
    return Event(
        name=randomized.operator.kind.replace("-", "_"),
        parameters={
            "epsilon_by_size": tuple(f"{m}: {_up(epsilon)}" for m, epsilon in by_size.items()),
            "items_are_public": items_are_public,
            "n_items": randomized.n_items - randomized.dummies,
            "n_null_items": randomized.dummies,
        },
        counts={"n_transactions": len(randomized)},
    )


def _better_guesses(epsilon: Fraction) -> str:
    """Return what epsilon means for one guess, in words."""
    after = float(posterior_bound(PRIOR, gamma=Fraction(math.exp(float(epsilon)))))
    return (
        f"Guesses about one person get better, within epsilon: what is true with a chance of 1 % "
        f"before can have one of up to {math.ceil(100 * after)} % once the report is seen."
    )


def _up(epsilon: Fraction) -> str:
    """Return a number with four digits, rounded up.

    Examples
    --------
    >>> _up(Fraction(20001, 10000)), _up(Fraction(200001, 100000))
    ('2.0001', '2.0001')
    """
    return f"{math.ceil(epsilon * 10**4) / 10**4:.4f}"
