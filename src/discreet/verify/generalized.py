"""Whether a release by generalization could have come from the original."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from discreet.data.table import Table
from discreet.errors import DataError
from discreet.verify.carried import carried_columns, check_carried
from discreet.verify.closeness import check_closeness_to_original
from discreet.verify.evidence import Side, patterns
from discreet.verify.hierarchies import (
    HIERARCHIES_FILE,
    SUPPRESSED,
    contradiction,
    flat,
    read_stated,
    whole_tree,
)
from discreet.verify.outcome import Check

if TYPE_CHECKING:
    from discreet.verify.certificate import Claims
    from discreet.verify.evidence import Evidence
    from discreet.verify.hierarchies import Span, Stated, Text


ROWS = "rows of original"

# What may follow the step "generalize"; before it stand the steps that chose the groups.
AFTER = frozenset(("obey_rules", "mean_weights", "carry_column"))

_MOST_SHOWN = 6


def check_generalized(evidence: Evidence) -> tuple[Check, ...]:
    """Return whether released values and rows could have come from the original.

    Parameters
    ----------
    evidence : Evidence
        With the original; its steps end with ``generalize`` and what belongs to it.

    Returns
    -------
    tuple of Check
        Values: each is a node above a value of the original. Rows: in each column, and for
        whole rows, no more rows show something than the original has rows under it. And, if
        claimed, t-closeness to the original.

    Notes
    -----
    For a single column the count of each group is all there is to check. For whole rows it is
    necessary, not sufficient: they could still be dealt out so that two released rows rest on
    the same original row.
    """
    values, sides = line_up(evidence)
    checks = [values]
    if values.passed is not False:
        checks.append(_check_rows(evidence, sides))
    return (*checks, *check_closeness_to_original(evidence))


def _check_rows(evidence: Evidence, sides: list[Side]) -> Check:
    """Return whether the original has rows enough, by column and by whole rows."""
    original = evidence.original
    assert original is not None
    before, after = original.n_rows, evidence.rows.height
    step = evidence.claims.step("generalize")
    dropped = 0 if step is None else step.counts.get("n_rows_dropped", 0)
    if after + dropped > before:
        also = f" and {dropped:,} dropped" if dropped else ""
        detail = f"{after:,} rows are released{also}, and the original has {before:,}."
        return Check(name=ROWS, passed=False, detail=detail)
    if not sides or not after:
        detail = "There is nothing to compare with the original."
        return Check(name=ROWS, passed=None, detail=detail)
    for side in sides:
        fault = _too_many(side)
        if fault:
            return Check(name=ROWS, passed=False, detail=fault)
    n_low, worst = 0, -1
    for pattern in patterns(sides, progress=evidence.progress):
        if len(pattern.under) < pattern.n_released:
            n_low += pattern.n_released
            worst = pattern.row if worst < 0 else worst
    if n_low:
        rows = "1 released row shows" if n_low == 1 else f"{n_low:,} released rows show"
        detail = (
            f"{rows} combinations that fewer rows of the original lie under, such as row "
            f"{worst + 1} of the data: {_shown(sides, worst)}."
        )
        return Check(name=ROWS, passed=False, detail=detail)
    some = ""
    if len(sides) < len(evidence.rows.columns):
        some = f", in {', '.join(side.name for side in sides)}"
    unknown = _unknown(sides)
    if unknown:
        detail = f"No contradiction is seen{some}, but {_BELOW.format(', '.join(unknown))}"
        return Check(name=ROWS, passed=None, detail=detail)
    detail = f"{after:,} of {before:,} rows; each lies above rows of the original{some}."
    return Check(name=ROWS, passed=True, detail=detail)


_BELOW = (
    "the values under the groups of {} are not published. They can be compared where the whole "
    "hierarchy is given beside the original."
)


def _unknown(sides: list[Side]) -> list[str]:
    """Return the columns that show groups of which the values are not known."""
    return [
        side.name for side in sides if {*side.labels} & {low for low, _ in side.tree.edges or ()}
    ]


def _too_many(side: Side) -> str | None:
    """Return in words which value of a column is shown too often, or None."""
    shown: dict[Span, int] = {}
    label_of: dict[Span, str] = {}
    counts = np.bincount(side.codes, minlength=len(side.labels)).tolist()
    for label, spans, count in zip(side.labels, side.spans, counts, strict=True):
        start, stop = spans[0][0], spans[-1][1]  # all groups of the label, and perhaps more
        for span in side.tree.chains[start]:
            if span[0] <= start and stop <= span[1]:
                shown[span] = shown.get(span, 0) + count
                label_of.setdefault(span, "an empty cell" if label is None else repr(label))
    ordered = np.sort(side.places)
    for span, count in shown.items():
        low, high = np.searchsorted(ordered, span)
        if count > high - low:
            return (
                f"Column '{side.name}': {count:,} released rows show {label_of[span]} or another "
                f"value of its group, and the original has {high - low:,} such rows."
            )
    return None


def _shown(sides: list[Side], row: int) -> str:
    """Return what a released row shows, its first columns."""
    cells = [f"{side.name} {side.labels[side.codes[row]]!r}" for side in sides]
    more = ", ..." if len(cells) > _MOST_SHOWN else ""
    return ", ".join(cells[:_MOST_SHOWN]) + more


# Released and original columns side by side, so that rows can be looked up.

SIDES = "values of original"


def line_up(evidence: Evidence) -> tuple[Check, list[Side]]:
    """Return whether released values lie above values of the original, and the columns.

    Parameters
    ----------
    evidence : Evidence
        With the original, and the step ``generalize``.

    Returns
    -------
    Check
        The column, and the released value that is none, are named.
    list of Side
        The columns that can be compared. A column that was generalized shows nodes; any
        other shows values as they were, and the one of weights is ignored.
    """
    claims, original = evidence.claims, evidence.original
    assert original is not None
    step = claims.step("generalize")
    generalized = None if step is None else step.parameters.get("columns")
    if not isinstance(generalized, tuple):
        detail = "The step generalize does not name its columns."
        return Check(name=SIDES, passed=False, detail=detail), []
    skipped = {weights_column(claims), *carried_columns(claims)}
    released = Table.from_frame(evidence.rows, categorical=True)
    sides, apart = [], []
    for name in released.columns:
        if name in skipped:
            continue
        if name not in original.columns:
            detail = f"Column '{name}' is released, and the original does not have it."
            return Check(name=SIDES, passed=False, detail=detail), []
        tree = _tree(evidence, name, is_generalized=name in generalized)
        side = side_of(name, tree, original, released)
        if isinstance(side, Side):
            sides.append(side)
        elif side is None:
            apart.append(name)
        else:
            return Check(name=SIDES, passed=False, detail=side), []
    if apart:
        detail = (
            f"Column '{apart[0]}' cannot be compared: numbers on one side, text on the other. Was "
            "it binned? Read the original with the same bins."
        )
        return Check(name=SIDES, passed=None, detail=detail), sides
    unknown = _unknown(sides)
    if unknown:
        detail = f"Values are those of the original, but {_BELOW.format(', '.join(unknown))}"
        return Check(name=SIDES, passed=None, detail=detail), sides
    detail = "Every released value is, or lies above, one that its column has in the original."
    return Check(name=SIDES, passed=True, detail=detail), sides


def _tree(evidence: Evidence, column: str, *, is_generalized: bool) -> Stated:
    """Return what a column may show: nodes of its hierarchy, or its values as they are."""
    assert evidence.original is not None
    values = evidence.original.values(column)
    if not is_generalized:
        tree = flat(values)
        kept: dict[Text, tuple[Span, ...]] = {
            text: ((place, place + 1),) for text, place in tree.place_of.items()
        }
        return replace(tree, spans=kept)
    stated = evidence.hierarchies.get(column)
    if stated is None or stated.is_whole:
        return stated or flat(values)
    # A group may hold any value: it is above all of them for all that is known.
    tree = flat(values)
    everything = tree.spans[None] if None not in tree.place_of else ((0, len(values)),)
    groups = {text: everything for text in stated.spans if text not in stated.place_of}
    below = tuple((low, high) for low, high in stated.edges or () if low in groups)
    return replace(tree, spans={**tree.spans, **groups}, edges=below)


def side_of(name: str, tree: Stated, original: Table, released: Table) -> Side | str | None:
    """Return a column of both tables, what is wrong with it, or None if it was binned since."""
    had = [_text(value) for value in original.values(name)]
    has = [_text(value) for value in released.values(name)]
    strange = [text for text in has if text not in tree.spans]
    is_text = any(isinstance(value, str) for value in original.values(name))
    if not all(text in tree.place_of for text in had):
        if not is_text and not any(text in tree.place_of for text in had if text is not None):
            return None
        return f"The original has values in column '{name}' that its stated hierarchy lacks."
    if strange and not is_text and {*has} <= {*strange, None, SUPPRESSED}:
        return None
    if strange:
        place = int(np.flatnonzero(released.codes(name) == has.index(strange[0]))[0]) + 1
        shown = "an empty cell" if strange[0] is None else repr(strange[0])
        return (
            f"Column '{name}' shows {shown} (row {place} of the data), which is neither a value "
            "of it in the original nor a node above one."
        )
    places = np.array([tree.place_of[text] for text in had], np.int64)
    return Side(
        name=name,
        tree=tree,
        places=places[original.codes(name)],
        codes=released.codes(name).astype(np.int64),
        labels=has,
    )


def _text(value: object) -> Text:
    return None if value is None else str(value)


# Whether every class has rows of several households: a promise that rows alone cannot show.

HOUSEHOLDS = "households"

_UNSEEN = (
    "Every class is said to have rows of at least k households. The column that identifies them "
    "is not released, so this is not checkable from the files"
)


def check_households(evidence: Evidence) -> tuple[Check, ...]:
    """Return what can be said of a promise about households.

    Parameters
    ----------
    evidence : Evidence
        Perhaps with the original.

    Returns
    -------
    tuple of Check
        None if nothing is promised. Never passed: which rows of the original a class was made
        from is not published. Failed if those that it could have been made from are of fewer
        than k households.
    """
    claims, original = evidence.claims, evidence.original
    step, k = claims.step("obey_rules"), claims.parameters.get("k")
    column = None if step is None else step.parameters.get("households")
    if column is None:
        return ()
    if not isinstance(column, str) or column in claims.column_names or type(k) is not int:
        detail = "obey_rules names no column of households, or one that is released."
        return (Check(name=HOUSEHOLDS, passed=False, detail=detail),)
    unseen = Check(
        name=HOUSEHOLDS,
        passed=None,
        detail=f"{_UNSEEN}.",
        unseen="that every class has rows of as many households as claimed",
    )
    if original is None or column not in original.columns or claims.step("generalize") is None:
        return (unseen,)
    values, sides = line_up(evidence)
    covered = [side for side in sides if side.name in claims.covered]
    if values.passed is False or not covered or not evidence.rows.height:
        return (unseen,)
    codes = original.codes(column)
    for pattern in patterns(covered):
        if len(np.unique(codes[pattern.under])) < k:
            detail = (
                f"The class of row {pattern.row + 1} of the data can only have rows of fewer "
                f"than {k} households."
            )
            return (Check(name=HOUSEHOLDS, passed=False, detail=detail),)
    detail = f"{_UNSEEN}; the rows of the original that fit each class are of at least {k}."
    return (replace(unseen, detail=detail),)


# Whether all rows of a class show one weight, so that weights distinguish no rows of it.

WEIGHTS = "weights"


def weights_column(claims: Claims) -> str | None:
    """Return the column in which every class is said to show the mean of its weights, if any."""
    step = claims.step("mean_weights")
    column = None if step is None else step.parameters.get("column")
    return column if isinstance(column, str) else None


def check_numbers(evidence: Evidence) -> tuple[Check, ...]:
    """Return whether weights and columns that are carried along show what the steps say."""
    claims = evidence.claims
    of_nodes = evidence.original is not None and claims.step("generalize") is not None
    sides = line_up(evidence)[1] if of_nodes and carried_columns(claims) else None
    return (*check_weights(claims, evidence.rows), *check_carried(evidence, sides))


def check_weights(claims: Claims, rows: pl.DataFrame) -> tuple[Check, ...]:
    """Return whether every class shows one weight.

    Parameters
    ----------
    claims : Claims
        The step ``mean_weights`` names the column.
    rows : DataFrame
        The released rows.

    Returns
    -------
    tuple of Check
        None if there are no weights.
    """
    if claims.step("mean_weights") is None:
        return ()
    column = weights_column(claims)
    if column not in rows.columns or not {*claims.covered} <= {*rows.columns}:
        detail = "mean_weights names no released column."
        return (Check(name=WEIGHTS, passed=False, detail=detail),)
    different = rows.select(pl.col(column).n_unique().over(list(claims.covered))).to_series()
    wrong = np.flatnonzero(different.to_numpy() > 1)
    if len(wrong):
        detail = (
            f"In column '{column}' rows of a class have weights of their own, such as row "
            f"{wrong[0] + 1} of the data."
        )
        return (Check(name=WEIGHTS, passed=False, detail=detail),)
    detail = f"In column '{column}' all rows of a class show one weight."
    return (Check(name=WEIGHTS, passed=True, detail=detail),)


# Whether every released value is a node of the hierarchy that the release states.

NODES = "hierarchies"


def check_nodes(
    content: bytes | None, claims: Claims, rows: pl.DataFrame
) -> tuple[tuple[Check, ...], dict[str, Stated]]:
    """Return whether released values are nodes of stated hierarchies, and the hierarchies.

    Parameters
    ----------
    content : bytes or None
        The content of ``hierarchies.json``, if the release has it.
    claims : Claims
        The step ``generalize`` says which columns were generalized by a hierarchy.
    rows : DataFrame
        The released rows.

    Returns
    -------
    tuple of Check
        None if nothing was generalized and no hierarchy is stated; else one, which names the
        column and the value that is no node.
    dict of str to Stated
        What could be read.

    Notes
    -----
    A column without a stated hierarchy may hold any value: whether it was kept or suppressed only
    the original shows. An empty cell of a column that was not generalized is a suppressed one.
    """
    step = claims.step("generalize")
    promised = () if step is None else step.parameters.get("hierarchies")
    if content is None and not promised:
        if step is None:
            return (), {}
        detail = "No hierarchy is stated: values of generalized columns are kept or suppressed."
        return (Check(name=NODES, passed=isinstance(promised, tuple), detail=detail),), {}
    try:
        stated = {} if content is None else read_stated(content, version=claims.version)
    except DataError as error:
        return (Check(name=NODES, passed=False, detail=str(error)),), {}
    fault = _fault(stated, promised if isinstance(promised, tuple) else (), rows)
    if fault:
        return (Check(name=NODES, passed=False, detail=fault),), stated
    detail = f"Every value of {', '.join(stated)} is a node of its stated hierarchy."
    return (Check(name=NODES, passed=True, detail=detail),), stated


def _fault(stated: dict[str, Stated], promised: tuple[str, ...], rows: pl.DataFrame) -> str | None:
    """Return what is wrong in words, or None."""
    for name in promised:
        if name not in stated:
            return (
                f"Column '{name}' was generalized by a hierarchy that {HIERARCHIES_FILE} does not "
                "state."
            )
    for name, tree in stated.items():
        if name not in rows.columns:
            return f"A hierarchy is stated for column '{name}', which is not released."
        beside = _not_released(tree, rows[name])
        if beside is not None:
            return (
                f"The stated hierarchy of column '{name}' has {beside}, which is neither released "
                "nor above a value that is."
            )
        for value in rows[name].unique(maintain_order=True).to_list():
            if value is None and (name not in promised or "" in tree.spans):
                continue  # suppressed, which is the root; or a text that a file cannot express
            text = None if value is None else str(value)
            if text not in tree.spans:
                place = rows[name].to_list().index(value) + 1
                shown = "an empty cell" if value is None else repr(text)
                return (
                    f"Column '{name}' shows {shown} (row {place} of the data), which is no "
                    "node of its stated hierarchy."
                )
    return None


def _not_released(tree: Stated, column: pl.Series) -> str | None:
    """Return a label that is stated without need; None if there is none, or all are listed."""
    if tree.edges is None:
        return None
    above = {high for _, high in tree.edges}
    shown = {None if value is None else str(value) for value in column.unique().to_list()}
    needless = [low for low, _ in tree.edges if low not in above and low not in shown]
    return repr(needless[0]) if needless else None


def use_whole(
    evidence: Evidence, stated: dict[str, Stated]
) -> tuple[tuple[Check, ...], dict[str, Stated]]:
    """Return hierarchies with the whole ones that the checker gives in place of what is stated.

    Returns
    -------
    tuple of Check
        None if none is given; else whether what is stated is part of those.
    dict of str to Stated
        The whole ones, where they do not contradict what is stated.
    """
    found, used, original = dict(stated), [], evidence.original
    for name, tree in evidence.trees.items():
        if name not in stated:
            continue
        is_there = original is not None and name in original.columns
        whole = whole_tree(name, tree, original.values(name) if original and is_there else ())
        wrong = contradiction(stated[name], whole)
        if wrong is not None:
            detail = (
                f"The stated hierarchy of column '{name}' has {wrong}, which the given one has "
                "not, or in another place."
            )
            return (Check(name=GIVEN, passed=False, detail=detail),), stated
        found[name] = whole
        used.append(name)
    if not used:
        return (), stated
    detail = f"What is stated of {', '.join(used)} is part of the hierarchies given."
    return (Check(name=GIVEN, passed=True, detail=detail),), found


GIVEN = "given hierarchies"
