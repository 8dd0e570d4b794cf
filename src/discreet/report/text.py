"""Words and numbers as the page shows them.

Everything that comes from data goes through :func:`visible`: characters that cannot be seen, or
that would reorder what stands around them, are written out as ``⟨U+202E⟩``.
"""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

MAX_LABEL = 160
MISSING = "(missing or suppressed)"
EMPTY = "(empty text)"
# Control, format (zero width, bidi), surrogate, private, unassigned; line and paragraph ends.
_UNSEEN = frozenset(("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"))
# Letters that show nothing although they count as letters or marks.
_BLANK = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")


def visible(text: str, *, keep_lines: bool = False) -> str:
    r"""Return a text in which every character can be seen and none reorders others.

    Parameters
    ----------
    text : str
        Any text, of the data or not.
    keep_lines : bool
        Whether line ends and tabs stay as they are, as in a file that is shown whole.

    Returns
    -------
    str
        Unseen characters as ``⟨U+202E⟩``; it can always be encoded as UTF-8.

    Examples
    --------
    >>> print(visible("abc\u202edef\n"))
    abc⟨U+202E⟩def⟨U+000A⟩
    """
    if text.isascii() and text.isprintable():
        return text
    kept = "\n\t" if keep_lines else ""
    return "".join(each if each in kept or _is_seen(each) else _written_out(each) for each in text)


def _is_seen(character: str) -> bool:
    return unicodedata.category(character) not in _UNSEEN and character not in _BLANK


def _written_out(character: str) -> str:
    return f"⟨U+{ord(character):04X}⟩"


def shortened(text: str, limit: int = MAX_LABEL) -> str:
    """Return the beginning of a text, with the length of the whole if it was cut.

    Examples
    --------
    >>> shortened("a" * 1000, 8)
    'aaaaaaaa… (1,000 characters)'
    """
    return text if len(text) <= limit else f"{text[:limit]}… ({len(text):,} characters)"


def label(value: object) -> str:
    """Return a value of a column as text that can be read.

    Examples
    --------
    >>> label(None), label(""), label(31)
    ('(missing or suppressed)', '(empty text)', '31')
    """
    if value is None:
        return MISSING
    return visible(shortened(str(value))) or EMPTY


def distinct(labels: Sequence[str], limit: int) -> list[str]:
    """Return short labels that stay different from each other, as a chart needs them.

    Examples
    --------
    >>> distinct(["Northern region", "Northern regiment"], 10)
    ['Northern …', 'Northern … (2)']
    """
    seen: dict[str, int] = {}
    found = []
    for text in labels:
        short = text if len(text) <= limit else text[: limit - 1] + "…"
        seen[short] = seen.get(short, 0) + 1
        unique = short if seen[short] == 1 else f"{short} ({seen[short]})"
        while unique in found:
            seen[short] += 1
            unique = f"{short} ({seen[short]})"
        found.append(unique)
    return found


def counted(number: int, noun: str, plural: str | None = None) -> str:
    """Return a number with its noun.

    Examples
    --------
    >>> counted(1, "row"), counted(2000, "row"), counted(2, "class", "classes")
    ('1 row', '2,000 rows', '2 classes')
    """
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def percent(share: float, digits: int = 1) -> str:
    """Return a share in per cent; what is not nothing or all does not look as if it were.

    Examples
    --------
    >>> percent(0.5), percent(0.00001), percent(0.99999), percent(1)
    ('50.0%', 'under 0.1%', 'over 99.9%', '100%')
    """
    if share in (0, 1):
        return f"{share:.0%}"
    least = 10.0 ** -(digits + 2)
    if 0 < share < least / 2:
        return f"under {least:.{digits}%}"
    if 1 - least / 2 < share < 1:
        return f"over {1 - least:.{digits}%}"
    return f"{share:.{digits}%}"


def listed(words: Iterable[str]) -> str:
    """Return words as a list in a sentence.

    Examples
    --------
    >>> listed(["age", "sex", "job"])
    'age, sex and job'
    """
    *first, last = list(words) or [""]
    return f"{', '.join(first)} and {last}" if first else last
