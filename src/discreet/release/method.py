"""The record of a method: all that policies, commands, reports and tests need to know of it.

A record is plain data and names its function by path, so that help is shown without loading
anything that computes. The built-in records stand in :mod:`discreet.release.methods`; any other
mechanism calls :func:`register` once, in its own file.
"""

from __future__ import annotations

import importlib
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias, get_args

from discreet.errors import ParameterError, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

Kind: TypeAlias = Literal[
    "whole", "exact", "choice", "flag", "text", "column", "columns", "domains", "domains file",
    "table", "file",
]  # fmt: skip
Publication: TypeAlias = Literal["rows", "synthetic rows", "patterns", "transactions"]
Input: TypeAlias = Literal["table", "transactions"]

LIMITS: Final = ("threads", "max_itemsets", "max_memory", "max_seconds", "progress")
PATH: Final = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_]\w*")
_NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """One option of a method: a key of policies, a flag of commands, a keyword in Python.

    Parameters
    ----------
    name : str
        The key in a policy; also the keyword of the function, unless ``argument`` is another.
    kind : str
        What is written: a ``"whole"`` number, an ``"exact"`` decimal (the function gets a
        Fraction), a ``"choice"`` of words, a ``"flag"``, ``"text"``, one ``"column"`` or
        several ``"columns"``, ``"domains"`` (a table of column to values); or the name of a file,
        relative to the policy: a ``"file"`` (the function gets its path), a ``"table"`` (it gets
        the table, read as the source is), or a ``"domains file"``, a table that has every value
        of every column (it gets the lists).
    help : str
        One sentence, for help, drafted policies and the guide.
    required : bool
        Whether it must be given.
    default : object
        What a policy takes if it is not given; with None the function decides.
    at_least, above, at_most, below : int, optional
        Bounds of a number.
    choices : tuple of str
        The words of a ``"choice"``.
    example : object
        What a drafted policy shows, where there is no default.
    flag : str
        As in ``"-k"``; made from the name by default.
    argument : str
        The keyword of the function, if it is not the name.
    of_k : int, optional
        The option is this much more than the least size of a class: 0 for ``k`` itself, -1 for a
        support that must be passed. Methods with such an option are compared at several k.
    """

    name: str
    kind: Kind
    help: str
    required: bool = False
    default: object = None
    at_least: int | None = None
    above: int | None = None
    at_most: int | None = None
    below: int | None = None
    choices: tuple[str, ...] = ()
    example: object = None
    flag: str = ""
    argument: str = ""
    of_k: int | None = None

    def __post_init__(self) -> None:
        """Fill in what follows from the name."""
        if self.kind not in get_args(Kind):
            raise ParameterError(
                f"Option '{self.name}' has no kind {self.kind!r}.",
                remedy=did_you_mean(self.kind, get_args(Kind)),
            )
        if (self.kind == "choice") != bool(self.choices):
            raise ParameterError(
                f"Option '{self.name}': choices belong to the kind \"choice\".", parameter=self.name
            )
        dashes = "-" if len(self.name) == 1 else "--"
        flag = self.flag or f"{dashes}{self.name.replace('_', '-')}"
        object.__setattr__(self, "flag", flag)
        object.__setattr__(self, "argument", self.argument or self.name)

    @property
    def range(self) -> str:
        """The bounds in words, as "at least 2" or "from 0 to 1"; empty without bounds."""
        low, high = (
            (f"at least {self.at_least}", self.at_least)
            if self.above is None
            else (f"more than {self.above}", self.above)
        )
        if self.at_most is None and self.below is None:
            return "" if high is None else low
        top = f"at most {self.at_most}" if self.below is None else f"less than {self.below}"
        if high is None:
            return top
        if self.above is None:
            end = f"{self.at_most}" if self.below is None else top
            return f"from {self.at_least} to {end}"
        return f"{low} and {top}"

    def allows(self, number: Any) -> bool:  # noqa: ANN401  an int or a Fraction
        """Say whether a number is within the bounds."""
        return (
            (self.at_least is None or number >= self.at_least)
            and (self.above is None or number > self.above)
            and (self.at_most is None or number <= self.at_most)
            and (self.below is None or number < self.below)
        )

    def arguments(self, value: object) -> tuple[str, ...]:
        """Return how a command writes the option.

        Examples
        --------
        >>> Option(name="columns", kind="columns", help="Which.").arguments(["age", "sex"])
        ('--columns', 'age,sex')
        """
        if self.kind == "flag":
            return (self.flag,) if value else ()
        text = ",".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
        return self.flag, text


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Method:
    """One way to publish: how it is named, called, described, checked and tried.

    Parameters
    ----------
    name : str
        In policies and commands: small letters with hyphens, such as ``"k-mii"``.
    family : str
        Such as ``"suppression"``; help shows methods by family.
    function : str
        The path of the function, ``"package.module:name"``. It is called with a table or
        transactions, the options as keywords, and the limits it takes, and returns a release.
    summary : str
        One sentence.
    publishes : {"rows", "synthetic rows", "patterns", "transactions"}
        What the release holds.
    claims : tuple of str
        Every model that a certificate of it can name; ``discreet.verify`` must know each.
    options : tuple of Option
        In the order in which help shows them.
    example : mapping of str to object
        Options of an example, as a policy writes them. Help shows it as a command, and the
        contract tests run it.
    page : str
        The page of the guide that states and proves the claim, under ``docs/guarantees``.
    takes : tuple of {"table", "transactions"}
        What it is called with.
    check : str
        The path of a function that is called with all options as a mapping, None for those that
        are not given, and raises ParameterError if they do not go together.
    hierarchies : bool
        Whether it gets the hierarchies of a policy, as ``hierarchies=``.
    takes_seed : bool
        Whether it can be repeated with ``seed=``, for experiments.
    limits : tuple of str
        Those of ``threads``, ``max_itemsets``, ``max_memory`` and ``progress`` that it takes.
    words : mapping of str to str
        The name of each event to the sentence that a report says of it: text in which
        ``{name}`` stands for a parameter or a count of the event, or the path of a function that
        is called with a list of such events, done one after the other, and returns the text.
    preview : str
        The path of a function that says what a release would cost, without making one. It is
        called with the data and those of the options that it takes. Without it, methods with
        an option ``of_k`` are run at several k.
    command : str
        A command of its own, besides ``protect NAME``: the words before the file.
    order_matters : tuple of {"rows", "columns"}
        Whose order decides ties or draws, so that only the guarantee is the same in another.

    Raises
    ------
    ParameterError
        If the record contradicts itself.

    Examples
    --------
    >>> k = Option(name="k", kind="whole", help="Least size of a class.", required=True,
    ...            at_least=2, of_k=0)
    >>> record = Method(
    ...     name="k-mii", family="suppression", function="discreet.suppress:k_mii",
    ...     summary="Suppress rare combinations.", publishes="rows", claims=("k-anonymity",),
    ...     options=(k,), example={"k": 5}, page="suppression",
    ... )
    >>> record.option("k").range, record.load().__name__
    ('at least 2', 'k_mii')
    >>> record.arguments("people.csv", {"k": 5})
    ('protect', 'k-mii', 'people.csv', '-k', '5')
    """

    name: str
    family: str
    function: str
    summary: str
    publishes: Publication
    claims: tuple[str, ...]
    options: tuple[Option, ...]
    example: Mapping[str, object]
    page: str
    takes: tuple[Input, ...] = ("table",)
    check: str = ""
    hierarchies: bool = False
    takes_seed: bool = False
    limits: tuple[str, ...] = LIMITS
    words: Mapping[str, str] = field(default_factory=dict)
    preview: str = ""
    command: str = ""
    order_matters: tuple[Literal["rows", "columns"], ...] = ()

    def __post_init__(self) -> None:
        """Refuse what could not be used."""
        if not _NAME.fullmatch(self.name):
            raise ParameterError(
                f"{self.name!r} is no name of a method: small letters and hyphens, as in 'k-mii'.",
                parameter="name",
            )
        for what in ("function", "check", "preview"):
            path = getattr(self, what)
            if (path or what == "function") and not PATH.fullmatch(path):
                raise ParameterError(
                    f"{what} of '{self.name}' is a path such as 'package.module:name', not "
                    f"{path!r}.",
                    parameter=what,
                )
        if self.publishes not in get_args(Publication):
            raise ParameterError(
                f"'{self.name}' publishes {self.publishes!r}, which is not known.",
                remedy=did_you_mean(self.publishes, get_args(Publication)),
            )
        if not self.claims:
            raise ParameterError(
                f"'{self.name}' claims nothing: name the models it can claim.", parameter="claims"
            )
        names = [option.name for option in self.options]
        if len(set(names)) < len(names):
            raise ParameterError(
                f"'{self.name}' has two options of one name: {names}.", parameter="options"
            )
        missing = [o.name for o in self.options if o.required and o.name not in self.example]
        wrong = [name for name in self.example if name not in names]
        if missing or wrong:
            raise ParameterError(
                f"The example of '{self.name}' has every required option and no unknown one: see "
                f"{', '.join([*missing, *wrong])}.",
                parameter="example",
            )

    def option(self, name: str) -> Option:
        """Return an option by its name."""
        return next(option for option in self.options if option.name == name)

    def arguments(self, file: str, given: Mapping[str, object]) -> tuple[str, ...]:
        """Return the words of a command, after ``discreet``, that runs the method on a file."""
        words = self.command.split() or ["protect", self.name]
        options = [self.option(name).arguments(value) for name, value in given.items()]
        return (*words, file, *(word for option in options for word in option))

    def load(self) -> Callable[..., Any]:
        """Return the function that does the work; it is imported now."""
        return resolve(self.function)


METHODS: Final[dict[str, Method]] = {}


def register(record: Method) -> Method:
    """Make a method known to policies, commands, reports and tests, and return its record.

    Parameters
    ----------
    record : Method
        Of a name that is not taken.

    Raises
    ------
    ParameterError
        If another method has the name.
    """
    known = METHODS.setdefault(record.name, record)
    if known is not record:
        raise ParameterError(
            f"There is a method '{record.name}' already ({known.function}).",
            remedy="Choose another name.",
        )
    return record


def resolve(path: str) -> Callable[..., Any]:
    """Return the function that a path names.

    Examples
    --------
    >>> resolve("discreet.errors:did_you_mean").__name__
    'did_you_mean'
    """
    module, _, name = path.partition(":")
    found: Callable[..., Any] = getattr(importlib.import_module(module), name)
    return found
