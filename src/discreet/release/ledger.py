"""The ledger: every release of a source, what they cost together, and how much may be spent.

It is append-only: a release once published cannot be taken back, and neither can its entry.
A release that would pass the budget is refused in the same transaction that would record it.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from fractions import Fraction
from typing import TYPE_CHECKING

from discreet.database import open_database
from discreet.errors import DataError, GuaranteeError, ParameterError
from discreet.release.composition import Entry, Loss, Remaining, compose
from discreet.release.exact import exact
from discreet.release.ledger_rows import read_budget, read_entries, read_key
from discreet.release.ledger_rules import refuse_past_budget, warn_of_composition
from discreet.release.store import LEDGER

if TYPE_CHECKING:
    import os
    from decimal import Decimal

    from discreet.database import Database
    from discreet.release.any_release import AnyRelease
    from discreet.release.composition import Spent
    from discreet.release.fingerprint import FingerprintKey


@dataclass(frozen=True, slots=True)
class Ledger:
    """An append-only record of releases; made by :meth:`open`.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> ledger = Ledger.open(Path(tempfile.mkdtemp()) / "ledger.sqlite")
    >>> ledger.budget("census", epsilon=1).epsilon
    Fraction(1, 1)
    >>> ledger.spent("census").n_releases
    0
    """

    _store: Database

    @classmethod
    def open(cls, url_or_path: str | os.PathLike[str], *, create: bool = True) -> Ledger:
        """Return the ledger in a file or a database.

        Parameters
        ----------
        url_or_path : str or path
            The path of an SQLite file, or ``postgresql://user@host/database``.
        create : bool
            Whether a ledger that is not there is made. A mistyped path is then a new ledger,
            in which nothing is spent: give False where one must exist.

        Returns
        -------
        Ledger
            Each operation makes its own connection. Keep the ledger as you keep the data: it
            holds the keys of fingerprints.

        Raises
        ------
        DataError
            If it cannot be opened, is not a ledger, or of a newer version.
        ParameterError
            If the URL is of another kind, or the driver for PostgreSQL is missing.
        """
        return cls(open_database(url_or_path, LEDGER, create=create))

    def record(self, release: AnyRelease, *, source: str) -> Entry:
        """Add a release, unless that would pass the budget, and return its entry.

        Parameters
        ----------
        release : Release or RandomizedRelease
            Record it before it is published: an entry too many costs budget, one too few costs
            privacy. The key of its fingerprint is kept, if it is there.
        source : str
            What the data is about, the same name for every release of it.

        Returns
        -------
        Entry
            As it was recorded.

        Raises
        ------
        GuaranteeError
            If the source has a budget and the release would pass it, has no epsilon to count (as
            k-anonymity or a seeded run), or protects another unit than the others.

        Warns
        -----
        CompositionWarning
            If this is not the first release of the source without differential privacy, or if
            epsilons of different units or neighbours meet. A collection of patterns that was
            derived from a recorded one is no reason.
        """
        source = _checked(source)
        entry = Entry(
            source=source,
            number=0,
            recorded=_now(),
            guarantee=release.guarantee,
            events=release.events,
            fingerprint=release.fingerprint,
            created=str(release.to_dict()["created"]),
            version=release.version,
        )
        with self._store.writing(source) as run:
            earlier = read_entries(run, source)
            refuse_past_budget(entry, earlier, read_budget(run, source))
            warn_of_composition(entry, earlier)
            entry = replace(entry, number=len(earlier) + 1)
            run(
                "INSERT INTO discreet_releases (source, number, recorded, model, record) "
                "VALUES (?, ?, ?, ?, ?)",
                (source, entry.number, entry.recorded, entry.guarantee.model,
                 json.dumps(release.to_dict(), sort_keys=True, ensure_ascii=True)),
            )  # fmt: skip
            key = release.fingerprint.key if release.fingerprint is not None else None
            if key is not None and not read_key(run, key.key_id):
                run(
                    "INSERT INTO discreet_keys (key_id, secret, recorded) VALUES (?, ?, ?)",
                    (key.key_id, key.secret.hex(), entry.recorded),
                )
        return entry

    def budget(
        self,
        source: str,
        *,
        epsilon: Fraction | Decimal | float,
        delta: Fraction | Decimal | float = 0,
    ) -> Remaining:
        """Set how much all releases of a source may cost together, and return what is left.

        Parameters
        ----------
        source : str
            The source.
        epsilon : number
            More than 0. A float stands for the binary number it is; see
            :func:`discreet.release.exact.exact`.
        delta : number
            At least 0 and less than 1.

        Returns
        -------
        Remaining
            What is left of it. Earlier budgets stay in the ledger; the last one counts.

        Raises
        ------
        GuaranteeError
            If more is spent already, or the source has releases that no epsilon covers.
        ParameterError
            If a figure is out of its range.
        """
        source = _checked(source)
        limits = {"epsilon": epsilon, "delta": delta}
        figures = Loss(**{name: Fraction(exact(name, limit)) for name, limit in limits.items()})
        if figures.epsilon <= 0 or not 0 <= figures.delta < 1:
            raise ParameterError(f"A budget has epsilon > 0 and 0 <= delta < 1, not {figures}.")
        with self._store.writing(source) as run:
            spent = compose(source, read_entries(run, source))
            if spent.n_without_epsilon or not spent.loss.is_within(figures):
                raise GuaranteeError(
                    f"A budget of {figures} cannot hold for '{source}': {spent.loss} is spent"
                    f"{', and ' + spent.notes[-1] if spent.n_without_epsilon else '.'}"
                )
            (number,) = run("SELECT count(*) FROM discreet_budgets WHERE source = ?", (source,))[0]
            run(
                "INSERT INTO discreet_budgets (source, number, recorded, epsilon, delta) "
                "VALUES (?, ?, ?, ?, ?)",
                (source, number + 1, _now(), str(figures.epsilon), str(figures.delta)),
            )
        return _remaining(spent, figures)

    def spent(self, source: str) -> Spent:
        """Return what the releases of a source cost together; see :func:`compose`."""
        with self._store.reading() as run:
            return compose(source, read_entries(run, _checked(source)))

    def remaining(self, source: str) -> Remaining | None:
        """Return what is left of the budget of a source, or None if it has none."""
        with self._store.reading() as run:
            figures = read_budget(run, _checked(source))
            if figures is None:
                return None
            return _remaining(compose(source, read_entries(run, source)), figures)

    def entries(self, source: str) -> tuple[Entry, ...]:
        """Return the recorded releases of a source, oldest first."""
        with self._store.reading() as run:
            return tuple(read_entries(run, _checked(source)))

    def sources(self) -> tuple[str, ...]:
        """Return all sources that have releases or a budget."""
        with self._store.reading() as run:
            released = run("SELECT DISTINCT source FROM discreet_releases")
            budgeted = run("SELECT DISTINCT source FROM discreet_budgets")
        return tuple(sorted({source for (source,) in released + budgeted}))

    def key(self, key_id: str) -> FingerprintKey:
        """Return the key of a recorded fingerprint, to check an input with."""
        with self._store.reading() as run:
            found = read_key(run, key_id)
        if found is None:
            raise DataError(f"The ledger {self._store.shown} has no key {key_id}.")
        return found


def _now() -> str:
    """Return the time in whole seconds of UTC."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _checked(source: object) -> str:
    """Return the name of a source, or raise ParameterError if it is none."""
    if not isinstance(source, str) or not source.strip() or not source.isprintable():
        raise ParameterError(f"A source has a printable name, not {source!r}.")
    return source


def _remaining(spent: Spent, budget: Loss) -> Remaining:
    """Return what is left of a budget."""
    return Remaining(
        source=spent.source,
        epsilon=budget.epsilon - spent.epsilon,
        delta=budget.delta - spent.delta,
        budget=budget,
    )
