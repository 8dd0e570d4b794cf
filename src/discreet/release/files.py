"""The files of a release folder: what each is called, how they are certified and read back."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from discreet.data.read import read_table
from discreet.errors import DataError, DiscreetError, GuaranteeError
from discreet.release.certificate import (
    CERTIFICATE_FILE,
    SCHEMA_VERSION,
    Certificate,
    read_certificate,
)
from discreet.release.columns import column_type, restore_types
from discreet.release.folder import left_behind
from discreet.release.hierarchies import HIERARCHIES_FILE, read_hierarchies

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from discreet.data.hierarchy import Hierarchy
    from discreet.data.table import Table

REPORT_FILE, POLICY_FILE, OPERATOR_FILE = "report.html", "policy.toml", "operator.json"
DATA_FILES = {"parquet": "data.parquet", "csv": "data.csv"}
# Files beside the data, by the field of the certificate that holds their hash.
EXTRAS = {
    "hierarchies_sha256": HIERARCHIES_FILE,
    "operator_sha256": OPERATOR_FILE,
    "policy_sha256": POLICY_FILE,
    "report_sha256": REPORT_FILE,
}
RELEASE_FILES = frozenset((*DATA_FILES.values(), CERTIFICATE_FILE, *EXTRAS.values()))


def table_columns(table: Table) -> list[dict[str, str]]:
    """Return the columns of a table as a certificate states them.

    Examples
    --------
    >>> from discreet.data.table import Table
    >>> table_columns(Table.from_frame({"age": [31]}, categorical=["age"]))
    [{'name': 'age', 'role': 'quasi', 'type': 'integer'}]
    """
    return [
        {"name": name, "role": table.role(name), "type": column_type(table.values(name))}
        for name in table.columns
    ]


def certify(
    folder: Path,
    data_file: str,
    *,
    columns: Sequence[Mapping[str, str]],
    n_rows: int,
    claims: Mapping[str, object],
) -> Certificate:
    """Return the certificate of the files in a folder.

    Parameters
    ----------
    folder : Path
        Holds the data file and, if there are any, report, policy, hierarchies and operator.
    data_file : str
        The name of the data file.
    columns : sequence of mappings
        The name, role and type of each of its columns.
    n_rows : int
        How many rows it has.
    claims : mapping
        The fields of ``Release.to_dict``.

    Returns
    -------
    Certificate
        With the hash of every file that is there.
    """
    guarantee = claims["guarantee"]
    assert isinstance(guarantee, dict)
    return Certificate.model_validate(
        {
            **claims,
            **{
                field: _sha256(folder / name) if (folder / name).exists() else None
                for field, name in EXTRAS.items()
            },
            "schema_version": SCHEMA_VERSION,
            "experimental": guarantee["experimental"],
            "data": {
                "file": data_file,
                "sha256": _sha256(folder / data_file),
                "n_rows": n_rows,
                "columns": list(columns),
            },
        }
    )


def read_release_files(folder: Path) -> tuple[Table, Certificate, dict[str, Hierarchy]]:
    """Return data, certificate and hierarchies of a folder that belong together.

    Raises
    ------
    DataError
        If there is no release, or its certificate is damaged or of a newer version.
    GuaranteeError
        If files differ from the certificate; each is named.
    """
    certificate = read_certified(folder)
    claimed = certificate.data
    path = folder / claimed.file
    try:
        data = _read_data(path, certificate)
    except DiscreetError as error:
        raise GuaranteeError(f"{path} is not as certified: {error}") from error
    names = [column.name for column in claimed.columns]
    if list(data.columns) != names or data.n_rows != claimed.n_rows:
        raise GuaranteeError(
            f"{path} has {data.n_rows} rows of {', '.join(data.columns)}; its certificate says "
            f"{claimed.n_rows} rows of {', '.join(names)}."
        )
    return data, certificate, _read_hierarchies(folder / HIERARCHIES_FILE)


def read_certified(folder: Path) -> Certificate:
    """Return the certificate of a folder whose files are all as certified.

    Raises
    ------
    DataError
        If there is no release, or its certificate is damaged or of a newer version.
    GuaranteeError
        If files differ from the certificate; each is named.
    """
    certificate = _read_certificate(folder)
    _check_files(folder, certificate)
    return certificate


def _read_hierarchies(path: Path) -> dict[str, Hierarchy]:
    """Return the hierarchies that a release states; none if it has no such file."""
    if not path.exists():
        return {}
    try:
        return read_hierarchies(path.read_bytes().decode())
    except (DiscreetError, UnicodeDecodeError) as error:
        raise GuaranteeError(f"{path} is not as certified: {error}") from error


def _read_certificate(folder: Path) -> Certificate:
    """Return the certificate in a folder."""
    path = folder / CERTIFICATE_FILE
    try:
        text = path.read_bytes().decode()
    except (FileNotFoundError, NotADirectoryError):
        aside = (
            ""
            if folder.exists()
            else "".join(
                f" An interrupted save left it as {left.name}; rename that."
                for left in left_behind(folder)
            )
        )
        raise DataError(f"There is no release in {folder}: no {CERTIFICATE_FILE}.{aside}") from None
    except OSError as error:
        raise DataError(f"{path} cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError:
        raise DataError(f"{path} is not whole JSON: it is not UTF-8.") from None
    return read_certificate(text, where=str(path))


def _check_files(folder: Path, certificate: Certificate) -> None:
    """Raise GuaranteeError naming every file that is missing, changed or not certified."""
    certified: dict[str, str] = {certificate.data.file: certificate.data.sha256}
    for field, name in EXTRAS.items():
        sha256: str | None = getattr(certificate, field)
        certified |= {} if sha256 is None else {name: sha256}
    wrong = []
    for name in sorted(RELEASE_FILES - {CERTIFICATE_FILE}):
        path = folder / name
        if name in certified and not path.is_file():
            wrong.append(f"{name} is missing")
        elif name in certified and _sha256(path) != certified[name]:
            wrong.append(f"{name} was changed after it was certified")
        elif name not in certified and path.exists():
            wrong.append(f"{name} is not certified")
    if wrong:
        raise GuaranteeError(f"{folder} is not as it was released: {'; '.join(wrong)}.")


def _read_data(path: Path, certificate: Certificate) -> Table:
    """Return the data, with the roles and types that the certificate states."""
    roles = certificate.read_roles()
    if path.suffix == ".parquet":
        return read_table(path, roles=roles, categorical=True)
    types = {column.name: column.type for column in certificate.data.columns}
    text = read_table(
        path, delimiter=",", encoding="utf-8", header=True, names=list(types), roles=roles,
        categorical=True, max_cell_length=2**31,
    )  # fmt: skip
    return restore_types(text, types)


def _sha256(path: Path) -> str:
    """Return the SHA-256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
