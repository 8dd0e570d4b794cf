"""Folders that appear whole or not at all, and are replaced whole or not at all.

Everything is written into a hidden folder beside the target, which then takes the target's name
in one step. What a killed process leaves behind is known by its name and by no process holding its
lock; the next writer of the same target removes it.
"""

from __future__ import annotations

import ctypes
import errno
import hashlib
import os
import re
import secrets
import shutil
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from discreet.data.files.packed import flush, refuse_odd_name
from discreet.errors import DataError, GuaranteeError, ParameterError
from discreet.release.certificate import (
    CERTIFICATE_FILE,
    Certificate,
    column_type,
    read_certificate,
)
from discreet.release.hierarchies import HIERARCHIES_FILE

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from discreet.data.table import Table
    from discreet.release.certificate import AnyCertificate, Export


if sys.platform != "win32":
    import fcntl


_NEW = "tmp"  # being written, or no longer needed

_OLD = "old"  # the former folder, for the moment between two renames


@contextmanager
def atomic_folder(
    folder: str | os.PathLike[str], *, files: Collection[str], overwrite: bool = False
) -> Iterator[Path]:
    """Yield a new folder to write into; it takes the target's name when all went well.

    Parameters
    ----------
    folder : path
        The folder to make; an empty one may exist.
    files : collection of str
        The names of files that are ours. A folder with anything else in it is never replaced.
    overwrite : bool
        Whether a folder with such files may be replaced.

    Yields
    ------
    Path
        Where to write. After an error it is removed, and the target is as it was.

    Raises
    ------
    ParameterError
        If the target exists and may not be replaced.
    DataError
        If the folder above does not exist, or files cannot be written, as on a full disk.

    Notes
    -----
    All files are on disk (``fsync``) before names change. On Linux and macOS an existing folder
    changes names with the new one in one step. Where the file system cannot do that, the former
    folder steps aside first: for a moment only its hidden name, ``.NAME.discreet-old-...``, is
    there, and if the process is killed in that moment, the next writer puts it back.

    Examples
    --------
    >>> import tempfile
    >>> target = Path(tempfile.mkdtemp()) / "out"
    >>> with atomic_folder(target, files=["a.txt"]) as temporary:
    ...     _ = (temporary / "a.txt").write_text("whole")
    >>> [path.name for path in target.parent.iterdir()], (target / "a.txt").read_text()
    (['out'], 'whole')
    """
    target = Path(os.path.abspath(folder))  # noqa: PTH100  resolve() would follow a link
    refuse_odd_name(target)
    if not target.parent.is_dir():
        raise DataError(f"The folder {target.parent} does not exist. Make it first.")
    try:
        clean_up(target)
        _refuse_unfit(target, files, overwrite=overwrite)
        temporary, lock = _make_locked(target)
    except OSError as error:
        raise DataError(f"{target} cannot be written: {error.strerror}.") from error
    try:
        yield temporary
        # Files first, then their folder, then the name: after a power failure no name may stand for
        # half of a release.
        for path in (*temporary.iterdir(), temporary):
            flush(path)
        # Again, because another process may have put something there meanwhile.
        _refuse_unfit(target, files, overwrite=overwrite)
        _take_name(temporary, target)
        flush(target.parent)
    except OSError as error:
        if error.errno in (errno.ENOTEMPTY, errno.EEXIST):
            raise ParameterError(
                f"{target} was made by another process meanwhile.", parameter="folder"
            ) from error
        raise DataError(f"{target} cannot be written: {error.strerror or error}.") from error
    finally:
        # After an error the new folder; after an exchange the former one.
        shutil.rmtree(temporary, ignore_errors=True)
        _unlock(lock)


def clean_up(target: Path) -> None:
    """Remove what killed processes left beside the target; put a former folder back."""
    for kind in (_OLD, _NEW):
        for left in left_behind(target, kind):
            lock = _lock(left)
            in_doubt = sys.platform == "win32" and kind == _NEW
            if lock is None or in_doubt:  # another process is still at it
                continue
            # The former folder is whole, and the new one never got its name.
            if kind == _OLD and not target.exists():
                left.rename(target)
            else:
                shutil.rmtree(left, ignore_errors=True)
            _unlock(lock)


def left_behind(target: Path, kind: str = _OLD) -> list[Path]:
    """Return the hidden folders of a target: by default former ones that stepped aside."""
    name = re.compile(rf"\.{re.escape(target.name)}\.discreet-{kind}-[0-9a-f]{{16}}")
    try:
        return [path for path in target.parent.iterdir() if name.fullmatch(path.name)]
    except OSError:
        return []


def _hidden(target: Path, kind: str) -> Path:
    """Return a new hidden name beside the target."""
    return target.with_name(f".{target.name}.discreet-{kind}-{secrets.token_hex(8)}")


def _make_locked(target: Path) -> tuple[Path, int]:
    """Make a hidden folder and lock it, so that no process takes it for one left behind."""
    while True:
        temporary = _hidden(target, _NEW)
        temporary.mkdir()
        lock = _lock(temporary)
        if lock is not None:
            return temporary, lock

        # Another writer took it for one left behind between the two lines above.


def _lock(folder: Path) -> int | None:
    """Return a handle that holds the lock of a folder, or None if another process does."""
    if sys.platform == "win32":  # folders cannot be locked there
        return -1
    try:
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    except OSError:
        return None
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        # Between opening and locking, the folder may have been renamed and another one have taken
        # its name: the lock counts only if it is that of the folder that has the name now.
        if os.stat(folder).st_ino == os.fstat(handle).st_ino:  # noqa: PTH116  beside fstat
            return handle
    except OSError:
        pass
    os.close(handle)
    return None


def _unlock(handle: int) -> None:
    """Give a lock back."""
    if handle >= 0:
        os.close(handle)


def _refuse_unfit(target: Path, files: Collection[str], *, overwrite: bool) -> None:
    """Raise ParameterError if the target is there and may not be replaced."""
    if target.is_symlink() or (target.exists() and not target.is_dir()):
        raise ParameterError(
            f"{target} is not a folder.", parameter="folder", remedy="Choose another name."
        )
    if target.is_dir() and Path.cwd().is_relative_to(target):
        raise ParameterError(
            f"{target} is the folder you are in.", parameter="folder", remedy="Choose another name."
        )
    found = sorted(path.name for path in target.iterdir()) if target.is_dir() else []
    foreign = [name for name in found if name not in files]
    if foreign:
        raise ParameterError(
            f"{target} holds '{foreign[0]}', which is not part of a release, so it is not "
            "replaced.",
            parameter="folder",
            remedy="Choose another name.",
        )
    if found and not overwrite:
        raise ParameterError(
            f"{target} exists.",
            parameter="folder",
            remedy="Choose another name, or pass {overwrite}.",
            options={"overwrite": True},
        )


def _take_name(temporary: Path, target: Path) -> None:
    """Give the new folder the target's name; a former one is then at the temporary name."""
    if not target.is_dir() or not any(target.iterdir()):
        if sys.platform == "win32" and target.is_dir():
            target.rmdir()
        temporary.rename(target)  # takes the place of an empty folder, fails on any other
        return
    if exchange(temporary, target):
        return
    lock = _lock(target)  # the lock moves along, so that no process puts it back meanwhile
    aside = _hidden(target, _OLD)
    target.rename(aside)
    try:
        temporary.rename(target)
    except OSError:
        aside.rename(target)
        raise
    # Its name says that it is no longer needed before the first of its files goes.
    aside.rename(temporary)
    _unlock(-1 if lock is None else lock)


# Two folders change names in one step, where the system can do that.

_HERE = -100  # AT_FDCWD: paths are as they are written

_EXCHANGE = 2  # RENAME_EXCHANGE of Linux, RENAME_SWAP of macOS

_CANNOT = {errno.EINVAL, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EXDEV}


def exchange(left: Path, right: Path) -> bool:
    """Let two paths change names at one instant, and say whether the system could.

    Parameters
    ----------
    left, right : Path
        Both exist, on one file system.

    Returns
    -------
    bool
        False if nothing was done because the system or the file system has no such step.

    Raises
    ------
    OSError
        If it failed for any other reason; nothing was done.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (folder / "a").write_text("1"), (folder / "b").write_text("2")
    >>> exchange(folder / "a", folder / "b") == ((folder / "a").read_text() == "2")
    True
    """
    if os.name != "posix":
        return False
    library = ctypes.CDLL(None, use_errno=True)
    first, second = os.fsencode(left), os.fsencode(right)
    if sys.platform == "linux" and hasattr(library, "renameat2"):
        failed = library.renameat2(_HERE, first, _HERE, second, _EXCHANGE)
    elif sys.platform == "darwin" and hasattr(library, "renamex_np"):
        failed = library.renamex_np(first, second, _EXCHANGE)
    else:
        return False
    if not failed:
        return True
    code = ctypes.get_errno()
    if code in _CANNOT:
        return False
    raise OSError(code, os.strerror(code), str(left), None, str(right))


# The files of a release folder: what each is called, how they are certified and read back.

REPORT_FILE, POLICY_FILE, OPERATOR_FILE = "report.html", "policy.toml", "operator.json"

DATA_FILES = {"parquet": "data.parquet", "csv": "data.csv"}

# Files beside the data, by the field of the certificate that holds their hash.
EXTRAS = {
    "hierarchies_sha256": HIERARCHIES_FILE,
    "operator_sha256": OPERATOR_FILE,
    "policy_sha256": POLICY_FILE,
    "report_sha256": REPORT_FILE,
}

# The same data as programs open it, by the kind that is asked for. CSV has the mark of UTF-8, by
# which Excel knows it. What is claimed is claimed of the data file alone.
EXPORTS = {kind: f"export.{kind}" for kind in ("xlsx", "dta", "sav", "csv", "parquet")}

RELEASE_FILES = frozenset(
    (*DATA_FILES.values(), CERTIFICATE_FILE, *EXTRAS.values(), *EXPORTS.values())
)


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
        | ({"separator": table.sets[name]} if name in table.sets else {})
        for name in table.columns
    ]


def certify(folder: Path, data_file: str, said: Mapping[str, object]) -> Certificate:
    """Return the certificate of the files in a folder.

    Parameters
    ----------
    folder : Path
        Holds the data file and, if there are any, report, policy, hierarchies and operator.
    data_file : str
        The name of the data file.
    said : mapping
        All but the hashes of files, as ``Release.certificate`` has it; ``export`` is what an export
        shows.

    Returns
    -------
    Certificate
        With the hash of every file that is there.
    """
    data = said["data"]
    assert isinstance(data, dict)
    export = next((name for name in EXPORTS.values() if (folder / name).exists()), None)
    return Certificate.model_validate(
        {
            **said,
            **{
                field: _sha256(folder / name) if (folder / name).exists() else None
                for field, name in EXTRAS.items()
            },
            "data": {**data, "file": data_file, "sha256": _sha256(folder / data_file)},
            "export": export
            and {
                "file": export,
                "shows": said.get("export", "cells"),
                "sha256": _sha256(folder / export),
            },
        }
    )


def read_certified(folder: Path) -> AnyCertificate:
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


def _read_certificate(folder: Path) -> AnyCertificate:
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


def _check_files(folder: Path, certificate: AnyCertificate) -> None:
    """Raise GuaranteeError naming every file that is missing, changed or not certified."""
    certified: dict[str, str] = {certificate.data.file: certificate.data.sha256}
    for field, name in EXTRAS.items():
        sha256: str | None = getattr(certificate, field)
        certified |= {} if sha256 is None else {name: sha256}
    export: Export | None = getattr(certificate, "export", None)
    certified |= {} if export is None else {export.file: export.sha256}
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


def _sha256(path: Path) -> str:
    """Return the SHA-256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
