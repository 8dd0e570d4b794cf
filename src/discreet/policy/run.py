"""From a policy to a release folder: read, protect, count, save, verify, publish."""

from __future__ import annotations

import re
import time
import warnings
from dataclasses import dataclass, field
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from discreet.data.files.packed import atomic_path
from discreet.data.table import Table
from discreet.errors import (
    DataError,
    DiscreetWarning,
    InfeasibleError,
    ParameterError,
    VerificationError,
)
from discreet.policy.load import load_data, load_hierarchies, read_like
from discreet.policy.methods import Patterns
from discreet.policy.model import Policy, read_policy
from discreet.policy.section import toml_comment, toml_table
from discreet.release.folder import RELEASE_FILES, atomic_folder
from discreet.release.ledger import Ledger
from discreet.result import Preview, Result

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Mapping
    from typing import Unpack

    from discreet.data.transactions import Transactions
    from discreet.limits import Limits
    from discreet.release.composition import Entry
    from discreet.release.guarantee import Guarantee
    from discreet.release.release import AnyRelease, Release
    from discreet.verify import Verification


def run_policy(
    policy: Policy | str | os.PathLike[str],
    folder: str | os.PathLike[str],
    *,
    overwrite: bool = False,
    internal_report: str | os.PathLike[str] | None = None,
    **limits: Unpack[Limits],
) -> RunResult:
    """Make the release that a policy asks for, verify it, and publish it as a folder.

    Parameters
    ----------
    policy : Policy or path
        The policy, or the file it is in.
    folder : path
        Where the release goes; must not exist, or be empty.
    overwrite : bool
        Whether a release that is there may be replaced; nothing else ever is.
    internal_report : path, optional
        Where to write the page with everything in it, not for publication; never inside
        the folder of a release.
    **limits : Limits
        ``threads``, ``max_itemsets``, ``max_memory``, ``progress``.

    Returns
    -------
    RunResult
        Where the release is, what it guarantees, what was lost, and what verification found.

    Raises
    ------
    DataError
        If the data cannot be read, or the release cannot be written.
    ParameterError
        If the policy does not fit the data, or the folder may not be replaced.
    InfeasibleError
        If no row could be released.
    GuaranteeError
        If the ledger's budget does not allow the release.
    VerificationError
        If the release does not keep what it claims; nothing is published.

    Notes
    -----
    The ledger counts the release before it is published: an entry too many costs budget, one
    too few costs privacy. If a step after that fails, the entry stays, and a warning says so.
    The policy in the folder is that of :func:`~discreet.policy.run.published_policy`.
    """
    started = time.perf_counter()
    chosen = policy if isinstance(policy, Policy) else read_policy(policy)
    target = Path(folder)
    page = None if internal_report is None else Path(internal_report)
    _check_page(page, target, overwrite=overwrite)
    _check_ledger(chosen)
    data = cache(partial(load_data, chosen))
    done = publish_release(
        lambda: _draft(chosen, data(), limits),
        target,
        overwrite=overwrite,
        ledger=_ledger_place(chosen),
        source=chosen.source_name,
    )
    if page is not None:
        _write_page(page, done.release, data(), done.verification, overwrite=overwrite)
    return RunResult.of(
        done.release,
        data(),
        folder=target,
        method=chosen.method.name,
        verification=done.verification,
        entry=done.entry,
        internal_report=page,
        seconds=time.perf_counter() - started,
    )


def _protect(policy: Policy, table: Table | Transactions, limits: Limits) -> Release:
    """Return the release, unless it would have no rows."""
    if isinstance(policy.method, Patterns):
        return policy.method.protect(table, **limits)
    assert isinstance(table, Table)  # load_data saw to it
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "No row is left", DiscreetWarning)  # said below
        release = policy.method.protect(
            table,
            read=partial(read_like, policy),
            hierarchies=load_hierarchies(policy, table),
            **limits,
        )
    if not release.data.n_rows:
        raise InfeasibleError(
            f"No row of {policy.source_path} could be released: no rows are alike enough. Ask for "
            "less (a smaller k), or for fewer or coarser columns."
        )
    return release


def _draft(policy: Policy, data: Table | Transactions, limits: Limits) -> Draft[Release]:
    """Return the release with the policy and the page that go with it."""
    release = _protect(policy, data, limits)
    text = published_policy(policy, release)
    original = data if policy.method.keeps_rows else None
    report = None
    if policy.release.report:
        from discreet.report.page import html_report

        report = partial(html_report, original=original, policy=text)
    return Draft(
        release=release,
        report=report,
        original=original,
        options={"format": policy.release.format, "policy": text},
    )


def _check_ledger(policy: Policy) -> None:
    """Say where the policy names a ledger that cannot be used."""
    place = _ledger_place(policy)
    if place is None:
        return
    try:
        check_ledger(place)
    except DataError as error:
        raise DataError(f"{policy.where('ledger', 'path')}{error}") from error


def _ledger_place(policy: Policy) -> str | Path | None:
    """Return the URL or the path of the ledger, if there is one."""
    if policy.ledger is None:
        return None
    if policy.ledger.url is not None:
        return policy.ledger.url
    assert policy.ledger.path is not None
    return policy.folder / policy.ledger.path


def _check_page(page: Path | None, target: Path, *, overwrite: bool) -> None:
    """Refuse a page for internal use that cannot be written or would be published."""
    if page is None:
        return
    if page.absolute().is_relative_to(target.absolute()):
        raise ParameterError(
            f"{page} lies in the folder that is published; the internal report must not. "
            "Choose another place."
        )
    if page.is_dir() or not page.parent.is_dir():
        raise ParameterError(f"{page} cannot be written. Give the name of a file in a folder.")
    if page.exists() and not overwrite:
        raise ParameterError(f"{page} exists. Choose another name, or pass overwrite=True.")


def _write_page(
    page: Path,
    release: Release,
    table: Table | Transactions,
    verification: Verification,
    *,
    overwrite: bool,
) -> None:
    """Write the page for internal use."""
    from discreet.report.page import html_report

    text = html_report(release, original=table, internal=True, verification=verification)
    with atomic_path(page, overwrite=overwrite) as temporary:
        temporary.write_bytes(text.encode())


# What came of running a policy.


@dataclass(frozen=True, slots=True, kw_only=True)
class RunResult(Result):
    """A published release: where it is, what it claims, what it lost, what was verified.

    Attributes
    ----------
    folder : Path
        Where the release is.
    method : str
        How it was made.
    guarantee : Guarantee
        What it claims.
    n_rows, n_released : int
        Rows of the source and of the release.
    n_cells, n_suppressed : int
        Cells of the release, and how many of them are hidden; None if that cannot be told
        from cells that were missing before.
    verification : Verification
        What the independent checker found.
    entry : Entry, optional
        What the ledger counts.
    internal_report : Path, optional
        The page that is not for publication.
    seconds : float
        How long it took.
    loss : Result, optional
        What the method measured of the loss itself, not for publication; for patterns, whose
        released rows are itemsets, for generalization, and for drawn rows.
    """

    folder: Path
    method: str
    guarantee: Guarantee
    n_rows: int
    n_released: int
    n_cells: int
    n_suppressed: int | None
    verification: Verification
    entry: Entry | None
    internal_report: Path | None
    seconds: float
    loss: Result | None = None

    @classmethod
    def of(
        cls,
        release: Release,
        table: Table | Transactions,
        *,
        folder: Path,
        method: str,
        verification: Verification,
        entry: Entry | None,
        internal_report: Path | None,
        seconds: float,
    ) -> RunResult:
        """Return the result of a run, its loss measured."""
        return cls(
            folder=folder,
            method=method,
            guarantee=release.guarantee,
            n_rows=len(table),
            n_released=_released(release),
            n_cells=release.data.n_rows * release.data.n_columns,
            n_suppressed=_suppressed(release, table),
            verification=verification,
            entry=entry,
            internal_report=internal_report,
            seconds=seconds,
            loss=release.loss,
        )

    @property
    def sentence(self) -> str:
        """The loss in one plain sentence."""
        if self.method.startswith("patterns-") and self.loss is not None:
            return f"{self.n_released:,} itemsets released. {self.loss.preview().title}"
        if self.method == "synthesize" and self.loss is not None:
            drawn = f"{self.n_released:,} rows drawn in place of {self.n_rows:,}."
            return f"{drawn} {self.loss.preview().title}"
        n_lost = self.n_rows - self.n_released
        rows = (
            f"{self.n_released:,} of {self.n_rows:,} rows released, {n_lost:,} "
            f"({n_lost / max(self.n_rows, 1):.1%}) left out"
        )
        if self.loss is not None:
            return f"{rows}. {self.loss.preview().title}"
        if self.n_suppressed is None:
            return f"{rows}."
        rate = self.n_suppressed / max(self.n_cells, 1)
        return f"{rows}; {self.n_suppressed:,} of {self.n_cells:,} cells ({rate:.1%}) hidden."

    def preview(self) -> Preview:
        """Return the claim, the loss, the verification, and where things are."""
        rows = [
            ("guarantee", self.guarantee.sentence),
            ("loss", self.sentence),
            ("verified", self.verification.sentence),
        ]
        if self.entry is not None:
            rows.append(("ledger", f"entry {self.entry.number} of '{self.entry.source}'"))
        if self.internal_report is not None:
            rows.append(("internal", f"{self.internal_report}: not for publication"))
        return Preview(title=f"Release in {self.folder}", header=("", ""), rows=rows)

    def to_dict(self) -> dict[str, object]:
        """Return all fields as plain values."""
        page = self.internal_report
        return {
            "folder": str(self.folder),
            "method": self.method,
            "guarantee": self.guarantee.to_dict(),
            "sentence": self.guarantee.sentence,
            "n_rows": self.n_rows,
            "n_released": self.n_released,
            "n_cells": self.n_cells,
            "n_suppressed": self.n_suppressed,
            "loss": None if self.loss is None else self.loss.to_dict(),
            "verification": self.verification.to_dict(),
            "ledger": None
            if self.entry is None
            else {"source": self.entry.source, "number": self.entry.number},
            "internal_report": None if page is None else str(page),
            "seconds": round(self.seconds, 3),
        }


def _released(release: Release) -> int:
    """Return how many rows a release has; of patterns, how many itemsets, the witness aside."""
    from discreet.patterns.release import is_pattern_release

    if is_pattern_release(release):
        return release.events[-1].counts["n_itemsets"]
    return release.data.n_rows


def _suppressed(release: Release, table: Table | Transactions) -> int | None:
    """Return how many cells of a release are hidden, if its rows can be told."""
    from discreet.data.table import Table
    from discreet.utility import cells_changed

    if release.input_rows is None or not isinstance(table, Table):
        return None
    before = table.select(release.data.columns)
    return cells_changed(before, release.data, rows=release.input_rows).n_suppressed


# The policy as it may be published beside the data.
#
# A policy file can hold what is nobody's business: folders of a machine, the password of a
# database, remarks. What is published is written anew from what the policy means: the source's file
# name without its folder, no ledger, no comments.

_FOLDERS = re.compile(r".*[/\\]", re.DOTALL)


def published_policy(policy: Policy, release: Release | None = None) -> str:
    """Return the text of a policy that may be read by anybody.

    Parameters
    ----------
    policy : Policy
        The policy that was used.
    release : Release, optional
        What came of it: a ``min_frequency`` is published as the ``min_support`` that it meant.
        Both together would tell how many rows the original has.

    Returns
    -------
    str
        TOML with the same source options, roles, hierarchies, method and format. Files are
        their names alone, and the ledger is left out.

    Examples
    --------
    >>> from discreet.policy.model import make_policy
    >>> policy = make_policy({
    ...     "source": {"file": "/home/me/people.csv"}, "method": {"name": "k-mii", "k": 5},
    ...     "ledger": {"url": "postgresql://me:secret@host/db"}})
    >>> print(published_policy(policy))
    # The policy this release was made with, without folders, ledger and remarks.
    <BLANKLINE>
    [source]
    file = "people.csv"
    <BLANKLINE>
    [method]
    name = "k-mii"
    k = 5
    leftover = "drop"
    <BLANKLINE>
    [release]
    format = "parquet"
    report = true
    <BLANKLINE>
    """
    source = policy.source.model_dump(exclude_defaults=True)
    source["file"] = _FOLDERS.sub("", policy.source.file)
    bins = source.pop("bins", {})
    method = policy.method.model_dump(exclude_none=True)
    if "min_frequency" in method and release is not None:
        del method["min_frequency"]
        method["min_support"] = release.guarantee.parameters["min_support"]
    if "public" in method:
        method["public"] = _FOLDERS.sub("", method["public"])
    hierarchies = {name: _FOLDERS.sub("", file) for name, file in policy.hierarchies.items()}
    tables = [
        toml_comment("The policy this release was made with, without folders, ledger and remarks.")
        + "\n",
        toml_table("source", source),
        toml_table("source.bins", bins) if bins else "",
        toml_table("roles", policy.roles) if policy.roles else "",
        toml_table("hierarchies", hierarchies) if hierarchies else "",
        toml_table("method", {"name": method.pop("name"), **method}),
        toml_table("release", policy.release.model_dump()),
    ]
    return "\n".join(table for table in tables if table)


# From a release in memory to a folder: counted, saved, verified, and only then there.
#
# Everything is made in a hidden folder beside the target, verified there, and takes the target's
# name in the last step: what is there is whole and verified, or it is not there.

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
