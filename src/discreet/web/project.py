"""The folder that the app works on: its files, policies and releases, and how policies are edited.

The folder is the state. A policy is changed in place, comments and all, and a change that came from
an outdated page is refused; whatever was there before can be had back.
"""

from __future__ import annotations

import hashlib
import shutil
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import tomlkit
from tomlkit.exceptions import TOMLKitError

from discreet.data.files.packed import atomic_path, inner_suffix
from discreet.errors import DataError, ParameterError
from discreet.policy.model import policy_from
from discreet.release.certificate import CERTIFICATE_FILE

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Mapping
    from typing import TypeAlias

    from tomlkit import TOMLDocument

    from discreet.policy.model import Policy

    _Kept: TypeAlias = dict[str, bytes | None]  # what files held, packed

PRIVATE: Final = ".discreet"  # what the app keeps: jobs, their results, uploads
TABLES: Final = frozenset({
    ".csv", ".tsv", ".txt", ".parquet", ".xlsx", ".xls", ".ods", ".dta", ".sav", ".dat", ".num",
})  # fmt: skip
_KEPT: Final = ("uploads", "results")
MOST_SHOWN: Final = 500  # files of a kind
MOST_UNDO: Final = 100  # versions of a policy


class StaleError(DataError):
    """A page was saved that shows an older policy than the one in the folder."""


@dataclass(frozen=True, slots=True)
class Text:
    """A policy as it stands in its file, with the version that a form carries."""

    name: str
    content: bytes

    @property
    def version(self) -> str:
        """What a form carries, so that a save from an outdated page is noticed."""
        return hashlib.sha256(self.content).hexdigest()[:16]

    @property
    def text(self) -> str:
        """The file as text; what is no UTF-8 is shown as such."""
        return self.content.decode("utf-8", "replace")


class Project:
    """A folder, and the versions of its policies since the app was started.

    Parameters
    ----------
    folder : path
        Where everything is read and written; nothing outside of it ever is.

    Examples
    --------
    >>> import tempfile
    >>> project = Project(tempfile.mkdtemp())
    >>> project.path("../etc/passwd")
    Traceback (most recent call last):
    discreet.errors.DataError: '../etc/passwd' lies outside of the folder of the app.
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.folder = Path(folder).resolve()
        self.private = self.folder / PRIVATE
        self._undo: dict[str, list[_Kept]] = {}
        self._redo: dict[str, list[_Kept]] = {}

    def prepare(self) -> None:
        """Make the private folder, readable by its owner alone, and sweep what was left in it."""
        self.private.mkdir(mode=0o700, exist_ok=True)
        self.private.chmod(0o700)
        self.sweep()
        for name in _KEPT:
            (self.private / name).mkdir(mode=0o700)

    def sweep(self) -> None:
        """Remove all that was kept of the data."""
        for name in _KEPT:
            shutil.rmtree(self.private / name, ignore_errors=True)

    def path(self, name: str) -> Path:
        """Return the path of something in the folder, links resolved; never one outside of it."""
        found = (self.folder / name).resolve() if "\0" not in name else self.folder.parent
        if not found.is_relative_to(self.folder) or found == self.folder:
            raise DataError(f"{name!r} lies outside of the folder of the app.")
        if found.is_relative_to(self.private):
            raise DataError(f"{name!r} belongs to the app.")
        return found

    def existing(self, name: str) -> Path:
        """Return the path of something that is there."""
        found = self.path(name)
        if not found.exists():
            raise DataError(f"There is no {name!r} in the folder. Was it renamed or removed?")
        return found

    def tables(self) -> list[Path]:
        """Return the data files of the folder, by name."""
        return self._shown(lambda path: path.is_file() and inner_suffix(path) in TABLES)

    def policies(self) -> list[Path]:
        """Return the policies of the folder, by name."""
        return self._shown(lambda path: path.is_file() and path.suffix == ".toml")

    def releases(self) -> list[Path]:
        """Return the release folders, by name."""
        return self._shown(lambda path: (path / CERTIFICATE_FILE).is_file())

    def zips(self) -> list[Path]:
        """Return the zip files, which may be releases that others sent."""
        return self._shown(lambda path: path.is_file() and path.suffix == ".zip")

    def databases(self) -> list[Path]:
        """Return the SQLite files, which may be ledgers or campaigns."""
        return self._shown(lambda path: path.is_file() and path.suffix in (".sqlite", ".db"))

    def _shown(self, belongs: Callable[[Path], bool]) -> list[Path]:
        inside = [each for each in self.folder.iterdir() if not each.name.startswith(".")]
        kept = [each for each in inside if each.resolve().is_relative_to(self.folder)]
        return sorted((each for each in kept if belongs(each)), key=lambda p: p.name)[:MOST_SHOWN]

    # Policies.

    def text(self, name: str) -> Text:
        """Return a policy as it stands."""
        path = self.existing(name)
        try:
            return Text(name, path.read_bytes())
        except OSError as error:
            raise DataError(f"{name} cannot be read: {error.strerror}.") from error

    def policy(self, name: str) -> Policy:
        """Return a policy, checked."""
        return policy_from(self.text(name).content, self.path(name))

    def edit(self, name: str, version: str, change: Callable[[TOMLDocument], None]) -> None:
        """Change a policy, comments kept, and keep the former text for undoing.

        Raises
        ------
        StaleError
            If the policy has changed since the page was made.
        ParameterError, DataError
            If the changed policy would not be one: nothing is written then.
        """
        before = self.text(name)
        if before.version != version:
            raise StaleError(
                f"{name} was changed meanwhile, in another window or by a program. Your change was "
                "not saved; the page shows the policy as it is now."
            )
        try:
            document = tomlkit.parse(before.text)
        except TOMLKitError as error:
            raise DataError(f"{name} is not TOML: {error}.") from None
        change(document)
        self.save(name, tomlkit.dumps(document).encode())

    def save(self, name: str, content: bytes) -> None:
        """Write a policy, if it is one, and keep the former text for undoing."""
        path = self.path(name)
        policy_from(content, path)
        if not path.exists():
            self._write(path, content)
        elif path.read_bytes() != content:
            self.write(name, {name: content})

    def write(self, name: str, files: Mapping[str, bytes]) -> None:
        """Write files that belong to a policy; undoing the policy's last change puts all back."""
        self.remember(name, *files)
        for each, content in files.items():
            self._write(self.path(each), content)

    def remember(self, name: str, *files: str) -> None:
        """Keep a policy and files that belong to it, for undoing what is about to be written."""
        self._undo.setdefault(name, []).append(self._kept((name, *files)))
        del self._undo[name][:-MOST_UNDO]
        self._redo.pop(name, None)

    def undo(self, name: str) -> None:
        """Put back what the last change of a policy replaced, byte for byte."""
        self._step(name, self._undo, self._redo)

    def redo(self, name: str) -> None:
        """Take an undoing back."""
        self._step(name, self._redo, self._undo)

    def can(self, name: str) -> tuple[bool, bool]:
        """Say whether there is something to undo, and something to redo."""
        return bool(self._undo.get(name)), bool(self._redo.get(name))

    def _step(self, name: str, taken: dict[str, list[_Kept]], kept: dict[str, list[_Kept]]) -> None:
        versions = taken.get(name, [])
        while versions:
            before = versions.pop()
            now = self._kept(tuple(before))
            if now == before:  # of a job that changed nothing
                continue
            kept.setdefault(name, []).append(now)
            for each, content in before.items():
                if content is None:
                    self.path(each).unlink(missing_ok=True)
                else:
                    self._write(self.path(each), zlib.decompress(content))
            return
        raise ParameterError(f"There is no other version of {name} in this session of the app.")

    def _kept(self, names: tuple[str, ...]) -> _Kept:
        """Return what files hold now, packed; None for one that is not there."""
        paths = {name: self.path(name) for name in names}
        return {
            name: zlib.compress(path.read_bytes(), 1) if path.is_file() else None
            for name, path in paths.items()
        }

    def _write(self, path: Path, content: bytes) -> None:
        path.parent.mkdir(exist_ok=True)
        with atomic_path(path, overwrite=True) as temporary:
            temporary.write_bytes(content)

    def new_policy_name(self, stem: str) -> str:
        """Return a name for the policy of a file that no file has."""
        names = ["policy.toml", f"{stem}.toml", *(f"{stem}-{n}.toml" for n in range(2, 1000))]
        return next(name for name in names if not (self.folder / name).exists())

    def new_release_name(self) -> str:
        """Return a name for a release that nothing has."""
        names = ("release", *(f"release-{n}" for n in range(2, 10_000)))
        return next(name for name in names if not (self.folder / name).exists())


def section(document: TOMLDocument, name: str) -> Any:  # noqa: ANN401  tomlkit's tables are mappings of anything
    """Return a table of a policy, made at the end if it is not there."""
    if name not in document:
        document.add(name, tomlkit.table())
    return document[name]


def put(table: Any, key: str, value: object) -> None:  # noqa: ANN401  as above
    """Write a key of a table, or take it away for None."""
    if value is None:
        if key in table:
            del table[key]
    else:
        table[key] = value


def as_inline(values: Mapping[str, object]) -> Any:  # noqa: ANN401  tomlkit's tables are mappings of anything
    """Return a table that stands on one line."""
    made = tomlkit.inline_table()
    for key, value in values.items():
        made[key] = as_inline(value) if isinstance(value, dict) else value
    return made
