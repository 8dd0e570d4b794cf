"""A certificate read by its published format, with nothing of the code that writes it."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any, TypeAlias

from discreet.errors import DataError
from discreet.verify.shape import CERTIFICATE, misfit

Value: TypeAlias = int | str | Fraction | bool | tuple[str, ...] | None

CERTIFICATE_FILE = "certificate.json"
NEWEST_VERSION = 1
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Claims:
    """What a certificate says, numbers exact.

    ``checksum_fits`` is None if the certificate has no checksum. ``files`` has the hash of each
    certified file, the data among them.
    """

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
    if version > NEWEST_VERSION:
        raise DataError(
            f"{CERTIFICATE_FILE} has schema version {version}, and this verifier knows versions "
            f"up to {NEWEST_VERSION}. Verify it with a newer discreet."
        )
    stated = values.pop("checksum", None)
    fits = None if stated is None else stated == _checksum(values)
    fault = misfit(CERTIFICATE, values)
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


def _read_all(parameters: dict[str, Any]) -> dict[str, Value]:
    """Return parameters with fractions read."""
    return {name: _read(name, value) for name, value in parameters.items()}


def _read(name: str, value: Any) -> Value:  # noqa: ANN401  any JSON that fits the shape
    """Return a parameter; a fraction must agree with its decimal, and not be hidden by it."""
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
