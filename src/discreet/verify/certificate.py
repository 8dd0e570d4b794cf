"""A certificate read by its published format, with nothing of the code that writes it."""

from __future__ import annotations

import hashlib
import io
import json
import re
from dataclasses import dataclass
from datetime import date, datetime, time
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any, TypeAlias

import polars as pl

from discreet.errors import DataError
from discreet.verify.outcome import Check

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


Value: TypeAlias = int | str | Fraction | bool | tuple[str, ...] | None

CERTIFICATE_FILE = "certificate.json"

# What a release can publish.
ROWS, SYNTHETIC, PATTERNS, TRANSACTIONS = "rows", "synthetic rows", "patterns", "transactions"

DRAW = "draw_rows"  # the step that only synthetic rows have

_LOSSES = ("epsilon", "delta")

_FIRST = ("k", "l", "t", *_LOSSES)

_ROUNDING = Fraction(1, 10**11)  # decimals have twelve digits


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One event: what was done, with which options, and what was counted."""

    name: str
    parameters: dict[str, Value]
    counts: dict[str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleasedColumn:
    """One column as it is certified."""

    name: str
    role: str
    type: str
    separator: str | None = None  # of a set column: what stands between the members of a cell


@dataclass(frozen=True, slots=True, kw_only=True)
class Claims:
    """What a certificate says, numbers exact.

    ``checksum_fits`` is None if the certificate has no checksum. ``files`` has the hash of each
    certified file, the data among them. A certificate of version 1 does not say what it
    ``publishes``: that is worked out from its model and steps.
    """

    version: int
    publishes: str
    model: str
    parameters: dict[str, Value]
    unit: str
    neighbours: str | None
    covered: tuple[str, ...]
    not_protected: tuple[str, ...]
    experimental: bool
    experimental_reason: str | None
    events: tuple[Step, ...]
    data_file: str
    files: dict[str, str]
    n_rows: int
    columns: tuple[ReleasedColumn, ...]
    checksum_fits: bool | None

    @property
    def column_names(self) -> tuple[str, ...]:
        """The names of all released columns, in order."""
        return tuple(column.name for column in self.columns)

    @property
    def summary(self) -> str:
        """The model with its figures, fractions as decimals."""
        first = [name for name in _FIRST if name in self.parameters]
        names = dict.fromkeys([*first, *self.parameters])
        shown = [f"{name} = {show(self.parameters[name])}" for name in names]
        return f"{self.model} with {', '.join(shown)}" if shown else self.model

    def step(self, name: str) -> Step | None:
        """Return the only event of a name; None if there is none or more than one."""
        found = [event for event in self.events if event.name == name]
        return found[0] if len(found) == 1 else None


def read_claims(content: bytes) -> Claims:
    """Return what a certificate says.

    Parameters
    ----------
    content : bytes
        The content of a ``certificate.json``.

    Returns
    -------
    Claims
        Its checksum is compared, but a wrong one is no error here.

    Raises
    ------
    DataError
        If it is cut off, not a certificate, of a newer version, or contradicts itself.
    """
    try:
        values = json.loads(
            content.decode(), object_pairs_hook=refuse_repeats, parse_constant=_refuse
        )
    except UnicodeDecodeError:
        raise DataError(f"{CERTIFICATE_FILE} is not whole JSON: it is not UTF-8.") from None
    except (ValueError, RecursionError) as error:
        raise DataError(f"{CERTIFICATE_FILE} is not whole JSON: {error}.") from None
    version = values.get("schema_version") if isinstance(values, dict) else None
    if type(version) is not int or version < 1:
        raise DataError(f"{CERTIFICATE_FILE} is not a certificate: it has no schema version.")
    if version not in CERTIFICATES:
        raise DataError(
            f"{CERTIFICATE_FILE} has schema version {version}, and this verifier knows versions "
            f"up to {max(CERTIFICATES)}. Verify it with a newer discreet."
        )
    stated = values.pop("checksum", None)
    fits = None if stated is None else stated == _checksum(values)
    fault = misfit(CERTIFICATES[version], values)
    if fault:
        raise DataError(f"{CERTIFICATE_FILE} is not a certificate: {fault}.")
    return _claims(values, checksum_fits=fits)


def _claims(values: dict[str, Any], *, checksum_fits: bool | None) -> Claims:
    """Return the claims in values that have the shape of a certificate."""
    guarantee, data = values["guarantee"], values["data"]
    names = [column["name"] for column in data["columns"]]
    contradictions = {
        "it says both that the release is experimental and that it is not": (
            guarantee["experimental"] != values["experimental"]
        ),
        "it does not say what is not protected": not guarantee["not_protected"],
        "it names no columns": not names,
        "it names a column twice": len(set(names)) != len(names),
        "it has a count below 0": data["n_rows"] < 0
        or any(count < 0 for event in values["events"] for count in event["counts"].values()),
    }
    for fault, is_so in contradictions.items():
        if is_so:
            raise DataError(f"{CERTIFICATE_FILE} is not a certificate: {fault}.")
    certified = {
        data["file"]: data["sha256"],
        "policy.toml": values["policy_sha256"],
        "report.html": values["report_sha256"],
        "hierarchies.json": values.get("hierarchies_sha256"),
        "operator.json": values.get("operator_sha256"),
    }
    return Claims(
        version=values["schema_version"],
        publishes=values.get("publishes") or _published_by_version_1(values),
        model=guarantee["model"],
        parameters=_read_all(guarantee["parameters"]),
        unit=guarantee["unit"],
        neighbours=guarantee["neighbours"],
        covered=tuple(guarantee["columns"]),
        not_protected=tuple(guarantee["not_protected"]),
        experimental=values["experimental"],
        experimental_reason=guarantee["experimental_reason"],
        events=tuple(
            Step(
                name=event["name"],
                parameters=_read_all(event["parameters"]),
                counts=event["counts"],
            )
            for event in values["events"]
        ),
        data_file=data["file"],
        files={name: sha256 for name, sha256 in certified.items() if sha256 is not None},
        n_rows=data["n_rows"],
        columns=tuple(ReleasedColumn(**column) for column in data["columns"]),
        checksum_fits=checksum_fits,
    )


def _published_by_version_1(values: dict[str, Any]) -> str:
    """Return what a certificate of version 1 is about, which it does not say itself."""
    model = values["guarantee"]["model"]
    if any(event["name"] == DRAW for event in values["events"]):
        return SYNTHETIC
    if model == "local differential privacy":
        return TRANSACTIONS
    return PATTERNS if "patterns" in model else ROWS


def _read_all(parameters: dict[str, Any]) -> dict[str, Value]:
    """Return parameters with fractions read."""
    return {name: _read(name, value) for name, value in parameters.items()}


def _read(name: str, value: Any) -> Value:  # noqa: ANN401  any JSON that fits the shape
    """Return a parameter; a fraction must agree with its decimal, and not contradict it."""
    if isinstance(value, list):
        return tuple(value)
    if not isinstance(value, dict):
        # A whole epsilon or delta may be written without a fraction.
        return Fraction(value) if name in _LOSSES and type(value) is int else value
    number, shown = Fraction(value["exact"]), Fraction(Decimal(value["decimal"]))
    understated = name in _LOSSES and shown < number
    if understated or abs(shown - number) > _ROUNDING * abs(number):
        raise DataError(
            f"{CERTIFICATE_FILE} is not a certificate: {name} is stated as {value['exact']} and "
            f"as {value['decimal']}, which do not agree."
        )
    return number


def show(value: Value) -> str:
    """Return a parameter as a person reads it.

    Examples
    --------
    >>> show(Fraction(1, 3)), show(5)
    ('0.333333', '5')
    """
    return f"{float(value):.6g}" if isinstance(value, Fraction) else str(value)


def _checksum(values: dict[str, Any]) -> str:
    """Return the SHA-256 of a certificate without its checksum: keys sorted, two blanks deep."""
    text = json.dumps(values, ensure_ascii=False, indent=2, sort_keys=True) + "\n"
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def refuse_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Refuse a key that stands twice: readers would differ on which one counts."""
    seen: dict[str, Any] = {}
    for key, value in pairs:
        if key in seen:
            raise ValueError(f"the key {key!r} stands there twice")
        seen[key] = value
    return seen


def _refuse(constant: str) -> None:
    """Refuse NaN and infinity."""
    raise ValueError(f"{constant} is not JSON")


# The shape of a certificate of each version, as its format is described, not as it is written.
#
# A shape is a Python type, a pattern for text, a list with the shape of its members, a dict with
# the shapes of all its keys (one that ends in ``?`` may be missing), or a tuple of shapes of which
# one has to fit.

Shape: TypeAlias = (
    "type | re.Pattern[str] | list[Shape] | dict[str, Shape] | tuple[Shape, ...] | None"
)

MAYBE = "?"  # at the end of a key: it may be missing

ANY_KEY = "*"  # a dict with this key alone may have any keys

_TEXT = re.compile(r"[\s\S]*\S[\s\S]*")

_SHA256 = re.compile(r"[0-9a-f]{64}")

_EXACT: Shape = {
    "exact": re.compile(r"-?[0-9]{1,2000}/[1-9][0-9]{0,1999}"),
    "decimal": re.compile(r"-?[0-9]{1,2100}(\.[0-9]{1,2100})?(e[+-]?[0-9]{1,4})?"),
}

_NUMBER: Shape = (int, str, _EXACT)

_TYPES = "text integer float boolean decimal date datetime time duration none items"

_VERSION_1: dict[str, Shape] = {
    "schema_version": int,
    "discreet_version": _TEXT,
    "created": re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z"),
    "guarantee": {
        "model": _TEXT,
        "parameters": {ANY_KEY: _NUMBER},
        "unit": _TEXT,
        "neighbours": (_TEXT, None),
        "columns": [str],
        "assumptions": [_TEXT],
        "not_protected": [_TEXT],
        "experimental": bool,
        "experimental_reason": (_TEXT, None),
    },
    "events": [
        {
            "name": _TEXT,
            "parameters": {ANY_KEY: (bool, int, str, _EXACT, [str], None)},
            "counts": {ANY_KEY: int},
        }
    ],
    "data": {
        "file": re.compile(r"data\.(parquet|csv)"),
        "sha256": _SHA256,
        "n_rows": int,
        "columns": [
            {
                "name": str,
                # A column that names people fits the shape: another check says what it means.
                "role": re.compile("quasi|sensitive|insensitive|identifying"),
                "type": re.compile(_TYPES.replace(" ", "|")),
            }
        ],
    },
    "fingerprint": (
        {"algorithm": str, "key_id": re.compile("[0-9a-f]{32}"), "mac": _SHA256},
        None,
    ),
    "experimental": bool,
    "policy_sha256": (_SHA256, None),
    "report_sha256": (_SHA256, None),
    "hierarchies_sha256?": _SHA256,
    "operator_sha256?": _SHA256,
}

_DATA_1: Any = _VERSION_1["data"]

CERTIFICATES: dict[int, Shape] = {
    1: _VERSION_1,
    2: {
        **_VERSION_1,
        "data": {
            **_DATA_1,
            "columns": [{**_DATA_1["columns"][0], "separator?": re.compile(r"_|[^\w\s\"']| ")}],
        },
        "publishes": re.compile(f"{ROWS}|{SYNTHETIC}|{PATTERNS}|{TRANSACTIONS}"),
    },
}


def misfit(shape: Shape, value: object, where: str = "it") -> str | None:
    """Return in words where a value departs from a shape, or None if it fits.

    Examples
    --------
    >>> misfit({"k": int}, {"k": "5"})
    'k is not as it should be'
    >>> misfit({"k": int}, {"k": 5, "l": 2})
    'it has l, which does not belong there'
    """
    if isinstance(shape, dict) and isinstance(value, dict):
        return _misfit_of_keys(shape, value, where)
    if isinstance(shape, list) and isinstance(value, list):
        found = (misfit(shape[0], each, f"{where}[{i}]") for i, each in enumerate(value))
        return next((fault for fault in found if fault), None)
    if isinstance(shape, tuple):
        faults = [misfit(each, value, where) for each in shape]
        return None if None in faults else faults[-1]
    fits = (
        (shape is None and value is None)
        or (isinstance(shape, type) and type(value) is shape)
        or (
            isinstance(shape, re.Pattern)
            and isinstance(value, str)
            and bool(shape.fullmatch(value))
        )
    )
    return None if fits else f"{where} is not as it should be"


def _misfit_of_keys(shape: dict[str, Shape], value: dict[str, object], where: str) -> str | None:
    """Return what is wrong with an object: keys missing, keys too many, or one of its values."""
    if ANY_KEY in shape:
        shape = dict.fromkeys(value, shape[ANY_KEY])
    else:
        shape = {
            key.removesuffix(MAYBE): part
            for key, part in shape.items()
            if not key.endswith(MAYBE) or key.removesuffix(MAYBE) in value
        }
    for key in shape:
        if key not in value:
            return f"{where} has no {key}"
    for key in value:
        if key not in shape:
            return f"{where} has {key}, which does not belong there"
    prefix = "" if where == "it" else f"{where}."
    found = (misfit(part, value[key], prefix + key) for key, part in shape.items())
    return next((fault for fault in found if fault), None)


# Whether the files of a folder are the ones that were certified, no more and no fewer.


def check_files(folder: Path, claims: Claims) -> tuple[Check, dict[str, bytes]]:
    """Return whether all files are as certified, and what is in them.

    The content that was hashed is the content that later checks look at, so that a file that
    changes meanwhile cannot fool them.

    Parameters
    ----------
    folder : Path
        The release.
    claims : Claims
        What its certificate says.

    Returns
    -------
    Check
        Every missing, changed or additional file is named.
    dict of str to bytes
        The content of every certified file that can be read.
    """
    wrong: list[str] = []
    contents: dict[str, bytes] = {}
    for name, sha256 in claims.files.items():
        try:
            content = (folder / name).read_bytes()
        except FileNotFoundError:
            wrong.append(f"{name} is missing")
            continue
        except OSError as error:
            wrong.append(f"{name} cannot be read ({error.strerror})")
            continue
        contents[name] = content
        if hashlib.sha256(content).hexdigest() != sha256:
            wrong.append(f"{name} was changed after it was certified")
    expected = {CERTIFICATE_FILE, *claims.files}
    extra = sorted(path.name for path in folder.iterdir() if path.name not in expected)
    wrong += [f"{name} is not certified" for name in extra]
    if wrong:
        return Check(name="files", passed=False, detail=f"{'; '.join(wrong)}."), contents
    listed = ", ".join(claims.files)
    return Check(name="files", passed=True, detail=f"As certified: {listed}."), contents


# Whether the data file holds the rows and columns that the certificate states.

# A damaged file can make the reader panic, which is not an Exception.
_FAULTS = (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError, ValueError)

_TYPE_NAMES: dict[type[pl.DataType], str] = {
    pl.String: "text",
    pl.Boolean: "boolean",
    pl.Decimal: "decimal",
    pl.Date: "date",
    pl.Datetime: "datetime",
    pl.Time: "time",
    pl.Duration: "duration",
    pl.List: "items",
}

PARSERS: dict[str, Callable[[str], object]] = {
    "text": str,
    "boolean": {"True": True, "False": False}.__getitem__,
    "integer": int,
    "float": float,
    "decimal": Decimal,
    "date": date.fromisoformat,
    "datetime": datetime.fromisoformat,
    "time": time.fromisoformat,
}


def check_contents(content: bytes | None, claims: Claims) -> tuple[Check, pl.DataFrame | None]:
    """Return whether the data is as certified, and the data.

    Parameters
    ----------
    content : bytes or None
        The content of the data file, if it could be read.
    claims : Claims
        What the certificate says.

    Returns
    -------
    Check
        Rows, names and order of columns, and types.
    DataFrame or None
        A suppressed cell is null; from a CSV file all cells are text. None if it cannot be read
        or has other columns.
    """
    if content is None:
        return Check(name="data", passed=None, detail="There is no data file to look at."), None
    try:
        frame = _read_frame(content, is_text=claims.data_file.endswith(".csv"))
    except _FAULTS:
        detail = f"{claims.data_file} is damaged or cut short: it cannot be read."
        return Check(name="data", passed=False, detail=detail), None
    if tuple(frame.columns) != claims.column_names:
        detail = (
            f"The columns are {', '.join(frame.columns)}; the certificate says "
            f"{', '.join(claims.column_names)}, in this order."
        )
        return Check(name="data", passed=False, detail=detail), None
    wrong = []
    if frame.height != claims.n_rows:
        wrong.append(f"there are {frame.height:,} rows, and {claims.n_rows:,} are certified")
    for column in claims.columns:
        found = _type_of(frame[column.name], column.type, claims.data_file)
        if found != column.type:
            wrong.append(f"column '{column.name}' is {found}, and {column.type} is certified")
    if wrong:
        return Check(name="data", passed=False, detail=f"{'; '.join(wrong)}."), frame
    detail = f"{frame.height:,} rows of {frame.width} columns, names and types as certified."
    return Check(name="data", passed=True, detail=detail), frame


def _read_frame(content: bytes, *, is_text: bool) -> pl.DataFrame:
    """Return the data in a file; in text an empty cell is a suppressed one."""
    if not is_text:
        return pl.read_parquet(io.BytesIO(content))
    frame = pl.read_csv(io.BytesIO(content), infer_schema=False, try_parse_dates=False)
    return frame.with_columns(pl.when(pl.all() != "").then(pl.all()))


def _type_of(series: pl.Series, certified: str, file: str) -> str:
    """Return the type of a column in the words of certificates."""
    if series.null_count() == len(series):
        return "none"
    if file.endswith(".csv"):
        return certified if _can_be_read_as(certified, series) else "something else"
    if series.dtype.is_integer():
        return "integer"
    if series.dtype.is_float():
        return "float"
    if isinstance(series.dtype, pl.Categorical | pl.Enum):
        return "a list of categories, which may name what was suppressed"
    return _TYPE_NAMES.get(type(series.dtype), str(series.dtype))


def _can_be_read_as(certified: str, series: pl.Series) -> bool:
    """Say whether every text of a column is of a type."""
    parse = PARSERS.get(certified)
    try:
        return parse is not None and all(
            parse(text) is not None for text in series.drop_nulls().unique()
        )
    except (ValueError, KeyError, ArithmeticError):
        return False
