"""Files that appear whole or not at all."""

from __future__ import annotations

import os
import secrets
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from discreet.errors import DataError, ParameterError

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def atomic_path(path: str | os.PathLike[str], *, overwrite: bool = False) -> Iterator[Path]:
    """Yield a temporary path beside the target; it takes the target's name when all went well.

    Parameters
    ----------
    path : path
        The file to write.
    overwrite : bool
        Whether a file of that name may be replaced.

    Yields
    ------
    Path
        Where to write: a new name in the same folder with the same ending. After an error the
        file there is removed, and the target is as it was.

    Raises
    ------
    ParameterError
        If the file exists and may not be replaced.
    DataError
        If the folder does not exist or the file cannot be written, as on a full disk.

    Notes
    -----
    The data is on disk (``fsync``) before the name changes (an atomic rename).

    Examples
    --------
    >>> import tempfile
    >>> target = Path(tempfile.mkdtemp()) / "a.txt"
    >>> with atomic_path(target) as temporary:
    ...     _ = temporary.write_text("whole")
    >>> target.read_text()
    'whole'
    """
    target = Path(path)
    _refuse_existing(target, overwrite=overwrite)
    if not target.parent.is_dir():
        raise DataError(f"The folder {target.parent} does not exist. Make it first.")
    # The ending stays last, so that whoever writes by ending does the same as for the target.
    temporary = target.with_name(f".{secrets.token_hex(8)}.{target.name}")
    try:
        os.close(os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666))
    except OSError as error:
        raise DataError(f"{target} cannot be written: {error.strerror}.") from error
    try:
        yield temporary
        flush(temporary)
        _refuse_existing(target, overwrite=overwrite)
        temporary.replace(target)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        raise DataError(f"{target} cannot be written: {error.strerror or error}.") from error
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    flush(target.parent)


def _refuse_existing(target: Path, *, overwrite: bool) -> None:
    """Raise ParameterError if the target is there and may not be replaced."""
    if target.is_dir():
        raise ParameterError(f"{target} is a folder. Give the name of a file.")
    if target.exists() and not overwrite:
        raise ParameterError(f"{target} exists. Choose another name, or pass overwrite=True.")


def flush(path: Path) -> None:
    """Wait until a file or folder is on disk; folders cannot be flushed on every system."""
    if path.is_dir() and os.name == "nt":
        return
    handle = os.open(path, os.O_RDONLY if path.is_dir() else os.O_RDWR)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
