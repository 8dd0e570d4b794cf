"""Claims about people: what released rows show of them, and what the original adds.

Released rows do not say whose they are. Rows of a class are rows of at most as many people, so
that from the files alone sizes are upper bounds. With the original, a class can only have been
made from the rows that lie under what it shows. If it has as many rows as there are, it has all
of them, and its people are known; if not, the fewest people who have so many rows are a lower
bound, whichever rows they were.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from discreet.data.table import Table
from discreet.errors import ParameterError
from discreet.verify.certificate import show
from discreet.verify.evidence import Side, patterns
from discreet.verify.generalized import line_up, side_of
from discreet.verify.hierarchies import flat
from discreet.verify.outcome import Check
from discreet.verify.strict.names import reads

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from discreet.verify.evidence import Evidence, Pattern


SEVERAL_ROWS = "one person, who may have several rows"
HOUSEHOLD = "one household"
ONE_ROW_EACH = "one person, who has one row"
PEOPLE = "people"
ROUNDING = Fraction(1, 10**11)  # of shares, where the release was made

_UNSEEN_K = "that people were counted, and not rows, in every class"
_UNSEEN_FLOOR = "that as many people as claimed have what a row shows"
_UNSEEN_SHARES = "how many people of a class hold a sensitive member"


def check_people(evidence: Evidence) -> tuple[Check, ...]:
    """Return what can be said of a claim that counts people, where people have several rows.

    Parameters
    ----------
    evidence : Evidence
        Perhaps with the original, which may know whose its rows are.

    Returns
    -------
    tuple of Check
        None if the unit of privacy is not a person with several rows. Without a verdict if it is
        not known whose rows a class may have, or if they could be rows of too few people.

    Notes
    -----
    That each released row was made from another row of the original is what a release by
    suppression or generalization states; people are counted under that assumption.
    """
    claims, whose = evidence.claims, _units(evidence)
    if claims.unit == ONE_ROW_EACH and whose is not None and len(np.unique(whose)) < len(whose):
        detail = "Every row is said to be another person, and some of the original have several."
        return (Check(name=PEOPLE, passed=False, detail=detail),)
    if claims.unit != SEVERAL_ROWS or not evidence.rows.height:
        return ()
    k, theta = claims.parameters.get("k"), claims.parameters.get("theta")
    if "k-anonymity" in claims.model and type(k) is int:
        return (_check_classes(evidence, k),)
    if claims.model == "support floor" and type(theta) is int:
        most, columns = claims.parameters.get("max_size"), claims.covered or claims.column_names
        few = isinstance(most, int) and most < len(columns)
        if few and _units(evidence) is not None:
            return ()  # people were counted with the claim itself
        return (_check_floor(evidence, theta + 1),)
    return ()


def _check_classes(evidence: Evidence, k: int) -> Check:
    found = _patterns(evidence)
    if found is None:
        detail = (
            f"Not checkable from the files: rows do not say whose they are. A class of {k} rows "
            "has rows of at most as many people, and can be of one. Give the original and the "
            "column that says whose its rows are."
        )
        return Check(name=PEOPLE, passed=None, detail=detail, unseen=_UNSEEN_K)
    whose = _units(evidence)
    assert whose is not None
    n_unsure = 0
    for pattern in found:
        rows = whose[pattern.under]
        if len(np.unique(rows)) < k:
            detail = (
                f"The class of row {pattern.row + 1} of the data can only have rows of fewer than "
                f"{k} people."
            )
            return Check(name=PEOPLE, passed=False, detail=detail)
        n_unsure += fewest_people(rows, pattern.n_released) < k
    if n_unsure:
        classes = "1 class" if n_unsure == 1 else f"{n_unsure:,} classes"
        detail = (
            f"Every class can have rows of {k} people. Of {classes} the files do not show which "
            "rows of the original it was made from, and some choices of them are of fewer people."
        )
        return Check(name=PEOPLE, passed=None, detail=detail, unseen=_UNSEEN_K)
    detail = (
        f"Every class has rows of at least {k} people of the original, whichever of the rows "
        "under it it was made from."
    )
    return Check(name=PEOPLE, passed=True, detail=detail)


def _check_floor(evidence: Evidence, floor: int) -> Check:
    found = _patterns(evidence)
    if found is None:
        detail = (
            "Not checkable from the files: it is a claim about people of the original. Give it, "
            "and the column that says whose its rows are."
        )
        return Check(name=PEOPLE, passed=None, detail=detail, unseen=_UNSEEN_FLOOR)
    whose = _units(evidence)
    assert whose is not None
    for pattern in found:
        n_people = len(np.unique(whose[pattern.under]))
        if n_people < floor:
            detail = (
                f"What row {pattern.row + 1} of the data shows is held by fewer than {floor} "
                "people of the original."
            )
            return Check(name=PEOPLE, passed=False, detail=detail)
    detail = f"What each row shows is held by at least {floor} people of the original."
    return Check(name=PEOPLE, passed=True, detail=detail)


def fewest_people(whose: NDArray[np.integer], n_rows: int) -> int:
    """Return the fewest people who have so many of some rows.

    Examples
    --------
    >>> fewest_people(np.array([7, 7, 7, 8, 9]), 4)
    2
    """
    counts = np.sort(np.unique(whose, return_counts=True)[1])[::-1]
    return int(np.searchsorted(np.cumsum(counts), n_rows)) + 1 if n_rows else 0


def _units(evidence: Evidence) -> NDArray[np.integer] | None:
    """Return whose each row of the original is; None if that is not known."""
    original, claims = evidence.original, evidence.claims
    if original is None:
        return None
    if claims.unit == HOUSEHOLD:
        step = claims.step("obey_rules")
        column = None if step is None else step.parameters.get("households")
        known = isinstance(column, str) and column in original.columns
        return original.codes(column) if known and isinstance(column, str) else None
    return None if original.people is None else original.people.codes


def _patterns(evidence: Evidence) -> list[Pattern] | None:
    """Return the classes and the rows of the original under each; None if not comparable."""
    if _units(evidence) is None or not evidence.rows.height:
        return None
    sides = _sides(evidence)
    return None if sides is None else list(patterns(sides))


def _sides(evidence: Evidence) -> list[Side] | None:
    """Return the columns of the claim in both tables; None if one cannot be compared."""
    claims, original = evidence.claims, evidence.original
    assert original is not None
    columns = claims.covered or claims.column_names
    if claims.step("generalize") is not None:
        _, sides = line_up(evidence)
        chosen = [side for side in sides if side.name in columns]
        return chosen if len(chosen) == len(columns) else None
    released = Table.from_frame(evidence.rows, categorical=True)
    chosen = []
    for name in columns:
        if name not in original.columns or name not in released.columns:
            return None
        side = side_of(name, flat(original.values(name)), original, released)
        if not isinstance(side, Side):
            return None
        chosen.append(side)
    return chosen


# Shares of those who hold a member of a sensitive column, in every class.

DIVERSITY, CLOSENESS = "l-diversity", "t-closeness"


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """How many hold each member: of one class, or of all rows."""

    n_units: int
    counts: dict[object, int]

    def share(self, member: object) -> Fraction:
        """Return the share of them who hold a member."""
        return Fraction(self.counts.get(member, 0), self.n_units)


def held(cells: Iterable[frozenset[object]], units: Iterable[object]) -> Held:
    """Return how many units hold each member: one holds what any of its cells has.

    Examples
    --------
    >>> held([frozenset({"flu"}), frozenset({"flu", "gout"})], [1, 1]).counts["flu"]
    1
    """
    of_unit: dict[object, set[object]] = {}
    for cell, unit in zip(cells, units, strict=True):
        of_unit.setdefault(unit, set()).update(cell)
    counts: dict[object, int] = {}
    for members in of_unit.values():
        for member in members:
            counts[member] = counts.get(member, 0) + 1
    return Held(n_units=len(of_unit), counts=counts)


def check_one_row_each(evidence: Evidence) -> tuple[Check, ...]:
    """Return whether values may be counted as if they were people's.

    Distinct, entropy and recursive diversity and distances between values count a value for each
    row, which is sound for people only if nobody has several rows.
    """
    claims, whose = evidence.claims, _units(evidence)
    by_member = claims.parameters.get("diversity") in (None, "share") and claims.parameters.get(
        "distance"
    ) in (None, "members")
    if claims.unit not in (SEVERAL_ROWS, HOUSEHOLD) or by_member:
        return ()
    name = "rows of people"
    if whose is None:
        detail = "Values are counted by rows, and the files do not show that nobody has several."
        return (
            Check(name=name, passed=None, detail=detail, unseen="that nobody has several rows"),
        )
    if len(np.unique(whose)) < len(whose):
        detail = "Values are counted by rows, and some people of the original have several."
        return (Check(name=name, passed=False, detail=detail),)
    return (Check(name=name, passed=True, detail="Nobody in the original has several rows."),)


def check_shares(evidence: Evidence, columns: Sequence[str]) -> Check:
    """Return whether every member is held by at most a share 1/l of every class.

    Parameters
    ----------
    evidence : Evidence
        The claim has the parameter ``l``.
    columns : sequence of str
        The sensitive columns, all released.

    Returns
    -------
    Check
        Shares are of rows, if each row is a unit of privacy. If people may have several, they are
        recomputed where the original shows which rows a class has; else only a class that no
        people could make diverse fails.
    """
    low = evidence.claims.parameters.get("l")
    if not isinstance(low, int | Fraction) or low < 1:
        detail = "The claim lacks l, a number from 1."
        return Check(name=DIVERSITY, passed=False, detail=detail)
    k = evidence.claims.parameters.get("k")
    least = k if type(k) is int else 1
    n_unsure = 0
    for name in columns:
        for each in _classes(evidence, name):
            fault = None
            if each.held is not None:
                fault = max(map(each.held.share, each.held.counts)) * low > 1
            else:
                # At least k people, at most so many of whom do not hold it: the rest do.
                rows = each.of_rows
                n_without = rows.n_units - max(rows.counts.values())
                fault = n_without * low < least * (low - 1)
                n_unsure += 1
            if fault:
                detail = (
                    f"In column '{name}' more than a share 1/{show(low)} of the class of row "
                    f"{each.row + 1} of the data holds one member."
                )
                return Check(name=DIVERSITY, passed=False, detail=detail)
    listed = ", ".join(columns)
    if n_unsure:
        return Check(
            name=DIVERSITY, passed=None, detail=_unsure(n_unsure, listed), unseen=_UNSEEN_SHARES
        )
    detail = f"In {listed} every member is held by at most a share 1/{show(low)} of every class."
    return Check(name=DIVERSITY, passed=True, detail=detail)


def check_member_closeness(evidence: Evidence, columns: Sequence[str]) -> Check:
    """Return whether shares of those who hold a member are near those in the whole release.

    Parameters
    ----------
    evidence : Evidence
        The claim has the parameter ``t``.
    columns : sequence of str
        The sensitive columns, all released.
    """
    near = evidence.claims.parameters.get("t")
    if not isinstance(near, int | Fraction) or not 0 <= near <= 1:
        detail = "The claim lacks t, from 0 to 1."
        return Check(name=CLOSENESS, passed=False, detail=detail)
    n_unsure = 0
    for name in columns:
        classes = _classes(evidence, name)
        if any(each.held is None for each in classes):
            n_unsure += sum(each.held is None for each in classes)
            continue
        cells = [cell for each in classes for cell in each.cells]
        whole = held(cells, [unit for each in classes for unit in each.units])
        for each in classes:
            assert each.held is not None
            share_of = each.held.share
            if any(abs(share_of(m) - whole.share(m)) > near + ROUNDING for m in whole.counts):
                detail = (
                    f"In column '{name}' the share of the class of row {each.row + 1} of the data "
                    f"who hold a member is farther than t = {show(near)} from that of all."
                )
                return Check(name=CLOSENESS, passed=False, detail=detail)
    listed = ", ".join(columns)
    if n_unsure:
        return Check(
            name=CLOSENESS, passed=None, detail=_unsure(n_unsure, listed), unseen=_UNSEEN_SHARES
        )
    detail = f"In {listed} the shares of those who hold a member are within {show(near)} of all."
    return Check(name=CLOSENESS, passed=True, detail=detail)


def _unsure(n_classes: int, listed: str) -> str:
    classes = "1 class" if n_classes == 1 else f"{n_classes:,} classes"
    return (
        f"Not checkable from the files: shares in {listed} are claimed of people, and of {classes} "
        "it is not known whose rows they are. As shares of rows nothing speaks against it."
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Class:
    """A class: a row of it, what its rows hold, and what its people do, where they are known."""

    row: int
    of_rows: Held
    held: Held | None
    cells: tuple[frozenset[object], ...]
    units: tuple[object, ...]


def _classes(evidence: Evidence, column: str) -> list[_Class]:
    claims, rows = evidence.claims, evidence.rows
    separator = next(each.separator for each in claims.columns if each.name == column)
    members = {value: _members(value, separator) for value in rows[column].unique().to_list()}
    shown = [members[value] for value in rows[column].to_list()]
    frame = rows.select(claims.covered).with_row_index("row of the data")
    groups = frame.group_by(claims.covered, maintain_order=True).agg("row of the data")
    by_people = claims.unit in (SEVERAL_ROWS, HOUSEHOLD)
    under = {}
    if by_people and evidence.original is not None and column in evidence.original.columns:
        under = {pattern.row: pattern for pattern in _patterns(evidence) or ()}
    classes = []
    for places in groups["row of the data"].to_list():
        cells = tuple(shown[place] for place in places)
        of_rows = held(cells, places)
        units: tuple[object, ...] = tuple(places)
        found: Held | None = of_rows
        if by_people:
            pattern = next((under[place] for place in places if place in under), None)
            found, cells, units = _of_people(evidence, column, pattern, cells, units)
        classes.append(_Class(row=places[0], of_rows=of_rows, held=found, cells=cells, units=units))
    return classes


def _of_people(
    evidence: Evidence,
    column: str,
    pattern: Pattern | None,
    cells: tuple[frozenset[object], ...],
    units: tuple[object, ...],
) -> tuple[Held | None, tuple[frozenset[object], ...], tuple[object, ...]]:
    """Return what the people of a class hold, if it has all rows of the original under it."""
    original, whose = evidence.original, _units(evidence)
    if pattern is None or original is None or whose is None:
        return None, cells, units
    if pattern.n_released != len(pattern.under):
        return None, cells, units
    separator = next(each.separator for each in evidence.claims.columns if each.name == column)
    values = original.values(column)
    codes = original.codes(column)[pattern.under].tolist()
    had = tuple(_members(values[code], separator) for code in codes)
    if sorted(map(_sortable, had)) != sorted(map(_sortable, cells)):
        return None, cells, units  # not the values of these rows: another check says so
    people = tuple(whose[pattern.under].tolist())
    return held(had, people), had, people


def _sortable(cell: frozenset[object]) -> list[str]:
    return sorted(str(member) for member in cell)


def _members(value: object, separator: str | None) -> frozenset[object]:
    """Return the members of a cell; an empty one has the member None."""
    if value is None or separator is None:
        return frozenset([None if value is None else reads(str(value))])
    return frozenset(reads(part) for part in str(value).split(separator))


def known_original(original: object, person: str) -> Table:
    """Return the original as a table that knows whose its rows are."""
    if original is None:
        raise ParameterError(
            "Without {original} there is no column that says whose rows are.",
            parameter="person",
            remedy="Give {original} too.",
            options={"original": ..., "person": person},
        )
    table = (
        original if isinstance(original, Table) else Table.from_frame(original, categorical=True)
    )
    if table.people is not None and table.people.column != person:
        raise ParameterError(
            f"The original was read with '{table.people.column}' as the column that says whose "
            "each row is.",
            parameter="person",
            remedy="Name that one.",
        )
    return table.with_person(person)
