"""What a stated operator does to a set of m items, worked out from its description alone."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction
from math import comb
from typing import Any

from discreet.errors import DataError

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

        The factors that all of them share are left out: with many items those are powers too
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
        values = json.loads(content.decode())
    except (UnicodeDecodeError, ValueError, RecursionError):
        raise DataError("operator.json is not whole JSON.") from None
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
