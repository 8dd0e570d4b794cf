"""Krimp as a classifier of scikit-learn: the class whose code table says a row in fewest bits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin  # type: ignore[import-untyped]
from sklearn.utils.multiclass import check_classification_targets  # type: ignore[import-untyped]
from sklearn.utils.validation import check_is_fitted, column_or_1d  # type: ignore[import-untyped]

from discreet.data.transactions import Transactions
from discreet.errors import DataError
from discreet.sklearn.categories import categories
from discreet.synthesize.krimp.classifier import krimp_classifier

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from discreet.data.table import Table


class KrimpClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # untyped library
    r"""Classifies rows of categories by the code table that says them in the fewest bits.

    .. math:: P(c \mid t) = 2^{-L_c(t)} \Big/ \sum_{c'} 2^{-L_{c'}(t)}

    where :math:`L_c(t)` are the bits of row t in the code table of class c, see
    :func:`~discreet.synthesize.krimp_classifier`.

    Parameters
    ----------
    min_support : int, default 1
        Of the itemsets considered, in the rows of each class. On tables of many columns a low
        one takes long, or passes ``max_itemsets``.
    candidates : {"closed", "all"}, default "closed"
        Which itemsets are considered.
    prune : bool, default True
        Whether itemsets that no longer help are taken out again.
    max_itemsets : int, default 50,000,000
        Most itemsets to consider for a class.
    threads : int, optional
        All cores by default. The result does not depend on it.

    Attributes
    ----------
    classes_ : ndarray
        The classes, sorted.
    model_ : discreet.synthesize.KrimpClassifier
        The code table of each class.
    n_features_in_ : int
        Number of columns fitted.
    feature_names_in_ : ndarray of str
        Names of the columns, if a frame was fitted.

    Notes
    -----
    **Guarantee.** None: this is a heuristic, and the code tables show itemsets of the rows that
    were fitted. Do not publish a fitted model of people's rows.

    Every distinct value of a column is a category, so bin numbers first. A value that was not
    fitted says nothing about the class and is ignored. Classes are equally likely beforehand,
    however many rows they have. Items of a cover are taken as independent, which makes
    ``predict_proba`` too sure of itself; its order is that of code lengths.

    References
    ----------
    M. van Leeuwen, J. Vreeken, A. Siebes (2006), Compression picks item sets that matter,
    section 4.

    Examples
    --------
    >>> rows = [["red", "round"], ["red", "long"], ["green", "long"], ["green", "round"]] * 5
    >>> fruit = ["apple", "pepper", "pepper", "apple"] * 5
    >>> made = KrimpClassifier().fit(rows, fruit)
    >>> made.predict([["blue", "round"], ["green", "long"]]).tolist()
    ['apple', 'pepper']
    >>> made.score(rows, fruit)
    1.0
    """

    def __init__(
        self,
        *,
        min_support: int = 1,
        candidates: Literal["closed", "all"] = "closed",
        prune: bool = True,
        max_itemsets: int = 50_000_000,
        threads: int | None = None,
    ) -> None:
        self.min_support = min_support
        self.candidates = candidates
        self.prune = prune
        self.max_itemsets = max_itemsets
        self.threads = threads

    def fit(self, X: object, y: ArrayLike) -> Self:  # noqa: N803  scikit-learn's name
        """Learn a code table for each class.

        Parameters
        ----------
        X : array-like or frame
            Rows by columns, categories.
        y : array-like
            The class of each row.

        Returns
        -------
        KrimpClassifier
            Itself.
        """
        if y is None:
            raise DataError("requires y to be passed, but the target y is None: the classes.")
        table = categories(self, X, reset=True)
        targets = column_or_1d(y, warn=True)
        check_classification_targets(targets)
        if len(targets) != table.n_rows:
            raise DataError(f"{len(targets):,} classes for {table.n_rows:,} rows; give one each.")
        self.classes_, numbers = np.unique(targets, return_inverse=True)
        self._values = {name: table.values(name) for name in table.columns}
        found = krimp_classifier(
            self._items(table), classes=numbers.tolist(), min_support=self.min_support,
            candidates=self.candidates, prune=self.prune, max_itemsets=self.max_itemsets,
            threads=self.threads,
        )  # fmt: skip
        self._place = np.argsort(np.array(found.classes))  # of each class among the tables
        self.model_ = found
        return self

    def predict_proba(self, X: object) -> NDArray[np.float64]:  # noqa: N803
        """Return the share of each class, by code lengths; in the order of ``classes_``."""
        check_is_fitted(self)
        rows = self._items(categories(self, X))
        bits = self.model_.encoded_lengths(rows, threads=self.threads)[:, self._place]
        chances = np.exp2(bits.min(axis=1, keepdims=True) - bits)
        return np.asarray(chances / chances.sum(axis=1, keepdims=True), np.float64)

    def predict(self, X: object) -> NDArray[Any]:  # noqa: N803
        """Return the class of the shortest code for each row; the first of equal ones."""
        check_is_fitted(self)
        return np.asarray(self.classes_[self.predict_proba(X).argmax(axis=1)])

    def score(self, X: object, y: ArrayLike, sample_weight: ArrayLike | None = None) -> float:  # noqa: N803
        """Return the share of rows whose class is predicted, each counted by its weight."""
        return float(super().score(X, y, sample_weight=sample_weight))

    def _items(self, table: Table) -> Transactions:
        """Return rows as sets of fitted values, each a number; others are ignored."""
        columns, start = [], 0
        for name, known in zip(table.columns, self._values.values(), strict=True):
            place = {value: start + code for code, value in enumerate(known)}
            items = np.array([place.get(value, -1) for value in table.values(name)], np.int64)
            columns.append(items[table.codes(name)])
            start += len(known)
        items = np.column_stack(columns)
        is_known = items >= 0
        offsets = np.concatenate([[0], np.cumsum(is_known.sum(axis=1))])
        return Transactions.from_csr(offsets, items[is_known], range(start))

    def __sklearn_tags__(self) -> Any:  # noqa: ANN401
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = tags.input_tags.categorical = tags.input_tags.string = True
        return tags
