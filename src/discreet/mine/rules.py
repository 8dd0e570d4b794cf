"""Association rules: what else a row tends to contain, given what it contains."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from discreet import _native, checks
from discreet.data.frames import as_kind, write_frame
from discreet.errors import DataError, ParameterError
from discreet.limits import search
from discreet.mine.itemsets import list_column
from discreet.result import Preview, Result

if TYPE_CHECKING:
    from collections.abc import Hashable
    from fractions import Fraction
    from pathlib import Path
    from typing import Unpack

    import numpy as np
    import polars as pl
    from numpy.typing import NDArray

    from discreet.data.column import FrameKind
    from discreet.limits import Limits
    from discreet.mine.itemsets import Itemsets

MAX_DENOMINATOR = 2**62


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Rules(Result):
    """Rules antecedent -> consequent with the three supports they are made of.

    Rule ``i`` has the items ``antecedents[antecedent_offsets[i]:antecedent_offsets[i + 1]]``
    and likewise for consequents; ``supports`` counts the rows that contain both.
    """

    antecedent_offsets: NDArray[np.int64]
    antecedents: NDArray[np.int32]
    consequent_offsets: NDArray[np.int64]
    consequents: NDArray[np.int32]
    supports: NDArray[np.int64]
    antecedent_supports: NDArray[np.int64]
    consequent_supports: NDArray[np.int64]
    labels: tuple[Hashable, ...]
    n_itemsets: int
    n_rows: int

    def __len__(self) -> int:
        return len(self.supports)

    def __repr__(self) -> str:
        return f"Rules({len(self):,} from {self.n_rows:,} rows)"

    @property
    def confidences(self) -> NDArray[np.float64]:
        """Share of the rows with the antecedent that also have the consequent."""
        return self.supports / self.antecedent_supports

    @property
    def lifts(self) -> NDArray[np.float64]:
        """Confidence divided by the consequent's share of all rows."""
        return self.confidences * (self.n_rows / self.consequent_supports)

    def in_words(self, index: int) -> tuple[list[str], list[str]]:
        """Return antecedent and consequent of one rule as text."""
        left = slice(self.antecedent_offsets[index], self.antecedent_offsets[index + 1])
        right = slice(self.consequent_offsets[index], self.consequent_offsets[index + 1])
        return (
            [str(self.labels[code]) for code in self.antecedents[left]],
            [str(self.labels[code]) for code in self.consequents[right]],
        )

    def preview(self) -> Preview:
        """Return the first ten rules."""
        rows = []
        for i in range(min(10, len(self))):
            antecedent, consequent = self.in_words(i)
            rule = f"{', '.join(antecedent)} -> {', '.join(consequent)}"
            figures = (
                f"{self.supports[i]:,}",
                f"{self.confidences[i]:.3f}",
                f"{self.lifts[i]:.3f}",
            )
            rows.append((rule, *figures))
        return Preview(
            title=repr(self), header=("rule", "support", "confidence", "lift"), rows=rows
        )

    def to_dict(self) -> dict[str, object]:
        """Return n_rules, n_itemsets, n_rows and the rules as text with their figures."""
        confidences, lifts = self.confidences, self.lifts
        rows = []
        for i in range(len(self)):
            antecedent, consequent = self.in_words(i)
            rows.append(
                {
                    "antecedent": antecedent,
                    "consequent": consequent,
                    "support": int(self.supports[i]),
                    "confidence": float(confidences[i]),
                    "lift": float(lifts[i]),
                }
            )
        return {
            "kind": "rules",
            "n_rules": len(self),
            "n_itemsets": self.n_itemsets,
            "n_rows": self.n_rows,
            "rules": rows,
        }

    def to_frame(self, kind: FrameKind = "polars") -> Any:  # noqa: ANN401  of the kind asked for
        """Return a frame named as mlxtend names its columns, with supports as shares."""
        return as_kind(self._frame(), kind)

    def write(self, path: str | Path, *, overwrite: bool = False) -> None:
        """Write to ``.parquet`` or ``.csv``, whole or not at all."""
        write_frame(self._frame(), path, overwrite=overwrite)

    def _frame(self) -> pl.DataFrame:
        import polars as pl

        n_rows = max(self.n_rows, 1)
        return pl.DataFrame(
            {
                "antecedents": list_column(self.labels, self.antecedent_offsets, self.antecedents),
                "consequents": list_column(self.labels, self.consequent_offsets, self.consequents),
                "antecedent support": self.antecedent_supports / n_rows,
                "consequent support": self.consequent_supports / n_rows,
                "support": self.supports / n_rows,
                "confidence": self.confidences,
                "lift": self.lifts,
            }
        )


def rules(
    itemsets: Itemsets,
    *,
    min_confidence: float | Fraction,
    **limits: Unpack[Limits],
) -> Rules:
    r"""Return the rules X -> Y with X and Y disjoint, not empty, and a confidence high enough.

    .. math:: \mathrm{conf}(X \to Y) =
        \frac{\mathrm{supp}(X \cup Y)}{\mathrm{supp}(X)} \ge c, \qquad
        \mathrm{lift}(X \to Y) = \frac{\mathrm{conf}(X \to Y) \; n}{\mathrm{supp}(Y)}

    where :math:`c` is ``min_confidence`` and :math:`n` the number of rows.

    Parameters
    ----------
    itemsets : Itemsets
        A collection that contains all subsets of its members, as :func:`discreet.mine.frequent`
        returns. With ``max_size`` it is enough that it was mined with that limit.
    min_confidence : float or Fraction
        Least confidence, from 0 to 1; a float is read as the decimal it prints as and
        compared exactly.
    **limits : Limits
        ``threads``, ``max_itemsets`` (here: most rules), ``max_memory``, ``progress``.

    Returns
    -------
    Rules
        Ordered by the itemset they come from, then by antecedent.

    Raises
    ------
    DataError
        If a subset of an itemset is missing from the collection.
    LimitError
        If there are more rules than ``max_itemsets``.

    References
    ----------
    R. Agrawal, R. Srikant (1994), section 3: moving items from antecedent to consequent can
    only lower the confidence.

    Examples
    --------
    >>> import discreet as dc
    >>> baskets = dc.Transactions.from_iterable([{"tea", "milk"}, {"tea", "milk"}, {"tea"}])
    >>> found = dc.mine.rules(dc.mine.frequent(baskets, min_support=1), min_confidence=0.9)
    >>> found.in_words(0), float(found.confidences[0])
    ((['milk'], ['tea']), 1.0)
    """
    least = checks.share("min_confidence", min_confidence)
    if least.denominator >= MAX_DENOMINATOR:
        raise ParameterError(
            "{min_confidence} has too many digits; round it.",
            parameter="min_confidence",
            options={"min_confidence": min_confidence},
        )
    with search("rules", "Raise min_confidence, mine fewer itemsets", **limits) as running:
        try:
            arrays = _native.rules(
                itemsets.offsets,
                itemsets.items,
                itemsets.supports,
                itemsets.n_rows,
                least.numerator,
                least.denominator,
                1,  # every itemset given is frequent enough
                running.control,
                running.progress,
            )
        except ValueError as wrong:
            raise DataError(
                f"{wrong}. Rules need every subset of every itemset: use dc.mine.frequent, "
                "not closed or maximal itemsets."
            ) from None
    return Rules(
        antecedent_offsets=arrays[0],
        antecedents=arrays[1],
        consequent_offsets=arrays[2],
        consequents=arrays[3],
        supports=arrays[4],
        antecedent_supports=arrays[5],
        consequent_supports=arrays[6],
        labels=itemsets.labels,
        n_itemsets=len(itemsets),
        n_rows=itemsets.n_rows,
    )
