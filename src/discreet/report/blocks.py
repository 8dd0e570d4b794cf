"""What a page is made of: sections of paragraphs, notes, figures, tables and lists.

Sections are plain values; only the templates know HTML. Texts in blocks are as they are, and the
templates escape them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal, Protocol, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Sequence

    from markupsafe import Markup


@dataclass(frozen=True, slots=True, kw_only=True)
class Paragraph:
    """Plain words."""

    kind: ClassVar[str] = "paragraph"
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """A highlighted remark; ``tone`` says how urgent it is."""

    kind: ClassVar[str] = "note"
    text: str
    title: str = ""
    tone: Literal["plain", "good", "warning", "danger"] = "plain"


@dataclass(frozen=True, slots=True, kw_only=True)
class Grid:
    """A table; the first cell of a row names it, the columns in ``numeric`` are aligned right."""

    kind: ClassVar[str] = "grid"
    caption: str
    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    numeric: frozenset[int] = frozenset()
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """A chart with its title, what it shows in words, and the same numbers as a table."""

    kind: ClassVar[str] = "figure"
    svg: Markup
    title: str
    words: str
    table: Grid


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """One figure to be seen first: a number, what it is, and what it was before."""

    value: str
    name: str
    more: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """A few figures side by side."""

    kind: ClassVar[str] = "facts"
    facts: Sequence[Fact]


@dataclass(frozen=True, slots=True, kw_only=True)
class Code:
    """A command or a file, line by line."""

    kind: ClassVar[str] = "code"
    title: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Columns:
    """Figures that may stand side by side where there is room."""

    kind: ClassVar[str] = "columns"
    figures: Sequence[Figure]


Block: TypeAlias = Paragraph | Note | Grid | Figure | Facts | Code | Columns


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """A titled part of the page; ``lead`` says in a sentence or two what it shows."""

    name: str
    title: str
    lead: str
    blocks: Sequence[Block]


# What the page asks of a verification: any object with these three fields will do.


class CheckLike(Protocol):
    """One check: what was checked, whether it holds (None: not checkable), and the detail."""

    @property
    def name(self) -> str:
        """What was checked."""

    @property
    def passed(self) -> bool | None:
        """Whether it holds; None if it could not be checked."""

    @property
    def detail(self) -> str:
        """What was found."""


class VerificationLike(Protocol):
    """The outcome of checking a release again, from what is released."""

    @property
    def answer(self) -> str:
        """Whether it is "verified", "consistent" with its claim, or "refuted"."""

    @property
    def sentence(self) -> str:
        """The outcome in one plain sentence."""

    @property
    def checks(self) -> Sequence[CheckLike]:
        """The single checks."""
