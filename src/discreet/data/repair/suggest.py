"""Repairs that a table seems to need, for a person to judge: nothing is mended here.

A repair is proposed where it makes sense of all cells of a column; what it cannot decide, such as
whether 03/04/2024 is in March or in April, is named with its row.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple, get_args

import numpy as np
import polars as pl

from discreet.data.recognize.names import words_of
from discreet.data.repair.apply import MOST_NAMED, HasCells, cells_of
from discreet.data.repair.lines import Reading
from discreet.data.repair.rules import (
    NUMBER,
    DateOrder,
    Repair,
    mend,
    read_date,
    read_number,
)
from discreet.errors import DataError
from discreet.result import Preview, Result

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from discreet.data.frames import OpenFrame
    from discreet.data.repair.rules import Decimal, Thousands

# Cells that nearly always mean missing; compared in small letters.
_MISSING: Final = frozenset(
    ("?", "??", "na", "n/a", "n.a.", "#n/a", "null", "#null!", "nan", "unknown", "unk", "unbekannt",
     "k.a.", "k. a.", "k.a", "keine angabe", "not known", "not available", "missing", "fehlt",
     "inconnu", "desconocido", "sconosciuto", "onbekend", "#value!", "#wert!", "#ref!", "#bezug!",
     "#div/0!", "#name?", "#num!", "(null)", "<na>", "\\n")
)  # fmt: skip
# What may also be a value where a column is text.
_MISSING_AMONG_NUMBERS: Final = frozenset(
    ("none", "-", "--", "---", ".", "..", "x", "keine", "nil")
)
_SEXES: Final = {
    "male": ("m", "male", "man", "men", "männlich", "maennlich", "mann", "masculin", "homme",
             "hombre", "maschio", "masculino", "maschile", "herr"),
    "female": ("f", "female", "woman", "women", "w", "weiblich", "frau", "féminin", "feminin",
               "femme", "mujer", "femenino", "femmina", "femminile", "vrouw"),
    "diverse": ("d", "divers", "diverse", "x", "non-binary", "nonbinary"),
}  # fmt: skip
_YES: Final = ("yes", "y", "ja", "j", "true", "t", "1", "oui", "si", "sí", "sì", "wahr")
_NO: Final = ("no", "n", "nein", "nee", "false", "f", "0", "non", "falsch")
_DATED: Final = re.compile(
    r"(?:^|_)(?:date|datum|day|tag|born|birth|geburt|geboren|dob|admitted|admission|aufnahme|"
    r"discharged?|entlassung|fecha|data|naissance|referred|visit|since|until|from|am)(?:_|$)|"
    r"(?:date|datum)(?:_|$)"
)
_ENOUGH = 0.9  # share of the cells that are of a kind, before the others are taken for faults
_MOST_FAULTS = 5  # different texts that are proposed to be missing, where a column is of a kind
_MOST_MEANINGS = 40  # spellings that are written out one by one
_MOST_SPELLINGS = 2_000  # different texts that are compared without regard to case
_LIKELY_SERIALS = (10_000, 73_050)  # days of 1927 to 2099
_LONGEST_DATE = 40
_CENTURY = 1930  # proposed for years of two digits


@dataclass(frozen=True, slots=True, kw_only=True)
class RepairSuggestion:
    """A repair that a column seems to need.

    Attributes
    ----------
    column : str
        The column.
    repair : Repair, optional
        What is proposed; None where only a person can decide.
    seen : str
        What was seen, with numbers of cells.
    doubts : tuple of str
        Cells that can be read in two ways or in none, with their rows; at most ten.
    choices : tuple of Repair
        Where ``repair`` is None, what to choose from.
    """

    column: str
    repair: Repair | None
    seen: str
    doubts: tuple[str, ...] = ()
    choices: tuple[Repair, ...] = ()

    def to_dict(self) -> dict[str, object]:
        """Return all fields as plain values."""
        return {
            "column": self.column,
            "repair": None if self.repair is None else self.repair.to_dict(),
            "seen": self.seen,
            "doubts": list(self.doubts),
            "choices": [choice.to_dict() for choice in self.choices],
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class RepairSuggestions(Result):
    """The repairs that a table seems to need; it shows the data, and is not for publication.

    Attributes
    ----------
    suggestions : tuple of RepairSuggestion
        For columns that seem to need one, in the order of the table.
    reading : Reading
        Options of ``read_table`` that a file seems to need: encoding, skip_first, skip_last,
        repeated_header.
    """

    suggestions: tuple[RepairSuggestion, ...] = ()
    reading: Reading = field(default_factory=Reading)

    @property
    def repairs(self) -> dict[str, Repair]:
        """What is proposed, as ``repairs=`` of ``load`` takes it."""
        return {each.column: each.repair for each in self.suggestions if each.repair is not None}

    @property
    def sentence(self) -> str:
        """How many columns seem to need a repair."""
        n_open = sum(each.repair is None for each in self.suggestions)
        n_columns = len(self.suggestions) - n_open
        found = f"{n_columns} column{'' if n_columns == 1 else 's'} can be repaired"
        return f"{found}, {n_open} for you to decide." if n_open else f"{found}."

    def __repr__(self) -> str:
        return f"RepairSuggestions: {self.sentence}"

    def preview(self) -> Preview:
        """Return one row for each column."""
        rows = [
            (each.column, "you decide" if each.repair is None else "proposed", each.seen)
            for each in self.suggestions
        ]
        return Preview(title=self.sentence, header=("column", "repair", "what was seen"), rows=rows)

    def to_dict(self) -> dict[str, object]:
        """Return all fields as plain values."""
        return {
            "reading": dict(self.reading),
            "suggestions": [each.to_dict() for each in self.suggestions],
        }


def suggest_repairs(data: object, *, names: Iterable[str] | None = None) -> RepairSuggestions:
    """Return the repairs that a file or table seems to need, with what was seen.

    Parameters
    ----------
    data : path, Table or frame
        Of a file also lines are looked for that are no rows of its table.
    names : iterable of str, optional
        Of all columns, for a file without a header.

    Returns
    -------
    RepairSuggestions
        Nothing is changed: pass ``repairs`` to :func:`discreet.load` once you agree.

    Raises
    ------
    DataError
        If the file cannot be read.

    Notes
    -----
    No guarantee: proposals look at the data. Where a release is to be differentially private,
    state repairs that you would state without having seen these rows.

    Examples
    --------
    >>> found = suggest_repairs({"sex": ["m", "M", "male", "f"], "kg": ["72,5", "80", "?", "64,1"]})
    >>> found.repairs["kg"].to_dict()
    {'missing': ['?'], 'decimal': ','}
    >>> found.repairs["sex"].values
    {'m': 'male', 'M': 'male', 'f': 'female'}
    """
    from discreet.data.encode import check_width
    from discreet.data.frames import open_frame
    from discreet.data.table import Table

    reading = Reading()
    if isinstance(data, str | os.PathLike):
        from discreet.data.read import open_messy

        frame, reading = open_messy(Path(data), names=None if names is None else tuple(names))
    else:
        frame, _ = open_frame(data.to_frame() if isinstance(data, Table) else data)
    check_width(frame.names)
    needed = {name: _suggest(frame, name) for name in frame.names}
    found = [each for each in needed.values() if each is not None]
    return RepairSuggestions(suggestions=(*found, *_ages(frame, needed)), reading=reading)


def _ages(
    frame: OpenFrame, needed: Mapping[str, RepairSuggestion | None]
) -> list[RepairSuggestion]:
    """Return the ages that two columns of dates give, for a person to choose from."""
    dated = [name for name in frame.names if _is_dated(frame, name, needed[name])]
    born = next((name for name in dated if _BORN.search(words_of(name))), None)
    events = [name for name in dated if name != born]
    name = next(name for name in ("age", "age_at_event", "_age") if name not in frame.names)
    if born is None or not events:
        return []
    seen = f"{born} is a date of birth, and an age often says what is needed of it"
    choices = tuple(Repair(age_of=(born, event), other="missing") for event in events)
    return [RepairSuggestion(column=name, repair=None, seen=seen, choices=choices)]


_BORN: Final = re.compile(
    r"(?:^|_)(?:birth|born|dob|geburt\w*|geboren|naissance|nacimiento)(?:_|$)"
)


def _is_dated(frame: OpenFrame, name: str, found: RepairSuggestion | None) -> bool:
    """Say whether a column holds dates, or may be made to."""
    if found is not None:
        return any(each.is_date for each in (found.repair, *found.choices) if each is not None)
    try:
        texts = cells_of(frame, name).drop_nulls().unique().head(_DATES_READ).to_list()
    except DataError:  # cells that have no texts
        return False
    return bool(texts) and len(_read_as("year-first", texts)) == len(texts)


_DATES_READ: Final = 50


class _Texts(NamedTuple):
    """The different texts of a column, how often each occurs, and where it does first."""

    n_of: Mapping[str, int]
    where: Callable[[str], str]

    @property
    def n_cells(self) -> int:
        return sum(self.n_of.values())


def _suggest(frame: OpenFrame, name: str) -> RepairSuggestion | None:
    """Return what a column seems to need, or None."""
    if not isinstance(frame, HasCells):
        raw = frame.column(name)
        if isinstance(raw, pl.Series) and raw.dtype == pl.Date:  # dates as they should be
            return None
    cells = cells_of(frame, name)
    present = cells.drop_nulls()
    n_of = dict(
        zip(
            present.unique(maintain_order=True).to_list(),
            present.unique_counts().to_list(),
            strict=True,
        )
    )
    if not n_of:
        return None

    def where(text: str) -> str:
        return frame.where(
            int(np.flatnonzero((cells == text).fill_null(value=False).to_numpy())[0])
        )

    return _of_texts(name, _Texts(n_of, where))


def _of_texts(name: str, texts: _Texts) -> RepairSuggestion | None:
    """Return what the texts of a column seem to need, or None."""
    seen: list[str] = []
    repair = Repair()
    n_blank = sum(n for text, n in texts.n_of.items() if " ".join(text.split()) != text)
    if n_blank:
        repair = replace(repair, trim=True)
        seen.append(f"{n_blank:,} cells have blanks too many")
    plain: Counter[str] = Counter()
    for text, n in texts.n_of.items():
        plain[" ".join(text.split()) if n_blank else text] += n
    del plain[""]
    first = {" ".join(text.split()) if n_blank else text: text for text in texts.n_of}
    trimmed = _Texts(plain, lambda text: texts.where(first[text]))
    missing = _missing(plain, _MISSING)
    rest = {text: n for text, n in plain.items() if text not in missing}
    if not rest:
        missing, rest = [], dict(plain)
    for kind in (_truths, _dates, _numbers):
        found = kind(name, trimmed._replace(n_of=rest), replace(repair, missing=missing))
        if found is not None:
            return _joined(name, found, seen, plain)
    if missing:
        repair = replace(repair, missing=missing)
        seen.append(_listed("mean missing", missing, plain))
    found = _spellings(name, trimmed._replace(n_of=rest), repair)
    if found is not None:
        return _joined(name, found, seen, plain, counted=bool(missing))
    if repair == Repair():
        return None
    return RepairSuggestion(column=name, repair=repair, seen="; ".join(seen))


def _joined(
    name: str,
    found: RepairSuggestion,
    seen: list[str],
    n_of: Mapping[str, int],
    *,
    counted: bool = False,
) -> RepairSuggestion:
    """Return a suggestion with what was seen before it."""
    of = found.repair or next(iter(found.choices), Repair())
    before = list(seen)
    listed = [text for text in of.missing if text in n_of and text.lower() in _ALL_MISSING]
    if listed and not counted:
        before.append(_listed("mean missing", listed, n_of))
    return replace(found, column=name, seen="; ".join([*before, found.seen]))


_ALL_MISSING: Final = _MISSING | _MISSING_AMONG_NUMBERS


def _listed(words: str, texts: Iterable[str], n_of: Mapping[str, int]) -> str:
    """Return texts with how often each occurs."""
    texts = list(texts)
    shown = ", ".join(f"{text!r} ({n_of[text]:,})" for text in texts[:_MOST_FAULTS])
    more = f" and {len(texts) - _MOST_FAULTS} more" if len(texts) > _MOST_FAULTS else ""
    return f"{shown}{more} {words}"


def _missing(n_of: Mapping[str, int], known: frozenset[str]) -> list[str]:
    """Return the texts that seem to mean missing."""
    found = [text for text in n_of if text.lower() in known]
    if "NA" in found:  # Namibia among countries, sodium among elements
        short = [text for text in n_of if text.isalpha() and text.isupper() and len(text) == 2]
        if len(short) > 0.5 * len(n_of) and len(short) > 2:
            found.remove("NA")
    return sorted(found)


def _truths(name: str, texts: _Texts, repair: Repair) -> RepairSuggestion | None:
    """Return the repair of a column of yes and no, if it is written in several ways."""
    del name
    yes = sorted(text for text in texts.n_of if text.lower() in _YES)
    no = sorted(text for text in texts.n_of if text.lower() in _NO)
    if len(yes) + len(no) < max(len(texts.n_of), 3) or not yes or not no:
        return None
    if {text.lower() for text in (*yes, *no)} <= {"f", "t"}:
        return None
    words = {text.lower(): None for text in yes}, {text.lower(): None for text in no}
    return RepairSuggestion(
        column="",
        repair=replace(repair, yes=tuple(words[0]), no=tuple(words[1])),
        seen=f"yes and no are written in {len(yes) + len(no)} ways",
    )


# Dates.


class _Dates(NamedTuple):
    """Which texts of a column are dates, and what speaks for which order."""

    order: DateOrder  # that reads most of them
    read: set[str]
    faults: list[str]  # texts that are no dates
    serials: Mapping[str, int]  # as Excel counts days
    n_faults: int  # cells that are dates in no order
    doubtful: list[str]  # of which day and month may change places
    for_day: bool  # some can only be read with the day first
    for_month: bool
    for_dots: bool  # which nobody writes with the month first

    @property
    def is_open(self) -> bool:
        """Whether nothing says which of day and month comes first."""
        return bool(self.doubtful) and not (self.for_day or self.for_month or self.for_dots)

    @property
    def chosen(self) -> DateOrder:
        """The order that the cells speak for."""
        if self.for_month:
            return "month-first"
        return "day-first" if self.for_day or self.for_dots or self.order != "year-first" else (
            "year-first"
        )  # fmt: skip


def _seen_dates(texts: _Texts) -> _Dates:
    """Return which texts are dates."""
    serials = {text: n for text, n in texts.n_of.items() if _is_serial(text)}
    others = [text for text in texts.n_of if text not in serials]
    read = {order: _read_as(order, others) for order in _ORDERS}
    order = max(_ORDERS, key=lambda each: sum(texts.n_of[text] for text in read[each]))
    day, month = read["day-first"], read["month-first"]
    return _Dates(
        order=order,
        read=read[order],
        faults=[text for text in others if text not in read[order]],
        serials=serials,
        n_faults=sum(
            texts.n_of[text] for text in others if not any(text in read[one] for one in _ORDERS)
        ),
        doubtful=[text for text in others if text in day & month and _differs(text)],
        for_day=any(_is_numbered(text) for text in day - month),
        for_month=any(_is_numbered(text) for text in month - day),
        for_dots=any(map(_is_dotted, read[order])),
    )


def _dates(name: str, texts: _Texts, repair: Repair) -> RepairSuggestion | None:
    """Return the repair of a column of dates."""
    found = _seen_dates(texts)
    n_dates = sum(texts.n_of[text] for text in found.read)
    n_serials = sum(found.serials.values())
    counted = f"{n_serials:,} cells are numbers as Excel counts days"
    if n_serials and not n_dates:  # numbers alone: dates only where the column says so
        if found.faults or n_serials < 2 or not _DATED.search(words_of(name)):
            return None
        return RepairSuggestion(column="", repair=replace(repair, excel_dates=True), seen=counted)
    n_cells = texts.n_cells - n_serials
    is_dated = n_cells - found.n_faults >= max(_ENOUGH * n_cells, n_serials, 1)
    if found.for_day and found.for_month and is_dated:
        seen = "some cells are dates with the day first, others with the month first"
        doubts = _doubts(found.doubtful, texts, "is either of two dates")
        return RepairSuggestion(column="", repair=None, seen=seen, doubts=doubts)
    if not is_dated or not n_dates or len(found.faults) > _MOST_FAULTS:
        return None
    words = [f"{n_dates:,} cells are dates", *([counted] if n_serials else [])]
    return _in_order(found, texts, _dated(found, repair), words)


def _in_order(found: _Dates, texts: _Texts, base: Repair, words: Iterable[str]) -> RepairSuggestion:
    """Return the repair of dates in the order that the cells speak for, or both to choose from."""
    seen = list(words)
    seen += ["times of day are dropped"] if base.drop_time else []
    seen += [f"years of two digits are {_CENTURY} to {_CENTURY + 99}"] if base.century else []
    if found.faults:
        seen.append(_listed("are no dates and become missing", found.faults, texts.n_of))
    doubts = _doubts(found.faults, texts, "is no date")
    if not found.is_open:
        if found.chosen != "year-first":
            seen.append(f"the {found.chosen.removesuffix('-first')} comes first")
        made = replace(base, date=found.chosen)
        return RepairSuggestion(column="", repair=made, seen="; ".join(seen), doubts=doubts)
    n_doubtful = sum(texts.n_of[text] for text in found.doubtful)
    seen.append(f"day or month may come first: no cell decides, {n_doubtful:,} differ by it")
    doubts += _doubts(found.doubtful, texts, "is either of two dates")
    return RepairSuggestion(
        column="", repair=None, seen="; ".join(seen), doubts=doubts[:MOST_NAMED],
        choices=(replace(base, date="day-first"), replace(base, date="month-first")),
    )  # fmt: skip


def _dated(found: _Dates, repair: Repair) -> Repair:
    """Return the repair of dates without their order."""
    order = found.order
    short = any(read_date(text, order, None)[0] is None for text in found.read)
    timed = any(read_date(text, order, _CENTURY)[1] for text in found.read)
    return replace(
        repair, other="missing" if found.faults else "refuse", excel_dates=bool(found.serials),
        date=order, century=_CENTURY if short else None, drop_time=timed,
    )  # fmt: skip


_ORDERS: Final[tuple[DateOrder, ...]] = get_args(DateOrder)


def _is_serial(text: str) -> bool:
    """Say whether a text is a number that Excel may keep for a date of this time."""
    whole = text.removesuffix(".0")
    return len(whole) == 5 and whole.isdigit() and (
        _LIKELY_SERIALS[0] <= int(whole) <= _LIKELY_SERIALS[1]
    )  # fmt: skip


def _read_as(order: DateOrder, texts: Iterable[str]) -> set[str]:
    """Return the texts that are dates in some order."""
    return {
        text
        for text in texts
        if len(text) <= _LONGEST_DATE
        and not text.isdigit()
        and read_date(text, order, _CENTURY)[0] is not None
    }


def _is_numbered(text: str) -> bool:
    """Say whether a date is of three numbers, the year not first."""
    return re.match(r"\d{1,2}[./-]\d", text) is not None


def _is_dotted(text: str) -> bool:
    """Say whether a date has dots, as only those with the day first have."""
    return re.match(r"\d{1,2}\.\d{1,2}\.\d", text) is not None


def _differs(text: str) -> bool:
    """Say whether a date is another one with the month first."""
    one, other = (read_date(text, order, _CENTURY)[0] for order in ("day-first", "month-first"))
    return one != other


def _doubts(doubtful: Iterable[str], texts: _Texts, words: str) -> tuple[str, ...]:
    """Return where texts stand that cannot be read, or not in one way."""
    return tuple(
        f"{texts.where(text)}: {text[:40]!r} {words}" for text in islice(doubtful, MOST_NAMED)
    )


# Numbers.

_MARKS: Final[tuple[tuple[Decimal, Thousands | None], ...]] = (
    (".", None), (",", None), (",", "."), (".", ","), (",", " "), (".", " "), (".", "'"),
    (",", "'"), ("either", None),
)  # fmt: skip


def _numbers(name: str, texts: _Texts, repair: Repair) -> RepairSuggestion | None:
    """Return the repair of a column of numbers that are not all written plainly."""
    del name
    weak = _missing(texts.n_of, _MISSING_AMONG_NUMBERS)
    n_of = {text: n for text, n in texts.n_of.items() if text not in weak}
    if not n_of or any(re.fullmatch(r"[+-]?0\d+", text) for text in n_of):  # codes, as 01067
        return None
    total = sum(n_of.values())
    reads = {marks: [t for t in n_of if read_number(t, *marks) is not None] for marks in _MARKS}
    shares = {marks: sum(n_of[text] for text in read) for marks, read in reads.items()}
    marks = max(_MARKS, key=lambda each: shares[each])  # the first of equals: the plainest
    faults = [text for text in n_of if text not in set(reads[marks])]
    if shares[marks] < _ENOUGH * total or len(faults) > _MOST_FAULTS:
        return None
    point, group = marks
    lost = [*repair.missing, *weak]
    repair = replace(repair, missing=lost)
    is_plain = all(NUMBER.fullmatch(text) for text in reads[marks])
    if is_plain and not weak and not faults and not repair.missing:
        return None
    if is_plain:
        made = replace(repair, number=True)
        seen = [f"{shares[marks]:,} cells are numbers"]
    else:
        made = replace(
            repair, decimal=point if point != "." or group is None else None,
            thousands=group,
        )  # fmt: skip
        words = {"either": "points and commas before decimals", ",": "decimal commas"}
        seen = [f"{shares[marks]:,} cells are numbers"]
        seen += [f"with {words[point]}"] if point in words else []
        seen += [f"with {group!r} between thousands"] if group else []
    if faults:  # not listed as missing: the policy is published, and a fault may be one person's
        made = replace(made, other="missing")
        seen.append(_listed("are no numbers and become missing", faults, n_of))
    doubts = _doubts(faults, texts, "is no number")
    cells = {text: mend(text, made) for text in reads[marks]}
    doubtful = [text for text, cell in cells.items() if cell.otherwise is not None]
    is_open = not is_plain and not any(cell.decides for cell in cells.values())
    if doubtful and is_open:
        doubts = (*doubts, *_doubts(doubtful, texts, "is either of two numbers"))[:MOST_NAMED]
        if point != "either":
            swapped: Decimal = "." if point == "," else ","
            other = replace(made, decimal=swapped, thousands=point, number=False)
            seen.append("the comma may stand between thousands: no cell decides")
            return RepairSuggestion(
                column="", repair=None, seen=", ".join(seen), doubts=doubts, choices=(made, other)
            )
    return RepairSuggestion(column="", repair=made, seen=", ".join(seen), doubts=doubts)


# Spellings.


def _spellings(name: str, texts: _Texts, repair: Repair) -> RepairSuggestion | None:
    """Return the repair of a column of texts that are spelt in several ways."""
    del name
    meanings = _sexes(texts.n_of) or _cases(texts.n_of)
    if not meanings:
        return None
    n_cells = sum(texts.n_of[text] for text in meanings)
    n_meant = len(set(meanings.values()))
    seen = f"{n_cells:,} cells are spelt in {len(meanings)} other ways than their {n_meant} values"
    if len(meanings) > _MOST_MEANINGS:
        seen = f"{n_cells:,} cells differ from others in case alone"
        return RepairSuggestion(column="", repair=replace(repair, case="lower"), seen=seen)
    return RepairSuggestion(column="", repair=replace(repair, values=meanings), seen=seen)


def _sexes(n_of: Mapping[str, int]) -> dict[str, str]:
    """Return what spellings of sexes mean, if a column holds them and spells one in two ways."""
    known = {word: sex for sex, words in _SEXES.items() for word in words}
    meant = {text: known.get(text.lower()) for text in n_of}
    found = {text: sex for text, sex in meant.items() if sex is not None}
    if len(found) < len(n_of) or len(set(found.values())) < 2 or len(found) <= len(
        set(found.values())
    ):  # fmt: skip
        return {}
    return {text: sex for text, sex in found.items() if text != sex}


def _cases(n_of: Mapping[str, int]) -> dict[str, str]:
    """Return texts that differ from a more frequent one in case alone, to that one."""
    if len(n_of) > _MOST_SPELLINGS:
        return {}
    alike: dict[str, list[str]] = {}
    for text in n_of:
        alike.setdefault(text.casefold(), []).append(text)
    found = {}
    for group in alike.values():
        best = max(group, key=lambda text: (n_of[text], text.istitle(), text))
        found.update({text: best for text in group if text != best})
    return found
