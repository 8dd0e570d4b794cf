"""A page of a release folder, written to a file of its own.

The folder itself is never touched: each file in it is certified by its hash. An internal page
inside it would be published with it.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from discreet.data.files.atomic import atomic_path
from discreet.errors import ParameterError
from discreet.randomize.release import RandomizedRelease
from discreet.release.certificate import CERTIFICATE_FILE, read_certificate
from discreet.release.files import EXTRAS, OPERATOR_FILE, POLICY_FILE
from discreet.release.release import Release
from discreet.report.html import html_report
from discreet.report.randomized import randomized_report

if TYPE_CHECKING:
    import os

    from discreet.progress import Progress
    from discreet.report.protocols import VerificationLike


def write_report(
    folder: str | os.PathLike[str],
    path: str | os.PathLike[str] | None = None,
    *,
    original: object = None,
    controls: object = None,
    internal: bool = False,
    verification: VerificationLike | None = None,
    command: str | None = None,
    overwrite: bool = False,
    progress: Progress | None = None,
) -> Path:
    """Write the page of a release folder beside it, and return its path.

    Parameters
    ----------
    folder : path
        A release folder.
    path : path, optional
        The file to write; by default ``NAME-report.html`` (``NAME-internal.html`` for internal
        pages) beside the folder NAME.
    original, controls, internal, verification, command, progress
        As in :func:`~discreet.report.html.html_report`.
    overwrite : bool
        Whether a file of that name may be replaced.

    Returns
    -------
    Path
        The file, written whole or not at all.

    Raises
    ------
    ParameterError
        If the file exists and may not be replaced, or would lie inside a release folder.
    DataError, GuaranteeError
        If there is no release in the folder, or its files were changed.

    Examples
    --------
    >>> import tempfile
    >>> import discreet as dc
    >>> from discreet.release.guarantee import Guarantee
    >>> claim = Guarantee(
    ...     model="k-anonymity", parameters={"k": 2}, unit="one row", columns=("sex",),
    ...     not_protected=("What a class has in common can be learnt.",),
    ... )
    >>> release = Release(data=dc.Table.from_frame({"sex": ["f", "f"]}), guarantee=claim)
    >>> folder = release.save(Path(tempfile.mkdtemp()) / "survey")
    >>> write_report(folder).name
    'survey-report.html'
    """
    source = Path(folder)
    target = Path(path) if path is not None else default_path(source, internal=internal)
    _refuse_inside(target)
    with atomic_path(target, overwrite=overwrite) as temporary:
        if (source / OPERATOR_FILE).is_file():
            _refuse_original(original if controls is None else controls, internal=internal)
            page = randomized_report(
                RandomizedRelease.load(source),
                verification=verification,
                command=command,
                hashes=_hashes(source),
            )
        else:
            page = html_report(
                Release.load(source),
                original=original,
                controls=controls,
                internal=internal,
                verification=verification,
                command=command,
                policy=_policy(source),
                hashes=_hashes(source),
                progress=progress,
            )
        temporary.write_bytes(page.encode())
    return target


def default_path(folder: Path, *, internal: bool) -> Path:
    """Return where the page of a folder goes if nobody says otherwise.

    Examples
    --------
    >>> default_path(Path("out/survey"), internal=True).as_posix().rpartition("/")[2]
    'survey-internal.html'
    """
    whole = folder.resolve()
    return whole.parent / f"{whole.name}-{'internal' if internal else 'report'}.html"


def _refuse_inside(target: Path) -> None:
    """Raise ParameterError if a file would lie inside a release folder, however deep."""
    for parent in target.resolve().parents:
        if (parent / CERTIFICATE_FILE).exists():
            raise ParameterError(
                f"{target} would lie inside the release folder {parent}, whose files are "
                "certified and published. Write the page elsewhere."
            )


def _refuse_original(original: object, *, internal: bool) -> None:
    """Raise ParameterError if a page of randomized transactions is to show what they were."""
    if original is not None or internal:
        raise ParameterError(
            "The page of randomized transactions is made from them alone: leave out the original "
            "and --internal."
        )


def _policy(folder: Path) -> str | None:
    """Return the policy that goes with a release, if there is one."""
    path = folder / POLICY_FILE
    return path.read_bytes().decode("utf-8", "replace") if path.is_file() else None


def _hashes(folder: Path) -> dict[str, str]:
    """Return what the certificate says each file hashes to."""
    text = (folder / CERTIFICATE_FILE).read_bytes().decode()
    certificate = read_certificate(text)
    found = {name: getattr(certificate, field) for field, name in EXTRAS.items()}
    certified = {name: digest for name, digest in found.items() if digest is not None}
    return {certificate.data.file: certificate.data.sha256, **certified}
