"""Local differential privacy of randomized transactions, recomputed from operator and rows.

How many items a randomized set has does not depend on what the original held, only on how many
there were: rows that were not randomized as stated give themselves away by their sizes.
"""

from __future__ import annotations

import re
from collections import deque
from dataclasses import dataclass
from fractions import Fraction
from math import comb, lcm
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from discreet.data.transactions import Transactions
from discreet.errors import DataError
from discreet.verify.certificate import show
from discreet.verify.chance import check_unchanged, is_at_least_log, log_of
from discreet.verify.files.bounded import read_json
from discreet.verify.outcome import Check, Findings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from discreet.verify.certificate import Claims
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
        laws = stated.laws(np.unique(sizes).tolist())
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
    gammas: dict[int, Fraction | None] = {}
    for m, law in laws.items():
        gamma = gammas[m] = law.gamma()
        if gamma is None:
            detail = f"For sets of {m} items there is no bound: some result excludes some sets."
            return Check(name="epsilon", passed=False, detail=detail)
        if not is_at_least_log(Fraction(epsilon), gamma):
            detail = (
                f"Sets of {m} items have a local epsilon of {log_of(gamma):.4f}, more than the "
                f"{show(epsilon)} that is claimed."
            )
            return Check(name="epsilon", passed=False, detail=detail)
    fault = None if claims.version == 1 else _fault_of_sizes(claims, gammas)
    if fault is not None:
        return Check(name="epsilon", passed=False, detail=fault)
    listed = ", ".join(str(m) for m in laws) or "none"
    detail = f"Recomputed from the operator for every size that occurs ({listed})."
    return Check(name="epsilon", passed=True, detail=detail)


def _fault_of_sizes(claims: Claims, gammas: dict[int, Fraction | None]) -> str | None:
    """Return what is wrong with what steps state of each size, or None."""
    texts: list[str] = []
    for step in claims.events:
        stated = step.parameters.get("epsilon_by_size", ())
        texts += stated if isinstance(stated, tuple) else ()
        largest = step.parameters.get("max_size")
        if (
            step.name == "leave_out_large"
            and type(largest) is int
            and max(gammas, default=0) > largest
        ):
            return f"Sets of more than {largest} items were left out, and there is one."
        if step.name == "leave_out_large" and claims.neighbours == ANY:
            return "Large sets were left out, which shows of which size somebody's set was not."
    by_size = {int(size): Fraction(text) for size, text in (each.split(": ") for each in texts)}
    if set(by_size) != set(gammas) or len(by_size) < len(texts):
        return "The sizes with an epsilon of their own are not those that occur."
    for m, gamma in gammas.items():
        if gamma is not None and not is_at_least_log(by_size[m], gamma):
            return f"For sets of {m} items a smaller epsilon is stated than the operator gives."
        if gamma is not None and is_at_least_log(by_size[m] - _ROUNDED, gamma):
            return f"For sets of {m} items a larger epsilon is stated than the operator gives."
    return None


_ROUNDED = Fraction(2, 10**4)  # epsilons of sizes are rounded up to four digits


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
    order = np.argsort(sizes, kind="stable")
    starts = np.searchsorted(sizes[order], [*laws, LARGEST + 1])
    for (m, law), low, high in zip(laws.items(), starts, starts[1:], strict=False):
        chances, first = _length_chances(law)
        seen = np.bincount(lengths[order[low:high]], minlength=first + len(chances))
        rest = int(seen[:first].sum() + seen[first + len(chances) :].sum())
        if rest or not _fits(seen[first : first + len(chances)], chances):
            detail = (
                f"Sets of {m} items came out with other numbers of items than the operator "
                "gives: they were not randomized as stated."
            )
            return Check(name="randomization", passed=False, detail=detail)
    detail = "Randomized sets have as many items as the operator would give them."
    return Check(name="randomization", passed=True, detail=detail)


_FAR = 40.0  # standard deviations, beyond which a chance is less than a float can say


def _length_chances(law: Law) -> tuple[NDArray[np.float64], int]:
    """Return the chances that a randomized set has so many items, and the first such number.

    Numbers of new items that are further from their mean than chance can explain are left out.
    """
    m, n_items = law.m, law.n_items
    if law.rho is None:
        return np.ones(1), m
    from scipy.stats import binom  # type: ignore[import-untyped]

    n_new, rho = n_items - m, float(law.rho)
    wide = _FAR * (n_new * rho * (1 - rho)) ** 0.5 + 10 * _FAR
    low, high = max(0, int(n_new * rho - wide)), min(n_new, int(n_new * rho + wide) + 1)
    new = binom.pmf(np.arange(low, high + 1), n_new, rho)
    found: NDArray[np.float64] = np.convolve(law.shares, new)
    return found, low


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
        if not _fits(seen, law.shares):
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
            j = np.arange(t, m + 1)
            ways = np.exp(_log_comb(m - t, j - t) - _log_comb(m, j))
            kept = float((law.shares[t:] * ways).sum()) * (1 + _ROUNDING)
            chances[t] = max(chances.get(t, 0.0), kept * rest)
    row = np.repeat(np.arange(len(sizes)), np.diff(offsets))
    n_now = np.bincount(row[items < n_real], minlength=len(sizes))
    starts = np.concatenate([[0], np.cumsum(n_now)])
    same = (_n_shared(original, starts, items[items < n_real]) == true) & (n_now == true)
    return (check_unchanged(same, true, chances),)


_ROUNDING = 1e-9  # of logarithms of numbers of ways


def _log_comb(n: int, j: NDArray[np.int64]) -> NDArray[np.float64]:
    from scipy.special import gammaln  # type: ignore[import-untyped]

    found: NDArray[np.float64] = gammaln(n + 1) - gammaln(j + 1) - gammaln(n - j + 1)
    return found


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

    def laws(self, sizes: Sequence[int]) -> dict[int, Law]:
        """Return what happens to sets of some sizes.

        Raises
        ------
        DataError
            If the description does not say, or it takes too long to work it out.
        """
        found, n_steps = {}, 0.0
        for m in sizes:
            n_steps += self._n_steps(m)
            if n_steps > MOST_STEPS:
                raise DataError(
                    f"{OPERATOR_FILE} states chances of so many digits, for sets of so many items, "
                    "that it takes too long to work out what they come to."
                )
            found[m] = self.law(m)
        return found

    def _n_steps(self, m: int) -> float:
        """Return how long it takes to work out a law: numbers multiplied, by their lengths."""
        kind, rho, keep = self.options.get("operator"), self._at("rho", m), self._at("keep", m)
        n_digits = len(str(rho if kind != "uniform" else self.options.get("p")))
        terms, digits = m + 1, n_digits * (m + 1)
        if kind == "cut-and-paste":
            cutoff = self._at("cutoff", m)
            terms *= 1 + min(cutoff, m) if type(cutoff) is int else 1
        if isinstance(keep, list):
            digits += sum(len(str(each).partition("/")[2]) for each in keep)
        return terms * (1 + (digits / 300) ** 2)

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
            return _law(self.n_items, _cut_and_paste(m, cutoff, rho), rho)
        if kind == "select-a-size":
            keep = self._at("keep", m)
            if not isinstance(keep, list) or len(keep) != m + 1:
                raise DataError(f"The chances of keeping 0 to {m} items are not stated.")
            rho, each = _chance(self._at("rho", m)), list(map(_chance, keep))
            total = lcm(*(chance.denominator for chance in each))
            return _law(
                self.n_items,
                (tuple(chance.numerator * (total // chance.denominator) for chance in each), total),
                rho,
            )
        if kind == "uniform":
            p = _chance(self.options.get("p"))
            return _law(self.n_items, (_binomial(m, 1 - p), p.denominator**m), None)
        raise DataError(f"The operator {kind!r} is not known here.")

    def _at(self, name: str, m: int) -> object:
        """Return an option that may be given for each size."""
        value = self.options.get(name)
        return value.get(str(m)) if isinstance(value, dict) else value


@dataclass(frozen=True, slots=True, kw_only=True)
class Law:
    r"""The law for sets of m items: how many are kept, and how others come in.

    All in whole numbers: fractions of many digits would be reduced again and again.

    Attributes
    ----------
    n_items : int
        Number of all items.
    weights : tuple of int
        The chances that j of the m items are kept, times ``total``.
    total : int
        What the chances are parts of.
    rho : Fraction or None
        The chance of every other item to come in; None if each item lost is replaced by a new
        one, all choices of new ones being equally likely.
    """

    n_items: int
    weights: tuple[int, ...]
    total: int
    rho: Fraction | None

    def __post_init__(self) -> None:
        if sum(self.weights) != self.total or min(self.weights) < 0:
            raise DataError("The chances of keeping items are no chances.")
        if self.rho is not None and not 0 < self.rho < 1:
            raise DataError("The chance of inserting an item is not between 0 and 1.")

    @property
    def m(self) -> int:
        """The number of items of a set."""
        return len(self.weights) - 1

    @property
    def shares(self) -> NDArray[np.float64]:
        """The chances of keeping 0, 1, ... items."""
        return np.array([weight / self.total for weight in self.weights])

    def gamma(self) -> Fraction | None:
        r"""Return how much likelier one set of m items makes a result than another, at most.

        .. math:: \gamma = \max_{a, b} \frac{P[a, s]}{P[b, s]}

        over results of :math:`s` items that hold :math:`a` of one set and :math:`b` of another;
        such sets exist if both numbers of items fit into and beside the result. Which
        :math:`s` is no matter where items come in independently. None if there is no bound.
        Rounded up where it has more digits than are worked with.
        """
        outside = self.n_items - self.m
        if self.rho is None:  # what is lost is replaced: results have m items
            first, apart = max(0, self.m - outside), self.m
        else:
            first, apart = 0, outside
        chances = self._proportional()
        above, below = 1, 1
        waiting: deque[int] = deque()  # places in reach, least chances first
        reached = first
        for a in range(first, self.m + 1):
            while reached <= min(a + apart, self.m):
                while waiting and _is_less(chances[reached], chances[waiting[-1]]):
                    waiting.pop()
                waiting.append(reached)
                reached += 1
            while waiting[0] < a - apart:
                waiting.popleft()
            (over, of), (under, part) = chances[a], chances[waiting[0]]
            if over and not under:
                return None
            if over and over * part * below > above * of * under:
                above, below = _short(over * part, of * under)
        return Fraction(above, below)

    def _proportional(self) -> list[tuple[int, int]]:
        """Return numbers, each over another, in the ratio of the chances of one result.

        By how many items of the set it holds. The factors that all of them share are omitted:
        with many items those are powers too large to work with.
        """
        m, outside = self.m, self.n_items - self.m
        if self.rho is None:
            return [
                (weight, ways * comb(outside, m - j)) if m - j <= outside else (0, 1)
                for j, (weight, ways) in enumerate(zip(self.weights, _ways(m), strict=True))
            ]
        into, out = self.rho.numerator, self.rho.denominator - self.rho.numerator
        ins, outs = _powers(into, m), _powers(out, m)
        return [
            (weight * outs[j] * ins[m - j], ways)
            for j, (weight, ways) in enumerate(zip(self.weights, _ways(m), strict=True))
        ]


MOST_STEPS = 2 * 10**8  # some minutes at the most

_MANY_BITS = 4000


def _law(n_items: int, keep: tuple[tuple[int, ...], int], rho: Fraction | None) -> Law:
    return Law(n_items=n_items, weights=keep[0], total=keep[1], rho=rho)


def _is_less(one: tuple[int, int], other: tuple[int, int]) -> bool:
    return one[0] * other[1] < other[0] * one[1]


def _short(above: int, below: int) -> tuple[int, int]:
    """Return a ratio of numbers of many bits by fewer of them, and not below what it is."""
    extra = min(above.bit_length(), below.bit_length()) - _MANY_BITS
    if extra <= 0:
        return above, below
    return (above >> extra) + 1, below >> extra


def _powers(base: int, most: int) -> list[int]:
    """Return the powers of a number from 0 to some."""
    found = [1]
    for _ in range(most):
        found.append(found[-1] * base)
    return found


def _binomial(n: int, share: Fraction) -> tuple[int, ...]:
    """Return the chances of 0 to n out of n, times the n-th power of the share's denominator."""
    yes = _powers(share.numerator, n)
    no = _powers(share.denominator - share.numerator, n)
    return tuple(ways * yes[j] * no[n - j] for j, ways in enumerate(_ways(n)))


def _ways(n: int) -> list[int]:
    """Return in how many ways 0 to n of n can be chosen."""
    found = [1]
    for j in range(n):
        found.append(found[-1] * (n - j) // (j + 1))
    return found


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


def _cut_and_paste(m: int, cutoff: object, rho: Fraction) -> tuple[tuple[int, ...], int]:
    """Return the chances of keeping 0 to m items, and what they are parts of.

    A uniform number of items for certain, of the others each by rho.
    """
    if type(cutoff) is not int or not 1 <= cutoff <= 10**6:
        raise DataError(f"No cutoff is stated for sets of {m} items.")
    whole = _powers(rho.denominator, m)
    keep = [0] * (m + 1)
    for certain in range(min(cutoff, m) + 1):
        # Draws past m count as m.
        share = cutoff + 1 - certain if certain == m else 1
        for more, weight in enumerate(_binomial(m - certain, rho)):
            keep[certain + more] += share * whole[certain] * weight
    return tuple(keep), (cutoff + 1) * whole[m]


def _chance(text: object) -> Fraction:
    if not isinstance(text, str) or not _CHANCE.fullmatch(text):
        raise DataError("A chance in operator.json is not written as p/q.")
    return Fraction(text)
