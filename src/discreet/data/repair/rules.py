"""How the cells of one column are mended: what is stated is done, and nothing else.

A rule looks at one cell alone (``age_of`` at two of one row), so that the rows of a table are
mended one by one, whatever the others hold: no row says anything of another by it. Each different
text is read once.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from datetime import date, timedelta
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, TypeAlias, get_args

from discreet import checks
from discreet.data.hierarchy.dates import check_date_levels
from discreet.errors import ParameterError, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

DateOrder: TypeAlias = Literal["day-first", "month-first", "year-first"]
Decimal: TypeAlias = Literal[".", ",", "either"]
Thousands: TypeAlias = Literal[".", ",", " ", "'"]
Case: TypeAlias = Literal["lower", "upper"]
Other: TypeAlias = Literal["refuse", "missing"]
Mended: TypeAlias = str | int | float | bool | date | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Repair:
    """How the cells of one column are mended, in the order of the parameters.

    Parameters
    ----------
    trim : bool
        Drop blanks at both ends, and all but one of those between words.
    missing : sequence of str
        Cells that mean missing.
    case : {"lower", "upper"}, optional
        Write all letters small, or all large.
    values : mapping of str to str
        What stands there, to what it means. Applied once.
    number : bool
        Cells are numbers; so too where ``decimal`` or ``thousands`` are given.
    decimal : {".", ",", "either"}, optional
        What stands before decimals, a point by default. With "either" the last of both marks.
    thousands : {".", ",", " ", "'"}, optional
        What stands between groups of three digits.
    date : {"day-first", "month-first", "year-first"}, optional
        Cells are dates, in this order; a year of four digits may always come first.
    excel_dates : bool
        Whole numbers are dates as Excel counts them: 45292 is 2024-01-01.
    century : int, optional
        The first of the hundred years that two digits can mean: with 1930, 29 is 2029. Years of
        two digits are no dates without it.
    drop_time : bool
        Drop the time behind a date; without it only midnight is dropped.
    period : {"month", "quarter", "year", "decade"} or int, optional
        Dates are shown by what they are in: ``2024-02``, ``2024-Q1``, ``2024``, ``2020s``, or
        rounds of so many years, ``2020-2024``.
    age_of : pair of str
        The column is new: the age in whole years of who was born on the date of the first column,
        on the date of the second. Nothing else is stated of it but ``other``.
    yes, no : sequence of str
        Cells that mean true and false; both or none are given. Compared without regard to case.
    other : {"refuse", "missing"}
        What becomes of a cell that is no number, date, or yes or no, or of an event before the
        birth: an error, or missing.

    Examples
    --------
    >>> Repair(decimal=",", missing=["?"]).is_number
    True
    """

    trim: bool = False
    missing: Sequence[str] = ()
    case: Case | None = None
    values: Mapping[str, str] = field(default_factory=dict)
    number: bool = False
    decimal: Decimal | None = None
    thousands: Thousands | None = None
    date: DateOrder | None = None
    excel_dates: bool = False
    century: int | None = None
    drop_time: bool = False
    period: str | int | None = None
    age_of: Sequence[str] = ()
    yes: Sequence[str] = ()
    no: Sequence[str] = ()
    other: Other = "refuse"

    def __post_init__(self) -> None:
        for name in ("trim", "number", "excel_dates", "drop_time"):
            if not isinstance(getattr(self, name), bool):
                raise ParameterError(f"{name} is true or false.", parameter=name)
        for name in ("missing", "age_of", "yes", "no"):
            object.__setattr__(self, name, _texts(name, getattr(self, name)))
        object.__setattr__(self, "values", _meanings(self.values))
        for name, known in _CHOICES.items():
            given = getattr(self, name)
            if given is not None:
                checks.one_of(name, given, known)
        if self.century is not None:
            checks.whole("century", self.century, at_least=1, at_most=9900)
        if self.period is not None:
            (period,) = check_date_levels([self.period])
            object.__setattr__(self, "period", period)
        self._check_together()

    def _check_together(self) -> None:
        """Raise ParameterError for rules that exclude each other or could never apply."""
        if bool(self.yes) != bool(self.no):
            raise ParameterError("yes and no are given together, or none of them.", parameter="yes")
        kinds = [
            name
            for name, is_given in (
                ("number", self.is_number), ("date", self.is_date), ("yes", bool(self.yes)),
                ("age_of", bool(self.age_of)),
            )
            if is_given
        ]  # fmt: skip
        if len(kinds) > 1:
            raise ParameterError(
                f"A column has one kind of cells, and both {kinds[0]} and {kinds[1]} are given.",
                parameter=kinds[1],
            )
        if self.thousands is not None and self.thousands == (self.decimal or "."):
            raise ParameterError(
                f"decimal and thousands are both {self.thousands!r}.", parameter="thousands"
            )
        if self.other == "missing" and not kinds:
            raise ParameterError(
                "other says what becomes of cells that are no numbers, dates, or yes or no: say "
                "which of them the column holds.",
                parameter="other",
            )
        self._check_dates()
        both = {text.casefold() for text in self.yes} & {text.casefold() for text in self.no}
        if both:
            raise ParameterError(f"{min(both)!r} is listed as yes and as no.", parameter="no")
        for text in self.values:
            cased = _CASES[self.case](text) if self.case else text
            if cased != text:
                raise ParameterError(
                    f"values are looked up when the case is {self.case}: write {cased!r}, not "
                    f"{text!r}.",
                    parameter="values",
                )
            if self.trim and " ".join(text.split()) != text:
                raise ParameterError(
                    f"values are looked up when blanks are trimmed: {text!r} never occurs.",
                    parameter="values",
                )

    def _check_dates(self) -> None:
        """Raise ParameterError for what is stated of dates and cannot be."""
        if self.age_of and (len({*self.age_of}) != 2 or {*self.to_dict()} - {"age_of", "other"}):
            raise ParameterError(
                "age_of names two columns of dates, birth and event, and no other rule is given "
                "beside it but other.",
                parameter="age_of",
            )
        stated = (self.century is not None, self.drop_time, self.period is not None)
        if any(stated) and not self.is_date:
            name = ("century", "drop_time", "period")[stated.index(True)]
            raise ParameterError(f"{name} is for dates: give date too.", parameter=name)

    @property
    def is_number(self) -> bool:
        """Whether cells are numbers."""
        return self.number or self.decimal is not None or self.thousands is not None

    @property
    def is_date(self) -> bool:
        """Whether cells are dates."""
        return self.date is not None or self.excel_dates

    def to_dict(self) -> dict[str, object]:
        """Return what is stated, as a policy writes it."""
        found: dict[str, object] = {}
        for each in fields(self):
            value = getattr(self, each.name)
            if value not in (False, None, (), {}, "refuse"):
                found[each.name] = list(value) if isinstance(value, tuple) else value
        return found


RepairLike: TypeAlias = Repair | Mapping[str, object]

RULES: Final = tuple(each.name for each in fields(Repair))

_CHOICES: Final[dict[str, tuple[str, ...]]] = {
    "case": get_args(Case),
    "decimal": get_args(Decimal),
    "thousands": get_args(Thousands),
    "date": get_args(DateOrder),
    "other": get_args(Other),
}

_CASES: Final[dict[str, Callable[[str], str]]] = {"lower": str.lower, "upper": str.upper}


def as_repair(column: str, given: RepairLike) -> Repair:
    """Return the repair meant by a mapping of its rules.

    Examples
    --------
    >>> as_repair("weight", {"decimal": ","}).is_number
    True
    >>> as_repair("weight", {"decimals": ","})
    Traceback (most recent call last):
    discreet.errors.ParameterError: Column 'weight' has the unknown repair 'decimals'. Did you mean 'decimal'?
    """  # noqa: E501  one line of output
    if isinstance(given, Repair):
        return given
    if not isinstance(given, Mapping):
        raise ParameterError(
            f"The repair of column '{column}' is a mapping such as {{'trim': True}}, not "
            f"{given!r}.",
            parameter="repairs",
            column=column,
        )
    for name in given:
        if name not in RULES:
            raise ParameterError(
                f"Column '{column}' has the unknown repair '{name}'.",
                parameter="repairs",
                column=column,
                remedy=did_you_mean(str(name), RULES),
            )
    rules: dict[str, object] = dict(given)
    try:
        return Repair(**rules)  # type: ignore[arg-type]  # checked when it is made
    except ParameterError as error:
        raise error.inside(f"repairs of column '{column}'") from None


def _texts(name: str, given: object) -> tuple[str, ...]:
    """Return a list of texts."""
    if isinstance(given, str) or not isinstance(given, (list, tuple, set, frozenset)):
        raise ParameterError(f"{name} is a list of texts, not {given!r}.", parameter=name)
    if not all(isinstance(text, str) for text in given):
        wrong = next(text for text in given if not isinstance(text, str))
        raise ParameterError(f"{name} is a list of texts, and {wrong!r} is none.", parameter=name)
    return tuple(given)


def _meanings(given: object) -> Mapping[str, str]:
    """Return what texts mean."""
    if not isinstance(given, Mapping) or not all(
        isinstance(text, str) for pair in given.items() for text in pair
    ):
        raise ParameterError(f"values map texts to texts, not {given!r}.", parameter="values")
    return dict(given)


# What became of one text.


class Cell(NamedTuple):
    """What a text means, the rules that changed it, and how else it could be read."""

    value: Mended
    rules: tuple[str, ...] = ()
    unread: str | None = None  # why it is no number, date, or yes or no
    otherwise: Mended = None  # what it is by the other order of dates, or the other decimal mark
    decides: bool = False  # that it can only be read in the order that is stated


def mend(text: str | None, repair: Repair) -> Cell:
    """Return what a cell means.

    Examples
    --------
    >>> mend(" 1.234,5", Repair(trim=True, decimal=",", thousands="."))[:2]
    (1234.5, ('trim', 'number'))
    >>> mend("M", Repair(values={"M": "male"})).value
    'male'
    >>> mend("03/04/2024", Repair(date="day-first"))[::3]
    (datetime.date(2024, 4, 3), datetime.date(2024, 3, 4))
    """
    if text is None:
        return Cell(None)
    plain, rules = _as_text(text, repair)
    if plain is None:
        return Cell(None, rules)
    if repair.is_number:
        found = _number(plain, repair)
    elif repair.is_date:
        found = _date(plain, repair)
    elif repair.yes:
        found = _truth(plain, repair)
    else:
        return Cell(plain, rules)
    if found.unread is not None and repair.other == "missing":
        return Cell(None, (*rules, "other"))
    return found._replace(rules=(*rules, *found.rules))


def _as_text(text: str, repair: Repair) -> tuple[str | None, tuple[str, ...]]:
    """Return the text that a cell means, None for missing, and the rules that changed it."""
    rules = []
    if repair.trim:
        trimmed = " ".join(text.split())
        rules += ["trim"] if trimmed != text else []
        text = trimmed
    if not text:
        return None, tuple(rules)
    if text in repair.missing:
        return None, (*rules, "missing")
    if repair.case is not None:
        cased = _CASES[repair.case](text)
        rules += ["case"] if cased != text else []
        text = cased
    meant = repair.values.get(text, text)
    rules += ["values"] if meant != text else []
    return meant, tuple(rules)


def _truth(text: str, repair: Repair) -> Cell:
    """Return whether a text means yes."""
    for value, words in ((True, repair.yes), (False, repair.no)):
        if any(text.casefold() == word.casefold() for word in words):
            return Cell(value, ("yes and no",))
    return Cell(None, unread="neither yes nor no")


# Numbers.

NUMBER = re.compile(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?")
_BLANKS = dict.fromkeys(map(ord, "\u00a0\u202f\u2009"), " ")
_MINUS = {ord("\u2212"): "-"}


def _number(text: str, repair: Repair) -> Cell:
    """Return the number that a text is."""
    point, group = repair.decimal or ".", repair.thousands
    found = read_number(text, point, group)
    if found is None:
        return Cell(None, unread="no number")
    other = None
    if point == "either":
        marks = [mark for mark in ".," if mark in text]
        if len(marks) == 1:  # one kind of mark: before decimals, or between thousands
            other = read_number(text, "," if marks[0] == "." else ".", marks[0])
        decides = False
    else:
        swapped = "." if point == "," else ","
        other = read_number(text, swapped, point)
        decides = other is None
    changed = () if NUMBER.fullmatch(text) and float(text) == found else ("number",)
    return Cell(found, changed, otherwise=None if other == found else other, decides=decides)


def read_number(text: str, point: str, group: str | None) -> int | float | None:
    """Return the number that a text is, by its marks, or None if it is none.

    Examples
    --------
    >>> read_number("1.234,5", ",", "."), read_number("1.23,5", ",", ".")
    (1234.5, None)
    >>> read_number("72.5", "either", None), read_number("1,072.5", "either", None)
    (72.5, 1072.5)
    """
    plain = text.translate(_BLANKS).translate(_MINUS).replace("\u2019", "'")
    if point == "either":
        last = max(plain.rfind("."), plain.rfind(","))
        point = plain[last] if last >= 0 else "."
        first = "," if point == "." else "."
        if plain.count(point) > 1 and first not in plain:  # several of one mark: thousands
            first, point = point, first
        group = first if first in plain else group
    if group is not None and group != point and group in plain:
        whole, mark, rest = plain.partition(point)
        sign = whole[:1] if whole[:1] in "+-" else ""
        head, *groups = whole.removeprefix(sign).split(group)
        if not 1 <= len(head) <= 3 or any(len(each) != 3 for each in groups) or group in rest:
            return None
        plain = sign + head + "".join(groups) + mark + rest
    if point == ",":
        if "." in plain:
            return None
        plain = plain.replace(",", ".", 1)
    if NUMBER.fullmatch(plain) is None:
        return None
    number = float(plain)
    if number in (float("inf"), float("-inf")):
        return None
    return int(plain) if plain.lstrip("+-").isdigit() and abs(number) < 2**63 else number


# Dates.

_NUMBERED = re.compile(
    r"(?P<a>\d{1,4})(?P<mark>[./-])(?P<b>\d{1,2})(?P=mark)(?P<c>\d{1,4})"
    r"(?:[T ]+(?P<time>\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?)Z?)?"
)
_COMPACT = re.compile(r"(?P<y>[12]\d{3})(?P<m>\d{2})(?P<d>\d{2})")
_NAMED = re.compile(
    r"(?P<d>\d{1,2})[. -]*(?P<m>[^\W\d_]{3,})[. ,-]*(?P<y>\d{2,4})|"
    r"(?P<M>[^\W\d_]{3,})[. -]*(?P<D>\d{1,2})[ ,-]+(?P<Y>\d{2,4})"
)
# Months in English and German, by their first three letters.
_MONTHS: Final = {
    **{name: i + 1 for i, name in enumerate(
        ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"))},
    "mär": 3, "mrz": 3, "mae": 3, "mai": 5, "okt": 10, "dez": 12, "jän": 1,
}  # fmt: skip
_SERIAL = re.compile(r"(?P<day>\d{2,7})(?:\.(?P<part>\d+))?")
_DAY_ZERO = date(1899, 12, 30)
_FIRST_SERIAL, _LAST_SERIAL = 61, 2_958_465  # 1900-03-01, as Excel has a 29th of February 1900


def _date(text: str, repair: Repair) -> Cell:
    """Return the date that a text is."""
    order = repair.date or "year-first"
    serial = _SERIAL.fullmatch(text) if repair.excel_dates else None
    if serial and _FIRST_SERIAL <= int(serial["day"]) <= _LAST_SERIAL:
        if serial["part"] and int(serial["part"]) and not repair.drop_time:
            return Cell(None, unread="a date with a time: drop_time = true drops it")
        return Cell(_DAY_ZERO + timedelta(days=int(serial["day"])), ("excel_dates",))
    found, has_time = read_date(text, order, repair.century)
    if found is None:
        return Cell(None, unread=_why_no_date(text, repair))
    if has_time and not repair.drop_time:
        return Cell(None, unread="a date with a time: drop_time = true drops it")
    changed = () if found.isoformat() == text else ("date",)
    swapped: DateOrder = "month-first" if order == "day-first" else "day-first"
    if order == "year-first" or "." in text:  # nobody writes months first with dots
        return Cell(found, changed, decides=True)
    other, _ = read_date(text, swapped, repair.century)
    different = other if other is not None and other != found else None
    decides = other is None
    return Cell(found, changed, otherwise=different, decides=decides)


def _why_no_date(text: str, repair: Repair) -> str:
    """Return why a text is no date."""
    if repair.century is None and read_date(text, repair.date or "year-first", 1930)[0]:
        return "a year of two digits: century = 1930 says which hundred years they are of"
    if not repair.excel_dates and _SERIAL.fullmatch(text):
        return "a number: excel_dates = true reads it as Excel counts days"
    return "no date"


def read_date(text: str, order: DateOrder, century: int | None) -> tuple[date | None, bool]:
    """Return the date that a text is in some order, and whether a time of day is dropped by it.

    Examples
    --------
    >>> read_date("31.01.2024", "day-first", None)[0], read_date("2024-01-31", "day-first", None)[0]
    (datetime.date(2024, 1, 31), datetime.date(2024, 1, 31))
    >>> read_date("31 Jan 24", "day-first", 1930)[0], read_date("31/13/2024", "day-first", None)[0]
    (datetime.date(2024, 1, 31), None)
    """
    numbered = _NUMBERED.fullmatch(text)
    if numbered:
        a, b, c = numbered["a"], numbered["b"], numbered["c"]
        if len(a) > 2 or order == "year-first":
            year, month, day = a, b, c
        elif order == "day-first":
            day, month, year = a, b, c
        else:
            month, day, year = a, b, c
        return _made(year, month, day, century), _is_time(numbered["time"])
    compact = _COMPACT.fullmatch(text)
    if compact:
        return _made(compact["y"], compact["m"], compact["d"], century), False
    named = _NAMED.fullmatch(text)
    if named:
        letters = (named["m"] or named["M"]).lower()[:3]
        number = _MONTHS.get(letters)
        if number is not None:
            year, day = named["y"] or named["Y"], named["d"] or named["D"]
            return _made(year, str(number), day, century), False
    return None, False


def _made(year: str, month: str, day: str, century: int | None) -> date | None:
    """Return the date of three numbers, or None if there is none."""
    number = int(year)
    if len(year) == 2 and century is not None:
        number = century + (number - century) % 100
    elif len(year) != 4:
        return None
    try:
        return date(number, int(month), int(day)) if len(day) <= 2 else None
    except ValueError:
        return None


def _is_time(text: str | None) -> bool:
    """Say whether a time is one of the day, and not midnight."""
    if text is None:
        return False
    hours, minutes, *seconds = text.split(":")
    return any(float(part) for part in (hours, minutes, *seconds))
