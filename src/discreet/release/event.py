"""What was done to the data, step by step, in the words of whoever did it.

An event is written once, by the mechanism that did the step, and is never renamed or read as
something else afterwards. A further step is a new, longer sequence; the old one stays as it was.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, TypeAlias, cast

from discreet import checks
from discreet.errors import DataError, ParameterError
from discreet.release.exact import Exact, exact, number_from_json, number_to_json

if TYPE_CHECKING:
    from collections.abc import Callable

Option: TypeAlias = Exact | bool | tuple[str, ...] | None

PARALLEL = "parallel"


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """One step: its name, the options it ran with, and what it counted.

    Parameters
    ----------
    name : str
        What was done, as the mechanism calls it, such as ``"mii_suppress"``.
    parameters : mapping of str to number, text, bool, None or tuple of texts
        The options it ran with; fractions stay exact.
    counts : mapping of str to int
        What it counted, such as ``n_cells_suppressed``; at least 0.
    internal : mapping of str to int
        What it counted and is not published, such as ``n_rows_dropped``: with the rows that are
        left it says how many people the input has. It is kept in memory only, for internal pages.

    Raises
    ------
    ParameterError
        If the name is empty, a parameter is of another kind, or a count is no count.

    Notes
    -----
    Events are published with the certificate. A count must be one that may be published: what
    it discloses about single rows is part of what the guarantee has to cover.

    Examples
    --------
    >>> step = Event(
    ...     name="mii_suppress", parameters={"theta": 4}, counts={"n_cells_suppressed": 12}
    ... )
    >>> step.to_dict()["counts"]
    {'n_cells_suppressed': 12}
    """

    name: str
    parameters: Mapping[str, Option] = field(default_factory=dict)
    counts: Mapping[str, int] = field(default_factory=dict)
    internal: Mapping[str, int] = field(default_factory=dict, compare=False)

    def __post_init__(self) -> None:
        """Make everything immutable."""
        _check_name(self.name)
        options = {name: _option(name, value) for name, value in self.parameters.items()}
        counts = {name: _count(name, value) for name, value in self.counts.items()}
        object.__setattr__(self, "parameters", MappingProxyType(options))
        object.__setattr__(self, "counts", MappingProxyType(counts))
        unpublished = {name: _count(name, value) for name, value in self.internal.items()}
        for name in unpublished:
            if name in counts:
                raise ParameterError(f"{name} is published and not published.", parameter=name)
        object.__setattr__(self, "internal", MappingProxyType(unpublished))

    def __reduce__(self) -> tuple[Callable[..., Event], tuple[object, ...]]:
        """Pickle by way of the plain values."""
        return _unpickled, (self.to_dict(), dict(self.internal))

    @property
    def all_counts(self) -> dict[str, int]:
        """What it counted, what is not published included; of a loaded event, the rest."""
        return {**self.counts, **self.internal}

    @property
    def part(self) -> tuple[str, str] | None:
        """The partition and the part of it that was used alone, if the event says so."""
        if self.parameters.get("composition") != PARALLEL:
            return None
        partition, part = self.parameters.get("partition"), self.parameters.get("part")
        if not isinstance(partition, str) or not isinstance(part, str):
            return None
        return partition, part

    def to_dict(self) -> dict[str, object]:
        """Return the event as plain values; fractions as ``p/q`` with a decimal."""
        return {
            "name": self.name,
            "parameters": {n: _to_json(n, value) for n, value in self.parameters.items()},
            "counts": dict(self.counts),
        }

    @classmethod
    def from_dict(cls, values: Mapping[str, object]) -> Event:
        """Return the event that :meth:`to_dict` wrote."""
        parameters, counts = values.get("parameters"), values.get("counts")
        if set(values) != {"name", "parameters", "counts"} or not (
            isinstance(parameters, Mapping) and isinstance(counts, Mapping)
        ):
            raise DataError("An event has a name, parameters and counts, and nothing else.")
        options = {name: _from_json(name, value) for name, value in parameters.items()}
        return cls(name=cast("str", values["name"]), parameters=options, counts=counts)


def restrict_to_part(partition: str, part: str, *, n_rows: int | None = None) -> Event:
    """Return the event of using one part of the source only.

    Releases of different parts of one partition compose in parallel: a ledger counts the
    largest of their privacy losses, not their sum.

    Parameters
    ----------
    partition : str
        What the source is divided by, such as ``"region"``.
    part : str
        Which part was used, such as ``"north"``.
    n_rows : int, optional
        Rows in the part, for the internal report: it is in no certificate.

    Returns
    -------
    Event
        To be the first step of the release.

    Notes
    -----
    Whoever makes this event answers for it: every row belongs to one part, and to which one
    must not depend on the other rows.

    Examples
    --------
    >>> restrict_to_part("region", "north").part
    ('region', 'north')
    """
    return Event(
        name="restrict_to_part",
        parameters={"composition": PARALLEL, "partition": partition, "part": part},
        internal={} if n_rows is None else {"n_rows": n_rows},
    )


def _unpickled(values: Mapping[str, object], internal: Mapping[str, int]) -> Event:
    """Return the event with what it counted in memory only."""
    return replace(Event.from_dict(values), internal=internal)


def _check_name(name: object) -> None:
    """Refuse an event without a name."""
    if not isinstance(name, str) or not name.strip():
        raise ParameterError(f"An event says what was done, not {name!r}.", parameter="kind")


def _count(name: str, value: object) -> int:
    """Return a count, or raise ParameterError if it is none."""
    return checks.whole(name, value, at_least=0)


def _option(name: str, value: object) -> Option:
    """Return an option of a kind that JSON can hold exactly."""
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, tuple | list):
        if not all(isinstance(each, str) for each in value):
            raise ParameterError(
                f"{name} is a list of other things than texts: {value!r}.", parameter=name
            )
        return tuple(value)
    return exact(name, value)


def _to_json(name: str, value: Option) -> object:
    """Return an option as JSON writes it."""
    if value is None or isinstance(value, bool):
        return value
    return list(value) if isinstance(value, tuple) else number_to_json(name, value)


def _from_json(name: str, value: object) -> Option:
    """Return the option that :func:`_to_json` wrote."""
    if value is None or isinstance(value, bool | tuple | list):
        return _option(name, value)
    return number_from_json(name, value)
