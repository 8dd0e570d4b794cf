"""The ledger: every release of a source, what they cost together, and how much may be spent.

It is append-only: a release once published cannot be taken back, and neither can its entry.
A release that would pass the budget is refused in the same transaction that would record it.
Entries form a chain: each holds the hash of the one before. What was changed inside shows at once;
what was cut off at the end, or written anew as a whole, shows to whoever knows an earlier head.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import unicodedata
import warnings
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from discreet import checks
from discreet.database import open_database
from discreet.errors import (
    CompositionWarning,
    DataError,
    DiscreetError,
    GuaranteeError,
    ParameterError,
    did_you_mean,
)
from discreet.release.chain import (
    LEDGER,
    LOCK,
    REMEDY,
    START,
    append,
    damaged,
    is_hash,
    keep_key,
    read_chain,
    read_key,
)
from discreet.release.composition import (
    Entry,
    Loss,
    Remaining,
    compose,
    refuse_past_budget,
    warn_of_composition,
)
from discreet.release.event import Event
from discreet.release.fingerprint import Fingerprint, FingerprintKey
from discreet.release.guarantee import Guarantee

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Sequence
    from decimal import Decimal

    from discreet.database import Database, Run
    from discreet.release.chain import Link
    from discreet.release.composition import Spent
    from discreet.release.release import Release

Held = TypeVar("Held")

MOST_EPSILON = 10**6  # e to the power of this is no privacy at all
MOST_K = 2**31 - 1
_MOST_DIGITS = 100
_MOST_LETTERS = 200


class Chain(NamedTuple):
    """How long the chain of a ledger is, and the hash of its last entry."""

    n_entries: int
    head: str


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
    def open(
        cls,
        url_or_path: str | os.PathLike[str],
        *,
        create: bool = True,
        expected_head: str | None = None,
    ) -> Ledger:
        """Return the ledger in a file or a database.

        Parameters
        ----------
        url_or_path : str or path
            The path of an SQLite file, or ``postgresql://user@host/database``.
        create : bool
            Whether a ledger that is not there is made. A mistyped path is then a new ledger,
            in which nothing is spent: give False where one must exist.
        expected_head : str, optional
            A head that was noted before; see :meth:`verify`. Such a ledger is never made.

        Returns
        -------
        Ledger
            Each operation makes its own connection. Keep the ledger as you keep the data: it
            holds the keys of fingerprints.

        Raises
        ------
        DataError
            If it cannot be opened, is not a ledger, or of another version, or is not the one
            with the expected head.
        ParameterError
            If the URL is of another kind, or the driver for PostgreSQL is missing.
        """
        make = create and expected_head is None
        ledger = cls(open_database(url_or_path, LEDGER, create=make))
        if expected_head is not None:
            ledger.verify(expected_head=expected_head)
        return ledger

    def record(self, release: Release[Any], *, source: str) -> Entry:
        """Add a release, unless that would pass the budget, and return its entry.

        Parameters
        ----------
        release : Release
            Record it before it is published: an entry too many costs budget, one too few costs
            privacy. The fingerprint is that of the release in memory, whether its certificate
            will state it or not, and the key of it is kept.
        source : str
            What the data is about, the same name for every release of it. Upper and lower case,
            white space and the ways to write a letter make no difference.

        Returns
        -------
        Entry
            As it was recorded; its ``head`` is the new head of the chain.

        Raises
        ------
        GuaranteeError
            If the source has a budget and the release would pass it, has no epsilon to count (as
            k-anonymity or a seeded run), or protects another unit than the others.
        ParameterError
            If the source has no printable name, or a figure of the claim is past every use.

        Warns
        -----
        CompositionWarning
            If this is not the first release of the source without differential privacy, or if
            epsilons of different units or neighbours meet. A collection of patterns that was
            derived from a recorded one is no reason. Also if the same input was recorded under
            another name, or other sources have a budget and this one has none.
        """
        name = _shown_source(source)
        _check_figures(release.guarantee)
        held = release.fingerprint
        entry = Entry(
            source=name,
            number=0,
            recorded=_now(),
            guarantee=release.guarantee,
            events=release.events,
            fingerprint=held,
            created=str(release.to_dict()["created"]),
            version=release.version,
        )
        with self._store.writing(LOCK) as run:
            links = self._links(run)
            known = self._entries(links)
            if held is not None and held.digest is not None:
                entry = replace(entry, input_mark=_mark(held.digest, _own_key(run, known)))
            earlier = [each for each in known if fold_source(each.source) == fold_source(name)]
            refuse_past_budget(entry, earlier, self._budget(links, name))
            warn_of_composition(entry, earlier)
            _warn_of_names(entry, known, budgeted=self._budgeted(links))
            entry = replace(entry, number=len(earlier) + 1)
            head = append(
                run, links, kind="release", source=name, recorded=entry.recorded,
                content=_content_of(entry),
            )  # fmt: skip
            if held is not None and held.key is not None:
                keep_key(run, held.key, entry.recorded)
        return replace(entry, head=head)

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
        name = _shown_source(source)
        figures = check_budget(epsilon=epsilon, delta=delta)
        with self._store.writing(LOCK) as run:
            links = self._links(run)
            spent = compose(name, self._entries(links, name))
            if spent.n_without_epsilon or not spent.loss.is_within(figures):
                raise GuaranteeError(
                    f"A budget of {figures} cannot hold for '{name}': {spent.loss} is spent"
                    f"{', and ' + spent.notes[-1] if spent.n_without_epsilon else '.'}"
                )
            content = {"epsilon": str(figures.epsilon), "delta": str(figures.delta)}
            append(run, links, kind="budget", source=name, recorded=_now(), content=content)
        return _remaining(spent, figures)

    def spent(self, source: str) -> Spent:
        """Return what the releases of a source cost together; see :func:`compose`."""
        return compose(_shown_source(source), self.entries(source))

    def remaining(self, source: str) -> Remaining | None:
        """Return what is left of the budget of a source, or None if it has none."""
        name = _shown_source(source)
        with self._store.reading() as run:
            links = self._links(run)
        figures = self._budget(links, name)
        if figures is None:
            return None
        return _remaining(compose(name, self._entries(links, name)), figures)

    def entries(self, source: str) -> tuple[Entry, ...]:
        """Return the recorded releases of a source, oldest first."""
        name = _shown_source(source)
        with self._store.reading() as run:
            return tuple(self._entries(self._links(run), name))

    def sources(self) -> tuple[str, ...]:
        """Return all sources that have releases or a budget, each as it was first written."""
        with self._store.reading() as run:
            links = self._links(run)
        names: dict[str, str] = {}
        for link in links:
            names.setdefault(fold_source(link.source), link.source)
        return tuple(sorted(names.values()))

    def key(self, key_id: str) -> FingerprintKey:
        """Return the key of a recorded fingerprint, to check an input with."""
        with self._store.reading() as run:
            found = read_key(run, key_id)
        if found is None:
            raise DataError(f"The ledger {self._store.shown} has no key {key_id}.")
        return found

    def verify(self, *, expected_head: str | None = None) -> Chain:
        """Check the whole chain, and return its length and its head.

        Every operation checks the chain; this one says so.

        Parameters
        ----------
        expected_head : str, optional
            A head that was noted at any time before. Entries may have been added since.

        Returns
        -------
        Chain
            How many entries there are, and the hash of the last one. Note the head where the
            ledger is not kept.

        Raises
        ------
        DataError
            If an entry was changed or is missing, or none has the expected head: then entries
            at the end were removed, or entries were written anew.
        ParameterError
            If the expected head is none.

        Examples
        --------
        >>> import tempfile
        >>> from pathlib import Path
        >>> ledger = Ledger.open(Path(tempfile.mkdtemp()) / "ledger.sqlite")
        >>> left = ledger.budget("census", epsilon=1)
        >>> noted = ledger.verify().head
        >>> left = ledger.budget("census", epsilon=2)
        >>> ledger.verify(expected_head=noted).n_entries
        2
        """
        if expected_head is not None and not is_hash(expected_head):
            raise ParameterError(
                "A head is 64 hexadecimal digits, as `discreet ledger` prints them.",
                parameter="expected_head",
            )
        with self._store.reading() as run:
            links = self._links(run)
            for entry in self._entries(links):
                if entry.fingerprint is not None:
                    read_key(run, entry.fingerprint.key_id)
        self._budgeted(links)
        if expected_head is not None and expected_head not in {START, *(x.hash for x in links)}:
            raise DataError(
                f"No entry of the ledger {self._store.shown} has the hash {expected_head}: the "
                f"entries at the end were removed, or entries were written anew. {REMEDY}"
            )
        return Chain(len(links), links[-1].hash if links else START)

    def _links(self, run: Run) -> list[Link]:
        """Return the whole chain, or raise DataError where it is broken."""
        return read_chain(run, self._store.shown)

    def _entries(self, links: Sequence[Link], source: str | None = None) -> list[Entry]:
        """Return the releases of a source, or of all, oldest first."""
        found: list[Entry] = []
        counts: dict[str, int] = {}
        for link in links:
            folded = fold_source(link.source)
            if link.kind == "release" and (source is None or folded == fold_source(source)):
                counts[folded] = counts.get(folded, 0) + 1
                found.append(_parsed(_entry_of, link, self._store.shown, counts[folded]))
        return found

    def _budget(self, links: Sequence[Link], source: str) -> Loss | None:
        """Return the last budget of a source."""
        return self._budgeted(links).get(fold_source(source))

    def _budgeted(self, links: Sequence[Link]) -> dict[str, Loss]:
        """Return the last budget of every source that has one, by its folded name."""
        return {
            fold_source(link.source): _parsed(_budget_of, link, self._store.shown)
            for link in links
            if link.kind == "budget"
        }


def _now() -> str:
    """Return the time in whole seconds of UTC."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _remaining(spent: Spent, budget: Loss) -> Remaining:
    """Return what is left of a budget."""
    return Remaining(
        source=spent.source,
        epsilon=budget.epsilon - spent.epsilon,
        delta=budget.delta - spent.delta,
        budget=budget,
    )


def _bounded(name: str, number: Fraction) -> Fraction:
    """Return a figure that can be added up for ever, or raise ParameterError."""
    if max(abs(number.numerator), number.denominator) >= 10**_MOST_DIGITS:
        raise ParameterError(
            f"{{{name}}} must be a number of at most {_MOST_DIGITS} digits.", parameter=name
        )
    return number


def _check_figures(claim: Guarantee) -> None:
    """Raise ParameterError if a claim has a figure that no ledger can work with."""
    for name, value in claim.parameters.items():
        if isinstance(value, Fraction):
            _bounded(name, value)
        if name == "epsilon" and not isinstance(value, str):
            checks.exact(name, value, above=0, at_most=MOST_EPSILON)
        if isinstance(value, int):
            _bounded(name, Fraction(value))
        if name == "k":
            checks.whole(name, value, at_least=1, at_most=MOST_K)


# Names of sources. People write them by hand: what looks the same is the same.

_UNSEEN = dict.fromkeys([0x34F, 0x115F, 0x1160, 0x17B4, 0x17B5, *range(0xFE00, 0xFE10)])


def fold_source(source: str) -> str:
    """Return what names of sources are compared by.

    Examples
    --------
    >>> fold_source("Survey  2026") == fold_source(" survey \uff12\uff10\uff12\uff16")
    True
    """
    text = source
    for _ in range(2):  # folding can undo what normalizing did, once
        text = unicodedata.normalize("NFKC", text).translate(_UNSEEN).casefold()
    return " ".join(unicodedata.normalize("NFKC", text).split())


def _shown_source(source: object) -> str:
    """Return the name of a source as it is shown, or raise ParameterError if it is none."""
    if isinstance(source, str) and len(source) <= _MOST_LETTERS:
        shown = " ".join(unicodedata.normalize("NFKC", source).split())
        if fold_source(shown) and shown.isprintable():
            return shown
    raise ParameterError(
        f"A source has a printable name of at most {_MOST_LETTERS} letters, not {source!r:.80}.",
        parameter="source",
    )


def _warn_of_names(new: Entry, known: Sequence[Entry], *, budgeted: dict[str, Loss]) -> None:
    """Warn if a source goes by several names, as far as a ledger can know."""
    own = fold_source(new.source)
    same = [
        entry
        for entry in known
        if fold_source(entry.source) != own
        and (
            (entry.input_mark is not None and entry.input_mark == new.input_mark)
            or (entry.fingerprint is not None and entry.fingerprint == new.fingerprint)
        )
    ]
    if same:
        warnings.warn(
            f"The input of this release of '{new.source}' was recorded before as "
            f"'{same[0].source}' (release {same[0].number}). Under two names the releases of one "
            "input are not counted together, and no budget holds. Use one name for it.",
            CompositionWarning,
            stacklevel=3,
        )
    if budgeted and own not in budgeted:
        hint = did_you_mean(own, budgeted)
        warnings.warn(
            f"'{new.source}' has no budget, and other sources of this ledger have one. {hint} "
            "Set a budget with `discreet ledger`, or use the name that has one.",
            CompositionWarning,
            stacklevel=3,
        )


# What is in the entries.


def _parsed(parse: Callable[..., Held], link: Link, shown: str, *more: object) -> Held:
    """Return what an entry holds, or raise DataError that names the entry."""
    try:
        content = json.loads(link.content, parse_constant=_no_number)
        return parse(link, content, *more)
    except DiscreetError as error:
        raise damaged(link.number, shown, str(error).rstrip(".")) from error
    except (ValueError, KeyError, TypeError, AttributeError, ArithmeticError, RecursionError):
        raise damaged(link.number, shown, f"it does not hold a {link.kind}") from None


def _no_number(text: str) -> None:
    raise DataError(f"it holds {text}, which is no number")


def _content_of(entry: Entry) -> dict[str, object]:
    """Return what is written of a release: all but its data and the keys."""
    return {
        "guarantee": entry.guarantee.to_dict(),
        "events": [event.to_dict() for event in entry.events],
        "fingerprint": None if entry.fingerprint is None else entry.fingerprint.to_dict(),
        "created": entry.created,
        "discreet_version": entry.version,
        "input_mark": entry.input_mark,
    }


def _entry_of(link: Link, content: dict[str, Any], number: int) -> Entry:
    """Return the release that an entry holds."""
    held = content["fingerprint"]
    guarantee = Guarantee.from_dict(content["guarantee"])
    _check_figures(guarantee)
    return Entry(
        source=link.source,
        number=number,
        recorded=link.recorded,
        guarantee=guarantee,
        events=tuple(Event.from_dict(each) for each in content["events"]),
        fingerprint=None if held is None else Fingerprint(mac=held["mac"], key_id=held["key_id"]),
        created=content["created"],
        version=content["discreet_version"],
        input_mark=content["input_mark"],
        head=link.hash,
    )


def _budget_of(_link: Link, content: dict[str, Any]) -> Loss:
    """Return the budget that an entry holds."""
    return check_budget(epsilon=content["epsilon"], delta=content["delta"])


def check_budget(*, epsilon: object, delta: object = 0) -> Loss:
    """Return a budget with exact figures, or raise ParameterError if they are out of range.

    Examples
    --------
    >>> print(check_budget(epsilon="0.5", delta=1e-6))
    epsilon 0.5, delta 0.000001
    """
    return Loss(
        epsilon=_bounded(
            "epsilon", checks.exact("epsilon", epsilon, above=0, at_most=MOST_EPSILON)
        ),
        delta=_bounded("delta", checks.exact("delta", delta, at_least=0, below=1)),
    )


# The ledger's own key, under which it knows an input again.


def _mark(digest: bytes, key: FingerprintKey) -> str:
    """Return the mark of an input: the id of the ledger's key, and a code under it."""
    code = hmac.new(key.secret, b"discreet input" + digest, hashlib.sha256).hexdigest()
    return f"{key.key_id}:{code}"


def _own_key(run: Run, known: Sequence[Entry]) -> FingerprintKey:
    """Return the ledger's own key; a new one if no entry was marked with one."""
    marked = [entry.input_mark for entry in known if entry.input_mark is not None]
    if not marked:
        key = FingerprintKey.random()
        keep_key(run, key, _now())
        return key
    key_id = marked[-1].partition(":")[0]
    found = read_key(run, key_id)
    if found is None:
        raise DataError(f"The ledger's own key {key_id} is missing from it. {REMEDY}")
    return found
