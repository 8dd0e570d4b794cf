"""One set of items for each person, from rows or transactions of which a person has several.

Supports of itemsets that fit together by inclusion and exclusion count sets of items. Of a person
with several rows "has a row with a" and "has a row with b" say nothing of a row with both, so that
people must not be counted over rows that are mined as rows: their transactions are united, or one
row of each is chosen, before anything is mined.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

from discreet import checks
from discreet.data.table import Table, as_table
from discreet.data.transactions import Transactions
from discreet.errors import ParameterError
from discreet.noise import noise_from

if TYPE_CHECKING:
    from discreet.data.people import People

PerPerson: TypeAlias = Literal["unite", "one"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class OnePerPerson:
    """What is mined of some data, and how it was made of them.

    Attributes
    ----------
    data : Table or Transactions
        With one row or transaction of each person, if that is known.
    source : Table or Transactions
        What it was made from.
    done : {"unite", "one"}, optional
        None if nothing says whose each row is.
    is_seeded : bool
        Whether rows were chosen by a seed that somebody knows.
    """

    data: Table | Transactions
    source: Table | Transactions
    done: PerPerson | None = None
    is_seeded: bool = False


def one_per_person(
    data: object,
    *,
    per_person: PerPerson | None = None,
    person: str | None = None,
    one_row_per_person: bool = False,
    seed: int | None = None,
) -> OnePerPerson:
    """Return data with one row or transaction of each person, where it is known whose they are.

    Parameters
    ----------
    data : Table, Transactions, frame or Release
        What is to be mined.
    per_person : {"unite", "one"}, optional
        What becomes of several transactions of one person: they are united into one, or one is
        chosen at random. Of the rows of a table, one is chosen: "one". It is needed if a person
        has several.
    person, one_row_per_person : optional
        Of a frame: the column that says whose each row is, or the statement that every row is
        another person.
    seed : int, optional
        For experiments: the choice can be repeated, by others too.

    Returns
    -------
    OnePerPerson
        Nothing in ``data`` says any longer whose each row was.

    Raises
    ------
    ParameterError
        If a person has several rows and nothing says which to take, or it is said although nothing
        says whose they are.

    Examples
    --------
    >>> import polars as pl
    >>> frame = pl.DataFrame({"who": [1, 1, 2], "basket": [["a"], ["b"], ["a"]]})
    >>> baskets = Transactions.from_frame(frame, items="basket", person="who")
    >>> [sorted(basket) for basket in one_per_person(baskets, per_person="unite").data]
    [['a', 'b'], ['a']]
    >>> len(one_per_person(baskets, per_person="one").data)
    2
    """
    if per_person is not None:
        checks.one_of("per_person", per_person, get_args(PerPerson))
    known = _stated(data, person, one_row_per_person=one_row_per_person)
    if known.people is None:
        if per_person is None and seed is None:
            return OnePerPerson(data=known, source=known)
        option = "seed" if per_person is None else "per_person"
        raise ParameterError(
            f"{{{option}}} says which rows of a person are taken, and nothing says whose each row "
            "is.",
            parameter=option,
            remedy="Name the column, as person=, or leave it out.",
            options={option: seed if per_person is None else per_person},
        )
    done = _checked(known, known.people, per_person)
    if done == "unite":
        assert isinstance(known, Transactions)
        if seed is not None:
            raise ParameterError(
                "Transactions are united, and nothing is chosen by a {seed}.",
                parameter="seed",
                options={"seed": seed},
            )
        return OnePerPerson(data=known.united(), source=known, done=done)
    rows = known.people.one_row_each(noise_from(seed).permutation(len(known)))
    chosen = replace(known.take(rows), people=None, one_row_per_person=True)
    return OnePerPerson(data=chosen, source=known, done=done, is_seeded=seed is not None)


def check_one_each(data: object) -> None:
    """Raise ParameterError if a person has several rows: people would be counted over rows.

    Examples
    --------
    >>> check_one_each(Table.from_frame({"who": [1, 2], "sex": ["f", "m"]}, person="who"))
    """
    people = getattr(getattr(data, "data", data), "people", None)
    if people is not None and people.most_rows > 1:
        raise ParameterError(
            f"Column '{people.column}' names people with several rows, and patterns are counted "
            "over one set of items of each.",
            parameter="person",
            column=people.column,
            remedy="Take one row of each person first, with discreet.mine.one_per_person.",
        )


def _stated(data: object, person: str | None, *, one_row_per_person: bool) -> Table | Transactions:
    """Return data as a table or transactions that know what is stated of people."""
    published = getattr(data, "data", data)  # of a release
    if not isinstance(published, Transactions):
        return as_table(data, person=person, one_row_per_person=one_row_per_person)
    if person is not None:
        raise ParameterError(
            "Transactions have no columns: {person} is named when they are made.",
            parameter="person",
            remedy="Use Transactions.from_frame or from_long with person=.",
            options={"person": person},
        )
    return published.stating(one_row_per_person=one_row_per_person)


def _checked(data: Table | Transactions, people: People, per_person: PerPerson | None) -> PerPerson:
    """Return what is done, or raise ParameterError if it cannot be, or was not said."""
    is_table = isinstance(data, Table)
    if per_person == "unite" and is_table:
        raise ParameterError(
            "Rows of a table have one value in each column and cannot be united: {per_person} is "
            '"one".',
            parameter="per_person",
            options={"per_person": "unite"},
        )
    if per_person is None and people.most_rows > 1:
        what, ways = ("rows", '"one" chooses one of each at random') if is_table else (
            "transactions",
            '"unite" makes one of them, "one" chooses one of each at random',
        )  # fmt: skip
        raise ParameterError(
            f"Column '{people.column}' names people with several {what}, and itemsets are counted "
            "over one set of items of each person.",
            parameter="per_person",
            column=people.column,
            remedy=f"Give {{per_person}}: {ways}.",
            options={"per_person": ...},
        )
    return "one" if per_person is None else per_person
