"""From a release in memory to a folder: counted, saved, verified, and only then there."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

from discreet.errors import DiscreetWarning, VerificationError
from discreet.release.files import RELEASE_FILES
from discreet.release.folder import atomic_folder
from discreet.release.ledger import Ledger
from discreet.verify import verify_release

if TYPE_CHECKING:
    import os
    from collections.abc import Callable
    from pathlib import Path

    from discreet.release.composition import Entry
    from discreet.release.release import Release
    from discreet.verify import Verification

EXPERIMENT = "publication"  # the check that fails for an experimental release, whatever it is


def publish_release(
    make: Callable[[], Release],
    folder: str | os.PathLike[str],
    *,
    overwrite: bool = False,
    report: bool = True,
    ledger: str | os.PathLike[str] | None = None,
    source: str | None = None,
) -> tuple[Release, Verification]:
    """Make a release, verify it in a hidden folder, and give that the name of the target.

    Parameters
    ----------
    make : callable
        Returns the release; called when it is clear that the folder can be written.
    folder : path
        Where the release goes; must not exist, or be empty.
    overwrite : bool
        Whether a release that is there may be replaced; nothing else ever is.
    report : bool
        Whether ``report.html`` goes with it.
    ledger : path or URL, optional
        Where the release is counted, before it is published: an entry too many costs budget,
        one too few costs privacy.
    source : str, optional
        What the data is about, for the ledger.

    Returns
    -------
    Release, Verification
        The release, and what was found of it by itself.

    Raises
    ------
    ParameterError
        If the folder may not be replaced.
    GuaranteeError
        If the ledger's budget does not allow the release.
    VerificationError
        If the release does not keep what it claims; nothing is published. An experiment, whose
        certificate says that it is none to publish, may go into a folder.
    """
    book = None if ledger is None else Ledger.open(ledger)
    entry: Entry | None = None
    try:
        with atomic_folder(folder, files=RELEASE_FILES, overwrite=overwrite) as staging:
            release = make()
            if book is not None:
                entry = book.record(release, source=source or "data")
            verification = _write(release, staging, report=report)
    except BaseException:
        if entry is not None:
            warnings.warn(
                f"The ledger counts this release (entry {entry.number} of '{entry.source}'), "
                "although it did not come to be published.",
                DiscreetWarning,
                stacklevel=2,
            )
        raise
    return release, verification


def _write(release: Release, staging: Path, *, report: bool) -> Verification:
    """Write all files into the hidden folder and return what verification says of them."""
    # Saved one level deeper, so that the hidden folder keeps its lock, then moved up.
    saved = release.save(staging / "release")
    verification = verify_release(saved)
    if report:
        from discreet.report.html import html_report

        page = html_report(release, verification=verification)
        release.save(saved, report=page, overwrite=True)
        verification = verify_release(saved)
    faults = {each.name for each in verification.failed} - {EXPERIMENT}
    if faults or not (verification.passed or verification.experimental):
        raise VerificationError(f"Nothing was published: {verification.sentence}")
    for path in saved.iterdir():
        path.rename(staging / path.name)
    saved.rmdir()
    return verification
