"""What a release promises, to whom, and what it does not promise.

A guarantee is a claim that can be checked: a model with its parameters, the unit it protects,
and the assumptions it rests on. It cannot be made without saying what is not protected.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from fractions import Fraction
from types import MappingProxyType
from typing import TYPE_CHECKING, cast

from discreet.errors import DataError, GuaranteeError, ParameterError, did_you_mean
from discreet.release.event import Event
from discreet.release.exact import exact, number_from_json, number_to_json, shown
from discreet.result import Preview, Result

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from discreet.data.binning import Carried
    from discreet.data.table import Table
    from discreet.release.exact import Exact


ADD_REMOVE = "tables that differ in one row added or removed"

REPLACE = "tables that differ in one row replaced by another"

# What a model needs to be a claim at all: a word of its name, and the parameters it speaks of.
_NEEDS = {
    "k-anonymity": ("k",),
    "l-diversity": ("l",),
    "t-closeness": ("t",),
    "differential privacy": ("epsilon",),
    "(epsilon, delta)": ("epsilon", "delta"),
    "support floor": ("theta",),
    "k-anonymous patterns": ("k", "min_support", "n_rows"),
}

_ABOUT_COLUMNS = ("k-anonymity", "l-diversity", "t-closeness", "support floor")


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Guarantee(Result):
    """A privacy claim: model, parameters, unit, neighbours, assumptions, and limits.

    Parameters
    ----------
    model : str
        Such as ``"k-anonymity"`` or ``"(epsilon, delta)-differential privacy"``.
    parameters : mapping of str to int, Fraction or str
        The numbers of the claim, exact; see :func:`discreet.release.exact.exact`.
    unit : str
        What is protected, such as ``"one row"``; see :func:`unit_of`.
    neighbours : str, optional
        Between which inputs the claim holds; needed for differential privacy.
        :data:`ADD_REMOVE` and :data:`REPLACE` are the usual ones.
    columns : tuple of str
        The columns that the claim is about; needed for models of classes. Of patterns, columns
        of the input, if the claim is not about all of them.
    assumptions : tuple of str
        What must be true for the claim to hold, a sentence each.
    not_protected : tuple of str
        What the claim does not cover, a sentence each; never empty.
    experimental : bool
        Whether the run can be repeated by others, as with a seed: not for publication.
    experimental_reason : str, optional
        Why; needed if experimental.

    Raises
    ------
    GuaranteeError
        If the claim says more than it can: nothing left unprotected, a parameter of the model
        missing or out of its range, no neighbours or no columns where the model needs them.
    ParameterError
        If a parameter is not a number or text.

    Examples
    --------
    >>> claim = Guarantee(
    ...     model="k-anonymity",
    ...     parameters={"k": 5},
    ...     unit="one person, who has one row",
    ...     columns=("age", "sex"),
    ...     not_protected=("What all members of a class have in common can be learnt.",),
    ... )
    >>> print(claim.sentence)
    k-anonymity with k = 5 for one person, who has one row: in age and sex, every row is the same
    as at least 4 others.
    """

    model: str
    parameters: Mapping[str, Exact]
    unit: str
    neighbours: str | None = None
    columns: tuple[str, ...] = ()
    assumptions: tuple[str, ...] = ()
    not_protected: tuple[str, ...]
    experimental: bool = False
    experimental_reason: str | None = None

    def __post_init__(self) -> None:
        """Make everything immutable and refuse claims that say too much."""
        given = {name: exact(name, self.parameters[name]) for name in _ordered(self.parameters)}
        object.__setattr__(self, "parameters", MappingProxyType(given))
        for name in ("columns", "assumptions", "not_protected"):
            object.__setattr__(self, name, _texts(name, getattr(self, name)))
        _check_words(self)
        _check_ranges(given)
        _check_model(self)

    def __reduce__(self) -> tuple[Callable[[Mapping[str, object]], Guarantee], tuple[object, ...]]:
        """Pickle by way of the plain values."""
        return Guarantee.from_dict, (self.to_dict(),)

    def __repr__(self) -> str:
        return f"Guarantee: {self.sentence}"

    @property
    def is_differentially_private(self) -> bool:
        """Whether the model is a form of differential privacy, so that epsilon adds up."""
        return "differential privacy" in self.model

    @property
    def condition(self) -> str | None:
        """On what the whole claim rests, as its model begins; None if on nothing.

        Examples
        --------
        >>> Guarantee(
        ...     model=IF_PUBLIC + "differential privacy", parameters={"epsilon": 1},
        ...     unit="one row", neighbours=ADD_REMOVE, not_protected=("Relatives.",),
        ... ).condition
        'only if the lists of values are public'
        """
        begun = (words for begin, words in _CONDITIONS.items() if self.model.startswith(begin))
        return next(begun, None)

    @property
    def sentence(self) -> str:
        """The claim in one plain sentence."""
        figures = [f"{name} = {shown(name, value)}" for name, value in self.parameters.items()]
        text = f"{self.model} with {_listed(figures)}" if figures else self.model
        text += f" for {self.unit}"
        if self.is_differentially_private:
            bound = f"exp({shown('epsilon', self.parameters['epsilon'])}) times as likely"
            delta = self.parameters.get("delta", 0)
            more = f", plus {shown('delta', delta)}" if delta else ""
            text += f": between {self.neighbours}, no outcome is more than {bound}{more}"
        elif "k-anonymity" in self.model:
            others = int(self.parameters["k"]) - 1
            text += f": in {_listed(self.columns)}, every row is the same as "
            if self.unit in _SOMEBODY:
                one, many = _SOMEBODY[self.unit]
                text += f"rows of at least {others} other {one if others == 1 else many}"
            else:
                text += "at least 1 other" if others == 1 else f"at least {others} others"
            text += _shares(self)
        elif self.model == "support floor":
            least = int(self.parameters["theta"]) + 1
            most = self.parameters.get("max_size")
            what = "what"
            if most is not None:
                what = "any value that" if most == 1 else f"any {most} values or fewer that"
            text += f": {what} a row shows in {_listed(self.columns)} was shared by at least "
            text += f"{least} {'people' if self.unit == SEVERAL_ROWS else 'rows'} of the input"
        elif "k-anonymous patterns" in self.model:
            over = "published items" if "witnessed" in self.model else "published itemsets"
            counted = "people" if self.unit in OF_PEOPLE else "rows"
            text += f": no group of fewer than {self.parameters['k']} {counted} is disclosed by "
            text += f"patterns over {over}"
            text += f" of {_listed(self.columns)}" if self.columns else ""
        elif self.columns:
            text += f": in {_listed(self.columns)}"
        if self.experimental:
            text += f"; experimental, not for publication: {self.experimental_reason}"
        return text.rstrip(".") + "."

    def preview(self) -> Preview:
        """Return the claim and what is not protected."""
        rows = [("assumed", each) for each in self.assumptions]
        rows += [("not protected", each) for each in self.not_protected]
        return Preview(title=self.sentence, header=("", ""), rows=rows)

    def to_dict(self) -> dict[str, object]:
        """Return all fields as plain values; fractions as ``p/q`` with a decimal."""
        return {
            "model": self.model,
            "parameters": {n: number_to_json(n, value) for n, value in self.parameters.items()},
            "unit": self.unit,
            "neighbours": self.neighbours,
            "columns": list(self.columns),
            "assumptions": list(self.assumptions),
            "not_protected": list(self.not_protected),
            "experimental": self.experimental,
            "experimental_reason": self.experimental_reason,
        }

    @classmethod
    def from_dict(cls, values: Mapping[str, object]) -> Guarantee:
        """Return the guarantee that :meth:`to_dict` wrote; the same checks apply."""
        known = [field.name for field in fields(cls)]
        for name in values:
            if name not in known:
                raise DataError(f"A guarantee has no '{name}'. {did_you_mean(name, known)}")
        parameters = values.get("parameters")
        if not isinstance(parameters, Mapping) or "model" not in values or "unit" not in values:
            raise DataError("A guarantee has a model, parameters and a unit; one is missing.")
        read = {name: number_from_json(name, value) for name, value in parameters.items()}
        rest = {"not_protected": (), **values, "parameters": read}
        return cls(**rest)  # type: ignore[arg-type]  # __post_init__ checks every field


def _shares(claim: Guarantee) -> str:
    """Return what is claimed of the shares of a class that hold a member, in words."""
    whom = _SOMEBODY.get(claim.unit, ("", "rows"))[1]
    text = ""
    if claim.parameters.get("diversity") == "share":
        low = shown("l", claim.parameters["l"])
        text += f", and every member of a sensitive value is held by at most a share 1/{low} of "
        text += f"the {whom} of a class"
    if claim.parameters.get("distance") == "members":
        near = shown("t", claim.parameters["t"])
        text += f", and the share of the {whom} of a class who hold a member is within {near} of "
        text += "that in the whole release"
    return text


def _ordered(names: Iterable[str]) -> list[str]:
    """Return names of parameters as they are read: those of the models first, then by name."""
    first = ("k", "l", "t", "theta", "epsilon", "delta")
    return sorted(names, key=lambda name: (first.index(name) if name in first else 6, name))


def _texts(name: str, given: object) -> tuple[str, ...]:
    """Return sentences or names as a tuple; one text alone would fall apart into letters."""
    if not isinstance(given, tuple | list):
        raise ParameterError(f"{name} is a tuple of texts, not {given!r}.", parameter=name)
    texts = tuple(given)
    for text in texts:
        if not isinstance(text, str) or not text.strip():
            raise ParameterError(
                f"{name} holds {text!r}, which says nothing.", parameter=name, remedy="Give text."
            )
    return texts


def _check_words(claim: Guarantee) -> None:
    """Refuse a claim without model, unit, limits, or the reason for being experimental."""
    for name in ("model", "unit", "neighbours", "experimental_reason"):
        value: object = getattr(claim, name)
        optional = value is None and name not in ("model", "unit")
        if not optional and (not isinstance(value, str) or not value.strip()):
            raise GuaranteeError(f"A guarantee says its {name} in words, not by {value!r}.")
    if not claim.not_protected:
        raise GuaranteeError(
            f"Every guarantee has limits, and this one ({claim.model}) does not state them. "
            "Give not_protected, a sentence for each."
        )
    if not isinstance(claim.experimental, bool):
        raise ParameterError(
            f"experimental is True or False, not {claim.experimental!r}.", parameter="experimental"
        )
    if claim.experimental != bool(claim.experimental_reason):
        raise GuaranteeError("experimental and experimental_reason go together: give both.")


def _check_ranges(parameters: Mapping[str, Exact]) -> None:
    """Refuse parameters that no model of that name can have."""
    k, low = parameters.get("k"), parameters.get("l")
    if k is not None and (not isinstance(k, int) or k < 1):
        raise GuaranteeError(f"k is a whole number, at least 1, not {k}.")
    if low is not None and (isinstance(low, str) or low < 1):
        raise GuaranteeError(f"l is a number, at least 1, not {low}.")
    most = parameters.get("max_size")
    if most is not None and (not isinstance(most, int) or most < 1):
        raise GuaranteeError(f"max_size is a whole number, at least 1, not {most}.")
    near = parameters.get("t")
    if near is not None and (isinstance(near, str) or not 0 <= near <= 1):
        raise GuaranteeError(f"t is a share, from 0 to 1, not {near}.")
    epsilon = cast("Fraction", parameters.get("epsilon", Fraction(1)))
    if epsilon <= 0:
        raise GuaranteeError(f"epsilon is more than 0, not {epsilon}.")
    delta = cast("Fraction", parameters.get("delta", Fraction(0)))
    if not 0 <= delta < 1:
        raise GuaranteeError(f"delta is at least 0 and less than 1, not {delta}.")


def _check_model(claim: Guarantee) -> None:
    """Refuse a model without what makes it a claim, or with more than its name admits."""
    for word, names in _NEEDS.items():
        for name in names:
            if word in claim.model and name not in claim.parameters:
                raise GuaranteeError(f"{claim.model} is no claim without {name}: give it.")
    if claim.is_differentially_private:
        if not claim.neighbours:
            raise GuaranteeError(f"{claim.model} holds between neighbours: say which tables are.")
        if claim.parameters.get("delta", 0) and "delta" not in claim.model:
            raise GuaranteeError(
                f"{claim.model} has delta = {shown('delta', claim.parameters['delta'])}, so it is "
                "(epsilon, delta)-differential privacy: call it that."
            )
    elif any(word in claim.model for word in _ABOUT_COLUMNS) and not claim.columns:
        raise GuaranteeError(f"{claim.model} is a claim about columns: name them.")


def _listed(words: Iterable[str]) -> str:
    """Return words as a list in a sentence."""
    *first, last = words
    return f"{', '.join(first)} and {last}" if first else last


# Sentences that guarantees of different families have in common.

# How the model begins where it holds on a condition: nobody shall read of epsilon without it.
IF_PUBLIC = "Only if the lists of values are public: "
IF_ITEMS_PUBLIC = "Only if the list of items is public: "
_CONDITIONS = {
    IF_PUBLIC: "only if the lists of values are public",
    IF_ITEMS_PUBLIC: "only if the list of items is public",
}

ONE_ROW = "one row"
ONE_ROW_EACH = "one person, who has one row"
SEVERAL_ROWS = "one person, who may have several rows"
SEVERAL_TRANSACTIONS = "one person, who may have several transactions"
OF_PEOPLE = (SEVERAL_ROWS, SEVERAL_TRANSACTIONS)  # units of which people are counted, not rows
HOUSEHOLD = "one household"

# Units that may have several rows, and how one and many of them are called.
_SOMEBODY = {SEVERAL_ROWS: ("person", "people"), HOUSEHOLD: ("household", "households")}

ALL_DIFFERENT = "Every row of the input is another person."
NOT_OF_PEOPLE = (
    "A person with several rows: the claim is about single rows, whoever they belong to."
)
LINKED_ROWS = (
    "Several rows of one person, where they can be linked by something else: an attacker who knows "
    "more than one of them learns more."
)
LINKED_HOMES = (
    "Several rows of one household, where they can be linked by something else: an attacker who "
    "knows more than one of them learns more."
)
UNEVEN = (
    "How the rows of a class are shared among those they are of: one may have nearly all of them, "
    "so that no chance of 1 in k is claimed for a row."
)
PER_CLASS = (
    "More than what one class discloses: shares are claimed for each member by itself, in each "
    "class by itself, of all who have rows in it as if equally likely. Rows in other classes, "
    "several members together, and knowing how many rows somebody has, are not covered."
)
WEIGHTED = (
    "The people that a row stands for by its weight: k counts rows, or whose rows they are, and "
    "weights count in the loss alone."
)
ONE_OF_EACH = (
    "One row of each person was chosen at random before anything was measured, and what is said of "
    "the table and its rows is said of the rows chosen."
)
AT_MOST_OF_EACH = (
    "At most {n} rows of each person, chosen at random, were taken before anything was measured, "
    "and what is said of the table and its rows is said of the rows taken."
)
CHOOSE_ONE = "choose_one_per_person"
LIMIT_ROWS = "limit_rows_per_person"
NEIGHBOURS_OF = {
    ONE_ROW: ADD_REMOVE,
    ONE_ROW_EACH: ADD_REMOVE,
    SEVERAL_ROWS: "tables that differ in all rows of one person, added or removed",
}


def unit_of(table: Table) -> str:
    """Return the unit of privacy of a method that counts people where they are known.

    Examples
    --------
    >>> from discreet.data.table import Table
    >>> visits = Table.from_frame({"patient": [1, 1, 2], "ward": ["a", "b", "a"]})
    >>> unit_of(visits), unit_of(visits.with_person("patient"))
    ('one row', 'one person, who may have several rows')
    """
    if table.people is not None:
        return SEVERAL_ROWS
    return ONE_ROW_EACH if table.one_row_per_person else ONE_ROW


def assumed_of(unit: str) -> tuple[str, ...]:
    """Return what a claim for a unit of privacy assumes of people."""
    return (ALL_DIFFERENT,) if unit == ONE_ROW_EACH else ()


def chosen_of(unit: str, rows_per_person: int = 1) -> tuple[tuple[Event, ...], tuple[str, ...]]:
    """Return the first step of a method that takes few rows of each person, and what it says of it.

    Both are empty unless a person may have several rows. Neither has how many are passed over.

    Examples
    --------
    >>> steps, words = chosen_of(SEVERAL_ROWS)
    >>> [step.name for step in steps], dict(steps[0].counts), len(words)
    (['choose_one_per_person'], {}, 1)
    >>> chosen_of(ONE_ROW)
    ((), ())
    """
    if unit != SEVERAL_ROWS:
        return (), ()
    if rows_per_person == 1:
        return (Event(name=CHOOSE_ONE),), (ONE_OF_EACH,)
    limit = Event(name=LIMIT_ROWS, parameters={"rows_per_person": rows_per_person})
    return (limit,), (AT_MOST_OF_EACH.format(n=rows_per_person),)


def unprotected_of(unit: str) -> tuple[str, ...]:
    """Return what a claim for a unit of privacy leaves unprotected.

    Examples
    --------
    >>> unprotected_of(ONE_ROW)
    ('A person with several rows: the claim is about single rows, whoever they belong to.',)
    """
    sentences = {
        ONE_ROW: (NOT_OF_PEOPLE,),
        SEVERAL_ROWS: (LINKED_ROWS,),
        HOUSEHOLD: (LINKED_HOMES,),
    }
    return sentences.get(unit, ())


def never_protected(choice: str) -> tuple[str, ...]:
    """Return what no claim about equivalence classes covers.

    Parameters
    ----------
    choice : str
        What the mechanism chooses by looking at all rows, such as ``"cells are suppressed"``.

    Examples
    --------
    >>> never_protected("cells are suppressed")[1]
    'Which cells are suppressed depends on all rows, and can disclose something about their values.'
    """
    return (
        "What all rows of a class have in common, such as a diagnosis, is disclosed for each.",
        f"Which {choice} depends on all rows, and can disclose something about their values.",
        "Several releases of the same source: an attacker who holds two of them can combine them.",
        "Whether a person is in the data is not protected.",
    )


def carried_of(
    carried: Mapping[str, Carried], *, least: int
) -> tuple[tuple[Event, ...], tuple[str, ...]]:
    """Return the steps and the limits that belong to columns which are only carried along.

    Parameters
    ----------
    carried : mapping of str to Carried
        The released columns, and what becomes of each.
    least : int
        Classes of which fewer have a number show none.

    Examples
    --------
    >>> from discreet.data.binning import as_carried
    >>> steps, limits = carried_of({"pay": as_carried("pay", "mean")}, least=5)
    >>> steps[0].parameters["shows"], limits[0].split(":")[0]
    ('mean', "Column 'pay' shows the mean of its class")
    """
    events = tuple(
        Event(
            name=CARRY,
            parameters={
                "column": name, "shows": how.shows, "low": how.low, "high": how.high,
                "step": how.step, "least": None if how.shows == "values" else least,
            },
        )
        for name, how in carried.items()
    )  # fmt: skip
    return events, tuple(_CARRIED[how.shows].format(name) for name, how in carried.items())


CARRY = "carry_column"

_CARRIED = {
    "mean": "Column '{}' shows the mean of its class: an attacker who knows the numbers of all "
    "others in a class can work out the last, and a mean shows that a class has an extreme number.",
    "median": "Column '{}' shows the median of its class, which can be the number of one person, "
    "and which an attacker who knows all others in a class can use to narrow down the last.",
    "values": "Column '{}' is carried along outside the claim, its numbers rounded or cut off as "
    "the steps say: an attacker who knows one can distinguish rows of a class.",
}


def other_columns(released: Sequence[str], covered: Sequence[str]) -> tuple[str, ...]:
    """Return the sentence about released columns that the claim does not cover, if there are any.

    Examples
    --------
    >>> print(*other_columns(["age", "job", "sex"], ["age", "sex"]))
    Column 'job' is released as it is: an attacker who knows it can distinguish rows of a class.
    """
    left = [f"'{name}'" for name in released if name not in covered]
    if not left:
        return ()
    subject = f"Column {left[0]} is" if len(left) == 1 else f"Columns {', '.join(left)} are"
    them = "it" if len(left) == 1 else "them"
    same = "it is" if len(left) == 1 else "they are"
    risk = f"an attacker who knows {them} can distinguish rows of a class."
    return (f"{subject} released as {same}: {risk}",)
