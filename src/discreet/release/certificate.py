"""The certificate: what a release claims, in JSON that old and new readers agree on.

Each version of the format is a pydantic model that stays; a reader picks the model by
``schema_version``. The text is deterministic: the same certificate gives the same bytes.
"""

from __future__ import annotations

import hashlib
import json
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias, cast

import numpy as np
from pydantic import AfterValidator, AwareDatetime, BaseModel, ConfigDict, Field, ValidationError

from discreet.data.table import Table
from discreet.errors import DataError, GuaranteeError
from discreet.release.event import Event
from discreet.release.fingerprint import Fingerprint
from discreet.release.guarantee import Guarantee
from discreet.release.method import Publication

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from discreet.data.column import Label
    from discreet.data.roles import Role


SCHEMA_VERSION = 2

CERTIFICATE_FILE = "certificate.json"


def _in_utc(moment: datetime) -> datetime:
    """Refuse other time zones: they say where the curator sits."""
    if moment.utcoffset() != UTC.utcoffset(None) or moment.microsecond:
        raise ValueError("is not in whole seconds of UTC")
    return moment


Sha256: TypeAlias = Annotated[str, Field(pattern="^[0-9a-f]{64}$")]

Sentence: TypeAlias = Annotated[str, Field(min_length=1)]

Count: TypeAlias = Annotated[int, Field(ge=0)]

ColumnType: TypeAlias = Literal[
    "text", "integer", "float", "boolean", "decimal", "date", "datetime", "time", "duration",
    "none", "items",
]  # fmt: skip

# Not in the text of a release that does not have such a file.
_OMITTED = ("hierarchies_sha256", "operator_sha256", "export")


class _Strict(BaseModel):
    """Nothing is coerced, nothing unknown is let through, nothing can be changed."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class ExactNumber(_Strict):
    """A fraction, and a decimal of it that never claims more."""

    exact: Annotated[str, Field(pattern="^-?[0-9]+/[1-9][0-9]*$")]
    decimal: str


Number: TypeAlias = int | str | ExactNumber

Option: TypeAlias = bool | Number | list[str] | None


class GuaranteeV1(_Strict):
    """The claim."""

    model: Sentence
    parameters: dict[str, Number]
    unit: Sentence
    neighbours: Sentence | None
    columns: list[str]
    assumptions: list[Sentence]
    not_protected: Annotated[list[Sentence], Field(min_length=1)]
    experimental: bool
    experimental_reason: Sentence | None


class EventV1(_Strict):
    """One step of what was done."""

    name: Sentence
    parameters: dict[str, Option]
    counts: dict[str, Count]


class ColumnV1(_Strict):
    """One released column; ``type`` is that of its values, whatever a file can express."""

    name: str
    role: Literal["quasi", "sensitive", "insensitive"]
    type: ColumnType


class Column(ColumnV1):
    """One released column; ``separator`` stands between the members of a set column's cells."""

    separator: Annotated[str, Field(min_length=1, max_length=1)] | None = None


class DataV1(_Strict):
    """The released file."""

    file: Literal["data.parquet", "data.csv"]
    sha256: Sha256
    n_rows: Count
    columns: Annotated[list[ColumnV1], Field(min_length=1)]


class Data(DataV1):
    """The released file, of version 2."""

    columns: Annotated[list[Column], Field(min_length=1)]  # type: ignore[assignment]


class Export(_Strict):
    """The same data in another kind of file, which no claim is about.

    Its cells are those of the data file, with the ends of intervals beside them, or synthetic
    numbers and dates drawn uniformly inside the bins of the data file.
    """

    file: Literal["export.csv", "export.dta", "export.parquet", "export.sav", "export.xlsx"]
    shows: Literal["cells", "cells and bounds", "numbers drawn inside bins"]
    sha256: Sha256


class FingerprintV1(_Strict):
    """The keyed fingerprint of the input; the key is not published."""

    algorithm: Literal["HMAC-SHA256"]
    key_id: Annotated[str, Field(pattern="^[0-9a-f]{32}$")]
    mac: Sha256


class _Said(_Strict):
    """What certificates of all versions say."""

    discreet_version: Sentence
    created: Annotated[AwareDatetime, Field(strict=False), AfterValidator(_in_utc)]
    guarantee: GuaranteeV1
    events: list[EventV1]
    data: DataV1
    fingerprint: FingerprintV1 | None
    experimental: bool
    policy_sha256: Sha256 | None
    report_sha256: Sha256 | None
    hierarchies_sha256: Sha256 | None = None
    operator_sha256: Sha256 | None = None

    def to_json(self) -> str:
        """Return the text of the certificate: keys sorted, a newline at the end."""
        values = self.model_dump(mode="json")
        for name in _OMITTED:
            if values.get(name, "") is None:
                del values[name]
        for column in values["data"]["columns"]:
            if column.get("separator", "") is None:
                del column["separator"]
        return _text({**values, "checksum": _checksum(values)})

    def read_guarantee(self) -> Guarantee:
        """Return the claim, checked again as when it was made."""
        claim = Guarantee.from_dict(self.guarantee.model_dump())
        if claim.experimental != self.experimental:
            raise GuaranteeError(
                f"{CERTIFICATE_FILE} says both that the release is experimental and that it is not."
            )
        return claim

    def read_events(self) -> tuple[Event, ...]:
        """Return what was done."""
        return tuple(Event.from_dict(each.model_dump()) for each in self.events)

    def read_fingerprint(self) -> Fingerprint | None:
        """Return the fingerprint of the input, without its key."""
        held = self.fingerprint
        return None if held is None else Fingerprint(mac=held.mac, key_id=held.key_id)

    def read_roles(self) -> dict[str, Role]:
        """Return column to role."""
        return {column.name: column.role for column in self.data.columns}

    def read_sets(self) -> dict[str, str]:
        """Return the set columns, and what stands between the members of their cells."""
        found = {each.name: getattr(each, "separator", None) for each in self.data.columns}
        return {name: separator for name, separator in found.items() if separator is not None}


class CertificateV1(_Said):
    """Certificate of a release, version 1: it does not say what it publishes."""

    schema_version: Literal[1]

    @property
    def publishes(self) -> Publication:
        """What the release publishes, worked out from files, steps and model."""
        if self.operator_sha256 is not None:
            return "transactions"
        if any(event.name == "draw_rows" for event in self.events):
            return "synthetic rows"
        return "patterns" if "patterns" in self.guarantee.model else "rows"


class Certificate(_Said):
    """Certificate of a release, version 2.

    ``checksum`` is the SHA-256 of the text without that line: it reveals damage and careless
    edits. It is not a signature: whoever changes a certificate on purpose can renew it.
    ``hierarchies_sha256`` and ``operator_sha256`` are omitted from the text of a release that
    states no hierarchies and no operator, ``separator`` from columns that are no set columns,
    ``export`` where there is none.
    Columns of ``items`` hold lists of numbers.
    """

    schema_version: Literal[2]
    publishes: Publication
    data: Data
    export: Export | None = None


AnyCertificate: TypeAlias = Certificate | CertificateV1

# The model of each version. An old one stays here, and answers the same questions.
_READERS: dict[int, type[AnyCertificate]] = {1: CertificateV1, 2: Certificate}


def read_certificate(text: str, *, where: str = CERTIFICATE_FILE) -> AnyCertificate:
    """Return the certificate in a text, of this or an older version.

    Parameters
    ----------
    text : str
        The content of a ``certificate.json``.
    where : str
        What to call it in errors.

    Returns
    -------
    Certificate or CertificateV1
        Of its own version; both have the same fields, and ``publishes``.

    Raises
    ------
    DataError
        If the text is not a certificate, is cut off, or is of a newer version.
    GuaranteeError
        If it was changed after it was written, or claims too much.
    """
    try:
        values = json.loads(text, object_pairs_hook=_without_repeats, parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        raise DataError(f"{where} is not whole JSON: {error}.") from None
    version = values.get("schema_version") if isinstance(values, dict) else None
    if type(version) is not int or version < 1:
        raise DataError(f"{where} is not a certificate: it has no schema_version.")
    if version not in _READERS:
        raise DataError(
            f"{where} has schema version {version}; this version of discreet reads 1 to "
            f"{SCHEMA_VERSION}. Read it with a newer discreet."
        )
    stated = values.pop("checksum", None)
    if stated != _checksum(values):
        raise GuaranteeError(f"{where} was changed after it was written: its checksum differs.")
    try:
        certificate = _READERS[version].model_validate(values)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join(map(str, first["loc"]))
        raise DataError(f"{where} is not a certificate: {place}: {first['msg']}.") from None
    certificate.read_guarantee()
    return certificate


def json_schema() -> dict[str, Any]:  # the schema language's own types
    """Return the JSON Schema of ``certificate.json``, current version.

    Examples
    --------
    >>> schema = json_schema()
    >>> schema["title"], schema["properties"]["schema_version"]["const"]
    ('Certificate', 2)
    """
    schema = Certificate.model_json_schema(mode="serialization")
    schema["properties"]["checksum"] = {"type": "string", "pattern": "^[0-9a-f]{64}$"}
    always = [name for name in schema["required"] if name not in _OMITTED]
    schema["required"] = [*always, "checksum"]
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}


def _text(values: dict[str, Any]) -> str:
    """Return JSON that depends on the values only."""
    return json.dumps(values, sort_keys=True, indent=2, ensure_ascii=False) + "\n"


def _checksum(values: dict[str, Any]) -> str:
    """Return the SHA-256 of the text of a certificate without its checksum."""
    return hashlib.sha256(_text(values).encode("utf-8", "surrogatepass")).hexdigest()


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Refuse an object with a key twice: readers would not agree on which one counts."""
    values = dict(pairs)
    if len(values) != len(pairs):
        raise ValueError("a key stands there twice")
    return values


def _no_constant(name: str) -> None:
    """Refuse NaN and infinity, which are not JSON."""
    raise ValueError(f"{name} is not JSON")


# The types of columns, by name, so that a text file can be read back as it was written.

_NAMES: dict[type, ColumnType] = {
    str: "text",
    bool: "boolean",
    int: "integer",
    float: "float",
    Decimal: "decimal",
    datetime: "datetime",
    date: "date",
    time: "time",
    timedelta: "duration",
}

_FROM_TEXT: dict[ColumnType, Callable[[str], Label]] = {
    "text": str,
    "boolean": {"True": True, "False": False}.__getitem__,
    "integer": int,
    "float": float,
    "decimal": Decimal,
    "datetime": datetime.fromisoformat,
    "date": date.fromisoformat,
    "time": time.fromisoformat,
    "none": str,
}


def column_type(values: Iterable[Label]) -> ColumnType:
    """Return the name of the type that all values of a column have.

    Examples
    --------
    >>> column_type((31, 40, None)), column_type((None,))
    ('integer', 'none')
    """
    for value in values:
        if value is not None:
            return _NAMES[type(value)]
    return "none"


def refuse_for_text(table: Table) -> None:
    """Raise DataError if a column cannot be read back from text."""
    for name in table.columns:
        if column_type(table.values(name)) not in _FROM_TEXT:
            raise DataError(
                f"Column '{name}' holds durations, which a CSV file does not keep.",
                column=name,
                remedy="Write Parquet.",
            )


def restore_types(table: Table, types: Mapping[str, ColumnType]) -> Table:
    """Return a table read from text with the types that its columns had, values sorted.

    Raises
    ------
    DataError
        If a value is not of the type of its column.

    Examples
    --------
    >>> table = Table.from_frame({"zip": [10115, 80331]})
    >>> restore_types(table, {"zip": "text"}).values("zip")
    ('10115', '80331')
    """
    codes, labels = {}, {}
    for name in table.columns:
        parse = _FROM_TEXT.get(types[name], str)
        try:
            read = [None if old is None else parse(str(old)) for old in table.values(name)]
        except (ValueError, KeyError, ArithmeticError):
            raise DataError(
                f"Column '{name}' holds values that are no {types[name]}.", column=name
            ) from None
        # All of one type, so they can be compared; None goes last.
        present = [place for place, value in enumerate(read) if value is not None]
        order = sorted(present, key=lambda place: cast("str", read[place]))
        order += [i for i, value in enumerate(read) if value is None]
        rank = np.empty(len(read), dtype=np.int64)
        rank[order] = np.arange(len(read))
        codes[name] = rank[table.codes(name)] if read else table.codes(name)
        labels[name] = [read[place] for place in order]
    return Table.from_codes(codes, labels, dict(table.roles), like=None)
