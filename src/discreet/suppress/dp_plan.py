"""The numbers of a differentially private release: read as written, checked, completed.

Everything here follows from the caller's options and the number of columns, never from rows.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from math import comb
from typing import TYPE_CHECKING

from discreet import checks
from discreet.errors import ParameterError
from discreet.suppress.sampling import SCHEMES, calibrate, sampling_delta, theta_1

if TYPE_CHECKING:
    from discreet.checks import Number
    from discreet.suppress.sampling import SchemeName

PUBLIC_SHARE = Fraction(1, 2)  # a public table is taken to be as large as the protected one
DEFAULT_SHARE = {"dp": Fraction(3, 10), "split": Fraction(1, 10)}
PASSES_BY_CHANCE = 0.01


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What is done and with which numbers, all exact.

    ``epsilon`` and ``delta`` are those of the published part; ``total_epsilon`` and
    ``total_delta`` hold for everybody.
    """

    scheme: SchemeName
    columns: tuple[str, ...]
    k: int
    epsilon: Fraction
    delta: Fraction
    beta: Fraction
    theta: int
    split_rate: Fraction | None
    scheme_epsilon: Fraction | None

    @property
    def sensitivity(self) -> int:
        """Number of values and pairs of values that a row has."""
        return len(self.columns) + comb(len(self.columns), 2)

    @property
    def scale(self) -> Fraction:
        """Scale of the scheme's noise; 0 where it has none."""
        return noise_scale(len(self.columns), self.scheme_epsilon)

    @property
    def total_epsilon(self) -> Fraction:
        """Epsilon for everybody."""
        return max(self.epsilon, self.scheme_epsilon or Fraction(0))

    @property
    def total_delta(self) -> Fraction:
        """Delta for everybody."""
        if self.scheme == "split" and self.split_rate is not None:
            return self.split_rate + (1 - self.split_rate) * self.delta
        return self.delta


def make_plan(
    *,
    columns: tuple[str, ...],
    scheme: SchemeName,
    k: int,
    epsilon: Number,
    delta: Number,
    beta: Number | None,
    theta: int | None,
    split_rate: Number | None,
    scheme_epsilon: Number | None,
) -> Plan:
    """Return the plan of these options, or raise ParameterError; None means the default."""
    checks.one_of("scheme", scheme, SCHEMES)
    k = checks.whole("k", k, at_least=1)
    if not columns:
        raise ParameterError(
            "There is no column to release: every column is identifying.", parameter="columns"
        )
    exact_epsilon = checks.exact("epsilon", epsilon, above=0)
    exact_delta = checks.exact("delta", delta, above=0, below=1)
    share = _share(scheme, split_rate)
    of_scheme = _scheme_epsilon(scheme, scheme_epsilon, exact_epsilon)
    rate = _rate(exact_epsilon, exact_delta, k, beta)
    if theta is None:
        theta = theta_1(k - 1, beta=rate, split_rate=share or PUBLIC_SHARE)
        if of_scheme is not None:
            theta += noise_margin(noise_scale(len(columns), of_scheme))
    else:
        theta = checks.whole("theta", theta, at_least=0)
    return Plan(
        scheme=scheme,
        columns=columns,
        k=k,
        epsilon=exact_epsilon,
        delta=exact_delta,
        beta=rate,
        theta=theta,
        split_rate=share,
        scheme_epsilon=of_scheme,
    )


def noise_scale(n_columns: int, scheme_epsilon: Fraction | None) -> Fraction:
    """Return sensitivity over epsilon, or 0 without epsilon."""
    if scheme_epsilon is None:
        return Fraction(0)
    return (n_columns + comb(n_columns, 2)) / scheme_epsilon


def noise_margin(scale: Fraction) -> int:
    r"""Return the least margin that noise passes in at most one of a hundred draws.

    .. math:: \mathrm{P}[X > x] = \frac{q^{x + 1}}{1 + q} \le \frac{1}{100}, \quad q = e^{-1/s}

    where :math:`X` is discrete Laplace noise of scale :math:`s`. It decides how much is kept,
    not what is protected.

    Examples
    --------
    >>> noise_margin(Fraction(120))
    469
    """
    inverse = float(1 / scale)
    margin = -math.log(PASSES_BY_CHANCE * (1 + math.exp(-inverse))) / inverse - 1
    return max(0, math.ceil(margin))


def _share(scheme: SchemeName, split_rate: Number | None) -> Fraction | None:
    """Return the share of rows that train."""
    if scheme == "public":
        if split_rate is not None:
            raise ParameterError(
                "{split_rate} does not belong to {scheme}: no row trains.",
                parameter="split_rate",
                options={"split_rate": ..., "scheme": scheme},
            )
        return None
    if split_rate is None:
        return DEFAULT_SHARE[scheme]
    return checks.exact("split_rate", split_rate, above=0, below=1)


def _scheme_epsilon(
    scheme: SchemeName, scheme_epsilon: Number | None, epsilon: Fraction
) -> Fraction | None:
    """Return the epsilon of the scheme: by default as much as the total allows."""
    if scheme != "dp":
        if scheme_epsilon is not None:
            raise ParameterError(
                "scheme_epsilon does not belong to {scheme}.",
                parameter="scheme",
                options={"scheme": scheme},
            )
        return None
    if scheme_epsilon is None:
        return epsilon
    return checks.exact("scheme_epsilon", scheme_epsilon, above=0)


def _rate(epsilon: Fraction, delta: Fraction, k: int, beta: Number | None) -> Fraction:
    """Return the largest rate that keeps delta, or the one given if it does."""
    if beta is None:
        return Fraction(calibrate(epsilon, delta=delta, k=k))
    rate = checks.exact("beta", beta, above=0, at_most=1)
    needed = sampling_delta(k, beta=rate, epsilon=epsilon)
    if needed > delta:
        raise ParameterError(
            "{beta} is too large: at {k} and {epsilon} it has {delta}, above "
            f"{float(delta):g}.",
            parameter="beta",
            remedy="Leave beta out to get the largest rate.",
            options={"beta": beta, "k": k, "epsilon": float(epsilon), "delta": needed},
        )
    return rate
