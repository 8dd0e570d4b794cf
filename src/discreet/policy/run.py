"""From a policy to a release folder, and what came of it."""

from __future__ import annotations

import re
import time
import warnings
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from discreet import checks
from discreet.data.files.packed import atomic_path, refuse_odd_name
from discreet.data.table import Table
from discreet.errors import DataError, DiscreetWarning, InfeasibleError, ParameterError
from discreet.limits import check_limits
from discreet.policy.load import load_data, load_hierarchies, read_like
from discreet.policy.methods import FILES, Context
from discreet.policy.model import Policy, read_policy
from discreet.policy.pipeline import Job, check_ledger, publish, whole_share
from discreet.policy.section import toml_comment, toml_table
from discreet.release.methods import METHODS
from discreet.result import Preview, Result

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping
    from typing import Unpack

    from discreet.data.transactions import Transactions
    from discreet.limits import Limits, Progress
    from discreet.policy.pipeline import OnStage
    from discreet.release.composition import Entry
    from discreet.release.guarantee import Guarantee
    from discreet.release.release import Release
    from discreet.verify import Verification


def run_policy(
    policy: Policy | str | os.PathLike[str],
    folder: str | os.PathLike[str],
    *,
    overwrite: bool = False,
    internal_report: str | os.PathLike[str] | None = None,
    data: Table | Transactions | None = None,
    seed: int | None = None,
    on_stage: OnStage | None = None,
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
    data : Table or Transactions, optional
        What :func:`~discreet.policy.load.load_data` returned for the policy, if the source was
        read already.
    seed : int, optional
        For experiments that are repeated: the certificate says so, and it is not to publish.
    on_stage : callable, optional
        Called with the name of each stage (read, protect, count, save, verify, report) and the
        share of it done. Raising from it stops the work, and nothing is published.
    **limits : Limits
        ``threads``, ``max_itemsets``, ``max_memory``; ``progress`` hears the share of the whole.

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
    check_limits(limits)
    if seed is not None:
        checks.whole("seed", seed, at_least=0)
    target = Path(folder)
    page = None if internal_report is None else Path(internal_report)
    _check_page(chosen, page, target, overwrite=overwrite)
    _check_ledger(chosen)
    progress = limits.pop("progress", None)
    if on_stage is None and progress is not None:
        on_stage = whole_share(progress)
    done = publish(
        Job(
            read=partial(load_data, chosen) if data is None else lambda: data,
            protect=partial(_protect, chosen, limits, seed),
            save=partial(_save_options, chosen),
            page=partial(_page, chosen) if chosen.release.report else None,
            keeps_rows=chosen.method.record.publishes == "rows",
        ),
        target,
        overwrite=overwrite,
        experiments=seed is not None,
        ledger=_ledger_place(chosen),
        source=chosen.source_name,
        on_stage=on_stage,
    )
    if page is not None:
        _write_page(page, done.release, done.data, done.verification, overwrite=overwrite)
    return RunResult.of(
        done.release,
        done.data,
        folder=target,
        method=chosen.method.name,
        verification=done.verification,
        entry=done.entry,
        internal_report=page,
        seconds=time.perf_counter() - started,
    )


def context_of(policy: Policy, data: Table | Transactions) -> Context:
    """Return the other files and hierarchies that the method of a policy may ask for."""
    return Context(
        read=partial(read_like, policy),
        path=lambda file: policy.folder / file,
        where=partial(policy.where, "method"),
        hierarchies=load_hierarchies(policy, data) if isinstance(data, Table) else {},
    )


def _protect(
    policy: Policy,
    limits: Limits,
    seed: int | None,
    data: Table | Transactions,
    progress: Progress,
) -> Release[Any]:
    """Return the release, unless it would have no rows."""
    limits["progress"] = progress
    record, context = policy.method.record, context_of(policy, data)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "No row is left", DiscreetWarning)  # said below
        release = policy.method.protect(data, context=context, seed=seed, **limits)
    if not len(release.data):
        raise InfeasibleError(
            f"No row of {policy.source_path} could be released: no rows are alike enough. Ask for "
            "less (a smaller k), or for fewer or coarser columns."
        )
    if record.publishes == "synthetic rows":  # what is lost is known before anything is drawn
        return replace(release, loss=policy.method.preview(data, context=context))
    return release


def _save_options(policy: Policy, release: Release[Any]) -> Mapping[str, object]:
    """Return how the release is saved."""
    written = policy.release
    options = {"format": written.format, "export": written.export, "bounds": written.bounds}
    return {**options, "policy": published_policy(policy, release)}


def _page(
    policy: Policy,
    release: Release[Any],
    data: Table | Transactions,
    *,
    verification: Verification,
    progress: Progress,
) -> str:
    """Return the page that is published; it takes from the original what the claim allows."""
    from discreet.report.page import html_report

    return html_report(
        release,
        original=data if policy.method.record.publishes == "rows" else None,
        policy=published_policy(policy, release),
        verification=verification,
        progress=progress,
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


def _check_page(policy: Policy, page: Path | None, target: Path, *, overwrite: bool) -> None:
    """Refuse a page for internal use that cannot be written or would be published."""
    if page is None:
        return
    refuse_odd_name(page)
    if policy.method.record.publishes == "transactions":
        raise ParameterError(
            "The page of randomized transactions is made from them alone: there is no internal "
            "one.",
            parameter="original",
        )
    if page.absolute().is_relative_to(target.absolute()):
        raise ParameterError(
            f"{page} lies in the folder that is published; the internal report must not.",
            parameter="report",
            remedy="Choose another place.",
        )
    if page.is_dir() or not page.parent.is_dir():
        raise ParameterError(
            f"{page} cannot be written.",
            parameter="report",
            remedy="Give the name of a file in a folder.",
        )
    if page.exists() and not overwrite:
        raise ParameterError(
            f"{page} exists.",
            parameter="report",
            remedy="Choose another name, or pass {overwrite}.",
            options={"overwrite": True},
        )


def _write_page(
    page: Path,
    release: Release[Any],
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
        Cells of the release, and how many of them are suppressed; None if that cannot be decided
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
        released rows are itemsets, for generalization, and for synthetic rows.
    release : Release
        What was published, as it was in memory.
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
    release: Release[Any] = field(repr=False, compare=False)

    @classmethod
    def of(
        cls,
        release: Release[Any],
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
            n_released=len(release.data),
            n_cells=_cells(release),
            n_suppressed=_suppressed(release, table),
            verification=verification,
            entry=entry,
            internal_report=internal_report,
            seconds=seconds,
            loss=getattr(release, "loss", None),
            release=release,
        )

    @property
    def sentence(self) -> str:
        """The loss in one plain sentence."""
        loss = "" if self.loss is None else f" {self.loss.preview().title}"
        publishes = METHODS[self.method].publishes
        if publishes == "patterns":
            return f"{self.n_released:,} itemsets released.{loss}"
        if publishes == "synthetic rows":
            return f"{self.n_released:,} synthetic rows in place of {self.n_rows:,}.{loss}"
        if publishes == "transactions":
            return f"{self.n_released:,} of {self.n_rows:,} transactions released, randomized."
        n_suppressed = self.n_rows - self.n_released
        rows = (
            f"{self.n_released:,} of {self.n_rows:,} rows released, {n_suppressed:,} "
            f"records ({n_suppressed / max(self.n_rows, 1):.1%}) suppressed"
        )
        if loss:
            return f"{rows}.{loss}"
        if self.n_suppressed is None:
            return f"{rows}."
        rate = self.n_suppressed / max(self.n_cells, 1)
        return f"{rows}; {self.n_suppressed:,} of {self.n_cells:,} cells ({rate:.1%}) suppressed."

    def preview(self) -> Preview:
        """Return the claim, the loss, the verification, and where things are."""
        rows = [
            ("guarantee", self.guarantee.sentence),
            ("loss", self.sentence),
            ("verified", self.verification.sentence),
        ]
        if self.entry is not None:
            rows.append(("ledger", self.entry.sentence))
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
            "ledger": None if self.entry is None else self.entry.to_dict(),
            "internal_report": None if page is None else str(page),
            "seconds": round(self.seconds, 3),
        }


def _cells(release: Release[Any]) -> int:
    """Return how many cells a released table has; transactions have none."""
    data = release.data
    return data.n_rows * data.n_columns if hasattr(data, "n_columns") else 0


def _suppressed(release: Release[Any], table: Table | Transactions) -> int | None:
    """Return how many cells of a release are suppressed, if its rows can be matched."""
    from discreet.utility import cells_changed

    if not isinstance(table, Table) or release.input_rows is None:
        return None
    before = table.select(release.data.columns)
    return cells_changed(before, release.data, rows=release.input_rows).n_suppressed


# The policy as it may be published beside the data. A policy file can hold secrets:
# folders of a machine, the password of a database, remarks. What is published is written anew
# from what the policy means: file names without folders, no ledger, no comments.

_FOLDERS = re.compile(r".*[/\\]", re.DOTALL)


def published_policy(policy: Policy, release: Release[Any] | None = None) -> str:
    """Return the text of a policy that may be read by anybody.

    Parameters
    ----------
    policy : Policy
        The policy that was used.
    release : Release, optional
        What came of it: a ``min_frequency`` is published as the ``min_support`` that it meant.
        Both together would disclose how many rows the original has.

    Returns
    -------
    str
        TOML with the same source options, repairs, roles, hierarchies, method and format. Files are
        their names alone, and the ledger is omitted.

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
    for option, file in policy.method.given():
        if option.kind in FILES:
            method[option.name] = _FOLDERS.sub("", file)
    written = policy.release
    more = written.model_dump(include={"export", "bounds"}, exclude_defaults=True)
    repairs = {name: each.to_repair().to_dict() for name, each in policy.repairs.items()}
    hierarchies = {
        name: _FOLDERS.sub("", how) if isinstance(how, str) else how.as_written()
        for name, how in policy.hierarchies.items()
    }
    tables = [
        toml_comment("The policy this release was made with, without folders, ledger and remarks.")
        + "\n",
        toml_table("source", source),
        toml_table("source.bins", bins) if bins else "",
        toml_table("repairs", repairs) if repairs else "",
        toml_table("roles", policy.roles) if policy.roles else "",
        toml_table("hierarchies", hierarchies) if hierarchies else "",
        toml_table("method", {"name": method.pop("name"), **method}),
        toml_table("release", {"format": written.format, "report": written.report, **more}),
    ]
    return "\n".join(table for table in tables if table)
