"""What a policy file says: where the data is, what its columns are, how it is protected.

A policy is a file of a few lines that a person can read, keep under version control and sign;
the same policy and the same data give the same release (randomness apart).
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import (
    Field,
    PrivateAttr,
    ValidationInfo,  # noqa: TC002  pydantic reads annotations when it runs
    field_validator,
    model_validator,
)

from discreet.data.roles import Role
from discreet.errors import ParameterError
from discreet.policy.lines import key_lines, line_of
from discreet.policy.methods import AnyMethod, Generalization
from discreet.policy.section import Cut, Names, Section


class Source(Section):
    """Which file to read and how."""

    file: str = Field(min_length=1, description="The table, relative to the policy's folder.")
    columns: Names | None = Field(
        default=None, description="The columns to keep; all by default.", examples=[["age", "sex"]]
    )
    categorical: Names = Field(
        default=(), description="Columns whose numbers are codes, not measured.", examples=[["zip"]]
    )
    missing: Literal["value", "drop", "refuse"] = Field(
        default="value",
        description="Missing cells are a value of their own, drop their row, or stop.",
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
    sheet: str | None = Field(
        default=None,
        description="Of an Excel file, by name; the first by default.",
        examples=["Sheet1"],
    )
    bins: dict[str, Cut] = Field(
        default_factory=dict,
        description="Columns of measured numbers: a step, or a list of edges, for each.",
    )


class ReleaseOptions(Section):
    """What is written."""

    format: Literal["parquet", "csv"] = Field(
        default="parquet", description="Kind of the data file."
    )
    report: bool = Field(
        default=True, description="Whether report.html is written beside the data."
    )


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

    Made by :func:`~discreet.policy.read.read_policy`; ``Policy(...)`` takes the same words.

    Examples
    --------
    >>> policy = Policy.model_validate(
    ...     {"source": {"file": "people.csv"}, "method": {"name": "k-mii", "k": 5}})
    >>> policy.method.k, policy.release.format
    (5, 'parquet')
    """

    source: Source = Field(description="Which file to read and how.")
    roles: dict[str, Role] = Field(
        default_factory=dict,
        description="column = identifying | quasi | sensitive | insensitive; quasi by default.",
    )
    method: AnyMethod = Field(description="How the table is protected.")
    hierarchies: dict[str, str] = Field(
        default_factory=dict,
        description="column = file with a line for each value, leaf;group;...;root.",
    )
    release: ReleaseOptions = Field(default=ReleaseOptions(), description="What is written.")
    ledger: LedgerOptions | None = Field(
        default=None, description="Where releases of the source are counted; nowhere by default."
    )
    _path: Path | None = PrivateAttr(None)
    _text: str = PrivateAttr("")

    @field_validator("hierarchies")
    @classmethod
    def _are_used(cls, files: dict[str, str], info: ValidationInfo) -> dict[str, str]:
        method = info.data.get("method")
        if files and method is not None and not isinstance(method, Generalization):
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

    def where(self, *place: str | int) -> str:
        """Return file and line of a key, to begin an error with; nothing without a file."""
        if self._path is None:
            return ""
        line = line_of(key_lines(self._text), place)
        return f"{self._path}: " if line is None else f"{self._path}, line {line}: "
