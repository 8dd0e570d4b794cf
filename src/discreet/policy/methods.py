"""The methods of a policy: a checked model of the options of each record, and what runs it.

The models are made from the records of :mod:`discreet.release.methods` when a policy is read, so
that a method registered at any time before can be written in one.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import AfterValidator, Field, ValidationError, create_model, model_validator
from pydantic_core import InitErrorDetails

from discreet import checks
from discreet.data.domains import lists_in_file
from discreet.errors import DiscreetError, ParameterError
from discreet.limits import check_limits
from discreet.policy.section import ExactNumber, Names, Section, Values
from discreet.release.method import resolve
from discreet.release.methods import METHODS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from fractions import Fraction
    from typing import Unpack

    from discreet.data.hierarchy.tree import Hierarchy
    from discreet.data.table import Table
    from discreet.data.transactions import Transactions
    from discreet.limits import Limits
    from discreet.release.method import Method, Option
    from discreet.release.release import Release
    from discreet.result import Result

FILES = ("file", "table", "domains file")
_LISTS = ("domains", "domains file")
_TYPES: dict[str, Any] = {  # of each kind, as pydantic takes them
    "whole": int,
    "exact": ExactNumber,
    "flag": bool,
    "text": str,
    "column": str,
    "columns": Names,
    "domains": dict[str, Values],
    "domains file": str,
    "table": str,
    "file": str,
}


def _no_files(file: str) -> Table:
    raise ParameterError(f"{file} can only be read by a policy.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """What a method may ask for besides its data and options.

    Attributes
    ----------
    read : callable
        Returns another table, by file name, read as the source is.
    path : callable
        Returns the path of another file.
    where : callable
        Returns how an error about an option begins.
    hierarchies : mapping of str to Hierarchy
        By column.
    """

    read: Callable[[str], Table] = _no_files
    path: Callable[[str], Path] = Path
    where: Callable[[str], str] = lambda _: ""
    hierarchies: Mapping[str, Hierarchy] = field(default_factory=dict)


NOTHING = Context()


class MethodOptions(Section):
    """The options of one way to protect data, as a policy writes them."""

    name: str

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:  # noqa: ANN401  the options of the record
            ...

    @property
    def record(self) -> Method:
        """The record of the method."""
        return METHODS[self.name]

    @property
    def lists_values(self) -> bool:
        """Whether the values of all columns are listed, so that no number is a measurement."""
        if any(option.kind in _LISTS for option, _ in self.given()):
            return True
        # Values that are selected privately, or seen by a scheme, are categories, too: whether a
        # number is one must not depend on the rows.
        if "scheme" in {option.name for option in self.record.options}:
            return True
        values = getattr(self, "values", "from-data")
        return values != "from-data" and getattr(self, "trust", "central") == "central"

    def given(self) -> Iterator[tuple[Option, Any]]:
        """Yield the options that have a value, with it."""
        for option in self.record.options:
            value = getattr(self, option.name)
            if value is not None:
                yield option, value

    def named_columns(self) -> Iterator[tuple[str, tuple[str | int, ...]]]:
        """Yield every column that an option names, with the option and its place in a list."""
        for option, value in self.given():
            if option.kind == "columns":
                yield from ((name, (option.name, place)) for place, name in enumerate(value))
            elif option.kind == "column":
                yield value, (option.name,)

    def protect(
        self,
        data: Table | Transactions,
        *,
        context: Context = NOTHING,
        seed: int | None = None,
        **limits: Unpack[Limits],
    ) -> Release[Any]:
        """Return the release of a table or of transactions.

        Parameters
        ----------
        data : Table or Transactions
            What the record says that the method takes.
        context : Context
            Other files and hierarchies.
        seed : int, optional
            For experiments, of methods that take one.
        **limits : Limits
            Those that the method does not take are passed over.
        """
        check_limits(limits)
        record = self.record
        arguments = self._arguments(context)
        if record.hierarchies:
            arguments["hierarchies"] = dict(context.hierarchies)
        if seed is not None:
            checks.whole("seed", seed, at_least=0)
            if not record.takes_seed:
                raise ParameterError(
                    f"{self.name} draws nothing at random, so it takes no seed.", parameter="seed"
                )
            arguments["seed"] = seed
        kept = {name: value for name, value in limits.items() if name in record.limits}
        made: Release[Any] = record.load()(data, **arguments, **kept)
        return made

    def preview(self, data: Table | Transactions, *, context: Context = NOTHING) -> Result:
        """Return what a release would cost, without making one.

        Raises
        ------
        ParameterError
            If the method has no such preview.
        """
        if not self.record.preview:
            raise ParameterError(
                f"{self.name} is planned by trying it at several k: plan says what it costs."
                if any(option.of_k is not None for option in self.record.options)
                else f"Nothing says what {self.name} costs before it is run."
            )
        function = resolve(self.record.preview)
        taken = inspect.signature(function).parameters
        arguments = {name: v for name, v in self._arguments(context).items() if name in taken}
        expected: Result = function(data, **arguments)
        return expected

    def at(self, k: int) -> MethodOptions:
        """Return the same method for classes of ``k``, to compare settings with.

        Raises
        ------
        ParameterError
            If the method makes no classes.
        """
        k = checks.whole("k", k, at_least=1)
        sizes = {o.name: k + o.of_k for o in self.record.options if o.of_k is not None}
        if not sizes:
            hint = f" preview says what it costs, by {self.record.preview}."
            raise ParameterError(
                f"plan compares sizes of class, and {self.name} makes none."
                + (hint if self.record.preview else ""),
                parameter="k",
            )
        return self.model_copy(update=sizes)

    def _arguments(self, context: Context) -> dict[str, Any]:
        """Return the keywords of the function, files read."""
        arguments = {}
        for option, value in self.given():
            try:
                if option.kind in ("table", "domains file"):
                    table = context.read(value)
                    value = table if option.kind == "table" else lists_in_file(table)  # noqa: PLW2901
            except DiscreetError as error:
                where = context.where(option.name) or f"{option.flag} {value}: "
                raise error.inside(where.removesuffix(": ")) from None
            arguments[option.argument] = context.path(value) if option.kind == "file" else value
        return arguments


@cache
def model_of(record: Method) -> type[MethodOptions]:
    """Return the model that checks the options of a method.

    Examples
    --------
    >>> model_of(METHODS["k-mii"])(k=5)
    KMii(name='k-mii', k=5, leftover='drop', sample_size=None, max_size=None, l=None,
    sensitive=None, columns=None)
    """
    fields: dict[str, Any] = {"name": (Literal[record.name], record.name)}
    fields |= {option.name: _field(option) for option in record.options}
    if record.check:
        fields["__validators__"] = {"check": model_validator(mode="after")(_together)}
    camel = "".join(part.capitalize() for part in record.name.split("-"))
    return create_model(
        camel,
        __base__=MethodOptions,
        __doc__=record.summary,
        **fields,
    )


def read_method(given: object) -> MethodOptions:
    """Return the options of a method from the values of a policy.

    Raises
    ------
    ValidationError
        With the name of the method in the place of every error, as of a tagged union.
    """
    if isinstance(given, MethodOptions):
        return given
    if not isinstance(given, Mapping):
        raise _error("model_attributes_type", given)
    if "name" not in given:
        raise _error("union_tag_not_found", given, discriminator="'name'")
    record = METHODS.get(str(given["name"]))
    if record is None:
        known = ", ".join(map(repr, METHODS))
        raise _error(
            "union_tag_invalid", given, discriminator="'name'", tag=str(given["name"]),
            expected_tags=known,
        )  # fmt: skip
    try:
        return model_of(record).model_validate(dict(given))
    except ValidationError as error:
        found = [
            InitErrorDetails(
                type=each["type"], loc=(record.name, *each["loc"]), input=each["input"],
                ctx=each.get("ctx", {}),
            )
            for each in error.errors()
        ]  # fmt: skip
        raise ValidationError.from_exception_data(error.title, found) from None


def _error(kind: str, given: object, **about: object) -> ValidationError:
    """Return an error about the section as a whole."""
    found = InitErrorDetails(type=kind, loc=(), input=given, ctx=about)
    return ValidationError.from_exception_data("method", [found])


def _field(option: Option) -> tuple[Any, Any]:
    """Return type and default of an option, as pydantic takes them."""
    kind = Literal[option.choices] if option.kind == "choice" else _TYPES[option.kind]
    about: dict[str, Any] = {"description": option.help}
    if option.example is not None:
        about["examples"] = [option.example]
    if option.kind == "whole":
        kind = Annotated[kind, Field(ge=option.at_least, gt=option.above, le=option.at_most)]
    elif option.kind == "exact":
        kind = Annotated[kind, AfterValidator(_bounded(option))]
    elif option.kind in ("text", "column", *FILES):
        kind = Annotated[kind, Field(min_length=1)]
    if option.required:
        return kind, Field(**about)
    if option.default is None:
        return kind | None, Field(default=None, **about)
    return kind, Field(default=option.default, validate_default=True, **about)


def _bounded(option: Option) -> Callable[[Fraction], Fraction]:
    """Return the check of a number's range."""

    def check(number: Fraction) -> Fraction:
        if not option.allows(number):
            within = f"of {option.range}" if option.range.startswith("at") else option.range
            raise ParameterError(f"a number {within}, not {float(number):g}")
        return number

    return check


def _together(options: MethodOptions) -> MethodOptions:
    """Raise ParameterError if options do not go together."""
    record = options.record
    resolve(record.check)({each.name: getattr(options, each.name) for each in record.options})
    return options
