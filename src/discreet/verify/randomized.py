"""Local differential privacy of randomized transactions, recomputed from operator and rows.

How many items a randomized set has does not depend on what the original held, only on how many
there were: rows that were not randomized as stated give themselves away by their sizes.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction
from math import comb
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from discreet.data.transactions import Transactions
from discreet.errors import DataError
from discreet.verify.chance import check_unchanged
from discreet.verify.files.bounded import read_json
from discreet.verify.outcome import Check, Findings

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from discreet.verify.certificate import Claims, Step
    from discreet.verify.evidence import Evidence


OPERATOR_FILE = "operator.json"

SAME_SIZE = "any two transactions of the same size"

ANY = "any two transactions"

LOCAL = "local differential privacy"

# How the model begins where items were listed from the transactions; in version 1 it did not.
IF_ITEMS_PUBLIC = "Only if the list of items is public: "

UNSEEN_ITEMS = "that the list of items was public, without which the figures do not hold"

READ = (
    "The items were listed from the transactions: that somebody has an item is not covered by the "
    "claim."
)

FALSE_ALARM = 1e-9

UNSEEN = "that every set was really randomized, by chance alone"

_LEAST_EXPECTED = 8.0  # of a bin of the test


def check_randomized(evidence: Evidence) -> Findings:
    r"""Return the checks of the claim, and further ones.

    The claim holds if :math:`\varepsilon \ge \ln \gamma_m` for every size :math:`m` that occurs,
    where :math:`\gamma_m` is worked out from the operator stated.

    Parameters
    ----------
    evidence : Evidence
        The claim has model, epsilon, and between which transactions it holds; rows have columns
        ``size`` and ``items``; ``operator.json`` is among the files. What was randomized, in the
        same order, may be given as Transactions.

    Notes
    -----
    Two tests can fail by bad luck: each has a chance of one in a billion for a size.
    """
    claims, operator = evidence.claims, evidence.files.get(OPERATOR_FILE)
    if operator is None:
        return _refused(f"There is no {OPERATOR_FILE}.")
    try:
        stated = read_operator(operator)
        sizes, offsets, items = _sets(evidence.rows, stated)
        laws = {m: stated.law(m) for m in np.unique(sizes).tolist()}
    except DataError as error:
        return _refused(str(error))
    drawn = Check(name="randomness", passed=None, detail=f"Not seen: {UNSEEN}.", unseen=UNSEEN)
    listed = _check_items(claims)
    claim = (*listed, _check_epsilon(claims, laws), _check_neighbours(claims, stated, laws), drawn)
    n_real = stated.n_items - stated.n_null
    if stated.n_null and not (items >= n_real).any():
        detail = "Null items were drawn and removed, so numbers of items cannot be compared."
        more = [Check(name="randomization", passed=None, detail=detail)]
    else:
        more = [_check_lengths(sizes, np.diff(offsets), laws)]
    if evidence.given is not None:
        more.append(_check_kept(evidence.given, sizes, (offsets, items), laws, stated))
        more += _check_unchanged(evidence.given, (sizes, offsets, items), laws, stated)
    return Findings(claim=claim, checks=(*claim, *more))


def _check_items(claims: Claims) -> tuple[Check, ...]:
    """Return whether the claim begins with the condition where items are not public."""
    stated = [step.parameters.get("items_are_public", None) for step in claims.events]
    is_public = True in stated and False not in stated
    model = LOCAL if is_public or claims.version == 1 else IF_ITEMS_PUBLIC + LOCAL
    if claims.model != model:
        detail = f"The step says of the list of items what belongs to the model '{model}'."
        return (Check(name="items", passed=False, detail=detail),)
    if is_public or claims.version == 1:
        return ()
    return (Check(name="items", passed=None, detail=READ, unseen=UNSEEN_ITEMS),)


def _refused(detail: str) -> Findings:
    check = (Check(name="epsilon", passed=False, detail=detail),)
    return Findings(claim=check, checks=check)


def _sets(
    rows: pl.DataFrame, stated: StatedOperator
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Return sizes, offsets and items, or raise DataError if they are no sets of the items."""
    if rows.columns != ["size", "items"] or not isinstance(rows["items"].dtype, pl.List):
        raise DataError("The rows are not sizes and lists of items.")
    if rows.null_count().row(0) != (0, 0):
        raise DataError("A size or a list of items is missing.")
    lists = rows["items"]
    items = lists.filter(lists.list.len() > 0).explode()
    if items.null_count() or not items.dtype.is_integer():
        raise DataError("An item is not a number.")
    if len(items) and not 0 <= items.min() <= items.max() < stated.n_items:  # type: ignore[operator]
        raise DataError(f"An item is not one of the {stated.n_items:,} stated.")
    if (lists.list.n_unique() != lists.list.len()).any():
        raise DataError("An item stands twice in a set.")
    offsets = np.concatenate([[0], np.cumsum(lists.list.len().to_numpy(), dtype=np.int64)])
    return rows["size"].to_numpy().astype(np.int64), offsets, items.to_numpy().astype(np.int64)


def _check_epsilon(claims: Claims, laws: dict[int, Law]) -> Check:
    epsilon = claims.parameters.get("epsilon")
    if not isinstance(epsilon, int | Fraction) or isinstance(epsilon, bool):
        return Check(name="epsilon", passed=False, detail="The claim has no epsilon.")
    for m, law in laws.items():
        gamma = law.gamma()
        if gamma is None:
            detail = f"For sets of {m} items there is no bound: some result excludes some sets."
            return Check(name="epsilon", passed=False, detail=detail)
        if not is_at_least_log(Fraction(epsilon), gamma):
            detail = (
                f"Sets of {m} items have a local epsilon of {np.log(float(gamma)):.4f}, more than "
                f"the {float(epsilon):.4f} that is claimed."
            )
            return Check(name="epsilon", passed=False, detail=detail)
    fault = None if claims.version == 1 else _fault_of_sizes(claims, laws)
    if fault is not None:
        return Check(name="epsilon", passed=False, detail=fault)
    listed = ", ".join(str(m) for m in laws) or "none"
    detail = f"Recomputed from the operator for every size that occurs ({listed})."
    return Check(name="epsilon", passed=True, detail=detail)


def _fault_of_sizes(claims: Claims, laws: dict[int, Law]) -> str | None:
    """Return what is wrong with the epsilons that a step states for each size, or None."""
    texts: list[str] = []
    for step in claims.events:
        stated = step.parameters.get("epsilon_by_size", ())
        texts += stated if isinstance(stated, tuple) else ()
    by_size = {int(size): Fraction(text) for size, text in (each.split(": ") for each in texts)}
    if set(by_size) != set(laws) or len(by_size) < len(texts):
        return "The sizes with an epsilon of their own are not those that occur."
    for m, law in laws.items():
        gamma = law.gamma()
        if gamma is not None and not is_at_least_log(by_size[m], gamma):
            return f"For sets of {m} items a smaller epsilon is stated than the operator gives."
    return None


def _check_neighbours(claims: Claims, stated: StatedOperator, laws: dict[int, Law]) -> Check:
    """Return whether the claim is made between transactions that it can be made between."""
    if claims.neighbours == SAME_SIZE:
        detail = "Between transactions of the same size: true sizes are published."
        return Check(name="neighbours", passed=True, detail=detail)
    if claims.neighbours != ANY:
        detail = f"This verifier does not know the neighbours '{claims.neighbours}'."
        return Check(name="neighbours", passed=False, detail=detail)
    if len(laws) > 1 or not all(m <= stated.n_null for m in laws):
        detail = (
            "Claimed between any two transactions, but sizes differ or null items do not suffice "
            "to fill every transaction up to one size."
        )
        return Check(name="neighbours", passed=False, detail=detail)
    detail = "Between any two transactions: all have one public size."
    return Check(name="neighbours", passed=True, detail=detail)


def _check_lengths(
    sizes: NDArray[np.int64], lengths: NDArray[np.int64], laws: dict[int, Law]
) -> Check:
    """Return whether randomized sets have as many items as the operator gives them."""
    for m, law in laws.items():
        seen = np.bincount(lengths[sizes == m], minlength=law.n_items + 1)
        if not _fits(seen, _length_chances(law)):
            detail = (
                f"Sets of {m} items came out with other numbers of items than the operator "
                "gives: they were not randomized as stated."
            )
            return Check(name="randomization", passed=False, detail=detail)
    detail = "Randomized sets have as many items as the operator would give them."
    return Check(name="randomization", passed=True, detail=detail)


def _length_chances(law: Law) -> NDArray[np.float64]:
    """Return the chances that a randomized set has 0, 1, ... items."""
    m, n_items = len(law.keep) - 1, law.n_items
    if law.rho is None:
        return np.bincount([m], minlength=n_items + 1).astype(np.float64)
    from scipy.stats import binom  # type: ignore[import-untyped]

    new = binom.pmf(np.arange(n_items - m + 1), n_items - m, float(law.rho))
    found: NDArray[np.float64] = np.convolve(np.array(law.keep, float), new)
    return found


def _check_kept(
    original: object,
    sizes: NDArray[np.int64],
    sets: tuple[NDArray[np.int64], NDArray[np.int64]],
    laws: dict[int, Law],
    stated: StatedOperator,
) -> Check:
    """Return whether the sets of the original kept as many items as the operator keeps."""
    name = "original"
    if not isinstance(original, Transactions):
        detail = "The original is not a set of transactions, so it was not compared."
        return Check(name=name, passed=None, detail=detail)
    if stated.n_null:
        detail = "Sets were filled up or cut first, so the original is not held against them."
        return Check(name=name, passed=None, detail=detail)
    if original.n_items != stated.n_items or original.sizes.tolist() != sizes.tolist():
        detail = "The original has other items or sizes than the release."
        return Check(name=name, passed=False, detail=detail)
    kept = _n_shared(original, *sets)
    for m, law in laws.items():
        seen = np.bincount(kept[sizes == m], minlength=m + 1)
        if not _fits(seen, np.array(law.keep, float)):
            detail = f"Sets of {m} items kept other numbers of items than the operator keeps."
            return Check(name=name, passed=False, detail=detail)
    detail = "Sizes are those of the original, and so is how many items of it were kept."
    return Check(name=name, passed=True, detail=detail)


def _check_unchanged(
    original: object,
    sets: tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]],
    laws: dict[int, Law],
    stated: StatedOperator,
) -> tuple[Check, ...]:
    """Return whether too many sets are those of the original, also if they were filled up.

    Of a set of t items filled up to m, the t are all kept if j of m are with the chance
    C(m - t, j - t) / C(m, j), and no other item may come in.
    """
    sizes, offsets, items = sets
    if not isinstance(original, Transactions) or len(original) != len(sizes):
        return ()
    n_real = stated.n_items - stated.n_null
    if original.n_items != n_real:
        return ()
    true = original.sizes.astype(np.int64)
    chances: dict[int, float] = {}
    for m, law in laws.items():
        for t in range(1, m + 1):
            rest = 1.0 if law.rho is None else float(1 - law.rho) ** max(n_real - t, 0)
            kept = sum(
                float(law.keep[j]) * comb(m - t, j - t) / comb(m, j) for j in range(t, m + 1)
            )
            chances[t] = max(chances.get(t, 0.0), kept * rest)
    row = np.repeat(np.arange(len(sizes)), np.diff(offsets))
    n_now = np.bincount(row[items < n_real], minlength=len(sizes))
    starts = np.concatenate([[0], np.cumsum(n_now)])
    same = (_n_shared(original, starts, items[items < n_real]) == true) & (n_now == true)
    return (check_unchanged(same, true, chances),)


def _n_shared(
    original: Transactions, offsets: NDArray[np.int64], items: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return for each transaction how many of its items are in the randomized set."""
    n_items = max(original.n_items, 1)
    row = np.repeat(np.arange(len(original)), original.sizes)
    now = np.repeat(np.arange(len(original)), np.diff(offsets))
    is_kept = np.isin(row * n_items + original.items, now * n_items + items)
    return np.bincount(row[is_kept], minlength=len(original))


def _fits(seen: NDArray[np.int64], chances: NDArray[np.float64]) -> bool:
    """Say whether counts could come from chances: Pearson's test, rare values put together.

    Examples
    --------
    >>> _fits(np.array([480, 520]), np.array([0.5, 0.5]))
    True
    >>> _fits(np.array([300, 700]), np.array([0.5, 0.5]))
    False
    """
    from scipy.stats import chi2

    expected = chances * seen.sum()
    if (seen[expected == 0] > 0).any():
        return False
    # Neighbouring values share a bin until it is large enough for the test.
    edge = np.floor(np.cumsum(expected) / _LEAST_EXPECTED - 1e-9).astype(np.int64)
    bins = np.unique(np.minimum(edge, max(edge[-1] - 1, 0)), return_inverse=True)[1]
    want, got = np.bincount(bins, expected), np.bincount(bins, seen)
    solid = want > 0
    statistic = float((((got - want) ** 2)[solid] / want[solid]).sum())
    return bool(chi2.sf(statistic, max(int(solid.sum()) - 1, 1)) >= FALSE_ALARM)


# What a stated operator does to a set of m items, worked out from its description alone.

_CHANCE = re.compile(r"[0-9]{1,400}(/[1-9][0-9]{0,399})?")

LARGEST = 1000  # items of one transaction


@dataclass(frozen=True, slots=True, kw_only=True)
class StatedOperator:
    """The content of ``operator.json``: how sets were randomized, and over which items."""

    options: dict[str, Any]
    n_items: int
    n_null: int

    def law(self, m: int) -> Law:
        """Return what happens to sets of m items.

        Raises
        ------
        DataError
            If the description does not say.
        """
        if not 0 <= m <= min(self.n_items, LARGEST):
            raise DataError(f"There is no law for sets of {m} of {self.n_items} items.")
        kind = self.options.get("operator")
        if kind == "cut-and-paste":
            cutoff, rho = self._at("cutoff", m), _chance(self._at("rho", m))
            return Law(n_items=self.n_items, keep=_cut_and_paste(m, cutoff, rho), rho=rho)
        if kind == "select-a-size":
            keep = self._at("keep", m)
            if not isinstance(keep, list) or len(keep) != m + 1:
                raise DataError(f"The chances of keeping 0 to {m} items are not stated.")
            rho = _chance(self._at("rho", m))
            return Law(n_items=self.n_items, keep=tuple(map(_chance, keep)), rho=rho)
        if kind == "uniform":
            p = _chance(self.options.get("p"))
            keep = tuple(comb(m, j) * (1 - p) ** j * p ** (m - j) for j in range(m + 1))
            return Law(n_items=self.n_items, keep=keep, rho=None)
        raise DataError(f"The operator {kind!r} is not known here.")

    def _at(self, name: str, m: int) -> object:
        """Return an option that may be given for each size."""
        value = self.options.get(name)
        return value.get(str(m)) if isinstance(value, dict) else value


@dataclass(frozen=True, slots=True, kw_only=True)
class Law:
    r"""The law for sets of m items: how many are kept, and how others come in.

    Attributes
    ----------
    n_items : int
        Number of all items.
    keep : tuple of Fraction
        The chance that j of the m items are kept.
    rho : Fraction or None
        The chance of every other item to come in; None if each item lost is replaced by a new
        one, all choices of new ones being equally likely.
    """

    n_items: int
    keep: tuple[Fraction, ...]
    rho: Fraction | None

    def __post_init__(self) -> None:
        if sum(self.keep) != 1 or min(self.keep) < 0:
            raise DataError("The chances of keeping items are no chances.")
        if self.rho is not None and not 0 < self.rho < 1:
            raise DataError("The chance of inserting an item is not between 0 and 1.")

    def chance(self, kept: int, size: int) -> Fraction:
        """Return the chance of one given result: ``kept`` items of the set, ``size`` in all."""
        m = len(self.keep) - 1
        outside, new = self.n_items - m, size - kept
        if not 0 <= new <= outside or not 0 <= kept <= m:
            return Fraction(0)
        chosen = self.keep[kept] / comb(m, kept)
        if self.rho is None:
            return chosen / comb(outside, new) if size == m else Fraction(0)
        return chosen * self.rho**new * (1 - self.rho) ** (outside - new)

    def gamma(self) -> Fraction | None:
        r"""Return how much likelier one set of m items makes a result than another, at most.

        .. math:: \gamma = \max_{a, b} \frac{P[a, s]}{P[b, s]}

        over results of :math:`s` items that hold :math:`a` of one set and :math:`b` of another;
        such sets exist if both numbers of items fit into and beside the result. Which
        :math:`s` is no matter where items come in independently. None if there is no bound.
        """
        m = len(self.keep) - 1
        worst = Fraction(1)
        chances = self._proportional()
        for a, over in enumerate(chances):
            for b, under in enumerate(chances):
                size = m if self.rho is None else max(a, b)
                if size - min(a, b) > self.n_items - m:
                    continue
                if over and not under:
                    return None
                worst = max(worst, over / under) if over else worst
        return worst

    def _proportional(self) -> list[Fraction]:
        """Return numbers in the ratio of the chances of one result, by how many items it holds.

        The factors that all of them share are omitted: with many items those are powers too
        large to work with.
        """
        m = len(self.keep) - 1
        if self.rho is None:
            return [
                self.chance(j, m) if m - j <= self.n_items - m else Fraction(0)
                for j in range(m + 1)
            ]
        odds = (1 - self.rho) / self.rho
        return [chance / comb(m, j) * odds**j for j, chance in enumerate(self.keep)]


def read_operator(content: bytes) -> StatedOperator:
    """Return the operator that a file states.

    Raises
    ------
    DataError
        If the file is not as its format is described.
    """
    try:
        values = read_json(content)
    except DataError as error:
        raise DataError(f"{OPERATOR_FILE} {error}") from None
    if not isinstance(values, dict) or set(values) != {"items", "null_items", "operator"}:
        raise DataError("operator.json does not state items, null_items and operator.")
    items, n_null, options = values["items"], values["null_items"], values["operator"]
    if not isinstance(items, list) or len(set(map(repr, items))) != len(items):
        raise DataError("The items of operator.json are not a list of different items.")
    if type(n_null) is not int or not 0 <= n_null <= len(items) or not isinstance(options, dict):
        raise DataError("operator.json does not state its null items or its options.")
    return StatedOperator(options=options, n_items=len(items), n_null=n_null)


def is_at_least_log(epsilon: Fraction, gamma: Fraction) -> bool:
    """Say whether a number is at least the natural logarithm of another.

    Examples
    --------
    >>> [is_at_least_log(Fraction(epsilon), Fraction(13)) for epsilon in ("2.5650", "2.5649")]
    [True, False]
    """
    with localcontext() as context:
        context.prec = 60
        exact = (Decimal(gamma.numerator) / Decimal(gamma.denominator)).ln()
        return Decimal(epsilon.numerator) / Decimal(epsilon.denominator) >= exact


def _cut_and_paste(m: int, cutoff: object, rho: Fraction) -> tuple[Fraction, ...]:
    """Return the chances of keeping 0 to m items: a uniform number for certain, others by rho."""
    if type(cutoff) is not int or not 1 <= cutoff <= 10**6:
        raise DataError(f"No cutoff is stated for sets of {m} items.")
    keep = [Fraction(0)] * (m + 1)
    for certain in range(min(cutoff, m) + 1):
        # Draws past m count as m.
        share = Fraction(cutoff + 1 - certain if certain == m else 1, cutoff + 1)
        for more in range(m - certain + 1):
            keep[certain + more] += (
                share * comb(m - certain, more) * rho**more * (1 - rho) ** (m - certain - more)
            )
    return tuple(keep)


def _chance(text: object) -> Fraction:
    if not isinstance(text, str) or not _CHANCE.fullmatch(text):
        raise DataError("A chance in operator.json is not written as p/q.")
    return Fraction(text)


# Cells under k-ary randomized response: what the chances that are stated cost.


def check_cells(claims: Claims, sizes: dict[str, int]) -> tuple[Check, Fraction]:
    r"""Return whether the chances of every column fit its epsilon, and the sum of these.

    .. math:: p + (k - 1) q = 1, \qquad \ln (p / q) \le \varepsilon_j

    where :math:`k` is the number of values of the column, :math:`p` the chance that a cell keeps
    its value and :math:`q` that of each other value.

    Raises
    ------
    DataError
        If a column has no chances, or two.
    """
    found: dict[str, Fraction] = {}
    for event in claims.events:
        if event.name != "randomize_cells":
            continue
        column, epsilon, p, q = _read_cells(event)
        if column in found or column not in sizes:
            raise DataError("Chances are stated twice for a column, or for one without a list.")
        found[column] = epsilon
        fault = _cell_fault(sizes[column], epsilon, p, q)
        if fault is not None:
            detail = f"Column '{column}': {fault}."
            return Check(name="cells", passed=False, detail=detail), sum(
                found.values(), Fraction(0)
            )
    if set(found) != set(sizes):
        raise DataError("Not every released column states how its cells were randomized.")
    detail = "In every column the chances stated have an epsilon of at most that stated."
    return Check(name="cells", passed=True, detail=detail), sum(found.values(), Fraction(0))


def _cell_fault(n_values: int, epsilon: Fraction, p: Fraction, q: Fraction) -> str | None:
    """Return what is wrong with the chances of a column; None if nothing is."""
    if not 0 <= q <= p <= 1 or p + (n_values - 1) * q != 1:
        return f"p and q are no chances for {n_values} values"
    if n_values == 1:
        return None
    if q == 0:
        return "cells always keep their value, so that there is no epsilon"
    if not is_at_least_log(epsilon, p / q):
        return f"ln(p/q) is above the epsilon of {float(epsilon):.6g} that is stated"
    return None


def _read_cells(event: Step) -> tuple[str, Fraction, Fraction, Fraction]:
    column = event.parameters.get("column")
    numbers = [event.parameters.get(name) for name in ("epsilon", "p", "q")]
    if not isinstance(column, str):
        raise DataError("Chances are stated without their column.")
    read = []
    for number in numbers:
        if isinstance(number, bool) or not isinstance(number, int | Fraction) or number < 0:
            raise DataError(f"The chances of column '{column}' are not stated.", column=column)
        read.append(Fraction(number))
    return column, *read  # type: ignore[return-value]  # three of them
