"""What published association rules disclose: supports, and groups of few rows."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from discreet import checks
from discreet.errors import DataError, ParameterError
from discreet.mine.rules import Rules
from discreet.patterns.channels import Channel
from discreet.patterns.texts import plain_columns, read_items
from discreet.result import Preview, Result

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from numpy.typing import NDArray

    from discreet.patterns.texts import Columns


MOST_ITEMS = 12

UNKNOWN = 2**60  # an open end, far from overflow in sums of 2**12


def check_rules(
    rules: object, *, k: int, n_rows: int | None = None, decimals: int | None = None
) -> RuleLeaks:
    r"""Return the groups of fewer than k rows that published rules disclose.

    A rule :math:`X \to Y` reports :math:`\mathrm{supp}(X \cup Y)` and, by its confidence,
    :math:`\mathrm{supp}(X) = \mathrm{supp}(X \cup Y) / \mathrm{conf}`, hence also the number of its
    exceptions. These supports are put together as those of a collection are in
    :func:`~discreet.patterns.channels.channels`, within what rounding allows.

    Parameters
    ----------
    rules : Rules, path or frame
        See :func:`~discreet.patterns.rules.published_rules`.
    k : int
        Groups of fewer rows are leaks, at least 2.
    n_rows : int, optional
        The number of rows, if it is published; needed if supports are shares.
    decimals : int, optional
        Decimals of confidences and shares; by default as many as they are written with.

    Returns
    -------
    RuleLeaks
        Certain leaks, whatever was rounded or cut off; and, apart, possible ones.

    Raises
    ------
    DataError
        If supports or confidences are missing, or contradict each other.

    Notes
    -----
    **Guarantee.** None: this is a test. Supports that the rules do not report are not bounded here.
    Groups are looked at for itemsets of at most 12 items; the exceptions of a rule always are.

    References
    ----------
    M. Atzori, F. Bonchi, F. Giannotti, D. Pedreschi (2008), Anonymity preserving pattern
    discovery, section 1.1 and example 2, where 80 / 81 = 98.765 % is cut off to 98.7 %.

    Examples
    --------
    >>> found = check_rules({"antecedents": ["a b c"], "consequents": ["d"], "support": [80],
    ...     "confidence": ["98.7 %"]}, k=10)
    >>> print(*found)
    only 1 row has a, b and c, but not d
    """
    k = checks.whole("k", k, at_least=2)
    read = published_rules(rules, n_rows=n_rows, decimals=decimals)
    supports = _supports(read, n_rows)
    found: dict[tuple[frozenset[str], frozenset[str], bool], RuleLeak] = {}
    for leak in (*_exceptions(read, supports), *_groups(supports)):
        key = (leak.inside, leak.outside, leak.lacks_some)
        known = found.get(key, leak)  # what both say is true
        found[key] = replace(
            leak, least=max(leak.least, known.least), most=min(leak.most, known.most)
        )
    small = [leak for leak in found.values() if leak.most >= 1 and leak.least < k]
    certain = [leak for leak in small if leak.least >= 1 and leak.most < k]
    possible = [leak for leak in small if leak.least < 1 or leak.most >= k]
    return RuleLeaks(
        k=k,
        n_rules=len(read),
        supports=supports,
        n_channels=len(certain),
        certain=_most_specific(certain),
        possible=_most_specific(possible),
        n_not_examined=sum(len(items) > MOST_ITEMS for items in supports),
    )


def _supports(rules: Iterable[PublishedRule], n_rows: int | None) -> dict[frozenset[str], Between]:
    """Return all that the rules say of each support, put together."""
    found: dict[frozenset[str], Between] = {}
    if n_rows is not None:
        found[frozenset()] = Between(n_rows, n_rows)
    for rule in rules:
        for items, stated in ((rule.left, rule.left_alone), (rule.left | rule.right, rule.both)):
            old = found.get(items, stated)
            both = Between(max(old.least, stated.least), min(old.most, stated.most))
            if both.most < both.least:
                raise DataError(
                    f"{rule.where}: {{{', '.join(sorted(items))}}} is in {_shown(stated)} rows by "
                    f"this rule, and in {_shown(old)} by others."
                )
            found[items] = both
    return _with_parts(found)


def _with_parts(supports: dict[frozenset[str], Between]) -> dict[frozenset[str], Between]:
    """Return supports bounded by those of parts that lack one item: these are not rarer."""
    bounded = dict(supports)
    for items in sorted(supports, key=len):
        for part in (items - {item} for item in items):
            if part in bounded and bounded[part].most < bounded[items].most:
                bounded[items] = Between(bounded[items].least, bounded[part].most)
    for items, known in bounded.items():
        if known.most < known.least:
            raise DataError(
                f"No data can have these figures: {{{', '.join(sorted(items))}}} would be more "
                "frequent than a part of it."
            )
    for items in sorted(supports, key=len, reverse=True):
        for part in (items - {item} for item in items):
            if part in bounded and bounded[part].least < bounded[items].least:
                bounded[part] = Between(bounded[items].least, bounded[part].most)
    return bounded


def _exceptions(
    rules: Iterable[PublishedRule], supports: dict[frozenset[str], Between]
) -> Iterator[RuleLeak]:
    """Yield the exceptions of each rule."""
    for rule in rules:
        alone, both = supports[rule.left], supports[rule.left | rule.right]
        yield RuleLeak(
            inside=rule.left,
            outside=rule.right,
            least=max(rule.exceptions.least, alone.least - both.most, 0),
            most=min(rule.exceptions.most, alone.most - both.least),
            lacks_some=len(rule.right) > 1,
        )


def _groups(supports: dict[frozenset[str], Between]) -> Iterator[RuleLeak]:
    """Yield the groups by each itemset whose numbers follow from known supports."""
    for items in supports:
        if not 0 < len(items) <= MOST_ITEMS:
            continue
        words = sorted(items)
        least, most = _cells(words, supports)
        if (most < 0).any():
            raise DataError(
                "No data can have these figures: see the supports of "
                f"{{{', '.join(words)}}} and its parts."
            )
        known = (least > -UNKNOWN // 2) & (most < UNKNOWN // 2)
        for mask in np.flatnonzero(known).tolist():
            inside = frozenset(word for place, word in enumerate(words) if mask >> place & 1)
            yield RuleLeak(
                inside=inside,
                outside=items - inside,
                least=max(int(least[mask]), 0),
                most=int(most[mask]),
            )


def _cells(
    words: list[str], supports: dict[frozenset[str], Between]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return from where to where the number of rows with exactly each part can be."""
    parts = [frozenset[str]()]
    for word in words:
        parts += [part | {word} for part in parts]
    known = [supports.get(part, Between(0, UNKNOWN)) for part in parts]
    least = np.array([ends.least if ends.most < UNKNOWN else -UNKNOWN for ends in known], object)
    most = np.array([ends.most for ends in known], object)
    for bit in range(len(words)):
        low, high = (ends.reshape(-1, 2, 1 << bit) for ends in (least, most))
        # Every support stands once in each sum, so that the ends of the sums can be reached.
        low[:, 0], high[:, 0] = low[:, 0] - high[:, 1], high[:, 0] - low[:, 1]
    return np.clip(least, -UNKNOWN, UNKNOWN).astype(np.int64), np.clip(
        most, -UNKNOWN, UNKNOWN
    ).astype(np.int64)


def _most_specific(leaks: list[RuleLeak]) -> tuple[RuleLeak, ...]:
    """Return leaks that are no part of a more specific one, smallest group first."""
    kept = [leak for leak in leaks if not any(_is_part(leak, other) for other in leaks)]
    return tuple(sorted(kept, key=lambda leak: (leak.most, leak.least, *map(sorted, _sides(leak)))))


def _sides(leak: RuleLeak) -> tuple[frozenset[str], frozenset[str]]:
    """Return what rows of a group have and lack."""
    return leak.inside, leak.outside


def _is_part(leak: RuleLeak, other: RuleLeak) -> bool:
    """Say whether another leak discloses all of this one and more."""
    if other is leak or other.lacks_some or not leak.inside <= other.inside:
        return False
    if leak.lacks_some:
        return bool(leak.outside & other.outside) and leak.outside <= other.inside | other.outside
    return leak.outside <= other.outside


def _shown(known: Between) -> str:
    """Return ``81`` or ``81 to 83``."""
    return str(known.least) if known.least == known.most else f"{known.least} to {known.most}"


# Groups of few rows that published rules disclose, as results.

N_SHOWN = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleLeak:
    """A group that has fewer than k rows, certainly or possibly.

    Attributes
    ----------
    inside : frozenset of str
        Items that every row of the group has.
    outside : frozenset of str
        Items that no row of the group has; with ``lacks_some``, not all of them.
    least, most : int
        How many rows it can have, by the rounding of the published figures.
    lacks_some : bool
        Whether rows of the group may have some of ``outside``, but not all.

    Examples
    --------
    >>> print(RuleLeak(inside=frozenset("a"), outside=frozenset("b"), least=1, most=3))
    from 1 to 3 rows have a, but not b
    """

    inside: frozenset[str]
    outside: frozenset[str]
    least: int
    most: int
    lacks_some: bool = False

    def __str__(self) -> str:
        words = str(Channel(inside=self.inside, outside=self.outside, support=self.most))
        if self.lacks_some:
            inside, outside = (" and ".join(sorted(s)) for s in (self.inside, self.outside))
            verb = "row has" if self.most == 1 else "rows have"
            words = f"only {self.most:,} {verb} {inside}, but not both {outside}"
            if len(self.outside) > 2:
                words = f"only {self.most:,} {verb} {inside}, but not all of {outside}"
        if self.least == self.most:
            return words
        return words.replace(f"only {self.most:,}", f"from {self.least:,} to {self.most:,}", 1)

    def to_dict(self) -> dict[str, object]:
        """Return items sorted, the numbers, and the words."""
        return {
            "inside": sorted(self.inside),
            "outside": sorted(self.outside),
            "lacks_some": self.lacks_some,
            "support": self.most if self.least == self.most else None,
            "least": self.least,
            "most": self.most,
            "in_words": str(self),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleLeaks(Result):
    """What published rules disclose: certainly, and possibly.

    Iterating gives the certain leaks, smallest group first.

    Attributes
    ----------
    k : int
        Groups of fewer rows are leaks.
    n_rules : int
        Rules looked at.
    supports : mapping of frozenset of str to Between
        The supports that the rules reveal, as far as the rounding allows.
    n_channels : int
        Certain leaks, those included that are part of a more specific one.
    certain, possible : tuple of RuleLeak
        Groups that have from 1 to k - 1 rows whatever was rounded; and those that may have.
    n_not_examined : int
        Itemsets of rules that are too large to look at all their groups.
    """

    k: int
    n_rules: int
    supports: dict[frozenset[str], Between]
    n_channels: int
    certain: tuple[RuleLeak, ...]
    possible: tuple[RuleLeak, ...]
    n_not_examined: int = 0

    def __len__(self) -> int:
        return len(self.certain)

    def __iter__(self) -> Iterator[RuleLeak]:
        return iter(self.certain)

    def __repr__(self) -> str:
        return f"RuleLeaks({self.sentence})"

    @property
    def n_exact(self) -> int:
        """Supports that are known exactly."""
        return sum(known.least == known.most for known in self.supports.values())

    @property
    def sentence(self) -> str:
        """What was found, in plain sentences."""
        n = len(self.certain)
        groups = "group" if n == 1 else "groups"
        disclosed = (
            f"These rules disclose {n:,} {groups} of fewer than {self.k} rows"
            if n
            else f"These rules disclose no group of fewer than {self.k} rows for certain"
        )
        maybe = len(self.possible)
        more = f"; {maybe:,} more may be that small, by rounding" if maybe else ""
        missed = (
            f" {self.n_not_examined:,} itemsets were too large to look at in full."
            if self.n_not_examined
            else ""
        )
        return f"{disclosed}{more}.{missed}"

    def preview(self) -> Preview:
        """Return the smallest groups in words, certain ones first."""
        rows = [("certain", str(leak)) for leak in self.certain[:N_SHOWN]]
        rows += [("possible", str(leak)) for leak in self.possible[:N_SHOWN]]
        return Preview(title=self.sentence, header=("", "what is disclosed"), rows=rows)

    def to_dict(self) -> dict[str, object]:
        """Return counts, supports and leaks; certain ones are the maximal channels."""
        return {
            "k": self.k,
            "n_rules": self.n_rules,
            "n_itemsets": len(self.supports),
            "n_exact_supports": self.n_exact,
            "n_channels": self.n_channels,
            "n_maximal_channels": len(self.certain),
            "maximal_channels": [leak.to_dict() for leak in self.certain],
            "possible": [leak.to_dict() for leak in self.possible],
            "n_not_examined": self.n_not_examined,
        }


# Association rules as published, and the supports that follow from their rounded figures.
#
# A confidence of 98.7 % may be rounded (98.65 % to 98.75 %) or cut off (98.7 % to 98.8 %). Supports
# are whole numbers, so that only a few of them fit, often one.

LEFT, RIGHT = ("antecedents", "antecedent"), ("consequents", "consequent")

WHAT = "a list of rules"

MOST_ROWS = 2**62

MOST_DECIMALS = 12  # more than these are the noise of binary numbers

_HALF = Fraction(1, 2)


class Between(NamedTuple):
    """A whole number that is known up to its rounding."""

    least: int
    most: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedRule:
    """A rule with what its figures say of the rows that have it.

    ``exceptions`` are the rows that have the left side, but not all of the right side.
    """

    left: frozenset[str]
    right: frozenset[str]
    both: Between
    left_alone: Between
    exceptions: Between
    where: str


def published_rules(
    rules: object, *, n_rows: int | None = None, decimals: int | None = None
) -> list[PublishedRule]:
    """Return rules with the whole numbers that are compatible with their figures.

    Parameters
    ----------
    rules : Rules, path or frame
        What :func:`discreet.mine.rules` found; or a CSV or Parquet file or a frame with columns
        ``antecedents``, ``consequents``, ``support`` (of both sides; a share or a number of
        rows) and ``confidence``, as mlxtend makes them. ``antecedent support`` is used if it is
        there.
    n_rows : int, optional
        The number of rows; needed if supports are shares.
    decimals : int, optional
        Decimals to which confidences and shares are published (of shares, not of percentages);
        by default, in each column, as many as the longest one is written with. Give 12 for
        numbers that were not rounded, if they may happen to be short, as 0.5 is.

    Returns
    -------
    list of PublishedRule
        In the order given.

    Raises
    ------
    DataError
        If a column is missing, a side is empty, or no whole numbers fit the figures of a rule.
    ParameterError
        If shares are given and ``n_rows`` is not.

    Examples
    --------
    >>> rule = published_rules({"antecedents": ["a"], "consequents": ["b"], "support": [80],
    ...     "confidence": ["98.7 %"]})[0]
    >>> rule.left_alone, rule.exceptions
    (Between(least=81, most=81), Between(least=1, most=1))
    """
    if n_rows is not None:
        n_rows = checks.whole("n_rows", n_rows, at_least=1)
    if decimals is not None:
        decimals = checks.whole("decimals", decimals, at_least=0, at_most=MOST_DECIMALS)
    if isinstance(rules, Rules):
        return _exactly(rules)
    columns = plain_columns(rules, what=WHAT)
    left, right = _column(columns, LEFT), _column(columns, RIGHT)
    for name in ("support", "confidence"):
        if name not in columns.values:
            more = " Without supports nothing can be said of numbers of rows." * (name == "support")
            raise DataError(
                f"{columns.name} has no column '{name}', which rules need.{more}", column=name
            )
    supports = _counts(columns, "support", n_rows, decimals)
    alone = None
    if "antecedent support" in columns.values:
        alone = _counts(columns, "antecedent support", n_rows, decimals)
    confidences = _figures(columns, "confidence", decimals)
    found = []
    for row in range(columns.n_rows):
        where = columns.where(row)
        sides = [read_items(columns.values[name][row], where=where) for name in (left, right)]
        if not all(sides) or sides[0] & sides[1]:
            raise DataError(f"{where}: both sides of a rule have items, and none in common.")
        given = None if alone is None else alone[row]
        rule = _rule(sides, supports[row], given, confidences[row], n_rows=n_rows, where=where)
        found.append(rule)
    return found


def _exactly(rules: Rules) -> list[PublishedRule]:
    """Return rules of our own, whose supports are known."""
    found = []
    for index in range(len(rules)):
        left, right = map(frozenset, rules.in_words(index))
        both, alone = int(rules.supports[index]), int(rules.antecedent_supports[index])
        found.append(
            PublishedRule(
                left=left,
                right=right,
                both=Between(both, both),
                left_alone=Between(alone, alone),
                exceptions=Between(alone - both, alone - both),
                where=f"rule {index}",
            )
        )
    return found


class _Range(NamedTuple):
    """From where to where a published figure can be; the upper end itself only if closed."""

    low: Fraction
    high: Fraction
    is_closed: bool


def _rule(
    sides: list[frozenset[str]],
    both: Between,
    given: Between | None,
    confidence: _Range,
    *,
    n_rows: int | None,
    where: str,
) -> PublishedRule:
    """Return the whole numbers that fit the figures of one rule."""
    # The exceptions are both * (1 / confidence - 1), which grows with both.
    low, high, is_closed = confidence
    fewest = both.least * (1 / high - 1) if high < 1 else Fraction(0)
    least = math.ceil(fewest)
    if fewest == least and not is_closed:
        least += 1
    most = math.floor(both.most * (1 / low - 1)) if low > 0 else None
    tops = [MOST_ROWS if n_rows is None else n_rows]
    if given is not None:
        least = max(least, given.least - both.most)
        tops.append(given.most)
    most = min([top - both.least for top in tops] + ([] if most is None else [most]))
    alone = Between(both.least + least, both.most + most)
    if given is not None:
        alone = Between(max(alone.least, given.least), min(alone.most, given.most))
    if most < least or alone.most < alone.least or both.least < 1:
        raise DataError(
            f"{where}: no whole numbers of rows have these figures.",
            remedy="Check support, confidence, {n_rows} and {decimals}.",
            options={"n_rows": ..., "decimals": ...},
        )
    return PublishedRule(
        left=sides[0],
        right=sides[1],
        both=both,
        left_alone=alone,
        exceptions=Between(least, most),
        where=where,
    )


def _column(columns: Columns, names: tuple[str, ...]) -> str:
    """Return the one of some names that is there."""
    for name in names:
        if name in columns.values:
            return name
    raise DataError(
        f"{columns.name} has no column '{names[0]}': rules have antecedents, consequents, "
        f"support and confidence. It has {', '.join(map(repr, columns.values)) or 'none'}.",
        column=names[0],
    )


def _counts(columns: Columns, name: str, n_rows: int | None, decimals: int | None) -> list[Between]:
    """Return supports as whole numbers, or what they can be if shares are rounded."""
    cells = [str(cell).strip() for cell in columns.values[name]]
    if all(cell.isdigit() for cell in cells):
        return [Between(int(cell), int(cell)) for cell in cells]
    if n_rows is None:
        raise ParameterError(
            f"{columns.name}: column '{name}' holds shares; pass {{n_rows}}, the number of rows.",
            parameter="n_rows",
            column=name,
            options={"n_rows": ...},
        )
    found = []
    for row, figure in enumerate(_figures(columns, name, decimals)):
        least = math.ceil(figure.low * n_rows)
        top = figure.high * n_rows
        most = math.floor(top) if figure.is_closed else math.ceil(top) - 1
        if most < least:
            raise DataError(
                f"{columns.where(row)}: {name} {columns.values[name][row]} is no whole number of "
                f"{n_rows} rows; check n_rows."
            )
        found.append(Between(least, most))
    return found


def _figures(columns: Columns, name: str, decimals: int | None) -> list[_Range]:
    """Return from where to where each share can be, by the decimals it is written with."""
    cells = [str(cell).replace("%", "").strip() for cell in columns.values[name]]
    shares = [_share(columns, name, row, cell) for row, cell in enumerate(cells)]
    is_percent = (
        any("%" in str(cell) for cell in columns.values[name]) or max(shares, default=0) > 1
    )
    digits = max(map(_decimals, cells), default=0) + 2 * is_percent
    digits = min(digits if decimals is None else decimals, MOST_DECIMALS)
    unit = Fraction(1, 10**digits)
    return [_around(share / 100 if is_percent else share, unit) for share in shares]


def _around(share: Fraction, unit: Fraction) -> _Range:
    """Return where a share can be that was rounded or cut off."""
    high = min(share + unit, Fraction(1))
    return _Range(max(share - unit * _HALF, Fraction(0)), high, high < share + unit)


def _share(columns: Columns, name: str, row: int, cell: str) -> Fraction:
    """Return a share or a percentage as it is written."""
    try:
        share = Fraction(cell)
    except (ValueError, ZeroDivisionError):
        share = Fraction(-1)
    if not 0 <= share <= 100:
        given = columns.values[name][row]
        raise DataError(
            f"{columns.where(row)}: {name} is {given!r}, which is neither a share nor a percentage."
        )
    return share


def _decimals(cell: str) -> int:
    """Return how many decimals a number is written with; a fraction such as 3/8 is exact."""
    if "/" in cell:
        return MOST_DECIMALS
    mantissa, _, exponent = cell.lower().partition("e")
    return max(len(mantissa.partition(".")[2]) - int(exponent or 0), 0)
