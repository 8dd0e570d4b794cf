"""Full-domain generalization as a transformer: levels are learnt once, then applied to any row."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np
from sklearn.base import (  # type: ignore[import-untyped]
    BaseEstimator,
    OneToOneFeatureMixin,
    TransformerMixin,
)
from sklearn.utils.validation import check_is_fitted  # type: ignore[import-untyped]

from discreet import checks
from discreet.generalize.full_domain import (
    FullDomain,
    best_levels,
    check_size,
    datafly_levels,
    most_dropped,
)
from discreet.generalize.problem import state_problem
from discreet.sklearn.categories import categories

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from discreet.data.column import Label
    from discreet.data.hierarchy.tree import Hierarchy
    from discreet.data.table import Table

SUPPRESSED = "*"
UNKNOWN = object()  # equal to no text
SEARCHES = {"datafly": datafly_levels, "incognito": best_levels}


@dataclass(frozen=True, slots=True)
class _Groups:
    """What the values of a column show: those that a shown row has or is grouped with."""

    texts: dict[Label, str | None]
    otherwise: object  # what all other values show

    @classmethod
    def of(cls, hierarchy: Hierarchy, level: int, values: Sequence[Label]) -> _Groups:
        """Return the groups of a level that some of these values are in."""
        tree = hierarchy.full  # a group of one member is a level, too
        if level and level == tree.depth:  # one node covers all values, so none need be kept
            return cls({}, _text(tree.labels[tree.root]))
        nodes = tree.level_nodes()[:, level]
        used = np.isin(nodes, nodes[tree.encode(values)])
        texts = {
            tree.leaves[leaf]: _text(tree.labels[nodes[leaf]]) for leaf in np.flatnonzero(used)
        }
        return cls(texts, UNKNOWN)

    def of_values(self, values: Sequence[Label]) -> NDArray[np.object_]:
        """Return what each value shows."""
        return np.array([self.texts.get(value, self.otherwise) for value in values], object)


def _text(label: Label) -> str | None:
    return None if label is None else str(label)


class GeneralizingTransformer(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Shows each column at one level of its hierarchy, and no row that few fitted rows are like.

    Parameters
    ----------
    k : int
        Least number of fitted rows that show the same, at least 1.
    hierarchies : mapping of str to Hierarchy, optional
        Column (x0, x1, ... of an array) to hierarchy; the values of other columns can only be
        kept or suppressed.
    max_dropped : float, default 0.01
        Share of the fitted rows that may be suppressed as a whole, 0 to 1.
    search : {"datafly", "incognito"}, default "datafly"
        How levels are chosen: quickly, see :func:`~discreet.datafly`, or with the least loss,
        see :func:`~discreet.incognito`, which takes few columns.

    Attributes
    ----------
    levels_ : dict of str to int
        The level that each column is shown at; 0 shows values as they are.
    n_suppressed_ : int
        Number of fitted rows that are suppressed.
    n_features_in_ : int
        Number of columns fitted.
    feature_names_in_ : ndarray of str
        Names of the columns, if a frame was fitted.

    Notes
    -----
    **Of the rows fitted**: every row of ``fit_transform`` that is not all ``*`` is equal to at
    least ``k - 1`` others of them. The rows that are all ``*`` can be fewer than ``k``; they show
    nothing but their number.

    **Of other rows**: whatever ``transform`` shows of a row, at least ``k`` *fitted* rows show
    too; a row that shows anything else, or has a value that no fitted row is grouped with, is
    all ``*``. The rows transformed can each be the only one of its kind among themselves, so
    they are *not* k-anonymous, and together with the fitted rows they disclose who was added. What
    is to be published is fitted itself, with :func:`~discreet.incognito` or another method that
    certifies what it made.

    The target of a pipeline is not looked at: neither l-diversity nor t-closeness is promised.
    A fitted transformer holds what groups of at least ``k`` fitted rows show, how many rows are
    suppressed, and the hierarchies it was given; no row, and no value that only suppressed rows
    have.

    Cells are text, and missing ones ``None``.

    Examples
    --------
    >>> import discreet as dc
    >>> ages = dc.Hierarchy.intervals(range(20, 60), steps=[10, 20])
    >>> made = GeneralizingTransformer(2, hierarchies={"x0": ages}, max_dropped=0)
    >>> made.fit_transform([[21, "f"], [24, "f"], [33, "m"], [38, "m"]]).tolist()
    [['[20, 30)', 'f'], ['[20, 30)', 'f'], ['[30, 40)', 'm'], ['[30, 40)', 'm']]
    >>> made.transform([[29, "f"], [29, "m"]]).tolist()
    [['[20, 30)', 'f'], ['*', '*']]
    """

    def __init__(
        self,
        k: int,
        *,
        hierarchies: Mapping[str, Hierarchy] | None = None,
        max_dropped: float = 0.01,
        search: Literal["datafly", "incognito"] = "datafly",
    ) -> None:
        self.k = k
        self.hierarchies = hierarchies
        self.max_dropped = max_dropped
        self.search = search

    def fit(self, X: object, y: object = None) -> Self:  # noqa: ARG002, N803  scikit-learn's names
        """Choose the level of each column and learn which combinations may be shown.

        Parameters
        ----------
        X : array-like or frame
            Rows by columns, categories.
        y : object
            Ignored.

        Returns
        -------
        GeneralizingTransformer
            Itself.
        """
        checks.one_of("search", self.search, SEARCHES)
        checks.share("max_dropped", self.max_dropped)
        table = categories(self, X, reset=True)
        problem = state_problem(table, k=self.k, options={"hierarchies": self.hierarchies})
        allowed = most_dropped(problem, self.max_dropped)
        if self.search == "incognito":
            check_size(problem)
        domain = FullDomain.of(problem)
        levels = SEARCHES[self.search](domain, allowed=allowed)
        is_suppressed = domain.to_drop(levels)
        self.levels_ = dict(zip(table.columns, map(int, levels), strict=True))
        self.n_suppressed_ = domain.n_rows(is_suppressed)
        rows = table.take(domain.distinct.first[~is_suppressed])
        self._groups = [
            _Groups.of(tree, level, values=rows.values(name))
            for tree, level, name in zip(
                problem.records.hierarchies, levels, table.columns, strict=True
            )
        ]
        self._shown = {*map(tuple, self._grouped(rows).tolist())}
        return self

    def transform(self, X: object) -> NDArray[Any]:  # noqa: N803
        """Return rows at the levels learnt, those that may not be shown as ``*``.

        Parameters
        ----------
        X : array-like or frame
            Rows with the columns that were fitted.

        Returns
        -------
        ndarray of object
            Text, and None for missing cells; see the notes for what it promises.
        """
        check_is_fitted(self)
        table = categories(self, X)
        rows = self._grouped(table)
        is_suppressed = [row not in self._shown for row in map(tuple, rows.tolist())]
        rows[np.array(is_suppressed, np.bool_)] = SUPPRESSED
        return rows

    def _grouped(self, table: Table) -> NDArray[np.object_]:
        """Return what rows show at the levels learnt; ``UNKNOWN`` where a value has no place."""
        columns = [
            groups.of_values(table.values(name))[table.codes(name)]
            for name, groups in zip(table.columns, self._groups, strict=True)
        ]
        return np.column_stack(columns)

    def __sklearn_tags__(self) -> Any:  # noqa: ANN401
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = tags.input_tags.categorical = tags.input_tags.string = True
        tags.transformer_tags.preserves_dtype = []
        return tags
