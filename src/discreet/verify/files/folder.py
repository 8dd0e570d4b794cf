"""A release folder or a zip of one, read without trust: nothing but regular files of known names.

A folder can hold a pipe that never ends, a link out of it, a file that claims to be a terabyte.
Each entry is looked at before it is opened, and no more is read than the limits allow.
"""

from __future__ import annotations

import io
import os
import re
import stat
import struct
import zipfile
import zlib
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from discreet.errors import DataError
from discreet.verify.files.bounded import UnreadableError, plain, too_large

if TYPE_CHECKING:
    from collections.abc import Callable

    from discreet.verify.files.bounded import ReadLimits

MAX_ENTRIES = 50

# What a folder can hold that is no file.
_KINDS = (
    (stat.S_ISLNK, "a link"),
    (stat.S_ISDIR, "a folder"),
    (stat.S_ISFIFO, "a pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Files:
    """What stands in a folder or a zip, by name; each is read when it is asked for.

    Attributes
    ----------
    readers : dict of str to callable
        For each name what returns its content, given the most bytes to return; raises
        UnreadableError.
    faults : tuple of str
        What is wrong with the folder as a whole.
    limits : ReadLimits
        What is read at most.
    """

    readers: dict[str, Callable[[int], bytes]]
    faults: tuple[str, ...]
    limits: ReadLimits
    _read: dict[str, int] = field(default_factory=dict)

    def __contains__(self, name: str) -> bool:
        return name in self.readers

    def read(self, name: str) -> bytes:
        """Return the content of a file, or raise UnreadableError."""
        left = self.limits.max_bytes - sum(self._read.values())
        is_json = name.endswith(".json")
        content = self.readers[name](min(left, self.limits.max_json) if is_json else left)
        self._read[name] = len(content)
        return content


def open_files(path: str | os.PathLike[str], limits: ReadLimits) -> Files:
    """Return the files of a folder or of a zip.

    Raises
    ------
    DataError
        If there is neither, or one of more files than any release has.
    """
    place = Path(path)
    shown = plain(os.fspath(place)) if len(os.fspath(place)) < 1000 else "that name"
    try:
        kind = place.stat().st_mode
        if stat.S_ISREG(kind):
            content = read_regular(place.resolve(), limits.max_bytes)
            readers, faults = open_archive(content, shown=shown)
        elif stat.S_ISDIR(kind):
            readers, faults = _open_folder(place)
        else:
            raise DataError(f"{shown} is neither a folder nor a zip.")
    except FileNotFoundError:
        raise DataError(f"There is no folder {shown}.") from None
    except UnreadableError as error:
        raise DataError(f"{shown} {error}.") from None
    except OSError as error:
        raise DataError(f"{shown} cannot be read: {error.strerror}.") from None
    names = list(readers)
    folded: dict[str, str] = {}
    for name in sorted(names):
        other = folded.setdefault(name.casefold(), name)
        if other != name:
            faults.append(f"{plain(name)} and {plain(other)} differ in case only")
    return Files(readers=readers, faults=tuple(faults), limits=limits)


def _open_folder(folder: Path) -> tuple[dict[str, Callable[[int], bytes]], list[str]]:
    readers: dict[str, Callable[[int], bytes]] = {}
    with os.scandir(folder) as entries:
        for entry in entries:
            if len(readers) == MAX_ENTRIES:
                raise UnreadableError(f"holds more than {MAX_ENTRIES} files, which no release does")
            readers[entry.name] = _reader(Path(entry.path))
    return readers, []


def _reader(path: Path) -> Callable[[int], bytes]:
    def read(limit: int) -> bytes:
        try:
            return read_regular(path, limit)
        except OSError as error:
            raise UnreadableError(f"cannot be read ({error.strerror})") from None

    return read


def read_regular(path: Path, limit: int) -> bytes:
    """Return the content of a regular file of at most some bytes.

    Raises
    ------
    UnreadableError
        If it is anything else or longer; then it was not opened, or not read.
    OSError
        If the system does not let it be read.
    """
    # Opening a pipe would wait for ever, and opening a device can do something.
    _refuse_other(path.lstat(), limit)
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    handle = os.open(path, flags | getattr(os, "O_BINARY", 0))
    with os.fdopen(handle, "rb") as file:
        size = _refuse_other(os.fstat(handle), limit)  # it may have been replaced meanwhile
        content = file.read(size + 1)
    if len(content) > size:
        raise UnreadableError("grew while it was read")
    return content


def _refuse_other(found: os.stat_result, limit: int) -> int:
    """Return the size of a regular file within the limit."""
    if not stat.S_ISREG(found.st_mode):
        kind = next((words for is_kind, words in _KINDS if is_kind(found.st_mode)), "no file")
        raise UnreadableError(f"is {kind}, not a regular file")
    if found.st_size > limit:
        raise UnreadableError(too_large(found.st_size, limit))
    return found.st_size


# A zip of a release folder, read in memory: nothing is extracted, no name is trusted.

MAX_MEMBERS = 50

_END = struct.Struct("<4s4H2LH")  # the record at the end that says where the directory is

_LOCAL = struct.Struct("<4s5H3L2H")  # what stands before each member

_MAX_DIRECTORY = 1024**2

_ENCRYPTED = 1

_PIECE = 1024**2

_METHODS = {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}

# Every way in which reading a damaged zip can end.
_FAULTS = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    OSError,
    EOFError,
    NotImplementedError,
    RuntimeError,
    ValueError,
    OverflowError,
)


def open_archive(
    content: bytes, *, shown: str
) -> tuple[dict[str, Callable[[int], bytes]], list[str]]:
    """Return what reads each member of a zip, by its name, and what is wrong with others.

    All members lie in one folder of the zip or in none. One whose name leads elsewhere, that is
    a link, encrypted, there twice, packed in an unusual way, or lies over another is not read.

    Raises
    ------
    DataError
        If it is no zip, or one of too many members.
    """
    try:
        archive = _opened(content, shown)
    except DataError:
        raise
    except _FAULTS:
        raise DataError(f"{shown} is neither a folder nor a zip that can be read.") from None
    members = [each for each in archive.infolist() if not each.is_dir()]
    faults = [
        f"{plain(each.filename)} {fault}"
        for each in archive.infolist()
        if (fault := _fault_of(each))
    ]
    sound = [each for each in members if _fault_of(each) is None]
    tops = {each.filename.rpartition("/")[0] for each in sound}
    folders = {each.filename.rstrip("/") for each in archive.infolist() if each.is_dir()}
    if len(tops) > 1 or folders - tops:
        faults.append("it has more than one folder")
    if _overlap(archive, members):
        faults.append("members lie over each other or outside of the file")
        return {}, faults
    beside = _beside_members(content, archive)
    faults += [] if beside is None else [f"the zip {beside}"]
    readers: dict[str, Callable[[int], bytes]] = {}
    twice = set()
    for each in sound:
        name = each.filename.rpartition("/")[2]
        if name in readers:
            twice.add(name)
        readers[name] = _unpacker(archive, each)
    faults += [f"{plain(name)} stands there twice" for name in sorted(twice)]
    for name in twice:
        readers[name] = _unread
    return readers, faults


def _opened(content: bytes, shown: str) -> zipfile.ZipFile:
    """Return a zip whose directory is small enough to be read."""
    mark, *disks, n_members, directory, _, length = _END.unpack(content[-_END.size :])
    if mark != b"PK\x05\x06" or disks != [0, 0, n_members] or length:
        # A comment, a second disk, the form for huge files: nothing that a release needs.
        raise DataError(f"{shown} is neither a folder nor a plain zip that ends where it should.")
    if n_members > MAX_MEMBERS or directory > _MAX_DIRECTORY:
        raise DataError(f"{shown} has more than {MAX_MEMBERS} members, or their names are endless.")
    return zipfile.ZipFile(io.BytesIO(content))


def _fault_of(member: zipfile.ZipInfo) -> str | None:
    """Return why a member is not read, or None."""
    name, mode, is_folder = member.orig_filename, member.external_attr >> 16, member.is_dir()
    parts = name.removesuffix("/").split("/")
    faults = {
        "has a name that leads elsewhere": not name.isprintable()
        or "\\" in name
        or re.match("[A-Za-z]:", name) is not None
        or any(part in ("", ".", "..") for part in parts),
        "lies in a folder within a folder": len(parts) > 1 + (not is_folder),
        "is a link or another thing that is no file": stat.S_IFMT(mode)
        not in (0, stat.S_IFDIR if is_folder else stat.S_IFREG),
        "is a folder with content": is_folder and member.file_size + member.compress_size > 0,
        "is encrypted": bool(member.flag_bits & _ENCRYPTED),
        "is packed in a way that is not read here; store or deflate it": member.compress_type
        not in _METHODS,
    }
    return next((words for words, is_so in faults.items() if is_so), None)


def _overlap(archive: zipfile.ZipFile, members: list[zipfile.ZipInfo]) -> bool:
    """Say whether two members share bytes, which can unpack to far more than the zip holds."""
    end = 0
    for each in sorted(members, key=lambda member: member.header_offset):
        if each.header_offset < end:
            return True
        end = each.header_offset + _LOCAL.size + len(each.orig_filename) + each.compress_size
    return end > archive.start_dir


def _beside_members(content: bytes, archive: zipfile.ZipFile) -> str | None:
    """Return in words what a zip holds beside its members, or None."""
    place = 0
    for each in sorted(archive.infolist(), key=lambda member: member.header_offset):
        if each.header_offset != place:
            return "has bytes before a member, which belong to none"
        *_, flags, _, _, _, _, _, _, n_name, n_extra = _LOCAL.unpack(
            content[place : place + _LOCAL.size]
        )
        place += _LOCAL.size + n_name
        if not _is_known_extra(content[place : place + n_extra]):
            return "has fields of a member that are not known here"
        place += n_extra + each.compress_size
        if flags & _SIZES_BEHIND:
            sizes = struct.pack("<3L", each.CRC, each.compress_size, each.file_size)
            behind = next(
                (
                    text
                    for text in (b"PK\x07\x08" + sizes, sizes)
                    if content.startswith(text, place)
                ),
                None,
            )
            if behind is None:
                return "states other sizes behind a member"
            place += len(behind)
    *_, size, start, _ = _END.unpack(content[-_END.size :])
    if place != start or start + size != len(content) - _END.size:
        return "has bytes between its members and its directory"
    for _ in archive.infolist():
        n_name, n_extra, n_comment = _ENTRY.unpack(content[place + 28 : place + 34])
        place += 46 + n_name
        if n_comment or not _is_known_extra(content[place : place + n_extra]):
            return "has a comment, or fields in its directory that are not known here"
        place += n_extra
    return None if place == start + size else "has something in its directory that is no member"


_ENTRY = struct.Struct("<3H")  # of an entry of the directory: lengths of name, fields and comment

_SIZES_BEHIND = 8

# Fields that programs add by themselves, with the lengths they can have: times, and who made it.
_EXTRA = {0x5455: (5, 9, 13), 0x7875: (11,), 0x000A: (32,)}


def _is_known_extra(extra: bytes) -> bool:
    """Say whether the fields of a member are such as programs add by themselves."""
    place = 0
    while place + 4 <= len(extra):
        kind, length = struct.unpack("<2H", extra[place : place + 4])
        if length not in _EXTRA.get(kind, ()):
            return False
        place += 4 + length
    return place == len(extra)


def _unpacker(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> Callable[[int], bytes]:
    def read(limit: int) -> bytes:
        if member.file_size > limit:
            raise UnreadableError(too_large(member.file_size, limit))
        pieces, size = [], 0
        try:
            with archive.open(member) as file:
                while piece := file.read(_PIECE):
                    pieces.append(piece)
                    size += len(piece)
                    if size > limit:
                        raise UnreadableError(too_large(size, limit))
        except _FAULTS:
            raise UnreadableError("cannot be unpacked: it is damaged") from None
        if size != member.file_size:
            raise UnreadableError("unpacks to another size than the zip says")
        return b"".join(pieces)

    return read


def _unread(limit: int) -> bytes:  # noqa: ARG001  like the readers of other members
    raise UnreadableError("stands there twice, so that readers differ on which one counts")
