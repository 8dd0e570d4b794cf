"""From a policy to a release folder: read, protect, count, save, verify, publish."""

from __future__ import annotations

import time
import warnings
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING

from discreet.data.files.atomic import atomic_path
from discreet.data.table import Table
from discreet.errors import DataError, DiscreetWarning, InfeasibleError, ParameterError
from discreet.policy.hierarchies import load_hierarchies
from discreet.policy.load import load_data, read_like
from discreet.policy.methods import Patterns
from discreet.policy.model import Policy
from discreet.policy.publish import published_policy
from discreet.policy.publish_release import Draft, check_ledger, publish_release
from discreet.policy.read import read_policy
from discreet.policy.run_result import RunResult

if TYPE_CHECKING:
    import os
    from typing import Unpack

    from discreet.data.transactions import Transactions
    from discreet.mine.limits import Limits
    from discreet.release.release import Release
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
    The policy in the folder is that of :func:`~discreet.policy.publish.published_policy`.
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
        from discreet.report.html import html_report

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
    from discreet.report.html import html_report

    text = html_report(release, original=table, internal=True, verification=verification)
    with atomic_path(page, overwrite=overwrite) as temporary:
        temporary.write_bytes(text.encode())
