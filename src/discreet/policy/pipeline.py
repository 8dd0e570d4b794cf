"""The one way from data to a published folder: read, protect, count, save, verify, report.

Everything is made in a temporary folder beside the target, verified there, and takes the target's
name in the last step: what is there is whole and verified, or it is not there. Whoever listens
hears the name of every stage and its share done; raising from there stops the work, and nothing
is published.
"""

from __future__ import annotations

import warnings
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, Protocol, TypeAlias

from discreet.data.table import Table
from discreet.errors import DataError, DiscreetWarning, VerificationError
from discreet.release.folder import RELEASE_FILES, atomic_folder
from discreet.release.ledger import Ledger
from discreet.verify.strict.names import fault_of_names

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterator, Mapping

    from discreet.limits import Progress
    from discreet.release.composition import Entry
    from discreet.release.release import Release
    from discreet.verify import Verification

Stage: TypeAlias = Literal["read", "protect", "count", "save", "verify", "report"]

# The stages in order, with the share of the whole work that each is taken to be.
STAGES: Final[dict[Stage, float]] = {
    "read": 0.1, "protect": 0.6, "count": 0.02, "save": 0.08, "verify": 0.1, "report": 0.1,
}  # fmt: skip


class OnStage(Protocol):
    """Called with the stage that the work is at, and the share of it done."""

    def __call__(self, stage: Stage, share: float, /) -> object:
        """Receive the name of the stage, and its share done, from 0 to 1."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Job:
    """What differs from one publication to the next.

    Attributes
    ----------
    read : callable
        Returns the data.
    protect : callable
        Called with the data and a listener to the progress; returns the release.
    save : callable, optional
        Called with the release; returns options of its ``save``, such as the format.
    page : callable, optional
        Returns the text of ``report.html``: called with the release and the data, and by name
        with ``verification``, which was made without the original, and ``progress``.
    keeps_rows : bool
        Whether released rows are rows of the data, so that verification compares them.
    """

    read: Callable[[], Any]
    protect: Callable[[Any, Progress], Release[Any]]
    save: Callable[[Release[Any]], Mapping[str, Any]] = lambda _: {}
    page: Callable[..., str] | None = None
    keeps_rows: bool = False


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Published:
    """A release in its folder, the data it came from, what was found, and its ledger entry."""

    release: Release[Any]
    data: Any
    verification: Verification
    entry: Entry | None


def publish(
    job: Job,
    folder: str | os.PathLike[str],
    *,
    overwrite: bool = False,
    experiments: bool = False,
    ledger: str | os.PathLike[str] | None = None,
    source: str = "data",
    on_stage: OnStage | None = None,
) -> Published:
    """Do a job in all its stages; at the end the folder is there, verified, or nothing is.

    Parameters
    ----------
    job : Job
        What to read, and how to protect it.
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
    on_stage : callable, optional
        Hears of every stage: at 0, on the way where the stage reports, and at 1. What it raises
        stops the work.

    Raises
    ------
    DataError
        Before the work begins, if the ledger cannot be used.
    ParameterError
        If the folder may not be replaced.
    GuaranteeError
        If the ledger's budget does not allow the release.
    VerificationError
        If the release is refuted, or is an experiment that was not asked for; nothing is
        published.
    """
    from discreet.verify import verify_release

    if ledger is not None:
        check_ledger(ledger)
    entry: Entry | None = None
    hear: OnStage = on_stage or (lambda _stage, _share: None)
    try:
        with atomic_folder(folder, files=RELEASE_FILES, overwrite=overwrite) as staging:
            with _stage("read", hear):
                data = job.read()
                _refuse_names(data)
            with _stage("protect", hear) as progress:
                release = job.protect(data, progress)
            with _stage("count", hear):
                if ledger is not None:
                    entry = Ledger.open(ledger).record(release, source=source)
            # Saved one level deeper, so that the temporary folder keeps its lock, then moved up.
            saved, options = staging / "release", job.save(release)
            with _stage("save", hear):
                release.save(saved, **options)
            with _stage("verify", hear) as progress:
                verification = verify_release(
                    saved,
                    original=data if job.keeps_rows else None,
                    hierarchies=release.hierarchies,
                    progress=progress,
                )
                _refuse_faults(verification, experiments=experiments)
            with _stage("report", hear) as progress:
                if job.page is not None:
                    # What the page says was checked is what everybody can check.
                    alone = verify_release(saved)
                    page = job.page(release, data, verification=alone, progress=progress)
                    release.save(saved, report=page, overwrite=True, **options)
                    _refuse_faults(verify_release(saved), experiments=experiments)
            for path in saved.iterdir():
                path.rename(staging / path.name)
            saved.rmdir()
    except BaseException:
        if entry is not None:
            warnings.warn(
                f"The ledger counts this release (entry {entry.number} of '{entry.source}'), "
                "although it did not come to be published.",
                DiscreetWarning,
                stacklevel=2,
            )
        raise
    return Published(release=release, data=data, verification=verification, entry=entry)


def check_ledger(place: str | os.PathLike[str]) -> None:
    """Raise DataError if a ledger cannot be used; one that is not there yet will be made."""
    if "://" not in str(place) and not Path(place).exists():
        if not Path(place).parent.is_dir():
            raise DataError(
                f"The folder {Path(place).parent} of the ledger does not exist. Make it first."
            )
        return
    Ledger.open(place, create=False)


def whole_share(progress: Progress) -> OnStage:
    """Return a listener to stages that passes on the share of the whole work.

    Examples
    --------
    >>> shares = []
    >>> on_stage = whole_share(shares.append)
    >>> on_stage("read", 1.0), on_stage("protect", 0.5), shares
    (None, None, [0.1, 0.4])
    """
    starts = dict(zip(STAGES, accumulate(STAGES.values(), initial=0.0), strict=False))

    def on_stage(stage: Stage, share: float, /) -> None:
        progress(min(1.0, round(starts[stage] + STAGES[stage] * share, 6)))

    return on_stage


@contextmanager
def _stage(name: Stage, on_stage: OnStage) -> Iterator[Progress]:
    """OnStage of the beginning and the end of a stage, and return the callable for its progress."""
    on_stage(name, 0.0)
    yield lambda share: on_stage(name, share)
    on_stage(name, 1.0)


def _refuse_names(data: object) -> None:
    """Raise DataError if a column has a name that no release may have, before work begins."""
    if not isinstance(data, Table):
        return
    published = [name for name in data.columns if name not in data.identifying]
    fault = fault_of_names(published)
    if fault is not None:
        raise DataError(
            f"{fault}.",
            remedy="Correct the header, or name all columns in their order: {names}.",
            options={"names": ...},
        )


def _refuse_faults(found: Verification, *, experiments: bool) -> None:
    """Raise VerificationError if a release is refuted, or an experiment nobody asked for.

    What is consistent is published: that noise was drawn is known to who drew it.
    """
    if found.answer == "refuted" or (found.experimental and not experiments):
        raise VerificationError(f"Nothing was published: {found.sentence}")
