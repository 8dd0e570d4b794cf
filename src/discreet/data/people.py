"""Whose each row is: the column that names the person, kept beside the table and never in it.

A person is the unit of privacy and may have several rows. The column that names people is taken
out of the table when it is read, so that no method can release it; what is left is a number for
each row.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from discreet.errors import DataError, ParameterError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from discreet.data.column import Column


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class People:
    """The person of each row.

    Attributes
    ----------
    column : str
        The name of the column that said so; its values are not kept.
    codes : array of int32
        The person of each row, from 0, all numbers used; read-only. The numbers mean nothing.

    Examples
    --------
    >>> people = People.of("patient", np.array([7, 7, 3]))
    >>> people.codes.tolist(), people.n_people, people.most_rows
    ([1, 1, 0], 2, 2)
    """

    column: str
    codes: NDArray[np.int32]

    @classmethod
    def of(cls, column: str, codes: NDArray[np.integer]) -> People:
        """Return the people of codes that may have gaps."""
        _, dense = np.unique(codes, return_inverse=True)
        numbers = dense.reshape(-1).astype(np.int32)
        numbers.flags.writeable = False
        return cls(column=column, codes=numbers)

    @property
    def n_people(self) -> int:
        """Number of different people."""
        return int(self.codes.max(initial=-1)) + 1

    @property
    def most_rows(self) -> int:
        """The largest number of rows that one person has."""
        return int(np.bincount(self.codes).max(initial=0))

    def take(self, rows: NDArray[np.integer] | NDArray[np.bool_]) -> People:
        """Return the people of some rows, numbered anew."""
        return People.of(self.column, self.codes[rows])

    def one_row_each(self, order: NDArray[np.integer]) -> NDArray[np.int64]:
        """Return one row of each person, in the order of the table: the first in another order.

        Parameters
        ----------
        order : array of int
            All rows. Drawn uniformly from all orders, it chooses uniformly among the rows of each
            person, and for each on its own: how the rows of one person stand among themselves
            says nothing of the rows of another.

        Examples
        --------
        >>> people = People.of("patient", np.array([0, 1, 1, 1]))
        >>> people.one_row_each(np.array([2, 0, 1, 3])).tolist()
        [0, 2]
        """
        return self.some_rows_each(order, 1)

    def some_rows_each(self, order: NDArray[np.integer], most: int) -> NDArray[np.int64]:
        """Return at most so many rows of each person, as :meth:`one_row_each` returns one.

        Examples
        --------
        >>> people = People.of("patient", np.array([0, 1, 1, 1]))
        >>> people.some_rows_each(np.array([2, 0, 3, 1]), 2).tolist()
        [0, 2, 3]
        """
        whose = self.codes[order]
        together = np.argsort(whose, kind="stable")  # by person, and within in the given order
        n_rows = np.bincount(whose, minlength=self.n_people)
        place = np.arange(len(order)) - np.repeat(np.cumsum(n_rows) - n_rows, n_rows)
        return np.sort(order[together[place < most]].astype(np.int64))

    def count(self, group_of: NDArray[np.integer], n_groups: int) -> NDArray[np.int64]:
        """Return how many different people have a row in each group.

        Parameters
        ----------
        group_of : array of int
            The group of each row, from 0; -1 for rows in no group.
        n_groups : int
            How many groups there are.

        Examples
        --------
        >>> people = People.of("patient", np.array([0, 0, 1, 1]))
        >>> people.count(np.array([0, 0, 0, 1]), 2).tolist()
        [2, 1]
        """
        used = np.flatnonzero(group_of >= 0)
        pairs = group_of[used].astype(np.int64) * max(self.n_people, 1) + self.codes[used]
        groups = np.unique(pairs) // max(self.n_people, 1)
        return np.bincount(groups, minlength=n_groups)


def people_of(name: str, column: Column) -> People:
    """Return the people that the values of a column name.

    Raises
    ------
    DataError
        If a row names nobody.
    """
    if column.missing_code is not None:
        missing = np.flatnonzero(column.codes == column.missing_code)
        if len(missing):
            raise DataError(
                f"Column '{name}' says whose each row is, and is empty in {len(missing):,} rows, "
                f"the first of them row {int(missing[0]) + 1:,} of the data.",
                parameter="person",
                column=name,
                remedy="Fill in who it is, or take these rows out.",
            )
    return People.of(name, column.codes)


def same_people(one: People | None, other: People | None) -> bool:
    """Say whether rows belong together in the same way, whatever the numbers of people are."""
    if one is None or other is None:
        return one is other
    if one.column != other.column or one.n_people != other.n_people:
        return False
    if len(one.codes) != len(other.codes):
        return False
    pairs = np.unique(np.column_stack([one.codes, other.codes]), axis=0)
    return len(pairs) == one.n_people


def check_statement(
    person: object, one_row_per_person: object, *, known: People | None = None
) -> None:
    """Raise ParameterError unless one thing at most is stated, in the right form.

    What is known of people already, by a column, is a statement too.
    """
    if person is not None and (not isinstance(person, str) or not person):
        raise ParameterError(
            f"{{person}} is the name of a column, not {person!r}.",
            parameter="person",
            options={"person": ...},
        )
    if not isinstance(one_row_per_person, bool):
        raise ParameterError(
            f"{{one_row_per_person}} is True or False, not {one_row_per_person!r}.",
            parameter="one_row_per_person",
            options={"one_row_per_person": ...},
        )
    if known is not None and person is not None:
        raise ParameterError(
            f"Column '{known.column}' says whose each row is already.",
            parameter="person",
            column=known.column,
            remedy="Name one column.",
        )
    said = person if known is None else known.column
    if said is not None and one_row_per_person:
        raise ParameterError(
            f"Column '{said}' says whose each row is, so {{one_row_per_person}} is seen from it.",
            parameter="one_row_per_person",
            column=str(said),
            remedy="State one of them.",
            options={"one_row_per_person": True},
        )
