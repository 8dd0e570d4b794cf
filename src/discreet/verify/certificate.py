"""A certificate read by its published format, with nothing of the code that writes it."""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any, TypeAlias

from discreet.errors import DataError
from discreet.verify.files.bounded import UnreadableError, plain, read_json
from discreet.verify.outcome import Check

if TYPE_CHECKING:
    from collections.abc import Iterator

    from discreet.verify.files.folder import Files


Value: TypeAlias = int | str | Fraction | bool | tuple[str, ...] | None

CERTIFICATE_FILE = "certificate.json"

POLICY_FILE, REPORT_FILE = "policy.toml", "report.html"

# What a release can publish.
ROWS, SYNTHETIC, PATTERNS, TRANSACTIONS = "rows", "synthetic rows", "patterns", "transactions"

DRAW = "draw_rows"  # the step that only synthetic rows have

# Differential privacy of people rests on few rows of each, chosen before anything is measured.
CHOOSE = "choose_one_per_person"
LIMIT = "limit_rows_per_person"
SEVERAL_ROWS = "one person, who may have several rows"
NEIGHBOURS_OF_PEOPLE = {
    "central": "tables that differ in all rows of one person, added or removed",
    "local": "any rows that one person could have, of which one is chosen",
}

_LOSSES = ("epsilon", "delta")

_FIRST = ("k", "l", "t", "theta", *_LOSSES)

_LARGEST = 10**19

MOST_EVENTS = 50_000  # some for each column, and for each pair that was measured

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

    ``checksum_fits`` is None if the certificate has no checksum; ``is_canonical`` says whether its
    bytes are the one way to write what it says. ``files`` has the hash of each certified file, the
    data among them. A certificate of version 1 does not say what it
    ``publishes``: that is worked out from its model and steps.
    """

    version: int
    publishes: str
    model: str
    parameters: dict[str, Value]
    unit: str
    neighbours: str | None
    covered: tuple[str, ...]
    assumptions: tuple[str, ...]
    not_protected: tuple[str, ...]
    experimental: bool
    experimental_reason: str | None
    events: tuple[Step, ...]
    data_file: str
    files: dict[str, str]
    n_rows: int
    columns: tuple[ReleasedColumn, ...]
    discreet_version: str
    created: str
    algorithm: str | None
    checksum_fits: bool | None
    is_canonical: bool

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
        values = read_json(content)
    except DataError as error:
        raise DataError(f"{CERTIFICATE_FILE} {error}") from None
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
    whole = values if stated is None else {**values, "checksum": stated}
    is_canonical = content == _written(whole).encode("utf-8", "surrogatepass")
    is_canonical = is_canonical and all(map(_is_as_written, _fractions(whole)))
    fault = misfit(CERTIFICATES[version], values)
    if fault:
        raise DataError(f"{CERTIFICATE_FILE} is not a certificate: {fault}.")
    return _claims(values, checksum_fits=fits, is_canonical=is_canonical)


def _claims(values: dict[str, Any], *, checksum_fits: bool | None, is_canonical: bool) -> Claims:
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
        f"it has more than {MOST_EVENTS:,} steps": len(values["events"]) > MOST_EVENTS,
        "it has a count below 0": data["n_rows"] < 0
        or any(count < 0 for event in values["events"] for count in event["counts"].values()),
    }
    for fault, is_so in contradictions.items():
        if is_so:
            raise DataError(f"{CERTIFICATE_FILE} is not a certificate: {fault}.")
    certified = {
        data["file"]: data["sha256"],
        POLICY_FILE: values["policy_sha256"],
        REPORT_FILE: values["report_sha256"],
        "hierarchies.json": values.get("hierarchies_sha256"),
        "operator.json": values.get("operator_sha256"),
    }
    if "export" in values:
        certified[values["export"]["file"]] = values["export"]["sha256"]
    return Claims(
        version=values["schema_version"],
        publishes=values.get("publishes") or _published_by_version_1(values),
        model=guarantee["model"],
        parameters=_read_all(guarantee["parameters"]),
        unit=guarantee["unit"],
        neighbours=guarantee["neighbours"],
        covered=tuple(guarantee["columns"]),
        assumptions=tuple(guarantee["assumptions"]),
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
        discreet_version=values["discreet_version"],
        created=values["created"],
        algorithm=None if values["fingerprint"] is None else values["fingerprint"]["algorithm"],
        checksum_fits=checksum_fits,
        is_canonical=is_canonical,
    )


def _published_by_version_1(values: dict[str, Any]) -> str:
    """Return what a certificate of version 1 is about, which it does not say itself."""
    model = values["guarantee"]["model"]
    if any(event["name"] == DRAW for event in values["events"]):
        return SYNTHETIC
    if model.endswith("local differential privacy"):
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
    if abs(number) > _LARGEST:
        raise DataError(f"{CERTIFICATE_FILE} is not a certificate: {name} is out of range.")
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
    return hashlib.sha256(_written(values).encode("utf-8", "surrogatepass")).hexdigest()


def _fractions(values: object) -> Iterator[dict[str, str]]:
    """Yield all numbers of a certificate that are not whole."""
    waiting = [values]
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict) and set(value) == {"exact", "decimal"}:
            yield value
        elif isinstance(value, dict | list):
            waiting += value.values() if isinstance(value, dict) else value


def _is_as_written(number: dict[str, str]) -> bool:
    """Say whether a fraction is in lowest terms, and its decimal has twelve digits of it.

    Examples
    --------
    >>> _is_as_written({"exact": "1/3", "decimal": "0.333333333334"})
    True
    >>> _is_as_written({"exact": "2/6", "decimal": "0.3333333333340000"})
    False
    """
    if max(map(len, number.values())) > _LONGEST:
        return False
    value = Fraction(number["exact"])
    if f"{value.numerator}/{value.denominator}" != number["exact"]:
        return False
    found = set()
    for rounding in (ROUND_FLOOR, ROUND_CEILING):
        context = Context(prec=12, rounding=rounding)
        rounded = context.divide(Decimal(value.numerator), Decimal(value.denominator))
        is_small = rounded != 0 and abs(rounded) < Decimal("1e-6")
        found.add(str(rounded.normalize(context)).lower() if is_small else f"{rounded:f}")
    return number["decimal"] in found


_LONGEST = 4100  # letters of a fraction


def _written(values: dict[str, Any]) -> str:
    """Return the text of a certificate: keys sorted, two blanks deep, nothing escaped in vain."""
    return json.dumps(values, ensure_ascii=False, indent=2, sort_keys=True) + "\n"


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
        "export?": {
            "file": re.compile(r"export\.(csv|dta|parquet|sav|xlsx)"),
            "shows": re.compile("cells|cells and bounds|numbers drawn inside bins"),
            "sha256": _SHA256,
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


def check_files(folder: Files, claims: Claims) -> tuple[tuple[Check, ...], dict[str, bytes]]:
    """Return whether all files are as certified, and what is in them.

    The content that was hashed is the content that later checks look at, so that a file that
    changes meanwhile cannot fool them.

    Parameters
    ----------
    folder : Files
        The release.
    claims : Claims
        What its certificate says.

    Returns
    -------
    tuple of Check
        Every missing, changed or additional file is named; and those of which nothing but the
        hash is looked at.
    dict of str to bytes
        The content of every certified file that can be read.
    """
    wrong: list[str] = []
    contents: dict[str, bytes] = {}
    for name, sha256 in claims.files.items():
        if name not in folder:
            wrong.append(f"{name} is missing")
            continue
        try:
            content = folder.read(name)
        except UnreadableError as error:
            wrong.append(f"{name} {error}")
            continue
        contents[name] = content
        if hashlib.sha256(content).hexdigest() != sha256:
            wrong.append(f"{name} was changed after it was certified")
    extra = sorted(set(folder.readers) - {CERTIFICATE_FILE, *claims.files})
    wrong += [f"{plain(name)} is not certified" for name in extra]
    wrong += folder.faults
    if wrong:
        return (Check(name="files", passed=False, detail=f"{'; '.join(wrong)}."),), contents
    listed = ", ".join(claims.files)
    files = Check(name="files", passed=True, detail=f"As certified: {listed}.")
    return (files, *(() if claims.version == 1 else _check_unread(contents))), contents


def _check_unread(contents: dict[str, bytes]) -> tuple[Check, ...]:
    """Return which files are what was certified, and are not read beyond that."""
    unread = [name for name in (REPORT_FILE, POLICY_FILE) if name in contents]
    exports = [name for name in contents if name.startswith("export.")]
    found = []
    if unread:
        names = " and ".join(unread)
        detail = f"{names}: unchanged since certified. What is said there is not checked."
        found.append(Check(name="report and policy", passed=None, detail=detail))
    if exports:
        detail = (
            f"{exports[0]}: unchanged since certified. What it holds is not checked; claims are of "
            "the data file alone."
        )
        found.append(Check(name="export", passed=None, detail=detail))
    return tuple(found)


def chose_one(claims: Claims) -> bool:
    """Say whether one row of each person was chosen, by the steps."""
    return any(event.name == CHOOSE for event in claims.events)


def rows_of_each(claims: Claims) -> int:
    """Return how many rows of a person were taken at most, by the steps; 1 if none says so."""
    limit = claims.step(LIMIT)
    stated = 1 if limit is None else limit.parameters.get("rows_per_person")
    return stated if type(stated) is int else 1


def fault_of_choice(claims: Claims) -> str | None:
    """Return why a claim of differential privacy for people is not proved by its steps, or None.

    With r rows of each person, chosen first, whoever adds all rows of a person adds r rows at most
    to what is measured. Before it nothing is measured, and the claim has to be about people.
    """
    steps = [event for event in claims.events if event.name != "restrict_to_part"]
    places = [place for place, event in enumerate(steps) if event.name in (CHOOSE, LIMIT)]
    if not places and claims.unit == SEVERAL_ROWS:
        return f"For {claims.unit}, few rows of each have to be chosen first, and no step says so."
    if places and (places != [0] or claims.unit != SEVERAL_ROWS):
        return f"Rows of each person are chosen once, first, and for {SEVERAL_ROWS}."
    if not places:
        return None
    stated = dict(steps[0].parameters)
    number = stated.pop("rows_per_person", None) if steps[0].name == LIMIT else None
    if steps[0].name == LIMIT and (type(number) is not int or number < _SEVERAL):
        return "It is not stated how many rows of each person were taken, or it is one."
    if stated or steps[0].counts:
        return f"The step '{steps[0].name}' states more than that, which the claim does not cover."
    return None


_SEVERAL = 2  # rows; one has a step of its own
