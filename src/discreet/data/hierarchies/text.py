"""Labels as text: quoted in a file so that they come back the same, plain in a terminal."""

from __future__ import annotations

import re

# A line end or a byte order mark bare in the file would be taken for the file's own.
_BARE = re.compile(r'[^"\r\n\ufeff]+')


def quoted(label: str, delimiters: str = ";") -> str:
    """Return a label as a cell of a delimited file, in quotes if it needs them.

    Examples
    --------
    >>> quoted("[20, 30)"), quoted("[20, 30)", ",;"), quoted('a "b"').count('"')
    ('[20, 30)', '"[20, 30)"', 6)
    """
    if _BARE.fullmatch(label) and not any(each in label for each in delimiters):
        return label
    return '"' + label.replace('"', '""') + '"'


def is_writable(label: str) -> bool:
    r"""Return whether a label can stand in a text file in UTF-8.

    Examples
    --------
    >>> is_writable("naïve\n"), is_writable("a\0"), is_writable("\ud800")
    (True, False, False)
    """
    return "\0" not in label and not re.search("[\ud800-\udfff]", label)


def printable(label: object) -> str:
    r"""Return a label on one line, with escapes in place of what a terminal would act on.

    Examples
    --------
    >>> printable("naïve"), printable("a\x1b[2J\n")
    ('naïve', 'a\\x1b[2J\\n')
    """
    text = str(label)
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)
