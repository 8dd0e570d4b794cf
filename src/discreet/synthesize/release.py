"""From a table to a release of drawn rows: fitted, drawn, and claimed for what it is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from discreet.data.table import Table
from discreet.release.fingerprint import Fingerprint
from discreet.release.release import Release
from discreet.synthesize.claims import synthetic_claim, synthetic_events
from discreet.synthesize.domains import published_columns
from discreet.synthesize.row_drawer import check_numbers
from discreet.synthesize.synthesizer import KrimpSynthesizer

if TYPE_CHECKING:
    from collections.abc import Iterable
    from fractions import Fraction

    from discreet.data.listed_values import DomainsLike
    from discreet.progress import Progress
    from discreet.release.any_release import AnyRelease
    from discreet.synthesize.budget import Split
    from discreet.synthesize.synthesizer import Generator, Trust


def synthetic_release(
    table: object,
    *,
    epsilon: Fraction | float,
    delta: Fraction | float = 0,
    trust: Trust = "central",
    n_rows: int | None = None,
    label: str | None = None,
    columns: Iterable[str] | None = None,
    domains: DomainsLike | None = None,
    generator: Generator = "pairs",
    split: Split = "pairs",
    seed: int | None = None,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Release:
    """Return a release of drawn rows in place of a table, with the claim that holds for it.

    Parameters
    ----------
    table : Table or frame
        One row per person; identifying columns are left out.
    epsilon, delta, trust, label, columns, domains, generator, split, seed
        As in :class:`~discreet.synthesize.KrimpSynthesizer`.
    n_rows : int, optional
        How many rows to draw, at least 0; about as many as the table has by default.
    threads : int, optional
        All cores by default. The rows do not depend on it.
    progress : callable, optional
        Called with the share of the fitting done.

    Returns
    -------
    Release
        Save it with :meth:`~discreet.release.release.Release.save`. Its events list every
        quantity that was measured, with its noise.

    Raises
    ------
    ParameterError
        If an option is out of its range.
    DataError
        If a cell has a value that is not listed, or nothing is left to publish.
    LimitError
        If the columns have too many values in all, or there are more rows than memory holds.

    Notes
    -----
    **Guarantee.** Central trust: (epsilon, delta)-differential privacy for adding or removing
    one row. Local trust: epsilon-local differential privacy for a row. Without ``domains`` the
    lists of values are read from the table, which the guarantee does not cover.

    Examples
    --------
    >>> people = Table.from_frame({"sex": ["f", "m"] * 500, "job": ["nurse", "smith"] * 500})
    >>> release = synthetic_release(people, epsilon=1, delta=1e-6, n_rows=200, seed=1)
    >>> release.data.n_rows, release.guarantee.experimental
    (200, True)
    >>> print(release.guarantee.model)
    (epsilon, delta)-differential privacy
    """
    given = table if isinstance(table, Table) else Table.from_frame(table)
    names = published_columns(given, columns)
    check_numbers(0 if n_rows is None else n_rows, threads=threads, n_columns=len(names))
    made = KrimpSynthesizer(
        epsilon, delta=delta, trust=trust, generator=generator, label=label, columns=names,
        domains=domains, split=split, seed=seed,
    ).fit(given, progress=progress)  # fmt: skip
    n_drawn = made.n_rows if n_rows is None else n_rows
    check_numbers(n_drawn, n_columns=len(names))
    drawn = made.sample(n_drawn, threads=threads)
    return Release(
        data=drawn,
        guarantee=synthetic_claim(made, columns=drawn.columns),
        events=synthetic_events(
            made, domain={name: tuple(made.model.domain[name]) for name in drawn.columns}
        ),
        fingerprint=Fingerprint.of(given),
    )


def is_synthetic_release(release: AnyRelease) -> bool:
    """Say whether the rows of a release were drawn, so that they are nobody's."""
    return any(event.name == "draw_rows" for event in release.events)
