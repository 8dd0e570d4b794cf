"""Numbers that name one person or account, recognized by their published check digits.

Every recognizer is a record: how such a number is written, how its check digits are computed, and
how often a number without them passes by accident. A form alone is never enough where it is
that of any number of so many digits.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


@dataclass(frozen=True, slots=True, kw_only=True)
class Recognizer:
    """One kind of value that identifies a person.

    Attributes
    ----------
    kind : str
        What such values are called, in the plural.
    form : re.Pattern
        How one is written, in capital letters.
    passes : callable
        Called with the value in capital letters, without spaces, dots, dashes and slashes: says
        whether it is one.
    chance : float
        How often a value of the same form passes that is none.
    lengths : range
        How many characters one has without spaces, dots, dashes and slashes.
    checked : bool
        Whether ``passes`` computes check digits.
    """

    kind: str
    form: re.Pattern[str]
    passes: Callable[[str], bool]
    chance: float
    lengths: range
    checked: bool = True


def weighted(digits: str, weights: Sequence[int]) -> int:
    """Return the sum of digits times weights.

    Examples
    --------
    >>> weighted("123", (1, 2, 3))
    14
    """
    return sum(int(digit) * weight for digit, weight in zip(digits, weights, strict=True))


def luhn(digits: str) -> bool:
    """Say whether the last digit is right: every second one doubled, the sum a multiple of 10.

    Examples
    --------
    >>> luhn("4111111111111111"), luhn("4111111111111112")
    (True, False)
    """
    doubled = (sum(divmod(2 * int(digit), 10)) for digit in digits[-2::-2])
    return (sum(map(int, digits[-1::-2])) + sum(doubled)) % 10 == 0


def mod_97(text: str) -> bool:
    """Say whether an IBAN is right: letters as 10 to 35, the first four last, remainder 1.

    Examples
    --------
    >>> mod_97("DE89370400440532013000"), mod_97("DE89370400440532013001")
    (True, False)
    """
    return int("".join(str(int(char, 36)) for char in text[4:] + text[:4])) % 97 == 1


def _is_date(year: str, month: int, day: int) -> bool:
    """Say whether there is such a day in one of two centuries."""
    for century in ("19", "20"):
        try:
            date(int(century + year), month, day)
        except ValueError:
            continue
        return True
    return False


def _has_card_prefix(digits: str) -> bool:
    """Say whether digits begin as cards of so many digits do."""
    start, length = int(digits[:4]), len(digits)
    return (
        (digits[0] == "4" and length in (13, 16, 19))
        or ((5100 <= start < 5600 or 2221 <= start < 2721) and length == 16)
        or (start // 100 in (34, 37) and length == 15)
        or ((3000 <= start < 3060 or start // 100 in (36, 38)) and length == 14)
        or ((start // 100 in (35, 65) or start == 6011 or 6440 <= start < 6500) and length == 16)
        or (start // 100 == 62 and length >= 16)
    )


def _german(digits: str) -> bool:
    """Apply ISO 7064 (MOD 11,10); of the first ten digits one occurs two or three times."""
    first = digits[:10]
    repeated = [first.count(digit) for digit in set(first) if first.count(digit) > 1]
    if first[0] == "0" or len(repeated) != 1 or repeated[0] > 3:
        return False
    product = 10
    for digit in first:
        total = (int(digit) + product) % 10 or 10
        product = total * 2 % 11
    return (11 - product) % 10 == int(digits[10])


def _dutch(digits: str) -> bool:
    """Apply the test of eleven."""
    return digits != "0" * 9 and weighted(digits, (9, 8, 7, 6, 5, 4, 3, 2, -1)) % 11 == 0


def _spanish(text: str) -> bool:
    """Compare the letter with the remainder by 23; X, Y and Z stand for 0, 1 and 2."""
    number = text[:8].translate(str.maketrans("XYZ", "012"))
    return "TRWAGMYFPDXBNJZSQVHLCKE"[int(number) % 23] == text[8]


_ODD: Final = dict(
    zip(
        "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ",
        (1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 1, 0, 5, 7, 9, 13, 15, 17, 19, 21,
         2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23),
        strict=True,
    )
)  # fmt: skip


def _italian(text: str) -> bool:
    """Compare the letter with the sum of what odd and even places stand for."""
    odd = sum(_ODD[char] for char in text[0:15:2])
    even = sum(int(c) if c.isdigit() else ord(c) - ord("A") for c in text[1:15:2])
    return chr(ord("A") + (odd + even) % 26) == text[15]


def _french(text: str) -> bool:
    """Compare the key with 97 minus the remainder by 97; 2A and 2B of Corsica are 19 and 18."""
    number = text[:13].replace("2A", "19").replace("2B", "18")
    return number.isdigit() and 97 - int(number) % 97 == int(text[13:])


def _british(digits: str) -> bool:
    """Apply the remainder by 11 of the NHS."""
    check = -weighted(digits[:9], range(10, 1, -1)) % 11
    return check == int(digits[9]) and int(digits) > 0


def _swedish(digits: str) -> bool:
    """Apply Luhn to the last ten digits; 60 is added to days of coordination numbers."""
    last = digits[-10:]
    day = int(last[4:6])
    return _is_date(last[:2], int(last[2:4]), day - 60 if day > 60 else day) and luhn(last)


def _norwegian(digits: str) -> bool:
    """Apply both remainders by 11; 40 is added to days of D-numbers, to months of H-numbers."""
    day, month = int(digits[:2]), int(digits[2:4])
    return (
        _is_date(digits[4:6], month - 40 if month > 40 else month, day - 40 if day > 40 else day)
        and weighted(digits[:10], (3, 7, 6, 1, 8, 9, 4, 5, 2, 1)) % 11 == 0
        and weighted(digits, (5, 4, 3, 2, 7, 6, 5, 4, 3, 2, 1)) % 11 == 0
    )


def _finnish(text: str) -> bool:
    """Compare the character with the remainder of date and number by 31."""
    dated, number, check = text[:6], text[-4:-1], text[-1]
    return (
        _is_date(dated[4:6], int(dated[2:4]), int(dated[:2]))
        and "0123456789ABCDEFHJKLMNPRSTUVWXY"[int(dated + number) % 31] == check
    )


def _danish(digits: str) -> bool:
    """Ask for a date alone: since 2007 the last digit checks nothing."""
    return _is_date(digits[4:6], int(digits[2:4]), int(digits[:2]))


def _polish(digits: str) -> bool:
    """Apply the remainder by 10; 20, 40, 60 or 80 is added to months of other centuries."""
    dated = _is_date(digits[:2], int(digits[2:4]) % 20, int(digits[4:6]))
    return dated and weighted(digits, (1, 3, 7, 9, 1, 3, 7, 9, 1, 3, 1)) % 10 == 0


def _swiss(digits: str) -> bool:
    """Apply the check digit of EAN-13."""
    return weighted(digits, (1, 3) * 6 + (1,)) % 10 == 0


def _belgian(digits: str) -> bool:
    """Compare with 97 minus the remainder by 97, of those born since 2000 with a 2 before."""
    number, check = digits[:9], int(digits[9:])
    dated = int(digits[2:4]) % 20 <= 12 and int(digits[4:6]) <= 31
    return dated and check in (97 - int(number) % 97, 97 - int("2" + number) % 97)


def _austrian(digits: str) -> bool:
    """Apply the remainder by 11, which stands in the fourth place before the date."""
    dated = _is_date(digits[8:], int(digits[6:8]), int(digits[4:6]))
    return dated and weighted(digits, (3, 7, 9, 10, 5, 8, 4, 2, 1, 6)) % 11 == 0


def _czech(digits: str) -> bool:
    """Apply the remainder by 11; 50 is added to months of women, and 20 where numbers ran out."""
    month = int(digits[2:4]) % 50
    dated = _is_date(digits[:2], month - 20 if month > 20 else month, int(digits[4:6]))
    return dated and int(digits) % 11 == 0


def _number(
    kind: str, form: str, passes: Callable[[str], bool], chance: float, *lengths: int,
    checked: bool = True,
) -> Recognizer:  # fmt: skip
    """Return a recognizer whose numbers have the given lengths, from the least to the largest."""
    return Recognizer(
        kind=kind, form=re.compile(form, re.ASCII), passes=passes, chance=chance,
        lengths=range(min(lengths), max(lengths) + 1), checked=checked,
    )  # fmt: skip


# In the order in which a tie is decided.
NUMBERS: Final[tuple[Recognizer, ...]] = (
    _number("bank accounts (IBAN)", r"[A-Z]{2}\d\d(?: ?[A-Z0-9]{1,4})+", mod_97, 1 / 97, 15, 34),
    _number(
        "payment cards", r"\d(?:[ -]?\d)+",
        lambda digits: _has_card_prefix(digits) and luhn(digits), 1 / 10, 13, 19,
    ),
    _number(
        "US social security numbers", r"(?!000|666|9)\d{3}-(?!00)\d\d-(?!0000)\d{4}",
        lambda _: True, 1e-4, 9, checked=False,
    ),
    _number("German tax numbers", r"\d\d ?\d{3} ?\d{3} ?\d{3}", _german, 1 / 200, 11),
    _number("Dutch citizen numbers (BSN)", r"\d{9}|\d{4}\.\d\d\.\d{3}", _dutch, 1 / 11, 9),
    _number(
        "Spanish identity numbers (DNI, NIE)", r"(?:\d{8}|[XYZ][- ]?\d{7})[- ]?[A-Z]",
        _spanish, 1 / 23, 9,
    ),
    _number(
        "Italian tax codes",
        r"[A-Z]{6}[\dLMNPQRSTUV]{2}[ABCDEHLMPRST][\dLMNPQRSTUV]{2}[A-Z][\dLMNPQRSTUV]{3}[A-Z]",
        _italian, 1e-6, 16,
    ),
    _number(
        "French social security numbers",
        r"[12378] ?\d\d ?\d\d ?(?:\d\d|2[AB]) ?\d{3} ?\d{3} ?\d\d", _french, 1 / 97, 15,
    ),
    _number("British NHS numbers", r"\d{3}([ -]?)\d{3}\1\d{4}", _british, 1 / 11, 10),
    _number("Swedish personal numbers", r"(?:\d\d)?\d{6}[-+]?\d{4}", _swedish, 1 / 10, 10, 12),
    _number("Norwegian personal numbers", r"\d{6} ?\d{5}", _norwegian, 1 / 121, 11),
    _number(
        "Finnish personal numbers", r"\d{6}[-+A-FU-Y]\d{3}[0-9A-FHJ-NPR-Y]", _finnish, 1 / 31,
        10, 11,
    ),
    _number("Danish personal numbers", r"\d{6}-\d{4}", _danish, 1 / 20, 10, checked=False),
    _number("Polish personal numbers (PESEL)", r"\d{11}", _polish, 1 / 10, 11),
    _number("Swiss insurance numbers (AHV)", r"756\.?\d{4}\.?\d{4}\.?\d\d", _swiss, 1e-4, 13),
    _number(
        "Belgian national numbers", r"\d\d[. ]?\d\d[. ]?\d\d[- ]?\d{3}[. ]?\d\d", _belgian, 2 / 97,
        11,
    ),
    _number("Austrian insurance numbers", r"[1-9]\d{3} ?\d{6}", _austrian, 1 / 11, 10),
    _number("Czech and Slovak birth numbers", r"\d{6}/?\d{4}", _czech, 1 / 11, 10),
)  # fmt: skip
