"""Which rows of a release fit what an attacker knows about a person.

A visible cell fits if it is the value known, or a group of the hierarchy that holds it. A
suppressed cell is read in both ways: as a wildcard that fits everything, and as a value ``*``
that fits nothing but a missing one.
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from discreet.assess.classes import equivalence_classes
from discreet.errors import DiscreetWarning

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from discreet.data.column import Column
    from discreet.data.hierarchy import Hierarchy
    from discreet.data.table import Table

Reading: TypeAlias = Literal["wildcard", "exact"]
READINGS: tuple[Reading, ...] = ("wildcard", "exact")


class Matcher:
    """The distinct rows of a release in some columns, ready to be searched.

    Parameters
    ----------
    release : Table
        What the attacker sees.
    targets : Table
        The people attacked, with the same columns.
    columns : sequence of str
        What may be known or is to be learnt.
    hierarchies : mapping of str to Hierarchy
        Trees of generalized columns.

    Attributes
    ----------
    weights : array of int64
        How many rows each distinct row stands for.
    codes : dict of str to array
        Code of each distinct row in each column.
    """

    __slots__ = ("_by_value", "_ends", "_fits", "_targets", "codes", "weights")

    def __init__(
        self,
        release: Table,
        targets: Table,
        columns: Sequence[str],
        hierarchies: Mapping[str, Hierarchy],
    ) -> None:
        distinct = equivalence_classes(release, columns)
        self.weights = distinct.sizes
        self.codes = {name: release.codes(name)[distinct.first] for name in columns}
        self._targets = {name: targets.codes(name) for name in columns}
        # Rows sorted by value: those of value v end where ends[v] says.
        self._by_value = {
            name: np.argsort(codes, kind="stable").astype(np.int32)
            for name, codes in self.codes.items()
        }
        self._ends = {
            name: np.cumsum(np.bincount(codes, minlength=len(release.values(name))))
            for name, codes in self.codes.items()
        }
        self._fits: dict[Reading, dict[str, NDArray[np.bool_]]] = {"exact": {}, "wildcard": {}}
        for name in columns:
            there = release.column(name)
            exact = fitting(targets.column(name), there, hierarchies.get(name))
            wildcard = exact.copy()
            if there.missing_code is not None:
                wildcard[:, there.missing_code] = True
            self._fits["exact"][name], self._fits["wildcard"][name] = exact, wildcard

    def rows(self, target: int, known: Iterable[str], reading: Reading) -> NDArray[np.int64]:
        """Return the distinct rows that fit one target in the known columns."""
        fits = {name: self._fits[reading][name][self._targets[name][target]] for name in known}
        if not fits:
            return np.arange(len(self.weights))
        sizes = {name: int(np.diff(self._ends[name], prepend=0) @ fits[name]) for name in fits}
        first, *others = sorted(fits, key=sizes.__getitem__)  # fewest rows first
        found = self._with_values(first, np.flatnonzero(fits[first]))
        for name in others:
            found = found[fits[name][self.codes[name][found]]]
        return found

    def _with_values(self, name: str, values: NDArray[np.intp]) -> NDArray[np.int64]:
        """Return the rows that have one of these values in a column."""
        ends, rows = self._ends[name], self._by_value[name]
        parts = [rows[ends[value - 1] if value else 0 : ends[value]] for value in values]
        return np.concatenate([np.empty(0, np.int64), *parts])


def fitting(
    target: Column, release: Column, hierarchy: Hierarchy | None = None
) -> NDArray[np.bool_]:
    """Return which values of a release fit which values of a target's column.

    Parameters
    ----------
    target, release : Column
        The same column before and after protection.
    hierarchy : Hierarchy, optional
        Its tree, if the release shows groups.

    Returns
    -------
    ndarray of bool
        A row for each value of the target, a column for each of the release.

    Raises
    ------
    HierarchyError
        If a value of the target is no leaf, or one of the release no node.
    """
    if hierarchy is None:
        place_of = {(type(value), value): code for code, value in enumerate(target.values)}
        fits = np.zeros((len(target.values), len(release.values)), np.bool_)
        for code, value in enumerate(release.values):
            if (type(value), value) in place_of:
                fits[place_of[type(value), value], code] = True
        return fits
    leaves = hierarchy.encode(value for value in target.values if value is not None)
    as_text = {str(leaf): code for code, leaf in enumerate(hierarchy.leaves)}
    fits = np.zeros((len(target.values), len(release.values)), np.bool_)
    for code, value in enumerate(release.values):
        if value is None:  # a missing value in both; the wildcard is added by the matcher
            fits[len(leaves) :, code] = True
            continue
        # Next to groups a number is shown as text: a column has values of one type.
        leaf = as_text.get(value) if isinstance(value, str) else None
        under = hierarchy.leaves_under(hierarchy.node_of(value) if leaf is None else leaf)
        fits[: len(leaves), code] = (leaves >= under.start) & (leaves < under.stop)
    return fits


def warn_of_strangers(
    release: Table, original: Table, columns: Iterable[str], hierarchies: Mapping[str, Hierarchy]
) -> None:
    """Warn of values in the release that the original never has: they fit nobody."""
    for name in columns:
        known = {(type(value), value) for value in original.values(name)}
        strange = [
            value
            for value in release.values(name)
            if value is not None and (type(value), value) not in known
        ]
        if strange and name not in hierarchies:
            shown = ", ".join(map(repr, strange[:3])) + (", ..." if len(strange) > 3 else "")
            warnings.warn(
                f"Column '{name}' of the release has {len(strange)} values that the original "
                f"never has: {shown}. They fit nobody, so the attack is too weak; give "
                "hierarchies= if the column was generalized.",
                DiscreetWarning,
                stacklevel=3,
            )
