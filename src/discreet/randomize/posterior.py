"""What one report can teach at most, whatever the attacker knew: from gamma to posteriors."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from discreet.errors import ParameterError
from discreet.randomize.probability import inner_probability, probability
from discreet.release.exact import log_above

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from discreet.randomize.operators.operator import Operator
    from discreet.randomize.probability import Number


@dataclass(frozen=True, slots=True, kw_only=True)
class Protection:
    """What transactions of one public size are protected by.

    Attributes
    ----------
    size : int
        The true size, which is published.
    gamma : Fraction or None
        Largest ratio of chances between two transactions of this size; None: no bound.
    posteriors : tuple of (Fraction, Fraction)
        Priors, each with the posterior that no report and no attacker exceeds.
    """

    size: int
    gamma: Fraction | None
    posteriors: tuple[tuple[Fraction, Fraction], ...]

    @property
    def epsilon(self) -> float:
        """The local epsilon, rounded up."""
        return log_above(self.gamma)

    def to_dict(self) -> dict[str, object]:
        """Return the protection as plain values; an infinite epsilon is None."""
        return {
            "size": self.size,
            "epsilon": None if self.gamma is None else self.epsilon,
            "posteriors": [
                {"prior": str(prior), "posterior": str(bound)} for prior, bound in self.posteriors
            ],
        }


def posterior_bound(prior: Number, *, gamma: Fraction | int | None) -> Fraction:
    r"""Return the largest posterior of a property of a transaction, given its whole report.

    .. math:: \mathrm{P}[Q(t) \mid t'] \le \frac{\gamma \pi}{1 - \pi + \gamma \pi}

    where :math:`\pi` is the prior of the property :math:`Q`, whatever it is, and
    :math:`\gamma` bounds the ratio of chances of :math:`t'` under any two transactions.

    Parameters
    ----------
    prior : probability
        From 0 to 1.
    gamma : Fraction, int or None
        At least 1; None for no bound. See :meth:`Operator.gamma`.

    Returns
    -------
    Fraction
        Exact, and attained by some prior and report.

    Notes
    -----
    Unlike a breach level (Definition 4), which averages over all reports that hold an
    itemset, this holds for every single report.

    References
    ----------
    A. Evfimievski, J. Gehrke, R. Srikant (2003), Limiting privacy breaches in privacy
    preserving data mining, section 3 (amplification).

    Examples
    --------
    >>> posterior_bound("1/6", gamma=13)
    Fraction(13, 18)
    """
    before = probability("prior", prior)
    if gamma is None:
        return Fraction(int(before > 0))
    if gamma < 1:
        raise ParameterError(f"gamma={gamma} must be at least 1: a ratio and its inverse.")
    return gamma * before / (1 - before + gamma * before)


def prevents_breach(gamma: Fraction | int | None, *, prior: Number, posterior: Number) -> bool:
    r"""Return whether no property of at most some prior can reach some posterior.

    .. math:: \frac{\rho_2 (1 - \rho_1)}{\rho_1 (1 - \rho_2)} > \gamma

    where :math:`\rho_1` is ``prior`` and :math:`\rho_2` is ``posterior``: there is no
    rho1-to-rho2 breach.

    Parameters
    ----------
    gamma : Fraction, int or None
        At least 1; None for no bound.
    prior, posterior : probability
        Above 0 and below 1, prior below posterior.

    Returns
    -------
    bool
        Exact: no rounding is involved.

    Examples
    --------
    >>> [prevents_breach(gamma, prior=0.05, posterior=0.5) for gamma in (13, 31)]
    [True, False]
    """
    before = inner_probability("prior", prior)
    after = inner_probability("posterior", posterior)
    if not before < after:
        raise ParameterError(f"prior={prior} must be below posterior={posterior}.")
    if gamma is None:
        return False
    return after * (1 - before) / (before * (1 - after)) > gamma


def protection(
    operator: Operator,
    *,
    sizes: Iterable[int],
    n_items: int,
    priors: Sequence[Number] = ("1/100", "1/20", "1/5"),
) -> tuple[Protection, ...]:
    """Return the local epsilon and posterior bounds for each public size.

    Parameters
    ----------
    operator : Operator
        What is applied.
    sizes : iterable of int
        The sizes of transactions.
    n_items : int
        Number of all items.
    priors : sequence of probabilities
        Priors to give the bound for.

    Returns
    -------
    tuple of Protection
        One for each size, ascending. Between sizes there is no protection: they are published.

    Examples
    --------
    >>> from discreet.randomize import CutAndPaste
    >>> operator = CutAndPaste(cutoff=7, rho={1: 0.047, 5: 0.353, 10: 0.395})
    >>> for one in protection(operator, sizes=[1, 5, 10], n_items=1000, priors=["1/20"]):
    ...     print(one.size, round(one.epsilon, 2), round(float(one.posteriors[0][1]), 3))
    1 5.01 0.888
    5 6.47 0.971
    10 7.0 0.983
    """
    out = []
    for size in sorted(set(sizes)):
        gamma = operator.gamma(size, n_items)
        bounds = tuple(
            (probability("prior", prior), posterior_bound(prior, gamma=gamma)) for prior in priors
        )
        out.append(Protection(size=size, gamma=gamma, posteriors=bounds))
    return tuple(out)
