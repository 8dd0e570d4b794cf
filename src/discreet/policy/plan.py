"""What a release would cost at several settings, before one is chosen."""

from __future__ import annotations

import os
import time
import warnings
from functools import partial
from typing import TYPE_CHECKING

from discreet.assess.classes import equivalence_classes
from discreet.data.table import Table
from discreet.errors import DiscreetWarning, ParameterError
from discreet.generalize.loss_summary import LossSummary
from discreet.policy.hierarchies import load_hierarchies
from discreet.policy.load import load_source, read_like
from discreet.policy.methods import KMii, no_files
from discreet.policy.model import Policy
from discreet.policy.plan_result import Plan, Setting
from discreet.policy.read import read_policy
from discreet.utility import cells_changed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Unpack

    from discreet.mine.limits import Limits
    from discreet.policy.methods import Read
    from discreet.release.release import Release

KS = (2, 3, 5, 10, 20, 50)


def plan(
    what: Policy | str | os.PathLike[str] | Table | object,
    *,
    ks: Iterable[int] = KS,
    **limits: Unpack[Limits],
) -> Plan:
    """Return loss, risk and time of a method at several sizes of class; writes nothing.

    Parameters
    ----------
    what : Policy, path of one, Table or frame
        A policy is planned with its own method and options, and its file is read; a table
        with K-MII on all columns but the identifying ones.
    ks : iterable of int
        Sizes of class to try, each at least 2. Methods with ``theta`` are tried with k - 1.
    **limits : Limits
        ``threads``, ``max_itemsets``, ``max_memory``, ``progress``.

    Returns
    -------
    Plan
        One setting for each k: cells hidden, rows lost, smallest class, risk, seconds; of
        methods that generalize, also the loss that they keep small.

    Raises
    ------
    ParameterError
        If a k is below 2, or none is given.

    Notes
    -----
    Not for publication: a plan describes the original. Every setting is run in full, one after
    the other; ``plan`` takes as long as all of them together.

    Examples
    --------
    >>> import discreet as dc
    >>> people = dc.datasets.census(1000).select(["sex", "region", "education"])
    >>> found = plan(people, ks=(2, 5))
    >>> [setting.smallest_class >= setting.k for setting in found.settings]
    [True, True]
    """
    chosen = _checked(ks)
    if isinstance(what, str | os.PathLike):
        what = read_policy(what)
    if isinstance(what, Policy) and not what.method.keeps_rows:
        raise ParameterError(
            f"plan compares sizes of class, and {what.method.name} makes none. "
            f"{what.method.planned_by}"
        )
    if isinstance(what, Policy):
        table, method = load_source(what), what.method
        read: Read = partial(read_like, what)
        hierarchies = load_hierarchies(what, table)
    else:
        table = what if isinstance(what, Table) else Table.from_frame(what)
        method, read, hierarchies = KMii(k=2), no_files, {}
    covered = method.covered(table)
    before = equivalence_classes(table, covered)
    progress = limits.pop("progress", None)
    settings = []
    for place, k in enumerate(chosen):
        if progress is not None:

            def report(fraction: float, /, place: int = place) -> None:
                assert progress is not None
                progress((place + fraction) / len(chosen))

            limits["progress"] = report
        protect = partial(method.at(k).protect, read=read, hierarchies=hierarchies)
        settings.append(_try(protect, k, table, covered, limits))
        if progress is not None:
            progress((place + 1) / len(chosen))
    return Plan(
        method=method.name,
        columns=tuple(covered),
        n_rows=table.n_rows,
        n_unique=int((before.sizes == 1).sum()),
        mean_risk=len(before.sizes) / max(table.n_rows, 1),
        settings=tuple(settings),
    )


def _try(
    protect: Callable[..., Release],
    k: int,
    table: Table,
    covered: tuple[str, ...],
    limits: Limits,
) -> Setting:
    """Return what one setting costs."""
    started = time.perf_counter()
    with warnings.catch_warnings():
        # That no row is left is said by the table.
        warnings.simplefilter("ignore", DiscreetWarning)
        release = protect(table, **limits)
    seconds = time.perf_counter() - started
    data = release.data
    after = equivalence_classes(data, covered)
    lost = None
    if release.input_rows is not None:
        lost = cells_changed(table.select(data.columns), data, rows=release.input_rows)
    return Setting(
        k=k,
        n_released=data.n_rows,
        n_lost=table.n_rows - data.n_rows,
        suppressed_rate=None if lost is None else lost.suppressed_rate,
        loss_rate=None if lost is None else lost.loss_rate,
        loss=release.loss.loss if isinstance(release.loss, LossSummary) else None,
        smallest_class=int(after.sizes.min()) if data.n_rows else 0,
        n_unique=int((after.sizes == 1).sum()),
        mean_risk=len(after.sizes) / data.n_rows if data.n_rows else 0.0,
        seconds=seconds,
    )


def _checked(ks: Iterable[int]) -> tuple[int, ...]:
    """Return the sizes in order, each once."""
    chosen = tuple(sorted(set(ks)))
    wrong = next((k for k in chosen if not _is_size(k)), None)
    if wrong is not None:
        raise ParameterError(f"k is a whole number of at least 2, not {wrong!r}.")
    if not chosen:
        raise ParameterError("Give at least one k to try.")
    return chosen


def _is_size(k: object) -> bool:
    """Say whether something is a size of class to try."""
    return isinstance(k, int) and not isinstance(k, bool) and k >= 2
