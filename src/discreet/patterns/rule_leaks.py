"""Groups of few rows that published rules give away, as results."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from discreet.patterns.channel import Channel
from discreet.result import Preview, Result

if TYPE_CHECKING:
    from collections.abc import Iterator

    from discreet.patterns.rule_supports import Between

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
    """What published rules give away: certainly, and possibly.

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
        Certain leaks before those that are part of a more specific one were left out.
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
        told = (
            f"{n:,} {groups} of fewer than {self.k} rows can be told apart by these rules"
            if n
            else f"No group of fewer than {self.k} rows can certainly be told apart by these rules"
        )
        maybe = len(self.possible)
        more = f"; {maybe:,} more may be that small, by rounding" if maybe else ""
        missed = (
            f" {self.n_not_examined:,} itemsets were too large to look at in full."
            if self.n_not_examined
            else ""
        )
        return f"{told}{more}.{missed}"

    def preview(self) -> Preview:
        """Return the smallest groups in words, certain ones first."""
        rows = [("certain", str(leak)) for leak in self.certain[:N_SHOWN]]
        rows += [("possible", str(leak)) for leak in self.possible[:N_SHOWN]]
        return Preview(title=self.sentence, header=("", "what is given away"), rows=rows)

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
