"""Synthetic rows in the manner of scikit-learn: fit within a budget, then sample."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np
from sklearn.base import BaseEstimator  # type: ignore[import-untyped]
from sklearn.utils.validation import check_is_fitted  # type: ignore[import-untyped]

from discreet import checks, synthesize
from discreet.sklearn.categories import categories

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from fractions import Fraction

    from numpy.typing import NDArray

    from discreet.data.column import Label
    from discreet.synthesize.budget import Trust
    from discreet.synthesize.synthesizer import Generator


class Synthesizer(BaseEstimator):  # type: ignore[misc]  # untyped library
    """Fits a differentially private model of rows and draws synthetic rows from it.

    Parameters
    ----------
    epsilon : Fraction or float
        The budget of a row, above 0. Every fit spends it once.
    delta : Fraction or float, default 0
        Above 0 noise is Gaussian, and much smaller. A usual choice is far below 1 / rows.
    trust : {"central", "local"}, default "central"
        As in :class:`~discreet.synthesize.Synthesizer`.
    generator : {"marginals", "krimp"}, default "marginals"
        As in :class:`~discreet.synthesize.Synthesizer`.
    domains : mapping, "private" or "from-data"
        The public list of values of each column (x0, x1, ... of an array). By default values are
        selected within the budget, which needs central trust and a delta above 0; see
        :class:`~discreet.synthesize.Synthesizer`.
    random_state : int, optional
        For experiments that are repeated and not published: whoever knows it can undo the noise.

    Attributes
    ----------
    synthesizer_ : discreet.synthesize.Synthesizer
        What was fitted, with its entries: every quantity measured and its noise.
    n_features_in_ : int
        Number of columns fitted.
    feature_names_in_ : ndarray of str
        Names of the columns, if a frame was fitted.

    Notes
    -----
    **Guarantee.** That of :class:`~discreet.synthesize.Synthesizer`, for the rows that
    *this* step was given: central trust is (epsilon, delta)-differential privacy for adding or
    removing one row. It covers neither the steps before it in a pipeline, which may have learnt
    from the same rows without noise, nor several fits, as in a grid search: each spends the
    budget again. A certificate comes with :func:`~discreet.synthetic_release`, not with this.

    Every distinct value of a column is a category, so bin numbers first.

    Examples
    --------
    >>> rows = [["f", "nurse"], ["m", "smith"]] * 500
    >>> made = Synthesizer(1, delta=1e-6, random_state=1).fit(rows)
    >>> made.sample(200).shape
    (200, 2)
    """

    def __init__(
        self,
        epsilon: Fraction | float,
        *,
        delta: Fraction | float = 0,
        trust: Trust = "central",
        generator: Generator = "marginals",
        domains: Mapping[str, Iterable[Label]] | Literal["private", "from-data"] = "private",
        random_state: int | None = None,
    ) -> None:
        self.epsilon = epsilon
        self.delta = delta
        self.trust = trust
        self.generator = generator
        self.domains = domains
        self.random_state = random_state

    def fit(self, X: object, y: object = None) -> Self:  # noqa: ARG002, N803  scikit-learn's names
        """Measure rows within the budget and fit the model.

        Parameters
        ----------
        X : array-like or frame
            One row per person, categories. It is not kept.
        y : object
            Ignored: a target to be drawn too is a column of ``X``.

        Returns
        -------
        Synthesizer
            Itself.
        """
        seed = _checked_state(self.random_state)
        table = categories(self, X, reset=True)
        self.synthesizer_ = synthesize.Synthesizer(
            self.epsilon, delta=self.delta, trust=self.trust, generator=self.generator,
            domains=self.domains, seed=seed,
        ).fit(table)  # fmt: skip
        return self

    def sample(self, n_samples: int = 1, *, random_state: int | None = None) -> NDArray[Any]:
        """Return synthetic rows, at no further cost.

        Parameters
        ----------
        n_samples : int, default 1
            How many, at least 0.
        random_state : int, optional
            To repeat a draw; that of the estimator by default.

        Returns
        -------
        ndarray
            Rows by columns, in the order fitted; of objects if columns have several types.
        """
        check_is_fitted(self)
        n_samples = checks.whole("n_samples", n_samples, at_least=0)
        drawn = self.synthesizer_.sample(n_samples, seed=_checked_state(random_state))
        columns = [
            np.array(drawn.values(name), object)[drawn.codes(name)] for name in drawn.columns
        ]
        rows = np.column_stack(columns)
        kinds = {type(value) for name in drawn.columns for value in drawn.values(name)}
        return rows.astype(kinds.pop()) if kinds in ({int}, {float}) else rows

    def __sklearn_tags__(self) -> Any:  # noqa: ANN401
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = tags.input_tags.categorical = tags.input_tags.string = True
        tags.non_deterministic = self.random_state is None
        return tags


def _checked_state(random_state: int | None) -> int | None:
    """Return a seed as scikit-learn names it, or raise ParameterError."""
    return None if random_state is None else checks.whole("random_state", random_state, at_least=0)
