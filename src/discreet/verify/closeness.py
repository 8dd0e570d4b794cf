"""t-closeness: in every class a sensitive column is spread nearly as in the whole table."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import polars as pl

from discreet.errors import DataError
from discreet.verify.certificate import show
from discreet.verify.files.contents import PARSERS
from discreet.verify.outcome import Check
from discreet.verify.strict.names import reads

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from discreet.verify.evidence import Evidence
    from discreet.verify.hierarchies import Span, Stated


NAME, NAME_ORIGINAL = "t-closeness", "closeness to original"

ROUNDING = Fraction(1, 10**11)  # of sums of shares, where the release was made

_LARGEST = 2**62  # integers of 64 bits hold more than this


def check_closeness(evidence: Evidence, columns: tuple[str, ...]) -> Check:
    r"""Return whether sensitive columns are t-close in every class.

    The claim is about the released table: the distance between the shares of the values in a
    class and in all released rows is at most t.

    Parameters
    ----------
    evidence : Evidence
        The claim has the parameters ``t`` and ``distance``; the step ``obey_rules`` may state
        an order of values.
    columns : tuple of str
        The sensitive columns, all released.

    Returns
    -------
    Check
        The column, and a row of a class that is not close, are named.

    References
    ----------
    N. Li, T. Li, S. Venkatasubramanian (2007), t-Closeness, definition 2 and section 5.
    """
    near = _stated_t(evidence)
    if near is None:
        detail = "The claim lacks t, from 0 to 1, or its distance between values."
        return Check(name=NAME, passed=False, detail=detail)
    return _check(evidence, columns, near, of_original=False)


def check_closeness_to_original(evidence: Evidence) -> tuple[Check, ...]:
    """Return whether classes are as close to the original, whose shares may be others.

    Parameters
    ----------
    evidence : Evidence
        With the original.

    Returns
    -------
    tuple of Check
        None if t-closeness is not claimed. Without a verdict if the column cannot be compared, or
        if a class is too far and rows were dropped: the claim is about the rows that are left.
    """
    claims, near, step = evidence.claims, _stated_t(evidence), evidence.claims.step("obey_rules")
    columns = None if step is None else step.parameters.get("sensitive")
    if near is None or not isinstance(columns, tuple) or not evidence.rows.height:
        return ()
    if not {*columns, *claims.covered} <= {*claims.column_names}:
        return ()
    found = _check(evidence, columns, near, of_original=True)
    made = claims.step("generalize")
    original = evidence.original
    fewer = original is not None and evidence.rows.height < original.n_rows
    if found.passed is False and made is not None and fewer:
        detail = (
            f"{found.detail} Records were suppressed, and the claim is about the released rows."
        )
        return (replace(found, passed=None, detail=detail),)
    return (found,)


def _stated_t(evidence: Evidence) -> Fraction | None:
    """Return the t of a claim with a distance, if it has both."""
    stated = evidence.claims.parameters
    near, kind = stated.get("t"), stated.get("distance")
    if not isinstance(near, int | Fraction) or not 0 <= near <= 1 or kind not in DISTANCES:
        return None
    return Fraction(near)


def _check(
    evidence: Evidence, columns: tuple[str, ...], near: Fraction, *, of_original: bool
) -> Check:
    """Return whether classes are close to the released table, or to the original."""
    check_name = NAME_ORIGINAL if of_original else NAME
    whole = "the original" if of_original else "all released rows"
    farthest = 0.0
    for name in columns:
        found = class_counts(evidence.rows, evidence.claims.covered, name)
        try:
            keys = _keys(evidence, name, found.values)
            overall = dict(zip(keys, found.overall.tolist(), strict=True))
            if of_original:
                overall = _original_counts(evidence, name)
            measure = _distance(evidence, name, [*keys, *overall])
        except DataError as error:
            detail = f"Column '{name}' cannot be compared: {error}."
            return Check(name=check_name, passed=None if of_original else False, detail=detail)
        worst, wrong = _too_far(found, keys, overall, measure, near)
        farthest = max(farthest, worst)
        if wrong:
            classes = "1 class is" if len(wrong) == 1 else f"{len(wrong):,} classes are"
            detail = (
                f"In column '{name}' {classes} farther than t = {show(near)} from {whole}, such "
                f"as that of row {found.first[wrong].min() + 1} of the data; the farthest by "
                f"{worst:.6g}."
            )
            return Check(name=check_name, passed=False, detail=detail)
    detail = (
        f"In {', '.join(columns)} every class is at most {farthest:.6g} from {whole}; t is "
        f"{show(near)}."
    )
    return Check(name=check_name, passed=True, detail=detail)


def _too_far(
    found: ClassCounts,
    keys: list[object],
    overall: Mapping[object, int],
    measure: Distance,
    near: Fraction,
) -> tuple[float, list[int]]:
    """Return the largest distance of a class, and the classes that are too far, exactly."""
    total = sum(overall.values())
    fits = 2 * total * max(total, int(found.sizes.max())) * measure.n_columns * measure.unit
    kind = np.int64 if fits < _LARGEST else np.object_
    whole = np.zeros(measure.n_columns, kind)
    for key, count in overall.items():
        whole[measure.column_of[key]] += count
    places = [measure.column_of[key] for key in keys]
    limit = (near + ROUNDING) * measure.unit * total
    worst, wrong = 0.0, []
    for low, block in found.blocks():
        spread = np.zeros((len(block), measure.n_columns), kind)
        spread[:, places] = block
        sizes = block.sum(axis=1).tolist()
        # Shares of a class and of the whole, both times size and total.
        moved = measure.work(spread * total - block.sum(axis=1)[:, None] * whole[None, :])
        for place, (work, size) in enumerate(zip(moved.tolist(), sizes, strict=True)):
            worst = max(worst, work / (measure.unit * total * size))
            if work > limit * size:
                wrong.append(low + place)
    return worst, wrong


def _distance(evidence: Evidence, column: str, keys: Iterable[object]) -> Distance:
    """Return the distance of the claim over some values of a column."""
    kind = evidence.claims.parameters["distance"]
    if kind == "equal":
        return equal_distance(keys)
    if kind == "hierarchical":
        tree = evidence.hierarchies.get(column)
        if tree is None:
            raise DataError("its hierarchy is not stated")
        return hierarchical_distance(keys, tree)
    step = evidence.claims.step("obey_rules")
    order = None if step is None else step.parameters.get(f"order of {column}")
    if order is not None and not isinstance(order, tuple):
        raise DataError("the order of its values is not a list")
    return ordered_distance(list(keys), order)


def _original_counts(evidence: Evidence, column: str) -> dict[object, int]:
    """Return how often each value of a column occurs in the original."""
    original = evidence.original
    assert original is not None
    if column not in original.columns:
        raise DataError("the original does not have it")
    values = original.values(column)
    counts = np.bincount(original.codes(column), minlength=len(values)).tolist()
    return dict(zip(_keys(evidence, column, values), counts, strict=True))


def _keys(evidence: Evidence, column: str, values: Iterable[object]) -> list[object]:
    """Return values of a column so that the same ones are equal, from whatever file they come."""
    kind = next(each.type for each in evidence.claims.columns if each.name == column)
    parse = PARSERS.get(kind)
    try:
        return [value if value is None or parse is None else parse(str(value)) for value in values]
    except (ValueError, KeyError, ArithmeticError):
        raise DataError(f"not all its values are of type {kind}") from None


# How far one spread of values is from another: all in whole numbers, so that nothing is rounded.
#
# Spreads are compared by the work of turning one into the other, the earth mover's distance.

Whole: TypeAlias = "NDArray[np.int64] | NDArray[np.object_]"

DISTANCES = ("equal", "ordered", "hierarchical")


@dataclass(frozen=True, slots=True, kw_only=True)
class Distance:
    """A distance between spreads over some columns.

    Attributes
    ----------
    column_of : dict
        The column of each value.
    n_columns : int
        How many there are.
    work : callable
        From differences, spreads by columns, to work; divided by ``unit`` it is the distance
        if the differences are of shares.
    unit : int
        The work of moving everything as far as can be.
    """

    column_of: dict[object, int]
    n_columns: int
    work: Callable[[Whole], Whole]
    unit: int


def equal_distance(values: Iterable[object]) -> Distance:
    """Return the distance in which any two values are as far apart: half of all that differs.

    Examples
    --------
    >>> measure = equal_distance(["flu", "cold"])
    >>> int(measure.work(np.array([[3, -3]]))[0]), measure.unit
    (6, 2)
    """
    column_of = {value: place for place, value in enumerate(dict.fromkeys(values))}
    return Distance(
        column_of=column_of,
        n_columns=len(column_of),
        work=lambda differences: np.abs(differences).sum(axis=1),
        unit=2,
    )


def ordered_distance(values: Iterable[object], order: Sequence[str] | None) -> Distance:
    """Return the distance of places in an order: what has to pass each gap between neighbours.

    Parameters
    ----------
    values : iterable
        All values that occur, None for an empty cell, which comes last.
    order : sequence of str, optional
        Their texts in order; by default they are sorted.

    Raises
    ------
    DataError
        If the order lacks a value, or values cannot be sorted.
    """
    known = [value for value in dict.fromkeys(values) if value is not None]
    if order is None:
        try:
            known.sort()
        except TypeError:
            raise DataError("values of different kinds have no order") from None
    else:
        place_of = {text: place for place, text in enumerate(order)}
        if not all(str(value) in place_of for value in known):
            raise DataError("the order that is stated lacks a value")
        known.sort(key=lambda value: place_of[str(value)])
    column_of: dict[object, int] = {value: place for place, value in enumerate(known)}
    if None in values:
        column_of[None] = len(known)
    return Distance(
        column_of=column_of,
        n_columns=len(column_of),
        work=lambda differences: np.abs(np.cumsum(differences, axis=1)).sum(axis=1),
        unit=max(len(column_of) - 1, 1),
    )


def hierarchical_distance(values: Iterable[object], tree: Stated) -> Distance:
    r"""Return the distance in which two values are as far apart as their group is high.

    .. math:: \text{work} = \sum_N \text{height}(N) \, \min(\text{pos}(N), \text{neg}(N))

    where the children of a group :math:`N` have together :math:`\text{pos}` too much and
    :math:`\text{neg}` too little.

    Raises
    ------
    DataError
        If a value is not in the hierarchy.

    References
    ----------
    N. Li, T. Li, S. Venkatasubramanian (2007), t-Closeness, section 5.2, as it is printed there.
    """
    column_of = {}
    for value in values:
        text = None if value is None else str(value)
        if text not in tree.place_of:
            raise DataError("the stated hierarchy lacks a value")
        column_of[value] = tree.place_of[text]
    heights = tree.heights
    children: dict[Span, list[Span]] = {}
    for span in heights:
        chain = tree.chains[span[0]]
        place = chain.index(span)
        if place + 1 < len(chain):
            children.setdefault(chain[place + 1], []).append(span)

    def work(differences: Whole) -> Whole:
        below = np.concatenate(
            [np.zeros_like(differences[:, :1]), np.cumsum(differences, axis=1)], axis=1
        )
        total = np.zeros_like(differences[:, 0])
        for group, parts in children.items():
            starts, stops = zip(*parts, strict=True)
            extra = below[:, stops] - below[:, starts]
            too_much = np.maximum(extra, 0).sum(axis=1)
            too_little = np.maximum(-extra, 0).sum(axis=1)
            total += heights[group] * np.minimum(too_much, too_little)
        return total

    return Distance(
        column_of=column_of,
        n_columns=len(tree.chains),
        work=work,
        unit=(max(heights.values(), default=0) if tree.height is None else tree.height) or 1,
    )


# How often each value of a column occurs in each equivalence class.

_CELLS = 1 << 22  # of one block of classes by values


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassCounts:
    """Counts of values by class, only those that are not zero.

    Attributes
    ----------
    values : list
        The different values, None for an empty cell.
    overall : array of int
        Rows with each value, all classes together.
    classes, places, counts : array of int
        Class, place of the value, and rows; sorted by class.
    first : array of int
        A row of each class, counted from 0.
    """

    values: list[object]
    overall: NDArray[np.int64]
    classes: NDArray[np.int64]
    places: NDArray[np.int64]
    counts: NDArray[np.int64]
    first: NDArray[np.int64]

    @property
    def sizes(self) -> NDArray[np.int64]:
        """Rows of each class."""
        total = np.zeros(len(self.first), np.int64)
        np.add.at(total, self.classes, self.counts)
        return total

    def blocks(self) -> Iterator[tuple[int, NDArray[np.int64]]]:
        """Yield classes by values in blocks, each with the number of its first class."""
        n_values = max(len(self.values), 1)
        step = max(1, _CELLS // n_values)
        for low in range(0, len(self.first), step):
            part = slice(*np.searchsorted(self.classes, [low, low + step]))
            block = np.zeros((min(step, len(self.first) - low), n_values), np.int64)
            block[self.classes[part] - low, self.places[part]] = self.counts[part]
            yield low, block


def as_read(column: pl.Series) -> pl.Series:
    r"""Return a column with values that read the same made one: of other case, or unseen letters.

    Examples
    --------
    >>> as_read(pl.Series(["flu", "Flu\u200b", "cold"])).to_list()
    ['flu', 'flu', 'cold']
    """
    if column.dtype != pl.String:
        return column
    first: dict[str, str] = {}
    texts = column.drop_nulls().unique().sort(descending=True).to_list()
    folded = {text: first.setdefault(reads(text), text) for text in texts}
    changed = {text: one for text, one in folded.items() if text != one}
    return column.replace(changed) if changed else column


def class_counts(rows: pl.DataFrame, columns: Sequence[str], of: str) -> ClassCounts:
    """Return how often each value of one column occurs in each class of others.

    Parameters
    ----------
    rows : DataFrame
        The released rows, at least one.
    columns : sequence of str
        Rows that are equal in these are a class.
    of : str
        The column to count.

    Examples
    --------
    >>> rows = pl.DataFrame({"sex": ["f", "f", "m"], "ill": ["flu", "cold", "flu"]})
    >>> found = class_counts(rows, ["sex"], "ill")
    >>> found.values, found.overall.tolist(), found.sizes.tolist()
    (['cold', 'flu'], [1, 2], [2, 1])
    """
    numbered = rows.select(
        class_=pl.struct(list(columns)).rank("dense"),
        value=pl.struct(pl.col(of)).rank("dense"),
        row=pl.int_range(pl.len()),
    )
    classes = numbered["class_"].to_numpy().astype(np.int64) - 1
    codes = numbered["value"].to_numpy().astype(np.int64) - 1
    first = np.unique(classes, return_index=True)[1]
    shown, where, places = np.unique(codes, return_index=True, return_inverse=True)
    pairs, counts = np.unique(classes * len(shown) + places.reshape(-1), return_counts=True)
    by_class, by_value = np.divmod(pairs, len(shown))
    return ClassCounts(
        values=rows[of].gather(where).to_list(),
        overall=np.bincount(by_value, counts).astype(np.int64),
        classes=by_class,
        places=by_value,
        counts=counts.astype(np.int64),
        first=first,
    )
