"""What a release is worth whose suppression was learnt from a part of the same table.

Every row goes to the training part with probability r, else to the part that is published.
A person who falls into the training part is protected by what protects that part, and by
nothing else.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from discreet.errors import ParameterError, did_you_mean

Scheme = Literal["public", "dp", "split"]
SCHEMES = ("public", "dp", "split")


@dataclass(frozen=True, slots=True, kw_only=True)
class SplitGuarantee:
    """What holds for everybody in the table, and on which part it rests.

    ``epsilon`` and ``delta`` hold for each row, adding or removing it. ``training_is_protected``
    is False where the rows of the training part are seen through the scheme as they are.
    """

    epsilon: float
    delta: float
    scheme: Scheme
    training_is_protected: bool

    def __str__(self) -> str:
        told = (
            f"({self.epsilon:g}, {self.delta:g})-differentially private, one row added or removed"
        )
        if self.training_is_protected:
            return f"{told}."
        return f"{told}; rows that trained the scheme are not protected."


def theta_1(theta_2: int, *, beta: float | Fraction, split_rate: float | Fraction) -> int:
    r"""Return the infrequency threshold of the training part that matches that of the release.

    .. math:: \theta_1 = \Big\lceil \frac{(\theta_2 + 1) \, r}{\beta (1 - r)} \Big\rceil

    where :math:`r` is ``split_rate``: a combination that ``theta_2 + 1`` sampled rows of the
    published part share is expected :math:`r / (\beta (1 - r))` times as often in training.

    Parameters
    ----------
    theta_2 : int
        Threshold of the release, ``k - 1``, at least 0.
    beta : float or Fraction
        Sampling rate of the published part, above 0 and at most 1.
    split_rate : float or Fraction
        Share of the rows that train, above 0 and below 1.

    Returns
    -------
    int
        At least 1.

    Notes
    -----
    **Guarantee.** None: it decides how much is kept, not what is protected. A float therefore
    means the decimal number it is written as: 0.1 is one tenth.

    References
    ----------
    The thesis this family follows, equation (2.3), with 1 - r in place of r - 1.

    Examples
    --------
    >>> theta_1(4, beta=0.034, split_rate=0.1)
    17
    """
    if isinstance(theta_2, bool) or theta_2 != int(theta_2) or theta_2 < 0:
        raise ParameterError(f"theta_2={theta_2} must be a whole number of rows, at least 0.")
    if not 0 < beta <= 1:
        raise ParameterError(f"beta={beta} must be a sampling rate above 0 and at most 1.")
    _check_rate(split_rate)
    rate, share = Fraction(str(beta)), Fraction(str(split_rate))
    return math.ceil((int(theta_2) + 1) * share / (rate * (1 - share)))


def split_guarantee(
    epsilon: float,
    *,
    delta: float | Fraction,
    scheme: Scheme,
    split_rate: float | Fraction | None = None,
    scheme_epsilon: float | None = None,
    scheme_delta: float | Fraction = 0.0,
) -> SplitGuarantee:
    r"""Return what holds for everybody when the scheme comes from a part of the table.

    ============ ============================================================================
    scheme       in total
    ============ ============================================================================
    ``"public"`` :math:`(\varepsilon, \delta)`: the scheme was not learnt from this table
    ``"dp"``     :math:`(\max(\varepsilon_1, \varepsilon), \max(\delta_1, \delta))`
    ``"split"``  :math:`(\varepsilon, \; r + (1 - r) \delta)`
    ============ ============================================================================

    where :math:`(\varepsilon, \delta)` is the guarantee of the published part given the scheme,
    :math:`(\varepsilon_1, \delta_1)` that of the scheme for the training part, and :math:`r`
    the rate at which rows are put into training, each independently of the others.

    Parameters
    ----------
    epsilon : float
        Of the published part, at least 0.
    delta : float or Fraction
        Of the published part, from 0 to 1.
    scheme : {"public", "dp", "split"}
        Where the scheme comes from.
    split_rate : float or Fraction, optional
        Share of the rows that train, above 0 and below 1; needed unless ``"public"``.
    scheme_epsilon : float, optional
        Epsilon of the scheme for the training part; for ``"dp"`` only.
    scheme_delta : float or Fraction
        Delta of the scheme for the training part, 0 by default; for ``"dp"`` only.

    Returns
    -------
    SplitGuarantee
        Rounded up.

    Raises
    ------
    ParameterError
        If a parameter is out of its range, missing, or does not belong to the scheme.

    Notes
    -----
    **Guarantee.** Differential privacy of one row, added or removed, the split being random and
    unseen. With ``"split"`` the scheme shows what rows trained it, so delta can be hardly below
    r: a person is unprotected with probability r. Given who trained, rows of the published part
    have (epsilon, delta).

    Whoever is added falls into training with probability r, whatever the others do. The
    divergence behind (epsilon, delta) is jointly convex, so the total delta is at most
    :math:`r \delta_1 + (1 - r) \delta` at the larger epsilon; an un-noised scheme has
    :math:`\delta_1 = 1`.

    Examples
    --------
    >>> print(split_guarantee(0.1, delta=0.001, scheme="split", split_rate=0.1))
    (0.1, 0.1009)-differentially private, one row added or removed; rows that trained the
    scheme are not protected.
    >>> print(split_guarantee(0.1, delta=0.001, scheme="dp", split_rate=0.1, scheme_epsilon=0.5))
    (0.5, 0.001)-differentially private, one row added or removed.
    """
    _check_scheme(scheme, split_rate, scheme_epsilon, scheme_delta)
    _check_pair("", epsilon, delta)
    total_epsilon, total_delta = epsilon, Fraction(delta)
    if scheme == "dp" and scheme_epsilon is not None:
        _check_pair("scheme_", scheme_epsilon, scheme_delta)
        total_epsilon = max(epsilon, scheme_epsilon)
        total_delta = max(total_delta, Fraction(scheme_delta))
    elif scheme == "split" and split_rate is not None:
        share = Fraction(split_rate)
        total_delta = share + (1 - share) * total_delta
    return SplitGuarantee(
        epsilon=float(total_epsilon),
        delta=_rounded_up(total_delta),
        scheme=scheme,
        training_is_protected=scheme != "split",
    )


def _check_scheme(
    scheme: str,
    split_rate: float | Fraction | None,
    scheme_epsilon: float | None,
    scheme_delta: float | Fraction,
) -> None:
    """Refuse an unknown scheme, and options that it lacks or that belong to another."""
    if scheme not in SCHEMES:
        raise ParameterError(f"Unknown scheme {scheme!r}. {did_you_mean(str(scheme), SCHEMES)}")
    if scheme != "dp" and (scheme_epsilon is not None or scheme_delta != 0):
        raise ParameterError(f"scheme_epsilon and scheme_delta do not belong to {scheme!r}.")
    if scheme == "dp" and scheme_epsilon is None:
        raise ParameterError("scheme='dp' needs scheme_epsilon, what the scheme was made with.")
    if scheme == "public":
        if split_rate is not None:
            raise ParameterError("split_rate does not belong to scheme='public': no row trains.")
    elif split_rate is None:
        raise ParameterError(f"scheme={scheme!r} needs split_rate, the share of rows that train.")
    else:
        _check_rate(split_rate)


def _check_rate(split_rate: float | Fraction) -> None:
    if not 0 < split_rate < 1:
        raise ParameterError(f"split_rate={split_rate} must be a share above 0 and below 1.")


def _check_pair(prefix: str, epsilon: float, delta: float | Fraction) -> None:
    if not 0 <= epsilon < math.inf:
        raise ParameterError(f"{prefix}epsilon={epsilon} must be a finite number, at least 0.")
    if not 0 <= delta <= 1:
        raise ParameterError(f"{prefix}delta={delta} must be a probability from 0 to 1.")


def _rounded_up(number: Fraction) -> float:
    nearest = float(number)
    return nearest if Fraction(nearest) >= number else math.nextafter(nearest, math.inf)
