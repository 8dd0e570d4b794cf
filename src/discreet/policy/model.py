"""What a policy file says: where the data is, what its columns are, how it is protected.

A policy is a file of a few lines that a person can read, keep under version control and sign;
the same policy and the same data give the same release (randomness apart).
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, get_args

from pydantic import (
    BaseModel,
    Field,
    PlainValidator,
    PrivateAttr,
    SerializeAsAny,
    ValidationError,
    ValidationInfo,  # noqa: TC002  pydantic reads annotations when it runs
    field_validator,
    model_validator,
)

from discreet.data.binning import as_carried
from discreet.data.column import check_sets
from discreet.data.files.packed import find_file
from discreet.data.people import check_statement
from discreet.data.roles import Role
from discreet.errors import DataError, ParameterError, Worded, did_you_mean
from discreet.policy.methods import MethodOptions, model_of, read_method
from discreet.policy.repairs import ColumnRepair
from discreet.policy.section import (
    NOT_UTF8,
    Cut,
    Grouped,
    Names,
    Section,
    key_lines,
    line_of,
)
from discreet.release.methods import METHODS

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping

    from pydantic_core import ErrorDetails

    from discreet.policy.section import Place


class Source(Section):
    """Which file to read and how."""

    file: str = Field(min_length=1, description="The table, relative to the policy's folder.")
    columns: Names | None = Field(
        default=None, description="The columns to keep; all by default.", examples=[["age", "sex"]]
    )
    categorical: Names = Field(
        default=(), description="Columns whose numbers are codes, not measured.", examples=[["zip"]]
    )
    person: str | None = Field(
        default=None,
        min_length=1,
        description="The column that says whose each row is; never released. People are protected "
        "then, who may have several rows.",
        examples=["patient_id"],
    )
    one_row_per_person: bool = Field(
        default=False,
        description="Whether every row is another person. State it only if you know it.",
        examples=[True],
    )
    missing: Literal["value", "stated", "drop", "refuse"] = Field(
        default="value",
        description="Missing cells are a value of their own (stated: the word missing, so that no "
        "suppressed cell reads the same), drop their row, or stop.",
    )
    null_values: Names = Field(
        default=(), description='Cells that mean missing, such as "?".', examples=[["?"]]
    )
    delimiter: str | None = Field(
        default=None, description="Between cells of a text file; else guessed.", examples=[";"]
    )
    encoding: str | None = Field(
        default=None, description="Of a text file; else guessed.", examples=["utf-8"]
    )
    header: bool | None = Field(
        default=None, description="Whether row 1 names the columns; else guessed.", examples=[True]
    )
    names: Names | None = Field(
        default=None,
        description="Names of all columns, for a file without a header.",
        examples=[["age", "sex"]],
    )
    skip_first: int = Field(
        default=0, ge=0, description="Lines before the header that are no part of the table."
    )
    skip_last: int = Field(
        default=0, ge=0, description="Lines at the end that are no part of the table."
    )
    repeated_header: Literal["keep", "drop"] = Field(
        default="keep", description="What becomes of rows that are the header again."
    )
    sheet: str | None = Field(
        default=None,
        description="Of an Excel file, by name; the first by default.",
        examples=["Sheet1"],
    )
    bins: dict[str, Cut] = Field(
        default_factory=dict,
        description="Columns of measured numbers: a step, or a list of edges, for each.",
    )
    sets: dict[str, str] = Field(
        default_factory=dict,
        description="Columns whose cells have several members: what stands between them.",
        examples=[{"diagnosis": ";"}],
    )

    carried: dict[str, str] = Field(
        default_factory=dict,
        description="Columns of numbers that are only carried along, and what becomes of each: "
        "mean or median of its class, round 100, 0 to 90.",
        examples=[{"income": "mean"}],
    )

    @field_validator("carried")
    @classmethod
    def _are_treatments(cls, carried: dict[str, str]) -> dict[str, str]:
        for column, how in carried.items():
            as_carried(column, how)
        return carried

    @field_validator("sets")
    @classmethod
    def _are_separators(cls, sets: dict[str, str]) -> dict[str, str]:
        return check_sets(sets)

    @model_validator(mode="after")
    def _one_statement(self) -> Source:
        check_statement(self.person, self.one_row_per_person)
        return self


class ReleaseOptions(Section):
    """What is written."""

    format: Literal["parquet", "csv"] = Field(
        default="parquet", description="Kind of the data file."
    )
    report: bool = Field(
        default=True, description="Whether report.html is written beside the data."
    )
    export: Literal["xlsx", "dta", "sav", "csv", "parquet"] | None = Field(
        default=None,
        description="The same data once more for Excel (xlsx, csv), Stata (dta) or SPSS (sav), "
        "which no claim is about.",
        examples=["xlsx"],
    )
    bounds: bool = Field(
        default=False,
        description="Whether the export has lower and upper ends of intervals as columns.",
    )

    @model_validator(mode="after")
    def _bounds_of_export(self) -> ReleaseOptions:
        if self.bounds and self.export is None:
            raise ParameterError("bounds stand in an export: give export too")
        return self


class LedgerOptions(Section):
    """Where releases of the source are counted."""

    path: str | None = Field(
        default=None,
        min_length=1,
        description="An SQLite file, relative to the policy's folder.",
        examples=["ledger.sqlite"],
    )
    url: str | None = Field(
        default=None,
        repr=False,
        description="postgresql://user@host/database, in place of a path.",
        examples=["postgresql://me@host/ledger"],
    )
    source: str | None = Field(
        default=None,
        min_length=1,
        description="What the data is about; the file's name by default.",
        examples=["survey 2026"],
    )

    @model_validator(mode="after")
    def _one_place(self) -> LedgerOptions:
        if (self.path is None) == (self.url is None):
            raise ParameterError("a ledger has either a path or a url: give one of them")
        return self


class Policy(Section):
    """A policy: source, roles, hierarchies, method, what is written, and the ledger.

    Made by :func:`~discreet.policy.model.read_policy`; ``Policy(...)`` takes the same words.

    Examples
    --------
    >>> policy = Policy.model_validate(
    ...     {"source": {"file": "people.csv"}, "method": {"name": "k-mii", "k": 5}})
    >>> policy.method.k, policy.release.format
    (5, 'parquet')
    """

    source: Source = Field(description="Which file to read and how.")
    repairs: dict[str, ColumnRepair] = Field(
        default_factory=dict,
        description="column = { rules }: how messy cells are mended. Nothing else is changed.",
    )
    roles: dict[str, Role] = Field(
        default_factory=dict,
        description="column = identifying | quasi | sensitive | insensitive; quasi by default.",
    )
    method: Annotated[SerializeAsAny[MethodOptions], PlainValidator(read_method)] = Field(
        description="How the data is protected."
    )
    hierarchies: dict[str, Grouped] = Field(
        default_factory=dict,
        description="column = file with a line for each value, leaf;group;...;root, or how it is "
        "made, such as { dates = true }.",
    )
    release: ReleaseOptions = Field(default=ReleaseOptions(), description="What is written.")
    ledger: LedgerOptions | None = Field(
        default=None, description="Where releases of the source are counted; nowhere by default."
    )
    _path: Path | None = PrivateAttr(None)
    _text: str = PrivateAttr("")

    @field_validator("hierarchies")
    @classmethod
    def _are_used(cls, files: dict[str, Grouped], info: ValidationInfo) -> dict[str, Grouped]:
        method = info.data.get("method")
        if files and method is not None and not method.record.hierarchies:
            raise ParameterError(
                f"hierarchies are for methods that generalize, and {method.name} does not"
            )
        return files

    def written_in(self, path: Path, text: str) -> Policy:
        """Return the policy knowing the file it was read from: paths are relative to it."""
        known = self.model_copy()
        for name, value in (("_path", path), ("_text", text)):
            setattr(known, name, value)
        return known

    @property
    def path(self) -> Path | None:
        """The file it was read from, if any."""
        return self._path

    @property
    def folder(self) -> Path:
        """The folder that paths are relative to."""
        return Path() if self._path is None else self._path.parent

    @property
    def source_path(self) -> Path:
        """The file of the data."""
        return self.folder / self.source.file

    @property
    def source_name(self) -> str:
        """What the ledger calls the data."""
        given = None if self.ledger is None else self.ledger.source
        return Path(self.source.file).name if given is None else given

    def with_input(self, file: str | os.PathLike[str]) -> Policy:
        """Return the policy for another file, such as that of the next month.

        Parameters
        ----------
        file : path
            As seen from the current folder; hierarchies and the ledger stay where they are.

        Returns
        -------
        Policy
            All else as it was. A ledger counts the release with those of the policy's own file,
            unless it names its source: the people may be the same, and then their budget is.

        Examples
        --------
        >>> policy = make_policy({"source": {"file": "may.csv"}, "ledger": {"path": "l.sqlite"},
        ...                       "method": {"name": "k-mii", "k": 5}})
        >>> june = policy.with_input("june.csv")
        >>> june.source_path.name, june.source_name
        ('june.csv', 'may.csv')
        """
        source = self.source.model_copy(update={"file": str(Path(file).absolute())})
        ledger = self.ledger
        if ledger is not None:
            ledger = ledger.model_copy(update={"source": self.source_name})
        return self.model_copy(update={"source": source, "ledger": ledger})

    def with_export(self, kind: str | None, *, bounds: bool = False) -> Policy:
        """Return the policy with an export beside the data; without a kind as it is."""
        given = {"export": kind, "bounds": bounds}
        wanted = {name: value for name, value in given.items() if value}
        if not wanted:
            return self
        stated = {**self.release.model_dump(), **wanted}
        return self.model_copy(update={"release": ReleaseOptions.model_validate(stated)})

    def where(self, *place: str | int) -> str:
        """Return file and line of a key, to begin an error with; nothing without a file."""
        if self._path is None:
            return ""
        line = line_of(key_lines(self._text), place)
        return f"{self._path}: " if line is None else f"{self._path}, line {line}: "


# Policies from files, with errors that name file, line, key and what would fit.

_AT_LINE = re.compile(r"\s*\(at (?:line (\d+), column \d+|end of document)\)$")


MAX_POLICY_BYTES = 1024**2


def read_policy(path: str | os.PathLike[str]) -> Policy:
    r"""Return the policy in a file.

    Parameters
    ----------
    path : path
        A TOML file; see the reference of policies for its keys. Paths in it are relative to
        the folder it is in.

    Returns
    -------
    Policy
        Checked but for what depends on the data: whether its columns exist is seen when it runs.

    Raises
    ------
    DataError
        If the file cannot be read or is not TOML.
    ParameterError
        If a key is unknown, missing or out of its range; the line is named.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "policy.toml"
    >>> _ = path.write_text('[source]\nfile = "people.csv"\n[method]\nname = "k-mii"\nk = 5\n')
    >>> read_policy(path).method
    KMii(name='k-mii', k=5, leftover='drop', sample_size=None, max_size=None, l=None,
    sensitive=None, columns=None)
    """
    found = find_file(path)
    try:
        if found.stat().st_size > MAX_POLICY_BYTES:
            raise DataError(
                f"{found} has {found.stat().st_size:,} bytes: no policy is longer than "
                f"{MAX_POLICY_BYTES:,}. Is it another file?"
            )
        content = found.read_bytes()
    except OSError as error:
        raise DataError(f"{found} cannot be read: {error.strerror}.") from error
    return policy_from(content, found)


def policy_from(content: bytes, found: Path) -> Policy:
    """Return the policy that a file of some name holds; see :func:`read_policy`."""
    try:
        text = content.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        before = error.object[: error.start].count(b"\n")
        raise DataError(
            f"{found}, line {before + 1}: not UTF-8 text. Save the file as UTF-8."
        ) from None
    try:
        values = tomllib.loads(text, parse_float=Decimal)
    except (ValueError, ArithmeticError, RecursionError) as error:  # numbers without end among them
        raise DataError(_not_toml(found, str(error), text)) from None
    try:
        policy = Policy.model_validate(values)
    except ValidationError as error:
        problem = first_problem(error)
        line = line_of(key_lines(text), problem.place)
        where = f"{found}" if line is None else f"{found}, line {line}"
        raise problem.error.inside(where) from None
    return policy.written_in(found, text)


def make_policy(values: Mapping[str, object]) -> Policy:
    """Return the policy of given values, such as the options of a command.

    Parameters
    ----------
    values : mapping
        As in a policy file.

    Returns
    -------
    Policy
        With paths relative to the folder one is in.

    Raises
    ------
    ParameterError
        If a key is unknown, missing or out of its range.

    Examples
    --------
    >>> make_policy({"source": {"file": "a.csv"}, "method": {"name": "k-mi", "k": 5}})
    Traceback (most recent call last):
    discreet.errors.ParameterError: There is no method 'k-mi'. Did you mean 'k-mii'?
    """
    try:
        return Policy.model_validate(values)
    except ValidationError as error:
        raise first_problem(error).error from None


def _not_toml(path: Path, message: str, text: str) -> str:
    """Return what is wrong with a text that is not TOML."""
    at = _AT_LINE.search(message)
    said = message[: at.start()] if at else message
    line = int(at[1]) if at and at[1] else text.rstrip("\n").count("\n") + 1
    lines = text.split("\n")
    shown = lines[line - 1].strip() if line <= len(lines) else ""
    quoted = f" in: {shown[:80]}" if shown else ""
    return (
        f"{path}, line {line}: not TOML ({said[:1].lower()}{said[1:]}){quoted}. Text stands in "
        'quotes, as in file = "people.csv".'
    )


# What is wrong with a policy, in plain words: which key, which value, and what fits there.


# What fits, by pydantic's name of the error.
_KINDS = {
    "int_type": "a whole number",
    "string_type": "text in quotes",
    "bool_type": "true or false",
    "tuple_type": "a list of texts in quotes",
    "dict_type": "a table",
    "model_type": "a table",
    "model_attributes_type": "a table",
    "string_too_short": "not empty",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """One thing that is wrong: where in the policy, and a sentence about it.

    An option of a method is named ``{so}`` in the sentence: commands call it otherwise.
    """

    place: Place
    sentence: str
    found: Worded | None = None  # by a check of our own

    @property
    def error(self) -> ParameterError:
        """The error that says so."""
        keys = [part for part in self.place if isinstance(part, str)]
        options: dict[str, object] = dict.fromkeys(keys, ...)
        name = keys[-1] if keys else None
        if self.found is not None:
            options |= self.found.options
            name = self.found.parameter or name
        return ParameterError(self.sentence, parameter=name, options=options)


def first_problem(error: ValidationError) -> Problem:
    """Return the first thing that pydantic found wrong with a policy.

    Examples
    --------
    >>> from pydantic import ValidationError
    >>> try:
    ...     Policy(source={"file": "a.csv"}, method={"name": "k-mii", "k": 1})
    ... except ValidationError as error:
    ...     print(first_problem(error).error)
    k is at least 2, not 1.
    """
    # An unknown key often explains a missing one, so it comes first.
    errors = sorted(error.errors(), key=lambda each: each["type"] != "extra_forbidden")
    first = errors[0]
    place = _without_tag(tuple(first["loc"]))
    found = first.get("ctx", {}).get("error")
    return Problem(
        place=place,
        sentence=_sentence(first, place),
        found=found if isinstance(found, Worded) else None,
    )


def _without_tag(place: Place) -> Place:
    """Return a place without the name of the method, which pydantic puts into it."""
    if place[:1] == ("method",) and len(place) > 1 and place[1] in METHODS:
        return (place[0], *place[2:])
    return place


def _sentence(error: ErrorDetails, place: Place) -> str:
    """Return what is wrong in one or two sentences."""
    kind, given, name = error["type"], error["input"], _named(place)
    about = error.get("ctx", {})
    if kind in _KINDS:
        return f"{name} is {_KINDS[kind]}, not {_shown(given)}."
    if kind == "missing":
        section = "" if place[0] == "method" else ".".join(map(str, place[:-1]))
        inside = f" in [{section}]" if section else ""
        return f"{name} is missing{inside}: give it."
    if kind == "union_tag_not_found":
        return f"The method has no name. {did_you_mean('', METHODS)}"
    if kind == "union_tag_invalid":
        return f"There is no method {about['tag']!r}. {did_you_mean(about['tag'], METHODS)}"
    if kind == "greater_than_equal":
        return f"{name} is at least {about['ge']}, not {given}."
    longer = {
        "extra_forbidden": _unknown, "literal_error": _no_choice, "value_error": _refused,
        "string_unicode": lambda *_: f"{name} = {given!a} {NOT_UTF8}",
    }  # fmt: skip
    return longer[kind](error, place) if kind in longer else f"{name}: {error['msg']}."


def _unknown(error: ErrorDetails, place: Place) -> str:
    """Say that a key does not belong there, and where it does."""
    section = f"[{'.'.join(map(str, place[:-1]))}]" if place[:-1] else "a policy"
    method = ""
    if place[0] == "method":
        section = f"method '{error['loc'][1]}'"
        method = _method_with(str(place[-1]))
    hint = did_you_mean(str(place[-1]), _known(error["loc"][:-1]))
    return f"There is no '{place[-1]}' in {section}.{method} {hint}"


def _no_choice(error: ErrorDetails, place: Place) -> str:
    """Say which words fit."""
    given, expected = error["input"], error["ctx"]["expected"]
    fitting = [each.strip("'") for part in expected.split(", ") for each in part.split(" or ")]
    hint = did_you_mean(given, fitting) if isinstance(given, str) else ""
    closest = f" {hint}" if hint.startswith("Did") else ""
    return f"{_named(place)} is {' or '.join(map(repr, fitting))}, not {_shown(given)}.{closest}"


def _refused(error: ErrorDetails, place: Place) -> str:
    """Say what one of our own checks found."""
    found = error["ctx"]["error"]
    said = (found.template if isinstance(found, Worded) else str(found)).rstrip(".")
    if place[0] == "method" and len(place) == 2:
        return f"{_named(place)} is {said}."
    if "domains" in place:
        return f"The domain of column '{place[-1]}' is {said}."
    if place[0] == "repairs":
        return f"The repair of column '{place[1]}': {said}."
    if "bins" in place:
        return f"The bins of column '{place[-1]}': {said[0].lower()}{said[1:]}."
    return f"{said[0].upper()}{said[1:]}."


def _named(place: Place) -> str:
    """Return how a person calls a key."""
    if place[:1] == ("roles",) and len(place) == 2:
        return f"The role of column '{place[1]}'"
    if place and isinstance(place[-1], int):
        return f"Member {place[-1] + 1} of {place[-2]}"
    if place[:1] == ("method",) and len(place) == 2:
        return f"{{{place[1]}}}"
    return f"[{place[0]}]" if len(place) == 1 else str(place[-1])


def _known(location: tuple[str | int, ...]) -> list[str]:
    """Return the keys that fit at a place."""
    model: type[BaseModel] = Policy
    for part in location:
        if part in METHODS:
            model = model_of(METHODS[str(part)])
            continue
        if part not in model.model_fields:  # the name of a column
            continue
        annotation: object = model.model_fields[str(part)].annotation
        kinds = (annotation, *get_args(annotation))
        model = next(
            (each for each in kinds if isinstance(each, type) and issubclass(each, BaseModel)),
            model,
        )
    return list(model.model_fields)


def _method_with(option: str) -> str:
    """Return which methods know an option, if any does."""
    methods = [
        name
        for name, record in METHODS.items()
        if option in [known.name for known in record.options]
    ]
    return f" It belongs to {' and '.join(methods)}." if methods else ""


def _shown(given: object) -> str:
    """Return a value as a policy writes it, roughly."""
    if isinstance(given, bool):
        return str(given).lower()
    if isinstance(given, dict):
        return "a table"
    if isinstance(given, list | tuple):
        return "a list"
    return repr(given) if isinstance(given, str) else str(given)
