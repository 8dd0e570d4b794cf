"""Whole files as bytes, plain or compressed: read with clear errors, written all or nothing."""

from __future__ import annotations

import gzip
import io
import lzma
import os
import secrets
import zlib
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Self, cast

from discreet.errors import DataError, LimitError, ParameterError, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Iterator


# How each kind of compressed file begins; no text in UTF-8 begins so.
MAGIC = {".gz": b"\x1f\x8b", ".xz": b"\xfd7zXZ\x00", ".zst": b"\x28\xb5\x2f\xfd"}


def read_bytes(path: str | os.PathLike[str]) -> bytes:
    """Return the content of a file, decompressed if it is gzip, xz or Zstandard.

    Parameters
    ----------
    path : path
        The beginning of the file decides how it is decompressed; a name ending in ``.gz``,
        ``.xz`` or ``.zst`` must keep its promise.

    Raises
    ------
    DataError
        If there is no such file, it cannot be read, is damaged or holds nothing.
    LimitError
        If it has or unpacks to more bytes than `most_bytes`.
    """
    file = find_file(path)
    try:
        limit = most_bytes()
        if file.stat().st_size > limit:
            raise LimitError(
                f"{file} has {file.stat().st_size:,} bytes, more than {limit:,}, "
                f"{_words_of_limit()}.",
                remedy=_remedy(),
            )
        content = file.read_bytes()
    except OSError as error:
        raise DataError(f"{file} cannot be read: {error.strerror or error}.") from None
    named = MAGIC.get(file.suffix.lower())
    kind = next((suffix for suffix, magic in MAGIC.items() if content.startswith(magic)), None)
    if content and named is not None and not content.startswith(named):
        raise DataError(f"{file} is named {file.suffix} but is not compressed so; rename it.")
    if kind is not None:
        try:
            content = _decompress(content, kind, file=file)
        except (EOFError, OSError, lzma.LZMAError, zlib.error, ValueError) as error:
            raise DataError(f"{file} is damaged ({error}); fetch or compress it again.") from None
    if not content:
        raise DataError(f"{file} is empty; check that it was written to the end.")
    return content


def write_bytes(path: str | os.PathLike[str], content: bytes, *, overwrite: bool = True) -> None:
    """Write a file at once or not at all, compressed if its name ends in .gz, .xz or .zst.

    Parameters
    ----------
    path : path
        Replaced only when everything has been written beside it.
    content : bytes
        What `read_bytes` will return.
    overwrite : bool
        Whether a file of that name may be replaced.

    Raises
    ------
    DataError
        If the folder does not exist or cannot be written to.
    ParameterError
        If the file exists and may not be replaced.
    """
    packed = _compress(content, Path(path).suffix.lower())
    with atomic_path(path, overwrite=overwrite) as temporary:
        temporary.write_bytes(packed)


_PIECE = 1 << 20


MAX_INPUT = "DISCREET_MAX_INPUT_BYTES"  # the variable that states another limit

_QUARTER = "a quarter of the memory there is"

_UNKNOWN = 4 * 1024**3  # bytes, where the memory is not known


def most_bytes() -> int:
    """Return the most bytes of a file that are read at once: a quarter of the memory there is.

    That is the machine's, or less where the process may use less (``ulimit``, containers). The
    environment variable ``DISCREET_MAX_INPUT_BYTES`` states another limit.

    Raises
    ------
    ParameterError
        If the variable is no whole number above 0.
    """
    given = os.environ.get(MAX_INPUT, "").strip()
    if not given:
        memory = _memory()
        return _UNKNOWN if memory is None else memory // 4
    if not (given.isascii() and given.isdigit() and len(given) <= 18 and int(given) > 0):
        raise ParameterError(
            f"{MAX_INPUT} is {given[:40]!r}, and must be a whole number of bytes above 0.",
            remedy=f"Write it as in {MAX_INPUT}=8000000000, or unset it.",
        )
    return int(given)


def _memory() -> int | None:
    """Return how many bytes of memory this process may use, or None where nothing says so."""
    known = []
    with suppress(AttributeError, ValueError, OSError):  # no such call, as on Windows, or no name
        known.append(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    with suppress(ImportError, OSError):
        import resource

        allowed = resource.getrlimit(resource.RLIMIT_AS)[0]
        known += [] if allowed == resource.RLIM_INFINITY else [allowed]
    with suppress(ValueError, OSError):  # "max" where a container has no limit
        known.append(int(_OF_CONTAINER.read_bytes()))
    return min(known, default=None)


_OF_CONTAINER = Path("/sys/fs/cgroup/memory.max")


def _words_of_limit() -> str:
    if os.environ.get(MAX_INPUT, "").strip():
        return f"the limit that {MAX_INPUT} states"
    return _QUARTER if _memory() is not None else "the limit where memory is not known"


def _remedy() -> str:
    return (
        f"Read a part of it, or state a higher limit in bytes by the environment variable "
        f"{MAX_INPUT}, where there is memory for it."
    )


def _decompress(content: bytes, kind: str, *, file: Path) -> bytes:
    """Return the content unpacked piece by piece, so that a bomb ends before memory does."""
    limit, pieces, size = most_bytes(), list[bytes](), 0
    with _unpacker(content, kind) as unpacked:
        while piece := unpacked.read(_PIECE):
            pieces.append(piece)
            size += len(piece)
            if size > limit:
                raise LimitError(
                    f"{file} has {len(content):,} bytes and unpacks to more than {limit:,}, "
                    f"{_words_of_limit()}.",
                    remedy=_remedy(),
                )
    return b"".join(pieces)


def _unpacker(content: bytes, kind: str) -> IO[bytes]:
    if kind == ".gz":
        return cast("IO[bytes]", gzip.GzipFile(fileobj=io.BytesIO(content)))
    if kind == ".xz":
        return cast("IO[bytes]", lzma.LZMAFile(io.BytesIO(content)))
    import zstandard

    return cast("IO[bytes]", _Frames(content, zstandard))


class _Frames:
    """Zstandard frames in a row, unpacked piece by piece."""

    def __init__(self, content: bytes, module: Any) -> None:  # noqa: ANN401  zstandard
        self.rest, self.place, self.module = memoryview(content), 0, module
        self.frame = module.ZstdDecompressor().decompressobj()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        return

    def read(self, _size: int) -> bytes:
        """Return what the next bytes unpack to; nothing at the end."""
        # A few bytes in can be a hundred thousand times as many out.
        while self.place < len(self.rest):
            if self.frame.eof:
                self.frame = self.module.ZstdDecompressor().decompressobj()
            piece = self.rest[self.place : self.place + 1024]
            try:
                found: bytes = self.frame.decompress(piece)
            except self.module.ZstdError as error:
                raise ValueError(str(error)) from None
            self.place += len(piece) - len(self.frame.unused_data)
            if found:
                return found
        if not self.frame.eof:
            raise EOFError("it ends too early")
        return b""


def _compress(content: bytes, suffix: str) -> bytes:
    if suffix == ".gz":
        return gzip.compress(content, mtime=0)  # the same content gives the same file
    if suffix == ".xz":
        return lzma.compress(content)
    if suffix == ".zst":
        import zstandard

        return zstandard.ZstdCompressor().compress(content)
    return content


# Files that appear whole or not at all.


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
    refuse_odd_name(target)
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


def is_utf8(path: str | os.PathLike[str]) -> bool:
    r"""Say whether a path can be written in UTF-8; that of a file need not be.

    Examples
    --------
    >>> is_utf8("café.csv"), is_utf8(os.fsdecode(b"caf\xe9.csv"))
    (True, False)
    """
    try:
        os.fspath(path).encode()
    except UnicodeEncodeError:
        return False
    return True


def refuse_odd_name(path: str | os.PathLike[str]) -> None:
    """Raise ParameterError if what is to be written has a path that not every program can open."""
    if not is_utf8(path):
        raise ParameterError(
            f"{os.fspath(path)!a} is not UTF-8, and what is written here must have a name "
            "that every program can open.",
            parameter="path",
            remedy="Give another name.",
        )


def _refuse_existing(target: Path, *, overwrite: bool) -> None:
    """Raise ParameterError if the target is there and may not be replaced."""
    if target.is_dir():
        raise ParameterError(
            f"{target} is a folder.", parameter="path", remedy="Give the name of a file."
        )
    if target.exists() and not overwrite:
        raise ParameterError(
            f"{target} exists.",
            parameter="path",
            remedy="Choose another name, or pass {overwrite}.",
            options={"overwrite": True},
        )


def flush(path: Path) -> None:
    """Wait until a file or folder is on disk; folders cannot be flushed on every system."""
    if path.is_dir() and os.name == "nt":
        return
    handle = os.open(path, os.O_RDONLY if path.is_dir() else os.O_RDWR)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


# Files found by path, with errors that name the file and the way out.

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
