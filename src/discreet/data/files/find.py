"""Files found by path, with errors that name the file and the way out."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from discreet.errors import DataError, did_you_mean

if TYPE_CHECKING:
    import os

COMPRESSED = (".xz", ".gz", ".zst")


def find_file(path: str | os.PathLike[str]) -> Path:
    """Return the path of a file that exists, or raise DataError with the closest names."""
    found = Path(path)
    siblings: list[str] = []
    try:
        is_folder, is_file = found.is_dir(), found.is_file()
        if not is_folder and not is_file:
            siblings = sorted(each.name for each in found.parent.iterdir() if each.is_file())
    except (OSError, ValueError):  # an impossible name, or a folder that may not be listed
        is_folder = is_file = False
    if is_folder:
        raise DataError(f"{found} is a folder. Give the path of a file in it.")
    if is_file:
        return found
    folder = "this folder" if str(found.parent) == "." else str(found.parent)
    hint = did_you_mean(found.name, siblings) if siblings else f"{folder} has no files."
    raise DataError(f"There is no file {str(found)!r}. {hint}")


def inner_suffix(path: Path) -> str:
    """Return the ending of a file name without the compression's.

    Examples
    --------
    >>> inner_suffix(Path("adult.data.xz")), inner_suffix(Path("a.CSV"))
    ('.data', '.csv')
    """
    suffixes = [each.lower() for each in path.suffixes]
    if suffixes and suffixes[-1] in COMPRESSED:
        suffixes.pop()
    return suffixes[-1] if suffixes else ""
