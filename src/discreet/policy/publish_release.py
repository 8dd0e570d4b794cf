"""From a release in memory to a folder: counted, saved, verified, and only then there.

Everything is made in a hidden folder beside the target, verified there, and takes the target's
name in the last step: what is there is whole and verified, or it is not there.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from discreet.errors import DataError, DiscreetWarning, VerificationError
from discreet.release.files import RELEASE_FILES
from discreet.release.folder import atomic_folder
from discreet.release.ledger import Ledger

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Mapping

    from discreet.release.any_release import AnyRelease
    from discreet.release.composition import Entry
    from discreet.verify import Verification

EXPERIMENT = "publication"  # the check that fails for an experimental release, whatever it is
Kind = TypeVar("Kind", bound="AnyRelease")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Draft(Generic[Kind]):
    """A release that is about to be published, and what goes with it.

    Attributes
    ----------
    release : release
        Of any family.
    report : callable, optional
        Returns the text of ``report.html``: called with the release and, by the name of
        ``verification``, what the checker says of the release alone.
    original : Table or Transactions, optional
        What verification is to compare the release with besides.
    options : mapping
        Of the release's ``save``, such as the format of its data.
    """

    release: Kind
    report: Callable[..., str] | None = None
    original: object = None
    options: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Published(Generic[Kind]):
    """A release in its folder, what was found of it, and its entry in the ledger, if any."""

    release: Kind
    verification: Verification
    entry: Entry | None


def publish_release(
    make: Callable[[], Draft[Kind]],
    folder: str | os.PathLike[str],
    *,
    overwrite: bool = False,
    experiments: bool = False,
    ledger: str | os.PathLike[str] | None = None,
    source: str = "data",
) -> Published[Kind]:
    """Make a release, verify it in a hidden folder, and give that the name of the target.

    Parameters
    ----------
    make : callable
        Returns the release; called when it is clear that the folder can be written.
    folder : path
        Where the release goes; must not exist, or be empty.
    overwrite : bool
        Whether a release that is there may be replaced; nothing else ever is.
    experiments : bool
        Whether a release may be put there whose certificate says that it is an experiment,
        none to publish.
    ledger : path or URL, optional
        Where the release is counted, before it is published: an entry too many costs budget,
        one too few costs privacy.
    source : str
        What the data is about, for the ledger.

    Raises
    ------
    DataError
        Before the work begins, if the ledger cannot be used.
    ParameterError
        If the folder may not be replaced.
    GuaranteeError
        If the ledger's budget does not allow the release.
    VerificationError
        If the release does not keep what it claims; nothing is published.
    """
    if ledger is not None:
        check_ledger(ledger)
    entry: Entry | None = None
    try:
        with atomic_folder(folder, files=RELEASE_FILES, overwrite=overwrite) as staging:
            draft = make()
            if ledger is not None:
                entry = Ledger.open(ledger).record(draft.release, source=source)
            verification = _write(draft, staging, experiments=experiments)
    except BaseException:
        if entry is not None:
            warnings.warn(
                f"The ledger counts this release (entry {entry.number} of '{entry.source}'), "
                "although it did not come to be published.",
                DiscreetWarning,
                stacklevel=2,
            )
        raise
    return Published(release=draft.release, verification=verification, entry=entry)


def check_ledger(place: str | os.PathLike[str]) -> None:
    """Raise DataError if a ledger cannot be used; one that is not there yet will be made."""
    if "://" not in str(place) and not Path(place).exists():
        if not Path(place).parent.is_dir():
            raise DataError(
                f"The folder {Path(place).parent} of the ledger does not exist. Make it first."
            )
        return
    Ledger.open(place, create=False)


def _write(draft: Draft[Any], staging: Path, *, experiments: bool) -> Verification:
    """Write all files into the hidden folder and return what verification says of them."""
    from discreet.verify import verify_release

    # Saved one level deeper, so that the hidden folder keeps its lock, then moved up.
    saved = draft.release.save(staging / "release", **draft.options)
    if draft.report is not None:
        page = draft.report(draft.release, verification=verify_release(saved))
        draft.release.save(saved, report=page, overwrite=True, **draft.options)
    verification = verify_release(saved, original=draft.original)
    faults = {each.name for each in verification.failed} - ({EXPERIMENT} if experiments else set())
    if faults or not (verification.passed or (experiments and verification.experimental)):
        raise VerificationError(f"Nothing was published: {verification.sentence}")
    for path in saved.iterdir():
        path.rename(staging / path.name)
    saved.rmdir()
    return verification
