"""What published itemsets give away, in plain words: the results of every test for leaks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from discreet.patterns.channel import in_order, in_words
from discreet.result import Preview, Result

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator

Kind: TypeAlias = Literal["channel", "border", "sigma", "disjunctive", "column", "window"]
N_SHOWN = 10
WHY: dict[Kind, str] = {
    "channel": "published supports say so",
    "border": "the supports of its parts leave no other possibility",
    "sigma": "what is not published has less than the least support",
    "disjunctive": "the two groups are not known, their sum is",
    "column": "a row has one value in each column",
    "window": "all published supports of these items together leave no other possibility",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Leak:
    """A group that is known to have at least one row, and fewer than k.

    Attributes
    ----------
    kind : str
        How it is inferred: from a published "channel", from the "border" of the collection, from
        the fact that unpublished sets have a support below "sigma", as a "disjunctive" pattern
        whose two parts are not known, from the other values of a "column", or from all supports
        in a "window" of items.
    inside, outside : frozenset
        Items that every row of the group has, and items that none has.
    or_inside, or_outside : frozenset
        The same for the second part of a disjunction; both empty if there is none.
    least, most : int
        What is known of the number of rows.

    Examples
    --------
    >>> print(Leak(kind="border", inside=frozenset("bc"), outside=frozenset("a"), least=2, most=2))
    exactly 2 rows have b and c, but not a
    >>> print(Leak(kind="disjunctive", inside=frozenset("ab"), outside=frozenset(),
    ...            or_outside=frozenset("ab"), least=1, most=1))
    exactly 1 row has either a and b, or neither a nor b
    """

    kind: Kind
    inside: frozenset[Hashable]
    outside: frozenset[Hashable]
    least: int
    most: int
    or_inside: frozenset[Hashable] = frozenset()
    or_outside: frozenset[Hashable] = frozenset()

    def __str__(self) -> str:
        if self.least == self.most:
            count = f"exactly {self.most:,}"
        else:
            count = f"at least {self.least:,} and at most {self.most:,}"
        one = self.most == 1
        group = in_words(self.inside, self.outside)
        if self.or_inside or self.or_outside:
            group = f"either {group}, or {in_words(self.or_inside, self.or_outside)}"
        return f"{count} row{'' if one else 's'} {'has' if one else 'have'} {group}"

    @property
    def why(self) -> str:
        """How anybody can know, in words."""
        return WHY[self.kind]

    @property
    def n_items(self) -> int:
        """Number of items that are spoken of."""
        return len(self.inside | self.outside | self.or_inside | self.or_outside)

    def to_dict(self) -> dict[str, object]:
        """Return items as text, sorted, the bounds, and the words."""
        groups = {
            "inside": self.inside,
            "outside": self.outside,
            "or_inside": self.or_inside,
            "or_outside": self.or_outside,
        }
        return {
            "kind": self.kind,
            **{name: [str(item) for item in in_order(items)] for name, items in groups.items()},
            "least": self.least,
            "most": self.most,
            "in_words": str(self),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Leaks(Result):
    """Leaks of a collection, worst first, with what was looked at and what was not.

    Attributes
    ----------
    k : int
        Groups of fewer rows are leaks.
    min_support : int or None
        What the attacker is taken to know of unpublished sets: their support is smaller.
    leaks : tuple of Leak
        Those found, smallest group first.
    examined, not_examined : tuple of str
        What these leaks are all of, and what may leak still, in words.
    """

    k: int
    min_support: int | None
    leaks: tuple[Leak, ...]
    examined: tuple[str, ...]
    not_examined: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.leaks)

    def __getitem__(self, index: int) -> Leak:
        return self.leaks[index]

    def __iter__(self) -> Iterator[Leak]:
        return iter(self.leaks)

    def __repr__(self) -> str:
        return f"Leaks({self.sentence})"

    def count(self, kind: Kind) -> int:
        """Return the number of leaks of one kind."""
        return sum(leak.kind == kind for leak in self.leaks)

    @property
    def sentence(self) -> str:
        """What was found, in one plain sentence."""
        knowing = "" if self.min_support is None else ", knowing the least support"
        if not self.leaks:
            return f"No group of fewer than {self.k} rows was found that these itemsets tell of."
        return (
            f"{len(self):,} group{'s' if len(self) > 1 else ''} of fewer than {self.k} rows can be "
            f"inferred from these itemsets{knowing}; worst: {self.leaks[0]}."
        )

    def preview(self) -> Preview:
        """Return the worst leaks in words."""
        rows = [(leak.kind, str(leak), leak.why) for leak in self.leaks[:N_SHOWN]]
        return Preview(
            title=self.sentence, header=("kind", "what is given away", "because"), rows=rows
        )

    def to_dict(self) -> dict[str, object]:
        """Return every leak, and what was and was not looked at."""
        return {
            "k": self.k,
            "min_support": self.min_support,
            "n_leaks": len(self),
            "examined": list(self.examined),
            "not_examined": list(self.not_examined),
            "leaks": [leak.to_dict() for leak in self.leaks],
        }


def worst_first(leaks: list[Leak]) -> tuple[Leak, ...]:
    """Return leaks by size of the group, those of few items first among equals."""
    return tuple(
        sorted(leaks, key=lambda leak: (leak.most, leak.least, leak.n_items, leak.kind, str(leak)))
    )
