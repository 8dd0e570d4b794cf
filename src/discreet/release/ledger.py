"""The ledger: every release of a source, what they cost together, and how much may be spent.

It is append-only: a release once published cannot be taken back, and neither can its entry.
A release that would pass the budget is refused in the same transaction that would record it.
"""

from __future__ import annotations

import json
import warnings
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from discreet import checks
from discreet.database import Form, open_database
from discreet.errors import CompositionWarning, DataError, GuaranteeError, ParameterError
from discreet.release.composition import Entry, Loss, Remaining, compose
from discreet.release.event import Event
from discreet.release.fingerprint import Fingerprint, FingerprintKey
from discreet.release.guarantee import Guarantee

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator, Sequence
    from decimal import Decimal

    from discreet.database import Database, Run
    from discreet.release.composition import Spent
    from discreet.release.release import Release


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

    def record(self, release: Release[Any], *, source: str) -> Entry:
        """Add a release, unless that would pass the budget, and return its entry.

        Parameters
        ----------
        release : Release
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
        figures = Loss(
            epsilon=checks.exact("epsilon", epsilon, above=0),
            delta=checks.exact("delta", delta, at_least=0, below=1),
        )
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
        raise ParameterError(f"A source has a printable name, not {source!r}.", parameter="source")
    return source


def _remaining(spent: Spent, budget: Loss) -> Remaining:
    """Return what is left of a budget."""
    return Remaining(
        source=spent.source,
        epsilon=budget.epsilon - spent.epsilon,
        delta=budget.delta - spent.delta,
        budget=budget,
    )


# What a ledger refuses and what it warns of, when one more release meets the earlier ones.


def refuse_past_budget(new: Entry, earlier: Sequence[Entry], budget: Loss | None) -> None:
    """Raise GuaranteeError if a budget is set and would not hold with one more release."""
    if budget is None:
        return
    claim = new.guarantee
    if new.loss is None:
        why = (
            "is experimental" if claim.experimental else f"has {claim.model}, which has no epsilon"
        )
        raise GuaranteeError(
            f"'{new.source}' has a budget of {budget}, and this release {why}: with it no budget "
            "would hold. Nothing was recorded."
        )
    others = {entry.basis for entry in earlier if entry.loss is not None} - {new.basis}
    if others:
        unit, neighbours = next(iter(others))
        raise GuaranteeError(
            f"'{new.source}' has a budget for {unit} between {neighbours}. This release is about "
            f"{claim.unit} between {claim.neighbours}, which does not add up. Nothing was recorded."
        )
    before = compose(new.source, earlier).loss
    after = compose(new.source, [*earlier, new]).loss
    if not after.is_within(budget):
        raise GuaranteeError(
            f"This release ({new.loss}) would bring '{new.source}' to {after}, past its budget of "
            f"{budget}; spent so far: {before}. Nothing was recorded."
        )


def warn_of_composition(new: Entry, earlier: Sequence[Entry]) -> None:
    """Warn if the release and an earlier one together protect less than is claimed."""
    uncovered = [entry for entry in earlier if entry.loss is None]
    of_patterns, uncovered = advice_on_patterns(new, uncovered)
    if of_patterns:
        warnings.warn(of_patterns, CompositionWarning, stacklevel=3)
    if new.loss is None and uncovered:
        warnings.warn(
            f"'{new.source}' has {len(uncovered)} earlier "
            f"release{'s' if len(uncovered) > 1 else ''} without differential privacy "
            f"({uncovered[-1].guarantee.model}), and this is another one "
            f"({new.guarantee.model}). Who holds both can combine them and single out people "
            "whom each of them protects.",
            CompositionWarning,
            stacklevel=3,
        )
    bases = {entry.basis for entry in earlier if entry.loss is not None}
    if new.loss is not None and bases - {new.basis}:
        warnings.warn(
            f"Releases of '{new.source}' protect different units or compare different neighbours. "
            "Their epsilons do not add up to a guarantee.",
            CompositionWarning,
            stacklevel=3,
        )


# The rows of a ledger as objects.


def read_entries(run: Run, source: str) -> list[Entry]:
    """Return the releases of a source, oldest first, or raise DataError if one is missing."""
    rows = run(
        "SELECT number, recorded, record FROM discreet_releases WHERE source = ? ORDER BY number",
        (source,),
    )
    entries = []
    for place, (number, recorded, record) in enumerate(rows, start=1):
        if number != place:
            raise DataError(f"Release {place} of '{source}' is missing from the ledger.")
        values = json.loads(record)
        held = values["fingerprint"]
        entries.append(
            Entry(
                source=source,
                number=number,
                recorded=recorded,
                guarantee=Guarantee.from_dict(values["guarantee"]),
                events=tuple(Event.from_dict(each) for each in values["events"]),
                fingerprint=None
                if held is None
                else Fingerprint(mac=held["mac"], key_id=held["key_id"]),
                created=values["created"],
                version=values["discreet_version"],
            )
        )
    return entries


def read_budget(run: Run, source: str) -> Loss | None:
    """Return the last budget of a source."""
    rows = run(
        "SELECT epsilon, delta FROM discreet_budgets WHERE source = ? ORDER BY number DESC LIMIT 1",
        (source,),
    )
    if not rows:
        return None
    epsilon, delta = rows[0]
    return Loss(epsilon=Fraction(epsilon), delta=Fraction(delta))


def read_key(run: Run, key_id: str) -> FingerprintKey | None:
    """Return a key by its id."""
    rows = run("SELECT secret FROM discreet_keys WHERE key_id = ?", (key_id,))
    return FingerprintKey(bytes.fromhex(rows[0][0])) if rows else None


# Several collections of patterns of one source: which go together, and what to do otherwise.

DERIVE = "derive"

_ADVICE = (
    "An attacker who holds both can compare supports and find groups that neither discloses. "
    "Sanitize once, at the smallest min_support you need, and derive the others from that release."
)


def advice_on_patterns(new: Entry, earlier: Sequence[Entry]) -> tuple[str | None, list[Entry]]:
    """Return what to say of earlier collections of patterns, and the other earlier releases.

    Parameters
    ----------
    new : Entry
        The release to be recorded.
    earlier : sequence of Entry
        Earlier releases of the source that no epsilon covers.

    Returns
    -------
    str or None
        A warning, if the new release is a collection of patterns that was not derived from the
        earlier ones.
    list of Entry
        Earlier releases that this says nothing of.
    """
    if not _is_patterns(new):
        return None, list(earlier)
    others = [entry for entry in earlier if not _is_patterns(entry)]
    collections = [entry for entry in earlier if _is_patterns(entry)]
    if is_derived(new, collections):
        # It discloses no more than its parent, which was warned of when it was recorded.
        return None, []
    if not collections:
        return None, others
    return f"{_difference(new, collections)} {_ADVICE}", others


def is_derived(new: Entry, collections: Sequence[Entry]) -> bool:
    """Say whether a collection was derived from a recorded one, by larger supports only."""
    if not new.events or new.events[-1].name != DERIVE or new.fingerprint is None:
        return False
    *before, _ = new.events
    return any(
        entry.fingerprint == new.fingerprint
        and list(entry.events) == before
        and entry.guarantee.model == new.guarantee.model
        for entry in collections
    )


def _is_patterns(entry: Entry) -> bool:
    return "patterns" in entry.guarantee.model


def _difference(new: Entry, collections: Sequence[Entry]) -> str:
    """Return how a collection differs from earlier ones, in one sentence."""
    last = collections[-1]
    before, after = last.guarantee.parameters, new.guarantee.parameters
    head = f"'{new.source}' has a collection of patterns already (release {last.number}"
    smallest = min(
        (entry for entry in collections),
        key=lambda entry: int(entry.guarantee.parameters["min_support"]),
    )
    least = int(smallest.guarantee.parameters["min_support"])
    if int(after["min_support"]) < least:
        return (
            f"'{new.source}' has a collection of patterns down to min_support = {least} (release "
            f"{smallest.number}), and this one goes down to {after['min_support']}."
        )
    if after["k"] != before["k"]:
        return f"{head}, k = {before['k']}), and this one has k = {after['k']}."
    ways = [_way(entry) for entry in (last, new)]
    if ways[0] != ways[1]:
        return f"{head}, by {ways[0]}), and this one was made by {ways[1]}."
    return f"{head}, min_support = {before['min_support']}), and this one was made anew."


def _way(entry: Entry) -> str:
    """Return how a collection was made, as its first step calls it."""
    return entry.events[0].name.replace("_", " ") if entry.events else entry.guarantee.model


# The tables of a ledger.
#
# Rows are only ever added. Numbers of releases and budgets run 1, 2, 3, ... for each source, so
# that a row that is missing shows.

LEDGER_VERSION = 1

TABLES = ("discreet_releases", "discreet_budgets", "discreet_keys", "discreet_ledger")

SCHEMA = (
    """CREATE TABLE discreet_releases (
        source TEXT NOT NULL, number INTEGER NOT NULL, recorded TEXT NOT NULL,
        model TEXT NOT NULL, record TEXT NOT NULL, PRIMARY KEY (source, number))""",
    """CREATE TABLE discreet_budgets (
        source TEXT NOT NULL, number INTEGER NOT NULL, recorded TEXT NOT NULL,
        epsilon TEXT NOT NULL, delta TEXT NOT NULL, PRIMARY KEY (source, number))""",
    """CREATE TABLE discreet_keys (
        key_id TEXT NOT NULL PRIMARY KEY, secret TEXT NOT NULL, recorded TEXT NOT NULL)""",
    "CREATE TABLE discreet_ledger (version INTEGER NOT NULL)",
    f"INSERT INTO discreet_ledger (version) VALUES ({LEDGER_VERSION})",  # noqa: S608  a number
)


def _sqlite_triggers() -> Iterator[str]:
    """Yield the triggers that let rows be added only, each under its next number."""
    for table in TABLES:
        for change in ("UPDATE", "DELETE"):
            yield (
                f"CREATE TRIGGER {table}_no_{change.lower()} BEFORE {change} ON {table} "
                "BEGIN SELECT RAISE(ABORT, 'a ledger is append-only'); END"
            )
    for table in TABLES[:2]:  # INSERT OR REPLACE would delete without asking the triggers above
        yield (
            f"CREATE TRIGGER {table}_next BEFORE INSERT ON {table} "  # noqa: S608  names of ours
            f"WHEN NEW.number <> 1 + (SELECT count(*) FROM {table} WHERE source = NEW.source) "
            "BEGIN SELECT RAISE(ABORT, 'a ledger is append-only'); END"
        )
    yield (
        "CREATE TRIGGER discreet_keys_new BEFORE INSERT ON discreet_keys WHEN EXISTS "
        "(SELECT 1 FROM discreet_keys WHERE key_id = NEW.key_id) "
        "BEGIN SELECT RAISE(ABORT, 'a ledger is append-only'); END"
    )


def _postgres_triggers() -> Iterator[str]:
    """Yield the triggers that let rows be added only."""
    yield (
        "CREATE FUNCTION discreet_append_only() RETURNS trigger LANGUAGE plpgsql AS "
        "$$ BEGIN RAISE EXCEPTION 'a ledger is append-only'; END $$"
    )
    for table in TABLES:
        yield (
            f"CREATE TRIGGER {table}_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON {table} "
            "FOR EACH STATEMENT EXECUTE FUNCTION discreet_append_only()"
        )


LEDGER = Form(
    noun="ledger",
    version=LEDGER_VERSION,
    version_table="discreet_ledger",
    tables=TABLES,
    schema=SCHEMA,
    sqlite_triggers=tuple(_sqlite_triggers()),
    postgres_triggers=tuple(_postgres_triggers()),
)
