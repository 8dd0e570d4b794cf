"""What the values of a column are: contact data, national numbers, or free text.

Only distinct values are looked at, and of each column at most :data:`MOST_VALUES` of them, spread
over their order; e-mail addresses inside of texts are looked for in all of them. No reason quotes
a value.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from dataclasses import dataclass
from ipaddress import ip_address
from typing import TYPE_CHECKING, Final

import numpy as np

from discreet.data.recognize.numbers import NUMBERS, Recognizer

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from discreet.data.column import Label

MOST_VALUES: Final = 5_000
FREE_TEXT: Final = "free text"

_MOST = 0.8  # of the values must be of one kind
_MOST_CLEAR = 0.5  # of the values, where hardly anything else is written so
_CLEAR = 1e-3  # the chance from which on a kind is clear
_EVIDENCE = math.log(1e6)  # how unlikely it must be that values of another kind pass

_SEPARATORS = re.compile(r"[\s./+-]+")
_MARK = re.compile(r"[\d@:]|www\.", re.IGNORECASE)  # every kind has one of these
_GIVEN_OUT = re.compile(r"(?=.*\d)[\w/-]+", re.ASCII)
_WORD = re.compile(r"[^\W\d_]{2,}")
_SENTENCE_END = re.compile(r"[.!?](?:\s|$)")
_EMAIL = r"[\w.+%'-]+@[\w-]+(?:\.[\w-]+)*\.[A-Za-z]{2,}"
_HAS_EMAIL = re.compile(_EMAIL)


def _is_address(text: str) -> bool:
    """Say whether a text is an IP address."""
    try:
        ip_address(text)
    except ValueError:
        return False
    return True


def _form(kind: str, form: str, chance: float = 1e-6) -> Recognizer:
    """Return a recognizer of a form that needs no check digits."""
    return Recognizer(
        kind=kind, form=re.compile(form, re.IGNORECASE | re.ASCII), passes=lambda _: True,
        chance=chance, lengths=range(0), checked=False,
    )  # fmt: skip


_ADDRESSES: Final = Recognizer(
    kind="IP addresses",
    # Four small numbers with dots between them are as often numbers of versions or sections.
    form=re.compile(
        r"(?=.*\d{3}\.|.*\.\d{3})(?:\d{1,3}\.){3}\d{1,3}|(?=.*:.*:)[0-9a-f:]+", re.IGNORECASE
    ),
    passes=_is_address,
    chance=1e-3,
    lengths=range(0),
    checked=False,
)

# Kinds that are recognized by how they are written.
FORMS: Final[tuple[Recognizer, ...]] = (
    _form("e-mail addresses", _EMAIL),
    _form("web addresses", r"(?:https?://|ftp://|www\.)\S+"),
    _form("UUIDs", r"\{?[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\}?"),
    _form("hash values", r"(?=.*\d)(?=.*[a-f])(?:[0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{64})"),
    _form(
        "phone numbers",
        r"(?:\+|00)[1-9][0-9]{0,2}[ ./(-]*(?:\(0\))?[0-9][0-9 ./()-]{5,17}"  # with a country
        r"|\(0?\d{2,5}\)[ -]?[\d -]{5,11}"  # (030) 1234567, (212) 555-0123
        r"|\d{3}-\d{3}-\d{4}"
        r"|0\d{2,4}[ /]\d[\d /-]{4,10}"  # 030 1234567, 0151/234 56 78
        r"|0\d{1,4}-\d{6,9}"
        r"|0\d(?:[ .]\d\d){4}",
        chance=1e-3,
    ),
    _ADDRESSES,
)

# Names of columns that hold what somebody wrote.
_TEXT_NAME = re.compile(
    r"(^|_)(notes?|comments?|remarks?|free_?text|text|narrative|anamnes[ei]s?|history|letter|"
    r"bemerkung(en)?|kommentare?|freitext|notiz(en)?|befund|arztbrief|commentaires?|remarques?|"
    r"observaci(on|ones)|comentarios?|notas?|osservazion[ei]|opmerking(en)?|toelichting)(_|$)"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Recognized:
    """A kind of values that identify people, and how it was recognized.

    Attributes
    ----------
    kind : str
        What the values are, in the plural: ``e-mail addresses``, ``free text``.
    reason : str
        How they were recognized, in words that quote no value.
    """

    kind: str
    reason: str


def recognize(
    values: Sequence[Label], *, n_present: int | None = None, name: str = ""
) -> Recognized | None:
    """Return what the values of a column are, if they identify people or are free text.

    Parameters
    ----------
    values : sequence
        The distinct values.
    n_present : int, optional
        How many rows have one; by default each value stands in one row.
    name : str
        Of the column, in small letters with words joined by underscores: ``notes`` and the like
        need fewer signs of free text.

    Returns
    -------
    Recognized or None
        None if nothing is recognized, which does not prove that nobody is named.

    Notes
    -----
    Of at most 5,000 values, four in five must have the form and right check digits of one kind, and
    so many that other values would pass with a chance below one in a million. A kind that is
    written like nothing else, such as an e-mail address, needs half of them; one e-mail address
    inside of any text is enough.

    Examples
    --------
    >>> recognize(["ann@example.org", "bo@example.org"]).kind
    'e-mail addresses'
    >>> recognize([747546782, 73896342, 870232691, 516749286, 636494858, 186953239]).kind
    'Dutch citizen numbers (BSN)'
    >>> recognize([747546783, 73896343, 870232692, 516749287, 636494859, 186953230]) is None
    True
    """
    looked = _texts(values)
    if not looked:
        return None
    found = _of_one_kind(looked)
    if found is not None or not isinstance(values[0], str):
        return found
    present = len(values) if n_present is None else n_present
    if _is_free_text(looked, n_values=len(values), n_present=present, name=name):
        return Recognized(
            kind=FREE_TEXT, reason="free text: most of its values are sentences somebody wrote"
        )
    n_mails = _count_emails(values)
    if n_mails:
        verb = "contains" if n_mails == 1 else "contain"
        return Recognized(
            kind="e-mail addresses", reason=f"{n_mails:,} of its values {verb} an e-mail address"
        )
    return None


def looks_like_numbers(values: Sequence[Label], *, strictly: bool = False) -> bool:
    """Say whether values look like numbers that are given out: digits in nearly all, no spaces.

    Parameters
    ----------
    values : sequence
        The distinct values.
    strictly : bool
        Whether all must have one length, and so many digits that they are neither dates nor
        measured numbers.

    Examples
    --------
    >>> looks_like_numbers(["A17", "A18", "B2"]), looks_like_numbers(["Ulm", "Bonn"])
    (True, False)
    >>> looks_like_numbers(["20240131", "20240201"], strictly=True)
    False
    """
    chosen = _sample(values)
    if all(isinstance(value, str) for value in chosen):
        texts = [str(value) for value in chosen]
    else:
        texts = [str(number) for number in _whole_numbers(chosen)]
    fitting = sum(_GIVEN_OUT.fullmatch(text) is not None for text in texts)
    if not texts or fitting < 0.9 * len(texts):
        return False
    if not strictly:
        return True
    if len(set(map(len, texts))) > 1 or len(texts[0]) < 6:
        return False
    if any(any(char.isalpha() for char in text) for text in texts):
        return True
    digits = [_SEPARATORS.sub("", text) for text in texts]
    dates = sum(_could_be_date(text) for text in digits)
    return min(map(len, digits)) >= 8 and dates < 0.5 * len(digits)


def _could_be_date(digits: str) -> bool:
    """Say whether eight digits, or those before a time, are a date of about this century."""
    year_first = ("1900" <= digits[:4] < "2100", digits[4:6], digits[6:8])
    year_last = ("1900" <= digits[4:8] < "2100", digits[2:4], digits[:2])
    return len(digits) in (8, 12, 14) and any(
        in_range and "01" <= month <= "12" and "01" <= day <= "31"
        for in_range, month, day in (year_first, year_last)
    )


def _sample(values: Sequence[Label]) -> list[Label]:
    """Return at most so many values that are not missing, spread over their order."""
    n_values = len(values) - (None in values[-1:])  # missing comes last
    if n_values <= MOST_VALUES:
        return list(values[:n_values])
    # Steps of one length could always meet the same last digit; those of the golden ratio meet
    # all.
    shares = np.arange(MOST_VALUES) * 0.6180339887498949 % 1
    return [values[place] for place in np.unique((shares * n_values).astype(int)).tolist()]


def _texts(values: Sequence[Label]) -> list[str]:
    """Return some values as they would be written."""
    chosen = _sample(values)
    if all(isinstance(value, str) for value in chosen):
        return [value.strip() for value in chosen if isinstance(value, str) and value.strip()]
    numbers = _whole_numbers(chosen)
    if not numbers or min(numbers) < 0:
        return []
    digits = [str(number) for number in numbers]
    longest = max(map(len, digits))  # numbers have lost their leading zeros
    return [text.zfill(longest) for text in digits]


def _whole_numbers(values: Sequence[Label]) -> list[int]:
    """Return whole numbers, as frames write them with missing values; none if one is no."""
    whole = [
        int(value)
        for value in values
        if isinstance(value, int | float) and not isinstance(value, bool) and value == value // 1
    ]
    return whole if len(whole) == len(values) else []


def _of_one_kind(texts: Sequence[str]) -> Recognized | None:
    """Return the kind that most texts are of, if so many are not by accident."""
    counts: Counter[int] = Counter()
    for text in texts:
        counts.update(_kinds_of(text))
    best, best_evidence = None, _EVIDENCE
    for place, n_found in counts.items():
        each = ALL[place]
        share = n_found / len(texts)
        enough = _MOST_CLEAR if each.chance <= _CLEAR else _MOST
        evidence = len(texts) * _divergence(share, each.chance)
        if share >= enough and evidence > best_evidence:
            best, best_evidence = place, evidence
    if best is None:
        return None
    share = counts[best] / len(texts)
    looked = f"{len(texts):,} different values"
    kind = ALL[best].kind
    if ALL[best].checked:
        reason = f"{kind}: of {looked}, {share:.0%} have right check digits"
    else:
        reason = f"{kind}: of {looked}, {share:.0%} have this form"
    return Recognized(kind=kind, reason=reason)


def _divergence(share: float, chance: float) -> float:
    """Return how unlikely a share is under a chance, for each value, as a natural logarithm."""
    if share <= chance:
        return 0.0
    rest = 0.0 if share == 1 else (1 - share) * math.log((1 - share) / (1 - chance))
    return share * math.log(share / chance) + rest


def _kinds_of(text: str) -> Iterable[int]:
    """Yield the places of the recognizers that a text passes."""
    if len(text) < 7 or not _MARK.search(text):
        return
    for place, each in enumerate(FORMS):
        if each.form.fullmatch(text) and each.passes(text):
            yield place
    written = text.upper()
    plain = _SEPARATORS.sub("", written)
    for place in _BY_LENGTH.get(len(plain), ()):
        each = ALL[place]
        if each.form.fullmatch(written) and each.passes(plain):
            yield place


def _is_free_text(texts: Sequence[str], *, n_values: int, n_present: int, name: str) -> bool:
    """Say whether most values are sentences, and not labels that many rows share."""
    n_words = [len(_WORD.findall(text)) for text in texts]
    wordy = sum(count >= 4 for count in n_words) / len(texts)
    if len(texts) < 3:
        return False
    apart = n_values / max(n_present, 1)
    if _TEXT_NAME.search(name) and sum(count >= 3 for count in n_words) * 2 >= len(texts):
        return n_values >= 20 or apart >= 0.1
    if wordy < 0.5:
        return False
    ended = sum(_SENTENCE_END.search(text) is not None for text in texts) / len(texts)
    many_words = sum(n_words) / len(texts) >= 12
    return apart >= 0.9 or (ended >= 0.5 and apart >= 0.3) or (many_words and n_values >= 20)


def _count_emails(values: Sequence[Label]) -> int:
    """Return how many of all values have an e-mail address in them."""
    if len(values) <= MOST_VALUES:
        return sum(isinstance(each, str) and bool(_HAS_EMAIL.search(each)) for each in values)
    import polars as pl

    return int(pl.Series(values, dtype=pl.String).str.contains(_EMAIL).sum())


ALL: Final[tuple[Recognizer, ...]] = (*FORMS, *NUMBERS)
# Of these one person has one; several people may share an account.
PERSONAL_NUMBERS: Final = frozenset(each.kind for each in NUMBERS[2:])
_BY_LENGTH: Final[dict[int, list[int]]] = {}
for _place, _each in enumerate(ALL):
    for _length in _each.lengths:
        _BY_LENGTH.setdefault(_length, []).append(_place)
