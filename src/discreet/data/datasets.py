"""Data to work on: built-in samples, and public data sets by name.

Public data are found in a local folder or a cache, else downloaded. Nothing is used whose
content does not have the checksum written here, wherever it comes from.
"""

from __future__ import annotations

import hashlib
import http.client
import os
import sys
import urllib.request
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from discreet.data.files.packed import MAGIC, read_bytes, write_bytes
from discreet.data.samples.draw import basket_sample, census_sample
from discreet.data.table import Table
from discreet.errors import DataError, ParameterError, did_you_mean

if TYPE_CHECKING:
    from discreet.data.hierarchy.tree import Hierarchy
    from discreet.data.transactions import Transactions

UCI = "https://archive.ics.uci.edu/ml/machine-learning-databases"
TIMEOUT = 30  # seconds without an answer
LARGEST = 2**28  # bytes; all files below are far smaller


@dataclass(frozen=True, slots=True, kw_only=True)
class RemoteFile:
    """One file of a data set.

    Attributes
    ----------
    folder : str
        Where it lies inside the local folder and the cache.
    name : str
        Its name there, perhaps with an ending such as ``.xz``.
    url : str
        Where it is downloaded from.
    sha256 : str
        Of its content, decompressed.
    """

    folder: str
    name: str
    url: str
    sha256: str


REGISTRY: dict[str, tuple[RemoteFile, ...]] = {
    "adult": (
        RemoteFile(
            folder="adult",
            name="adult.data",
            url=f"{UCI}/adult/adult.data",
            sha256="5b00264637dbfec36bdeaab5676b0b309ff9eb788d63554ca0a249491c86603d",
        ),
        RemoteFile(
            folder="adult",
            name="adult.test",
            url=f"{UCI}/adult/adult.test",
            sha256="a2a9044bc167a35b2361efbabec64e89d69ce82d9790d2980119aac5fd7e9c05",
        ),
    ),
    "nursery": (
        RemoteFile(
            folder="uci",
            name="nursery.data",
            url=f"{UCI}/nursery/nursery.data",
            sha256="8e0389c3dd37590248a921c2726d869ee96b817761a35eb8416afa24f31f931d",
        ),
    ),
}


def names() -> tuple[str, ...]:
    """Return the data sets that `fetch` knows.

    Examples
    --------
    >>> names()
    ('adult', 'nursery')
    """
    return tuple(sorted(REGISTRY))


def fetch(name: str, *, cache: str | os.PathLike[str] | None = None) -> tuple[Path, ...]:
    """Return the files of a data set, downloaded if they are not here yet.

    Parameters
    ----------
    name : str
        One of `names`. ``adult`` has two files, training and test rows.
    cache : path, optional
        Where downloads are kept, by default a folder of the user's cache.

    Returns
    -------
    tuple of pathlib.Path
        Each may be compressed; discreet's readers take it as it is.

    Raises
    ------
    ParameterError
        If there is no data set of this name.
    DataError
        If a file has another checksum than it should, or cannot be downloaded.

    Notes
    -----
    Looked for in the folder that the environment variable ``DISCREET_DATA`` names, then in the
    cache, and downloaded last. A download is moved into the cache once it is complete and
    checked. Adult and Nursery are of the UCI Machine Learning Repository, under CC BY 4.0.
    """
    files = REGISTRY.get(name)
    if files is None:
        raise ParameterError(
            f"There is no data set {name!r}.",
            parameter="name",
            remedy=did_you_mean(str(name), names()),
        )
    kept = user_cache() if cache is None else Path(cache)
    given = os.environ.get("DISCREET_DATA")
    folders = ([Path(given)] if given else []) + [kept]
    return tuple(_found(file, folders) or _download(file, kept) for file in files)


def user_cache() -> Path:
    """Return the folder for downloads, by the custom of the platform."""
    if os.environ.get("XDG_CACHE_HOME"):
        return Path(os.environ["XDG_CACHE_HOME"]) / "discreet"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "discreet"
    if sys.platform == "win32" and os.environ.get("LOCALAPPDATA"):
        return Path(os.environ["LOCALAPPDATA"]) / "discreet" / "Cache"
    return Path.home() / ".cache" / "discreet"


def _found(file: RemoteFile, folders: list[Path]) -> Path | None:
    """Return the first copy there is; a wrong one is an error, not a reason to look on."""
    for folder in folders:
        for ending in ("", *MAGIC):
            path = folder / file.folder / f"{file.name}{ending}"
            if path.is_file():
                _check(file, read_bytes(path), path, "Delete it and fetch it again.")
                return path
    return None


def _download(file: RemoteFile, cache: Path) -> Path:
    path = cache / file.folder / file.name
    advice = f"Put the file at {path} yourself, or name a folder with it in DISCREET_DATA."
    try:
        # The address is one of the registry above, and the content is checked.
        with urllib.request.urlopen(file.url, timeout=TIMEOUT) as answer:  # noqa: S310
            content: bytes = answer.read(LARGEST)
            promised = answer.headers.get("Content-Length")
    except (OSError, http.client.HTTPException) as error:
        raise DataError(f"{file.url} cannot be downloaded: {error}. {advice}") from None
    # read(n) does not complain about an early end, so it is found here.
    if promised is not None and promised.isdigit() and len(content) != int(promised):
        raise DataError(
            f"{file.url}: {len(content)} of {promised} bytes came, then the connection ended; "
            f"try again. {advice}"
        )
    _check(file, content, file.url, advice)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise DataError(f"The cache {path.parent} cannot be made: {error}.") from None
    write_bytes(path, content)
    return path


def _check(file: RemoteFile, content: bytes, where: object, advice: str) -> None:
    found = hashlib.sha256(content).hexdigest()
    if found != file.sha256:
        raise DataError(
            f"{where} is not the {file.name} it should be: its sha256 is {found}, "
            f"not {file.sha256}. {advice}"
        )


def census(n_rows: int = 5000, *, seed: int = 20240101) -> Table:
    """Return the table of an invented census; see :func:`discreet.data.samples.draw.census_sample`.

    Examples
    --------
    >>> census(1000).sensitive
    ('condition',)
    """
    sample = census_sample(n_rows, seed=seed)
    return Table.from_codes(sample.columns, sample.values, sample.roles)


def census_hierarchies() -> dict[str, Hierarchy]:
    """Return a hierarchy for each column of the invented census.

    Examples
    --------
    >>> census_hierarchies()["sex"].leaves
    ('female', 'male')
    """
    return census_sample(1).hierarchies


def baskets(n_transactions: int = 2000, *, seed: int = 20240101) -> Transactions:
    """Return invented shopping baskets; see :func:`discreet.data.samples.draw.basket_sample`.

    Examples
    --------
    >>> len(baskets(100))
    100
    """
    return basket_sample(n_transactions, seed=seed)
