"""Two folders change names in one step, where the system can do that."""

from __future__ import annotations

import ctypes
import errno
import os
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

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
