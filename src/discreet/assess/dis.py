"""DIS: how often a unique match with the file would be right, and its share for each row.

Data intrusion simulation estimates from the sample alone how likely it is that a unique row is
the right person; SUDA scores then tell which unique rows are likelier than others.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from discreet.errors import ParameterError

if TYPE_CHECKING:
    from numpy.typing import NDArray

NO_EXPONENT = 28  # columns from which on the exponent is not positive


def dis_rate(n_unique: int, n_paired: int, *, sampling_rate: float) -> float:
    r"""Return the estimated probability that a unique match with the file is right.

    .. math:: \hat\theta = \frac{\pi U}{\pi U + (1 - \pi) P}

    where :math:`U` is the number of rows like no other, :math:`P` that of rows like exactly
    one other and :math:`\pi` the sampling rate.

    Parameters
    ----------
    n_unique, n_paired : int
        Rows like no other row, and rows like exactly one other row.
    sampling_rate : float
        Share of the population that the file holds, above 0 and at most 1.

    Returns
    -------
    float
        0 if no row is unique.

    Notes
    -----
    Assumes that the file is a simple random sample. Without a pair the estimate is 1.

    References
    ----------
    M. Elliot (2000), DIS: a new approach to the measurement of statistical disclosure risk;
    C. Skinner, M. Elliot (2002), A measure of disclosure risk for microdata, section 3.

    Examples
    --------
    >>> round(dis_rate(4, 6, sampling_rate=0.01), 4)
    0.0067
    """
    if not 0 < sampling_rate <= 1:
        raise ParameterError(f"sampling_rate={sampling_rate} must be above 0 and at most 1.")
    if not n_unique:
        return 0.0
    right = sampling_rate * n_unique
    return right / (right + (1 - sampling_rate) * n_paired)


def dis_suda(
    scores: NDArray[np.float64], *, n_columns: int, file_rate: float
) -> NDArray[np.float64]:
    r"""Return for each unique row the probability that a match with it is right.

    The odds of the file are shared out among its unique rows by their scores:

    .. math:: o_t = \frac{\hat\theta}{1 - \hat\theta} \; s_t^q \;
        \frac{1}{U} \sum_{u} s_u^{-q}, \qquad q = 1 + \frac{8 - M}{20}, \qquad
        p_t = \frac{o_t}{1 + o_t}

    where :math:`s_t` is the SUDA score of row :math:`t`, :math:`U` the number of unique rows,
    :math:`M` the number of columns and :math:`\hat\theta` the DIS of the file.

    Parameters
    ----------
    scores : array of float
        SUDA scores of all unique rows; rows with score 0 get 0.
    n_columns : int
        Number of columns, at most 27.
    file_rate : float
        DIS of the file, from 0 to 1.

    Returns
    -------
    ndarray of float64
        From 0 to 1. Rows with equal scores all get the DIS of the file; in general the
        harmonic mean of the odds is that of the file.

    Notes
    -----
    The exponent is the one of the program published with the method (also in sdcMicro); it
    would turn the order of the rows around from 28 columns on, which is refused.

    References
    ----------
    M. Elliot, A. Manning (2003), Using DIS to modify the classification of special uniques.

    Examples
    --------
    >>> dis_suda(np.array([6.0, 12.0]), n_columns=4, file_rate=0.1).round(3).tolist()
    [0.074, 0.155]
    """
    power = exponent(n_columns)
    shares = np.zeros(len(scores))
    scored = scores > 0
    if file_rate >= 1:
        return scored.astype(np.float64)
    if not scored.any():
        return shares
    odds = file_rate / (1 - file_rate) * scores[scored] ** power
    odds *= np.sum(scores[scored] ** -power) / len(scores)
    shares[scored] = odds / (1 + odds)
    return shares


def exponent(n_columns: int) -> float:
    """Return the power of the scores in DIS-SUDA, or refuse too many columns."""
    if n_columns >= NO_EXPONENT:
        raise ParameterError(
            f"DIS-SUDA is defined for at most {NO_EXPONENT - 1} columns, not {n_columns}: choose "
            "columns= or leave out sampling_rate."
        )
    return 1 + (8 - n_columns) / 20
